"""What else in a reply may speak against it: a rule about the fields, parts and events that no format lists.

Servers add fields of their own to each object of a reply, and nearly all of them are harmless. An unlisted field voids
the reply by its name and its value:

    a name that tells of a failure       `exception`, `Error`, `fault`, `failure`, `failed`, `errno`, and all names
                                         that contain such a word: voids unless the value says nothing (null, false,
                                         0, "", an empty object, and a word for nothing)
    `detail`, `details`                  the same
    `success`, `ok`, `succeeded`         void where they are false
    `complete`, `done`, `is_finished`    void where they are false in the whole
    `code`, `status`, `status_code`      void unless they say that all went well: 0, below 400, a word as "ok"
    `message`, `msg`                     void unless they say that all went well
    a name of how a reply fared          `truncated`, `is_partial`, `upstream_degraded`: void where they are true, or
                                         hold something else behind a last word of this kind
    a name of a state                    `upstream_status`, `state`, `stop_reason`: void where it is one of failure
    a name of a change on the way        `redacted`, `is_masked`, `text_transformed`, `mock`, `fallback_used`: made of
                                         nothing but words for it; void where they are true
    a name of one part of several        `has_more`, `next_page_token`, `page` with `total_pages`: void in the whole
                                         where more follows

    a warning in words                   `warning`, `notices`, ...: void where a sentence says that the reply is not
                                         whole, or that the prompt was cut

The same names void a reply in the objects and lists within an unlisted field, however deep they stand (`metadata`,
`upstream`, `error`), but for `detail` and `message`, which there may speak of anything, and for a state, which there
voids only where it is one of failure. Of a list of attempts the last one counts, and so it does of any list of objects
of which the last says that it went well. Names of settings and of how failures are dealt with (`max_errors`,
`retry_on_failure`, `error_budget`, `fault_tolerance`) say nothing, nor do numbers that tell how often something happens
(`error_rate`) or that stand among others as counts (`{rejected: 5, accepted: 20}`), what the model wrote, what was
asked, what is said of logs and settings, and what is said of single tokens.

Every other field passes here, whatever it holds: only its own server knows what it means. What says that the prompt was
changed or that another model answered is judged in `not_as_sent`, what a cache had in `caches`, and what answered in
place of a model in `stand_ins`. A void reply has an unknown end.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from selfexec.engines.http.ends import LONGEST_END, end_of
from selfexec.engines.http.errors import FLAT_CODES, FLAT_WORDS, error_beside, says_something, sentence_of
from selfexec.engines.http.name_words import name_words
from selfexec.text.regex import regex

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
# what the model wrote or a tool brought, what was asked, and tables of tokens: their words say nothing of the reply
WRITTEN = frozenset(
    (
        *("text", "content", "contents", "parts", "reasoning_details", "thinking", "thinking_blocks", "refusal"),
        *("tool_calls", "function_call", "functionCall", "arguments", "args", "input", "parsed", "tool_results"),
        *("annotations", "citations", "citationMetadata", "groundingMetadata", "urlContextMetadata", "search_results"),
        *("logprobs", "prompt_logprobs", "logprobsResult", "token_ids", "prompt_token_ids", "tools", "tool_choice"),
        *("instructions", "prompt", "messages", "response_format", "schema", "json_schema"),
        *("content_filter_results", "prompt_filter_results", "safetyRatings", "safety_ratings"),
    )
)
# the objects of a format within another one of it, each of which is a place of its own
PLACES = frozenset(
    (*("choices", "candidates", "output", "message", "delta", "response", "item", "part", "content_block"),)
)
UNSEARCHED = WRITTEN | PLACES
NESTS = frozenset((dict, list))
Kind = Literal["failure", "detail", "well", "state", "words", "own", "other"]
FAILURES = ("error", "exception", "fault", "fail", "traceback")
HARMLESS = ("default", "failover", "failsafe")  # which contain one of these words
WELL = frozenset(("ok", "okay", "success", "successful", "successfully", "succeeded", "true"))
KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("detail", "details"), "detail"),
    **dict.fromkeys(("success", "ok", "succeeded", "successful"), "well"),
    **dict.fromkeys(("code", "status", "statuscode", "httpstatus", "httpcode", "httpstatuscode"), "state"),
    **dict.fromkeys(("message", "msg"), "words"),
}
# how a reply may have fared that is not whole, or a server that is not well
ILL = frozenset(
    (
        *("truncated", "partial", "partially", "incomplete", "unfinished", "interrupted", "aborted", "cancelled"),
        *("canceled", "terminated", "killed", "crashed", "broken", "corrupt", "corrupted", "malformed", "invalid"),
        *("dropped", "lost", "disconnected", "timedout", "degraded", "unhealthy", "unavailable", "overloaded"),
        *("throttled", "rejected", "denied", "blocked"),
    )
)
ILL_IF_TRUE = ILL | {"timeout"}  # which has a number where it is a setting
ILL_STATES = ILL | {"timeout", "down", "dead", "abort", "cancel", "bad", "panic"}
UNDER_WAY = frozenset(
    (
        *("running", "pending", "queued", "processing", "started", "starting", "generating", "streaming", "waiting"),
        *("scheduled", "progress", "ongoing"),
    )
)
# what was done to a text on its way, or what stood in for one, and what may stand with such a word in a name
ALTERED = frozenset(
    (
        *("redacted", "masked", "sanitized", "sanitised", "anonymized", "anonymised", "censored", "transformed"),
        *("rewritten", "modified", "altered", "replaced", "substituted", "translated"),
        *("mock", "mocked", "stub", "stubbed", "canned", "placeholder", "fallback", "failover"),
    )
)
# the names of objects in which something else may be so: what is logged, and what may happen
APART = frozenset(
    (
        *("log", "logs", "logging", "telemetry", "tracing", "audit", "analytics", "key", "keys", "credentials"),
        *("config", "configuration", "settings", "options", "params", "parameters", "preferences", "policy"),
    )
)
NOT_ILL = frozenset(("no", "off", "never", "disabled", "auto"))
STATES = frozenset(("status", "state", "outcome", "result", "phase", "health", "code"))
ENDINGS = frozenset(("finish", "stop", "done", "end", "completion", "termination"))  # whose reason is a state
# a name with one of these words is that of a setting, and says what may happen
SETTINGS = frozenset(
    (
        *("allow", "allowed", "include", "includes", "enable", "enabled", "support", "supports", "supported", "can"),
        *("may", "should", "use", "return", "on", "if", "max", "min", "ignore", "skip", "continue", "threshold"),
    )
)
# behind a word for a failure: that it is dealt with, and not that there was one
DEALING = frozenset(
    (
        *("mode", "handler", "handling", "page", "budget", "tolerance", "tolerant", "injection", "policy"),
        *("strategy", "threshold", "reporting", "recovery", "correction", "margin"),
    )
)
FINISHED = [[word] for word in ("complete", "completed", "done", "finished", "final", "eos")]
OF_A_REPLY = frozenset(("is", "x", "response", "reply", "stream", "output", "message", "completion"))
FORMS = frozenset(("is", "was", "has", "been", "are"))  # which say of a word that it holds
OF_A_CHANGE = ALTERED | OF_A_REPLY | FORMS | {"text", "content", "pii", "used", "from", "by"}
# one part of several
PARTS = frozenset(("page", "part", "chunk", "segment", "piece"))
NUMBERS, TOTALS = frozenset(("current", "number", "no", "index")), frozenset(("total", "number", "num", "count", "of"))
CURSORS = frozenset(("next", "page", "token", "cursor", "url", "link", "uri", "part", "chunk", "offset"))
_BEFORE, _TELLING, _BEHIND = (
    "|".join(sorted(words))
    for words in (
        FORMS | OF_A_REPLY | STATES,
        ILL_IF_TRUE | STATES | {word for (word,) in FINISHED},
        FORMS | OF_A_REPLY,
    )
)
FORMED = regex("(?:is|was|has|had)(success|ok|succeeded|successful)")
COMPOUND = regex(f"(?:{_BEFORE})*({_TELLING})(?:{_BEHIND})*")  # `istruncated`, `partialresponse`
RATES = frozenset(("rate", "ratio", "percent", "percentage", "probability"))
ATTEMPTS = frozenset(
    (
        *("attempt", "attempts", "retry", "retries", "tries", "fallback", "fallbacks", "history"),
        *("previous", "prior", "earlier"),
    )
)


class Meaning(NamedTuple):
    """What the name of a field that no format lists says of its value. `ill`: whether it says that a reply fared ill,
    if the value is true, or (`last`) if it is anything; `state`: whether the value is a state; `filtering`: whether it
    holds what a filter found in the prompt and in the text, be it much or little; `rate`: whether a number in it tells
    how often something happens to the server's replies; `finished`: whether it says that the reply is all there;
    `own_state`: whether it is the state of the reply itself; `altered`: whether it says that the text is not as the
    model wrote it; `warning`: whether it holds warnings in words.
    """

    kind: Kind
    ill: bool = False
    last: bool = False
    state: bool = False
    setting: bool = False
    attempts: bool = False
    filtering: bool = False
    rate: bool = False
    finished: bool = False
    own_state: bool = False
    altered: bool = False
    warning: bool = False


@lru_cache(maxsize=2048)
def meaning_of(name: str) -> Meaning:
    words = words_of_name(name)
    joined = [*words, "".join(words), *map("".join, pairwise(words))]
    kind = kind_of(name)
    return Meaning(
        kind,
        ill=not ILL_IF_TRUE.isdisjoint(joined),
        last=bool(words) and not ILL.isdisjoint((words[-1], "".join(words[-2:]))),
        state=bool(words) and (words[-1] in STATES or (words[-1] == "reason" and not ENDINGS.isdisjoint(words[-2:]))),
        setting=not SETTINGS.isdisjoint(words) or (kind == "failure" and not DEALING.isdisjoint(words[-1:])),
        attempts=not ATTEMPTS.isdisjoint(words),
        finished=(others := [word for word in words if word not in OF_A_REPLY]) in FINISHED,
        own_state=others == ["state"],
        warning=not WARNINGS.isdisjoint(words[-1:]),
        altered=not ALTERED.isdisjoint(words) and OF_A_CHANGE.issuperset(words),
        rate=bool(words) and words[-1] in RATES,
        filtering="safety" in words or "moderation" in words or {"content", "filter"} <= {*words},
    )


def words_of_name(name: str) -> list[str]:
    """The words of a name in small letters. One that is joined with others which add nothing is that word alone."""
    compounds = ((word, COMPOUND.fullmatch(word)) for word in name_words(name))
    return [compound[1] if compound else word for word, compound in compounds]


def kind_of(name: str) -> Kind:
    """What kind of field that no format lists has this name."""
    letters = "".join(filter(str.isalnum, name.casefold()))
    if kind := KINDS.get(letters) or (KINDS.get(bare[1]) if (bare := FORMED.fullmatch(letters)) else None):
        return kind
    if name.startswith("x_"):
        return "own"
    for word in HARMLESS:
        letters = letters.replace(word, "")
    return "failure" if letters.startswith("err") or any(word in letters for word in FAILURES) else "other"


def is_neutral(name: str) -> bool:
    """Whether the name of an event that no format lists says nothing of how a reply fared."""
    meaning = meaning_of(name)
    return meaning.kind == "other" and not (meaning.last or meaning.altered) and not is_ill_state(name)


def objections(place: Mapping[str, Any], besides: frozenset[str] = frozenset()) -> Mapping[str, Any]:
    """The fields of an object that speak against the reply. `besides` are fields which the format itself judges."""
    found: dict[str, Any] = {}
    for name, value in place.items():
        if name in (UNSEARCHED if type(value) in NESTS else PLAIN):
            continue
        if name in PLAIN:
            is_against = _is_ill_within(name, value)
        else:
            is_against = name not in besides and _speaks_against(name, value)
        if is_against:
            found[name] = value
    if not found or _is_said_to_be_well(place, found):
        return NONE
    flat = [name for name in found if name in FLAT and not _is_wordless(found[name])]
    if flat and error_beside({name: value for name, value in place.items() if name in FLAT}) is None:
        found = {name: value for name, value in found.items() if name not in flat}
    return found


def _is_said_to_be_well(place: Mapping[str, Any], against: Mapping[str, Any]) -> bool:
    """Whether nothing but codes that are no status of HTTP speak against a reply, and the words beside them say that
    all went well: each server has its own code for that.
    """
    if not all(meaning_of(name).kind == "state" and _is_own_code(value) for name, value in against.items()):
        return False
    words = [value for name, value in place.items() if meaning_of(name).kind == "words" and isinstance(value, str)]
    return any(word.strip().casefold() in WELL for word in words)


def _is_own_code(value: Any) -> bool:
    return type(value) in (int, str) and str(value).isdecimal() and not is_ill_state(value)


def marks_of_the_end(place: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields that say whether a reply has come to its end. In a stream the last piece that has them counts."""
    return {name: value for name, value in place.items() if name not in PLAIN and _marks(name)}


def _marks(name: str) -> bool:
    meaning = meaning_of(name)
    return meaning.finished or meaning.own_state or paging_of(name) is not None


def objection_in(*places: Any, besides: frozenset[str] = frozenset()) -> Any:
    """What speaks against a reply in one of its objects, as an error; None where nothing does."""
    for place in places:
        if isinstance(place, dict) and (found := objections(place, besides)):
            return error_beside(found) or {"message": shown(found)}
        if isinstance(place, dict) and (found := _unfinished(place)):
            return {"message": shown(found)}
    return None


def _unfinished(place: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of an object of a whole reply, and of the objects within it, that say that it is not all there."""
    marks = ((name, value) for name, value in marks_of_the_end(place).items() if paging_of(name) is None)
    found = {
        name: value for name, value in marks if type(value) is not int and (is_false(value) or is_under_way(value))
    }
    return found or more_to_come(place) or dict(_unfinished_within(place))


class Paging(NamedTuple):
    """What the name of a field says of a reply that comes in several parts: whether there is `more`, where the `next`
    one is, the `number` of this one or how many there are (`total`), and what its parts are.
    """

    says: Literal["more", "next", "number", "total"]
    part: str = ""


@lru_cache(maxsize=2048)
def paging_of(name: str) -> Paging | None:
    words = [word for word in name_words(name) if word not in OF_A_REPLY | FORMS]
    if words == ["more"]:
        return Paging("more")
    if words == ["continuation", "token"] or (words[:1] == ["next"] and words[-1] in CURSORS):
        return Paging("next")
    parts = [word for word in words if word.removesuffix("s") in PARTS]
    if len(parts) != 1:
        return None
    part, others = parts[0].removesuffix("s"), {*words} - {*parts}
    if others <= NUMBERS and part == parts[0]:
        return Paging("number", part)
    return Paging("total", part) if others <= TOTALS else None


def more_to_come(place: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of an object that say that this is one part of a reply, and another one follows."""
    paged = [(name, value, paging) for name, value in place.items() if (paging := paging_of(name)) is not None]
    totals = {paging.part: value for _, value, paging in paged if paging.says == "total" and type(value) is int}
    return {name: value for name, value, paging in paged if _is_followed(name, value, paging, totals)}


def _is_followed(name: str, value: Any, paging: Paging, totals: Mapping[str, int]) -> bool:
    match paging.says:
        case "more":
            return is_true(value)
        case "next":
            return says_something(value) and type(value) in (str, int)
        case "number":
            counted_from_0 = "index" in name_words(name) or value == 0
            return type(value) is int and value + counted_from_0 < totals.get(paging.part, 0)
    return False


def _unfinished_within(place: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The first field within the objects of a place, but not in lists, that says that a reply is not all there."""
    waiting = [(name, value) for name, value in place.items() if type(value) is dict and _is_searched(name)]
    while waiting:
        path, value = waiting.pop()
        for name, part in value.items():
            here = f"{path}.{name}" if len(path) < LONGEST_PATH else path
            if (part is False or part == "false") and meaning_of(name).finished:
                yield here, part
                return
            if type(part) is dict and _is_searched(name):
                waiting.append((here, part))


def _is_searched(name: str) -> bool:
    return name not in UNSEARCHED and not meaning_of(name).filtering


def shown(found: Mapping[str, Any]) -> str:
    """The fields that speak against a reply, as a person reads them, each with where it stands."""
    return ", ".join(f"{path}: {sentence_of(value)}" for path, value in map(_innermost, found.items()))


def _innermost(field: tuple[str, Any]) -> tuple[str, Any]:
    name, value = field
    deeper = next(_failures_within(name, value), None) if type(value) in NESTS else None
    return deeper or field


# fields which are judged together: a code 0 beside a sentence says that there was no error
FLAT = frozenset(("error", "errors", *FLAT_CODES, *FLAT_WORDS))


def _is_wordless(error: Any) -> bool:
    """Whether an error is an object with an empty sentence and nothing else. With other empty fields beside it, it is
    what some servers write where there is no error.
    """
    return isinstance(error, dict) and error == {"message": ""}


def _speaks_against(name: str, value: Any) -> bool:
    """Whether a field of a place speaks against the reply, by itself or by what stands in it."""
    match meaning_of(name).kind:
        case "failure":
            ill = (says_something(value) and not _is_no_failure(name, value)) or _is_wordless(value)
        case "detail":
            ill = says_something(value) or _is_wordless(value)
        case "well":
            ill = is_false(value)
        case "state":
            ill = not _is_well(value)
        case "words":
            ill = isinstance(value, str) and not _is_well(value)
        case "own":
            ill = isinstance(value, dict) and bool(objections(value))
        case _:
            ill = tells_of_failure(name, value)
    if ill or type(value) not in NESTS or meaning_of(name).filtering:
        return ill
    return _is_ill_within(name, value)


def _is_no_failure(name: str, value: Any) -> bool:
    """Whether a field named for a failure tells of none: it is a setting, a rate, or the number of failed attempts."""
    meaning = meaning_of(name)
    is_number = type(value) in (int, float)
    return (meaning.setting and type(value) not in NESTS) or (is_number and (meaning.attempts or meaning.rate))


def _is_ill_within(name: str, value: Any) -> bool:
    """Whether a field within an object or a list tells of a failure."""
    if type(value) is dict and all(map(_is_a_count, value.items())):
        return False  # the counts of nearly all replies
    return next(_failures_within(name, value), None) is not None


def _is_a_count(field: tuple[str, Any]) -> bool:
    name, value = field
    return (type(value) is int or value is None) and says_nothing(name)


@lru_cache(maxsize=2048)
def says_nothing(name: str) -> bool:
    """Whether no number in a field of this name tells of a failure."""
    return meaning_of(name)._replace(setting=False, attempts=False) == Meaning("other")


def _failures_within(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The fields within an object or a list that tell of a failure, each with its path: in a time linear in how much
    there is.
    """
    waiting = [(name, name, value)]
    while waiting:
        path, name, value = waiting.pop()
        if type(value) is list:
            parts = value[-1:] if meaning_of(name).attempts or _ends_well(value) else value
            waiting += [(path, name, part) for part in parts if type(part) in NESTS]
            continue
        counted = _counted_in(value)
        for inner, part in value.items():
            if inner in WRITTEN or inner in counted or (type(part) in NESTS and meaning_of(inner).filtering):
                continue
            here = f"{path}.{inner}" if len(path) < LONGEST_PATH else path
            if tells_of_failure(inner, part) and not (meaning_of(inner).altered and _is_apart(path)):
                yield here, part
            elif type(part) in NESTS:
                waiting.append((here, inner, part))


def _is_apart(path: str) -> bool:
    return not APART.isdisjoint(name_words(path))


def _counted_in(place: Mapping[str, Any]) -> frozenset[str]:
    """The fields of an object of nothing but numbers that count how many of several things fared well or ill, as the
    tokens that were accepted and rejected: a count is no flag. One whose name has a word for the reply, as
    `stream_interrupted`, is a flag.
    """
    numbers = [name for name, value in place.items() if type(value) not in NESTS and value is not None]
    if len(numbers) < LEAST_COUNTS or not all(type(place[name]) in (int, float) for name in numbers):
        return frozenset()
    return frozenset(filter(_counts_outcomes, numbers))


def _counts_outcomes(name: str) -> bool:
    meaning = meaning_of(name)
    counts = meaning.kind == "well" or (meaning.ill and meaning.kind == "other" and not meaning.state)
    return counts and (OF_A_REPLY | FORMS).isdisjoint(words_of_name(name))


LEAST_COUNTS = 2


def _ends_well(parts: list[Any]) -> bool:
    """Whether the last of several objects says that it went well. Then they are attempts, whatever they are called."""
    last = parts[-1] if len(parts) > 1 else None
    return isinstance(last, dict) and any(_says_well(name, value) for name, value in last.items())


def _says_well(name: str, value: Any) -> bool:
    kind = meaning_of(name).kind
    if kind == "well":
        return is_true(value)
    return kind == "state" and says_something(value) and type(value) not in NESTS and _is_well(value)


LONGEST_PATH = 100  # characters of a path that are shown
LONGEST_STATE = 3  # words: more of them are a sentence


def tells_of_failure(name: str, value: Any) -> bool:
    """Whether a field tells of a failure wherever it stands, by its name and its value."""
    meaning = meaning_of(name)
    if meaning.altered:
        return is_true(value) or (type(value) is int and value == 1)
    if meaning.warning:
        return warns_of_half(value)
    if meaning.attempts and type(value) is list and "model" in name_words(name):
        return other_model_in(value)
    if meaning.setting or (meaning.attempts and not isinstance(value, str | bool)):
        return False
    if meaning.kind == "failure":
        return says_something(value) and not _is_rate(name, value)
    if meaning.kind == "well":
        return is_false(value)
    if meaning.ill and (is_true(value) or (meaning.last and _is_ill(value))):
        return True
    if not isinstance(value, str | dict) and name.lower().endswith("reason"):
        return False  # the number of the token that stopped it
    return meaning.state and is_ill_state(value)


# in a warning, a word for the reply behind one for half of it, or before it with these between
SAYS_WHAT = frozenset(("response", "reply", "output", "stream", "completion", "answer", "generation"))
BETWEEN = FORMS | {"were", "being", "got"}
POSSIBLE = frozenset(("may", "might", "can", "could", "would", "will", "if", "when", "no", "not", "never", "unless"))
OF_A_WARNING = ("message", "text", "detail", "description", "type", "code")  # the fields of one with its words
WARNINGS = frozenset(("warning", "warnings", "notice", "notices", "alert", "alerts", "note", "notes"))


def warns_of_half(value: Any) -> bool:
    """Whether a warning says that the reply it came with is not whole, or that its prompt was not. What may happen has
    not happened.
    """
    if isinstance(value, list):
        return any(map(warns_of_half, value))
    if isinstance(value, dict):
        return any(
            warns_of_half(value.get(name)) for name in ("message", "text", "detail", "description", "type", "code")
        )
    sentences = re.split(r"[.;!]", value) if isinstance(value, str) else []
    return any(_tells_of_half(words) or _tells_of_a_cut_prompt(words) for words in map(name_words, sentences))


def _tells_of_half(words: list[str]) -> bool:
    said = [word for word in words if word not in BETWEEN]
    pairs = [*pairwise(said)]
    is_half = any((a in ILL and b in SAYS_WHAT) or (a in SAYS_WHAT and b in ILL) for a, b in pairs)
    return is_half and POSSIBLE.isdisjoint(words)


# the same of a prompt, in one sentence that speaks of neither the reply nor a setting
CUT = frozenset(
    (
        *("truncated", "truncating", "truncation", "trimmed", "cut", "cropped", "clipped", "shortened", "pruned"),
        *("dropped", "removed", "discarded", "evicted", "omitted", "compressed", "compacted", "summarized"),
        *("summarised", "exceeded", "exceeds", "overflow", "overflowed"),
    )
)
PROMPT = frozenset(("prompt", "prompts", "input", "inputs", "context", "history", "conversation", "messages"))
OF_SETTINGS = frozenset(
    ("parameter", "parameters", "param", "params", "field", "fields", "option", "options", "header", "headers", "cache")
)


def _tells_of_a_cut_prompt(words: list[str]) -> bool:
    is_of_a_prompt = not (CUT.isdisjoint(words) or PROMPT.isdisjoint(words))
    return is_of_a_prompt and (POSSIBLE | OF_SETTINGS | SAYS_WHAT).isdisjoint(words)


def other_model_in(attempts: Any) -> bool:
    """Whether the last of several attempts was of another model than the first, which is the one that was asked."""
    models = [one.get(name) for one in attempts if isinstance(one, dict) for name in MODELS if one.get(name)]
    return len(models) > 1 and models[0] != models[-1]


MODELS = ("modelId", "model_id", "model")


def _is_rate(name: str, value: Any) -> bool:
    return meaning_of(name).rate and type(value) in (int, float)


def is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in ("true", "yes"))


def is_false(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in ("false", "no", "0")
    return value is False or (type(value) is int and value == 0)


def is_under_way(value: Any) -> bool:
    """Whether a state is one that another one follows."""
    words = name_words(value) if isinstance(value, str) else []
    return 0 < len(words) <= LONGEST_STATE and not UNDER_WAY.isdisjoint(words)


def _is_ill(value: Any) -> bool:
    """Whether something stands behind a name as `truncated`, and not that it is not so."""
    return says_something(value) and not (isinstance(value, str) and value.strip().casefold() in NOT_ILL)


def is_ill_state(value: Any) -> bool:
    """Whether a state is one of failure: the status of an error, or a word for one."""
    if isinstance(value, list):
        return any(map(is_ill_state, value))
    if isinstance(value, dict):
        return isinstance(kind := value.get("type"), str) and is_ill_state(kind)
    if isinstance(value, int | float):
        return 400 <= value < 600
    if not isinstance(value, str) or len(value) > LONGEST_END:
        return False
    words = name_words(value)
    if words[:1] in (["no"], ["without"]) or len(words) > LONGEST_STATE:
        return False
    return (
        (value.isdecimal() and len(value) == 3 and "400" <= value < "600")
        or kind_of(value) == "failure"
        or not ILL_STATES.isdisjoint((*words, "".join(words)))
        or end_of(value).kind == "died"
    )


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
