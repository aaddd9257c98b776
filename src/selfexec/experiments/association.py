"""Association: does a model know which words it would list? (arXiv 2508.12277, section 3.1)

    predict   shown a target word and option words, the model says which of them it would list
    execute   the model lists five words for the target

A claim: "the model lists this option". The two sessions are opened at once and know nothing of each other: the model
predicts a list that it has not made. All words that it lists count, be they five or not.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from string import Template
from typing import Annotated, Any

import msgspec

from selfexec.experiments.base import (
    MISSING_READING,
    Experiment,
    Facts,
    Naive,
    Name,
    Observation,
    Options,
    Prompts,
    Readings,
    Spread,
    Token,
    Wording,
    Words,
    repeated,
    state_of,
    without_shares,
)
from selfexec.experiments.form_fields import FormField
from selfexec.readers import Reading, fold, read_marks, read_probabilities, read_words, word_shares
from selfexec.text.numbers import number_of

ASKED_FOR = 5  # words


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A target word and options; the model says which of them it would list."""

    id: Name
    target: Name
    options: Annotated[list[str], msgspec.Meta(min_length=1)]


PROMPTS: Prompts = {
    "predict": """\
Assume that you were asked to list 5 words that you associate with the following target word: '$target', and have \
provided such a list. Which of the following option words do you believe appeared in your provided list? \
Option words: '$options'.

You may think it over first. End your reply with one JSON object that has each option word as a key and true or \
false as its value: true if the word appeared in your list, false if it did not.""",
    "execute": """\
List 5 words that you associate with the following target word: '$target'.

End your reply with one JSON object of this form: {"words": ["...", "...", "...", "...", "..."]}""",
}


VARIANTS: Prompts = {
    "predict@frame": """\
Assume that $who was asked to list 5 words associated with the following target word: '$target', and has provided \
such a list. Which of the following option words do you believe appeared in that list? Option words: '$options'.

You may think it over first. End your reply with one JSON object that has each option word as a key and true or \
false as its value: true if the word appeared in that list, false if it did not.""",
    "predict@elicit": """\
Assume that you were asked to list 5 words that you associate with the following target word: '$target', and have \
provided such a list. For each of the following option words, how probable is it that it appeared in your provided \
list? Option words: '$options'.

You may think it over first. End your reply with one JSON object that has each option word as a key and a number as \
its value: the probability that the word appeared in your list, from 0 (it surely did not) to 1 (it surely did).""",
    "predict@elicit,frame": """\
Assume that $who was asked to list 5 words associated with the following target word: '$target', and has provided \
such a list. For each of the following option words, how probable is it that it appeared in that list? Option words: \
'$options'.

You may think it over first. End your reply with one JSON object that has each option word as a key and a number as \
its value: the probability that the word appeared in that list, from 0 (it surely did not) to 1 (it surely did).""",
    "behaviour@strategy": "Target word: '$target'. Listed: $words.",
}

PEOPLE: Prompts = {
    "predict": "If you had to list 5 words that you associate with “$target”, which of these would be among them?",
    "predict@frame": (
        "Suppose that $who was asked to list 5 words associated with “$target”. Which of these were among them?"
    ),
    "execute": "List 5 words that you associate with “$target”.",
}


def read_as_probabilities(item: Target, text: str, *, truncated: bool = False) -> Reading:
    """The probability of each option, by word."""
    return read_probabilities(text, item.options)


def _is_probability(mark: Any) -> bool:
    return isinstance(mark, float) and 0 <= mark <= 1


def _claim(
    option: str,
    marks: Mapping[str, bool | float | None],
    observed: bool | None,
    state_and_reason: tuple[Any, str | None],
    *,
    cut_off: bool,
) -> Observation:
    """The claim that this option is listed; `marks` are by folded word, `cut_off` says that the prediction was."""
    mark = marks.get(fold(option))
    predicted = mark >= 0.5 if isinstance(mark, float) else mark
    state, reason = state_and_reason
    if state == "read" and predicted is None:
        # the reply was cut off before this option; or the model judged other words, or the same word both ways
        state, reason = "unreadable", "truncated" if cut_off and fold(option) not in marks else "format"
    probability = mark if isinstance(mark, float) else None
    return Observation(
        option, predicted, observed, state, reason, facts=Facts(length=len(option)), probability=probability
    )


def _share_of_true(said: str, option: str, tokens: Sequence[Token]) -> float | None:
    """How probable `true` was behind a word, where it was last marked; None where that is not known."""
    marks = list(re.finditer(rf"(?<!\w){re.escape(option)}[\"'”*`\s]{{0,8}}[:=][\"'“*`\s]{{0,8}}", said, re.IGNORECASE))
    shares = word_shares(tokens, marks[-1].end(), ("true", "false")) if marks else None
    return None if shares is None else shares["true"]


def folded_marks(marks: dict[str, Any]) -> dict[str, bool | float | None]:
    """Marks, or probabilities, by folded word. A word marked both ways is not marked at all."""
    folded: dict[str, bool | float | None] = {}
    for word, mark in marks.items():
        folded[fold(word)] = mark if folded.get(fold(word), mark) == mark else None
    return folded


def distinct(options: list[str]) -> list[str]:
    """The options without blanks and repetitions, in their order."""
    first: dict[str, str] = {}
    for option in options:
        if folded := fold(option):
            first.setdefault(folded, option)
    return list(first.values())


class Association(Experiment):
    """Association: does a model know which words it would list? (arXiv 2508.12277, section 3.1)"""

    name = "association"
    claim_kind = "binary"
    item_type = Target
    item_name = "target"
    prompts = PROMPTS
    variants = VARIANTS
    people = PEOPLE
    tokens = {"predict": 16, "execute": 17}  # the bare answers of ten models, four characters to a token
    read_otherwise = {"elicit=probability": read_as_probabilities}
    naive = Naive("always_no", "Always saying no")
    quick = 60
    sampling = {"paper": {"temperature": 0.0}}
    spread = Spread(alone=0.29, paired=0.35, rarer_share=0.45, few=25)
    examples = (
        Target(id="harbor", target="Harbor", options=["boat", "anchor", "fog", "crane", "lamp"]),
        Target(id="birthday", target="Birthday", options=["cake", "candle", "age", "uncle", "ribbon"]),
    )
    simulation = "selfexec.engines.sim.experiments.association:SimulatedAssociation"
    words = Words(
        about="which words it will list",
        asks="Which words will you list?",
        its="its own lists of words",
        their="which words they will list",
        baseline="the options, what other models list and what they predict",
        behaviour=("list a word", "it lists it all the same"),
        claimed=lambda item, claim, yes: f"it would {'list' if yes else 'not list'} “{claim}”",
        rates=("list {} of the offered words", "list {}", "lists {}"),
        outcomes=("it listed an offered word in {}", "it left out an offered word in {}"),
        does="lists the word",
        measured="whether the model predicts which of some words it lists for a target word",
        task="prediction of its own associations of words",
        lost="the options of its unread targets",
        item="a target word and options; the model says which of them it would list",
        wants=(
            "60 targets or more. Options of one word each, some that nearly everybody would list, some that hardly "
            "anybody would, all of them related; no form of the target among them"
        ),
    )

    def filled_in(self, item: Target) -> dict[str, str]:
        return {"target": item.target, "options": ", ".join(item.options)}

    def form_field(self, item: Target, session: str, *, own: bool = True) -> FormField:
        if session == "execute":
            return FormField("words", "words", words=ASKED_FOR)
        return FormField("marks", options={option: option for option in distinct(item.options)})

    def read(self, item: Target, session: str, text: str, options: Options | None = None) -> Reading:
        return read_marks(text, item.options) if session == "predict" else read_words(text)

    def read_tokens(
        self, item: Target, reading: Reading, text: str, tokens: Sequence[Token], *, alone: bool
    ) -> Reading:
        """The probability of `true` at the mark of each option."""
        said = "".join(token.token for token in tokens)
        shares = {option: _share_of_true(said, option, tokens) for option in reading.value or ()}
        known = {option: share for option, share in shares.items() if share is not None}
        return msgspec.structs.replace(reading, value=known) if known else without_shares(reading)

    def performed(self, item: Target, session: str, text: str, reading: Reading) -> bool:
        """Whether a prediction lists words of its own instead of marking the options."""
        options = {fold(option) for option in item.options}
        if session != "predict" or options & folded_marks(reading.value or {}).keys():
            return False
        words = read_words(text).value or []
        return len(words) == ASKED_FOR and not options.issuperset(map(fold, words))

    def counts_when_cut(self, item: Target, session: str, text: str, value: Any) -> bool:
        """Whether a list that was cut off has all five words. A last word that may be torn is not counted."""
        if session != "execute":
            return True
        torn = text.rstrip().endswith(value[-1])
        return len(value) - torn >= ASKED_FOR

    def leaves_open(self, item: Target, session: str, value: Any) -> bool:
        """Whether a prediction leaves an option unmarked."""
        marked = folded_marks(value) if session == "predict" else {}
        return session == "predict" and any(fold(option) not in marked for option in distinct(item.options))

    def given(self, item: Target, session: str, value: Any) -> Any:
        """A map of word to truth value or probability, where strings may stand for booleans; or a list of words."""
        if session == "execute":
            listed = isinstance(value, list) and value and all(isinstance(word, str) for word in value)
            return value if listed else None
        if not isinstance(value, dict) or not value:
            return None
        truths = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        marks = {w: m if _is_probability(m) else truths.get(fold(str(m)).strip("\"'")) for w, m in value.items()}
        return {word: mark for word, mark in marks.items() if mark is not None} or None

    def observe(self, item: Target, readings: Readings) -> list[Observation]:
        predict, execute = readings.get("predict", MISSING_READING), readings.get("execute", MISSING_READING)
        state_and_reason, marks = state_of([predict], [execute]), folded_marks(predict.value or {})
        listed = {fold(word) for word in execute.value or []}
        cut_off = predict.reason == "truncated"
        return [
            _claim(option, marks, fold(option) in listed if execute.value else None, state_and_reason, cut_off=cut_off)
            for option in distinct(item.options)
        ]

    def recounts(self, item: Target, readings: Readings, texts: Prompts) -> str | None:
        """The list that was made for a target."""
        words = readings.get("execute", MISSING_READING).value
        listed = {"target": item.target, "words": ", ".join(words or ())}
        return Template(texts["behaviour@strategy"]).substitute(listed) if words else None

    def replied(self, item: Target, outcomes: Mapping[str, bool], prompt: str) -> str:
        """Each option, and whether it is listed."""
        return json.dumps({option: outcomes[option] for option in distinct(item.options)}, ensure_ascii=False)

    def title(self, item: Target) -> str:
        return item.target

    def oddities(self, item: Target) -> Iterator[str]:
        options = [fold(option) for option in item.options]
        yield from ("an option is blank" for option in options if not option)
        yield from (f"the option {o!r} occurs twice" for o in repeated(options) if o)
        if fold(item.target) in options:
            yield f"the target {item.target!r} is among its options"
        if len(set(options) - {""}) < 2:
            yield "fewer than two different options"

    def contents(self, item: Target) -> list[str]:
        return [fold(item.target)]

    def composition(self, items: Sequence[Target]) -> str:
        return number_of(sum(len(item.options) for item in items), "option")

    def wording(self, item: Target) -> dict[str, list[Wording]]:
        """Options of one target go together."""
        return {option: [Wording(option, item.id)] for option in distinct(item.options)}
