"""Claims that come true or do not, pooled over items."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from selfexec.claims import Answers, Claims, Floats, occurring
from selfexec.claims.arrays import UNREADABLE
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics.kinds.binary_bounds import bounds as bounds
from selfexec.metrics.kinds.counts import NO_CONTRAST, Formula, Record, present
from selfexec.metrics.kinds.formulas import (
    CELLS,
    METRICS,
    Cells,
    CellsFormula,
    confusion,
    of_cells,
    recall,
    specificity,
    youden_j,
)
from selfexec.metrics.kinds.paired_differences import rests_on_few as rests_on_few
from selfexec.metrics.kinds.paired_differences import skill_difference as skill_difference
from selfexec.metrics.kinds.rates import ceiling_estimate, ceiling_share_estimate, rate_bias_estimate
from selfexec.metrics.rows import (
    FEW,
    LEAST_RARER_ITEMS,
    NOTHING_READ,
    ONE_ITEM,
    Estimate,
    share_interval,
    share_of_pairs,
)
from selfexec.stats import (
    NO_SPREAD,
    NONE,
    Array,
    Interval,
    effective_n,
    ratio_error,
    student,
    sum_interval,
    wilson,
)
from selfexec.text.numbers import number_of

SIDES: tuple[tuple[CellsFormula, CellsFormula, CellsFormula], ...] = (
    # share, its hits, its trials
    (recall, lambda c: c.tp, lambda c: c.tp + c.fn + c.unread_true),
    (specificity, lambda c: c.tn, lambda c: c.tn + c.fp + c.unread_false),
)
MUCH = 1 / 3  # of the squared widths: with less on a side, its interval matters little


# --- counts ----------------------------------------------------------------------------------------------------------


NAME = "binary"
SKILL_NAME = "youden_j"
accuracy, skill = of_cells(METRICS["accuracy"].formula), of_cells(youden_j)
DRAWN: Mapping[str, Formula] = {name: of_cells(metric.formula) for name, metric in METRICS.items() if metric.drawn}
OF_SKILL: Collection[str] = {name for name, metric in METRICS.items() if metric.skill}
OF_OTHERS: Sequence[str] = ("others_mode",)
ITEMS_FOR_SKILL_NAME = " with the rarer outcome"
NO_SKILL = "the outcomes of {} are all the same"
SHARED_CLAIMS = FREE_THRESHOLD = True
# how often, and which ones
BRIEF = ("accuracy", "predicted_rate", "rate_bias", "youden_j", "ceiling_at_own_rate", "share_of_ceiling")


def count(claims: Claims, strict: bool) -> Record:
    """A model's own record: its predictions against its behaviour. Items without a claim that counts are left out."""
    unread = (claims.state == UNREADABLE) & strict
    cells = {
        **confusion(claims),
        "unread_true": unread & (claims.observed > 0),
        "unread_false": unread & (claims.observed < 0),
        "unread_outcome": unread & (claims.observed == 0),
    }
    counts = np.stack([claims.by_item(cells[name]) for name in CELLS], axis=1)
    return present(claims, counts, counts.sum(1) > 0)


def predictor_record(claims: Claims, probability: Array) -> Record:
    """The record of somebody who says yes with these probabilities (0 to 1); nan where nothing is said."""
    counts = predictor_counts(claims, probability)
    return present(claims, counts, counts.sum(1) > 0)


def predictor_counts(claims: Claims, probability: Array) -> Array:
    """The counts of many such, of probabilities of shape (..., claims): (..., items, cells), nothing left out."""
    happened = claims.observed > 0
    right = np.where(happened, probability, 1 - probability)
    silent = np.isnan(right)
    right, wrong = np.where(silent, 0.0, right), np.where(silent, 0.0, 1 - right)
    counts = np.zeros((*probability.shape[:-1], len(claims.items), len(CELLS)))
    cells = {"tp": right * happened, "fp": wrong * ~happened, "fn": wrong * happened, "tn": right * ~happened}
    for name, amounts in cells.items():
        counts[..., CELLS.index(name)] = claims.by_item(amounts)
    return counts


def constant(record: Record) -> Record:
    """Somebody with skill 0 on each item of this record."""
    counts = np.zeros_like(record.counts)
    counts[:, 2], counts[:, 3] = sides(record.counts)
    return Record(record.items, counts)


def sides(counts: Array) -> tuple[Array, Array]:
    """How many claims of each item came true, and how many did not, where that is known."""
    return counts[:, [0, 2, 4]].sum(1), counts[:, [1, 3, 5]].sum(1)


def rehearsed(yes: Array, no: Array, differ: Array, n: Array) -> Sequence[Array]:
    """Cells of how one execution predicts another: pairs that both did it, that neither did, that differ; of n."""
    return [yes, differ, differ, no]


def of_rehearsals(sums: Array) -> Array:
    """A record of those cells summed by item."""
    return np.pad(sums, [(0, 0), (0, len(CELLS) - sums.shape[1])])


def never_changed(counts: Array) -> Interval:
    """Of the ceiling where no item ever changed: the ends of Wilson's intervals, an item for a trial."""
    true, false = (side > 0 for side in sides(counts))
    hits, rejections = wilson(1.0, float(true.sum())), wilson(1.0, float(false.sum()))
    return Interval(hits.low + rejections.low - 1, 1.0)


# --- estimates -------------------------------------------------------------------------------------------------------


def own_estimates(
    claims: Claims, record: Record, answers: Answers, wanted: Iterable[str], strict: bool
) -> Mapping[str, Estimate]:
    """What follows from a model's own record alone; `wanted` are metrics that not every experiment has."""
    found = estimates_of(record.counts, wanted)
    found["majority"] = max(found["always_yes"], found["always_no"], key=lambda e: e.value)
    return found


def brief_estimates(record: Record) -> Mapping[str, Estimate]:
    """Those of them that the first screen is made of."""
    return {name: _estimate(name, record.counts) for name in BRIEF}


def estimates_of(counts: Array, wanted: Iterable[str] = ()) -> dict[str, Estimate]:
    """Every metric of counts of shape (items, cells), and those `wanted` that not every experiment has. One item says
    nothing about skill.
    """
    names = [name for name, metric in METRICS.items() if not metric.on_request or name in wanted]
    return {name: _estimate(name, counts) for name in names}


def accuracy_estimate(record: Record) -> Estimate:
    return share_of("accuracy", record.counts)


def skill_estimate(record: Record) -> Estimate:
    return _over_items("youden_j", record.counts)


def _estimate(name: str, counts: Array) -> Estimate:
    if METRICS[name].skill and len(counts) == 1:
        return Estimate(math.nan, reason=ONE_ITEM)
    if name in BY_THEMSELVES:
        return BY_THEMSELVES[name](counts)
    return share_of(name, counts) if METRICS[name].trials else _over_items(name, counts)


def share_of(name: str, counts: Array) -> Estimate:
    """A metric that is a share, of counts of shape (items, cells), with Wilson's interval on the items as clusters."""
    metric = METRICS[name]
    # an item without a trial (a target for which nothing was listed, for recall) is no cluster
    counts = counts[metric.trials(Cells.of(counts)) > 0] if len(counts) and metric.trials else counts
    if not len(counts):
        return Estimate(math.nan, reason=metric.undefined or NOTHING_READ)
    value = float(metric.formula(Cells.of(counts.sum(0))))
    if len(counts) < 2:
        return Estimate(value)
    error = ratio_error(lambda totals: metric.formula(Cells.of(totals)), counts)
    return Estimate(value, share_interval(value, error, counts), error)


def _over_items(name: str, counts: Array) -> Estimate:
    """No share of trials: value +- t SE, within what is possible. J and balanced accuracy have another interval near
    their ends, where a standard error knows too little (docs/decisions/0008).
    """
    metric = METRICS[name]
    if not len(counts):
        return Estimate(math.nan, reason=NOTHING_READ)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(metric.formula(Cells.of(counts.sum(0))))
        if not math.isfinite(value):
            return Estimate(math.nan, reason=metric.undefined or NO_CONTRAST)
        if len(counts) < 2:
            return Estimate(value)
        error = ratio_error(lambda totals: metric.formula(Cells.of(totals)), counts)
    if name in ("youden_j", "balanced_accuracy") and (j := _near_an_end(counts)):
        interval = j if name == "youden_j" else Interval((j.low + 1) / 2, (j.high + 1) / 2)
        return Estimate(value, interval.within(metric.least, metric.most), error, interval_only=True)
    if error > NO_SPREAD or math.isnan(error):
        return Estimate(value, student(value, error, len(counts)).within(metric.least, metric.most), error)
    return Estimate(value, NONE, error)


def _near_an_end(counts: Array) -> Interval | None:
    """J's interval from Wilson's intervals of recall and specificity, where a third or more of the sum of their squared
    widths comes from a side on which fewer than ten items err, or fewer than ten hit. None where the standard error
    will do.
    """
    shares, errors, intervals, few = zip(*(_side(counts, *side) for side in SIDES), strict=True)
    squared = [(interval.high - interval.low) ** 2 for interval in intervals]
    if sum(width for width, scarce in zip(squared, few, strict=True) if scarce) < MUCH * sum(squared):
        return None
    j = sum_interval(shares, intervals, _correlation(counts, errors))
    return Interval(j.low - 1, j.high - 1)


def _side(
    counts: Array, share: CellsFormula, hits: CellsFormula, trials: CellsFormula
) -> tuple[float, float, Interval, bool]:
    """One side of J: its share, standard error, Wilson's interval, and whether few of its items err or few hit."""
    counts = counts[trials(Cells.of(counts)) > 0]
    cells = Cells.of(counts)
    value = float(share(Cells.of(counts.sum(0))))
    error = ratio_error(lambda totals: share(Cells.of(totals)), counts)
    hit, err = (int((part > 0).sum()) for part in (hits(cells), trials(cells) - hits(cells)))
    return value, error, wilson(value, effective_n(value, error, len(counts))), min(hit, err) < FEW


def _correlation(counts: Array, errors: Sequence[float]) -> float:
    """Of recall and specificity, over items: those that a model says yes to in general raise the one and lower the
    other."""
    if not all(error > NO_SPREAD for error in errors):
        return 0.0
    both = ratio_error(lambda totals: youden_j(Cells.of(totals)), counts)
    product = errors[0] * errors[1]
    return min(max((both**2 - errors[0] ** 2 - errors[1] ** 2) / (2 * product), -1.0), 1.0)


def _over_niceness(counts: Array) -> Estimate:
    """Wilson's interval on the errors; where an item errs in several epochs, on their effective number."""
    cells = Cells.of(counts)
    pairs = np.stack([cells.fn, cells.fn + cells.fp], axis=1)
    pairs = pairs[pairs[:, 1] > 0]
    if not len(pairs):
        return Estimate(math.nan, reason=METRICS["over_niceness"].undefined)
    if pairs[:, 1].max() > 1:
        return share_of_pairs(pairs)
    share = float(pairs[:, 0].mean())
    return Estimate(share, wilson(share, len(pairs)))


# metrics with an interval of their own
BY_THEMSELVES: Mapping[str, Callable[[Array], Estimate]] = {
    "over_niceness": _over_niceness,
    "rate_bias": rate_bias_estimate,
    "ceiling_at_own_rate": ceiling_estimate,
    "share_of_ceiling": ceiling_share_estimate,
}


def weights(claims: Claims) -> Floats:
    """J is the sum, over claims, of this weight times the sign that was predicted, and of a constant: what was lost and
    how often each outcome occurs. nan where J is not defined.
    """
    did = claims.observed > 0
    n = np.bincount(did, minlength=2)
    return claims.observed / (2.0 * n[did.astype(int)]) if n.all() else np.full(len(claims), math.nan)


# --- enough to go by? ------------------------------------------------------------------------------------------------


def items_for_skill(counts: Array) -> int:
    """How many items have the rarer outcome."""
    return min(int((side > 0).sum()) for side in sides(counts))


def too_few(claims: Claims, record: Record) -> str | None:
    """Whether too few items have the rarer outcome, among the claims that are scored."""
    did, did_not = (len(occurring(claims.item[claims.observed == outcome])) for outcome in (1, -1))
    items = min(did, did_not)
    if items >= LEAST_RARER_ITEMS:
        return None
    experiment = EXPERIMENTS[claims.experiment]
    if experiment.words.outcomes is None:
        return f"only {number_of(items, 'item has', 'items have')} the rarer outcome, fewer than {LEAST_RARER_ITEMS}"
    number = len(occurring(claims.item))
    asked = number_of(number, experiment.item_name)
    few = f"only {items} of {asked}" if items else f"none of {asked}"
    if items == number:
        few = f"all {asked} there are" if number > 1 else f"the {asked} there is"
    return f"{experiment.words.outcomes[did_not < did].format(few)}, and at least {LEAST_RARER_ITEMS} are needed"
