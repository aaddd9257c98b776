"""The keys of the starter questions agree with answers worked out afresh in starter_keys.py."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starter_keys import CHECKS

FILE = Path(__file__).parents[2] / "src/selfexec/items/starter/difficulty.jsonl"
GROUPS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
QUESTIONS: dict[str, dict[str, Any]] = {q["id"]: q for g in GROUPS for q in g["questions"]}
ALWAYS_COMPUTED = {"abstract_algebra", "high_school_mathematics", "formal_logic"}


@pytest.mark.parametrize("question_id", CHECKS)
def test_the_computed_answer_is_the_keyed_choice_and_no_other(question_id: str) -> None:
    question = QUESTIONS[question_id]
    computed = CHECKS[question_id]()
    right = "ABCD".index(question["answer"])
    assert question["choices"][right] == computed
    assert question["choices"].count(computed) == 1


def test_every_question_that_must_be_computed_has_a_check() -> None:
    needed = {i for i, question in QUESTIONS.items() if question["subject"] in ALWAYS_COMPUTED}
    assert needed
    assert needed <= set(CHECKS)


def test_ids_are_unique_and_every_group_has_four_questions() -> None:
    ids = [g["id"] for g in GROUPS] + [q["id"] for g in GROUPS for q in g["questions"]]
    assert len(set(ids)) == len(ids)
    assert {len(group["questions"]) for group in GROUPS} == {4}


def test_every_question_has_four_distinct_choices_and_a_key() -> None:
    for question in QUESTIONS.values():
        assert len(set(question["choices"])) == len(question["choices"]) == 4
        assert question["answer"] in set("ABCD")


def test_keys_are_balanced() -> None:
    keys = Counter(question["answer"] for question in QUESTIONS.values())
    assert all(0.22 <= keys[letter] / len(QUESTIONS) <= 0.28 for letter in "ABCD")
