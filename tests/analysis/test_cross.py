"""`selfexec analyze cross`: verdicts with everything that they rest on, and below them the additive self-bonus."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import selfexec as sx
from selfexec.analysis.cross import LITERATURE, CrossPrediction, self_bonus_line
from selfexec.analysis.own_excess import all_own_parts, loadings
from selfexec.metrics import WARNING, Own, cross
from selfexec.metrics.own_excess import ComparedModels, judge_own_excess
from selfexec.runs import Run
from selfexec.text.numbers import interval
from selfexec.text.tables import all_as_text, fitted


def made(models: int = 8, *, knows: float = 0.6, items: int = 100) -> Own:
    """A panel whose predictions know the norm that all follow, and so much of what is each model's own."""
    rng = np.random.default_rng(1)
    norm, own = rng.standard_normal(4 * items), rng.standard_normal((models, 4 * items))
    outcomes = 0.7 * norm + np.sqrt(0.51) * own
    predictions = 0.6 * norm + 0.8 * (knows * own + np.sqrt(1 - knows**2) * rng.standard_normal(own.shape))
    signs = [np.where(part > 0.3, 1, -1).astype(np.int8) for part in (predictions, outcomes)]
    names = tuple(f"a-model-with-a-long-name-{n}" for n in range(models))
    panel = ComparedModels(
        names, *signs, np.repeat(np.arange(items), 4), tuple(f"maker {n // 2}" for n in range(models))
    )
    return Own("difficulty", "default", "rule", "own_excess", judge_own_excess(panel))


@pytest.fixture(scope="module")
def crossed(ten_models: Run) -> CrossPrediction:
    return sx.cross_prediction(ten_models, ["difficulty", "association"])


@pytest.mark.slow
def test_verdicts_are_those_of_score_with_the_tables_behind_them(
    scores_of_ten: sx.Scores, crossed: CrossPrediction
) -> None:
    of_score = {one["experiment"]: one for one in json.loads(scores_of_ten.json())["own_excess"]}
    for record in json.loads(crossed.json())["own_excess"]:
        known = of_score[record["experiment"]]
        assert {name: record[name] for name in known} == known
        # STATISTICS: own excess is what the factors leave of the diagonal
        left = np.array(record["correlations"]) - np.array(record["fitted"][0])
        assert np.diagonal(left).mean() == pytest.approx(record["value"])
        assert left == pytest.approx(np.array(record["fits"][0]["residuals"]))
        product = np.outer(record["prediction_loadings"], record["outcome_loadings"])
        assert product == pytest.approx(np.array(record["fitted"][0]), abs=1e-6)
        # what would have been found of one model is more than what would have been found of all, and no less than its
        # own interval is wide to each side
        assert 0 < record["detectable"] < min(one["detectable"] for one in record["each"])
        assert all(one["detectable"] > (one["high"] - one["low"]) / 2 for one in record["each"])


def test_all_that_a_verdict_rests_on_is_printed(crossed: CrossPrediction) -> None:
    text = crossed.table()
    own = next(one for one in crossed.own if one.experiment == "difficulty")
    assert f"difficulty: {own.found.overall.verdict} (9 models, 250 groups)" in text
    for fit in own.found.fits:
        for found in (fit.mean, fit.over_models, fit.well_read, fit.beyond_family, fit.beyond_family_over_models):
            assert interval(float(found.value), *found.interval()) in text
        for n in range(9):
            assert interval(float(fit.each.value[n]), float(fit.each.low[n]), float(fit.each.high[n])) in text
    for line in (
        "detectable",
        "misfit",
        "largest pair",
        "derangements, p",
    ):
        assert line in text
    assert "left out:\n  gemini-2.5-flash: no item of it could be read" in text


def test_what_decides_nothing_is_printed_on_request_alone_and_is_always_data(crossed: CrossPrediction) -> None:
    by_default, everything = crossed.table(), replace(crossed, every=True).table()
    for shown in ("partial correlation", "swap share", "unique"):
        assert shown not in by_default and shown in everything
    own = next(one for one in crossed.own if one.experiment == "difficulty")
    n, partial = 0, own.found.partial_correlation[0]
    assert interval(partial[n].value, *partial[n].interval) in everything
    record = next(r for r in json.loads(crossed.json())["own_excess"] if r["experiment"] == "difficulty")
    assert record["each"][n]["partial_correlation"]["value"] == pytest.approx(partial[n].value)


def test_the_self_bonus_stands_below_as_a_comparison_with_its_warning(crossed: CrossPrediction) -> None:
    above, _, below = crossed.table().partition(LITERATURE)
    assert "self-bonus" not in above
    assert "self-bonus: +" in below and WARNING in below


def test_two_models_alone_are_not_taken_apart_into_what_two_cells_do_not_tell(crossed: CrossPrediction) -> None:
    common = next(one for one in crossed.parts.values() if not one.reason).common
    two = replace(common, models=common.models[:2], predicted=common.predicted[:2], observed=common.observed[:2])
    text = replace(crossed, parts={("difficulty", "self_bonus"): cross(two)}).table()
    assert "self-bonus: " in text and "alpha" not in text and "own bonus" not in text
    assert "alpha: how well" in crossed.table() and "Decomposition" in crossed.table()


def test_of_each_model_it_is_said_what_is_against_it_by_short_names_with_a_legend() -> None:
    text = all_as_text(all_own_parts([made(knows=0.0)], 120))
    rows = [line for line in text.splitlines() if re.match(r" \d a-model.* not shown", line)]
    assert rows and all("interval" in row for row in rows)
    assert "  interval: the interval, adjusted for the number of models (Holm), is not wholly above 0" in text


def test_the_panel_fits_in_80_columns_and_matrices_without_room_are_left_to_the_data() -> None:
    few, many = (fitted(all_as_text(all_own_parts([made(n)], 80), 80), 80).splitlines() for n in (8, 14))
    assert max(map(len, [*few, *many])) <= 80
    assert any(line.startswith("Residuals after one factor") for line in few)
    assert not any(line.startswith("Residuals after one factor") for line in many)
    # 4 characters for the number of a row and 6 for each column: 14 models take 88
    assert "The residuals of each pair of models are in --format json and in the report." in many


def test_a_panel_that_is_too_small_says_so_once_for_all_that_have_the_same_reason() -> None:
    small = made(5)
    lines = [part for part in all_own_parts([small, replace(small, experiment="association")], 80) if part]
    assert len(lines) == 2  # the question, and one line
    assert str(lines[1]).startswith("difficulty; association: no verdict: only 5 models vary enough")


def test_loadings_are_of_one_length_and_typical_behaviour_is_above_0() -> None:
    fit = made().found.fits[0]
    prediction, outcome = loadings(fit)
    assert np.linalg.norm(prediction) == pytest.approx(np.linalg.norm(outcome))
    assert outcome.sum() > 0
    assert np.outer(prediction, outcome) == pytest.approx(fit.fitted, abs=1e-6)


def test_simulated_models_are_a_panel_of_their_own_and_called_so() -> None:
    own = replace(made(10), simulated=True)
    assert "difficulty: shown (10 simulated models, 100 groups)" in all_as_text(all_own_parts([own], 120))


def test_of_many_models_that_are_left_out_one_is_told_of_for_each_reason(crossed: CrossPrediction) -> None:
    found = next(one for one in crossed.parts.values() if not one.reason)
    few = {f"m{n}": f"only {70 + n} read items, fewer than 100" for n in range(5)}
    told = self_bonus_line(
        replace(found, common=replace(found.common, left_out={**few, "other": "none of its claims was read"}))
    )
    # those of the five have one reason with numbers of their own
    assert told.count("left out") == 2
    assert "; left out: 5 models, such as m0, only 70 read items, fewer than 100; left out: other, none" in told
    two = self_bonus_line(replace(found, common=replace(found.common, left_out={"m0": few["m0"], "m1": few["m1"]})))
    assert "left out: m0, only 70 read" in two and "left out: m1, only 71 read" in two
