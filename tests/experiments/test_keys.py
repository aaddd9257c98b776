"""Keys to questions that models made up, by the majority of other models' answers: who is asked what, what makes a key,
and what follows from it where the answers' errors are known."""

import json
import random
from collections import Counter
from itertools import product
from math import prod
from pathlib import Path

import pytest

import selfexec as sx
from build import write
from selfexec.errors import InputError
from selfexec.experiments import NoAnswerKey
from selfexec.experiments import failing_question as fq
from selfexec.readers import Reading
from selfexec.runs import Run

NAME = "failing_question"
FAILING_QUESTION = fq.FailingQuestion()
TASK = fq.Task(id="t")
OPTIONS = ["one", "two", "three", "four"]
WRITTEN = {"question": "How many?", "options": OPTIONS, "answer": "B", "reason": ""}


def prediction(*said: str, own: str = "B") -> Reading:
    """A question whose key is B by its author, answered so by other models, and by a person."""
    judged = {f"judge:{n}": letter for n, letter in enumerate(said)}
    return Reading("read", {**WRITTEN, "answer": own}, judged={**judged, "human": "D"})


# --- what makes a key ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("BBB", "B"),
        ("CCB", "C"),  # whatever its author says
        ("CCBB", None),  # a tie
        ("CCBA", None),  # the most, and not most of them
        ("CCCBA", "C"),
        ("ABCD", None),
    ],
)
def test_more_than_half_of_three_or_more_make_a_key(said: str, key: str | None) -> None:
    found = fq.majority(prediction(*said))
    assert found == (key or NoAnswerKey("no answer has most of the other models"))


@pytest.mark.parametrize("said", ["", "C", "CC"])
def test_two_answers_that_agree_are_too_few(said: str) -> None:
    assert fq.majority(prediction(*said)) == NoAnswerKey("fewer than 3 other models have answered it", too_few=True)


def tries(*chosen: str | None) -> dict[str, Reading]:
    """At each try the option of this letter, as the author has them, in the order that is shown."""
    return {
        f"execute.{n}": Reading("read", fq.LETTERS[fq.order("t", n).index(fq.LETTERS.index(letter))])
        for n, letter in enumerate(chosen, 1)
        if letter
    }


def test_a_try_fails_against_the_majority_s_key_and_not_the_author_s() -> None:
    readings = {"predict": prediction(*"CCC"), **tries("B", "C", "C", "A")}
    claims = FAILING_QUESTION.observe_by("majority", TASK, readings)
    assert [(o.observed, o.state) for o in claims] == [
        *((True, "read"), (False, "read"), (False, "read"), (True, "read")),
        (None, "missing"),
    ]
    # by its author's key, in which it believes, it fails wherever it is right
    believed = {**readings, "verify": Reading("read", "A")}
    assert [o.observed for o in FAILING_QUESTION.observe(TASK, believed)] == [False, True, True, True, None]
    assert [o.observed for o in FAILING_QUESTION.observe_by("majority", TASK, believed)] == [
        True,
        False,
        False,
        True,
        None,
    ]


def test_where_there_is_no_key_there_is_no_claim_and_too_few_answers_are_missing() -> None:
    def states(*said: str) -> set[tuple[str, str | None, bool | None]]:
        found = FAILING_QUESTION.observe_by("majority", TASK, {"predict": prediction(*said), **tries(*"BBBBB")})
        return {(o.state, o.reason, o.observed) for o in found}

    assert states(*"ABCD") == {("tie", "no answer has most of the other models", None)}
    assert states(*"BB") == {("missing", "fewer than 3 other models have answered it", None)}


def test_the_control_and_what_is_no_question_are_as_ever() -> None:
    control = fq.Task(id="t", control=fq.Control(question="How many?", choices=OPTIONS, answer="A"))
    for item, readings in ((control, tries(*"AABAB")), (TASK, {"predict": Reading("unreadable", reason="format")})):
        assert FAILING_QUESTION.observe_by("majority", item, readings) == FAILING_QUESTION.observe(item, readings)


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_others_are_asked_in_the_words_of_the_tries_with_the_options_in_an_order_of_its_own() -> None:
    keying = FAILING_QUESTION.keying
    assert keying is not None and keying.prompt == fq.PROMPTS["execute"]
    shown = fq.for_others(TASK, prediction())
    assert shown is not None
    places = fq.order("t", 6)
    assert len({fq.order("t", n) for n in range(1, 7)}) == 6
    assert [shown[letter] for letter in "abcd"] == [OPTIONS[place] for place in places]
    for letter, place in zip("ABCD", places, strict=True):  # who takes what stands there is told by its author's letter
        assert fq.answered(TASK, json.dumps({"answer": letter})).value == "ABCD"[place]
    assert fq.answered(TASK, "Who knows?").value is None
    assert fq.for_others(TASK, Reading("read", {"impossible": True})) is None


@pytest.fixture
def run(tmp_path: Path) -> Run:
    items = tmp_path / "items"
    items.mkdir()
    control = {"question": "How many prime numbers lie between 90 and 130?", "choices": list("6587"), "answer": "D"}
    write(items / f"{NAME}.jsonl", [{"id": f"w{n}"} for n in range(4)] + [{"id": "c", "control": control}])
    return sx.run(["sim/says-yes", "sim/coin@5"], items=items, out=tmp_path / "run")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"value": "E"}, r"the value 'E' is no answer to the question. There are A, B, C, D"),
        ({"session": "execute.1"}, "belongs to the session in which it was made up: predict"),
        ({"source": "judge:sim/says-yes"}, "a model's answer to its own question is no key"),
    ],
)
def test_answers_by_hand_are_taken_or_refused_with_their_line(run: Run, line: dict[str, str], why: str) -> None:
    usual = {"model": "sim/says-yes", "experiment": NAME, "item": "w0", "session": "predict", "source": "judge:x"}
    text = next(r.text for key, r in run.replies.items() if key[:1] + key[2:5] == ("sim/says-yes", "w0", 1, "predict"))
    write(run.folder / "judgements.jsonl", [usual | {"value": "A", "text": text}])
    assert len(sx.load(run.folder).judgements) == 1
    write(run.folder / "judgements.jsonl", [usual | {"value": "A", "text": text} | line])
    with pytest.raises(InputError, match=why):
        sx.load(run.folder)


# --- known errors ----------------------------------------------------------------------------------------------------

RIGHT_RATE, VOTERS = 0.7, 5


def expected_keys() -> tuple[float, float]:
    """How often five answers, each right with .7 and else any of the three others, make the right key, and none: added
    up over all that they can be.
    """
    rates = [RIGHT_RATE, *[(1 - RIGHT_RATE) / 3] * 3]
    right = none = 0.0
    for said in product(range(4), repeat=VOTERS):
        share, counts = prod(rates[one] for one in said), Counter(said)
        right += share * (counts[0] >= 3)
        none += share * (max(counts.values()) < 3)
    return right, none


def test_with_known_errors_keys_are_right_as_often_as_they_must_be_and_the_failures_are_those_of_the_truth() -> None:
    """A model whose keys are wrong in two of five questions, and which is always right: by its own keys it fails what
    it answers rightly; by others' keys it fails where these are wrong alone.
    """
    rng, n = random.Random(5), 1500
    found: Counter[str] = Counter()
    for number in range(n):
        item = fq.Task(id=f"q{number}")
        true, own = rng.choice("ABCD"), None
        own = true if rng.random() < 0.6 else rng.choice([x for x in "ABCD" if x != true])
        said = [
            true if rng.random() < RIGHT_RATE else rng.choice([x for x in "ABCD" if x != true]) for _ in range(VOTERS)
        ]
        shown = fq.LETTERS[fq.order(item.id, 1).index(fq.LETTERS.index(true))]
        readings = {"predict": prediction(*said, own=own), "verify": Reading("read", "A")}
        readings["execute.1"] = Reading("read", shown)
        found["failed by its own key"] += bool(FAILING_QUESTION.observe(item, readings)[0].observed)
        first = FAILING_QUESTION.observe_by("majority", item, readings)[0]
        found["no key"] += first.state == "tie"
        found["failed by most others"] += bool(first.observed)
        found["right key"] += first.observed is False
    right, none = expected_keys()
    for name, share in {
        "failed by its own key": 0.4,
        "right key": right,
        "no key": none,
        "failed by most others": 1 - right - none,
    }.items():
        error = (share * (1 - share) / n) ** 0.5
        assert abs(found[name] / n - share) < 3.5 * error, name
    assert right > 0.83 and 1 - right - none < 0.05  # against two fifths by its own keys
