"""What came back, out of what Inspect makes of it, in the states of all other engines.

Inspect puts some errors of a server into the form of a reply: the server's sentence, or one of Inspect's own, stands
where the model's words would. Such a reply has no usage, since nobody was billed for it. What the model did not say is
never kept as its words.
"""

from collections.abc import Mapping
from typing import Any

from selfexec.engines.base import CallResult
from selfexec.engines.http.bodies import bounded
from selfexec.engines.http.ends import end_of
from selfexec.engines.http.policy import shortened
from selfexec.engines.http.wires.base import UnusableReply, concluded
from selfexec.engines.http.wires.logprobs import tokens_of
from selfexec.experiments import Token

SIMULATED = "simulated"  # in the metadata of an output of ours
MODELS_OWN = "anthropic"  # whose stop reason "refusal" Inspect calls content_filter, as it calls a provider's


class NoCompletion(Exception):
    """An output that is no reply: the same may go better when it is asked for again."""


def result_of(output: Any, provider: str = "") -> CallResult:
    """What Inspect's ModelOutput says. Raises NoCompletion where the model said nothing and nothing tells that it
    meant it.
    """
    if not output.choices:
        raise NoCompletion(shortened(str(output.error)) if output.error else "no choices")
    choice = output.choices[0]
    text, refusal, reasoning = _parts(choice.message.content)
    usage, stop = output.usage, choice.stop_reason
    if usage is None and stop in ("content_filter", "model_length"):
        return _error_as_output(output, stop, text)
    details = getattr(choice, "stop_details", None)
    if stop == "content_filter" and (provider == MODELS_OWN or (details and details.type == "refusal")):
        stop = "refusal"
    if not (text or refusal or reasoning) and stop == "unknown":
        raise NoCompletion(shortened(str(output.error)) if output.error else "no text, and no reason why it ended")
    result = CallResult(
        text=text,
        output_tokens=_count(usage, "output_tokens"),
        refusal=refusal,
        input_tokens=_input_tokens(usage),
        reasoning_tokens=_count(usage, "reasoning_tokens"),
        reasoning=reasoning,
        served_model=output.model or None,
        cost_usd=getattr(usage, "total_cost", None),
        completion_id=getattr(output, "response_id", None),
        simulated=bool((output.metadata or {}).get(SIMULATED)),
        logprobs=_logprobs(choice),
    )
    end = end_of(stop)
    # of what was withheld the error says why
    error = {} if end.kind == "withheld" else {"error": output.error}
    try:
        return bounded(concluded(error, result, [end], message=True))
    except UnusableReply as fault:
        raise NoCompletion(str(fault)) from None


def _error_as_output(output: Any, stop: str, text: str) -> CallResult:
    said = shortened(output.error or text)
    if stop == "content_filter":
        return CallResult("", stop_reason="content_filter", policy=said or "content filter", served_model=output.model)
    return CallResult(None, error=said or "the prompt is too long")


def _parts(content: Any) -> tuple[str, str | None, str | None]:
    """Text, refusal and thoughts of a message."""
    if isinstance(content, str):
        return content, None, None
    texts = [part for part in content if part.type == "text"]
    said = "".join(part.text for part in texts if not getattr(part, "refusal", None))
    refusal = "".join(part.text for part in texts if getattr(part, "refusal", None))
    thoughts = [_thought(part) for part in content if part.type == "reasoning"]
    return said, refusal or None, "\n\n".join(filter(None, thoughts)) or None


def _thought(part: Any) -> str:
    """What of a thought may be read: of one that came encrypted, its summary."""
    return (getattr(part, "summary", None) or "") if getattr(part, "redacted", False) else (part.reasoning or "")


def _logprobs(choice: Any) -> tuple[Token, ...] | None:
    told = getattr(choice, "logprobs", None)
    return tokens_of(told.model_dump()["content"]) if told else None


def _input_tokens(usage: Any) -> int | None:
    """All that went in; Inspect counts what a cache held apart."""
    counts = [_count(usage, f"input_tokens{more}") for more in ("", "_cache_read", "_cache_write")]
    return None if counts[0] is None else sum(n or 0 for n in counts)


def _count(usage: Any, name: str) -> int | None:
    return None if usage is None else getattr(usage, name, None)


def settings_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a GenerateConfig changes replies, by name; how fast and how often they are asked for does not."""
    return {name: value for name, value in config.items() if value is not None and name not in OPERATIONAL}


OPERATIONAL = frozenset(
    (
        *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
        *("adaptive_connections", "cache", "cache_prompt", "batch", "fail_on_refusal", "extra_headers"),
    )
)
