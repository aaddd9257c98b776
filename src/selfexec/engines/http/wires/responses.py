"""The OpenAI Responses API. Keeping what was asked and said is the default there, so every call says not to."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from selfexec.engines.base import CallResult
from selfexec.engines.http.ends import End, add_ends, end_of, is_missing, printable_end, worse
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires.base import (
    Event,
    Habit,
    Said,
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
    list_of,
    name_of,
    object_of,
    said_in,
    text_of,
    turns,
    words_of,
)
from selfexec.engines.http.wires.echoes import is_setting, not_asked
from selfexec.engines.http.wires.logprobs import tokens_of
from selfexec.engines.http.wires.objections import is_neutral, marks_of_the_end, objections
from selfexec.engines.http.wires.order import Order
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.engines.http.wires.totals import by_total
from selfexec.engines.model_names import bare_name
from selfexec.experiments import Message

NAMES = {"max_tokens": "max_output_tokens"}
LOGPROBS = "message.output_text.logprobs"  # what is included where they are wanted


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    sent = {NAMES.get(name, name): value for name, value in fields(sampling).items()}
    if sent.pop("logprobs", False):
        sent["include"] = [*list_of(sent.get("include")), LOGPROBS]
    body: dict[str, Any] = {"model": endpoint.name, "input": turns(messages), **sent, "store": False}
    if system := sampling.get("system"):
        body["instructions"] = system
    return body


def _result(body: Any) -> CallResult:
    output = body.get("output")
    if not isinstance(output, list):
        raise UnusableReply(complaint_in(body) or "no output")
    check_kind(body.get("object"), "response")
    items = [_listed(item) for item in output]
    messages = [item for item in items if item.get("type") == "message"]
    _check(messages)
    answers = [item for item in messages if _is_answer(item)]
    if messages and not answers:
        raise UnreadableReply("its output holds commentary, and no answer")
    parts = [part for item in answers for part in _parts(item.get("content"))]
    said = _joined([said_in(_parts(item.get("content"))) for item in answers])
    _check_output_text(body.get("output_text"), messages, said)
    usage = object_of(body.get("usage"))
    result = apart(
        CallResult(
            text=said.text,
            output_tokens=count_of(usage.get("output_tokens")),
            refusal=said.refusal,
            input_tokens=count_of(usage.get("input_tokens")),
            reasoning_tokens=count_of(object_of(usage.get("output_tokens_details")).get("reasoning_tokens")),
            reasoning=_thought(items),
            served_model=name_of(body.get("model")),
            cost_usd=dollars_of(usage.get("cost")),
            completion_id=name_of(body.get("id")),
            upstream=name_of(body.get("provider")),
            effort=name_of(object_of(body.get("reasoning")).get("effort")),
            simulated=body.get("simulated") is True,
            logprobs=tokens_of([token for part in parts for token in list_of(part.get("logprobs"))]),
        )
    )
    result = by_total(result, usage, count_of(usage.get("total_tokens")))
    there = bool(parts) or any(item.get("type") == "function_call" for item in items)
    ends = _ends(body, messages)
    result = concluded(body, result, ends, message=there, places=messages, besides=JUDGED)
    return _at_its_limit(result, body.get("max_output_tokens"))


def _at_its_limit(result: CallResult, limit: Any) -> CallResult:
    """A reply that has as many tokens as the limit that the body repeats was cut there, whatever is said of its end."""
    is_cut = result.stop_reason == "stop" and count_of(limit) is not None and result.output_tokens == count_of(limit)
    return replace(result, stop_reason="length") if is_cut else result


def _check_output_text(text: Any, messages: Sequence[Mapping[str, Any]], said: Said) -> None:
    """Raise Unusable where the text that some servers repeat at the top has other words than the messages."""
    if isinstance(text, str) and text.strip():
        whole = said_in([part for item in messages for part in _parts(item.get("content"))])
        if "".join(text.split()) not in {"".join((one or "").split()) for one in (whole.text, said.text, said.refusal)}:
            raise UnreadableReply("its 'output_text' has other words than its messages")
    elif text:
        check_places({"output_text": text}, "output_text")


def _joined(said: Sequence[Said]) -> Said:
    """What several messages say, with a blank line between two of them."""
    texts, refusals = (list(filter(None, parts)) for parts in ((m.text for m in said), (m.refusal for m in said)))
    return Said("\n\n".join(texts), "\n\n".join(refusals) or None)


ANSWERS = (None, "", "final_answer")  # the phases of messages that are the model's answer
COMMENTARY = "commentary"  # what a model says on the way to it


def _is_answer(message: Mapping[str, Any]) -> bool:
    """Whether a message is a part of the answer. Raises Unusable where its phase is not known."""
    phase = message.get("phase")
    if phase not in (*ANSWERS, COMMENTARY):
        raise UnreadableReply(f"its output holds a message of an unknown phase, {printable_end(str(phase))!r}")
    return phase != COMMENTARY


JUDGED = frozenset(("status", "incomplete_details"))  # by the ends
ITEMS = ("message", "reasoning", "compaction", "mcp_list_tools", "mcp_approval_request")
ITEM_ENDS = ("_call", "_call_output")  # of tools


def _listed(item: Any) -> Mapping[str, Any]:
    """An item of an output. UnusableReply: nobody knows what it is, so that it may be a part of what the model said."""
    if not isinstance(item, dict):
        raise UnreadableReply("an item of the output is no object")
    kind = item.get("type")
    if not (isinstance(kind, str) and (kind in ITEMS or kind.endswith(ITEM_ENDS))):
        raise UnreadableReply(f"its output holds an item that is not known, {printable_end(str(kind))!r}")
    return item


def _check(messages: Sequence[Mapping[str, Any]]) -> None:
    """Raise Unusable where a message is not the model's, or repeats all that came before it."""
    for item in messages:
        check_role(item.get("role"))
        check_places(item, "text", "output", "message")
    if len(messages) > 1:
        texts = Texts()
        for item in messages:
            texts.add(said_in(_parts(item.get("content"))).text, last=True)


def _ends(body: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> list[End]:
    """How a response ended, and its messages, where they say so: one that is incomplete is whole by no other word."""
    status, details = body.get("status"), body.get("incomplete_details")
    given = details.get("reason") if isinstance(details, dict) else details
    reason = [] if is_missing(given) else [_reason(given)]
    if status == "incomplete":
        return reason or [end_of(status)]
    own = (item.get("status") for item in messages)
    return [end_of(status), *(end_of(word) for word in own if word is not None), *reason]


def _reason(given: Any) -> End:
    """Why a response is incomplete. What is incomplete is whole by no word."""
    reason = end_of(given)
    return End("unknown", None, reason.word) if reason.kind == "done" else reason


def _parts(content: Any) -> list[Mapping[str, Any]]:
    """The parts of a message, some of which may be plain strings; so may be the whole."""
    if content is not None and not isinstance(content, str | list):
        raise UnreadableReply("a message of unknown shape")
    found = [content] if isinstance(content, str) else list_of(content)
    return [{"text": part} if isinstance(part, str) else part for part in found]


def _thought(items: Sequence[Mapping[str, Any]]) -> str | None:
    """The text of thoughts, where a server shows it; else what it says of them in short."""
    reasoned = [item for item in items if item.get("type") == "reasoning"]
    for name in ("content", "summary"):
        parts = [part for item in reasoned for part in _parts(item.get(name)) if isinstance(part, dict)]
        if said := "\n\n".join(text for part in parts if (text := text_of(part.get("text")))):
            return said
    return None


# --- in pieces -------------------------------------------------------------------------------------------------------

ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


class Gathered:
    """Events; the last has the whole response. Some gateways leave its output out: then it is the items that came as
    they were done, and none of them may be missing. The words that came in pieces have to be those at the end. They
    tell better than ids whether it is one reply: at GitHub Copilot and older LiteLLM the id changes from event to
    event. Without pieces the ids have to agree.
    """

    takes_lists = False

    def __init__(self) -> None:
        self.whole = self.over = False
        self.habit: Habit | None = None
        self._body: Mapping[str, Any] = {}
        self._items: list[Any] = []
        self._places: list[Any] = []
        self._order = Order()
        self._said: dict[str, list[str]] = {kind: [] for kind in DELTAS}
        self._ids: set[str] = set()
        self._models: set[str] = set()
        self._done: list[str] = []  # the words of parts that are said to be whole
        self._settings: dict[str, Any] = {}  # that earlier events repeat
        self._created = self._completed = self._is_item_cut = False
        self._odd: dict[str, Any] = {}
        self._marks: dict[str, Any] = {}  # of whether it has come to its end
        self._ends: dict[str, Any] = {}  # in all fields for one, those of other formats included

    def take(self, event: Event) -> None:
        if event.data.strip() == b"[DONE]":
            self.over = True
            return
        piece = data_of(event)
        kind = piece.get("type") or event.name
        self._order.take(event, piece)
        item = object_of(piece.get("item"))
        for place in (piece, piece.get("response"), item if item.get("type") == "message" else None):
            self._marks |= marks_of_the_end(object_of(place))
        add_ends(self._ends, piece, piece.get("response"), piece.get("item"))
        if kind == "response.created":
            if self._created:
                raise UnusableReply("the stream begins a second time")
            self._created = True
        elif kind == "response.output_item.done":
            self._items.append(piece.get("item"))
            if item.get("type") == "message":
                self._is_item_cut |= item.get("status") is not None and end_of(item["status"]).kind != "done"
                self._odd |= objections(item, JUDGED)
            self._places.append(piece.get("output_index"))
        elif kind in DELTAS:
            self._said[kind].append(words_of(piece.get("delta")))
        elif kind in ENDS:
            self._body = object_of(piece.get("response"))
            if (status := self._body.get("status")) is not None:
                self._body = {**self._body, "status": worse(status, kind.removeprefix("response."))}
            self.whole = self.over = True
            self._completed = kind == "response.completed"
        response = object_of(piece.get("response"))
        if given := name_of(response.get("id")):
            self._ids.add(given)
        if given := name_of(response.get("model")):
            self._models.add(given)
        self._settings |= {name: value for name, value in response.items() if value and is_setting(name)}
        self._done += _words_done(kind, piece)
        if not (isinstance(kind, str) and (kind in NEUTRAL_EVENTS or _is_listed(kind))):
            self._odd.setdefault("error", {"message": f"an event that is not known: {printable_end(str(kind))}"})
        elif not kind.startswith("response."):
            check_places(piece, "delta", "text", "content", "part", "item", "response", "output")
            self._odd |= objections(piece)
        elif event.name != kind and event.name.startswith("response."):
            self._odd.setdefault("error", {"message": f"an event of two names: {printable_end(event.name)}, {kind}"})
        else:
            self._odd |= {**objections(object_of(piece.get("response")), JUDGED), **objections(piece, EVENT_FIELDS)}

    def body(self) -> Mapping[str, Any]:
        if not self.whole:
            raise UnusableReply(CUT)
        if self._is_item_cut and self._completed:
            self._odd.setdefault("error", {"message": "a message that ended before it was complete"})
        body = {**self._body, **self._marks, **self._odd}
        body |= {name: value for name, value in self._settings.items() if not body.get(name)}
        add_ends(body, self._ends)
        if self._items and not body.get("output"):
            self._check_items()
            body["output"] = self._items
        self._check(_said_at_end(body.get("output")))
        return body

    def _check_items(self) -> None:
        """Raise Unusable where an item was lost, by their places and by the numbers of all events."""
        places = sorted(place for place in self._places if isinstance(place, int))
        if len(places) == len(self._items) and places != [*range(len(places))]:
            raise UnusableReply("an item of the response is missing")
        if self._order.has_gaps():
            raise UnusableReply("events of the stream are missing")

    def _check(self, end: Said) -> None:
        """Raise Unusable where the words at the end are not those that came in pieces. What ends before it is completed
        may have lost some of them, but not all.
        """
        whole = f"{end.text}\n{end.refusal or ''}"
        if self._completed and not all(words in whole for words in self._done):
            raise UnusableReply("words that were said to be whole are not in the response at the end")
        if not _are_one_name(self._models):
            raise UnusableReply("a piece of the stream is of another reply: its 'model' is another one")
        text, refusal = ("".join(self._said[kind]).strip() for kind in DELTAS)
        if not (text or refusal):
            if len(self._ids) > 1:
                raise UnusableReply("the response at the end is another one than that which began")
            return
        other = (text, refusal) != (end.text.strip(), (end.refusal or "").strip())
        if not (end.text or end.refusal) or (other and self._completed):
            raise UnusableReply("the text that came in pieces is not in the response at the end")


DELTAS = ("response.output_text.delta", "response.refusal.delta")
NEUTRAL_EVENTS = ("ping", "keepalive", "keep-alive", "heartbeat")
FAILING_TOOLS = ("response.mcp_call.failed", "response.mcp_list_tools.failed")
EVENT_FIELDS = frozenset(("code", "message", "status"))  # judged in the response itself, and in events named error


def _is_listed(kind: str) -> bool:
    """Whether an event is one of the format, which has many, or of a server's own, as of its limits: all but those that
    tell of a failure.
    """
    return kind in ENDS or kind in FAILING_TOOLS or ("." in kind and is_neutral(kind))


def _words_done(kind: Any, piece: Mapping[str, Any]) -> list[str]:
    """The words that an event says a part or a message has, now that it is done."""
    if kind in ("response.output_text.done", "response.refusal.done"):
        given: tuple[Any, ...] = (piece.get("text"), piece.get("refusal"))
    elif kind == "response.content_part.done":
        part = object_of(piece.get("part"))
        given = (part.get("text"), part.get("refusal")) if part.get("type") in ("output_text", "refusal") else ()
    elif kind == "response.output_item.done":
        said = _said_at_end([piece.get("item")])
        given = said.text, said.refusal
    else:
        return []
    return [words.strip() for words in given if isinstance(words, str)]


def _are_one_name(models: Collection[str]) -> bool:
    """Whether names are of one model: some may add its owner or its date."""
    return len({*map(bare_name, models)}) <= 1


def _said_at_end(output: Any) -> Said:
    """The words in the messages of an output."""
    messages = [item for item in list_of(output) if isinstance(item, dict) and item.get("type") == "message"]
    return said_in([part for item in messages for part in _parts(item.get("content"))])


RESPONSES = Wire(
    title="OpenAI's Responses",
    url=address,
    headers=bearer,
    body=_body,
    result=_result,
    gathering=Gathered,
    streaming={"stream": True},
    capabilities=frozenset({"turns", "logprobs"}),
    not_asked=not_asked,
)
