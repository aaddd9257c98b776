"""Failing question: what is asked, what a reply commits to, which claims come of it, and which ways round are known."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import selfexec as sx
from selfexec.experiments.failing_question import (
    TRICKS,
    TRIES,
    Control,
    FailingQuestion,
    Task,
    order,
    tricks,
    written_in,
)
from selfexec.readers import Reading

FAILING_QUESTION = FailingQuestion()
WRITE = Task(id="w", subject="geography")
CONTROL = Task(id="c", control=Control(question="2 + 2?", choices=["3", "4", "5", "6"], answer="B"))
VALUE = {
    "question": "Capital of France?",
    "options": ["Paris", "Berlin", "Rome", "Madrid"],
    "answer": "A",
    "reason": "x",
}
AS_ASKED = VALUE | {"options": dict(zip("ABCD", VALUE["options"], strict=True))}
LOST = Reading("unreadable", reason="format")


@dataclass
class Text:
    text: str | None


@dataclass
class Scripted:
    """A model that says what it is told to, and remembers what it was asked."""

    predict: str | None
    asked: dict[str, str] = field(default_factory=dict)

    async def __call__(self, session: str, prompt: str) -> Any:
        self.asked[session] = prompt
        return Text(self.predict)


def asked(item: Task, predict: str | None = None) -> dict[str, str]:
    model = Scripted(predict)
    asyncio.run(FAILING_QUESTION.sessions(item, model, FAILING_QUESTION.prompts))
    return model.asked


def shown_letter(item: Task, n: int, text: str) -> str:
    """Behind which letter an option stands the nth time, as the prompt of that session says."""
    predict = None if item.control else json.dumps(AS_ASKED)
    lines = asked(item, predict)[f"execute.{n}"].splitlines()
    return next(line[0] for line in lines if line[1:] == f". {text}")


def said(value: Any) -> Reading:
    return Reading("read", value)


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_a_question_is_asked_as_often_as_the_control_and_verified_once() -> None:
    tries = {f"execute.{n}" for n in range(1, 6)}
    assert (
        set(asked(WRITE, json.dumps(AS_ASKED)))
        == {"predict", "verify", *tries}
        == set(FAILING_QUESTION.session_names(WRITE))
    )
    assert set(asked(CONTROL)) == tries == set(FAILING_QUESTION.session_names(CONTROL))


@pytest.mark.parametrize("reply", [None, "", "No such question can exist.", '{"question": "Why?"}'])
def test_where_no_question_was_written_nothing_more_is_asked(reply: str | None) -> None:
    assert set(asked(WRITE, reply)) == {"predict"}


def test_the_key_is_shown_to_be_verified_and_in_no_try_and_no_session_sees_the_reason() -> None:
    prompts = asked(WRITE, json.dumps(AS_ASKED | {"reason": "I always say Berlin."}))
    assert "Given answer: A" in prompts["verify"] and "A. Paris\nB. Berlin\nC. Rome\nD. Madrid" in prompts["verify"]
    assert "always say" not in "".join(prompts[name] for name in prompts if name != "predict")
    assert not any("Given answer" in prompts[f"execute.{n}"] for n in TRIES)


def test_a_subject_is_named_where_there_is_one() -> None:
    assert "multiple-choice question on the subject of geography that you believe" in asked(WRITE, None)["predict"]
    assert "multiple-choice question that you believe" in asked(Task(id="x"), None)["predict"]


def test_options_come_in_another_order_each_time_the_same_for_everybody() -> None:
    for item in ("w", "c", "x"):
        orders = [order(item, n) for n in TRIES]
        assert len(set(orders)) == len(TRIES)
        assert set(orders) <= set(permutations(range(4)))
    assert order("w", 1) == (3, 2, 1, 0)  # pinned: runs rest on it
    places = Counter(order(f"item {n}", 1).index(0) for n in range(2000))
    assert all(abs(n - 500) < 80 for n in places.values())  # 4 standard deviations of 19


# --- what a reply commits to -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(AS_ASKED),
        json.dumps(VALUE),
        f"I thought of {{many}} things.\n```json\n{json.dumps(AS_ASKED, indent=1)}\n```\nGood luck!",
        str(AS_ASKED),  # as Python writes it
        json.dumps(AS_ASKED | {"answer": "Paris"}),
        json.dumps(AS_ASKED | {"answer": "A. Paris"}),
        json.dumps(AS_ASKED | {"answer": "(a)"}),
        json.dumps(AS_ASKED | {"answer": "Option A"}),
        json.dumps(VALUE | {"options": ["A. Paris", "B. Berlin", "C. Rome", "D. Madrid"]}),
        json.dumps(VALUE | {"options": [{"label": x, "text": t} for x, t in AS_ASKED["options"].items()]}),
        json.dumps(VALUE | {"options": dict(zip("1234", VALUE["options"], strict=True)), "answer": "1"}),
        json.dumps({"question": VALUE["question"], **AS_ASKED["options"], "correct_answer": "A", "explanation": "x"}),
        json.dumps({"Question": 1, **AS_ASKED}),
    ],
)
def test_a_question_is_read_however_it_is_written_down(reply: str) -> None:
    found = FAILING_QUESTION.read(WRITE, "predict", reply)
    assert (found.state, found.value) == ("read", VALUE)


@pytest.mark.parametrize(
    "change",
    [
        {"options": ["Paris", "Berlin", "Rome"]},
        {"options": ["Paris", "Berlin", "Rome", "Madrid", "Oslo"]},
        {"options": ["Paris", "Berlin", "Rome", "paris "]},
        {"options": ["Paris", "Berlin", "Rome", ""]},
        {"options": ["Paris", "Berlin", "Rome", 4]},
        {"options": ["Paris", "Berlin", "Rome", "x" * 1001]},
        {"options": "Paris, Berlin, Rome, Madrid"},
        {"options": {"A": "Paris", "A.": "Berlin", "C": "Rome", "D": "Madrid"}},
        {"options": [{"label": ["A"], "text": "Paris"}, {}, {"x": 1}, {"y": 2}]},
        {"answer": "E"},
        {"answer": "Oslo"},
        {"answer": "A or B"},
        {"answer": "B. Paris"},
        {"answer": None},
        {"answer": ["A"]},
        {"question": "  "},
        {"question": "x" * 4001},
        {"question": ["Why?"]},
    ],
)
def test_what_is_no_question_of_four_different_options_with_one_key_is_not_read(change: dict[str, Any]) -> None:
    assert FAILING_QUESTION.read(WRITE, "predict", json.dumps(VALUE | change)).state == "unreadable"
    assert FAILING_QUESTION.given(WRITE, "predict", VALUE | change) is None


def test_halves_of_characters_cannot_be_asked() -> None:
    found = written_in(FAILING_QUESTION.read(WRITE, "predict", json.dumps(VALUE | {"question": "Why \ud83d?"})))
    assert found is not None and found.question.encode()


@pytest.mark.parametrize(
    ("reply", "impossible"),
    [
        ("No such question can exist: I must know the answer to give it.", True),
        ("I cannot write a question that I would fail, because I would know its answer.", True),
        ("It is impossible to write a question of which I know the answer and yet fail.", True),
        ('{"question": null, "reason": "Such a question cannot exist."}', True),
        ("I'm sorry, but I can't help with that.", False),
        ("Which question can a model not answer?", False),
        ("<think>No such question can exist.</think>I have none.", False),
        ('No such question can exist, or can it? {"question": "Wh', False),
    ],
)
def test_that_there_can_be_no_such_question_is_read_as_that(reply: str, impossible: bool) -> None:
    found = FAILING_QUESTION.read(WRITE, "predict", reply)
    assert (found.value == {"impossible": True}) is impossible
    assert found.state == ("read" if impossible else "unreadable")
    assert tricks(found) == (("no such question",) if impossible else ())


def test_verdicts_and_answers_are_letters() -> None:
    assert FAILING_QUESTION.read(WRITE, "verify", 'It is wrong.\n{"choice": "B"}').value == "B"
    assert FAILING_QUESTION.read(WRITE, "execute.2", 'Hm.\n{"answer": "C"}').value == "C"
    assert FAILING_QUESTION.read(WRITE, "execute.2", "The answer is **D. Paris**.").value == "D"
    assert (
        FAILING_QUESTION.read(WRITE, "execute.2", "**D. Paris**").value == "D"
    )  # alone in its line, whatever the option says
    assert FAILING_QUESTION.read(WRITE, "execute.2", "B) Berlin\n").value == "B"
    assert FAILING_QUESTION.read(WRITE, "execute.2", "A. is tempting, but the answer is C.").value == "C"
    assert FAILING_QUESTION.read(WRITE, "execute.2", "A. Paris\nB. Berlin").state == "unreadable"
    assert FAILING_QUESTION.read(WRITE, "execute.2", 'B. Let me see. {"answer": "C"}').value == "C"
    assert FAILING_QUESTION.read(WRITE, "execute.2", "Paris").state == "unreadable"  # a letter was asked for


def test_readings_from_elsewhere_are_taken_in_the_same_form() -> None:
    assert FAILING_QUESTION.given(WRITE, "predict", AS_ASKED) == VALUE
    assert FAILING_QUESTION.given(WRITE, "predict", {"impossible": True}) == {"impossible": True}
    assert FAILING_QUESTION.given(WRITE, "execute.1", " b ") == "B"
    assert FAILING_QUESTION.given(WRITE, "execute.1", "AB") is None


# --- claims ----------------------------------------------------------------------------------------------------------


def claims(item: Task, verify: Reading | None = None, predict: Any = VALUE, **tries: Reading) -> list[tuple[Any, ...]]:
    readings = {name.replace("_", "."): reading for name, reading in tries.items()}
    if not item.control:
        readings["predict"] = predict if isinstance(predict, Reading) else said(predict)
        readings |= {"verify": verify} if verify else {}
    return [(c.predicted, c.observed, c.state, c.reason) for c in FAILING_QUESTION.observe(item, readings)]


def test_a_claim_is_that_it_fails_and_comes_true_by_a_wrong_letter_or_none() -> None:
    right = shown_letter(WRITE, 1, "Paris")
    wrong = next(letter for letter in "ABCD" if letter != right)
    found = claims(
        WRITE,
        said("A"),
        execute_1=said(right),
        execute_2=said(shown_letter(WRITE, 2, "Rome")),
        execute_3=LOST,
        execute_4=Reading("withheld", reason="provider"),
    )
    assert found == [
        (True, False, "read", None),
        (True, True, "read", None),
        (True, True, "read", None),
        (True, True, "read", None),
        (True, None, "missing", None),
    ]
    assert claims(WRITE, said("A"), execute_1=said(wrong))[0] == (True, True, "read", None)


def test_the_control_is_asked_the_same_way_and_predicted_by_nobody() -> None:
    right, wrong = (shown_letter(CONTROL, 3, text) for text in ("4", "5"))
    assert claims(CONTROL, execute_3=said(right))[2] == (False, False, "read", None)
    assert claims(CONTROL, execute_3=said(wrong))[2] == (False, True, "read", None)
    assert claims(CONTROL, execute_3=LOST)[2] == (False, True, "read", None)
    assert claims(CONTROL)[2] == (False, None, "missing", None)


@pytest.mark.parametrize(
    ("verdict", "claim"),
    [
        (said("A"), (True, True, "read", None)),
        (said("D"), (True, True, "read", None)),  # only its author can know, and nothing is found against it
        (said("B"), (True, None, "tie", "invalid")),  # a failure against a wrong key is no success
        (said("C"), (True, None, "tie", "invalid")),
        (LOST, (True, None, "unreadable", "format")),
        (None, (True, None, "missing", None)),
    ],
)
def test_a_failure_counts_against_a_key_that_stands(verdict: Reading | None, claim: tuple[Any, ...]) -> None:
    assert claims(WRITE, verdict, execute_1=LOST)[0] == claim


@pytest.mark.parametrize(
    ("predict", "claim"),
    [
        (LOST, (None, None, "unreadable", "format")),
        (Reading("withheld", reason="model"), (None, None, "unreadable", "withheld")),
        (Reading("missing"), (None, None, "missing", None)),
        (said({"impossible": True}), (None, None, "unreadable", "declined")),
    ],
)
def test_without_a_question_nothing_is_predicted(predict: Reading, claim: tuple[Any, ...]) -> None:
    assert claims(WRITE, predict=predict) == [claim] * 5
    idle = () if predict.state == "missing" else ("verify", *(f"execute.{n}" for n in TRIES))
    assert FAILING_QUESTION.idle({"predict": predict}) == idle


def test_the_names_of_claims_depend_on_nothing_that_was_read() -> None:
    names = [claim.claim for claim in FAILING_QUESTION.observe(WRITE, {})]
    assert (
        names == [claim.claim for claim in FAILING_QUESTION.observe(CONTROL, {})] == [f"fails try {n}" for n in TRIES]
    )


# --- near-duplicates -------------------------------------------------------------------------------------------------


def question(text: str, right: str = "x") -> dict[str, Reading]:
    return {"predict": said({"question": text, "options": [right, "b", "c", "d"], "answer": "A", "reason": ""})}


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (question("what is the capital city of france", "y"), True),  # word for word, but for case and marks
        (question("And what is the capital city of France?"), True),  # six words of seven, the same answer
        (question("And what is the capital city of France?", "y"), False),
        (question("Name the river that flows through Paris."), False),
        (question("What is the capital city of France in 1940?"), False),  # another number
        ({"predict": LOST}, False),
        ({}, False),
    ],
)
def test_near_duplicates_are_told_by_words_numbers_and_answer(other: dict[str, Reading], same: bool) -> None:
    found = FAILING_QUESTION.repeats({"one": question("What is the capital city of France?"), "two": other})
    assert found == (["two"] if same else [])


def test_sums_of_other_numbers_are_other_questions_and_the_first_of_several_stays() -> None:
    asked = {"a": "What is 3 + 4?", "b": "What is 3 + 5?", "c": "What is 3 + 4 ?", "d": "what is 3 + 4"}
    assert FAILING_QUESTION.repeats({id: question(text) for id, text in asked.items()}) == ["c", "d"]


# --- the ways round --------------------------------------------------------------------------------------------------

TRIED = {
    "time of asking": [
        "At what time was this question generated?",
        "What is the current date?",
        "In which minute of the hour did the conversation begin?",
    ],
    "own random output": [
        "Which random word did I generate before writing this?",
        "I picked a number between 1 and 4 at random. Which one?",
        "Which number am I thinking of?",
        "Which of these letters did you randomly choose?",
    ],
    "the user's prompt": [
        "What was the third word of the user's prompt?",
        "Which word occurs in the prompt that led to this question?",
    ],
    "shuffled list": [
        "The list d, a, c, b was shuffled. What was its original order?",
        "Which item came second before I shuffled the list: 3, 1, 2?",
    ],
    "hash": [
        "What is the second word of the four-word phrase whose SHA-256 is 9f86d081884c7d65?",
        "Which of these words hashes to this value?",
        "What is the MD5 of the string 'apple'?",
    ],
    "factoring": [
        "What are the 7th digits of the two primes that factor 1000000016000000063?",
        "Which is the smallest prime factor of 8,051,237?",
    ],
    "no such question": ["Is it true that no such question can exist?"],
}
PLAIN = (
    "What is the capital of France?",
    "What is the exact value of the gravitational constant G according to the 2018 CODATA recommended value?",
    "You randomly draw two cards from a deck. What is the chance of two aces?",
    "If it is 3 pm in New York, what time is it in Tokyo?",
    "At what time did the message from Zimmermann reach Mexico?",
    "When was the text of Beowulf written?",
    "In how many permutations of 5 letters is no letter in its original position?",
    "What does SHA stand for in cryptography?",
    "How many primes are there below 1,000,000?",
    "What is the prime factorization of 84?",
    "What is the time constant of an RC circuit with a current of 2 A?",
    "Which of these berries is not a true berry?",
)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in TRIED.items() for text in texts])
def test_a_way_round_is_found_in_the_question_or_in_its_reason_and_no_other_with_it(name: str, text: str) -> None:
    assert tricks(said(VALUE | {"question": text})) == (name,)
    assert tricks(said(VALUE | {"reason": text})) == (name,)


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_question_tries_none(text: str) -> None:
    assert tricks(said(VALUE | {"question": text})) == ()


def test_every_way_round_that_the_paper_lists_is_tried_here() -> None:
    assert set(TRIED) == set(TRICKS) and len(TRICKS) == 7
    assert tricks(LOST) == ()


def test_in_probabilities_a_question_comes_with_the_chance_of_failing_it() -> None:
    read = FAILING_QUESTION.read_otherwise["elicit=probability"]
    predict = read(WRITE, json.dumps(AS_ASKED | {"probability": 0.8}))
    verify = Reading("read", "A")
    answers = {f"execute.{n}": Reading("read", "B") for n in TRIES}
    claims = FAILING_QUESTION.observe(WRITE, {"predict": predict, "verify": verify, **answers})
    assert {claim.probability for claim in claims} == {0.8}
    assert written_in(predict) is not None
    assert read(WRITE, json.dumps(AS_ASKED)).state == "unreadable"
    assert read(WRITE, json.dumps(AS_ASKED | {"probability": 8})).state == "unreadable"
    control = FAILING_QUESTION.observe(CONTROL, answers)
    assert {claim.probability for claim in control} == {None}


def test_in_a_condition_in_probabilities_answers_and_verdicts_are_read_as_ever(tmp_path: Path) -> None:
    facets = {"elicit": "probability"}
    run = sx.run("sim/knows-itself", experiments="failing_question", limit=30, facets=facets, out=tmp_path / "r")
    read = Counter((key.session_kind, reading.state) for key, reading in run.readings.items())
    assert {kind for kind, state in read if state != "read"} <= {"predict"}
    written = run.observations.filter(pl.col("label") == "predicted", pl.col("state") == "read")
    assert written["probability"].is_not_null().all() and len(written) > 0
    rows = {row.metric: row for row in sx.score(run)}
    assert rows["lift"].value is not None  # it rests on no threshold
    assert rows["auroc"].value is not None
