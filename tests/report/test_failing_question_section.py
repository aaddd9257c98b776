"""The section on questions that models wrote to fail them, from replies of which everything is known by hand."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from build import write
from selfexec.analysis.selection import Selection
from selfexec.experiments.failing_question import TRICKS, TRIES, order
from selfexec.report.data import Data, Options
from selfexec.report.page import page
from selfexec.report.sections.failing_question import FailingQuestions, failing_question
from selfexec.runs import Run
from selfexec.runs.importing import run_of_replies
from selfexec.stats import wilson

ITEMS = [
    *({"id": f"w{n}", "subject": f"subject {n}"} for n in range(1, 8)),
    {"id": "c", "control": {"question": "2 + 2?", "choices": ["3", "4", "5", "6"], "answer": "B"}},
]
TIME, RANDOM = "At what time was this question asked?", "Which word did I pick at random?"
# question, verdict and how many of its five tries fail
WRITTEN: dict[str, tuple[str | None, str, int]] = {
    "w1": (TIME, "D", 5),
    "w2": (TIME.lower(), "D", 5),  # the same once more
    "w3": (RANDOM, "D", 3),
    "w4": (f"{RANDOM[:-1]} today?", "B", 5),  # another one; its key is wrong
    "w5": ("What is the capital of France?", "A", 0),
    "w6": ("What is the capital of Peru?", "A", 1),
    "w7": (None, "", 0),  # says that there is none
}


def replies() -> Iterator[dict[str, Any]]:
    def line(item: str, session: str, text: str) -> dict[str, Any]:
        return {"model": "vllm/m", "experiment": "failing_question", "item": item, "session": session, "text": text}

    def tried(item: str, right: int, failed: int) -> Iterator[dict[str, Any]]:
        for n in TRIES:
            letter = "ABCD"[order(item, n).index(right if n > failed else (right + 1) % 4)]
            yield line(item, f"execute.{n}", json.dumps({"answer": letter}))

    for item, (question, verdict, failed) in WRITTEN.items():
        value = {"question": question, "options": [f"{item} {x}" for x in "abcd"], "answer": "C", "reason": ""}
        yield line(item, "predict", json.dumps(value) if question else "No such question can exist.")
        if question:
            yield line(item, "verify", json.dumps({"choice": verdict}))
            yield from tried(item, 2, failed)
    yield from tried("c", 1, 2)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("failing")
    (folder / "items").mkdir()
    write(folder / "items" / "failing_question.jsonl", ITEMS)
    write(folder / "replies.jsonl", list(replies()))
    return run_of_replies([folder / "replies.jsonl"], item_source=folder / "items", out=folder / "run")[0]


@pytest.fixture(scope="module")
def found(run: Run) -> FailingQuestions:
    made = failing_question(Data(Selection.of(run), Options()))
    assert made
    return made


def test_a_models_questions_are_counted_by_what_became_of_them(found: FailingQuestions) -> None:
    [m] = found.models
    # of seven one was not written, one is asked before, one has a wrong key; two of the rest only their author knows
    assert (m.questions, m.none, m.repeated, m.invalid, m.unchecked) == (7, 1, 1, 1, 2)
    assert m.failed and m.control and m.lift
    # strict: the five tries of the question that is not there were predicted in vain: 5 + 3 + 0 + 1 of 25
    assert m.failed.value == pytest.approx(9 / 25)
    assert m.control.value == pytest.approx(2 / 5)
    assert m.lift.value == pytest.approx(9 / 25 - 2 / 5)


def test_ways_round_are_counted_for_all_models_and_for_each_that_tried(found: FailingQuestions) -> None:
    rows = {(t.trick, t.model): (t.questions, t.valid, t.failed, t.tries) for t in found.tricks}
    assert {trick for trick, _ in rows} == {*TRICKS, "none of these"}
    assert rows["time of asking", None] == rows["time of asking", "vllm/m"] == (1, 1, 5, 5)  # the repeat counts once
    assert rows["own random output", None] == (2, 1, 3, 5)  # one has a wrong key: tried, and of no use
    assert rows["no such question", None] == (1, 0, 0, 0)
    assert rows["none of these", None] == (2, 2, 1, 10)
    assert rows["hash", None] == (0, 0, 0, 0) and ("hash", "vllm/m") not in rows
    [plain] = [t for t in found.tricks if t.trick == "none of these"]
    assert plain.share == 0.1 and plain.interval == wilson(0.1, 2)  # two questions, not ten tries
    [time] = [t for t in found.tricks if t.trick == "time of asking" and t.model]
    assert time.interval.low != time.interval.low  # of one question alone there is no interval


def test_the_page_shows_them(run: Run) -> None:
    text = page(Selection.of(run), Options())
    assert "Patterns know words, not what is meant" in text  # a caution above counts that are rough
    assert '<section id="failing_question"' in text and "Time of asking" in text
    assert "5 of 5" in text and "3 of 5" in text
