"""Tables as sums of products, the diagonal left out."""

import numpy as np
import pytest
from scipy.optimize import minimize

from selfexec.stats.factors import fit_factors

RNG = np.random.default_rng(3)
OFF = ~np.eye(6, dtype=bool)


def minimised(table: np.ndarray, weights: np.ndarray, factors: int, start: np.ndarray) -> np.ndarray:
    """What is fitted, by another method: the objective as it is written, minimised by SciPy from near the truth."""
    n = len(table)

    def objective(loadings: np.ndarray) -> float:
        rows, columns = loadings.reshape(2, n, factors)
        missed = (weights * (table - rows @ columns.T) ** 2).sum()
        return float(missed + n * sum(np.log((part**2).sum(0)).sum() for part in (rows, columns)))

    found = minimize(objective, start, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}).x
    rows, columns = found.reshape(2, n, factors)
    fitted: np.ndarray = rows @ columns.T
    return fitted


def test_the_diagonal_of_a_product_is_told_by_what_is_off_it() -> None:
    q, t = RNG.uniform(0.3, 0.9, (2, 6))
    table = np.outer(q, t)
    spoilt = np.where(OFF, table, 9.0)  # what has no weight is not looked at
    assert fit_factors(spoilt, OFF * 1e6).fitted == pytest.approx(table, abs=1e-4)


def test_one_factor_minimises_what_it_misses_and_what_its_loadings_cost() -> None:
    q, t = RNG.uniform(0.3, 0.9, (2, 6))
    table, weights = np.outer(q, t) + RNG.normal(0, 0.05, (6, 6)), RNG.uniform(100, 500, (6, 6)) * OFF
    expected = minimised(table, weights, 1, np.concatenate([q, t]))
    assert fit_factors(table, weights).fitted == pytest.approx(expected, abs=1e-4)


def test_two_factors_minimise_it_as_well() -> None:
    q, t, r, m = RNG.uniform(0.3, 0.9, (4, 6))
    r[::2], m[::2] = -r[::2], -m[::2]
    table = np.outer(q, t) + np.outer(r, m) + RNG.normal(0, 0.03, (6, 6))
    start = np.concatenate([np.stack([q, r], 1).ravel(), np.stack([t, m], 1).ravel()])
    expected = minimised(table, OFF * 1000.0, 2, start)
    assert fit_factors(table, OFF * 1000.0, 2).fitted == pytest.approx(np.clip(expected, -1, 1), abs=1e-3)


def test_a_factor_that_the_table_does_not_call_for_is_none() -> None:
    """Noise of the variance that the weights promise, in a hundred tables: on the diagonal nothing is made up."""
    noise = RNG.normal(0, 0.05, (100, 6, 6))
    weights = np.broadcast_to(OFF * 400.0, noise.shape)
    none = fit_factors(noise, weights)
    assert (none.rows == 0).all(axis=(1, 2)).mean() > 0.8
    assert np.abs(none.fitted).max() < 0.6
    q, t = RNG.uniform(0.5, 0.9, (2, 6))
    found = fit_factors(np.outer(q, t) + noise, weights, 2)
    assert (found.rows[..., 1] == 0).all(axis=1).mean() > 0.8
    assert found.fitted[:, OFF].mean(0) == pytest.approx(np.outer(q, t)[OFF], abs=0.04)


def test_what_is_fitted_is_a_correlation() -> None:
    table = np.where(OFF, 0.99, 0.0)
    table[0, 1:] = table[1:, 0] = 0.2
    assert np.abs(fit_factors(table, OFF * 1e4, 2).fitted).max() <= 1


@pytest.mark.parametrize("factors", [1, 2])
def test_what_is_fitted_moves_with_the_table_as_a_fit_to_the_moved_table_does(factors: int) -> None:
    q, t, r, m = RNG.uniform(0.3, 0.7, (4, 6))
    r[::2], m[::2] = -r[::2], -m[::2]
    table, weights = np.outer(q, t) + (factors > 1) * np.outer(r, m), RNG.uniform(3e3, 5e3, (6, 6)) * OFF
    fit, changes = fit_factors(table, weights, factors), RNG.normal(0, 1e-4, (3, 6, 6)) * OFF
    moved = [fit_factors(table + change, weights, factors).fitted - fit.fitted for change in changes]
    assert fit.moved(changes) == pytest.approx(np.array(moved), abs=5e-6)
    one = np.zeros((1, 6, 6))
    one[0, 2, 4] = 1.0
    assert fit.leverage[2, 4] == pytest.approx(fit.moved(one)[0, 2, 4])
    assert fit.leverage_across[4, 2] == pytest.approx(fit.moved(one)[0, 4, 2])
    assert fit.leverage[3, 3] == 0  # it has no weight


def test_nothing_moves_where_there_is_no_factor() -> None:
    fit = fit_factors(np.zeros((6, 6)), OFF * 1.0)
    assert not fit.rows.any() and not fit.moved(np.ones((2, 6, 6))).any()
    assert not fit.leverage.any() and not fit.leverage_across.any()


def test_many_tables_at_once_are_what_each_is_alone() -> None:
    tables = RNG.uniform(0.1, 0.6, (4, 6, 6))
    for factors in (1, 2):
        together = fit_factors(tables, np.broadcast_to(OFF * 400.0, tables.shape), factors).fitted
        for n, table in enumerate(tables):
            assert together[n] == pytest.approx(fit_factors(table, OFF * 400.0, factors).fitted, abs=1e-4)
