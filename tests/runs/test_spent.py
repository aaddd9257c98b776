"""What the replies of a run have taken, and when caps on it are reached: by hand, reply by reply."""

import math
from collections import Counter
from typing import Any

import pytest

from selfexec.engines import Price
from selfexec.errors import InputError
from selfexec.experiments import Message
from selfexec.runs import Reply
from selfexec.runs.asking.progress import NO_CAPS, Caps, Spent, refuse_unpriced, tokens_of

PRICES = {"a": Price(2.0, 8.0, "here")}


def reply(model: str = "a", text: str | None = "12345678", **more: Any) -> Reply:
    place = {"model": model, "experiment": "restriction", "item": "1", "epoch": 1, "session": "predict"}
    return Reply(**place, text=text, **more)


def test_replies_cost_what_the_provider_says_else_what_the_price_makes_of_their_tokens() -> None:
    spent = Spent(PRICES)
    spent.count_all(
        [
            reply(input_tokens=1_000, output_tokens=500),  # 2,000 and 4,000 millionths
            reply(input_tokens=10, output_tokens=10, cost_usd=0.5),
            reply("b", input_tokens=7, output_tokens=3),  # nobody knows its price
            reply("b", input_tokens=1, output_tokens=None),  # two tokens, by eight characters
        ]
    )
    assert (spent.tokens, spent.uncounted) == (1_500 + 20 + 10 + 3, 1)
    assert spent.dollars == pytest.approx(0.506)
    assert spent.by_model["a"] == (2, 1_520, pytest.approx(0.506))
    assert spent.by_model["b"] == (2, 13, 0.0)


def test_tokens_that_nobody_counted_are_a_quarter_of_the_characters_rounded_up() -> None:
    sent = [Message("user", "12345"), Message("assistant", "1234")]
    assert tokens_of(reply(reasoning="1"), sent) == (3, 3)  # 9 characters there, 9 back
    assert tokens_of(reply(text=""), []) == (0, 0)
    assert tokens_of(reply(input_tokens=0, output_tokens=0), sent) == (0, 0)
    assert tokens_of(reply(input_tokens=4), sent) == (4, 2)
    failed = {"text": None, "error": "broke off"}
    assert tokens_of(reply(**failed), sent) == (0, 0)
    assert tokens_of(reply(**failed, input_tokens=5, output_tokens=6), sent) == (5, 6)


def test_a_cap_is_reached_where_as_much_is_spent_and_the_nearer_one_is_named() -> None:
    spent = Spent({}, tokens=100, dollars=0.5)
    assert [spent.reached(Caps(tokens=n)) for n in (99, 100, 101)] == [True, True, False]
    assert [spent.reached(Caps(dollars=n)) for n in (0.49, 0.5, 0.51)] == [True, True, False]
    assert not spent.reached(NO_CAPS) and spent.said(NO_CAPS) is None and not NO_CAPS.any
    assert spent.said(Caps(tokens=100, dollars=1.0)) == "--max-total-tokens 100: the run has taken 100"
    assert spent.said(Caps(tokens=1_000, dollars=0.5)) == "--max-cost 0.5: the run has cost $0.5000"
    assert Caps(calls=1).any and Caps(tokens=1).any and Caps(dollars=0.1).any
    assert spent.said(Caps(calls=1)) is None


def test_more_calls_fit_where_they_take_what_those_before_took_on_average() -> None:
    spent = Spent({}, tokens=100, dollars=0.5, by_model={"a": (4, 80, 0.4), "b": (1, 20, 0.1)})
    # three of a take 60 tokens and .3 dollars, two of b 40 and .2; of c nothing is known
    more = Counter({"a": 3, "b": 2, "c": 5})
    assert [spent.suffices(Caps(tokens=n), more) for n in (199, 200)] == [False, True]
    assert [spent.suffices(Caps(dollars=n), more) for n in (0.99, 1.01)] == [False, True]
    assert spent.suffices(NO_CAPS, more)


@pytest.mark.parametrize("caps", [{"calls": 0}, {"tokens": 0}, {"dollars": 0.0}, {"dollars": math.inf}])
def test_a_cap_of_nothing_or_of_everything_is_refused(caps: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="max_"):
        Caps(**caps)
    assert Caps(calls=1, tokens=1, dollars=1e-9).calls == 1


def test_dollars_are_capped_only_where_all_prices_are_known() -> None:
    refuse_unpriced(["a"], PRICES, Caps(dollars=1.0))
    refuse_unpriced(["a", "b"], PRICES, Caps(tokens=1))
    with pytest.raises(InputError, match="nobody knows what b costs"):
        refuse_unpriced(["a", "b"], PRICES, Caps(dollars=1.0))
