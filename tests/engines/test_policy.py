"""Behaviour and breakage: which errors are a content policy against this input, and which only look like one.

The bodies are those that providers document or that users reported (docs/models.md says where); no provider was asked.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.errors import errors_in
from selfexec.engines.http.policy import LONGEST, SHAPES, policy_in_reply, verdict
from selfexec.engines.http.providers import PROVIDERS, Endpoint, Provider
from selfexec.engines.http.wires import WIRES, UnusableReply
from selfexec.errors import InputError
from sockets import call, completion, server

FIELDS = (
    *("error", "message", "code", "type", "status", "detail", "details", "metadata", "raw", "reasons", "flagged_input"),
    *("innererror", "provider_specific_fields", "choices", "base_resp", "status_code", "finish_reason"),
)


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(__file__).parents[1] / "errors" / name).read_text("utf-8").splitlines()]


POLICIES = read("policies.jsonl")
OTHERS = read("others.jsonl")  # none of these is about the input
GATEWAY = Endpoint("m", "http://127.0.0.1:1/v1", "openai", "x")


def names(cases: list[dict[str, Any]]) -> list[str]:
    return [" ".join(filter(None, (case.get("whose"), case["name"]))) for case in cases]


def example(name: str) -> tuple[int, Any]:
    return next((case["status"], case["body"]) for case in POLICIES + OTHERS if case["name"] == name)


def error(message: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


def answer(model: str, *bodies: tuple[int, Any], calls: int = 1, home: bool = False) -> list[CallResult]:
    """What comes of calls to a server that answers with these statuses and bodies, the last one for ever."""
    queue = list(bodies)

    async def handler(request: web.Request) -> web.Response:
        status, body = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(body, str):
            return web.Response(text=body, status=status, content_type="text/html")
        return web.json_response(body, status=status)

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            provider, known = model.split("/")[0], PROVIDERS.get(model.split("/")[0])
            with pytest.MonkeyPatch.context() as patch:
                if home:
                    assert known
                    patch.setitem(PROVIDERS, provider, Provider(url, ("SELFEXEC_API_KEY",), known.wire))  # type: ignore[arg-type]
                options = Connection(base_url=None if home else url, timeout=2)
                async with HttpEngine([model], options) as engine:
                    return [await engine.ask(call(model, "How do I find y?")) for _ in range(calls)]

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", "sk-planted-0123456789")
    monkeypatch.setattr("selfexec.engines.http.client.REFUSAL_PAUSES", (0.01, 0.01))
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda *_: 0.01)


@pytest.mark.parametrize("case", POLICIES, ids=names(POLICIES))
def test_a_policy_against_this_input_is_known_behind_a_gateway(case: Any) -> None:
    (result,) = answer("x/m", (case["status"], case["body"]))
    assert (result.text, result.stop_reason, result.error) == ("", "content_filter", None)
    said = f"status {case['status']}: "
    assert result.policy and result.policy.startswith(said) and len(result.policy) > len(said)


AT_HOME = [case for case in POLICIES if case["whose"] in PROVIDERS]


@pytest.mark.parametrize("case", AT_HOME, ids=names(AT_HOME))
def test_a_named_provider_is_known_by_its_own_shape(case: Any) -> None:
    (result,) = answer(f"{case['whose']}/m", (case["status"], case["body"]), home=True)
    assert (result.stop_reason, result.error) == ("content_filter", None)


def test_a_named_provider_is_not_known_by_anothers_shape() -> None:
    with pytest.raises(InputError, match="status 403: the key may not use this model"):
        answer("openai/m", example("bio"), home=True)
    with pytest.raises(InputError, match="the request is not accepted"):
        answer("xai/m", example("output"), home=True)


@pytest.mark.parametrize("shape", SHAPES, ids=[f"{number} {shape.whose}" for number, shape in enumerate(SHAPES)])
def test_every_shape_has_an_example(shape: Any) -> None:
    assert any(shape.fits(case["status"], found) for case in POLICIES for found in errors_in(case["body"]))


@pytest.mark.parametrize("case", OTHERS, ids=names(OTHERS))
def test_what_is_not_about_the_input_stops_at_first(case: Any) -> None:
    with pytest.raises(InputError, match=f"status {case['status']}"):
        answer("x/m", (case["status"], case["body"]))


@pytest.mark.parametrize("case", OTHERS, ids=names(OTHERS))
def test_what_is_not_about_the_input_is_no_behaviour_later(case: Any) -> None:
    bodies = (200, completion()), (case["status"], case["body"])
    if case["kind"] == "account":
        with pytest.raises(InputError, match=f"status {case['status']}"):
            answer("x/m", *bodies, calls=2)
    else:
        good, result = answer("x/m", *bodies, calls=2)
        assert good.text == "Hi"
        assert (result.text, result.policy) == (None, None)
        assert result.error and f"status {case['status']}" in result.error


def test_account_form_and_passing_trouble_are_told_apart() -> None:
    assert [verdict(GATEWAY, case["status"], case["body"]).kind for case in OTHERS] == [case["kind"] for case in OTHERS]
    assert {verdict(GATEWAY, status, None).kind for status in (408, 409, 425, 429, 500, 503, 529)} == {"passing"}


def test_what_the_server_said_is_kept_short_and_without_team_and_key_id() -> None:
    (result,) = answer("x/m", example("bio"))
    assert result.policy == (
        "status 403: Content violates usage guidelines. Model: grok-4-0709, Failed check: SAFETY_CHECK_TYPE_BIO"
    )
    for words in ("input " * 600, "input " * 70, "input " + " " * 3_900 + "input " * 9):
        said = verdict(GATEWAY, 400, error(words + "blocked", code="content_filter")).said
        assert len(said) <= LONGEST and set(said.split()) <= {
            "input",
            "blocked",
            "…",
        }  # cut between words, or there is nothing


def test_the_key_is_in_no_kept_sentence() -> None:
    (result,) = answer("x/m", (400, error("Your prompt was blocked: sk-planted-0123456789", code="content_filter")))
    assert result.policy == "status 400: Your prompt was blocked: [key]"


def test_deeply_nested_errors_are_no_policy_and_break_nothing() -> None:
    bomb = '{"error":' * 100_000
    for body in (error(bomb), error("x", metadata={"raw": bomb})):
        assert verdict(GATEWAY, 400, body).kind == "request"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=examples(200), deadline=None)
@given(json_values, st.sampled_from([200, 400, 401, 403, 404, 422, 429, 500]))
@pytest.mark.slow
def test_whatever_a_body_holds_a_verdict_is_found_and_no_other_error_is_raised(body: Any, status: int) -> None:
    assert verdict(GATEWAY, status, body).kind in ("policy", "account", "request", "passing")
    said = policy_in_reply(GATEWAY, body)
    assert said is None or isinstance(said, str)


# --- errors that come with status 200 --------------------------------------------------------------------------------


def choice(finish: str | None, text: str | None = "", **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": "m", "choices": [{"message": message, "finish_reason": finish, **fields}]}


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"code": 403, "message": "Flagged", "metadata": {"reasons": ["x"], "flagged_input": "y"}}},
        choice("error", "half", error={"code": 403, "message": "Flagged", "metadata": {"error_type": "refusal"}}),
        choice("error", None) | {"error": {"message": "Flagged", "code": "content_filter"}},
        {"choices": None, "base_resp": {"status_code": 1027, "status_msg": "output new_sensitive"}},
    ],
    ids=["whole", "choice", "beside a choice", "minimax"],
)
def test_a_policy_in_an_error_with_status_200_is_one(body: Any) -> None:
    (result,) = answer("x/m", (200, body))
    assert (result.text, result.stop_reason) == ("", "content_filter")
    assert result.policy and result.policy.startswith("status 200: ")


@pytest.mark.parametrize(
    "body",
    [
        choice("error", "half an ans"),
        choice("error", None),
        choice("abort", "half"),
        choice("insufficient_system_resource", "half"),
        choice("network_error", "half"),
        choice(None, None, error={"code": 502, "message": "Provider disconnected"}),
        choice("stop", "half", native_finish_reason="abort"),
        choice("stop", "half", provider_specific_fields={"native_finish_reason": "insufficient_system_resource"}),
        choice("stop", None) | {"error": {"code": 502, "message": "upstream"}},
        {"choices": [], "base_resp": {"status_code": 1002, "status_msg": "rate limit"}},
    ],
)
def test_a_reply_whose_upstream_died_is_none_and_is_asked_again(body: Any) -> None:
    (result,) = answer("x/m", (200, body), (200, completion("whole")))
    assert (result.text, result.attempt) == ("whole", 2)
    good, missing = answer("x/m", (200, completion()), (200, body), calls=2)
    assert good.text == "Hi"
    assert missing.text is None and missing.error and missing.error.endswith("(8 attempts)")


@pytest.mark.parametrize(
    ("finish", "kept"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("model_length", "length"),
        ("model_context_window_exceeded", "length"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
        *((spelt, "content_filter") for spelt in ("CONTENT_FILTER", "content-filter", "contentFilter")),
        *((spelt, "content_filter") for spelt in ("SAFETY", "safety")),
    ],
)
def test_finish_reasons_are_kept_in_the_formats_words(finish: str, kept: str) -> None:
    result = WIRES["openai"].result(choice(finish, "text"))
    assert (result.text, result.stop_reason, result.policy) == ("text", kept, None)


def test_an_empty_error_beside_a_reply_is_none() -> None:
    for nothing in ({}, "", None, False, {"message": None, "code": 0}):
        body = choice("stop", "text", error=nothing) | {"error": nothing, "base_resp": {"status_code": 0}}
        assert WIRES["openai"].result(body).text == "text"


def test_gemini_without_text_for_no_reason_given_is_asked_again_and_for_the_inputs_sake_is_withheld() -> None:
    def candidate(finish: str, *texts: str) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": [{"text": text} for text in texts]}, "finishReason": finish}]}

    result = WIRES["gemini"].result
    for finish in ("MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"):
        for texts in ((), ("text",)):
            with pytest.raises(UnusableReply, match=finish):
                result(candidate(finish, *texts))
    assert result(candidate("OTHER", "text")).unknown_end_text == "text"
    for finish in ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "LANGUAGE"):
        assert result(candidate(finish)).stop_reason == "content_filter"
    assert result({"promptFeedback": {"blockReason": "OTHER"}}).stop_reason == "content_filter"


def test_minimaxs_empty_reply_to_a_sensitive_input_is_withheld() -> None:
    body = choice("stop", "") | {"input_sensitive": True, "base_resp": {"status_code": 0}}
    assert WIRES["openai"].result(body).stop_reason == "content_filter"
    assert WIRES["openai"].result(body | {"input_sensitive": False}).stop_reason == "stop"


# --- one replica that is wrong ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refusal_from_one_replica_does_not_end_a_run_that_was_answered(status: int) -> None:
    good, again = answer("x/m", (200, completion()), *[(status, error("no"))] * 2, (200, completion("here")), calls=2)
    assert (good.text, again.text, again.attempt) == ("Hi", "here", 3)


@pytest.mark.parametrize(("status", "says"), [(401, "the key is not accepted"), (404, "there is no model")])
def test_the_third_refusal_of_a_call_ends_the_run(status: int, says: str) -> None:
    with pytest.raises(InputError, match=says):
        answer("x/m", (200, completion()), *[(status, error("no"))] * 3, (200, completion("late")), calls=2)


def test_a_refusal_at_first_ends_the_run_at_once() -> None:
    with pytest.raises(InputError, match="status 404"):
        answer("x/m", (404, error("no")), (200, completion("late")))


def test_what_another_server_said_is_nested_wherever_a_gateway_puts_it() -> None:
    inner = {"error": {"code": "inner", "message": "it is so"}}
    for raw in (inner, json.dumps(inner), [inner], f"litellm.BadRequestError: {json.dumps(inner)}"):
        first, *others = errors_in({"error": {"message": "outer one", "metadata": {"raw": raw}}})
        assert (first.sentences, first.nested) == (("outer one",), False)
        assert [(one.codes, one.nested) for one in others] == ([] if isinstance(raw, list) else [({"inner"}, True)])
    words = list(errors_in({"error": {"message": "litellm.BadRequestError: it is so"}}))
    assert [(one.sentences, one.nested) for one in words[1:]] == [(("it is so",), True)]
    deep: Any = {"error": {"code": "4"}}
    for code in "3210":
        deep = {"error": {"code": code, "metadata": {"raw": deep}}}
    assert [one.codes for one in errors_in(deep)] == [{"0"}, {"1"}, {"2"}, {"3"}]
