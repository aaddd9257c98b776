"""Models that a run was to ask and that have answered nothing there: no score is about them, so a sentence says so."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfexec.text.numbers import joined

if TYPE_CHECKING:
    from selfexec.runs import Run


@dataclass(frozen=True)
class Unanswered:
    """A model from which a run has no reply in some of the experiments that it was to ask."""

    model: str
    experiments: tuple[str, ...]
    text: str
    kind: str = "unanswered"


def unanswered(runs: Iterable["Run"]) -> Iterator[Unanswered]:
    """What each run lists as asked of a model, where not one reply of an experiment is there."""
    for run in runs:
        for model, experiments in run.unanswered.items():
            text = (
                f"Nothing that {run.folder.name} was to ask {model} in {joined(experiments)} has been answered yet: no "
                "score here is about that."
            )
            yield Unanswered(model, experiments, text)
