"""The Rasch model for success rates: P(success) = expit(ability - item difficulty), by joint maximum likelihood.

A table has models in rows and items in columns: shares from 0 to 1, and nan in its holes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from selfexec.errors import InputError, NotSettled
from selfexec.extensions.rasch.existence import check_estimable
from selfexec.stats.intervals import Array

Method = Literal["newton", "paper"]
METHODS = ("newton", "paper")

NEWTON_STEPS = 100
SETTLED = 1e-8  # a Newton step this small leaves an error of about its square
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
    dispersion   Pearson's statistic over its degrees of freedom, sum (y-p)^2 / (p (1-p)) / (cells - models - items
                 + 1), for rates y and fitted rates p (McCullagh and Nelder 1989, section 4.5).
    outfit       mean of the squared standardized residuals z^2 = (y-p)^2 / (p (1-p)) over the cells of a model or an
                 item.
    infit        their mean weighted by information: sum (y-p)^2 / sum p (1-p)  (both: Wright and Masters 1982, chapter
                 5). They average about 1 for single answers, and about the dispersion for rates over many questions.
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


class _Likelihood(NamedTuple):
    """The likelihood at one point. Of each cell, 0 in a hole: `residuals` y - p and `information` p (1-p). `gaps`: its
    derivatives by abilities and by item difficulties, observed less fitted totals and the reverse.
    """

    residuals: Array
    information: Array
    gaps: Sides


def fit_rasch(
    rates: Any,
    *,
    models: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    method: Method = "newton",
) -> RaschFit:
    """Fit a table of success rates: models in rows, items in columns, nan where there is no rate.

    Names of `models` and `items` serve messages. `paper` is Algorithm 1 of arXiv 2508.12277 as printed.

    Raises:
        InputError: A rate is not a share, or a model or item, which is named, has no finite estimate.
        NotSettled: The steps do not come to an end.
    """
    if method not in METHODS:
        raise InputError(f"method {method!r}: there are {', '.join(METHODS)}.")
    rates = np.asarray(rates, np.float64)
    names = _checked_names(rates, models, items)
    check_estimable(rates, names)
    with np.errstate(all="ignore"):  # what overflows does not settle, and is refused as such
        climb = _newton if method == "newton" else _algorithm_1
        estimates, iterations = climb(rates, names)
        return _described(rates, estimates, iterations, method)


def negative_log_likelihood(rates: Any, fit: RaschFit) -> float:
    """-sum (y log p + (1-y) log (1-p)) over the rates y of a table, nan in its holes, and their fitted rates p: lines
    23 to 25 of Algorithm 1 of arXiv 2508.12277.
    """
    y = np.asarray(rates, np.float64)
    logits = fit.abilities[:, None] - fit.item_difficulties
    # -log p = log(1 + exp(-logit)), without overflow
    cells = y * np.logaddexp(0.0, -logits) + (1 - y) * np.logaddexp(0.0, logits)
    return float(np.nansum(cells))


def jackknife_errors(rates: Any, *, items: Sequence[str] | None = None) -> Array:
    """Standard errors of abilities by leaving out one item (one benchmark) at a time.

    sqrt((k-1)/k sum (ability without item - their mean)^2) over k items (Efron and Stein 1981). The items that stay
    keep their mean difficulty of the whole fit: what is uncertain is the models' distance, not where zero is.
    """
    rates = np.asarray(rates, np.float64)
    whole = fit_rasch(rates, items=items)
    count = rates.shape[1]
    abilities = np.empty((count, rates.shape[0]))
    for item in range(count):
        rest = np.arange(count) != item
        try:
            part = fit_rasch(rates[:, rest])
        except InputError as fault:
            name = f"item [{item}]" if items is None else f"item {items[item]!r}"
            raise InputError(f"without {name} there is no estimate: {fault.typed}") from None
        abilities[item] = part.abilities + whole.item_difficulties[rest].mean()
    spread: Array = np.sqrt((count - 1) / count * np.sum((abilities - abilities.mean(0)) ** 2, 0))
    return spread


def _checked_names(rates: Array, models: Sequence[str] | None, items: Sequence[str] | None) -> list[str]:
    """What messages call the models and then the items, of a table whose cells are rates or holes."""
    if rates.ndim != 2:
        raise InputError(f"rates have {rates.ndim} dimensions. Give a table: models in rows, items in columns.")
    names = []
    for what, size, given in (("model", rates.shape[0], models), ("item", rates.shape[1], items)):
        if given is not None and len(given) != size:
            raise InputError(f"there are {size} {what}s and {len(given)} names for them. Give one name for each.")
        if size < 2:
            raise InputError(f"there is {size or 'no'} {what}. A Rasch model compares: give at least two {what}s.")
        names += [f"{what} {name!r}" for name in given] if given is not None else [f"{what} [{k}]" for k in range(size)]
    if len(wrong := np.argwhere((rates < 0) | (rates > 1))):
        row, column = wrong[0]
        raise InputError(
            f"{names[row]}, {names[len(rates) + column]}: the rate {rates[row, column]:g} is not a share from 0 to 1. "
            "Fix it (85% is 0.85)."
        )
    return names


def _newton(rates: Array, names: Sequence[str]) -> tuple[Sides, int]:
    """Newton steps, shortened where they are long, until one is so small that its square is rounding.

    Along a step the curvature changes at most by exp(t r), r the largest change of ability - item difficulty. So a
    share log(1+r)/r of it never overshoots the maximum that lies on its way, and a whole one gains where r <= 1 (Sun
    and Tran-Dinh 2019, section 3).
    """
    estimates = _start(rates)
    for iteration in range(1, NEWTON_STEPS + 1):
        likelihood = _likelihood(rates, estimates)
        change = _newton_step(likelihood.information, likelihood.gaps)
        step = max(change[0].max() - change[1].min(), change[1].max() - change[0].min())
        if not math.isfinite(step):
            break
        estimates = _moved(estimates, change, 1.0 if step <= 1 else math.log1p(step) / step)
        estimates = Sides(*(side - estimates.item_difficulties.mean() for side in estimates))
        if step <= SETTLED:
            return estimates, iteration
    raise NotSettled(
        f"the Rasch fit did not settle in {iteration} steps (last step {step:.1e}, wanted {SETTLED:.0e}; largest "
        f"change at {_widest(change, names)}). Rates there are all but 0 or 1, or hardly tied to the others: leave it "
        "out, or add rates."
    )


def _algorithm_1(rates: Array, names: Sequence[str]) -> tuple[Sides, int]:
    """Algorithm 1 of arXiv 2508.12277 as printed: both sides at once from zero, half steps, never centred."""
    estimates = Sides(*map(np.zeros, rates.shape))
    for iteration in range(1, PAPER_STEPS + 1):
        likelihood = _likelihood(rates, estimates)
        change = Sides(*(gap / likelihood.information.sum(1 - k) for k, gap in enumerate(likelihood.gaps)))
        estimates = _moved(estimates, change, PAPER_RATE)
        step = max(np.abs(side).max() for side in change)
        if step < PAPER_TOLERANCE:
            return estimates, iteration
    raise NotSettled(
        f"Algorithm 1 did not settle in {PAPER_STEPS} iterations (last step {step:.1e}, wanted {PAPER_TOLERANCE:.0e}; "
        f"largest change at {_widest(change, names)}). Use method 'newton'."
    )


def _start(rates: Array) -> Sides:
    """Normal approximation (Cohen 1979): log odds of the mean rates, drawn apart for the spread on the other side.

    An ability is seen against the mean difficulty of the items that the model was given.
    """
    odds = [np.log(mean / (1 - mean)) for mean in (np.nanmean(rates, 1), np.nanmean(rates, 0))]
    spreads = [min(float(side.var()), 2.0) for side in odds]
    apart = 1 - spreads[0] * spreads[1] / 8.35
    difficulties = (odds[1].mean() - odds[1]) * math.sqrt((1 + spreads[0] / 2.89) / apart)
    met = np.nanmean(np.where(np.isnan(rates), math.nan, difficulties), 1)
    return Sides(odds[0] * math.sqrt((1 + spreads[1] / 2.89) / apart) + met, difficulties)


def _likelihood(rates: Array, at: Sides) -> _Likelihood:
    fitted = 1 / (1 + np.exp(at.item_difficulties - at.abilities[:, None]))
    missing = np.isnan(rates)
    residuals = np.where(missing, 0.0, rates - fitted)
    information = np.where(missing, 0.0, fitted * (1 - fitted))
    return _Likelihood(residuals, information, Sides(residuals.sum(1), -residuals.sum(0)))


def _moved(estimates: Sides, change: Sides, share: float) -> Sides:
    return Sides(*(old + share * new for old, new in zip(estimates, change, strict=True)))


def _newton_step(information: Array, gaps: Sides) -> Sides:
    """Newton's step; nan where there is none.

    With W the information of the cells and R and C its sums over rows and columns, it solves R ability - W difficulty =
    gap and C difficulty - W' ability = gap. The side with more entries is eliminated (the Schur complement).
    """
    if information.shape[1] > information.shape[0]:
        return Sides(*_newton_step(information.T, Sides(*gaps[::-1]))[::-1])
    sums = information.sum(1)
    change = np.zeros(information.shape[1])
    try:
        right = gaps[1] + information.T @ (gaps[0] / sums)
        change[1:] = np.linalg.solve(_laplacian(information)[1:, 1:], right[1:])  # the first stays where it is
    except np.linalg.LinAlgError:
        change[:] = math.nan
    return Sides((gaps[0] + information @ change) / sums, change)


def _laplacian(information: Array) -> Array:
    """C - W' R^-1 W. Its diagonal is the sum of the rest of the row: the difference would lose digits."""
    laplacian: Array = -information.T @ (information / information.sum(1, keepdims=True))
    np.fill_diagonal(laplacian, 0.0)
    np.fill_diagonal(laplacian, -laplacian.sum(1))
    return laplacian


def _variances(information: Array) -> Sides:
    """The diagonal of the inverse information where item difficulties add up to zero.

    The side with fewer entries is solved for with its first one held at zero. Each of the others is a mean of them,
    weighted by information, with a variance of its own on top; so is the mean item difficulty, which is taken off.
    """
    models, items = information.shape
    long = information if items <= models else information.T
    sums, (many, few) = long.sum(1), long.shape
    inverse = np.zeros((few, few))
    inverse[1:, 1:] = np.linalg.inv(_laplacian(long)[1:, 1:])
    weights = np.concatenate([long / sums[:, None], np.eye(few)])
    own = np.concatenate([1 / sums, np.zeros(few)])
    is_item = np.repeat([items > models, items <= models], [many, few])
    weights -= weights[is_item].mean(0)
    variances = own * np.where(is_item, 1 - 2 / items, 1) + own[is_item].sum() / items**2
    variances += np.sum(weights @ inverse * weights, 1)
    return Sides(variances[~is_item], variances[is_item])


def _widest(change: Sides, names: Sequence[str]) -> str:
    return names[int(np.argmax(np.abs(np.concatenate(change))))]


def _described(rates: Array, estimates: Sides, iterations: int, method: Method) -> RaschFit:
    """The fit with its errors and fit statistics."""
    residuals, information, _ = _likelihood(rates, estimates)
    squares = residuals**2
    standardized = np.where(information > 0, squares / information, 0.0)
    cells = np.isfinite(rates)
    freedom = int(cells.sum()) - sum(rates.shape) + 1
    dispersion = float(standardized.sum()) / freedom if freedom > 0 else math.nan
    return RaschFit(
        *estimates,
        Sides(*(np.sqrt(dispersion * variance) for variance in _variances(information))),
        Sides(*(squares.sum(axis) / information.sum(axis) for axis in (1, 0))),
        Sides(*(standardized.sum(axis) / cells.sum(axis) for axis in (1, 0))),
        dispersion,
        freedom,
        iterations,
        method,
    )
