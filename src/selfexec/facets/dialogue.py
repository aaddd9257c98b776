"""A dialogue: how a level of a facet makes a conversation of a session, within which other sessions are opened.

predict          the session itself is the first turn
predict.turn.2   the turns behind it, each with all that was said before
predict.call.1   what is opened within it: by the number of the turn whose reply asked for it

All of them are of the session's kind, have its facets, and name it as their parent. The last turn speaks for the
session. A call is a fresh session that is told nothing of the dialogue, and its reply is only text.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from selfexec.experiments import Answer, Ask, Prompt
from selfexec.text.regex import regex

NESTED = regex(r"(?P<base>.+)\.(?P<role>turn|call)\.(?P<number>[1-9]\d?)", re.ASCII)


class Nested(NamedTuple):
    """A session within another one: which one that is, and the number of the turn that it is, or that asked for it."""

    base: str
    role: Literal["turn", "call"]
    number: int


def nested(session: str) -> Nested | None:
    """What a session within another one is; None where the name is that of no such session."""
    matched = NESTED.fullmatch(session) if "." in session else None
    return (
        Nested(matched["base"], "call" if matched["role"] == "call" else "turn", int(matched["number"]))
        if matched
        else None
    )


def base_of(session: str) -> str:
    """The session that a turn carries on, or within which a call is made; any other session is its own."""
    within = nested(session)
    return within.base if within else session


def is_call(session: str) -> bool:
    """Whether a session was opened within another one, and is no turn of it."""
    within = nested(session)
    return within is not None and within.role == "call"


def turn_of(session: str, number: int) -> str:
    """The name of a turn: the first is the session itself."""
    return session if number == 1 else f"{session}.turn.{number}"


def call_of(session: str, number: int) -> str:
    """The name of the session that the reply of a turn asked for."""
    return f"{session}.call.{number}"


class Converse(Protocol):
    """Holds the conversation of a session at a level, and brings what its last turn said. `ask` opens sessions by
    `turn_of` and `call_of`; a session that brings no text, and was not withheld, ends it: nothing can follow yet.
    """

    def __call__(
        self, level: str, session: str, prompt: Prompt, ask: Ask, parent: str | None = None
    ) -> Awaitable[Answer]: ...


@dataclass(frozen=True, kw_only=True)
class Dialogue:
    """How a facet makes a conversation of each session that it touches.

    converse    holds it
    calls       how many sessions a level opens within one at most
    turns       how many turns there are at most; where the last of them asks on, the session says nothing
    asks_on     what a turn asks for, in place of what the session is to say; None where it says that
    stand_in    the model that answers calls at a level; None where that is the model itself
    simulation  where it lies how simulated models converse, as "module:attribute": a function of a `SimTurn`, which
                gives the text of the turn, or None for what they say anyway
    """

    converse: Converse
    calls: Callable[[str], int]
    turns: Callable[[str], int]
    asks_on: Callable[[str], str | None]
    stand_in: Callable[[str], str | None] = lambda level: None
    simulation: str = ""

    def sessions(self, level: str, session: str) -> list[str]:
        """What is opened beside a session at most, where nothing goes wrong: a call and a turn for each."""
        numbers = range(1, self.calls(level) + 1)
        return [name for n in numbers for name in (call_of(session, n), turn_of(session, n + 1))]

    def has(self, level: str, within: Nested) -> bool:
        """Whether a session of this number may be opened at a level."""
        most = self.turns(level)
        return within.number < most if within.role == "call" else 2 <= within.number <= most


def is_withheld(answer: Answer) -> bool:
    """Whether a session brought no text since a model or its provider withheld it, which is a result too."""
    return getattr(answer, "withheld_by", None) is not None


def tokens_of(answer: Answer) -> int | None:
    """How many tokens an answer took, where somebody counted them."""
    return getattr(answer, "output_tokens", None)
