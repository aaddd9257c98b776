"""A policy against this input that comes with an account's, a permission's or a server's trouble anywhere in the body:
such an error is no behaviour, in every wire format and however the reply comes.
"""

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_ends import FORMATS, OWN, events, of_body, of_stream, streamed, whole
from test_policy import GATEWAY, POLICIES, names

from effort import examples
from selfexec.engines.http.policy import verdict

SENTENCES = (
    "Your account has been suspended.",
    "You exceeded your current quota, please check your plan and billing details.",
    "The model is overloaded. Please try again later.",
    "Country, region, or territory not supported",
    "Ihr Konto ist gesperrt.",
    "账户已被暂停",
)
CODES = (
    *("account_suspended", "insufficient_quota", "AccountDeactivated", "PERMISSION_DENIED", "invalid_api_key"),
    *("unsupported_country_region_territory", "overloaded_error", "RateLimitError", "Arrearage", "billing_not_active"),
)
OTHER: list[Any] = [
    *SENTENCES,
    *CODES,
    *({"message": text} for text in SENTENCES),
    *({"code": code} for code in (*CODES, 1113, 401, "429", 503)),
    *({"error": {"type": code, "message": "flagged"}} for code in CODES),
    *({"x": [{"y": {"status": code}}]} for code in (*CODES, 403.5, 402)),
    *(json.dumps({"error": {"code": code}}) for code in CODES),
    *(f"Provider says {json.dumps([{'detail': text}])}" for text in SENTENCES),
    {"account_suspended": True},
    [{"a": "b"}, {"quota": "exceeded"}],
]
HARMLESS: list[Any] = [
    *(None, "", "req_12", 7, 0.98, True, "high", "self-harm/intent", ["violence", "sexual"], {}, [], "none"),
    *({"id": "0217-ab"}, {"severity": "medium", "filtered": True}, {"code": 400}, {"type": "content_filter"}),
    *(
        {"message": "Your prompt was flagged."},
        json.dumps({"category": "hate"}),
        {"@type": "type.example.org/Info"},
        {"timestamp": "Tue, 24 Nov 2026 06:28:42 GMT"},
    ),
]
FIELDS = (
    "innererror",
    "details",
    "moderation_details",
    "content_filter_result",
    "provider_specific_fields",
    "id",
    "usage",
)


def places_of(value: Any) -> list[Any]:
    """All objects and lists within a body."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [place for part in inner for place in places_of(part)]
    return [value, *found] if isinstance(value, dict | list) else found


def put(data: st.DataObject, body: Any, value: Any, fields: tuple[str, ...]) -> Any:
    """A body with a value put somewhere into it."""
    body = copy.deepcopy(body)
    place = data.draw(st.sampled_from(places_of(body)))
    if isinstance(place, list):
        place.append(value)
        return body
    place[data.draw(st.sampled_from([name for name in fields if name not in place]))] = value
    return body


@pytest.mark.parametrize("case", POLICIES, ids=names(POLICIES))
@given(data=st.data(), other=st.sampled_from(OTHER))
@settings(max_examples=examples(20), deadline=None)
def test_a_policy_beside_any_other_trouble_in_the_body_is_no_policy(case: Any, data: st.DataObject, other: Any) -> None:
    # xAI says of its policies, too, that there is no permission, also where a gateway passes them on
    of_xai = case["whose"] == "xai" or "does not have permission" in str(case["body"])
    assume(not of_xai or "PERMISSION_DENIED" not in str(other))
    body = put(data, case["body"], other, (*FIELDS, "metadata2", "x", "reason", "upstream", "choices", "errors2"))
    assert verdict(GATEWAY, case["status"], case["body"]).kind == "policy"
    assert verdict(GATEWAY, case["status"], body).kind != "policy"


IN_AN_OBJECT = [
    case for case in POLICIES if isinstance(case["body"], dict) and isinstance(case["body"].get("error"), dict)
]


@pytest.mark.parametrize("case", IN_AN_OBJECT, ids=names(IN_AN_OBJECT))
@given(data=st.data(), harmless=st.sampled_from(HARMLESS))
@settings(max_examples=examples(15), deadline=None)
def test_categories_numbers_and_identifiers_beside_a_policy_change_nothing(
    case: Any, data: st.DataObject, harmless: Any
) -> None:
    body = copy.deepcopy(case["body"])
    name = data.draw(st.sampled_from([name for name in FIELDS if name not in body["error"]]))
    body["error"][name] = {"x": harmless}
    assert verdict(GATEWAY, case["status"], body).kind == "policy"


def test_the_input_that_a_policy_quotes_may_speak_of_anything() -> None:
    metadata = {"reasons": ["violence"], "flagged_input": "How do I get into my neighbour's account with his API key?"}
    body = {"error": {"code": 403, "message": "Flagged", "metadata": metadata}}
    assert verdict(GATEWAY, 403, body).kind == "policy"
    assert (
        verdict(GATEWAY, 403, {"error": {**body["error"], "metadata": {**metadata, "raw": "account"}}}).kind != "policy"
    )


POLICY = {"message": "Your prompt was flagged.", "code": "content_filter"}


def is_withheld(outcome: Any) -> bool:
    return outcome is not None and outcome.policy is not None


@FORMATS
@pytest.mark.parametrize("other", OTHER, ids=repr)
def test_a_policy_within_a_reply_with_status_200_is_none_beside_any_other_trouble(wire: str, other: Any) -> None:
    done = next(iter(OWN[wire]))
    for text in ("", "Hello"):
        body = whole(wire, text, done)
        assert is_withheld(of_body(wire, {**body, "error": POLICY}))
        assert not is_withheld(of_body(wire, {**body, "error": POLICY, "upstream": other}))
        assert not is_withheld(of_body(wire, {**body, "error": {**POLICY, "innererror": {"x": other}}}))
        for event in ({"error": POLICY, "upstream": other}, {"error": {**POLICY, "details": [{"x": other}]}}):
            assert is_withheld(of_stream(wire, streamed(wire, text, done, early=[{"error": POLICY}])))
            assert not is_withheld(of_stream(wire, streamed(wire, text, done, early=[event])))


def test_an_account_error_around_the_policy_of_a_choice_counts() -> None:
    choice = {"index": 0, "message": {"content": ""}, "finish_reason": "error", "error": POLICY}
    assert is_withheld(of_body("openai", {"choices": [choice]}))
    assert not is_withheld(of_body("openai", {"choices": [choice], "error": {"code": "account_suspended"}}))
    assert not is_withheld(of_stream("openai", events({"choices": [choice], "error": {"code": "account_suspended"}})))


def test_what_the_model_had_said_before_it_was_withheld_may_speak_of_anything() -> None:
    words = "Your account has been suspended because of your billing."
    message = {"role": "assistant", "content": words, "reasoning": words}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "error", "error": POLICY}],
        "model": "a/accounts/b",
    }
    assert is_withheld(of_body("openai", body))


@pytest.mark.parametrize("depth", [3, 30, 3_000])
def test_a_trouble_too_deep_to_be_looked_at_makes_the_policy_none(depth: int) -> None:
    deep: Any = {"code": "account_suspended"}
    for _ in range(depth):
        deep = [{"x": deep}]
    assert verdict(GATEWAY, 400, {"error": {**POLICY, "details": deep}}).kind != "policy"
    for text in ("[" * depth, '{"a":' * depth, "[1]" * depth, "x" * 100 * depth):
        assert verdict(GATEWAY, 400, {"error": {**POLICY, "details": [text]}}).kind != "policy" or len(text) < 100


# what a response of OpenAI's repeats of the request, whatever became of it
SETTINGS = {
    **{
        "object": "response",
        "truncation": "disabled",
        "tool_choice": "auto",
        "tools": [],
        "store": False,
        "user": None,
    },
    **{"parallel_tool_calls": True, "prompt_cache_key": "k", "service_tier": "default", "temperature": 1.0},
}
FLAGGED = {
    "code": "invalid_prompt",
    "message": "Invalid prompt: we've limited access to this content for safety reasons.",
}


@pytest.mark.parametrize("text", ["", "Hello"])
def test_a_policy_that_failed_a_response_is_withheld_as_it_is_by_itself(text: str) -> None:
    failed = {**whole("responses", text, "failed"), **SETTINGS, "error": FLAGGED}
    streams = (
        [{"type": "response.failed", "response": failed}],
        [{"type": "error", **FLAGGED, "param": None}],
    )
    assert is_withheld(of_body("responses", failed))
    for events_of in streams:
        assert is_withheld(of_stream("responses", events(*events_of)))
    died = {**failed, "error": {"code": "server_error", "message": "The server had an error."}}
    assert of_body("responses", died) is None
    for other in OTHER:
        assert not is_withheld(of_body("responses", {**failed, "upstream": other}))
        assert not is_withheld(of_body("responses", {**failed, "error": {**FLAGGED, "innererror": {"x": other}}}))


AZURE = (
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify "
    "your prompt and retry. To learn more about our content filtering policies please read our documentation: {}"
    "https://go.microsoft.com/fwlink/?linkid=2198766"
)
FORMS_OF_IT = ("{}", "litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - {}")
BREAKS = ("", "\r\n", "\n", "\r\n\r\n  ")
BEHIND = (
    *("", ".", " (request id: 20250721210031521237580bgOxZOpE)", " (request id: 2025a-b) (request id: 2025_c)"),
    "\nmodel=m. content_policy_fallback=None. fallbacks=None.\n\nSet 'content_policy_fallback' - "
    "https://docs.litellm.ai/docs/routing#fallbacks",
    "\nNo fallback model group found for original model_group=m. Fallbacks=[{'a': ['b', 'c']}]. Received Model "
    "Group=m\nAvailable Model Group Fallbacks=None",
)
NOT_BEHIND = (
    *(
        " (request id: 2025) Your account has been suspended.",
        " (account id: 2025)",
        " (request id: your key is banned)",
    ),
    *("\nFallbacks=[your account is suspended!]", "\nReason: \nyour account has been suspended"),
)


@given(
    form=st.sampled_from(FORMS_OF_IT), gap=st.sampled_from(BREAKS), behind=st.sampled_from(BEHIND), status=st.booleans()
)
@settings(max_examples=examples(100), deadline=None)
def test_what_gateways_put_into_and_behind_a_published_sentence_changes_nothing(
    form: str, gap: str, behind: str, status: bool
) -> None:
    beside = {"type": "upstream_error", "param": "400"} if status else {"type": None, "param": "prompt"}
    for text in (AZURE.format(gap), "Content Exists Risk"):
        error = {"message": form.format(text) + behind, "code": "content_filter", **beside}
        assert verdict(GATEWAY, 400, {"error": error}).kind == "policy"
        for other in NOT_BEHIND:
            assert verdict(GATEWAY, 400, {"error": {**error, "message": error["message"] + other}}).kind != "policy"


@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_letters_among_the_digits_of_an_identifier_spell_no_trouble(data: st.DataObject) -> None:
    words = data.draw(st.lists(st.sampled_from(["ip", "key", "ban", "rate", "down", "x"]), min_size=3, max_size=5))
    number = "".join(f"{word}{n}c4d{n}e" for n, word in enumerate(words, 10))
    for place in ({"id": f"resp_{number}"}, {"message": f"Your prompt was flagged. (request id: {number})"}):
        assert verdict(GATEWAY, 400, {"error": {**POLICY, **place}}).kind == "policy"
    for trouble in ("key_revoked", "ip banned 2026", "account-2026-suspended"):
        assert verdict(GATEWAY, 400, {"error": {**POLICY, "upstream": trouble}}).kind != "policy"
