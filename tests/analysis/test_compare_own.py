"""Own excess compared: in pairs, along checkpoints, in gates and in correlations; withheld by name below its floors."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import selfexec as sx
from build import part_of
from selfexec.analysis.compare.measures import OTHER_ITEMS, ComparedRecord, weighed
from selfexec.analysis.compare.own_excess import by_item
from selfexec.analysis.correlate import score_columns
from selfexec.analysis.selection import Selection
from selfexec.errors import InputError
from selfexec.metrics import Estimate, Record
from selfexec.runs import Run

OWN = "own_excess"


def fit(seed: int, items: int = 60) -> Any:
    """One model's own excess, and how much each item moves it."""
    influence = 0.01 * np.random.default_rng(seed).standard_normal((items, 1))
    influence -= influence.mean()
    return SimpleNamespace(
        each=SimpleNamespace(value=np.array([0.1])),
        left=SimpleNamespace(own_influence=influence),
        evidence=SimpleNamespace(compared=SimpleNamespace(item=np.repeat(np.arange(items), 2))),
    )


def record(label: str, seed: int, items: int = 60) -> ComparedRecord:
    names = tuple(f"item {n:03}" for n in range(items))
    counted = by_item(fit(seed, items), 0, SimpleNamespace(items=names))  # type: ignore[arg-type]
    own = Record(names, np.ones((items, 3)))
    return ComparedRecord(label, own, counted, 1.0, known=Estimate(0.1), compared_items=frozenset(range(items)))


def error_of(influence: np.ndarray) -> float:
    return math.sqrt(60 / 59 * float((influence**2).sum()))


def test_items_as_counts_have_the_value_and_the_error_of_the_verdict() -> None:
    found = weighed(OWN, "difficulty", [record("a", 1)], [1.0])
    assert found.value == pytest.approx(0.1)
    assert found.error == pytest.approx(error_of(fit(1).left.own_influence))


def test_a_difference_is_paired_by_item() -> None:
    found = weighed(OWN, "difficulty", [record("a", 1), record("b", 2)], [1.0, -1.0])
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.error == pytest.approx(error_of(fit(1).left.own_influence - fit(2).left.own_influence))
    # Student's t on 59: 2.0010
    assert found.interval.high == pytest.approx(2.0010 * found.error, rel=1e-3)


def test_panels_that_were_asked_other_items_are_not_compared() -> None:
    found = weighed(OWN, "difficulty", [record("a", 1), record("b", 1, items=61)], [1.0, -1.0])
    assert (math.isnan(found.value), found.reason) == (True, OTHER_ITEMS)


def test_of_one_run_values_are_those_of_score_and_items_are_items(ten_models: Run, scores_of_ten: sx.Scores) -> None:
    scores = scores_of_ten
    models, metrics = ["gpt-4.1", "o4-mini"], [OWN, "accuracy"]
    found = sx.compare(ten_models, models=models, experiments=["difficulty"], metrics=metrics)
    row = found.row("difficulty", "o4-mini", "gpt-4.1", OWN)
    assert row.value == pytest.approx(scores.value("o4-mini", "difficulty", OWN))
    assert row.value_against == pytest.approx(scores.value("gpt-4.1", "difficulty", OWN))
    assert row.items == found.row("difficulty", "o4-mini", "gpt-4.1", "accuracy").items > 200
    places = {one.model: (one.value, one.low, one.high) for one in found.standings if one.metric == OWN}
    of_score = scores.row("o4-mini", "difficulty", OWN)
    assert places["o4-mini"] == pytest.approx((of_score.value, of_score.low, of_score.high))
    assert "Own excess: new o4-mini, old gpt-4.1" in found.table()
    assert "Values of different experiments cannot be compared." in found.table()


@pytest.mark.slow
def test_where_each_model_judges_itself_that_is_said_beside_the_difference(ten_models: Run) -> None:
    restriction = part_of(ten_models, experiments=["restriction"])

    def compared(**how: str) -> str | None:
        found = sx.compare(
            restriction, models=["gpt-4.1", "o4-mini"], experiments=["restriction"], metrics=[OWN], **how
        )  # type: ignore[arg-type]
        return found.row("restriction", "o4-mini", "gpt-4.1", OWN).caution

    assert "judges its own responses" in str(compared())
    assert compared(source="rule") is None


def test_below_its_floors_it_is_withheld_by_name(ten_models: Run) -> None:
    names = [model for model in ten_models.models if model != "deepseek-r1"][:5]
    five = part_of(ten_models, models=names, experiments=["association"])
    found = sx.compare(five, models=names[:2], experiments=["association"], metrics=[OWN, "skill"])
    row = found.row("association", *names[:2], metric=OWN)
    assert row.difference is None
    assert (
        row.reason is not None
        and "only 5 models vary enough in both prediction and behaviour, and 6 are needed" in row.reason
    )


def test_there_is_no_overall_own_excess_and_whoever_asks_for_it_is_told_why(small_panel: Run) -> None:
    why = "there is no overall own_excess: it does not compare across experiments"
    two = ["sim/knows-itself", "sim/typical"]
    for ask in (sx.compare, sx.trend):
        with pytest.raises(InputError, match=why):
            ask(small_panel, models=two, experiments=["overall"], metrics=[OWN])
    with pytest.raises(InputError, match=why):
        sx.compare(small_panel, models=two, fail_if="overall.own_excess drops 0.05")
    found = sx.compare(small_panel, models=two, metrics=[OWN])
    assert {row.experiment for row in found.differences} == {"association", "restriction", "difficulty"}


def test_a_gate_holds_where_the_whole_interval_lies_above_the_drop(ten_models: Run) -> None:
    outcomes = {"drops 0.05": "holds", "drops 0": "cannot tell", "rises 0.5": "holds"}
    found = sx.compare(
        ten_models,
        models=["gpt-4.1", "claude-3.5-haiku"],
        experiments=["difficulty"],
        metrics=[OWN],
        fail_if=[f"difficulty.own_excess {change}" for change in outcomes],
    )
    row = found.row("difficulty", "claude-3.5-haiku", "gpt-4.1")
    assert row.low is not None and -0.05 < row.low < 0 < row.difference  # type: ignore[operator]
    assert [verdict.outcome for verdict in found.verdicts] == list(outcomes.values())


@pytest.mark.slow
def test_checkpoints_of_a_trend_are_not_in_each_others_panel(ten_models: Run, scores_of_ten: sx.Scores) -> None:
    found = sx.trend(ten_models, models=["gpt-4.1", "o4-mini"], experiments=["difficulty"], metrics=[OWN])
    assert [point.model for point in found.points] == ["gpt-4.1", "o4-mini"]
    others = [model for model in ten_models.models if model != "o4-mini"]
    without = part_of(ten_models, models=others, experiments=["difficulty"])
    alone = sx.score(Selection.of(without, models="gpt-4.1", experiments=["difficulty"]))
    assert found.points[0].value == pytest.approx(alone.value("gpt-4.1", "difficulty", OWN))
    assert found.points[0].value != pytest.approx(scores_of_ten.value("gpt-4.1", "difficulty", OWN))


def test_correlations_take_own_excess_where_a_verdict_follows_from_it(scores_of_ten: sx.Scores) -> None:
    columns = {name for name in score_columns(scores_of_ten) if name.endswith(OWN)}
    assert columns == {"association own_excess", "difficulty own_excess"}  # restriction: each model judges itself
