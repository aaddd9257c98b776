"""The study of token injection: its file, and what is worked out by hand in it."""

import csv
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[3] / "studies" / "token_injection"
RATES = [rate * left for rate in (0.7, 0.55, 0.4) for left in (1, 0.81)]  # planted, with one word and with four


def rows() -> Mapping[str, list[Mapping[str, str]]]:
    found: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    with (STUDY / "runs.csv").open() as file:
        for row in csv.DictReader(file):
            found[row["respondent"]].append(row)
    return found


def test_intervals_hold_the_planted_rates_and_the_expected_skill_in_92_percent_of_1000_runs() -> None:
    found = rows()
    assert len(found) == 6
    for respondent, runs in found.items():
        assert len(runs) == 1000
        held = sum(int(run["held"]) for run in runs) / sum(int(run["cells"]) for run in runs)
        skill = sum(float(run["low"]) <= float(run["skill_truth"]) <= float(run["high"]) for run in runs) / len(runs)
        assert held >= 0.92 and skill >= 0.92, (respondent, held, skill)


def test_who_knows_nothing_has_no_skill_and_who_drafts_has_more_than_who_knows() -> None:
    mean = {name: sum(float(run["skill"]) for run in runs) / len(runs) for name, runs in rows().items()}
    assert abs(mean["knows-nothing"]) < 0.01 and abs(mean["says-yes"]) < 0.01
    assert mean["drafts"] > mean["knows-itself"] + 0.2


def test_the_expected_skill_of_who_never_departs_is_recall_and_specificity_less_one() -> None:
    assert {run["skill_truth"] for run in rows()["steady"]} == {f"{0.8 + 0.8 - 1:.4f}"}


def test_the_expected_skill_of_who_knows_itself_follows_from_its_rates() -> None:
    # one reply of ten is drawn anew, at its rate: P(usual | done) = .9 + .1 r, P(usual | not done) = .1 r
    done = [0.9 + 0.1 * rate for rate in RATES]
    if_done = sum(rate * (0.8 * usual + 0.2 * (1 - usual)) for rate, usual in zip(RATES, done, strict=True))
    if_not = sum((1 - rate) * (0.8 * 0.1 * rate + 0.2 * (1 - 0.1 * rate)) for rate in RATES)
    expected = if_done / sum(RATES) - if_not / sum(1 - rate for rate in RATES)
    [truth] = {float(run["skill_truth"]) for run in rows()["knows-itself"]}
    assert truth == pytest.approx(expected, abs=1e-4)
