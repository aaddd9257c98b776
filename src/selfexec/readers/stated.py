"""Answers that a sentence or a label states."""

import re
from collections.abc import Iterator

from selfexec.readers.letters import LETTER, MARKUP, SECOND, Letters, plain
from selfexec.readers.result import Commitment
from selfexec.readers.scan import matches

# "the correct answer is:\n\n**B. False**", "Answer: D", "the closest choice would be (C)", "| answer | C |"
STATED = re.compile(
    r"""(?:(?:nswer|hoice|ption|NSWER|HOICE|PTION|uess|erdict)(?!s\b)['*_`]{0,3}
          |(?:orrect|best|losest)\s(?:[a-z]+\s){0,6}?(?=is\b|would\b))
        [^\n.:;={}?!"“”|]{0,60}?
        (?:\s*(?:[:=>→|：]|\](?=[^\n]{1,80}\[/))\**|\s[-–—]\s|\s(?:is|be|was|remains))
        (?:\s+(?:likely|probably|clearly|approximately|about|roughly|therefore|thus|indeed|simply|still|definitely|actually|now|most\s+likely))?
        \s?:?\s{0,6}(?P<value>[^\n]{1,400})""",
    re.VERBOSE,
)
STATING = ("nswer", "hoice", "ption", "NSWER", "HOICE", "PTION", "orrect", "best ", "losest ", "uess", "erdict")
# the same in other languages: "Réponse : B", "答案是 B", "정답은 B입니다"
FOREIGN = (
    *("éponse", "ntwort", "espuesta", "isposta", "esposta", "твет", "答案", "答え", "回答", "正解", "정답", "답"),
    *("ösung", "olución", "oluzione", "olução"),
)
STATED_ABROAD = re.compile(
    rf"""(?:{"|".join(FOREIGN)})["'*_`]{{0,4}}[^\n.:;={{}}]{{0,30}}?
        (?:\s*[:=：|>]\**|\s[-–—]\s|\s(?:est|ist|lautet|wäre|es|è|é)\s:?|\s?[是为は은는])\s{{0,6}}(?P<value>[^\n]{{1,400}})""",
    re.VERBOSE,
)
# where a value ends, whatever it is: set off, at a tag, a cell's border, a Chinese stop, the verb of a sentence
CLAUSE_ENDS = ("  ", "</", "/>", '">', "[/", " |", "。", "です", "でした", "입니다", "이다")
# a result without a letter, and then: "Let's check the options"
WEIGHS_ON = re.compile(
    r"\b(?:check|match|compare|look\s+at|consider|evaluate|examine|go\s+through)\w*\s+(?:\w+\s+){0,4}(?:options|choices)\b"
)
IN_A_ROW = re.compile(r"\W{0,4}A\W[^\n]{0,80}?[\s(]B\W[^\n]{0,80}?[\s(]C\W")
SECOND_LINE = re.compile(r"[^\n]{0,400}\n\s{0,8}[-*(]{0,3}B[.):*]")  # below "A. ...": the options are being listed
DENIAL = re.compile(
    r"\b(?:not|cannot|\w+n['’]t|never|unlikely|doubt|whether|unclear|hard\s+to\s+say|inconsistent|wrong|incorrect|common"
    r"|second|next|tempting|people|many|might|could|alternative|no\s+(?:part|way)|e\.g)\b",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"[.!?]\s|[\"”}]|</|\[/|\.$|$")
QUOTES = {"'": "'", '"': '"', "“": "”"}
NONE = re.compile(r"(?:none|neither|no\s+(?:option|choice|answer|correct))\b", re.IGNORECASE)
# "option C is correct", "(D) would be the best answer"
NAMED = re.compile(
    r"""(?:ption|hoice|nswer|tatement)\s+[("'*`\[]{0,3}(?P<value>[A-Z])["')*`\]]{0,3}(?:\s?[,(][^\n,)]{0,80}[,)])?\s
        (?:is|seems|appears|would\s+be|must\s+be|remains)\s+(?:to\s+be\s+)?(?:also\s+)?(?:the\s+)?(?:most\s+|only\s+|more\s+)?
        (?:correct|best|right|appropriate|accurate|closest|true|answer)""",
    re.VERBOSE,
)
# "Hence, C.", "I choose B", "I will go with (D)", "which is option A", "this corresponds to answer choice D"
CONCLUDED = re.compile(
    r"""(?:(?:ence|herefore|hus|[Ss]o|hoose|elect|ick|say|uess|eaves|(?:go|went|stick|gree|lign)\w*\s+with|owards?)
            \s?,?\s+(?:[Oo]ption\s+|choice\s+|the\s+answer\s+)?
          |(?:is|be|atch(?:es)?|ponds?\s+to|qual\s+to)\s+(?:the\s+)?(?:answer\s+)?(?:option|choice)\s+
          |(?:[Ii]t|hich|hat)(?:'s|\sis|\smust\sbe|\swould\sbe)\s+)
        [("'*`\[]{0,3}(?P<value>[A-Z])["')*`\]]{0,3}(?P<text>\s?[:–-]\s)?(?(text)|(?=\s*(?:[.,;!)\n]|$|(?:here|as|since|because)\b)))""",
    re.VERBOSE,
)
CONCLUDING = (
    *("ence", "herefore", "hus", "So", "so", "hoose", "elect", "ick", "say", "uess", "eaves", "oward"),
    *("go", "went", "stick", "gree", "lign", "is ", "be ", "atch", "ponds to", "pond to", "qual to"),
    *("It", "it", "hich", "hat"),
)
# "The total is therefore 42.": where the result of a last sentence may begin
RESULT_BEGINS = re.compile(
    r"(?:\b(?:is|are|was|be|equals?|gives?|yields?|gets?|becomes?|remains?)\b|[=≈:])"
    r"(?:\s+(?:therefore|thus|hence|then|exactly|simply|just|indeed|about|approximately|equal\s+to)\b,?)?\s*"
)
LAST_SENTENCE = 300  # characters
# the prompt's own "if you receive the following request", said back
OUR_CONDITION = re.compile(r"\bif\s+(?:I\s+(?:were|was|am|receive[d]?|got)|asked|you\s+(?:ask|were))", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:if|unless|were|suppose|assuming|assume|instead\s+of|rather\s+than)\b", re.IGNORECASE)


def stated(text: str, letters: Letters) -> Iterator[Commitment]:
    """Sentences and labels that say what the answer is."""
    abroad = FOREIGN if not text.isascii() else [word for word in FOREIGN if word.isascii()]
    for found in (*matches(text, STATED, *STATING), *matches(text, STATED_ABROAD, *abroad)):
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
        if (letter or NONE.match(value.strip(MARKUP))) and not denied(text, found.start(), found.start("value")):
            yield Commitment(max(found.start() - 1, 0), end, letter)


def denied(text: str, at: int, value: int) -> bool:
    """Whether the clause that leads to a value denies it, doubts it, or speaks of another answer than the reply's."""
    before = text[max(at - 100, 0) : value]
    clause = max(before.rfind(mark, 0, len(before) - (value - at)) for mark in (".", ",", ";", "\n", "!", "?", " but "))
    return DENIAL.search(before[clause + 1 :]) is not None


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


def conditional(text: str, at: int) -> bool:
    """Whether the sentence that leads to this place sets a condition ("if ..., the answer would be")."""
    before = text[max(at - 240, 0) : at].rstrip(" \t\n`*{").removesuffix("```json").rstrip()
    sentence = max(before.rfind(mark) for mark in (". ", ".\n", "\n\n", "?", "!"))
    lead = before[sentence + 1 :] + text[at : at + 40]
    return "would" in lead and CONDITION.search(lead) is not None and not OUR_CONDITION.search(lead)


def named(text: str, letters: Letters) -> Iterator[Commitment]:
    """Options that are named right, or concluded."""
    for found in (
        *matches(text, NAMED, "ption", "hoice", "nswer", "tatement"),
        *matches(text, CONCLUDED, *CONCLUDING),
    ):
        start = found.start("value")
        several = SECOND.match(text, found.end("value"))
        if found["value"] not in letters.options or several or denied(text, found.start(), start):
            continue
        sentence = text[start : start + 400].split("\n")[0]
        end = start + _extent(sentence, letters)
        if (
            found.re is CONCLUDED
            and found["text"]
            and letters.by_text.get(plain(text[found.end() : end])) != found["value"]
        ):
            continue  # "option C: ..., which says" speaks of it
        yield Commitment(max(found.start() - 1, 0), max(found.end(), end), found["value"])


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
