"""How often and which ones of two models: rate bias and shares of the ceiling are compared, margins are not."""

import math
from pathlib import Path

import pytest

import selfexec as sx
from build import requests_run, wrong_on
from selfexec.analysis.compare import Gate
from selfexec.runs import Run

BIAS, SHARE = "rate_bias", "share_of_ceiling"


@pytest.mark.parametrize("metric", [BIAS, SHARE])
def test_a_pair_has_the_values_of_score_where_both_were_read_on_the_same(metric: str, tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"old": wrong_on(range(30)), "new": wrong_on(range(85, 150))})
    scores, found = sx.score(run), sx.compare(run, metrics=[metric])
    row = found.row("restriction", "new", "old", metric)
    expected = [scores.value(model, "restriction", metric) for model in ("new", "old")]
    assert [row.value, row.value_against] == pytest.approx(expected)
    assert row.difference == pytest.approx((expected[0] or 0) - (expected[1] or 0))
    standing = {one.model: (one.value, one.low, one.high) for one in found.standings}
    rows = {model: scores.row(model, "restriction", metric) for model in standing}
    assert standing == {m: pytest.approx((one.value, one.low, one.high)) for m, one in rows.items()}


def test_rate_biases_of_two_models_by_hand(tmp_path: Path) -> None:
    # of 200 requests 100 are answered: the old model denies 30 of them, the new one denies 15 and promises 50 more
    run = requests_run(tmp_path / "x", {"old": wrong_on(range(30)), "new": wrong_on(range(85, 150))})
    row = sx.compare(run, metrics=[BIAS]).row("restriction", "new", "old", BIAS)
    assert (row.value_against, row.value) == pytest.approx((-30 / 200, (50 - 15) / 200))


def test_all_pairs_are_adjusted_and_tied_by_letters(ten_models: Run) -> None:
    found = sx.compare(ten_models, experiments=["restriction"], metrics=[SHARE])
    rows = [row for row in found.differences if row.metric == SHARE]
    assert len(rows) == 45
    assert all(row.p_holm is not None and row.p is not None and row.p_holm >= row.p for row in rows)
    letters = {one.model: set(one.tied.split()) for one in found.standings}
    apart = {frozenset((r.model, r.against)) for r in rows if (r.p_holm or 0) < 0.05}
    assert apart and all(not letters[one] & letters[two] for one, two in map(sorted, apart))
    # STATISTICS.md: llama-3.2-3b is the one with the smallest share there
    assert min(found.standings, key=lambda one: one.value or 1).model == "llama-3.2-3b"


def test_orders_have_no_rate_and_there_is_no_mean_over_experiments(ten_models: Run) -> None:
    found = sx.compare(ten_models, models=["gpt-4.1", "o4-mini"], metrics=[BIAS])
    assert [row.experiment for row in found.differences] == ["association", "restriction"]
    with pytest.raises(sx.InputError, match="orders have no yes rate"):
        sx.compare(ten_models, models=["gpt-4.1", "o4-mini"], experiments=["difficulty"], metrics=[BIAS])
    with pytest.raises(sx.InputError, match="there is no overall share_of_ceiling: orders have no yes rate"):
        sx.compare(ten_models, experiments=["overall"], metrics=[SHARE])


def test_a_share_where_little_is_possible_is_compared_with_caution(ten_models: Run) -> None:
    # claude-3.5-haiku says yes to .85 of the words and lists .15: at most (1 - .85) / (1 - .15) = .18 is possible
    found = sx.compare(ten_models, models=["gpt-4.1", "claude-3.5-haiku"], experiments=["association"], metrics=[SHARE])
    assert "the highest possible skill is .18" in (found.differences[0].caution or "")
    assert "no room to differ" in found.table()


def test_a_share_of_a_model_that_always_says_yes_is_not_there_and_says_why(tmp_path: Path) -> None:
    always = [(True, n < 100) for n in range(200)]
    run = requests_run(tmp_path / "x", {"always": always, "b": wrong_on(range(50)), "c": wrong_on([])})
    found = sx.compare(run, metrics=[SHARE])
    row = found.row("restriction", "always", "b")
    assert row.difference is None
    assert row.reason == "predictions or outcomes of always are all the same"


def test_few_of_the_rarer_outcome_withhold_a_difference_and_its_gate_as_of_skill(tmp_path: Path) -> None:
    few = [(n % 5 < 3, n % 5 < 3) for n in range(20)]
    run = requests_run(tmp_path / "x", {"a": few, "b": few})
    found = sx.compare(run, metrics=[BIAS, SHARE], fail_if=["restriction.rate_bias rises 0.1"])
    reason = "only 8 common items with the rarer outcome, fewer than 20"
    assert {row.reason for row in found.differences} == {reason}
    assert all(row.difference is None for row in found.differences)
    assert found.verdicts[0].outcome == "cannot tell"


@pytest.mark.parametrize("function", [sx.compare, sx.trend])
def test_margins_at_own_rates_are_not_compared_and_the_reason_names_the_way_out(
    function: object, tmp_path: Path
) -> None:
    run = requests_run(tmp_path / "x", {"a": wrong_on([]), "b": wrong_on([1])})
    with pytest.raises(sx.InputError, match="by shares of the ceiling alone: share_of_ceiling"):
        function(run, metrics=["margin_at_own_rate"])  # type: ignore[operator]


@pytest.mark.parametrize("metric", ["margin_at_own_rate", SHARE, "ceiling_at_own_rate", "baseline_share_of_ceiling"])
def test_there_is_no_gate_on_what_a_model_that_always_says_yes_passes(metric: str) -> None:
    with pytest.raises(sx.InputError, match=f"no gate on {metric}.*says yes to everything"):
        Gate.of(f"restriction.{metric} drops 0.1")


def test_a_gate_on_rate_bias_is_of_one_experiment_of_yes_and_no() -> None:
    assert Gate.of("restriction.rate_bias rises 0.1").metric == BIAS
    with pytest.raises(sx.InputError, match="there is no overall rate_bias"):
        Gate.of("overall.rate_bias rises 0.1")
    with pytest.raises(sx.InputError, match="there is no rate_bias of difficulty: orders have no yes rate"):
        Gate.of("difficulty.rate_bias rises 0.1")


def test_a_trend_of_shares_has_a_slope_and_no_number_that_is_not_one(tmp_path: Path) -> None:
    runs = [
        requests_run(tmp_path / str(n), {f"step {n}": wrong_on([*range(40 - 10 * n), *range(100, 140)])})
        for n in range(3)
    ]
    found = sx.trend(runs, metrics=[SHARE])
    slope = found.slope("restriction", SHARE)
    # misses 40, 30, 20 of 100, with 40 false alarms: shares 1 - m / 200 / ((1 - q) / 2), q = (140 - m) / 200
    shares = [1 - m / 200 / ((1 - (140 - m) / 200) / 2) for m in (40, 30, 20)]
    assert [point.value for point in found.points] == pytest.approx(shares)
    assert slope.slope == pytest.approx((shares[2] - shares[0]) / 2)
    same = [requests_run(tmp_path / f"same {n}", {f"step {n}": wrong_on([])}) for n in range(3)]
    flat = sx.trend(same, metrics=[SHARE])
    assert flat.slope("restriction", SHARE).low is None and math.isfinite(flat.slope("restriction", SHARE).slope or 0)
    assert "NaN" not in flat.json()
