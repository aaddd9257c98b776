"""What scores show, as data. Each finding follows by rule from an interval, and is withheld where it says nothing.

Of n models that can be judged, one is found above (or below) 0 if its interval excludes 0 after Holm's adjustment
(1979) for n one-sided tests at 2.5%: among ten models the best one is above 0 by luck too often otherwise. A model is
judged if its number is neither withheld nor to be read with caution. None is found above 0 by a margin over a baseline
of too few models (`small_panel`); such a margin may speak against a model, or leave it open. Own excess has verdicts of
its own (`selfexec.metrics.own`), of a panel and of single models: `own` says something in their favour, all else leaves
it open.

`selfexec.analysis.words` turns findings into sentences.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Judged, Own, Score, rows_over_naive
from selfexec.stats import Z, holm

if TYPE_CHECKING:
    from selfexec.analysis.differences import Standing
    from selfexec.claims import Tables

Tone = Literal["yes", "no", "open", "withheld"]
Relation = Literal["baseline", "chance", "naive", "others", "own"]
PANEL, SIMULATED = "panel", "simulated panel"  # subjects of findings of own excess
TONES: tuple[Tone, ...] = ("yes", "open", "no", "withheld")
ONE_SIDED = 0.025


class Ranged(Protocol):
    """A number with its interval."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class ConditionScores(Protocol):
    """The scores of one condition, by model, experiment and metric."""

    @property
    def models(self) -> Sequence[str]: ...
    @property
    def experiments(self) -> Sequence[str]: ...
    @property
    def own(self) -> Sequence[Own]: ...
    def of(self, experiment: str, metric: str) -> Sequence[Score]: ...


@dataclass(frozen=True)
class Finding:
    """How a model stands to something, in an experiment or `overall`.

    subject   the model; of own excess mostly the panel, or the simulated one
    relation  what it is held against: the best `baseline` (value: margin), `chance` (skill), the `naive` baseline
              (accuracy less that of the baseline, which is `level`), `others` (skill, beside that of other models),
              what nobody else's predictions and outcomes tell (`own` excess, with its `verdict`)
    tone      yes: it is above, or ahead; no: below, or behind; open: undecided; withheld: nothing is to be said
    reason    why it is withheld
    panel     of how many models its baseline is made, where that is too few to speak for it; of own excess, how many
              models there are that tell enough
    alike     models that it cannot be told apart from
    verdict   on own excess; None where there is none. `against` names what keeps it from a better one
    source    who says what was done, of own excess
    detectable  of the own excess of a panel: the least that a run of its size would have found in four cases of five
    """

    about: str
    subject: str
    relation: Relation
    tone: Tone
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    panel: int | None = None
    level: float | None = None
    alike: tuple[str, ...] = ()
    verdict: str | None = None
    against: tuple[str, ...] = ()
    source: str | None = None
    detectable: float | None = None


def findings(scores: ConditionScores, tables: "Tables", standings: "Sequence[Standing]") -> Iterator[Finding]:
    """Everything that the numbers support: overall, then by experiment."""
    alone, lacking = len(scores.models) == 1, lacks_overall(scores)
    if not alone:
        yield from against_others(scores.of("overall", "skill"), standings)
    yield from too_few_for_own(scores.own)
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        if alone or lacking:
            yield from against_chance(scores.of(experiment, "skill"))
        if not alone:
            yield from against_baseline(scores.of(experiment, "baseline_margin"))
        if naive := EXPERIMENTS[experiment].naive:
            gaps = rows_over_naive(scores.of(experiment, "accuracy"), tables.claims[experiment])
            yield from against_naive(gaps, {row.model: row for row in scores.of(experiment, naive.metric)})
        yield from own_prediction_findings(scores.own, experiment)


def against_baseline(margins: Iterable[Score]) -> list[Finding]:
    """Margins over the best baseline: those found above 0 first, then those left open, below, and withheld; each best
    first.
    """
    return _by_holm(margins, "baseline", {})


def against_naive(gaps: Iterable[Score], baselines: Mapping[str, Score]) -> list[Finding]:
    """`gaps`: accuracy less that of the baseline that takes no model, which `baselines` have by model."""
    return _by_holm(gaps, "naive", {model: row.value or 0.0 for model, row in baselines.items()})


def _by_holm(rows: Iterable[Score], relation: Relation, levels: Mapping[str, float]) -> list[Finding]:
    rows = list(rows)
    judged = [r for r in rows if r.value is not None and r.low is not None and r.high is not None and _sound(r)]
    judged.sort(key=_best_first)
    above, below = _beyond(judged, +1), _beyond(judged, -1)
    above -= {row.model for row in judged if row.small_panel}

    def tone(row: Score) -> Tone:
        return "yes" if row.model in above else "no" if row.model in below else "open"

    found = [_finding(row, relation, tone(row), levels.get(row.model)) for row in judged]
    withheld = [_finding(row, relation, "withheld", levels.get(row.model)) for row in rows if row not in judged]
    return sorted([*found, *withheld], key=lambda finding: TONES.index(finding.tone))


def _finding(
    row: Score, relation: Relation, tone: Tone, level: float | None = None, alike: tuple[str, ...] = ()
) -> Finding:
    panel = row.models if row.small_panel else None
    about, ends = row.experiment, (row.value, row.low, row.high)
    return Finding(about, row.model, relation, tone, *ends, row.reason, panel, level, alike)


def _best_first(row: Score) -> tuple[float, str]:
    return -(row.value or 0.0), row.model


def _sound(row: Score) -> bool:
    """Nothing is to be said of it but that its panel may be small."""
    return not row.reason or row.reason == row.small_panel


def _beyond(rows: Sequence[Score], sign: int) -> set[str]:
    """Models whose value lies beyond 0 on this side, adjusted for their number."""
    return {row.model for row, clear in zip(rows, clear_of_zero(rows, sign), strict=True) if clear}


def clear_of_zero(rows: Sequence[Ranged], sign: int) -> list[bool]:
    """Whether each lies beyond 0 on this side, by Holm for all of them."""
    from scipy.special import ndtr

    if not rows:
        return []
    # an end of a 95% interval lies Z standard errors away: p < .025 says just that it excludes 0
    towards = [(r.value or 0.0) - (r.low or 0.0) if sign > 0 else (r.high or 0.0) - (r.value or 0.0) for r in rows]
    z = [sign * (r.value or 0.0) * Z / reach if reach > 0 else 0.0 for r, reach in zip(rows, towards, strict=True)]
    adjusted = holm(np.asarray(ndtr(-np.array(z)), dtype=np.float64))
    return [bool(p < ONE_SIDED) for p in adjusted]


def against_chance(skills: Iterable[Score]) -> list[Finding]:
    """Skills; that of a model alone by its own interval."""
    rows = list(skills)
    if len(rows) != 1:
        return _by_holm(rows, "chance", {})
    (row,) = rows
    if row.value is None or row.low is None or row.high is None or row.reason:
        return [_finding(row, "chance", "withheld")]
    return [_finding(row, "chance", "yes" if row.low > 0 else "no" if row.high < 0 else "open")]


def lacks_overall(scores: ConditionScores) -> bool:
    """Whether no overall margin can be judged, and not all models have an overall skill."""
    skills = scores.of("overall", "skill")
    known = skills and all(row.value is not None for row in skills)
    margins = against_baseline(scores.of("overall", "baseline_margin"))
    return not known and all(found.tone == "withheld" for found in margins)


def against_others(skills: Iterable[Score], standings: "Sequence[Standing]") -> list[Finding]:
    """Skills, best first, and which others each cannot be told apart from; behind them those that are to be read with
    caution, and ahead of nobody.
    """
    rows = list(skills)
    judged = sorted((row for row in rows if row.value is not None and not row.reason), key=_best_first)
    letters = {(s.experiment, s.model): set(s.tied.split()) for s in standings if s.metric == "skill"}
    found = []
    for row in judged:
        own = letters.get((row.experiment, row.model), set())
        alike = tuple(r.model for r in judged if r is not row and own & letters.get((r.experiment, r.model), set()))
        ahead = row is judged[0] and not alike
        open_ = row is judged[0] or judged[0].model in alike
        found.append(_finding(row, "others", "yes" if ahead else "open" if open_ else "no", alike=alike))
    return [*found, *(_finding(row, "others", "withheld") for row in rows if row not in judged)]


def own_prediction_findings(own: Sequence[Own], experiment: str) -> list[Finding]:
    """The verdicts on panels in one experiment, by each source, and behind each those on single models that are `own`.
    Nothing of a kind of models (simulated, or not) that is too few for a panel in every experiment, nor where a
    reference panel is among them: that stands model by model below the table.
    """
    told = {one.simulated for one in own if one.found.fits}
    found = []
    for one in own:
        if one.experiment == experiment and one.simulated in told and not one.panel:
            panel = _own_finding(one, SIMULATED if one.simulated else PANEL, one.found.panel)
            found.append(replace(panel, detectable=one.found.detectable if one.found.fits else None))
            single = ((model, judged) for model, judged in one.found.each.items() if judged.verdict == "own")
            found += [_own_finding(one, model, judged) for model, judged in single]
    return found


def beside_panel(own: Sequence[Own], experiment: str, models: Sequence[str]) -> list[Finding]:
    """The verdicts in one experiment on each of these models that is held against a reference panel, by each source."""
    beside = [one for one in own if one.experiment == experiment and one.panel]
    return [_own_finding(one, m, one.found.each[m]) for m in models for one in beside if m in one.found.each]


def too_few_for_own(own: Sequence[Own]) -> list[Finding]:
    """That no panel is large enough, once: of the largest."""
    if not own or any(one.found.fits for one in own):
        return []
    largest = max(own, key=lambda one: len(one.found.of.models))
    subject = SIMULATED if largest.simulated else PANEL
    return [replace(_own_finding(largest, subject, largest.found.panel), about="overall", source=None)]


def _own_finding(own: Own, subject: str, judged: Judged) -> Finding:
    estimate = judged.estimate
    value, low, high = (None if math.isnan(x) else x for x in (estimate.value, *estimate.interval))
    tone: Tone = "withheld" if judged.verdict is None else "yes" if judged.verdict == "own" else "open"
    models = len(own.found.of.models)
    return Finding(
        own.experiment,
        subject,
        "own",
        tone,
        value,
        low,
        high,
        judged.reason,
        models,
        verdict=judged.verdict,
        against=judged.against,
        source=own.source,
    )
