"""What gateways and servers tell beside a reply: of a cache, a cost, who answered, a cut or extended prompt."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from selfexec.engines.base import CallResult
from selfexec.engines.http.caches import mark_of_a_cache
from selfexec.engines.http.ends import BESIDE, MISSING
from selfexec.engines.http.response_headers import (
    COST,
    LITELLM,
    UPSTREAM,
    cache_header,
    end_in_headers,
    names_a_guardrail,
)
from selfexec.engines.http.wires.base import LARGEST_COST, doubtful
from selfexec.experiments import Message
from selfexec.text.regex import regex

# how to do without the caches that are known
WAYS_OUT: Mapping[str, str] = {
    LITELLM: """--extra-body '{"cache": {"no-cache": true}}'""",
    "cf-aig-cache-status": "--header cf-aig-skip-cache=true",
    "x-portkey-cache-status": "--header x-portkey-cache-force-refresh=true",
    "helicone-cache": "--header Helicone-Cache-Enabled=false",
}
ANY_WAY_OUT = "where they are served, or ask for no cached replies: many caches heed --header Cache-Control=no-cache"
SLACK = 0.9  # of the words of a prompt: each is a token at least, but for some that are written without blanks between
LONGEST_TEMPLATE = 500  # tokens that servers put around a prompt, beside one for each byte of a request at most
PLACEHOLDER = regex(r"<[A-Z]{3,}(?:_[A-Z]+)*(?:_\d+)?>|\[[A-Z]{3,}(?:_[A-Z]+)*(?:_\d+)?\]")  # `<PERSON>`
LEAST_CONTEXT = 512  # tokens: nobody serves with less room, and a lower count is one of something else


def cached_by(headers: Mapping[str, str]) -> str | None:
    """Why a reply is none of a fresh session, and what to do; None where no header says so."""
    name = cache_header(headers)
    return None if name is None else _said_by(f"header {name}", WAYS_OUT.get(name, ANY_WAY_OUT))


def cached_in(body: Mapping[str, object], asked: str = "") -> str | None:
    """The same of what a body says, where this model was asked."""
    found = mark_of_a_cache(body, asked)
    return None if found is None else _said_by(f"field {found[0]}", ANY_WAY_OUT)


def _said_by(what: str, way_out: str) -> str:
    return (
        f"the reply came from a cache (the {what} says so): no session was opened for it, and it is not kept. "
        f"Turn the cache off for these calls ({way_out}); the same command goes on"
    )


def with_headers(result: CallResult, headers: Mapping[str, str], asked: bytes = b"") -> CallResult:
    """A reply to a request of this body with what its headers say: how it ended, and LiteLLM's what it cost and which
    model was asked, under the name that this model has there. Where a guardrail was applied, placeholders that do not
    stand in the request are its own, and the words in their place are lost.
    """
    masked = [mask[0] for mask in PLACEHOLDER.finditer(result.text or "") if mask[0].encode() not in asked]
    if masked and result.error is None and names_a_guardrail(headers):
        why = f"a guardrail was applied, and its text has {masked[0]} in the place of words"
        result = doubtful(result, f"{result.stop_reason or MISSING}{BESIDE}", why)
    if result.stop_reason == "stop" and (end := end_in_headers(headers)) and end.kind in ("cut", "withheld"):
        result = replace(result, stop_reason=end.stop)
    changed: dict[str, object] = {}
    if result.cost_usd is None and (cost := _dollars(headers.get(COST))):
        changed["cost_usd"] = cost
    if result.upstream is None and 0 < len(name := headers.get(UPSTREAM, "")) <= 200:
        changed["upstream"] = name
    return replace(result, **changed) if changed else result


def _dollars(text: str | None) -> float | None:
    """A cost that is one. 0 is what stands there where the gateway knows no price."""
    try:
        cost = float(text or "")
    except ValueError:
        return None
    return cost if 0 < cost < LARGEST_COST else None


def is_cut(messages: Sequence[Message], sampling: Mapping[str, object], result: CallResult) -> bool:
    """Whether the server counted fewer tokens than the prompt has words. Then it was cut to the server's context, as
    Ollama does without a word, and the model saw only part of it.
    """
    counted = result.input_tokens or 0
    if counted < LEAST_CONTEXT:
        return False
    return counted < SLACK * sum(len(text.split()) for text in _texts_of_prompt(messages, sampling))


def bytes_of_prompt(messages: Sequence[Message], sampling: Mapping[str, object]) -> int:
    """How long the text of a prompt is, with that of its system prompt."""
    return sum(len(text.encode(errors="replace")) for text in _texts_of_prompt(messages, sampling))


def _texts_of_prompt(messages: Sequence[Message], sampling: Mapping[str, object]) -> Sequence[str]:
    return [str(sampling.get("system") or ""), *(message.content for message in messages)]


def is_extended(request: bytes, result: CallResult) -> bool:
    """Whether the server counted far more tokens than a request can have, whose tokens have one byte each at least: a
    gateway has put a text of its own before the prompt.
    """
    return (result.input_tokens or 0) > len(request) + LONGEST_TEMPLATE
