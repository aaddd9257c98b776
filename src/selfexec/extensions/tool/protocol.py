"""The conversation of a prediction that may have prompts executed, over plain messages.

A reply asks for an execution by an object {"execute": "prompt"}, behind which no other object stands. A fresh session,
which is told nothing of this, answers that prompt, and the next message holds what it replied, as JSON: whatever stands
in there is text within a string. What cannot be done is refused in the next message.
"""

import json
from typing import Any, NamedTuple

from selfexec.experiments import Answer, Ask, Message, Prompt, messages_of
from selfexec.facets import call_of, is_withheld, tokens_of, turn_of
from selfexec.text.regex import regex

REFUSALS = 2  # turns beyond those that calls take, in which requests are refused before the conversation ends
LONGEST_PROMPT = 8_000  # characters that may be executed
LONGEST_REPLY = 20_000  # characters of a reply that the prediction is told
MOST_REQUESTS = 50  # objects of one reply that are looked at
REQUEST = regex(r"\{\s{0,20}[\"'“”]?execute[\"'“”]?\s{0,20}:")
DECODER = json.JSONDecoder(strict=False)  # a string may go over several lines
# why a request is refused
NO_CALLS, TOO_LONG, MALFORMED, SEVERAL = "no calls left", "too long", "malformed", "several"
BESIDE = "beside a prediction"  # nothing is said of one that stands before a prediction: that ends the conversation
REFUSAL_TEXTS = {
    NO_CALLS: "no calls are left: give your prediction now",
    TOO_LONG: f"the prompt has more than {LONGEST_PROMPT:,} characters",
    MALFORMED: 'this is no {"execute": "prompt"} with a prompt in it',
    SEVERAL: "one prompt at a time: the others were not executed",
}


class Request(NamedTuple):
    """What a reply asks for: the prompt, None where there is none in it that can be executed, and how many requests
    stand in the reply.
    """

    prompt: str | None
    number: int


class Decision(NamedTuple):
    """What becomes of a reply that asks: the prompt that is executed, or None; and why requests are refused, each by
    its reason.
    """

    prompt: str | None
    refused: tuple[str, ...]


def request_in(text: str) -> Request | None:
    """What a reply asks for; None where it is a prediction: it asks for nothing, or another object stands behind."""
    asked, end = _requests(text)
    if not asked or _object_behind(text, end):
        return None
    return Request(next((prompt for prompt in asked if prompt is not None), None), len(asked))


def asks_on(text: str) -> str | None:
    """The prompt that a reply asks to be executed, or nothing of it; None where it is a prediction."""
    request = request_in(text)
    return None if request is None else request.prompt or ""


def passed_over(text: str) -> int:
    """How many requests stand in a reply before its prediction: they are not carried out."""
    asked, _ = _requests(text)
    return len(asked) if asked and request_in(text) is None else 0


def decide(request: Request, calls_left: int) -> Decision:
    """What becomes of a reply that asks, where so many calls are left: at most one prompt is executed."""
    more = (SEVERAL,) * (request.number - 1)
    if request.prompt is None:
        return Decision(None, (MALFORMED,) * request.number)
    if calls_left < 1:
        return Decision(None, (NO_CALLS,) * request.number)
    if len(request.prompt) > LONGEST_PROMPT:
        return Decision(None, (TOO_LONG, *more))
    return Decision(request.prompt, more)


def _requests(text: str) -> tuple[list[str | None], int]:
    """The prompts that objects of a reply ask for, None for one that is no prompt; and where the last of them ends.
    Where an option is called "execute", its mark or its probability is no request.
    """
    asked: list[str | None] = []
    end = 0
    for mark in REQUEST.finditer(text):
        if mark.start() < end:
            continue
        value, stop = _decoded(text, mark.start())
        prompt = value.get("execute") if isinstance(value, dict) else None
        if isinstance(prompt, bool | int | float):
            continue
        asked.append(prompt if isinstance(prompt, str) and _sendable(prompt) else None)
        end = stop if stop is not None else mark.end()
        if len(asked) == MOST_REQUESTS:
            break
    return asked, end


def _decoded(text: str, start: int) -> tuple[Any, int | None]:
    """The object that begins here, and where it ends; nothing where it is none."""
    try:
        return DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, None


def _sendable(prompt: str) -> bool:
    try:
        prompt.encode()
    except UnicodeEncodeError:  # half a character, which no message can hold
        return False
    return bool(prompt.strip())


def _object_behind(text: str, end: int) -> bool:
    """Whether an object stands behind this place, as a prediction does."""
    at, tries = text.rfind("{", end), 0
    while at >= end and tries < MOST_REQUESTS:
        value, _ = _decoded(text, at)
        if isinstance(value, dict) and value and not isinstance(value.get("execute"), str):
            return True
        at, tries = text.rfind("{", end, at), tries + 1
    return False


# --- the conversation -------------------------------------------------------------------------------------------------


def result_message(decision: Decision, answer: Answer, calls_left: int) -> str:
    """What the prediction is told of an execution."""
    text = answer.text
    message: dict[str, Any] = {"reply": text if text is None else text[:LONGEST_REPLY]}
    if text is None:
        message["withheld"] = True
    elif len(text) > LONGEST_REPLY:
        message["cut"] = True
    if (tokens := tokens_of(answer)) is not None:
        message["tokens"] = tokens
    if decision.refused:
        message["refused"] = REFUSAL_TEXTS[decision.refused[0]]
    return json.dumps({**message, "calls_left": calls_left}, ensure_ascii=False)


def refusal_message(decision: Decision, calls_left: int) -> str:
    """What the prediction is told where nothing is executed."""
    return json.dumps({"refused": REFUSAL_TEXTS[decision.refused[0]], "calls_left": calls_left}, ensure_ascii=False)


async def converse(calls: int, turns: int, session: str, prompt: Prompt, ask: Ask, parent: str | None = None) -> Answer:
    """Hold the conversation of a prediction with so many calls and turns at most, and bring its last reply, or the one
    that is not there yet.
    """
    messages = list(messages_of(prompt))
    answer = await ask(session, prompt, parent=parent)
    for number in range(1, turns):
        request = None if answer.text is None else request_in(answer.text)
        if request is None or answer.text is None:
            return answer
        decision = decide(request, calls)
        if decision.prompt is None:
            next_message = refusal_message(decision, calls)
        else:
            result = await ask(call_of(session, number), decision.prompt, parent=session)
            if result.text is None and not is_withheld(result):
                return result
            calls -= 1
            next_message = result_message(decision, result, calls)
        messages += [Message("assistant", answer.text), Message("user", next_message)]
        answer = await ask(turn_of(session, number + 1), tuple(messages), parent=session)
    return answer
