"""Read a letter: which option a reply commits to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from selfexec.reading.result import Commitment, Reading, conclude, legible, matches, places
from selfexec.reading.words import fold

MARKUP = " \t\r\n*_`\"'“”‘’«»$()[]{}\\<>#"
LETTER = re.compile(r"(?:(?:option|choice|answer)\s*:?\s*)?[(\[*\"'`]*([A-Za-z])(?![\w'’])", re.IGNORECASE)
LETTER_ENDS = re.compile(r"\s*(?:$|[.,:;)\]}\"'*`(!<\n–—-]|(?:because|since|as|is|for|due|which|would)\b)")
SECOND = re.compile(r"[)\]*\"'`\s]*(?:,|/|&|\||and\b|or\b)\s*(?:option\s+)?[(\[*\"'`]*[A-Z](?![\w'’])")
# a result without a letter, and then: "Let's check the options"
WEIGHS_ON = re.compile(
    r"\b(?:check|match|compare|look\s+at|consider|evaluate|examine|go\s+through)\w*\s+(?:\w+\s+){0,4}(?:options|choices)\b"
)
SECOND_LINE = re.compile(r"[^\n]{0,400}\n\s{0,8}[-*(]{0,3}B[.):*]")  # below "A. ...": the options are being listed
IN_BRACKETS = re.compile(r"[^.\n(]{1,80}(?:\.\d[^.\n(]{0,40})?\((?:(?:answer\s+)?(?:option|choice)\s+)?([A-Z])\)")
LONE = re.compile(
    r"(?:(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?\(?([A-Z])(?:\)|\.|:|\)\.)?(?:\s+|$|,?\s+(?:because|since|as|due)\b.*)"
)
LAST_WORD = re.compile(r"[.!?:]\s+[(\"'*`]{0,3}([A-Z])[)\"'*`.]{0,4}\s*$")
SENTENCE_END = re.compile(r"[.!?]\s|[\"”]|\.$|$")
NONE = re.compile(r"(?:none|neither|no\s+(?:option|choice|answer|correct))\b", re.IGNORECASE)
LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mathsf|operatorname)\s*\{")

# "choice": "A", {answer: C}, 'answer': 'C', \"answer\": \"B\", "answer" : "A
KEYED = (
    r"""\\?["'“”‘’`]?\s{0,4}:\s{0,4}(?P<value>"""
    r"""\\?["“”](?:[^"“”\\\n]|\\(?!["])[^\n]){0,600}|\\?'[^'\n]{0,600}|[^,}\n]{1,80})?"""
)
OTHER_KEYS = ("answer", "choice", "solution", "option", "prediction", "selection", "result", "response", "letter")
NOTHING = {"null", "none", "nil", "n/a", "undefined", "unknown"}
BOXED = re.compile(r"boxed\s?\{(?P<value>(?:[^{}\n]|\{[^{}\n]{0,100}\}){0,300})\}?")
# "the correct answer is:\n\n**B. False**", "Answer: D", "the closest choice would be (C)"
STATED = re.compile(
    r"""(?:(?:nswer|hoice|ption|NSWER|HOICE|PTION)(?!s\b)['*_`]{0,3}
          |(?:orrect|best|losest)\s(?:[a-z]+\s){1,6}?(?=is\b|would\b))
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
        (?:is|seems|appears|would\s+be|must\s+be|remains)\s+(?:to\s+be\s+)?(?:also\s+)?(?:the\s+)?(?:most\s+|only\s+)?
        (?:correct|best|right|appropriate|accurate|closest|true|answer)""",
    re.VERBOSE,
)
# "Hence, C.", "I choose B", "I will go with (D)", "which is option A", "this corresponds to answer choice D"
CONCLUDED = re.compile(
    r"""(?:(?:ence|herefore|hus|[Ss]o|hoose|elect|ick|with|owards?)\s?,?\s+(?:option\s+|choice\s+|the\s+answer\s+)?
          |(?:is|be|to|atch(?:es)?|with)\s+(?:the\s+)?(?:answer\s+)?(?:option|choice)\s+
          |(?:[Ii]t|hich|hat)(?:'s|\sis|\smust\sbe|\swould\sbe)\s+)
        [("'*`]{0,3}(?P<value>[A-Z])["')*`]{0,3}(?=\s*(?:[.,;!)\n]|$))""",
    re.VERBOSE,
)
CONCLUDING = (
    *("ence", "herefore", "hus", "So", "so", "hoose", "elect", "ick", "with", "oward"),
    *("is ", "be ", "to ", "atch", "It", "it", "hich", "hat"),
)
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
    plain = legible(text)
    letters = _letters(tuple(options.items()), text_over_letter)
    keyed = list(_keyed(plain, key, letters))
    if len(keyed) == 1 and not plain[keyed[0].end :].strip(" \n`}"):
        return conclude(text, keyed)  # nothing can come after it; most replies end here
    found = [*keyed, *_boxed(plain, letters), *_stated(plain, letters), *_alone(plain, letters)]
    if any(not _conditional(plain, c.start) for c in keyed):
        # what holds only under a condition ("if ..., it would be") replaces no answer
        found = [c for c in found if not _conditional(plain, c.start)]
    if not found:
        found = [*_named(plain, letters), *_other_keys(plain, letters)]
    if not found:
        found = [*_texts(plain, letters), *_equivalent(plain, equivalents, cues)] if text_over_letter else []
    return conclude(text, found)


@lru_cache(maxsize=4096)
def _letters(options: tuple[tuple[str, str], ...], text_over_letter: bool) -> "_Letters":
    return _Letters(dict(options), text_over_letter)


class _Letters:
    """The options of one question, ready for comparison."""

    def __init__(self, options: Mapping[str, str], text_over_letter: bool) -> None:
        self.options = options
        self.text_over_letter = text_over_letter
        folded = [_plain(text) for text in options.values()]
        self.by_text = {
            text: letter
            for letter, text in zip(options, folded, strict=True)
            # a choice that is itself a letter ("c") must not shadow the letters of the options
            if folded.count(text) == 1 and text.upper() not in {"", *options}
        }

    def of(self, raw: str) -> str | None:
        """The letter that a stated value means, None if it means no single one of them."""
        value = LATEX_TEXT.sub("", raw).strip(MARKUP)
        if letter := self.by_text.get(_plain(value)):
            return letter
        found = LETTER.match(value)
        if not found or (letter := found[1].upper()) not in self.options:
            return None
        rest = value[found.end() :]
        if SECOND.match(rest):
            return None
        named = self.by_text.get(_plain(rest.lstrip(".:) ")))
        if self.text_over_letter and named:
            return named
        # what goes on like "A treaty" or "A ∨ B" is no letter
        return letter if named == letter or (LETTER_ENDS.match(rest) and (found[1].isupper() or not rest)) else None

    def in_brackets(self, value: str) -> str | None:
        """The letter of '150 nm (option A)'."""
        found = IN_BRACKETS.match(value)
        return found[1] if found and found[1] in self.options else None


def _plain(text: str) -> str:
    """A text without what does not tell options apart: case, markup around it, final stops, runs of blanks."""
    return " ".join(fold(text.strip(MARKUP).rstrip(".;,:").strip(MARKUP)).replace("{", "").replace("}", "").split())


def _keyed(text: str, key: str, letters: _Letters) -> Iterator[Commitment]:
    """The key that was asked for, however broken the object around it. A value that is no option commits to nothing."""
    pattern = re.compile(re.escape(key[1:]) + KEYED)
    for found in matches(text, pattern, key[1:]):
        start = found.start() - 1
        before = text[start - 1 : start] if start > 0 else ""
        named = text[found.start() + len(key) - 1 :][:1] in "\"'”’\\"  # closed by a quote: '"final answer"'
        if text[max(start, 0)].lower() != key[0] or before.isalnum():
            continue
        if before == " " and not named and not _opens_a_line(text, start):
            continue
        value = found["value"]
        if value is None:
            continue
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


def _other_keys(text: str, letters: _Letters) -> Iterator[Commitment]:
    """A key that was not asked for, where its value is an option."""
    for key in OTHER_KEYS:
        yield from (c for c in _keyed(text, key, letters) if c.value)


def _boxed(text: str, letters: _Letters) -> Iterator[Commitment]:
    for found in matches(text, BOXED, "boxed"):
        yield Commitment(max(found.start() - 1, 0), found.end(), letters.of(found["value"]))


def _stated(text: str, letters: _Letters) -> Iterator[Commitment]:
    for found in (
        *matches(text, STATED, "nswer", "hoice", "ption", "NSWER", "orrect", "best ", "losest "),
        *matches(text, STATED_ABROAD, *FOREIGN),
    ):
        value = found["value"]
        letter = letters.of(_first_clause(value)) or letters.in_brackets(value)
        end = found.start("value") + _extent(value)
        if not LETTER.match(value.strip(MARKUP)) and WEIGHS_ON.search(text, end, end + 400):
            continue
        if (letter or NONE.match(value.strip(MARKUP))) and not (letter == "A" and SECOND_LINE.match(text, end)):
            yield Commitment(found.start() - 1, end, letter)


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
    return "would" in lead and CONDITION.search(lead) is not None


def _named(text: str, letters: _Letters) -> Iterator[Commitment]:
    for found in matches(text, NAMED, "ption", "hoice", "nswer", "tatement"):
        if found["value"] in letters.options:
            yield Commitment(found.start() - 1, found.end(), found["value"])
    for found in matches(text, CONCLUDED, *CONCLUDING):
        if found["value"] in letters.options:
            yield Commitment(found.start() - 1, found.end(), found["value"])


def _alone(text: str, letters: _Letters) -> Iterator[Commitment]:
    """A first or last line that is nothing but a letter, a letter with its text, or an option's text."""
    for start, end in (*_edge_lines(text), *_announced_lines(text)):
        line = text[start:end]
        if len(line) > 1200:
            continue
        value = line.strip(MARKUP)
        letter = letters.by_text.get(_plain(value))
        if not letter and (found := LONE.match(value)):
            rest = _plain(value[found.end() :])
            same = letters.by_text.get(rest)
            if letters.text_over_letter and same:
                letter = same
            elif found[1] in letters.options and (not rest or same == found[1] or (same and value[1:2] in ").:")):
                letter = found[1]
        if letter:
            yield Commitment(start, end, letter)
    tail = text.rstrip()[-60:]
    if (found := LAST_WORD.search(tail)) and found[1] in letters.options:
        yield Commitment(len(text.rstrip()) - len(found[0]) + 1, len(text), found[1])
    if len(value := text.strip(MARKUP)) == 1 and value.upper() in letters.options:
        yield Commitment(0, len(text), value.upper())


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


def _texts(text: str, letters: _Letters) -> Iterator[Commitment]:
    """An option's whole sentence, where the reply says it and no letter."""
    for option, letter in letters.by_text.items():
        if len(option) < 12:
            continue
        whole = letters.options[letter].strip().rstrip(".")
        for at in places(text, whole):
            yield Commitment(at, at + len(whole), letter)


def _equivalent(
    text: str, equivalents: Sequence[tuple[str, re.Pattern[str]]], cues: Sequence[str]
) -> Iterator[Commitment]:
    straight = text.replace("’", "'")
    for letter, pattern in equivalents:
        for found in matches(straight, pattern, *cues):
            yield Commitment(found.start(), found.end(), letter)
