"""Does a model's prediction contain anything about its own behaviour that no other model's predictions or behaviour
contain? A verdict, by rule.

The verdict on all models together is one of three.

own           At least ten models, and all of these: own excess is above 0 with one common factor and with two, and two
              factors fit well; it is larger than where predictions are assigned to another model's behaviour, and more
              than three times what pairs of models share; and it is above 0 by the jackknife over models, beyond
              families, and among models that lost few claims.
unresolved    Own excess is above 0 with one factor, and neither losses nor a single model account for it, but
              another explanation was not ruled out.
not shown     Otherwise.

A single model is at best `unresolved`: what it shares with similar models that are not in the run looks exactly like
what is its own. It is judged by its interval, adjusted for the number of models that are judged, and by its rank among
the residuals of other pairs.
"""

import math
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from selfexec.claims import Claims, Numbers
from selfexec.experiments import SELF
from selfexec.metrics.kinds import claim_kind
from selfexec.metrics.own_excess.compared import LEAST_ITEMS, ComparedModels, compared_models
from selfexec.metrics.own_excess.excess import Doubted
from selfexec.metrics.own_excess.fit import Evidence, Fit
from selfexec.metrics.own_excess.second_opinions import partial_correlations, swap_shares, unique_correlations
from selfexec.metrics.rows import LEAST_FOR_VERDICT, Estimate
from selfexec.stats import NONE, Array, Interval, p_values
from selfexec.text.numbers import number_of

Verdict = Literal["own", "unresolved", "not shown"]
ALPHA = 0.05
LEAST_FOR_OWN = 10  # models: what fewer share by way of many sources looks like what is their own
MISFIT = 1.5  # at most, where 1 is expected
TIMES_PAIRS = 3.0  # own excess is at least so much of what a model may share with single others
OVERTURNED = {"interval", "one model", "losses", "rank"}  # with one factor: there is nothing to speak of
Against = Literal[
    "interval",
    "one model",
    "losses",
    "rank",
    "few models",
    "derangement",
    "family",
    "pairs",
    "worst losses",
    "misfit",
    "cohort",
    "panel",
]


class Objection(NamedTuple):
    """What keeps a verdict from a better one, and in the fit of how many factors. As text: 2:interval"""

    factors: int
    what: Against

    def __str__(self) -> str:
        return f"{self.factors}:{self.what}"


REFERENCES = "some of the models are of a reference panel, and only the others are judged"


@dataclass(frozen=True)
class OwnVerdict:
    """A verdict on all models together, or on one of them.

    Attributes:
        estimate: Own excess with one factor, with its plain interval.
        verdict: None where there is none.
        against: What keeps it from a better verdict. For `unresolved`, all that was not ruled out; for `not shown`, the
            first objection alone.
        reason: Why there is no verdict.
        tested: The interval that the verdict rests on, adjusted for `tests` of them (Holm 1979).
        tests: How many intervals were tested together.
        detectable: The least own excess that 80% of runs like this one would find above 0 in this test.
    """

    estimate: Estimate
    verdict: Verdict | None
    against: tuple[Objection, ...] = ()
    reason: str | None = None
    tested: Interval = NONE
    tests: int = 1
    detectable: float = math.nan


@dataclass(frozen=True)
class OwnExcess:
    """The verdicts on models that were compared with each other.

    Attributes:
        compared: The models, with their predictions and outcomes.
        overall: The verdict on all of them together.
        each: Model -> the verdict on it.
        evidence: What the verdicts rest on; None where nothing can be said, for the reason in `overall`.
    """

    compared: ComparedModels
    overall: OwnVerdict
    each: Mapping[str, OwnVerdict]
    evidence: Evidence | None = None

    @property
    def fits(self) -> list[Fit]:
        """The fits that verdicts rest on, by the number of factors."""
        return [] if self.evidence is None else list(self.evidence.fits.values())

    def for_model(self, model: str) -> OwnVerdict:
        """The verdict on one model, or why it took no part."""
        if model in self.each:
            return self.each[model]
        return _nothing(f"left out: {self.compared.left_out.get(model, 'none of its claims was read')}")

    @property
    def detectable(self) -> float:
        """The least own excess of all models together that 80% of runs like this one would find above 0."""
        return self.overall.detectable

    @cached_property
    def partial_correlation(self) -> tuple[list[Estimate], Estimate]:
        """A second opinion: the generalised covariance measure of each model, and their mean."""
        return partial_correlations(self.compared)

    @cached_property
    def swap(self) -> tuple[list[Estimate], Estimate]:
        """For readers: swap shares of each model, and of all."""
        return swap_shares(self.compared)

    @cached_property
    def unique(self) -> Array:
        """Own excess on a scale of its own: the correlation of what is unique in prediction and in behaviour, by
        model.
        """
        return unique_correlations(self.compared, self.fits[0].each.value)


def judge_own_excess(compared: ComparedModels, references: Collection[str] = ()) -> OwnExcess:
    """The verdicts on these models together and on each of them. Where some are `references`, models of a reference
    panel, there is no verdict on those nor on all models together: the panel was asked at another time.
    """
    judged = [model for model in compared.models if model not in references]
    if reason := too_small(compared):
        return OwnExcess(compared, _nothing(reason), dict.fromkeys(judged, _nothing(reason)))
    evidence = Evidence(compared)
    numbers = np.array([compared.models.index(model) for model in judged], np.int64)
    of_all = _panel(evidence)
    if len(judged) < len(compared.models):
        of_all = replace(of_all, verdict=None, against=(), reason=REFERENCES)
    each = dict(zip(judged, _singles(evidence, numbers), strict=True))
    return OwnExcess(compared, of_all, each, evidence)


def _panel(evidence: Evidence) -> OwnVerdict:
    found = evidence.fits[1].mean
    judged = judged_by(found, objections_overall(evidence), "own")
    return replace(judged, tested=judged.estimate.interval, detectable=found.detectable())


def _singles(evidence: Evidence, numbers: Numbers) -> Iterator[OwnVerdict]:
    each = evidence.fits[1].each
    for n, tests in zip(numbers, holm_tests(each, numbers), strict=True):
        level, one = ALPHA / int(tests), each.at(n)
        judged = judged_by(one, objections_to_model(evidence, int(n), level), "unresolved")
        if judged.verdict == "unresolved" and len(numbers) < len(evidence.compared.models):
            judged = replace(judged, against=(*judged.against, Objection(1, "panel")))
        yield replace(judged, tested=one.interval(level), tests=int(tests), detectable=one.detectable(level))


def holm_tests(each: Doubted, numbers: Numbers) -> Numbers:
    """For how many tests the interval of each of these is adjusted: Holm (1979) takes them from the clearest on, the
    first for all of them, the next for one fewer, and the rest as the first that is not above 0.
    """
    p = np.nan_to_num(p_values(each.value[numbers], each.error[numbers], np.float64(each.freedom)), nan=1.0)
    p = np.where(each.value[numbers] > 0, p, 1.0)
    order = np.argsort(p, kind="stable")
    tests = np.arange(len(p), 0, -1)
    failed = p[order] * tests >= ALPHA
    if failed.any():
        tests = np.maximum(tests, tests[failed.argmax()])
    in_place: Numbers = np.empty_like(tests)
    in_place[order] = tests
    return in_place


def judged_by(found: Doubted, against: Iterator[Objection], best: Verdict) -> OwnVerdict:
    """The verdict that these objections allow. Once one of them leaves `not shown`, no others are worked out."""
    estimate = Estimate(float(found.value), found.interval(), float(found.error))
    kept = []
    for objection in against:
        if objection.factors == 1 and objection.what in OVERTURNED:
            return OwnVerdict(estimate, "not shown", (objection,))
        kept.append(objection)
    return OwnVerdict(estimate, "unresolved" if kept else best, tuple(kept))


def without_verdict(found: OwnExcess, reason: str) -> OwnExcess:
    """The same numbers, from which no verdict follows."""

    def bare(judged: OwnVerdict) -> OwnVerdict:
        return replace(judged, verdict=None, reason=judged.reason or reason)

    return replace(found, overall=bare(found.overall), each={model: bare(one) for model, one in found.each.items()})


def _nothing(reason: str) -> OwnVerdict:
    return OwnVerdict(Estimate(math.nan, reason=reason), None, reason=reason)


def too_small(compared: ComparedModels) -> str | None:
    """Why so few models or items allow no verdict; None where they do."""
    if (models := len(compared.models)) < LEAST_FOR_VERDICT:
        vary = f"only {number_of(models, 'model varies', 'models vary')}" if models else "no model varies"
        return f"{vary} enough in both prediction and behaviour, and {LEAST_FOR_VERDICT} are needed"
    if compared.items < LEAST_ITEMS:
        return f"only {number_of(compared.items, 'item')}, fewer than {LEAST_ITEMS}"
    return None


def objections_overall(evidence: Evidence) -> Iterator[Objection]:
    """What keeps the verdict on all models from `own`: first the objections after which it is `not shown`."""
    for fit in evidence.fits.values():
        if not fit.mean.low > 0:
            yield Objection(fit.factors, "interval")
        if not fit.over_models.low > 0:
            yield Objection(fit.factors, "one model")
        if fit.well_read is None or not fit.well_read.low > 0:
            yield Objection(fit.factors, "losses")
    if len(evidence.compared.models) < LEAST_FOR_OWN:
        yield Objection(1, "few models")
    for fit in evidence.fits.values():
        if not fit.derangement_p < ALPHA:
            yield Objection(fit.factors, "derangement")
        if not (fit.beyond_family.low > 0 and fit.beyond_family_over_models.low > 0):
            yield Objection(fit.factors, "family")
        if not fit.mean.value > TIMES_PAIRS * fit.pairs:
            yield Objection(fit.factors, "pairs")
        if fit.beyond_losses is None or not fit.beyond_losses.low > 0:
            yield Objection(fit.factors, "worst losses")
    if evidence.fits[2].misfit > MISFIT:
        yield Objection(2, "misfit")


def objections_to_model(evidence: Evidence, n: int, level: float) -> Iterator[Objection]:
    """What keeps the verdict on the n-th model from `own`, with intervals at this level: first the objections after
    which it is `not shown`.
    """
    lost = evidence.loss_bounds[n]
    for fit in evidence.fits.values():
        low = fit.each.at(n).interval(level).low
        if not low > 0:
            yield Objection(fit.factors, "interval")
        if not fit.outdone[n] <= ALPHA:
            yield Objection(fit.factors, "rank")
        if not (evidence.compared.well_read[n] and low > lost):
            yield Objection(fit.factors, "losses")
        if not fit.each_beyond_family.at(n).interval(level).low > 0:
            yield Objection(fit.factors, "family")
    yield Objection(1, "cohort")
    if evidence.fits[2].misfit > MISFIT:
        yield Objection(2, "misfit")


# --- by each source of what was done ---------------------------------------------------------------------------------


NAME = "own_excess"
OWN_JUDGE = (
    "each model judges its own responses, and its predictions may agree with its judgements for "
    "reasons other than self-knowledge"
)


@dataclass(frozen=True)
class Own:
    """Own excess in one experiment, in one condition and by one source of outcomes.

    Attributes:
        metric: Its name in scores.
        found: The verdicts.
        simulated: Whether the models are simulated.
        panel: The name of the reference panel that some of the models are of; None where all are of the runs.
    """

    experiment: str
    condition: str
    source: str
    metric: str
    found: OwnExcess
    simulated: bool = False
    panel: str | None = None

    def is_of(self, model: str) -> bool:
        """Whether this model has a verdict, or a reason for having none."""
        return model in self.found.each or model in self.found.compared.left_out


def own_excess_by_source(
    claims: Claims, simulated: Container[str], families: Mapping[str, str | None], references: Collection[str] = ()
) -> Iterator[Own]:
    """Own excess by the source of outcomes that counts, then by each further source. Simulated models are compared only
    with each other. Nothing where models are not asked about the same claims.

    Where each model judges for itself what it did, there is no verdict: prediction and judgement may agree although the
    model does not know what it does. `references` are models of a reference panel.
    """
    if not claim_kind(claims).SHARED_CLAIMS:
        return
    named = {NAME: claims, **{f"{NAME}_by_{other}": claims.by(other) for other in claims.further_sources}}
    for metric, these in named.items():
        for apart in (False, True):
            if models := [model for model in these.models if (model in simulated) == apart]:
                found = judge_own_excess(compared_models(these, models, families), references)
                found = without_verdict(found, OWN_JUDGE) if these.source == SELF else found
                yield Own(these.experiment, these.condition, these.source, metric, found, apart)
