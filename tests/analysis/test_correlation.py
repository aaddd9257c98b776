"""Correlations, against SciPy and against the paper's figure 9."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from selfexec.analysis.correlate import (
    correlations,
    eligible_models,
    read_tables,
    score_columns,
)
from selfexec.analysis.score import Scores, score
from selfexec.cli.correlate import command
from selfexec.errors import InputError
from selfexec.runs import Run
from selfexec.runs.asking import run
from selfexec.stats import correlate

NUMBERS = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=4, max_size=30)


@given(NUMBERS)
def test_pearson_and_its_interval_are_those_of_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    found = correlate(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(found.value) and found.reason == "one of the two is the same throughout"
        return
    expected = stats.pearsonr(x, y)
    assert found.value == pytest.approx(expected.statistic, abs=1e-9)
    assert found.n == len(pairs)
    if abs(found.value) < 1:
        interval = expected.confidence_interval(0.95)
        assert found.interval == pytest.approx((interval.low, interval.high), abs=1e-6)


@given(NUMBERS)
def test_spearman_is_that_of_scipy_and_its_interval_wider_than_fishers(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    found = correlate(x, y, "spearman")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert math.isnan(found.value)
        return
    expected = stats.spearmanr(x, y).statistic
    assert found.value == pytest.approx(expected, abs=1e-9)
    if abs(found.value) < 1:
        # Bonett and Wright (2000): variance of z is (1 + rho^2 / 2) / (n - 3)
        z, error = np.arctanh(expected), np.sqrt((1 + expected**2 / 2) / (len(pairs) - 3))
        low, high = np.tanh([z - 1.959963985 * error, z + 1.959963985 * error])
        assert found.interval == pytest.approx((low, high), abs=1e-6)


def test_three_pairs_are_too_few_whatever_they_look_like() -> None:
    found = correlate(np.array([1.0, 2, 3, math.nan]), np.array([1.0, 2, 4, 9]))
    assert math.isnan(found.value) and math.isnan(found.interval.low)
    assert found.n == 3
    assert found.reason == "only 3 pairs, fewer than 4"


def test_numbers_that_differ_by_rounding_alone_have_no_correlation() -> None:
    same = np.array([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3])
    assert math.isnan(correlate(same, np.arange(5.0)).value)
    assert math.isnan(correlate(np.zeros(5), np.arange(5.0)).value)


def test_a_perfect_correlation_has_no_interval() -> None:
    x = np.arange(6.0)
    found = correlate(x, 5 - 2 * x)
    assert found.value == -1
    assert math.isnan(found.interval.low) and found.reason == "a perfect correlation has no interval"


# --- tables ----------------------------------------------------------------------------------------------------------

TABLE = "model,a,b,maker\nm1,1,2,us\nm2,2,,us\nm3,3,5,them\nm4,5,4,them\nm5,4,7,them\n"


def test_a_hole_costs_only_the_pairs_that_it_is_in(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace("maker", "c").replace("us", "1").replace("them", "2"))
    found = correlations([tmp_path / "t.csv"])
    assert found.pair("a", "b").pearson.n == 4
    assert found.pair("a", "c").pearson.n == 5
    # over m1, m3, m4, m5: a = 1 3 5 4 (mean 3.25), b = 2 5 4 7 (mean 4.5)
    # sum ab = -2.25*-2.5 + -.25*.5 + 1.75*-.5 + .75*2.5 = 6.5; sum aa = 8.75, sum bb = 13
    assert found.pair("a", "b").pearson.value == pytest.approx(6.5 / math.sqrt(8.75 * 13))


def test_a_column_of_words_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    assert list(read_tables([tmp_path / "t.csv"])) == ["a", "b"]


BAD_TABLES = {
    "a word among numbers": (TABLE.replace("m3,3", "m3,three"), "column 'a' of 'm3' is 'three'"),
    "an infinite number": (TABLE.replace("m3,3", "m3,inf"), "column 'a' of 'm3' is 'inf'"),
    "a model twice": (TABLE + "m1,1,2,us\n", "t.csv:7: the model 'm1' occurs twice"),
    "a column twice": (TABLE.replace("a,b", "a,a"), "the column 'a' occurs twice"),
    "a short line": (TABLE + "m6,1\n", "t.csv:7: 2 cells under 4 headings"),
    "nothing": ("", "the table is empty"),
    "headings only": ("model,a\n", "the table is empty"),
    "one column of numbers": ("model,a\nm1,1\n", "takes two columns of numbers, there are 1"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_table_that_cannot_be_used_is_refused_by_name(tmp_path: Path, name: str) -> None:
    text, message = BAD_TABLES[name]
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=r"t\.csv") as fault:
        correlations([tmp_path / "t.csv"])
    assert message in str(fault.value)
    assert "\n" not in str(fault.value)


def test_what_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a table nor the folder of a run"):
        correlations([tmp_path / "none.csv"])
    with pytest.raises(InputError, match="which table or run"):
        correlations([])


# --- runs ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    models = ["sim/knows-itself", "sim/knows-models", "sim/typical", "sim/coin", "sim/breaks-format"]
    return run(models, out=tmp_path_factory.mktemp("runs") / "panel")


@pytest.mark.slow
def test_scores_are_held_against_a_table_among_all_models_and_among_the_eligible(panel: Run, tmp_path: Path) -> None:
    scores = score(panel)
    eligible = eligible_models(scores)
    assert "sim/breaks-format" not in eligible and len(eligible) == 4
    lines = [f"{model},{n * n}" for n, model in enumerate(panel.models)]
    (tmp_path / "t.csv").write_text("\n".join(["model,squares", *lines]))
    found = correlations([panel.folder], [tmp_path / "t.csv"])
    for among, models in (("all", list(panel.models)), ("eligible", eligible)):
        pair = found.pair("association accuracy", "squares", among)  # type: ignore[arg-type]
        x = [scores.value(model, "association", "accuracy") for model in models]
        y = [panel.models.index(model) ** 2 for model in models]
        assert pair.pearson.value == pytest.approx(stats.pearsonr(x, y).statistic)
        assert pair.pearson.n == len(models)


def test_the_overall_column_is_the_headline_where_that_is_not_withheld(scores_of_the_small_panel: Scores) -> None:
    scores = scores_of_the_small_panel
    columns = score_columns(scores)
    for measure, metric in (("accuracy", "self_execution_score"), ("skill", "skill")):
        for model in eligible_models(scores):
            expected = scores.value(model, "overall", metric)
            assert columns[f"overall {measure}"][model] == pytest.approx(expected)
    assert "sim/breaks-format" in columns["overall accuracy"]


@pytest.mark.slow
def test_a_table_of_other_models_is_refused(panel: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    with pytest.raises(InputError, match="none of its models is in these runs"):
        correlations([panel.folder], [tmp_path / "t.csv"])


@pytest.mark.slow
def test_models_that_the_table_lacks_are_named(panel: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,x\n" + "".join(f"{model},{len(model)}\n" for model in panel.models[:4]))
    found = correlations([panel.folder], [tmp_path / "t.csv"])
    assert found.notes == ("not in the table: sim/breaks-format",)


@pytest.mark.slow
def test_too_few_models_for_any_correlation_are_refused_in_one_sentence(panel: Run, tmp_path: Path) -> None:
    alone = run(["sim/coin"], limit=20, out=tmp_path / "alone")
    part = run(panel.models, limit=20, experiments=["association"], out=tmp_path / "part")
    (tmp_path / "t.csv").write_text("model,x,y\nsim/coin,1,3\nsim/typical,2,\n")
    takes = "a correlation needs 4 models that have both numbers, and no two columns here share more than"
    for sources, tables, message in (
        ([alone.folder], [], f"{takes} 1. Give more runs: their models count together."),
        # x has two models, y one
        ([tmp_path / "t.csv"], [], f"{takes} 1. Add models to the table."),
        ([panel.folder], [tmp_path / "t.csv"], f"{takes} 2. Give more runs, or a table with more of their models."),
        ([part.folder], [], "a correlation takes two columns, and these runs have scores in one experiment at most."),
    ):
        with pytest.raises(InputError) as fault:
            correlations(sources, tables)
        assert str(fault.value).startswith(message)


@pytest.mark.slow
def test_a_part_is_said_to_go_with_its_whole_by_construction(panel: Run, tmp_path: Path) -> None:
    # x + y + z over 3, of 100,000 that have nothing to do with each other: cov(x, mean) = 1/3, sd(mean) = 1/sqrt(3)
    parts = np.random.default_rng(1).normal(size=(3, 100_000))
    assert correlate(parts[0], parts.mean(0)).value == pytest.approx(1 / math.sqrt(3), abs=0.01)
    found = correlations([panel.folder])
    assert found.notes == (
        "overall is the mean of association, restriction, difficulty: each correlates with it by construction, "
        "at about .58 even if the three are unrelated.",
    )
    assert found.notes[0] in found.table()
    part = run(panel.models, limit=40, experiments=["association", "restriction"], out=tmp_path / "part")
    assert not correlations([part.folder]).notes


def test_columns_that_are_the_same_throughout_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,x,y\n" + "".join(f"m{n},{n},7\n" for n in range(5)))
    with pytest.raises(InputError, match="x and y: one of the two is the same throughout"):
        correlations([tmp_path / "t.csv"])


@pytest.mark.slow
def test_the_command_prints_a_table_and_json(panel: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    shown = CliRunner().invoke(command, [str(tmp_path / "t.csv")])
    assert shown.exit_code == 0
    assert "Do they go together?" in shown.output
    shown = CliRunner().invoke(command, [str(panel.folder), "--format", "json"])
    rows = json.loads(shown.output)["correlations"]
    # three measures of four columns: 3 x 6 pairs, twice
    assert len(rows) == 36
    assert {"one", "two", "among", "n", "pearson", "pearson_low", "pearson_high", "spearman", "reason"} <= set(rows[0])


# --- the paper -------------------------------------------------------------------------------------------------------


def test_figure_9_comes_out_to_two_decimals(reference: Path) -> None:
    published = json.loads((reference / "published.json").read_text())
    columns: dict[str, dict[str, float]] = {
        "Association": {model: x["association"]["accuracy"] for model, x in published["models"].items()},
        "Restriction": {model: x["restriction"]["accuracy"] for model, x in published["models"].items()},
        "Difficulty": {model: x["difficulty"]["accuracy"] for model, x in published["models"].items()},
        "Ability": {model: x["rasch_ability"] for model, x in published["models"].items()},
        "Score": {model: x["self_execution_score"] for model, x in published["models"].items()},
    }
    found = correlations(columns)
    assert len(found) == 10
    for names, expected in published["correlations"]["figure9"].items():
        pair = found.pair(*names.split("-"))
        assert round(pair.pearson.value, 2) == expected, names
        assert pair.pearson.n == 15
    interval = found.pair("Ability", "Score").pearson.interval
    assert [round(end, 2) for end in interval] == [0.10, 0.84]
