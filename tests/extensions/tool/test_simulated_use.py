"""Simulated models that use the tool well, ignore what they saw, ask for more than they may, or do without it."""

from pathlib import Path

import pytest

import selfexec as sx
from selfexec.extensions.tool.scores import ToolScore, tool_scores

USES, IGNORES, MORE, WITHOUT = "sim/typical", "sim/knows-models", "sim/coin", "sim/says-yes"
EXPERIMENTS = ("association", "restriction", "difficulty")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], ToolScore]:
    run = sx.run(
        [USES, IGNORES, MORE, WITHOUT],
        experiments=EXPERIMENTS,
        limit=40,
        facets={"tool": "self:4"},
        allow_self_execution=True,
        out=tmp_path_factory.mktemp("runs") / "run",
    )
    return {(row.model, row.experiment): row for row in tool_scores(run)}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_who_uses_it_well_asks_the_very_prompts_and_says_what_it_saw(
    found: dict[tuple[str, str], ToolScore], experiment: str
) -> None:
    row = found[USES, experiment]
    assert row.used == row.very_prompt == row.followed == 1.0 and row.refused == 0
    assert row.skill is not None and row.skill_without is not None and row.skill > row.skill_without
    assert row.calls == row.predictions * (4 if experiment == "difficulty" else 1)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_who_ignores_what_it_saw_gives_way_to_nothing(found: dict[tuple[str, str], ToolScore], experiment: str) -> None:
    row = found[IGNORES, experiment]
    assert row.used == 1.0 and row.followed_against == 0.0 and row.seen_against > 0
    assert row.gain is not None and row.gain_low is not None and row.gain_high is not None
    assert row.gain_low <= 0 <= row.gain_high


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_who_asks_for_more_gets_what_there_is_and_the_rest_is_counted(
    found: dict[tuple[str, str], ToolScore], experiment: str
) -> None:
    row = found[MORE, experiment]
    # six of seven turns ask, every other one twice: four executions, and five requests that are refused
    assert row.calls == 4 * row.predictions
    assert row.refused_several == 2 * row.predictions
    assert row.refused_no_calls == 3 * row.predictions
    assert row.never_predicted == 0


def test_who_asks_for_nothing_is_as_without_it(found: dict[tuple[str, str], ToolScore]) -> None:
    row = found[WITHOUT, "restriction"]
    assert (row.used, row.calls, row.gain_per_call, row.very_prompt) == (0.0, 0, None, None)
    assert row.gain == pytest.approx(0.0)


def test_another_simulated_model_stands_in(tmp_path: Path) -> None:
    run = sx.run(
        USES,
        experiments="restriction",
        limit=20,
        facets={"tool": "sim/knows-itself:1"},
        allow_self_execution=True,
        out=tmp_path / "run",
    )
    [row] = tool_scores(run)
    assert row.condition == "tool=sim/knows-itself:1" and row.used == 1.0 and row.followed == 1.0
