"""What lines of a batch's results say, one by one; statuses are those that the providers document for their errors."""

import json
from typing import Any

import pytest

from selfexec.engines import is_at_home
from selfexec.engines.http.providers import Endpoint
from selfexec.extensions.batch.forms import BROKEN, FORMS, BatchResult, NoResult, call_result, result_in
from sockets import completion

URL = "http://127.0.0.1:1/v1"


def line(**parts: Any) -> bytes:
    return json.dumps(parts).encode()


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("invalid_request_error", 400),
        ("authentication_error", 401),
        ("billing_error", 402),
        ("permission_error", 403),
        ("not_found_error", 404),
        ("request_too_large", 413),
        ("rate_limit_error", 429),
        ("api_error", 500),
        ("timeout_error", 504),
        ("overloaded_error", 529),
    ],
)
@pytest.mark.parametrize("nested", [True, False])
def test_an_error_of_anthropics_has_the_status_that_it_has_over_http(kind: str, status: int, nested: bool) -> None:
    inner = {"type": kind, "message": "no"}
    error = {"type": "error", "error": inner} if nested else inner
    found = result_in(line(custom_id="a", result={"type": "errored", "error": error}))
    assert found == ("a", "anthropic", status, {"error": inner}, "")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (3, 400),
        (5, 404),
        (7, 403),
        (8, 429),
        (9, 400),
        (11, 400),
        (13, 500),
        (14, 503),
        (16, 401),
        (2, 500),
        (418, 418),
    ],
)
def test_a_code_of_geminis_has_the_status_that_it_has_over_http(code: int, status: int) -> None:
    error = {"code": code, "message": "no"}
    assert result_in(line(key="a", error=error)) == ("a", "gemini", status, {"error": error}, "")
    assert result_in(line(metadata={"key": "a"}, status=error)) == ("a", "gemini", status, {"error": error}, "")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"custom_id": "a", "result": {"type": "expired"}}, "expired in the batch"),
        ({"custom_id": "a", "result": {"type": "canceled"}}, "cancelled in the batch"),
        ({"custom_id": "a", "result": {"type": "else"}}, "nothing came of it in the batch"),
        ({"key": "a", "error": {"code": 1}}, "cancelled in the batch"),
        ({"key": "a", "error": {"status": "CANCELLED"}}, "cancelled in the batch"),
        ({"key": "a", "error": {"code": 4}}, "expired in the batch"),
        ({"key": "a", "status": {"status": "DEADLINE_EXCEEDED"}}, "expired in the batch"),
        ({"key": "a", "response": None}, "nothing came of it in the batch"),
        ({"custom_id": "a", "response": None, "error": {"code": "batch_expired"}}, "expired in the batch"),
        ({"custom_id": "a", "response": None, "error": {"code": "batch_cancelled"}}, "cancelled in the batch"),
        ({"custom_id": "a", "response": None, "error": None}, "nothing came of it in the batch"),
    ],
)
def test_what_was_never_answered_has_no_status_and_says_what_became_of_it(parts: dict[str, Any], said: str) -> None:
    found = result_in(line(**parts))
    assert (found.custom_id, found.status, found.body, found.said) == ("a", BROKEN, None, said)


@pytest.mark.parametrize("status", [100, 200, 429, 599])
def test_openais_tells_the_status_itself(status: int) -> None:
    parts = {"custom_id": "a", "response": {"status_code": status, "body": {"id": 1}}}
    assert result_in(line(**parts)) == ("a", "openai", status, {"id": 1}, "")


def test_what_succeeded_has_the_status_of_a_reply_and_its_body() -> None:
    message = {"id": 1}
    assert result_in(line(custom_id="a", result={"type": "succeeded", "message": message})) == (
        *("a", "anthropic", 200),
        *(message, ""),
    )
    for more in ({"key": "a"}, {"metadata": {"key": "a"}}, {"key": "a", "request": {}}, {"key": "a", "error": None}):
        assert result_in(line(**{**more, "response": message})) == ("a", "gemini", 200, message, "")
    given = {"code": 3}
    assert result_in(line(key="a", request={}, error=given)) == ("a", "gemini", 400, {"error": given}, "")


def test_an_error_beside_a_response_of_openais_is_one_in_it() -> None:
    def of(body: Any, error: Any) -> BatchResult:
        return result_in(line(custom_id="a", response={"status_code": 400, "body": body}, error=error))

    assert of({}, {"code": "x"}).body == of(None, {"code": "x"}).body == {"error": {"code": "x"}}
    assert of({"id": 1}, {"code": "x"}).body == {"id": 1, "error": {"code": "x"}}
    assert of({}, None).body == {}
    alone = result_in(line(custom_id="a", error={"code": "x"}))
    assert alone == ("a", "openai", 400, {"error": {"code": "x"}}, "error in the batch")


BESIDE: list[dict[str, Any]] = [
    *({"error": error} for error in ({"message": "boom"}, {"code": "batch_expired"}, "x", ["x"])),
    *({"errors": ["x"]}, {"status": "failed"}, {"status": 500}, {"status": {"code": 13}}),
]


@pytest.mark.parametrize("beside", BESIDE)
def test_a_reply_with_an_error_beside_it_on_its_line_is_kept_apart_as_over_http(beside: dict[str, Any]) -> None:
    chat = completion("Hi")
    claude = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
    gemini = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    lines = (
        ("openai", {"custom_id": "a", "response": {"status_code": 200, "body": chat}, **beside}),
        ("openai", {"custom_id": "a", "response": {"status_code": 200, "body": chat, **beside}}),
        ("anthropic", {"custom_id": "a", "result": {"type": "succeeded", "message": claude, **beside}}),
        ("anthropic", {"custom_id": "a", "result": {"type": "succeeded", "message": claude}, **beside}),
        ("gemini", {"key": "a", "response": gemini, **beside}),
    )
    for wire, parts in lines:
        found = call_result(result_in(line(**parts)), "any/m", URL, wire)  # type: ignore[arg-type]
        assert (found.text, found.unknown_end_text) == (None, "Hi") and found.error


def test_a_policy_is_no_behaviour_where_the_line_says_something_else() -> None:
    policy = {"error": {"message": "flagged", "code": "content_filter"}}
    response = {"status_code": 400, "body": policy}
    for beside, stop in (({}, "content_filter"), ({"error": None}, "content_filter"), ({"error": "suspended"}, None)):
        found = call_result(result_in(line(custom_id="a", response=response, **beside)), "any/m", URL, "openai")
        assert found.stop_reason == stop


@pytest.mark.parametrize("code", [399, 400, 599, 600, "400", 0, None])
def test_a_code_of_geminis_is_a_status_itself_where_it_is_one_of_an_error(code: Any) -> None:
    found = result_in(line(key="a", error={"code": code, "message": "no"}))
    assert found.status == (code if code in (400, 599) else 500)


def test_what_became_of_a_request_is_what_would_have_come_over_http() -> None:
    def of(status: int, body: Any, said: str = "") -> tuple[str | None, str | None]:
        found = call_result(BatchResult("a", "openai", status, body, said), "any/m", URL, "openai")
        return found.text, found.error

    assert of(200, completion("Hi")) == ("Hi", None)
    for status in (201, 206, 299):
        assert of(status, completion("Hi")) == (None, f"status {status}: only with status 200 it is a whole reply")
    assert of(300, {"message": "moved"}) == (None, "status 300: moved")
    assert of(199, {"message": "wait"}) == (None, "status 199: wait")
    assert of(400, {"message": ""}, "error in the batch")[1] == 'error in the batch: {"message": ""}'
    assert of(400, {"error": {"message": "no"}}) == (None, "status 400: no")
    assert of(400, {"error": {"message": "no"}}, "error in the batch") == (None, "error in the batch: no")
    assert of(BROKEN, completion("Hi"), "expired in the batch") == (None, "expired in the batch")
    text, error = of(200, {"id": 1})
    assert text is None and error
    policy = {"error": {"message": "flagged", "code": "content_filter"}}
    withheld = call_result(BatchResult("a", "openai", 400, policy), "any/m", URL, "openai")
    assert (withheld.stop_reason, withheld.error) == ("content_filter", None)


def test_a_model_is_at_home_at_the_address_of_the_provider_that_it_is_named_after() -> None:
    home = "https://api.openai.com/v1"
    assert is_at_home("openai/m", home)
    assert not is_at_home("openai/m", URL) and not is_at_home("any/m", home) and not is_at_home("x/openai/m", home)


def test_files_have_the_limits_and_requests_the_shape_that_providers_document() -> None:
    limits = {name: (form.most_requests, form.most_bytes) for name, form in FORMS.items()}
    assert limits == {
        "openai": (50_000, 200_000_000),
        "anthropic": (100_000, 256_000_000),
        "gemini": (None, 2_000_000_000),
    }
    body = {"x": 1}
    wires = (("openai", "chat/completions"), ("responses", "responses"))
    for wire, ending in wires:
        where = Endpoint("m", URL, wire, "openai")  # type: ignore[arg-type]
        wanted = {"custom_id": "a", "method": "POST", "url": f"/v1/{ending}", "body": body}
        assert FORMS["openai"].request("a", where, body) == wanted
    assert FORMS["anthropic"].request("a", where, body) == {"custom_id": "a", "params": body}
    assert FORMS["gemini"].request("a", where, body) == {"key": "a", "request": body}


@pytest.mark.parametrize("status", [99, 600, "200", None])
def test_a_status_that_is_none_is_no_answer(status: Any) -> None:
    found = result_in(line(custom_id="a", response={"status_code": status, "body": {}}, error=None))
    assert found.status == BROKEN


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"custom_id": "a", "method": "POST", "body": {}}, "a request"),
        ({"custom_id": "a", "params": {}}, "a request"),
        ({"key": "a", "request": {}}, "a request"),
        ({"requests": [{}]}, "a file of requests"),
        ({"id": "batch_1", "object": "batch", "status": "in_progress"}, "how the batch stands"),
        ({"id": "m", "processing_status": "ended"}, "how the batch stands"),
        ({"custom_id": "", "response": {}}, "no result of a batch"),
        ({"custom_id": 7, "result": {}}, "no result of a batch"),
        ({"custom_id": "a", "result": "succeeded"}, "no result of a batch"),
        ({"custom_id": "a"}, "no result of a batch"),
        ({"key": "a"}, "no result of a batch"),
        ({"key": 7, "response": {}}, "no result of a batch"),
        ({"key": "a", "method": "POST"}, "no result of a batch"),
        ({"body": {}, "params": {}}, "no result of a batch"),
        ({"request": {}}, "no result of a batch"),
        ({"request_counts": {}}, "how the batch stands"),
    ],
)
def test_a_line_that_is_no_result_says_what_it_is(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(NoResult, match=f"^{said}"):
        result_in(json.dumps(parts, separators=(",", ":")).encode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"custom_id": "a', "not JSON, or cut off"),
        (b"\xff\xfe{", "not JSON, or cut off"),
        (b"[1]", "no JSON object"),
        (b'  {"requests":[', "a file of requests"),
    ],
)
def test_a_line_that_is_no_object_says_why(text: bytes, said: str) -> None:
    with pytest.raises(NoResult, match=f"^{said}"):
        result_in(text)


def test_half_of_a_character_in_a_reply_is_no_damage() -> None:
    found = result_in(b'{"key": "a", "response": {"text": "\\ud83d"}}')
    assert (found.status, found.body) == (200, {"text": "\ud83d"})
