"""The Rasch model for success rates: P(success) = expit(ability - item_difficulty), by joint maximum likelihood.

Rates are shares from 0 to 1, tables may have holes, cells may have weights. With a = exp(ability) and
b = exp(item_difficulty) a fitted rate is a / (a + b), so that no cell needs an exponential.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg, sparse

from selfexec.errors import InputError, NotSettled
from selfexec.stats.intervals import Array
from selfexec.stats.rasch_cells import Block, Names, Table, dense, sum_in_order, triplets, weights_alone
from selfexec.stats.rasch_links import check_estimable

Method = Literal["newton", "paper"]
METHODS = ("newton", "paper")

NEWTON_STEPS = 100
SETTLED = 1e-8  # a Newton step this small leaves an error of about its square
GROUPS = 800  # so many at most are made of the models, and of the items, of a large plain table for a start;
CLOSE = 1e-4  # a step of theirs this small will do
SMALL = 10**7  # up to here (models x items x the fewer of the two) a linear system is solved outright
LARGE = 2 * 10**10  # and up to here where links between parts of the table are weak
WEAK = 0.2  # see `_weak_links`
POWER_STEPS = 3
GRADIENT_STEPS = 1000
GRADIENT_FLOOR = 1e-14  # of an item difficulty: below is rounding

PAPER_STEPS, PAPER_RATE, PAPER_TOLERANCE = 2000, 0.5, 1e-6


class Sides(NamedTuple):
    """One number for each model and one for each item."""

    abilities: Array
    item_difficulties: Array


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
            raise InputError(f"without {Names(items=items).item(item)} there is no estimate: {fault}") from None
        abilities[item] = part.abilities + whole.item_difficulties[rest].mean()
    spread: Array = np.sqrt((count - 1) / count * np.sum((abilities - abilities.mean(0)) ** 2, 0))
    return spread


def _table(rates: Any, weights: Any, rows: Any, columns: Any, shape: tuple[int, int] | None, names: Names) -> Table:
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


class _Point(NamedTuple):
    """The likelihood's derivatives at one point.

    `gaps`: observed less fitted totals. `information`: sums of n p (1-p). `carried`: what the models' gaps, each over
    its information, come to at the items. `densities`: n / (a+b)^2 of each cell, block by block; times a b it is
    n p (1-p).
    """

    a: Array
    b: Array
    gaps: Sides
    information: Sides
    carried: Array
    densities: list[Array]

    def there_and_back(self, table: Table, vector: Array) -> tuple[Array, Array]:
        """W v, and W' R^-1 W v: the matrix of n p (1-p) times a vector over items, and that back to the items."""
        across, back = table.there_and_back(self.densities, self.b * vector, self.a**2 / self.information.abilities)
        return self.a * across, self.b * back


def _derivatives(table: Table, totals: Sides, at: Sides, work: list[Array]) -> _Point:
    """The derivatives at one point. `work` has an array for the cells of each block, and ends up as `densities`."""
    a, b = np.exp(at.abilities), np.exp(at.item_difficulties)
    ones = np.ones_like(b)

    def part(block: Block, cells: Array) -> tuple[Array, Array, Array, Array]:
        mine = a[block.rows]
        np.divide(1.0, block.sums(a, b, out=cells), out=cells)
        heavy = cells if block.weights is None else block.weights * cells
        gaps, fitted = totals.abilities[block.rows] - mine * block.times(heavy, ones), block.back(heavy, mine)
        cells *= heavy
        information = mine * block.times(cells, b)
        both = block.back(cells, np.stack([mine, mine * gaps / information]))  # two vectors at the price of one
        return gaps, information, fitted, both

    gaps, information, fitted, both = zip(*map(part, table.blocks, work), strict=True)
    at_items, carried = b * sum_in_order(both)
    return _Point(
        a,
        b,
        Sides(np.concatenate(gaps), totals.item_difficulties - sum_in_order(fitted)),
        Sides(np.concatenate(information), at_items),
        carried,
        work,
    )


class _Summit(NamedTuple):
    """Where a climb ended, with the derivatives there. `links`: see `_weak_links`."""

    at: Sides
    point: _Point
    links: float
    iterations: int


def _newton(table: Table, names: Names) -> RaschFit:
    totals, heavy = Sides(*table.success_totals), Sides(*table.weight_totals())
    odds = Sides(*(np.log(won / (total - won)) for won, total in zip(totals, heavy, strict=True)))
    at, links, before = _start(table, heavy, odds), math.nan, 0
    if table.plain and max(table.shape) > 2 * GROUPS and _size(table) > SMALL:
        at, links, before = _start_by_groups(table, odds, at)
    top = _climbed(table, totals, at, links, SETTLED, names)
    return _described(table, top.at, top.point, top.links, before + top.iterations, "newton")


def _climbed(table: Table, totals: Sides, at: Sides, links: float, settled: float, names: Names) -> _Summit:
    """Newton steps, shortened where they are long, until one is so small that its square is rounding.

    Along a step the curvature changes at most by exp(t r), r the largest change of ability - item_difficulty. So a
    share log(1+r)/r of it never overshoots the maximum that lies on its way, and a whole one gains where r <= 1 (Sun
    and Tran-Dinh 2019, section 3).
    """
    step, work = math.inf, table.work()
    for iteration in range(NEWTON_STEPS):
        point = _derivatives(table, totals, at, work)
        simple = _simple_step(point)
        if step <= settled or (links <= WEAK and simple <= settled / 100):
            return _Summit(at, point, links, iteration)
        links = _weak_links(table, point) if math.isnan(links) else links
        change = _newton_change(table, point, links, min(max(simple / 10, 1e-5), 0.01))
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


def _algorithm_1(table: Table, names: Names) -> RaschFit:
    """Algorithm 1 of arXiv 2508.12277 as printed: both sides at once from zero, half steps, never centred."""
    totals = Sides(*table.success_totals)
    at = Sides(np.zeros(table.shape[0]), np.zeros(table.shape[1]))
    work = table.work()
    for iteration in range(1, PAPER_STEPS + 1):
        point = _derivatives(table, totals, at, work)
        change = Sides(
            point.gaps.abilities / point.information.abilities,
            -point.gaps.item_difficulties / point.information.item_difficulties,
        )
        at = Sides(*(old + PAPER_RATE * new for old, new in zip(at, change, strict=True)))
        step = float(max(np.abs(side).max() for side in change))
        if step < PAPER_TOLERANCE:
            # links are not measured here: 1 has the errors worked out whole where that can be paid
            return _described(table, at, _derivatives(table, totals, at, work), 1.0, iteration, "paper")
    raise NotSettled(
        f"Algorithm 1 did not settle in {PAPER_STEPS} iterations (last step {step:.1e}, wanted {PAPER_TOLERANCE:.0e}; "
        f"largest change at {_widest(change, names)}). Use method 'newton'."
    )


def _start(table: Table, heavy: Sides, odds: Sides) -> Sides:
    """Normal approximation (Cohen 1979): log odds of the margins, drawn apart for the spread on the other side.

    An ability is seen beside the mean difficulty of the items that the model was given.
    """
    spreads = [min(float(side.var()), 2.0) for side in odds]
    apart = 1 - spreads[0] * spreads[1] / 8.35
    difficulties = (odds[1].mean() - odds[1]) * math.sqrt((1 + spreads[0] / 2.89) / apart)
    met = 0.0 if table.complete else table.times(table.weights(), difficulties) / heavy.abilities
    return _centred(Sides(odds[0] * math.sqrt((1 + spreads[1] / 2.89) / apart) + met, difficulties))


def _start_by_groups(table: Table, odds: Sides, at: Sides) -> tuple[Sides, float, int]:
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


def _simple_step(point: _Point) -> float:
    """The largest step of one side alone; near a Newton step where links are not weak."""
    return float(max(np.abs(gap / sums).max() for gap, sums in zip(point.gaps, point.information, strict=True)))


# Linear systems. With W the matrix of n p (1-p), R and C its row and column sums, r and c the gaps, Newton's step is
#     R dability - W ditem = r,   C ditem - W' dability = -c
# in which either side can be eliminated (the Schur complement), leaving a Laplacian: its rows add up to zero.


def _size(table: Table) -> int:
    return table.shape[0] * table.shape[1] * min(table.shape)


def _weak_links(table: Table, point: _Point) -> float:
    """How much of a difference between parts of the table is left after one alternation: 0 none, 1 all (no link).

    The second largest eigenvalue of C^-1 W' R^-1 W, by the power method; 1 where a small table needs no measuring.
    """
    if _size(table) <= SMALL:
        return 1.0
    columns = point.information.item_difficulties
    vector = np.random.default_rng(0).normal(size=len(columns))  # any start will do
    for _ in range(POWER_STEPS):
        vector = (vector - columns @ vector / columns.sum()) / math.sqrt(columns @ vector**2)
        before = math.sqrt(columns @ vector**2)
        vector = point.there_and_back(table, vector)[1] / columns
    return math.sqrt(columns @ vector**2) / before


def _newton_change(table: Table, point: _Point, links: float, tolerance: float) -> Sides:
    if links > WEAK and _size(table) <= LARGE:
        return _solved_outright(_information(table, point), point.information, point.gaps)
    # where links are weak, little that is left unsolved can be much
    return _solved_step_by_step(table, point, tolerance if links <= WEAK else 1e-10)


def _information(table: Table, point: _Point) -> Any:
    """n p (1-p) of each cell as a matrix."""
    return table.matrix(point.densities) * point.a[:, None] * point.b


def _solved_outright(matrix: Any, sums: Sides, gaps: Sides) -> Sides:
    """Newton's step through the Schur complement of the larger side."""
    if matrix.shape[1] > matrix.shape[0]:
        # who is eliminated is a matter of the roles: turned over, items win where models lose
        items, models = _solved_outright(matrix.T, Sides(*sums[::-1]), Sides(-gaps[1], -gaps[0]))
        return Sides(models, items)
    change = np.zeros(matrix.shape[1])
    try:
        factor = linalg.cho_factor(_laplacian(matrix, sums[0])[1:, 1:])
        change[1:] = linalg.cho_solve(factor, (matrix.T @ (gaps[0] / sums[0]) - gaps[1])[1:])
    except (linalg.LinAlgError, ValueError):
        change[:] = math.nan
    return Sides((gaps[0] + matrix @ change) / sums[0], change)


def _laplacian(matrix: Any, sums: Array) -> Array:
    """C - W' R^-1 W. Its diagonal is the sum of the rest of the row: the difference would lose digits."""
    product = matrix.T @ (matrix * (1 / sums)[:, None])
    product = -product if isinstance(product, np.ndarray) else -product.toarray()
    np.fill_diagonal(product, 0.0)
    np.fill_diagonal(product, -product.sum(1))
    return product


def _solved_step_by_step(table: Table, point: _Point, tolerance: float) -> Sides:
    """Newton's step by conjugate gradients on the items' Schur complement, scaled by its diagonal; nan if not found."""
    (rows, columns), (row_gaps, column_gaps) = point.information, point.gaps
    change, met = np.zeros_like(columns), np.zeros_like(rows)
    left = point.carried - column_gaps
    left -= columns * left.sum() / columns.sum()  # what does not add up to zero is rounding
    direction, size = left / columns, left @ (left / columns)
    wanted = max(tolerance**2 * size, GRADIENT_FLOOR**2 * columns.sum())
    for _ in range(GRADIENT_STEPS):
        across, back = point.there_and_back(table, direction)
        image = columns * direction - back
        along = size / (direction @ image)
        change += along * direction
        met += along * across
        left -= along * image
        size, before = left @ (left / columns), size
        if size <= wanted:
            return Sides((row_gaps + met) / rows, change)
        direction = left / columns + size / before * direction
    return Sides(np.full_like(rows, math.nan), np.full_like(columns, math.nan))


def _described(table: Table, at: Sides, point: _Point, links: float, iterations: int, method: Method) -> RaschFit:
    """The fit with its errors and fit statistics."""
    infit, outfit, pearson = _mean_squares(table, point)
    freedom = table.cells - sum(table.shape) + 1
    dispersion = pearson / freedom if freedom > 0 else math.nan
    errors = Sides(*(np.sqrt(dispersion * variance) for variance in _variances(table, point, links)))
    return RaschFit(*at, errors, infit, outfit, dispersion, freedom, iterations, method)


def _mean_squares(table: Table, point: _Point) -> tuple[Sides, Sides, float]:
    """Infit, outfit, and the sum of all squared standardized residuals."""
    ones, easy = np.ones(table.shape[1]), 1 / point.b
    scratch = np.empty(max(density.size for density in point.densities))

    def part(block: Block, density: Array) -> tuple[Array, ...]:
        mine = point.a[block.rows]
        # with e = y (a+b) - a, the error y - p is e / (a+b), and z^2 is n e^2 / (a b)
        squares = block.sums(point.a, point.b, out=scratch[: density.size].reshape(density.shape))
        squares *= block.rates
        squares -= block.by_row(point.a)
        squares *= squares
        if block.weights is not None:
            squares *= block.weights
        outfit = block.times(squares, easy) / mine, block.back(squares, 1 / mine) * easy
        squares *= density
        return *outfit, block.times(squares, ones), block.back(squares, np.ones_like(mine))

    rows, columns, heavy_rows, heavy_columns = zip(*map(part, table.blocks, point.densities), strict=True)
    outfit = Sides(np.concatenate(rows), sum_in_order(columns))
    infit = Sides(np.concatenate(heavy_rows), sum_in_order(heavy_columns))
    return (
        Sides(*(sums / information for sums, information in zip(infit, point.information, strict=True))),
        Sides(*(sums / count for sums, count in zip(outfit, table.counts, strict=True))),
        float(outfit.abilities.sum()),
    )


def _variances(table: Table, point: _Point, links: float) -> Sides:
    """The diagonal of the inverse information where item difficulties add up to zero; nan where it costs too much."""
    if links > WEAK and _size(table) <= LARGE:
        return _variances_outright(_information(table, point), point.information)
    if links <= WEAK:
        return _variances_by_series(table, point)
    return Sides(np.full(table.shape[0], math.nan), np.full(table.shape[1], math.nan))


def _variances_outright(matrix: Any, sums: Sides) -> Sides:
    """Through the inverse of the smaller side's Laplacian with one node held at zero; zero is moved afterwards."""
    (rows, columns), (models, items) = sums, matrix.shape
    laplacian = _laplacian(matrix, rows) if items <= models else _laplacian(matrix.T, columns)
    inverse = np.zeros_like(laplacian)
    inverse[1:, 1:] = linalg.inv(laplacian[1:, 1:])
    if items <= models:
        weights = _as_dense(matrix * (1 / rows)[:, None]) - 1 / items
        abilities = 1 / rows + np.sum(weights @ inverse * weights, 1)
        return Sides(abilities, np.diag(inverse) - 2 * inverse.mean(1) + inverse.mean())
    weights = _as_dense(matrix.T * (1 / columns)[:, None])
    middle = weights.mean(0)
    own = np.sum(1 / columns) / items**2
    abilities = own + np.diag(inverse) - 2 * inverse @ middle + middle @ inverse @ middle
    weights -= middle
    difficulties = own + (1 - 2 / items) / columns + np.sum(weights @ inverse * weights, 1)
    return Sides(abilities, difficulties)


def _variances_by_series(table: Table, point: _Point) -> Sides:
    """The same for a large, well tied table: R^-1 and C^-1 and the first terms of a series about them.

    Scaled by its diagonal the information is I - M. The two trivial eigenvectors of M are taken out; of what is left,
    the diagonal of (I - M^2)^-1 is 1 / (1 - diag M^2) but for products of off-diagonal elements, which are smaller
    than `links` squared.
    """
    (rows, columns), items = point.information, table.shape[1]
    squares = (density * density for density in point.densities)
    row_squares, column_squares = table.both_ways(squares, point.b**2 / columns, point.a**2 / rows)
    met, met_back = point.there_and_back(table, 1 / columns)
    total = rows.sum()
    middle = (np.sum(1 / columns) + np.sum(met**2 / rows)) / items**2  # the variance of the mean item difficulty
    abilities = 1 / rows / (1 - point.a**2 * row_squares / rows + rows / total) - 2 * met / (items * rows) + middle
    own = 1 / columns / (1 - point.b**2 * column_squares / columns + columns / total)
    with_middle = (1 + met_back) / (items * columns)
    return Sides(abilities, own - 2 * with_middle + middle + 1 / total)


def _as_dense(matrix: Any) -> Array:
    array: Array = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return array
