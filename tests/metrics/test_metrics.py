"""Each metric keeps the contract that its standard error rests on, its formula takes complex steps; and is defined."""

from pathlib import Path

import numpy as np
import pytest

from selfexec.metrics import CELLS, METRICS, Cells
from selfexec.stats import ratio_error

# ten items: no cell empty in sum, no two items alike
COUNTS = np.random.default_rng(7).integers(0, 9, (10, len(CELLS))).astype(float)


@pytest.mark.parametrize("name", METRICS)
def test_the_error_of_a_metric_is_that_of_its_finite_differences(name: str) -> None:
    def formula(totals: np.ndarray) -> np.ndarray:
        return METRICS[name].formula(Cells.of(totals))

    # by another method: central differences in place of complex steps, and the delta method written out
    totals, h = COUNTS.sum(0), 1e-4
    gradient = np.array([formula(totals + h * e) - formula(totals - h * e) for e in np.eye(len(CELLS))]) / (2 * h)
    influence = COUNTS @ gradient
    n = len(COUNTS)
    expected = np.sqrt(n / (n - 1) * np.sum((influence - influence.mean()) ** 2))
    assert expected > 0
    assert ratio_error(formula, COUNTS) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", METRICS)
def test_the_page_on_metrics_defines_it(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text("utf-8")
    assert any(f"`{name}`" in line.split(" | ")[0] for line in page.splitlines() if line.startswith("| "))


def test_a_formula_that_drops_the_complex_step_is_refused() -> None:
    with pytest.raises(TypeError, match="drops the complex step"):
        ratio_error(lambda totals: np.abs(totals[..., 0]) / np.abs(totals[..., 1]), COUNTS)
