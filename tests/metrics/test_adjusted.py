"""Skill on a cut of the items, adjusted to all of them by models that were asked all of them."""

import math

import numpy as np
import pytest

from selfexec.metrics import Record, adjusted_skill, claim_kind
from selfexec.metrics.adjusted import TOO_FEW_IN_PANEL

ORDERS, BINARY = claim_kind("difficulty"), claim_kind("restriction")


def groups(*shares: float) -> Record:
    """Groups of questions with these shares of pairs ranked rightly, five times over."""
    counts = np.array([[share, 1.0] for share in shares * 5])
    return Record(tuple(map(str, range(len(counts)))), counts)


def test_an_adjusted_skill_is_that_of_a_regression_by_hand() -> None:
    model, panel = groups(1, 0.5, 0.5, 0), groups(1, 1, 0, 0)
    adjusted = adjusted_skill(ORDERS, model, [(panel, -0.3), (panel, -0.2), (panel, -0.1)])
    # Both have a tau of 0 on the cut; the panel has -.2 on all items. The deviations of the groups' shares are .5, 0,
    # 0, -.5 in the model and .5, .5, -.5, -.5 in the panel: slope (.25 + .25) / (4 x .25) = .5. So 0 + .5 x -.2 = -.1.
    assert adjusted.value == pytest.approx(-0.1)
    # What is left is .25, -.25, .25, -.25 in a share, twice that in tau: a variance of 20/19 x .25, over 20 groups.
    assert adjusted.error == pytest.approx(math.sqrt(20 / 19 * 0.25 / 20))
    # In place of 20/19 x .5 without the panel: arms of Student's t, 2.0930 x .16222, that are shorter by sqrt(1/2).
    arm = 2.0930 * 0.16222 * math.sqrt(0.5)
    assert adjusted.interval == pytest.approx((-0.1 - arm, -0.1 + arm), abs=1e-4)


def test_a_model_that_does_as_the_panel_does_gets_the_panels_skill_on_all_items() -> None:
    rng = np.random.default_rng(5)
    counts = rng.multinomial(4, [0.4, 0.1, 0.2, 0.3], size=50) * 1.0
    record = Record(tuple(map(str, range(50))), np.pad(counts, [(0, 0), (0, 3)]))
    adjusted = adjusted_skill(BINARY, record, [(record, 0.31)] * 3)
    assert adjusted.value == pytest.approx(0.31)
    assert adjusted.interval == pytest.approx((0.31, 0.31))


def test_what_the_panel_does_not_share_leaves_skill_and_interval_as_they_are() -> None:
    # deviations of .5, -.5, .5, -.5 and .5, .5, -.5, -.5: their products add up to 0, and so does the slope
    model, panel = groups(1, 0, 1, 0), groups(1, 1, 0, 0)
    adjusted, plain = adjusted_skill(ORDERS, model, [(panel, 0.9)] * 3), ORDERS.skill_estimate(model)
    assert (adjusted.value, *adjusted.interval) == pytest.approx((plain.value, *plain.interval))


def test_models_that_were_read_on_few_of_the_items_do_not_adjust() -> None:
    model = groups(1, 0.5, 0.5, 0)
    few = Record(model.items[:9], model.counts[:9])
    adjusted = adjusted_skill(ORDERS, model, [(model, 0.2), (model, 0.2), (few, 0.9)])
    assert math.isnan(adjusted.value)
    assert adjusted.reason == TOO_FEW_IN_PANEL
