"""The figure of how often models say yes, and how often it comes true."""

from pathlib import Path

import pytest

import selfexec as sx
from build import figures
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures import absent


def columns(run: sx.Run) -> list[str]:
    return next(list(one.columns) for one in figures([run], sx.score(run)) if one.id == "readiness")


def test_where_one_option_is_chosen_of_each_item_saying_yes_shows_nothing() -> None:
    assert EXPERIMENTS["choice"].words.does is None
    assert "How often: predicted and done" not in {one.title for one in absent([], ["choice", "difficulty"])}
    assert "How often: predicted and done" in {one.title for one in absent([], ["refusal"])}


@pytest.mark.parametrize("name", ["association", "restriction"])
def test_an_experiment_says_itself_what_a_yes_promises(name: str, tmp_path: Path) -> None:
    run = sx.run(["sim/coin", "sim/typical"], experiments=name, limit=10, out=tmp_path / "run")
    [found] = [one for one in figures([run], sx.score(run)) if one.id == "readiness"]
    does = EXPERIMENTS[name].words.does
    assert does
    assert does in found.svg
