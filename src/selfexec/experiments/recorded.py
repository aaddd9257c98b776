"""What experiments on a finished log are made of: samples as a model was shown them, and what the log says came of
each. Somebody has asked and paid for these already; only predictions are asked.
"""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from selfexec.experiments.base import MISSING, Experiment, Facts, Name, Observation, Readings, Wording, state_of
from selfexec.readers import Reading, answers_in_letters, fold, responds_to
from selfexec.text.numbers import number_of

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


class OnLog(Experiment):
    """An experiment on finished logs: what was done is taken from the samples of a log, and predictions alone are
    asked. By default an item is one sample, and what the model did with it is the log's response.
    """

    item_type: type[Any] = Sample
    item_name = "sample"
    tokens = {"predict": 200}  # nobody recorded these: a guess
    recorded: tuple[str, ...] = ("execute",)
    sampling = {"paper": {"temperature": 0.0}}

    # --- from a log ---

    many = 1
    """How many samples make an item."""
    scored = False
    """Whether it goes by a score: where a log has several, one must be chosen."""
    turns = False
    """Whether it takes samples in which the model spoke more than once: tools, several turns."""

    @abstractmethod
    def sample(self, logged: Logged, score: str | None) -> Sample | Unfit:
        """What of an item a sample makes, or why it makes none; with the score that was chosen, if any."""

    def replies(self, logged: Sequence[Logged], score: str | None) -> Mapping[str, LoggedReply]:
        """What the log has of each session of an item, from its samples, with the score that was chosen."""
        [only] = logged
        return {"execute": only.reply}

    def item_of(self, samples: Sequence[Any]) -> Any:
        """The item that these samples make: as many as `many` says."""
        return samples[0]

    def parts(self, item: Any) -> Sequence[Sample]:
        """The samples of an item, in their order."""
        return [item]

    # --- what is shown ---

    def shown(self, item: Any) -> str:
        """An item as the prompt of a prediction shows it."""
        return as_shown(item.shown)

    def filled_in(self, item: Any) -> Mapping[str, str]:
        return {"shown": self.shown(item)}

    # --- items ---

    def title(self, item: Any) -> str:
        """A sample in a few words: its question, without what stands before it."""
        return " ".join(item.last.split()) or str(item.id)

    def oddities(self, item: Any) -> Iterator[str]:
        if not item.last.strip():
            yield "the last message is blank"

    def contents(self, item: Any) -> Sequence[str]:
        return [fold(self.shown(item))]

    def composition(self, items: Sequence[Any]) -> str:
        return f"samples of {number_of(len({sample.task for sample in items}), 'task')}"

    def strata(self, item: Any) -> tuple[str, str]:
        return item.task, ""


class OfResponse(OnLog):
    """An experiment on finished logs with one claim of yes or no about each response: option A of the prediction says
    that it comes true.
    """

    kind = "binary"
    kept = ("execute",)
    quick = 100
    claim: str

    @abstractmethod
    def outcome(self, readings: Readings) -> tuple[bool | None, Sequence[Reading]]:
        """Whether the claim came true, and the readings that this takes."""

    def performed(self, item: Any, session: str, text: str, reading: Reading) -> bool:
        """Whether a prediction responds to the prompt instead, in words or with the letter of one of its options."""
        if session != "predict":
            return False
        unread = reading.state == "unreadable"
        return responds_to(text, item.last) if unread else answers_in_letters(reading.evidence, self.shown(item))

    def observe(self, item: Any, readings: Readings) -> list[Observation]:
        predict = readings.get("predict", MISSING)
        observed, needed = self.outcome(readings)
        state, reason = state_of([predict], needed)
        predicted = None if predict.value is None else predict.value == "A"
        facts = Facts(subject=item.task, length=len(item.last))
        predicted_state = state_of([predict], [])[0]
        return [
            Observation(self.claim, predicted, observed, state, reason, facts=facts, predicted_state=predicted_state)
        ]

    def wording(self, item: Any) -> Mapping[str, Sequence[Wording]]:
        """What is worded alike may stand in the same task as well as in another: each sample is a family of its own."""
        return {self.claim: [Wording(item.last, item.id)]}
