"""Checkpoints in their order: does a model come to know itself?"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfexec.arguments import Files, Names, names
from selfexec.errors import InputError
from selfexec.scores.apart import experiments_of, load_apart, select, unlike
from selfexec.scores.compared import LEGEND, SKILLS, Difference, Table, cautions, chance, interval, signed
from selfexec.scores.comparisons import Family
from selfexec.scores.measures import check_names
from selfexec.stats import two_sided
from selfexec.tables import all_as_html, as_text

if TYPE_CHECKING:
    import polars as pl

    from selfexec.runs import Run


@dataclass(frozen=True)
class Point:
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

    Its interval is about the items: what other items would have said of these same checkpoints.
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


@dataclass(frozen=True, repr=False)
class Trend:
    """Checkpoints in their order. Prints as a table, and turns into JSON or a data frame."""

    models: tuple[str, ...]
    convention: str
    points: tuple[Point, ...]
    slopes: tuple[Slope, ...]
    notes: tuple[str, ...]

    def slope(self, experiment: str, metric: str = "skill") -> Slope:
        for row in self.slopes:
            if (row.experiment, row.metric) == (experiment, metric):
                return row
        raise KeyError(f"there is no slope of {metric} in {experiment}")

    def frame(self) -> "pl.DataFrame":
        """One row per checkpoint, experiment and metric, as a Polars data frame."""
        import polars as pl

        return pl.DataFrame([_flat(point) for point in self.points], infer_schema_length=None)

    def records(self) -> dict[str, Any]:
        return {
            "models": list(self.models),
            "convention": self.convention,
            "points": [asdict(point) for point in self.points],
            "slopes": [asdict(slope) for slope in self.slopes],
            "notes": list(self.notes),
        }

    def json(self) -> str:
        return json.dumps(self.records(), ensure_ascii=False, indent=1, allow_nan=False)

    def table(self, width: int = 120) -> str:
        return "\n".join([*(as_text(*table, width) for table in _tables(self)), *_notes(self)])

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return all_as_html(_tables(self), _notes(self))


def trend(
    runs: "Run | str | Path | Iterable[Run | str | Path]",
    *,
    models: Names = (),
    experiments: Names = (),
    convention: str = "strict",
    readings: Files = (),
    metrics: Names = (),
) -> Trend:
    """Checkpoints in the order of the runs, or of `models`: values, paired differences, and the slope over the order.

    Without `metrics`: skill, accuracy, and self-knowledge where other models are there to guess by. Checkpoints are
    not each other's company in that.
    """
    measures = names(metrics)
    check_names(names(experiments), measures, convention)
    entrants = load_apart(runs, readings)
    chosen = select(entrants, names(models))
    if len(chosen) < 2:
        raise InputError(f"a trend takes two checkpoints, and there is only {chosen[0].label}. Give another run.")
    asked = experiments_of(chosen, names(experiments))
    points: list[Point] = []
    slopes: list[Slope] = []
    for metric in measures or ("skill", "accuracy", "self_knowledge"):
        family = Family.of(metric, asked, chosen, entrants, convention, [e.name for e in chosen])
        found = [point for experiment in family.estimates for point in _points(family, experiment)]
        if measures or any(point.value is not None for point in found):
            points += found
            slopes += [_slope(family, experiment) for experiment in family.estimates]
    if all(point.value is None for point in points):
        raise InputError(f"there is no trend to see: {points[0].reason if points else 'no claim could be scored'}.")
    return Trend(tuple(e.label for e in chosen), convention, tuple(points), tuple(slopes), tuple(unlike(chosen)))


def _points(family: Family, experiment: str) -> Iterator[Point]:
    for n, label in enumerate(family.labels):
        estimate = family.estimates[experiment][label]
        value, low, high = (None if math.isnan(x) else x for x in (estimate.value, *estimate.interval))
        first, previous = (family.labels[0], family.labels[n - 1]) if n else (None, None)
        yield Point(
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
    value, low, high, p_or_none = (None if math.isnan(x) else x for x in (found.value, *found.interval, p))
    return Slope(family.metric, experiment, value, low, high, p_or_none, count, items, found.reason)


# --- how it prints ---------------------------------------------------------------------------------------------------


def _tables(found: Trend) -> Iterator[Table]:
    for metric in dict.fromkeys(point.metric for point in found.points):
        points = [point for point in found.points if point.metric == metric]
        title = metric.replace("_", "-").capitalize()
        yield (
            title,
            ["experiment", "", "checkpoint", metric, "from first", "from previous"],
            [_cells(p) for p in points],
        )
        slopes = [slope for slope in found.slopes if slope.metric == metric]
        yield (
            f"{title}: change per checkpoint",
            ["experiment", "slope", "p", "items"],
            [[s.experiment, interval(s.slope, s.low, s.high, signed), chance(s.p), f"{s.items:,}"] for s in slopes],
        )


def _cells(point: Point) -> list[str]:
    def change(row: Difference | None) -> str:
        return "" if row is None else interval(row.difference, row.low, row.high, signed)

    value = interval(point.value, point.low, point.high)
    return [
        point.experiment,
        str(point.order),
        point.model,
        value,
        change(point.from_first),
        change(point.from_previous),
    ]


def _notes(found: Trend) -> list[str]:
    notes = [LEGEND[found.convention]]
    if any(point.metric == "skill" for point in found.points):
        notes.append(SKILLS)
    notes.append("slope: least squares over the order of checkpoints, on the items that all of them share.")
    rows = [row for point in found.points for row in (point.from_first, point.from_previous) if row]
    reasons = [point.reason for point in found.points] + [row.reason or row.caution for row in rows]
    reasons += [slope.reason for slope in found.slopes]
    return [*notes, *found.notes, *cautions(reasons)]


def _flat(point: Point) -> dict[str, Any]:
    row = {name: getattr(point, name) for name in ("metric", "experiment", "order", "model", "value", "low", "high")}
    for name in ("from_first", "from_previous"):
        change: Difference | None = getattr(point, name)
        row |= {
            name: change and change.difference,
            f"{name}_low": change and change.low,
            f"{name}_high": change and change.high,
        }
    return row | {"reason": point.reason}
