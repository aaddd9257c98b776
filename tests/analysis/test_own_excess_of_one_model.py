"""One model that is held against a reference panel: what the first screen says of its own excess, and why not more."""

import re
from dataclasses import replace

import pytest

import selfexec as sx
from build import part_of
from selfexec.analysis.findings import single_model_findings
from selfexec.analysis.screen import Screen
from selfexec.analysis.words import two
from selfexec.runs import Run
from selfexec.text.numbers import interval

MODEL = "gpt-4.1"


@pytest.fixture(scope="module")
def alone(ten_models: Run) -> Run:
    return part_of(ten_models, models=[MODEL])


def of_first_items(run: Run, number: int) -> Run:
    """The run as if only so many items of each experiment had been asked."""
    first = {experiment: list(items)[:number] for experiment, items in run.items.items.items()}
    kept = {key: reply for key, reply in run.replies.items() if key.item in first[key.experiment]}
    found = replace(run, replies=kept)
    vars(found)["readings"] = {key: run.readings[key] for key in kept}
    return found


@pytest.fixture(scope="module")
def scores(alone: Run) -> sx.Scores:
    return sx.score(alone)


def own_line(scores: sx.Scores) -> str:
    [line] = [line for line in Screen(scores).table(200).splitlines() if line.startswith("own excess: ")]
    return line.removeprefix("own excess: ")


def test_the_screen_has_the_verdict_on_the_model_in_each_experiment(scores: sx.Scores) -> None:
    verdicts: dict[str, list[str | None]] = {}
    for own in scores.own:
        verdicts.setdefault(own.experiment, []).append(own.found.each[MODEL].verdict)
    # by its own judgement there is none in restriction, and the rule's counts
    assert verdicts == {"association": ["not shown"], "restriction": [None, "not shown"], "difficulty": ["not shown"]}
    said, line = own_line(scores).split(" in ", 1)
    assert said == "not shown"  # of one model each with its interval
    number = r"-?\.\d\d \[-?\.\d\d, -?\.\d\d\]"
    parts = re.findall(rf"(\w+) \((by rule, )?{number}, 80% power to detect \.\d\d\)", line)
    assert parts == [("association", ""), ("restriction", "by rule, "), ("difficulty", "")]
    judged = single_model_findings(scores.own, "association", [MODEL])[0]
    assert f"association ({interval(judged.value, judged.tested_low, judged.tested_high, two)}, 80%" in line


def test_an_experiment_without_a_verdict_is_named_with_its_reason_and_each_reason_is_below_the_full_table(
    alone: Run,
) -> None:
    scores = sx.score(of_first_items(alone, 40))
    assert own_line(scores).startswith("no verdict in association, restriction and difficulty (only ")
    full = scores.table(200)
    for experiment in ("association", "restriction", "difficulty"):
        [reason] = [
            line for line in full.splitlines() if line.startswith(f"  {experiment}, {MODEL}: no verdict: only ")
        ]
        assert "of it could be read, fewer than 54" in reason or "fewer than 20" in reason


def test_of_several_models_the_line_is_of_the_panel_and_names_no_experiment_without_a_verdict(
    scores_of_ten: sx.Scores,
) -> None:
    shown = Screen(scores_of_ten).table(200)
    [own] = [line for line in shown.splitlines() if line.startswith("own excess")]
    assert "no verdict" not in own
