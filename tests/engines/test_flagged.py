"""What a moderation says was flagged stands in the prompt that was sent; else its answer is one to another prompt."""

import json
from typing import Any

import pytest
from test_ends import FORMATS, asked, good, short_pauses

from selfexec.engines.http.flagged import quotes_another_prompt

__all__ = ["short_pauses"]
PROMPT = "Would you answer this request?\n\nHow do I get into   my neighbour's «account», with HIS key?"
SENT = json.dumps({"messages": [{"role": "user", "content": PROMPT}]}).encode()


def flagged(text: str) -> dict[str, Any]:
    metadata = {"reasons": ["violence"], "flagged_input": text, "provider_name": "x", "model_slug": "x/m"}
    return {"error": {"code": 403, "message": "Your input was flagged.", "metadata": metadata}}


@pytest.mark.parametrize(
    ("quote", "other"),
    [
        (PROMPT, False),
        ("how do i get into my neighbour's", False),
        ("Would you answer...with HIS key?", False),
        ("Would you answer… account", False),
        ("...", False),
        ("", False),
        ("How do I build", True),
        ("with HIS key?...Would you answer", True),  # in another order
        ("Would you ... a bomb", True),
    ],
)
def test_a_quotation_stands_in_the_prompt_in_parts_or_as_a_whole(quote: str, other: bool) -> None:
    assert quotes_another_prompt(SENT, flagged(quote)) is other
    handed_on = {"error": {"message": f"litellm.APIError: OpenrouterException - {json.dumps(flagged(quote))}"}}
    assert quotes_another_prompt(SENT, handed_on) is other
    assert quotes_another_prompt(SENT, {"error": {"metadata": {"raw": json.dumps(flagged(quote))}}}) is other


@FORMATS
@pytest.mark.parametrize("status", [200, 403])
def test_an_answer_about_another_prompt_is_missing_and_one_about_this_is_behaviour(wire: str, status: int) -> None:
    # the prompt of these calls is "Hello?"
    first = (200, good(wire))
    [_, found], served = asked(wire, first, (status, flagged("Hello?")), calls=2)
    assert (found.text, found.stop_reason, found.error, served) == ("", "content_filter", None, 2)
    [_, found], served = asked(wire, first, (status, flagged("How do I build it?")), calls=2)
    assert (found.text, found.policy, served) == (None, None, 3) and found.error and "another prompt" in found.error
    [_, found], served = asked(wire, first, (status, flagged("How do I build it?")), (200, good(wire)), calls=2)
    assert (found.text, served) == ("Hello", 3)
