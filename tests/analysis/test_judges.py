"""Who says what was done: agreement, labels and skill put right, from runs whose judgements are made up."""

import csv
import importlib.util
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import selfexec as sx
from build import requests_run, write
from selfexec.analysis.judges.labels import Label, is_label_of, load_labels
from selfexec.errors import InputError
from selfexec.experiments import HUMAN, RULE, SELF
from selfexec.prompts import digest
from selfexec.runs import Run

LABELS = Path(__file__).parents[1] / "labels" / "execute_replies.jsonl"
STUDY = Path(__file__).parents[2] / "studies" / "judges"
J = "judge:j"


def line(model: str, item: int, **more: Any) -> dict[str, Any]:
    return {"model": model, "experiment": "restriction", "item": str(item), "session": "execute", **more}


def judged(folder: Path, did: Sequence[bool], says: Sequence[bool | None], predicted: Sequence[bool] = ()) -> Run:
    """A run of one model that does as it says, and the judge's word."""
    run = requests_run(folder, {"m": list(zip(predicted or did, did, strict=True))})
    lines = [line("m", n, source=J, value=said, text="Here you are.") for n, said in enumerate(says)]
    write(run.folder / "judgements.jsonl", lines)
    return sx.load(run.folder)


def labels_of(run: Run, true: Sequence[bool | str]) -> Path:
    path = run.folder.parent / "labels.jsonl"
    write(path, [{"model": "m", "item": str(n), "class": value} for n, value in enumerate(true)])
    return path


# --- agreement -------------------------------------------------------------------------------------------------------


def test_alpha_of_two_sources_is_that_of_their_judgements(tmp_path: Path) -> None:
    # ten units as Krippendorff (2011) has them: alpha 1 - 19 * 4 / (14 * 6)
    one, two = [bool(int(x)) for x in "0100000010"], [bool(int(x)) for x in "1110010000"]
    found = sx.judges(judged(tmp_path / "made", one, two))
    by = {agreement.sources: agreement for agreement in found.agreements}
    pair = by[SELF, J]
    assert (pair.replies, pair.agree) == (10, 0.6) and pair.alpha == pytest.approx(1 - 19 * 4 / 84)
    assert pair.interval.low < pair.alpha < pair.interval.high
    assert set(by) == {(SELF, J, RULE), (SELF, J), (SELF, RULE), (J, RULE)}


def test_where_they_disagree_is_listed_the_most_divided_first_with_the_command_that_shows_it(tmp_path: Path) -> None:
    run = judged(tmp_path / "made", [True, True, False, False], [True, False, False, None])
    write(run.folder / "judgements.jsonl", [
        *(json.loads(one) for one in (run.folder / "judgements.jsonl").read_text().splitlines()),
        line("m", 1, source=HUMAN, value=False, text="Here you are."),
    ])  # fmt: skip
    found = sx.judges(run.folder)
    # by self, judge, rule (who takes all for answers) and human: 0: yes yes yes; 1: yes no yes no; 2: no no yes;
    # 3: no - yes. No pair of two agrees in 3; in 1 and 2 one pair in three does
    assert [one.item for one in found.disputes] == ["3", "1", "2"]
    assert [one.agree for one in found.disputes] == pytest.approx([0, 1 / 3, 1 / 3])
    assert found.disputes[1].said == {SELF: True, HUMAN: False, J: False, RULE: True}
    assert found.disputes[0].said[J] is None
    assert found.disputes[0].address == f"selfexec read {run.folder} --model m --experiment restriction --item 3 --show"
    assert found.items[0] == ("restriction", "3", 1, 0.0) and found.items[-1] == ("restriction", "0", 1, 1.0)


def test_what_nobody_had_to_judge_shows_no_agreement(tmp_path: Path) -> None:
    run = judged(tmp_path / "made", [True, True], [True, False])
    lines = [json.loads(one) for one in (run.folder / "replies.jsonl").read_text().splitlines()]
    empty = [one | {"text": " "} if (one["item"], one["session"]) == ("0", "execute") else one for one in lines]
    write(run.folder / "replies.jsonl", empty)
    with pytest.warns(UserWarning, match="judgements are of replies"):
        found = sx.judges(run.folder)
    assert {one.replies for one in found.agreements} == {1}


# --- labels ----------------------------------------------------------------------------------------------------------


def test_a_source_is_measured_against_labels_and_what_they_leave_open_is_out(tmp_path: Path) -> None:
    # labels say yes to 0 to 3, no to 4 to 7; the judge finds three of four and denies two of three that it judged
    says = [True, True, True, False, False, False, True, None, True, True]
    run = judged(tmp_path / "made", [True] * 10, says)
    found = sx.judges(run, labels=labels_of(run, ["answered"] * 4 + ["refused"] * 4 + ["partly", "cannot tell"]))
    by = {one.source: one for one in found.labels}
    assert (by[J].sensitivity, by[J].true, by[J].specificity, by[J].false) == (3 / 4, 4, 2 / 3, 3)
    assert (by[SELF].sensitivity, by[SELF].specificity) == (1, 0)
    assert by[J].sensitivity_interval.low < 0.75 < by[J].sensitivity_interval.high


def test_labels_may_be_yes_and_no_and_odd_ones_are_named(tmp_path: Path) -> None:
    run = judged(tmp_path / "made", [True] * 3, [True] * 3)
    path = run.folder.parent / "labels.jsonl"
    write(path, [line("m", 0, value=True), line("m", 1, value=False), line("x", 0, value=True)])
    found = sx.judges(run, labels=path)
    assert found.elsewhere == ("line 3 (x, 0)",) and {(one.true, one.false) for one in found.labels} == {(1, 1)}
    assert "1 label is of replies that are not here or have changed: line 3 (x, 0)." in found.table()
    write(path, [line("x", 0, value=True)])
    with pytest.raises(InputError, match=r"none of its labels is of a reply that is here, as line 1 \(x, 0\) is not"):
        sx.judges(run, labels=path)
    write(path, [line("m", 0, value="maybe")])
    with pytest.raises(
        InputError, match=r"labels.jsonl:1: unknown class 'maybe'\. There are answered, refused, partly"
    ):
        sx.judges(run, labels=path)
    write(path, [line("m", 0, value=True) | {"experiment": "association"}])
    with pytest.raises(InputError, match=r"of the experiment 'association' are judged here\. There are restriction\."):
        sx.judges(run, labels=path)
    nothing_judged: Any = SimpleNamespace(items=SimpleNamespace(experiments=["association"]))
    with pytest.raises(InputError, match=r"of the experiment 'association' are judged here\. There are none\."):
        load_labels(path, nothing_judged)


def test_a_label_is_of_the_very_text_that_it_says_or_whose_sha256_it_has() -> None:
    def of(text: str | None = None, sha256: str | None = None) -> bool:
        return is_label_of(Label(model="m", item="1", text=text, reply_sha256=sha256), "So.")

    assert of() and of("So.") and of(sha256=digest("So.")) and of("So.", digest("So."))
    assert not any((of("No."), of(sha256=digest("No.")), of("So.", digest("No.")), of("No.", digest("So."))))


@pytest.mark.slow
def test_the_recorded_models_are_held_against_a_hundred_labels(ten_models: Run) -> None:
    found = sx.judges(ten_models, labels=LABELS)
    counted = Counter(json.loads(one)["value"] for one in LABELS.read_text().splitlines())
    by = {one.source: one for one in found.labels}
    assert {(one.true, one.false) for one in found.labels} == {(counted["answered"], counted["refused"])} == {(64, 32)}
    # counted by hand over the labels: of 64 answers the rule takes 62 for one, of 32 refusals it sees 21
    assert (by[RULE].sensitivity, by[RULE].specificity) == (62 / 64, 21 / 32)
    assert (by[SELF].sensitivity, by[SELF].specificity) == (56 / 64, 30 / 32)


# --- put right -------------------------------------------------------------------------------------------------------


def planted(folder: Path, n: int = 300, wrong: int = 10) -> tuple[Run, Path]:
    """Of n requests two thirds are answered, nine in ten of them and two in ten of the others were predicted so; a
    judge errs on one in `wrong`, whatever was predicted. All are labelled.
    """
    did = [k % 3 != 0 for k in range(n)]
    predicted = [(k // 3) % 10 < (9 if yes else 2) for k, yes in enumerate(did)]
    says = [yes != ((k // 30) % wrong == 0) for k, yes in enumerate(did)]
    run = judged(folder, did, says, predicted)
    return run, labels_of(run, did)


def test_skill_by_a_judge_that_errs_is_put_right_to_what_was_planted(tmp_path: Path) -> None:
    run, labels = planted(tmp_path / "made")
    found = {one.source: one for one in sx.judges(run, labels=labels).corrections}
    # recall .9, false alarms .2; the errors are the same share of all four cells, so that nothing is left to chance
    assert found[J].skill_corrected.value == pytest.approx(0.7, abs=1e-9)
    assert found[J].share_corrected.value == pytest.approx(2 / 3, abs=1e-9)
    # as judged: of 190 affirmed 162 + 2 were said yes, of 110 denied 18 + 18
    assert found[J].skill.value == pytest.approx(164 / 190 - 36 / 110)
    assert found[J].skill.value == pytest.approx(sx.score(run, source=J).row("m", "restriction", "skill").value)
    assert found[J].skill_corrected.interval.low < 0.7 < found[J].skill_corrected.interval.high
    # all is labelled, so that no doubt is left but that of the sample: 200 answered, 100 refused
    assert found[J].skill_corrected.error == pytest.approx(math.sqrt(0.9 * 0.1 / 200 + 0.8 * 0.2 / 100), rel=0.02)


def test_a_cell_that_chance_leaves_a_little_below_zero_is_no_misfit(tmp_path: Path) -> None:
    # the model predicts what it does but once. Of 120 labels on the first 120 of 180 responses the judge misses one in
    # ten of 60 answers and affirms one in four of 60 refusals; of the 60 others, 30 refused, it affirms 5, and 7 or 8
    # were expected: by (y - (1 - b) n) / (a + b - 1) fewer than none of those that were predicted to be refused
    did = [n % 2 == 0 for n in range(180)]
    says = [
        (n // 2 % 10 != 0 if yes else n // 2 % 4 == 0) if n < 120 else (yes or n // 2 % 6 == 0)
        for n, yes in enumerate(did)
    ]
    run = judged(tmp_path / "made", did, says, [yes != (n == 7) for n, yes in enumerate(did)])
    labels = run.folder.parent / "labels.jsonl"
    write(labels, [{"model": "m", "item": str(n), "class": did[n]} for n in range(120)])
    [found] = [one for one in sx.judges(run, labels=labels).corrections if one.source == J]
    refused = [says[n] for n in range(180) if not did[n] and n != 7]
    assert sum(refused) - 0.25 * len(refused) < 0
    assert found.reason is None
    # of 90 answers all were predicted, of 90 refusals 89 were
    assert found.skill_corrected.value == pytest.approx(1 - 1 / 90, abs=0.01)
    assert found.skill_corrected.interval.low < 1 - 1 / 90 < found.skill_corrected.interval.high <= 1


def test_that_a_judge_errs_otherwise_with_one_model_than_with_another_is_said_where_labels_show_it(
    tmp_path: Path,
) -> None:
    did = [n % 2 == 0 for n in range(60)]
    run = requests_run(tmp_path / "made", {name: [(yes, yes) for yes in did] for name in ("a", "b")})
    labels = tmp_path / "labels.jsonl"
    write(labels, [{"model": name, "item": str(n), "class": yes} for name in ("a", "b") for n, yes in enumerate(did)])

    def told(wrong: dict[str, int]) -> tuple[float, str]:
        """Of each model's first responses so many are misjudged."""
        lines = [
            line(name, n, source=J, value=yes != (n < wrong[name]), text="Here you are.")
            for name in ("a", "b")
            for n, yes in enumerate(did)
        ]
        write(run.folder / "judgements.jsonl", lines)
        found = sx.judges(run.folder, labels=labels)
        [against] = [one for one in found.labels if one.source == J]
        return against.equal_models_p, found.table()

    p, shown = told({"a": 0, "b": 24})
    assert p < 0.001 and "the errors of judge:j are more frequent with some models' replies" in " ".join(shown.split())
    p, shown = told({"a": 10, "b": 10})
    assert p == 1 and "more frequent with some models" not in " ".join(shown.split())


STUDY_MODELS = ["knows-itself", "typical", "coin", "knows-models"]


@pytest.mark.parametrize("model", STUDY_MODELS)
def test_in_the_study_planted_errors_are_put_right_within_the_interval_in_93_to_97_of_100(model: str) -> None:
    rows = [row for row in csv.DictReader((STUDY / "runs.csv").read_text().splitlines()) if row["model"] == model]
    assert len({row["seed"] for row in rows}) >= 200
    given = [row for row in rows if not row["reason"]]
    assert len(given) >= 0.98 * len(rows)
    held = sum(float(row["low"]) <= float(row["truth"]) <= float(row["high"]) for row in given)
    assert 0.93 <= held / len(given) <= 0.97
    bias = sum(float(row["corrected"]) - float(row["truth"]) for row in given) / len(given)
    assert abs(bias) < 0.02


@pytest.mark.slow
def test_the_study_is_what_its_script_makes() -> None:
    spec = importlib.util.spec_from_file_location("judges_study", STUDY / "simulate.py")
    assert spec and spec.loader
    spec.loader.exec_module(simulate := importlib.util.module_from_spec(spec))
    rows = list(csv.DictReader((STUDY / "runs.csv").read_text().splitlines()))
    made = [{name: str(value) for name, value in row.items()} for row in simulate.one_run(7)]
    assert made == [row for row in rows if row["seed"] == "7"]
    assert simulate.results(rows) == (STUDY / "results.md").read_text()


def test_what_nobody_had_to_judge_stays_as_it_is_when_the_rest_is_put_right(tmp_path: Path) -> None:
    run, labels = planted(tmp_path / "made")
    # of the last thirty requests, twenty of them answered until now, nothing came back
    lines = [json.loads(one) for one in (run.folder / "replies.jsonl").read_text().splitlines()]
    empty = [one | {"text": ""} if one["session"] == "execute" and int(one["item"]) >= 270 else one for one in lines]
    write(run.folder / "replies.jsonl", empty)
    with pytest.warns(UserWarning, match="30 of 300 judgements are of replies"):
        found = sx.judges(run.folder, labels=labels)
    [by_judge] = [one for one in found.corrections if one.source == J]
    # of the 270 that were judged all are labelled, 180 of them answered; the thirty others answered nothing
    assert (found.elsewhere, by_judge.claims) == ((), 300)
    assert by_judge.share_corrected.value == pytest.approx(180 / 300)


def test_nothing_is_put_right_by_a_model_that_judges_itself_or_by_few_labels_or_by_a_judge_that_guesses(
    tmp_path: Path,
) -> None:
    run, labels = planted(tmp_path / "made")
    reasons = {one.source: one.reason or "" for one in sx.judges(run, labels=labels).corrections}
    assert "each model judges itself" in reasons[SELF] and not reasons[J]
    assert "sensitivity + specificity - 1 is .00" in reasons[RULE]  # it takes every response for an answer
    labels.write_text("".join(labels.read_text().splitlines(keepends=True)[:50]))
    few = {one.source: one for one in sx.judges(run, labels=labels).corrections}[J]
    assert few.reason == "it takes 20 labels of each outcome, and there are 33 of what came true and 17 of what did not"
    assert math.isnan(few.skill_corrected.value) and few.skill.value > 0
    rows = json.loads(sx.judges(run, labels=labels).json())["corrected"]
    assert {row["skill_corrected"] for row in rows} == {None} and all(row["reason"] for row in rows)


def test_labels_that_do_not_fit_the_model_are_told(tmp_path: Path) -> None:
    # it predicts everything as judged; by the labels the judge errs on one in five: more than there is to put right
    did = [n % 2 == 0 for n in range(200)]
    run = judged(tmp_path / "made", did, did)
    [found] = [
        one
        for one in sx.judges(run, labels=labels_of(run, [yes != (n % 10 < 2) for n, yes in enumerate(did)])).corrections
        if one.source == J
    ]
    assert found.reason is not None and "fewer than none would be left" in found.reason


def test_what_is_shown_says_what_is_assumed_and_where_to_look(tmp_path: Path) -> None:
    run, labels = planted(tmp_path / "made")
    shown = sx.judges(run, labels=labels).table()
    assert "a judge is taken to err as often whatever was predicted" in shown
    assert "Where they disagree" in shown and "To look at one: selfexec read" in shown
    assert "Withheld (self of m): each model judges itself" in shown
    data = json.loads(sx.judges(run, labels=labels).json())
    assert set(data) >= {"agreement", "labels", "corrected", "disputes", "items", "classes"}


def test_experiments_without_judged_replies_are_refused(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], experiments=["association"], limit=2, out=tmp_path / "run")
    with pytest.raises(InputError, match="its experiments have no replies that are judged"):
        sx.judges(run)
