"""What the headers of a response say of its body: where it came from, that something failed, how it ended."""

import asyncio

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st
from multidict import CIMultiDict
from test_ends import FORMATS, counts, short_pauses
from test_something_else import answered, good

from effort import examples
from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.gateways import cached_by
from selfexec.engines.http.response_headers import (
    cache_header,
    end_in_headers,
    failure_header,
    failure_next_to_a_policy,
    foreign_type,
)
from selfexec.errors import InputError
from sockets import call, server

__all__ = ["short_pauses"]

CACHED = [
    *(("Warning", '110 - "Response is Stale"'), ("Warning", '299 - "x", 112 cache "Disconnected Operation"')),
    *(("X-Varnish", "123 456"), ("Via", "1.1 varnish (hit)"), ("X-Stale", "1"), ("X-Deduplicated", "true")),
    *(("X-Served-From", "cache"), ("x-response-source", "semantic-cache"), ("X-Answer-Source", "Redis cache")),
    *(("Cache-Status", "edge; fwd=miss; collapsed"), ("X-Dedup", "hit"), ("Age", "7")),
    *(("x-compute-type", "cache"), ("reason-phrase", "Served from cache")),
]
FAILED = [
    *(("Proxy-Status", "edge; error=connection_terminated"), ("Proxy-Status", "a; received-status=200, b; error=dns")),
    *(
        ("Proxy-Status", "edge; received-status=503"),
        ("Content-Range", "bytes 0-300/900"),
        ("X-Upstream-Status", "502"),
    ),
    *(("Content-Range", "bytes 300-899/900"), ("Content-Range", "bytes 0-300/*"), ("X-Kong-Upstream-Status", "504")),
    *(("Status", "502 Bad Gateway"), ("X-Http-Status", "504"), ("X-Upstream-Code", "500"), ("X-Truncated", "1")),
    *(("X-Partial", "1"), ("X-Response-Complete", "false"), ("X-Stream-Aborted", "1"), ("X-Timeout", "true")),
    *(("X-Stop-Reason", "error"), ("X-Success", "false"), ("X-Upstream-Status", "200, 502"), ("grpc-status", "13")),
    *(("X-Complete", "no"), ("X-Is-Complete", "0"), ("X-Job-State", "running"), ("X-Processing-Status", "pending")),
    *(("X-DashScope-PartialResponse", "true"), ("X-IsTruncated", "true"), ("X-StatusCode", "502")),
    *(("X-Cache", "Error from cloudfront"), ("X-Cache", "LambdaGeneratedResponse from cloudfront")),
    *(("X-Cache", "TCP_DENIED from a23-45 (AkamaiGHost/22.1)"), ("cf-mitigated", "challenge")),
    *(("Cache-Status", "edge; fwd=stale; fwd-status=304; ttl=300"), ("Cache-Status", "e; fwd=miss; fwd-status=503")),
    *(("grpc-message", "upstream deadline exceeded"), ("X-Kong-Response-Latency", "2")),
    *(("x-amzn-waf-action", "captcha"), ("WWW-Authenticate", 'Bearer error="invalid_token"')),
    # another model answered than the one that was asked
    *(("x-litellm-attempted-fallbacks", "1"), ("Helicone-Fallback-Index", "2"), ("cf-aig-step", "1")),
    *(("X-Fallback-Used", "true"), ("X-Fallback-Count", "3")),
    *(("reason-phrase", "Fallback Response"), ("reason-phrase", "Service Unavailable"), ("reason-phrase", "Degraded")),
]
# headers that servers and gateways send with whole and fresh replies, as their documents have them
ORDINARY: dict[str, dict[str, str]] = {
    "openai": {
        **{"openai-processing-ms": "520", "openai-version": "2020-10-01", "x-ratelimit-remaining-requests": "9999"},
        **{"cf-cache-status": "DYNAMIC", "cf-ray": "8f0-FRA", "alt-svc": 'h3=":443"', "x-request-id": "req_1"},
        **{
            "NEL": '{"failure_fraction": 0.01}',
            "Report-To": '{"group": "cf-nel"}',
            "x-envoy-upstream-service-time": "9",
        },
    },
    "azure": {
        **{
            "apim-request-id": "1",
            "x-ms-region": "East US",
            "azureml-model-session": "d1",
            "x-content-type-options": "1",
        },
        **{
            "x-ms-rai-invoked": "true",
            "skip-error-remapping": "true",
            "x-ms-deployment-name": "gpt",
            "x-accel-buffering": "no",
            "cache-control": "no",
        },
    },
    "litellm": {
        **{"x-litellm-call-id": "1", "x-litellm-attempted-retries": "1", "x-litellm-attempted-fallbacks": "0"},
        **{"x-litellm-max-fallbacks": "3", "x-litellm-timeout": "600", "x-litellm-response-duration-ms": "3.1"},
        **{"llm_provider-x-ratelimit-limit-tokens": "500", "x-litellm-cache-key": "", "x-litellm-version": "1.80"},
    },
    "fastly": {
        **{"X-Served-By": "cache-fra-eddf8230-FRA", "X-Cache": "MISS, MISS", "X-Cache-Hits": "0, 0", "Age": "0"},
        **{"Via": "1.1 varnish, 1.1 varnish", "X-Varnish": "123", "X-Timer": "S1.2,VS0,VE3"},
    },
    "google": {"Via": "1.1 google", "Server-Timing": "cache;desc=miss, gfet4t7; dur=300", "X-XSS-Protection": "0"},
    "cloudfront": {"Via": "1.1 d1.cloudfront.net (CloudFront)", "X-Cache": "Miss from cloudfront", "X-Amz-Cf-Pop": "F"},
    "kong": {
        "X-Kong-Response-Latency": "1",
        "X-Kong-Upstream-Status": "200",
        "X-Kong-Upstream-Latency": "5",
        "Via": "1.1 kong/3.8",
        "X-Cached": "0",
    },
    "nginx": {"X-Upstream-Status": "502, 200", "X-Cache-Status": "EXPIRED", "X-Upstream-Cache-Status": "BYPASS"},
    "proxies": {
        **{
            "Proxy-Status": "edge; received-status=200",
            "Cache-Status": "edge; fwd=miss; fwd-status=200; stored; collapsed=?0",
        },
        **{"X-Cache": "TCP_MISS from a23-45 (AkamaiGHost/22.1)", "grpc-message": "", "grpc-status": "0"},
        **{"Content-Range": "bytes 0-899/900", "Warning": '299 p "An old version"', "Status": "200 OK"},
    },
    "anthropic": {
        **{
            "anthropic-ratelimit-unified-overage-status": "rejected",
            "anthropic-ratelimit-unified-7d_oi-status": "rejected",
        },
        **{
            "llm_provider-anthropic-ratelimit-unified-overage-status": "rejected",
            "anthropic-ratelimit-unified-overage-disabled-reason": "out_of_credits",
        },
        **{"anthropic-priority-status": "unavailable", "anthropic-ratelimit-unified-fallback": "available"},
        **{
            "anthropic-ratelimit-unified-fallback-percentage": "0.5",
            "anthropic-ratelimit-unified-overage-in-use": "true",
        },
    },
    "fallbacks": {
        **{"x-litellm-attempted-fallbacks": "0", "x-litellm-max-fallbacks": "5", "cf-aig-step": "0"},
        **{"Helicone-Fallback-Index": "0", "x-fallback-model": "none", "X-Failover-Enabled": "true"},
    },
    "others": {
        **{
            "X-Timeout": "60",
            "X-Error-Reporting": "on",
            "X-Retry-Count": "2",
            "x-should-retry": "false",
            "X-Error": "",
        },
        **{"X-Response-Complete": "true", "X-Success": "true", "X-Finish-Reason": "stop", "X-Source": "gpu-7"},
        **{
            "X-Provider": "Amazon Bedrock",
            "X-Guardrail": "passed",
            "X-Prompt-Source": "prompt cache",
            "X-Origin": "eu",
        },
    },
}


def at_once(field: tuple[str, str]) -> CIMultiDict[str]:
    return CIMultiDict([("Date", "Tue, 24 Nov 2026 12:00:00 GMT"), field])


def test_what_the_standards_and_names_say_of_a_cache() -> None:
    for field in CACHED:
        assert cache_header(at_once(field)) == field[0].lower(), field


def test_what_the_standards_and_names_say_of_a_failure() -> None:
    for field in FAILED:
        assert failure_header(at_once(field)) == f"{field[0].lower()}: {field[1]}", field
        assert cache_header(at_once(field)) is None


@pytest.mark.parametrize("whose", ORDINARY)
def test_headers_of_ordinary_replies_say_nothing(whose: str) -> None:
    headers = CIMultiDict(ORDINARY[whose])
    assert cache_header(headers) is None
    assert failure_header(headers) is None
    assert end_in_headers(headers) is None or headers.get("X-Finish-Reason") == "stop"


def may_be_alone(field: tuple[str, str]) -> bool:
    """Kong has this header beside that of the server behind it, where it has not answered by itself."""
    return field[0] != "X-Kong-Response-Latency"


@given(
    mark=st.sampled_from(CACHED + FAILED),
    usual=st.lists(
        st.sampled_from([field for own in ORDINARY.values() for field in own.items() if may_be_alone(field)]),
        max_size=8,
    ),
    at=st.integers(0, 8),
)
@settings(max_examples=examples(100), deadline=None)
def test_a_mark_counts_among_any_others_and_where_its_header_comes_twice(
    mark: tuple[str, str], usual: list[tuple[str, str]], at: int
) -> None:
    headers = CIMultiDict(usual)
    assert cache_header(headers) is None and failure_header(headers) is None
    headers = CIMultiDict([*usual[:at], mark, *usual[at:]])
    assert (cache_header(headers) is not None) == (mark in CACHED)
    assert (failure_header(headers) is not None) == (mark in FAILED)


ILL_WORDS = ("truncated", "partial", "incomplete", "interrupted", "aborted", "dropped")
ADDED = ("is", "was", "response", "reply", "output", "stream", "message", "completion")


@given(
    ill=st.sampled_from(ILL_WORDS),
    before=st.lists(st.sampled_from(ADDED), max_size=2),
    after=st.lists(st.sampled_from(ADDED), max_size=2),
    vendor=st.sampled_from(["", "X-", "X-DashScope-", "acme-"]),
)
@settings(max_examples=examples(100), deadline=None)
def test_a_word_for_a_reply_that_fared_ill_is_known_joined_with_others(
    ill: str, before: list[str], after: list[str], vendor: str
) -> None:
    joined = "".join([*before, ill, *after])
    for name in (f"{vendor}{joined}", f"{vendor}{joined.title()}", f"{vendor}{'-'.join([*before, ill, *after])}"):
        assert failure_header(CIMultiDict({name: "true"})) is not None, name
        assert failure_header(CIMultiDict({name: "false"})) is None, name
    for other in ("impartial", "partialwrites", "untruncatedlength", "lostandfound"):  # words of their own
        assert failure_header(CIMultiDict({f"{vendor}{other}": "true"})) is None


SERVERS = ("deployment", "rollout", "region", "canary", "session", "cluster", "license", "cors", "spot", "priority")
ACCOUNTS = ("ratelimit", "quota", "overage", "budget", "upstream-ratelimit", "response-quota")


@given(
    of_this=st.sampled_from(
        ["upstream", "response", "stream", "kong-upstream", "stop-reason", "request", "dashscope-output"]
    ),
    other=st.sampled_from([*SERVERS, *ACCOUNTS]),
    kind=st.sampled_from(["status", "state", "result", "outcome"]),
    value=st.sampled_from(["rejected", "partial", "aborted", "degraded", "terminated", "interrupted"]),
)
@settings(max_examples=examples(100), deadline=None)
def test_a_state_in_a_header_is_that_of_the_reply_only_where_its_name_says_so(
    of_this: str, other: str, kind: str, value: str
) -> None:
    assert failure_header(CIMultiDict({f"x-{of_this}-{kind}": value})) is not None
    assert failure_header(CIMultiDict({f"x-{other}-{kind}": value})) is None


@FORMATS
@pytest.mark.parametrize(("name", "value"), FAILED[1::5])
def test_a_reply_with_a_failure_in_its_headers_is_none(wire: str, name: str, value: str) -> None:
    found = answered(wire, {name: value})
    assert found.text is None and found.error and name.lower() in found.error and "2 attempts" in found.error


@pytest.mark.parametrize("value", ["application/problem+json", "application/vnd.error+json", "image/png"])
@FORMATS
def test_a_reply_of_a_media_type_that_no_reply_has_is_none(wire: str, value: str) -> None:
    found = answered(wire, {"Content-Type": value})
    assert found.text is None and found.error and f"content-type: {value}" in found.error


@pytest.mark.parametrize(
    ("content_type", "is_good"),
    [
        *((f"application/{kind}", True) for kind in ("json", "json; charset=utf-8", "x-ndjson", "vnd.api+json")),
        *((f"application/{kind}", True) for kind in ("jsonl", "stream+json", "octet-stream", "vnd.amazon.eventstream")),
        *((kind, True) for kind in ("text/event-stream", "text/plain; charset=utf-8", "text/html", "", "json", "a b")),
        *((f"application/{kind}", False) for kind in ("problem+json; charset=utf-8", "PROBLEM+JSON", "vnd.acme.error")),
        *((f"application/{kind}", False) for kind in ("vnd.acme.fault+json", "xml", "grpc", "pdf", "api-problem+json")),
        *((kind, False) for kind in ("image/png", "multipart/mixed; boundary=x", "message/http", "audio/mpeg")),
    ],
)
def test_media_types_of_replies_are_json_events_and_text(content_type: str, is_good: bool) -> None:
    assert (foreign_type(content_type) is None) == is_good


@FORMATS
@pytest.mark.parametrize(("name", "value"), CACHED[::3])
def test_a_reply_with_a_cache_in_its_headers_stops_the_run(wire: str, name: str, value: str) -> None:
    with pytest.raises(InputError, match=f"the header {name.lower()} says so"):
        answered(wire, {name: value})


@FORMATS
@pytest.mark.parametrize("whose", ["litellm", "fastly", "proxies", "others"])
def test_a_reply_with_ordinary_headers_counts(wire: str, whose: str) -> None:
    headers = {name: value for name, value in ORDINARY[whose].items() if name != "Content-Range"}
    assert counts(answered(wire, headers))


@FORMATS
@pytest.mark.parametrize(
    ("name", "value", "stop"),
    [
        *(("X-Finish-Reason", "length", "length"), ("X-Guardrail", "blocked", "content_filter")),
        *(("X-Amzn-Bedrock-Guardrail-Action", "INTERVENED", "content_filter"), ("X-Finish-Reason", "stop", "stop")),
        *(("X-Guardrail", "passed", "stop"), ("X-Stop-Reason", "###", "stop")),
    ],
)
def test_of_the_ends_in_a_body_and_in_a_header_the_worse_counts(wire: str, name: str, value: str, stop: str) -> None:
    found = answered(wire, {name: value})
    assert (found.text, found.stop_reason) == ("Hello", stop)


# --- of policies -----------------------------------------------------------------------------------------------------

FILTERED = {"error": {"code": "content_filter", "message": "The prompt was blocked.", "type": None, "param": "prompt"}}


def filtered(headers: dict[str, str]) -> CallResult:
    """What comes of a call that is answered with a policy error and these headers, after a good one."""
    served = 0

    async def handler(request: web.Request) -> web.Response:
        nonlocal served
        served += 1
        return (
            web.json_response(FILTERED, status=400, headers=headers)
            if served > 1
            else web.json_response(good("openai"))
        )

    async def main() -> CallResult:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url, HttpEngine(["x/m"], Connection(base_url=url, timeout=5)) as engine:
            await engine.ask(call("x/m"))
            return await engine.ask(call("x/m"))

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("name", "value"),
    [("X-Error", "quota exceeded"), ("X-Error", "upstream reset"), ("X-Upstream-Status", "502"), ("grpc-status", "13")],
)
def test_a_policy_error_with_another_failure_in_its_headers_is_not_this_inputs(name: str, value: str) -> None:
    found = filtered({name: value})
    assert found.policy is None and found.error and value in found.error


@pytest.mark.parametrize(
    ("name", "value", "withheld"),
    [
        *(("x-should-retry", "true", False), ("Retry-After", "1", False)),
        *(("x-should-retry", "false", True), ("Retry-After", "", True)),
    ],
)
def test_a_policy_error_that_its_server_wants_to_be_asked_again_is_not_this_inputs(
    name: str, value: str, withheld: bool
) -> None:
    found = filtered({name: value})
    assert (found.policy is not None) is withheld
    assert (found.error is None) is withheld


def test_a_policy_error_from_a_cache_is_not_this_inputs() -> None:
    with pytest.raises(InputError, match="the header x-cache says so"):
        filtered({"X-Cache": "HIT"})


@pytest.mark.parametrize(
    "headers",
    [
        {"ms-azureml-model-error-reason": "model_error", "ms-azureml-model-error-statuscode": "400"},  # Azure
        {"x-amzn-errortype": "ValidationException:http://internal.amazon.com/"},  # Bedrock
        {"X-Error-Code": "content_filter", "X-Error-Message": "The prompt was blocked.", "X-Upstream-Status": "400"},
        {"X-Cache": "MISS", "Age": "0", "x-litellm-attempted-retries": "0"},
    ],
)
def test_headers_that_say_of_a_policy_error_that_it_is_one_change_nothing(headers: dict[str, str]) -> None:
    found = filtered(headers)
    assert (found.text, found.stop_reason) == ("", "content_filter")
    assert found.policy and found.policy.startswith("status 400")


def test_a_cached_reply_says_which_header_it_was() -> None:
    assert "the header warning says so" in str(cached_by({"Warning": '110 - "Response is Stale"'}))
    assert failure_next_to_a_policy({"X-Error": "a"}, 400, b'{"message": "a"}') is None
