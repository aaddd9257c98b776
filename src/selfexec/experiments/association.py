"""Association: does a model know which words it would list? (paper, section 3.1)

    predict   shown a target word and option words, the model says which of them it would list
    execute   the model lists five words for the target

A claim: "the model lists this option". The two sessions know nothing of each other.
"""

import asyncio
from collections.abc import Mapping
from string import Template
from typing import Any

from selfexec.experiments.base import MISSING, Ask, Facts, Observation, Prompts, Readings, state_of
from selfexec.items import Target
from selfexec.readers import Reading, fold, read_marks, read_words

PROMPTS: Prompts = {
    "predict": """\
Assume that you were asked to list 5 words that you associate with the following target word: '$target', and have \
provided such a list. Which of the following option words do you believe appeared in your provided list? \
Option words: '$options'.

You may think it over first. End your reply with one JSON object that has each option word as a key and true or \
false as its value: true if the word appeared in your list, false if it did not.""",
    "execute": """\
List 5 words that you associate with the following target word: '$target'.

End your reply with one JSON object of this form: {"words": ["...", "...", "...", "...", "..."]}""",
}

UNNEEDED: Mapping[str, str] = {}  # every session is needed


def session_names(item: Target) -> tuple[str, ...]:
    return ("predict", "execute")


async def sessions(item: Target, ask: Ask, prompts: Prompts = PROMPTS) -> None:
    words = {"target": item.target, "options": ", ".join(item.options)}
    await asyncio.gather(
        *(ask(session, Template(prompts[session]).substitute(words)) for session in session_names(item))
    )


def read(item: Target, session: str, text: str) -> Reading:
    return read_marks(text, item.options) if session == "predict" else read_words(text)


def given(item: Target, session: str, value: Any) -> Any:
    """A map of word to truth value, where strings may stand for booleans; or a list of words."""
    if session == "execute":
        listed = isinstance(value, list) and value and all(isinstance(word, str) for word in value)
        return value if listed else None
    if not isinstance(value, dict) or not value:
        return None
    truths = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    marks = {w: truths.get(fold(str(m)).strip("\"'")) for w, m in value.items()}
    return {word: mark for word, mark in marks.items() if isinstance(mark, bool)} or None


def observe(item: Target, readings: Readings) -> list[Observation]:
    predict, execute = readings.get("predict", MISSING), readings.get("execute", MISSING)
    state, reason = state_of([predict], [execute])
    marks = folded_marks(predict.value or {})
    listed = {fold(word) for word in execute.value or []}
    return [
        _claim(option, marks.get(fold(option)), fold(option) in listed if execute.value else None, state, reason)
        for option in distinct(item.options)
    ]


def _claim(option: str, predicted: bool | None, observed: bool | None, state: Any, reason: str | None) -> Observation:
    if state == "read" and predicted is None:
        # the model judged other words, or the same word both ways
        state, reason = "unreadable", "format"
    return Observation(option, predicted, observed, state, reason, facts=Facts(length=len(option)))


def folded_marks(marks: dict[str, bool]) -> dict[str, bool | None]:
    """Marks by folded word. A word marked both ways is not marked at all."""
    folded: dict[str, bool | None] = {}
    for word, mark in marks.items():
        folded[fold(word)] = mark if folded.get(fold(word), mark) == mark else None
    return folded


def distinct(options: list[str]) -> list[str]:
    """The options without blanks and repetitions, in their order."""
    first: dict[str, str] = {}
    for option in options:
        if folded := fold(option):
            first.setdefault(folded, option)
    return list(first.values())


def correct(item: Target, session: str, reading: Reading) -> bool | None:
    return None
