"""Figures of what not every run has: several conditions, questions written to be failed, probabilities."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import selfexec as sx
from build import Claims, changed, figures, requests_run
from selfexec.analysis.numbers import calibrations
from selfexec.analysis.selection import Selection
from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Reading
from selfexec.report.data import Data, Options
from selfexec.report.figures import Figure, FigureNumbers, absent
from selfexec.report.figures.calibrated import calibrated
from selfexec.report.figures.conditions import conditions
from selfexec.report.figures.failing import failing
from selfexec.runs import Run
from selfexec.stats import wilson

MODELS = ["sim/knows-itself", "sim/typical", "sim/coin"]


@pytest.fixture(scope="module")
def framed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("framed") / "run"
    asked = ["association", "failing_question"]
    return sx.run(MODELS, experiments=asked, limit=40, facets={"frame": ["self", "person"]}, out=folder)


def drawn(run: Run) -> dict[str, Figure]:
    return {figure.id: figure for figure in Data(Selection.of(run), Options()).figures}


def said(figure: Figure, start: str) -> list[str]:
    return [title for title in re.findall(r"<title>([^<]*)</title>", figure.svg) if title.startswith(start)]


@pytest.mark.slow
def test_each_condition_stands_beside_that_of_the_page_with_the_numbers_of_score(framed: Run) -> None:
    found = drawn(framed)
    scores = sx.score(framed)
    figure = found["conditions-association"]
    assert figure.columns == ["model", "default", "frame=person"]
    for row in figure.rows:
        for condition, cell in zip(figure.columns[1:], row[1:], strict=True):
            value = scores.under(condition).value(row[0], "association", "skill")
            assert value is not None and cell.startswith(f"{value:.3f}".replace("0.", "."))
    # of each model the mark of the page's condition, which is told like the other
    assert len(said(figure, "sim/coin: default")) == 1 and len(said(figure, "sim/coin: frame=person")) == 1
    # the one that heeds whom it is asked about is the one that loses by it
    rows = {one: {m: scores.under(one).row(m, "association", "skill") for m in MODELS} for one in scores.conditions}
    lost = [m for m in MODELS if rows["frame=person"][m].high < rows["default"][m].low]  # type: ignore[operator]
    assert lost == ["sim/knows-itself"]
    assert (
        figure.finding
        == f"Association: the predictions of {lost[0]} fit its own behaviour less well in frame=person than in default"
    )
    assert [cells[0] for cells in figure.cells] == list(FigureNumbers([framed], scores.under("default")).models)


@pytest.mark.slow
def test_a_page_of_another_condition_has_that_one_for_comparison(framed: Run) -> None:
    selection = Selection.of(framed).under("frame=person")
    numbers = FigureNumbers(selection.runs, sx.score(selection), selection=Selection.of(framed))
    figure = next(figure for figure in conditions(numbers) if figure.id == "conditions-association")
    assert figure.columns == ["model", "frame=person", "default"]
    assert "frame=person, which all other figures" in figure.caption


def test_a_run_in_one_condition_has_no_such_figure_and_nothing_of_it_is_missed(tmp_path: Path) -> None:
    run = sx.run("sim/coin", experiments=["association"], limit=2, out=tmp_path / "run")
    ids = [figure.id for figure in figures([run], sx.score(run))]
    assert not [id for id in ids if id.startswith(("conditions", "failing", "calibration"))]
    titles = [one.title for one in absent([], ["association"])]
    assert not [title for title in titles if "failed" in title or "condition" in title or "Probabilit" in title]


@pytest.mark.slow
def test_own_questions_stand_beside_the_control_with_the_numbers_of_score(framed: Run) -> None:
    scores = sx.score(framed).under("default")
    figure = failing(FigureNumbers([framed], scores))
    assert figure and figure.columns[:4] == ["model", "failed", "control failed", "lift"]
    for row in figure.rows:
        for metric, cell in zip(("accuracy", "control", "lift"), row[1:4], strict=True):
            value = scores.value(row[0], "failing_question", metric)
            assert value is not None and cell.startswith(f"{value:.3f}".replace("0.", "."))
    assert 'data-of="failing_question"' in sx.report(framed, framed.folder.parent / "page.html").read_text("utf-8")


# --- probabilities ---------------------------------------------------------------------------------------------------


@pytest.fixture
def eliciting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The restriction experiment as if it asked for a probability."""
    plain = EXPERIMENTS["restriction"]

    def observe(item: Any, readings: Any) -> Any:
        chance = readings.get("predict", Reading("missing")).probability
        return [msgspec.structs.replace(claim, probability=chance) for claim in plain.observe(item, readings)]

    monkeypatch.setitem(EXPERIMENTS._found, "restriction", changed(plain, observe=observe))


def given(folder: Path, probabilities: Sequence[float], came: Sequence[bool]) -> Run:
    """A model that gave each request a probability, and what it did."""
    claims: Claims = [(p > 0.5, did) for p, did in zip(probabilities, came, strict=True)]
    run = requests_run(folder / "given", {"m": claims})
    told = {
        key: msgspec.structs.replace(reading, probability=probabilities[int(key.item)])
        for key, reading in run.readings.items()
        if key.session == "predict"
    }
    return run.with_readings(told)


def test_of_each_tenth_of_the_probability_it_is_counted_how_often_it_came_true(eliciting: None, tmp_path: Path) -> None:
    # ten claims, a tenth each but for equal ones, which stay together: five at .25, of which one came true; four at .9,
    # of which three did; one at 1, which did not
    run = given(tmp_path, [0.9, 0.9, 0.9, 0.9, 1.0, *[0.25] * 5], [True, True, True, False, False, True, *[False] * 4])
    found = calibrations(run.tables, "restriction")["m"]
    assert [(round(one.said, 3), one.claims, one.came.value) for one in found.tenths] == [
        (0.25, 5, 0.2),
        (0.9, 4, 0.75),
        (1.0, 1, 0.0),
    ]
    low, high = wilson(0.75, 4.0)
    # an item has one claim: as many are independent as there are items, less one for the mean
    assert found.tenths[1].came.low == pytest.approx(low, abs=0.05)
    assert found.tenths[1].came.high == pytest.approx(high, abs=0.05)
    # given: (4 * .9 + 1 + 5 * .25) / 10 = .585; came true: 4 of 10
    assert found.excess and found.excess.value == pytest.approx(0.185)


def test_tenths_are_of_equal_count_but_for_equal_numbers_which_stay_together(eliciting: None, tmp_path: Path) -> None:
    # of 20 claims two make a tenth: .05 and .06 are the first; the four at .2 and the fourteen at .9 are one each
    run = given(tmp_path, [0.05, 0.06, *[0.2] * 4, *[0.9] * 14], [True] * 20)
    found = calibrations(run.tables, "restriction")["m"]
    assert [(round(one.said, 3), one.claims) for one in found.tenths] == [(0.055, 2), (0.2, 4), (0.9, 14)]


def test_of_pairs_it_is_counted_how_often_the_favoured_order_came_true(tmp_path: Path) -> None:
    run = sx.run(
        ["sim/coin", "sim/typical"],
        experiments=["difficulty"],
        limit=30,
        facets={"elicit": "probability"},
        out=tmp_path / "run",
    )
    tables = run.under("elicit=probability").tables
    claims = tables.claims["difficulty"]
    mine = claims.of("sim/typical")
    known = np.isfinite(mine.probability) & (mine.observed != 0) & (mine.probability != 0.5)
    p, first = mine.probability[known], mine.observed[known] > 0
    found = calibrations(tables, "difficulty")["sim/typical"]
    assert found.of_pairs and found.tenths[0].said > 0.5
    # which of two questions is called the first makes no difference: max(p, 1 - p), and whether that order came
    size = np.maximum(p, 1 - p).mean() - np.where(p > 0.5, first, ~first).mean()
    assert found.excess and found.excess.value == pytest.approx(size)


def test_curves_of_many_models_are_rows_with_every_tenth_in_the_table(tmp_path: Path) -> None:
    run = sx.run(
        limit=60, experiments=["association"], facets={"elicit": ["choice", "probability"]}, out=tmp_path / "run"
    )
    scores = sx.score(run)
    numbers = FigureNumbers([run.under("default")], scores.under("default"), selection=Selection.of(run))
    (figure,) = calibrated(numbers)
    assert figure.id == "calibration" and "(asked in elicit=probability)" in figure.title
    assert figure.columns == ["model", "experiment", "given", "came true", "claims"]
    assert {row[0] for row in figure.rows} == set(run.models)
    row = scores.under("elicit=probability").row("sim/says-yes", "association", "rate_bias")
    assert row.value is not None
    title = next(one for one in said(figure, "sim/says-yes: association: given minus came true"))
    assert f"{row.value:.3f}".replace("0.", ".", 1) in title
    called = re.findall(r"(\d+) of 12 models", figure.finding)
    assert "are too sure" in figure.finding and called
    # all others are drawn as too close to call, but those that are to be read with caution
    looks = re.findall(r'<g class="([^"]*)"[^>]* data-series="association: given minus came true', figure.svg)
    faint = sum("sx-faint" in look for look in looks)
    assert sum("sx-open" in look for look in looks) == len(looks) - sum(map(int, called)) - faint > 0


def test_who_gives_more_than_comes_true_is_in_the_title_and_every_tenth_in_the_table(
    eliciting: None, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    sure, did = rng.uniform(0.8, 1, 60), rng.uniform(0, 1, 60) < 0.4
    run = given(tmp_path, [float(p) for p in sure], [bool(one) for one in did])
    (figure,) = calibrated(FigureNumbers([run], sx.score(run)))
    assert figure.id == "calibration-restriction" and figure.columns == ["model", "given", "came true", "claims"]
    size = sure.mean() - did.mean()
    assert figure.finding == f"m gives a probability of {size:.2f} more than comes true, on average".replace("0.", ".")
    assert [row[0] for row in figure.rows] == ["m"] * 10  # 60 different numbers
    assert sum(int(row[3].split()[0]) for row in figure.rows) == 60
    assert len(said(figure, "m: given")) == 10
