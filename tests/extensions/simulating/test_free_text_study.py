"""The study of matched replies: its file, and what is worked out by hand in it."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "studies" / "self_simulation"


@pytest.fixture(scope="module")
def rows() -> Mapping[str, list[Mapping[str, str]]]:
    found: dict[str, list[Mapping[str, str]]] = {}
    with (STUDY / "free_text_runs.csv").open() as file:
        for row in csv.DictReader(file):
            found.setdefault(row["respondent"], []).append(row)
    return found


def test_intervals_hold_the_truth_in_92_percent_of_1000_runs(rows: Mapping[str, list[Mapping[str, str]]]) -> None:
    assert len(rows) == 7
    for respondent, runs in rows.items():
        held = sum(float(run["low"]) <= float(run["truth"]) <= float(run["high"]) for run in runs) / len(runs)
        assert len(runs) == 1000 and held >= 0.92, (respondent, held)


def test_who_copies_only_style_is_at_0_however_strong_it_is(rows: Mapping[str, list[Mapping[str, str]]]) -> None:
    for respondent, style in (("style-alone", (1 + 0.7**2) / 2), ("strong-style", (1 + 0.9**2) / 2)):
        runs = rows[respondent]
        assert {float(run["truth"]) for run in runs} == {0}
        assert abs(sum(float(run["beyond"]) for run in runs) / len(runs)) < 0.005
        assert sum(float(run["style"]) for run in runs) / len(runs) == pytest.approx(style, abs=0.01)


def test_the_truth_of_the_study_follows_by_hand(rows: Mapping[str, list[Mapping[str, str]]]) -> None:
    truth = {name: float(runs[0]["truth"]) for name, runs in rows.items()}
    # without style, half of: P(nearer to its own alone) less P(nearer to the other's alone), where it is right (.8),
    # replies as usual (.9) and not both as most models do (1 - .5 * .5)
    assert truth["knows-no-style"] == pytest.approx(0.8 * 0.9 * (1 - 0.5 * 0.5) / 2, abs=1e-4)
    # with style on both sides (.7 * .7), a win is lost where the other alone replies as most models do
    usual = 0.5 * 0.9
    assert truth["models-in-style"] == pytest.approx(-(0.7**2) * usual * (1 - usual), abs=1e-4)
