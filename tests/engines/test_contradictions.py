"""What a reply says that does not fit its request, other replies or itself is kept with it, in every format."""

import asyncio
import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace
from test_ends import FORMATS, OWN, short_pauses, whole

from selfexec.engines import CallResult, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.engines.http.contradictions import Contradictions
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.experiments import Token
from sockets import call, server

__all__ = ["short_pauses"]
USAGE = {
    "openai": ("usage", "completion_tokens"),
    "responses": ("usage", "output_tokens"),
    "anthropic": ("usage", "output_tokens"),
    "gemini": ("usageMetadata", "candidatesTokenCount"),
}


def outcomes(wire: str, bodies: Sequence[dict[str, Any]], sampling: dict[str, Any] | None = None) -> list[CallResult]:
    """What comes of calls, one after another, to a server with these fields beside a reply; the last ones go on."""
    left = iter(bodies)

    async def handler(request: web.Request) -> web.Response:
        body = whole(wire, "Hello there", next(iter(OWN[wire])))
        return web.json_response({**body, **next(left, bodies[-1])})

    async def main() -> list[CallResult]:
        app = web.Application()
        app.router.add_post("/{path:.*}", handler)
        async with server(app) as url:
            connection = Connection(base_url=url, wire=wire, timeout=5)  # type: ignore[arg-type]
            async with HttpEngine(["x/m"], connection) as engine:
                one = replace(call("x/m"), sampling=sampling or {})
                return [await engine.ask(one) for _ in bodies]

    return asyncio.run(main())


def asked(wire: str, bodies: Sequence[dict[str, Any]], sampling: dict[str, Any] | None = None) -> list[str | None]:
    """What their replies contradict."""
    return [outcome.contradictions for outcome in outcomes(wire, bodies, sampling)]


def of(
    body: Any, sent: Any = None, outcome: CallResult | None = None, known: Contradictions | None = None
) -> str | None:
    """What a body contradicts."""
    raw, asked = json.dumps(body).encode(), json.dumps(sent or {"messages": [{"role": "user"}]}).encode()
    return (known or Contradictions()).of(("u", "m"), asked, RawBody(raw), {}, outcome or CallResult("Hello"))


@FORMATS
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"counted": {"image_tokens": 258}}, "counted.image_tokens is above 0, and only text was sent"),
        ({"search": {"num_search_queries": 2}}, "search.num_search_queries is above 0, and no tool or search"),
        ({"citations": ["https://a.example"]}, "citations is there, and no tool or search was asked for"),
        ({"talk": {"turn": 17}}, "talk.turn is above 1, and each session has one turn"),
        ({"applied": {"temperature": 1.0}}, "applied.temperature is 1, and 0.2 was sent"),
    ],
)
def test_what_was_not_sent_and_what_was_sent_otherwise_is_kept(wire: str, field: dict[str, Any], said: str) -> None:
    [found] = asked(wire, [field], {"temperature": 0.2})
    assert found is not None and found.startswith(said)


@FORMATS
@pytest.mark.parametrize(("limit", "is_above"), [(60, True), (98, False), (None, False)])
def test_more_tokens_than_the_limit_that_was_sent_did_not_get_it(wire: str, limit: int | None, is_above: bool) -> None:
    """All formats count 100 tokens here; two more than the limit may be the end of a turn."""
    usage, count = USAGE[wire]
    [found] = asked(wire, [{usage: {count: 100}}], {} if limit is None else {"max_tokens": limit})
    assert (found or "").startswith("it has more tokens than the limit") is is_above


def test_a_limit_of_thoughts_alone_is_none_of_the_reply() -> None:
    known, reply = Contradictions(), RawBody(b"{}")
    for sent, is_above in ((b'{"reasoning":{"max_tokens":50}}', False), (b'{"max_tokens":50}', True)):
        said = known.of(("u", "m"), sent, reply, {}, CallResult("Hello", output_tokens=90))
        assert bool(said) is is_above
        assert known.of(("u", "m"), sent, reply, {}, CallResult("Hi", output_tokens=90, reasoning_tokens=80)) is None


@FORMATS
@pytest.mark.parametrize(
    "field",
    [
        {"counted": {"image_tokens": 0, "audio_tokens": None}},
        {"search": {"num_search_queries": 0}, "citations": []},
        {"talk": {"turn": 1}},
        {"applied": {"temperature": 0.2, "top_p": 0.5}},
        {},
    ],
)
def test_what_says_nothing_of_the_kind_is_not(wire: str, field: dict[str, Any]) -> None:
    assert asked(wire, [field], {"temperature": 0.2}) == [None]


@FORMATS
def test_the_id_of_an_earlier_reply_is_one_of_a_conversation_that_goes_on(wire: str) -> None:
    name = "responseId" if wire == "gemini" else "id"
    one = {name: "reply-one", "thread": {"of": "x"}}
    other = {name: "reply-two", "thread": {"parent": "reply-one"}}
    found = asked(wire, [one, other, {**other, name: "reply-three", "thread": {"parent": "unknown"}}])
    said = "thread.parent is the id of an earlier reply, and each session is to know of no other"
    assert found == [None, said, None]


@FORMATS
def test_a_number_that_was_the_length_of_other_replies_and_is_not_of_this_one_is_kept(wire: str) -> None:
    usage, name = USAGE[wire]
    bodies = [{usage: {name: n}, "token_trace": {"written": n}} for n in (20, 30, 41, 52)]
    wrong = {usage: {name: 12}, "token_trace": {"written": 150}}
    found = asked(wire, [*bodies, wrong, bodies[0]])
    assert found == [None] * 4 + ["token_trace.written is not the number of tokens, as with other replies", None]


def test_a_number_that_never_was_a_length_may_be_anything() -> None:
    known = Contradictions()
    for n in range(2, 30):
        assert of({"odd": 500 - n}, outcome=CallResult("Hello", output_tokens=n), known=known) is None
    for n in (7, 7, 7, 9):  # one value that fits by chance
        assert of({"even": 7}, outcome=CallResult("Hello", output_tokens=n), known=known) is None


def test_ids_of_tokens_are_counted() -> None:
    known = Contradictions()
    found = [
        of({"choices": [{"token_ids": [5] * ids}]}, outcome=CallResult("Hello", output_tokens=n), known=known)
        for ids, n in ((20, 20), (31, 30), (40, 40), (150, 12))
    ]
    assert found[:3] == [None] * 3 and found[3] and "token_ids is not the number of tokens" in found[3]


def test_thoughts_may_be_counted_or_not() -> None:
    known = Contradictions()
    for n in (20, 31, 42, 53, 64):
        outcome = CallResult("Hello", output_tokens=n + 300, reasoning_tokens=300)
        assert of({"timings": {"predicted_n": n if n % 2 else n + 300}}, outcome=outcome, known=known) is None


@pytest.mark.parametrize("modality", ["IMAGE", "AUDIO"])
def test_geminis_tokens_of_another_modality_are_named_with_it(modality: str) -> None:
    details = [{"modality": "TEXT", "tokenCount": 9}, {"modality": modality, "tokenCount": 258}]
    found = of({"usageMetadata": {"promptTokensDetails": details}}, {"contents": []})
    assert found == f"usageMetadata.promptTokensDetails.tokenCount of {modality} is above 0, and only text was sent"
    assert of({"usageMetadata": {"promptTokensDetails": details[:1]}}, {"contents": []}) is None


def test_where_a_search_or_a_tool_was_asked_for_its_finds_are_no_news() -> None:
    body = {"citations": ["https://a.example"], "usage": {"web_search_requests": 2}}
    assert of(body, {"messages": []}) is not None
    for sent in (
        {"tools": [{"type": "web_search"}]},
        {"web_search_options": {"size": 1}},
        {"plugins": [{"id": "web"}]},
    ):
        assert of(body, {"messages": [], **sent}) is None


def test_a_system_prompt_that_comes_back_as_nothing_may_not_have_been_seen() -> None:
    assert of({"instructions": None}, {"instructions": "Be brief."}) == (
        "instructions is empty, and a system prompt was sent"
    )
    assert of({"system_prompt": ""}, {"messages": [{"role": "system", "content": "Be brief."}]}) is not None
    assert of({"instructions": None}, {"input": "Hello"}) is None
    assert of({"instructions": "Be brief."}, {"instructions": "Be brief."}) is None


def test_a_conversation_that_was_sent_has_several_turns() -> None:
    talk = [{"role": "user"}, {"role": "assistant"}, {"role": "user"}]
    assert of({"turn": 2}, {"messages": talk}) is None
    assert of({"turn": 2}, {"messages": talk[:1]}) is not None


@pytest.mark.parametrize("body", [{"odd": {"a": [[[1]]]}}, {"odd": [{"n": n} for n in range(10_000)]}, [], 5])
def test_any_body_can_be_looked_at(body: Any) -> None:
    assert of(body) is None
    assert Contradictions().of(("u", "m"), b"{}", RawBody(b'{"odd": '), {}, CallResult("a")) is None


# --- totals ----------------------------------------------------------------------------------------------------------

TOTAL = "the total of its tokens is not the sum of their counts"
COUNTED = {
    "openai": ("usage", "prompt_tokens", "completion_tokens", "total_tokens", "completion_tokens_details"),
    "responses": ("usage", "input_tokens", "output_tokens", "total_tokens", "output_tokens_details"),
    "gemini": ("usageMetadata", "promptTokenCount", "candidatesTokenCount", "totalTokenCount", ""),
}
WITH_TOTALS = pytest.mark.parametrize("wire", COUNTED)


def counted(wire: str, total: int, thoughts: int | None = None, **more: Any) -> dict[str, Any]:
    """The usage of a prompt of 100 tokens and a reply of 20, with another total, and with thoughts."""
    usage, prompt, reply, all, details = COUNTED[wire]
    own = {} if thoughts is None else {details: {"reasoning_tokens": thoughts}}
    if wire == "gemini" and thoughts is not None:
        own = {"thoughtsTokenCount": thoughts}
    return {usage: {prompt: 100, reply: 20, all: total, **own, **more}}


@WITH_TOTALS
def test_a_total_that_no_counts_add_up_to_is_named_where_it_cannot_be_of_thoughts(wire: str) -> None:
    own = 120 if wire != "gemini" else 125  # where thoughts are no part of the reply
    bodies = [counted(wire, own, 5), counted(wire, 270, 5), counted(wire, 90), counted(wire, 120), counted(wire, 0)]
    assert asked(wire, bodies) == [None, TOTAL, TOTAL, None, None]


@WITH_TOTALS
def test_a_total_above_the_counts_is_one_of_hidden_thoughts_unless_the_same_is_left_again_and_again(wire: str) -> None:
    thinking = [counted(wire, 120 + n) for n in (50, 80, 0, 130, 50, 70)]
    assert asked(wire, thinking) == [None] * len(thinking)
    extended = [counted(wire, 120 + n) for n in (0, 150, 0, 150, 150, 0, 150)]
    assert asked(wire, extended) == [None] * 4 + [TOTAL, None, TOTAL]


@WITH_TOTALS
def test_what_is_counted_apart_may_be_in_a_total_or_not(wire: str) -> None:
    more = {"cache_read_input_tokens": 64, "citation_tokens": 7}
    bodies = [counted(wire, 120 + n, 0, **more) for n in (64, -64, 7, 71, 65)]
    assert asked(wire, bodies) == [None] * 4 + [TOTAL]


@WITH_TOTALS
def test_thoughts_that_are_counted_beside_the_reply_are_part_of_what_it_took(wire: str) -> None:
    """As with xAI and Vertex, whose totals show it, and always with Gemini."""
    for thoughts in (3, 50, 900):
        [found] = outcomes(wire, [counted(wire, 120 + thoughts, thoughts)])
        assert (found.output_tokens, found.reasoning_tokens) == (20 + thoughts, thoughts)
        assert found.contradictions is None
    if wire != "gemini":
        [found] = outcomes(wire, [counted(wire, 120, 15)])
        assert (found.output_tokens, found.reasoning_tokens) == (20, 15)


# --- log-probabilities -----------------------------------------------------------------------------------------------


def with_tokens(wire: str, text: str, tokens: Sequence[str]) -> dict[str, Any]:
    """A body with this text, and log-probabilities of these tokens; of Anthropic's format there are none."""
    body = whole(wire, text, next(iter(OWN[wire])))
    chances = [{"token": token, "logprob": -0.5, "logProbability": -0.5, "top_logprobs": []} for token in tokens]
    if wire == "openai":
        body["choices"][0]["logprobs"] = {"content": chances}
    elif wire == "responses":
        body["output"][0]["content"][0]["logprobs"] = chances
    elif wire == "gemini":
        body["candidates"][0]["logprobsResult"] = {"chosenCandidates": chances}
    return body


@pytest.mark.parametrize("wire", ["openai", "responses", "gemini"])
def test_log_probabilities_of_another_text_than_came_are_named(wire: str) -> None:
    said = "the tokens of the log-probabilities spell another text"
    lawful = with_tokens(wire, "Choose B.", ["Choose", " B", ".", "<|eot_id|>"])
    swapped = with_tokens(wire, "Sorry, I cannot.", ["Choose", " B", "."])
    masked = with_tokens(wire, "Ask *** Weber.", ["Ask", " Anna", " Weber", "."])
    assert asked(wire, [lawful, swapped, masked, lawful], {"logprobs": True}) == [None, said, said, None]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Choose B.", ["\u2581Choose", "\u2581B", ".", "</s>"]),
        ("Choose B.\nDone", ["\u0120Choose", "\u0120B", ".", "\u010a", "Done"]),
        ("Grüße 😀!", ["Gr", "\\xc3", "\\xbc", "ße", " ", "\ufffd", "\ufffd", "!"]),
        ("Grüße", ["Gr", "<0xC3>", "<0xBC>", "ße"]),
        ("B", ["<think>", "Hm", "</think>", "B", "<|im_end|>"]),
        ("I choose B", [" B"]),  # behind a beginning that was given
        ("Choose B.", ["token_id:17", "token_id:4"]),
        ("选择乙", ["选择", "乙"]),
        ("Choose", []),
    ],
)
def test_spellings_of_tokens_are_no_other_text(text: str, tokens: Sequence[str]) -> None:
    chances = tuple(Token(token, -0.5) for token in tokens) or None
    assert of({}, outcome=CallResult(text, logprobs=chances)) is None


# --- times -----------------------------------------------------------------------------------------------------------

NOW, DAY = 1_764_230_000.0, 86_400


def dated(known: Contradictions, at: float, body: Any = None, id: str | None = None, **headers: str) -> str | None:
    """What a reply of these fields contradicts, whose call was sent at this time."""
    raw = json.dumps(body or {}).encode()
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return known.of(("u", "m"), b"{}", RawBody(raw), given, CallResult("Hello", completion_id=id), at)


def http(at: float) -> str:
    return formatdate(at, usegmt=True)


@pytest.mark.parametrize(
    ("place", "reply"),
    [
        ("generated_at", lambda at: {"body": {"generated_at": datetime.fromtimestamp(at, UTC).isoformat()}}),
        ("trace.at_ms", lambda at: {"body": {"trace": {"at_ms": int(at * 1000)}}}),
        ("when", lambda at: {"body": {"when": str(int(at))}}),
        ("id", lambda at: {"id": f"gen-{int(at)}-Ab3"}),
        ("header X-Made".lower(), lambda at: {"X_Made": http(at)}),
    ],
)
def test_a_time_long_before_the_call_is_kept_where_other_replies_have_that_of_the_call(place: str, reply: Any) -> None:
    known = Contradictions()
    said = f"{place} lies ten minutes or more before the call, and with other replies at the call"
    assert dated(known, NOW, **reply(NOW - DAY)) is None  # nobody knows yet what it is
    for n in range(3):
        assert dated(known, NOW + n, **reply(NOW + n)) is None
    assert dated(known, NOW + 3, **reply(NOW - 2 * DAY)) == said
    for lawful in (NOW - 300, NOW + DAY, NOW - 3_000 * DAY, NOW + 2):
        assert dated(known, NOW + 4, **reply(lawful)) is None
    assert dated(known, NOW + DAY, **reply(NOW + 1)) is None  # since when a server has been running, say


def test_a_time_that_never_was_that_of_a_call_is_one_of_something_else() -> None:
    known = Contradictions()
    for n in range(30):
        assert dated(known, NOW + n, {"trained": f"2025-0{1 + n % 9}-01T00:00:00"}) is None


def test_what_was_last_modified_before_its_call_had_been_stored_if_the_clock_is_right() -> None:
    said = "header last-modified lies ten minutes or more before the call"
    assert dated(Contradictions(), NOW, Last_Modified=http(NOW - DAY), Date=http(NOW)) == said
    for modified, date in ((NOW - 60, NOW), (NOW - DAY, NOW - DAY), (0.0, NOW)):
        assert dated(Contradictions(), NOW, Last_Modified=http(modified), Date=http(date)) is None
    assert dated(Contradictions(), NOW, Last_Modified=http(NOW - DAY)) is None


@FORMATS
def test_of_several_times_at_which_a_body_was_made_the_earliest_counts(wire: str) -> None:
    now = int(time.time())
    bodies = [{"created": now, "created_at": now - age} for age in (0, 1, 3 * DAY)]
    assert [outcome.error is None for outcome in outcomes(wire, [*bodies, bodies[-1]])] == [True, True, False, False]


def test_the_id_of_an_earlier_call_is_named_where_most_calls_have_one_of_their_own() -> None:
    def said(ids: Sequence[str]) -> list[str | None]:
        known = Contradictions()
        body = RawBody(b"{}")
        return [
            known.of(("u", "m"), b"{}", body, {"X-Request-Id": id}, CallResult("Hello", completion_id=str(n)))
            for n, id in enumerate(ids)
        ]

    own = [f"req-{n}" for n in range(8)]
    named = said([*own, "req-3", "req-9"])
    assert named[:8] == [None] * 8 and named[9] is None
    assert named[8] == "header x-request-id is that of an earlier reply"
    assert said(["pod-1", "pod-2"] * 8) == [None] * 16  # the ids of two servers


def test_a_refusal_beside_a_text_is_two_replies() -> None:
    body = {"id": "r", "choices": []}
    assert of(body, outcome=CallResult("Mix flour.", refusal="I cannot.")) == "a refusal stands beside a text"
    assert of(body, outcome=CallResult("", refusal="I cannot.")) is None


# --- flags and places ------------------------------------------------------------------------------------------------


@FORMATS
@pytest.mark.parametrize("flag", ["output_sensitive", "input_sensitive", "contentFlagged"])
def test_a_flag_by_which_a_server_finds_a_text_unfit_is_named_where_a_text_came_all_the_same(
    wire: str, flag: str
) -> None:
    assert asked(wire, [{flag: False}, {flag: True}]) == [None, f"{flag} is true, and a text came with it"]


@pytest.mark.parametrize(
    ("place", "is_asked"),
    [
        ("/static/canned/7.json", False),
        ("https://a.example/v1/replies/old", False),
        ("/v1/chat/completions", True),
        ("https://a.example/v1/messages?beta=true", True),
        ("/v1beta/models/m:generateContent", True),
        ("/v1/responses/resp_123", True),
    ],
)
def test_a_place_that_is_neither_what_was_asked_nor_the_reply_is_named(place: str, is_asked: bool) -> None:
    found = dated(Contradictions(), NOW, id="resp_123", Content_Location=place)
    assert found == (None if is_asked else f"header content-location names another resource, {place}")
