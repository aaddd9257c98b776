"""What ends a reply: one table for all wire formats, from a server's word to what that word says of the reply.

    done      the model came to its own end: text is its reply, and no text is its silence
    cut       a limit of tokens ended it
    withheld  the model (`refusal`) or its provider (`content_filter`) withheld it
    died      the server failed: what came is no reply, and the call is made again
    unknown   everything else, a missing end included: nobody can say whether this is a whole reply

Words are compared by their letters and digits alone, so that `MAX_TOKENS`, `max-tokens` and `maxTokens` are one, and
without the prefixes that generated clients put before them (`FINISH_REASON_STOP`). The tokens by which models end their
turn, as `<|im_end|>`, are words too. A word of two parts, as `content_filter: PROHIBITED_CONTENT`, is the worse of
them. Nothing is guessed from a word that is not listed.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from selfexec.engines.http.name_words import name_words
from selfexec.text.regex import regex

EndKind = Literal["done", "cut", "withheld", "died", "unknown"]
WORST_FIRST: tuple[EndKind, ...] = ("died", "unknown", "withheld", "cut", "done")
LONGEST_END = 200  # characters of a server's word that are kept
MISSING = "none"  # what a missing end is called
BESIDE = "+error"  # behind the word of a reply that was whole, but for an error that came beside it


class End(NamedTuple):
    """How a reply ended: `stop` is our name for it, and `word` the server's."""

    kind: EndKind
    stop: str | None
    word: str


# Sources: the references of OpenAI, Anthropic, Google (Gemini, Vertex AI), AWS Bedrock (Converse, Titan), Azure,
# Mistral, Cohere, DeepSeek, Zhipu, Baidu, Tencent, Alibaba, xAI, Groq, Together, Fireworks, Cerebras, AI21, Aleph
# Alpha and IBM watsonx; the sources of vLLM, SGLang, TensorRT-LLM, llama.cpp, Ollama, TGI and LM Studio's SDK; the
# tables of LiteLLM (core_helpers.py) and of Portkey (finishReasonMap.ts). docs/models.md says which word is whose.
_WORDS: Mapping[tuple[EndKind, str | None], str] = {
    ("done", "stop"): (
        "stop end_turn stop_sequence stop_sequence_reached eos eos_token eos_found end_id endoftext end_of_text "
        "stop_string_found stop_words stop_criteria_met word complete completed finish finished done normal"
    ),
    ("done", "tool_calls"): "tool_calls tool_call",
    ("done", "function_call"): "function_call",
    ("done", "tool_use"): "tool_use",
    ("cut", "length"): (
        "length max_tokens max_output_tokens max_completion_tokens maximum_tokens max_len max_length limit token_limit "
        "model_length max_context context_length_exceeded context_length_reached model_context_window_exceeded "
        "max_predicted_tokens_reached error_limit repetition repetition_truncation"
    ),
    ("withheld", "content_filter"): (
        "content_filter content_filtered sensitive guardrail_intervened blocked moderation safety recitation blocklist "
        "prohibited_content spii language model_armor jailbreak error_toxic "
        "image_safety image_prohibited_content image_recitation"
    ),
    ("withheld", "refusal"): "refusal",
    ("died", None): (
        "error errored server_error internal_error internal_server_error provider_error upstream_error failed failure "
        "abort aborted cancel cancelled canceled user_cancel user_cancelled user_stopped "
        "timeout timed_out time_limit insufficient_system_resource network_error connection_error "
        "overloaded engine_overloaded model_unloaded in_progress queued not_finished "
        "malformed_function_call unexpected_tool_call too_many_tool_calls malformed_response missing_thought_signature "
        "malformed_model_output malformed_tool_use"
    ),
}
SEPARATORS = regex(r"(?<=[^\W_])[\s_.-]+(?=[^\W_])")
PREFIX = regex(r"^(?:finish|stop|block(?:ed)?)?reason(?=.)")  # Google's clients, xAI's gRPC


# how a token of a vocabulary is written, in its own signs and in those of typography
OPENINGS = "<\u2039\uff1c\u27e8\u3008"
BAR, CLOSING, JOINT = r"[|\uff5c\u00a6\u2502\u2223]", "[>\u203a\uff1e\u27e9\u3009]", r"[\s_\u2581.-]"
TOKEN = regex(f"[{OPENINGS}]({BAR}?)(/?[A-Za-z]+(?:{JOINT}*[A-Za-z]+)*)({BAR}?){CLOSING}")


def _letters(word: str) -> str:
    """A word without what only its spelling adds."""
    if token := TOKEN.fullmatch(word.strip()):
        opening, name, closing = token.groups()
        letters = re.sub(JOINT, "", name).casefold()
        return f"<{'|' if opening else ''}{letters.removesuffix('token')}{'|' if closing else ''}>"
    return PREFIX.sub("", SEPARATORS.sub("", word.strip()).casefold(), count=1) if word.isascii() else word


# the tokens by which models end their turn, with and without bars; others end a tool's call, or a part of the turn
_TOKENS = "/s im_end eos eot eot_id end end_of_text end_of_turn end_of_sentence endoftext return"
# where a text goes on behind one, the turn ended there; without bars only some of them are no words of a text
_BARRED = "|".join(name.replace("_", f"{JOINT}*") for name in _TOKENS.split()[1:])
_BARE = f"end{JOINT}*of{JOINT}*(?:turn|sentence)"
RUN_ON = regex(f"[{OPENINGS}](?:{BAR}(?:{_BARRED}){JOINT}*(?:token)?{BAR}|{_BARE}){CLOSING}\\s*\\S", re.IGNORECASE)

TABLE: Mapping[str, tuple[EndKind, str | None]] = {
    **{_letters(word): meaning for meaning, words in _WORDS.items() for word in words.split()},
    **{_letters(f"<{bar}{name}{bar}>"): ("done", "stop") for name in _TOKENS.split() for bar in ("", "|")},
}
# a prompt that was blocked for a reason of this name was blocked, though a reply that ended so has no known end
BLOCKS = {_letters(word) for word, (kind, _) in TABLE.items() if kind == "withheld"} | {"other"}
NO_END = ("", "null", "none")  # how Python's and JavaScript's nothing is written where a word should be


def is_missing(word: Any) -> bool:
    """Whether a server gives no end at all."""
    return word is None or word == ""


def is_nothing(word: Any) -> bool:
    """Whether a piece of a stream has no end yet: some servers write their nothing as a word."""
    return word is None or (isinstance(word, str) and word.strip().casefold() in NO_END)


def end_of(word: Any) -> End:
    """What a server's word says."""
    if is_missing(word):
        return End("unknown", None, MISSING)
    return _end_of_word(word) if isinstance(word, str) else End("unknown", None, _shown(word))


@lru_cache(maxsize=256)
def _end_of_word(word: str) -> End:
    parts = [TABLE.get(_letters(part), ("unknown", None)) for part in word.split(":")]
    kind, stop = min(parts, key=lambda part: WORST_FIRST.index(part[0]))
    return End(kind, stop, word[:LONGEST_END])


def block_of(word: Any) -> End:
    """What the reason says for which a prompt was blocked (Gemini's `blockReason`)."""
    end = end_of(word)
    if isinstance(word, str) and _letters(word) in BLOCKS:
        return End("withheld", "content_filter", end.word)
    return end if end.kind == "died" else End("unknown", None, end.word)


def worst(ends: Iterable[End]) -> End:
    """Which of several words counts: that which speaks most against the reply. Of equals it is the first."""
    return min(ends, key=lambda end: WORST_FIRST.index(end.kind))


def worse(before: Any, now: Any) -> Any:
    """Which of two words of one stream counts, where the second came later: it does not mend what the first said."""
    given = [word for word in (before, now) if not is_nothing(word)]
    return min(given, key=lambda word: WORST_FIRST.index(end_of(word).kind), default=None)


# how the names of fields end, of their letters alone, in which servers say how a reply ended
ENDINGS = ("finish", "stop", "done", "end", "completion", "termination")
REASONS = tuple(f"{ending}reason" for ending in ENDINGS)
# those in which some servers have the string at which they stopped, or the kind of it
OF_STOPS = ("stopreason", "stoptype")


# before the word for what stopped it, in the names of flags: `stopped_limit`, `stopped_eos`
STOPPED = "stopped"
# the objects in which some say why it ended, by a type or a reason
DETAILS = tuple(f"{ending}details" for ending in ENDINGS)
# a filter's results, one for each thing that it looks for; and what says of a text that it was taken out
RESULTS, FILTERED = "contentfilterresult", frozenset(("filtered", "is", "was", "content", "text", "response", "output"))
GUARDRAIL, MODERATION = "guardrail", "moderation"
# made of nothing but these words, the name of a field in a guardrail's block says that it stepped in
DENIED = frozenset(("deny", "denied", "denial", "block", "blocked", "refuse", "refused", "refusal", "flagged", "stop"))
OF_A_DENIAL = DENIED | {"code", "message", "msg", "detail", "details", "reason", "is", "was", "response", "content"}
DEEPEST = 6  # objects within a guardrail's block that are searched
ALTERS = regex("(?:redact|mask|anonymi[sz]|saniti[sz]|rewrit|replac|transform|modif)[a-z]*", re.IGNORECASE)
INTERVENED = f"{GUARDRAIL}_intervened"  # the word of Bedrock for its own
FILTER = "content_filter"


@lru_cache(maxsize=2048)
def _named(name: str) -> str:
    """The letters of the name of a field in which a server may say how a reply ended; "" for any other."""
    letters = "".join(filter(str.isalnum, name.casefold()))
    tells = (
        letters.endswith((*REASONS, *OF_STOPS, *DETAILS))
        or letters.startswith((STOPPED, RESULTS, MODERATION))
        or GUARDRAIL in letters
        or says_filtered(name)
    )
    return letters if tells else ""


def says_filtered(name: str) -> bool:
    """Whether a field of this name says of a reply that it was taken out."""
    words = {*name_words(name)}
    return "filtered" in words and words <= FILTERED


def is_name_of_an_end(name: str) -> bool:
    """Whether a field of this name may say how a reply ended."""
    return bool(_named(name))


def end_words(place: Any) -> Mapping[str, str]:
    """The words for an end that an object of a reply holds, in the fields of any format, by the names of the fields."""
    if not isinstance(place, dict):
        return {}
    named = ((name, _word_in(letters, value)) for name, value in place.items() if (letters := _named(name)))
    return {name: word for name, word in named if word is not None and not is_nothing(word)}


def _word_in(letters: str, value: Any) -> str | None:
    """The word for an end in a field whose name has these letters; None where it holds none."""
    if GUARDRAIL in letters:
        return INTERVENED if _intervenes(value) or _denies(value) else None
    if letters.startswith(MODERATION):  # one that only rates a text has no action
        return INTERVENED if isinstance(value, dict) and _intervenes(value.get("action")) else None
    if letters.startswith(RESULTS):
        results = value.values() if isinstance(value, dict) else ()
        return FILTER if any(isinstance(part, dict) and part.get("filtered") is True for part in results) else None
    if letters.endswith("filtered"):
        return FILTER if value is True else None
    if letters.endswith((*REASONS, *DETAILS)) and isinstance(value, dict):
        given = value.get("type") or value.get("reason")
        return given if isinstance(given, str) and end_of(given).kind != "unknown" else None
    if letters.startswith(STOPPED) and value is True:
        word = letters.removeprefix(STOPPED)
        return word if end_of(word).kind != "unknown" else None
    return value if isinstance(value, str) and letters.endswith((*REASONS, *OF_STOPS)) else None


def _intervenes(action: Any) -> bool:
    """Whether an action of a guardrail is one by which it withheld or changed a text."""
    words = (action, f"{GUARDRAIL}_{action}") if isinstance(action, str) else ()
    return any(end_of(word).kind == "withheld" or ALTERS.fullmatch(word) for word in words)


def _denies(value: Any, depth: int = 0) -> bool:
    """Whether a guardrail's block, or an object or list within it, says that it denied something. Where an object says
    which action was taken, what is flagged beside it was flagged only.
    """
    if isinstance(value, list):
        return any(_denies(part, depth + 1) for part in value if isinstance(part, dict | list))
    if not isinstance(value, dict) or depth > DEEPEST:
        return False
    if isinstance(action := value.get("action"), str) and action:
        return _intervenes(action)
    if any(_is_denial(name, part) for name, part in value.items()):
        return True
    return any(_denies(part, depth + 1) for part in value.values() if isinstance(part, dict | list))


def _is_denial(name: str, value: Any) -> bool:
    """Whether a field of a guardrail's block says that it denied something."""
    words = name_words(name)
    if words == ["decisions"]:  # of NeMo Guardrails: what it did, in order
        first = [name_words(one)[:1] for one in value if isinstance(one, str)] if isinstance(value, list) else []
        return any(word in DENIED for given in first for word in given)
    is_denial = not DENIED.isdisjoint(words) and OF_A_DENIAL.issuperset(words)
    return is_denial and value not in (False, 0, "", None) and value != [] and value != {} and not is_nothing(value)


def ends_in(*places: Any) -> list[End]:
    """What objects of a reply say of its end, whatever the field is called. A word of its own for that string at which
    it stopped says nothing.
    """
    found = [(_named(name), end_of(word)) for place in places for name, word in end_words(place).items()]
    return [end for name, end in found if not (end.kind == "unknown" and name.endswith(OF_STOPS))]


def add_ends(words: dict[str, Any], *places: Any) -> None:
    """Put the words for an end that stand in pieces of a stream to those that came before: the worse ones count."""
    for place in places:
        for name, word in end_words(place).items():
            letters = _named(name)
            flag = name if letters.endswith((*REASONS, *OF_STOPS)) else f"end_{letters}_stop_reason"
            words[flag] = worse(words.get(flag), word)


def _shown(word: Any) -> str:
    """An end that is no word, as it came."""
    try:
        return json.dumps(word, ensure_ascii=False)[:LONGEST_END]
    except (ValueError, RecursionError):
        return type(word).__name__


def printable_end(word: str) -> str:
    """A server's word as an error may show it: in one line, without signs that steer a terminal."""
    line = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in word)
    return line if len(line) <= 60 else f"{line[:59]}…"
