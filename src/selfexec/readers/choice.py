"""Read a letter: which option a reply commits to."""

import re
from collections.abc import Callable, Iterator, Mapping

from selfexec.readers.alternatives import left_open
from selfexec.readers.conclusion import conclude, ends, unreadable
from selfexec.readers.cues import Equivalents, wordings_in
from selfexec.readers.keyed import boxed, closing, keyed, other_keys
from selfexec.readers.letters import Letters, letters_of, plain
from selfexec.readers.notation import plain_text
from selfexec.readers.plainly import opened, plainly
from selfexec.readers.result import Commitment, Reading, last_of
from selfexec.readers.scan import matches, places
from selfexec.readers.shown import mentioned
from selfexec.readers.stated import LAST_SENTENCE, changes, denied, named, results, stated
from selfexec.readers.suppositions import conditional, counterfactual, forced, nothing_supposed
from selfexec.readers.tentative import breaks_off, on_the_way
from selfexec.readers.weighed_marks import BEGINS_AS_A_MARK, SIGN, marks_in
from selfexec.readers.withdrawal import asks_for_what_is_missing
from selfexec.text.regex import regex

LONE = regex(
    r"(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?\(?([A-Z])[*_]{0,2}(?:\)|\.|:|\)\.|\s[-–—])?(?:\s+|$|,?\s+(?:because|since|as|due)\b.*|,\s+(?:I\b|it\s+w).*)"
)
QUESTION = regex(r"[^.!?\n]{0,200}\?")
OTHERWISE = regex(r"\b(?:otherwise|else|if\s+not|sonst|de\s+lo\s+contrario)\b|否则|وإلا", re.IGNORECASE)
STOPS = regex(r"\s*(?:[.!]|$)")
# "A ✅  B ❌" on one line
SIGNED = regex(r"(?<!\w)(?P<letter>[A-Z])[)*]{0,3}\s?[:=]?\s?(?P<sign>[✅✔✓👍❌✗✘👎])")
# "- [x] A: ...": a line with a box and the letter of an option
BOX = regex(
    r"^[ \t]{0,12}(?:[-*•][ \t])?[ \t]{0,2}(?:\[(?P<box>[xX✓✔ ]?)\]|(?P<sign>[☑☐☒]))[ \t]{1,4}"
    r"[*_(\[\"']{0,4}(?:(?:[Oo]ption|[Cc]hoice)[ \t])?(?P<letter>[A-Z])(?![A-Za-z])[^\n]*",
    re.MULTILINE,
)
BOXES = ("[ ]", "[x]", "[X]", "[]")
TICKED = ("x", "X", "✓", "✔", "☑", "☒")
# a character comes first, and then a look at what is before it: the other way round takes many times longer
LONE_CAPITAL = regex(r"[A-Z](?<![A-Za-z].)(?![A-Za-z])")
# a letter with something set off behind it, as every one has where all are marked
AS_A_KEY = regex(r"([A-Z])(?<!\w.)[\"'*_`)\]\s]{0,6}[:：=|.–—→✅✔✓👍❌✗✘👎(-]")
LAST_PAGE = 2_000  # characters at the end of a reply in which a statement is looked for first
ONE_STATEMENT = 600  # characters: no statement is longer
BESIDE = 12  # characters: no more stands between two options that are only quoted
LINE_MARKUP = " \t\r\n*_`\"'“”„«»()[]$.>"
LETTERED = regex(r"[ \t]{0,12}[-*>]?[ \t]{0,4}(?:[Oo]ption[ \t]+)?[(\[*]{0,3}([A-Z])[)\]*]{0,3}\s?[.):-]")
# what stands before an option's text where the options are listed: "A: ", "| B | ", '"A": "', "(B) "
LABEL = regex(
    r"(?:^|(?<=[\n|{(\[,;.!?\"']))[\s>*•-]{0,8}(?:(?i:option|choice)\s)?[(\[*_\"'`]{0,4}(?P<letter>[A-Z])"
    r"(?:[)\]*_\"'`]{0,4}\s{0,4}[.:|–—-]|[*_]{0,2}[)\]])[\s*_|\"'`“]{0,8}"
)
NAMED_RIGHT = regex(
    r"[^\w\n]{0,12}(?:so\s+)?(?:this|that|it)\s+(?:option\s+)?is\s+(?:clearly\s+)?(?:the\s+)?(?:most\s+)?"
    r"(?:correct|right|true|accurate|appropriate|best|likely|my\s+(?:choice|answer))\b",
    re.IGNORECASE,
)
LAST_WORD = regex(r"(?:(?:[.!?]|(?<![\"'”])[:])\s+|[。！？؟]\s*)[(\"'*`]{0,3}([A-Z])[)\"'*`.]{0,4}\s*$")
# "340/680 = 0.50 m → D": behind a result, not between two letters of a formula
BEHIND_AN_ARROW = regex(
    r"(?:\d[^\n→⇒]{0,12}|[^\W\d_]{3,}[^\w\n→⇒]{0,4})(?:→|⇒|⟹|->|=>)\s{0,3}[(\"'*`]{0,3}(?P<letter>[A-Z])[)\"'*`.]{0,4}\s*$"
)
# "## Answer", "**Final answer:**", on a line of its own, and the first line below it
HEADING = regex(r"(?:nswer|NSWER|hoice|HOICE)[*_:]{0,4}[ \t]*\n\s{0,8}(?=\S)")
HEAD = regex(r"[#*_\s>]{0,8}(?:[A-Za-z]+\s){0,3}[A-Za-z]$")
# "| Answer | Note |", perhaps "|---|---|", and the one row below
TABLE = regex(
    r"(?P<head>[^\n]{0,120})\n(?:[ \t|:-]{3,80}\n)?(?P<row>[ \t]{0,8}\|[^\n]{1,400})(?!\n[ \t]{0,8}\|)(?:\n|$)"
)


def read_choice(
    text: str,
    options: Mapping[str, str],
    *,
    key: str,
    equivalents: Callable[[str], Equivalents] | None = None,
    text_over_letter: bool = False,
    truncated: bool | None = None,
) -> Reading:
    """The letter among `options` (letter to its text) that a reply commits to.

    `key` is the JSON key that the prompt asked for. `equivalents` gives the wordings, each with the letter it stands
    for, by which a reply may say the options' sentences in other words.
    Where a letter stands with another option's text ("A. It will not ..."), the letter counts, which was asked for;
    `text_over_letter` is for options whose texts speak for themselves, with a letter or without one. `truncated` is
    whether the reply was cut off; None where only its own letters can show that.
    """
    answer, ticked = _without_boxes(plain_text(text), options)
    letters = letters_of((*options,), (*options.values(),), text_over_letter)
    if (last := closing(answer, key, letters)) and _stands_unconditionally(answer, key, last):
        return conclude(text, [last])
    under_the_key = list(keyed(answer, key, letters))
    asked_for = [
        c for c in under_the_key if not mentioned(answer, c.start, c.end) and not counterfactual(answer, c.start)
    ]
    if len(asked_for) == len(under_the_key) == 1 and ends(answer, asked_for[0]):
        return conclude(text, asked_for)
    if ticked and not asked_for:
        return conclude(text, [one for one in ticked if not conditional(answer, one.start)])
    asked_for += (c for c in boxed(answer, letters) if not mentioned(answer, c.start, c.end))
    unconditional = [c for c in asked_for if not conditional(answer, c.start, c.end)]
    # what is stated long before the last answer cannot replace it
    since = max(max((c.start for c in unconditional), default=len(answer) - LAST_PAGE) - ONE_STATEMENT, 0)
    said = [*_said(answer, letters, since), *_alone(answer, letters)]
    said += _tabled(answer, letters) if "|" in answer else ()
    said += _closing(answer, letters)
    truncated = breaks_off(answer) if truncated is None else truncated
    said = [c for c in said if not on_the_way(answer, c, truncated=truncated, weak=False)]
    if since and not unconditional and all(conditional(answer, c.start, c.end) for c in said):
        said += _said(answer, letters)
    if left_open(answer, every := [*under_the_key, *asked_for, *said]):
        return unreadable(text, last_of(every))
    commitments = unconditional + [c for c in said if not conditional(answer, c.start, c.end)]
    if not commitments and len({c.value for c in asked_for}) == 1:
        commitments = asked_for  # a key or a box is an answer whatever leads to it, unless another key has another one
    if not commitments and asks_for_what_is_missing(answer):
        return unreadable(text)
    if not commitments:
        weaker = [c for c in named(answer, letters) if not on_the_way(answer, c, truncated=truncated, weak=True)]
        commitments = [c for c in weaker if not conditional(answer, c.start, c.end)]
        commitments += other_keys(answer, key, letters)
        if left_open(answer, every := [*weaker, *commitments]):
            return unreadable(text, last_of(every))
    marked = [] if commitments else list(_marked(answer, letters))
    if marked:
        commitments = [c for c in marked if not conditional(answer, c.start) and not conditional(answer, c.end)]
    elif not commitments and equivalents:
        commitments = _in_sentences(answer, letters, equivalents)
        commitments = [c for c in commitments if not on_the_way(answer, c, truncated=truncated, weak=True)]
    elif not commitments:
        commitments = list(results(answer, letters)) or _in_a_plain_sentence(answer, letters)
        commitments = [c for c in commitments if not on_the_way(answer, c, truncated=truncated, weak=True)]
    if commitments and (last := last_of(commitments)) in asked_for and forced(answer, last.start):
        return conclude(text, commitments, of_a_request=True)  # that it cannot be certain is why it was forced
    return conclude(text, commitments, of_a_request=text_over_letter)


def _said(text: str, letters: Letters, since: int = 0) -> list[Commitment]:
    return [*stated(text, letters, since), *changes(text, letters, since)]


def _without_boxes(text: str, options: Mapping[str, str]) -> tuple[str, list[Commitment]]:
    """A text without a form in which each option has a box, place for place, and the option whose box alone is ticked.
    A form that nobody filled in, or in which several boxes are ticked, chooses none.
    """
    if text.isascii() and ("[" not in text or not any(box in text for box in BOXES)):
        return text, []
    boxes = list(BOX.finditer(text))
    if {match["letter"] for match in boxes} != options.keys() or len(boxes) != len(options):
        return text, []
    ticked = [match for match in boxes if (match["box"] or match["sign"]) in TICKED]
    for match in boxes:
        text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text, [Commitment(match.start(), match.end(), match["letter"]) for match in ticked if len(ticked) == 1]


def _stands_unconditionally(text: str, key: str, last: Commitment) -> bool:
    """Whether an object that ends a reply is its answer, whatever came before: a condition that leads to it takes it
    away where the key stands elsewhere too.
    """
    if mentioned(text, last.start, last.end) or counterfactual(text, last.start):
        return False
    if text.find(key[1:]) > last.start and key[1:].upper() not in text:
        return True
    if text.rfind(f'"{key}"', 0, last.start) >= 0:
        return False  # several objects: which one counts is seen below
    return nothing_supposed(text, last.start, last.end) or not conditional(text, last.start, last.end)


def _marked(text: str, letters: Letters) -> Iterator[Commitment]:
    """Every option with a mark, one of them true: "A: no, B: yes", "Option A ✅ / Option B ❌".

    Where an option's own text begins like a mark ("Yes, because"), lines that look so are the options, listed; there
    only signs are marks.
    """
    if not letters.options.keys() <= set(AS_A_KEY.findall(text)):
        return
    if signed := list(SIGNED.finditer(text)) if not text.isascii() else []:
        marks = {match["letter"]: match["sign"] not in "❌✗✘👎" for match in signed}
        right = [letter for letter, mark in marks.items() if mark]
        if len(signed) == len(marks) and marks.keys() == letters.options.keys() and len(right) == 1:
            yield Commitment(signed[0].start(), signed[-1].end(), right[0])
            return
    like_marks = any(BEGINS_AS_A_MARK.match(option) for option in letters.options.values())
    for match in marks_in(text):
        if like_marks and not SIGN.search(text, match.start, match.end):
            continue
        marks = {letters.of(word): mark for word, mark in match.value.items()}
        right = [letter for letter, mark in marks.items() if mark]
        if len(match.value) == len(letters.options) and marks.keys() == letters.options.keys() and len(right) == 1:
            yield match._replace(value=right[0])


def _in_sentences(text: str, letters: Letters, equivalents: Callable[[str], Equivalents]) -> list[Commitment]:
    """What sentences say of a request: in other words, by a letter that opens the reply, or by choosing and no more.

    Where a letter opens it and other words say the contrary, they count if they are all that stands behind the letter,
    as the option's text would be; else nothing does.
    """
    said = _in_other_words(text, letters, equivalents)
    first = [c for c in opened(text, letters) if not _in_a_listing(text, 0, _line_end(text, 0))]
    if said and first and last_of(said).value != first[0].value:
        behind = said[0].start <= first[0].end + 1 and STOPS.match(text, said[0].end)
        return said if behind else []
    return said or first or _in_a_plain_sentence(text, letters)


def _in_a_plain_sentence(text: str, letters: Letters) -> list[Commitment]:
    return [c for c in plainly(text, letters) if not _in_a_listing(text, text.rfind("\n", 0, c.start) + 1, c.end)]


def _closing(text: str, letters: Letters) -> Iterator[Commitment]:
    """A last sentence that names an option right, or concludes with it ("Hence, C."), whatever was stated before."""
    start = max(len(text) - LAST_SENTENCE, 0)
    names_one = any(match[0] in letters.options for match in LONE_CAPITAL.finditer(text, start))
    for match in named(text[start:], letters) if names_one else ():
        if not text[start + match.end :].strip(LINE_MARKUP + ".)"):
            yield Commitment(start + match.start, start + match.end, match.value)


def _alone(text: str, letters: Letters) -> Iterator[Commitment]:
    """A first or last line that is nothing but a letter, a letter with its text, or an option's text."""
    for start, end in (*_edge_lines(text), *_announced_lines(text)):
        line = text[start:end]
        if len(line) <= 1200 and not _in_a_listing(text, start, end) and (letter := _on_a_line(line, letters)):
            yield Commitment(start, end, letter)
    body = text.rstrip()
    if (match := LAST_WORD.search(body[-60:])) and match[1] in letters.options:
        yield Commitment(len(body) - len(match[0]) + 1, len(body), match[1])
    ended = body[-12:]
    if (
        (">" in ended or not ended.isascii())
        and (arrow := BEHIND_AN_ARROW.search(body, max(len(body) - 60, 0)))
        and arrow["letter"] in letters.options
    ):
        yield Commitment(arrow.start("letter"), len(body), arrow["letter"])
    if len(value := text.strip(LINE_MARKUP)) == 1 and value.upper() in letters.options:
        yield Commitment(0, len(text), value.upper())


def _on_a_line(line: str, letters: Letters) -> str | None:
    value = line.strip(LINE_MARKUP)
    if letter := letters.by_text.get(plain(value)):
        return letter
    if value[1:2] == ")" and letters.by_text.get(plain(value[2:])) == value[0].upper():
        return value[0].upper()  # "(c) 30 cm"
    match = LONE.match(value)
    if not match:
        return None
    rest = plain(value[match.end() :])
    same = letters.by_text.get(rest)
    if letters.text_over_letter and same:
        return same
    if match[1] in letters.options and (not rest or same == match[1] or (same and value[1:2] in ").:")):
        return match[1]
    return None


def _in_a_listing(text: str, start: int, end: int) -> bool:
    """Whether a line stands in a list of the options: the letter before or after it is its neighbour."""
    above = text[max(start - 400, 0) : start].rstrip("\n").rpartition("\n")[2]
    below = text[end : end + 400].lstrip("\n").partition("\n")[0]
    own = LETTERED.match(text, start)
    return own is not None and any(
        (other := LETTERED.match(line)) is not None and ord(other[1]) == ord(own[1]) + step
        for line, step in ((above, -1), (below, 1))
    )


def _edge_lines(text: str) -> Iterator[tuple[int, int]]:
    """The first line and the last."""
    body = text.rstrip(" \t\r\n`*")
    for at in {0, body.rfind("\n") + 1}:
        yield at, _line_end(text, at)


def _announced_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines between blank lines, behind a colon: 'The symbolization is:', blank, 'D. ~I', blank."""
    for at in places(text, ":\n\n"):
        end = _line_end(text, at + 3)
        if text[end : end + 2] in ("\n\n", "\n", ""):
            yield at + 3, end
    for match in matches(text, HEADING, "nswer", "NSWER", "hoice"):
        head = text[max(text.rfind("\n", 0, match.start()), match.start() - 40) + 1 : match.start()]
        if HEAD.match(head):
            yield match.end(), _line_end(text, match.end())


def _tabled(text: str, letters: Letters) -> Iterator[Commitment]:
    """The cell below a column's head that names the answer, in a table of one row."""
    for match in matches(text, TABLE, "nswer", "NSWER", "hoice"):
        before = text[max(text.rfind("\n", 0, match.start()), match.start() - 120) + 1 : match.start()]
        column = before.count("|")
        cells = match["row"].split("|")
        if before.lstrip()[:1] == "|" and column < len(cells) and (letter := letters.of(cells[column])):
            yield Commitment(match.start("row"), match.end("row"), letter)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _texts(text: str, letters: Letters) -> tuple[list[Commitment], list[Commitment]]:
    """Options' whole sentences, where the reply says them and no letter; and those that stand side by side, which are
    only quoted.
    """
    every = []
    for option, letter in letters.by_text.items():
        whole = letters.options[letter].strip().rstrip(".")
        every += [Commitment(at, at + len(whole), letter) for at in places(text, whole) if len(option) >= 12]
    every.sort()
    said: list[Commitment] = []
    quoted: list[Commitment] = []
    for n, one in enumerate(every):
        neighbours = [other for other in every[max(n - 1, 0) : n + 2] if other.value != one.value]
        apart = all(max(other.start - one.end, one.start - other.end) > BESIDE for other in neighbours)
        (said if apart else quoted).append(one)
    return said, quoted


def _in_other_words(text: str, letters: Letters, equivalents: Callable[[str], Equivalents]) -> list[Commitment]:
    """The options' sentences, whole or in other words. "If it is meant so, I would answer it; if not, I would refuse"
    commits to neither.
    """
    said, quoted = _texts(text, letters)
    restated = _restated(text, letters)
    if echoes_both(text):
        return [one for one in said if not _is_only_restated(text, one, restated)]
    only_quoted = {one.start for one in quoted}
    straight = text.replace("’", "'")
    for letter, wordings in equivalents(straight):
        for match in wordings_in(straight, wordings):
            asked = QUESTION.match(straight, match.end()) is not None
            if match.start() not in only_quoted and not asked:
                said.append(Commitment(match.start(), match.end(), letter))
    said = [one for one in said if not _is_only_restated(text, one, restated)]
    said = [meant for one in said if (meant := _as_stated(straight, one, letters))]
    several = len({c.value for c in said}) > 1 or OTHERWISE.search(text) is not None
    undecided = several and all(conditional(text, c.start) for c in said)
    return [] if undecided else said


def _is_only_restated(text: str, said: Commitment, listed: set[int]) -> bool:
    """Whether an option stands in a list of them and is not named right on its line ("B. It ... This is correct.")."""
    return said.start in listed and not NAMED_RIGHT.match(text, said.end)


def _restated(text: str, letters: Letters) -> set[int]:
    """Where the options' texts begin, each behind its own label: so they are listed, and none of them is said."""
    labels = [match for match in LABEL.finditer(text) if match["letter"] in letters.options]
    every = {match["letter"] for match in labels} == letters.options.keys()
    return {match.end() for match in labels} if every else set()


# "It is not true that", "I see no reason why": what follows is turned into its contrary
NOT_SO = regex(
    r"""(?:\bit(?:'s|\s+is|\s+would\s+be)\s+(?:simply\s+|just\s+)?
          (?:not\s+(?:true|correct|right|the\s+case)|false|untrue|wrong|incorrect|(?:\w+ly\s+)?unlikely)
        |\bit\s+can(?:not|'t)\s+be\s+said|\bno\s+(?:reason|way|chance)|\bI\s+(?:do\s+not|don't)\s+(?:think|believe|expect)
        |\bes\s+ist\s+nicht\s+(?:wahr|so|der\s+Fall)|\bno\s+es\s+(?:cierto|verdad)|\bil\s+n'est\s+pas\s+vrai)
        ,?(?:\s+(?:to\s+say|to\s+(?:think|believe|expect)))?(?:\s+(?:that|why|dass|que))?\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
# what is said only under a condition, other than the prompt's own, or is denied in the same breath
RESERVED = regex(
    r"[^.!?。;；\n]{0,60}?(?:\b(?:if|unless|provided|wenn|falls|sofern|si)\b|如果|إذا)"
    r"(?!\s+(?:asked|I\s+(?:were|was|am|got|received?)|you\s+(?:were\s+to\s+)?ask|not\b|any\b|needed|necessary|possible))",
    re.IGNORECASE,
)
BUT_NOT = regex(
    r"[^.!?。;；\n]{0,60}?(?:,?\s(?:but|aber|mais|pero)\s|[，,]?(?:但是?|لكن))[^.!?。;；\n]{0,40}?"
    r"(?:\b(?:not|cannot|nicht|pas|no)\b|n['’]t\b|不|لا)",
    re.IGNORECASE,
)
# behind which what is said is of some other case, or of none
ELSEWHERE = regex(
    r"\b(?:in\s+(?:some|certain|other|many|most)\s+\w+|sometimes|hope|wish|pretend|imagine|false|untrue|no\s+reason|doubt|whether"
    r"|explain\w*\s+why|(?:option|choice|statement|which)\s+(?:[A-Z]\s+)?(?:says|means|states|reads))\b[^.,;\n]*$",
    re.IGNORECASE,
)


def _as_stated(text: str, said: Commitment, letters: Letters) -> Commitment | None:
    """A sentence of an option as the words before it leave it: as it is, as its contrary, or not said at all."""
    before = text[max(said.start - 100, 0) : said.start]
    if NOT_SO.search(before):
        others = [letter for letter in letters.options if letter != said.value]
        return said._replace(value=others[0]) if len(others) == 1 else None
    if (
        conditional(text, said.start)
        or RESERVED.match(text, said.end)
        or (BUT_NOT.match(text, said.end) and said.value == next(iter(letters.options)))
    ):
        return None
    if ELSEWHERE.search(before) or denied(text, said.start, said.start) or counterfactual(text, said.start):
        return None
    return said


def echoes_both(text: str) -> bool:
    """Whether the last words are the two options, one below the other: a quotation, not a choice."""
    tail = text.rstrip().splitlines()[-2:]
    starts = [LETTERED.match(line) for line in tail]
    return [match[1] for match in starts if match] == ["A", "B"]
