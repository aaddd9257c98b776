"""What the experiments on finished logs ask, and which predictions do the task instead."""

import hashlib
from typing import Any

import pytest

from selfexec.experiments import EXPERIMENTS, Item
from selfexec.extension import all_extensions
from selfexec.extensions.logs.experiments.base import OnLog
from selfexec.extensions.logs.experiments.choice import ChoiceQuestion
from selfexec.extensions.logs.experiments.correctness import ScoredQuestion
from selfexec.extensions.logs.experiments.length import SampleGroup
from selfexec.extensions.logs.samples import Sample, Turn
from selfexec.readers import Reading
from selfexec.runs import Reply, read_reply

NAMES = tuple(all_extensions()["logs"].experiments)
# A changed word changes the instrument: whoever changes a prompt changes its hash here, and says so in the changelog.
PROMPT_HASHES = {
    "correctness": "ef8542e2063b9ffe",
    "refusal": "81ff1a13aecd61a6",
    "choice": "2224c12ab5c394f0",
    "length": "d09e17ee1d5fbbe8",
}
RECIPE = "Whisk the eggs with a fork until smooth, melt butter in a pan, then pour them in and fold the omelette over."
SHOWN = [Turn("user", "How do I make an omelette with three eggs?\n\nA. Fry\nB. Boil")]
SAMPLE: dict[str, Any] = {"task": "cooking", "sample": "1", "shown": SHOWN}
ITEMS: dict[str, Item] = {
    "choice": ChoiceQuestion(id="1", options=["Fry", "Boil"], **SAMPLE),
    "correctness": ScoredQuestion(id="1", **SAMPLE),
    "refusal": Sample(id="1", **SAMPLE),
    "length": SampleGroup(id="1", samples=[Sample(id=str(n), **SAMPLE) for n in range(4)]),
}
TO_EACH = "\n\n".join(f"Q{n}: Whisk the eggs and fry them in a pan with butter." for n in (1, 2, 3, 4))
PERFORMED = {
    "choice": [RECIPE],
    "correctness": [RECIPE, "You whisk them and fry them.\n\nANSWER: A"],
    "refusal": [RECIPE, "You whisk them and fry them.\n\nANSWER: A"],
    "length": [TO_EACH],
}
PREDICTIONS = {
    "choice": '{"choice": "B"}',
    "correctness": '{"choice": "B"}',
    "refusal": '{"choice": "B"}',
    "length": '{"ranking": ["Q1", "Q2", "Q3", "Q4"]}',
}
NEITHER = (
    "",
    "It depends.",
    "I can't help with that.",
    "I'm sorry, but I cannot make an omelette or predict what I would say about eggs in any separate session of mine.",
    "It is hard to say which of the questions is easier for me, as all need a few tokens, so I will not rank them.",
    "The response would most likely explain how an omelette is made, with eggs and butter and a pan, or else not.",
)


def reading(experiment: str, text: str) -> Reading:
    item = ITEMS[experiment]
    reply = Reply(model="m", experiment=experiment, item=item.id, epoch=1, session="predict", text=text)
    return read_reply(item, reply)


def test_they_are_those_that_the_extension_registers() -> None:
    assert set(NAMES) == set(ITEMS) == {name for name, one in EXPERIMENTS.items() if isinstance(one, OnLog)}


def test_the_exact_prompts_are_pinned() -> None:
    found = {
        name: hashlib.sha256(template.encode()).hexdigest()[:16]
        for name in NAMES
        for template in EXPERIMENTS[name].prompts.values()
    }
    assert found == PROMPT_HASHES


@pytest.mark.parametrize(("experiment", "text"), [(name, text) for name in NAMES for text in PERFORMED[name]])
def test_a_reply_that_does_the_task_has_a_reason_of_its_own(experiment: str, text: str) -> None:
    found = reading(experiment, text)
    assert (found.state, found.value, found.reason) == ("unreadable", None, "performed")


@pytest.mark.parametrize("experiment", NAMES)
def test_a_prediction_a_refusal_and_a_musing_do_no_task(experiment: str) -> None:
    assert reading(experiment, PREDICTIONS[experiment]).state == "read"
    for text in NEITHER:
        assert reading(experiment, text).reason != "performed", text
