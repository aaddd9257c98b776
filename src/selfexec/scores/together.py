"""Several runs as one: their models are each other's company."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from selfexec.errors import InputError
from selfexec.observations import Tables

if TYPE_CHECKING:
    from selfexec.runs import Run


def load_together(folders: Iterable[Path], readings: Sequence[Path] = ()) -> list["Run"]:
    """The runs of these folders, read as `readings` (files) say. No model may be in two of them, and no item may
    differ between them: rows could not be told apart.
    """
    from selfexec.formats import load_readings
    from selfexec.runs import load

    given = load_readings(readings) if readings else None
    runs = [load(folder) for folder in folders]
    _refuse_clashes(runs)
    if given is None:
        return runs
    concerned = [bool(given.keys() & run.replies.keys()) for run in runs]
    if not any(concerned):
        raise InputError(f"{readings[0]}: none of the given readings is of a session of these runs.")
    return [run.with_readings(given) if here else run for run, here in zip(runs, concerned, strict=True)]


def tables_of(runs: Sequence["Run"]) -> Tables:
    """The observations and sessions of all models."""
    if len(runs) == 1:
        return runs[0].tables
    return Tables(
        pl.concat([run.tables.observations for run in runs]),
        pl.concat([run.tables.sessions for run in runs]),
    )


def _refuse_clashes(runs: Sequence["Run"]) -> None:
    homes: dict[str, Path] = {}
    lines: dict[tuple[str, str], tuple[bytes, Path]] = {}
    for run in runs:
        for model in run.models:
            if model in homes:
                raise InputError(f"{model} is in {homes[model]} and in {run.folder}. Score them one at a time.")
            homes[model] = run.folder
        for experiment, by_id in run.items.lines.items():
            for id, line in by_id.items():
                known, home = lines.setdefault((experiment, id), (line, run.folder))
                if known != line:
                    raise InputError(
                        f"the {experiment} item {id!r} is not the same in {home} and {run.folder}: these runs asked "
                        "different items. Score them one at a time."
                    )
