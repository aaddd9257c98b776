"""A quick look at what studies/coverage measures with care: intervals hold the truth about as often as they say."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow

DRAWS = 200
# 95% of 200 draws: standard error .015; .89 is four of them below
LEAST = 0.89


@pytest.fixture(scope="module")
def study() -> ModuleType:
    path = Path(__file__).parents[2] / "studies" / "coverage" / "simulate.py"
    spec = importlib.util.spec_from_file_location("coverage_study", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["coverage_study"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def measured(study: ModuleType) -> dict[tuple[str, str], dict[tuple[str, str], Any]]:
    wanted = [("near perfect", "paper"), ("two epochs", "paper"), ("recall .99", "60")]
    return {
        (scenario, size): {(r.experiment, r.metric): r for r in study.coverage(scenario, size, DRAWS, seed=11)}
        for scenario, size in wanted
    }


def test_intervals_hold_the_truth_as_often_as_they_say(measured: dict[Any, dict[Any, Any]]) -> None:
    for rows in measured.values():
        for (_, metric), row in rows.items():
            if metric not in ("mcc", "kappa"):  # theirs are told to be too narrow near their ends
                assert row.ours >= LEAST, row


def test_naive_intervals_do_not(measured: dict[Any, dict[Any, Any]]) -> None:
    near_one = measured["recall .99", "60"]["association", "recall"]
    assert near_one.naive < 0.85 < near_one.ours
    pairs = measured["two epochs", "paper"]["difficulty", "accuracy"]
    assert pairs.naive < 0.85 < pairs.ours


@pytest.mark.parametrize("scenario", ["rare positives", "follows the label"])
def test_the_truths_are_what_many_items_come_to(study: ModuleType, scenario: str) -> None:
    truth, rng = study.TRUTHS[scenario], np.random.default_rng(1)
    wanted = study.true_values(truth)
    size = {"association": 60_000, "restriction": 60_000, "difficulty": 30_000}
    for name, (ours, _) in study.intervals(truth, size, rng).items():
        half = (ours.high - ours.low) / 2
        assert math.isfinite(half) and half < 0.04
        # two and a half times the half width of a 95% interval: 4.9 standard errors
        assert abs((ours.low + ours.high) / 2 - wanted[name]) < 2.5 * half, name
