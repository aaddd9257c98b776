"""Answers that a sentence or a label states."""

import re
from collections.abc import Iterator

from selfexec.readers.cues import cued, wordings_in
from selfexec.readers.letters import LETTER, MARKUP, SECOND, Letters, plain
from selfexec.readers.nesting import names_an_answer, place, whole_key
from selfexec.readers.result import Commitment
from selfexec.readers.suppositions import CONDITION
from selfexec.readers.wordings import CHANGES, CONCLUDES, LETTER_FIRST, NAMES, STATES
from selfexec.text.regex import regex

# where a value ends, whatever it is: set off, at a tag, a cell's border, a Chinese stop, the verb of a sentence
CLAUSE_ENDS = ("  ", "</", "/>", '">', "[/", " |", "。", "です", "でした", "입니다", "이다")
# a result without a letter, and then: "Let's check the options"
WEIGHS_ON = regex(
    r"\b(?:check|match|compare|look\s+at|consider|evaluate|examine|go\s+through)\w*\s+(?:\w+\s+){0,4}(?:options|choices)\b"
)
IN_A_ROW = regex(r"\W{0,4}A\W[^\n]{0,80}?[\s(]B\W[^\n]{0,80}?[\s(]C\W")
SECOND_LINE = regex(r"[^\n]{0,400}\n\s{0,8}[-*(]{0,3}B[.):*]")  # below "A. ...": the options are being listed
DENIAL = regex(
    r"\b(?:not|cannot|\w+n['’]t|never|unlikely|doubt|whether|unclear|hard\s+to\s+say|inconsistent|wrong|incorrect|common"
    r"|second|next|tempting|people|many|might|could|alternative|no\s+(?:part|way)|e\.g)\b",
    re.IGNORECASE,
)
DENIAL_ABROAD = regex(
    r"\b(?:nicht|kein\w*|weder|no\s+(?:es|sería|puede)|tampoco|nunca|n['’]est\s+pas|ne\s+peut|non\s+è|não\s+é|не)\b"
    r"|\bno\s*$|不|非|没|没有|并非|ليس\w*|لا\s|غير|ない|아니",
    re.IGNORECASE,
)
# behind the value, where other languages deny it or ask
DENIED_BEHIND = regex(
    r"[\s)\"'”*]{0,4}(?:ではな|ではあり|じゃな|[가은는이]\s?아니|[가은는이]\s?아닙|吗|嗎|是错|是不|不对|ですか|입니까)"
)
# a clause that changes an answer has no word before it but these: "I thought about changing" changes nothing
CLAUSE_BEGINS = regex(r"[.!?:;,\n()\[\]{}*\"“”。！？：；，،—–]|\s-\s|```")
PLAIN_CLAUSE = regex(
    r"[\W_]*(?:(?:i|i['’]m|i['’]ll|i['’]ve|am|will|now|must|have|need|want|like|to|going|let|me|so|thus|therefore|hereby|and"
    r"|but|wait|hmm+|ok|okay|actually|update|edit|note|sorry|no|oops|however|upon|on|reflection|after|review|then|hence|here"
    r"|ich|yo|我|我把|我将|答案|把答案|将答案|请)[\W_]*)*",
    re.IGNORECASE,
)
ASKED = regex(r"[^.!?\n]{0,60}\?")
ASIDE = regex(r"\W{0,3}\w\W{0,3}(?=,?\s+but\s)")
# "A naive reader would choose B"
SOMEBODY_ELSE = regex(
    r"\b(?!(?:I|[Ww]e|[Ii]t|[Tt]his|[Tt]hat|which|answer|one)\s)\w+\s+(?:would|will|might|could|may)\s+(?:\w+ly\s+)?"
    r"(?:choose|select|pick|say|guess|go|stick|agree|align)\b"
    r"|\bwant(?:s|ed)?\s+me\s+to\s|\b(?:was|were)\s+(?:going|about|tempted|inclined)\s+to\s|\b(?:almost|nearly)\s"
)
# "My gut says A, my head says B"
ANOTHER_SAYS = regex(
    r"""[\s)*"']{0,3}[,;–—]?\s*(?:while\s+|and\s+|but\s+|whereas\s+)?(?:my|the|its|some|other|others|another|one)\b[^.!?\n]{0,40}?
        \b(?:says?|votes?|suggests?|points?|prefers?|picks?|favou?rs?|leans?)\s+(?:to\s+|for\s+|towards?\s+)?[("'*]{0,2}(?P<other>[A-Z])\b""",
    re.VERBOSE,
)
SENTENCE_END = regex(r"[.!?]\s|[\"”}]|</|\[/|\.$|$")
CLAUSES = (".", ",", ";", "\n", "!", "?", " but ", "，", "。", "；", "！", "？", "،", "؛")
LETTER_ALONE = regex(r"[\W_]{0,6}\w?")
QUOTES = {"'": "'", '"': '"', "“": "”"}
NONE = regex(r"(?:none|neither|no\s+(?:option|choice|answer|correct))\b", re.IGNORECASE)
STATING = cued(STATES, whole_words=False)
CHANGING = cued(CHANGES)
NAMING = cued(NAMES)
NAMING_OR_CONCLUDING = NAMING + cued(CONCLUDES)
ENDING = r"(?=\s*(?:[.,;!)\n。，；！]|$))"
TRAILING = tuple(ready for row in LETTER_FIRST for ready in cued((row._replace(then=ENDING),)))
LEADS = {ready.form: regex(row.then, re.VERBOSE) for ready, row in zip(TRAILING, LETTER_FIRST, strict=True)}
# "The total is therefore 42.": where the result of a last sentence may begin
RESULT_BEGINS = regex(
    r"(?:\b(?:is|are|was|be|equals?|gives?|yields?|gets?|becomes?|remains?)\b|[=≈:])"
    r"(?:\s+(?:therefore|thus|hence|then|exactly|simply|just|indeed|about|approximately|equal\s+to)\b,?)?\s*"
)
LAST_SENTENCE = 300  # characters


def stated(text: str, letters: Letters, since: int = 0) -> Iterator[Commitment]:
    """Sentences and labels that say what the answer is, from a place on."""
    for found in wordings_in(text, STATING, since):
        if _in_a_key(text, found.start()):
            continue
        value = found["value"]
        tag = text.rfind("<", max(found.start() - 24, 0), found.start())
        if tag >= 0 and text[tag + 1] == "/" and ">" not in text[tag : found.start()]:
            continue  # "</answer>": what stands behind it is not in it
        letter = letters.of(value[: _first_clause(value)]) or letters.in_brackets(value)
        end = found.start("value") + _extent(value, letters)
        if not LETTER.match(value.strip(MARKUP)) and WEIGHS_ON.search(text, end, end + 400):
            continue
        if letter == "A" and SECOND_LINE.match(text, end):
            continue
        if IN_A_ROW.match(value):
            continue  # "(A) 10%, (B) 30% or (C) 50%": the options, one after the other
        if letter and not text.isascii() and DENIED_BEHIND.match(value, _behind_the_letter(value)):
            continue
        if (letter or NONE.match(value.strip(MARKUP))) and not denied(text, found.start(), found.start("value")):
            yield Commitment(found.start(), end, letter)


def _behind_the_letter(value: str) -> int:
    found = LETTER_ALONE.match(value)
    return found.end() if found else 0


def _in_a_key(text: str, at: int) -> bool:
    """Whether a word is part of a key that names no answer ("wrong_answer: A"), or of one in quotes, which has a reader
    of its own; or whether what stands there is inside an object that is no answer.
    """
    before = text[at - 1 : at]
    if before in ("_", "-") and not names_an_answer(whole_key(text, at) + "answer"):
        return True
    return "{" in text and not place(text, at).answers


def changes(text: str, letters: Letters, since: int = 0) -> Iterator[Commitment]:
    """Answers that are marked as a change of an earlier one, in clauses that do nothing but change it."""
    for found in wordings_in(text, CHANGING, since):
        letter = letters.of(found["value"])
        before = text[max(found.start() - 80, 0) : found.start()]
        clause = before[max((end.end() for end in CLAUSE_BEGINS.finditer(before)), default=0) :]
        if letter and PLAIN_CLAUSE.fullmatch(clause):
            yield Commitment(found.start(), found.end(), letter)


def denied(text: str, at: int, value: int) -> bool:
    """Whether the clause that leads to a value denies it, doubts it, or speaks of another answer than the reply's."""
    before = text[max(at - 100, 0) : value]
    clause = max(before.rfind(mark, 0, len(before) - (value - at)) for mark in CLAUSES)
    lead = before[clause + 1 :]
    return DENIAL.search(lead) is not None or DENIAL_ABROAD.search(lead) is not None


def _first_clause(value: str) -> int:
    """How far a stated value goes before it is set off: 'C' of 'C  (see above)', of 'C</answer>', of 'C입니다'."""
    return min((at for mark in CLAUSE_ENDS if (at := value.find(mark, 1)) > 0), default=len(value))


def _extent(value: str, letters: Letters) -> int:
    """How far a stated value reaches: to the end of its sentence, or of the string it stands in. The stop of "C." ends
    a sentence but where the choice's text stands behind it.
    """
    if value[0] in QUOTES and (behind := value.find(QUOTES[value[0]], 2) + 1):
        return behind
    first = len(value) - len(value.lstrip(MARKUP))
    stop = value[first + 1 : first + 2] == "."
    end = SENTENCE_END.search(value, first + 1 + stop)
    if stop and end and plain(value[first + 2 : end.start()]) not in letters.by_text:
        return first + 2
    if not end:
        return len(value.rstrip())
    return end.start() + (end[0][:1] not in ("<", "["))


def named(text: str, letters: Letters) -> Iterator[Commitment]:
    """Options that are named right, or concluded."""
    for found in wordings_in(text, NAMING_OR_CONCLUDING):
        start = found.start("value")
        several = SECOND.match(text, found.end("value"))
        letter = letters.of(found["value"])
        if letter is None or several or denied(text, found.start(), start) or _in_a_key(text, found.start()):
            continue
        if SOMEBODY_ELSE.search(text, max(found.start() - 40, 0), start) or ASKED.match(text, found.end("value")):
            continue
        another = ANOTHER_SAYS.match(text, found.end("value"))
        if another and another["other"] in letters.options and another["other"] != letter:
            continue
        sentence = text[start : start + 400].split("\n")[0]
        if aside := ASIDE.match(sentence):
            sentence = aside[0]  # "I was going to say A, but it's C": C stands behind it
        end = start + _extent(sentence, letters)
        if found.groupdict().get("text") and letters.by_text.get(plain(text[found.end() : end])) != letter:
            continue  # "option C: ..., which says" speaks of it
        yield Commitment(found.start(), max(found.end(), end), letter)
    yield from _letter_first(text, letters)


def _letter_first(text: str, letters: Letters) -> Iterator[Commitment]:
    """ "B it is.": the letter opens the sentence, and the words that take it close it."""
    for found in wordings_in(text, TRAILING):
        opened = LEADS[found.re.pattern].search(text, max(found.start() - 24, 0), found.start())
        if opened and (letter := letters.of(opened["value"])):
            yield Commitment(opened.start("value"), found.end(), letter)


def results(text: str, letters: Letters) -> Iterator[Commitment]:
    """A last sentence, closed by a stop, whose result is one choice's text: "The total is therefore 42."."""
    body = text.rstrip(" \t\r\n*`$)]}\\")
    if body[-1:] not in (".", "!", "。") and len(body) == len(text.rstrip()):
        return  # it may have been cut off: "4" of "42"
    start = max(len(body) - LAST_SENTENCE, 0)
    stops = ((body.rfind(mark, start, len(body) - 1), mark) for mark in (". ", ".\n", "\n", "? ", "! "))
    start = max([start, *(at + len(mark) for at, mark in stops if at >= 0)])
    for found in RESULT_BEGINS.finditer(body, start):
        letter = letters.by_text.get(plain(body[found.end() :]))
        if letter and not denied(text, found.start(), found.start()) and not CONDITION.search(body, start):
            yield Commitment(start, len(body), letter)
