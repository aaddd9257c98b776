"""What experiments on a finished log are made of: samples as a model was shown them, and what the log says came of
each. Somebody has asked and paid for these already; only predictions are asked.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from selfexec.experiments import Name

RIGHT, WRONG, PARTLY, NO_ANSWER = "C", "I", "P", "N"  # scores as Inspect's scorers write them
OF_TEXT = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Turn(msgspec.Struct, frozen=True):
    """A message of what a model was shown. That of the role `tools` lists the tools that it could call."""

    role: Literal["system", "user", "assistant", "tools"]
    content: str


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample as a model was shown it. `id` follows from its content, so that logs of several models agree on it;
    `task` and `sample` are what the log that it came from calls the task, and this sample of it.
    """

    id: Name
    task: Name
    sample: str
    shown: Annotated[list[Turn], msgspec.Meta(min_length=1)]

    @property
    def last(self) -> str:
        """The last message: the question itself, behind whatever was shown before it."""
        return self.shown[-1].content


class LoggedReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a log has of one session: the fields of a reply that it knows. `text` is None where it was withheld."""

    text: str | None
    output_tokens: int | None = None
    input_tokens: int | None = None
    reasoning_tokens: int | None = None
    reasoning: str | None = None
    stop_reason: str | None = None
    refusal: str | None = None
    served_model: str | None = None


class Mark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a scorer of the log made of a reply: its value as it stands there, and the answer that it took out."""

    scorer: str
    value: Any
    answer: str | None = None


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a log, in one epoch. `likelihoods` are the log-likelihoods of its options, where these were
    weighed in place of a reply in words; `marks` are by score. `place` names it within its log. `several_right`: more
    than one option may be chosen. `turns` says, in the few words that samples are counted by, that the model spoke more
    than once; None where it did not.
    """

    place: str
    task: str
    sample: str
    shown: tuple[Turn, ...]
    reply: LoggedReply
    epoch: int = 1
    options: tuple[str, ...] = ()
    likelihoods: tuple[float, ...] = ()
    target: str | None = None
    marks: Mapping[str, Mark] = {}
    several_right: bool = False
    turns: str | None = None


class Unfit(msgspec.Struct, frozen=True):
    """Why an experiment can do nothing with a sample."""

    reason: str


def content_id(*content: Any) -> str:
    """A name that follows from what it names alone."""
    plain = json.dumps(msgspec.to_builtins(content), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def as_sample(logged: Logged) -> Sample:
    """The sample alone, whatever came of it."""
    return Sample(id=content_id(logged.shown), task=logged.task, sample=logged.sample, shown=list(logged.shown))


def as_shown(shown: Sequence[Turn]) -> str:
    """What a model was shown, as one text: a user's only message as it is, several each below its role."""
    if len(shown) == 1 and shown[0].role == "user":
        return shown[0].content.strip()
    return "\n\n".join(f"[{turn.role}]\n{turn.content.strip()}" for turn in shown)


def with_options(shown: Sequence[Turn], options: Sequence[str]) -> str:
    """What a model was shown, and below it the options that were weighed in place of a reply, where they were."""
    if not options:
        return as_shown(shown)
    return f"{as_shown(shown)}\n\n[options, of which the likeliest is the response]\n{lettered(options)}"


def lettered(options: Sequence[str]) -> str:
    return "\n".join(f"{letter}. {option}" for letter, option in zip(letters(len(options)), options, strict=True))


def letters(n: int) -> str:
    """The names of so many options: A, B, C and so on."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:n]


def whether_right(value: Any) -> bool | None:
    """Whether a score says that a reply is right; None where it is neither: partly, a number between, no score."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value in (RIGHT, WRONG, NO_ANSWER):
            return value == RIGHT
        value = OF_TEXT.get(value.lower(), _number(value))
    return value == 1 if isinstance(value, int | float) and value in (0, 1) else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def mark_text(mark: Mark) -> str:
    """A score as the line of a reply keeps it."""
    return msgspec.json.encode(mark).decode()
