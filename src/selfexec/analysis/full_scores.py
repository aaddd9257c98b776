"""Scores with more than the table that is shown by default: the paper's own numbers, and on request all others."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfexec.analysis.result import Form, Result
from selfexec.analysis.score_table import (
    ACCURACY,
    CAUTION,
    IN_TABLES,
    UNDEFINED,
    Scores,
    further_cautions,
    number_cell,
)
from selfexec.metrics import ADJUSTED, Estimate, Own, Score
from selfexec.text.numbers import decimal, interval
from selfexec.text.tables import Part, Table

# metric -> its column in the table of the paper's own numbers
OF_THE_PAPER: Mapping[str, str] = {
    "precision": "precision",
    "recall": "recall",
    "positive_rate": "positive rate",
    "over_niceness": "over-niceness",
    "over_niceness_expected": "by chance",
    "question_accuracy": "question accuracy",
    "tokens_mean": "tokens",
}
SHOWN = {
    *("accuracy", *ACCURACY.values(), "skill", "rate_bias", "best_baseline", "baseline_margin", "margin_at_own_rate"),
    *("coverage", ADJUSTED, *OF_THE_PAPER),
}
OWN = "own_excess"  # its verdicts stand below the first table
PAPER_TITLE = "The metrics of the paper, for these replies"
FURTHER_TITLE = "Further metrics, by their names in the data (docs/metrics.md)"
OVER_NICE = 'over-niceness: of the wrong predictions, the share of "I would not answer" that an answer followed.'
BY_CHANCE = "by chance: the over-niceness expected from the predicted and the observed yes rate alone."
POSITIVE = (
    "positive rate: of all claims with a known outcome, the share predicted yes; a prediction that was not read counts "
    "as not yes. Other tables take the share among claims whose prediction and outcome were both read."
)
TOKENS = "tokens: the mean number of tokens per answer, over the answers received."


@dataclass(frozen=True, repr=False)
class FullScores(Result):
    """Scores, behind their table one of the paper's own numbers, and with `every` one of all further metrics. As data
    they are the scores themselves, which have every number anyway.
    """

    scores: Scores
    every: bool = False

    def _content(self, form: Form, width: int) -> list[Part]:
        further = [*_with_legends(_tables(self.scores, paper_table), OF_PAPER)]
        further += _tables(self.scores, further_table) if self.every else ()
        metrics = {row.metric for row in self.scores} - IN_TABLES if self.every else set(OF_THE_PAPER)
        reasons = [line for one in self.scores.by_condition for line in further_cautions(one, metrics)]
        return [*self.scores._content(form, width), *further, *_marks(further, reasons)]

    def _data(self) -> Mapping[str, Any]:
        return self.scores._data()

    def csv(self) -> str:
        """A line for each row, as of the scores."""
        return self.scores.csv()

    def parquet(self) -> bytes:
        """A Parquet file of the scores."""
        return self.scores.parquet()


OF_PAPER = {
    OF_THE_PAPER["positive_rate"]: POSITIVE,
    OF_THE_PAPER["over_niceness"]: OVER_NICE,
    OF_THE_PAPER["over_niceness_expected"]: BY_CHANCE,
    OF_THE_PAPER["tokens_mean"]: TOKENS,
}


def _marks(parts: Iterable[Part], reasons: Sequence[str]) -> Iterator[str]:
    """What the mark in these tables means, where it stands in any, and `reasons` that do not stand above."""
    if any(CAUTION in cell for part in parts if isinstance(part, Table) for row in part.rows for cell in row):
        where = "as above, or:" if reasons else "for the reasons given above."
        yield f"{CAUTION}: to be read with caution, {where}"
        yield from (f"  {line}" for line in dict.fromkeys(reasons))


def _with_legends(tables: Iterable[Part], legends: Mapping[str, str]) -> Iterator[Part]:
    """The tables, and what their columns mean, where they have them."""
    columns: set[str] = set()
    for part in tables:
        columns |= set(part.columns) if isinstance(part, Table) else set()
        yield part
    yield from (legend for column, legend in legends.items() if column in columns)


def _tables(scores: Scores, table_of: Callable[[Scores], Table]) -> Iterator[Part]:
    """A paragraph with a table for each condition, where there are several with its name; none where it has no rows."""
    for one in scores.by_condition:
        table = table_of(one)
        if table.rows:
            title = f"{table.title}: {one.conditions[0]}" if len(scores.conditions) > 1 else table.title
            yield ""
            yield table._replace(title=title)


def paper_table(scores: Scores) -> Table:
    """The paper's own numbers, a row for each model and experiment that has any of them."""
    cells_by_row: dict[tuple[str, str], dict[str, str]] = {}
    for row in scores:
        if row.metric in OF_THE_PAPER:
            cells_by_row.setdefault((row.model, row.experiment), {})[row.metric] = _cell(row)
    metrics = [metric for metric in OF_THE_PAPER if any(cells.get(metric) for cells in cells_by_row.values())]
    rows = [
        [model, experiment, *(cells.get(metric, "") for metric in metrics)]
        for (model, experiment), cells in cells_by_row.items()
    ]
    return Table(PAPER_TITLE, ["model", "experiment", *(OF_THE_PAPER[metric] for metric in metrics)], rows, "stacked")


def further_table(scores: Scores) -> Table:
    """Every metric that no other table has: a row for each model and metric, a column for each experiment."""
    cells_by_row: dict[tuple[str, str], dict[str, str]] = {}
    for model, metric, experiment, cell in (*_further_rows(scores), *_second_opinions(scores)):
        cells_by_row.setdefault((model, metric), {})[experiment] = cell
    experiments = [e for e in scores.experiments if any(e in cells for cells in cells_by_row.values())]
    by_model = sorted(cells_by_row.items(), key=lambda one: scores.models.index(one[0][0]))
    rows = [[model, metric, *(cells.get(e, "") for e in experiments)] for (model, metric), cells in by_model]
    return Table(FURTHER_TITLE, ["model", "metric", *experiments], rows, "stacked")


def _further_rows(scores: Scores) -> Iterator[tuple[str, str, str, str]]:
    for row in scores:
        if row.metric not in SHOWN and not row.metric.startswith(OWN):
            yield row.model, row.metric, row.experiment, _cell(row)


def _second_opinions(scores: Scores) -> Iterator[tuple[str, str, str, str]]:
    """What stands next to each model's own excess and decides nothing; and the least that would have been found."""
    for own in scores.own:
        suffix = own.metric.removeprefix(OWN)
        for model, estimates in _of_own(own).items():
            if model in scores.models:
                yield from ((model, f"{name}{suffix}", own.experiment, cell) for name, cell in estimates.items())


def _of_own(own: Own) -> Mapping[str, Mapping[str, str]]:
    excess = own.found
    if not excess.fits:
        return {}
    partial, swap = excess.partial_correlation[0], excess.swap[0]
    return {
        model: {
            "own_excess_detectable": decimal(excess.each[model].detectable),
            "unique_correlation": decimal(float(excess.unique[n])),
            "partial_correlation": _estimate_cell(partial[n]),
            "swap_share": _estimate_cell(swap[n]),
        }
        for n, model in enumerate(excess.compared.models)
        if model in excess.each
    }


def _estimate_cell(estimate: Estimate) -> str:
    return UNDEFINED if math.isnan(estimate.value) else interval(estimate.value, *estimate.interval)


def _cell(row: Score) -> str:
    """Means of tokens are counts; all else is as in the first table."""
    if row.metric != "tokens_mean" or row.value is None:
        return number_cell(row)
    ends = "" if row.low is None or row.high is None else f" [{row.low:,.0f}, {row.high:,.0f}]"
    return f"{row.value:,.0f}{CAUTION if row.reason else ''}{ends}"
