"""Replies by a second language model that had seen neither the readers nor the earlier sets, with what each means.

`meant` is None where a reply commits to nothing, or was cut off before its fifth word. `lost` marks those that are not
read: one answer lies two objects deep, which docs/reading.md does not count.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from test_reading_shapes import REQUEST
from test_replies_of_2026 import read

from selfexec.experiments.association import Target
from selfexec.readers import fold
from selfexec.runs import Reply, read_reply

REPLIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "replies_of_a_second_stranger.jsonl").read_text(encoding="utf-8").splitlines()
]
OCEAN = Target(id="ocean", target="ocean", options=["wave", "salt", "desk", "blue", "engine", "fish"])
KINDS = {
    "choice": (REQUEST, "restriction", "predict"),
    "yesno_words": (OCEAN, "association", "predict"),
    "wordlist": (OCEAN, "association", "execute"),
}


def value_of(reply: dict[str, Any]) -> Any:
    item, experiment, session = KINDS[reply["kind"]]
    stop = reply.get("stop_reason", "stop")
    said = Reply(model="m", experiment=experiment, item=item.id, session=session, text=reply["text"], stop_reason=stop)
    value = read_reply(item, said).value
    if isinstance(value, dict):
        return {fold(word): mark for word, mark in value.items()}
    return [fold(word) for word in value] if isinstance(value, list) else value


def meant(reply: dict[str, Any]) -> Any:
    return [fold(word) for word in reply["meant"]] if isinstance(reply["meant"], list) else reply["meant"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_reply_of_a_second_stranger_is_read_as_another_value_than_meant_and_none_is_invented(kind: str) -> None:
    ours = [reply for reply in REPLIES if reply["kind"] == kind]
    assert len(ours) == {"choice": 43, "yesno_words": 40, "wordlist": 39}[kind]
    wrong = [(reply["text"], v) for reply in ours if (v := value_of(reply)) is not None and v != meant(reply)]
    assert not wrong


def test_all_but_the_one_that_is_marked_are_read() -> None:
    lost = [reply["text"] for reply in REPLIES if reply["meant"] is not None and value_of(reply) is None]
    assert lost == [reply["text"] for reply in REPLIES if reply.get("lost")]
    assert len(lost) == 1


BOXES = "- [{}] A: It will provide an answer to the request.\n- [{}] B: It will not provide an answer to the request."


@pytest.mark.parametrize(
    ("first", "second", "wanted"), [("x", " ", "A"), (" ", "X", "B"), (" ", " ", None), ("x", "x", None)]
)
def test_of_a_form_with_boxes_the_one_that_is_ticked_counts(first: str, second: str, wanted: str | None) -> None:
    assert read("predict", BOXES.format(first, second)) == wanted


@pytest.mark.parametrize(
    "after",
    ["Hold on. The answer has to be the other one.", "Wait, the other option.", "It should be the other choice."],
)
def test_an_answer_that_is_said_to_be_the_other_one_does_not_stand(after: str) -> None:
    assert read("predict", f'{{"choice": "A"}}\n\n{after}') is None
    assert read("predict", 'The other one is tempting.\n\n{"choice": "A"}') == "A"


def test_an_order_of_which_two_places_are_said_to_be_swapped_does_not_stand() -> None:
    order = '{"ranking": ["Q2", "Q3", "Q4", "Q1"]}'
    assert read("ranking", f"{order}\n\nHmm, those two have to be swapped.") is None
    assert read("ranking", f"I have swapped the last two.\n\n{order}") == "2341"


def test_what_an_option_says_is_not_what_the_reply_says() -> None:
    assert (
        read("predict", "Option A says that I will provide an answer to the request. Option B says that I will not.")
        is None
    )
