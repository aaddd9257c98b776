"""What the body of a response says: a reply, or what is wrong."""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from selfexec.engines.base import CallResult
from selfexec.engines.http.charsets import is_utf8
from selfexec.engines.http.doubled_names import DoubledName, check_names, without_doubles
from selfexec.engines.http.ends import BESIDE, MISSING, printable_end
from selfexec.engines.http.errors import WORDS, error_beside, error_body
from selfexec.engines.http.flagged import quotes_another_prompt
from selfexec.engines.http.foreign_text import why_foreign
from selfexec.engines.http.gateways import cached_in
from selfexec.engines.http.patience import Presence
from selfexec.engines.http.policy import policy_in_reply, policy_in_text, shortened
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.server_times import created_in
from selfexec.engines.http.stand_ins import judge_in, stand_ins_in
from selfexec.engines.http.wires import WIRES, UnreadableReply, UnusableReply, Wire
from selfexec.engines.http.wires.base import doubtful
from selfexec.engines.http.wires.echoes import echoes_in, repeats_another_prompt, repeats_another_system
from selfexec.engines.http.wires.not_as_sent import MAY_BE, not_as_sent
from selfexec.engines.http.wires.streams import is_streamed
from selfexec.engines.http.wires.unasked import (
    CALLED,
    calls_a_tool,
    goes_on_alone,
    has_tools,
    stops_sent,
    strings_stopped_at,
)
from selfexec.text.regex import regex

# the field that no reply is without, of each wire format
SIGNS = {"openai": {"choices"}, "responses": {"output"}, "anthropic": {"content"}, "gemini": {"candidates"}}
LONGEST_TEXT = 4_000_000  # characters of a reply, its thoughts included: what one line of the journal may hold
LONGEST_NUMBER = 30  # digits
SURROGATE = regex("[\ud800-\udfff]")
WRONG_ADDRESS = "Is this the right address?"
OTHER_PROMPT = "the error is about another prompt: what it says was flagged does not stand in this one"
NOT_UTF8 = "the reply is not valid UTF-8, and declares no other charset"


class RetryableError(Exception):
    """A failure that may pass. `pause` is how long the server asked to wait, `way_out` what to do where it stays,
    `cause` what kind of failure it is, for counts; `presence` what it says of the server, `status` that of the
    response, if one came, and `cut` whether the connection ended under the call. `unreadable`: a whole reply came, in a
    shape that cannot be read.
    """

    def __init__(
        self,
        what: str,
        pause: float | None = None,
        way_out: str = "Try again later.",
        cause: str = "no completion",
        *,
        presence: Presence = "there",
        status: int | None = None,
        cut: bool = False,
        unreadable: bool = False,
    ) -> None:
        super().__init__(what)
        self.unreadable = unreadable
        self.presence = presence
        self.status = status
        self.cut = cut
        self.pause = pause
        self.way_out = way_out
        self.cause = cause


class CachedReply(Exception):
    """A reply that came from a cache, by what stands in its body."""


def bounded(result: CallResult) -> CallResult:
    """A reply that is longer than the journal takes is an error, and not cut: half of it would be another reply."""
    length = len(result.text or "") + len(result.reasoning or "") + len(result.refusal or "")
    length += len(result.unknown_end_text or "")
    if length <= LONGEST_TEXT and not result.logprobs:
        return result
    said = f"the reply is longer than {LONGEST_TEXT:,} characters"
    if length <= LONGEST_TEXT:
        length += len(msgspec.json.encode(result.logprobs))
        said += " with its log-probabilities"
    if length <= LONGEST_TEXT:
        return result
    nothing = dict.fromkeys(
        ("text", "reasoning", "refusal", "stop_reason", "logprobs", "unknown_end", "unknown_end_text")
    )
    return msgspec.structs.replace(result, **nothing, error=said)


def withheld(status: int, said: str) -> CallResult:
    """What an error counts as in which a content policy against this input is given as the reason."""
    return CallResult("", stop_reason="content_filter", policy=f"status {status}: {said}")


def decoded(where: Endpoint, wire: Wire, raw: bytes, asked: bytes | None = None) -> CallResult:
    """The reply in a body, to a request of the body `asked`, where that is known. RetryableError: it is none.
    CachedReply: a cache had it.
    """
    if (usual := wire.usual(raw)) is not None and not (asked and usual.stop_reason in CALLED):
        return _unless_foreign(asked, _counted(usual))
    is_halved = False
    try:
        body = msgspec.json.decode(raw)
        check_names(raw, body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body, is_halved = _leniently(raw), True
    except DoubledName as fault:
        raise _garbage(f"the reply is malformed: {fault}", unreadable=True) from None
    except RecursionError:
        raise _garbage("the reply is nested too deeply") from None
    if not isinstance(body, dict):
        raise _garbage("the reply is no JSON object")
    try:
        result = _counted(wire.result(body))
        if (created := created_in(body)) is not None:
            result = msgspec.structs.replace(result, created=created)
        if is_halved and result.error is None and _is_torn(result):
            result = doubtful(
                result, _beside(result), "its text begins or ends with half a character: some of it was lost"
            )
        if asked and echoes_in(body):
            sent = msgspec.json.decode(asked)
            if repeats_another_prompt(sent, body):
                raise UnreadableReply("it is no reply to what was asked: it repeats another prompt")
            if repeats_another_system(sent, body):
                raise UnreadableReply("it is no reply to what was asked: it repeats a system message that was not sent")
        if wire.not_asked and asked and (why := wire.not_asked(msgspec.json.decode(asked), body)):
            raise UnreadableReply(f"it is no reply to what was asked: {why}")
        if why := cached_in(body, where.name):
            raise CachedReply(why)
        if result.unknown_end and (said := policy_in_reply(where, body)) is not None:
            return _withheld_if_about(asked, body, said)  # an error came beside it, and this is what it says
        result = _unless_stood_in(where, body, _unless_unasked(asked, body, result))
        result = _unless_foreign(asked, result)
        return _unless_changed(where, asked, body, result) if MAY_BE.search(raw) else result
    except UnusableReply as fault:
        if (said := policy_in_reply(where, body)) is not None:
            return _withheld_if_about(asked, body, said)
        unreadable = isinstance(fault, UnreadableReply)
        raise _garbage(f"the reply is no completion ({fault})", _meant(wire, body), unreadable) from None
    except (AttributeError, TypeError, KeyError, IndexError):
        raise _garbage("the reply has an unknown shape", unreadable=True) from None


def _unless_unasked(asked: bytes | None, body: Mapping[str, Any], result: CallResult) -> CallResult:
    """A reply whose end is one that was asked for; that of any other is not known, or a cut."""
    if not asked or result.error is not None:
        return result
    is_called = result.stop_reason in CALLED or calls_a_tool(body)
    if is_called and not has_tools(msgspec.json.decode(asked)):
        return doubtful(result, result.stop_reason or CALLED[0], "the reply calls a tool, and none was sent")
    if goes_on_alone(msgspec.json.decode(asked), body):
        return doubtful(result, _beside(result), "it says that it goes on from a beginning, and none was sent")
    stops = strings_stopped_at(body) if result.stop_reason == "stop" else set[str]()
    if stops and not stops <= {*stops_sent(msgspec.json.decode(asked))}:
        return msgspec.structs.replace(result, stop_reason="length")
    return result


def _unless_foreign(asked: bytes | None, result: CallResult) -> CallResult:
    """A reply whose text can be what the model said. The sentence of a policy in its place is that policy."""
    policy = policy_in_text(result.text) if result.error is None and result.text and asked else None
    if policy and asked and msgspec.json.encode(policy)[1:-1] not in asked:
        what = f"status 200, as the text: {policy}"
        return msgspec.structs.replace(result, text="", stop_reason="content_filter", policy=what)
    if result.error is not None or (why := why_foreign(result, asked)) is None:
        return result
    return doubtful(result, _beside(result), why)


def _unless_changed(where: Endpoint, asked: bytes | None, body: Mapping[str, Any], result: CallResult) -> CallResult:
    """A reply to the prompt that was sent, of the model that was asked, as far as the body says."""
    if result.error is not None:
        return result
    sent = msgspec.json.decode(asked) if asked else {}
    if (why := not_as_sent(sent, body, where.name)) is None:
        return result
    return doubtful(result, _beside(result), why)


def _is_torn(result: CallResult) -> bool:
    """Whether half a character stands at the beginning of a text, or at its end where no limit cut it."""
    text, half = result.text or "", "\N{REPLACEMENT CHARACTER}"
    return text.startswith(half) or (result.stop_reason == "stop" and text.endswith(half))


def _unless_stood_in(where: Endpoint, body: Mapping[str, Any], result: CallResult) -> CallResult:
    """A reply that names a model. What names a guard was withheld, and what names a dummy is nobody's words."""
    if result.error is not None:
        return result
    for name, value, answerer in stand_ins_in(body, where.name):
        if answerer == "guard":
            return msgspec.structs.replace(result, stop_reason="content_filter")
        return doubtful(result, _beside(result), f"no model answered: its {name} is {printable_end(value)!r}")
    if judge := judge_in(body, where.name):
        return doubtful(result, _beside(result), f"a model that judges prompts answered, {printable_end(judge)!r}")
    return result


def _beside(result: CallResult) -> str:
    """The word for the end of a reply with something beside it that speaks against it."""
    return f"{result.stop_reason or MISSING}{BESIDE}"


def _withheld_if_about(asked: bytes | None, body: Any, said: str) -> CallResult:
    """What a policy error in a reply counts as. RetryableError: it is about another prompt."""
    if asked and quotes_another_prompt(asked, body):
        raise _garbage(OTHER_PROMPT, unreadable=True)
    return withheld(200, said)


def _counted(result: CallResult) -> CallResult:
    """A reply without the counts that are none: no prompt has 0 tokens, and no text."""
    if result.input_tokens == 0:
        result = msgspec.structs.replace(result, input_tokens=None)
    if result.output_tokens == 0 and result.text:
        result = msgspec.structs.replace(result, output_tokens=None)
    return result


def _garbage(what: str, way_out: str = WRONG_ADDRESS, unreadable: bool = False) -> RetryableError:
    return RetryableError(what, way_out=way_out, unreadable=unreadable)


def _meant(wire: Wire, body: Any) -> str:
    """The way out where a body is no reply in this format: another format, if it is a whole reply in that one."""
    for name, other in WIRES.items():
        if other is not wire and body.keys() & SIGNS[name]:
            with suppress(UnusableReply, AttributeError, TypeError, KeyError, IndexError):
                other.result(body)
                return f"It is one of {other.title}: say --wire {name}."
    return WRONG_ADDRESS


def _leniently(raw: bytes) -> Any:
    """A body with half a surrogate pair in it, as models that write bytes make them: still a reply."""
    try:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
        body = json.loads(text, parse_int=_number, object_pairs_hook=without_doubles)
        if not is_utf8(raw):
            raise _garbage(NOT_UTF8)
        return json.loads(SURROGATE.sub("\N{REPLACEMENT CHARACTER}", json.dumps(body, ensure_ascii=False)))
    except DoubledName as fault:
        raise _garbage(f"the reply is malformed: {fault}", unreadable=True) from None
    except (ValueError, RecursionError):
        if is_streamed(raw):
            raise RetryableError(
                "the server streams though it was not asked to",
                way_out="Say --stream, or switch streaming off at the server.",
            ) from None
        raise _garbage("the reply is not JSON") from None


def _number(digits: str) -> int | None:
    """A whole number. One of hundreds of digits counts nothing, and is no reason to lose the reply around it."""
    return int(digits) if len(digits) < LONGEST_NUMBER else None


def message_in(raw: bytes) -> str:
    """What a server says is wrong, in one short line."""
    body = error_body(raw)
    error = error_beside(body) or body
    error = error[0] if isinstance(error, list) and error else error
    words = [error.get(name) for name in WORDS] if isinstance(error, dict) else [error]
    said = next((word for word in words if word and isinstance(word, str)), None)
    return shortened(said or raw.decode(errors="replace"))


def seconds_of(retry_after: str | None) -> float | None:
    """Seconds of a Retry-After header, which may be a number or a date."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        from datetime import UTC, datetime
        from email.utils import parsedate_to_datetime

        try:
            seconds = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(seconds, 0.0) or None if math.isfinite(seconds) else None
