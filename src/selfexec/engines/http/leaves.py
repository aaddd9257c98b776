"""Every word of an error's body, wherever it stands, JSON within a text included.

An error about this input may come with one about the account: in a field that nobody reads, in the second of two
errors, in a text that holds JSON. So a policy counts only where each word of the whole body says nothing else.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from selfexec.engines.http.doubled_names import with_doubles
from selfexec.engines.http.ends import end_of
from selfexec.engines.http.errors import READ, says_something
from selfexec.engines.http.name_words import name_words
from selfexec.text.regex import regex

MOST = 2_000  # words and numbers of a body that are looked at
DEEPEST = 40  # objects within objects, and texts within texts
MOST_BRACKETS = 20  # places of a text at which JSON may begin
# where a reply stands, and the fields in it that hold what the model wrote or what is said of single tokens
REPLY = frozenset(("choices", "candidates", "output", "content"))
WRITTEN = frozenset(
    (
        *("content", "text", "parts", "reasoning", "reasoning_content", "reasoning_details", "thinking", "refusal"),
        *("tool_calls", "function_call", "arguments", "annotations", "citations", "logprobs", "logprobsResult"),
    )
)
BRACKET = regex(r"[{\[]")
LETTER = regex("[A-Za-z]")
IDENTIFIER = regex(r"(?<![A-Za-z\d])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{16,}")  # letters among digits
LABEL = regex(r"[ -~]{0,100}")
LONGEST_LABEL = 3  # words: more of them are a sentence
# what errors speak of that are not about an input: accounts, money, permissions, places, and servers
OTHER_TROUBLE = frozenset(
    (
        *("account", "accounts", "organization", "organisation", "team", "tenant", "workspace", "subscription"),
        *("quota", "quotas", "billing", "bill", "balance", "credit", "credits", "budget", "payment", "paid", "spend"),
        *("spending", "invoice", "arrearage", "arrears", "plan", "license", "licence", "entitlement", "insufficient"),
        *("key", "keys", "apikey", "token", "credential", "credentials", "login", "signature", "secret"),
        *("auth", "authentication", "authorization", "authorized", "unauthorized", "unauthenticated", "authenticate"),
        *("permission", "permissions", "permitted", "forbidden", "denied", "access", "allowlist", "firewall", "waf"),
        *("ip", "vpn", "proxy", "region", "regions", "country", "territory", "location", "geo", "jurisdiction"),
        *("suspended", "suspension", "banned", "ban", "deactivated", "disabled", "terminated", "revoked", "expired"),
        *("restricted", "frozen", "locked", "closed", "verification", "verify", "verified", "unverified", "fraud"),
        *("overload", "overloaded", "overcapacity", "capacity", "unavailable", "busy", "maintenance", "outage", "down"),
        *("throttled", "throttling", "rate", "ratelimit", "limit", "limited", "limits", "requests", "exceeded"),
        *("exhausted", "timeout", "deadline", "internal", "crash", "crashed", "unsupported", "deprecated", "schema"),
    )
)
# fields that hold the input, and names of models, in which any word may occur
QUOTED = frozenset(("flagged_input",))
MODELS = frozenset(("model", "model_slug", "model_group", "modelVersion"))


DECODER = json.JSONDecoder(object_pairs_hook=with_doubles)


class Leaf(NamedTuple):
    """A word, a number or a text of a body, and the name of the field in which it stands."""

    name: str
    value: str


class TooMuch(Exception):
    """A body of more words than are looked at, or too deep."""


def leaves_of(body: Any) -> Iterator[Leaf]:
    """All words of a body, without those of the model: names of fields that hold something, too, as leaves of theirs.

    Raises:
        TooMuch: There are more than are looked at.
    """
    waiting: list[tuple[str, Any, int, bool]] = [("", body, 0, False)]
    for _ in range(MOST):
        if not waiting:
            return
        name, value, depth, in_reply = waiting.pop()
        if depth > DEEPEST or len(waiting) > MOST:
            raise TooMuch
        if isinstance(value, list):
            waiting += [(name, part, depth + 1, in_reply) for part in value[: MOST + 1]]
        elif isinstance(value, dict):
            for inner, part in value.items():
                if (in_reply and inner in WRITTEN) or not says_something(part):
                    continue
                yield Leaf("", inner)
                waiting.append((inner, part, depth + 1, in_reply or (not depth and inner in REPLY)))
        elif isinstance(value, str):
            texts, within = _split(value) if name not in QUOTED else ([], [])
            yield from (Leaf(name, text) for text in texts)
            waiting += [(name, part, depth + 8, in_reply) for part in within]
        elif value is not None and not isinstance(value, bool):
            yield Leaf(name, str(value)[:READ])
    raise TooMuch


def _split(text: str) -> tuple[list[str], list[Any]]:
    """A text without the JSON in it, in pieces, and what stands in the JSON. Where it is broken it is text."""
    texts, within = list[str](), list[Any]()
    start, done, tried = -1, 0, 0
    if len(text) > 10 * READ:
        raise TooMuch
    while found := BRACKET.search(text, max(done, start + 1)):
        start, tried = found.start(), tried + 1
        if tried > MOST_BRACKETS:
            raise TooMuch
        try:
            value, end = DECODER.raw_decode(text, start)
        except ValueError:
            continue
        except RecursionError:
            raise TooMuch from None
        if not any(isinstance(part, dict) for part in (value, *(value if isinstance(value, list) else ()))):
            continue  # a list in a sentence, as of words
        texts.append(text[done:start])
        within.append(value)
        done = end
    return [*texts, text[done:]], within


def is_label(leaf: Leaf) -> bool:
    """Whether a leaf is a label, as a category, a number or an identifier is, and names none of the other troubles. A
    sentence is none, nor is what stands in the field of a code, but for a word that ends a reply.
    """
    if leaf.name in MODELS and " " not in leaf.value:
        return True
    return (
        LABEL.fullmatch(leaf.value) is not None
        and sum(LETTER.search(word) is not None for word in leaf.value.split()) <= LONGEST_LABEL
        and not names_other_trouble(leaf.value)
        and (not is_code(leaf.name) or end_of(leaf.value).kind != "unknown")
    )


def names_other_trouble(text: str) -> bool:
    """Whether a word of a text is one of errors that are not about an input. The letters of an identifier are no words,
    whatever they happen to spell.
    """
    return not OTHER_TROUBLE.isdisjoint(name_words(IDENTIFIER.sub(" ", text)))


def is_code(name: str) -> bool:
    """Whether a field has the name of a code or a status, whose words and numbers all mean something."""
    return name.lower().endswith(("code", "status", "errno"))
