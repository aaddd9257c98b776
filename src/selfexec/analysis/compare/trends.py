"""Checkpoints in their order: does a model come to predict itself?"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from selfexec.analysis.compare.candidates import Candidate, chosen_of, sources_of, unlike, wanted_of
from selfexec.analysis.compare.comparison import LEGEND, about, cautions, gap_of, legends_of, title_of
from selfexec.analysis.compare.family import Family
from selfexec.analysis.compare.measures import OF_PROBABILITIES, OVERALL, check_names, gives_probabilities_in
from selfexec.analysis.differences import Difference
from selfexec.analysis.findings import TOO_CLOSE
from selfexec.analysis.names import refuse_old_name, skill_legend, source_notes
from selfexec.analysis.options import TrendOptions
from selfexec.analysis.result import Form, ScoredRun, Tabular, as_records, head, scored_runs
from selfexec.analysis.selection import selection_of
from selfexec.errors import InputError
from selfexec.files.frames import framed
from selfexec.metrics import none_if_nan
from selfexec.runs import names, takes
from selfexec.stats import two_sided
from selfexec.text.matching import found_by
from selfexec.text.numbers import interval, number_of, p_value, signed
from selfexec.text.tables import Part, Table, beginning

if TYPE_CHECKING:
    import polars as pl

LEAST_SHARE = 0.5  # of the items that there are: a slope on fewer is to be read with caution


@dataclass(frozen=True)
class Checkpoint:
    """One checkpoint: its value on all of its items, and paired differences from the first one and the one before."""

    metric: str
    experiment: str
    order: int
    model: str
    value: float | None
    low: float | None
    high: float | None
    from_first: Difference | None
    from_previous: Difference | None
    reason: str | None = None


@dataclass(frozen=True)
class Slope:
    """Change per checkpoint: least squares over the order 1, 2, 3, ..., on the `items` that all checkpoints share.

    Its interval is about the items: what other items would have said of these same checkpoints. `caution`: that these
    are less than half of the items that one checkpoint or another has.
    """

    metric: str
    experiment: str
    slope: float | None
    low: float | None
    high: float | None
    p: float | None
    checkpoints: int
    items: int
    reason: str | None = None
    caution: str | None = None

    @property
    def says(self) -> str:
        """rises, falls, too close to call, or withheld."""
        if self.low is None or self.high is None:
            return "withheld"
        return "rises" if self.low > 0 else "falls" if self.high < 0 else TOO_CLOSE


@dataclass(frozen=True, repr=False)
class Trend(Tabular):
    """Checkpoints in their order. Prints as a table, and turns into JSON or a data frame. `warnings` say of models that
    nobody has put in order.
    """

    models: tuple[str, ...]
    convention: str
    points: tuple[Checkpoint, ...]
    slopes: tuple[Slope, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    runs: tuple[ScoredRun, ...] = ()

    def slope(self, experiment: str, metric: str = "skill") -> Slope:
        """The change per checkpoint in one experiment. KeyError lists what there is."""
        refuse_old_name(metric)
        lacks = f"there is no slope of {metric} in {experiment}"
        return found_by(self.slopes, {"experiment": experiment, "metric": metric}, lacks)

    def frame(self) -> "pl.DataFrame":
        """One row per checkpoint, experiment and metric, as a Polars data frame."""
        return framed([_flat(point) for point in self.points], FLAT)

    def records(self) -> dict[str, Any]:
        """Everything by name, with the runs, the convention and the version on top."""
        return {
            **head(self.runs, self.convention),
            "models": list(self.models),
            "points": [asdict(point) for point in self.points],
            "slopes": as_records(self.slopes),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    _data = records

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        """Checkpoints and slopes, metric by metric. On a terminal warnings are said beside it."""
        for metric in dict.fromkeys(point.metric for point in self.points):
            yield _point_table(self, metric)
            yield _slope_table(self, metric)
        yield from _notes(self)
        if form != "text":
            yield from self.warnings

    def __str__(self) -> str:
        return "\n".join([self.table(), *self.warnings])

    def __repr__(self) -> str:
        return "\n".join([beginning(self.table()), *self.warnings])


@takes(TrendOptions, "a trend")
def trend(options: TrendOptions) -> Trend:
    """Checkpoints in the order of the runs, or of `models`: values, paired differences, and the slope over the order.

    Checkpoints are not each other's reference models in their baseline margin.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: A name is not there, there are fewer than two checkpoints, or nothing could be scored.
    """
    measures = names(options.metrics)
    selection = selection_of(options.runs, options)
    check_names(selection, measures)
    if len(selection.conditions) > 1:
        raise InputError(f"a trend is of one condition, and not of {' and '.join(selection.conditions)}. Choose one.")
    candidates, chosen, asked = chosen_of(selection, "a trend takes two checkpoints")
    wanted, convention = selection.experiments, selection.convention
    points: list[Checkpoint] = []
    slopes: list[Slope] = []
    for metric in measures or usual_metrics(chosen):
        family = Family.of(metric, asked, chosen, candidates, convention, [e.name for e in chosen])
        found = wanted_of((point for experiment in family.estimates for point in _points(family, experiment)), wanted)
        if measures or any(point.value is not None for point in found):
            points += found
            slopes += wanted_of((_slope(family, experiment) for experiment in family.estimates), wanted)
    if all(point.value is None for point in points):
        why = about(points[0].experiment, points[0].reason) if points else "no claim could be scored"
        raise InputError(f"there is no trend to see: {why}.")
    warnings = [] if selection.models else list(_unordered(chosen))
    labels, read = tuple(e.label for e in chosen), scored_runs(e.run for e in candidates)
    notes = (*source_notes(sources_of(chosen, asked)), *unlike(chosen))
    return Trend(labels, convention, tuple(points), tuple(slopes), notes, tuple(warnings), read)


def usual_metrics(chosen: Sequence[Candidate]) -> Sequence[str]:
    """What is looked at where nobody says: of probabilities what has no threshold."""
    if all(gives_probabilities_in(one.run.condition) for one in chosen):
        return (*OF_PROBABILITIES, "skill", "accuracy", "baseline_margin")
    return "skill", "accuracy", "baseline_margin"


def _unordered(chosen: Sequence[Candidate]) -> Iterator[str]:
    """The runs that have several models, which nobody has put in order."""
    for run, number in Counter(e.run.folder for e in chosen).items():
        if number > 1:
            order = "in the order in which the run has them"
            way_out = "If that is not their order, name them in it with --model."
            yield f"{run}: its {number} models are taken for checkpoints, {order}. {way_out}"


def _points(family: Family, experiment: str) -> Iterator[Checkpoint]:
    for n, label in enumerate(family.labels):
        estimate = family.estimates[experiment][label]
        value, low, high = map(none_if_nan, (estimate.value, *estimate.interval))
        first, previous = (family.labels[0], family.labels[n - 1]) if n else (None, None)
        yield Checkpoint(
            family.metric,
            experiment,
            n + 1,
            label,
            value,
            low,
            high,
            family.difference(experiment, label, first) if first else None,
            family.difference(experiment, label, previous) if previous else None,
            estimate.reason,
        )


def _slope(family: Family, experiment: str) -> Slope:
    count = len(family.labels)
    middle = (count - 1) / 2
    scale = sum((n - middle) ** 2 for n in range(count))
    found, items = family.weighed(experiment, {x: (n - middle) / scale for n, x in enumerate(family.labels)})
    p = two_sided(found.value, found.error, family.freedom(experiment, items))
    value, low, high, p_or_none = map(none_if_nan, (found.value, *found.interval, p))
    caution = _scanty(family, experiment) if value is not None else None
    return Slope(family.metric, experiment, value, low, high, p_or_none, count, items, found.reason, caution)


def _scanty(family: Family, experiment: str) -> str | None:
    """Whether a slope rests on less than half of the items that one checkpoint or another has."""
    if experiment == OVERALL:
        return next((found for part in family.records if (found := _scanty(family, part))), None)
    of_each = {label: set(record.by_item.items) for label, record in family.records[experiment].items()}
    everything, common = set.union(*of_each.values()), set.intersection(*of_each.values())
    if len(common) >= LEAST_SHARE * len(everything):
        return None
    fewest = min(of_each, key=lambda label: len(of_each[label]))
    rests = f"{experiment}: the slope rests on {len(common):,} of {number_of(len(everything), 'item')}"
    return f"{rests}; {fewest} has the fewest, {len(of_each[fewest]):,}"


# --- how it prints ---------------------------------------------------------------------------------------------------


def _point_table(found: Trend, metric: str) -> Table:
    columns = ["experiment", "", "checkpoint", metric, "from first", "items", "from previous", "items"]
    rows = [_cells(point) for point in found.points if point.metric == metric]
    return Table(title_of(metric), columns, rows, "stacked")


def _slope_table(found: Trend, metric: str) -> Table:
    rows = [
        [s.experiment, interval(s.slope, s.low, s.high, signed), p_value(s.p), f"{s.items:,}", s.says]
        for s in found.slopes
        if s.metric == metric
    ]
    return Table(f"{title_of(metric)}: change per checkpoint", ["experiment", "slope", "p", "items", "state"], rows)


def _cells(point: Checkpoint) -> list[str]:
    lacks = point.value is None and point.experiment == OVERALL  # what `score` calls withheld
    value = "withheld" if lacks else interval(point.value, point.low, point.high)
    changes = (*_change(point.from_first), *_change(point.from_previous))
    return [point.experiment, str(point.order), point.model, value, *changes]


def _change(row: Difference | None) -> tuple[str, str]:
    """A difference, and the items that it rests on."""
    return ("", "") if row is None else (gap_of(row), f"{row.items:,}")


def _notes(found: Trend) -> list[str]:
    notes = [LEGEND[found.convention]]
    if any(point.metric == "skill" for point in found.points):
        notes.append(skill_legend(dict.fromkeys(point.experiment for point in found.points)))
    notes += legends_of(point.metric for point in found.points)
    notes.append("items: those that both checkpoints have, for their difference; a value is on all that its own has.")
    notes.append("slope: least squares over the order of checkpoints, on the items that all of them share.")
    rows = [row for point in found.points for row in (point.from_first, point.from_previous) if row]
    reasons = [about(point.experiment, point.reason) for point in found.points]
    reasons += [about(row.experiment, row.reason) or row.caution for row in rows]
    reasons += [about(slope.experiment, slope.reason) or slope.caution for slope in found.slopes]
    return [*notes, *found.notes, *cautions(reasons)]


# the columns of a data frame of checkpoints
CHANGES = ("from_first", "from_previous")
OF_A_CHANGE = {"": float, "_low": float, "_high": float, "_items": int}
FLAT: Mapping[str, type] = {
    **{"metric": str, "experiment": str, "order": int, "model": str, "value": float, "low": float, "high": float},
    **{f"{name}{end}": kind for name in CHANGES for end, kind in OF_A_CHANGE.items()},
    "reason": str,
}


def _flat(point: Checkpoint) -> dict[str, Any]:
    row = {name: getattr(point, name) for name in ("metric", "experiment", "order", "model", "value", "low", "high")}
    for name in CHANGES:
        change: Difference | None = getattr(point, name)
        row |= {
            name: change and change.difference,
            f"{name}_low": change and change.low,
            f"{name}_high": change and change.high,
            f"{name}_items": change and change.items,
        }
    return row | {"reason": point.reason}
