"""A comparison as people read it: on a terminal, in a notebook, in a pull request, as JSON."""

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selfexec.analysis.compare.measures import BIAS, BRIER, OWN, SHARE
from selfexec.analysis.differences import Contrast, Difference, Movement, Shift, Standing
from selfexec.analysis.names import refuse_old_name, skill_legend
from selfexec.analysis.result import Form, ScoredRun, Tabular, as_records, head
from selfexec.analysis.score_table import RATE_BIAS
from selfexec.files.frames import column_types, framed
from selfexec.text.matching import listed
from selfexec.text.numbers import decimal, interval, p_value, signed
from selfexec.text.tables import Part, Table

if TYPE_CHECKING:
    import polars as pl

    from selfexec.analysis.compare.gates import GateVerdict


FEW_PAIRS = 6  # so many are all shown
PAIR_COLUMNS = ["experiment", "old", "new", "new - old", "p", "detectable", "items"]
LEGEND = {
    "strict": "strict: an unreadable prediction counts as wrong. Differences are paired on common items, with 95% "
    "intervals.",
    "readable": "readable: unreadable claims are left out. Differences are paired on common items, with 95% intervals.",
}
DETECTABLE = "detectable: the true difference that 80% of such runs would find, unadjusted for multiple comparisons."
LEGENDS = {
    OWN: "own excess: what a model's predictions reveal about its own behaviour that other models' predictions and "
    "behaviour do not, paired by blocks of items. Values of different experiments cannot be compared.",
    BIAS: RATE_BIAS,
    "auroc": "auroc: how often a claim that came true had a higher probability than one that did not; .5 is chance.",
    "auroc_within": "auroc within: AUROC over the pairs of claims of one item.",
    "auroc_margin": "auroc margin: AUROC less that of a prediction made from other models.",
    BRIER: "brier: mean squared difference of probability and outcome; the lower, the better.",
    SHARE: "share of ceiling: skill divided by the highest possible at the model's yes rate.",
}
MOVES = (
    "slope: how far the prediction moved with what was planted, divided by how far the behaviour did: 1 is as far.",
    "itself - other above 0: the prediction about itself follows the behaviour further than that about somebody else.",
)
SHIFTED = "one condition minus another: p Holm-adjusted over the models of the experiment."
MOST_BIASED = "rank of rate bias: the first overestimates most. Nearest to 0 is best."
TIED = "tied: models that share a letter cannot be told apart (p >= .05, Holm-adjusted within the experiment)."


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """Models compared. Prints as a table, and turns into JSON, Markdown or a data frame."""

    models: tuple[str, ...]
    convention: str
    precision: float | None
    differences: tuple[Difference, ...]
    standings: tuple[Standing, ...]
    shifts: tuple[Shift, ...]
    contrasts: tuple[Contrast, ...]
    verdicts: tuple["GateVerdict", ...]
    notes: tuple[str, ...]
    runs: tuple[ScoredRun, ...] = ()
    moves: tuple[Movement, ...] = ()

    @property
    def status(self) -> int:
        """Exit status: 3 if a gate fails, else 4 if one is undecided, else 0."""
        statuses = [verdict.status for verdict in self.verdicts]
        return 3 if 3 in statuses else max(statuses, default=0)

    def row(self, experiment: str, model: str, against: str, metric: str | None = None) -> Difference:
        """One difference, whichever of the two was held against the other: look at `model` and `against`."""
        for row in self.differences:
            same = {row.model, row.against} == {model, against} and row.experiment == experiment
            if same and metric in (None, row.metric):
                return row
        refuse_old_name(metric)
        rows = self.differences
        there = (
            listed("models", self.models),
            listed("experiments", (row.experiment for row in rows)),
            listed("metrics", (row.metric for row in rows)),
        )
        what = metric or "difference"
        raise KeyError(f"there is no {what} of {model} and {against} in {experiment} ({'; '.join(there)})")

    def frame(self) -> "pl.DataFrame":
        """One row per difference, as a Polars data frame; of `moved`, one per movement."""
        rows, kind = (self.moves, Movement) if self.moves else (self.differences, Difference)
        return framed(as_records(rows), column_types(kind))

    def records(self) -> dict[str, Any]:
        """Everything by name, with the runs, the convention and the version on top."""
        return {
            **head(self.runs, self.convention),
            "models": list(self.models),
            "precision": self.precision,
            "differences": as_records(self.differences),
            "standings": as_records(self.standings),
            "shifts": [row.fields() for row in self.shifts],
            "contrasts": as_records(self.contrasts),
            "moves": [{**row, "new": list(row["new"]), "old": list(row["old"])} for row in as_records(self.moves)],
            "gates": as_records(self.verdicts),
            "status": self.status,
            "notes": list(self.notes),
        }

    _data = records

    def _content(self, form: Form, width: int) -> list[Part]:
        """In Markdown, which a pull request shows, gates come first and each difference has its verdict."""
        gates, verdicts = [verdict.line for verdict in self.verdicts], form == "markdown"
        lines = [*gates, *_notes(self)] if verdicts else [*_notes(self), *gates]
        return [*_tables(self, verdicts), *lines]


# --- tables ----------------------------------------------------------------------------------------------------------


def _tables(found: Comparison, verdicts: bool) -> Iterator[Table]:
    for metric in dict.fromkeys(row.metric for row in found.differences):
        differences = [row for row in found.differences if row.metric == metric]
        if len(found.models) == 2:
            yield _pair_table(found, metric, differences, verdicts)
            continue
        if shifts := [row for row in found.shifts if row.difference.metric == metric]:
            yield _shifts(metric, shifts)
        yield _ranking(metric, [row for row in found.standings if row.metric == metric])
        yield _pairs_in_short(found, metric, differences)
        if len(found.models) * (len(found.models) - 1) / 2 <= FEW_PAIRS:
            yield _all_pairs(metric, differences)
    if found.contrasts:
        yield _contrasts(found.contrasts)
    if found.moves:
        yield _moves(found.moves)


def _pair_table(found: Comparison, metric: str, rows: Sequence[Difference], verdicts: bool) -> Table:
    columns = list(PAIR_COLUMNS)
    if found.precision:
        columns.append(f"items for ±{found.precision:g}")
    if verdicts:
        columns.append("verdict")
    body = []
    for row in rows:
        cells = [
            row.experiment,
            decimal(row.value_against),
            decimal(row.value),
            gap_of(row),
            p_value(row.p),
            decimal(row.detectable),
            f"{row.items:,}",
        ]
        if found.precision:
            cells.append("–" if row.items_needed is None else f"{row.items_needed:,}")
        if verdicts:
            cells.append(_said(found, row))
        body.append(cells)
    return Table(f"{title_of(metric)}: new {found.models[1]}, old {found.models[0]}", columns, body)


def gap_of(row: Difference) -> str:
    """A difference with its interval; what `compare` holds back is said to be withheld."""
    withheld = row.difference is None and row.value is not None
    return "withheld" if withheld else interval(row.difference, row.low, row.high, signed)


def _said(found: Comparison, row: Difference) -> str:
    outcomes = [
        f"{verdict.outcome} ({verdict.gate.split(' ', 1)[1]})"
        for verdict in found.verdicts
        if (verdict.metric, verdict.experiment) == (row.metric, row.experiment)
    ]
    return ", ".join(outcomes) or row.says


def _ranking(metric: str, rows: Sequence[Standing]) -> Table:
    body = [
        [row.experiment, str(row.rank or "–"), row.model, interval(row.value, row.low, row.high), row.tied]
        for row in rows
    ]
    return Table(f"{title_of(metric)}: who can be told apart", ["experiment", "rank", "model", metric, "tied"], body)


def _pairs_in_short(found: Comparison, metric: str, rows: Sequence[Difference]) -> Table:
    columns = ["experiment", "pairs", "told apart", "detectable (median)", "least", "most"]
    if found.precision:
        columns.append(f"items for ±{found.precision:g} (median)")
    body = []
    for experiment in dict.fromkeys(row.experiment for row in rows):
        told = [row for row in rows if row.experiment == experiment and row.detectable is not None]
        sizes = [row.detectable for row in told if row.detectable is not None]
        apart = sum(row.p_holm is not None and row.p_holm < 0.05 for row in told)
        cells = [experiment, str(len(told)), str(apart)]
        cells += [decimal(size) for size in (statistics.median(sizes), min(sizes), max(sizes))] if sizes else ["–"] * 3
        if found.precision:
            needed = [row.items_needed for row in told if row.items_needed is not None]
            cells.append(f"{math.ceil(statistics.median(needed)):,}" if needed else "–")
        body.append(cells)
    return Table(f"{title_of(metric)}: all pairs", columns, body)


def _all_pairs(metric: str, rows: Sequence[Difference]) -> Table:
    columns = ["experiment", "model", "against", "difference", "p (Holm)", "detectable", "items"]
    body = [
        [
            row.experiment,
            row.model,
            row.against,
            gap_of(row),
            p_value(row.p_holm),
            decimal(row.detectable),
            f"{row.items:,}",
        ]
        for row in rows
    ]
    return Table(f"{title_of(metric)}: pairs", columns, body)


def _shifts(metric: str, rows: Sequence[Shift]) -> Table:
    columns = ["experiment", "model", "condition", "less", "difference", "p (Holm)", "detectable", "items"]
    body = [
        [
            row.difference.experiment,
            row.name,
            row.condition,
            row.less,
            interval(row.difference.difference, row.difference.low, row.difference.high, signed),
            p_value(row.difference.p_holm),
            decimal(row.difference.detectable),
            f"{row.difference.items:,}",
        ]
        for row in rows
    ]
    return Table(f"{title_of(metric)}: each model, one condition less another", columns, body)


def _contrasts(rows: Sequence[Contrast]) -> Table:
    columns = ["tag", "metric", "experiment", "models", "difference", "p"]
    body = [
        [
            f"{row.tag}: {row.second} less {row.first}",
            row.metric,
            row.experiment,
            f"{row.models_second} and {row.models_first}",
            interval(row.difference, row.low, row.high, signed),
            p_value(row.p),
        ]
        for row in rows
    ]
    return Table("Groups of models", columns, body)


def _moves(rows: Sequence[Movement]) -> Table:
    columns = ["experiment", "about", "behaviour moved", "slope, itself", "slope, other", "itself - other", "items"]
    body = [
        [
            row.experiment,
            row.about or "–",
            interval(row.behaviour, row.behaviour_low, row.behaviour_high, signed),
            interval(row.own, row.own_low, row.own_high, signed),
            interval(row.other, row.other_low, row.other_high, signed),
            interval(row.difference, row.difference_low, row.difference_high, signed),
            f"{row.items:,}",
        ]
        for row in rows
    ]
    pairs = "; ".join(f"new {new}, old {old}" for new, old in zip(rows[0].new, rows[0].old, strict=True))
    return Table(f"Predictions moved with the behaviour: {pairs}", columns, body)


def title_of(metric: str) -> str:
    words = metric.replace("_", " " if metric in LEGENDS else "-").capitalize()
    return words.replace("Auroc", "AUROC")


# --- notes -----------------------------------------------------------------------------------------------------------


def _move_notes(found: Comparison) -> list[str]:
    rows = found.moves
    design = "mirrored assignments" if rows[0].mirrored else "assignments drawn by chance, as the file has them"
    unit = "item" if rows[0].units == "items" else "pair of models"
    reasons = [about(row.experiment, row.reason) for row in rows] + [about(row.experiment, row.caution) for row in rows]
    return [*MOVES, f"{design}; the unit of intervals (95%) is the {unit}.", *found.notes, *cautions(reasons)]


def _notes(found: Comparison) -> list[str]:
    if found.moves:
        return _move_notes(found)
    notes = [LEGEND[found.convention]]
    if any(row.metric == "skill" for row in found.differences):
        notes.append(skill_legend(dict.fromkeys(row.experiment for row in found.differences)))
    notes += legends_of(row.metric for row in found.differences)
    if len(found.models) > 2:
        notes.append(TIED)
        notes += [MOST_BIASED] if any(row.metric == BIAS for row in found.differences) else []
    notes.append(DETECTABLE)
    if found.shifts:
        notes.append(SHIFTED)
    if found.contrasts:
        notes.append("groups of models: Welch's t test with the model as unit; not adjusted for the number of tags.")
    reasons = [about(row.experiment, row.reason) for row in found.differences]
    reasons += [row.caution for row in found.differences]
    reasons += [f"tag {row.tag}: {row.reason}" for row in found.contrasts if row.reason]
    return [*notes, *found.notes, *cautions(reasons)]


def legends_of(metrics: Iterable[str]) -> list[str]:
    """What these metrics are, where they have a legend of their own."""
    return [LEGENDS[metric] for metric in dict.fromkeys(metrics) if metric in LEGENDS]


def about(experiment: str, reason: str | None) -> str | None:
    """A reason, with the experiment that it is about in front. One that holds an overall value back names its own."""
    return reason if reason is None or experiment == "overall" else f"{experiment}: {reason}"


def cautions(reasons: Iterable[str | None]) -> list[str]:
    """Each reason once. What is said of an experiment need not be said again of the overall value."""
    told = dict.fromkeys(reason for reason in reasons if reason)
    once = [reason for reason in told if reason.partition(": ")[2] not in told]
    return ["withheld, or to be read with caution:", *(f"  {reason}" for reason in once)] if once else []
