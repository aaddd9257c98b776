"""The same asked in other conditions: which they are, and the scores of each next to each other.

Skill (of choices) and AUROC (of probabilities) are never in one table.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfexec.analysis.findings import which_ones
from selfexec.analysis.score import Score, Scores
from selfexec.analysis.score_table import CAUTION
from selfexec.analysis.words import sentence
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import FACETS, condition_named
from selfexec.report.data import Data
from selfexec.text.numbers import ABSENT, interval, number_of, signed

if TYPE_CHECKING:
    from selfexec.runs import Run

# each with its margins: the one about which ones alone, where there is one
MEASURES = (("skill", ("margin_at_own_rate", "baseline_margin")), ("auroc", ("auroc_margin",)))


@dataclass(frozen=True)
class Way:
    """A condition, with what it is by each facet in words."""

    condition: str
    levels: Sequence[str]


@dataclass(frozen=True)
class WayCell:
    """A number with its interval, and what it is above the baseline's, with † where that has no verdict; empty where
    there is none.
    """

    value: str
    ends: str
    margin: str


@dataclass(frozen=True)
class WayTable:
    """One measure in the conditions that have it, by model; `rows`: model and a cell for each condition."""

    measure: str
    conditions: Sequence[str]
    rows: Sequence[tuple[str, Sequence[WayCell]]]


@dataclass(frozen=True)
class WayPanel:
    """One experiment, with the question that the models were asked."""

    experiment: str
    question: str
    tables: Sequence[WayTable]


@dataclass(frozen=True)
class Conditions:
    """`here` is the condition that all other sections are of, `asked` how often what was asked. `facets` are the heads
    of the columns of `ways`.
    """

    here: str
    asked: str
    facets: Sequence[str]
    ways: Sequence[Way]
    panels: Sequence[WayPanel]

    @property
    def has_margins(self) -> bool:
        rows = (row for panel in self.panels for table in panel.tables for row in table.rows)
        return any(cell.margin for _, cells in rows for cell in cells)

    @property
    def has_areas(self) -> bool:
        """Whether anything was asked in probabilities, which have AUROC in place of skill."""
        return any(table.measure == "auroc" for panel in self.panels for table in panel.tables)


def conditions(data: Data) -> Conditions | None:
    if (scores := data.numbers.conditions) is None:
        return None
    facets = list(dict.fromkeys(name for scored in scores.conditions for name, _ in condition_named(scored)))
    return Conditions(
        data.selection.condition,
        _asked(data.selection.whole_runs, len(scores.conditions)),
        [_about(name) for name in facets],
        [Way(scored, [_level(scored, name) for name in facets]) for scored in scores.conditions],
        list(_panels(scores, data.models)),
    )


# --- which conditions there are --------------------------------------------------------------------------------------


def _about(name: str) -> str:
    return (FACETS[name].about if name in FACETS else "") or name


def _level(condition: str, name: str) -> str:
    """What a condition is by a facet, in words."""
    level = dict(condition_named(condition)).get(name)
    if name not in FACETS:
        return level or ABSENT
    known = FACETS[name]
    return known.levels.get(level, level) if level is not None else known.usual or known.default


def _asked(runs: Iterable["Run"], ways: int) -> str:
    """How many predictions were asked for, and how many sessions of behaviour they are held against; where behaviour,
    too, was asked in several conditions, only that what is shared was asked once.
    """
    keys = [key for run in runs for key in run.replies]
    predicts = [key.session_kind in EXPERIMENTS[key.experiment].predictions for key in keys]
    if any(key.facets for key, is_prediction in zip(keys, predicts, strict=True) if not is_prediction):
        return "What a condition does not touch was asked once for all of them."
    counts = Counter(predicts)
    return (
        f"Only the predictions were asked in {number_of(ways, 'way')}, {counts[True]:,} in all. What the models did "
        f"was asked once, in {number_of(counts[False], 'session')}, and the predictions of every condition are held "
        "against it."
    )


# --- next to each other ----------------------------------------------------------------------------------------------


def _panels(scores: Scores, models: Sequence[str]) -> Iterator[WayPanel]:
    for experiment in scores.experiments:
        tables = [table for names in MEASURES if (table := _table(scores, models, experiment, *names))]
        if experiment != "overall" and tables:
            words = EXPERIMENTS[experiment].words
            yield WayPanel(experiment, words.asks or sentence(words.about), tables)


def _table(
    scores: Scores, models: Sequence[str], experiment: str, measure: str, margins: Sequence[str]
) -> WayTable | None:
    """The conditions in which any model has a number by this measure; None where there are none."""
    having = [scored for name in scores.conditions if _has_number((scored := scores.under(name)), experiment, measure)]
    if not having:
        return None
    margin = next((name for name in margins if any(scored.of(experiment, name) for scored in having)), margins[0])
    open_ = [{f.subject for f in which_ones(scored, experiment) if f.answer == "withheld"} for scored in having]
    rows = []
    for model in models:
        cells = [
            _cell(scored.get(model, experiment, measure), scored.get(model, experiment, margin), model in withheld)
            for scored, withheld in zip(having, open_, strict=True)
        ]
        if any(cell.value for cell in cells):
            rows.append((model, cells))
    return WayTable(measure, [scored.conditions[0] for scored in having], rows)


def _has_number(scores: Scores, experiment: str, measure: str) -> bool:
    return any(row.value is not None for row in scores.of(experiment, measure))


def _cell(score: Score | None, margin: Score | None, withheld: bool) -> WayCell:
    if score is None or score.value is None:
        return WayCell("", "", "")
    value, _, ends = interval(score.value, score.low, score.high).partition(" ")
    above = "" if margin is None or margin.value is None else signed(margin.value, 2)
    return WayCell(value, ends, f"{above}{CAUTION}" if above and withheld else above)
