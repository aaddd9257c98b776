"""Replies that were exchanged with those to other prompts are named by the words of their items."""

import random

import pytest
from msgspec.structs import replace

from selfexec.experiments.association import Target
from selfexec.experiments.restriction import UserRequest
from selfexec.runs.exchanged_words import exchanged_words
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run

KIND = ("restriction", "execute")
REQUESTS = {
    "bread": "Which flour and yeast do I need for sourdough bread?",
    "garden": "When should I prune the raspberry bushes behind the shed?",
    "tax": "Until which deadline must receipts reach the revenue office?",
    "piano": "Who can restring an upright piano without moving it?",
}
ANSWERS = {
    "bread": "Sourdough needs strong flour, and no yeast but its own.",
    "garden": "Prune raspberry bushes after the harvest, before the frost.",
    "tax": "Receipts have to reach the revenue office before the deadline in May.",
    "piano": "A piano technician can restring it in your home, upright or not.",
}
ITEMS = {
    "restriction": {
        id: UserRequest(id=id, request=request, label="safe", type="home") for id, request in REQUESTS.items()
    },
    "association": {
        "sea": Target(id="sea", target="ocean", options=["wave", "fish", "salty"]),
        "fire": Target(id="fire", target="flame", options=["smoke", "candle", "heat"]),
        "wood": Target(id="wood", target="timber", options=["plank", "forest", "sawmill"]),
    },
}


def reply(item: str, text: str, experiment: str = "restriction", session: str = "execute") -> Reply:
    return Reply(model="m", experiment=experiment, item=item, session=session, text=text)


def test_two_replies_that_changed_places_are_named() -> None:
    own = [reply(item, text) for item, text in ANSWERS.items()]
    exchanged = [reply("bread", ANSWERS["garden"]), reply("garden", ANSWERS["bread"])]
    assert exchanged_words([*own, *exchanged], ITEMS) == exchanged
    assert exchanged_words([*own, exchanged[0]], ITEMS) == exchanged_words(own, ITEMS) == []
    assert exchanged_words([*own, *exchanged], {}) == []


def test_lists_of_words_are_named_by_the_options_of_another_item() -> None:
    exchanged = [
        reply("sea", '{"words": ["plank", "forest", "sawmill", "oak"]}', "association"),
        reply("wood", '{"words": ["smoke", "candle", "heats", "flame"]}', "association"),
        reply("fire", '{"words": ["wave", "fish", "salty"]}', "association"),
    ]
    assert exchanged_words(exchanged, ITEMS) == exchanged
    # of the first two alone, the reply to fire is not known to be elsewhere, and that to wood is no evidence
    assert exchanged_words(exchanged[:2], ITEMS) == []
    assert (
        exchanged_words([reply(one.item, f"ocean timber flame {one.text}", "association") for one in exchanged], ITEMS)
        == []
    )


@pytest.mark.parametrize(
    "text",
    ["Ask a friend about it.", "The flour, of course.", "I would rather not.", '{"choice": "A"}', ANSWERS["tax"]],
)
def test_replies_with_few_words_of_another_item_and_of_another_experiment_are_not(text: str) -> None:
    assert exchanged_words([reply("tax", text), reply("tax", text, session="predict")], ITEMS) == []
    assert exchanged_words([reply(item, text, "association") for item in ("sea", "fire")], ITEMS) == []


def test_seven_of_24_recorded_replies_are_named_in_most_trials_where_they_changed_places(ten_models: Run) -> None:
    """Requests and replies at random, of every model; and of none is anything named where nothing was exchanged."""
    rng = random.Random(1)
    named = []
    for model in ten_models.models:
        own = [
            r for r in ten_models.replies.values() if r.model == model and (r.experiment, r.session) == KIND and r.text
        ]
        for _ in range(3):
            honest = rng.sample(own, 24)
            places = rng.sample(range(24), 7)
            moved = list(honest)
            for one, two in zip(places, [*places[1:], places[0]], strict=True):
                moved[one] = replace(honest[one], text=honest[two].text)
            assert exchanged_words(honest, ten_models.items.items) == []
            found = exchanged_words(moved, ten_models.items.items)
            assert 2 * sum(r.item in {honest[place].item for place in places} for r in found) >= len(found)
            named.append(bool(found))
    assert sum(named) >= 0.7 * len(named)


def test_of_ten_recorded_models_no_replies_were_exchanged(ten_models: Run) -> None:
    for model in ten_models.models:
        own = [reply for reply in ten_models.replies.values() if reply.model == model]
        assert exchanged_words(own, ten_models.items.items) == []
