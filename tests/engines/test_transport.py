"""What servers and networks do to a call, on real sockets: nothing leaks, nothing hangs, nothing grows without end, and
no reply is rewritten.
"""

import asyncio
import base64
import gzip
import json
import re
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

import selfexec as sx
from selfexec.cli import main
from selfexec.engines import CallResult, Connection
from selfexec.engines.http.bodies import seconds_of
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.providers import PROVIDERS, endpoint
from selfexec.engines.http.rate_limit import RateLimit
from selfexec.engines.http.scrubbing import Scrubber
from selfexec.engines.http.secret_forms import is_secret
from selfexec.engines.http.wires import WIRES
from selfexec.errors import InputError
from selfexec.runs.asking.shared_memory import mark_of
from sockets import call, completion, served, server

KEY = "sk-planted/0123456789"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def no_proxies_and_short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def ask(
    handler: Handler | bytes | dict[str, Any],
    model: str = "any/m",
    times: int = 1,
    path: str = "",
    sampling: Any = None,
    **options: Any,
) -> list[CallResult]:
    """Some calls, one after the other, to a server that does what `handler` does, or sends this body."""
    calls = [msgspec.structs.replace(call(model, "Hello?", n + 1), sampling=sampling or {}) for n in range(times)]

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", handler if callable(handler) else _sending(handler))
        async with server(app) as url:
            given = {"base_url": url + path, "timeout": 5, **options}
            async with HttpEngine([model], Connection(**given)) as engine:
                return [await engine.ask(one) for one in calls]

    return asyncio.run(main())


def _sending(body: bytes | dict[str, Any]) -> Handler:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=content, content_type="application/json")

    return handler


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["x", "no", "none", "EMPTY", "ollama", "1234", "test", "A", "words", "1", "lm-studio"])
def test_a_placeholder_key_rewrites_no_reply(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", key)
    text = json.dumps(
        {"choice": "A", "words": ["none", "test", "EMPTY"], "n": 1234, "of": ["ollama", "lm-studio", "x"]}
    )
    body = completion(text) | {"model": "ollama/test-none-x-A1"}
    found = ask(body)[0]
    assert (found.text, found.served_model) == (text, "ollama/test-none-x-A1")
    assert (found.input_tokens, found.output_tokens) == (3, 5)


def escaped(text: str) -> str:
    """As a server may write it: every character as JSON's \\u."""
    return "".join(f"\\u{ord(c):04X}" for c in text)


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        escaped(KEY),
        KEY.replace("/", "\\/"),
        escaped(KEY).replace("\\", "\\\\"),  # JSON inside JSON
        KEY.replace("/", "\\\\\\/"),
        KEY.replace("/", "%2F"),
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(f"me:{KEY}".encode()).decode(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
        base64.urlsafe_b64encode(f"u:{KEY}".encode()).decode(),
    ],
    ids=["plain", "escaped", "slash", "twice", "slash twice", "percent", "base64", "base64+3", "base64+5", "base64+2"],
)
def test_a_key_that_comes_back_in_any_dress_is_kept_nowhere(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)
    fields = ("id", "provider", "model", "system_fingerprint")
    texts: list[str | None] = []
    for end in ("stop", "@"):
        body = json.dumps(completion("@", end, refusal="@", reasoning_content="@ ...") | dict.fromkeys(fields, "@"))
        found = ask(re.sub('"@( ...)?"', lambda at: f'"a {written} z{" z" if at[1] else ""}"', body).encode())[0]
        texts += [found.reasoning, found.served_model, found.fingerprint, found.completion_id, found.upstream]
        texts += [found.text, found.refusal] if end == "stop" else [found.unknown_end, found.unknown_end_text]
    assert "[key]" in (found.error or "") and written not in (found.error or "")
    for text in texts:
        assert text and "[key]" in text and text.startswith("a ") and text.endswith(" z")
        # what base64 leaves over shows less than two characters at either end
        assert len(text) <= len("a [key] z") + 12

    async def refusing(request: web.Request) -> web.Response:
        return web.Response(text=f'{{"error": {{"message": "a {written} z"}}}}', status=401, reason="No")

    async def in_html(request: web.Request) -> web.Response:
        return web.Response(text=f"<p>a {written} z</p>", status=401)

    for handler in (refusing, in_html):
        with pytest.raises(InputError, match=re.escape("[key]")) as stopped:
            ask(handler)
        assert written not in str(stopped.value)


def test_a_key_in_percent_signs_is_known_whatever_is_left_as_it_is() -> None:
    key = "sk-a/b+c=d/e0123456"
    for written in ("sk-a/b%2Bc%3Dd/e0123456", "sk-a%2Fb%2Bc%3Dd%2Fe0123456", "sk-a/b%2bc%3dd/e0123456"):
        assert Scrubber([key]).text(f"a {written} z") == "a [key] z"


def test_a_key_among_the_fields_of_the_body_is_kept_nowhere_either() -> None:
    async def echo(request: web.Request) -> web.Response:
        sent = {name: value for name, value in (await request.json()).items() if name != "messages"}
        return web.json_response(completion(json.dumps(sent)))

    body = {"api_key": "of-the-gateway-0123", "meta": [{"token": {"x": ["another-0123456789"]}}], "user": "u" * 20}
    found = ask(echo, sampling={**body, "note": "Bearer third-0123456789", "max_tokens": 12345678})[0]
    sent = json.loads(found.text or "")
    assert (sent["api_key"], sent["meta"], sent["note"]) == ("[key]", [{"token": {"x": ["[key]"]}}], "[key]")
    assert (sent["user"], sent["max_tokens"]) == ("u" * 20, 12345678)


def test_both_alphabets_of_base64_are_known() -> None:
    key = "sk-?>~?>~?>~?>~?>~"
    for before in ("", "u:", "me:", "user:"):
        given = f"{before}{key}".encode()
        for written in (base64.b64encode(given).decode(), base64.urlsafe_b64encode(given).decode()):
            assert set("+/-_") & set(written)
            found = Scrubber([key]).text(f"a {written} z")
            assert "[key]" in found and len(found) <= len("a [key] z") + 12


def test_structure_numbers_and_names_of_fields_are_never_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "1234567890123456"
    monkeypatch.setenv("SELFEXEC_API_KEY", key)
    body = completion('{"choice": "A"}') | {key: 1, "created": int(key)}
    assert ask(body)[0].text == '{"choice": "A"}'


def test_what_is_long_or_begins_as_keys_do_is_a_secret() -> None:
    assert all(map(is_secret, ("sk-abc123def456", "a" * 16, "hf_abcdefgh", "AIzaSyA1234", "gsk_1234567")))
    assert not any(map(is_secret, ("sk-", "sk-1234", "token-abc123", "EMPTY", "no-key-needed")))
    assert Scrubber(["EMPTY"]).text("EMPTY") == "EMPTY"


def test_a_password_in_the_base_url_is_kept_nowhere_either() -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response(completion(f"You sent {request.headers['Authorization']}"))

    async def main() -> CallResult:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", echo)
        async with server(app) as url:
            address = url.replace("://", "://me:a-password-of-mine@")
            async with HttpEngine(["any/m"], Connection(base_url=address)) as engine:
                return await engine.ask(call("any/m"))

    text = asyncio.run(main()).text or ""
    assert text.startswith("You sent Basic ") and "[key]" in text
    assert base64.b64encode(b"a-password").decode()[2:-4] not in text


def test_a_short_password_is_not_shown_as_it_is_sent() -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": f"You sent {request.headers['Authorization']}"}}, status=401)

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", echo)
        async with server(app) as url:
            address = url.replace("://", "://me:hunter2@")
            async with HttpEngine(["any/m"], Connection(base_url=address)) as engine:
                await engine.ask(call("any/m"))

    with pytest.raises(InputError, match=r"You sent Basic \[key\]"):
        asyncio.run(main())


# --- redirects, proxies, certificates --------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_and_the_message_names_the_server_it_points_to(status: int) -> None:
    asked: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        asked.append(request.path)
        place = f"http://user:pw@localhost:{request.url.port}/plain/v1/x?token=abc"
        return web.Response(status=status, headers={"Location": place})

    with pytest.raises(InputError, match=r"points to http://localhost:\d+, which is not followed") as stopped:
        ask(elsewhere)
    assert asked == ["/v1/chat/completions"]
    assert not any(secret in str(stopped.value) for secret in ("pw", "token", "plain"))


def test_a_redirect_within_a_server_and_one_to_nowhere_are_named_too() -> None:
    async def home(request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": "/login?next=secret"})

    async def nowhere(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "http://[::1"})

    with pytest.raises(InputError, match=r"points to another path of 127\.0\.0\.1, which"):
        ask(home)
    with pytest.raises(InputError, match="points to no valid address"):
        ask(nowhere)


@pytest.mark.parametrize("status", [300, 301, 305, 306])
def test_a_redirect_that_names_no_place_is_not_said_to_name_one(status: int) -> None:
    async def home(request: web.Request) -> web.Response:
        return web.Response(status=status)

    with pytest.raises(InputError, match=f"status {status}: it redirects the call without saying where") as stopped:
        ask(home)
    assert "points to" not in str(stopped.value)


def test_a_redirect_in_the_middle_of_a_run_stops_it_only_when_it_comes_three_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.REFUSAL_PAUSES", (0.0, 0.0))
    asked: list[int] = []
    good = {1, 3}

    async def sometimes(request: web.Request) -> web.Response:
        asked.append(1)
        if len(asked) in good:
            return web.json_response(completion())
        return web.Response(status=302, headers={"Location": "https://login.example/"})

    assert [found.attempt for found in ask(sometimes, times=2)] == [None, 2]
    asked.clear()
    good = {1}
    with pytest.raises(InputError, match=r"points to https://login\.example, which is not followed"):
        ask(sometimes, times=2)
    assert len(asked) == 1 + 3


def test_what_a_server_says_of_its_policy_holds_no_key_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)

    async def filtering(request: web.Request) -> web.Response:
        error = {"message": f"blocked {KEY} by policy", "code": "content_filter"}
        return web.json_response({"error": error}, status=400)

    found = ask(filtering)[0]
    assert found.policy and "[key]" in found.policy and KEY not in found.policy


def test_netrc_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("default login u password p-of-netrc\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    seen: list[str | None] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization"))
        return web.json_response(completion())

    ask(handler)
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)
    ask(handler)
    assert seen == [None, f"Bearer {KEY}"]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_asked_with_its_own_password(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    seen: list[tuple[str, str | None]] = []

    async def proxy(request: web.Request) -> web.Response:
        seen.append((str(request.url), request.headers.get("Proxy-Authorization")))
        return web.json_response(completion())

    async def main() -> None:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", proxy)
        async with server(app) as url:
            monkeypatch.setenv(variable, url.replace("://", "://me:pw@").removesuffix("/v1"))
            async with HttpEngine(["any/m"], Connection(base_url="http://model.invalid/v1", timeout=5)) as engine:
                for epoch in (1, 2):
                    await engine.ask(call("any/m", "Hello?", epoch))

    asyncio.run(main())
    given = f"Basic {base64.b64encode(b'me:pw').decode()}"
    assert seen == 2 * [("http://model.invalid/v1/chat/completions", given)]


@pytest.mark.parametrize("value", ["127.0.0.1:9", "proxy", "socks5://127.0.0.1:9"])
def test_a_proxy_that_is_none_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", value)
    with pytest.raises(InputError, match=r"HTTP_PROXY: only proxies of the form http://HOST:PORT") as stopped:
        HttpEngine(["any/m"], Connection(base_url="http://model.invalid/v1"))
    assert "base-url" not in str(stopped.value)


def test_a_certificate_that_nobody_vouches_for_is_named_with_the_way_out(tmp_path: Path) -> None:
    import ssl

    certificate, key = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def main() -> None:
        listening = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0, ssl=context)
        async with listening:
            address = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
            async with HttpEngine(["any/m"], Connection(base_url=address, timeout=5)) as engine:
                await engine.ask(call("any/m"))

    with pytest.raises(
        InputError, match=r"the certificate of 127\.0\.0\.1 is not trusted here.* SSL_CERT_FILE"
    ) as said:
        asyncio.run(main())
    assert "right address" not in str(said.value) and "attempts" not in str(said.value)


def self_signed(folder: Path) -> tuple[Path, Path]:
    import subprocess

    certificate, key = folder / "c.pem", folder / "k.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


def test_a_port_that_takes_the_call_and_says_nothing_is_given_up_before_the_time_of_a_reply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("selfexec.engines.http.transport.CONNECT_TIMEOUT", 0.1)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()

        async def main() -> None:
            address = f"https://127.0.0.1:{mute.getsockname()[1]}/v1"
            async with HttpEngine(["any/m"], Connection(base_url=address, timeout=600)) as engine:
                await engine.ask(call("any/m"))

        with pytest.raises(InputError, match=r"no connection within 0\.1 s \(3 attempts\)\. Is this the right address"):
            asyncio.run(asyncio.wait_for(main(), 30))


# --- bodies ----------------------------------------------------------------------------------------------------------


def test_an_endless_body_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.transport.LONGEST_BODY", 2**20)
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"[" * 2**16)
            sent += 2**16
        return response

    with pytest.raises(InputError, match="the body is longer than 1 MB"):
        ask(endless)
    assert sent < 1000 * 2**16


@pytest.mark.slow
def test_a_body_that_unpacks_to_more_than_any_reply_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 100 * 2**20)

    async def packed(request: web.Request) -> web.Response:
        return web.Response(body=bomb, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})

    with pytest.raises(InputError, match="the body is longer than 32 MB"):
        ask(packed)


def test_a_reply_longer_than_the_journal_takes_is_an_error_and_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.bodies.LONGEST_TEXT", 1000)
    assert ask(completion("x" * 1000))[0].text == "x" * 1000
    for body in (completion("x" * 1001), completion("x" * 500, reasoning_content="y" * 501)):
        found = ask(body)[0]
        assert (found.text, found.reasoning) == (None, None)
        assert found.error == "the reply is longer than 1,000 characters"
        assert found.output_tokens == 5  # it was paid for


@pytest.mark.parametrize("status", [200, 400, 500])
def test_brackets_without_end_are_a_failure_as_any_other(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.ATTEMPTS", 2)
    bodies = [json.dumps(completion()).encode(), *3 * [b"[" * 200_000 + b"]" * 200_000]]

    async def handler(request: web.Request) -> web.Response:
        good = len(bodies) == 4
        return web.Response(body=bodies.pop(0) if len(bodies) > 1 else bodies[0], status=200 if good else status)

    # the first reply shows that the address is right
    first, second = ask(handler, times=2)
    assert first.text == "Hi"
    assert second.text is None and second.error


def test_brackets_without_end_stop_a_run_that_has_had_no_reply() -> None:
    with pytest.raises(InputError, match=r"nested too deeply \(3 attempts\)\. Is this the right address"):
        ask(b"[" * 200_000 + b"]" * 200_000)


@pytest.mark.parametrize("usage", ["n/a", ["n/a"], 7, {"completion_tokens_details": ["n/a"], "completion_tokens": 5}])
def test_an_odd_usage_throws_no_reply_away(usage: Any) -> None:
    found = ask(completion() | {"usage": usage})[0]
    assert (found.text, found.attempt, found.reasoning_tokens) == ("Hi", None, None)
    assert found.output_tokens == (5 if isinstance(usage, dict) else None)


def test_a_count_of_nothing_is_no_count() -> None:
    nothing = {"usage": {"prompt_tokens": 0, "completion_tokens": 0}}
    found = ask(completion() | nothing)[0]
    assert (found.text, found.input_tokens, found.output_tokens) == ("Hi", None, None)
    withheld = ask(completion(None, "content_filter") | nothing)[0]
    assert (withheld.text, withheld.input_tokens, withheld.output_tokens) == ("", None, 0)


def test_a_content_of_plain_strings_is_text() -> None:
    assert ask(completion(["He", {"type": "text", "text": "ll"}, "o"]))[0].text == "Hello"  # type: ignore[arg-type]


@pytest.mark.parametrize("cost", ["Infinity", "NaN", "1e999", "-1", "true", '"0.1"'])
def test_a_cost_that_is_none_is_ignored(cost: str) -> None:
    body = json.dumps(completion()).replace('"prompt_tokens"', f'"cost": {cost}, "prompt_tokens"')
    found = ask(body.encode())[0]
    assert (found.text, found.cost_usd) == ("Hi", None)


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert ask(b"\xef\xbb\xbf" + json.dumps(completion()).encode())[0].text == "Hi"


def test_a_name_as_long_as_a_page_is_none() -> None:
    found = ask(completion() | {"id": "x" * 10_000, "model": "y" * 10_000, "provider": "z" * 10_000})[0]
    assert (found.text, found.completion_id, found.served_model, found.upstream) == ("Hi", None, None, None)


def test_the_names_of_a_completion_and_of_who_gave_it_are_kept() -> None:
    found = ask(completion() | {"id": "gen-1", "provider": "DeepInfra"})[0]
    assert (found.completion_id, found.upstream) == ("gen-1", "DeepInfra")


@pytest.mark.parametrize("header", ["nan", "inf", "-inf", "soon", "", "-3"])
def test_a_retry_after_that_is_no_time_is_ignored(header: str) -> None:
    assert seconds_of(header) is None


# --- money and days --------------------------------------------------------------------------------------------------


def google(*quotas: str) -> dict[str, Any]:
    """The error of Gemini, with the names of the quotas that are used up."""
    violations = [{"quotaMetric": "generate_content_free_tier_requests", "quotaId": quota} for quota in quotas]
    details = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "20s"},
    ]
    message = "You exceeded your current quota, please check your plan and billing details."
    return {"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}}


DAY, MINUTE = (
    "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
    "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
)
OPENAI = {"message": "You exceeded your current quota, please check your plan and billing details."}
OPENROUTER = {"message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000", "code": 429}
CREDIT, ALLOWANCE = "out of credit, or its quota is spent", "the allowance of the day is used up"
SPENT = {
    "openai": (429, {"error": OPENAI | {"type": "insufficient_quota", "code": "insufficient_quota"}}, {}, CREDIT),
    "openai, no code": (429, {"error": OPENAI | {"type": "insufficient_quota", "code": None}}, {}, CREDIT),
    "gemini": (429, google(MINUTE, DAY), {}, ALLOWANCE),
    "gemini, in OpenAI's format": (429, [google(DAY)], {}, ALLOWANCE),
    "gemini, handed on": (429, {"error": {"message": json.dumps(google(DAY)), "code": 429}}, {}, ALLOWANCE),
    "openrouter": (429, {"error": OPENROUTER}, {}, CREDIT),
    "openrouter, by source": (
        429,
        {"error": {"message": "no", "code": 429, "metadata": {"limit_source": "openrouter_free_tier_daily"}}},
        {},
        CREDIT,
    ),
    "openrouter, status 200": (200, {"error": {"message": "Insufficient credits", "code": 402}}, {}, CREDIT),
    "openai, status 200": (200, {"error": OPENAI | {"code": "insufficient_quota"}}, {}, CREDIT),
    "one-api, a sentence, status 200": (200, {"error": "no", "code": "insufficient_user_quota"}, {}, CREDIT),
    "minimax": (200, {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "no balance"}}, {}, CREDIT),
    "anthropic": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
            },
        },
        {},
        CREDIT,
    ),
    "xai": (
        429,
        {
            "code": "x",
            "error": "Your team 1-a has either used all available credits or reached its monthly spending limit.",
        },
        {},
        CREDIT,
    ),
    "litellm": (400, {"error": {"message": "no", "type": "budget_exceeded", "code": "400"}}, {}, CREDIT),
    "any, 402": (402, {"detail": "pay"}, {}, CREDIT),
    "any, a day": (429, {"error": "slow down"}, {"Retry-After": "86400"}, "asks to wait for 24 h"),
    "any, six minutes": (503, {"error": "slow down"}, {"Retry-After": "360"}, "asks to wait for 6 min"),
}


@pytest.mark.parametrize("case", SPENT)
@pytest.mark.parametrize("good_before", [0, 1])
def test_a_spent_quota_stops_the_run_at_once_with_the_way_out(
    case: str, good_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, body, headers, why = SPENT[case]
    asked = []
    monkeypatch.setattr("selfexec.engines.http.client.REFUSAL_PAUSES", (0.01, 0.01))
    # once something has come back, a refusal by status alone must come three times: one replica of several may be wrong
    by_status = case in ("any, 402", "openrouter, status 200", "minimax")

    async def handler(request: web.Request) -> web.Response:
        asked.append(1)
        if len(asked) <= good_before:
            return web.json_response(completion())
        return web.json_response(body, status=status, headers=headers)

    with pytest.raises(InputError, match=why) as stopped:
        ask(handler, times=1 + good_before)
    assert len(asked) == good_before + (3 if by_status and good_before else 1)
    assert "the same command goes on" in str(stopped.value)
    assert "right address" not in str(stopped.value)


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (429, google(MINUTE), {}),
        (429, {"error": {"message": "Rate limit reached: quota of tokens per min", "code": "rate_limit_exceeded"}}, {}),
        (429, {"error": {"message": "Rate limit exceeded: free-models-per-min.", "code": 429}}, {}),
        (429, {"error": "my credit balance is too low today"}, {"Retry-After": "0.01"}),
        (503, {"error": {"message": "overloaded", "details": 7, "metadata": [], "code": ["insufficient"]}}, {}),
        (200, {"error": {"message": "upstream died", "code": 502}}, {}),
        (200, {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, {}),
    ],
)
def test_what_passes_within_a_minute_is_asked_again(status: int, body: Any, headers: dict[str, str]) -> None:
    queue = [web.json_response(body, status=status, headers=headers), web.json_response(completion())]

    async def handler(request: web.Request) -> web.Response:
        return queue.pop(0)

    found = ask(handler)[0]
    assert (found.text, found.attempt) == ("Hi", 2)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"success": False, "code": "401", "msg": "token expired"}, "status 401: the key is not accepted"),
        ({"error": {"message": "token expired", "code": "invalid_api_key"}}, "status 200: the account, its key or"),
        ({"base_resp": {"status_code": 1004, "status_msg": "token expired"}}, "status 401: the key is not accepted"),
        ({"error": "token expired", "code": 403}, "status 403: the key may not use this model"),
    ],
)
@pytest.mark.parametrize("good_before", [0, 1])
def test_an_account_that_is_refused_with_status_200_stops_the_run_in_the_servers_words(
    body: Any, says: str, good_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.REFUSAL_PAUSES", (0.01, 0.01))
    asked = []

    async def handler(request: web.Request) -> web.Response:
        asked.append(1)
        return web.json_response(completion() if len(asked) <= good_before else body)

    with pytest.raises(InputError, match=re.escape(says)) as stopped:
        ask(handler, times=1 + good_before)
    assert len(asked) == good_before + (3 if good_before else 1)
    assert str(stopped.value).endswith("The server says: token expired")


def test_a_body_that_is_no_reply_is_told_in_the_servers_words() -> None:
    queue: list[Any] = [completion(), *[{"code": 7, "msg": "the moon is in the way"}] * 8]

    async def handler(request: web.Request) -> web.Response:
        return web.json_response(queue.pop(0))

    assert ask(handler, times=2)[1].error == "the reply is no completion (the moon is in the way) (8 attempts)"


@pytest.mark.parametrize("finish", ["CONTENT_FILTER", "content-filter", "contentFilter", "SAFETY", "safety"])
def test_a_filters_empty_reply_is_one_however_it_is_spelt(finish: str) -> None:
    (found,) = ask(completion(None, finish))
    assert (found.text, found.stop_reason, found.attempt) == ("", "content_filter", None)


@pytest.mark.parametrize("first", ["", ": PROCESSING\n\n", "event: message\n", "\n"])
def test_a_stream_that_nobody_asked_for_is_named(first: str) -> None:
    chunk = {"choices": [{"delta": {"content": "Hi"}, "finish_reason": None}]}
    body = f"{first}data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    with pytest.raises(InputError, match="the server streams though it was not asked to") as stopped:
        ask(body.encode())
    assert str(stopped.value).endswith("Say stream=True, or switch streaming off at the server.")


def test_only_an_address_that_is_in_doubt_is_asked_about() -> None:
    for status in (429, 500, 529):

        async def busy(request: web.Request, status: int = status) -> web.Response:
            return web.json_response({"error": "busy"}, status=status)

        with pytest.raises(InputError, match=r"\(3 attempts\)\. Try again later\.") as stopped:
            ask(busy)
        assert "right address" not in str(stopped.value)
    with pytest.raises(InputError, match=r"not JSON \(3 attempts\)\. Is this the right address\?"):
        ask(b"<html>")


def test_a_run_whose_quota_is_spent_keeps_all_that_came_and_goes_on(tmp_path: Path) -> None:
    left = 7

    async def handler(request: web.Request) -> web.Response:
        nonlocal left
        left -= 1
        if left < 0:
            body = {"error": OPENAI | {"code": "insufficient_quota"}}
            return web.json_response(body, status=429, headers={"Retry-After": "86400"})
        return web.json_response(completion())

    def work(url: str) -> None:
        nonlocal left
        choices: dict[str, Any] = {"base_url": url, "out": tmp_path / "r", "limit": 2, "max_connections": 1}
        with pytest.raises(InputError, match=CREDIT):
            sx.run(["any/m"], **choices)
        assert len(sx.load(tmp_path / "r").replies) == 7
        left = 1000
        assert len(sx.run(["any/m"], **choices).replies) == 20
        assert left == 1000 - 13

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    with served(app) as url:
        work(url)


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_only_simulated_models_are_told_the_epoch() -> None:
    seen: list[str | None] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers.get("X-Selfexec-Epoch"))
        return web.json_response(completion())

    ask(handler, model="any/m", times=2)
    ask(handler, model="sim/typical", times=2)
    assert seen == [None, None, None, "2"]


def test_nothing_but_openai_is_told_to_store_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for base_url in (None, "https://api.openai.com/v1", "https://eu.api.openai.com/v1"):
        where = endpoint("openai/m", base_url)
        assert WIRES["openai"].body(where, call("m").messages, {})["store"] is False
    for base_url in ("https://gateway.example/openai/v1", "https://api.openai.com.evil.example/v1"):
        assert "store" not in WIRES["openai"].body(endpoint("openai/m", base_url), call("m").messages, {})


LOCAL = {
    "vllm": "VLLM_API_KEY",
    "sglang": "SGLANG_API_KEY",
    "llamacpp": "LLAMA_API_KEY",
    "ollama": "OLLAMA_API_KEY",
    "lmstudio": "LM_API_TOKEN",
}


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # no .env here
    for provider in PROVIDERS.values():
        for name in provider.keys:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("SELFEXEC_API_KEY", raising=False)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("provider", LOCAL)
@pytest.mark.parametrize("base_url", [None, "http://my-box:9/v1"])
def test_a_local_server_gets_its_key_and_else_the_general_one_and_needs_none(
    monkeypatch: pytest.MonkeyPatch, provider: str, base_url: str | None
) -> None:
    assert endpoint(f"{provider}/m", base_url).key is None
    monkeypatch.setenv("SELFEXEC_API_KEY", "general")
    assert endpoint(f"{provider}/m", base_url).key == "general"
    monkeypatch.setenv(LOCAL[provider], "own")
    assert endpoint(f"{provider}/m", base_url).key == "own"


@pytest.mark.usefixtures("no_keys")
def test_a_providers_key_goes_to_the_provider_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert endpoint("openai/m").key == KEY
    assert endpoint("openai/m", "https://eu.api.openai.com/v1").key == KEY
    for foreign in (
        "http://127.0.0.1:4000/v1",
        "https://gateway.example/v1",
        "http://api.openai.com/v1",  # in the open, for everybody on the way to read
        "https://api.openai.com.evil.example/v1",
        "https://evil.example/api.openai.com/v1",
        "https://notapi.openai.com.example/v1",
        "https://[::1/v1",  # no address at all
    ):
        assert endpoint("openai/m", foreign).key is None
    monkeypatch.setenv("SELFEXEC_API_KEY", "general")
    assert endpoint("openai/m", "https://gateway.example/v1").key == "general"
    assert endpoint("openai/m").key == KEY


@pytest.mark.usefixtures("no_keys")
def test_the_key_of_a_named_variable_is_sent_and_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "mine")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for model, base_url in (
        ("openai/m", None),
        ("vllm/m", None),
        ("any/m", "http://x.example"),
        ("openai/m", "http://x"),
    ):
        assert endpoint(model, base_url, api_key_env="MINE").key == "mine"
    # no second key takes its place, and what may be a key is not shown
    for wrong in ("sk-planted-0123", "NOT_SET_ANYWHERE", "0123456789abcdef0123", "A B"):
        with pytest.raises(InputError, match="no variable of this name is set") as stopped:
            endpoint("openai/m", api_key_env=wrong)
        # a name of capital letters alone is no key, and is told
        assert (wrong in str(stopped.value)) == (wrong == "NOT_SET_ANYWHERE")


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("option", [{"api_key_env": "MINE"}, {"headers": {"X-Team": "a"}}])
def test_what_is_for_one_address_is_not_sent_to_two(monkeypatch: pytest.MonkeyPatch, option: dict[str, Any]) -> None:
    for name in ("MINE", "OPENAI_API_KEY", "MISTRAL_API_KEY"):
        monkeypatch.setenv(name, "sk-1")
    HttpEngine(["openai/a", "openai/b"], Connection(**option))
    with pytest.raises(InputError, match="for one address, and these models are at several"):
        HttpEngine(["openai/a", "mistral/b"], Connection(**option))


@pytest.mark.usefixtures("no_keys")
def test_a_server_that_accepts_no_key_is_told_apart_from_one_that_got_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async def closed(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "who?"}}, status=401)

    with pytest.raises(InputError, match=r"None was sent\. Set VLLM_API_KEY or SELFEXEC_API_KEY, or name another"):
        ask(closed, model="vllm/m")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(
        InputError, match=r"None was sent, since OPENAI_API_KEY is not for this address\. Set SELFEXEC_"
    ):
        ask(closed, model="openai/m")
    with pytest.raises(InputError, match=r"the key is not accepted\. Check OPENAI_API_KEY\."):
        ask(closed, model="openai/m", api_key_env="OPENAI_API_KEY")


def test_headers_of_a_users_own_are_sent_with_every_call() -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append([request.headers.getall(name, None) for name in ("X-Team", "User-Agent", "HTTP-Referer")])
        return web.json_response(completion())

    ask(handler, times=2, headers={"X-Team": "a=b", "user-agent": "me/1", "HTTP-Referer": "https://x.example"})
    assert seen == 2 * [[["a=b"], ["me/1"], ["https://x.example"]]]


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"authorization": "Bearer other"}, "the key is sent as Authorization already"),
        ({"X-Other": f"Token {KEY}"}, "the key is sent as Authorization already"),
        ({"Content-Length": "3"}, "set by itself"),
        ({"X-Selfexec-Epoch": "3"}, "set by itself"),
        ({"X Team": "a"}, "no name of a header"),
        ({"X-Team": "a\r\nX-Evil: b"}, "holds what no header can"),
        ({"X-Team": ""}, "the value is empty"),
        ({"X-Team": "first", "x-team": "second"}, "the same header as X-Team, which is given too"),
    ],
)
def test_headers_that_cannot_go_with_the_key_or_at_all_are_refused_and_their_values_not_shown(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], message: str
) -> None:
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)
    with pytest.raises(InputError, match=message) as stopped:
        HttpEngine(["any/m"], Connection(base_url="http://x.example/v1", headers=headers))
    assert not any(len(value) > 1 and value in str(stopped.value) for value in headers.values())
    assert KEY not in repr(Connection(headers={"X-Key": KEY}))


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("command", ["run", "check"])
def test_the_commands_take_a_key_by_name_headers_and_a_wire_format(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MINE", KEY)
    seen: set[tuple[str, ...]] = set()

    async def handler(request: web.Request) -> web.Response:
        seen.add((request.path, *(request.headers.get(name, "") for name in ("x-api-key", "X-Team", "X-Secret"))))
        return web.json_response({"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"})

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    with served(app) as url:
        model = ["--model", "openai/m", "--limit", "1", "--out", "r"] if command == "run" else ["openai/m"]
        options = ["--base-url", f"{url}/messages", "--wire", "anthropic", "--api-key-env", "MINE"]
        headers = ["--header", "X-Team=a=b", "--header", "X-Secret=0123456789abcdef"]
        monkeypatch.setattr("sys.argv", ["selfexec", command, *model, *options, *headers])
        with pytest.raises(SystemExit):
            main()
    given = (KEY, "a=b", "0123456789abcdef")
    # a check looks into the list of models too: is this one about to be shut down?
    assert seen == {("/v1/messages", *given), *([("/v1/models/m", *given)] if command == "check" else [])}
    shown = "".join(capsys.readouterr())
    assert "warning: --base-url: its end is left out" in shown
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (KEY, "0123456789abcdef"):
        assert secret not in shown and secret.encode() not in files


@pytest.mark.usefixtures("no_keys")
def test_a_header_may_be_the_key_and_is_kept_nowhere() -> None:
    async def echo(request: web.Request) -> web.Response:
        sent = {name: request.headers[name] for name in ("Authorization", "X-Team", "X-Title")}
        return web.json_response(completion(json.dumps(sent)))

    title = "what the whole research team does"
    found = ask(echo, headers={"Authorization": f"Bearer {KEY}", "X-Team": "0123456789abcdef", "X-Title": title})[0]
    assert json.loads(found.text or "") == {"Authorization": "[key]", "X-Team": "[key]", "X-Title": title}


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("wire", "end", "header", "body"),
    [
        ("openai", "/chat/completions", "Authorization", completion("Hi")),
        (
            "anthropic",
            "/messages",
            "x-api-key",
            {"content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"},
        ),
        (
            "gemini",
            "/models/m:generateContent",
            "x-goog-api-key",
            {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]},
        ),
    ],
)
def test_a_base_url_may_speak_any_wire_format(
    monkeypatch: pytest.MonkeyPatch, wire: str, end: str, header: str, body: dict[str, Any]
) -> None:
    seen: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers.get(header, "").removeprefix("Bearer ")))
        return web.json_response(body)

    assert ask(handler, wire=wire)[0].text == "Hi"
    monkeypatch.setenv("SELFEXEC_API_KEY", KEY)
    assert ask(handler, wire=wire)[0].text == "Hi"
    assert seen == [(f"/v1{end}", ""), (f"/v1{end}", KEY)]


def test_a_wire_format_without_a_base_url_or_of_another_name_is_refused() -> None:
    with pytest.raises(InputError, match="wire goes with base_url"):
        endpoint("openai/m", wire="anthropic")
    with pytest.raises(InputError, match="wire grpc: there are openai, responses, anthropic, gemini"):
        endpoint("openai/m", "http://x", wire="grpc")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["/chat/completions", "/chat/completions/", "/"])
def test_a_base_url_copied_with_its_end_is_taken_with_a_note(path: str) -> None:
    seen: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.path)
        return web.json_response(completion())

    ask(handler, path=path)
    assert seen == ["/v1/chat/completions"]
    engine = HttpEngine(["any/m"], Connection(base_url=f"http://x.example/v1{path}"))
    assert len(engine.warnings) == ("completions" in path)
    assert mark_of("any/m", f"http://x.example/v1{path}") == mark_of("any/m", "http://x.example/v1")


@pytest.mark.parametrize(
    ("path", "wire", "end"),
    [
        ("", "openai", "v1"),
        ("/", "responses", "v1"),
        ("", "anthropic", "v1"),
        ("", "gemini", "v1beta"),
        ("/v1", "openai", ""),
    ],
)
def test_where_an_address_is_only_a_servers_the_way_out_is_its_usual_end(path: str, wire: Any, end: str) -> None:
    async def nothing_here(request: web.Request) -> web.Response:
        return web.Response(status=404)

    with served_at_all(nothing_here) as address, pytest.raises(InputError, match="the address is wrong") as stopped:
        ask_at(f"{address}{path}", wire)
    assert ("Most end in" in str(stopped.value)) is bool(end)
    assert not end or f"Most end in /{end}: try {address}/{end}." in str(stopped.value)


@contextmanager
def served_at_all(handler: Handler) -> Iterator[str]:
    """The address of a server, without any path, that answers by `handler` wherever it is asked."""
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    with served(app) as url:
        yield url.removesuffix("/v1")


def ask_at(base_url: str, wire: Any) -> CallResult:
    async def main() -> CallResult:
        async with HttpEngine(["any/m"], Connection(base_url=base_url, wire=wire, timeout=5)) as engine:
            return await engine.ask(call("any/m"))

    return asyncio.run(main())


# --- pace ------------------------------------------------------------------------------------------------------------


def test_a_call_that_is_cancelled_while_it_waits_leaves_its_place_to_others() -> None:
    async def main() -> int:
        pace = RateLimit(1)
        pace.too_fast(retry_after=60)

        async def call() -> None:
            async with pace:
                raise AssertionError("nobody may call yet")

        first, second = asyncio.create_task(call()), asyncio.create_task(call())
        await asyncio.sleep(0)
        assert pace.busy == 1  # the first waits for the server, the second for the first
        first.cancel()
        await asyncio.wait([first])
        await asyncio.sleep(0)
        assert pace.busy == 1
        second.cancel()
        await asyncio.wait([second])
        return pace.busy

    assert asyncio.run(main()) == 0


# --- addresses that are none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "meant"), [("https", "did you mean http?"), ("http", "does this port speak https?")]
)
def test_a_server_that_hangs_up_is_said_to_expect_the_other_scheme(scheme: str, meant: str) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.close()

    async def main() -> None:
        listening = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        address = f"{scheme}://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        async with listening, HttpEngine(["any/m"], Connection(base_url=address, timeout=5)) as engine:
            await engine.ask(call("any/m"))

    with pytest.raises(InputError, match=re.escape(meant)):
        asyncio.run(main())


def test_a_server_that_has_answered_is_not_suspected_of_another_scheme_when_it_hangs_up() -> None:
    async def handler(request: web.Request) -> web.Response:
        if "poison" in await request.text():
            assert request.transport is not None
            request.transport.close()
        return web.json_response(completion())

    async def main() -> None:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", handler)
        async with server(app) as url, HttpEngine(["any/m"], Connection(base_url=url, timeout=5)) as engine:
            await engine.ask(call("any/m"))
            failed = await engine.ask(call("any/m", "poison"))
        assert failed.error == "the connection failed (the server hung up without an answer) (8 attempts)"

    asyncio.run(main())


def test_a_plain_server_asked_by_https_and_a_host_that_is_not_there_are_told_as_such() -> None:
    async def said(url: str) -> str:
        async with HttpEngine(["any/m"], Connection(base_url=url, timeout=5)) as engine:
            with pytest.raises(InputError) as stopped:
                await engine.ask(call("any/m"))
        return str(stopped.value)

    async def main() -> None:
        app = web.Application()
        app.router.add_route("*", "/{rest:.*}", _sending(completion()))
        async with server(app) as url:
            assert "does not speak https; did you mean http?" in await said(url.replace("http:", "https:"))
        assert "no host is known as nowhere.invalid" in await said("http://nowhere.invalid/v1")

    asyncio.run(main())
