"""The Rasch model for success rates: P(success) = expit(ability - item_difficulty), by joint maximum likelihood.

Rates are shares from 0 to 1, tables may have holes, cells may have weights. With a = exp(ability) and
b = exp(item_difficulty) a fitted rate is a / (a + b), so that no cell needs an exponential.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse

from selfexec.errors import InputError, NotSettled
from selfexec.extensions.rasch.solver.cells import Names, RateBlocks, dense, triplets, weights_alone
from selfexec.extensions.rasch.solver.errors import mean_squares, variances
from selfexec.extensions.rasch.solver.links import check_estimable
from selfexec.extensions.rasch.solver.point import LikelihoodPoint, Sides, derivatives, simple_step
from selfexec.extensions.rasch.solver.steps import WEAK, is_small, newton_change, weak_links
from selfexec.stats.intervals import Array

Method = Literal["newton", "paper"]
METHODS = ("newton", "paper")

NEWTON_STEPS = 100
SETTLED = 1e-8  # a Newton step this small leaves an error of about its square
GROUPS = 800  # so many at most are made of the models, and of the items, of a large plain table for a start;
CLOSE = 1e-4  # a step of theirs this small will do

PAPER_STEPS, PAPER_RATE, PAPER_TOLERANCE = 2000, 0.5, 1e-6


@dataclass(frozen=True)
class RaschFit:
    """Abilities and item difficulties on one logit scale; item difficulties add up to zero (`paper`: not centred).

    se           quasi-binomial standard errors: the inverse of the Fisher information under the constraint that item
                 difficulties add up to zero, times the dispersion. nan where no degree of freedom is left.
    dispersion   Pearson's statistic over its degrees of freedom, sum n (y-p)^2 / (p (1-p)) / (cells - models - items
                 + 1), for rates y with weights n and fitted rates p (McCullagh and Nelder 1989, section 4.5).
    outfit       mean of the squared standardized residuals z^2 = n (y-p)^2 / (p (1-p)) over the cells of a model or
                 an item.
    infit        their mean weighted by information: sum n^2 (y-p)^2 / sum n p (1-p)  (both: Wright and Masters 1982,
                 chapter 5, with n y for a count of successes). They average about 1 for single answers, and about
                 the dispersion for rates over many questions that have weight 1.
    """

    abilities: Array
    item_difficulties: Array
    se: Sides
    infit: Sides
    outfit: Sides
    dispersion: float
    degrees_of_freedom: int
    iterations: int
    method: Method


def fit_rasch(
    rates: Any,
    weights: Any = None,
    *,
    rows: Any = None,
    columns: Any = None,
    shape: tuple[int, int] | None = None,
    models: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    method: Method = "newton",
) -> RaschFit:
    """Fit a table of success rates: models in rows, items in columns.

    Dense: a two-dimensional array, nan in its holes, with weights of the same shape. Sparse: rates with the `rows` and
    `columns` they stand in, or a SciPy sparse array, whose stored zeros are rates of 0. Names of `models` and `items`
    serve messages. `paper` is Algorithm 1 of arXiv 2508.12277 as printed, without weights.
    """
    if method not in METHODS:
        raise InputError(f"method {method!r}: there are {', '.join(METHODS)}.")
    names = Names(models, items)
    table = _table(rates, weights, rows, columns, shape, names)
    if method == "paper" and weights is not None:
        raise InputError("method 'paper' knows no weights. Leave them out, or use method 'newton'.")
    check_estimable(table, names)
    with np.errstate(all="ignore"):  # what overflows does not settle, and is refused as such
        return _newton(table, names) if method == "newton" else _algorithm_1(table, names)


def negative_log_likelihood(rates: Any, fit: RaschFit) -> float:
    """-sum (y log p + (1-y) log (1-p)) over the rates y of a dense table, nan in its holes, and their fitted rates p:
    lines 23 to 25 of Algorithm 1 of arXiv 2508.12277.
    """
    y = np.asarray(rates, np.float64)
    logits = fit.abilities[:, None] - fit.item_difficulties
    # -log p = log(1 + exp(-logit)), without overflow
    cells = y * np.logaddexp(0.0, -logits) + (1 - y) * np.logaddexp(0.0, logits)
    return float(np.nansum(cells))


def jackknife_errors(rates: Any, weights: Any = None, *, items: Sequence[str] | None = None) -> Array:
    """Standard errors of abilities by leaving out one item (one benchmark) at a time, for a dense table.

    sqrt((k-1)/k sum (ability without item - their mean)^2) over k items (Efron and Stein 1981). The items that stay
    keep their mean difficulty of the whole fit: what is uncertain is the models' distance, not where zero is.
    """
    rates = np.asarray(rates, np.float64)
    weights = None if weights is None else np.asarray(weights, np.float64)
    whole = fit_rasch(rates, weights, items=items)
    count = rates.shape[1]
    abilities = np.empty((count, rates.shape[0]))
    for item in range(count):
        rest = np.arange(count) != item
        try:
            part = fit_rasch(rates[:, rest], None if weights is None else weights[:, rest])
        except InputError as fault:
            raise InputError(f"without {Names(items=items).item(item)} there is no estimate: {fault.typed}") from None
        abilities[item] = part.abilities + whole.item_difficulties[rest].mean()
    spread: Array = np.sqrt((count - 1) / count * np.sum((abilities - abilities.mean(0)) ** 2, 0))
    return spread


def _table(
    rates: Any, weights: Any, rows: Any, columns: Any, shape: tuple[int, int] | None, names: Names
) -> RateBlocks:
    if sparse.issparse(rates):
        cells = rates.tocoo()
        if sparse.issparse(weights):
            weights = _aligned(weights, cells)
        return triplets(cells.data.astype(np.float64), cells.row, cells.col, weights, rates.shape, names)
    rates = np.asarray(rates, np.float64)
    if rows is None and columns is None:
        if rates.ndim != 2:
            raise InputError(f"rates have {rates.ndim} dimensions. Give a table, or rows and columns of its cells.")
        return dense(rates, weights, names)
    if rows is None or columns is None or rates.ndim != 1:
        raise InputError("a sparse table is three lists of one length: rates, rows and columns.")
    return triplets(rates, rows, columns, weights, shape, names)


def _aligned(weights: Any, cells: Any) -> Array:
    """Stored weights in the order of the stored rates."""
    heavy = weights.tocoo()
    if not (np.array_equal(heavy.row, cells.row) and np.array_equal(heavy.col, cells.col)):
        raise InputError("weights and rates do not store the same cells in the same order. Give both as rows, columns.")
    aligned: Array = heavy.data.astype(np.float64)
    return aligned


class _Summit(NamedTuple):
    """Where a climb ended, with the derivatives there. `links`: see `weak_links`."""

    at: Sides
    point: LikelihoodPoint
    links: float
    iterations: int


def _newton(table: RateBlocks, names: Names) -> RaschFit:
    totals, heavy = Sides(*table.success_totals), Sides(*table.weight_totals())
    odds = Sides(*(np.log(won / (total - won)) for won, total in zip(totals, heavy, strict=True)))
    at, links, before = _start(table, heavy, odds), math.nan, 0
    if table.plain and max(table.shape) > 2 * GROUPS and not is_small(table):
        at, links, before = _start_by_groups(table, odds, at)
    top = _climbed(table, totals, at, links, SETTLED, names)
    return _described(table, top.at, top.point, top.links, before + top.iterations, "newton")


def _climbed(table: RateBlocks, totals: Sides, at: Sides, links: float, settled: float, names: Names) -> _Summit:
    """Newton steps, shortened where they are long, until one is so small that its square is rounding.

    Along a step the curvature changes at most by exp(t r), r the largest change of ability - item_difficulty. So a
    share log(1+r)/r of it never overshoots the maximum that lies on its way, and a whole one gains where r <= 1 (Sun
    and Tran-Dinh 2019, section 3).
    """
    step, work = math.inf, table.work()
    for iteration in range(NEWTON_STEPS):
        point = derivatives(table, totals, at, work)
        simple = simple_step(point)
        if step <= settled or (links <= WEAK and simple <= settled / 100):
            return _Summit(at, point, links, iteration)
        links = weak_links(table, point) if math.isnan(links) else links
        change = newton_change(table, point, links, min(max(simple / 10, 1e-5), 0.01))
        step = _reach(change)
        if not math.isfinite(step):
            break
        share = 1.0 if step <= 1 else math.log1p(step) / step
        at = _centred(Sides(*(old + share * new for old, new in zip(at, change, strict=True))))
    raise NotSettled(
        f"the Rasch fit did not settle in {iteration + 1} steps (last step {step:.1e}, wanted {settled:.0e}; largest "
        f"change at {_widest(change, names)}). Rates there are all but 0 or 1, or hardly tied to the others: leave it "
        "out, or add rates."
    )


def _algorithm_1(table: RateBlocks, names: Names) -> RaschFit:
    """Algorithm 1 of arXiv 2508.12277 as printed: both sides at once from zero, half steps, never centred."""
    totals = Sides(*table.success_totals)
    at = Sides(np.zeros(table.shape[0]), np.zeros(table.shape[1]))
    work = table.work()
    for iteration in range(1, PAPER_STEPS + 1):
        point = derivatives(table, totals, at, work)
        change = Sides(
            point.gaps.abilities / point.information.abilities,
            -point.gaps.item_difficulties / point.information.item_difficulties,
        )
        at = Sides(*(old + PAPER_RATE * new for old, new in zip(at, change, strict=True)))
        step = float(max(np.abs(side).max() for side in change))
        if step < PAPER_TOLERANCE:
            # links are not measured here: 1 has the errors worked out whole where that can be paid
            return _described(table, at, derivatives(table, totals, at, work), 1.0, iteration, "paper")
    raise NotSettled(
        f"Algorithm 1 did not settle in {PAPER_STEPS} iterations (last step {step:.1e}, wanted {PAPER_TOLERANCE:.0e}; "
        f"largest change at {_widest(change, names)}). Use method 'newton'."
    )


def _start(table: RateBlocks, heavy: Sides, odds: Sides) -> Sides:
    """Normal approximation (Cohen 1979): log odds of the margins, drawn apart for the spread on the other side.

    An ability is seen beside the mean difficulty of the items that the model was given.
    """
    spreads = [min(float(side.var()), 2.0) for side in odds]
    apart = 1 - spreads[0] * spreads[1] / 8.35
    difficulties = (odds[1].mean() - odds[1]) * math.sqrt((1 + spreads[0] / 2.89) / apart)
    met = 0.0 if table.complete else table.times(table.weights(), difficulties) / heavy.abilities
    return _centred(Sides(odds[0] * math.sqrt((1 + spreads[1] / 2.89) / apart) + met, difficulties))


def _start_by_groups(table: RateBlocks, odds: Sides, at: Sides) -> tuple[Sides, float, int]:
    """A closer start for a table without holes and weights, how weak its links are, and the steps it took.

    Margins are all that its estimates depend on: models of equal totals have equal abilities, and in between abilities
    follow totals smoothly, as do item difficulties. So a small table does, in which models and items of nearly equal
    log odds are one each, with so many times the weight. From its estimates tangents lead to the single ones.
    """
    groups = [_grouped(side) for side in odds]
    sizes = [np.bincount(group).astype(np.float64) for group in groups]
    totals = Sides(
        *(np.bincount(group, won).astype(np.float64) for group, won in zip(groups, table.success_totals, strict=True))
    )
    begin = Sides(*(np.bincount(group, side) / size for group, side, size in zip(groups, at, sizes, strict=True)))
    try:
        top = _climbed(weights_alone(np.outer(*sizes)), totals, begin, math.nan, CLOSE, Names())
    except NotSettled:  # the whole table will tell who is to blame
        return at, math.nan, 0
    middles = [np.log(t / (size * n - t)) for t, size, n in zip(totals, sizes, table.shape[::-1], strict=True)]
    start = Sides(*map(_by_tangents, odds, groups, middles, top.at))
    return _centred(start), top.links if top.links < 1 else math.nan, top.iterations


def _grouped(odds: Array) -> Any:
    """The group of each of these log odds, by stretches of equal length, numbered in their order."""
    width = max((odds.max() - odds.min()) / GROUPS, 1e-9)  # what differs by rounding alone is equal
    group = np.minimum((odds - odds.min()) / width, GROUPS - 1).astype(np.int64)
    there = np.bincount(group) > 0
    return (np.cumsum(there) - 1)[group]


def _by_tangents(odds: Array, group: Any, middle: Array, best: Array) -> Array:
    """The estimates of single ones, from those of their groups at the log odds `middle`."""
    slopes: Array = np.gradient(best, middle) if len(best) > 1 else np.zeros(1)
    estimates: Array = best[group] + slopes[group] * (odds - middle[group])
    return estimates


def _centred(at: Sides) -> Sides:
    middle = at.item_difficulties.mean()
    return Sides(at.abilities - middle, at.item_difficulties - middle)


def _reach(change: Sides) -> float:
    """The largest change of an ability less an item difficulty, of either sign."""
    abilities, items = change
    return float(np.maximum(abilities.max() - items.min(), items.max() - abilities.min()))


def _widest(change: Sides, names: Names) -> str:
    model, item = (int(np.argmax(np.abs(side))) for side in change)
    return names.model(model) if abs(change[0][model]) > abs(change[1][item]) else names.item(item)


def _described(
    table: RateBlocks, at: Sides, point: LikelihoodPoint, links: float, iterations: int, method: Method
) -> RaschFit:
    """The fit with its errors and fit statistics."""
    infit, outfit, pearson = mean_squares(table, point)
    freedom = table.cells - sum(table.shape) + 1
    dispersion = pearson / freedom if freedom > 0 else math.nan
    errors = Sides(*(np.sqrt(dispersion * variance) for variance in variances(table, point, links)))
    return RaschFit(*at, errors, infit, outfit, dispersion, freedom, iterations, method)
