"""Scores held against each other, and against other numbers about the same models: benchmarks, Rasch abilities."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from selfexec.analysis.names import refuse_old_name, skill_called
from selfexec.analysis.options import Columns, CorrelateOptions
from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.analysis.score import Scores, score
from selfexec.analysis.score_table import ACCURACY
from selfexec.analysis.selection import NO_PANEL, Selection, selection_of
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.files import csv_rows
from selfexec.metrics import none_if_nan
from selfexec.runs import Run, files, takes
from selfexec.stats import LEAST_PAIRS, Correlation, correlate
from selfexec.text.matching import listed
from selfexec.text.numbers import decimal, interval, number_of
from selfexec.text.tables import Part, Table

Among = Literal["all", "eligible"]
OWN = "own_excess"  # it has no overall number
MEASURES = ("accuracy", "skill", "baseline_margin", OWN)
TITLE = "Do they go together?"
HEADINGS = ["one", "two", "among", "n", "Pearson", "Spearman"]
LEGEND = (
    "Intervals are 95%, by Fisher's z (Spearman: Bonett and Wright 2000).\n"
    "Few models make wide intervals: with 15 of them, a correlation of .50 has the interval -.02 to .81."
)
# of three that have nothing to do with each other and spread alike, each correlates with their mean by 1 / sqrt(3)
WHOLE = (
    "overall is the mean of {}: each correlates with it by construction, at about .58 even if the three are unrelated."
).format(", ".join(PAPER_HEADLINE.experiments))
ELIGIBLE = "eligible: models whose headline is not withheld. skill: {}."


@dataclass(frozen=True)
class Pair:
    """Two columns, and how they go together among some of the models."""

    one: str
    two: str
    among: Among
    pearson: Correlation
    spearman: Correlation

    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = {"one": self.one, "two": self.two, "among": self.among, "n": self.pearson.n}
        for c in (self.pearson, self.spearman):
            numbers = (c.value, c.interval.low, c.interval.high)
            value, low, high = map(none_if_nan, numbers)
            found |= {c.method: value, f"{c.method}_low": low, f"{c.method}_high": high}
        return found | {"reason": self.pearson.reason or self.spearman.reason}


class Correlations(Rows[Pair]):
    """Pairs of columns. Prints as a table, and turns into records. `notes` say which models are in no pair, `runs` and
    `convention` what the scores are of, where there are any.
    """

    _ROW = Pair

    def __init__(
        self,
        pairs: Iterable[Pair],
        notes: Sequence[str] = (),
        runs: Sequence[ScoredRun] = (),
        convention: str | None = None,
    ) -> None:
        super().__init__(pairs)
        self.notes = tuple(notes)
        self.runs = tuple(runs)
        self.convention = convention

    def pair(self, one: str, two: str, among: Among = "all") -> Pair:
        """Two columns by name, in either order, among all models or the eligible ones. KeyError lists what there is."""
        for pair in self:
            if {pair.one, pair.two} == {one, two} and pair.among == among:
                return pair
        for column in (one, two):
            refuse_old_name(column.rpartition(" ")[2])
        columns = listed("columns", (name for pair in self for name in (pair.one, pair.two)))
        there = f"{columns}; {listed('among', (pair.among for pair in self))}"
        raise KeyError(f"there is no pair of {one} and {two} among {among} models ({there})")

    def records(self) -> list[dict[str, Any]]:
        """A record for each pair."""
        return [pair.record() for pair in self]

    def _columns(self) -> Mapping[str, Any]:
        names = [f"{method}{end}" for method in ("pearson", "spearman") for end in ("", "_low", "_high")]
        return {"one": str, "two": str, "among": str, "n": int, **dict.fromkeys(names, float), "reason": str}

    def _data(self) -> dict[str, Any]:
        return {**head(self.runs, self.convention), "correlations": self.records(), "notes": self.notes}

    def _content(self, form: Form, width: int) -> list[Part]:
        return [Table(TITLE, HEADINGS, [_cells(pair) for pair in self]), *_below(self)]


@takes(CorrelateOptions, "correlations")
def correlations(options: CorrelateOptions) -> Correlations:
    """Pearson's and Spearman's correlations of numbers about models, each over the models that have both.

    Args:
        of: A run or its folder, or several: their scores with each other. A table (a CSV file whose first column names
            the model), or {column: {model: number}}: every pair of columns. With `against`, a table or such columns
            too, each column of the one is held against each of the other instead.

    Raises:
        InputError: Fewer than three models have both numbers of any pair, or a table cannot be read.
    """
    of, against, eligible = options.of, options.against, options.eligible
    if isinstance(of, Mapping):
        others = against if against is None or isinstance(against, Mapping) else read_tables(files(against))
        return correlate_columns(of, others, eligible)
    if eligible is not None:
        raise InputError("eligible is only for columns of numbers, not for runs and tables. Leave it out.")
    selection = selection_of(of, options)
    for given in selection.given:
        if not isinstance(given, Run | str | Path):
            raise InputError(f"expected a run, a table, the path of either, or a list of these, not {given!r}.")
    runs = tuple(one for one in selection.given if isinstance(one, Run) or Path(one).is_dir())
    columns = against if isinstance(against, Mapping) else None
    tables = [Path(one) for one in selection.given if not isinstance(one, Run) and one not in runs]
    tables += [] if columns is not None else files(against or ())
    known = None if columns is None and not tables else {**read_tables(tables), **(columns or {})}
    place = str(tables[0]) if tables else "against"
    if runs:
        return _of_runs(replace(selection, given=runs), known, place)
    if known is None:
        raise InputError("which table or run? Give it: selfexec analyze correlate TABLE.csv")
    if len(known) < 2:
        raise InputError(f"{place}: a correlation takes two columns of numbers, there are {len(known)}.")
    return _refuse_empty(correlate_columns(known), "Add models to the table.")


def correlate_columns(
    columns: Columns, against: Columns | None = None, eligible: Iterable[str] | None = None
) -> Correlations:
    """Every pair of columns, or every column with every one of `against`: over the models that have both numbers, and,
    where `eligible` names models, again among these only.
    """
    chosen = None if eligible is None else set(eligible)
    names = combinations(columns, 2) if against is None else ((one, two) for one in columns for two in against)
    others = columns if against is None else against
    pairs = []
    for one, two in names:
        pairs.append(_pair(one, two, "all", columns[one], others[two]))
        if chosen is not None:
            kept = {model: number for model, number in columns[one].items() if model in chosen}
            pairs.append(_pair(one, two, "eligible", kept, others[two]))
    return Correlations(pairs)


def _pair(one: str, two: str, among: Among, first: Mapping[str, float], second: Mapping[str, float]) -> Pair:
    models = [model for model in first if model in second]
    x, y = (np.array([column[model] for model in models], dtype=np.float64) for column in (first, second))
    return Pair(one, two, among, correlate(x, y), correlate(x, y, "spearman"))


# --- of runs and tables ----------------------------------------------------------------------------------------------


def _of_runs(selection: Selection, against: Columns | None, place: str) -> Correlations:
    """Scores with each other, or with columns `against` which they are held, and which are from some `place`."""
    selection.refuse_apart()
    scores = score(replace(selection, panel=NO_PANEL))
    eligible = eligible_models(scores)
    if against is None:
        return _refuse_empty(_of_scores(scores, eligible), "Give more runs: their models count together.")
    known = {model for column in against.values() for model in column}
    if known.isdisjoint(scores.models):
        raise InputError(
            f"{place}: none of its models is in these runs, which have {', '.join(scores.models)}. "
            "Write the names in its first column as the runs do."
        )
    way_out = "Give more runs, or a table with more of their models."
    found = _refuse_empty(correlate_columns(score_columns(scores), against, eligible), way_out)
    absent = [model for model in scores.models if model not in known]
    notes = [f"not in the table: {', '.join(absent)}"] if absent else []
    return Correlations(found, notes, scores.runs, scores.convention)


def _of_scores(scores: Scores, eligible: Sequence[str] | None) -> Correlations:
    """Scores with each other, each measure by itself."""
    measures = [correlate_columns(score_columns(scores, (m,)), eligible=eligible) for m in MEASURES]
    pairs = [pair for found in measures for pair in found]
    if not pairs:
        there = "these runs have scores in one experiment at most"
        raise InputError(f"a correlation takes two columns, and {there}. Give a table with --with.")
    notes = [WHOLE] if any(pair.two.startswith("overall ") for pair in pairs) else []
    return Correlations(pairs, notes, scores.runs, scores.convention)


def _refuse_empty(found: Correlations, way_out: str) -> Correlations:
    """The same, if there is any correlation in it."""
    if any(not math.isnan(pair.pearson.value) for pair in found):
        return found
    if (most := max((pair.pearson.n for pair in found), default=0)) < LEAST_PAIRS:
        shared = f"no two columns here share more than {most}"
        raise InputError(f"a correlation needs {LEAST_PAIRS} models that have both numbers, and {shared}. {way_out}")
    raise InputError(f"nothing can be correlated: {found[0].one} and {found[0].two}: {found[0].pearson.reason}.")


def score_columns(scores: Scores, measures: Sequence[str] = MEASURES) -> dict[str, dict[str, float]]:
    """`association accuracy`, ..., `overall baseline_margin` -> model -> number. The overall ones are means of three
    that are all there, whether or not the headline is withheld. Own excess is left out where it has no verdict.
    """
    columns: dict[str, dict[str, float]] = {}
    for measure in measures:
        parts = {
            experiment: {
                row.model: row.value
                for row in scores.of(experiment, _metric(measure, experiment))
                if row.value is not None and (measure != OWN or row.verdict)
            }
            for experiment in EXPERIMENTS
        }
        known = scores.models if measure != OWN else []
        whole = [model for model in known if all(model in parts[e] for e in PAPER_HEADLINE.experiments)]
        parts["overall"] = {
            model: math.fsum(parts[e][model] for e in PAPER_HEADLINE.experiments) / len(PAPER_HEADLINE.experiments)
            for model in whole
        }
        columns |= {f"{experiment} {measure}": part for experiment, part in parts.items() if part}
    return columns


def _metric(measure: str, experiment: str) -> str:
    return ACCURACY.get(experiment, measure) if measure == "accuracy" else measure


def eligible_models(scores: Scores) -> list[str] | None:
    """The models whose headline is not withheld; None where there is no headline."""
    if not scores.of("overall", ACCURACY["overall"]):
        return None
    return [row.model for row in scores if row.metric == ACCURACY["overall"] and row.value is not None]


def read_tables(paths: Iterable[Path]) -> dict[str, dict[str, float]]:
    """Column -> model -> number, of tables whose first column names the model. An empty cell is a hole; a column
    without any number is left out.
    """
    columns: dict[str, dict[str, float]] = {}
    for path in paths:
        for name, column in _read_table(path).items():
            if name in columns:
                raise InputError(f"{path}: the column {name!r} is in another table already. Rename one of them.")
            columns[name] = column
    return columns


def _read_table(path: Path) -> dict[str, dict[str, float]]:
    if path.suffix == ".json":
        return {"ability": abilities_in(path)}
    text = csv_rows.read(path, "neither a table nor the folder of a run is here. Check the name.")
    lines = list(csv_rows.rows(path, text))
    if len(lines) < 2:
        raise InputError(f"{path}: the table is empty. It needs a line of headings and a line for each model.")
    (_, header), *rows = lines
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f"{path}: the column {twice!r} occurs twice. Rename one of them.")
    cells: dict[str, dict[str, str]] = {name: {} for name in header[1:]}
    seen: set[str] = set()
    for number, row in rows:
        if len(row) != len(header):
            found, wanted = number_of(len(row), "cell"), number_of(len(header), "heading")
            raise InputError(f"{path}:{number}: {found} under {wanted}. Fix the line.")
        if row[0] in seen:
            raise InputError(f"{path}:{number}: the model {row[0]!r} occurs twice. Keep one line.")
        seen.add(row[0])
        for name, cell in zip(header[1:], row[1:], strict=True):
            if cell:
                cells[name][row[0]] = cell
    return {name: column for name, found in cells.items() if (column := dict(_numbers(path, name, found)))}


def abilities_in(path: Path) -> dict[str, float]:
    """What `selfexec analyze rasch --format json` prints."""
    try:
        found = msgspec.convert(json.loads(path.read_text("utf-8")), dict[str, object]).get("abilities")
        named = msgspec.convert(found, dict[str, float | None])
    except (OSError, ValueError, RecursionError):
        raise InputError(
            f"{path}: no abilities are here. Give what `selfexec analyze rasch --format json` prints."
        ) from None
    return {model: ability for model, ability in named.items() if ability is not None}


def _numbers(path: Path, name: str, cells: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """The numbers of a column; nothing where none of its cells is one. A mixed column is refused."""
    numbers = {model: _number(cell) for model, cell in cells.items()}
    strange = [model for model, number in numbers.items() if number is None]
    if len(strange) == len(numbers):
        return
    if strange:
        model = strange[0]
        raise InputError(
            f"{path}: column {name!r} of {model!r} is {cells[model]!r}, no finite number. Leave a hole empty."
        )
    yield from ((model, number) for model, number in numbers.items() if number is not None)


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


# --- in print --------------------------------------------------------------------------------------------------------


def _below(found: Correlations) -> list[str]:
    """What the numbers are, which models are in no pair, and why a pair has no number."""
    skills = skill_called(dict.fromkeys(column.split(" ")[0] for pair in found for column in (pair.one, pair.two)))
    legend = [LEGEND, *([ELIGIBLE.format(skills)] if any(pair.among == "eligible" for pair in found) else [])]
    reasons = [
        f"  {pair.one}, {pair.two}, {pair.among}: {reason}"
        for pair in found
        if math.isnan(pair.pearson.value) and (reason := pair.pearson.reason)
    ]
    return [*legend, *found.notes, *reasons]


def _cells(pair: Pair) -> list[str]:
    return [pair.one, pair.two, pair.among, str(pair.pearson.n), *map(_shown, (pair.pearson, pair.spearman))]


def _shown(found: Correlation) -> str:
    return interval(found.value, *found.interval, lambda value: decimal(value, 2))
