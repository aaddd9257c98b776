"""What gateways and servers tell beside a reply: of a cache, a cost, who answered, a prompt that was cut."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from selfexec.engines.base import Outcome
from selfexec.engines.http.caches import YES, is_old, mark_of_a_cache
from selfexec.engines.http.wires.base import LARGEST_COST
from selfexec.experiments import Message

# LiteLLM sends it, with any value, where its cache had the reply, and not where it has just put it there
LITELLM = "x-litellm-cache-key"
# how to do without the caches that are known
WAYS_OUT: Mapping[str, str] = {
    LITELLM: """--extra-body '{"cache": {"no-cache": true}}'""",
    "cf-aig-cache-status": "--header cf-aig-skip-cache=true",
    "x-portkey-cache-status": "--header x-portkey-cache-force-refresh=true",
    "helicone-cache": "--header Helicone-Cache-Enabled=false",
}
ANY_WAY_OUT = "where they are served, or ask for no cached replies: many caches heed --header Cache-Control=no-cache"
# the names of headers that tell how a cache fared, and not what it was asked to do, or under which name it keeps
OUTCOME = re.compile(
    r"(?:^|[-_])(?:cached?|cache[-_]?hit|cache[-_](?:status|state|hits|result|outcome|lookup|remote|response))$"
)
ASKED = frozenset(
    (
        *("no", "not", "skip", "bypass", "use", "force", "refresh", "disable", "disabled"),
        *("enable", "enabled", "allow", "to", "in", "ignore"),
    )
)
OF_PROMPTS = frozenset(
    (
        *("prompt", "prompts", "token", "tokens", "prefix", "context", "kv"),
        *("input", "read", "creation", "write"),
    )
)
WORD = re.compile("[a-z]+")
NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)(?![\w.])")
COST, UPSTREAM = "x-litellm-response-cost", "x-litellm-model-name"
SLACK = 0.9  # of the words of a prompt: each is a token at least, but for some that are written without blanks between
LEAST_CONTEXT = 512  # tokens: nobody serves with less room, and a lower count is one of something else


def cached_by(headers: Mapping[str, str]) -> str | None:
    """Why a reply is none of a fresh session, and what to do; None where nothing says so."""
    for name in _of_caches(tuple(headers)):
        if _tells_of_a_cache(name.lower(), headers[name].strip()):
            return _said_by(f"header {name.lower()}", WAYS_OUT.get(name.lower(), ANY_WAY_OUT))
    return None


def cached_in(body: Mapping[str, object]) -> str | None:
    """The same of what a body says."""
    found = mark_of_a_cache(body)
    return None if found is None else _said_by(f"field {found[0]}", ANY_WAY_OUT)


def _said_by(what: str, way_out: str) -> str:
    return (
        f"the reply came from a cache (the {what} says so): no session was opened for it, and it is not kept. "
        f"Turn the cache off for these calls ({way_out}); the same command goes on"
    )


@lru_cache(maxsize=1024)
def _of_caches(names: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the headers of a reply may tell of a cache. A server sends the same ones with every reply."""
    return tuple(name for name in names if _may_tell(name.lower()))


def _may_tell(name: str) -> bool:
    if name in ("age", LITELLM) or name.endswith("replayed"):
        return True
    return "cache" in name and not name.endswith(("cache-control", "cache-key")) and OF_PROMPTS.isdisjoint(_words(name))


def _tells_of_a_cache(name: str, value: str) -> bool:
    if name == LITELLM:
        return bool(value)
    if name == "age" or name.endswith("hits"):  # the seconds for which a cache has had the reply; how often it gave it
        return any(float(number) > 0 for number in _numbers(value)) or (name != "age" and is_old(value, False))
    if name.endswith("replayed"):
        return value.lower() in YES
    return is_old(value, OUTCOME.search(name) is not None and ASKED.isdisjoint(_words(name)))


def _numbers(value: str) -> list[str]:
    """The numbers in a list of them, one for each cache on the way."""
    return [found[1] for part in value.split(",") if (found := NUMBER.match(part))]


def _words(text: str) -> list[str]:
    return WORD.findall(text)


def with_headers(outcome: Outcome, headers: Mapping[str, str]) -> Outcome:
    """A reply with what LiteLLM says of its cost, and which model it asked under the name that it goes by there."""
    if COST not in headers and UPSTREAM not in headers:
        return outcome
    changed: dict[str, object] = {}
    if outcome.cost_usd is None and (cost := _dollars(headers.get(COST))):
        changed["cost_usd"] = cost
    if outcome.upstream is None and 0 < len(name := headers.get(UPSTREAM, "")) <= 200:
        changed["upstream"] = name
    return replace(outcome, **changed) if changed else outcome


def _dollars(text: str | None) -> float | None:
    """A cost that is one. 0 is what stands there where the gateway knows no price."""
    try:
        cost = float(text or "")
    except ValueError:
        return None
    return cost if 0 < cost < LARGEST_COST else None


def is_cut(messages: Sequence[Message], sampling: Mapping[str, object], outcome: Outcome) -> bool:
    """Whether the server counted fewer tokens than the prompt has words. Then it was cut to the server's context, as
    Ollama does without a word, and the model saw only part of it.
    """
    counted = outcome.input_tokens or 0
    if counted < LEAST_CONTEXT:
        return False
    words = sum(len(text.split()) for text in (str(sampling.get("system") or ""), *(m.content for m in messages)))
    return counted < SLACK * words
