"""What scores show, as data: the one value that every sentence, sign, bracket, title and gate is made from.

Of n models that can be judged, one is found above (or below) 0 if its interval excludes 0 after Holm's adjustment
(1979) for n one-sided tests at 2.5%: among ten models the best one is above 0 by luck too often otherwise. The interval
that this tests is in the finding, and is what is drawn and spoken of. A model is judged if its number is neither
withheld nor to be read with caution. A margin over a baseline of too few models (`too_few_models`) is tested with the
others all the same, but nothing is found in favour of a model by it. Own excess has verdicts of its own, on all models
together and on single ones (`selfexec.metrics.own_excess`).

`selfexec.analysis.answers` and `selfexec.analysis.words` turn findings into sentences.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME, addressed, condition_named
from selfexec.metrics import CONSTANT, Objection, Own, OwnVerdict, Score, at_the_ceiling, none_if_nan, rows_over_naive
from selfexec.stats import POWER_80, Z, holm_points

if TYPE_CHECKING:
    from selfexec.claims import Tables

FindingAnswer = Literal["yes", "no", "open", "ceiling", "withheld"]
Relation = Literal["baseline", "which ones", "auroc", "how often", "chance", "naive", "others", "own"]
PANEL, SIMULATED = "panel", "simulated panel"  # subjects of findings of own excess
ANSWERS: tuple[FindingAnswer, ...] = ("yes", "open", "ceiling", "no", "withheld")
ONE_SIDED = 0.025
OVER_OTHERS: tuple[Relation, ...] = ("baseline", "which ones", "auroc")  # margins over what other models make known
TOO_CLOSE, NO_ROOM = "too close to call", "no room to differ"
# how a finding is called in data, by what is asked and its answer
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


class Ranked(Protocol):
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
    """How a model compares with something, in an experiment or `overall`.

    Attributes:
        about: The experiment, or `overall`.
        subject: The model; for own excess mostly all models together (`panel`), or all simulated ones.
        relation: What it is compared with: the `baseline` (value: `baseline_margin`); the same baseline at the model's
            yes rate (`which ones`), or, for probabilities, its logits (`auroc`); its own behaviour (`how often`: rate
            bias); `chance` (skill); the `naive` baseline (accuracy less that of the baseline, which is `level`);
            `others` (skill, next to that of other models); what nobody else's predictions and outcomes explain (`own`
            excess, with its `own_verdict`).
        answer: yes: it is above 0, or ahead; no: below 0, or behind; open: too close to call; ceiling: model and
            baseline are at the ceiling, so that yes-or-no answers cannot tell them apart; withheld: nothing is to be
            said.
        value: The estimate.
        low: The lower end of its 95% interval.
        high: The upper end.
        tested_low: The lower end of the interval that was tested, adjusted for all that were tested together: above 0
            exactly where the answer is yes (given enough models).
        tested_high: The upper end of that interval, below 0 exactly where the answer is no.
        among: How many were tested together.
        detectable: The least effect that 80% of runs like this one would find.
        reason: Why it is withheld.
        models: For own excess, how many models take part.
        level: The accuracy of the naive baseline.
        over_constant: For margins, whether the baseline is always the same answer, since other models predict no better
            than that: its skill is 0, so that to be ahead of it is to predict better than chance, and no more.
        baseline_reaches: For margins, the share of the highest possible skill that the baseline reaches: for `which
            ones` at the model's yes rate.
        alike: Models that cannot be told apart from this one.
        rates: For `how often`, the predicted and the observed share of yes.
        shares: For `which ones`, the shares of the ceiling that model and baseline reach at the model's yes rate.
        ceiling: For `which ones`, the greatest skill that is possible at this rate.
        own_verdict: The verdict on own excess, by which `answer` goes there; None for every other relation.
        against: What keeps that verdict from a better one.
        source: For own excess, who says what was done.
        whom: For `how often`, whom the predictions are about ("a person"); empty for the model itself.
    """

    about: str
    subject: str
    relation: Relation
    answer: FindingAnswer
    value: float | None
    low: float | None = None
    high: float | None = None
    tested_low: float | None = None
    tested_high: float | None = None
    among: int = 0
    detectable: float | None = None
    reason: str | None = None
    models: int | None = None
    level: float | None = None
    over_constant: bool = False
    baseline_reaches: float | None = None
    alike: tuple[str, ...] = ()
    rates: tuple[float, float] | None = None
    shares: tuple[float | None, float | None] | None = None
    ceiling: float | None = None
    own_verdict: str | None = None
    against: tuple[Objection, ...] = ()
    source: str | None = None
    whom: str = ""

    @property
    def state(self) -> str:
        """The `answer` in the words of its relation, as data have it (`verdict` in JSON): ahead, better than chance."""
        if self.answer in ("open", "ceiling"):
            return TOO_CLOSE if self.answer == "open" else NO_ROOM
        if self.answer == "withheld":
            return "withheld"
        above, below = CALLED[self.relation]
        return above if self.answer == "yes" else below


def further_findings(scores: ConditionScores, tables: "Tables", standings: Sequence[Ranked]) -> Iterator[Finding]:
    """Further findings, besides those of the answer: overall, then by experiment."""
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


@dataclass(frozen=True)
class ExperimentFindings:
    """What is found in one experiment: how often, which ones, and skill against chance."""

    experiment: str
    how_often: Sequence[Finding]
    which_ones: Sequence[Finding]
    skills: Sequence[Finding]


def experiment_findings(scores: ConditionScores, experiment: str) -> ExperimentFindings:
    """What its sentences and the columns of its table are made of."""
    skills = against_chance(scores.of(experiment, "skill"))
    return ExperimentFindings(experiment, how_often(scores, experiment), which_ones(scores, experiment), skills)


def against_baseline(margins: Iterable[Score]) -> list[Finding]:
    """Baseline margins, by answer: above 0, too close to call, below 0, withheld; best first."""
    return _by_holm(margins, "baseline")


def how_often(scores: ConditionScores, experiment: str) -> list[Finding]:
    """How often each model predicts that it would behave so, compared with how often it does: its rate bias. Nothing
    for orders, nor where a fixed number of an item's claims comes true.
    """
    words = EXPERIMENTS[experiment].words
    if words.rates is None:
        return []
    biases = scores.of(experiment, "rate_bias")
    findings = _by_holm(biases, "how often")
    whom = {row.model: addressed(condition_named(row.condition)) for row in biases if row.condition != DEFAULT_NAME}
    predicted = {row.model: row.value for row in scores.of(experiment, "predicted_rate")}
    return [replace(f, rates=_rates(predicted.get(f.subject), f.value), whom=whom.get(f.subject, "")) for f in findings]


def _rates(predicted: float | None, bias: float | None) -> tuple[float, float] | None:
    return None if predicted is None or bias is None else (predicted, predicted - bias)


def which_ones(scores: ConditionScores, experiment: str) -> list[Finding]:
    """Whether each model predicts better than the baseline which claims come true. This, and not the baseline margin,
    is what the default screen and the front of a report show of yes-or-no claims.

    It is found by the first of these metrics that has rows:

    auroc_margin          of predictions that are probabilities
    margin_at_own_rate    of yes-or-no claims, at the model's own yes rate
    baseline_margin       of orders, which have no such rate; and of yes-or-no claims where too little is known of other
                          models, so that it is withheld, with the reason

    A model without the second has its `baseline_margin`, which is withheld, among the findings by the second. Where all
    are withheld, the screen shows skill in their place.
    """
    if areas := scores.of(experiment, "auroc_margin"):
        return _by_holm(areas, "auroc")
    margins = scores.of(experiment, "margin_at_own_rate")
    if not margins:
        baselines = {row.model: row.value for row in scores.of(experiment, "best_baseline")}
        findings = against_baseline(scores.of(experiment, "baseline_margin"))
        return [replace(finding, baseline_reaches=baselines.get(finding.subject)) for finding in findings]
    models = {row.model for row in margins}
    without = [row for row in scores.of(experiment, "baseline_margin") if row.model not in models and row.value is None]
    return _at_own_rates(scores, experiment, [*margins, *without])


def _at_own_rates(scores: ConditionScores, experiment: str, margins: Sequence[Score]) -> list[Finding]:
    """Findings on margins at the models' own yes rates: those at the ceiling are not tested, and the others by Holm."""
    ceilings, own, baseline = (
        {row.model: row.value for row in scores.of(experiment, metric)}
        for metric in ("ceiling_at_own_rate", "share_of_ceiling", "baseline_share_of_ceiling")
    )
    reached = {m: (ceilings.get(m), own.get(m), baseline.get(m)) for m in (row.model for row in margins)}
    at_ceiling = [
        row for row in margins if row.value is not None and _sound(row) and _at_the_ceiling(*reached[row.model])
    ]
    findings = _by_holm([row for row in margins if row not in at_ceiling], "which ones")
    findings += [_finding(row, "which ones", "ceiling") for row in sorted(at_ceiling, key=_best_first)]
    with_shares = (
        replace(finding, ceiling=ceiling, shares=(own, baseline), baseline_reaches=baseline)
        for finding in findings
        for ceiling, own, baseline in [reached[finding.subject]]
    )
    return sorted(with_shares, key=lambda finding: ANSWERS.index(finding.answer))


def _at_the_ceiling(ceiling: float | None, *shares: float | None) -> bool:
    reached = (math.nan if share is None else share for share in shares)
    return ceiling is not None and at_the_ceiling(ceiling, *reached)


def verdict_records(scores: ConditionScores) -> list[dict[str, Any]]:
    """The findings on how often, which ones and margins as records, one for each model, experiment and question."""
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
        "over_constant": finding.over_constant,
        "predicted_rate": predicted,
        "observed_rate": observed,
        "ceiling": finding.ceiling,
        "share_of_ceiling": share,
        "baseline_share_of_ceiling": baseline_share,
        "reason": finding.reason,
    }


def against_naive(gaps: Iterable[Score], baselines: Mapping[str, Score]) -> list[Finding]:
    """Findings on accuracy less that of the naive baseline (`gaps`); `baselines` has the latter by model."""
    levels = {model: row.value or 0.0 for model, row in baselines.items()}
    return [replace(finding, level=levels.get(finding.subject)) for finding in _by_holm(gaps, "naive")]


def _by_holm(rows: Iterable[Score], relation: Relation) -> list[Finding]:
    """A finding for each row. Those without a caution are tested together, by Holm."""
    rows = list(rows)
    testable = [row for row in rows if row.value is not None and row.low is not None and row.high is not None]
    testable = sorted((row for row in testable if _sound(row)), key=_best_first)
    points = _points(testable)
    findings = [_tested(row, relation, both, len(testable)) for row, both in zip(testable, points, strict=True)]
    findings += [_finding(row, relation, "withheld") for row in rows if row not in testable]
    return sorted(findings, key=lambda finding: ANSWERS.index(finding.answer))


def _points(rows: Sequence[Ranged]) -> list[tuple[float, float]]:
    """The critical distances from 0 of each row, in standard errors: of its lower end, and of its upper end."""
    if not rows:
        return []
    # an end of a 95% interval counts as Z standard errors away, however it was made: where it is by Student's
    # t, these errors are a little larger than the estimate's own
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
    """A value in standard errors; 0 where the error is 0."""
    return value * Z / arm if arm > 0 else 0.0


def tested_intervals(rows: Sequence[Ranged]) -> list[tuple[float, float]]:
    """The tested interval of each, adjusted by Holm for all of them: it excludes 0 exactly where that is found."""
    return [_ends(row, points) for row, points in zip(rows, _points(rows), strict=True)]


def _ends(row: Ranged, points: tuple[float, float]) -> tuple[float, float]:
    """The ends of an interval at these distances, in standard errors; those of a 95% interval are Z away."""
    value, low, high = row.value or 0.0, row.low or 0.0, row.high or 0.0
    return value - points[0] * (value - low) / Z, value + points[1] * (high - value) / Z


def _tested(row: Score, relation: Relation, points: tuple[float, float], among: int) -> Finding:
    value, low, high = row.value or 0.0, row.low or 0.0, row.high or 0.0
    errors = (value - low) / Z, (high - value) / Z
    ends = _ends(row, points)
    answer: FindingAnswer = "yes" if ends[0] > 0 else "no" if ends[1] < 0 else "open"
    finding = _finding(row, relation, answer)
    if answer == "yes" and row.too_few_models and relation in OVER_OTHERS:
        finding = replace(finding, answer="withheld")
    least = max((point + POWER_80) * error for point, error in zip(points, errors, strict=True))
    return replace(finding, tested_low=ends[0], tested_high=ends[1], among=among, detectable=least)


def clear_of_zero(rows: Sequence[Ranged], sign: int) -> list[bool]:
    """Whether each is found above 0, or below for a negative sign, by Holm for all of them."""
    side = 0 if sign > 0 else 1
    arms = [(r.value or 0.0) - (r.low or 0.0) if sign > 0 else (r.high or 0.0) - (r.value or 0.0) for r in rows]
    z = [_over(sign * (r.value or 0.0), arm) for r, arm in zip(rows, arms, strict=True)]
    return [each > points[side] for each, points in zip(z, _points(rows), strict=True)]


def _finding(row: Score, relation: Relation, answer: FindingAnswer, alike: tuple[str, ...] = ()) -> Finding:
    return Finding(
        row.experiment,
        row.model,
        relation,
        answer,
        row.value,
        row.low,
        row.high,
        reason=row.reason,
        alike=alike,
        over_constant=relation in OVER_OTHERS and row.baseline == CONSTANT and row.value is not None,
    )


def _best_first(row: Score) -> tuple[float, str]:
    return -(row.value or 0.0), row.model


def _sound(row: Score) -> bool:
    """Whether nothing is to be said against the number itself, be its baseline one of too few models."""
    return not row.reason or row.too_few_models


def against_chance(skills: Iterable[Score]) -> list[Finding]:
    """Findings on skill, which is 0 by chance; a single model is tested by its own interval."""
    rows = list(skills)
    if len(rows) != 1:
        return _by_holm(rows, "chance")
    (row,) = rows
    if row.value is None or row.low is None or row.high is None or row.reason:
        return [_finding(row, "chance", "withheld")]
    answer: FindingAnswer = "yes" if row.low > 0 else "no" if row.high < 0 else "open"
    return [replace(_finding(row, "chance", answer), tested_low=row.low, tested_high=row.high, among=1)]


def against_others(skills: Iterable[Score], standings: Sequence[Ranked]) -> list[Finding]:
    """Findings on skill, the best first, each with the models that it cannot be told apart from; then the models whose
    skill is to be read with caution, which are ahead of nobody.
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
    """The verdicts on all models together in one experiment, one by each source. Simulated models, or the others, are
    left out where they are too few in every experiment. With a reference panel there is no such verdict: then
    single models have theirs below the table.
    """
    judged_sorts = {by_source.simulated for by_source in own if by_source.found.fits}
    return [
        _own_finding(by_source, SIMULATED if by_source.simulated else PANEL, by_source.found.overall)
        for by_source in own
        if by_source.experiment == experiment and by_source.simulated in judged_sorts and not by_source.panel
    ]


def single_model_findings(own: Sequence[Own], experiment: str, models: Sequence[str]) -> list[Finding]:
    """The verdicts in one experiment on each of these models that is next to a reference panel, by each source."""
    with_panel = [by_source for by_source in own if by_source.experiment == experiment and by_source.panel]
    return [
        _own_finding(by_source, model, by_source.found.each[model])
        for model in models
        for by_source in with_panel
        if model in by_source.found.each
    ]


def too_few_for_own(own: Sequence[Own]) -> list[Finding]:
    """A single finding where no experiment has enough models for a verdict: that of the one with most models."""
    if not own or any(by_source.found.fits for by_source in own):
        return []
    largest = max(own, key=lambda by_source: len(by_source.found.compared.models))
    subject = SIMULATED if largest.simulated else PANEL
    return [replace(_own_finding(largest, subject, largest.found.overall), about="overall", source=None)]


def _own_finding(own: Own, subject: str, judged: OwnVerdict) -> Finding:
    estimate = judged.estimate
    numbers = (estimate.value, *estimate.interval, *judged.tested)
    value, low, high, tested_low, tested_high = map(none_if_nan, numbers)
    answer: FindingAnswer = "withheld" if judged.verdict is None else "yes" if judged.verdict == "own" else "open"
    return Finding(
        own.experiment,
        subject,
        "own",
        answer,
        value,
        low,
        high,
        tested_low,
        tested_high,
        among=judged.tests,
        detectable=none_if_nan(judged.detectable),
        reason=judged.reason,
        models=len(own.found.compared.models),
        own_verdict=judged.verdict,
        against=judged.against,
        source=own.source,
    )
