"""The keys of the starter questions agree with answers worked out afresh in starter_keys.py and starter_keys_2.py."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import starter_keys
import starter_keys_2

CHECKS = {**starter_keys.CHECKS, **starter_keys_2.CHECKS}
FILE = Path(__file__).parents[2] / "src/selfexec/items/starter/difficulty.jsonl"
GROUNDS = Path(__file__).parents[1] / "starter_sources.md"
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


def test_a_key_that_no_code_works_out_has_its_grounds_written_down() -> None:
    written = {line.removeprefix("- ").partition(":")[0] for line in GROUNDS.read_text("utf-8").splitlines()}
    assert QUESTIONS.keys() - set(CHECKS) <= written
    assert {name for name in written if name.startswith("starter-")} <= QUESTIONS.keys()


def test_what_the_set_had_before_stands_first_and_is_what_it_was() -> None:
    lines = FILE.read_bytes().splitlines(keepends=True)
    # the file of the first edition, to the byte: runs of it grow on, and hold the same items
    first = "f177cb19d87eb165d2dc48e8d1a3d29a1921b4077c8f16a908318cf9bcbc0aa3"
    assert hashlib.sha256(b"".join(lines[:45])).hexdigest() == first
    assert [group.get("edition", 1) for group in GROUPS] == [1] * 45 + [2] * 19


def test_every_group_has_four_subjects() -> None:
    assert {len({question["subject"] for question in group["questions"]}) for group in GROUPS} == {4}


def test_no_two_questions_are_the_same() -> None:
    texts = Counter((q["question"], tuple(sorted(q["choices"]))) for q in QUESTIONS.values())
    assert set(texts.values()) == {1}


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
