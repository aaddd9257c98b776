"""Is an error one of money or of the day's allowance? Then no further call gets through, and the run stops.

It goes by code and type. Where a provider gives only a sentence, by the whole of that documented sentence: a single
word like "quota" stands in errors that pass within a minute too.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

LONGEST_WAIT = 300.0  # seconds a server may ask for: for longer than that nobody sits and waits

LARGEST_ERROR = 2**20  # bytes: what is longer is no error message

# of OpenAI, Moonshot, LiteLLM, one-api, Alibaba, Anthropic, OpenRouter, Zhipu
CODES = frozenset(
    (
        *("insufficient_quota", "billing_not_active", "billing_hard_limit_reached", "exceeded_current_quota_error"),
        *("budget_exceeded", "insufficient_user_quota", "Arrearage", "billing_error", "openrouter_free_tier_daily"),
        "1113",
    )
)
SENTENCES = re.compile(
    r"Your credit balance is too low to access the (Anthropic|Claude) API\."  # Anthropic, status 400
    r"|You have reached your specified (workspace )?API usage limits\."  # Anthropic, status 400
    r"|Rate limit exceeded: free-models-per-day"  # OpenRouter, status 429
    r"|Your (newly created )?team \S+ (has either used all available credits or reached its monthly spending limit"
    r"|doesn't have any credits)"  # xAI, status 429 or 403
    r"|Your account .{1,200} is suspended due to insufficient balance"  # Moonshot, status 429
    r"|Budget has been exceeded! "  # LiteLLM, status 400 or 429
)


def spent(status: int, raw: bytes, retry_after: float | None = None) -> str | None:
    """Why the account gets nothing more for now, as half a sentence; None where the error is another."""
    errors = list(_errors(_json(raw)))
    if status == 402 or any(map(_is_of_money, errors)):
        return "the account is out of credit, or its quota is spent"
    if any(_is_of_the_day(error) for error in errors):
        return "the allowance of the day is used up"
    if retry_after is not None and retry_after > LONGEST_WAIT:
        return f"the server asks to wait for {_duration(retry_after)}"
    return None


def _is_of_money(error: Mapping[str, Any]) -> bool:
    metadata = _mapping(error.get("metadata"))
    given = {str(value) for value in (error.get("code"), error.get("type"), metadata.get("limit_source")) if value}
    message = error.get("message")
    said = isinstance(message, str) and SENTENCES.match(message)
    return bool(given & CODES or said)


def _is_of_the_day(error: Mapping[str, Any]) -> bool:
    """Google: the quota that is used up is one of the day's. Those of a minute look the same but for its name."""
    violations = [
        violation
        for detail in _list(error.get("details"))
        if str(_mapping(detail).get("@type")).endswith("google.rpc.QuotaFailure")
        for violation in _list(_mapping(detail).get("violations"))
    ]
    return any("PerDay" in str(_mapping(violation).get("quotaId")) for violation in violations)


def _errors(body: Any) -> Iterator[Mapping[str, Any]]:
    """The error of a body, and the one that its message holds where a gateway hands on another's body as text."""
    if isinstance(body, list):
        body = body[0] if body else None  # Google's OpenAI format
    if not isinstance(body, Mapping):
        return
    error = body.get("error", body)
    if isinstance(error, str):
        error = {**body, "message": error}
    if isinstance(error, Mapping):
        yield error
        message = error.get("message")
        if isinstance(message, str) and message.startswith(("{", "[")):
            yield from _errors(_json(message.encode()))


def _json(raw: bytes) -> Any:
    if len(raw) > LARGEST_ERROR:
        return None
    try:
        return json.loads(raw.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes < 120 else f"{minutes / 60:,.0f} h"
