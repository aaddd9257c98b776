"""What the headers of a response say of its body: that a cache had it, that something failed, how the reply ended.

The headers of the standards say what their RFC defines:

    a cache had it      `Age` above 0, `Cache-Status` with hit or collapsed (RFC 9111, 9211), a `Warning` of 110 to 113
                        (RFC 7234), a hit in a comment of `Via`; and Varnish's header, which then has two ids
    something failed    `Proxy-Status` with an error or the status of one (RFC 9209), a `Content-Range` of less than
                        the whole (RFC 9110), a `grpc-status` other than 0 or a `grpc-message`, a `Link` to a next part
                        (RFC 8288), a `Content-Type` of a problem (RFC 9457) or of no reply, a `Cache-Status` whose
                        origin gave no body (RFC 9211), an `X-Cache` that says that the cache made or denied the reply,
                        Cloudflare's `cf-mitigated`, the latency of Kong's own responses, and the reason phrase of a 200
                        where it is that of an error or names a stand-in
    it was changed      a digest that is not the body's (RFC 9530, 3230, 1864), and a `Warning` of 214 (RFC 7234), but
                        where a `Content-Encoding` may be the transformation

Three kinds of headers, which no standard has, say that this is no reply to what was asked, and count as a failure:

    a stub answered     a name with a word for a mock or a stub, unless the value says that it did not
    another answered    a name about fallbacks, unless it is about providers or what may be, with a count above 0, a
                        flag, a reason, or the name of another model than was asked
    another prompt      a name of nothing but words for a change of the prompt, with a value that says that it was done

A state with a word in it (`rejected`) says something of this reply only where its name does: other states are those of
accounts, limits and servers.

Any other header is a field of the reply whose value came as text. So the rules for fields of bodies hold for it: for
caches those in `caches`, for failures those in `wires.objections`, for fallbacks and prompts those in
`wires.not_as_sent`, for ends those in `ends`. Most servers send the same headers with every reply, and none of these:
their names are looked at once.
"""

import re
from binascii import b2a_base64
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, NamedTuple

from selfexec.engines.http.caches import (
    ASKED,
    FRESH,
    HIT,
    OTHER_CACHES,
    YES,
    is_any_above_0,
    is_name_of_a_cache,
    is_name_of_a_time,
    is_name_of_an_origin,
    is_old,
    is_time_in_a_cache,
    says_a_cache,
    says_cached,
    words_of,
)
from selfexec.engines.http.ends import End, ends_in, is_name_of_an_end, worst
from selfexec.engines.http.errors import NOTHING
from selfexec.engines.http.exchange import REASON
from selfexec.engines.http.policy import is_word_of_a_policy
from selfexec.engines.http.stand_ins import stand_in
from selfexec.engines.http.wires.not_as_sent import (
    is_name_of_a_change,
    is_name_of_a_fallback,
    tells_of_a_change,
    tells_of_a_fallback,
)
from selfexec.engines.http.wires.objections import (
    ENDINGS,
    FORMS,
    OF_A_REPLY,
    STATES,
    is_false,
    is_true,
    is_under_way,
    kind_of,
    meaning_of,
    more_to_come,
    paging_of,
    tells_of_failure,
    warns_of_half,
    words_of_name,
)
from selfexec.text.regex import regex

# LiteLLM sends it, with any value, where its cache had the reply, and not where it has just put it there
LITELLM = "x-litellm-cache-key"
COST, UPSTREAM = "x-litellm-response-cost", "x-litellm-model-name"
# the names of headers that tell how a cache fared, and not what it was asked to do, or under which name it keeps
OUTCOME = regex(
    r"(?:^|[-_])[a-z]*(?:cached?|cached?[-_]?hit|cached?[-_](?:status|state|hits|result|outcome|lookup|remote|response))$"
)
OF_PROMPTS = OTHER_CACHES | {"read", "creation", "write"}
# which name no failure of this reply
ABOUT_REPORTS = frozenset(
    (
        *("report", "reporting", "count", "rate", "policy", "id"),
        *("ratelimit", "ratelimits", "limit", "limits", "quota", "quotas", "overage", "budget", "billing"),
    )
)
# whose state a header tells, where it is that of this reply: a state with another word is that of a server, an account
OF_THIS = (
    OF_A_REPLY | FORMS | ENDINGS | {"upstream", "origin", "request", "http", "processing", "generation", "call", "job"}
)
APPLIED = {"applied", "guardrails"}
# how long Kong took for a response of its own; for those of a server it names the latency of that one
OF_KONG, BEHIND_KONG = "x-kong-response-latency", "x-kong-upstream-latency"
STEP = "cf-aig-step"  # of the models that Cloudflare's gateway was given; 0 is the first
# by which a server asks for the same call again: what stands against an input would do so again
AGAIN, WAIT = "x-should-retry", "retry-after"
X = "x-"  # begins the names of headers that no standard has
STUBS = frozenset(  # WireMock's `Matched-Stub-Id`, say
    (
        *("mock", "mocks", "mocked", "stub", "stubs", "stubbed", "wiremock", "mockserver", "canned"),
        *("virtualized", "virtualised", "virtualization", "virtualisation"),
    )
)
NO_STUB = frozenset(("off", "no", "false", "none", "null", "disabled", "miss", "forwarded", "proxied", "passthrough"))
CHANGED = regex(r"(?:^|,)\s*214(?=\s)")
NEXT = regex(r";\s*rel\s*=\s*(?:next\b|\"[^\"]*\bnext\b)", re.IGNORECASE)
STALE = regex(r"(?:^|,)\s*11[0-3](?=\s)")
COMMENT = regex(r"\(([^()]*)\)")
TWO_IDS = regex(r"\d+\s+\d+")
PROXY_FAILURE = regex(r";\s*(?:error\s*=|received-status\s*=\s*[45]\d\d)", re.IGNORECASE)
# the origin gave no body (RFC 9211): the one that came is stored, or the cache's own
NOT_FORWARDED = regex(r";\s*fwd-status\s*=\s*(?:304|[45]\d\d)")
# "Error from cloudfront", "TCP_DENIED from a1-2", "LambdaGeneratedResponse from cloudfront"
OF_ERRORS = frozenset(status.phrase.casefold() for status in HTTPStatus if status >= 400)
MADE_BY_A_CACHE = regex(r"(?<![a-z])(?:error|denied)\b|generatedresponse\b", re.IGNORECASE)
MEDIA = regex(r"[\w.+-]+/[\w.+-]+")
# JSON and text in any form; bytes and scripts, since servers that declare nothing better send these
GOOD_MEDIA = regex(
    r"text/.+|application/(?:.*json.*|.*event-?stream.*|(?:x-)?javascript|octet-stream|x-www-form-urlencoded)"
    r"|binary/octet-stream"
)
RANGE = regex(r"\w+\s+0-(\d+)/(\d+)")
STATUSES = regex(r"\d{3}(?:\s*[,:]\s*\d{3})*")  # of attempts, as nginx writes them
INTEGER, DECIMAL = regex(r"\d{1,18}"), regex(r"\d{1,18}\.\d{1,18}")


def _is_part(value: str) -> bool:
    """Whether a range is less than the whole."""
    whole = RANGE.fullmatch(value)
    return not (whole and int(whole[1]) + 1 == int(whole[2]))


def _has_hit_in_comment(value: str) -> bool:
    return any(HIT.search(comment) for comment in COMMENT.findall(value))


def _is_reason_of_failure(value: str) -> bool:
    return value.casefold() in OF_ERRORS or stand_in(value) is not None or tells_of_failure("status", value)


def _is_timed_hit(value: str) -> bool:
    """Whether one of the times that `Server-Timing` tells of is that of a cache, described as a hit."""
    for entry in value.split(","):
        name, *parameters = (part.strip().lower() for part in entry.split(";"))
        described = dict(part.split("=", 1) for part in parameters if "=" in part).get("desc", "").strip('"')
        if "cache" in name and OF_PROMPTS.isdisjoint(words_of(name)) and (is_old(described, True) or HIT.search(name)):
            return True
    return False


STANDARD_OF_CACHES: Mapping[str, Callable[[str], bool]] = {
    REASON: says_a_cache,
    "age": is_any_above_0,
    "warning": lambda value: STALE.search(value) is not None,
    "via": _has_hit_in_comment,
    "server-timing": _is_timed_hit,
    "x-varnish": lambda value: TWO_IDS.fullmatch(value) is not None,
}
STANDARD_OF_FAILURES: Mapping[str, Callable[[str], bool]] = {
    REASON: _is_reason_of_failure,
    "grpc-status": lambda value: value != "0",
    "grpc-message": lambda value: value.casefold() not in ("", "ok"),
    "cache-status": lambda value: NOT_FORWARDED.search(value) is not None,
    "x-cache": lambda value: MADE_BY_A_CACHE.search(value) is not None,
    "cf-mitigated": lambda value: True,  # sent with pages of Cloudflare's own, and with no other
    "x-amzn-waf-action": lambda value: True,  # with a challenge of the firewall's own
    "www-authenticate": lambda value: "error" in value.casefold(),  # RFC 6750: the token was not accepted
    OF_KONG: lambda value: True,
    "hoverfly": lambda value: value.casefold() != "forwarded",  # by its spy, which has had no answer of its own
    "proxy-status": lambda value: PROXY_FAILURE.search(value) is not None,
    "content-range": _is_part,
    "link": lambda value: NEXT.search(value) is not None,
    "warning": lambda value: CHANGED.search(value) is not None or warns_of_half(value),
    STEP: is_any_above_0,
}


class Telling(NamedTuple):
    """The names of those headers of a response that may say that a cache had it, that something failed, how the reply
    ended, what it cost and who answered, or what the digest of its body is.
    """

    caches: tuple[str, ...]
    failures: tuple[str, ...]
    ends: tuple[str, ...]
    notes: tuple[str, ...]
    digests: tuple[str, ...]


def say_nothing(headers: Mapping[str, str]) -> bool:
    """Whether no header of a response is one that is looked at here, as with nearly all."""
    return _telling(tuple(headers)) is None


@lru_cache(maxsize=1024)
def _telling(names: tuple[str, ...]) -> Telling | None:
    telling = Telling(
        tuple(name for name in names if _may_tell_of_a_cache(name.lower())),
        tuple(name for name in names if _may_tell_of_a_failure(name.lower()) and not _is_behind_kong(name, names)),
        tuple(name for name in names if is_name_of_an_end(name)),
        tuple(name for name in names if name.lower() in (COST, UPSTREAM)),
        tuple(name for name in names if name.lower() in DIGESTS),
    )
    return telling if any(telling) else None


def _is_behind_kong(name: str, names: tuple[str, ...]) -> bool:
    return name.lower() == OF_KONG and any(other.lower() == BEHIND_KONG for other in names)


def _values(headers: Mapping[str, str], names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The headers of these names, in small letters, each as often as it came."""
    if names:
        yield from ((name.lower(), value.strip()) for name, value in headers.items() if name in names)


# --- caches ----------------------------------------------------------------------------------------------------------


def cache_header(headers: Mapping[str, str]) -> str | None:
    """The name of the first header that says that a cache had the body; None where none does."""
    if (telling := _telling(tuple(headers))) is None:
        return None
    fields = [*_values(headers, telling.caches)]
    names = [name for name, value in fields if _tells_of_a_cache(name, value)]
    if any(map(is_name_of_a_time, names)) and any(_tells_of_a_miss(*field) for field in fields):
        names = [name for name in names if not is_name_of_a_time(name)]  # since when it has something for others
    return names[0] if names else None


def _tells_of_a_miss(name: str, value: str) -> bool:
    return OUTCOME.search(name) is not None and not FRESH.isdisjoint(words_of(value.lower()))


def _may_tell_of_a_cache(name: str) -> bool:
    if name == LITELLM or name in STANDARD_OF_CACHES or name.endswith("replayed"):
        return True
    if is_name_of_a_cache(name) or (is_name_of_an_origin(name) and not name.endswith("by")):  # a node's name
        return True
    return (
        "cache" in name and not name.endswith(("cache-control", "cache-key")) and OF_PROMPTS.isdisjoint(words_of(name))
    )


def _tells_of_a_cache(name: str, value: str) -> bool:
    if name == LITELLM:
        return bool(value)
    if standard := STANDARD_OF_CACHES.get(name):
        return standard(value)
    if name.endswith("hits"):  # how often a cache gave it
        return is_any_above_0(value) or is_old(value, False)
    if name.endswith("replayed"):
        return value.lower() in YES
    if is_name_of_an_origin(name):
        return says_a_cache(value)
    if is_name_of_a_time(name):
        return is_time_in_a_cache(name, value)
    if is_name_of_a_cache(name) and says_cached(value):
        return True
    return is_old(value, OUTCOME.search(name) is not None and ASKED.isdisjoint(words_of(name)))


# --- failures --------------------------------------------------------------------------------------------------------


def failure_header(headers: Mapping[str, str], asked: str = "") -> str | None:
    """The first header that says that something failed, or that this is no reply of the model that was `asked` to the
    prompt that was sent, with its value; None where none does.
    """
    return next((f"{name}: {value}" for name, value in _failures(headers, asked)), None)


def failure_next_to_a_policy(headers: Mapping[str, str], status: int, raw: bytes) -> str | None:
    """The same for an error in which a policy is given as the reason. What a header repeats of the status or of the
    body, and a word for an error that only says that it is one, is that error itself. A server that asks for the same
    call again says that the policy does not stand against this input.
    """
    if is_true(headers.get(AGAIN)) or headers.get(WAIT):
        return f"{AGAIN if is_true(headers.get(AGAIN)) else WAIT}: asked again"
    for name, value in _failures(headers):
        if not (value == str(status) or value.encode(errors="replace") in raw or is_word_of_a_policy(value)):
            return f"{name}: {value}"
    return None


@lru_cache(maxsize=256)
def foreign_type(content_type: str) -> str | None:
    """The media type that a `Content-Type` declares, where no reply of a model has it: any other than JSON, events and
    text, and one that is registered for problems and errors (RFC 9457). None where it is good, or no media type at all.
    """
    media = content_type.partition(";")[0].strip().lower()
    if not MEDIA.fullmatch(media):
        return None
    words = words_of_name(media.partition("/")[2])
    is_good = GOOD_MEDIA.fullmatch(media) is not None and not any(
        word == "problem" or kind_of(word) == "failure" for word in words
    )
    return None if is_good else f"content-type: {media}"


def _failures(headers: Mapping[str, str], asked: str = "") -> Iterator[tuple[str, str]]:
    if (telling := _telling(tuple(headers))) is not None:
        is_encoded = "content-encoding" in headers
        fields = _values(headers, telling.failures)
        yield from (
            field for field in fields if _is_failure(*field, asked) and not (is_encoded and field[0] == "warning")
        )


def _may_tell_of_a_failure(name: str) -> bool:
    meaning = meaning_of(name.removeprefix(X))
    if name in STANDARD_OF_FAILURES or is_name_of_a_fallback(name) or is_name_of_a_change(name):
        return True
    if _is_name_of_a_stub(name):
        return True
    if paging_of(name) is not None:
        return True
    if meaning.setting or meaning.attempts or not ABOUT_REPORTS.isdisjoint(words := words_of(name)):
        return False
    if "cache" in words:  # whose states are other ones
        return False
    is_of_a_failure = meaning.kind in ("failure", "well") or meaning.ill or meaning.state
    return is_of_a_failure or meaning.finished or meaning.altered or meaning.warning


def _is_failure(name: str, value: str, asked: str) -> bool:
    if standard := STANDARD_OF_FAILURES.get(name):
        return standard(value)
    if _is_name_of_a_stub(name):
        return value.casefold() not in NO_STUB | {"", "0"}
    if is_name_of_a_fallback(name):
        return tells_of_a_fallback(name, value, asked)
    if is_name_of_a_change(name):
        return tells_of_a_change(name, value)
    name = name.removeprefix(X)
    meaning, meant = meaning_of(name), _meant(value)
    if paging_of(name) is not None:
        return bool(more_to_come({name: meant}))
    if meaning.state and not isinstance(meant, int) and not _is_of_this_reply(name):
        return False
    if meaning.kind == "failure" and value.casefold() in ("ok", "no"):
        return False
    if meaning.state and is_under_way(meant):
        return True
    return tells_of_failure(name, meant) or (meaning.finished and is_false(meant))


def _is_name_of_a_stub(name: str) -> bool:
    return not STUBS.isdisjoint(words_of(name))


@lru_cache(maxsize=1024)
def _is_of_this_reply(name: str) -> bool:
    """Whether a header with a state tells that of this reply or of its upstream, by its other words."""
    others = [word for word in words_of_name(name) if word not in STATES - {"health"}]
    return not others or not OF_THIS.isdisjoint(others)


def _meant(value: str) -> Any:
    """A value as a body would have it; of the statuses of several attempts the last one."""
    if STATUSES.fullmatch(value):
        value = value[-3:]
    if INTEGER.fullmatch(value):
        return int(value)
    return float(value) if DECIMAL.fullmatch(value) else value


# --- digests ---------------------------------------------------------------------------------------------------------

# of what came, and of the resource that it is: the same where nothing is encoded
DIGEST = regex(r"(?:^|,)\s*(md5|sha|sha-256|sha-512)=:?([A-Za-z0-9+/]+=*)", re.IGNORECASE)
HASHES: Mapping[str, str] = {"md5": "md5", "sha": "sha1", "sha-256": "sha256", "sha-512": "sha512"}
DIGESTS: Mapping[str, str] = {"content-md5": "md5=", "content-digest": "", "repr-digest": "", "digest": ""}


def wrong_digest(headers: Mapping[str, str], raw: bytes) -> str | None:
    """The header with a digest that is not that of the body; None where there is none, or it cannot be compared."""
    if (telling := _telling(tuple(headers))) is None or not telling.digests or "content-encoding" in headers:
        return None
    for name, value in _values(headers, telling.digests):
        for kind, digest in DIGEST.findall(DIGESTS[name] + value):
            if not _is_digest_of(raw, HASHES[kind.lower()], digest):
                return name
    return None


def _is_digest_of(raw: bytes, kind: str, digest: str) -> bool:
    """Whether a digest in base 64, or in 16 as some write it, is that of a body. What is of another length is none."""
    import hashlib

    right = hashlib.new(kind, raw, usedforsecurity=False)
    if len(digest) == len(right.hexdigest()):
        return digest.lower() == right.hexdigest()
    in_base_64 = b2a_base64(right.digest(), newline=False).decode()
    return digest == in_base_64 or len(digest) != len(in_base_64)


# --- ends ------------------------------------------------------------------------------------------------------------


def names_a_guardrail(headers: Mapping[str, str]) -> bool:
    """Whether headers name a guardrail that was applied, as LiteLLM's `x-litellm-applied-guardrails` does. Alone that
    says nothing of what it did.
    """
    telling = _telling(tuple(headers))
    named = _values(headers, telling.ends) if telling else ()
    return any({*words_of_name(name)} >= APPLIED and value.casefold() not in NOTHING for name, value in named)


def end_in_headers(headers: Mapping[str, str]) -> End | None:
    """How headers say that the reply ended, where one says so in a word that is listed; the worst counts."""
    if (telling := _telling(tuple(headers))) is None or not telling.ends:
        return None
    ends = [end for field in _values(headers, telling.ends) for end in ends_in(dict([field]))]
    known = [end for end in ends if end.kind != "unknown"]
    return worst(known) if known else None
