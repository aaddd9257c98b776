"""Questions that models wrote in order to fail them: what became of them, and which ways round were tried."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from selfexec.analysis.score import Score
from selfexec.experiments import MISSING_READING, Key
from selfexec.experiments.failing_question import TRICKS, UNCHECKED, FailingQuestion, tricks, written_in
from selfexec.facets import DEFAULT, condition_named, in_condition
from selfexec.report.data import Data
from selfexec.stats import NONE, Interval, wilson

NAME, NO_TRICK = FailingQuestion.name, "none of these"


@dataclass(frozen=True)
class WantedQuestion:
    """A question that was to be written, in one epoch: whether it was, and how many tries failed, of how many that
    count.
    """

    model: str
    written: bool
    tricks: Sequence[str]
    unchecked: bool
    invalid: bool
    repeated: bool
    failed: int
    tries: int


@dataclass(frozen=True)
class Wrote:
    """A model's questions by what became of them, and its scores."""

    model: str
    questions: int
    none: int
    repeated: int
    invalid: int
    unchecked: int
    failed: Score | None
    control: Score | None
    lift: Score | None


@dataclass(frozen=True)
class TriedWay:
    """A way round: how many questions tried it, of how many the key stands, and how often these were failed. Of all
    models without a `model`.
    """

    trick: str
    model: str | None
    questions: int
    valid: int
    failed: int
    tries: int
    interval: Interval

    @property
    def share(self) -> float | None:
        return self.failed / self.tries if self.tries else None


@dataclass(frozen=True)
class FailingQuestions:
    experiment: str
    models: Sequence[Wrote]
    tricks: Sequence[TriedWay]


def failing_question(data: Data) -> FailingQuestions | None:
    asked = list(_asked(data))
    if not asked:
        return None
    by_model = {model: [one for one in asked if one.model == model] for model in data.models}
    wrote = [_wrote(data, model, found) for model, found in by_model.items() if found]
    return FailingQuestions(NAME, wrote, list(_tried(by_model)))


def _asked(data: Data) -> Iterator[WantedQuestion]:
    """Every question that was to be written and for which something came back."""
    rows = data.claims.filter((pl.col("experiment") == NAME) & (pl.col("label") == "predicted"))
    read = pl.col("state") == "read"
    counts = rows.group_by("model", "item", "epoch").agg(
        (read & pl.col("observed")).sum(),
        read.sum().alias("tries"),
        *((pl.col("reason") == reason).any().alias(reason) for reason in ("invalid", "repeated")),
    )
    condition = condition_named(rows["condition"][0]) if rows.height else DEFAULT
    readings = {key: reading for run in data.runs for key, reading in run.readings.items() if key.experiment == NAME}
    for model, item, epoch, failed, tries, invalid, repeated in counts.sort("model", "item", "epoch").iter_rows():
        prediction, verify = (
            readings.get(in_condition(Key(model, NAME, item, epoch, session), condition), MISSING_READING)
            for session in ("predict", "verify")
        )
        if prediction.state != "missing":
            unchecked = verify.value == UNCHECKED and tries > 0
            written = written_in(prediction) is not None
            yield WantedQuestion(model, written, tricks(prediction), unchecked, invalid, repeated, failed, tries)


def _wrote(data: Data, model: str, asked: Sequence[WantedQuestion]) -> Wrote:
    scores = (data.scores.get(model, NAME, metric) for metric in ("accuracy", "control", "lift"))
    return Wrote(
        model,
        len(asked),
        sum(not one.written for one in asked),
        sum(one.repeated for one in asked),
        sum(one.invalid for one in asked),
        sum(one.unchecked for one in asked),
        *scores,
    )


def _tried(by_model: Mapping[str, Sequence[WantedQuestion]]) -> Iterator[TriedWay]:
    """By way round: of all models together, then of each that tried it. Last, questions that try none."""
    every = [one for asked in by_model.values() for one in asked if not one.repeated]
    for name in (*TRICKS, None):
        yield _counted(name, None, every)
        if name is not None:
            found = (_counted(name, model, [o for o in asked if not o.repeated]) for model, asked in by_model.items())
            yield from (one for one in found if one.questions)


def _counted(name: str | None, model: str | None, asked: Iterable[WantedQuestion]) -> TriedWay:
    mine = [one for one in asked if (name in one.tricks if name else one.written and not one.tricks)]
    valid = [one for one in mine if one.tries]
    failed, tries = sum(one.failed for one in valid), sum(one.tries for one in valid)
    # tries of one question go together: as many as there are questions
    interval = wilson(failed / tries, len(valid)) if len(valid) > 1 else NONE
    return TriedWay(name or NO_TRICK, model, len(mine), len(valid), failed, tries, interval)
