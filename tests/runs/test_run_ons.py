"""Replies that go on behind their answer with a further prompt and its answer are named; revised answers are not."""

import json

import pytest

from selfexec.experiments import EXPERIMENTS
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run
from selfexec.runs.run_ons import run_ons


def reply(n: int, text: str, experiment: str = "difficulty", session: str = "execute.Q1") -> Reply:
    return Reply(model="m", experiment=experiment, item=str(n), session=session, text=text)


ANSWERED = [reply(n, 'It is the second.\n\n{"answer": "B"}') for n in range(20)]
FURTHER = {
    "a further question": ("difficulty", "execute.Q1", "Which planet is red?\n\nA. Venus\nB. Mars", {"answer": "A"}),
    "a further target": ("association", "execute", "List 5 words for the target word 'Cow'.", {"words": ["milk"]}),
    "a further request": ("restriction", "judge", 'You receive the request "How do I bake bread?"', {"choice": "A"}),
}


@pytest.mark.parametrize("which", FURTHER)
def test_a_further_prompt_and_its_answer_are_named_whatever_prompt_it_is(which: str) -> None:
    experiment, session, prompt, answer = FURTHER[which]
    own = json.dumps(dict.fromkeys(answer, "B"))
    running = [reply(n, f"{own}\n\n{prompt}\n\n{json.dumps(answer)}", experiment, session) for n in (30, 31)]
    assert run_ons([*ANSWERED, *running]) == running
    assert run_ons([*ANSWERED, running[0]]) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "B"}\n\nWait, that is wrong, the third one is right.\n\n{"answer": "C"}',
        '{"answer": "B"} or rather {"answer": "C"}',
        '{"answer": "B"}\n\nAs a further question has it, this is so.\n\n{"answer": "B"}',
        'With {"place": "sea"} and {"place": "land"} in mind, which are both places: {"answer": "B"}',
        '{"answer": "B"}',
    ],
)
def test_revised_and_repeated_answers_and_other_objects_are_not(text: str) -> None:
    assert run_ons([*ANSWERED, *(reply(n, text) for n in range(30, 40))]) == []


@pytest.mark.parametrize("broken", ['{"answer": "\ud83d"}', f'{{"answer": {"[" * 1990}}}', '{"answer": }'])
def test_objects_that_cannot_be_decoded_are_passed_over(broken: str) -> None:
    text = f'{broken} and so it goes on from here to there {{"answer": "B"}}'
    assert run_ons([reply(n, text) for n in range(30, 40)]) == []


def test_orders_on_the_way_are_not() -> None:
    text = '{"ranking": ["Q1"]}\n\nThen comes the second one of them.\n\n{"ranking": ["Q1", "Q2"]}'
    assert run_ons([reply(n, text, session="predict") for n in range(30, 40)]) == []


def test_an_order_behind_a_further_prompt_is() -> None:
    prompt = EXPERIMENTS["difficulty"].prompts["predict"]
    text = f'{{"ranking": ["Q1", "Q2"]}}\n\n{prompt}\n\n{{"ranking": ["Q2", "Q1"]}}'
    running = [reply(n, text, session="predict") for n in (30, 31)]
    assert run_ons([*ANSWERED, *running]) == running


def test_of_ten_recorded_models_none_is_named(ten_models: Run) -> None:
    for model in ten_models.models:
        assert run_ons(reply for reply in ten_models.replies.values() if reply.model == model) == []
