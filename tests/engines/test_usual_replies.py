"""The quick way for usual replies of the chat format says the same as the long way, whatever a body holds."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from selfexec.engines.http.bodies import RetryableError, decoded
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires import WIRES

CHAT = WIRES["openai"]
LONG_WAY = replace(CHAT, usual=lambda raw: None)
SERVER = Endpoint("m", "http://localhost/v1", "openai", "vllm")
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
COUNTS = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "cost",
    "error_tokens",
    "failed",
    "rejected_tokens",
    "ok",
)
COUNTS += (
    "status",
    "code",
    "truncated_tokens",
    "prompt_tokens_details",
    "completion_tokens_details",
    "reasoning_tokens",
)
LISTED = (
    "system_fingerprint",
    "service_tier",
    "simulated",
    "created",
    "prompt_logprobs",
    "kv_transfer_params",
    "usage",
)
OF_BODY = (
    *LISTED,
    "error",
    "message",
    "detail",
    "base_resp",
    "input_sensitive",
    "candidates",
    "content",
    "x_groq",
    "status",
)
OF_CHOICE = (
    "logprobs",
    "stop_reason",
    "token_ids",
    "text",
    "delta",
    "error",
    "content",
    "output",
    "native_finish_reason",
    "provider_specific_fields",
    "code",
)
OF_MESSAGE = (
    "annotations",
    "reasoning_content",
    "reasoning",
    "text",
    "value",
    "error",
    "tool_calls",
    "function_call",
    "reasoning_details",
    "refusal",
    "status",
)


def a_body(rng: random.Random) -> dict[str, Any]:
    """A usual reply, some of which has been changed."""

    def changed(place: dict[str, Any], odd: tuple[str, ...]) -> dict[str, Any]:
        if rng.random() < 0.15:
            place[rng.choice(odd)] = rng.choice(ODD)
        if rng.random() < 0.05:
            place[rng.choice([*place])] = rng.choice(ODD)
        if rng.random() < 0.05:
            del place[rng.choice([*place])]
        return place

    content = rng.choice(TEXTS) if rng.random() < 0.3 else "A"
    message = changed({"role": "assistant", "content": content}, OF_MESSAGE)
    word = rng.choice(WORDS) if rng.random() < 0.5 else "stop"
    choice = changed(
        {"index": rng.choice((0, 0, 0, 0, 0, 0, None, None, 0.0, False, 1)), "message": message, "finish_reason": word},
        OF_CHOICE,
    )
    choices = [choice] if rng.random() < 0.9 else [choice, rng.choice((choice, {"index": 1, "error": "no"}, 3))]
    usage: dict[str, Any] = {"prompt_tokens": rng.choice((0, 9)), "completion_tokens": rng.choice((0, 1, 40))}
    if rng.random() < 0.3:
        usage[rng.choice(COUNTS)] = rng.choice(
            (0, 3, 500, None, 0.5, True, {}, {rng.choice(COUNTS): rng.choice((0, 7))})
        )
    frame = {"id": "c-1", "object": rng.choice(("chat.completion", "chat.completion", "error")), "model": "m"}
    return changed({**frame, "choices": choices, "usage": usage}, OF_BODY)


def as_written(body: dict[str, Any], rng: random.Random) -> bytes:
    """A body in one of the ways in which servers write JSON: with blanks or without, with a name twice, with escapes,
    in bytes that are no UTF-8.
    """
    written = json.dumps(body, separators=rng.choice(((",", ":"), (", ", ": "))), ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1:
        name = rng.choice(("id", "model", "content", "finish_reason", "prompt_tokens"))
        other = rng.choice(('"stop"', '"B"', "9", "null", '"m"'))
        written = written.replace(f'"{name}":', f'"{name}": {other}, "{name}":', 1)
    if rng.random() < 0.05:
        written = written.replace('"A"', rng.choice(('"A\\u0022"', '"A\\ud83d"', '"\\u0041"', '"A\\"B"')))
    raw = written.encode(errors="replace")
    return raw.replace(b'"A"', b'"A\xff"') if rng.random() < 0.03 else raw


def said(raw: bytes, *, quick: bool) -> str:
    try:
        return repr(decoded(SERVER, CHAT if quick else LONG_WAY, raw))
    except RetryableError as fault:
        return f"{fault} {fault.way_out}"


@pytest.mark.parametrize("count", [4_000, pytest.param(20_000, marks=pytest.mark.long)])
def test_the_quick_way_says_what_the_long_way_says_of_thousands_of_bodies(count: int) -> None:
    rng = random.Random(0)
    bodies = [as_written(a_body(rng), rng) for _ in range(count)]
    assert [said(raw, quick=True) for raw in bodies] == [said(raw, quick=False) for raw in bodies]
    usual = sum(CHAT.usual(raw) is not None for raw in bodies)
    assert count / 20 < usual < count * 19 / 20  # both ways were taken


# replies as OpenAI, vLLM and the simulated server send them; OpenAI counts rejected tokens, which are none here
USUAL = (
    {
        **{"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "gpt-6-luna"},
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Harbor", "refusal": None, "annotations": []},
                **{"logprobs": None, "finish_reason": "stop"},
            }
        ],
        "usage": {
            **{"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16},
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 5, "rejected_prediction_tokens": 0},
        },
        **{"service_tier": "default", "system_fingerprint": "fp_1"},
    },
    {
        **{"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "mine"},
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Harbor", "reasoning_content": None},
                **{"logprobs": None, "finish_reason": "length", "stop_reason": None, "token_ids": None},
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16, "prompt_tokens_details": None},
        **{"prompt_logprobs": None, "kv_transfer_params": None},
    },
)


@pytest.mark.parametrize("body", USUAL)
def test_replies_as_servers_send_them_are_read_the_quick_way(body: dict[str, Any]) -> None:
    result = CHAT.usual(json.dumps(body).encode())
    assert result is not None
    assert (result.text, result.input_tokens, result.output_tokens) == ("Harbor", 9, 7)
    assert result.reasoning_tokens == (5 if "service_tier" in body else None)
    assert result.stop_reason == body["choices"][0]["finish_reason"]


def test_a_count_of_rejected_tokens_above_zero_takes_the_long_way() -> None:
    body = {**USUAL[1], "usage": {"prompt_tokens": 9, "rejected_tokens": 1}}
    assert CHAT.usual(json.dumps(body).encode()) is None
