"""Trends: checkpoints in order, held against the first, the previous, and a line."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

import selfexec as sx
from build import requests_run, selfexec, wrong_on
from selfexec.analysis.compare import Difference
from selfexec.analysis.compare.trends import Slope
from selfexec.runs import Run


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """The same model, wrong on 80, 50, 30 and 25 of 200 requests. Nothing is to be written to it."""
    out = tmp_path_factory.mktemp("checkpoints")
    return [requests_run(out / f"step{n}", {"m": wrong_on(range(n, 2 * n))}) for n in (80, 50, 30, 25)]


def test_each_checkpoint_stands_beside_the_first_and_the_one_before(checkpoints: list[Run]) -> None:
    found = sx.trend(checkpoints, metrics=["accuracy"])
    points = [point for point in found.points if point.experiment == "restriction"]
    assert [point.value for point in points] == pytest.approx([120 / 200, 150 / 200, 170 / 200, 175 / 200])
    assert points[0].from_first is None and points[0].from_previous is None
    first, previous = points[2].from_first, points[2].from_previous
    assert first is not None and previous is not None
    assert (first.difference, previous.difference) == pytest.approx((50 / 200, 20 / 200))
    assert first.against == "m (step80/run)" and previous.against == "m (step50/run)"
    by_pair = sx.compare(checkpoints, metrics=["accuracy"]).row("restriction", first.model, first.against)
    assert (first.low, first.high) == pytest.approx((by_pair.low, by_pair.high))


def test_the_slope_is_that_of_each_items_own_line_on_average(checkpoints: list[Run]) -> None:
    slope = sx.trend(checkpoints, metrics=["accuracy"]).slope("restriction", "accuracy")
    right = np.array([[float(p == o) for p, o in wrong_on(range(n, 2 * n))] for n in (80, 50, 30, 25)])
    lines = np.polyfit([1, 2, 3, 4], right, 1)[0]
    test = scipy_stats.ttest_1samp(lines, 0)
    assert slope.slope == pytest.approx(lines.mean())
    assert (slope.low, slope.high) == pytest.approx(tuple(test.confidence_interval()))
    assert slope.p == pytest.approx(test.pvalue)
    assert (slope.checkpoints, slope.items) == (4, 200)


def test_the_slope_of_two_checkpoints_is_their_difference(checkpoints: list[Run]) -> None:
    found = sx.trend(checkpoints[:2], metrics=["skill"])
    last = found.points[1].from_first
    slope = found.slope("restriction")
    assert last is not None
    assert (slope.slope, slope.low, slope.high) == pytest.approx((last.difference, last.low, last.high))


def test_the_other_way_round_the_slope_turns_its_sign(checkpoints: list[Run]) -> None:
    there = sx.trend(checkpoints, metrics=["skill"]).slope("restriction")
    back = sx.trend(checkpoints[::-1], metrics=["skill"]).slope("restriction")
    assert there.slope is not None and there.low is not None and there.high is not None
    assert (back.slope, back.low, back.high) == pytest.approx((-there.slope, -there.high, -there.low))


@pytest.mark.slow
def test_the_overall_slope_is_the_mean_of_three(tmp_path: Path) -> None:
    run = sx.run(["sim/coin", "sim/typical", "sim/knows-itself"], out=tmp_path)
    found = sx.trend(run, models=["sim/coin", "sim/typical", "sim/knows-itself"])
    parts = [found.slope(e).slope or 0 for e in ("association", "restriction", "difficulty")]
    overall = found.slope("overall")
    assert overall.slope == pytest.approx(sum(parts) / 3)
    assert overall.low is not None and overall.low > 0
    # no margin: checkpoints are not each other's reference models, and nobody else is there
    assert {point.metric for point in found.points} == {"skill", "accuracy"}


def test_baseline_margin_is_followed_where_other_models_are_there(tmp_path: Path) -> None:
    models = ["sim/coin", "sim/knows-itself", "sim/typical", "sim/typical@1", "sim/typical@2"]
    run = sx.run(models, limit=60, experiments=["association"], out=tmp_path)
    found = sx.trend(run, models=["sim/coin", "sim/knows-itself"], experiments=["association"])
    assert {point.metric for point in found.points} == {"skill", "accuracy", "baseline_margin"}
    assert {point.experiment for point in found.points} == {"association"}
    low = found.slope("association", "baseline_margin").low
    assert low is not None and low > 0


def test_a_checkpoint_that_was_not_asked_leaves_a_gap_with_a_reason(tmp_path: Path) -> None:
    whole = sx.run(["sim/typical"], limit=20, out=tmp_path / "one")
    part = sx.run(["sim/coin"], limit=20, experiments=["association"], out=tmp_path / "two")
    found = sx.trend([whole, part], metrics=["skill"])
    gap = next(p for p in found.points if (p.experiment, p.model) == ("restriction", "sim/coin"))
    assert (gap.value, gap.reason) == (None, "sim/coin was not asked")
    assert found.slope("restriction").slope is None
    assert found.slope("association").slope is not None
    assert found.slope("overall").reason == "restriction: sim/coin was not asked"


def test_each_difference_stands_beside_the_items_that_it_rests_on(tmp_path: Path) -> None:
    # requests 0 to 199, 100 to 199, 50 to 199: half answered in each, so that all claims can be scored
    runs = [
        requests_run(tmp_path / name, {"m": wrong_on([], count)}, first=first)
        for name, count, first in (("one", 200, 0), ("two", 100, 100), ("three", 150, 50))
    ]
    found = sx.trend(runs, metrics=["accuracy"])
    last = found.points[2]
    assert last.from_first is not None and last.from_previous is not None
    assert (last.from_first.items, last.from_previous.items) == (150, 100)
    row = next(line for line in found.table().splitlines() if "m (three/run)" in line)
    assert re.findall(r"\]   (\d+)", row) == ["150", "100"]
    assert found.frame()["from_first_items"].to_list() == [None, 100, 150]
    # 100 of 200 are just half
    slope = found.slope("restriction", "accuracy")
    assert (slope.items, slope.caution) == (100, None)


def test_a_slope_on_less_than_half_of_the_items_is_to_be_read_with_caution(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"m": wrong_on([], 200)})
    two = requests_run(tmp_path / "two", {"m": wrong_on([], 98)})
    found = sx.trend([one, two], metrics=["accuracy"])
    told = "restriction: the slope rests on 98 of 200 items; m (two/run) has the fewest, 98"
    assert found.slope("restriction", "accuracy").caution == told
    assert f"  {told}" in found.table().splitlines()


def test_models_of_one_run_are_no_checkpoints_before_somebody_says_in_which_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = requests_run(tmp_path / "x", {m: wrong_on([]) for m in ("b", "a", "c")}).folder
    assert selfexec(monkeypatch, "analyze", "trend", folder, "--format", "json") == 0
    said = capsys.readouterr()
    [warning] = json.loads(said.out)["warnings"]
    assert said.err == f"selfexec: warning: {warning}\n"
    assert f"{folder}: its 3 models are taken for checkpoints, in the order in which the run has them." in warning
    assert warning in repr(sx.trend(folder))
    assert selfexec(monkeypatch, "analyze", "trend", folder, "--model", "c,a", "--model", "b") == 0
    assert capsys.readouterr().err == ""


def test_checkpoints_without_two_items_in_common_are_refused(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"a": wrong_on([], 4)})
    two = requests_run(tmp_path / "two", {"b": wrong_on([], 4)}, first=4)
    with pytest.raises(sx.InputError, match="b and a have no scorable items in common"):
        sx.trend([one, two])
    with pytest.raises(sx.InputError, match="only a"):
        sx.trend(one)


def test_a_metric_asked_for_by_its_old_name_is_refused_with_the_new_one(
    checkpoints: list[Run], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [run.folder for run in checkpoints]
    for command in (["analyze", "trend"], ["compare"]):
        assert selfexec(monkeypatch, *command, *folders, "--metric", "self_knowledge") == 2
        assert capsys.readouterr().err == "selfexec: self_knowledge is called baseline_margin now.\n"
    with pytest.raises(KeyError, match="self_knowledge is called baseline_margin now"):
        sx.trend(checkpoints).slope("restriction", "self_knowledge")


@pytest.mark.slow
def test_the_command_prints_a_table_and_json(
    checkpoints: list[Run], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [run.folder for run in checkpoints]
    assert selfexec(monkeypatch, "analyze", "trend", *folders, "--metric", "accuracy") == 0
    table = capsys.readouterr().out
    assert "m (step80/run)" in table and "from previous" in table
    assert selfexec(monkeypatch, "analyze", "trend", *folders, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [point["order"] for point in found["points"][:4]] == [1, 2, 3, 4]
    assert "<table>" in sx.trend(checkpoints)._repr_html_()
    assert "m (step25/run)" in repr(sx.trend(checkpoints))
    assert sx.trend(checkpoints).frame().height == len(sx.trend(checkpoints).points)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0.01, 0.1, "rises"),
        (-0.1, -0.01, "falls"),
        (-0.01, 0.1, "too close to call"),
        (None, None, "withheld"),
    ],
)
def test_what_a_slope_says_follows_from_its_interval(low: float | None, high: float | None, state: str) -> None:
    value = None if low is None or high is None else (low + high) / 2
    assert Slope("skill", "restriction", value, low, high, 0.5, 3, 100).says == state


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [(0.01, 0.1, "higher"), (-0.1, -0.01, "lower"), (-0.01, 0.1, "too close to call"), (None, None, "withheld")],
)
def test_what_a_difference_says_follows_from_its_interval(low: float | None, high: float | None, state: str) -> None:
    assert Difference("skill", "restriction", "new", "old", low=low, high=high).says == state
