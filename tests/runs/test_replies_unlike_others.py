"""Replies that are made up differently from the others of a model are named, and what good servers vary in is not."""

import random
from typing import Any

import pytest

from selfexec.engines.http.forms import Forms, is_neutral_field, is_neutral_header
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.runs.replies_unlike_others import in_words, unlike_others
from selfexec.runs.reply import Reply

FORMS = {1: "field choices; field usage; header server; server: cloudflare", 2: "field choices; field usage"}


def replies(number: int, form: int = 1, **fields: Any) -> list[Reply]:
    given = {"completion_id": "chatcmpl-x1", "fingerprint": "fp_0a1b2c3d4e", "stop_reason": "stop"} | fields
    own = {"form": form, "form_parts": FORMS.get(form), **given}
    key = {"model": "m", "experiment": "restriction", "session": "execute", "text": "Hello."}
    return [Reply(**key | {"item": f"{form}-{n}"} | own) for n in range(number)]


def test_a_few_replies_of_another_form_are_named_with_what_they_have_and_lack() -> None:
    found = unlike_others([*replies(20), *replies(7, 2)])
    assert len(found.replies) == 7 and {reply.form for reply in found.replies} == {2}
    assert in_words(found) == "they lack header server, server: cloudflare"
    found = unlike_others([*replies(7), *replies(20, 2)])
    assert {reply.form for reply in found.replies} == {1}
    assert in_words(found) == "only they have header server, server: cloudflare"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"fingerprint": "fp_ollama"},
            "only they have system_fingerprint fp_ollama; they lack system_fingerprint fp_#",
        ),
        ({"completion_id": "gen-5"}, "only they have an id gen- and a number; they lack an id chatcmpl-"),
        ({"completion_id": "chatcmpl-123"}, "only they have an id chatcmpl- and a number; they lack an id chatcmpl-"),
    ],
)
def test_so_are_those_of_another_kind_of_id_or_fingerprint(fields: dict[str, Any], said: str) -> None:
    found = unlike_others([*replies(20), *replies(3, **fields)])
    assert (len(found.replies), in_words(found)) == (3, said)


def test_what_servers_vary_in_lawfully_is_not_named() -> None:
    versions = [reply for n in range(20) for reply in replies(1, fingerprint=f"fp_{n:010x}")]
    assert unlike_others(versions).replies == []
    assert unlike_others([*replies(20), *replies(9, fingerprint=None)]).replies == []  # one thing alone, as below
    assert unlike_others([*replies(4), *replies(3, 2)]).replies == []  # too few
    assert unlike_others([*replies(10), *replies(10, 2)]).replies == []  # neither is the rule
    for fields in ({"text": ""}, {"stop_reason": "length"}, {"policy": "status 400"}, {"person": True}):
        assert unlike_others([*replies(20), *replies(5, 2, **fields)]).replies == []  # which have fields of their own


@pytest.mark.parametrize("part", ["field service_tier", "header traceresponse", "field license", "field queue_time"])
def test_one_thing_that_some_replies_have_or_lack_is_no_sign_and_two_are(part: str) -> None:
    have, second = f"{FORMS[1]}; {part}", f"{FORMS[1]}; {part}; field hoverfly"
    for number in (3, 17):
        assert unlike_others([*replies(20), *replies(number, 3, form_parts=have)]).replies == []
        found = unlike_others([*replies(20), *replies(number, 4, form_parts=second)])
        both = ", ".join(sorted((part, "field hoverfly")))
        assert (len(found.replies), in_words(found)) == (number, f"only they have {both}")


def test_the_provider_behind_a_gateway_is_none_of_them_since_it_is_said_by_itself() -> None:
    several = [f"{FORMS[1]}; provider: {name}" for name in ("A", "B", "C")]
    came = [reply for n in (20, 8, 5) for reply in replies(n, 5 + n, form_parts=several[n % 3])]
    assert unlike_others(came).replies == []


def test_a_server_that_was_replaced_between_two_commands_is_not_compared_with_what_it_was() -> None:
    before, after = "2026-11-27T04:41:43+00:00", "2026-11-27T09:10:00+00:00"
    assert unlike_others([*replies(20, time=before), *replies(9, 2, time=after)]).replies == []
    assert len(unlike_others([*replies(20, time=before), *replies(9, 2, time=before)]).replies) == 9
    assert (
        len(unlike_others([*replies(20, time=before), *replies(9, 2, time="2026-11-27T05:10:00+00:00")]).replies) == 9
    )


def test_replies_of_which_nobody_kept_the_form_say_nothing() -> None:
    assert unlike_others([*replies(20), *replies(5, 3), *replies(5, form_parts=None)]).replies == []


# --- forms -----------------------------------------------------------------------------------------------------------

BODY = (
    b'{"id": "x", "choices": [{"message": {"content": "He said \\"words\\": [1]", "usage": 1}}], "service_tier": "a"}'
)


def form(raw: bytes = BODY, **headers: str) -> Any:
    return Forms().form_of("u", "m", "m", RawBody(raw), headers)


def test_a_form_has_the_names_of_fields_and_headers_and_nothing_that_the_model_wrote() -> None:
    parts = form(hoverfly="Was-Here", date="now", vary="Origin").parts
    names = ("choices", "message", "service_tier", "usage")
    assert parts == "; ".join([*(f"field {name}" for name in names), "header date", "header hoverfly"])
    assert form(Hoverfly="x").number == form(hoverfly="y").number != form().number


def test_settings_that_a_server_repeats_are_parts_by_their_values_where_they_were_not_sent() -> None:
    def of(effort: str, verbosity: str, temperature: str, asked: bytes = b"{}") -> Any:
        settings = (
            f'"reasoning": {{"effort": {effort}}}, "text": {{"verbosity": {verbosity}}}, "temperature": {temperature}'
        )
        raw = BODY.replace(b'"a"}', f'"a", {settings}}}'.encode())
        return Forms().form_of("u", "m", "m", RawBody(raw), {}, asked=asked)

    parts = of('"minimal"', '"low"', "0.5").parts.split("; ")
    assert parts[-3:] == ["effort: minimal", "temperature: 0.5", "verbosity: low"]
    assert not any(":" in part for part in of("null", "null", "null").parts.split("; "))
    sent = b'{"reasoning": {"effort": "low"}, "temperature": 1, "text": {"verbosity": "low"}}'
    assert of('"low"', '"low"', "1", sent).number == of('"high"', '"high"', "0", sent).number
    assert of('"low"', '"low"', "1").number != of('"low"', '"low"', "0").number


def test_who_answered_is_part_of_a_form_by_its_value_where_that_has_no_number() -> None:
    assert "server: cloudflare" in form(server="cloudflare").parts.split("; ")
    assert form(server="edge-17").number == form(server="edge-18").number != form(server="openresty").number
    provider = BODY.replace(b'"a"}', b'"a", "provider": "static-fallback"}')
    for name in ("x-ms-deployment-name", "x-litellm-model-api-base", "x-portkey-last-used-option-index"):
        numbers = {form(**{name: value}).number for value in ("gpt-4o-1", "gpt-4o-2", "https://a.example/v1")}
        assert len(numbers) == 3  # one model may run in several places, whose names have numbers
    assert "provider: static-fallback" in form(provider).parts.split("; ")


@pytest.mark.parametrize("name", ["openai-model", "cf-aig-model", "x-litellm-model-group", "upstream_model"])
def test_another_model_that_a_header_or_a_field_names_is_kept(name: str) -> None:
    def other(value: str) -> str | None:
        raw = BODY[:-1] + f', "{name}": "{value}"}}'.encode()
        found = (
            Forms().form_of("u", "acme/m-1", "m-1-2026-01-01", RawBody(body), headed)
            for body, headed in ((raw, {}), (BODY, {name: value}))
        )
        return {form.other_model for form in found}.pop()

    assert other("gpt-3.5-turbo") == f"gpt-3.5-turbo ({name})"
    for lawful in ("m-1", "acme/m-1", "M-1-2026-01-01", "0a1b2c3d4e5f60718293", "", "2026"):
        assert other(lawful) is None


@pytest.mark.parametrize("name", ["requested_model", "model_id", "x-embedding-model", "fallback_model", "model"])
def test_a_model_of_another_purpose_is_none_that_answered(name: str) -> None:
    assert form(BODY[:-1] + f', "{name}": "gpt-3.5-turbo"}}'.encode()).other_model is None


@pytest.mark.parametrize(
    "name",
    [
        *("set-cookie", "x-request-id", "x-ratelimit-remaining-tokens", "anthropic-ratelimit-requests-reset", "cf-ray"),
        *("x-litellm-response-duration-ms", "x-envoy-upstream-service-time", "retry-after", "x-kong-upstream-latency"),
        *("openai-processing-ms", "traceparent", "x-amzn-trace-id", "content-encoding", "transfer-encoding"),
    ],
)
def test_headers_of_transport_limits_and_times_are_no_parts(name: str) -> None:
    assert is_neutral_header(name)


@pytest.mark.parametrize(
    "name",
    [
        "hoverfly",
        "matched-stub-name",
        "openai-model",
        "x-circuit-breaker",
        "x-litellm-semantic-similarity",
        "x-fallback",
    ],
)
def test_a_header_with_any_other_word_is_a_part(name: str) -> None:
    assert not is_neutral_header(name)


def test_fields_of_thoughts_refusals_caches_of_prompts_and_filters_are_no_parts() -> None:
    lawful = (
        "reasoning_content",
        "thoughtSignature",
        "refusal",
        "cached_tokens",
        "cachedContentTokenCount",
        "citations",
    )
    assert all(map(is_neutral_field, (*lawful, "content_filter_results", "safetyRatings", "logprobs", "tool_calls")))
    assert not any(
        map(is_neutral_field, ("groundingMetadata", "upstream_model", "service_tier", "usage", "moderations"))
    )


def test_the_parts_are_kept_with_the_first_replies_of_a_form_alone_and_not_of_too_many_forms() -> None:
    forms = Forms()
    kept = [forms.form_of("u", "m", "m", RawBody(BODY), {}).parts is not None for _ in range(20)]
    assert kept == [True] * 5 + [False] * 15
    letters = random.Random(1)
    named = ["".join(letters.choices("abcdefgh", k=12)) for _ in range(100)]
    numbers = [forms.form_of("u", "m", "m", RawBody(BODY), {f"x-{name}-found": "1"}).number for name in named]
    assert sum(number is not None for number in numbers) == 63 and numbers[63:] == [None] * 37


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        (b"{" + b", ".join(b'"f%d": 1' % n for n in range(301)) + b"}", {}),
        (BODY[:-1] + b', "text": "' + b"x" * 1_000_000 + b'"}', {}),
        (BODY, {f"x-{n}": "1" for n in range(301)}),
        (b"[]", {}),
    ],
)
def test_bodies_of_too_many_names_or_bytes_have_no_form(raw: bytes, headers: dict[str, str]) -> None:
    assert form(raw, **headers)[:3] == (None, None, None)
