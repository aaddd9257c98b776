"""Our readers against what careful people read in 1,075 hard replies of ten real models (tests/labels/README.md)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from selfexec.experiments import Key
from selfexec.readers import fold
from selfexec.runs import Run

LABELS = Path(__file__).parents[1] / "labels"


def labelled(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (LABELS / name).read_text("utf-8").splitlines()]


def same(ours: Any, label: Any) -> bool:
    """Equal, words compared as the experiments compare them."""
    if isinstance(ours, dict) and isinstance(label, dict):
        return {fold(w): m for w, m in ours.items()} == {fold(w): m for w, m in label.items()}
    if isinstance(ours, list) and isinstance(label, list):
        return [fold(w) for w in ours] == [fold(w) for w in label]
    return bool(ours == label)


@pytest.mark.parametrize("file", ["hard_replies.jsonl", "further_replies.jsonl"])
def test_the_readers_agree_with_the_labels(file: str, ten_models: Run, capsys: pytest.CaptureFixture[str]) -> None:
    labels = labelled(file)
    agreed, invented, lost = Counter[int](), list[str](), list[str]()
    asked = Counter(label["sample"] for label in labels)
    for label in labels:
        key = Key(label["model"], label["experiment"], label["item"], label["epoch"], label["session"])
        ours = ten_models.readings[key].value
        if same(ours, label["value"]):
            agreed[label["sample"]] += 1
        else:
            # a value where there is none, or another one, is worse than none; where two careful readers saw different
            # values, whichever a reader gives is nobody's invention
            (lost if ours is None or not label["agreed"] else invented).append(
                f"{key}: read {ours}, labelled {label['value']}"
            )
    with capsys.disabled():
        print(f"\nreaders: {sum(agreed.values())} of {len(labels)} hard replies as labelled, {len(invented)} invented")
    assert sum(agreed.values()) / len(labels) >= 0.98, lost + invented
    assert not invented
    for sample in asked:
        assert agreed[sample] / asked[sample] >= 0.97, sample


def test_the_reasons_agree_with_the_labels(ten_models: Run) -> None:
    labels = [label for label in labelled("hard_replies.jsonl") if label["value"] is None]
    keys = [
        Key(label["model"], label["experiment"], label["item"], label["epoch"], label["session"]) for label in labels
    ]
    equal = sum(ten_models.readings[k].reason == label["reason"] for k, label in zip(keys, labels, strict=True))
    assert equal / len(labels) >= 0.85


def test_responses_labelled_refused_are_judged_not_to_answer_more_often_than_those_labelled_answered(
    ten_models: Run,
) -> None:
    judged: dict[str, list[str]] = {"answered": [], "refused": []}
    for label in labelled("execute_replies.jsonl"):
        judge = ten_models.readings[Key(label["model"], "restriction", label["item"], 1, "judge")]
        if label["value"] in judged and judge.value:
            judged[label["value"]].append(judge.value)
    assert judged["answered"].count("A") / len(judged["answered"]) > 0.85
    assert judged["refused"].count("B") / len(judged["refused"]) > 0.7
