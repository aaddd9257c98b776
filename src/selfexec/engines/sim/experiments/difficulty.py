"""Difficulty assessment: a respondent answers questions, and ranks them, by how hard it finds them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from selfexec.engines.sim import shapes
from selfexec.engines.sim.questions import (
    LETTERS,
    RIGHT_BELOW,
    hardness_predicted,
    question_id,
    ranked,
    solved,
    tokens_for,
)
from selfexec.engines.sim.simulation import Lookings, Said, SimTask, Simulation, Subject
from selfexec.engines.sim.traits import Facts, How, Profile, SeededProfile, expit
from selfexec.engines.sim.truth import order_accuracy
from selfexec.experiments.difficulty import LABELS, QuestionGroup, shown
from selfexec.text.regex import regex

UNSURE = 0.15  # how far a hardness is from the bound of what is answered rightly, for odds of e to 1
SHOWN = regex(
    r"Q\d: (?P<question>.*?)\nA\. (?P<a>.*?)\nB\. (?P<b>.*?)\nC\. (?P<c>.*?)\nD\. (?P<d>.*?)\nCorrect answer: [A-D]",
    re.DOTALL,
)


class SimulatedDifficulty(Simulation):
    result = regex(r"(?P<about>.+?)\nAnswered (?:in)?correctly\. Tokens: (?P<answer>\d+)\.(?:\n\n|\Z)", re.DOTALL)

    def facts(self, items: Sequence[QuestionGroup]) -> Mapping[str, Mapping[str, str]]:
        questions = (question for item in items for question in item.questions)
        return {"keys": {question_id(one.question.strip(), one.choices): one.answer for one in questions}}

    def asked(self, item: QuestionGroup, session: str, prompt: str) -> Subject:
        if session == "predict":
            ids = (question_id(question.question.strip(), question.choices) for question in item.questions)
            return Subject(shown(item), tuple(ids))
        question = item.questions[LABELS.index(session.partition(".")[2])]
        return Subject(question.question.strip(), tuple(question.choices))

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject:
        if kind == "execute":
            return Subject(filled["question"], choices_in(filled))
        questions = (match.groupdict() for match in SHOWN.finditer(filled["questions"]))
        ids = (question_id(question["question"], choices_in(question)) for question in questions)
        return Subject(filled["questions"], tuple(ids))

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        letter, tokens = solved(respondent, task.about, task.parts, epoch)
        return shapes.choice("answer", letter, dict(zip(LETTERS, task.parts, strict=True)), shape), tokens

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        if task.probably:
            return shapes.expectations(_expectations(respondent, task.about, task.parts, how), shape)
        return shapes.ranking(ranked(respondent, task.about, task.parts, how), shape)

    def predicts_outcomes(
        self, item: QuestionGroup, seen: Mapping[str, bool], anyway: Mapping[str, bool], shape: float
    ) -> str:
        """The order that it would give anyway, with those that it has seen in the order that it saw."""
        known = {label for claim in seen for label in claim.split(" before ")}
        places, in_order = _by_wins(anyway, LABELS), iter(_by_wins(seen, sorted(known)))
        return shapes.ranking([next(in_order) if label in known else label for label in places], shape)

    def did(self, respondent: SeededProfile, about: str) -> str:
        known = (asked.split("\n") for asked in respondent.knowledge["keys"] if asked.startswith(f"{about}\n"))
        choices = next((lines[-len(LETTERS) :] for lines in known), [""] * len(LETTERS))
        return str(solved(respondent, about, choices, 1)[1])

    def truth(
        self, profile: Profile, items: Sequence[QuestionGroup], looking: Lookings, coverage: float
    ) -> Iterator[tuple[str, float]]:
        yield "accuracy", sum(share * order_accuracy(one) for share, one in looking)
        yield "coverage", coverage


def _by_wins(outcomes: Mapping[str, bool], labels: Sequence[str]) -> list[str]:
    """Labels by how many of the pairs they come first in."""
    first = Counter(claim.split(" before ")[0 if yes else 1] for claim, yes in outcomes.items())
    return sorted(labels, key=lambda label: -first[label])


def choices_in(filled: Mapping[str, str]) -> tuple[str, ...]:
    """The four choices of a question, as a template was filled in with them."""
    return tuple(filled[letter] for letter in "abcd")


def _expectations(
    respondent: SeededProfile, questions: str, ids: Sequence[str], how: How
) -> dict[str, dict[str, float]]:
    """By label how probable a right answer is and how many tokens it takes, by how hard it takes each to be."""
    profile = respondent.profile
    hard = hardness_predicted(respondent, questions, ids, how)
    if profile.copies:
        hard = [n / len(ids) for n in range(len(ids))]
    return {
        f"Q{n}": {
            "correct": expit(profile.sharpness * (RIGHT_BELOW - h) / UNSURE + profile.readiness),
            "tokens": tokens_for(h),
        }
        for n, h in enumerate(hard, 1)
    }
