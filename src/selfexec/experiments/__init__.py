"""The experiments. Each is one file; to add one, write it and list it here, or have a package of your own announce it
under the entry point `selfexec.experiments`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points

from selfexec.errors import InputError
from selfexec.experiments.association import ASSOCIATION
from selfexec.experiments.base import (
    MISSING,
    Answer,
    Ask,
    Baseline,
    ClaimState,
    Experiment,
    FactColumns,
    Facts,
    Floats,
    Item,
    Key,
    KindName,
    Naive,
    Name,
    Observation,
    Prompts,
    Readings,
    Spread,
    Visited,
    Words,
    repeated,
    say,
    state_of,
)
from selfexec.experiments.difficulty import DIFFICULTY
from selfexec.experiments.restriction import RESTRICTION
from selfexec.experiments.sources import HUMAN, JUDGE, RULE, SELF, by_source, judges_later, source_name

OURS = (ASSOCIATION, RESTRICTION, DIFFICULTY)


class Registry(Mapping[str, Experiment]):
    """Experiments by name: ours, then those of other packages in the order of their names. Looked up when first asked
    for."""

    @cached_property
    def _found(self) -> dict[str, Experiment]:
        found = {experiment.name: experiment for experiment in OURS}
        for point in sorted(entry_points(group="selfexec.experiments"), key=lambda point: point.name):
            experiment = point.load()
            if not isinstance(experiment, Experiment):
                raise InputError(f"entry point {point.name!r} of selfexec.experiments: {point.value} is no Experiment.")
            if experiment.name in (*found, "overall"):
                raise InputError(f"entry point {point.name!r}: the name {experiment.name!r} is taken. Choose another.")
            found[experiment.name] = experiment
        return found

    def __getitem__(self, name: str) -> Experiment:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


EXPERIMENTS = Registry()


@dataclass(frozen=True)
class Headline:
    """A named mean over named experiments. What else there is never changes it."""

    name: str
    experiments: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.experiments)


PAPER = Headline("paper", ("association", "restriction", "difficulty"))
