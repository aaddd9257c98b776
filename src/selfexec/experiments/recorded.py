"""What experiments on a finished log are made of: samples as a model was shown them, and what the log says came of
each. Somebody has asked and paid for these already; only predictions are asked.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from selfexec.text.numbers import number_of

Name = Annotated[str, msgspec.Meta(min_length=1)]
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


@dataclass(frozen=True, kw_only=True)
class Recording:
    """How an experiment takes what was done from a finished log.

    kinds     of session: their replies stand in the log, and are never asked for
    sample    what of an item a sample makes, or why it makes none; with the score that was chosen, if any
    replies   what the log has of each session of an item, from its samples, with the score that was chosen
    item      of so many samples as `many` says
    parts     the samples of an item, in their order
    scored    whether it goes by a score: where a log has several, one must be chosen
    turns     whether it takes samples in which the model spoke more than once: tools, several turns
    """

    kinds: tuple[str, ...]
    sample: Callable[[Logged, str | None], Sample | Unfit]
    replies: Callable[[Sequence[Logged], str | None], Mapping[str, LoggedReply]]
    item: Callable[[Sequence[Any]], Any] = lambda samples: samples[0]
    parts: Callable[[Any], Sequence[Sample]] = lambda item: [item]
    many: int = 1
    scored: bool = False
    turns: bool = False


def content_id(*content: Any) -> str:
    """A name that follows from what it names alone."""
    plain = json.dumps(msgspec.to_builtins(content), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()[:16]


def as_sample(logged: Logged) -> Sample:
    """The sample alone, whatever came of it."""
    return Sample(id=content_id(logged.shown), task=logged.task, sample=logged.sample, shown=list(logged.shown))


def blank(sample: Sample) -> Iterator[str]:
    """What is odd about a sample that asks nothing."""
    if not sample.last.strip():
        yield "the last message is blank"


def tasks_of(samples: Sequence[Sample]) -> str:
    """What samples are made of."""
    return f"samples of {number_of(len({one.task for one in samples}), 'task')}"


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


def in_line(sample: Sample) -> str:
    """A sample in a few words: its question, without what stands before it."""
    return " ".join(sample.last.split()) or sample.id


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
