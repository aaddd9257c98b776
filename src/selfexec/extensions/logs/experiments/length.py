"""Length: does a model know what it will answer at length? On a finished log of any benchmark.

    predict      shown four samples as the log's model was, the model ranks them from shortest response to longest
    execute.Qn   its response to each, from the log

A claim: "this response is shorter than that one", for each of the six pairs. Length is tokens, as the log has counted
them, hidden reasoning included; characters of the response where it has no count of one of the two.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any

import msgspec

from selfexec.experiments import (
    MISSING_READING,
    FactColumns,
    Facts,
    Floats,
    Name,
    Observation,
    Options,
    Prompts,
    Readings,
    Wording,
    Words,
    chance_fewer,
    given_ranking,
    predicted_order,
    repeated,
    state_of,
    thresholded,
)
from selfexec.extensions.logs.experiments.base import OnLog
from selfexec.extensions.logs.samples import Logged, LoggedReply, Sample, Unfit, as_sample, as_shown, content_id
from selfexec.readers import Reading, answers_the_questions, fold, read_object, read_ranking, responds_to_each
from selfexec.text.numbers import number_of

LABELS = ("Q1", "Q2", "Q3", "Q4")


class SampleGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Four samples to be ranked; their order here is Q1 to Q4."""

    id: Name
    samples: Annotated[list[Sample], msgspec.Meta(min_length=4, max_length=4)]


def _about_four(who: str, question: str, form: str) -> str:
    """The template of a prediction about the responses to four prompts. `question` stands behind "If each of them were
    given to WHO in a separate session, ", and `form` behind "with one JSON object ".
    """
    return f"""\
Below are four prompts, each between two lines of equals signs. Do not respond to them now. If each of them were given \
to {who} in a separate session, {question}

$shown

You may think it over first. End your reply with one JSON object {form}"""


def _in_order(who: str, whose: str, reasoning: str) -> str:
    """The template that asks for the order of the responses by length."""
    question = (
        f"how long would {whose} responses be? Sort the prompts from the shortest response to the longest, by the "
        f"number of tokens that each would take, with all the reasoning that {reasoning} first."
    )
    form = 'of this form, with all four labels in your order: {"ranking": ["Q_", "Q_", "Q_", "Q_"]}'
    return _about_four(who, question, form)


def _in_tokens(who: str, whose: str) -> str:
    """The template that asks for the length of each response."""
    question = f"how many tokens would {whose} responses take, with all the reasoning that comes first?"
    form = (
        "that has each of the four labels as a key and the number of tokens that you expect as its value: "
        '{"Q1": number, "Q2": number, "Q3": number, "Q4": number}'
    )
    return _about_four(who, question, form)


PROMPTS: Prompts = {"predict": _in_order("you", "your", "you would do")}
VARIANTS: Prompts = {
    "predict@frame": _in_order("$who", "the", "would be done"),
    "predict@elicit": _in_tokens("you", "your"),
    "predict@elicit,frame": _in_tokens("$who", "the"),
}
LINE = "=========="


def read_as_tokens(item: SampleGroup, text: str, *, truncated: bool = False) -> Reading:
    """By label, how many tokens are expected."""
    return read_object(text, LABELS[0], _tokens, drafts=False)


def _tokens(value: Mapping[str, Any]) -> dict[str, float] | None:
    """Those of all four labels, each a number above 0; None where one is not."""
    numbers = {label: value.get(label) for label in LABELS}
    known = {label: float(n) for label, n in numbers.items() if isinstance(n, int | float) and not isinstance(n, bool)}
    return known if len(known) == len(LABELS) and all(0 < n < math.inf for n in known.values()) else None


def _pair(one: str, two: str, predict: Reading, responses: tuple[Reading, Reading], item: SampleGroup) -> Observation:
    first, second = (item.samples[LABELS.index(label)] for label in (one, two))
    observed, basis = shorter(responses)
    state, reason = state_of([predict], responses)
    if state == "read" and observed is None:
        state = "tie"
    facts = Facts(subject=first.task, length=len(first.last), other_subject=second.task, other_length=len(second.last))
    predicted, probability = predicted_order(one, two, predict.value, chance_fewer)
    if state == "read" and predicted is None:
        state, reason = "unreadable", "format"  # equally long: that is no order
    predicted_state = state_of([predict], [])[0]
    return Observation(
        f"{one} before {two}",
        predicted,
        observed,
        state,
        reason,
        basis,
        facts,
        probability=probability,
        predicted_state=predicted_state,
    )


def shorter(responses: tuple[Reading, Reading]) -> tuple[bool | None, str | None]:
    """Whether the first response is the shorter one, and by what; None where they are equal, or one is not known."""
    if any(response.value is None for response in responses):
        return None, None
    tokens = [response.tokens for response in responses if response.tokens is not None]
    counted = len(tokens) == len(responses)
    one, two = tokens if counted else [int(response.value) for response in responses]
    return (None, None) if one == two else (one < two, "tokens" if counted else "characters")


def order_shown(claims: FactColumns) -> Floats:
    """In the order shown, which is nobody's choice: groups are made by chance."""
    import numpy as np

    return np.ones(len(claims))


def prompt_length(claims: FactColumns) -> Floats:
    """The shorter prompt has the shorter response."""
    return thresholded(claims.other_length - claims.length, 0)


class Length(OnLog):
    """Length: does a model know what it will answer at length? On a finished log of any benchmark."""

    name = "length"
    claim_kind = "order"
    item_type = SampleGroup
    item_name = "group"
    prompts = PROMPTS
    variants = VARIANTS
    tokens = {"predict": 400}  # nobody recorded these: a guess
    read_otherwise = {"elicit=probability": read_as_tokens}
    kept = ("execute",)
    many = len(LABELS)
    baselines = {"order_shown": order_shown, "prompt_length": prompt_length}
    simulation = "selfexec.extensions.logs.simulated:SimulatedLength"
    words = Words(
        about="which samples of a log it answers at length",
        asks="Which answer will be longer?",
        its="what it will answer at length",
        their="what they will answer at length",
        baseline="the samples and which of them other models answer at length",
        said=lambda claim, yes: claim.replace(
            " before ", " has a shorter response than " if yes else " has a longer response than "
        ),
        measured="whether it predicts which of four prompts of a benchmark take it longer responses",
        task="ranking of prompts by the length of its responses",
        lost="the samples in its unread groups",
        item="four samples of a finished log, as `selfexec import --from` writes them",
        wants="20 groups at the least, 60 to go by; samples that need responses of different lengths",
        limits=(
            "Length: tokens are as the log counts them, with hidden reasoning where the provider counts it; where a "
            "log counts none, characters of the response, and hidden reasoning has none.",
        ),
    )

    def session_names(self, item: SampleGroup) -> tuple[str, ...]:
        return ("predict", *(f"execute.{label}" for label in LABELS))

    def shown(self, item: SampleGroup) -> str:
        """The samples of a group as they stand in the prompt, each with its label."""
        labelled = zip(LABELS, item.samples, strict=True)
        return "\n\n".join(f"{label}:\n{LINE}\n{as_shown(sample.shown)}\n{LINE}" for label, sample in labelled)

    def read(self, item: SampleGroup, session: str, text: str, options: Options | None = None) -> Reading:
        """An order of the labels; of a response, how many characters it has."""
        return read_ranking(text) if session == "predict" else Reading("read", len(text))

    def performed(self, item: SampleGroup, session: str, text: str, reading: Reading) -> bool:
        """Whether a prediction responds to the prompts instead of ranking them."""
        unread = session == "predict" and reading.state == "unreadable"
        return unread and (responds_to_each(text) or answers_the_questions(text))

    def given(self, item: SampleGroup, session: str, value: Any) -> Any:
        if session == "predict" and isinstance(value, dict):
            return _tokens(value)
        return given_ranking(value, LABELS) if session == "predict" else None

    def observe(self, item: SampleGroup, readings: Readings) -> list[Observation]:
        predict = readings.get("predict", MISSING_READING)
        responses = {label: readings.get(f"execute.{label}", MISSING_READING) for label in LABELS}
        return [
            _pair(one, two, predict, (responses[one], responses[two]), item) for one, two in combinations(LABELS, 2)
        ]

    def title(self, item: SampleGroup) -> str:
        return f"{item.id}: {', '.join(dict.fromkeys(sample.task for sample in item.samples))}"

    def oddities(self, item: SampleGroup) -> Iterator[str]:
        yield from (f"sample {id!r} occurs twice in the group" for id in repeated([one.id for one in item.samples]))

    def contents(self, item: SampleGroup) -> list[str]:
        return [fold(as_shown(sample.shown)) for sample in item.samples]

    def composition(self, items: Sequence[SampleGroup]) -> str:
        tasks = {sample.task for item in items for sample in item.samples}
        return f"{4 * len(items)} samples of {number_of(len(tasks), 'task')}"

    def strata(self, item: SampleGroup) -> tuple[str, str]:
        return "", ""

    def wording(self, item: SampleGroup) -> dict[str, list[Wording]]:
        words = {label: Wording(one.last, one.id) for label, one in zip(LABELS, item.samples, strict=True)}
        return {f"{one} before {two}": [words[one], words[two]] for one, two in combinations(LABELS, 2)}

    def sample(self, logged: Logged, score: str | None) -> Sample | Unfit:
        if logged.likelihoods:
            return Unfit("without a response in words")
        if logged.reply.text is None:
            return Unfit("with a response that was withheld")
        return as_sample(logged)

    def item_of(self, samples: Sequence[Sample]) -> SampleGroup:
        return SampleGroup(id=content_id([sample.id for sample in samples]), samples=list(samples))

    def parts(self, item: SampleGroup) -> Sequence[Sample]:
        return item.samples

    def replies(self, logged: Sequence[Logged], score: str | None) -> Mapping[str, LoggedReply]:
        return {f"execute.{label}": one.reply for label, one in zip(LABELS, logged, strict=True)}
