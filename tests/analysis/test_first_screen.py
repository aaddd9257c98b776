"""What the first screen says below its table: what the columns are, and why there is no verdict."""

import re
from pathlib import Path

import pytest

import selfexec as sx
from selfexec.analysis.screen import Screen
from selfexec.runs import Run

KNOWERS = ("sim/knows-itself", "sim/solves", "sim/knows-its-family", "sim/knows-its-kind")
OTHERS = ("sim/coin", "sim/typical", "sim/copies-the-order")
TAKES_SIX = "only 4 models were read on the same items, and 6 are needed to call one ahead."


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("seven") / "run"
    return sx.run([*KNOWERS, *OTHERS], experiments=["association", "difficulty"], limit=60, out=out)


def screen(run: Run, *models: str, experiments: tuple[str, ...] = ("difficulty",)) -> str:
    """On one long line."""
    chosen = sx.Selection.of(run.folder, models=models or None, experiments=experiments)
    return " ".join(Screen(sx.score(chosen)).table(160).split())


def test_four_models_that_would_all_be_ahead_are_told_how_many_it_takes(seven: Run, tmp_path: Path) -> None:
    four = sx.run(list(KNOWERS), experiments="difficulty", limit=60, out=tmp_path / "four")
    margins = [row for row in sx.score(four) if row.metric == "baseline_margin" and row.experiment == "difficulty"]
    assert len(margins) == 4 and all(row.value is not None and row.too_few_models for row in margins)
    assert f"skill: 0 is chance, 1 is perfect; no margins here: {TAKES_SIX}" in screen(four)
    assert "needed to call one ahead" not in screen(seven)  # seven are enough


def test_a_lead_that_is_withheld_among_other_verdicts_has_its_reason(tmp_path: Path) -> None:
    models = [*KNOWERS[:2], "sim/coin", "sim/typical"]
    shown = screen(sx.run(models, experiments="difficulty", limit=60, out=tmp_path / "four"))
    assert re.search(r"sim/knows-itself † ", shown) and re.search(r"sim/coin -\.\d\d ", shown)
    assert f"† no verdict: {TAKES_SIX}" in shown


def test_the_reason_of_a_model_with_too_little_data_names_it(tmp_path: Path) -> None:
    run = sx.run("sim/typical", experiments="restriction", limit=30, out=tmp_path / "r")
    shown = screen(run, experiments=("restriction",))
    assert re.search(r"† no verdict: sim/typical refused only \d+ of 30 requests, and at least 20 are needed", shown)


def test_orders_have_no_yes_rate_at_which_they_are_compared(seven: Run) -> None:
    assert "which: margin over a baseline of other models. " in screen(seven)
    assert "baseline of other models at equal yes rates. " in screen(seven, experiments=("association", "difficulty"))


def test_sentences_of_two_models_name_the_option_that_shows_the_reasons(seven: Run) -> None:
    scores = sx.score(sx.Selection.of(seven.folder, models=["sim/knows-itself", "sim/coin"]))
    assert "reasons below" not in Screen(scores).table(160)
