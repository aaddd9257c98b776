"""Tables as sums of products, the diagonal left out."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from selfexec.stats.factors import SHRINK, fit_factors

RNG = np.random.default_rng(3)
OFF = ~np.eye(6, dtype=bool)


def test_the_diagonal_of_a_product_is_told_by_what_is_off_it() -> None:
    q, t = RNG.uniform(0.3, 0.9, (2, 6))
    table = np.outer(q, t)
    spoilt = np.where(OFF, table, 9.0)  # what has no weight is not looked at
    assert fit_factors(spoilt, OFF * 1.0).fitted == pytest.approx(table, abs=1e-4)


def test_one_factor_is_the_weighted_least_squares_fit() -> None:
    table, weights = RNG.uniform(-0.2, 0.6, (6, 6)), RNG.uniform(1, 5, (6, 6)) * OFF

    def missed(loadings: np.ndarray) -> np.ndarray:
        return (np.sqrt(weights) * (table - np.outer(loadings[:6], loadings[6:])))[OFF]

    found = least_squares(missed, np.full(12, 0.5), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert fit_factors(table, weights).fitted == pytest.approx(np.outer(found.x[:6], found.x[6:]), abs=1e-3)


def test_a_second_factor_is_found_less_what_it_pays() -> None:
    """By another method: the objective with its price, minimised by SciPy from where the truth is."""
    q, t, r, m = RNG.uniform(0.3, 0.9, (4, 6))
    r[::2], m[::2] = -r[::2], -m[::2]
    table = np.outer(q, t) + np.outer(r, m)

    def missed(loadings: np.ndarray) -> np.ndarray:
        a, b, c, d = loadings.reshape(4, 6)
        missing = (table - np.outer(a, b) - np.outer(c, d))[OFF]
        return np.concatenate([missing, np.sqrt(SHRINK) * c, np.sqrt(SHRINK) * d])

    found = least_squares(missed, np.concatenate([q, t, r, m]), xtol=1e-14, ftol=1e-14, gtol=1e-14).x.reshape(4, 6)
    expected = np.outer(found[0], found[1]) + np.outer(found[2], found[3])
    assert fit_factors(table, OFF * 1.0, further=1).fitted == pytest.approx(expected, abs=5e-3)
    assert expected == pytest.approx(table, abs=0.06)


def test_a_second_factor_makes_nothing_of_noise() -> None:
    """Without its price a factor of one row and one column costs nothing off the diagonal, and is anything on it."""
    q, t = RNG.uniform(0.5, 0.9, (2, 6))
    table = np.outer(q, t) + RNG.normal(0, 0.004, (6, 6))
    assert np.diag(fit_factors(table, OFF * 1.0, further=1).fitted) == pytest.approx(q * t, abs=0.04)


def test_many_tables_at_once_are_what_each_is_alone() -> None:
    tables = RNG.uniform(0.1, 0.6, (4, 6, 6))
    for further in (0, 1, 2):
        together = fit_factors(tables, np.broadcast_to(OFF * 1.0, tables.shape), further).fitted
        for n, table in enumerate(tables):
            assert together[n] == pytest.approx(fit_factors(table, OFF * 1.0, further).fitted, abs=2e-3)
