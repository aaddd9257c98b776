"""What a reply says of itself that does not fit the request that it came to, other replies, or itself.

    another kind of input    a count above 0 of pictures, sound or documents, where only text was sent
    a search                 a trace of a tool, where none was sent: see `wires.tool_traces`
    another setting          a setting that was sent and is repeated with another value, in any object; and more tokens,
                             beside thoughts that are counted, than the limit that was sent
    no system prompt         a field for it that is null, where one was sent
    another conversation     the id of an earlier reply in any field but its own id, or the number of a later turn
    another time             a time ten minutes or more before the call where other replies have that of the call, in
                             any field or header or in the id; and in `Last-Modified`, if the clock of `Date` is right
    another length           a number that was the count of tokens or characters of other replies, and is not here
    another total            one of tokens that is not the sum of the counts, though these have thoughts, or by one
                             number with many replies
    another call             the `X-Request-Id` of an earlier reply, where nearly all have one of their own
    another resource         a `Content-Location` that is neither what was asked nor the reply
    a finding                a flag that a server sets where it finds the input or the output unfit (MiniMax's)
    two replies              a refusal beside a text
    another text             log-probabilities whose tokens spell another one than came

A rule asks for values, wherever they stand, and not for the names of single gateways. None of it is certain: a server
may have searched by design, or count otherwise. So nothing is voided, and `runs.odd_replies` says what was found. What
the Responses format repeats of a request is judged in `wires.echoes`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from selfexec.engines.base import BETWEEN_PARTS, CallResult
from selfexec.engines.http.known_names import FIELDS, LOCATION
from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.other_fields import shown_value, unlisted_headers
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.engines.http.server_clocks import EXACT, OLDEST, SKEW
from selfexec.engines.http.server_times import seconds_of_date, time_in_id, time_of
from selfexec.engines.http.wires.tool_traces import (
    A_TYPE,
    COUNTS,
    MAY_BE_A_USE,
    SEARCHES,
    asks_for_tools,
    is_name_of_a_find,
    trace_of_a_tool,
)
from selfexec.text.regex import regex

MOST_LEAVES, DEEPEST, LONGEST_VALUE = 2_000, 12, 200
MOST_IDS, SHORTEST_ID = 20_000, 8  # of a model at an address, and characters of one that is no mere number
MOST_NUMBERS = 100  # fields of a model whose numbers are compared with the length of its replies
# how often a field has had a right length or time before it may be wrong, and by how much a length may be off
ALIKE, APART = 3, 1
MOST_TIMES = 100  # right ones of a field that are remembered

OF_THE_CALL, LEAST_CALLS = "X-Request-Id", 8  # calls with ids of their own
MODES = frozenset(("image", "images", "audio", "video", "videos", "document", "documents", "pdf", "picture"))
SYSTEM = frozenset(("instructions", "system", "system_prompt", "systemInstruction", "system_instruction"))
SYSTEM_NAMES = frozenset(map(str.encode, SYSTEM))
UNFIT = frozenset(("sensitive", "flagged"))
OF_A_TEXT = frozenset(("input", "prompt", "output", "response", "reply", "completion", "content", "text", "answer"))
ASKED_AT = ("/completions", "/responses", "/messages", ":generatecontent", ":streamgeneratecontent")
TURNS = frozenset(("turn", "turns", "round", "rounds"))
IN_WORDS = frozenset(("effort", "verbosity"))  # settings whose value is a word
NO_SETTINGS = frozenset(("stream", "store", "include_usage", "logprobs", "n"))
USAGE = frozenset(("usage", "usageMetadata"))
# lists that are long, and say nothing here but how long they are
LISTS = frozenset(("logprobs", "logprobsResult", "prompt_logprobs", "top_logprobs", "token_ids", "bytes"))
WITH_LENGTHS = frozenset(("modality", "token_ids", "timings"))
# settings that replies of a format repeat in a field of it
REPEATED = frozenset(
    (
        *("temperature", "top_p", "top_k", "min_p", "seed", "max_tokens", "max_output_tokens", "effort", "verbosity"),
        *("presence_penalty", "frequency_penalty", "repetition_penalty", "top_logprobs"),
    )
)
NOTHING = regex(rb'\s*(?:null|0|0\.0|false|\[\s*\]|\{\s*\}|""|"TEXT")\s*[,}\]]')
MARK = regex(r"<\|[^<>|]{1,40}\|>|</?s>|<(?:[a-z]+_of_turn|[be]os|pad)>|token_id:\d+")  # no text of a token
BYTES_OF_TOKENS = regex(r"\ufffd|\\x[0-9a-fA-F]{2}|<0x[0-9A-F]{2}>|[\u0120\u010a]")  # those of no whole character
ASKED_AGAIN = frozenset(("messages", "contents", "prompt", "input", "tools", "text"))  # judged as echoes
LIMITED, ENDS_OF_TURN = b'"max', 2
# as a request has it; that of thoughts alone is another one
LIMIT = regex(rb'(?<!"reasoning":\{)"(?:max_(?:completion_|output_)?tokens|maxOutputTokens)":(\d+)')


class Leaf(NamedTuple):
    """A value of a body, with its path, the name of its field, and whether it stands among counts."""

    path: str
    name: str
    value: Any
    in_usage: bool


class Calls(NamedTuple):
    """The ids of the calls of a model at an address, and those that came once more."""

    ids: set[str]
    again: list[str]


class Contradictions:
    """The ids of the replies of each model at each address, and which of their numbers were the length of a reply."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], set[str]] = {}
        self._calls: dict[tuple[str, str], Calls] = {}
        self._alike: dict[tuple[str, str], dict[tuple[str, str], set[int]]] = {}
        self._unexplained: dict[tuple[str, str], Counter[int]] = {}  # by how many tokens totals were not the sums
        self._at_call: dict[tuple[str, str], dict[str, list[float]]] = {}  # the last times that were right

    def of(
        self,
        whose: tuple[str, str],
        asked: bytes,
        body: RawBody,
        headers: Mapping[str, str],
        result: CallResult,
        at: float = 0.0,
    ) -> str | None:
        """What a reply contradicts, of a model at an address; None for nearly all. `at` is when its call was sent."""
        numbered = unlisted_headers(tuple(headers))
        if result.error is not None:
            return None
        parts = [*_stored(headers, at), *_spelt_otherwise(result), *_beyond_limit(asked, result)]
        parts += self._known_request(whose, headers)
        if result.refusal and result.text:
            parts.append("a refusal stands beside a text")
        if result.unexplained_tokens:
            parts += self._other_total(whose, result)
        parts += self._earlier(whose, [("id", time_in_id(result.completion_id))], at)
        if not (numbered or may_contradict(body.names, body.raw, asked)):
            return BETWEEN_PARTS.join(parts) or None
        sent = msgspec.json.decode(asked)
        leaves = [*leaves_of(body.value)]
        leaves += (Leaf(f"header {name.lower()}", name, headers[name], False) for name in numbered)
        parts += self._earlier(whose, ((leaf.path, time_of(leaf.value)) for leaf in leaves), at)
        parts += [*_found_unfit(leaves), *_elsewhere(leaves, result.completion_id)]
        parts += [*_not_sent(sent, leaves), *_other_settings(sent, leaves), *_later_turns(sent, leaves)]
        parts += self._earlier_replies(whose, result.completion_id, leaves)
        parts += self._other_lengths(whose, result, leaves)
        return BETWEEN_PARTS.join(dict.fromkeys(parts)) or None

    def _known_request(self, whose: tuple[str, str], headers: Mapping[str, str]) -> Iterator[str]:
        """The header with the id of a call, where it was that of an earlier one, though most calls have one of their
        own: the response is that to the other call.
        """
        if not (id := headers.get(OF_THE_CALL)):
            return
        calls = self._calls.setdefault(whose, Calls(set(), []))
        if id not in calls.ids:
            if len(calls.ids) < MOST_IDS:
                calls.ids.add(id)
        elif 2 * len(calls.again) < len(calls.ids) >= LEAST_CALLS:
            calls.again.append(id)
            yield f"header {OF_THE_CALL.lower()} is that of an earlier reply"

    def _other_total(self, whose: tuple[str, str], result: CallResult) -> Iterator[str]:
        """The total that is not the sum of the counts. Where it is above that, and thoughts are not counted, they may
        be what is left, but for a number that comes again and again.
        """
        rest = result.unexplained_tokens
        times = self._unexplained.setdefault(whose, Counter())
        if rest in times or len(times) < MOST_NUMBERS:
            times[rest] += 1
        is_constant = times[rest] >= ALIKE and 2 * times[rest] >= times.total()
        if rest < 0 or result.reasoning_tokens is not None or is_constant:
            yield "the total of its tokens is not the sum of their counts"

    def _earlier(self, whose: tuple[str, str], times: Iterable[tuple[str, float | None]], at: float) -> Iterator[str]:
        """The places whose times are long before the call, where those of other replies were not. One that has come
        before says since when something has been running.
        """
        for place, made in times:
            if made is None:
                continue
            places = self._at_call.setdefault(whose, {})
            if place not in places and len(places) >= MOST_NUMBERS:
                continue
            right = places.setdefault(place, [])
            if abs(at - made) <= EXACT:
                right[:-MOST_TIMES] = []
                right.append(made)
            elif SKEW < at - made < OLDEST and len(right) >= ALIKE and made not in right:
                yield f"{place} lies ten minutes or more before the call, and with other replies at the call"

    def _earlier_replies(self, whose: tuple[str, str], own: str | None, leaves: list[Leaf]) -> Iterator[str]:
        """The fields that hold the id of an earlier reply: this one goes on from it."""
        ids = self._ids.setdefault(whose, set())
        for leaf in leaves:
            if isinstance(leaf.value, str) and leaf.value != own and leaf.value in ids and leaf.path != "id":
                yield f"{leaf.path} is the id of an earlier reply, and each session is to know of no other"
        if own and len(own) >= SHORTEST_ID and len(ids) < MOST_IDS:
            ids.add(own)

    def _other_lengths(self, whose: tuple[str, str], result: CallResult, leaves: list[Leaf]) -> Iterator[str]:
        """The numbers that were the length of other replies, and are not that of this one."""
        alike = self._alike.setdefault(whose, {})
        lengths = _lengths(result)
        times = Counter(leaf.path for leaf in leaves)
        for leaf in leaves:
            number = _number(leaf.value)
            if number is None or leaf.in_usage or times[leaf.path] > 1:
                continue
            for unit, right in lengths.items():
                lengths_had = alike.get((leaf.path, unit), set())
                if any(abs(number - length) <= APART for length in right):
                    if len(alike) < MOST_NUMBERS and len(lengths_had) <= ALIKE:
                        alike.setdefault((leaf.path, unit), set()).add(number)
                elif len(lengths_had) >= ALIKE:
                    yield f"{leaf.path} is not the number of {unit}, as with other replies"


def _stored(headers: Mapping[str, str], at: float) -> Iterator[str]:
    """`Last-Modified`, where it says that what came was there long before its call, by a clock that is right."""
    if modified := headers.get("Last-Modified"):
        made, now = seconds_of_date(modified), seconds_of_date(headers.get("Date") or "")
        if made is not None and now is not None and abs(at - now) <= EXACT and SKEW < at - made < OLDEST:
            yield "header last-modified lies ten minutes or more before the call"


def _spelt_otherwise(result: CallResult) -> Iterator[str]:
    """Log-probabilities whose tokens spell another text than came. Letters and digits are compared, since tokens have
    blanks and marks of their own, and one of both may have more at its ends: thoughts, or the beginning or the end of a
    turn. Where tokens are spelt in bytes, only what is ASCII is compared.
    """
    if not result.logprobs or not result.text:
        return
    tokens = MARK.sub("", "".join(token.token for token in result.logprobs))
    only = str.isascii if BYTES_OF_TOKENS.search(tokens) else bool
    spelt, text = (
        "".join(letter for letter in BYTES_OF_TOKENS.sub("", whole).casefold() if letter.isalnum() and only(letter))
        for whole in (tokens, result.text)
    )
    if spelt and text and not (spelt in text or text in spelt):
        yield "the tokens of the log-probabilities spell another text"


def _beyond_limit(asked: bytes, result: CallResult) -> Iterator[str]:
    """More tokens than the limit that was sent: it did not arrive. Some servers count the end of a turn."""
    limits = LIMIT.findall(asked) if result.output_tokens and LIMITED in asked else ()
    if limits and (result.output_tokens or 0) - (result.reasoning_tokens or 0) > max(map(int, limits)) + ENDS_OF_TURN:
        yield "it has more tokens than the limit that was sent"


@lru_cache(maxsize=256)
def _looked_at(names: frozenset[bytes]) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Of the names of a body those that may say something here by their values, and those of settings."""
    named = [(name, name.decode(errors="replace")) for name in names]
    telling = [name for name, text in named if _may_tell(text)]
    settings = [name for name, text in named if text in REPEATED | SYSTEM]
    return tuple(telling), tuple(settings)


def _may_tell(name: str) -> bool:
    words = {*name_words(name)}
    return (
        bool(words & (MODES | SEARCHES | TURNS))
        or name in WITH_LENGTHS
        or is_name_of_a_find(name)
        or _flags_as_unfit(name)
        or name not in FIELDS
    )


def may_contradict(names: frozenset[bytes], raw: bytes, asked: bytes) -> bool:
    """Whether a body with these fields is looked at: whether one that may tell of something holds anything, or one is a
    setting of the request. A server sends the same names with nearly every reply, and mostly nothing in such fields.
    """
    telling, settings = _looked_at(names)
    if any(_holds_anything(raw, b'"%b":' % name) for name in telling):
        return True
    if A_TYPE in names and MAY_BE_A_USE.search(raw):
        return True
    return any((b'"system' in asked or name in asked) if name in SYSTEM_NAMES else name in asked for name in settings)


def _holds_anything(raw: bytes, name: bytes) -> bool:
    """Whether a field of this name has a value other than nothing, anywhere in a body."""
    place = raw.find(name)
    if place < 0:
        return True  # a blank stands before its colon
    while place >= 0:
        if not NOTHING.match(raw, place + len(name)):
            return True
        place = raw.find(name, place + len(name))
    return False


def leaves_of(body: Any) -> Iterator[Leaf]:
    """The values of a body that are short, from the outside in. A list of scalars counts by its length."""
    waiting: list[tuple[str, str, Any, bool, int]] = [("", "", body, False, 0)]
    for _ in range(MOST_LEAVES):
        if not waiting:
            return
        path, name, value, in_usage, depth = waiting.pop(0)
        if isinstance(value, dict) and depth <= DEEPEST and name not in LISTS:
            if value and is_name_of_a_find(name):
                yield Leaf(path, name, value, in_usage)
            inner = ((f"{path}.{key}" if path else key, key, part) for key, part in value.items())
            waiting += [(here, key, part, in_usage or key in USAGE, depth + 1) for here, key, part in inner]
        elif isinstance(value, list):
            if name in LISTS or is_name_of_a_find(name) or not any(isinstance(part, dict | list) for part in value):
                yield Leaf(path, name, value, in_usage)
            elif name not in ASKED_AGAIN:
                waiting += [(path, name, part, in_usage, depth + 1) for part in value[:20]]
        elif not (isinstance(value, str) and len(value) > LONGEST_VALUE):
            yield Leaf(path, name, value, in_usage)


def _not_sent(sent: Mapping[str, Any], leaves: list[Leaf]) -> Iterator[str]:
    """Counts above 0 of a kind of input that was not sent, and traces of tools."""
    has_tools = asks_for_tools(sent)
    modality: Any = None
    for leaf in leaves:
        words = {*name_words(leaf.name)}
        if leaf.name == "modality":
            modality = leaf.value
        is_above_0 = type(leaf.value) in (int, float) and leaf.value > 0
        is_count = is_above_0 and bool(words & COUNTS)
        if is_count and (words & MODES or (leaf.name == "tokenCount" and modality not in (None, "TEXT"))):
            which = f"{leaf.path} of {modality}" if leaf.name == "tokenCount" else leaf.path
            yield f"{which} is above 0, and only text was sent"
        elif not has_tools and (trace := trace_of_a_tool(leaf.path, leaf.name, leaf.value)):
            yield f"{trace}, and no tool or search was asked for"
    if has_system(sent):
        named = (leaf for leaf in leaves if leaf.path in SYSTEM and leaf.value in (None, ""))
        yield from (f"{leaf.path} is empty, and a system prompt was sent" for leaf in named)


def _found_unfit(leaves: list[Leaf]) -> Iterator[str]:
    """The flags by which a server says that it found what was asked or said unfit, beside a text all the same."""
    named = (leaf for leaf in leaves if leaf.value is True and _flags_as_unfit(leaf.name))
    yield from (f"{leaf.path} is true, and a text came with it" for leaf in named)


def _flags_as_unfit(name: str) -> bool:
    words = name_words(name)
    return not (UNFIT.isdisjoint(words) or OF_A_TEXT.isdisjoint(words))


def _elsewhere(leaves: list[Leaf], id: str | None) -> Iterator[str]:
    """The header that names what came as another resource than was asked: a file, say (RFC 9110)."""
    for leaf in leaves:
        if leaf.name.lower() == LOCATION and leaf.path.startswith("header ") and isinstance(leaf.value, str):
            is_asked = leaf.value.partition("?")[0].rstrip("/").lower().endswith(ASKED_AT)
            if not (is_asked or (id and id in leaf.value)):
                yield f"header {LOCATION} names another resource, {shown_value(leaf.value)}"


def has_system(sent: Mapping[str, Any]) -> bool:
    """Whether a request has a system prompt."""
    messages = sent.get("messages")
    roles = [message.get("role") for message in messages if isinstance(message, dict)] if messages else []
    return any(sent.get(name) for name in SYSTEM) or "system" in roles


def _other_settings(sent: Mapping[str, Any], leaves: list[Leaf]) -> Iterator[str]:
    """The settings that a reply repeats with another value than was sent."""
    settings = {_letters(leaf.name): leaf.value for leaf in leaves_of(sent) if _is_setting(leaf)}
    for leaf in leaves if settings else ():
        was = settings.get(_letters(leaf.name))
        if was is None or leaf.in_usage or leaf.value is None or type(leaf.value) not in (int, float, bool, str):
            continue
        if _letters(leaf.name) in settings and not _are_alike(was, leaf.value):
            yield f"{leaf.path} is {shown_value(leaf.value)}, and {shown_value(was)} was sent"


def _is_setting(leaf: Leaf) -> bool:
    """Whether a field of a request is a setting whose value can be compared."""
    is_named = leaf.name not in NO_SETTINGS and "." not in leaf.name
    in_words = isinstance(leaf.value, str) and not IN_WORDS.isdisjoint(name_words(leaf.name))
    return is_named and (in_words or isinstance(leaf.value, int | float))


def _are_alike(was: Any, value: Any) -> bool:
    if isinstance(was, str) or isinstance(value, str):
        return str(was).casefold() == str(value).casefold() or isinstance(was, str) != isinstance(value, str)
    return math.isclose(was, value, rel_tol=1e-3, abs_tol=1e-3)


def _letters(name: str) -> str:
    """A name as both `topP` and `top_p` have it."""
    return "".join(name_words(name))


def _later_turns(sent: Mapping[str, Any], leaves: list[Leaf]) -> Iterator[str]:
    """The numbers of turns above 1, where a request has one."""
    if any(isinstance(sent.get(name), list) and len(sent[name]) > 2 for name in ("messages", "contents", "input")):
        return
    for leaf in leaves:
        if not TURNS.isdisjoint(name_words(leaf.name)[-1:]) and type(leaf.value) is int and leaf.value > 1:
            yield f"{leaf.path} is above 1, and each session has one turn"


def _number(value: Any) -> int | None:
    """A count, as a body or a header has it; of a list how long it is."""
    if isinstance(value, list):
        return len(value) if len(value) > 1 else None
    if isinstance(value, str):
        return int(value) if value.isdecimal() and len(value) < 9 else None
    return value if type(value) is int and value > 1 else None


def _lengths(result: CallResult) -> Mapping[str, tuple[int, ...]]:
    """How long a reply is: its tokens, with its thoughts and without, and its characters and bytes."""
    tokens = result.output_tokens or 0
    text = result.text or ""
    characters = (len(text), len(text.encode(errors="replace")))
    lengths = {"tokens": (tokens, tokens - (result.reasoning_tokens or 0)), "characters": characters}
    return {unit: right for unit, right in lengths.items() if min(right) > 1}
