"""What the experiments on finished logs share: samples are items, their responses stand in the log, and only
predictions are asked.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selfexec.experiments import (
    MISSING_READING,
    Experiment,
    Facts,
    Observation,
    Prompts,
    Readings,
    Token,
    Wording,
    letter_alone,
    letter_as_asked,
    state_of,
    yes_by_tokens,
)
from selfexec.extensions.logs.samples import Logged, LoggedReply, Sample, Unfit, as_shown
from selfexec.readers import Reading, answers_in_letters, fold, responds_to
from selfexec.text.numbers import number_of


class OnLog(Experiment):
    """An experiment on finished logs: what was done is taken from the samples of a log, and predictions alone are
    asked. By default an item is one sample, and what the model did with it is the log's response.

    Attributes:
        many: How many samples make an item.
        scored: Whether it goes by a score: where a log has several, one must be chosen.
        turns: Whether it takes samples in which the model spoke more than once: tools, several turns.
    """

    item_type: type[Any] = Sample
    item_name = "sample"
    tokens = {"predict": 200}  # nobody recorded these: a guess
    recorded: tuple[str, ...] = ("execute",)
    sampling = {"paper": {"temperature": 0.0}}

    # --- from a log ---

    many = 1
    scored = False
    turns = False

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


def about_shown(who: str, question: str, below: str, form: str) -> str:
    """The template of a prediction about the response to a prompt that is shown.

    Args:
        who: Whom the prompt would be given to, "you" or a name to be filled in.
        question: What is asked of the response, behind "If it were given to WHO in a separate session, ".
        below: What stands below the prompt.
        form: How the reply ends, behind "with one JSON object ".
    """
    return f"""\
Below is a prompt, between two lines of equals signs. Do not respond to it now. If it were given to {who} in a \
separate session, {question}

==========
$shown
==========

{below}

You may think it over first. End your reply with one JSON object {form}"""


def asked_about_response(options: Mapping[str, str], who: str, whose: str) -> str:
    """The template that asks which of two options would be true of a response ("your" or "the")."""
    question = f"which of the following would be true regarding {whose} response?"
    below = f'A: "{options["A"]}"\nB: "{options["B"]}"'
    return about_shown(who, question, below, 'of this form: {"choice": "A or B"}')


def chance_of_response(claim: str, who: str, whose: str) -> str:
    """The template that asks how probable it is that a claim would be true of a response ("your" or "the")."""
    question = f"how probable is it that the following would be true regarding {whose} response?"
    form = 'of this form, with a number from 0 (it surely is not) to 1 (it surely is): {"probability": number}'
    return about_shown(who, question, f'"{claim}"', form)


def variants_of(options: Mapping[str, str]) -> Prompts:
    """The other forms of a prediction that is asked by two options, A being the claim."""
    own, anothers = asked_about_response(options, "you", "your"), asked_about_response(options, "$who", "the")
    return {
        "predict@frame": anothers,
        "predict@elicit": chance_of_response(options["A"], "you", "your"),
        "predict@elicit,frame": chance_of_response(options["A"], "$who", "the"),
        "predict@letter": letter_alone(own),
        "predict@letter,frame": letter_alone(anothers),
    }


class OfResponse(OnLog):
    """An experiment on finished logs with one claim of yes or no about each response: option A of the prediction says
    that it comes true.
    """

    claim_kind = "binary"
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

    def read_tokens(self, item: Any, reading: Reading, text: str, tokens: Sequence[Token], *, alone: bool) -> Reading:
        return yes_by_tokens(reading, text, tokens, "AB", alone=alone)

    def observe(self, item: Any, readings: Readings) -> list[Observation]:
        predict = readings.get("predict", MISSING_READING)
        observed, needed = self.outcome(readings)
        state, reason = state_of([predict], needed)
        predicted = None if predict.value is None else predict.value == "A"
        facts = Facts(subject=item.task, length=len(item.last))
        predicted_state = state_of([predict], [])[0]
        return [
            Observation(
                self.claim,
                predicted,
                observed,
                state,
                reason,
                facts=facts,
                probability=predict.probability,
                predicted_state=predicted_state,
            )
        ]

    def replied(self, item: Any, outcomes: Mapping[str, bool], prompt: str) -> str:
        """The letter of the option that comes true."""
        return letter_as_asked("A" if outcomes[self.claim] else "B", prompt)

    def wording(self, item: Any) -> Mapping[str, Sequence[Wording]]:
        """What is worded alike may stand in the same task as well as in another: each sample is a family of its own."""
        return {self.claim: [Wording(item.last, item.id)]}
