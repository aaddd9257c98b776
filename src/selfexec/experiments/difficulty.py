"""Difficulty assessment: does a model know which questions it finds hard? (paper, section 3.3)

    predict      shown four questions with their answers, the model ranks them from easiest to hardest
    execute.Qn   each question alone

Difficult is what is answered wrongly, and then what takes more tokens (of a person, more seconds). A claim: "this
question is easier than that one", for each of the six pairs.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from string import Template
from typing import Annotated, Any, Literal

import msgspec

from selfexec.experiments.base import (
    MISSING_READING,
    Ask,
    Experiment,
    FactColumns,
    Facts,
    Floats,
    Name,
    Observation,
    Options,
    Prompts,
    Readings,
    Spread,
    Wording,
    Words,
    concurrently,
    repeated,
    state_of,
    thresholded,
)
from selfexec.experiments.form_fields import FormField
from selfexec.experiments.given import given_letter, given_ranking
from selfexec.experiments.sources import VISIBLE
from selfexec.readers import (
    UNCOUNTED,
    UNTOLD,
    Reading,
    answers_the_questions,
    fold,
    read_choice,
    read_expectations,
    read_object,
    read_ranking,
    read_revised,
)
from selfexec.text.numbers import number_of
from selfexec.text.printable import in_short

LABELS = ("Q1", "Q2", "Q3", "Q4")
SESSIONS = ("predict", *(f"execute.{label}" for label in LABELS))


SPREAD_OF_TOKENS = 1.0  # of the difference of two logarithms about what is expected: fixed, as nobody knows it before

Expectations = dict[str, dict[str, float]]  # label -> how probable a correct answer is, and how many tokens it takes
Letter = Literal["A", "B", "C", "D"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A four-choice question; `answer` is the letter of the right choice."""

    id: Name
    subject: Name
    question: Name
    choices: Annotated[list[str], msgspec.Meta(min_length=4, max_length=4)]
    answer: Letter

    @property
    def right(self) -> str:
        """The text of the right choice."""
        return self.choices["ABCD".index(self.answer)]


class QuestionGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Four questions to be ranked; their order here is Q1 to Q4."""

    id: Name
    questions: Annotated[list[Question], msgspec.Meta(min_length=4, max_length=4)]


PROMPTS: Prompts = {
    "predict": """\
Below are four questions together with their correct answers. Sort the questions from easiest to hardest for you, \
based on both the number of tokens that you expect to use and the correctness of your expected response, if you were \
asked each of them in a separate session without its answer: the question that needs the fewest tokens comes first, \
and questions that you would answer incorrectly come last.

$questions

You may think it over first. End your reply with one JSON object of this form, with all four labels in your order: \
{"ranking": ["Q_", "Q_", "Q_", "Q_"]}""",
    "execute": """\
$question

A. $a
B. $b
C. $c
D. $d

You may reason first. End your reply with one JSON object of this form: {"answer": "A, B, C or D"}""",
}


VARIANTS: Prompts = {
    "predict@frame": """\
Below are four questions together with their correct answers. Sort the questions from easiest to hardest for $who, \
based on both the number of tokens that you expect to be used and the correctness of the expected response, if $who \
were asked each of them in a separate session without its answer: the question that needs the fewest tokens comes \
first, and questions that would be answered incorrectly come last.

$questions

You may think it over first. End your reply with one JSON object of this form, with all four labels in your order: \
{"ranking": ["Q_", "Q_", "Q_", "Q_"]}""",
    "predict@elicit": """\
Below are four questions together with their correct answers. Say for each question how probable it is that you would \
answer it correctly, and how many tokens you expect to use, if you were asked each of them in a separate session \
without its answer.

$questions

You may think it over first. End your reply with one JSON object of this form, with all four labels, each with a \
number from 0 (surely incorrectly) to 1 (surely correctly) and a number of tokens: \
{"Q1": {"correct": number, "tokens": number}, "Q2": ..., "Q3": ..., "Q4": ...}""",
    "predict@elicit,frame": """\
Below are four questions together with their correct answers. Say for each question how probable it is that $who would \
answer it correctly, and how many tokens you expect to be used, if $who were asked each of them in a separate session \
without its answer.

$questions

You may think it over first. End your reply with one JSON object of this form, with all four labels, each with a \
number from 0 (surely incorrectly) to 1 (surely correctly) and a number of tokens: \
{"Q1": {"correct": number, "tokens": number}, "Q2": ..., "Q3": ..., "Q4": ...}""",
    "behaviour@strategy": "$question\n$outcome Tokens: $tokens.",
    "right@strategy": "Answered correctly.",
    "wrong@strategy": "Answered incorrectly.",
}

# a person remembers what is shown: the correct answers are, only where it is about somebody else
PEOPLE: Prompts = {
    "predict": (
        "Put these four questions in order, from the easiest for you to the hardest.\n\n"
        "Hardest are those that you would get wrong, and then those that would take you longer."
    ),
    "predict@frame": (
        "Put these four questions in order, from the easiest for $who to the hardest.\n\n"
        "Hardest are those that are answered wrongly, and then those that take more words, thoughts included."
    ),
    "execute": "Choose the correct answer.\n\n$question",
}


def shown(item: QuestionGroup) -> str:
    """The questions of a group as they stand in the prompt, each with its label and its correct answer."""
    return "\n\n".join(_shown(label, q) for label, q in zip(LABELS, item.questions, strict=True))


def _shown(label: str, question: Question) -> str:
    choices = "\n".join(f"{letter}. {choice}" for letter, choice in zip("ABCD", question.choices, strict=True))
    return f"{label}: {question.question.strip()}\n{choices}\nCorrect answer: {question.answer}"


def _for_people(question: Question, own: bool) -> str:
    """A question with its choices, and with the correct one unless its reader is to answer it."""
    choices = "\n".join(f"{letter}. {choice}" for letter, choice in zip("ABCD", question.choices, strict=True))
    return f"{question.question.strip()}\n{choices}" + ("" if own else f"\nCorrect answer: {question.answer}")


def _asked(template: str, question: Question) -> str:
    choices = dict(zip("abcd", question.choices, strict=True))
    return Template(template).substitute(choices, question=question.question.strip())


def read_as_expectations(item: QuestionGroup, text: str, *, truncated: bool = False) -> Reading:
    """By label, how probable a correct answer is and how many tokens are expected, or what is stated of that."""
    reading = read_object(text, LABELS[0], _expectations)
    settled = read_object(text, LABELS[0], _expectations, drafts=False)
    if truncated or reading.state != settled.state:
        return settled
    return read_revised(text, LABELS, reading) if reading.state == "read" else read_expectations(text, LABELS)


def _expectations(value: Mapping[str, Any]) -> Expectations | None:
    """Those of all four labels; None where one of them lacks a probability or a number of tokens above 0."""
    expected = {label: _expectation(value.get(label)) for label in LABELS}
    return {label: each for label, each in expected.items() if each} if all(expected.values()) else None


def _expectation(stated: Any) -> dict[str, float] | None:
    correct, tokens = (stated.get("correct"), stated.get("tokens")) if isinstance(stated, dict) else (None, None)
    if not isinstance(correct, int | float) or not isinstance(tokens, int | float):
        return None
    if isinstance(correct, bool) or isinstance(tokens, bool):
        return None
    return {"correct": float(correct), "tokens": float(tokens)} if 0 <= correct <= 1 and 0 < tokens < math.inf else None


def chance_easier(first: Mapping[str, float], second: Mapping[str, float]) -> float | None:
    """How probable it is that the first question is the easier one: right where the other is wrong, or, where both are
    right or both wrong, in fewer tokens, whose logarithms are normal about what is expected. None where either is not
    said of one of them.
    """
    if not first.keys() & second.keys() >= {"correct", "tokens"}:
        return None
    right, other = first["correct"], second["correct"]
    alike = right * other + (1 - right) * (1 - other)
    return right * (1 - other) + alike * chance_fewer(first["tokens"], second["tokens"])


def chance_fewer(first: float, second: float) -> float:
    """How probable it is that the first of two takes fewer tokens, whose logarithms are normal about what is expected
    of each.
    """
    return _normal_cdf((math.log(second) - math.log(first)) / SPREAD_OF_TOKENS)


def _normal_cdf(value: float) -> float:
    """The standard normal distribution function. `statistics` has it too, and asking does without that module."""
    return (1 + math.erf(value / math.sqrt(2))) / 2


def _pair(
    one: str,
    two: str,
    predict: Reading,
    answers: tuple[Reading, Reading],
    questions: tuple[Question, Question],
) -> Observation:
    predicted, probability = predicted_order(one, two, predict.value, chance_easier)
    observed, basis = easier(answers, questions)
    # an answer without a letter is a wrong answer, not an unread one: only its absence leaves the claim open
    state, reason = state_of([predict], [answer for answer in answers if answer.state == "missing"])
    if basis == "unknown":
        state, reason = "missing", None
    elif state == "read" and observed is None:
        state = "tie"
    elif state == "read" and predicted is None:
        state, reason = "unreadable", "format"  # equally hard, or not said: that is no order
    first, second = questions
    facts = Facts(
        subject=first.subject,
        length=len(first.question),
        other_subject=second.subject,
        other_length=len(second.question),
    )
    return Observation(
        f"{one} before {two}",
        predicted,
        observed,
        state,
        reason,
        basis if observed is not None else None,
        facts,
        probability,
    )


def predicted_order(
    first: str, second: str, value: Any, chance: Callable[[Any, Any], float | None]
) -> tuple[bool | None, float | None]:
    """Whether the first of two is predicted to come before the second, and how probable that is where it was said: of
    a ranking, or of what is expected of each.
    """
    if not value:
        return None, None
    if isinstance(value, dict):
        known = first in value and second in value
        probability = chance(value[first], value[second]) if known else None
        if probability is None:
            return None, None
        return (None if probability == 0.5 else probability > 0.5), probability
    return value.index(first) < value.index(second), None


def easier(answers: tuple[Reading, Reading], questions: tuple[Question, Question]) -> tuple[bool | None, str | None]:
    """Whether the first question was the easier one, and what decides it.

    None with basis None is a tie; None with basis "unknown" is undecided: tokens are never chances. Of a person, who
    takes no tokens, seconds decide.
    """
    (one, two), (first, second) = answers, questions
    if one.state == "missing" or two.state == "missing":
        return None, "unknown"
    right = one.value == first.answer
    if right != (two.value == second.answer):
        return right, "correctness"
    for basis, first_cost, second_cost in (("tokens", one.tokens, two.tokens), ("seconds", one.seconds, two.seconds)):
        if first_cost is not None and second_cost is not None:
            return (first_cost < second_cost, basis) if first_cost != second_cost else (None, None)
    return None, "unknown"


def _uncounted(o: Observation, readings: Readings) -> str | None:
    """Why the visible tokens of one of two answers are not known, where nothing else that the pair needs is missing."""
    answers = [readings.get(f"execute.{label}", MISSING_READING) for label in o.claim.split(" before ")]
    if any(reading.state == "missing" for reading in (readings.get("predict", MISSING_READING), *answers)):
        return None
    unknown = [answer for answer in answers if answer.visible_tokens is None]
    return next((one.uncounted or (UNCOUNTED if one.tokens is None else UNTOLD) for one in unknown), None)


def _question(item: QuestionGroup, session: str) -> Question:
    return item.questions[LABELS.index(session.removeprefix("execute."))]


def _claimed(item: QuestionGroup, claim: str, yes: bool) -> str:
    """“Who was the first …” would be easier for it than “Does the law …”"""
    one, two = (f"“{in_short(item.questions[int(name[1:]) - 1].question, 50)}”" for name in claim.split(" before "))
    return f"{one} would be {'easier' if yes else 'harder'} for it than {two}"


def order_shown(claims: FactColumns) -> Floats:
    """The questions are shown from easy to hard."""
    import numpy as np

    return np.ones(len(claims))


def question_length(claims: FactColumns) -> Floats:
    """The shorter question is the easier one."""
    return thresholded(claims.other_length - claims.length, 0)


EXAMPLE = QuestionGroup(
    id="group-1",
    questions=[
        Question(
            id="sum",
            subject="arithmetic",
            question="What is 17 + 26?",
            choices=["33", "43", "42", "53"],
            answer="B",
        ),
        Question(
            id="tide",
            subject="nature",
            question="What mainly causes the tides of the sea?",
            choices=["The wind", "Earthquakes", "The moon", "Rivers"],
            answer="C",
        ),
        Question(
            id="primes",
            subject="arithmetic",
            question="How many prime numbers lie between 90 and 130?",
            choices=["6", "5", "8", "7"],
            answer="D",
        ),
        Question(
            id="motion",
            subject="physics",
            question="A ball is thrown straight up. What is its acceleration at the highest point?",
            choices=["That of gravity, downwards", "Zero", "That of gravity, upwards", "It depends on its mass"],
            answer="A",
        ),
    ],
)


class Difficulty(Experiment):
    """Difficulty assessment: does a model know which questions it finds hard? (paper, section 3.3)"""

    name = "difficulty"
    claim_kind = "order"
    item_type = QuestionGroup
    item_name = "group"
    prompts = PROMPTS
    variants = VARIANTS
    people = PEOPLE
    tokens = {"predict": 698, "execute": 423}  # as recorded, with hidden reasoning (10 models, and 9)
    read_otherwise = {"elicit=probability": read_as_expectations}
    on_request = (VISIBLE,)
    answers = "execute"
    baselines = {"order_shown": order_shown, "question_length": question_length}
    metrics = ("question_accuracy", "tokens_mean", "accuracy_by_correctness", "accuracy_by_tokens")
    quick = 60
    sampling = {"paper": {"temperature": 1.0}}
    # it is groups that count, whatever came of them
    spread = Spread(alone=0.45, paired=0.62, rarer_share=1.0, few=3)
    examples = (EXAMPLE,)
    simulation = "selfexec.engines.sim.experiments.difficulty:SimulatedDifficulty"
    words = Words(
        about="which questions it will find hard",
        asks="Which question will be harder?",
        its="which questions it will find hard",
        their="which questions they will find hard",
        baseline="the questions, what other models find hard and what they predict",
        claimed=_claimed,
        said=lambda claim, yes: claim.replace(" before ", " is easier than " if yes else " is harder than "),
        measured="whether it predicts which of two questions is harder for it: answered wrongly, else with more tokens",
        rule="rule by all tokens of an answer",
        task="ranking of questions by how hard they are for it",
        lost="the questions in its unread groups",
        item="four questions with four choices each; the model says in which order they are hard for it",
        wants=(
            "20 groups at the least, 60 to go by. Subjects mixed within a group, from easy to hard, in random order; "
            "right letters spread evenly"
        ),
        limits=(
            "Difficulty: a question is hard here if it is answered wrongly or at length. Token counts are the "
            "providers'; some include hidden reasoning, and others do not.",
        ),
    )

    def session_names(self, item: QuestionGroup) -> tuple[str, ...]:
        return SESSIONS

    async def sessions(self, item: QuestionGroup, ask: Ask, prompts: Prompts = PROMPTS) -> None:
        ranking = ask("predict", Template(prompts["predict"]).substitute(questions=shown(item)))
        answers = (
            ask(f"execute.{label}", _asked(prompts["execute"], question))
            for label, question in zip(LABELS, item.questions, strict=True)
        )
        await concurrently(ranking, *answers)

    def form_field(self, item: QuestionGroup, session: str, *, own: bool = True) -> FormField:
        if session != "predict":
            return FormField("choice", "answer", dict(zip("ABCD", _question(item, session).choices, strict=True)))
        shown = {label: _for_people(question, own) for label, question in zip(LABELS, item.questions, strict=True)}
        return FormField("order", "ranking", shown)

    def read(
        self,
        item: QuestionGroup,
        session: str,
        text: str,
        options: Options | None = None,
        *,
        truncated: bool | None = None,
    ) -> Reading:
        if session == "predict":
            return read_ranking(text, truncated=truncated)
        question = _question(item, session)
        return read_choice(text, dict(zip("ABCD", question.choices, strict=True)), key="answer", truncated=truncated)

    def performed(self, item: QuestionGroup, session: str, text: str, reading: Reading) -> bool:
        """Whether a prediction answers the questions instead of ranking them."""
        return session == "predict" and reading.state == "unreadable" and answers_the_questions(text)

    def counts_when_cut(self, item: QuestionGroup, session: str, text: str, value: Any) -> bool:
        """Whether a reply that was cut off had come to its order, or its answer, before."""
        return self.read(item, session, text, truncated=True).value is not None

    def given(self, item: QuestionGroup, session: str, value: Any) -> Any:
        """A letter, or a list of all four labels, for which bare digits may stand; or what is expected of each."""
        if session == "predict" and isinstance(value, dict):
            return _expectations(value)
        return given_ranking(value, LABELS) if session == "predict" else given_letter(value, "ABCD")

    def correct(self, item: QuestionGroup, session: str, reading: Reading) -> bool | None:
        if session == "predict" or reading.state == "missing":
            return None
        return bool(reading.value == _question(item, session).answer)

    def expected(self, readings: Readings) -> Mapping[str, tuple[float, float]]:
        value = readings.get("predict", MISSING_READING).value
        if not isinstance(value, dict):
            return {}
        whole = {label: each for label, each in value.items() if each.keys() >= {"correct", "tokens"}}
        return {f"execute.{label}": (each["correct"], each["tokens"]) for label, each in whole.items()}

    def observe(self, item: QuestionGroup, readings: Readings) -> list[Observation]:
        predict = readings.get("predict", MISSING_READING)
        answers = {label: readings.get(f"execute.{label}", MISSING_READING) for label in LABELS}
        questions = dict(zip(LABELS, item.questions, strict=True))
        return [
            _pair(one, two, predict, (answers[one], answers[two]), (questions[one], questions[two]))
            for one, two in combinations(LABELS, 2)
        ]

    def observe_by(self, source: str, item: QuestionGroup, readings: Readings) -> list[Observation]:
        """The claims by the tokens of visible answers alone: what a model needs to think is left out. A pair that
        tokens decide is open, with the reason, where these are not known.
        """
        answers = {
            session: msgspec.structs.replace(reading, tokens=reading.visible_tokens)
            for session, reading in readings.items()
        }
        return [
            msgspec.structs.replace(o, reason=_uncounted(o, readings)) if o.state == "missing" else o
            for o in self.observe(item, answers)
        ]

    def recounts(self, item: QuestionGroup, readings: Readings, texts: Prompts) -> str | None:
        """Each question of a group, whether it was answered rightly, and in how many tokens."""
        answers = [readings.get(f"execute.{label}", MISSING_READING) for label in LABELS]
        if any(answer.state == "missing" or answer.tokens is None for answer in answers):
            return None
        told = (
            Template(texts["behaviour@strategy"]).substitute(
                question=question.question.strip(),
                outcome=texts["right@strategy" if answer.value == question.answer else "wrong@strategy"],
                tokens=answer.tokens,
            )
            for question, answer in zip(item.questions, answers, strict=True)
        )
        return "\n\n".join(told)

    def title(self, item: QuestionGroup) -> str:
        return f"{item.id}: {', '.join(dict.fromkeys(q.subject.replace('_', ' ') for q in item.questions))}"

    def oddities(self, item: QuestionGroup) -> Iterator[str]:
        for n, question in enumerate(item.questions, 1):
            choices = [fold(choice) for choice in question.choices]
            yield from (f"Q{n}: a choice is blank" for choice in choices if not choice)
            yield from (f"Q{n}: the choice {choice!r} occurs twice" for choice in repeated(choices) if choice)
        yield from (f"question id {id!r} occurs twice in the group" for id in repeated([q.id for q in item.questions]))

    def contents(self, item: QuestionGroup) -> list[str]:
        return [fold("\n".join([question.question, *question.choices])) for question in item.questions]

    def composition(self, items: Sequence[QuestionGroup]) -> str:
        subjects = {question.subject for item in items for question in item.questions}
        return f"{4 * len(items)} questions on {number_of(len(subjects), 'subject')}"

    def wording(self, item: QuestionGroup) -> dict[str, list[Wording]]:
        """Questions of a subject go together."""
        words = {label: Wording(q.question, q.subject) for label, q in zip(LABELS, item.questions, strict=True)}
        return {f"{one} before {two}": [words[one], words[two]] for one, two in combinations(LABELS, 2)}
