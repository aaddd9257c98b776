"""Replies that end with an object of another prompt are named, and those in a form of the model's own are not."""

import json
from typing import Any

from selfexec.experiments.association import Target
from selfexec.experiments.restriction import UserRequest
from selfexec.runs.exchanged_replies import exchanged_replies
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

ITEMS = {
    "association": {
        "a": Target(id="a", target="sea", options=["Wave", "fish", "salt"]),
        "b": Target(id="b", target="sun", options=["ray", "heat", "salt"]),
    },
    "restriction": {"r": UserRequest(id="r", request="Bake bread.", label="safe", type="home")},
}


def of(session: str, item: str, found: Any, before: str = "Well.\n") -> Reply:
    experiment = "restriction" if item == "r" else "association"
    return Reply(model="m", experiment=experiment, item=item, session=session, text=f"{before}{json.dumps(found)}")


def test_options_of_another_item_and_forms_of_other_sessions_are_exchanged() -> None:
    came = [
        of("predict", "a", {"ray": True, "heat": False}),
        of("predict", "b", {"words": ["x"] * 5}),
        of("execute", "b", {"choice": "A"}),
        of("judge", "r", {"words": ["x"] * 5}),
        of("execute", "r", {"choice": "A"}),
        of("execute", "r", {"moon": True, "tide": False}),  # of an item that the run does not have
    ]
    assert exchanged_replies(came, ITEMS) == came


def test_what_belongs_to_the_own_prompt_or_to_none_is_not_exchanged() -> None:
    own = [
        of("predict", "a", {"wave": True, "fish": False, "salt": True}),
        of("predict", "a", {"salt": True, "ray": False}),  # one of its own
        of("predict", "a", {"ocean": True, "tide": False}),  # words of the model's own
        of("execute", "a", {"words": ["ray", "heat"]}),
        of("judge", "r", {"choice": "B"}),
        of("execute", "r", {"title": "Bread"}),
        Reply(model="m", experiment="restriction", item="r", session="execute", text="Mix {flour} and {"),
        Reply(model="m", experiment="restriction", item="r", session="execute", text="Mix flour."),
    ]
    assert exchanged_replies(own, ITEMS) == []
    assert exchanged_replies([of("predict", "a", {"ray": True, "heat": False})], {}) == []


def test_of_ten_recorded_models_hardly_any_reply_is_exchanged(ten_models: Run) -> None:
    for model in ten_models.models:
        own = [reply for reply in ten_models.replies.values() if reply.model == model]
        assert len(exchanged_replies(own, ten_models.items.items)) < 2
