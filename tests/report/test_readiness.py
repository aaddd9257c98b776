"""The figure of how often models say yes, and how often it comes true."""

from pathlib import Path

import pytest

import selfexec as sx
from extensions.logs.quiz import generated, log
from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.logs.importing import import_logs
from selfexec.report.figures import absent, figures


def columns(run: sx.Run) -> list[str]:
    return next(list(one.columns) for one in figures([run], sx.score(run)) if one.id == "readiness")


def test_an_experiment_on_logs_whose_claims_may_all_come_true_has_a_readiness_to_say_yes(tmp_path: Path) -> None:
    lines = [generated(n, f"Question {n}?", "An answer.", exact_match=float(n < 45)) for n in range(60)]
    path = log(tmp_path / "coin", lines, "sim/coin")
    import_logs(path, tool="lm-eval", experiment="correctness", out=tmp_path / "run")
    assert {"correctness: says yes", "correctness: does"} <= set(columns(sx.run(out=tmp_path / "run")))


def test_where_one_option_is_chosen_of_each_item_saying_yes_shows_nothing() -> None:
    assert EXPERIMENTS["choice"].words.does is None
    assert "Readiness to say yes" not in {one.title for one in absent([], ["choice", "difficulty"])}
    assert "Readiness to say yes" in {one.title for one in absent([], ["refusal"])}


@pytest.mark.parametrize("name", ["association", "restriction"])
def test_an_experiment_says_itself_what_a_yes_promises(name: str, tmp_path: Path) -> None:
    run = sx.run(["sim/coin", "sim/typical"], experiments=name, limit=10, out=tmp_path / "run")
    [found] = [one for one in figures([run], sx.score(run)) if one.id == "readiness"]
    does = EXPERIMENTS[name].words.does
    assert does
    assert does in found.svg
