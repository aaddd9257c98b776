"""What a prediction saw: the exchanges of its conversation, and what they show of the behaviour that it predicts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from selfexec.experiments import EXPERIMENTS, RULE, Message
from selfexec.extensions.tool.protocol import request_in
from selfexec.readers import Reading


@dataclass(frozen=True)
class Exchange:
    """A request in a conversation, None where it had no prompt in it, and what was told of it: the reply and its
    tokens, None where nothing was executed, or nothing came of it.
    """

    prompt: str | None
    reply: str | None
    tokens: int | None = None


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """Those of a conversation so far, in order."""
    in_order: list[Exchange] = []
    for asked, result_message in zip(messages[1::2], messages[2::2], strict=False):
        request, result = request_in(asked.content), json.loads(result_message.content)
        prompt = request.prompt if request else None
        in_order.append(Exchange(prompt, result.get("reply"), result.get("tokens")))
    return in_order


def folded(text: str) -> str:
    """A prompt without regard to capitals, blanks and what stands around it: quotes, and a full stop at its end."""
    return " ".join(text.casefold().split()).strip("\"'“”„‘’`.").strip()


def item_words(prompt: str, template: str) -> str:
    """The paragraphs of a prompt that its template fills in: what it is about, without the form that it asks for."""
    fixed = {part.strip() for part in template.split("\n\n")}
    own = [part for part in prompt.split("\n\n") if part.strip() not in fixed]
    return "\n\n".join(own) or prompt


def is_same(asked: str, prompt: str, template: str) -> bool:
    """Whether a prompt that a model asked for is one by which it is asked for its behaviour: in the same words, with or
    without the paragraphs on the form of the reply, which it is not shown where it predicts.
    """
    return folded(asked) in (folded(prompt), folded(item_words(prompt, template))) or folded(
        item_words(asked, template)
    ) == folded(item_words(prompt, template))


def session_asked(asked: str, behaviour: Mapping[str, str], templates: Mapping[str, str]) -> str | None:
    """The session of the behaviour whose very prompt a model asked for; None where it is that of none."""
    for session, prompt in behaviour.items():
        if is_same(asked, prompt, templates.get(session.partition(".")[0], "")):
            return session
    return None


def seen_outcomes(
    experiment: str, item: Any, behaviour: Mapping[str, str], conversation: Sequence[Exchange], templates: Any = None
) -> dict[str, bool]:
    """What the executions of a conversation show, by claim, as far as the readers of the experiment find it in replies
    to the very prompts of the item; the last one to each counts.
    """
    asked = EXPERIMENTS[experiment]
    readings: dict[str, Reading] = {}
    for exchange in conversation:
        if exchange.prompt is None or exchange.reply is None:
            continue
        session = session_asked(exchange.prompt, behaviour, templates or asked.prompts)
        if session is not None:
            reading = asked.read(item, session, exchange.reply)
            readings[session] = msgspec.structs.replace(reading, tokens=exchange.tokens)
    outcomes: dict[str, bool] = {}
    for o in asked.observe(item, readings) if readings else ():
        seen = o.by_source.get(RULE) if o.observed is None else o.observed
        if seen is not None:
            outcomes[o.claim] = seen
    return outcomes
