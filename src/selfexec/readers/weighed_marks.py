"""Read a judgement of each option, a map from word to true or false, from a reply that says more than that."""

import re
from collections.abc import Iterator, Sequence, Set

from selfexec.readers.alternatives import left_open
from selfexec.readers.conclusion import conclude, ends, unreadable
from selfexec.readers.corrections import corrected
from selfexec.readers.folding import fold
from selfexec.readers.nesting import place
from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading, last_of
from selfexec.readers.scan import lines, matches
from selfexec.readers.shown import mentioned
from selfexec.readers.sorted_words import sorted_words
from selfexec.readers.suppositions import counterfactual
from selfexec.readers.weighed_words import LIST, members, unescaped
from selfexec.text.regex import regex

# in the languages of the models' makers and users; "no" is English, Spanish and Italian
YES = (
    *("true", "yes", "1", "✅", "✔", "✓", "👍", "ja", "oui", "sí", "sì", "sim", "да", "是", "はい", "예", "네", "نعم"),
    *("wahr", "vrai", "verdadero", "vero", "verdadeiro", "правда", "真", "참", "صحيح"),
)
NO = (
    *("false", "no", "❌", "✗", "✘", "👎", "nein", "non", "não", "нет", "否", "不是", "いいえ", "아니요"),
    *("아니오", "لا", "falsch", "faux", "falso", "ложь", "假", "偽", "거짓", "خطأ"),
)
INITIALS = "".join({initial for word in (*YES, *NO) for initial in (word[0], word[0].upper())})
MARK = rf"(?=[{INITIALS}01])(?P<mark>(?i:{'|'.join(('true', 'false', *YES, *NO))})|[01])(?!\w)"
# a brace, or what stands behind a key: ': true', ': "false"'
PART = regex(
    rf"\{{(?!\s?[{{}}])|\}}+|:\s{{0,12}}\\?[\"'“”«„]?\s{{0,6}}{MARK}"
    r"(?=\s{0,6}\\?[\"'“”»]?\s*(?:[,;}\]|)*('\\]|//|/\*|#|\n|$|\\?[\"'“«„]))"
)
LONGEST = 100  # characters of a key
KEY = regex(
    r"""(?:\\?"(?P<double>(?:[^"\\\n]|\\[^"\n]){0,100})\\?"|[“”„](?P<smart>[^“”\n]{0,100})[“”]|«(?P<angled>[^«»\n]{0,100})»
      |(?<!\w)'(?!\s*[,}])(?P<single>(?:[^'\n:]|'(?!\s*,)){0,100}?)'|(?<![^\s{,])(?P<bare>[^\s"'“”«»:{},][^"“”:{},\n]{0,60}))\s{0,12}$""",
    re.VERBOSE,
)
LINE = regex(
    r"[ \t|]{0,12}(?:\d{1,2}[.)]\s|[-*•–]\s)?\s{0,2}[\"'“”*_`]{0,4}(?P<word>[^:：|\n\"“”*]{1,80}?)"
    r"[\"'“”*_`]{0,4}\s{0,6}"
    rf"(?::|：|-|–|—|=|→|->|\||(?=[✅✔✓👍❌✗✘👎]))[*_]{{0,2}}\s{{0,6}}[\"'“”*_`(]{{0,4}}(?!\d){MARK}",
    re.IGNORECASE,
)
CELL = regex(rf"[\s*_`\"']{{0,6}}{MARK}\ufe0f?[\s*_`\"']{{0,6}}$", re.IGNORECASE)
BEHIND_A_SIGN = regex(rf"[:=]\s?(?!\d){MARK}", re.IGNORECASE)
INLINE = regex(rf"([^:;,=\n{{}}\"]{{1,60}})\s?[:=]\s?(?!\d){MARK}", re.IGNORECASE)


NOT_THE_REPLY = regex(r"(?:options?|option\s+words|words\s+given|\bnot(?:\s+\w+)?|false)\W{0,12}$", re.IGNORECASE)


# '"appeared": ["camel", "mule"]', beside a list of the options
UNDER_LISTED = regex(r"[\"'](?:appeared|listed|included|selected|true|yes)[\"']\s{0,4}:\s{0,4}$", re.IGNORECASE)


def weigh_marks(text: str, options: Sequence[str]) -> Reading:
    """Which words a reply marks true or false, by the rules of `marks_and_words.read_marks`."""
    plain = plain_text(text, formulas=False)
    wanted = {fold(option) for option in options}
    every = _answering(plain)
    if "(" in plain or not plain.isascii():
        every = [_unglossed(c, wanted) for c in every]
    if len(every) > 1 and left_open(plain, whole := [c for c in every if wanted <= _marked(c)]):
        return unreadable(text, last_of(whole))
    objects = [c for c in every if not mentioned(plain, c.start, c.end) and not counterfactual(plain, c.start)]
    if objects and wanted <= _marked(objects[-1]) and ends(plain, objects[-1]):
        return conclude(text, [objects[-1]])
    records = list(_records(plain, wanted))
    lines_apart = (c for c in _lines(plain, wanted) if not any(_is_part(c, one) for one in objects))
    found = records or [c for c in (*objects, *lines_apart) if wanted & _marked(c)]
    for source in (_under_two_keys, _grouped, _each_apart, _in_digits):
        found = found or list(source(plain, options))
    whole = [c for c in found if wanted <= _marked(c)] or list(sorted_words(plain, options))
    if left_open(plain, whole):
        return unreadable(text, last_of(whole))
    whole = [corrected(plain, c, options) for c in whole]
    return conclude(text, whole or _together(found) or list(_listed(plain, options)) or objects)


def marks_in(text: str) -> list[Commitment]:
    """The objects and runs of lines that mark words, whatever the words are."""
    return [*(c for c in _answering(text) if not mentioned(text, c.start, c.end)), *_lines(text)]


def _answering(text: str) -> list[Commitment]:
    """The objects with marks that stand where answers do."""
    return [c for c in _objects(text) if place(text, c.start + 1).answers]


def _objects(text: str) -> Iterator[Commitment]:
    """Every stretch from an opening brace to the next brace, with the words that it marks."""
    if ":" not in text:
        return  # no key, no mark: noise may have a million braces
    marks: dict[str, bool] = {}
    start = -1
    for part in PART.finditer(text):
        if part["mark"] and start >= 0:
            if name := _key_before(text, part.start(), max(part.start() - 110, start + 1)):
                marks[name] = part["mark"].lower() in YES
        elif not part["mark"]:
            if marks:
                yield Commitment(start, part.start() + 1, marks)
            marks = {}
            start = part.start() if part[0] == "{" else -1
    if marks:
        yield Commitment(start, len(text), marks)


def _key_before(text: str, colon: int, start: int) -> str:
    """The key that ends at a colon and begins no earlier than `start`; "" where there is none."""
    closing = colon - 1
    if text[closing] == '"' and (opening := text.rfind('"', start, closing)) >= 0:
        name = text[opening + 1 : closing]
        if len(name) <= LONGEST and "\\" not in name and "\n" not in name:
            return name.strip()  # most keys, as the search below would find them
    word = KEY.search(text, start, colon)
    return unescaped(text[slice(*word.span(word.lastgroup or 0))]) if word else ""


def _marked(found: Commitment) -> set[str]:
    return {fold(word) for word in found.value}


def _is_part(marked: Commitment, whole: Commitment) -> bool:
    """Whether marks stand within others, and are among them."""
    return whole.start <= marked.start and marked.end <= whole.end and _marked(marked) <= _marked(whole)


def _together(found: list[Commitment]) -> list[Commitment]:
    """Objects and lines as one; as they are if a word is marked twice, alike or not: then the last begins anew."""
    words = [fold(word) for c in found for word in c.value]
    if len(found) < 2 or len(set(words)) < len(words):
        return found
    marks = {word: mark for c in found for word, mark in c.value.items()}
    return [Commitment(min(c.start for c in found), max(c.end for c in found), marks)]


# "hotel(酒店)", "酒店 (hotel)"
GLOSSED = regex(r"(?P<word>[^()（）\[\]【】]{1,80}?)\s{0,2}[(（\[【](?P<gloss>[^()（）\[\]【】]{1,80})[)）\]】]")
# what may lead to the first word of a row: "Scenario 1 - boat: true, fog: false or boat: true, ..."
LED_TO = regex(r"(?:[^\n]{1,60}\s[-–—]|or|and)\s(?P<word>[^\n]{1,60})", re.IGNORECASE)


def _unglossed(marked: Commitment, wanted: set[str]) -> Commitment:
    """Marks with the options' own names, where a key holds one and its translation, one of them in brackets."""
    if all(fold(word) in wanted for word in marked.value):
        return marked
    marks: dict[str, bool] = {}
    for word, mark in marked.value.items():
        glossed = GLOSSED.fullmatch(word) if fold(word) not in wanted else None
        names = [part for part in glossed.groups() if fold(part) in wanted] if glossed else []
        if marks.setdefault(names[0] if len(names) == 1 else word, mark) != mark:
            return marked  # one option, under two names
    return marked._replace(value=marks)


# --- other forms of marks ---------------------------------------------------------------------------------------------

# one word and its mark: {"camel": {"listed": true, "confidence": 0.9}}, <camel>true</camel>
NESTED = regex(r"[\"'](?P<word>[^\"'\n{}]{1,80})[\"']\s{0,4}:\s{0,4}\{(?P<body>[^{}]{1,300})\}")
BOOLEAN = regex(r":\s{0,4}[\"']?(?P<mark>true|false)\b", re.IGNORECASE)
TAGGED = regex(
    rf"<(?:(?P<tag>[^<>/\n\"=]{{1,80}})|\w{{1,20}}=(?P<given>[^<>\"\n=]{{1,80}})|\w{{1,20}}\s(?:word|name|option|term)=\"(?P<named>[^<>\"\n]{{1,80}})\")>"
    rf"\s{{0,12}}{MARK}(?:\s{{0,12}}</|[ \t]{{0,4}}\n)"  # the mark that ends a <word> is a line's end by now
)
# <option text="camel" listed="true"/>
ATTRIBUTES = regex(
    rf"<\w{{1,20}}\s+(?:word|name|option|term|text|value)=\"(?P<word>[^<>\"\n]{{1,80}})\"\s+(?P<key>\w{{1,30}})=\"{MARK}\"\s?/?>"
)
# "camel & true \\\\" of a table in LaTeX
LATEX_ROW = regex(
    rf"(?:^|\n|\}}|\\\\|\\hline)\s{{0,12}}(?P<word>[^&\\\n{{}}|]{{1,80}}?)\s{{0,12}}&\s{{0,12}}{MARK}\s{{0,12}}(?=\\\\|\\end|\n|$)"
)
# '"camel": "not listed"'
VALUE = regex(r"\"(?P<word>[^\"\n{}\[\]]{1,80})\"\s{0,4}:\s{0,4}\"(?P<said>[^\"\n{}\[\]]{1,40})\"")
# '"would_not_list": ["camel", "mule"]'
LONGEST_OF_LISTS = 20_000  # characters of a reply that sorts a few words into lists
KEYED_LIST = regex(r"[\"'](?P<key>[^\"'\n{}\[\]]{1,40})[\"']\s{0,4}:\s{0,4}(?P<list>\[)")
# "(1 = listed, 0 = not listed)"
LEGEND = regex(r"\b(?P<mark>[01])\s?(?:=|:|means|stands\s+for)\s?(?P<meaning>[^\n,;)0-9]{1,60})")
# "✔ camel", "- [x] camel", and nothing else on the line
CHECKED = regex(
    r"[ \t]{0,12}(?:[-*•]\s)?\s{0,2}(?:\[(?P<box>[xX✓✔ ])\]|(?P<sign>[✅✔✓👍☑❌✗✘👎☐]))\ufe0f?\s{1,4}"
    r"[\"'“”*_`]{0,4}(?P<word>[^:：|\n\"“”*_`]{1,80}?)[\"'“”*_`]{0,4}\s{0,4}(?:(?:[:：(]|\s[–—-]\s)[*_]{0,2}(?P<remark>[^\n]{1,160}))?$"
)
# "camel: 1", which counts where all options have one
DIGIT = regex(
    r"[ \t]{0,12}(?:[-*•]\s)?[\"'*_`]{0,3}(?P<word>[^:：|\n\"*_`\d]{1,80}?)[\"'*_`]{0,3}\s?[:=]\s?(?P<mark>[01])\s*$"
)
# "- camel (true): because"
IN_BRACKETS = regex(
    rf"[ \t]{{0,12}}(?:\d{{1,2}}[.)]\s|[-*•]\s)?\s{{0,2}}[\"'“”*_`]{{0,4}}"
    rf"(?P<word>[^:：|(\n\"“”*_`]{{1,80}}?)[\"'“”*_`]{{0,4}}\s{{0,4}}\({MARK}\)"
)
# "1. camel – would not appear"
APPEARS = regex(
    r"""[ \t]{0,12}(?:\d{1,2}[.)]\s|[-*•]\s)?\s{0,2}[\"'“”*_`]{0,4}(?P<word>[^:：|\n\"“”*_`]{1,80}?)[\"'“”*_`]{0,4}
        \s{0,4}(?::|：|-|–|—|=|→|->)\s{0,4}
        (?:(?:would|did|does|will|probably|likely|most\s+likely)\s+){0,2}(?P<no>not\s+|(?<=d)n['’]t\s+)?(?:have\s+)?
        (?:appear(?:ed|s)?|listed|included|be\s+(?:listed|included))[\s.]{0,4}$""",
    re.VERBOSE | re.IGNORECASE,
)
BEGINS_AS_A_MARK = regex(rf"\W{{0,3}}{MARK}", re.IGNORECASE)
SIGN = regex("[✅✔✓👍❌✗✘👎]")
UNCHECKED = " ❌✗✘👎☐"


PART_OF_KEY = regex(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
KEYS_OF_NO = frozenset(
    {
        *("not", "no", "false", "never", "absent", "excluded", "exclude", "omitted", "omit", "unlikely"),
        *("missing", "unlisted", "skip"),
    }
    | {
        *("skipped", "out", "left", "leave", "wont", "wouldnt", "didnt", "nein", "nicht", "non", "pas", "falsch"),
        *("faux", "falso"),
    }
)
KEYS_OF_YES = frozenset(
    {
        *("list", "listed", "appear", "appeared", "appears", "present", "included", "include", "in", "true"),
        *("yes", "likely", "write"),
    }
    | {
        *("selected", "chosen", "name", "mention", "mentioned", "ja", "oui", "sí", "si", "wahr", "vrai"),
        *("verdadero", "keep"),
    }
)
BESIDE_A_KEY = frozenset(
    {
        *("would", "will", "did", "i", "my", "the", "be", "have", "words", "word", "that", "were", "was", "on"),
        *("options", "probably"),
    }
)


def _polarity(key: str) -> bool | None:
    """Whether a key says yes or no of what stands under it ("would_not_list"); None where it says neither."""
    words = {word for word in PART_OF_KEY.split(key.lower().replace("'", "").replace("’", "")) if word}
    if not words <= KEYS_OF_NO | KEYS_OF_YES | BESIDE_A_KEY:
        return None
    denials = words & KEYS_OF_NO
    if len(denials) > 1 and "out" not in denials:
        return None  # "not_excluded"
    return False if denials else True if words & KEYS_OF_YES else None


def _under_two_keys(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """Every option in one of two lists of an object, one that says yes of its words and one that says no."""
    known = {fold(option): option for option in options}
    marks: dict[str, bool] = {}
    spans: list[int] = []
    kinds: set[bool] = set()
    for found in matches(text, KEYED_LIST, '"', "'") if "[" in text and len(text) < LONGEST_OF_LISTS else ():
        mark = _polarity(found["key"])
        listed = LIST.match(text, found.start("list"))
        if mark is None or listed is None or not listed["close"] or not place(text, found.start()).answers:
            continue
        for word in map(fold, members(listed)):
            if word not in known or marks.setdefault(known[word], mark) != mark:
                return
        spans += (found.start(), listed.end())
        kinds.add(mark)
    if marks and kinds == {True, False} and not mentioned(text, min(spans), max(spans)):
        yield Commitment(min(spans), max(spans), marks)


def _in_digits(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """ "boat=1, fog=0": every option once, with 1 or 0, as a legend says or as usual."""
    names = "|".join(re.escape(option) for option in sorted(options, key=len, reverse=True))
    pairs = list(re.finditer(rf"(?<!\w)({names})\s?[=:]\s?([01])(?![\w.])", text, re.IGNORECASE))
    if len(pairs) != len(options) or len({fold(pair[1]) for pair in pairs}) != len(options):
        return
    said = {found["mark"]: _means(found["meaning"]) for found in LEGEND.finditer(text, 0, pairs[0].start())}
    one = said.get("1", not said["0"] if said.get("0") is not None else True)
    if one is not None and not (len(said) == 2 and said["0"] == one):
        known = {fold(option): option for option in options}
        marks = {known[fold(pair[1])]: (pair[2] == "1") == one for pair in pairs}
        yield Commitment(pairs[0].start(), pairs[-1].end(), marks)


def _means(meaning: str) -> bool | None:
    """Whether the words of a legend say yes or no."""
    if re.search(
        r"\b(?:not?|nicht|nein|non|pas|never|false|absent|out)\b|n['’]t\b|不|否|لا|لن", meaning, re.IGNORECASE
    ):
        return False
    yes = (
        r"\b(?:list\w*|yes|true|appear\w*|includ\w*|present|in|write|name[ds]?|ja|oui|sí|i(?:['’]d|\s+would))\b"
        r"|会|是|نعم"
    )
    return True if re.search(yes, meaning, re.IGNORECASE) else None


def _each_apart(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """Every option once, each with its own mark in an object, a tag or a line that holds nothing else."""
    pairs: list[tuple[int, int, str, bool]] = []
    for found in matches(text, NESTED, '"', "'"):
        said = BOOLEAN.findall(found["body"])
        if len(said) == 1 and place(text, found.start() + 1).answers:
            pairs.append((found.start(), found.end(), found["word"], said[0].lower() == "true"))
    tagged = matches(text, TAGGED, "<")
    pairs += (
        (tag.start(), tag.end(), tag["tag"] or tag["given"] or tag["named"], tag["mark"].lower() in YES)
        for tag in tagged
    )
    pairs += (
        (f.start(), f.end(), f["word"], bool(_polarity(f["said"])))
        for f in (matches(text, VALUE, '"') if ":" in text else ())
        if _polarity(f["said"]) is not None and place(text, f.start() + 1).answers
    )
    if 'true"' in text or 'yes"' in text:
        pairs += (
            (f.start(), f.end(), f["word"], f["mark"].lower() in YES)
            for f in matches(text, ATTRIBUTES, "<")
            if _polarity(f["key"])
        )
    if "&" in text:
        pairs += ((f.start(), f.end(), f["word"], f["mark"].lower() in YES) for f in LATEX_ROW.finditer(text))
    for at, line in lines(text):
        if len(line) > 200:
            continue
        if box := CHECKED.match(line):
            ticked = (box["box"] or box["sign"]) not in UNCHECKED
            if not box["remark"] or _agrees(box["remark"], ticked):
                pairs.append((at, at + len(line), box["word"], ticked))
        elif digit := DIGIT.match(line):
            pairs.append((at, at + len(line), digit["word"], digit["mark"] == "1"))
        elif bracketed := IN_BRACKETS.match(line):
            pairs.append((at, at + len(line), bracketed["word"], bracketed["mark"].lower() in YES))
        elif said_of := APPEARS.match(line):
            pairs.append((at, at + len(line), said_of["word"], not said_of["no"]))
    pairs += (
        (f.start(), f.end(), f["word"], f["mark"].lower() in YES) for f in matches(text, IN_YAML, "word:", "option:")
    )
    pairs += _in_columns(text)
    known = {fold(option): option for option in options}
    ours = [(start, end, known[fold(word)], mark) for start, end, word, mark in pairs if fold(word) in known]
    if len(ours) == len(known) == len({option for *_, option, _ in ours}):
        start, end = min(start for start, *_ in ours), max(end for _, end, *_ in ours)
        empty = not any(mark for *_, mark in ours) and "[ ]" in text[start:end]  # a form that nobody filled in
        if not empty and not mentioned(text, start, end):
            yield Commitment(start, end, {option: mark for *_, option, mark in ours})


# a remark behind a tick that may say the contrary
DENIES = regex(
    r"\b(?:not?|never|un\w+|nicht|nein|non|pas|false|out|although|but)\b|n['’]t\b|不|否|لا|لن", re.IGNORECASE
)
AFFIRMS = regex(
    r"\b(?:yes|true|certain\w*|definite\w*|would|likely|listed|included|ja|oui|sí|but|although)\b|是|نعم", re.IGNORECASE
)


def _agrees(remark: str, ticked: bool) -> bool:
    """Whether a remark says nothing against the tick or the cross before it."""
    if ticked:
        return DENIES.search(remark) is None
    return AFFIRMS.search(DENIES.sub("", remark)) is None or DENIES.search(remark) is not None


# "word: camel" above "appeared: true"
IN_YAML = regex(
    rf"(?:word|option):\s{{0,4}}[\"']?(?P<word>[^\"'\n{{}}:]{{1,80}}?)[\"']?\s{{0,4}}\n\s{{0,12}}\w{{1,20}}:\s{{0,4}}{MARK}"
)
# a table with the words as its head and their marks in the row below
COLUMNS = regex(
    r"(?P<head>\|[^\n]{3,400}\|)[ \t]{0,4}\n[ \t]{0,4}\|[\s|:-]{3,200}\n[ \t]{0,4}(?P<row>\|[^\n]{3,400}\|)"
)


def _in_columns(text: str) -> Iterator[tuple[int, int, str, bool]]:
    for found in COLUMNS.finditer(text) if "|" in text else ():
        head, row = found["head"].strip("|").split("|"), found["row"].strip("|").split("|")
        said = [BEGINS_AS_A_MARK.match(cell.strip()) for cell in row]
        if len(head) == len(row) and all(said):
            for word, mark in zip(head, said, strict=True):
                yield found.start(), found.end(), word, mark is not None and mark["mark"].lower() in YES


# {"word": "camel", "appeared": true}
RECORD = regex(
    rf"""\{{\s{{0,12}}[\"'](?:word|option|option_word|term|name|target)[\"']\s{{0,4}}:\s{{0,4}}
        [\"'](?P<word>[^\"'\n{{}}]{{1,80}})[\"']
        \s{{0,4}},\s{{0,12}}[\"'](?P<key>\w{{1,30}})[\"']\s{{0,4}}:\s{{0,4}}[\"']?{MARK}[^{{}}]{{0,200}}\}}""",
    re.VERBOSE,
)
# "True: camel, mule", "No: goat", '"false": ["goat"]'
NOT_LISTED = r"(?:(?:did[\s_]?n[o']t|not|did_not)[\s_]+(?:appear|list|includ)\w*|absent|excluded)"
LISTED = r"(?:appeared|listed|included)"
GROUP = regex(
    rf"""(?<!\w)[\"'*_\s(,-]{{0,6}}(?:{MARK}|(?P<no>{NOT_LISTED})|(?P<yes>{LISTED}))[\"'*_)]{{0,4}}\s{{0,4}}[:：]\s{{0,4}}[*_]{{0,2}}\[?
        (?P<words>[^:：{{}}\[\].\n]{{1,400}})(?:[\].\n]|$)""",
    re.IGNORECASE | re.VERBOSE,
)
# "I would list camel and mule, but not goat."
SENTENCE = regex(
    r"""\bI(?:\s+would|['’]d|\s+will|\s+(?:think|believe)\s+I\s+would|)\s+(?:have\s+)?
        (?:list(?:ed)?|includ(?:e|ed)|choose|name[d]?|mention(?:ed)?)\s+
        (?P<yes>[^.;:\n{}]{1,200}?),?\s+(?:but|and)\s+not\s+(?P<no>[^.;:\n{}]{1,200})[.\n]?""",
    re.VERBOSE,
)
PARTED = regex(r"\s*(?:,|،|、|;|\band\b|\bor\b|\bund\b|\by\b)\s*")


def _records(text: str, wanted: set[str]) -> Iterator[Commitment]:
    """Objects that name one word each and mark it under another key, together."""
    found = [f for f in matches(text, RECORD, "{") if fold(f["word"]) in wanted and place(text, f.start() + 1).answers]
    marks = {f["word"]: f["mark"].lower() in YES for f in found}
    if len(found) > 1 and len(marks) == len(found) and len({f["key"] for f in found}) == 1:
        yield Commitment(min(f.start() for f in found), max(f.end() for f in found), marks)


def _grouped(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """Every option in one of two rows, one of those that are true and one of the others."""
    groups = [
        (bool(f["yes"]) or (f["mark"] or "").lower() in YES, f["words"])
        for _, line in lines(text)
        for f in GROUP.finditer(line)
    ]
    if not groups and (said := SENTENCE.search(text)):
        groups = [(True, said["yes"]), (False, said["no"])]
    known = {fold(option): option for option in options}
    marks: dict[str, bool] = {}
    for mark, row in groups:
        for word in filter(None, (fold(word.strip(" \"'*_`.()-")) for word in PARTED.split(row))):
            if word not in known or marks.setdefault(known[word], mark) != mark:
                return  # more than a list of options, or one that is marked both ways
    if len(marks) == len(known):
        yield Commitment(0, len(text), marks)


def _lines(text: str, wanted: Set[str] = frozenset()) -> Iterator[Commitment]:
    """Runs of lines like '- camel: true', with what they mark; of `wanted` words also behind what leads to a row."""
    run: list[tuple[int, int, str, bool]] = []
    start = end = 0
    for at, line in [*lines(text), (len(text), "end")]:
        if pairs := list(_in_a_line(line)):
            start = start if run else at
            end = at + len(line)
            for begin, stop, word, mark in pairs:
                name = _led_to(word.strip(" \t`*_"), wanted)
                run.append((at + begin + word.rindex(name), at + stop, name, mark.lower() in YES))
        elif line.strip() and run:
            yield from _blocks(run, start, end)
            run = []


def _led_to(word: str, wanted: Set[str]) -> str:
    led_to = LED_TO.fullmatch(word.lstrip(" .;")) if wanted and fold(word) not in wanted else None
    return led_to["word"] if led_to and fold(led_to["word"]) in wanted else word


# "paint – false; yolk – true"
BEHIND_A_DASH = regex(rf"(?P<word>[^:;,=\n{{}}\"–—]{{1,60}}?)\s[–—-]\s(?!\d){MARK}(?=\s*(?:[;,.]|$))", re.IGNORECASE)


def _in_a_line(line: str) -> Iterator[tuple[int, int, str, str]]:
    """The words that a line marks, each with its place and its mark."""
    readable = len(line) < 200 or (len(line) < 400 and (":" in line or "=" in line))
    if readable and (":" in line or "=" in line) and len(BEHIND_A_SIGN.findall(line)) > 1:
        pairs = [(*found.span(), found[1], found["mark"]) for found in INLINE.finditer(line)]
        if len(pairs) > 1:
            yield from (pair for pair in pairs if pair[2].strip())
            return
    dashes = sum(line.count(dash) for dash in (" – ", " — ", " - "))
    if readable and dashes > 1 and len(dashed := list(BEHIND_A_DASH.finditer(line))) > 1:
        yield from ((*found.span(), found["word"], found["mark"]) for found in dashed)
    elif len(line) < 200 and (found := LINE.match(line)):
        yield 0, len(line), found["word"], found["mark"]
    elif "|" in line:
        yield from ((0, len(line), word, mark) for word, mark in _in_a_row(line))


def _blocks(run: list[tuple[int, int, str, bool]], start: int, end: int) -> Iterator[Commitment]:
    """Lines that mark the same words several times over, time by time; else all of them as one, where the last mark of
    a word counts.
    """
    words = [word for _, _, word, _ in run]
    size = len(set(words))
    parts = [run[at : at + size] for at in range(0, len(run), size)]
    if size < 2 or len(parts) < 2 or any({word for _, _, word, _ in part} != set(words) for part in parts):
        parts = [run]
    for part in parts:
        begin, stop = (start, end) if part is run else (part[0][0], part[-1][1])
        yield Commitment(begin, stop, {word: mark for _, _, word, mark in part})


def _in_a_row(line: str) -> Iterator[tuple[str, str]]:
    """The first cell of a table's row, and the mark in the only one of the others that is nothing but a mark."""
    cells = line.strip(" \t|").split("|") if line.count("|") > 2 and len(line) < 400 else []
    said = [mark["mark"] for cell in cells[1:] if (mark := CELL.match(cell))]
    if len(said) == 1:
        yield cells[0], said[0]


# "Of those five, the ones that appeared in my list are: clown, tent."
THE_ONES = regex(
    r"(?:^|\n)[^\n:.!?]{0,60}\b(?:the|those|only)\s+(?:ones|words|options|those|which|that)?\s*(?:that\s+|which\s+|of\s+them\s+)?(?:would\s+have\s+|would\s+|have\s+)?"
    r"(?:appear(?:ed)?|be\s+listed|been\s+listed|were\s+listed|i\s+(?:would\s+have\s+|would\s+)?list(?:ed)?)(?:\s+(?:in|on)\s+(?:my|the)\s+list)?(?:\s+(?:are|were|would\s+be))?\s*[:：]\s*"
    r"(?P<words>[^\n:.!?]{1,300})[.!]?\s*$",
    re.IGNORECASE,
)


def _named_as_listed(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """A last row of some of the options, said to be the ones on the list."""
    if (row := THE_ONES.search(text)) and not DENIES.search(row[0]):
        known = {fold(option) for option in options}
        chosen = {fold(word.strip(" \"'“”*_`")) for word in PARTED.split(row["words"])} - {""}
        if chosen and chosen < known:
            yield Commitment(row.start(), row.end(), {option: fold(option) in chosen for option in options})


def _listed(text: str, options: Sequence[str]) -> Iterator[Commitment]:
    """A single closed list of some, not all, of the options."""
    lists = [found for found in matches(text, LIST, "[") if not mentioned(text, found.start(), found.end())]
    if len(lists) > 1:
        lists = [found for found in lists if UNDER_LISTED.search(text, max(found.start() - 40, 0), found.start())]
    if not lists:
        yield from _named_as_listed(text, options)
    if len(lists) != 1 or not lists[0]["close"] or NOT_THE_REPLY.search(text, 0, lists[0].start()):
        return
    chosen = {fold(word) for word in members(lists[0])}
    if chosen and chosen < {fold(option) for option in options}:
        yield Commitment(lists[0].start(), lists[0].end(), {option: fold(option) in chosen for option in options})
