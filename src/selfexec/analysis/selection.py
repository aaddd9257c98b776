"""Several runs as one: their models are each other's reference models."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from selfexec.claims import Tables
from selfexec.errors import InputError
from selfexec.facets import DEFAULT_NAME
from selfexec.runs import Files, files, loaded, with_source

if TYPE_CHECKING:
    from selfexec.runs import Run


def load_together(
    given: "Run | str | Path | Iterable[Run | str | Path]", readings: Files = (), source: str | None = None
) -> list["Run"]:
    """The runs that are given, or lie in these folders, read as `readings` (files) say, with what was done as `source`
    has it. No model may be in two of them, and no item may differ between them: rows could not be told apart.
    """
    runs = loaded(given)
    if not runs:
        raise InputError("which runs? Give the folder of at least one.")
    refuse_clashes(runs)
    runs = read_as_given(runs, files(readings))
    return with_source(runs, source) if source else runs


def tables_of(runs: Sequence["Run"], condition: str | None = None) -> Tables:
    """The observations and sessions of all models in one condition: the default one, or the only one that there is,
    where none is named.
    """
    tables = runs[0].tables
    if len(runs) > 1:
        tables = Tables(
            pl.concat([run.tables.observations for run in runs]),
            pl.concat([run.tables.sessions for run in runs]),
            pl.concat([run.tables.outcomes for run in runs]),
            frozenset().union(*(run.simulated for run in runs)),
        )
    known = tables.conditions
    if condition is None and (len(known) < 2 or DEFAULT_NAME in known):
        return tables.under(known[0]) if known else tables
    if condition not in known:
        which = f"condition {condition}: nothing was asked in it" if condition else "which condition?"
        raise InputError(f"{which}. There are {'; '.join(known)}.")
    return tables.under(condition)


def refuse_clashes(runs: Sequence["Run"]) -> None:
    homes: dict[str, Path] = {}
    for run in runs:
        for model in run.models:
            if homes.get(model) == run.folder:
                raise InputError(f"{run.folder}: this run is given twice. Give it once.")
            if model in homes:
                raise InputError(f"{model} is in {homes[model]} and in {run.folder}. Score them one at a time.")
            homes[model] = run.folder
    refuse_different_items(runs, "Score them one at a time.")


def refuse_different_items(runs: Sequence["Run"], way_out: str) -> None:
    """An item means the same wherever it has the same id."""
    lines: dict[tuple[str, str], tuple[bytes, Path]] = {}
    for run in runs:
        for experiment, by_id in run.items.lines.items():
            for id, line in by_id.items():
                known, home = lines.setdefault((experiment, id), (line, run.folder))
                if known != line:
                    raise InputError(
                        f"the {experiment} item {id!r} is not the same in {home} and {run.folder}: these runs asked "
                        f"different items. {way_out}"
                    )


def read_as_given(runs: Sequence["Run"], readings: Sequence[Path]) -> list["Run"]:
    """The runs, read as these files say wherever they do."""
    from selfexec.runs import load_readings

    if not readings:
        return list(runs)
    given = load_readings(readings)
    concerned = [bool(given.keys() & run.replies.keys()) for run in runs]
    if not any(concerned):
        raise InputError(f"{readings[0]}: none of the given readings is of a session of these runs. Are they others'?")
    return [run.with_readings(given) if here else run for run, here in zip(runs, concerned, strict=True)]
