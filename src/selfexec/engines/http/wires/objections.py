"""What else in a reply may speak against it: a rule about the fields, parts and events that no format lists.

Servers add fields of their own to each object of a reply, and nearly all of them are harmless. An unlisted field voids
the reply by its name and its value:

    a name that tells of a failure       `exception`, `Error`, `fault`, `failure`, `failed`, `errno`, and all names
                                         that contain such a word: voids unless the value says nothing (null, false,
                                         0, "", an empty object, and a word for nothing)
    `detail`, `details`                  the same
    `success`, `ok`, `succeeded`         void where they are false
    `aborted`, `cancelled`, `incomplete`, `interrupted`
                                         void where they are true
    `code`, `status`, `status_code`      void unless they say that all went well: 0, below 400, a word as "ok"
    `message`, `msg`                     void unless they say that all went well
    `x_` and a name                      an object (`x_groq`) voids by the fields in it

Every other field passes, whatever it holds: only its own server knows what it means. A void reply has an unknown end.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from selfexec.engines.http.ends import end_of
from selfexec.engines.http.errors import FLAT_CODES, FLAT_WORDS, error_beside, says_something, sentence_of

NONE: Mapping[str, Any] = {}
# names that occur in nearly all replies: the fast way, and nothing else
PLAIN = frozenset(
    (
        *("id", "object", "created", "created_at", "model", "choices", "usage", "system_fingerprint", "service_tier"),
        *(
            "provider",
            "simulated",
            "index",
            "delta",
            "finish_reason",
            "native_finish_reason",
            "stop_reason",
            "logprobs",
        ),
        *("role", "content", "refusal", "annotations", "audio", "function_call", "tool_calls", "reasoning", "text"),
        *("reasoning_content", "reasoning_details", "type", "stop_sequence", "output", "store", "tools", "tool_choice"),
        *("content_filter_results", "prompt_filter_results", "obfuscation", "timings", "token_ids", "prompt_logprobs"),
        *("candidates", "parts", "finishReason", "usageMetadata", "modelVersion", "responseId", "promptFeedback"),
        *("citations", "thinking", "signature", "data", "thought", "thoughtSignature", "value", "completed_at"),
        *("logprobs", "response", "item", "part", "message_id"),
        *("parallel_tool_calls", "incomplete_details", "item_id", "output_index", "content_index", "sequence_number"),
    )
)
Kind = Literal["failure", "well", "ill", "state", "words", "own", "other"]
FAILURES = ("error", "exception", "fault", "fail", "traceback")
HARMLESS = ("default", "failover", "failsafe")  # which contain one of these words
WELL = frozenset(("ok", "okay", "success", "successful", "successfully", "succeeded", "true"))
KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("detail", "details"), "failure"),
    **dict.fromkeys(("success", "ok", "succeeded", "successful"), "well"),
    **dict.fromkeys(("aborted", "cancelled", "canceled", "incomplete", "interrupted", "timedout"), "ill"),
    **dict.fromkeys(("code", "status", "statuscode", "httpstatus", "httpcode", "httpstatuscode"), "state"),
    **dict.fromkeys(("message", "msg"), "words"),
}


@lru_cache(maxsize=1024)
def kind_of(name: str) -> Kind:
    """What the name of a field that no format lists says of its value."""
    letters = "".join(filter(str.isalnum, name.casefold()))
    if kind := KINDS.get(letters):
        return kind
    if name.startswith("x_"):
        return "own"
    for word in HARMLESS:
        letters = letters.replace(word, "")
    return "failure" if letters.startswith("err") or any(word in letters for word in FAILURES) else "other"


def objections(place: Mapping[str, Any], besides: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    """The fields of an object that speak against the reply. `besides` are fields which the format itself judges."""
    if place.keys() <= PLAIN:
        return NONE
    found = {
        name: value
        for name, value in place.items()
        if name not in PLAIN and name not in besides and _speaks_against(name, value)
    }
    flat = [name for name in found if name in FLAT and not _is_wordless(found[name])]
    if flat and error_beside({name: value for name, value in place.items() if name in FLAT}) is None:
        found = {name: value for name, value in found.items() if name not in flat}
    return found


def objection_in(*places: Any, besides: frozenset[str] = frozenset()) -> Any:
    """What speaks against a reply in one of its objects, as an error; None where nothing does."""
    for place in places:
        if isinstance(place, dict) and (found := objections(place, besides)):
            return error_beside(found) or {"message": shown(found)}
    return None


def shown(found: Mapping[str, Any]) -> str:
    """The fields that speak against a reply, as a person reads them."""
    return ", ".join(f"{name}: {sentence_of(value)}" for name, value in found.items())


# fields which are judged together: a code 0 beside a sentence says that there was no error
FLAT = frozenset(("error", "errors", *FLAT_CODES, *FLAT_WORDS))


def _is_wordless(error: Any) -> bool:
    """Whether an error is an object with an empty sentence and nothing else. With other empty fields beside it, it is
    what some servers write where there is no error.
    """
    return isinstance(error, dict) and error == {"message": ""}


def _speaks_against(name: str, value: Any) -> bool:
    match kind_of(name):
        case "failure":
            return says_something(value) or _is_wordless(value)
        case "well":
            return value is False or (isinstance(value, str) and value.strip().casefold() == "false")
        case "ill":
            return value is True
        case "state":
            return not _is_well(value)
        case "words":
            return isinstance(value, str) and not _is_well(value)
        case "own":
            return isinstance(value, dict) and bool(objections(value))
        case _:
            return False


def _is_well(value: Any) -> bool:
    """Whether a code or a status says that all went well, or nothing."""
    if isinstance(value, bool) or value is None:
        return value is not False
    if isinstance(value, int | float):
        return 0 <= value < 400
    if isinstance(value, str):
        word = value.strip().casefold()
        return (
            not says_something(word)
            or word in WELL
            or (word.isdecimal() and len(word) == 3 and word < "400")
            or (end_of(word).kind == "done")
        )
    return not says_something(value) or (isinstance(value, dict) and not objections(value))
