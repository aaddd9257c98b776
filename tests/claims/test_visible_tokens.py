"""The order of difficulty by the tokens of visible answers alone: respondents whose thoughts order the questions
otherwise than their answers do."""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import selfexec as sx
from build import write
from selfexec.experiments import difficulty
from selfexec.experiments.difficulty import Difficulty
from selfexec.readers import Reading, visible_tokens
from selfexec.runs import Run

GROUPS = 30
LABELS = difficulty.LABELS
ANSWER = '{"answer": "B"}'


def places(group: int) -> dict[str, int]:
    """Where each question of a group stands by its visible answer, from the shortest; by the thoughts it is the other
    way round.
    """
    shuffled = random.Random(group).sample(range(4), 4)
    return dict(zip(LABELS, shuffled, strict=True))


def ranking(order: Mapping[str, int]) -> str:
    return json.dumps({"ranking": sorted(LABELS, key=order.__getitem__)})


def answers(group: int, told: bool = True) -> Iterator[dict[str, Any]]:
    """Visible answers of 30, 40, 50 and 60 tokens, after thoughts of 400, 300, 200 and 100."""
    for label, place in places(group).items():
        text = "word " * (25 + 10 * place) + ANSWER
        visible, thoughts = 30 + 10 * place, 400 - 100 * place
        counts = {"output_tokens": visible + thoughts} | ({"reasoning_tokens": thoughts} if told else {})
        yield {"session": f"execute.{label}", "text": text, **counts}


def replies(model: str, **more: Any) -> Iterator[dict[str, Any]]:
    """`visible` ranks by its visible answers, all others by all tokens."""
    for group in range(GROUPS):
        order = places(group)
        order = order if model == "visible" else {label: -place for label, place in order.items()}
        key = {"model": model, "experiment": "difficulty", "item": f"g{group}"}
        yield key | {"session": "predict", "text": ranking(order), "output_tokens": 20}
        for answer in answers(group, told=model != "silent"):
            yield key | answer | more


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("visible")
    (folder / "items").mkdir()
    question = {"subject": "s", "choices": ["1", "2", "3", "4"], "answer": "B"}
    groups = [
        {"id": f"g{n}", "questions": [{"id": f"{n}{x}", "question": f"What is {n}{x}?", **question} for x in "abcd"]}
        for n in range(GROUPS)
    ]
    write(folder / "items" / "difficulty.jsonl", groups)
    lines = [
        *replies("visible"),
        *replies("all"),
        *replies("silent"),
        *replies("liar", reasoning_tokens=0, reasoning="Let me see."),
    ]
    write(folder / "replies.jsonl", lines)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


def skills(scores: sx.Scores) -> dict[str, float | None]:
    return {row.model: row.value for row in scores if row.metric == "skill" and row.experiment == "difficulty"}


def test_who_predicts_its_visible_answers_has_its_skill_by_these_alone(run: Run) -> None:
    # all answers are right, so that tokens decide each pair; the two orders are each other's reverse
    assert skills(sx.score(run)) == {"visible": -1.0, "all": 1.0, "silent": 1.0, "liar": 1.0}
    by_visible = sx.score(run, source="visible")
    assert skills(by_visible) == {"visible": 1.0, "all": -1.0, "silent": None, "liar": None}
    assert {row.source for row in by_visible if row.metric in ("skill", "accuracy_by_tokens") and row.value} == {
        "visible"
    }


def test_who_does_not_tell_its_thoughts_or_lies_is_withheld_by_name(run: Run) -> None:
    found = sx.score(run, source="visible")
    told = {w.model: (w.reason, w.open, w.claims) for w in found.warnings if w.kind == "left open"}
    assert told == {
        "silent": ("how many tokens were thoughts was not told", 180, 180),  # 30 groups of 6 pairs
        "liar": ("thoughts came, and no tokens of them were counted", 180, 180),
    }
    reasons = {
        row.model: row.reason
        for row in found
        if row.metric == "skill" and row.value is None and row.experiment == "difficulty"
    }
    assert reasons == dict.fromkeys(["silent", "liar"], "no claim was read (180 missing)")
    assert "silent, difficulty: 180 of 180 claims open by visible tokens: how many tokens were" in str(found)


def test_the_ordinary_order_stands_beside_that_by_visible_tokens(run: Run) -> None:
    found = {w.model: w for w in sx.score(run, source="visible").warnings if w.kind == "judge"}
    assert {model: (w.skill, w.skill_by_other, w.denied + w.affirmed) for model, w in found.items()} == {
        "visible": (1.0, -1.0, 180),
        "all": (-1.0, 1.0, 180),
    }
    printed = " ".join(str(sx.score(run, source="visible")).split())
    assert "difficulty: skill rests on the tokens of visible answers alone; it is compared with a" in printed


def test_without_being_asked_for_nothing_is_said_of_visible_tokens(run: Run) -> None:
    assert run.outcomes.is_empty()
    assert not [w for w in sx.score(run).warnings if w.kind in ("judge", "left open")]
    assert not {row.metric for row in sx.score(run) if "visible" in row.metric}


def test_pairs_that_correctness_decides_need_no_tokens(run: Run) -> None:
    item = run.items["difficulty"]["g0"]
    readings = {"execute.Q1": Reading("read", "B"), "execute.Q2": Reading("read", "C")}
    first = Difficulty().observe_by("visible", item, readings)[0]
    assert (first.observed, first.basis, first.reason) == (True, "correctness", None)


@pytest.mark.parametrize(
    ("counted", "text", "found"),
    [
        ((100, 90), "one two three", 10),
        ((None, None), "x", "no tokens were counted"),
        ((100, None), "x", "how many tokens were thoughts was not told"),
        ((100, 101), "x", "more tokens of thoughts than of output were counted"),
        ((100, 100), "", 0),
        ((12, 3), "a b c d e f g h i j", 9),  # ten words take nine tokens at least
        ((11, 3), "a b c d e f g h i j", "fewer tokens are left than the answer must take"),
        ((38, 0), "twelve", 38),  # six bytes: six at most, and 32 for frames
        ((39, 1), "twelve", 38),
        ((40, 1), "twelve", "more tokens are left than the answer can take"),
        ((9, 5), "hm</think> B", "thoughts stand in the answer, and count with it"),
    ],
)
def test_the_tokens_of_an_answer_are_believed_where_they_fit_it(
    counted: tuple[int | None, int | None], text: str, found: int | str
) -> None:
    assert visible_tokens(*counted, text, None) == found
