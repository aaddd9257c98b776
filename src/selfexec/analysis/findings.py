"""What scores show, as data: the one value that every sentence, sign, bracket, title and gate is made from.

Of n models that can be judged, one is found above (or below) 0 if its interval excludes 0 after Holm's adjustment
(1979) for n one-sided tests at 2.5%: among ten models the best one is above 0 by luck too often otherwise. The interval
that this tests is in the finding, and is what is drawn and spoken of. A model is judged if its number is neither
withheld nor to be read with caution. Nothing is found in favour of a model by a margin over a baseline of too few
models (`small_panel`). Own excess has verdicts of its own (`selfexec.metrics.own`), of a panel and of single models.

`selfexec.analysis.answers` and `selfexec.analysis.words` turn findings into sentences.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Judged, Objection, Own, Score, at_the_ceiling, none_if_nan, rows_over_naive
from selfexec.stats import POWER_80, Z, holm_points

if TYPE_CHECKING:
    from selfexec.claims import Tables

Tone = Literal["yes", "no", "open", "untold", "withheld"]
Relation = Literal["baseline", "which ones", "auroc", "how often", "chance", "naive", "others", "own"]
PANEL, SIMULATED = "panel", "simulated panel"  # subjects of findings of own excess
TONES: tuple[Tone, ...] = ("yes", "open", "untold", "no", "withheld")
ONE_SIDED = 0.025
OVER_OTHERS: tuple[Relation, ...] = ("baseline", "which ones", "auroc")  # margins over what other models make known
TOO_CLOSE, CANNOT_BE_TOLD = "too close to call", "cannot be told"
# how a finding is called in data, by what is asked and its tone
CALLED: Mapping[Relation, tuple[str, str]] = {
    "baseline": ("ahead", "behind"),
    "which ones": ("ahead", "behind"),
    "auroc": ("ahead", "behind"),
    "how often": ("overestimates", "underestimates"),
    "chance": ("better than chance", "worse than chance"),
    "naive": ("ahead", "behind"),
}


class Ranged(Protocol):
    """A number with its interval."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class Placed(Protocol):
    """A model's place by a metric; models that share one of the letters in `tied` cannot be told apart."""

    @property
    def metric(self) -> str: ...
    @property
    def experiment(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def tied(self) -> str: ...


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

    Attributes:
        about: The experiment, or `overall`.
        subject: The model; of own excess mostly the panel, or the simulated one.
        relation: What it is held against: the best `baseline` (value: margin); the same baseline at the model's rate of
            yes (`which ones`), or, of probabilities, its logits (`auroc`); its own behaviour (`how often`: rate bias);
            `chance` (skill); the `naive` baseline (accuracy less that of the baseline, which is `level`); `others`
            (skill, next to that of other models); what nobody else's predictions and outcomes explain (`own` excess,
            with its `verdict`).
        tone: yes: it is above, or ahead; no: below, or behind; open: too close to call; untold: it cannot be told from
            yes and no; withheld: nothing is to be said.
        value: The estimate.
        low: The lower end of its 95% interval.
        high: The upper end.
        tested_low: The lower end of the interval that was tested, adjusted for all that were tested together: above 0
            just where the tone is yes (and the panel is large enough).
        tested_high: The upper end of that interval, below 0 just where the tone is no.
        among: How many were tested together.
        detectable: The least effect that would have been found in four of five such runs.
        reason: Why it is withheld.
        panel: Of how many models its baseline is made, where that is too few to speak for it; of own excess, how many
            models there are that tell enough.
        level: The accuracy of the naive baseline.
        alike: Models that it cannot be told apart from.
        rates: Of how often: the predicted and the observed share of yes.
        shares: Of which ones: the shares of the ceiling that model and baseline reach at the model's rate of yes.
        ceiling: Of which ones: the greatest skill that is possible at this rate.
        verdict: On own excess; None where there is none.
        against: What keeps it from a better one.
        source: Who says what was done, of own excess.
    """

    about: str
    subject: str
    relation: Relation
    tone: Tone
    value: float | None
    low: float | None = None
    high: float | None = None
    tested_low: float | None = None
    tested_high: float | None = None
    among: int = 0
    detectable: float | None = None
    reason: str | None = None
    panel: int | None = None
    level: float | None = None
    alike: tuple[str, ...] = ()
    rates: tuple[float, float] | None = None
    shares: tuple[float | None, float | None] | None = None
    ceiling: float | None = None
    verdict: str | None = None
    against: tuple[Objection, ...] = ()
    source: str | None = None

    @property
    def state(self) -> str:
        """What is found, in the words that data have for it."""
        if self.tone in ("open", "untold"):
            return TOO_CLOSE if self.tone == "open" else CANNOT_BE_TOLD
        if self.tone == "withheld":
            return "withheld"
        above, below = CALLED[self.relation]
        return above if self.tone == "yes" else below


def further_findings(scores: ConditionScores, tables: "Tables", standings: Sequence[Placed]) -> Iterator[Finding]:
    """What the numbers support besides the answer: overall, then by experiment."""
    if len(scores.models) > 1:
        yield from against_others(scores.of("overall", "skill"), standings)
    yield from too_few_for_own(scores.own)
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        if naive := EXPERIMENTS[experiment].naive:
            gaps = rows_over_naive(scores.of(experiment, "accuracy"), tables.claims[experiment])
            yield from against_naive(gaps, {row.model: row for row in scores.of(experiment, naive.metric)})
        yield from own_prediction_findings(scores.own, experiment)


def against_baseline(margins: Iterable[Score]) -> list[Finding]:
    """Margins over the best baseline: those found above 0 first, then those left open, below, and withheld; each best
    first.
    """
    return _by_holm(margins, "baseline")


def how_often(scores: ConditionScores, experiment: str) -> list[Finding]:
    """How often each model says that it would, against how often it does: its rate bias. Nothing of orders, nor where
    how many of an item's claims come true is fixed.
    """
    words = EXPERIMENTS[experiment].words
    if words.rates is None:
        return []
    findings = _by_holm(scores.of(experiment, "rate_bias"), "how often")
    predicted = {row.model: row.value for row in scores.of(experiment, "predicted_rate")}
    return [replace(finding, rates=_rates(predicted.get(finding.subject), finding.value)) for finding in findings]


def _rates(predicted: float | None, bias: float | None) -> tuple[float, float] | None:
    return None if predicted is None or bias is None else (predicted, predicted - bias)


def which_ones(scores: ConditionScores, experiment: str) -> list[Finding]:
    """Whether each model knows which ones better than the baseline: of yes and no at the model's own rate of yes; of
    orders, which have no rate, by the margin itself; of probabilities by the margin in AUROC.
    """
    if areas := scores.of(experiment, "auroc_margin"):
        return _by_holm(areas, "auroc")
    margins = scores.of(experiment, "margin_at_own_rate")
    if not margins:
        return against_baseline(scores.of(experiment, "baseline_margin"))
    ceilings, own, baseline = (
        {row.model: row.value for row in scores.of(experiment, metric)}
        for metric in ("ceiling_at_own_rate", "share_of_ceiling", "baseline_share_of_ceiling")
    )
    reached = {m: (ceilings.get(m), own.get(m), baseline.get(m)) for m in (row.model for row in margins)}
    untold = [row for row in margins if row.value is not None and _sound(row) and _at_the_ceiling(*reached[row.model])]
    findings = _by_holm([row for row in margins if row not in untold], "which ones")
    findings += [replace(_finding(row, "which ones", "untold"), panel=None) for row in sorted(untold, key=_best_first)]
    with_shares = (
        replace(finding, ceiling=reached[finding.subject][0], shares=reached[finding.subject][1:])
        for finding in findings
    )
    return sorted(with_shares, key=lambda finding: TONES.index(finding.tone))


def _at_the_ceiling(ceiling: float | None, *shares: float | None) -> bool:
    reached = (math.nan if share is None else share for share in shares)
    return ceiling is not None and at_the_ceiling(ceiling, *reached)


def verdict_records(scores: ConditionScores) -> list[dict[str, Any]]:
    """What is found on how often, which ones and margins, a record for each model, experiment and question."""
    findings = [against_baseline(scores.of("overall", "baseline_margin"))]
    for experiment in scores.experiments:
        if experiment != "overall":
            parts = [how_often(scores, experiment), which_ones(scores, experiment)]
            if any(finding.relation == "which ones" for finding in parts[1]):
                parts.append(against_baseline(scores.of(experiment, "baseline_margin")))
            findings += parts
    return [_verdict_record(finding) for part in findings for finding in part]


def _verdict_record(finding: Finding) -> dict[str, Any]:
    predicted, observed = finding.rates or (None, None)
    share, baseline_share = finding.shares or (None, None)
    ends = {"value": finding.value, "low": finding.low, "high": finding.high}
    tested = {"tested_low": finding.tested_low, "tested_high": finding.tested_high, "tested_together": finding.among}
    return {
        "model": finding.subject,
        "experiment": finding.about,
        "question": "margin" if finding.relation == "baseline" else finding.relation,
        "verdict": finding.state,
        **ends,
        **tested,
        "detectable": finding.detectable,
        "predicted_rate": predicted,
        "observed_rate": observed,
        "ceiling": finding.ceiling,
        "share_of_ceiling": share,
        "baseline_share_of_ceiling": baseline_share,
        "reason": finding.reason,
    }


def against_naive(gaps: Iterable[Score], baselines: Mapping[str, Score]) -> list[Finding]:
    """`gaps`: accuracy less that of the baseline that takes no model, which `baselines` have by model."""
    levels = {model: row.value or 0.0 for model, row in baselines.items()}
    return [replace(finding, level=levels.get(finding.subject)) for finding in _by_holm(gaps, "naive")]


def _by_holm(rows: Iterable[Score], relation: Relation) -> list[Finding]:
    """Each judged row with the interval that is tested, and what follows from it."""
    rows = list(rows)
    judged = [row for row in rows if row.value is not None and row.low is not None and row.high is not None]
    judged = sorted((row for row in judged if _sound(row)), key=_best_first)
    points = _points(judged)
    findings = [_tested(row, relation, both, len(judged)) for row, both in zip(judged, points, strict=True)]
    findings += [_finding(row, relation, "withheld") for row in rows if row not in judged]
    return sorted(findings, key=lambda finding: TONES.index(finding.tone))


def _points(rows: Sequence[Ranged]) -> list[tuple[float, float]]:
    """What each row's distance from 0 is compared with, in standard errors: on the way down, and on the way up."""
    if not rows:
        return []
    # an end of a 95% interval lies Z standard errors away
    arms = [((r.value or 0.0) - (r.low or 0.0), (r.high or 0.0) - (r.value or 0.0)) for r in rows]
    z = np.array(
        [
            [_over(r.value or 0.0, below), _over(-(r.value or 0.0), above)]
            for r, (below, above) in zip(rows, arms, strict=True)
        ]
    )
    down, up = (holm_points(side, ONE_SIDED) for side in z.T)
    return list(zip(down.tolist(), up.tolist(), strict=True))


def _over(value: float, arm: float) -> float:
    """A value in standard errors; 0 where there is no doubt to measure it by."""
    return value * Z / arm if arm > 0 else 0.0


def tested_intervals(rows: Sequence[Ranged]) -> list[tuple[float, float]]:
    """The interval of each that is tested, by Holm for all of them: beyond 0 just where that is found."""
    return [_ends(row, points) for row, points in zip(rows, _points(rows), strict=True)]


def _ends(row: Ranged, points: tuple[float, float]) -> tuple[float, float]:
    """As many standard errors away as the points say; an end of a 95% interval lies Z away."""
    value, low, high = row.value or 0.0, row.low or 0.0, row.high or 0.0
    return value - points[0] * (value - low) / Z, value + points[1] * (high - value) / Z


def _tested(row: Score, relation: Relation, points: tuple[float, float], among: int) -> Finding:
    value, low, high = row.value or 0.0, row.low or 0.0, row.high or 0.0
    errors = (value - low) / Z, (high - value) / Z
    ends = _ends(row, points)
    tone: Tone = "yes" if ends[0] > 0 else "no" if ends[1] < 0 else "open"
    finding = _finding(row, relation, tone)
    if tone == "yes" and row.small_panel and relation in OVER_OTHERS:
        finding = replace(finding, tone="withheld", reason=row.small_panel)
    least = max((point + POWER_80) * error for point, error in zip(points, errors, strict=True))
    return replace(finding, tested_low=ends[0], tested_high=ends[1], among=among, detectable=least)


def clear_of_zero(rows: Sequence[Ranged], sign: int) -> list[bool]:
    """Whether each lies beyond 0 on this side, by Holm for all of them."""
    side = 0 if sign > 0 else 1
    arms = [(r.value or 0.0) - (r.low or 0.0) if sign > 0 else (r.high or 0.0) - (r.value or 0.0) for r in rows]
    z = [_over(sign * (r.value or 0.0), arm) for r, arm in zip(rows, arms, strict=True)]
    return [each > points[side] for each, points in zip(z, _points(rows), strict=True)]


def _finding(row: Score, relation: Relation, tone: Tone, alike: tuple[str, ...] = ()) -> Finding:
    panel = row.models if row.small_panel else None
    ends = (row.value, row.low, row.high)
    return Finding(row.experiment, row.model, relation, tone, *ends, reason=row.reason, panel=panel, alike=alike)


def _best_first(row: Score) -> tuple[float, str]:
    return -(row.value or 0.0), row.model


def _sound(row: Score) -> bool:
    """Nothing is to be said of it but that its panel may be small."""
    return not row.reason or row.reason == row.small_panel


def against_chance(skills: Iterable[Score]) -> list[Finding]:
    """Skills; that of a model alone by its own interval."""
    rows = list(skills)
    if len(rows) != 1:
        return _by_holm(rows, "chance")
    (row,) = rows
    if row.value is None or row.low is None or row.high is None or row.reason:
        return [_finding(row, "chance", "withheld")]
    tone: Tone = "yes" if row.low > 0 else "no" if row.high < 0 else "open"
    return [replace(_finding(row, "chance", tone), tested_low=row.low, tested_high=row.high, among=1)]


def against_others(skills: Iterable[Score], standings: Sequence[Placed]) -> list[Finding]:
    """Skills, best first, and which others each cannot be told apart from; behind them those that are to be read with
    caution, and ahead of nobody.
    """
    rows = list(skills)
    judged = sorted((row for row in rows if row.value is not None and not row.reason), key=_best_first)
    letters = {(s.experiment, s.model): set(s.tied.split()) for s in standings if s.metric == "skill"}
    findings = []
    for row in judged:
        own = letters.get((row.experiment, row.model), set())
        alike = tuple(r.model for r in judged if r is not row and own & letters.get((r.experiment, r.model), set()))
        ahead = row is judged[0] and not alike
        open_ = row is judged[0] or judged[0].model in alike
        findings.append(_finding(row, "others", "yes" if ahead else "open" if open_ else "no", alike=alike))
    return [*findings, *(_finding(row, "others", "withheld") for row in rows if row not in judged)]


def own_prediction_findings(own: Sequence[Own], experiment: str) -> list[Finding]:
    """The verdicts on panels in one experiment, by each source. Nothing of a kind of models (simulated, or not) that is
    too few for a panel in every experiment, nor where a reference panel is among them: that stands model by model below
    the table.
    """
    judged_kinds = {panel.simulated for panel in own if panel.found.fits}
    return [
        _own_finding(panel, SIMULATED if panel.simulated else PANEL, panel.found.panel)
        for panel in own
        if panel.experiment == experiment and panel.simulated in judged_kinds and not panel.panel
    ]


def beside_panel(own: Sequence[Own], experiment: str, models: Sequence[str]) -> list[Finding]:
    """The verdicts in one experiment on each of these models that is held against a reference panel, by each source."""
    beside = [panel for panel in own if panel.experiment == experiment and panel.panel]
    return [_own_finding(panel, m, panel.found.each[m]) for m in models for panel in beside if m in panel.found.each]


def too_few_for_own(own: Sequence[Own]) -> list[Finding]:
    """That no panel is large enough, once: of the largest."""
    if not own or any(own_excess.found.fits for own_excess in own):
        return []
    largest = max(own, key=lambda own_excess: len(own_excess.found.of.models))
    subject = SIMULATED if largest.simulated else PANEL
    return [replace(_own_finding(largest, subject, largest.found.panel), about="overall", source=None)]


def _own_finding(own: Own, subject: str, judged: Judged) -> Finding:
    estimate = judged.estimate
    numbers = (estimate.value, *estimate.interval, *judged.tested)
    value, low, high, tested_low, tested_high = map(none_if_nan, numbers)
    tone: Tone = "withheld" if judged.verdict is None else "yes" if judged.verdict == "own" else "open"
    return Finding(
        own.experiment,
        subject,
        "own",
        tone,
        value,
        low,
        high,
        tested_low,
        tested_high,
        among=judged.tests,
        detectable=none_if_nan(judged.detectable),
        reason=judged.reason,
        panel=len(own.found.of.models),
        verdict=judged.verdict,
        against=judged.against,
        source=own.source,
    )
