"""Read a letter: which option a reply commits to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from selfexec.reading.letters import LETTER, MARKUP, SECOND, Letters, letters_of, plain
from selfexec.reading.result import Commitment, Reading, conclude, ends, legible, matches, places
from selfexec.reading.words import fold

# a result without a letter, and then: "Let's check the options"
WEIGHS_ON = re.compile(
    r"\b(?:check|match|compare|look\s+at|consider|evaluate|examine|go\s+through)\w*\s+(?:\w+\s+){0,4}(?:options|choices)\b"
)
IN_A_ROW = re.compile(r"\W{0,4}A\W[^\n]{0,80}?[\s(]B\W[^\n]{0,80}?[\s(]C\W")
SECOND_LINE = re.compile(r"[^\n]{0,400}\n\s{0,8}[-*(]{0,3}B[.):*]")  # below "A. ...": the options are being listed
LONE = re.compile(
    r"(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?\(?([A-Z])(?:\)|\.|:|\)\.)?(?:\s+|$|,?\s+(?:because|since|as|due)\b.*)"
)
BESIDE = 12  # characters: no more stands between two options that are only quoted
LINE_MARKUP = " \t\r\n*_`\"'“”()[]$."
LETTERED = re.compile(r"[ \t]{0,12}[-*>]?[ \t]{0,4}(?:[Oo]ption[ \t]+)?[(\[*]{0,3}([A-Z])[)\]*]{0,3}\s?[.):-]")
LAST_WORD = re.compile(r"(?:[.!?]|(?<![\"'”])[:])\s+[(\"'*`]{0,3}([A-Z])[)\"'*`.]{0,4}\s*$")
DENIAL = re.compile(
    r"\b(?:not|cannot|\w+n['’]t|never|unlikely|doubt|whether|unclear|hard\s+to\s+say|inconsistent|wrong|incorrect|common"
    r"|second|next|tempting|people|many|might|could|alternative|no\s+(?:part|way)|e\.g)\b",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"[.!?]\s|[\"”]|\.$|$")
NONE = re.compile(r"(?:none|neither|no\s+(?:option|choice|answer|correct))\b", re.IGNORECASE)
# "choice": "A", {answer: C}, 'answer': 'C', \"answer\": \"B\", "answer" : "A
KEYED = (
    r"""\\?["'“”‘’`]?\s{0,4}:\s{0,4}(?P<value>"""
    r"""\\?["“”](?:[^"“”\\\n]|\\(?!["])[^\n]){0,600}|\\?'[^'\n]{0,600}|\[[^\]\n]{0,200}|[^,}\n]{1,80})?"""
)
OTHER_KEYS = ("answer", "choice", "solution", "option", "prediction", "selection", "result", "response", "letter")
# the form that our prompts show, repeated by the reply
ECHOES = {"a or b", "a, b, c or d", "a, b, c, or d", "a/b", "a|b", "a|b|c|d", "a/b/c/d"}
NOTHING = {"null", "none", "nil", "n/a", "undefined", "unknown"}
BOXED = re.compile(r"boxed\s?\{(?P<value>(?:[^{}\n]|\{[^{}\n]{0,100}\}){0,300})\}?")
# "the correct answer is:\n\n**B. False**", "Answer: D", "the closest choice would be (C)"
STATED = re.compile(
    r"""(?:(?:nswer|hoice|ption|NSWER|HOICE|PTION|uess|erdict)(?!s\b)['*_`]{0,3}
          |(?:orrect|best|losest)\s(?:[a-z]+\s){0,6}?(?=is\b|would\b))
        [^\n.:;={}?!"“”]{0,60}?
        (?:\s*[:=>]\**|\s[-–—]\s|\s(?:is|be|was|remains))
        (?:\s+(?:likely|probably|clearly|approximately|about|roughly|therefore|thus|indeed|simply|still|definitely|actually|now|most\s+likely))?
        \s?:?\s{0,6}(?P<value>[^\n]{1,400})""",
    re.VERBOSE,
)
# the same in other languages: "Réponse : B", "答案是 B"
FOREIGN = ("éponse", "ntwort", "espuesta", "isposta", "esposta", "твет", "答案", "答え", "回答", "정답", "답")
STATED_ABROAD = re.compile(
    rf"(?:{'|'.join(FOREIGN)})['*_`]{{0,3}}[^\n.:;={{}}]{{0,30}}?(?:\s*[:=：]|\s(?:est|ist|es|è|é)\s|\s?[是为は])\s{{0,6}}(?P<value>[^\n]{{1,400}})"
)
# "option C is correct", "(D) would be the best answer"
NAMED = re.compile(
    r"""(?:ption|hoice|nswer|tatement)\s+[("'*`]{0,3}(?P<value>[A-Z])["')*`]{0,3}(?:\s?[,(][^\n,)]{0,80}[,)])?\s
        (?:is|seems|appears|would\s+be|must\s+be|remains)\s+(?:to\s+be\s+)?(?:also\s+)?(?:the\s+)?(?:most\s+|only\s+|more\s+)?
        (?:correct|best|right|appropriate|accurate|closest|true|answer)""",
    re.VERBOSE,
)
# "Hence, C.", "I choose B", "I will go with (D)", "which is option A", "this corresponds to answer choice D"
CONCLUDED = re.compile(
    r"""(?:(?:ence|herefore|hus|[Ss]o|hoose|elect|ick|say|uess|eaves|(?:go|went|stick|gree|lign)\w*\s+with|owards?)
            \s?,?\s+(?:option\s+|choice\s+|the\s+answer\s+)?
          |(?:is|be|atch(?:es)?|ponds?\s+to|qual\s+to)\s+(?:the\s+)?(?:answer\s+)?(?:option|choice)\s+
          |(?:[Ii]t|hich|hat)(?:'s|\sis|\smust\sbe|\swould\sbe)\s+)
        [("'*`]{0,3}(?P<value>[A-Z])["')*`]{0,3}(?=\s*(?:[.,;!)\n]|$|(?:here|as|since|because)\b))""",
    re.VERBOSE,
)
CONCLUDING = (
    *("ence", "herefore", "hus", "So", "so", "hoose", "elect", "ick", "say", "uess", "eaves", "oward"),
    *("go", "went", "stick", "gree", "lign", "is ", "be ", "atch", "ponds to", "pond to", "qual to"),
    *("It", "it", "hich", "hat"),
)
# the prompt's own "if you receive the following request", said back
OUR_CONDITION = re.compile(r"\bif\s+(?:I\s+(?:were|was|am|receive[d]?|got)|asked|you\s+(?:ask|were))", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:if|unless|were|suppose|assuming|assume|instead\s+of|rather\s+than)\b", re.IGNORECASE)


def read_choice(
    text: str,
    options: Mapping[str, str],
    *,
    key: str,
    equivalents: Sequence[tuple[str, re.Pattern[str]]] = (),
    cues: Sequence[str] = (),
    text_over_letter: bool = False,
) -> Reading:
    """The letter among `options` (letter to its text) that a reply commits to.

    `key` is the JSON key that the prompt asked for. `equivalents` are patterns, each with the letter it stands for,
    of the options' sentences in other words, looked for at the literal words `cues`. Where a letter stands with
    another option's text ("A. It will not ..."), the letter counts, which was asked for; `text_over_letter` is for
    options whose texts speak for themselves, with a letter or without one.
    """
    answer = legible(text)
    letters = letters_of(tuple(options.items()), text_over_letter)
    keyed = list(_keyed(answer, key, letters))
    if len(keyed) == 1 and ends(answer, keyed[0]):
        return conclude(text, keyed)
    found = [*keyed, *_boxed(answer, letters), *_stated(answer, letters), *_alone(answer, letters)]
    if any(not _conditional(answer, c.start) for c in keyed):
        # what holds only under a condition ("if ..., it would be") replaces no answer
        found = [c for c in found if not _conditional(answer, c.start)]
    if not found:
        found = [*_named(answer, letters), *_other_keys(answer, letters)]
    if not found:
        found = [*_texts(answer, letters), *_equivalent(answer, equivalents, cues)] if text_over_letter else []
    return conclude(text, found)


@cache
def keyed_pattern(key: str) -> re.Pattern[str]:
    """A key from its second letter on, so that "Answer" is found as well as "answer", and what stands behind it."""
    return re.compile(f"(?:{key[1:]}|{key[1:].upper()}){KEYED}")


def _keyed(text: str, key: str, letters: Letters) -> Iterator[Commitment]:
    """The key that was asked for, however broken the object around it. A value that is no option commits to nothing."""
    for found in matches(text, keyed_pattern(key), key[1:], key[1:].upper()):
        start = found.start() - 1
        before = text[start - 1 : start] if start > 0 else ""
        named = text[found.start() + len(key) - 1 :][:1] in "\"'”’\\"  # closed by a quote: '"final answer"'
        if text[max(start, 0)].lower() != key[0] or before.isalnum():
            continue
        if before == " " and not named and not _opens_a_line(text, start):
            continue
        value = found["value"]
        if value is None or fold(value.strip(MARKUP)) in ECHOES:
            continue
        if not value.strip(MARKUP) and not text[found.end() :].strip():
            continue  # cut off before it was written
        quoted = value.lstrip("\\")[:1] in "\"'“”"
        letter = letters.of(value)
        if letter or quoted or fold(value) in NOTHING:
            end = found.end() + 1 if quoted else found.end()
            yield Commitment(_object_start(text, start), end, letter)


def _opens_a_line(text: str, at: int) -> bool:
    return not text[max(text.rfind("\n", 0, at), at - 8) + 1 : at].strip(" {`*\"'")


def _object_start(text: str, at: int) -> int:
    brace = text.rfind("{", max(at - 12, 0), at)
    return brace if brace >= 0 else max(at - 1, 0)


def _other_keys(text: str, letters: Letters) -> Iterator[Commitment]:
    """A key that was not asked for, where its value is an option."""
    for key in OTHER_KEYS:
        yield from (c for c in _keyed(text, key, letters) if c.value)


def _boxed(text: str, letters: Letters) -> Iterator[Commitment]:
    for found in matches(text, BOXED, "boxed"):
        yield Commitment(max(found.start() - 1, 0), found.end(), letters.of(found["value"]))


def _stated(text: str, letters: Letters) -> Iterator[Commitment]:
    for found in (
        *matches(text, STATED, "nswer", "hoice", "ption", "NSWER", "orrect", "best ", "losest ", "uess", "erdict"),
        *matches(text, STATED_ABROAD, *FOREIGN),
    ):
        value = found["value"]
        letter = letters.of(_first_clause(value)) or letters.in_brackets(value)
        end = found.start("value") + _extent(value)
        if not LETTER.match(value.strip(MARKUP)) and WEIGHS_ON.search(text, end, end + 400):
            continue
        if letter == "A" and SECOND_LINE.match(text, end):
            continue
        if IN_A_ROW.match(value):
            continue  # "(A) 10%, (B) 30% or (C) 50%": the options, one after the other
        if (letter or NONE.match(value.strip(MARKUP))) and not _denied(text, found.start(), found.start("value")):
            yield Commitment(max(found.start() - 1, 0), end, letter)


def _denied(text: str, at: int, value: int) -> bool:
    """Whether the clause that leads to a value denies it, doubts it, or speaks of another answer than the reply's."""
    before = text[max(at - 100, 0) : value]
    clause = max(before.rfind(mark, 0, len(before) - (value - at)) for mark in (".", ",", ";", "\n", "!", "?", " but "))
    return DENIAL.search(before[clause + 1 :]) is not None


def _first_clause(value: str) -> str:
    """A stated value up to where it is set off: 'C' of 'C  (see above)'."""
    return value.split("  ", 1)[0]


def _extent(value: str) -> int:
    """How far a stated value reaches: to the end of its sentence, or of the string it stands in."""
    end = SENTENCE_END.search(value, 2)
    return end.start() + 1 if end else len(value.rstrip())


def _conditional(text: str, at: int) -> bool:
    """Whether the sentence that leads to this place sets a condition ("if ..., the answer would be")."""
    before = text[max(at - 240, 0) : at].rstrip(" \t\n`*{").removesuffix("```json").rstrip()
    sentence = max(before.rfind(mark) for mark in (". ", ".\n", "\n\n", "?", "!"))
    lead = before[sentence + 1 :] + text[at : at + 40]
    return "would" in lead and CONDITION.search(lead) is not None and not OUR_CONDITION.search(lead)


def _named(text: str, letters: Letters) -> Iterator[Commitment]:
    for found in (
        *matches(text, NAMED, "ption", "hoice", "nswer", "tatement"),
        *matches(text, CONCLUDED, *CONCLUDING),
    ):
        several = SECOND.match(text, found.end("value"))
        if found["value"] in letters.options and not several and not _denied(text, found.start(), found.start("value")):
            yield Commitment(max(found.start() - 1, 0), found.end(), found["value"])


def _alone(text: str, letters: Letters) -> Iterator[Commitment]:
    """A first or last line that is nothing but a letter, a letter with its text, or an option's text."""
    for start, end in (*_edge_lines(text), *_announced_lines(text)):
        line = text[start:end]
        if len(line) <= 1200 and not _in_a_listing(text, start, end) and (letter := _on_a_line(line, letters)):
            yield Commitment(start, end, letter)
    body = text.rstrip()
    if (found := LAST_WORD.search(body[-60:])) and found[1] in letters.options:
        yield Commitment(len(body) - len(found[0]) + 1, len(body), found[1])
    if len(value := text.strip(LINE_MARKUP)) == 1 and value.upper() in letters.options:
        yield Commitment(0, len(text), value.upper())


def _on_a_line(line: str, letters: Letters) -> str | None:
    value = line.strip(LINE_MARKUP)
    if letter := letters.by_text.get(plain(value)):
        return letter
    found = LONE.match(value)
    if not found:
        return None
    rest = plain(value[found.end() :])
    same = letters.by_text.get(rest)
    if letters.text_over_letter and same:
        return same
    if found[1] in letters.options and (not rest or same == found[1] or (same and value[1:2] in ").:")):
        return found[1]
    return None


def _in_a_listing(text: str, start: int, end: int) -> bool:
    """Whether a line stands in a list of the options: another lettered line is its neighbour."""
    above = text[max(start - 400, 0) : start].rstrip("\n").rpartition("\n")[2]
    below = text[end : end + 400].lstrip("\n").partition("\n")[0]
    own = LETTERED.match(text, start)
    return own is not None and any(
        (other := LETTERED.match(line)) is not None and other[1] != own[1] for line in (above, below)
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


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _texts(text: str, letters: Letters) -> Iterator[Commitment]:
    """An option's whole sentence, where the reply says it and no letter. Side by side, the options are only quoted."""
    said = []
    for option, letter in letters.by_text.items():
        whole = letters.options[letter].strip().rstrip(".")
        said += [Commitment(at, at + len(whole), letter) for at in places(text, whole) if len(option) >= 12]
    said.sort()
    for n, one in enumerate(said):
        neighbours = [other for other in said[max(n - 1, 0) : n + 2] if other.value != one.value]
        if all(max(other.start - one.end, one.start - other.end) > BESIDE for other in neighbours):
            yield one


def _echoes_both(text: str) -> bool:
    """Whether the last words are the two options, one below the other: a quotation, not a choice."""
    tail = text.rstrip().splitlines()[-2:]
    starts = [LETTERED.match(line) for line in tail]
    return [found[1] for found in starts if found] == ["A", "B"]


def _equivalent(
    text: str, equivalents: Sequence[tuple[str, re.Pattern[str]]], cues: Sequence[str]
) -> Iterator[Commitment]:
    if _echoes_both(text):
        return
    straight = text.replace("’", "'")
    for letter, pattern in equivalents:
        for found in matches(straight, pattern, *cues):
            if not _denied(text, found.start(), found.start()):
                yield Commitment(found.start(), found.end(), letter)
