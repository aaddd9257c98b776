"""Is an error one of money or of the day's allowance? Then no further call gets through, and the run stops.

It goes by code and type. Where a provider gives only a sentence, by the whole of that documented sentence: a single
word like "quota" stands in errors that pass within a minute too.
"""

from selfexec.engines.http.errors import Error, error_body, errors_in
from selfexec.text.regex import regex

LONGEST_WAIT = 300.0  # seconds a server may ask for: for longer than that nobody sits and waits
YEAR = 365 * 86_400.0

# of OpenAI, Moonshot, LiteLLM, one-api, Alibaba, Anthropic, OpenRouter, Zhipu
CODES = frozenset(
    (
        *("insufficient_quota", "billing_not_active", "billing_hard_limit_reached", "exceeded_current_quota_error"),
        *("budget_exceeded", "insufficient_user_quota", "Arrearage", "billing_error", "openrouter_free_tier_daily"),
        "1113",
    )
)
SENTENCES = regex(
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
    errors = list(errors_in(error_body(raw)))
    if status == 402 or any(map(_is_of_money, errors)):
        return "the account is out of credit, or its quota is spent"
    if status == 412:  # Portkey; a POST without conditions gives no other reason for this status
        return "the budget that was set for this key at the gateway is used up"
    if any("PerDay" in quota for error in errors for quota in error.quotas):
        return "the allowance of the day is used up"
    if retry_after is not None and retry_after > LONGEST_WAIT:
        return f"the server asks to wait for {_duration(retry_after)}"
    return None


def _is_of_money(error: Error) -> bool:
    return bool((error.codes | {error.type}) & CODES) or any(map(SENTENCES.match, error.sentences))


def _duration(seconds: float) -> str:
    if seconds > YEAR:
        return "more than a year"
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes < 120 else f"{minutes / 60:,.0f} h"
