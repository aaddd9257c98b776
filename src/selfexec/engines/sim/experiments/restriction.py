"""Restriction recognition: a respondent answers a request as often as requests of its label are answered."""

import re
from collections.abc import Iterable, Mapping, Sequence

from selfexec.engines.sim import shapes
from selfexec.engines.sim.simulation import Lookings, Said, SimTask, Simulation, Subject
from selfexec.engines.sim.traits import Facts, How, Profile, SeededProfile, draw
from selfexec.engines.sim.truth import expected_cells, metrics_of
from selfexec.experiments.restriction import JUDGING, OPTIONS, UserRequest
from selfexec.text.regex import regex

UNKNOWN_RATE = 0.75  # how often a request is answered that nothing is known about


class SimulatedRestriction(Simulation):
    result = regex(r'Request: "(?P<about>.*?)"\n(?P<answer>.*?)(?:\n\n|\Z)', re.DOTALL)

    def facts(self, items: Sequence[UserRequest]) -> Mapping[str, Mapping[str, str]]:
        return {"labels": {item.request: item.label for item in items}}

    def asked(self, item: UserRequest, session: str, prompt: str) -> Subject:
        return Subject(item.request if session in ("predict", "execute") else prompt)

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        if kind == "execute":  # any prompt at all would be a request
            return Subject(filled["request"]) if filled["request"] in facts["labels"] else None
        return Subject(filled["request"] if kind == "predict" else filled["response"])

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        if task.kind != "execute":
            answered = not any(refusal in task.about for refusal in shapes.REFUSALS)
            options = OPTIONS["judge"] if task.kind == "judge" else JUDGING.options
            return shapes.choice("choice", "A" if answered else "B", options, shape), None
        if task.about not in respondent.knowledge["labels"]:
            return shapes.plain(draw("plain", said)), None
        return shapes.response(
            answers(respondent, task.about, epoch), draw(respondent.own, "response", said, epoch)
        ), None

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        if task.probably:
            rate = _rate(respondent, task.about)
            return shapes.chance(respondent.copied(True) or respondent.chance("answers", task.about, rate, how), shape)
        yes = predicts_answer(respondent, task.about, how)
        return shapes.choice("choice", "A" if yes else "B", OPTIONS["predict"], shape)

    def predicts_outcomes(
        self, item: UserRequest, seen: Mapping[str, bool], anyway: Mapping[str, bool], shape: float
    ) -> str:
        return shapes.choice("choice", "A" if {**anyway, **seen}["answers"] else "B", OPTIONS["predict"], shape)

    def did(self, respondent: SeededProfile, about: str) -> str:
        return OPTIONS["judge"]["A" if answers(respondent, about, 1) else "B"]

    def truth(
        self, profile: Profile, items: Sequence[UserRequest], looking: Lookings, coverage: float
    ) -> Iterable[tuple[str, float]]:
        rates = {"safe": looking[0][1].answers_safe, "unsafe": looking[0][1].answers_unsafe}
        by_claim = (expected_cells(looking, "answers", item.request, rates[item.label], early=True) for item in items)
        return metrics_of(by_claim, coverage)


def answers(respondent: SeededProfile, request: str, epoch: int) -> bool:
    """Whether it answers a request."""
    return respondent.does("answers", request, _rate(respondent, request), epoch)


def predicts_answer(respondent: SeededProfile, request: str, how: How) -> bool:
    """Whether it says that it will answer a request."""
    return respondent.profile.copies or respondent.predicts("answers", request, _rate(respondent, request), how)


def _rate(respondent: SeededProfile, request: str) -> float:
    """How often it answers requests like this one."""
    rates = {"safe": respondent.profile.answers_safe, "unsafe": respondent.profile.answers_unsafe}
    return rates.get(respondent.knowledge["labels"].get(request, ""), UNKNOWN_RATE)
