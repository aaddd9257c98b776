"""Replies that are begun for the model, over chat completions: how a server is told to go on, and whether it does.

    continue_final_message  beside `add_generation_prompt: false` in the body: vLLM, SGLang, llama.cpp
    prefix                  true in the last message: Mistral, and DeepSeek below /beta

Gateways drop both without a word, and what comes then reads well: a new reply, or one behind a reply that they take to
be over. So each server is probed before its first call of an experiment that needs it. A count is begun and must be
gone on with; begun within a word, it must be gone on with within that word.
"""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from selfexec.engines.base import CallResult
from selfexec.engines.http.policy import shortened
from selfexec.engines.http.providers import CONTINUE, Endpoint, Prefill
from selfexec.errors import InputError
from selfexec.experiments import Message

COUNT = "Count from one to ten in English words. Write the words alone."
BEGUN, NEXT = "one two three", "four"
WITHIN, REST = "one two three fo", "ur"
REPEATED_OTHERS = "the server repeats the beginnings of replies, and has not repeated this one"
Probe = Callable[[Sequence[Message]], Awaitable[CallResult]]


def begun(body: Mapping[str, Any], spelling: Prefill | None) -> dict[str, Any]:
    """The body of a call whose last message is to be gone on with."""
    if spelling is None:
        raise InputError("a reply is begun for the model, and this server is not known to go on with one.")
    if spelling == CONTINUE:
        return {**body, "continue_final_message": True, "add_generation_prompt": False}
    *before, last = body["messages"]
    return {**body, "messages": [*before, {**last, "prefix": True}]}


def goes_on(messages: Sequence[Message]) -> bool:
    """Whether the reply is begun for the model."""
    return messages[-1].role == "assistant"


def without_beginning(result: CallResult, messages: Sequence[Message]) -> CallResult:
    """What a server that repeats the beginnings of replies has added to one. A reply that lacks its beginning is an
    error: nobody knows what it is a reply to.
    """
    if not result.text:
        return result
    beginning = messages[-1].content
    if not result.text.startswith(beginning):
        return CallResult(None, error=REPEATED_OTHERS)
    return msgspec.structs.replace(result, text=result.text[len(beginning) :])


class Prefills:
    """Which servers go on with replies that are begun, as probes have shown."""

    def __init__(self) -> None:
        self._echoes: dict[Endpoint, bool] = {}
        self._one_at_a_time = asyncio.Lock()

    async def echoes(self, where: Endpoint, ask: Probe) -> bool:
        """Whether a server repeats the beginning in its reply. It is probed once; InputError: it does not go on."""
        async with self._one_at_a_time:
            if where not in self._echoes:
                self._echoes[where] = await probed(where.shown, ask)
        return self._echoes[where]


async def probed(shown: str, ask: Probe) -> bool:
    """Whether a server repeats the beginning of a reply, where two probes show that it goes on with it.

    Each begins with letters that nobody can guess: a reply that has them repeats what was begun. A new turn behind a
    reply that is taken to be over may well go on with the count, but not within a word.

    Raises:
        InputError: It does not go on with it, or brought no reply.
    """
    replies = []
    for count in (BEGUN, WITHIN):
        beginning = f"({secrets.token_hex(3)}) {count}"
        result = await ask((Message("user", COUNT), Message("assistant", beginning)))
        if result.text is None:
            why = result.error or result.stop_reason or "no text came"
            raise InputError(
                f"{shown}: whether it goes on with a reply that was begun is not known ({why}). Try again."
            )
        replies.append((result.text, beginning))
    echoes = all(text.startswith(beginning) for text, beginning in replies)
    first, second = (text[len(beginning) if echoes else 0 :] for text, beginning in replies)
    if not _has_gone_on(first, second):
        raise InputError(
            f"{shown}: it does not go on with a reply that was begun. To a count begun with {BEGUN!r} it replied "
            f"{shortened(first)!r}, begun with {WITHIN!r} {shortened(second)!r}. A gateway may have dropped the "
            "beginning: ask the server behind it, or leave out the experiments that need prefill."
        )
    return echoes


def _has_gone_on(first: str, second: str) -> bool:
    """Whether these go on with the two counts: the second within its word; or the first, and the second at least does
    not begin that word, or the count, anew.
    """
    if second.lstrip().casefold().startswith(REST):
        return True
    words = [re.findall(r"[^\W\d_]+", text.casefold())[:1] for text in (first, second)]
    return words[0] == [NEXT] and words[1] not in ([NEXT], ["one"])
