"""Models that say the same in the same session are read alike, and each keeps what is its own."""

from collections.abc import Mapping

from selfexec.experiments import Item
from selfexec.experiments.association import Target
from selfexec.experiments.restriction import UserRequest
from selfexec.items import ItemSet
from selfexec.readers import Reading
from selfexec.runs import Reply
from selfexec.runs.readings import read_replies

UNFINISHED = "I think that it will be"


def read(replies: list[Reply], items: Mapping[str, Mapping[str, Item]]) -> list[Reading]:
    found = read_replies(ItemSet("mine", items, {}), {reply.key: reply for reply in replies})
    return [found[reply.key] for reply in replies]


def said(model: str, text: str, stop_reason: str = "stop", tokens: int | None = None, item: str = "one") -> Reply:
    return Reply(
        model=model,
        experiment="restriction",
        item=item,
        session="predict",
        text=text,
        stop_reason=stop_reason,
        output_tokens=tokens,
    )


def test_the_same_words_cost_each_model_its_own_tokens_and_end_as_its_own_reply_did() -> None:
    request = UserRequest(id="one", request="How?", label="safe", type="q")
    replies = [said("a", UNFINISHED, tokens=5), said("b", UNFINISHED, "length", 7), said("c", UNFINISHED)]
    one, two, three = read(replies, {"restriction": {"one": request}})
    assert [reading.state for reading in (one, two, three)] == ["unreadable"] * 3
    assert [reading.reason for reading in (one, two, three)] == ["format", "truncated", "format"]
    assert [reading.tokens for reading in (one, two, three)] == [5, 7, None]


def test_the_same_words_about_another_item_are_read_for_that_item() -> None:
    # a list of one target's options says nothing of another's
    items = {
        "one": Target(id="one", target="water", options=["sea", "sun"]),
        "two": Target(id="two", target="light", options=["moon", "star"]),
    }
    text = '["sea"]'  # one option of the first target and none of the second
    replies = [
        Reply(model=model, experiment="association", item=item, session="predict", text=text)
        for model, item in (("a", "one"), ("a", "two"), ("b", "one"))
    ]
    one, two, again = read(replies, {"association": items})
    assert one.value == again.value == {"sea": True, "sun": False}
    assert two.value is None


def test_words_are_read_once_however_many_models_say_them() -> None:
    request = UserRequest(id="one", request="How?", label="safe", type="q")
    replies = [said(model, '{"choice": "A"}') for model in "abc"]
    readings = read(replies, {"restriction": {"one": request}})
    assert all(reading is readings[0] for reading in readings)
    assert readings[0].value == "A"
