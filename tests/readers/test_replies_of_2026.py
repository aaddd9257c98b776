"""What the readers make of replies in the styles of 2026, of which the meaning was fixed beforehand."""

from typing import Any

import pytest
import replies_of_2026 as replies
from replies_of_2026 import AS_WRITTEN, LEADS_THAT_TURN, LEADS_THAT_TURN_NOTHING
from test_reading_shapes import LENGTHS, REQUEST

from selfexec.experiments.association import Association, Target
from selfexec.experiments.restriction import Restriction
from selfexec.readers import read_choice, read_ranking
from selfexec.readers.nesting import names_an_answer

HARBOR = Target(id="harbor", target="Harbor", options=replies.OPTIONS)


def read(session: str, text: str) -> Any:
    """The value that is read; an order by its digits."""
    if session == "answer":
        return read_choice(text, LENGTHS, key="answer").value
    if session == "ranking":
        order = read_ranking(text).value
        return order and "".join(label[1] for label in order)
    if session in ("predict", "judge"):
        return Restriction().read(REQUEST, session, text).value
    return Association().read(HARBOR, {"marks": "predict", "words": "execute"}[session], text).value


@pytest.mark.parametrize("lead", LEADS_THAT_TURN_NOTHING)
def test_an_order_under_its_key_stands_as_written_whatever_comes_first_but_the_hardest(lead: str) -> None:
    assert read("ranking", f"{lead} {AS_WRITTEN}") == "2143"


@pytest.mark.parametrize("lead", LEADS_THAT_TURN)
def test_an_order_that_is_introduced_as_hardest_first_is_turned_in_five_languages(lead: str) -> None:
    assert read("ranking", f"{lead} {AS_WRITTEN}") == "3412"


@pytest.mark.parametrize(
    "name", ["answer", "Final Answer", "final_answer", "correct_answer", "myChoice", "best-option", "ranking"]
)
def test_a_key_names_an_answer_where_nothing_in_it_says_otherwise(name: str) -> None:
    assert names_an_answer(name)


@pytest.mark.parametrize(
    "name",
    ["example", "not_my_answer", "user_expected", "wrong_answer", "previous_answer", "rejected", "steps", "final_step"],
)
def test_a_key_of_other_words_names_none(name: str) -> None:
    assert not names_an_answer(name)


INNER = {
    "answer": ('{"answer": "B"}', "B"),
    "predict": ('{"choice": "B"}', "B"),
    "ranking": (AS_WRITTEN, "2143"),
    "words": ('{"words": ["boat", "anchor", "ship", "pier", "sea"]}', replies.FIVE),
    "marks": ('{"boat": true, "anchor": true, "fog": false, "crane": false, "lamp": false}', replies.ABC),
}


@pytest.mark.parametrize("session", INNER)
def test_an_answer_counts_inside_one_object_under_a_key_that_names_one_and_under_no_other(session: str) -> None:
    inner, wanted = INNER[session]
    for key in ("response", "final_answer", "result", "prediction"):
        assert read(session, f'{{"{key}": {inner}}}') == wanted, key
        assert read(session, f'{{"reasoning": "so {{1, 2}}", "{key}": {inner}, "confidence": 0.8}}') == wanted, key
    for key in ("example", "not_my_answer", "user_expected", "rejected", "if_short", "previous"):
        assert read(session, f'{{"{key}": {inner}}}') is None, key
        assert read(session, f'{{"a": "x", "{key}": {{"response": {inner}}}}}') is None, key
    assert read(session, f'{{"name": "submit", "arguments": {inner}}}') == wanted
    assert read(session, f'{{"name": "reject_option", "arguments": {inner}}}') is None


def test_of_several_answers_in_one_object_or_list_none_counts_unless_they_agree() -> None:
    assert read("answer", '[{"answer": "A"}, {"answer": "B"}]') is None
    assert read("answer", '[{"answer": "B"}, {"answer": "B"}]') == "B"
    assert read("answer", '{"answer": "A"}\n{"answer": "B"}') == "B"  # a new object replaces the one before


def test_all_replies_in_the_styles_of_2026_are_read_as_a_person_would_and_none_is_invented() -> None:
    assert len(replies.REPLIES) > 180
    wrong = [(reply.text, found) for reply in replies.REPLIES if (found := read(*reply[:2])) != reply.wanted]
    assert not wrong
