"""Correctness: does a model know what it will answer correctly? On a finished log of any benchmark.

    predict   shown a sample as the log's model was, the model says whether its response would be correct
    execute   its response, from the log
    score     what the log's scorer made of it

A claim: "the response is correct", as the log has it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from selfexec.experiments import (
    LOG,
    MISSING_READING,
    Options,
    Prompts,
    Readings,
    Words,
    reads_probability_of,
)
from selfexec.extensions.logs.experiments.base import OfResponse, asked_about_response, variants_of
from selfexec.extensions.logs.samples import (
    Logged,
    LoggedReply,
    Mark,
    Sample,
    Unfit,
    content_id,
    mark_text,
    whether_right,
    with_options,
)
from selfexec.readers import Reading


class ScoredQuestion(Sample, frozen=True, kw_only=True):
    """A sample that was scored. `options` are those that were weighed in place of a reply, where they were; `target` is
    what the log held responses against, where there is such a thing.
    """

    options: tuple[str, ...] = ()
    target: str | None = None


OPTIONS = {"predict": {"A": "It would be marked as correct.", "B": "It would be marked as incorrect."}}
PROMPTS: Prompts = {"predict": asked_about_response(OPTIONS["predict"], "you", "your")}
VARIANTS: Prompts = variants_of(OPTIONS["predict"])


class Correctness(OfResponse):
    """Correctness: does a model know what it will answer correctly? On a finished log of any benchmark."""

    name = "correctness"
    claim = "correct"
    read_otherwise = {"elicit=probability": reads_probability_of("being right")}
    item_type = ScoredQuestion
    prompts = PROMPTS
    variants = VARIANTS
    options = OPTIONS
    recorded = ("execute", "score")
    scored = True
    turns = True
    sources = (LOG,)
    is_of_ability = True
    simulation = "selfexec.extensions.logs.simulated:SimulatedCorrectness"
    words = Words(
        about="which samples of a log it answers correctly",
        asks="Will you answer correctly?",
        its="what it will answer correctly",
        their="what they will answer correctly",
        baseline="the samples and what other models answer correctly",
        behaviour=("answer correctly", "its answer is correct all the same"),
        claimed=lambda item, claim, yes: f"it would {'answer correctly' if yes else 'not answer correctly'}",
        rates=("answer {} of the samples correctly", "answer {} correctly", "answers {} correctly"),
        outcomes=("it answered {} correctly", "it answered {} wrongly"),
        does="answers correctly",
        measured="whether it predicts which samples of a benchmark it answers correctly, as the benchmark scores them",
        task="prediction of whether its answer is correct",
        lost="its unread samples",
        item="a sample of a finished log, as `selfexec import --from` writes it",
        wants="100 samples or more, of which each model answers 20 correctly and 20 wrongly at the least",
        judged=("response", "correct"),
        limits=(
            "Correctness: what is correct is said by the scorer of the log. Its mistakes look like a model's that does "
            "not know itself.",
            "Correctness: a model may solve the task in its thoughts when it is asked whether it would, and predict "
            "what it has just done. Ask with thinking off, too.",
        ),
    )

    def shown(self, item: ScoredQuestion) -> str:
        return with_options(item.shown, item.options)

    def read(self, item: ScoredQuestion, session: str, text: str, options: Options | None = None) -> Reading:
        """The letter of a prediction; of a score, whether it says that the response is correct."""
        if session == "execute":
            return Reading("read", "response" if text.strip() else "empty")
        if session == "score":
            right = _right(text)
            return Reading("unreadable", reason="format") if right is None else Reading("read", right, evidence=text)
        return super().read(item, session, text, options)

    def given(self, item: ScoredQuestion, session: str, value: Any) -> Any:
        if session == "score":
            return value if isinstance(value, bool) else None
        return super().given(item, session, value)

    def outcome(self, readings: Readings) -> tuple[bool | None, Sequence[Reading]]:
        score = readings.get("score", MISSING_READING)
        return score.value, [score]

    def sample(self, logged: Logged, score: str | None) -> ScoredQuestion | Unfit:
        """The same question with another right answer is another one."""
        mark = logged.marks.get(score or "")
        if mark is None:
            return Unfit("without this score")
        if whether_right(mark.value) is None:
            return Unfit("scored neither right nor wrong")
        options = logged.options if logged.likelihoods else ()
        return ScoredQuestion(
            id=content_id(logged.shown, options, logged.target),
            task=logged.task,
            sample=logged.sample,
            shown=list(logged.shown),
            options=options,
            target=logged.target,
        )

    def replies(self, logged: Sequence[Logged], score: str | None) -> Mapping[str, LoggedReply]:
        [only] = logged
        return {**super().replies(logged, score), "score": LoggedReply(text=mark_text(only.marks[score or ""]))}


def _right(text: str) -> bool | None:
    try:
        return whether_right(msgspec.json.decode(text, type=Mark).value)
    except (msgspec.DecodeError, RecursionError):
        return None
