"""What numbers were made of: the runs, as they stand on top of every JSON."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfexec.version import __version__

if TYPE_CHECKING:
    from selfexec.runs import Run


@dataclass(frozen=True)
class Source:
    """A run that was scored: its folder as it was given, the SHA-256 of its replies (None where they are not on disk),
    its models, and how many items of each experiment it has. `readings_given`: replies read as somebody else says;
    `simulated`: those of the models that no language model is behind.
    """

    folder: str
    replies_sha256: str | None
    models: tuple[str, ...]
    items: dict[str, int]
    readings_given: int
    simulated: tuple[str, ...] = ()


def sources(runs: Iterable["Run"]) -> tuple[Source, ...]:
    """What there is to say of these runs, each once."""
    return tuple(_source(run) for run in {id(run): run for run in runs}.values())


def _source(run: "Run") -> Source:
    return Source(
        folder=str(run.folder),
        replies_sha256=run.replies_sha256,
        models=run.models,
        items={experiment: len(by_id) for experiment, by_id in run.items.items.items()},
        readings_given=sum(key in run.replies for key in run.given or ()),
        simulated=tuple(model for model in run.models if model in run.simulated),
    )


def folder_of(runs: Sequence[Source], models: Iterable[str], *, name_only: bool = False) -> str:
    """The folder of these models' run, as it may be typed; RUN where they are in several, or it is not known."""
    wanted = set(models)
    folders = [run.folder for run in runs if wanted & {*run.models}]
    if len(folders) != 1:
        return "RUN"
    return shlex.quote(Path(folders[0]).name if name_only else folders[0])


def head(runs: Sequence[Source], convention: str | None) -> dict[str, Any]:
    """What stands on top of every JSON of numbers about runs."""
    return {
        "runs": [asdict(run) | {"models": list(run.models), "simulated": list(run.simulated)} for run in runs],
        "convention": convention,
        "version": __version__,
    }
