"""Does a model's prediction tell something of its own behaviour that no other model's predictions or behaviour tell? A
verdict, by rule.

`own` takes all of this: own excess above 0, in a fit of one factor and in one of two (and of three where two leave a
misfit); more of it than where each prediction is given to another model's behaviour; the same without any one of the
models, beyond family, and among models that lost few claims. `unresolved`: above 0 by one factor, and neither losses
nor one model carry it, but a kind, a family or a cohort of models could have it. Else it is `not shown`.

A single model is judged in the same way, its interval adjusted for their number, and by its rank among the residuals of
other pairs. It is `own` only where another model of its family is in the panel: what a lone model shares with absent
ones of its family or cohort looks just like what is its own.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from selfexec.claims import Flags
from selfexec.metrics.own.excess import BLOCKS, Doubted
from selfexec.metrics.own.fit import Evidence, Fit
from selfexec.metrics.own.panel import LEAST_ITEMS, OwnPanel
from selfexec.metrics.own.second_opinions import partial_correlations, swap_shares, unique_correlations
from selfexec.metrics.rows import LEAST_PANEL, Estimate
from selfexec.stats import Array, holm
from selfexec.text.numbers import number_of

Verdict = Literal["own", "unresolved", "not shown"]
ALPHA = 0.05
OVERTURNED = {"interval", "one model", "losses"}  # by one factor: there is nothing to speak of
MISFIT = 1.5  # of two factors: more asks for a third
Against = Literal["interval", "one model", "losses", "derangement", "family", "rank", "no family", "panel"]
REFERENCES = "some of the models are of a reference panel, and only the others are judged"


@dataclass(frozen=True)
class Judged:
    """A verdict about the panel or one model of it. The estimate is that of one factor. `against` names what keeps it
    from a better verdict, by the fit: `2:interval` is the interval of two factors; of what is not shown, the first
    thing alone. `reason` says why there is no verdict.
    """

    estimate: Estimate
    verdict: Verdict | None
    against: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class OwnExcess:
    """The verdict on a panel and on each of its models, and all `evidence` for it; None where nothing can be said, and
    `panel` says why.
    """

    of: OwnPanel
    panel: Judged
    each: Mapping[str, Judged]
    evidence: Evidence | None = None

    @property
    def fits(self) -> list[Fit]:
        """Those that a verdict rests on, of the fewest factors first."""
        return [] if self.evidence is None else list(fits_of(self.evidence))

    def for_model(self, model: str) -> Judged:
        """What is said of one model, whether or not it took part."""
        if model in self.each:
            return self.each[model]
        return _nothing(f"left out: {self.of.left_out.get(model, 'none of its claims was read')}")

    @cached_property
    def detectable(self) -> float:
        """The least own excess of the panel that 80% of runs like this one would find above 0, in the fit with the
        largest error of those that a verdict rests on. To be `own` takes as much, and more. nan where nothing
        can be said.
        """
        return max((fit.panel.detectable() for fit in self.fits), default=math.nan)

    @cached_property
    def detectable_of_each(self) -> Mapping[str, float]:
        """The same of a single model, at the first level of Holm's adjustment."""
        level = ALPHA / max(len(self.of.models), 1)
        return {
            model: max(fit.each.at(n).detectable(level) for fit in self.fits) if self.fits else math.nan
            for n, model in enumerate(self.of.models)
        }

    @cached_property
    def partial_correlation(self) -> tuple[list[Estimate], Estimate]:
        """A second opinion: partial correlations of each model's prediction and outcome, and their mean."""
        return partial_correlations(self.of)

    @cached_property
    def swap(self) -> tuple[list[Estimate], Estimate]:
        """For readers: swap shares of each model, and of all."""
        return swap_shares(self.of)

    @cached_property
    def unique(self) -> Array:
        """Own excess on a scale of its own: the correlation of what is unique in prediction and in behaviour, by
        model.
        """
        return unique_correlations(self.of, self.fits[0].each.value)


def own_excess(panel: OwnPanel) -> OwnExcess:
    """The verdict on a panel of models and on each of them."""
    if reason := too_small(panel):
        return OwnExcess(panel, _nothing(reason), dict.fromkeys(panel.models, _nothing(reason)))
    evidence = Evidence(panel)
    each = evidence.fits[1].each
    return OwnExcess(
        panel,
        _judged(evidence, evidence.fits[1].panel, against_panel),
        {model: _judged(evidence, each.at(n), partial(against_one, n=n)) for n, model in enumerate(panel.models)},
        evidence,
    )


def _judged(evidence: Evidence, found: Doubted, against: Callable[[Fit], Iterator[Against]]) -> Judged:
    """A verdict; what no verdict would be better for is not worked out."""
    estimate = Estimate(float(found.value), found.interval(), float(found.error))
    if (first := next(against(evidence.fits[1]), None)) in OVERTURNED:
        return Judged(estimate, "not shown", (f"1:{first}",))
    kept = tuple(f"{fit.factors}:{what}" for fit in fits_of(evidence) for what in against(fit))
    return Judged(estimate, "unresolved" if kept else "own", kept)


def fits_of(evidence: Evidence) -> Iterator[Fit]:
    """Of one factor, of two, and of three where two leave a misfit and there are models enough."""
    yield evidence.fits[1]
    yield evidence.fits[2]
    if evidence.fits[2].misfit > MISFIT and len(evidence.panel.models) > LEAST_PANEL + 1:
        yield evidence.fits[3]


def without_verdict(found: OwnExcess, reason: str) -> OwnExcess:
    """The same numbers, from which no verdict follows."""

    def bare(judged: Judged) -> Judged:
        return replace(judged, verdict=None, reason=judged.reason or reason)

    return replace(found, panel=bare(found.panel), each={model: bare(one) for model, one in found.each.items()})


def beside_references(found: OwnExcess, references: Collection[str]) -> OwnExcess:
    """The same numbers where some of the models are of a reference panel, which was asked at another time: nothing is
    said of these, nor of all together, and of the others at best that it is `unresolved`.
    """

    def at_best_shared(judged: Judged) -> Judged:
        if judged.verdict not in ("own", "unresolved"):
            return judged
        return replace(judged, verdict="unresolved", against=(*judged.against, "1:panel"))

    each = {model: at_best_shared(judged) for model, judged in found.each.items() if model not in references}
    panel = replace(found.panel, verdict=None, against=(), reason=found.panel.reason or REFERENCES)
    return replace(found, panel=panel, each=each)


def _nothing(reason: str) -> Judged:
    return Judged(Estimate(math.nan, reason=reason), None, reason=reason)


def too_small(panel: OwnPanel) -> str | None:
    """Why nothing can be said of a panel, None where it can."""
    if (models := len(panel.models)) < LEAST_PANEL:
        tell = f"only {number_of(models, 'model tells', 'models tell')}" if models else "no model tells"
        return f"{tell} enough by prediction and behaviour, and it takes {LEAST_PANEL}"
    if panel.items < LEAST_ITEMS:
        return f"only {number_of(panel.items, 'item')}, fewer than {LEAST_ITEMS}"
    return None


def against_panel(fit: Fit) -> Iterator[Against]:
    """What keeps the panel from `own` in this fit: first what leaves nothing to speak of."""
    if not fit.panel.low > 0:
        yield "interval"
    if not fit.least_without_one > 0:
        yield "one model"
    if not fit.of.panel.well_read.all() and not fit.least_well_read > 0:
        yield "losses"
    if not fit.derangement_p < ALPHA:
        yield "derangement"
    if not fit.least_beyond_family > 0:
        yield "family"


def against_one(fit: Fit, n: int) -> Iterator[Against]:
    """What keeps the n-th model from `own` in this fit, by intervals adjusted for the number of models (Holm 1979)."""
    if not above(fit.each)[n]:
        yield "interval"
    if not np.nanmin(fit.without[:, n]) > 0:
        yield "one model"
    if not fit.of.panel.well_read.all() and not _also_well_read(fit, n):
        yield "losses"
    if not fit.outdone[n] <= ALPHA:
        yield "rank"
    if not fit.of.family[n].any():
        yield "no family"
    elif not above(fit.each_beyond_family)[n]:
        yield "family"


def _also_well_read(fit: Fit, n: int) -> bool:
    """Whether a model lost few claims itself, and is above 0 among those that did."""
    well_read = fit.of.panel.well_read
    if not well_read[n] or fit.each_well_read is None:
        return False
    return bool(fit.each_well_read.low[well_read[:n].sum()] > 0)


def above(found: Doubted) -> Flags:
    """Which are above 0 after Holm's adjustment."""
    from scipy.special import stdtr

    p = 2 * stdtr(BLOCKS - 1, -np.abs(found.t))
    adjusted = holm(np.nan_to_num(p, nan=1.0))
    found_above: Flags = (adjusted < ALPHA) & (found.value > 0)
    return found_above
