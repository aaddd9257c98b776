"""Word association: a respondent lists five words, those of the options that it lists first."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from selfexec.engines.sim import shapes
from selfexec.engines.sim.simulation import Lookings, Said, SimTask, Simulation, Subject
from selfexec.engines.sim.traits import Facts, How, Profile, SeededProfile, draw
from selfexec.engines.sim.truth import expected_cells, metrics_of
from selfexec.experiments.association import Target, distinct
from selfexec.text.regex import regex

FILLERS = ("echo", "matter", "origin", "fabric", "margin", "signal", "pattern", "quality", "element", "context")


class SimulatedAssociation(Simulation):
    result = regex(r"Target word: '(?P<about>.*?)'\. Listed: (?P<answer>.*?)\.(?:\n\n|\Z)", re.DOTALL)

    def facts(self, items: Sequence[Target]) -> Mapping[str, Mapping[str, list[str]]]:
        return {"options": {item.target: distinct(item.options) for item in items}}

    def asked(self, item: Target, session: str, prompt: str) -> Subject:
        return Subject(item.target, tuple(item.options) if session == "predict" else ())

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject:
        return Subject(filled["target"], tuple(filled["options"].split(", ")) if kind == "predict" else ())

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        return shapes.words(listed(respondent, task.about, epoch), shape), None

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        if task.probably:
            return shapes.chances(chances(respondent, task.about, task.parts, how), shape)
        return shapes.marks(marks(respondent, task.about, task.parts, how), shape)

    def predicts_outcomes(
        self, item: Target, seen: Mapping[str, bool], anyway: Mapping[str, bool], shape: float
    ) -> str:
        return shapes.marks({option: {**anyway, **seen}[option] for option in distinct(item.options)}, shape)

    def did(self, respondent: SeededProfile, about: str) -> str:
        return ", ".join(listed(respondent, about, 1))

    def truth(
        self, profile: Profile, items: Sequence[Target], looking: Lookings, coverage: float
    ) -> Iterable[tuple[str, float]]:
        rate = looking[0][1].lists
        by_claim = (
            expected_cells(looking, "lists", f"{item.target}\n{option}", rate, early=n < (len(options) + 1) // 2)
            for item in items
            for options in [distinct(item.options)]
            for n, option in enumerate(options)
        )
        return metrics_of(by_claim, coverage)


def listed(respondent: SeededProfile, target: str, epoch: int) -> list[str]:
    """Five words for a target: the options that it lists, and others."""
    options = respondent.knowledge["options"].get(target, [])
    rate = respondent.profile.lists
    words = [option for option in options if respondent.does("lists", f"{target}\n{option}", rate, epoch)]
    known = {option.casefold() for option in options}
    start = int(draw("fill", target) * len(FILLERS))
    fillers = [w for w in (*FILLERS[start:], *FILLERS[:start]) if w not in known and w != target.casefold()]
    return words + fillers[: max(5 - len(words), 0)]


def marks(respondent: SeededProfile, target: str, options: Sequence[str], how: How) -> dict[str, bool]:
    """Which words it says that it will list: of its own options for the target where it knows it, else of these."""
    if respondent.profile.copies:
        early = _first_half(options)
        return {word: word in early for word, _ in _claims(respondent, target, options)}
    rate = respondent.profile.lists
    return {
        word: respondent.predicts("lists", about, rate, how) for word, about in _claims(respondent, target, options)
    }


def chances(respondent: SeededProfile, target: str, options: Sequence[str], how: How) -> dict[str, float]:
    """How probable it says that it is of each of these words that it will list it."""
    rate, early = respondent.profile.lists, _first_half(options)
    return {
        word: respondent.copied(word in early) or respondent.chance("lists", about, rate, how)
        for word, about in _claims(respondent, target, options)
    }


def _claims(respondent: SeededProfile, target: str, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each word that a prediction is about, and what its draws go by."""
    for word in respondent.knowledge["options"].get(target) or options:
        yield word, f"{target}\n{word}"


def _first_half(options: Sequence[str]) -> Sequence[str]:
    """The options that are shown in the first half, rounded up."""
    return [*options][: (len(options) + 1) // 2]
