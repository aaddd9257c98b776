"""Tables of success rates: a CSV file with a column of models and one column for each benchmark."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfexec.errors import InputError
from selfexec.files import csv_rows
from selfexec.text.matching import nearest
from selfexec.text.numbers import number_of

PAPER_TABLE = "paper"  # in place of a file: Table 1 of arXiv 2508.12277


@dataclass(frozen=True)
class RateTable:
    """Success rates from 0 to 1 by model and benchmark, nan where there is none."""

    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    rates: NDArray[np.float64]


@dataclass(frozen=True)
class _Row:
    place: str
    model: str
    rates: dict[str, float]


def load_rates(source: str | Path, added: Iterable[str | Path] = ()) -> RateTable:
    """The rates of a file (or of `paper`), with further models from other files.

    An added file has columns of the first in any order; a column that it lacks is a hole.
    """
    benchmarks, rows = _read(source)
    for more in added:
        others, further = _read(more)
        for name in others:
            if name not in benchmarks:
                raise InputError(
                    f"{_shown(more)}:1: column {name!r} is not in {_shown(source)}. {_meant(name, benchmarks)}"
                )
        rows += further
    places: dict[str, str] = {}
    for row in rows:
        if row.model in places:
            raise InputError(f"{row.place}: model {row.model!r} is already at {places[row.model]}. Rename one of them.")
        places[row.model] = row.place
    table = np.array([[row.rates.get(name, math.nan) for name in benchmarks] for row in rows])
    return RateTable(tuple(places), tuple(benchmarks), table.reshape(len(rows), len(benchmarks)))


def _read(source: str | Path) -> tuple[list[str], list[_Row]]:
    """The benchmarks and the rows of one file."""
    lines = csv_rows.rows(_shown(source), _text(source))
    first, names = next(lines, (1, []))
    place = f"{_shown(source)}:{first}"
    if len(names) < 2:
        raise InputError(f"{place}: the first line must be a header: model, then one column a benchmark.")
    for position, name in enumerate(names[1:], 2):
        if not name:
            raise InputError(f"{place}: column {position} has no name. Name its benchmark.")
        if name in names[1 : position - 1]:
            raise InputError(f"{place}: column {name!r} occurs twice. Rename or remove one.")
    return names[1:], [_row(f"{_shown(source)}:{number}", names[1:], cells) for number, cells in lines]


def _text(source: str | Path) -> str:
    if source == PAPER_TABLE:
        return resources.files("selfexec.extensions.rasch").joinpath("data/table_1.csv").read_text("utf-8")
    return csv_rows.read(source, f"no such file. Check the path, or write '{PAPER_TABLE}' for the paper's table.")


def _row(place: str, benchmarks: Sequence[str], cells: Sequence[str]) -> _Row:
    model, *values = cells
    if not model:
        raise InputError(f"{place}: the first column, the model's name, is empty. Name the model.")
    if len(values) > len(benchmarks):
        raise InputError(
            f"{place}: {len(values)} rates for {number_of(len(benchmarks), 'benchmark')}. Remove what is too much "
            "(rates have a decimal point, 0.85)."
        )
    found = {name: _rate(f"{place}, column {name!r}", value) for name, value in zip(benchmarks, values, strict=False)}
    return _Row(place, model, {name: rate for name, rate in found.items() if not math.isnan(rate)})


def _rate(place: str, value: str) -> float:
    """The rate that a cell holds; nan where it is empty."""
    if not value:
        return math.nan
    try:
        rate = float(value)
    except ValueError:
        raise InputError(f"{place}: {value!r} is not a number. Leave the cell empty where there is no rate.") from None
    if math.isnan(rate):
        raise InputError(f"{place}: {value!r} is not a rate. Leave the cell empty where there is none.")
    if not 0 <= rate <= 1:
        raise InputError(f"{place}: {value} is not a share from 0 to 1. Fix it (85% is 0.85).")
    return rate


def _shown(source: str | Path) -> str:
    return "the paper's table" if source == PAPER_TABLE else str(source)


def _meant(name: str, known: Sequence[str]) -> str:
    near = nearest(name, known)
    return f"Did you mean {near!r}?" if near else "Added models need the same column names."
