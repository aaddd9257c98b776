"""Probabilities of letters and words by the log-probabilities of tokens, each expected value reckoned by hand."""

import math
from collections.abc import Sequence

import pytest

from selfexec.experiments import EXPERIMENTS, Likely, Token
from selfexec.experiments.association import Target
from selfexec.readers import Reading, letter_shares, read_choice, word_shares

OPTIONS = {"A": "It will.", "B": "It will not."}


def token(said: str, **chances: float) -> Token:
    """A token with the probabilities of those at its place; `_` stands for a blank before a word."""
    likely = [Likely(name.replace("_", " "), math.log(chance)) for name, chance in chances.items()]
    return Token(said, math.log(0.5), tuple(likely))


def tokens_of(*said: str | Token) -> list[Token]:
    return [token(one) if isinstance(one, str) else one for one in said]


def test_the_letters_share_what_they_have_in_all_their_spellings() -> None:
    reply = tokens_of(token("A", A=0.4, _A=0.2, B=0.2, The=0.2))
    # A has .4 + .2 and B .2 of .8
    found = letter_shares(Reading("read", "A", evidence="A"), "A", reply, "AB", alone=True)
    assert found == pytest.approx({"A": 0.75, "B": 0.25})


def test_it_is_the_place_where_the_reply_names_the_letter_that_counts_and_not_one_before_it() -> None:
    text = 'A is tempting. {"choice": "B"}'
    decides = token("B", B=0.9, A=0.1)
    reply = tokens_of(token("A", A=0.99, B=0.01), " is", " tempting", ".", ' {"', 'choice": "', decides, '"}')
    reading = read_choice(text, OPTIONS, key="choice")
    assert reading.value == "B"
    assert letter_shares(reading, text, reply, "AB", alone=False) == pytest.approx({"A": 0.1, "B": 0.9})


def test_thoughts_before_the_answer_and_signs_for_its_end_do_not_move_the_place() -> None:
    reply = tokens_of("<think>", "A or", " B", "</think>", "\n", token("B", B=0.6, A=0.2), "<|im_end|>")
    reading = Reading("read", "B", evidence="B")
    # the thoughts name a B too: the last one is the answer
    assert letter_shares(reading, "B", reply, "AB", alone=True) == pytest.approx({"A": 0.25, "B": 0.75})


def test_where_the_letter_alone_was_asked_for_the_first_token_tells_even_if_it_says_something_else() -> None:
    reply = tokens_of(token("The", The=0.7, A=0.03, B=0.01), " answer")
    reading = Reading("unreadable", reason="format")
    assert letter_shares(reading, "The answer", reply, "AB", alone=True) == pytest.approx({"A": 0.75, "B": 0.25})
    assert letter_shares(reading, "The answer", reply, "AB", alone=False) is None


@pytest.mark.parametrize(
    "reply",
    [
        [],
        [Token("A", -0.1)],  # none of the others is known
        [token("A", A=0.9)],
        tokens_of(token("Answer", Answer=0.5, A=0.1)),  # another token begins there than the letter
    ],
)
def test_nothing_is_said_of_letters_where_the_tokens_do_not_decide_it(reply: Sequence[Token]) -> None:
    assert letter_shares(Reading("read", "A", evidence="A"), "A", reply, "AB", alone=False) is None


def test_a_letter_is_no_article_and_a_word_in_capitals_is_the_word() -> None:
    assert word_shares([token("A", A=0.5, a=0.3, B=0.5)], 0, "AB") == pytest.approx({"A": 0.5, "B": 0.5})
    assert word_shares([token("true", true=0.3, TRUE=0.3, false=0.4)], 0, ("true", "false")) == pytest.approx(
        {"true": 0.6, "false": 0.4}
    )


def test_each_mark_of_a_list_has_the_probability_of_its_own_token() -> None:
    association = EXPERIMENTS["association"]
    item = Target(id="t", target="Harbor", options=["boat", "fog"])
    boat, fog = token("true", true=0.8, false=0.2), token("false", false=0.9, true=0.1)
    reply = tokens_of('{"', "boat", '": ', boat, ', "', "fog", '": ', fog, "}")
    text = '{"boat": true, "fog": false}'
    found = association.read_tokens(item, association.read(item, "predict", text), text, reply, alone=False)
    assert found.value == pytest.approx({"boat": 0.8, "fog": 0.1})


def test_a_letter_without_log_probabilities_is_unreadable() -> None:
    restriction = EXPERIMENTS["restriction"]
    item = restriction.examples[0]
    found = restriction.read_tokens(item, Reading("read", "A", evidence="A"), "A", [], alone=True)
    assert (found.state, found.reason) == ("unreadable", "format")
