"""OpenAI chat completions, which most gateways and local servers speak too, each with words of its own.

Most bodies never get to `_result` here: `usual_chat` reads those that have nothing but the usual fields.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from selfexec.engines.base import CallResult
from selfexec.engines.http.ends import End, add_ends, end_of, is_missing, is_nothing, printable_end, worse
from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.prefill import begun
from selfexec.engines.http.providers import Endpoint, prefill_at
from selfexec.engines.http.wires.base import (
    ROLES,
    Event,
    Habit,
    OneReply,
    OtherChoices,
    Texts,
    UnreadableReply,
    UnusableReply,
    Wire,
    address,
    apart,
    bearer,
    check_kind,
    check_places,
    check_role,
    complaint_in,
    concluded,
    count_of,
    dollars_of,
    fields,
    first_of,
    list_of,
    name_of,
    object_of,
    refusal_of,
    said_in,
    text_of,
    turns,
)
from selfexec.engines.http.wires.logprobs import tokens_of
from selfexec.engines.http.wires.objections import is_ill_state, marks_of_the_end, objections
from selfexec.engines.http.wires.order import Order
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.engines.http.wires.totals import by_total
from selfexec.engines.http.wires.unasked import stops_in, stops_within
from selfexec.engines.http.wires.usual_chat import usual_result
from selfexec.experiments import Message


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    system = [{"role": "system", "content": text}] if (text := sampling.get("system")) else []
    body: dict[str, Any] = {"model": endpoint.name, "messages": [*system, *turns(messages)], **fields(sampling)}
    if messages[-1].role == "assistant":
        body = begun(body, prefill_at(endpoint.provider, endpoint.url))
    if endpoint.at("api.openai.com"):  # others refuse a field that they do not know
        body.setdefault("store", False)
    return body


KINDS = ("chat.completion", "chat.completion.chunk", "chat.completions", "completion", "chat")  # as servers write it


def _result(body: Any) -> CallResult:
    choice, usage = first_of(body.get("choices")), object_of(body.get("usage"))
    if choice is None:
        raise UnusableReply(complaint_in(body) or "no choices")
    check_kind(body.get("object"), *KINDS)
    message = choice.get("message")
    if message is not None and not isinstance(message, dict):
        raise UnreadableReply("a message of unknown shape")
    message = message or {}
    _check(choice, message)
    said = said_in(message.get("content"))
    details = object_of(usage.get("completion_tokens_details"))
    result = apart(
        CallResult(
            text=said.text,
            output_tokens=count_of(usage.get("completion_tokens")),
            refusal=refusal_of(message.get("refusal")) or said.refusal,
            input_tokens=count_of(usage.get("prompt_tokens")),
            reasoning_tokens=count_of(details.get("reasoning_tokens")),
            reasoning=text_of(message.get("reasoning_content")) or text_of(message.get("reasoning")) or said.thought,
            served_model=name_of(body.get("model")),
            fingerprint=name_of(body.get("system_fingerprint")),
            cost_usd=dollars_of(usage.get("cost")),
            completion_id=name_of(body.get("id")),
            upstream=name_of(body.get("provider")),
            simulated=body.get("simulated") is True,  # as `selfexec serve` says
            logprobs=tokens_of(object_of(choice.get("logprobs")).get("content")),
        )
    )
    result = by_total(result, usage, count_of(usage.get("total_tokens")))
    called = said.calls or message.get("tool_calls") or message.get("function_call")
    content = message.get("content")
    there = isinstance(content, str) or bool(content or called)
    ends = _ends(body, choice, bool(result.text))
    hidden = said.thinks or bool(message.get("reasoning_details"))
    others = {name: value for name, value in choice.items() if name not in JUDGED}
    return concluded(body, result, ends, message=there, places=(others, message), hidden=hidden)


# where other formats, and servers of their own, have their words
ELSEWHERE = ("text", "value", "parts", "output", "output_text", "response", "completion", "generated_text")
JUDGED = ("finish_reason", "native_finish_reason")  # by the ends, over which MiniMax has words that count


def _check(choice: Mapping[str, Any], message: Mapping[str, Any], deltas: bool = False) -> None:
    """Raise Unusable where words may stand in another place than that of the format, or are not the model's. `text`
    beside a message or a delta repeats its content, as at Together.
    """
    if not deltas and not message and (other := next((name for name in ("text", "delta") if name in choice), None)):
        raise UnreadableReply(f"it has {other!r} in place of a message")
    if (text := choice.get("text")) and text != message.get("content"):
        raise UnreadableReply("it has 'text' beside a message of other words")
    check_places(choice, "content", "output")
    check_places(message, *ELSEWHERE, content=message.get("content"))
    if (refusal := message.get("refusal")) and not isinstance(refusal, str):
        raise UnreadableReply("a refusal of unknown shape")
    if not deltas and (delta := choice.get("delta")) and not _repeats(delta, message):
        raise UnreadableReply("it has 'delta' beside a message")
    check_role(message.get("role"))


def _repeats(delta: Any, message: Mapping[str, Any]) -> bool:
    """Whether a delta beside a message brings nothing that this has not: Perplexity sends one without words."""
    return isinstance(delta, dict) and all(
        not value or value == message.get(name) or (name == "role" and value in ROLES) for name, value in delta.items()
    )


def _ends(body: Mapping[str, Any], choice: Mapping[str, Any], text: bool) -> list[End]:
    """How a choice ended: the word of the format, and beside it the word of who answered behind a gateway. A gateway
    writes "stop" for words that it does not know itself, so that an unlisted one beside it counts.
    """
    if not text and (body.get("input_sensitive") is True or body.get("output_sensitive") is True):
        return [end_of("sensitive")]  # MiniMax
    handed_on = object_of(choice.get("provider_specific_fields"))  # LiteLLM
    details = choice.get("finish_details")  # once of OpenAI
    native = (
        choice.get("native_finish_reason"),
        handed_on.get("native_finish_reason"),
        details.get("type") if isinstance(details, dict) else details,
    )
    # where vLLM has the string at which it stopped, others have a word
    stopped = end_of(choice.get("stop_reason"))
    ends = [end_of(choice.get("finish_reason")), *(end_of(word) for word in native if not is_missing(word))]
    return ends if stopped.kind == "unknown" else [*ends, stopped]


# --- in pieces -------------------------------------------------------------------------------------------------------

# what every piece has, and what of the last ones that have it counts
OF_THE_WHOLE = (
    *("id", "model", "provider", "system_fingerprint", "usage", "simulated"),
    *("base_resp", "input_sensitive", "output_sensitive"),  # MiniMax
)
OF_THE_CHOICE = ("error",)
ENDS = ("finish_reason", "native_finish_reason", "finish_details", "stop_reason")
KINDS_OF_PIECES = ("type", "event", "reason")  # which say of a piece without choices what it is
THOUGHTS = ("reasoning_content", "reasoning")


NO_ROLE = "its beginning was lost: it names no role, as other streams of this server do"


class Gathered:
    """Deltas, until one has a finish reason; the counts may come after it, and `[DONE]` last of all. Without a finish
    reason the stream broke off, whatever says that it is done: gateways whose upstream has died say so.
    """

    takes_lists = False

    def __init__(self) -> None:
        self.whole = self.over = False
        self.habit: Habit | None = None
        self._body: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._handed_on: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._content: list[Any] = []
        self._has_content = False
        self._odd: dict[str, Any] = {}
        self._text = Texts()
        self._reply = OneReply()
        self._in_deltas = False  # whether words came as such, and not as messages
        self._roleless = self._again = False
        self._logprobs: list[Any] = []
        self._others = OtherChoices()
        self._order = Order()

    def take(self, event: Event) -> None:
        if event.data.strip() == b"[DONE]":
            self.over = True
            return
        piece = data_of(event)
        self._order.take(event, piece)
        self._body |= {name: piece[name] for name in OF_THE_WHOLE if piece.get(name) is not None}
        if piece.get("created"):
            self._body.setdefault("created", piece["created"])
        self._odd |= objections(piece)
        add_ends(self._body, piece)
        self._body |= marks_of_the_end(piece)
        self._choice |= stops_within(piece)
        if "choices" not in piece:
            check_places(piece, "text", "content", "delta", "response", "output", "candidates")
            if ill := [piece[name] for name in KINDS_OF_PIECES if is_ill_state(piece.get(name))]:
                self._odd.setdefault(
                    "error", {"message": f"a piece that tells of an end: {printable_end(str(ill[0]))}"}
                )
        self._others.take(piece.get("choices"), _words_of, "finish_reason")
        if choice := first_of(piece.get("choices"), whole=False):
            # the counts that come last may be a gateway's own, as new-api's, under the name that it has for the model
            self._reply.check_names(piece, "id", "model", "system_fingerprint", "provider")
            self._reply.check_time(piece.get("created"))
            if self.habit is None:
                role = object_of(choice.get("delta") or choice.get("message")).get("role")
                self.habit = Habit((piece.get("model"), piece.get("provider")), bool(role), NO_ROLE)
            self._take(choice)
        self.whole = "finish_reason" in self._choice

    def _take(self, choice: Mapping[str, Any]) -> None:
        self._choice |= {name: choice[name] for name in OF_THE_CHOICE if choice.get(name) is not None}
        handed_on = object_of(choice.get("provider_specific_fields"))
        self._handed_on |= {name: value for name, value in handed_on.items() if name not in self._handed_on}
        add_ends(self._handed_on, handed_on)
        ended, before = self.whole, self._choice.get("finish_reason")
        for name in ENDS:
            if not is_nothing(choice.get(name)):
                self._choice[name] = worse(self._choice.get(name), choice[name])
        add_ends(self._choice, choice)
        self._choice |= {name: stop for name, stop in stops_in(choice).items() if name not in ENDS}
        for place in (choice, *map(choice.get, ("delta", "message"))):
            self._choice |= marks_of_the_end(object_of(place))
        self._logprobs += list_of(object_of(choice.get("logprobs")).get("content"))
        delta, message = choice.get("delta"), choice.get("message")
        self._choice |= objections(choice)
        for part in (delta, message):
            if part and not isinstance(part, dict):
                raise UnreadableReply("a piece of the stream has its words in an unknown place")
            add_ends(self._message, part, object_of(part).get("provider_specific_fields"))
        piece = delta if isinstance(delta, dict) else self._new_in(message or {})
        _check(choice, delta or message or {}, deltas=True)
        end = choice.get("finish_reason")
        self._reply.check_end(_words_in(piece), end, ended, before)
        self._add(piece, last=not (is_nothing(end) or self._reply.went_on))
        if isinstance(delta, dict):
            self._in_deltas |= bool(delta.get("content"))
            if message:
                self._check_message(message, delta)

    def _new_in(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a message in place of a delta adds to those before it: nothing, where it only repeats them."""
        text, content = self._said(), message.get("content")
        if self._in_deltas:
            self._check_message(message, {})
            return {**message, "content": "", **dict.fromkeys(("refusal", *THOUGHTS))}
        if text and isinstance(content, str) and content.startswith(text):
            return {**message, "content": content[len(text) :], **dict.fromkeys(("refusal", *THOUGHTS))}
        return message

    def _check_message(self, message: Mapping[str, Any], delta: Mapping[str, Any]) -> None:
        """Raise Unusable where a message beside the deltas has other words: it is the text so far, as at Perplexity,
        or that of the delta beside it.
        """
        words = said_in(message.get("content")).text
        if words and words != delta.get("content") and words != self._said():
            raise UnusableReply("a message beside the pieces of the stream has other words than they have")

    def _said(self) -> str:
        return said_in(self._content).text

    def _add(self, delta: Mapping[str, Any], last: bool) -> None:
        self._message |= objections(delta)
        if not any(map(delta.get, WORDS)):
            check_places(delta, *filter(_may_hold_words, delta))
        content = delta.get("content")
        if content is not None:
            self._has_content = True
            if not isinstance(content, str | list):
                raise UnreadableReply("a piece of the stream has its words in an unknown place")
            self._begun_again(delta, bool(content))
            if isinstance(content, str):
                self._text.add(content, last)
            self._content += content if isinstance(content, list) else [content] if content else []
        for name in ("refusal", *THOUGHTS):
            if text := text_of(delta.get(name)):
                self._texts.setdefault(name, []).append(text)
        for name in ("tool_calls", "function_call"):
            if delta.get(name):
                self._message[name] = delta[name]

    def _begun_again(self, delta: Mapping[str, Any], content: bool) -> None:
        """Raise Unusable where a stream begins a second time: it names its role again, and then says more. Some servers
        name it in every piece.
        """
        if delta.get("role"):
            self._again |= self._roleless
        elif content:
            self._roleless = True
        if self._again and content:
            raise UnusableReply("the stream begins a second time")

    def body(self) -> Mapping[str, Any]:
        if not self._choice and self._body.get("base_resp"):
            return self._body  # MiniMax says so what is wrong
        if not self.whole and "error" not in self._choice:
            raise UnusableReply(CUT)
        if self._reply.went_on and not self.over:
            raise UnusableReply(CUT)  # an end that each piece bears is none
        self._text.check_end()
        texts = all(isinstance(part, str) for part in self._content)
        content = "".join(self._content) if texts else self._content
        said = {name: "".join(parts) for name, parts in self._texts.items()}
        message = {"role": "assistant", **({"content": content} if self._has_content else {}), **self._message, **said}
        handed_on = {"provider_specific_fields": self._handed_on} if self._handed_on else {}
        choice = {**self._choice, **handed_on, "index": 0, "message": message, "logprobs": {"content": self._logprobs}}
        return {
            **self._body,
            "choices": [choice],
            **self._others.objection(),
            **self._text.doubled(),
            **self._order.objection(),
            **self._odd,
        }


WORDS = ("content", "refusal", *THOUGHTS, "tool_calls", "function_call")


@lru_cache(maxsize=512)
def _may_hold_words(name: str) -> bool:
    """Whether an unlisted field of a delta may by its name hold what the model says, and not its thoughts."""
    words = name_words(name)
    is_listed = name in WORDS or not IN_THOUGHT.isdisjoint(words)
    return not is_listed and words[-1:] in (
        [word] for word in ("content", "contents", "text", "texts", "message", "messages")
    )


IN_THOUGHT = frozenset(("reasoning", "thinking", "thought", "thoughts"))


def _words_of(choice: Mapping[str, Any]) -> list[Any]:
    """The words of a choice in a piece."""
    return _words_in(object_of(choice.get("delta") or choice.get("message")))


def _words_in(delta: Mapping[str, Any]) -> list[Any]:
    """The words of a delta, which may be empty."""
    content = delta.get("content")
    said = said_in(content) if isinstance(content, list) else None
    return [said.text or said.refusal or said.thought if said else content, *map(delta.get, ("refusal", *THOUGHTS))]


CHAT = Wire(
    title="OpenAI's chat completions",
    url=address,
    headers=bearer,
    body=_body,
    result=_result,
    usual=usual_result,
    gathering=Gathered,
    streaming={"stream": True, "stream_options": {"include_usage": True}},
    capabilities=frozenset({"turns", "logprobs"}),
)
