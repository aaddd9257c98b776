"""Gemini generateContent."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines.base import CallResult
from selfexec.engines.http.ends import LONGEST_END, End, add_ends, block_of, end_of, is_missing, is_nothing, worse
from selfexec.engines.http.errors import says_something
from selfexec.engines.http.providers import Endpoint
from selfexec.engines.http.wires.base import (
    Event,
    Habit,
    OneReply,
    OtherChoices,
    Texts,
    UnreadableReply,
    UnusableReply,
    Wire,
    address,
    check_places,
    check_role,
    complaint_in,
    concluded,
    count_of,
    fields,
    first_of,
    list_of,
    name_of,
    object_of,
    said_in,
)
from selfexec.engines.http.wires.logprobs import gemini_tokens_of
from selfexec.engines.http.wires.objections import kind_of, objections
from selfexec.engines.http.wires.order import Order
from selfexec.engines.http.wires.streams import CUT, data_of
from selfexec.engines.http.wires.totals import by_total
from selfexec.engines.settings import GEMINI_NAMES
from selfexec.experiments import Message


def _url(endpoint: Endpoint) -> str:
    return address(endpoint, f"/{endpoint.name}:generateContent")


def _streamed_url(endpoint: Endpoint) -> str:
    return address(endpoint, f"/{endpoint.name}:streamGenerateContent", "alt=sse")


def _headers(endpoint: Endpoint) -> Mapping[str, str]:
    return {endpoint.key_header: endpoint.key} if endpoint.key else {}


ROLES = {"user": "user", "assistant": "model"}


def _body(endpoint: Endpoint, messages: Sequence[Message], sampling: Mapping[str, Any]) -> Mapping[str, Any]:
    config = {GEMINI_NAMES[name]: value for name, value in sampling.items() if name in GEMINI_NAMES}
    others = {name: value for name, value in fields(sampling).items() if name not in GEMINI_NAMES}
    contents = [{"role": ROLES[m.role], "parts": [{"text": m.content}]} for m in messages]
    body: dict[str, Any] = {"contents": contents, **others}
    if config:
        body["generationConfig"] = {**others.get("generationConfig", {}), **config}
    if system := sampling.get("system"):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    return body


def _result(body: Any) -> CallResult:
    usage = object_of(body.get("usageMetadata"))
    thoughts = count_of(usage.get("thoughtsTokenCount"))
    answer = count_of(usage.get("candidatesTokenCount"))
    asked = count_of(usage.get("promptTokenCount"))
    if thoughts is None and answer and asked and usage.get("totalTokenCount") == asked + answer:
        thoughts = 0  # which Google leaves out where it is 0
    candidate = first_of(body.get("candidates"))
    blocked = object_of(body.get("promptFeedback")).get("blockReason")
    if candidate is None and is_missing(blocked):
        raise UnusableReply(complaint_in(body) or "no candidates")
    candidate = candidate or {}
    check_places(candidate, *ELSEWHERE)
    content = candidate.get("content")
    if content is not None and not isinstance(content, dict):
        raise UnreadableReply("a message of unknown shape")
    check_role(_role(content))
    said = said_in(_parts(content))
    ends = [] if is_missing(blocked) else [block_of(blocked)]
    if candidate or not ends:
        ends.append(_end(candidate))
    if any(object_of(rating).get("blocked") is True for rating in list_of(candidate.get("safetyRatings"))):
        ends.append(block_of("SAFETY"))
    result = CallResult(
        text=said.text,
        # answer and thoughts are counted apart here; together they are what the reply cost
        output_tokens=None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0),
        refusal=said.refusal,
        input_tokens=asked,
        reasoning_tokens=thoughts,
        reasoning=said.thought,
        served_model=name_of(body.get("modelVersion")),
        completion_id=name_of(body.get("responseId")),
        simulated=body.get("simulated") is True,
        logprobs=gemini_tokens_of(candidate.get("logprobsResult")),
    )
    result = by_total(result, usage, count_of(usage.get("totalTokenCount")))
    return concluded(
        body, result, ends, message=isinstance(content, dict), places=(candidate, content), hidden=said.thinks
    )


def _end(candidate: Mapping[str, Any]) -> End:
    """How a candidate ended. What the model ended by itself needs no message that explains it."""
    end = end_of(candidate.get("finishReason"))
    if end.kind == "done" and says_something(candidate.get("finishMessage")):
        return End("unknown", None, f"{end.word} (with a finishMessage)"[:LONGEST_END])
    return end


ELSEWHERE = ("text", "output", "message", "delta", "parts")  # where other formats have their words


def _role(content: Any) -> Any:
    role = object_of(content).get("role")
    return role.casefold() if isinstance(role, str) else role


def _parts(content: Any) -> Any:
    """The parts of a candidate's content as those of other formats, which say by a type what they are."""
    parts = object_of(content).get("parts")
    return [_typed(part) if isinstance(part, dict) else part for part in parts] if isinstance(parts, list) else parts


def _typed(part: Mapping[str, Any]) -> Mapping[str, Any]:
    if part.get("thought"):
        return {"type": "thinking", "thinking": part.get("text")}
    if "text" in part or "refusal" in part:
        return part
    kind = next((name for name in part if name not in SIGNS_OF_A_PART), None)
    if kind is None and part.get("thoughtSignature"):
        return {"type": "thinking"}
    return {**part, "type": KINDS.get(kind, kind) if kind else "empty"}


KINDS = {
    "functionCall": "tool_call",
    **dict.fromkeys(("executableCode", "codeExecutionResult", "toolCall", "toolResponse"), "code_tool_result"),
    **dict.fromkeys(("inlineData", "fileData"), "image"),
}
SIGNS_OF_A_PART = ("thought", "thoughtSignature", "partMetadata", "role")


# --- in pieces -------------------------------------------------------------------------------------------------------


class Gathered:
    """Responses, each with parts of the whole, until one has a finish reason or blocks the prompt. What tells the end
    of such a stream is that the server ends it. The models before Gemini 2 had STOP and running counts in each piece:
    there nothing tells half a stream from a whole one, unless only the last piece has the counts.
    """

    takes_lists = True

    def __init__(self) -> None:
        self.whole = self.over = False
        self.habit: Habit | None = None
        self._body: dict[str, Any] = {}
        self._candidate: dict[str, Any] = {}
        self._parts: list[Any] = []
        self._text = Texts()
        self._reply = OneReply()
        self._others = OtherChoices()
        self._order = Order()
        self._pieces = 0
        self._counted_from: int | None = None  # the number of the first piece that has the counts
        self._odd: dict[str, Any] = {}
        self._against: dict[str, Any] = {}  # what of a candidate speaks against it
        self._logprobs: dict[str, list[Any]] = {}
        self._ends: dict[str, Any] = {}  # in all fields for one, those of other formats included
        self._candidate_ends: dict[str, Any] = {}

    def take(self, event: Event) -> None:
        if event.data.strip() == b"[DONE]":  # of gateways that write it behind every stream
            self.over = True
            return
        piece = data_of(event)
        self._order.take(event, piece)
        self._pieces += 1
        if self._counted_from is None and object_of(piece.get("usageMetadata")).get("candidatesTokenCount"):
            self._counted_from = self._pieces
        self._odd |= objections(piece)
        add_ends(self._ends, piece)
        self._body |= {
            name: value
            for name, value in piece.items()
            if value is not None and name != "candidates" and kind_of(name) == "other"
        }
        if "candidates" not in piece:
            check_places(piece, "text", "content", "delta", "response", "output", "choices", "parts")
        self._others.take(piece.get("candidates"), _words_of, "finishReason")
        if candidate := first_of(piece.get("candidates"), whole=False):
            check_places(candidate, *ELSEWHERE)
            self._reply.check_names(piece, "responseId", "modelVersion")
            end = worse(self._candidate.get("finishReason"), candidate.get("finishReason"))
            self._take(candidate.get("content"), candidate.get("finishReason"))
            for name, tokens in object_of(candidate.get("logprobsResult")).items():
                self._logprobs.setdefault(name, []).extend(list_of(tokens))
            self._candidate |= {
                name: value for name, value in candidate.items() if value is not None and kind_of(name) == "other"
            }
            self._against |= objections(candidate)
            self._candidate["finishReason"] = end
            add_ends(self._candidate_ends, candidate, candidate.get("content"))
        blocked = object_of(self._body.get("promptFeedback")).get("blockReason")
        self.whole = not is_nothing(blocked) or not is_nothing(self._candidate.get("finishReason"))

    def _take(self, content: Any, end: Any) -> None:
        if content is None:
            return
        if not isinstance(content, dict) or not isinstance(content.get("parts"), list | type(None)):
            raise UnreadableReply("a piece of the stream has its words in an unknown place")
        check_role(_role(content))
        self._odd |= objections(content)
        parts = list_of(content.get("parts"))
        words = (part.get("text") if isinstance(part, dict) else part for part in parts)
        self._reply.check_end(words, end, self.whole, self._candidate.get("finishReason"))
        for part in parts:
            if isinstance(part, dict) and isinstance(text := part.get("text"), str) and not part.get("thought"):
                self._text.add(text)
        self._parts += parts

    def body(self) -> Mapping[str, Any]:
        if not self.whole:
            raise UnusableReply(CUT)
        if self._reply.went_on and not self.over and self._counted_from != self._pieces:
            raise UnreadableReply(END_ON_EACH)
        self._text.check_end()
        content = {"content": {"parts": self._parts}} if self._parts or "content" in self._candidate else {}
        whole = {**content, "logprobsResult": self._logprobs}
        body, candidate = {**self._body}, {**self._candidate}
        add_ends(body, self._ends)
        add_ends(candidate, self._candidate_ends)
        candidates = [{**candidate, **self._against, **whole}] if self._candidate else []
        against = {**self._others.objection(), **self._text.doubled(), **self._order.objection(), **self._odd}
        return {**body, "candidates": candidates, **against}


END_ON_EACH = "each piece of the stream bears an end, so nobody knows whether the last one came; leave out --stream"


def _words_of(candidate: Mapping[str, Any]) -> list[Any]:
    """The words of a candidate in a piece."""
    parts = list_of(object_of(candidate.get("content")).get("parts"))
    return [part.get("text") if isinstance(part, dict) else part for part in parts]


GEMINI = Wire(
    title="Gemini's generateContent",
    url=_url,
    headers=_headers,
    body=_body,
    result=_result,
    gathering=Gathered,
    streamed_url=_streamed_url,
    capabilities=frozenset({"turns", "logprobs"}),
)
