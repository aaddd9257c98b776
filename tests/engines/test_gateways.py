"""Gateways, proxies and local servers on real sockets: where each format is asked, what goes along, what they tell."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import selfexec as sx
from selfexec.cli import root
from selfexec.engines import Call, CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.gateways import cached_by, is_cut, is_extended, with_headers
from selfexec.engines.http.providers import PROVIDERS, endpoint
from selfexec.engines.http.shutdown import shutdown_said
from selfexec.errors import InputError
from selfexec.experiments import Key, Message
from selfexec.runs import load_manifest
from selfexec.runs.asking.remarks import remarks
from selfexec.runs.asking.shared_memory import mark_of
from selfexec.runs.reply import Reply
from selfexec.text.redaction import bare_address
from sockets import call, completion, served, server

KEY = "sk-planted-0123456789"
SAS = "sig-of-somebody-0123456789"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
RESPONSE = {"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}]}
MESSAGE = {"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
CANDIDATE = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
BODIES = {"openai": completion("Hi"), "responses": RESPONSE, "anthropic": MESSAGE, "gemini": CANDIDATE}
ENDS = {
    "openai": "/chat/completions",
    "responses": "/responses",
    "anthropic": "/messages",
    "gemini": "/models/m:generateContent",
}


@pytest.fixture(autouse=True)
def quick_and_without_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    monkeypatch.setattr("selfexec.engines.http.client.REFUSAL_PAUSES", (0.0, 0.0))
    for name in {"SELFEXEC_API_KEY", *(key for provider in PROVIDERS.values() for key in provider.keys)}:
        monkeypatch.delenv(name, raising=False)


def asked(
    handler: Handler, model: str = "any/m", times: int = 1, path: str = "", sampling: Any = None, **options: Any
) -> list[CallResult]:
    """Some calls, one after the other, to a server that does what `handler` does."""
    calls = [Call(Key(model, "restriction", "x", n + 1, "predict"), HELLO, sampling or {}) for n in range(times)]

    async def main() -> list[CallResult]:
        async with server(everywhere(handler)) as url:
            connection = Connection(**{"base_url": url + path, "timeout": 5, **options})
            async with HttpEngine([model], connection) as engine:
                return [await engine.ask(one) for one in calls]

    return asyncio.run(main())


HELLO = (Message("user", "Hello?"),)


def everywhere(handler: Handler) -> web.Application:
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    return app


def sending(body: Any, status: int = 200, **headers: str) -> Handler:
    async def handler(request: web.Request) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(body, status=status, headers=named)

    return handler


# --- addresses with a query ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("stream", [False, True])
def test_a_query_in_the_address_goes_with_every_call_of_every_format(wire: str, stream: bool) -> None:
    seen: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(str(request.rel_url))
        return web.json_response(BODIES[wire])

    asked(handler, times=2, path="?api-version=2024-10-21&region=a%20b", wire=wire, stream=stream)
    end, query = ENDS[wire], "api-version=2024-10-21&region=a%20b"
    if wire == "gemini" and stream:
        end, query = "/models/m:streamGenerateContent", f"alt=sse&{query}"
    assert seen == 2 * [f"/v1{end}?{query}"]


@pytest.mark.parametrize("wire", ["openai", "responses", "anthropic"])
def test_an_address_copied_whole_with_its_query_is_taken(wire: Any) -> None:
    where = endpoint("any/m", f"https://x.example/v1{ENDS[wire]}/?api-version=1", wire=wire)
    assert (where.url, where.query) == ("https://x.example/v1", "api-version=1")
    assert HttpEngine(["any/m"], Connection(base_url="https://x.example/v1?a=1")).warnings == []


def test_what_stands_in_a_query_is_shown_nowhere_but_for_its_names(tmp_path: Path) -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response(completion(f"You sent {request.rel_url}"))

    with served(everywhere(echo)) as url:
        address = f"{url}?api-version=7&code={SAS}"
        arguments = ["run", "--model", "any/m", "--base-url", address, "--limit", "1", "--out", "r"]
        shown = CliRunner().invoke(root, [*arguments, "--header", f"X-Team={KEY}"])
    assert "You sent /v1/chat/completions?api-version=7&code=[key]" in (tmp_path / "r" / "replies.jsonl").read_text()
    [invocation] = load_manifest(tmp_path / "r").invocations
    assert invocation.addresses == {"any/m": f"{url}?api-version=7&code=(not shown)"}
    assert f"--base-url '{url}?api-version=7&code=(not shown)'" in (invocation.command or "")
    assert "--header 'X-Team=(not shown)'" in (invocation.command or "")
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (SAS, KEY):
        assert secret not in shown.output and secret.encode() not in files


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_no_error_shows_the_query_however_short_its_values(status: int) -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": f"no {request.query['code'][:4]}"}}, status=status)

    with pytest.raises(InputError) as stopped:
        asked(echo, path=f"?code={SAS}")
    assert SAS not in str(stopped.value) and "?code=(not shown)" in str(stopped.value)
    for wrong in (f"http://?code={SAS}", f"ftp://x?code={SAS}", f"http://[::1/v1?code={SAS}", f"http://x/v1?c={SAS}#a"):
        with pytest.raises(InputError, match="base_url") as stopped:
            HttpEngine(["any/m"], Connection(base_url=wrong))
        assert SAS not in str(stopped.value)
    assert SAS not in repr(Connection(base_url=f"http://x?code={SAS}"))
    assert SAS not in repr(endpoint("any/m", f"http://x?code={SAS}"))


def test_addresses_are_shown_without_what_may_be_a_secret() -> None:
    assert bare_address("https://me:pw@x.example/a@b?key=1&api-version=2&flag") == (
        "https://x.example/a@b?key=(not shown)&api-version=2&flag"
    )
    assert bare_address("me:pw@x.example/v1") == "x.example/v1"


def test_a_mark_of_shared_memory_is_of_an_address_whatever_its_query() -> None:
    assert mark_of("any/m", "http://x.example/v1?api-version=1") == mark_of("any/m", "http://x.example/v1")


# --- Azure -----------------------------------------------------------------------------------------------------------


def test_azure_is_asked_by_deployment_and_version_with_its_own_header(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, Mapping[str, str]]] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((str(request.rel_url), request.headers))
        return web.json_response(completion())

    monkeypatch.setenv("MINE", KEY)
    asked(handler, "azure/d", path="/openai/deployments/d?api-version=2024-10-21", api_key_env="MINE")
    [(url, headers)] = seen
    assert url == "/v1/openai/deployments/d/chat/completions?api-version=2024-10-21"
    assert headers["api-key"] == KEY and "Authorization" not in headers


def test_azures_key_goes_to_azure_alone_and_whoever_is_there_gets_it_in_azures_header(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    home = "https://mine.openai.azure.com/openai/v1"
    assert (endpoint("azure/d", home).key, endpoint("azure/d", home).key_header) == (KEY, "api-key")
    assert endpoint("azure/d", home, wire="responses").key_header == "api-key"
    assert endpoint("azure/d", home, wire="anthropic").key_header == "x-api-key"
    for foreign in ("https://openai.azure.com.evil.example/v1", "http://mine.openai.azure.com/v1", "https://x.example"):
        assert endpoint("azure/d", foreign).key is None
    assert endpoint("openai/d", home).key is None
    assert endpoint("openai/d", home).key_header == "api-key"
    assert endpoint("openai/d", "https://x.example/v1").key_header == "Authorization"
    with pytest.raises(InputError, match=r"each customer has their own address there\. Add base_url"):
        endpoint("azure/d")
    with pytest.raises(InputError, match="the key is sent as api-key already"):
        HttpEngine(["azure/d"], Connection(base_url=home, headers={"api-key": "other"}))


# --- wire formats ----------------------------------------------------------------------------------------------------


def test_the_responses_api_may_be_asked_at_a_providers_own_address_and_others_may_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    where = endpoint("openai/m", wire="responses")
    assert (where.url, where.wire, where.key) == ("https://api.openai.com/v1", "responses", KEY)
    for model in ("anthropic/m", "google/m"):
        with pytest.raises(InputError, match="wire goes with base_url"):
            endpoint(model, wire="responses")


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("other", BODIES)
def test_a_reply_in_another_format_is_named_with_the_wire_to_say(wire: str, other: str) -> None:
    if wire == other:
        assert asked(sending(BODIES[other]), wire=wire)[0].text == "Hi"
        return
    with pytest.raises(InputError, match=rf": say wire {other}\.$"):
        asked(sending(BODIES[other]), wire=wire)


# as each format says them: status -> body
ERRORS: Mapping[str, Callable[[int], Any]] = {
    "openai": lambda status: {"error": {"message": "in its words", "type": "x", "code": None}},
    "responses": lambda status: {"error": {"message": "in its words", "type": "x", "param": None, "code": None}},
    "anthropic": lambda status: {"type": "error", "error": {"type": "some_error", "message": "in its words"}},
    "gemini": lambda status: {"error": {"code": status, "message": "in its words", "status": "SOME"}},
}


@pytest.mark.parametrize("wire", ERRORS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "says"),
    [
        (400, "the request is not accepted"),
        (401, "the key is not accepted"),
        (403, "the key may not use this model"),
        (404, "there is no model 'm' here, or the address is wrong, or it does not speak the format of"),
        (405, r"is not accepted\. Another wire may be right: it was asked in"),
        (429, r"\(3 attempts\)\. Try again later"),
        (529, r"\(3 attempts\)\. Try again later"),
    ],
)
def test_each_formats_errors_are_told_in_the_servers_words(wire: str, stream: bool, status: int, says: str) -> None:
    with pytest.raises(InputError, match=says) as stopped:
        asked(sending(ERRORS[wire](status), status), wire=wire, stream=stream)
    assert "in its words" in str(stopped.value)


@pytest.mark.parametrize("wire", ERRORS)
@pytest.mark.parametrize("stream", [False, True])
def test_a_page_in_place_of_a_reply_is_one_in_every_format(wire: str, stream: bool) -> None:
    async def page(request: web.Request) -> web.Response:
        return web.Response(text="<html>Please log in</html>", content_type="text/html")

    with pytest.raises(InputError, match=r"not JSON \(3 attempts\)\. Is this the right address\?"):
        asked(page, wire=wire, stream=stream)


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Unknown parameter: 'store'.", "param": "store"},
        {"message": "litellm.UnsupportedParamsError: anthropic does not support parameters: ['store']"},
    ],
)
def test_who_refuses_to_keep_nothing_is_named_and_is_asked_nothing_without(error: Any) -> None:
    bodies: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        return web.json_response({"error": error}, status=400)

    with pytest.raises(InputError, match="it refuses `store: false`, so that it would keep what is asked") as stopped:
        asked(handler, wire="responses")
    assert [body["store"] for body in bodies] == [False]
    assert "wire openai" in str(stopped.value) and "The server says" in str(stopped.value)


def test_who_keeps_replies_though_told_not_to_is_named_once() -> None:
    async def main() -> list[str]:
        async with server(everywhere(sending(RESPONSE | {"store": True}))) as url:
            connection = Connection(base_url=url, wire="responses")
            async with HttpEngine(["any/m"], connection) as engine:
                for n in (1, 2):
                    await engine.ask(call("any/m", "Hello?", n))
                return engine.warnings

    [warning] = asyncio.run(main())
    assert "it was told to keep nothing (store: false), and says that it keeps replies" in warning


# --- caches, costs, who answered -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize(
    ("headers", "way_out"),
    [
        ({"x-litellm-cache-key": "0123"}, '"no-cache": true'),
        ({"cf-aig-cache-status": "HIT"}, "headers cf-aig-skip-cache=true"),
        ({"x-portkey-cache-status": "SEMANTIC HIT"}, "x-portkey-cache-force-refresh"),
        ({"Helicone-Cache": "HIT"}, "Helicone-Cache-Enabled=false"),
        ({"X-Cache": "Hit from edge"}, "headers Cache-Control=no-cache"),
        ({"Age": "86400"}, "headers Cache-Control=no-cache"),
    ],
)
def test_a_reply_from_a_cache_is_not_kept_and_the_way_out_is_said(
    wire: str, headers: dict[str, str], way_out: str
) -> None:
    with pytest.raises(InputError, match="the reply came from a cache") as stopped:
        asked(sending(BODIES[wire], **headers), wire=wire)
    assert way_out in str(stopped.value) and "the same command goes on" in str(stopped.value)


def test_what_no_cache_had_is_kept() -> None:
    headers = {"cf-aig-cache-status": "MISS", "X-Cache": "MISS", "Age": "0", "x-litellm-cache-key": ""}
    assert asked(sending(completion(), **headers))[0].text == "Hi"


@given(
    name=st.sampled_from(["", "X-", "cf-", "x-semantic-", "x-edge-"]).flatmap(
        lambda before: st.sampled_from(["Cache", "cache-status", "CACHE-RESULT"]).map(lambda name: before + name)
    ),
    hit=st.sampled_from(["HIT", "hit", "Hit from edge", "SEMANTIC HIT", "MISS, HIT", "TCP_HIT", "Edge; hit; ttl=9"]),
    other=st.sampled_from(["MISS", "miss", "BYPASS", "DYNAMIC", "DISABLED", "", "no-hit", "Edge; hit=?0", "white"]),
    age=st.integers(1, 10**9),
)
def test_any_header_of_a_cache_tells_of_a_hit_and_of_nothing_else(name: str, hit: str, other: str, age: int) -> None:
    usual = {"Content-Type": "application/json", "X-Request-Id": "hit", "Cache-Control": "max-age=60"}
    assert cached_by({**usual, name: other, "Age": "0"}) is None
    said = cached_by({**usual, name: hit})
    assert said and f"the header {name.lower()} says so" in said
    assert "the header age says so" in str(cached_by({**usual, name: other, "Age": str(age)}))
    for odd in ("", "-5", "soon", "0.0", "1e3"):
        assert cached_by({**usual, "age": odd}) is None


@pytest.mark.parametrize(
    ("header", "kept"),
    [("2.5e-05", 2.5e-05), ("0.0", None), ("None", None), ("nan", None), ("-1", None), ("inf", None)],
)
def test_litellms_cost_is_kept_where_it_is_one(header: str, kept: float | None) -> None:
    named = {"x-litellm-response-cost": header, "x-litellm-model-name": "openai/real"}
    found = asked(sending(completion(), **named))[0]
    assert (found.cost_usd, found.upstream) == (kept, "openai/real")
    # what the body says is nearer
    body = completion() | {"provider": "P"}
    body["usage"]["cost"] = 0.5
    found = asked(sending(body, **named))[0]
    assert (found.cost_usd, found.upstream) == (0.5, "P")


def test_the_model_behind_a_name_is_kept_where_it_is_a_name() -> None:
    def upstream(name: str | None) -> str | None:
        return with_headers(CallResult("Hi"), {} if name is None else {"x-litellm-model-name": name}).upstream

    assert [upstream(name) for name in (None, "", "m", "m" * 200, "m" * 201)] == [None, None, "m", "m" * 200, None]


def replies(**fields: list[Any]) -> list[Reply]:
    """As many replies of one model as there are values, each with its own."""
    rows = [dict(zip(fields, values, strict=True)) for values in zip(*fields.values(), strict=True)]
    return [Reply(**call("a/m", epoch=n + 1).key.fields(), text="Hi", **row) for n, row in enumerate(rows)]


def test_several_upstreams_behind_one_name_are_named_with_counts() -> None:
    [said] = remarks(replies(upstream=["P", "Q", "P", None]))
    assert said.startswith("a/m: behind the gateway P (2), Q (1) answered.")
    assert '"only": ["NAME"]' in said
    assert not list(remarks(replies(upstream=["P", "P", None])))


def test_prompts_that_a_server_cut_are_counted() -> None:
    [said] = remarks(replies(prompt_cut=[True, False, True]))
    assert said.startswith("a/m: of 2 of 3 prompts the server counted fewer tokens than they have words")


@pytest.mark.parametrize(
    ("words", "counted", "cut"),
    [
        (6000, 4096, True),  # 6,000 words are 5,400 tokens at the very least that is reckoned with
        (4551, 4096, False),  # .9 * 4,551 = 4,095.9
        (4552, 4096, True),  # .9 * 4,552 = 4,096.8
        (6000, 8000, False),
        (6000, None, False),
        (6000, 0, False),
        (6000, 511, False),  # no context is so small: it is the count of something else
        (600, 512, True),
    ],
)
def test_a_prompt_is_cut_where_fewer_tokens_were_counted_than_it_has_words(
    words: int, counted: int | None, cut: bool
) -> None:
    said = (Message("user", "egg " * (words - 10)), Message("user", "egg " * 5))
    assert is_cut(said, {"system": "egg " * 5}, CallResult("Hi", input_tokens=counted)) is cut


@pytest.mark.parametrize(("counted", "extended"), [(4000, True), (601, True), (600, False), (20, False), (None, False)])
def test_a_prompt_is_extended_where_more_tokens_were_counted_than_a_request_has_bytes(
    counted: int | None, extended: bool
) -> None:
    """A request of 100 bytes has 100 tokens at most, and no template of a chat takes 500."""
    assert is_extended(b"x" * 100, CallResult("Hi", input_tokens=counted)) is extended


def test_a_prompt_before_which_something_was_put_is_noted_with_the_reply() -> None:
    body = completion()
    body["usage"]["prompt_tokens"] = 4000

    async def main() -> list[bool]:
        async with server(everywhere(sending(body))) as url, HttpEngine(["any/m"], Connection(base_url=url)) as engine:
            return [(await engine.ask(call("any/m", prompt))).prompt_extended for prompt in ("egg", "egg " * 1500)]

    assert asyncio.run(main()) == [True, False]


MASKED = "Welcome, <PERSON>! We are glad that you came to <LOCATION>."
APPLIED = {"x-litellm-applied-guardrails": "presidio-pii"}


@pytest.mark.parametrize(
    ("text", "headers", "asked", "counts"),
    [
        (MASKED, APPLIED, b"Write a welcome.", False),
        ("Call [PHONE_NUMBER_1].", {"X-Applied-Guardrails": "pii"}, b"Write a welcome.", False),
        (MASKED, {}, b"Write a welcome.", True),
        (MASKED, {"x-litellm-applied-guardrails": "None"}, b"Write a welcome.", True),
        (MASKED, APPLIED, b"Welcome <PERSON> to <LOCATION>.", True),
        ("Welcome, Ann! 3 < 4 and [A], <b>B</b>.", APPLIED, b"Write a welcome.", True),
    ],
)
def test_placeholders_next_to_a_guardrail_stand_for_words_that_are_lost(
    text: str, headers: dict[str, str], asked: bytes, counts: bool
) -> None:
    found = with_headers(CallResult(text, stop_reason="stop"), headers, asked)
    assert (found.text == text and found.error is None) is counts
    assert counts or (found.unknown_end, found.unknown_end_text) == ("stop+error", text)


def test_a_cut_prompt_is_noted_with_the_reply() -> None:
    body = completion()
    body["usage"]["prompt_tokens"] = 2048
    prompts = ("egg " * 3000, "egg")

    async def main() -> list[bool]:
        async with server(everywhere(sending(body))) as url:
            connection = Connection(base_url=url)
            async with HttpEngine(["ollama/m"], connection) as engine:
                return [(await engine.ask(call("ollama/m", prompt))).prompt_cut for prompt in prompts]

    assert asyncio.run(main()) == [True, False]


# --- models about to be shut down ------------------------------------------------------------------------------------

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"id": "m", "shutdown_date": "2027-01-14"}, "gives 2027-01-14 as its shutdown_date (in 53 days)"),
        ({"id": "m", "deprecation_date": "2026-11-23T10:00:00Z"}, "2026-11-23 as its deprecation_date (tomorrow)"),
        ({"id": "m", "deprecation": "2026-11-20T12:00:00+00:00"}, "2026-11-20 as its deprecation (past)"),
        ({"id": "m", "shutdown_at": 1795305600}, "2026-11-22 as its shutdown_at (today)"),
        ({"name": "models/m", "expiration_date": "2026-12-01"}, "2026-12-01 as its expiration_date (in 9 days)"),
        ({"id": "m", "shutdown_date": None, "deprecation_date": "2026-12-01"}, "as its deprecation_date"),
        ({"id": "m", "shutdown_date": "2027-11-23"}, None),
        ({"id": "n", "shutdown_date": "2026-11-30"}, None),
        ({"id": "m", "shutdown_date": "soon", "deprecation": True}, None),
        ({"id": "m", "shutdown_date": 1e300}, None),
        ({"id": "m"}, None),
    ],
)
def test_a_date_on_which_a_model_ends_is_said_if_it_is_near(entry: dict[str, Any], says: str | None) -> None:
    for listed in ({"data": [7, {"id": "x"}, entry]}, {"models": [entry]}, entry):
        found = list(shutdown_said("m", listed, TODAY))
        assert len(found) == (says is not None)
        assert says is None or says in found[0]
    assert not list(shutdown_said("m", [entry], TODAY))


@pytest.mark.parametrize(
    ("wire", "path"), [("openai", "/v1/models"), ("responses", "/v1/models"), ("anthropic", "/v1/models/m")]
)
def test_check_warns_of_a_model_that_is_about_to_be_shut_down(wire: Any, path: str) -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.method == "GET":
            assert str(request.rel_url) == f"{path}?api-version=1"
            return web.json_response({"data": [{"id": "m", "shutdown_date": "2020-01-14"}]})
        return web.json_response(BODIES[wire])

    with served(everywhere(handler)) as url:
        found = sx.check("any/m", base_url=f"{url}?api-version=1", wire=wire)
    assert any(note.startswith("warning: any/m: its server gives 2020-01-14 as its") for note in found.notes)


@pytest.mark.parametrize("status", [200, 302, 404, 500])
def test_a_server_without_a_list_of_models_is_checked_as_before(status: int) -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.method == "GET":
            return web.Response(text="<html>", status=status)
        return web.json_response(completion())

    with served(everywhere(handler)) as url:
        found = sx.check("any/m", base_url=url)
    assert not any("its server gives" in note for note in found.notes)


# --- from the command line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--header", "X-Team"], "--header: write it as NAME=VALUE"),
        (["--header", f"={KEY}"], "--header: write it as NAME=VALUE"),
        (["--wire", "grpc", "--base-url", "http://x"], "'grpc' is not one of"),
        (["--wire", "gemini"], "--wire goes with --base-url"),
        (["--set", "stream=true"], "Have replies sent in pieces with --stream"),
        (["--set", "store=true"], "Nothing is left with a provider"),
        (["--set", "effort=none"], "--thinking off and --behaviour-thinking off"),
        (["--set", "effort=lowest"], "there are minimal, low"),
        (["--set", "efort=low"], "did you mean effort?"),
        (["--extra-body", '{"effort": "low"}'], "'effort' is a setting of its own"),
    ],
)
def test_what_cannot_be_is_refused_with_the_way_out(arguments: list[str], says: str) -> None:
    shown = CliRunner().invoke(root, ["check", "openai/m", *arguments])
    assert shown.exit_code != 0
    said = " ".join((shown.output + getattr(shown.exception, "typed", "")).split())
    assert says in said and KEY not in said


def test_streaming_is_no_part_of_what_a_run_is(tmp_path: Path) -> None:
    with served(everywhere(sending(completion('{"choice": "A"}')))) as url:
        for stream in (False, True):
            sx.run("any/m", base_url=url, limit=1, stream=stream, out=tmp_path / "r", epochs=1 + stream)
    assert json.loads((tmp_path / "r" / "manifest.json").read_text())["settings"] == {}
