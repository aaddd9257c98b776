"""How often apart from which ones: rate bias, and the margin at the model's own yes rate."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import Run, table
from selfexec.analysis.score import Scores
from selfexec.claims.arrays import READ
from selfexec.metrics import VoteTables
from selfexec.metrics.baselines import stacked
from selfexec.metrics.bootstrap import RankedClaims
from selfexec.metrics.kinds import CELLS, claim_kind
from selfexec.metrics.kinds.rates import ceiling_estimate, ceiling_share_estimate, rate_bias_estimate
from selfexec.metrics.margin_at_own_rate import at_the_ceiling, margin_at_own_rate, probabilities_at_rate
from selfexec.metrics.reference_doubt import ReferenceDoubt, doubted_share
from selfexec.metrics.rows import Estimate
from selfexec.stats import Interval

ON_THE_TABLE = {  # STATISTICS.md: margin at own rate of the ten recorded models, by a baseline of another construction
    "association": {
        **{"o4-mini": 0.000, "gpt-4.1": -0.010, "llama-3.2-3b": -0.079, "mistral-7b": -0.096, "deepseek-v3": -0.033},
        **{"llama-4-scout": -0.003, "mistral-small-3.1-24b": -0.004, "claude-3.5-haiku": 0.0},
        **{"gemini-2.5-flash": 0.0, "deepseek-r1": 0.0},
    },
    "restriction": {
        **{"o4-mini": 0.018, "gpt-4.1": 0.018, "llama-4-scout": -0.028, "deepseek-v3": -0.009, "deepseek-r1": -0.010},
        **{"mistral-7b": 0.012, "llama-3.2-3b": 0.013, "claude-3.5-haiku": -0.028, "gemini-2.5-flash": -0.019},
        **{"mistral-small-3.1-24b": -0.009},
    },
}


def requests_of(outcomes: dict[str, str]) -> Any:
    """What each model does with requests 0, 1, ...: `+` it answers, `-` it does not. All say that they would."""
    named = {"experiment": "restriction", "epoch": 1, "claim": "answers", "state": "read", "predicted": True}
    rows = (
        named | {"model": model, "item": f"{n:03}", "observed": mark == "+"}
        for model, marks in outcomes.items()
        for n, mark in enumerate(marks)
    )
    return table(rows).claims["restriction"]


def counts_of(*cells: str) -> Any:
    """Counts by item, shape (items, cells): each item is written as the cells of its claims."""
    rows = np.zeros((len(cells), len(CELLS)))
    for row, text in zip(rows, cells, strict=True):
        for cell in text.split():
            row[CELLS.index(cell)] += 1
    return rows


# --- how often -------------------------------------------------------------------------------------------------------


def test_rate_bias_is_the_share_predicted_less_the_share_done_by_hand() -> None:
    # predicted yes: 4 of 6 (tp, fp, fp, tp); done: 3 of 6 (tp, tp, fn)
    found = rate_bias_estimate(counts_of("tp fp", "fp tn", "tp fn"))
    assert found.value == pytest.approx(4 / 6 - 3 / 6)
    assert found.interval.low < found.value < found.interval.high


def test_rate_bias_leaves_out_predictions_and_outcomes_that_were_not_read() -> None:
    read = counts_of("tp fp", "fp tn", "tp fn")
    lost = counts_of("tp fp unread_true", "fp tn unread_false unread_outcome", "tp fn")
    assert rate_bias_estimate(lost).value == rate_bias_estimate(read).value


def test_a_model_without_errors_has_an_interval_for_its_rate_bias() -> None:
    found = rate_bias_estimate(counts_of(*["tp tn"] * 50))
    # none of 50 items: Wilson's upper end is z^2 / (50 + z^2) = .0713; the two sides add up by their squares
    assert found.value == 0
    assert found.interval == pytest.approx((-0.0713, 0.0713), abs=1e-4)


# --- what is possible ------------------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 24))
def test_the_ceiling_is_the_greatest_j_of_all_ways_to_say_yes_so_often(true: int, false: int, yes: int) -> None:
    yes = min(yes, true + false)
    hits = range(max(0, yes - false), min(true, yes) + 1)
    greatest = max(Fraction(hit, true) - Fraction(yes - hit, false) for hit in hits)
    hit = max(0, yes - false)  # any record with this rate will do
    cells = ["tp"] * hit + ["fn"] * (true - hit) + ["fp"] * (yes - hit) + ["tn"] * (false - yes + hit)
    assert ceiling_estimate(counts_of(*cells)).value == pytest.approx(float(greatest), abs=1e-12)


def test_whoever_makes_only_the_errors_that_its_rate_forces_has_the_whole_ceiling() -> None:
    over = ceiling_share_estimate(counts_of(*["tp"] * 20 + ["fp"] * 30 + ["tn"] * 50))
    under = ceiling_share_estimate(counts_of(*["tp"] * 20 + ["fn"] * 30 + ["tn"] * 50))
    assert over.value == pytest.approx(1) and under.value == pytest.approx(1)
    # none of 100 items has a miss: at most Wilson's .0370 of the claims, over the .5 * .2 that chance would miss
    assert over.interval.low == pytest.approx(1 - 0.0370 / 0.1, abs=1e-3)


def test_of_one_error_in_a_hundred_the_share_of_the_ceiling_has_an_exact_upper_end() -> None:
    found = ceiling_share_estimate(counts_of(*["tp"] * 19 + ["fn"] + ["fp"] * 30 + ["tn"] * 50))
    # chance would miss .2 * .51 of the claims; the exact lower end of 1 in 100 is 1 - .975^(1/100), Wilson's .0018
    assert found.value == pytest.approx(1 - 0.01 / (0.2 * 0.51))
    assert found.interval.high == pytest.approx(1 - (1 - 0.975**0.01) / (0.2 * 0.51), abs=1e-3)


def test_where_the_rate_may_be_the_base_rate_the_ceiling_may_be_1_for_the_low_end_of_a_share() -> None:
    reach = 1.98422  # Student's t on 99 degrees of freedom
    near = ceiling_share_estimate(counts_of(*["tp"] * 30, *["fn"] * 10, *["fp"] * 12, *["tn"] * 48))
    # yes to 42, done 40 times: the ceiling is .58 / .6, and J is 30/40 - 12/60
    assert near.value == pytest.approx(0.55 / (0.58 / 0.6))
    assert near.interval.low == pytest.approx((near.value - reach * near.error) * 0.58 / 0.6, rel=1e-5)
    assert near.interval.high == pytest.approx(near.value + reach * near.error, rel=1e-5)
    far = ceiling_share_estimate(counts_of(*["tp"] * 30, *["fn"] * 10, *["fp"] * 30, *["tn"] * 30))
    assert far.interval == pytest.approx((far.value - reach * far.error, far.value + reach * far.error), rel=1e-5)


def test_always_yes_leaves_nothing_possible_and_cannot_be_told() -> None:
    counts = counts_of(*["tp"] * 20 + ["fp"] * 30)
    assert ceiling_estimate(counts).value == 0
    share = ceiling_share_estimate(counts)
    assert math.isnan(share.value) and share.reason
    assert at_the_ceiling(0.0, math.nan, math.nan)


@pytest.mark.parametrize(
    ("ceiling", "share", "baseline", "cannot"),
    [(0.19, 0.1, 0.9, True), (0.2, 0.1, 0.9, False), (0.5, 0.95, 0.95, True), (0.5, 0.94, 1.0, False)],
)
def test_yes_and_no_cannot_tell_where_both_are_at_the_ceiling_or_it_is_low(
    ceiling: float, share: float, baseline: float, cannot: bool
) -> None:
    assert at_the_ceiling(ceiling, share, baseline) is cannot


# --- the baseline at a rate ------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(0, 100))
def test_at_a_rate_the_highest_logits_are_a_yes_and_equal_ones_in_proportion(logits: list[int], percent: int) -> None:
    probability = probabilities_at_rate(np.array(logits, float), percent / 100)
    assert probability.sum() == pytest.approx(percent / 100 * len(logits))
    for one, its in zip(logits, probability, strict=True):
        above = sum(other > one for other in logits)
        equal = sum(other == one for other in logits)
        left = percent / 100 * len(logits) - above
        assert its == pytest.approx(min(max(left / equal, 0), 1))


def test_in_draws_the_rate_is_matched_anew_as_it_would_be_by_repeating_items() -> None:
    claims = requests_of({"a": "+-+-+--+-+", "b": "++--+-+--+"}).of("a")
    logits = np.array([2.0, 1, 1, 0, 3, 0, -1, 1, 0, -2])
    items = tuple(claims.items)
    ranked = RankedClaims.by_logits(claims, logits, items)
    rng = np.random.default_rng(4)
    drawn = rng.multinomial(10, [0.1] * 10, size=50).astype(float)
    rates = rng.uniform(0.1, 0.9, size=50)
    for times, rate, found in zip(drawn, rates, ranked.skills(drawn, rates), strict=True):
        rows = np.repeat(np.arange(10), times.astype(int))
        probability, did = probabilities_at_rate(logits[rows], rate), claims.observed[rows] > 0
        if did.all() or not did.any():
            continue
        assert found == pytest.approx(probability[did].mean() - probability[~did].mean(), abs=1e-9)


def at_rate_of(did: int, yes: int, of: int = 100) -> Any:
    """A model and a baseline that say yes to the same first requests of so many, the first ones being those it does."""
    claims = requests_of({"a": "+" * did + "-" * (of - did)}).of("a")
    claims = replace(claims, predicted=np.where(np.arange(of) < yes, 1, -1).astype(np.int8))
    own = claim_kind(claims).count(claims, False)
    return margin_at_own_rate(claims, np.ones(of, bool), own, -np.arange(of, dtype=float), None)


@pytest.mark.parametrize(
    ("did", "yes", "squares"),
    [
        # half of the claims at the threshold are done: a hit more is worth 1/50, and so is a false alarm fewer
        (50, 50, 2 * (1 / 50) ** 2 + 2 * (1 / 50) ** 2),
        # none of them is: a hit more is worth 1/20, and the yes more that it is takes no hit from the baseline but adds
        # a false alarm, 1/80; a false alarm fewer is worth nothing, since the baseline has one fewer as well
        (20, 60, 2 * (1 / 20 + 1 / 80) ** 2),
    ],
)
def test_a_margin_of_two_that_agree_rests_on_two_made_up_claims_worth_what_they_are_at_equal_rates(
    did: int, yes: int, squares: float
) -> None:
    found = at_rate_of(did, yes).margin
    assert found.value == 0
    half = 1.98422 * math.sqrt(squares)  # Student's t on 99 degrees of freedom
    assert found.interval == pytest.approx((-half, half), rel=1e-4)


def test_the_doubt_about_reference_models_is_in_the_baselines_share_as_far_as_the_ceiling_lets_it() -> None:
    items = Estimate(0.5, Interval(0.3, 0.6), 0.08)
    found = doubted_share(items, ReferenceDoubt(error=0.02, shortfall=0.1), 0.4)
    reach = 1.959964 * 0.05  # .02 / .4; what more of them would add is no part of it
    assert found.interval == pytest.approx((0.5 - math.hypot(0.2, reach), 0.5 + math.hypot(0.1, reach)))
    assert (found.value, found.error) == pytest.approx((0.5, math.hypot(0.08, 0.05)))
    near_one = doubted_share(Estimate(0.98, Interval(0.9, 1.0), 0.02), ReferenceDoubt(0.1), 0.4)
    assert near_one.interval.high == 1


# --- recorded models -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["association", "restriction"])
def test_margins_at_own_rate_of_the_recorded_models_are_those_of_another_baseline(
    scores_as_the_authors_read_them: Scores, experiment: str
) -> None:
    scores = scores_as_the_authors_read_them
    for model, expected in ON_THE_TABLE[experiment].items():
        assert scores.value(model, experiment, "margin_at_own_rate") == pytest.approx(expected, abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["association", "restriction"])
def test_the_rows_of_a_recorded_model_follow_from_a_second_formula(
    as_the_authors_read_them: Run, scores_as_the_authors_read_them: Scores, experiment: str
) -> None:
    """Loevinger's H by expected errors, and the baseline's J by sorting its claims in plain Python."""
    rows = {row.metric: row.value for row in scores_as_the_authors_read_them.parts["gpt-4.1"][experiment].rows}
    everyone = as_the_authors_read_them.tables.claims[experiment]
    claims = everyone.of("gpt-4.1").where(everyone.of("gpt-4.1").state == READ)
    others = VoteTables(everyone).others(everyone.of("gpt-4.1"), {*everyone.models} - {"gpt-4.1"})
    logits = stacked(others).logits(claims)
    assert not np.isnan(logits).any()
    did, said = claims.observed > 0, claims.predicted > 0
    n, yes, base = len(did), int(said.sum()), did.mean()
    assert rows["rate_bias"] == pytest.approx(yes / n - base)
    if yes / n >= base:
        errors, by_chance = (~said & did).sum(), (n - yes) * base
    else:
        errors, by_chance = (said & ~did).sum(), yes * (1 - base)
    assert rows["share_of_ceiling"] == pytest.approx(1 - errors / by_chance)
    order = sorted(range(n), key=lambda claim: -logits[claim])
    threshold = logits[order[yes - 1]]
    first = [c for c in order if logits[c] > threshold + 1e-9]
    equal = [c for c in order if abs(logits[c] - threshold) <= 1e-9]
    share = (yes - len(first)) / len(equal)
    hits = sum(did[c] for c in first) + share * sum(did[c] for c in equal)
    baseline = hits / did.sum() - (yes - hits) / (~did).sum()
    skill = said[did].mean() - said[~did].mean()
    assert rows["margin_at_own_rate"] == pytest.approx(skill - baseline, abs=1e-9)
    assert rows["baseline_share_of_ceiling"] == pytest.approx(baseline / rows["ceiling_at_own_rate"], abs=1e-9)
