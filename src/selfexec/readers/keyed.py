"""Answers under a key, or in a box: objects as prompts ask for them, however broken."""

import re
from collections.abc import Iterator
from functools import cache

from selfexec.readers.folding import fold
from selfexec.readers.letters import LATEX_TEXT, MARKUP, SECOND, Letters
from selfexec.readers.nesting import names_an_answer, place, the_answers, whole_key
from selfexec.readers.result import Commitment
from selfexec.readers.scan import matches
from selfexec.readers.shown import mentioned
from selfexec.text.regex import regex

# "choice": "A", {answer: C}, 'answer': 'C', \"answer\": \"B\", "answer" : "A
KEYED = (
    r"""\\?["'“”‘’„«»`]?\s{0,12}:\s{0,12}(?P<value>"""
    r"""\\?["“”„](?:[^"“”\\\n]|\\(?!["])[^\n]){0,600}|\\?'[^'\n]{0,600}|«[^»\n]{0,600}|\[[^\]\n]{0,200}|[^,}\n]{1,80})?"""
)
OTHER_KEYS = (
    *("answer", "choice", "solution", "option", "prediction", "selection", "result", "response", "letter"),
    *("conclusion", "verdict", "decision", "value", "pick", "selected"),
    *(
        "choix",
        "réponse",
        "antwort",
        "wahl",
        "auswahl",
        "elección",
        "respuesta",
        "opción",
        "选择",
        "选项",
        "答案",
        "回答",
    ),
    *("الاختيار", "الإجابة", "الجواب"),
)
# the form that our prompts show, repeated by the reply
ECHOES = {"a or b", "a, b, c or d", "a, b, c, or d", "a/b", "a|b", "a|b|c|d", "a/b/c/d"}
CLOSING = 240  # characters from the end in which an object that ends a reply begins
NOTHING = {"null", "none", "nil", "n/a", "undefined", "unknown"}
# braces three deep: \boxed{\text{\{"answer": "A"\}}}; over several lines only where the box is closed
IN_BRACES = r"(?:[^{}%]|\{(?:[^{}%]|\{[^{}%]{0,200}+\}){0,200}+\}){0,300}+"
CLOSED, OPEN = IN_BRACES.replace("%", ""), IN_BRACES.replace("%", r"\n")
BOXED = regex(rf"(?:boxed|fbox)\s?\{{(?:(?P<closed>{CLOSED})\}}|(?P<open>{OPEN}))")
# a box may hold the key as well: \boxed{"answer": "A"}
KEY_INSIDE = regex(
    r"""[\s{\\"'“„«]*(?:[a-z]+[ _])?(?:answer|choice|option|solution)[\\"'”“»*_`]{0,4}\s{0,12}[:=]\s{0,12}""",
    re.IGNORECASE,
)


@cache
def keyed_pattern(key: str) -> re.Pattern[str]:
    """A key from its second letter on, so that "Answer" is found as well as "answer", and what stands behind it."""
    return re.compile(f"(?:{key[1:]}|{key[1:].upper()}){KEYED}")


@cache
def closing_pattern(key: str) -> re.Pattern[str]:
    """An object of this key alone, with a string as its value, that ends a text."""
    return re.compile(rf'\{{\s{{0,8}}"{key}"\s{{0,4}}:\s{{0,4}}"(?P<value>[^"\\\n{{}}]{{1,120}})"\s{{0,8}}\}}[\s`]*\Z')


def closing(text: str, key: str, letters: Letters) -> Commitment | None:
    """The object that was asked for where it ends a reply, as most do, and an option is its value."""
    brace = text.rfind("{", max(len(text) - CLOSING, 0))
    found = closing_pattern(key).match(text, brace) if brace >= 0 else None
    letter = letters.of('"' + found["value"]) if found else None
    if found is None or letter is None or not place(text, brace + 1).answers:
        return None
    return Commitment(brace, found.end("value") + 1, letter)


def keyed(text: str, key: str, letters: Letters) -> Iterator[Commitment]:
    """The key that was asked for, however broken the object around it. A value that is no option commits to nothing."""
    return the_answers((said, place(text, said.start + 1)) for said in _under(text, key, letters))


def _under(text: str, key: str, letters: Letters) -> Iterator[Commitment]:
    """What stands under the key, wherever it is."""
    for found in matches(text, keyed_pattern(key), key[1:], key[1:].upper()):
        start = found.start() - 1
        before = text[start - 1 : start] if start > 0 else ""
        named = text[found.start() + len(key) - 1 :][:1] in "\"'“”’»\\"  # closed by a quote: '"final answer"'
        if text[max(start, 0)].lower() != key[0] or before.isalnum():
            continue
        if before == " " and not named and not _opens_a_line(text, start):
            continue
        if (before == "_" or (before in " -" and named)) and not names_an_answer(whole_key(text, start) + key):
            continue
        value = found["value"]
        if value is None or fold(value.strip(MARKUP)) in ECHOES:
            continue
        if not value.strip(MARKUP) and not text[found.end() :].strip():
            continue  # cut off before it was written
        quoted = value.lstrip("\\")[:1] in "\"'“”„«"
        letter = letters.of(value)
        if letter and not quoted and SECOND.match(text, found.end()):
            letter = None  # "answer: A, C"
        if letter or quoted or fold(value) in NOTHING:
            end = found.end() + 1 if quoted else found.end()
            yield Commitment(_object_start(text, start), end, letter)


def _opens_a_line(text: str, at: int) -> bool:
    return not text[max(text.rfind("\n", 0, at), at - 8) + 1 : at].strip(" {`*\"'")


def _object_start(text: str, at: int) -> int:
    brace = text.rfind("{", max(at - 12, 0), at)
    return brace if brace >= 0 else max(at - 1, 0)


def other_keys(text: str, asked: str, letters: Letters) -> Iterator[Commitment]:
    """A key that was not asked for, where its value is an option."""
    for key in OTHER_KEYS:
        if key != asked:
            yield from (c for c in keyed(text, key, letters) if c.value and not mentioned(text, c.start, c.end))


def boxed(text: str, letters: Letters) -> Iterator[Commitment]:
    for found in matches(text, BOXED, "boxed", "fbox"):
        value = LATEX_TEXT.sub("", found["closed"] or found["open"] or "")
        key = KEY_INSIDE.match(value)
        yield Commitment(max(found.start() - 1, 0), found.end(), letters.of(value[key.end() :] if key else value))
