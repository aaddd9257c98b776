"""Scores that are made of no more than the first screen shows."""

from pathlib import Path

import pytest

import selfexec as sx
from build import part_of
from selfexec.analysis.options import CONVENTIONS
from selfexec.analysis.score import Scores
from selfexec.analysis.screen import Screen
from selfexec.errors import InputError
from selfexec.runs import Run

STORED = sorted(path for path in (Path(__file__).parents[1] / "stored").iterdir() if path.is_dir())


def screen(scores: Scores) -> str:
    return Screen(scores).table(160)


def test_of_ten_models_the_brief_scores_are_printed_as_all_scores_are(ten_models: Run, scores_of_ten: Scores) -> None:
    brief = sx.score(ten_models, brief=True)
    assert screen(brief) == screen(scores_of_ten)
    everything = {(row.model, row.experiment, row.metric): row for row in scores_of_ten}
    assert all(row == everything[row.model, row.experiment, row.metric] for row in brief)
    assert len(brief) < len(everything) / 2


def test_of_simulated_models_with_and_without_margins_they_are_printed_alike(
    whole_panel: Run, scores_of_the_panel: Scores
) -> None:
    assert screen(sx.score(whole_panel, brief=True)) == screen(scores_of_the_panel)
    three = part_of(whole_panel, models=whole_panel.models[:3])
    assert "skill: 0 is chance" in screen(sx.score(three))  # a margin takes three others
    assert screen(sx.score(three, brief=True)) == screen(sx.score(three))


@pytest.mark.parametrize("folder", STORED, ids=lambda folder: folder.name)
def test_of_stored_runs_in_all_their_conditions_they_are_printed_alike(folder: Path) -> None:
    assert screen(sx.score(folder, brief=True)) == screen(sx.score(folder))
    assert screen(sx.score(folder, "readable", brief=True)) == screen(sx.score(folder, "readable"))


def test_one_recorded_model_next_to_the_reference_panel_is_printed_alike(ten_models: Run) -> None:
    alone = part_of(ten_models, models=["o4-mini"])
    assert "own excess: " in screen(sx.score(alone))
    assert screen(sx.score(alone, brief=True)) == screen(sx.score(alone))


def test_drawn_intervals_are_those_of_all_scores(small_panel: Run) -> None:
    brief, scores = (sx.score(small_panel, bootstrap=100, brief=shown) for shown in (True, False))
    everything = {(row.model, row.experiment, row.metric): row for row in scores}
    assert all(row == everything[row.model, row.experiment, row.metric] for row in brief)


def test_a_convention_without_baselines_has_no_brief_scores(small_panel: Run) -> None:
    for convention in set(CONVENTIONS) - {"strict", "readable"}:  # those that extensions add
        with pytest.raises(InputError, match="brief"):
            sx.score(small_panel, convention, brief=True)
