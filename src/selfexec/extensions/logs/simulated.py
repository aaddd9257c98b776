"""Finished logs: a simulated respondent predicts what it did with samples as it does with questions and requests."""

import re
from collections.abc import Mapping
from typing import Any

from selfexec.engines.sim import shapes
from selfexec.engines.sim.experiments.difficulty import choices_in
from selfexec.engines.sim.experiments.restriction import predicts_answer
from selfexec.engines.sim.questions import (
    LETTERS,
    RIGHT_BELOW,
    hardness_looked_at,
    letter,
    question_id,
    ranked,
    tokens_for,
)
from selfexec.engines.sim.simulation import SimTask, Simulation, Subject, filled_in
from selfexec.engines.sim.traits import EVERYONE, Facts, How, SeededProfile, draw
from selfexec.experiments import EXPERIMENTS, Difficulty
from selfexec.extensions.logs.experiments.choice import ChoiceQuestion
from selfexec.extensions.logs.experiments.length import LINE, Length, SampleGroup
from selfexec.extensions.logs.samples import Sample, letters
from selfexec.text.regex import regex

LISTED = regex(r"^[A-Z]\. (.*)$", re.MULTILINE)
BETWEEN_LINES = regex(rf"^{LINE}\n(.*?)\n{LINE}$", re.MULTILINE | re.DOTALL)


class SimulatedCorrectness(Simulation):
    def asked(self, item: Sample, session: str, prompt: str) -> Subject | None:
        return Subject(item.last) if session == "predict" else None

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        return Subject(filled["shown"]) if kind == "predict" else None

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        yes = respondent.profile.copies or predicts_right(respondent, sample_id(task.about), how)
        if task.probably:
            return shapes.chance(surely(respondent, task, how, yes=yes), shape)
        return shapes.prediction("A" if yes else "B", EXPERIMENTS[task.experiment].options["predict"], shape)


class SimulatedRefusal(SimulatedCorrectness):
    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        yes = not predicts_answer(respondent, task.about.strip(), how)
        if task.probably:
            return shapes.chance(surely(respondent, task, how, yes=yes), shape)
        return shapes.prediction("A" if yes else "B", EXPERIMENTS[task.experiment].options["predict"], shape)


class SimulatedChoice(Simulation):
    def facts(self, items: Any) -> Mapping[str, Mapping[str, str]]:
        return {"right options": {item.last.strip(): item.right for item in items if item.right}}

    def asked(self, item: ChoiceQuestion, session: str, prompt: str) -> Subject | None:
        return Subject(item.last, tuple(item.options)) if session == "predict" else None

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject:
        return Subject(filled["shown"], tuple(match[1] for match in LISTED.finditer(filled["options"])))

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        options = dict(zip(letters(len(task.parts)), task.parts, strict=True))
        if task.probably:
            chosen = predicted_choice(respondent, task.about, options, how)
            most = surely(respondent, task, how, yes=True)
            others = (1 - most) / max(len(options) - 1, 1)
            return shapes.chances({letter: most if letter == chosen else others for letter in options}, shape)
        return shapes.choice("choice", predicted_choice(respondent, task.about, options, how), options, shape)


class SimulatedLength(Simulation):
    def asked(self, item: SampleGroup, session: str, prompt: str) -> Subject | None:
        if session != "predict":
            return None
        return Subject(Length().shown(item), tuple(sample.last for sample in item.samples))

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject:
        shown = filled["shown"]
        return Subject(shown, tuple(match[1] for match in BETWEEN_LINES.finditer(shown)))

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        """From the shortest response to the longest: as the hardness of each sample has it."""
        ids = [sample_id(sample) for sample in task.parts]
        if task.probably:
            order = ranked(respondent, task.about, ids, how, by=tokens_for)
            return shapes.chances({label: 100.0 * 2**n for n, label in enumerate(order)}, 0.0)
        return shapes.ranking(ranked(respondent, task.about, ids, how, by=tokens_for), shape)


def surely(respondent: SeededProfile, task: SimTask, how: How, *, yes: bool) -> float:
    """How probable it says that something is which it predicts, or does not: between one half and certainty."""
    sureness = 0.5 + 0.49 * draw(respondent.own, "sure", task.about, *how.apart)
    return sureness if yes else 1 - sureness


def sample_id(shown: str) -> str:
    """What hardness goes by: of a question that is worded as ours are, question and choices; else all that is shown."""
    filled = filled_in(Difficulty.prompts["execute"], shown.strip())
    return shown.strip() if filled is None else question_id(filled["question"], choices_in(filled))


def predicts_right(respondent: SeededProfile, sample: str, how: How) -> bool:
    """Whether it says that it answers a sample correctly: what is not too hard for it."""
    right = hardness_looked_at(respondent, sample, how) <= RIGHT_BELOW
    return respondent.says(right, "hardness", sample, how)


def predicted_choice(respondent: SeededProfile, shown: str, options: Mapping[str, str], how: How) -> str:
    """The letter that it says it will choose: the one that it sees itself choose, or any other."""
    profile = respondent.profile
    if profile.copies:
        return LETTERS[0]
    sample = sample_id(shown)
    hard = hardness_looked_at(respondent, sample, how)
    right = respondent.knowledge["right options"].get(shown.strip())
    whose = {"itself": respondent.own, "models": EVERYONE, "kind": profile.kind_tag}[profile.looks_at]
    chosen = letter(respondent, sample, hard, whose, right, "".join(options))
    others = [other for other in options if other != chosen] or [chosen]
    missed = others[int(draw(respondent.own, "another", sample, *how.apart) * len(others))]
    return chosen if respondent.says(True, "hardness", sample, how) else missed
