"""Score rows, the estimates that they are made of, and how much of what was asked was read."""

import math
from dataclasses import dataclass, field

import numpy as np

from selfexec.claims import Claims
from selfexec.claims.arrays import MISSING, READ, TIE, UNREADABLE
from selfexec.facets import DEFAULT_NAME
from selfexec.files.frames import NOT_IN_RECORDS
from selfexec.stats import NONE, Array, Interval, effective_n, ratio_error, wilson
from selfexec.text.numbers import decimal, number_of

# below this coverage, and below this many items with the rarer outcome, a score gets a caution: no margin of it gets a
# verdict, and no mean over experiments has it
LEAST_COVERAGE = 0.9
LEAST_RARER_ITEMS = 20
MARGINS = ("baseline_margin", "margin_at_own_rate", "auroc_margin")  # over the stacked baseline, where there is one
OF_BASELINE = ("best_baseline", *MARGINS, "baseline_share_of_ceiling")  # whose rows name the baseline
LEAST_FOR_VERDICT = (
    6  # models read on the same items (`models_read`), the model included: with fewer a margin is no evidence
)
ONE_ITEM = "only one item could be scored"  # which has an accuracy, and no skill (`degenerate`)
FEW = 10  # items: a standard error that rests on fewer is unreliable (docs/decisions/0008)


@dataclass(frozen=True)
class Score:
    """One number about one model.

    `value` is None where it is withheld or undefined, and `reason` says why. A `reason` beside a value is a caution.
    `items` and `claims` count what was asked; `unreadable` and `missing` those of the claims. `preset` names the cut of
    the items, where they are just those of one. `worst` and `best`: the least and greatest value, whatever the lost
    claims would have been (readable convention). `baseline` names the one that `best_baseline` is the skill of, and
    that margins are over: the stacked one, or one that always gives the same answer where the stacked one has no skill;
    of kinds of claims without a stacked one, the single one with the greatest skill. `models` is how many models were
    read on its items, itself included, for metrics that rest on other models; None for the others. `source` says what
    was done (self, rule, human or judge:NAME; of an overall score those of its experiments: rule+self), `condition` how
    it was asked. `verdict`: what follows from own excess (`own`, `unresolved`, `not shown`; None where nothing does).
    `panel` names the reference panel that other models are of, where they are not of the runs alone. `too_few_models`:
    the reason is that a margin over a baseline of so few models speaks for no model, and nothing else; records leave it
    out.
    """

    model: str
    experiment: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    claims: int
    unreadable: int
    missing: int
    convention: str
    reason: str | None = None
    preset: str | None = None
    worst: float | None = None
    best: float | None = None
    baseline: str | None = None
    models: int | None = None
    source: str | None = None
    condition: str = DEFAULT_NAME
    verdict: str | None = None
    panel: str | None = None
    too_few_models: bool = field(default=False, metadata=NOT_IN_RECORDS)


@dataclass(frozen=True)
class Estimate:
    """A value with its interval and standard error, before it becomes a row. `reason` says why it is nan.

    `interval_only`: the interval alone shows the uncertainty. It is not the value plus or minus a multiple of the
    error: the value is near an end of its scale, few items decide, or the interval is widened to one side.
    """

    value: float
    interval: Interval = NONE
    error: float = math.nan
    reason: str | None = None
    interval_only: bool = False


@dataclass(frozen=True)
class RowMaker:
    """What every row of one model in one experiment has: how much it was asked, and how much of that was read; `row`
    adds a metric and its value. `models` is how many were read on its items, itself included; `source` is who says what
    was done, `condition` how the model was asked.
    """

    model: str
    experiment: str
    convention: str
    items: int
    claims: int
    unreadable: int
    missing: int
    models: int = 0
    source: str | None = None
    condition: str = DEFAULT_NAME

    @property
    def coverage(self) -> float:
        return 1 - (self.unreadable + self.missing) / self.claims

    @property
    def caution(self) -> str | None:
        """Why a value is to be read with caution, and a headline withheld."""
        if self.coverage < LEAST_COVERAGE:
            return (
                f"coverage {decimal(self.coverage)} is below {decimal(LEAST_COVERAGE, 1)} "
                f"({number_of(self.unreadable, 'claim')} unreadable, {self.missing:,} missing of {self.claims:,})"
            )
        return None

    def row(self, metric: str, estimate: Estimate, caution: str | None = None, baseline: str | None = None) -> Score:
        value, low, high = (none_if_nan(x) for x in (estimate.value, *estimate.interval))
        models = self.models if metric in OF_BASELINE else None
        few = few_models(self.models) if metric in MARGINS else None
        return Score(
            self.model,
            self.experiment,
            metric,
            value,
            low,
            high,
            self.items,
            self.claims,
            self.unreadable,
            self.missing,
            self.convention,
            estimate.reason or caution or few,
            baseline=baseline,
            models=models,
            source=self.source,
            condition=self.condition,
            too_few_models=bool(few) and not (estimate.reason or caution),
        )


def few_models(models: int | None) -> str | None:
    """Why a margin is no evidence for a model where so few were read on its items; None where it may be, or where it
    rests on no models. All that were read count, also those whose behaviour varies too little for a baseline.
    """
    if models is None or models >= LEAST_FOR_VERDICT:
        return None
    read = f"only {number_of(models, 'model was', 'models were')} read on the same items"
    return f"{read}, and {LEAST_FOR_VERDICT} are needed to call one ahead"


def none_if_nan(value: float) -> float | None:
    """A number as rows and JSON have it: what is not known is None."""
    return None if math.isnan(value) else float(value)


# --- how much was read -----------------------------------------------------------------------------------------------


NOTHING_READ = "no claim could be scored"


def nothing_read(claims: Claims) -> str | None:
    """Why no score is defined for these claims; None where one of them was read. Under the strict convention an
    unreadable prediction is wrong, but a model with nothing else has predicted nothing: it gets no score rather than
    the lowest.
    """
    if (claims.state == READ).any():
        return None
    states = {"unreadable": UNREADABLE, "missing": MISSING, "tied": TIE}
    lost = [f"{n:,} {name}" for name, state in states.items() if (n := int((claims.state == state).sum()))]
    return f"no claim was read ({', '.join(lost)})" if lost else NOTHING_READ


def nothing_readable(claims: Claims) -> str | None:
    """A reason where replies came and no prediction could be read from any; None where one could, or none came."""
    unreadable, missing = (int((claims.state == state).sum()) for state in (UNREADABLE, MISSING))
    if not unreadable or (claims.predicted != 0).any():
        return None
    return f"not one of its predictions could be read ({unreadable:,} claims unreadable, {missing:,} missing)"


def coverage(claims: Claims) -> Estimate:
    return share_of_pairs(known_and_asked(claims))


def known_and_asked(claims: Claims) -> Array:
    """For each item the number of claims that were read or tied, and of all claims: shape (items, 2)."""
    return np.stack([claims.by_item(claims.read_or_tied), claims.by_item()], axis=1)


def share_of_pairs(pairs: Array) -> Estimate:
    """A share with its interval, from parts and wholes by item: shape (items, 2)."""
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=NOTHING_READ)
    share = float(pairs[:, 0].sum() / pairs[:, 1].sum())
    if len(pairs) < 2:
        return Estimate(share)
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], pairs)
    return Estimate(share, share_interval(share, error, pairs), error)


def share_interval(share: float, error: float, counts: Array) -> Interval:
    clusters = len(counts)
    if clusters < 2:
        return NONE
    return wilson(share, effective_n(share, error, clusters))
