"""Maximum likelihood of true counts behind the verdicts of a judge that errs.

The estimator of Rogan and Gladen (1978) may leave fewer than none of a cell, and does so by chance where a cell is
nearly empty. Here the cells are probabilities, and the judge's sensitivity and specificity are estimated together with
them: claims that are labelled contribute their true outcome and their verdict, unlabelled ones their verdict, claims
that need no judge their outcome, and labels of other claims what they say of the judge. Labels are taken to be drawn
at random from claims with the same prediction and verdict.

Shapes: predictions are (yes, no, not read), outcomes (true, false), verdicts (affirmed, denied).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from selfexec.stats.intervals import NO_SPREAD, Array, Interval, Z

YES, NO = 0, 1  # predictions
SHARE, SKILL = 0, 1  # statistics
JUDGED, KNOWN = 0, 1  # whether a claim needs the judge
LEVEL = 0.01  # of the test whether the labels fit
STEPS = 2000  # of EM, three at a time
TOLERANCE = 1e-8  # of the log-likelihood, from one step to the next
COARSE = 1e-4  # the same after all steps, near an end where steps are short
LONGEST_STEP = 1000.0  # of an extrapolation
ROUNDS = 30  # of the search for an end of an interval
CLOSE = 1e-2  # of the signed root of the deviance there
EDGE = 1e-6  # of the way from a limit to the estimate, where the limit itself is tried
HALVINGS = 60


class NotConverged(RuntimeError):
    """A maximum that was not found."""


@dataclass(frozen=True)
class JudgedTable:
    """The claims of one model, and the labels.

    Attributes:
        unlabelled: Claims by prediction and verdict, shape (3, 2).
        labelled: Claims by prediction, outcome by the label, and verdict, shape (3, 2, 2).
        known: Claims that need no judge, by prediction and outcome, shape (3, 2).
        elsewhere: Labels of other claims of the same judge, by outcome and verdict, shape (2, 2).
    """

    unlabelled: Array
    labelled: Array
    known: Array
    elsewhere: Array

    @property
    def labels(self) -> Array:
        """All labels, by outcome and verdict, shape (2, 2)."""
        total: Array = self.elsewhere + self.labelled.sum(0)
        return total

    @property
    def without_truth(self) -> "JudgedTable":
        """The same where labels tell of the judge alone, and of no claim in the table what came of it."""
        verdicts = self.unlabelled + self.labelled.sum(1)
        return JudgedTable(verdicts, np.zeros_like(self.labelled), self.known, self.labels)


@dataclass(frozen=True)
class Fits:
    """Maxima of the log-likelihood, shape (fits,) first.

    Attributes:
        cells: Probabilities by need of a judge, prediction and outcome, shape (fits, 2, 3, 2).
        verdicts: Probabilities of the verdicts by outcome, shape (fits, 2, 2): [:, 0, 0] is the sensitivity and
            [:, 1, 1] the specificity.
        log_likelihood: Shape (fits,).
    """

    cells: Array
    verdicts: Array
    log_likelihood: Array

    @property
    def statistics(self) -> Array:
        """The share of claims that are true, and Youden's J of the predictions, shape (fits, 2).

        A prediction that could not be read is wrong.
        """
        cells = self.cells.sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            given_outcome = cells / cells.sum(1, keepdims=True)
        skill = given_outcome[:, YES, 0] + given_outcome[:, NO, 1] - 1
        return np.stack([cells[..., 0].sum(1), skill], axis=1)


def fit(table: JudgedTable, fixed: Array | None = None, start: Fits | None = None) -> Fits:
    """Maximise the log-likelihood by expectation and maximisation.

    Args:
        table: What was counted.
        fixed: Values of share and skill that are held, shape (fits, 2), nan where one is free; one fit with both free
            where it is not given.
        start: Fits to start from.

    Raises:
        NotConverged: The maximum was not reached.
    """
    fixed = np.full((1, 2), np.nan) if fixed is None else fixed
    now = start or _start(table, len(fixed))
    before, change = np.full(len(fixed), -np.inf), np.inf
    for _ in range(STEPS):
        once = _step(table, now, fixed)
        twice = _step(table, once, fixed)
        further = _step(table, _extrapolated(now, once, twice), fixed)
        now = _better(twice, further)
        change = float(np.abs(now.log_likelihood - before).max())
        if change <= TOLERANCE:
            return now
        before = now.log_likelihood
    if change <= COARSE:
        return now
    raise NotConverged(f"the likelihood did not reach its maximum in {STEPS:,} steps")


def _step(table: JudgedTable, now: Fits, fixed: Array) -> Fits:
    """One step of expectation and maximisation; no step makes the likelihood smaller."""
    expected = _expected(table, now.cells, now.verdicts)
    cells = _cells(table, expected, fixed)
    verdicts = _shares(table.labels + expected.sum(1))
    return Fits(cells, verdicts, _log_likelihood(table, cells, verdicts))


def _extrapolated(start: Fits, once: Fits, twice: Fits) -> Fits:
    """Where the steps so far lead to (SQUAREM, third step length: Varadhan and Roland 2008), within the simplex."""
    points = [
        np.concatenate([fits.cells.reshape(-1, 12), fits.verdicts.reshape(-1, 4)], axis=1)
        for fits in (start, once, twice)
    ]
    first, second = points[1] - points[0], points[2] - 2 * points[1] + points[0]
    lengths = [np.sqrt((change**2).sum(1, keepdims=True)) for change in (first, second)]
    factor = np.clip(lengths[0] / np.maximum(lengths[1], NO_SPREAD), 1, LONGEST_STEP)
    point = np.maximum(points[0] + 2 * factor * first + factor**2 * second, points[2] / 10)
    cells, verdicts = point[:, :12].reshape(-1, 2, 3, 2), point[:, 12:].reshape(-1, 2, 2)
    return Fits(cells / cells.sum((1, 2, 3), keepdims=True), _shares(verdicts), twice.log_likelihood)


def _better(one: Fits, other: Fits) -> Fits:
    """Of each pair of fits the one whose likelihood is greater."""
    wins = other.log_likelihood > one.log_likelihood
    return Fits(
        np.where(wins[:, None, None, None], other.cells, one.cells),
        np.where(wins[:, None, None], other.verdicts, one.verdicts),
        np.where(wins, other.log_likelihood, one.log_likelihood),
    )


def profile_intervals(table: JudgedTable, best: Fits, design_effect: float) -> tuple[Interval, Interval]:
    """Intervals at 95% of share and skill: the values whose best fit is worse than the best of all by 1.92 or less.

    Args:
        table: What was counted.
        best: The fit with both free.
        design_effect: How many times larger the variance is than that of independent claims; the 1.92 is multiplied.
    """
    wanted = Z * math.sqrt(design_effect)
    which = np.array([SHARE, SHARE, SKILL, SKILL])
    limit = np.array([0.0, 1.0, -1.0, 1.0])
    centre = best.statistics[0, which]
    now = Fits(*(np.repeat(part, 4, axis=0) for part in (best.cells, best.verdicts, best.log_likelihood)))

    def root_of_deviance(values: Array) -> Array:
        nonlocal now
        fixed = np.full((4, 2), np.nan)
        fixed[np.arange(4), which] = values
        now = fit(table, fixed, _off_the_edge(now))
        root: Array = np.sqrt(2 * np.maximum(best.log_likelihood[0] - now.log_likelihood, 0))
        return root

    ends = _crossings(root_of_deviance, centre, limit, wanted)
    return Interval(float(ends[0]), float(ends[1])), Interval(float(ends[2]), float(ends[3]))


def _crossings(function: Callable[[Array], Array], centre: Array, limit: Array, wanted: float) -> Array:
    """Where a function that is 0 at the centre rises to a value on the way to the limit, which it may never do.

    The secant through the ends of the bracket, with the stale end's value halved (Illinois).
    """
    inner, outer = centre.copy(), limit + (centre - limit) * EDGE
    below, above = np.full(len(centre), -wanted), function(outer) - wanted
    never = above <= 0
    now = outer
    for _ in range(ROUNDS):
        step = (outer - inner) * below / np.where(below - above < 0, below - above, -1.0)
        now = np.where(never, outer, inner + step)
        value = function(now) - wanted
        if (never | (np.abs(value) <= CLOSE)).all():
            break
        rises = value > 0
        above, below = np.where(rises, value, above / 2), np.where(rises, below / 2, value)
        outer, inner = np.where(rises | never, np.where(never, outer, now), outer), np.where(rises, inner, now)
    return np.where(never, limit, now)


def misfit(table: JudgedTable, design_effect: float) -> float:
    """The p-value of the hypothesis that labels and verdicts come of one sensitivity and one specificity.

    The likelihood-ratio test compares the fit whose cells are probabilities to the one in which they may be negative.
    Twice the difference is taken to be distributed as a mixture of chi-square variables of 0 to k degrees of freedom
    with binomial weights, k being the number of predictions with a judged claim. Labels are counted as if they were of
    other claims.
    """
    table = table.without_truth
    verdicts, labels = table.unlabelled, table.labels
    constrained = fit(table)
    every = np.concatenate([verdicts.ravel(), table.known.ravel()])
    free = _multinomial(every) + sum(_multinomial(row) for row in labels)
    statistic = 2 * max(0.0, float(free - constrained.log_likelihood[0])) / design_effect
    k = int((verdicts.sum(1) > 0).sum())
    return math.fsum(math.comb(k, n) / 2**k * _chi_square_above(statistic, n) for n in range(k + 1))


def _chi_square_above(value: float, freedom: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(freedom, value)) if freedom else float(value <= TOLERANCE)


def _multinomial(counts: Array) -> float:
    """The greatest log-likelihood of a multinomial variable, without the factor that depends on counts alone."""
    return float(_times_log(counts, counts / max(1.0, float(counts.sum()))).sum())


def _times_log(counts: Array, probabilities: Array) -> Array:
    """Counts times the logarithm, 0 where there are none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms: Array = np.where(counts > 0, counts * np.log(probabilities), 0.0)
    return terms


def _start(table: JudgedTable, fits: int) -> Fits:
    """Each cell equally likely, and the judge as labels have it, with half a label more in each place."""
    verdicts = _shares(table.labels + 0.5)
    cells = np.full((fits, 2, 3, 2), 1 / 12)
    return Fits(cells, np.repeat(verdicts[None], fits, axis=0), np.full(fits, -np.inf))


def _off_the_edge(fits: Fits) -> Fits:
    """The same with a little in each cell: from 0 no step leads away."""
    cells = fits.cells + 1e-6
    return Fits(cells / cells.sum((1, 2, 3), keepdims=True), fits.verdicts, fits.log_likelihood)


def _expected(table: JudgedTable, cells: Array, verdicts: Array) -> Array:
    """Unlabelled claims by prediction, outcome and verdict, as expected given the verdicts: (fits, 3, 2, 2)."""
    joint = cells[:, JUDGED, :, :, None] * verdicts[:, None]
    with np.errstate(invalid="ignore"):
        share = np.nan_to_num(joint / joint.sum(2, keepdims=True))
    expected: Array = share * table.unlabelled[:, None, :]
    return expected


def _cells(table: JudgedTable, expected: Array, fixed: Array) -> Array:
    """The cells that maximise what is expected with some statistics held, shape (fits, 2, 3, 2)."""
    # a trace in each cell, so that a value that is held can be reached where nothing was counted
    judged = expected.sum(3) + table.labelled.sum(2) + NO_SPREAD
    counts = np.stack([judged, np.broadcast_to(table.known, judged.shape)], axis=1)
    n = counts.sum((1, 2))  # by outcome
    true = np.where(np.isnan(fixed[:, SHARE]), n[:, 0] / n.sum(1), fixed[:, SHARE])
    hits = counts.sum(1)[:, [YES, NO], [0, 1]]
    rates = _rates(hits, n - hits, fixed[:, SKILL])
    weight = np.empty_like(counts)
    for outcome, right in ((0, YES), (1, NO)):
        wrong = _quotient(1 - rates[:, outcome], (n - hits)[:, outcome])
        weight[:, :, :, outcome] = wrong[:, None, None]
        weight[:, :, right, outcome] = _quotient(rates[:, outcome], hits[:, outcome])[:, None]
    cells: Array = counts * weight * np.stack([true, 1 - true], axis=1)[:, None, None]
    return cells


def _rates(hits: Array, misses: Array, skill: Array) -> Array:
    """The two rates of right predictions that maximise sum hits log(rate) + misses log(1 - rate), shape (fits, 2).

    Their sum is 1 + skill where skill is no nan.
    """
    free = _quotient(hits, hits + misses)
    held = ~np.isnan(skill)
    if not held.any():
        return free
    total = 1 + np.where(held, skill, 0.0)
    low, high = np.maximum(0.0, total - 1), np.minimum(1.0, total)
    rate = np.clip(free[:, 0], low + (high - low) / 100, high - (high - low) / 100)
    signs = np.array([1.0, -1.0, -1.0, 1.0])
    counts = np.stack([hits[:, 0], misses[:, 0], hits[:, 1], misses[:, 1]], axis=1)
    for _ in range(HALVINGS):
        places = np.stack([rate, 1 - rate, total - rate, 1 - total + rate], axis=1)
        terms = counts / np.maximum(places, NO_SPREAD)
        slope = terms @ signs
        curvature = (terms / np.maximum(places, NO_SPREAD)).sum(1)
        low, high = np.where(slope > 0, rate, low), np.where(slope > 0, high, rate)
        proposed = rate + slope / np.maximum(curvature, NO_SPREAD)
        following = np.where((proposed > low) & (proposed < high), proposed, (low + high) / 2)
        moved = np.abs(following - rate)
        rate = following
        if (moved <= NO_SPREAD).all():
            break
    return np.where(held[:, None], np.stack([rate, total - rate], axis=1), free)


def _quotient(numerator: Array, denominator: Array) -> Array:
    """0 where nothing is divided by nothing."""
    return numerator / np.where(denominator > 0, denominator, 1.0)


def _shares(counts: Array) -> Array:
    """Of the last axis; equal ones where nothing was counted."""
    shares: Array = (counts + NO_SPREAD) / (counts + NO_SPREAD).sum(-1, keepdims=True)
    return shares


def _log_likelihood(table: JudgedTable, cells: Array, verdicts: Array) -> Array:
    joint = cells[:, JUDGED, :, :, None] * verdicts[:, None]
    total: Array = (
        _times_log(table.labelled, joint).sum((1, 2, 3))
        + _times_log(table.unlabelled, joint.sum(2)).sum((1, 2))
        + _times_log(table.known, cells[:, KNOWN]).sum((1, 2))
        + _times_log(table.elsewhere, verdicts).sum((1, 2))
    )
    return total
