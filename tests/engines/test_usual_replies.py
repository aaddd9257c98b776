"""The fast way for usual replies of the chat format says the same as the long way, whatever a body holds."""

import random
from typing import Any

import pytest

from selfexec.engines.http.wires import WIRES, UnusableReply, chat

CHAT = WIRES["openai"]
TEXTS = (
    "A",
    "",
    None,
    "<think>so</think>B",
    "<think></think>",
    7,
    ["A"],
    [{"type": "text", "text": "A"}],
    {"text": "A"},
)
WORDS = ("stop", "length", "error", "content_filter", "tool_calls", "eos", "done?", "", None, 3)
ODD = (None, "", 0, 1, 500, False, True, "ok", "error", {}, {"message": "no"}, {"error": "no"}, [], ["x"], "A")
OF_BODY = ("error", "message", "detail", "base_resp", "input_sensitive", "candidates", "content", "x_groq", "status")
OF_CHOICE = ("text", "delta", "error", "content", "output", "native_finish_reason", "provider_specific_fields", "code")
OF_MESSAGE = ("text", "value", "error", "tool_calls", "function_call", "reasoning_details", "refusal", "status")


def a_body(rng: random.Random) -> dict[str, Any]:
    """A usual reply, some of which has been changed."""

    def changed(place: dict[str, Any], odd: tuple[str, ...]) -> dict[str, Any]:
        if rng.random() < 0.3:
            place[rng.choice(odd)] = rng.choice(ODD)
        if rng.random() < 0.1:
            place[rng.choice([*place])] = rng.choice(ODD)
        if rng.random() < 0.1:
            del place[rng.choice([*place])]
        return place

    content = rng.choice(TEXTS) if rng.random() < 0.4 else "A"
    message = changed({"role": "assistant", "content": content}, OF_MESSAGE)
    word = rng.choice(WORDS) if rng.random() < 0.5 else "stop"
    choice = changed(
        {"index": rng.choice((0, 0, 0, None, 0.0, False, 1)), "message": message, "finish_reason": word}, OF_CHOICE
    )
    choices = [choice] if rng.random() < 0.9 else [choice, rng.choice((choice, {"index": 1, "error": "no"}, 3))]
    usage = {"prompt_tokens": rng.choice((0, 9)), "completion_tokens": rng.choice((0, 1, 40))}
    frame = {"id": "c-1", "object": rng.choice(("chat.completion", "chat.completion", "error")), "model": "m"}
    return changed({**frame, "choices": choices, "usage": usage}, OF_BODY)


def said(body: dict[str, Any]) -> str:
    try:
        return repr(CHAT.outcome(body))
    except (UnusableReply, AttributeError, TypeError, KeyError, IndexError) as fault:
        return f"{type(fault).__name__}: {fault}"


def test_the_fast_way_says_what_the_long_way_says_of_20000_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)
    bodies = [a_body(rng) for _ in range(20_000)]
    fast = [said(body) for body in bodies]
    usual = sum(map(_is_usual, bodies))
    monkeypatch.setattr(chat, "_is_usual", lambda *places: False)
    assert [said(body) for body in bodies] == fast
    assert 2_000 < usual < 18_000  # both ways were taken


def _is_usual(body: dict[str, Any]) -> bool:
    try:
        [choice] = body["choices"]
        return chat._is_usual(body, choice, choice["message"])
    except (KeyError, TypeError, AttributeError, ValueError):
        return False
