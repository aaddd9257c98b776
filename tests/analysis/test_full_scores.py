"""What a score shows by default, in full, and with everything; as data it is the same throughout."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import selfexec as sx
from build import requests_run, selfexec, wrong_on
from selfexec.analysis.full_scores import OF_THE_PAPER, FullScores, further_table, paper_table
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.score_table import constant_baselines
from selfexec.metrics import Score
from selfexec.metrics.baselines.groups import CONSTANT
from selfexec.text.numbers import interval, signed
from selfexec.text.tables import Table

SECONDARY = (
    *("self_bonus", "skill_where_split", "margin_where_split", "balanced_accuracy", "kappa", "d_prime", "criterion"),
    *("history_majority", "history_text", "shuffled", "always_yes", "always_no", "swap_share", "partial_correlation"),
    *("unique_correlation", "own_excess_detectable"),
)


def tables(found: FullScores) -> list[Table]:
    return [part for part in found._content("text", 120) if isinstance(part, Table)]


def test_by_default_a_score_shows_no_secondary_metric(scores_of_ten: sx.Scores) -> None:
    shown = scores_of_ten.table()
    assert not [name for name in SECONDARY if name in shown or name.replace("_", " ") in shown]
    assert "precision" not in shown and "over-niceness" not in shown


def test_in_full_the_papers_own_numbers_stand_in_a_second_table(scores_of_ten: sx.Scores) -> None:
    first, second = tables(FullScores(scores_of_ten))
    assert first.rows == tables(FullScores(scores_of_ten, every=True))[0].rows
    cells = {(row[0], row[1]): dict(zip(second.columns, row, strict=True)) for row in second.rows}
    row = scores_of_ten.row("gpt-4.1", "restriction", "over_niceness")
    # STATISTICS.md: .971 [.902, .992]
    assert cells["gpt-4.1", "restriction"]["over-niceness"] == interval(row.value, row.low, row.high)
    assert cells["gpt-4.1", "restriction"]["over-niceness"] == ".971 [.902, .992]"
    assert cells["gpt-4.1", "association"]["over-niceness"] == ""
    # a count of tokens is no share
    tokens = scores_of_ten.value("gpt-4.1", "difficulty", "tokens_mean")
    assert cells["gpt-4.1", "difficulty"]["tokens"].startswith(f"{tokens:,.0f} [")


def test_with_everything_each_metric_stands_in_one_table_and_none_is_left_out(scores_of_ten: sx.Scores) -> None:
    third = tables(FullScores(scores_of_ten, every=True))[2]
    metrics = {row[1] for row in third.rows}
    assert metrics >= set(SECONDARY)
    assert not metrics & set(OF_THE_PAPER)
    by_default = {"accuracy", "skill", "rate_bias", "best_baseline", "baseline_margin", "margin_at_own_rate"}
    by_default |= {"coverage", "self_execution_score", "own_excess", "own_excess_by_rule"}
    assert {row.metric for row in scores_of_ten} - metrics == by_default | set(OF_THE_PAPER)


def test_each_row_of_the_third_table_is_a_model_and_a_metric_with_a_cell_for_each_experiment(
    scores_of_ten: sx.Scores,
) -> None:
    table = further_table(scores_of_ten)
    row = next(row for row in table.rows if row[:2] == ["o4-mini", "kappa"])
    cell = dict(zip(table.columns, row, strict=True))
    kappa: Score = scores_of_ten.row("o4-mini", "restriction", "kappa")
    assert cell["restriction"] == interval(kappa.value, kappa.low, kappa.high)
    assert cell["difficulty"] == ""


def test_in_two_conditions_each_has_tables_of_its_own(tmp_path: Path) -> None:
    run = sx.run(["sim/typical", "sim/coin"], limit=6, facets={"thinking": ["default", "off"]}, out=tmp_path / "x")
    scores = sx.score(run)
    titles = [table.title for table in tables(FullScores(scores))[1:]]
    assert (
        titles == [f"The metrics of the paper, for these replies: {one}" for one in scores.conditions]
        and len(titles) == 2
    )


def test_what_is_said_below_the_table_of_one_condition_alone_stands_behind_its_name(tmp_path: Path) -> None:
    models = ["sim/coin", "sim/typical"]
    conditions = ("default", "frame=person")
    run = sx.run(
        models, experiments=["difficulty"], preset="quick", facets={"frame": ["self", "person"]}, out=tmp_path / "run"
    )
    scores = sx.score(run)
    shown = scores.table().splitlines()
    for condition in conditions:
        at = next(n for n, line in enumerate(shown) if line.startswith(f"{condition}: difficulty, order effect: "))
        biases = [scores.under(condition).value(model, "difficulty", "order_bias") or 0.0 for model in models]
        for model, bias, line in zip(models, biases, shown[at + 1 :], strict=False):
            assert line.startswith(f"  {model}: {signed(bias, 2)} [")
        assert not shown[at + 3].startswith("  ")
    assert sum("order effect" in line for line in shown) == len(conditions)
    assert len([line for line in shown if line.startswith("preset quick (60 difficulty items)")]) == 1


def test_as_data_the_full_scores_are_the_scores(tmp_path: Path) -> None:
    scores = sx.score(requests_run(tmp_path / "x", {"a": wrong_on([1, 2])}))
    full = FullScores(scores, every=True)
    assert full.json() == scores.json() and full.csv() == scores.csv()
    assert paper_table(scores).rows


def test_the_command_shows_as_much_as_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = requests_run(tmp_path / "x", {"a": wrong_on([1, 2])}).folder
    shown = {}
    for options in ((), ("--full",), ("--full", "--all")):
        assert selfexec(monkeypatch, "score", folder, *options) == 0
        shown[options] = capsys.readouterr().out
    assert ["The metrics of the paper, for these replies" in text for text in shown.values()] == [False, True, True]
    assert ["balanced_accuracy" in text for text in shown.values()] == [False, False, True]
    assert selfexec(monkeypatch, "score", folder, "--all") == 2
    assert "--all: it adds further metrics to the numbers of --full. Give both, or neither." in capsys.readouterr().err


def test_a_model_is_named_with_the_experiments_in_which_its_baseline_is_always_the_same_answer() -> None:
    def row(model: str, experiment: str, metric: str, baseline: str, value: float | None = 0.1) -> Any:
        return SimpleNamespace(model=model, experiment=experiment, metric=metric, baseline=baseline, value=value)

    rows: Any = [
        row("a", "association", "baseline_margin", CONSTANT),
        row("a", "association", "margin_at_own_rate", CONSTANT),
        row("a", "difficulty", "baseline_margin", CONSTANT),
        row("b", "association", "baseline_margin", "stacked"),
        row("b", "difficulty", "baseline_margin", CONSTANT, None),
    ]
    [line] = constant_baselines(rows)
    assert line.startswith("a: in association and difficulty ") and "constant answer" in line


def test_a_panel_is_named_for_the_experiments_that_are_shown_and_not_at_all_for_others() -> None:
    matched: Any = SimpleNamespace(
        panel=SimpleNamespace(name="mine", date="2026-11"),
        models=("x", "y"),
        own=("a",),
        left_out={},
        experiments=("association", "restriction"),
        without={"difficulty": "none of these items"},
        alike=None,
    )
    assert not list(panel_lines(matched, {"difficulty"}))
    [line] = panel_lines(matched, {"difficulty", "restriction"})
    assert line.startswith("The baseline in restriction is built from the reference panel `mine`")
