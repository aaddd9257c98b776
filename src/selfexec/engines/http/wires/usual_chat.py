"""Nearly all chat completions have the same few fields. They are read in one step, into objects of these fields.

What has any other field, or another value in one of them than is allowed here, is decoded in full and judged field by
field in `chat`, which gives the same result for the replies that are read here.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from selfexec.engines.base import CallResult
from selfexec.engines.http.doubled_names import has_single_names
from selfexec.engines.http.ends import end_of
from selfexec.engines.http.server_times import seconds_since_1970
from selfexec.engines.http.stand_ins import judges, stand_in
from selfexec.engines.http.wires.base import apart, count_of, is_thought_alone, is_wordless, name_of, runs_on, text_of
from selfexec.engines.http.wires.not_as_sent import is_name_of_a_change, is_name_of_a_fallback
from selfexec.engines.http.wires.objections import meaning_of, says_nothing
from selfexec.engines.http.wires.totals import by_total

Text = str | UnsetType | None
Nothing = UnsetType | None
Empty = Annotated[list[None], msgspec.Meta(max_length=0)] | UnsetType | None
Counts = dict[str, int | None]


class UsualMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    role: Literal["assistant"]
    content: Annotated[str, msgspec.Meta(min_length=1)]
    refusal: Literal[""] | UnsetType | None = UNSET
    annotations: Empty = UNSET
    reasoning_content: Text = UNSET
    reasoning: Text = UNSET


class UsualChoice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    message: UsualMessage
    finish_reason: str
    index: Literal[0] | UnsetType | None = UNSET
    logprobs: Nothing = UNSET
    stop_reason: int | UnsetType | None = UNSET  # a word may contradict the other
    token_ids: Nothing = UNSET


class UsualBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    choices: tuple[UsualChoice]
    id: Text = UNSET
    object: Literal["chat.completion"] | UnsetType = UNSET
    created: int | float | UnsetType | None = UNSET
    model: Text = UNSET
    usage: dict[str, int | Counts | None] | UnsetType | None = UNSET
    system_fingerprint: Text = UNSET
    service_tier: Text = UNSET
    simulated: bool | UnsetType = UNSET
    prompt_logprobs: Nothing = UNSET
    kv_transfer_params: Nothing = UNSET


DECODE = msgspec.json.Decoder(UsualBody).decode
NO_COUNTS: Counts = {}
KNOWN_ENDS = frozenset(("done", "cut", "withheld"))


def usual_result(raw: bytes) -> CallResult | None:
    """The result of a body of the usual fields; None where it has others, or an end that is not known or that of no
    reply.
    """
    try:
        body = DECODE(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # the long way says what is wrong with it, if anything is
    usage = body.usage or {}
    details = usage.get("completion_tokens_details")
    if not isinstance(details, dict):
        details = NO_COUNTS
    choice = body.choices[0]
    message, end = choice.message, end_of(choice.finish_reason)
    if end.kind not in KNOWN_ENDS or not _are_counts(usage) or not has_single_names(raw, body):
        return None
    if runs_on(message.content) or any(map(stand_in, (body.id, body.model, body.system_fingerprint))):
        return None
    if judges(body.model):
        return None
    result = apart(
        CallResult(
            text=message.content,
            output_tokens=count_of(usage.get("completion_tokens")),
            stop_reason=end.stop,
            input_tokens=count_of(usage.get("prompt_tokens")),
            reasoning_tokens=count_of(details.get("reasoning_tokens")),
            reasoning=text_of(message.reasoning_content) or text_of(message.reasoning),
            served_model=name_of(body.model),
            fingerprint=name_of(body.system_fingerprint),
            completion_id=name_of(body.id),
            simulated=body.simulated is True,
            created=seconds_since_1970(body.created),
        )
    )
    if (total := usage.get("total_tokens")) and total != (result.input_tokens or 0) + (result.output_tokens or 0):
        result = by_total(result, usage, count_of(total))
    if not result.text or is_wordless(result.text) or is_thought_alone(result.text, result.reasoning):
        return None
    return result


def _are_counts(usage: dict[str, int | Counts | None]) -> bool:
    """Whether nothing among the counts tells of a failure. `cost` is no count, but what was paid."""
    if "cost" in usage or not _say_nothing(usage):
        return False
    return all(_say_nothing(part) for part in usage.values() if isinstance(part, dict))


def _say_nothing(counts: Mapping[str, int | Counts | None]) -> bool:
    """Whether no field tells of a failure, by its name or since it counts nothing. A success that is 0 is none."""
    return _are_harmless(tuple(counts)) or all(
        says_nothing(name) or not (value or meaning_of(name).kind == "well") for name, value in counts.items()
    )


@lru_cache(maxsize=1024)
def _are_harmless(names: tuple[str, ...]) -> bool:
    """Whether no number in fields of these names tells of a failure. A server sends the same ones with every reply."""
    return all(says_nothing(name) and not (is_name_of_a_change(name) or is_name_of_a_fallback(name)) for name in names)
