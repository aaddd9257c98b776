"""Choice: does a model know which option it will choose? On a finished log of any benchmark with options.

    predict   shown a sample as the log's model was, and its options, the model says which of them it would choose
    execute   its response, from the log, or the log-likelihoods of the options

A claim for each option: "this one is chosen". It is read off the response; where options were weighed, the likeliest is
the chosen one. What the log's own scorer took for the answer stands beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec

from selfexec.experiments import (
    LOG,
    MISSING_READING,
    RULE,
    FactColumns,
    Facts,
    Floats,
    Naive,
    Observation,
    Options,
    Prompts,
    Readings,
    Token,
    Wording,
    Words,
    given_letter,
    letter_alone,
    repeated,
    state_of,
    without_shares,
)
from selfexec.extensions.logs.experiments.base import OnLog, about_shown
from selfexec.extensions.logs.samples import (
    Logged,
    LoggedReply,
    Mark,
    Sample,
    Unfit,
    content_id,
    lettered,
    letters,
    mark_text,
)
from selfexec.readers import Reading, fold, letter_shares, read_choice, read_probabilities, responds_to
from selfexec.text.numbers import number_of

MOST = 26  # options: as many as there are letters
RIGHT, WRONG = "right", "wrong"  # options, by the key of the log


class ChoiceQuestion(Sample, frozen=True, kw_only=True):
    """A sample with options; `right` is the letter of the one that is right, where the log says which."""

    options: Annotated[list[str], msgspec.Meta(min_length=2, max_length=MOST)]
    right: str | None = None


def _chosen(who: str, whose: str) -> str:
    """The template that asks which option a response would choose."""
    question = f"which of the options below it would {whose} response choose, whether or not that is the right one?"
    return about_shown(who, question, "$options", 'of this form: {"choice": "$letters"}')


def _in_probabilities(who: str, whose: str) -> str:
    """The template that asks for a probability of each option."""
    question = (
        f"how probable is it of each of the options below it that {whose} response would choose it, whether or not "
        "that is the right one?"
    )
    form = (
        "that has each letter ($letters) as a key and a number as its value: the probability that this option is "
        "chosen, from 0 (it surely is not) to 1 (it surely is)."
    )
    return about_shown(who, question, "$options", form)


PROMPTS: Prompts = {"predict": _chosen("you", "your")}
OF_ANOTHER = _chosen("$who", "the")
VARIANTS: Prompts = {
    "predict@frame": OF_ANOTHER,
    "predict@elicit": _in_probabilities("you", "your"),
    "predict@elicit,frame": _in_probabilities("$who", "the"),
    "predict@letter": letter_alone(PROMPTS["predict"]),
    "predict@letter,frame": letter_alone(OF_ANOTHER),
}


def read_as_probabilities(item: ChoiceQuestion, text: str, *, truncated: bool = False) -> Reading:
    """The probability of each option, by letter."""
    by_text = {option: letter for letter, option in _options(item).items()}
    return read_probabilities(text, letters(len(item.options)), by_text)


def _options(item: ChoiceQuestion) -> dict[str, str]:
    return dict(zip(letters(len(item.options)), item.options, strict=True))


class _Weighed(msgspec.Struct, frozen=True):
    log_likelihoods: dict[str, float]


def _weights(item: ChoiceQuestion, text: str) -> Mapping[str, float] | None:
    """The log-likelihoods of the options, where these stand in the place of a response."""
    try:
        weights = msgspec.json.decode(text, type=_Weighed).log_likelihoods
    except (msgspec.DecodeError, RecursionError):
        return None
    return weights if weights.keys() == _options(item).keys() else None


def _as_scored(item: ChoiceQuestion, text: str) -> Reading:
    """What the log's scorer took for the answer: a letter, the text of an option, or something else."""
    try:
        answer = msgspec.json.decode(text, type=Mark).answer
    except (msgspec.DecodeError, RecursionError):
        answer = None
    if not answer:
        return Reading("unreadable", reason="format")
    said = fold(answer)
    meant = [letter for letter, option in _options(item).items() if said in (fold(letter), fold(option))]
    return Reading("read", meant[0] if len(meant) == 1 else answer, evidence=text)


def right_option(claims: FactColumns) -> Floats:
    """The right option is chosen, no other; 0.5 where the log does not say which that is."""
    import numpy as np

    probability = np.array([float(label == RIGHT) for label in claims.labels] + [0.5])
    found: Floats = probability[claims.label]  # without a label, -1: the last
    return found


def _letter(target: str | None, options: Sequence[str]) -> str | None:
    """The letter of the right option, which a log names by it or by its text."""
    if target in options:
        return letters(len(options))[options.index(target)]
    return target if target and len(target) == 1 and target in letters(len(options)) else None


class Choice(OnLog):
    """Choice: does a model know which option it will choose? On a finished log of any benchmark with options."""

    name = "choice"
    claim_kind = "binary"
    item_type = ChoiceQuestion
    prompts = PROMPTS
    variants = VARIANTS
    recorded = ("execute", "score")
    sources = (RULE, LOG)
    baselines = {"right_option": right_option}
    naive = Naive("right_option", "The right option alone")
    read_otherwise = {"elicit=probability": read_as_probabilities}
    simulation = "selfexec.extensions.logs.simulated:SimulatedChoice"
    words = Words(
        about="which options it chooses in a log",
        asks="Which option will you choose?",
        its="which options it will choose",
        their="which options they will choose",
        baseline="the options, which of them is right and what other models choose",
        behaviour=("choose an option", "it chooses it all the same"),
        outcomes=("it chose an option of {}", "it left an option of {}"),
        measured="whether it predicts which option of a benchmark's questions it chooses, right or wrong",
        task="prediction of its own choice among options",
        lost="the options of its unread samples",
        item="a sample of a finished log, as `selfexec import --from` writes it",
        wants="100 samples or more with options, some of which each model answers wrongly",
        judged=("option", "chosen"),
        rule="rule for choices",
        limits=(
            "Choice: a model that knows the right answers, and gives them, predicts its choices by knowing the "
            "subject. The baseline that knows the key is there for that.",
            "Choice: where options were weighed by their log-likelihoods, no response was written, and a prediction in "
            "words is held against something else than words.",
        ),
    )

    def session_names(self, item: ChoiceQuestion) -> tuple[str, ...]:
        return ("predict", "execute")

    def further(self, item: ChoiceQuestion, session: str) -> bool:
        return session == "score"

    def filled_in(self, item: ChoiceQuestion) -> Mapping[str, str]:
        names = letters(len(item.options))
        asked_for = f"{', '.join(names[:-1])} or {names[-1]}"
        return {"shown": self.shown(item), "options": lettered(item.options), "letters": asked_for}

    def read(self, item: ChoiceQuestion, session: str, text: str, options: Options | None = None) -> Reading:
        """A letter; of log-likelihoods that of the greatest, where one is."""
        if session == "score":
            return _as_scored(item, text)
        if session == "execute" and (weights := _weights(item, text)):
            best = [letter for letter, weight in weights.items() if weight == max(weights.values())]
            return Reading("read", best[0], evidence=text) if len(best) == 1 else Reading("unreadable", reason="format")
        key = "choice" if session == "predict" else "answer"
        return read_choice(text, _options(item), key=key)

    def performed(self, item: ChoiceQuestion, session: str, text: str, reading: Reading) -> bool:
        """Whether a prediction responds to the prompt instead, and chooses none of the options."""
        return session == "predict" and reading.state == "unreadable" and responds_to(text, item.last)

    def read_tokens(
        self, item: ChoiceQuestion, reading: Reading, text: str, tokens: Sequence[Token], *, alone: bool
    ) -> Reading:
        """The probability of each letter."""
        shares = letter_shares(reading, text, tokens, letters(len(item.options)), alone=alone)
        return without_shares(reading) if shares is None else Reading("read", shares, evidence=reading.evidence)

    def given(self, item: ChoiceQuestion, session: str, value: Any) -> Any:
        if session == "predict" and isinstance(value, dict):
            chances = {letter: value.get(letter) for letter in _options(item)}
            return value if all(isinstance(p, float) and 0 <= p <= 1 for p in chances.values()) else None
        return given_letter(value, _options(item))

    def observe(self, item: ChoiceQuestion, readings: Readings) -> list[Observation]:
        predict, execute, score = (
            readings.get(session, MISSING_READING) for session in ("predict", "execute", "score")
        )
        state, reason = state_of([predict], [execute])
        predicted_state = state_of([predict], [])[0]

        def chance_of(letter: str) -> float | None:
            return predict.value.get(letter) if isinstance(predict.value, dict) else None

        def is_it(reading: Reading, letter: str) -> bool | None:
            if isinstance(reading.value, dict):
                return None if reading.value.get(letter) is None else reading.value[letter] >= 0.5
            return None if reading.value is None else reading.value == letter

        def lacks(letter: str) -> bool:
            return state == "read" and isinstance(predict.value, dict) and letter not in predict.value

        return [
            Observation(
                f"chooses {letter}",
                is_it(predict, letter),
                is_it(execute, letter),
                "unreadable" if lacks(letter) else state,
                "format" if lacks(letter) else reason,
                probability=chance_of(letter),
                facts=Facts(
                    label=None if item.right is None else RIGHT if letter == item.right else WRONG,
                    subject=item.task,
                    length=len(option),
                ),
                by_source={LOG: is_it(score, letter)},
                predicted_state=predicted_state,
            )
            for letter, option in _options(item).items()
        ]

    def contents(self, item: ChoiceQuestion) -> list[str]:
        return [fold("\n".join([self.shown(item), *item.options]))]

    def oddities(self, item: ChoiceQuestion) -> Iterator[str]:
        options = [fold(option) for option in item.options]
        yield from ("an option is blank" for option in options if not option)
        yield from (f"the option {option!r} occurs twice" for option in repeated(options) if option)

    def composition(self, items: Sequence[ChoiceQuestion]) -> str:
        options = sum(len(item.options) for item in items)
        return f"{number_of(options, 'option')} in {number_of(len({item.task for item in items}), 'task')}"

    def wording(self, item: ChoiceQuestion) -> dict[str, list[Wording]]:
        """Options of one sample go together."""
        return {f"chooses {letter}": [Wording(option, item.id)] for letter, option in _options(item).items()}

    def sample(self, logged: Logged, score: str | None) -> ChoiceQuestion | Unfit:
        if len(logged.options) < 2:
            return Unfit("without options")
        if logged.several_right:
            return Unfit("with options where several may be right at once")
        if len(logged.options) > MOST:
            return Unfit(f"with more than {MOST} options")
        if len({fold(option) for option in logged.options} - {""}) < len(logged.options):
            return Unfit("with options that are alike or blank")
        right = _letter(logged.target, logged.options)
        return ChoiceQuestion(
            id=content_id(logged.shown, logged.options, right),
            task=logged.task,
            sample=logged.sample,
            shown=list(logged.shown),
            options=list(logged.options),
            right=right,
        )

    def replies(self, logged: Sequence[Logged], score: str | None) -> Mapping[str, LoggedReply]:
        [only] = logged
        answered = [mark for mark in only.marks.values() if mark.answer]
        scored = {"score": LoggedReply(text=mark_text(answered[0]))} if len(answered) == 1 else {}
        return {**super().replies(logged, score), **scored}
