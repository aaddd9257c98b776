"""Levels of a preset: its interval holds how far a cut may be off, and skill is adjusted to all items by a panel.

A margin is a difference on the same items, and stays as it is: an easier cut is easier for model and baseline.
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from selfexec.analysis.selection import NO_PANEL, Selection
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.items import FULL, STRATIFIED, level_spread
from selfexec.metrics import (
    ADJUSTED,
    LEAST_OVERALL,
    METRICS,
    Estimate,
    ModelScores,
    Record,
    Score,
    adjusted_skill,
    claim_kind,
    combine,
)
from selfexec.panels import PAPER_PANEL, MatchedPanel, load_panel, match_panel
from selfexec.runs import Run
from selfexec.stats import Interval, Z, sum_interval


def with_presets(rows: Iterable[Score], runs: Sequence[Run]) -> Iterator[Score]:
    """The rows with the preset that their run has, and with its spread in the interval of each level."""
    presets = {
        model: (preset, level_spread(preset, run.manifest.preset_order or STRATIFIED, run.items.hashes))
        for run in runs
        if (preset := run.manifest.preset)
        for model in run.models
    }
    for row in rows:
        if row.model not in presets:
            yield row
            continue
        preset, spread = presets[row.model]
        yield replace(widened(row, spread.get((row.experiment, row.metric), 0.0)), preset=preset)


def widened(row: Score, spread: float) -> Score:
    """A row whose interval holds a further doubt, of this standard deviation: its arms and that of the doubt add up as
    standard errors do, within what is possible.
    """
    if not spread or row.value is None or row.low is None or row.high is None:
        return row
    doubt = Interval(-Z * spread, Z * spread)
    low, high = sum_interval([row.value, 0.0], [Interval(row.low, row.high), doubt]).within(*_possible(row.metric))
    return replace(row, low=low, high=high)


def _possible(metric: str) -> tuple[float, float]:
    """The least and the greatest value of a level."""
    if (known := METRICS.get(metric)) is None:
        return LEAST_OVERALL.get(metric, -1.0), 1.0
    return (0.0 if known.trials else known.least), known.most


def adjusted_rows(
    selection: Selection, scored: Mapping[str, Mapping[str, ModelScores]], overall: Iterable[Score]
) -> Iterator[Score]:
    """Skill of each model of a preset, adjusted to all items of the reference panel: in the experiments where it has
    all of the runs' items, and over them, where it has all of these. `overall` are the rows of overall skill.
    """
    runs = {model: run for run in selection.runs for model in run.models}
    cut = {model for model, run in runs.items() if run.manifest.preset not in (None, FULL)}
    if not cut.intersection(scored) or selection.panel == NO_PANEL:
        return
    panel = match_panel(
        load_panel(selection.panel or PAPER_PANEL), selection.runs, selection.tables, at_most=sys.maxsize
    )
    if panel is None:
        return
    reference = {experiment: _reference(panel, experiment) for experiment in panel.experiments}
    headlines = {row.model: row for row in overall}
    for model, parts in scored.items():
        estimates = {
            e: adjusted_skill(claim_kind(e), part.record, reference[e])
            for e, part in parts.items()
            if model in cut and e in reference and _comparable(part)
        }
        for experiment, estimate in estimates.items():
            part = parts[experiment]
            yield replace(part.asked.row(ADJUSTED, estimate, part.caution), panel=panel.panel.name)
        if model in headlines and set(PAPER_HEADLINE.experiments) <= set(estimates):
            yield replace(_headline(headlines[model], combine(estimates, -1.0)), panel=panel.panel.name)


def _comparable(part: ModelScores) -> bool:
    """Whether there is a skill, and the outcomes are by the source that the panel's skills are by."""
    own = part.asked.source in (None, EXPERIMENTS[part.asked.experiment].sources[0])
    return own and not math.isnan(part.skill.value)


def _reference(panel: MatchedPanel, experiment: str) -> list[tuple[Record, float]]:
    """Of each model of the panel its record on the run's items, and its skill on all items."""
    kind, claims = claim_kind(experiment), panel.tables.claims[experiment]
    on_all = {model: entry.skill for model, entry in panel.panel.experiments[experiment].models.items()}
    return [
        (kind.count(claims.of(model), False), skill)
        for model in panel.models
        if (skill := on_all.get(model)) is not None and model in claims.models
    ]


def _headline(skill: Score, estimate: Estimate) -> Score:
    """Withheld just where overall skill is."""
    if skill.value is None:
        return replace(skill, metric=ADJUSTED)
    low, high = estimate.interval
    return replace(skill, metric=ADJUSTED, value=estimate.value, low=low, high=high, worst=None, best=None)
