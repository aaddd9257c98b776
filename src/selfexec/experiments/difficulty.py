"""Difficulty assessment: does a model know which questions it finds hard? (paper, section 3.3)

    predict      shown four questions with their answers, the model ranks them from easiest to hardest
    execute.Qn   each question alone

Difficult is what is answered wrongly, and then what takes more tokens. A claim: "this question is easier than that
one", for each of the six pairs.
"""

import asyncio
from collections.abc import Mapping
from itertools import combinations
from string import Template
from typing import Any

from selfexec.experiments.base import MISSING, Ask, Facts, Observation, Prompts, Readings, state_of
from selfexec.items import Group, Question
from selfexec.readers import Reading, read_choice, read_ranking

LABELS = ("Q1", "Q2", "Q3", "Q4")

PROMPTS: Prompts = {
    "predict": """\
Below are four questions together with their correct answers. Sort the questions from easiest to hardest for you, \
based on both the number of tokens that you expect to use and the correctness of your expected response, if you were \
asked each of them in a separate session without its answer: the question that needs the fewest tokens comes first, \
and questions that you would answer incorrectly come last.

$questions

You may think it over first. End your reply with one JSON object of this form, with all four labels in your order: \
{"ranking": ["Q_", "Q_", "Q_", "Q_"]}""",
    "execute": """\
$question

A. $a
B. $b
C. $c
D. $d

You may reason first. End your reply with one JSON object of this form: {"answer": "A, B, C or D"}""",
}

UNNEEDED: Mapping[str, str] = {}  # every session is needed


def session_names(item: Group) -> tuple[str, ...]:
    return ("predict", *(f"execute.{label}" for label in LABELS))


async def sessions(item: Group, ask: Ask, prompts: Prompts = PROMPTS) -> None:
    questions = "\n\n".join(_shown(label, q) for label, q in zip(LABELS, item.questions, strict=True))
    ranking = ask("predict", Template(prompts["predict"]).substitute(questions=questions))
    answers = (
        ask(f"execute.{label}", _asked(prompts["execute"], question))
        for label, question in zip(LABELS, item.questions, strict=True)
    )
    await asyncio.gather(ranking, *answers)


def _shown(label: str, question: Question) -> str:
    choices = "\n".join(f"{letter}. {choice}" for letter, choice in zip("ABCD", question.choices, strict=True))
    return f"{label}: {question.question.strip()}\n{choices}\nCorrect answer: {question.answer}"


def _asked(template: str, question: Question) -> str:
    choices = dict(zip("abcd", question.choices, strict=True))
    return Template(template).substitute(choices, question=question.question.strip())


def read(item: Group, session: str, text: str) -> Reading:
    if session == "predict":
        return read_ranking(text)
    question = _question(item, session)
    return read_choice(text, dict(zip("ABCD", question.choices, strict=True)), key="answer")


def given(item: Group, session: str, value: Any) -> Any:
    """A letter, or a list of all four labels; bare digits stand for labels."""
    if session != "predict":
        letter = value.strip(" \t\n\"'`").upper() if isinstance(value, str) else None
        return letter if letter in ("A", "B", "C", "D") else None
    if not isinstance(value, list):
        return None
    names = [str(label).strip(" \t\n\"'`").upper() for label in value]
    labels = [f"Q{name}" if name.isdigit() else name for name in names]
    return labels if sorted(labels) == list(LABELS) else None


def observe(item: Group, readings: Readings) -> list[Observation]:
    predict = readings.get("predict", MISSING)
    place = {label: n for n, label in enumerate(predict.value or [])}
    answers = {label: readings.get(f"execute.{label}", MISSING) for label in LABELS}
    questions = dict(zip(LABELS, item.questions, strict=True))
    return [
        _pair(one, two, place, predict, (answers[one], answers[two]), (questions[one], questions[two]))
        for one, two in combinations(LABELS, 2)
    ]


def _pair(
    one: str,
    two: str,
    place: dict[str, int],
    predict: Reading,
    answers: tuple[Reading, Reading],
    questions: tuple[Question, Question],
) -> Observation:
    predicted = place[one] < place[two] if place else None
    observed, basis = easier(answers, questions)
    # an answer without a letter is a wrong answer, not an unread one: only its absence leaves the claim open
    state, reason = state_of([predict], [answer for answer in answers if answer.state == "missing"])
    if basis == "unknown":
        state, reason = "missing", None
    elif state == "read" and observed is None:
        state = "tie"
    first, second = questions
    facts = Facts(
        subject=first.subject,
        length=len(first.question),
        other_subject=second.subject,
        other_length=len(second.question),
    )
    return Observation(
        f"{one} before {two}", predicted, observed, state, reason, basis if observed is not None else None, facts
    )


def easier(answers: tuple[Reading, Reading], questions: tuple[Question, Question]) -> tuple[bool | None, str | None]:
    """Whether the first question was the easier one, and what decides it.

    None with basis None is a tie; None with basis "unknown" cannot be told: tokens are never chances.
    """
    if any(answer.state == "missing" for answer in answers):
        return None, "unknown"
    right = [answer.value == question.answer for answer, question in zip(answers, questions, strict=True)]
    if right[0] != right[1]:
        return right[0], "correctness"
    one, two = (answer.tokens for answer in answers)
    if one is None or two is None:
        return None, "unknown"
    return (one < two, "tokens") if one != two else (None, None)


def correct(item: Group, session: str, reading: Reading) -> bool | None:
    if session == "predict" or reading.state == "missing":
        return None
    return bool(reading.value == _question(item, session).answer)


def _question(item: Group, session: str) -> Question:
    return item.questions[LABELS.index(session.removeprefix("execute."))]
