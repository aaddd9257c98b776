"""The study recovers what was planted, and what it wrote down is what it gives."""

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

STUDY = Path(__file__).parents[3] / "studies" / "tool"


@pytest.fixture(scope="module")
def study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tool_study", STUDY / "simulate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["tool_study"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (STUDY / "runs.csv").open() as file:
        return list(csv.DictReader(file))


def test_gain_cost_use_and_belief_are_recovered_in_92_percent_of_a_thousand_runs_or_more(
    study: ModuleType, rows: list[dict[str, str]]
) -> None:
    assert len(rows) == 1000 and {row["experiment"] for row in rows} == {"association", "restriction"}
    held = {name: study.share_held(name, rows) for name in study.NUMBERS}
    assert min(held.values()) >= study.TARGET, held
    assert all(row["refused"] == row["refused_truth"] for row in rows)


def test_what_is_written_down_is_what_the_study_gives(study: ModuleType, rows: list[dict[str, str]]) -> None:
    assert [study.run(int(row["seed"])) for row in rows[:3]] == rows[:3]
    assert (STUDY / "results.md").read_text() == study.results(rows)


def test_the_truth_of_the_study_is_what_follows_from_its_rates(study: ModuleType) -> None:
    one = study.Respondent(rate=0.5, knows=0.6, uses=0.5, very=1.0, repeats=0.9, believes=0.5, insists=0.0)
    # half of its predictions see something right at .9 and say it in half of the cases: right .75 there, .6 elsewhere
    told = one.truth(200.0)
    assert told["gain"] == pytest.approx(2 * (0.5 * 0.75 + 0.5 * 0.6 - 0.6))
    assert told["gain_per_call"] == pytest.approx(told["gain"] / 0.5)
    assert told["gain_per_1000_tokens"] == pytest.approx(told["gain"] / 0.1)
    # what it would say anyway agrees with what it sees where both are right or both wrong: .6 x .9 + .4 x .1
    assert told["followed"] == pytest.approx(0.5 + 0.5 * 0.58) and told["followed_against"] == 0.5
