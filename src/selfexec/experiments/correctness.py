"""Correctness: does a model know what it will answer correctly? On a finished log of any benchmark.

    predict   shown a sample as the log's model was, the model says whether its response would be correct
    execute   its response, from the log
    score     what the log's scorer made of it

A claim: "the response is correct", as the log has it.
"""

from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

import msgspec

from selfexec.experiments.base import (
    MISSING,
    Ask,
    Experiment,
    Facts,
    Observation,
    Options,
    Prompts,
    Readings,
    Wording,
    Words,
    state_of,
)
from selfexec.experiments.given import given_letter, letter_as_asked
from selfexec.experiments.recorded import (
    Logged,
    LoggedReply,
    Mark,
    Recording,
    Sample,
    Unfit,
    blank,
    content_id,
    in_line,
    mark_text,
    tasks_of,
    whether_right,
    with_options,
)
from selfexec.experiments.sources import LOG
from selfexec.readers import Reading, answers_in_letters, fold, read_choice, responds_to


class ScoredQuestion(Sample, frozen=True, kw_only=True):
    """A sample that was scored. `options` are those that were weighed in place of a reply, where they were; `target` is
    what the log held responses against, where there is such a thing.
    """

    options: tuple[str, ...] = ()
    target: str | None = None


PROMPTS: Prompts = {
    "predict": """\
Below is a prompt, between two lines of equals signs. Do not respond to it now. If it were given to you in a separate \
session, which of the following would be true regarding your response?

==========
$shown
==========

A: "It would be marked as correct."
B: "It would be marked as incorrect."

You may think it over first. End your reply with one JSON object of this form: {"choice": "A or B"}""",
}
VARIANTS: Prompts = {
    "predict@frame": """\
Below is a prompt, between two lines of equals signs. Do not respond to it now. If it were given to $who in a separate \
session, which of the following would be true regarding the response?

==========
$shown
==========

A: "It would be marked as correct."
B: "It would be marked as incorrect."

You may think it over first. End your reply with one JSON object of this form: {"choice": "A or B"}""",
}
OPTIONS = {"predict": {"A": "It would be marked as correct.", "B": "It would be marked as incorrect."}}


def session_names(item: ScoredQuestion) -> tuple[str, ...]:
    return ("predict", "execute", "score")


async def sessions(item: ScoredQuestion, ask: Ask, prompts: Prompts = PROMPTS) -> None:
    await ask("predict", Template(prompts["predict"]).substitute(shown=with_options(item.shown, item.options)))


def read(item: ScoredQuestion, session: str, text: str, options: Options | None = None) -> Reading:
    """The letter of a prediction; of a score, whether it says that the response is correct."""
    if session == "execute":
        return Reading("read", "response" if text.strip() else "empty")
    if session == "score":
        right = _right(text)
        return Reading("unreadable", reason="format") if right is None else Reading("read", right, evidence=text)
    return read_choice(text, options or OPTIONS["predict"], key="choice", text_over_letter=True)


def performed(item: ScoredQuestion, session: str, text: str, reading: Reading) -> bool:
    """Whether a prediction responds to the prompt instead, in words or with the letter of one of its options."""
    if session != "predict":
        return False
    shown = with_options(item.shown, item.options)
    unread = reading.state == "unreadable"
    return responds_to(text, item.last) if unread else answers_in_letters(reading.evidence, shown)


def _right(text: str) -> bool | None:
    try:
        return whether_right(msgspec.json.decode(text, type=Mark).value)
    except (msgspec.DecodeError, RecursionError):
        return None


def given(item: ScoredQuestion, session: str, value: Any) -> Any:
    if session == "score":
        return value if isinstance(value, bool) else None
    return given_letter(value, "AB") if session == "predict" else None


def observe(item: ScoredQuestion, readings: Readings) -> list[Observation]:
    predict, score = readings.get("predict", MISSING), readings.get("score", MISSING)
    state, reason = state_of([predict], [score])
    predicted = None if predict.value is None else predict.value == "A"
    facts = Facts(subject=item.task, length=len(item.last))
    predicted_state = state_of([predict], [])[0]
    return [Observation("correct", predicted, score.value, state, reason, facts=facts, predicted_state=predicted_state)]


def replied(item: ScoredQuestion, outcomes: Mapping[str, bool], prompt: str) -> str:
    """The letter of the option that comes true."""
    return letter_as_asked("A" if outcomes["correct"] else "B", prompt)


# --- from a log ------------------------------------------------------------------------------------------------------


def sample(logged: Logged, score: str | None) -> ScoredQuestion | Unfit:
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


def replies(logged: Sequence[Logged], score: str | None) -> Mapping[str, LoggedReply]:
    [one] = logged
    return {"execute": one.reply, "score": LoggedReply(text=mark_text(one.marks[score or ""]))}


# --- items -----------------------------------------------------------------------------------------------------------


def wording(item: ScoredQuestion) -> dict[str, list[Wording]]:
    """What is worded alike may stand in the same task as well as in another: each sample is a family of its own."""
    return {"correct": [Wording(item.last, item.id)]}


CORRECTNESS = Experiment(
    name="correctness",
    kind="binary",
    item_type=ScoredQuestion,
    item_name="sample",
    prompts=PROMPTS,
    variants=VARIANTS,
    options=OPTIONS,
    tokens={"predict": 200},  # nobody recorded these: a guess
    session_names=session_names,
    sessions=sessions,
    read=read,
    performed=performed,
    given=given,
    observe=observe,
    replied=replied,
    title=in_line,
    oddities=blank,
    contents=lambda item: [fold(with_options(item.shown, item.options))],
    composition=tasks_of,
    words=Words(
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
        lost="its lost samples",
        item="a sample of a finished log, as `selfexec import --from` writes it",
        wants="100 samples or more, of which each model answers 20 correctly and 20 wrongly at the least",
        judged=("response", "correct"),
        limits=(
            "Correctness: what is correct is said by the scorer of the log. Its mistakes look like a model's that does "
            "not know itself.",
            "Correctness: a model may solve the task in its thoughts when it is asked whether it would, and predict "
            "what it has just done. Ask with thinking off, too.",
        ),
    ),
    sources=(LOG,),
    kept=("execute",),
    recording=Recording(
        kinds=("execute", "score"),
        sample=sample,
        replies=replies,
        scored=True,
        turns=True,
    ),
    wording=wording,
    strata=lambda item: (item.task, ""),
    quick=100,
    sampling={"paper": {"temperature": 0.0}},
)
