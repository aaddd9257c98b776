"""What a wire format is, and what all of them are made of.

A wire is pure functions: `url` and `headers` are the same for all calls of a model, `body` is one call's, of its
messages and sampling; `result` reads the decoded body of a reply with status 200. Whatever does not have the expected
shape raises UnusableReply.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from selfexec.engines.base import SENT_BY_ALL, CallResult
from selfexec.engines.http.ends import (
    BESIDE,
    LONGEST_END,
    OPENINGS,
    RUN_ON,
    End,
    end_of,
    ends_in,
    is_nothing,
    printable_end,
    says_filtered,
    worst,
)
from selfexec.engines.http.errors import says_something, sentence_of
from selfexec.engines.http.policy import error_in_reply, shortened
from selfexec.engines.http.providers import ENDINGS, Endpoint
from selfexec.engines.http.wires.objections import NESTS, UNSEARCHED, WRITTEN, meaning_of, objection_in
from selfexec.experiments import Capability, Message
from selfexec.readers import only_thinks
from selfexec.text.regex import regex


class UnusableReply(Exception):
    """A reply that is none: no choices, no JSON, another format, or cut off because the server behind it failed."""


class UnreadableReply(UnusableReply):
    """A reply that came whole, in a shape in which nobody can say what it says. It is no accident if it comes again."""


class Event(NamedTuple):
    """One event of a stream; most formats put its name into the data as well."""

    name: str
    data: bytes
    id: str = ""


class Habit(NamedTuple):
    """What a server has in each of its streams or in none, whatever the format says: `by` whom the stream is, whether
    it `is_there`, and what is `lost` where it is not, though other streams have it.
    """

    by: tuple[Any, ...]
    is_there: bool
    lost: str


class Gathering(Protocol):
    """Puts the pieces of a stream together. `whole` is whether the reply has come to its own end, `over` whether the
    server has said that nothing follows. Half a stream is no reply: where it is not whole, `body` raises Unusable.
    `takes_lists`: whether the pieces may come as a list as well. `habit` is for the formats in which one stream by
    itself does not show whether a part of it was lost.
    """

    takes_lists: bool
    whole: bool
    over: bool
    habit: Habit | None

    def take(self, event: Event) -> None: ...

    def body(self) -> Mapping[str, Any]:
        """The body of the same reply, had it come in one piece."""
        ...


@dataclass(frozen=True)
class Wire:
    """`streaming` are the fields of a body by which the reply is asked for in pieces, and `streamed_url` where that is
    another address. `usual` is a quick way to the result of an undecoded body that has nothing but the usual fields of
    the format; it gives None for any other body, and for any reply that is not certain to be whole. `capabilities`:
    what is carried beside one user message and its reply. `sends`: which fields of the request body that are options of
    `Sampling` go into its `body`; others are refused by name. `not_asked` says of the body of a request and that of a
    reply what the latter is a reply to that was not asked, in a format in which replies repeat requests.
    """

    title: str
    url: Callable[[Endpoint], str]
    headers: Callable[[Endpoint], Mapping[str, str]]
    body: Callable[[Endpoint, Sequence[Message], Mapping[str, Any]], Mapping[str, Any]]
    result: Callable[[Any], CallResult]
    gathering: Callable[[], Gathering]
    usual: Callable[[bytes], CallResult | None] = lambda raw: None
    streaming: Mapping[str, Any] = field(default_factory=dict)
    streamed_url: Callable[[Endpoint], str] | None = None
    capabilities: frozenset[Capability] = frozenset({"turns"})
    sends: frozenset[str] = SENT_BY_ALL
    not_asked: Callable[[Mapping[str, Any], Mapping[str, Any]], str | None] | None = None


def address(endpoint: Endpoint, path: str = "", query: str = "") -> str:
    """Where an endpoint is asked, with the query that stands in its own address."""
    asked = "&".join(part for part in (query, endpoint.query) if part)
    return f"{endpoint.url}{ENDINGS[endpoint.wire]}{path}" + (f"?{asked}" if asked else "")


def listing(endpoint: Endpoint) -> str:
    """Where a server lists its models; in the formats that have long lists in pages, where it tells of this one."""
    one = f"/{endpoint.name}" if endpoint.wire in ("anthropic", "gemini") else ""
    return f"{endpoint.url}/models{one}" + (f"?{endpoint.query}" if endpoint.query else "")


def bearer(endpoint: Endpoint) -> Mapping[str, str]:
    """The key as the OpenAI formats send it, and Azure's way of it."""
    if not endpoint.key:
        return {}
    return {endpoint.key_header: endpoint.key if endpoint.key_header == "api-key" else f"Bearer {endpoint.key}"}


def fields(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """What of it goes into the body as it is: every wire format has a place of its own for the system prompt."""
    return {name: value for name, value in sampling.items() if name != "system"}


def turns(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


# --- what comes back -------------------------------------------------------------------------------------------------

LONGEST_NAME = 200
LARGEST_COUNT = 10**8  # tokens of one call, far beyond all models
LARGEST_COST = 10_000.0  # dollars of one call, likewise
LEADING_THOUGHT = regex(r"\s*<(think|thinking|reasoning)>(.*?)</\1>\s*", re.DOTALL)


# how JSON, JavaScript, Objective-C and Go print their nothing; Python's None and Ruby's nil are words that a model may
# answer with
PRINTED_NOTHING = regex(
    r"null|undefined|NaN|\[object \w+\]|\((?:null|nil)\)"
    r"|<(?:nil|null|undefined|no value|empty)>|%!\w\((?:<nil>|MISSING)\)"
)
BLANK = frozenset("\ufffd\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # printable, by Unicode's account


def is_wordless(text: str) -> bool:
    """Whether a text is one in name only: a program's word for nothing, or without a character that can be seen."""
    if len(text) > 20 and text[0].isalnum() and text[0] not in BLANK:
        return False  # nearly all
    return is_printed_nothing(text) or not any(
        sign.isprintable() and not sign.isspace() and sign not in BLANK for sign in text
    )


def is_printed_nothing(text: str) -> bool:
    """Whether a whole text is a program's word for nothing."""
    return PRINTED_NOTHING.fullmatch(text.strip()) is not None


def refusal_of(value: Any) -> str | None:
    """What a model says in place of an answer. Some servers write their nothing there as a word."""
    return value if isinstance(value, str) and says_something(value) and not is_wordless(value) else None


def apart(result: CallResult) -> CallResult:
    """Thoughts that a server left in the text are kept apart from the answer."""
    found = LEADING_THOUGHT.match(result.text or "") if result.text and "</" in result.text else None
    if not found or result.text is None:
        return result
    thought = (result.reasoning or "") + found[2].strip()
    return replace(result, text=result.text[found.end() :], reasoning=thought or None)


class Said(NamedTuple):
    """What a message holds: its text, a refusal in place of one, thoughts apart, whether it calls a tool, and
    whether there were thoughts, be they shown or not."""

    text: str = ""
    refusal: str | None = None
    thought: str | None = None
    calls: bool = False
    thinks: bool = False


TEXT_PARTS = (None, "text", "output_text")
THOUGHT_PARTS = ("thinking", "redacted_thinking", "reasoning")
CALLS = ("tool_use", "server_tool_use", "tool_call", "tool_calls", "function_call")
# what may stand beside text and is none: results of a server's own tools, sources, pictures
NEUTRAL_PARTS = ("reference", "tool_reference", "citation", "image", "image_url", "compaction", "container_upload")
NEUTRAL_ENDS = ("_tool_use", "_tool_result", "_call_output")
PART_FIELDS = frozenset(("type", "text", "annotations", "logprobs", "citations", "refusal", "thinking", "signature"))
ROLES = (None, "", "assistant", "model")


def said_in(content: Any) -> Said:
    """What the content of a message says: a string, or a list of strings and parts. Raises Unusable where some of it
    cannot be read, since what is left would pass for all that the model said.
    """
    if content is None or isinstance(content, str):
        return Said(content or "")
    if not isinstance(content, list):
        raise UnreadableReply("a message of unknown shape")
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    if not all(isinstance(part, dict) for part in parts):
        raise UnreadableReply("a part of the message is neither text nor an object")
    texts, refusals, thoughts = list[str](), list[str](), list[str]()
    calls, neutral = False, ""
    for part in parts:
        if not part.keys() <= PART_FIELDS and (error := objection_in(part)) is not None:
            raise UnusableReply(f"an error stands in a part of the message: {shortened(sentence_of(error))}")
        kind = part.get("type")
        if kind == "refusal" or (kind is None and "refusal" in part):
            refusals.append(_required(part, "refusal"))
        elif kind in TEXT_PARTS:
            texts.append(_required(part, "text"))
        elif kind in THOUGHT_PARTS:
            thoughts.append(_thought(part))
        elif kind in CALLS:
            calls = True
        elif isinstance(kind, str) and (kind in NEUTRAL_PARTS or kind.endswith(NEUTRAL_ENDS)):
            neutral = kind
        else:
            raise UnreadableReply(f"its content holds a part that is not known, {printable_end(str(kind))!r}")
    said = Said("".join(texts), refusal_of("".join(refusals)), "".join(thoughts) or None, calls, bool(thoughts))
    if neutral and not (said.text or said.refusal):
        raise UnreadableReply(f"its content holds no text, but {printable_end(neutral)!r}")
    return said


def _required(part: Mapping[str, Any], field: str) -> str:
    """The words of a part, which has to hold some, be they empty: without them nobody knows what it says."""
    if part.get(field) is None:
        raise UnreadableReply("a part of the message holds no text where its text should be")
    return words_of(part[field])


def _thought(part: Mapping[str, Any]) -> str:
    thought = part.get("thinking")
    return said_in(thought).text if isinstance(thought, list) else words_of(thought)  # Mistral has parts in the part


def words_of(value: Any) -> str:
    """The text of a part: a string, or the string that an object holds as its `value`."""
    if isinstance(value, dict):
        value = value.get("value")
        if not isinstance(value, str):
            raise UnreadableReply("a part of the message holds no text where its text should be")
    if value is not None and not isinstance(value, str):
        raise UnreadableReply("a part of the message holds no text where its text should be")
    return value or ""


def check_places(place: Mapping[str, Any], *names: str, content: Any = None) -> None:
    """Raise Unusable where words stand in fields of these names, where nobody looks for them. What repeats the content
    is no loss.
    """
    for name in names:
        if (words := place.get(name)) and words != content and isinstance(words, str | list | dict):
            raise UnreadableReply(f"words may stand in {name!r}, where this format has none")


def check_kind(kind: Any, *known: str) -> None:
    """Raise Unusable where a body says by its `object` or `type` that it is something else than a reply."""
    if kind and kind not in known and kind != "error":  # which speaks for itself
        raise UnreadableReply(f"it says that it is no reply, but {printable_end(str(kind))!r}")


def check_role(role: Any) -> None:
    """Raise Unusable where a message is not the model's own."""
    if role not in ROLES:
        raise UnreadableReply(f"its message is not the model's, but of the role {printable_end(str(role))!r}")


class Texts:
    """The text of a stream, piece by piece. Raises Unusable where a piece brings once more all that came before it,
    as servers do which send the whole at the end, or the text so far with each piece: the text would be doubled.

    Two short pieces cannot be told apart: `A` and `A` are what a server sends for `AA`, and what another one sends for
    `A`. Three pieces that each go on where the one before ended are the text so far, however short they are.

    A piece that comes twice in a row was sent twice where it is longer than any token of words: models repeat a token,
    and rows of dashes or zeros in tokens of up to 128 characters, and what goes round in circles comes a third time.
    So it was where each piece of a stream comes twice. What the text is then nobody knows: see `doubled`.
    """

    SHORTEST = 16  # characters: shorter ones a model may well repeat
    SHORTEST_AGAIN = 48  # the same where it comes in several pieces
    BEGINNINGS = 64  # places that begin as the text does, which are looked at
    GROWN = 2  # how often in a row a piece is the one before and more, from the first one on
    LONGEST_TOKEN = 24  # characters: no token of words in the vocabularies of models is as long as that
    SIGNS = 8  # different characters of a piece; with fewer it is a row of dashes, zeros or blanks
    PAIRS = 4  # different pieces, each twice

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._grown: int | None = 0  # None once a piece is not the one before and more
        self._has_equal = False  # whether a long piece is the one before it

    def add(self, text: str, last: bool = False) -> None:
        if self._grown is not None and text and self._length:
            before = self._parts[-1]
            self._grown = self._grown + 1 if len(text) > len(before) and text.startswith(before) else None
            if self._grown == self.GROWN:
                raise UnreadableReply("each piece of the stream repeats the one before it")
        if self._length and len(text) >= self._length and (last or self._length >= self.SHORTEST):
            before = "".join(self._parts)
            if text.startswith(before):
                raise UnreadableReply("a piece of the stream repeats all that came before it")
        if text:
            self._has_equal |= len(text) >= self.LONGEST_TOKEN and bool(self._parts) and self._parts[-1] == text
            self._parts.append(text)
        self._length += len(text)

    def doubled(self) -> Mapping[str, Any]:
        """What speaks against the text, as an error: that pieces of it came twice in a row."""
        if self._has_equal:
            runs = ((text, len(list(equal))) for text, equal in groupby(self._parts))
            if any(n == 2 and len(text) >= self.LONGEST_TOKEN and len({*text}) >= self.SIGNS for text, n in runs):
                return {"error": {"message": "a piece of the stream came twice in a row"}}
        each, again = self._parts[::2], self._parts[1::2]
        if each == again and len({*each}) >= self.PAIRS:
            return {"error": {"message": "each piece of the stream came twice"}}
        return {}

    def check_end(self) -> None:
        """Raise Unusable where the whole text begins a second time with one of its pieces, as after an attempt that a
        gateway gave up. A text that does so a third time is a model's that goes round in circles.
        """
        text, at, looked_at = "".join(self._parts), 0, 0
        begin = text[: self.SHORTEST]
        for part in self._parts:
            if at >= self.SHORTEST_AGAIN and text.startswith(begin, at):
                looked_at += 1
                if looked_at > self.BEGINNINGS:
                    return
                if text.startswith(text[:at], at) and not text.startswith(begin, 2 * at):
                    raise UnusableReply("the text of the stream begins a second time")
            at += len(part)

    def __bool__(self) -> bool:
        return self._length > 0


def _is_blank(words: Any) -> bool:
    return not words or (isinstance(words, str) and words.isspace())


class OneReply:
    """Holds the pieces of a stream to be those of one reply. Raises Unusable where a piece names another reply, or
    brings words after the reply's end: gateways mix streams up, begin again with another upstream, and add words of
    their own. A name that is empty says nothing: Azure and TGI send such ones.
    """

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}
        self._on_each: Any = None  # the end that each piece with words has borne
        self._begun = False
        self.went_on = False  # whether words came after an end that each piece bears

    def check_names(self, piece: Mapping[str, Any], *names: str) -> None:
        for name in names:
            given = piece.get(name)
            if given and self._names.setdefault(name, given) != given:
                raise UnusableReply(f"a piece of the stream is of another reply: its {name!r} is another one")

    def check_time(self, created: Any) -> None:
        """A piece is not older than the first one. It may be younger: many servers give the time of each piece."""
        if isinstance(created, int | float) and created and created < self._names.setdefault("created", created):
            raise UnusableReply("a piece of the stream is of another reply: it was created before the first one")

    def check_end(self, words: Iterable[Any], end: Any, ended: bool, before: Any) -> None:
        """`words`, which may be empty, came in a piece with this end, after others with the end `before`. A listed end
        says nothing where each piece with words bears it from the first one on, as some gateways write it.
        """
        said = [word for word in words if word]
        if not said or (ended and is_nothing(end) and all(map(_is_blank, said))):
            return
        if self._begun and end != self._on_each:
            self._on_each = None
        elif not self._begun and (not ended or before == end) and end_of(end).kind == "done":
            self._on_each = end
        self._begun = True
        if not ended:
            return
        if self._on_each is None:
            self.check_late((True,))
        self.went_on = True

    @staticmethod
    def check_late(words: Iterable[Any]) -> None:
        """`words` came in a piece after the end, and may be empty, or blanks that servers send behind it."""
        if not all(map(_is_blank, words)):
            raise UnusableReply("the stream goes on with words after the reply had come to its end")


class OtherChoices:
    """The choices of a stream that were not asked for: those with another number than the first. One that has words,
    comes to no end and never stands next to the first is none, but a part of the first that bears a wrong number.
    """

    def __init__(self) -> None:
        self._others: dict[Any, bool] = {}  # whether each is known to be one

    def take(self, choices: Any, words_in: Callable[[Mapping[str, Any]], Iterable[Any]], end: str) -> None:
        """Take note of the choices of a piece, whose ends stand in the field `end`."""
        is_alone = len(list_of(choices)) == 1
        for choice in list_of(choices):
            number = choice.get("index") if isinstance(choice, dict) else None
            if isinstance(number, int) and number and (number in self._others or any(words_in(choice))):
                is_another = not (is_alone and is_nothing(choice.get(end)))
                self._others[number] = self._others.get(number, False) or is_another

    def objection(self) -> Mapping[str, Any]:
        """What speaks against the first choice, as an error."""
        if all(self._others.values()):
            return {}
        return {"error": {"message": "words stand in a choice of another number, which has no end of its own"}}


def first_of(choices: Any, whole: bool = True) -> Mapping[str, Any] | None:
    """The choice that was asked for, of those that came: number 0, which some servers leave out. None where none came.
    Raises Unusable where nobody can say which of several it is, or where it is missing from a `whole` reply.
    """
    if not choices:
        return None
    if not isinstance(choices, list):
        raise UnreadableReply("choices of an unknown shape")
    only = choices[0] if len(choices) == 1 else None
    if isinstance(only, dict) and (index := only.get("index")) in (None, 0) and not isinstance(index, float):
        return only
    if not all(isinstance(one.get("index"), int | type(None)) for one in choices if isinstance(one, dict)):
        raise UnreadableReply("a choice whose number is none")
    first = [one for one in choices if isinstance(one, dict) and one.get("index") in (None, 0)]
    if len(first) > 1 or (whole and not first):
        if len(choices) > 1:
            raise UnreadableReply("several choices, and none of them is the first")
        raise UnusableReply("no choices")
    return first[0] if first else None


# The most tokens that servers count of a reply without a word: one for its end, of chat completions and Responses; two
# or three of Anthropic's, by its documents; none of Gemini's; four around an empty reply in harmony; five where a model
# opens and closes thoughts with nothing in them (`<think>`, a blank line, `</think>`, a blank line, the end).
UNSEEN = 5


def concluded(
    body: Mapping[str, Any],
    result: CallResult,
    ends: Sequence[End],
    *,
    message: bool,
    places: Sequence[Any] = (),
    besides: frozenset[str] = frozenset(),
    hidden: bool = False,
) -> CallResult:
    """The result of a reply by how it ended and by what else speaks against it.

    Args:
        body: The whole body.
        result: What was read of it.
        ends: All words that the server gives for its end in the fields of its format. With those that stand in fields
            of others, the worst counts.
        message: Whether there is a message at all, which may be empty.
        places: The objects of the reply beside the body in which a server may say that something went wrong.
        besides: The fields of them all that the format judges itself.
        hidden: Whether there were thoughts that the server does not show.

    Raises:
        UnusableReply: As `by_end` says.
    """
    complaint = complaint_in(body)
    if complaint is None and (error := objection_in(body, *places, besides=besides)) is not None:
        complaint = shortened(sentence_of(error))
    handed_on = (object_of(place).get("provider_specific_fields") for place in (body, *places))  # LiteLLM
    others = [*ends_in(body, *places, *handed_on), *ends_within(body)]
    return by_end(result, worst([*ends, *others]), complaint, message=message, hidden=hidden)


def ends_within(body: Mapping[str, Any]) -> list[End]:
    """The words in objects within unlisted fields of a body by which a reply was cut or withheld, as in what a gateway
    hands on of its upstream. Of a list the last object counts, since those before it may be attempts.
    """
    waiting = [value for name, value in body.items() if name not in UNSEARCHED and type(value) in NESTS]
    found: list[End] = []
    while waiting:
        place = waiting.pop()
        if isinstance(place, list):
            waiting += [part for part in place[-1:] if type(part) in NESTS]
            continue
        told = {name: value for name, value in place.items() if not says_filtered(name)}  # what was found, say
        found += [end for end in ends_in(told) if end.kind in ("cut", "withheld")]
        waiting += [
            value
            for name, value in place.items()
            if type(value) in NESTS and name not in WRITTEN and not meaning_of(name).filtering
        ]
    return found


LEADING, THOUGHT_SIGNS = 20, ("<", "[", "◁")  # nearly all texts begin otherwise
THOUGHTS_ALONE = regex(r"analysis[A-Z][\w'’]*[ ,]+\w")  # the name of their channel, glued to their first word


def runs_on(text: str) -> bool:
    """Whether a text goes on behind a token by which a model's turn ends, or is the thoughts of gpt-oss without their
    tokens and without the answer that follows them.
    """
    if text.startswith("analysis") and THOUGHTS_ALONE.match(text) and "assistantfinal" not in text:
        return True
    return any(sign in text for sign in OPENINGS) and RUN_ON.search(text) is not None


def is_thought_alone(text: str, thoughts: str | None = None) -> bool:
    """Whether a text opens thoughts at its start, in any way that models mark them, and never closes them, or is the
    `thoughts` beside it, word for word: no answer follows.
    """
    if thoughts and text.strip() == thoughts.strip():
        return True
    return text[:LEADING].lstrip()[:1] in THOUGHT_SIGNS and only_thinks(text)


def by_end(
    result: CallResult, end: End, complaint: str | None = None, *, message: bool = True, hidden: bool = False
) -> CallResult:
    """The result of a reply by how it ended. Where the end is not known to be one, the text is kept apart, beside an
    error. `complaint` is what a server says is wrong; for the others see `concluded`.

    Raises:
        UnusableReply: This is no reply. The server failed, or gives neither a message nor a reason why there is none.
    """
    if result.text and not result.refusal and end.kind in ("done", "cut") and is_printed_nothing(result.text):
        raise UnreadableReply(f"its text is a program's word for nothing, {result.text.strip()!r}")
    if result.text and is_wordless(result.text):
        result = replace(result, text="", logprobs=None)
    if end.kind == "died":
        raise UnusableReply(f"it broke off, it {_ended(end)}" + (f": {complaint}" if complaint else ""))
    if complaint is not None:
        if not result.text or end.kind == "unknown":
            raise UnusableReply(complaint)
        # whole by what it says: the same call is not paid for eight times
        word = f"{end.word[: LONGEST_END - len(BESIDE)]}{BESIDE}"
        return doubtful(result, word, f"the reply {_ended(end)}, and an error came with it: {complaint}")
    silent = not (result.text or result.refusal or result.reasoning)
    if silent and not message and end.kind in ("done", "unknown"):
        raise UnusableReply(f"its message holds no content, and it {_ended(end)}")
    if silent and not hidden and end.stop == "stop" and _unseen(result) > UNSEEN:
        raise UnusableReply(f"its message is empty, and {_unseen(result)} tokens of text were counted")
    is_alone = end.kind == "done" and is_thought_alone(result.text or "", result.reasoning)
    if result.text and (is_alone or runs_on(result.text)):
        word = f"{end.word[: LONGEST_END - len(BESIDE)]}{BESIDE}"
        return doubtful(result, word, "its text goes on behind a token that ends a turn, or is thoughts alone")
    if end.kind == "unknown":
        return doubtful(result, end.word, f"the reply {_ended(end)}, which is not known to end one")
    return replace(result, stop_reason=end.stop)


def _unseen(result: CallResult) -> int:
    """The tokens of an empty reply that were no thoughts."""
    return (result.output_tokens or 0) - (result.reasoning_tokens or 0)


def _ended(end: End) -> str:
    return f"ended with {printable_end(end.word)!r}"


def doubtful(result: CallResult, word: str, error: str) -> CallResult:
    """A reply that nobody can call whole or not. What came of it is kept where nothing takes it for one."""
    came = result.text or result.refusal or None
    nothing = dict.fromkeys(("text", "refusal", "stop_reason"))
    return replace(result, **nothing, error=error, unknown_end=word, unknown_end_text=came)


def text_of(value: Any) -> str | None:
    """A field that should hold text. A server that sends something else there has said nothing."""
    return value if value and isinstance(value, str) else None


def name_of(value: Any) -> str | None:
    """A field that should hold a name. A page of text is none."""
    return value if value and isinstance(value, str) and len(value) <= LONGEST_NAME else None


def object_of(value: Any) -> Mapping[str, Any]:
    """A field that should hold further ones. Whatever else a server puts there has none."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def count_of(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < LARGEST_COUNT else None  # a bool is no count


def dollars_of(value: Any) -> float | None:
    """What the call cost, as OpenRouter says it."""
    if type(value) is not int and type(value) is not float:  # a bool is no cost
        return None
    return float(value) if 0 <= value < LARGEST_COST else None


def complaint_in(body: Mapping[str, Any]) -> str | None:
    """What a server says is wrong, in a body that came with status 200."""
    error = error_in_reply(body)
    return None if error is None else shortened(sentence_of(error))
