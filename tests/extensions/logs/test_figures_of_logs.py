"""The figure of accuracy on a log against knowing it."""

from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import figures
from extensions.logs.quiz import generated, log
from selfexec.extensions.logs.importing import import_logs


def told(folder: Path, model: str, right: int, of: int = 60) -> None:
    """A log in which a model answers so many questions correctly."""
    lines = [generated(n, f"Question {n}?", "An answer.", exact_match=float(n < right)) for n in range(of)]
    path = log(folder / model.replace("/", "__"), lines, model)
    import_logs(path, tool="lm-eval", experiment="correctness", out=folder / "run")


def knowing(run: sx.Run) -> Any:
    return next((one for one in figures([run], sx.score(run)) if one.id == "knowing"), None)


def test_each_model_has_a_point_by_its_accuracy_on_the_log_and_its_skill(tmp_path: Path) -> None:
    told(tmp_path, "sim/coin", right=45)
    told(tmp_path, "sim/typical", right=30)
    run = sx.run(out=tmp_path / "run")
    found, scores = knowing(run), sx.score(run)
    rows = {row[0]: row for row in found.cells}
    # 45 of 60, and 30 of 60
    assert {model: row[2].split()[0] for model, row in rows.items()} == {"sim/coin": ".750", "sim/typical": ".500"}
    for model, row in rows.items():
        value = scores.get(model, "correctness", "skill").value
        assert row[3].split()[0].rstrip("†") == f"{value:.3f}".replace("0.", ".")


def test_without_a_log_there_is_none(tmp_path: Path) -> None:
    assert knowing(sx.run("sim/coin", limit=3, out=tmp_path / "run")) is None


@pytest.mark.slow
def test_the_page_has_it_and_says_what_it_shows(tmp_path: Path) -> None:
    told(tmp_path, "sim/coin", right=45)
    page = sx.report(sx.run(out=tmp_path / "run"), tmp_path / "page.html").read_text("utf-8")
    assert "Accuracy on the log" in page


def columns(run: sx.Run) -> list[str]:
    return next(list(one.columns) for one in figures([run], sx.score(run)) if one.id == "readiness")


def test_an_experiment_on_logs_whose_claims_may_all_come_true_has_a_readiness_to_say_yes(tmp_path: Path) -> None:
    lines = [generated(n, f"Question {n}?", "An answer.", exact_match=float(n < 45)) for n in range(60)]
    path = log(tmp_path / "coin", lines, "sim/coin")
    import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    assert {"correctness: predicted", "correctness: did"} <= set(columns(sx.run(out=tmp_path / "run")))
