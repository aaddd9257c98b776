"""What came of each session of token injection, and what follows of many: shares with intervals over items."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from selfexec.experiments import MISSING_READING, Readings
from selfexec.extensions.injecting.experiment import (
    KINDS,
    NONE,
    QUESTION,
    SHAM,
    UNDISTURBED,
    YES,
    before_in,
    begun,
    came,
    recovers,
    second_likeliest,
    suffixes_of,
)
from selfexec.extensions.injecting.tasks import Task, has_noticed, spot_in, words_at
from selfexec.metrics import Estimate
from selfexec.metrics.kinds.formulas import CELLS
from selfexec.metrics.rows import share_of_pairs
from selfexec.runs import Reply
from selfexec.stats import Array

Replies = Mapping[str, Reply]  # session -> its reply


@dataclass(frozen=True)
class Trial:
    """One kind and dose of one task in one epoch. What is not known of it is None.

    Attributes:
        task: What kind of task it is.
        item: Its id.
        kind: What was put in; `none` of the sham, `question` where the words stood in the question.
        dose: How many words or tokens; 0 of the sham.
        share: The share of what was still to come that came.
        recovers: Whether that is four fifths or more.
        predicted: Whether the model said that it would finish the task rightly.
        is_asked: Whether there is a prediction at all, read or unreadable.
        noticed: Whether it named the foreign words; of the sham whether it named any.
        same: Of the sham whether its reply is the undisturbed one.
        extra_tokens: How many tokens longer than that of the sham the reply is, what was put in aside.
        surprise: The mean surprise of the forced tokens, in nats.
    """

    task: str
    item: str
    kind: str
    dose: int
    share: float | None
    recovers: bool | None
    predicted: bool | None = None
    is_asked: bool = False
    noticed: bool | None = None
    same: bool | None = None
    extra_tokens: float | None = None
    surprise: float | None = None


def trials_of(item: Task, readings: Readings, replies: Replies) -> Iterator[Trial]:
    """What came of a task in one epoch; nothing where its undisturbed reply was not right."""
    execute = readings.get(UNDISTURBED, MISSING_READING)
    if before_in(execute) is None:
        return
    yield _sham(item, readings, replies)
    names = [*(f"{QUESTION}.{dose}" for dose in item.doses), *suffixes_of(item)]
    for suffix in names:
        kind, _, dose = suffix.partition(".")
        sessions = [f"{session}.{suffix}" for session in ("execute", "predict", "notice")]
        if any(session in readings for session in sessions):
            yield _trial(item, kind, int(dose), readings, replies)


def _sham(item: Task, readings: Readings, replies: Replies) -> Trial:
    disturbed = readings.get(SHAM, MISSING_READING)
    whole = _whole(item, replies, NONE, 0)
    return Trial(
        item.kind,
        item.id,
        NONE,
        0,
        came(item, readings[UNDISTURBED], disturbed),
        recovers(item, readings[UNDISTURBED], disturbed),
        noticed=_noticed(readings, NONE, set()),
        same=None if whole is None else whole[0] == replies[UNDISTURBED].text,
    )


def _trial(item: Task, kind: str, dose: int, readings: Readings, replies: Replies) -> Trial:
    suffix = f"{kind}.{dose}"
    execute, disturbed = readings[UNDISTURBED], readings.get(f"execute.{suffix}", MISSING_READING)
    predict = readings.get(f"predict.{suffix}", MISSING_READING)
    whole = _whole(item, replies, kind, dose)
    return Trial(
        item.kind,
        item.id,
        kind,
        dose,
        came(item, execute, disturbed),
        recovers(item, execute, disturbed),
        predict.value == YES if predict.state == "read" else None,
        predict.state != "missing",
        _noticed(readings, suffix, words_at(*whole)) if whole else None,
        extra_tokens=_extra_tokens(replies, kind, dose),
        surprise=_surprise(replies.get(f"execute.{suffix}")),
    )


def _noticed(readings: Readings, suffix: str, foreign: set[str]) -> bool | None:
    notice = readings.get(f"notice.{suffix}", MISSING_READING)
    return has_noticed(notice.value, foreign) if notice.state == "read" else None


def _whole(item: Task, replies: Replies, kind: str, dose: int) -> tuple[str, int, int] | None:
    """A disturbed reply with its beginning, and from where to where what was put in stands in it."""
    execute, disturbed = replies.get(UNDISTURBED), replies.get(f"execute.{kind}.{dose}" if dose else SHAM)
    if kind == QUESTION or disturbed is None or disturbed.text is None or execute is None:
        return None
    if disturbed.injection is not None:
        end = disturbed.forced_end or 0
        return disturbed.text, end - sum(len(token.token) for token in disturbed.forced or ()), end
    text = execute.text or ""
    spot = spot_in(item, text)
    if spot is None:
        return None
    beginning = begun(item, text, spot, kind, dose, second_likeliest(execute, spot))
    return beginning + disturbed.text, spot.at, len(beginning)


def _extra_tokens(replies: Replies, kind: str, dose: int) -> float | None:
    """What a server counts of a reply that was begun is what it wrote; tokens that were forced are counted too."""
    disturbed, sham = replies.get(f"execute.{kind}.{dose}"), replies.get(UNDISTURBED if kind == QUESTION else SHAM)
    if disturbed is None or sham is None or disturbed.output_tokens is None or sham.output_tokens is None:
        return None
    return float(disturbed.output_tokens - sham.output_tokens - len(disturbed.forced or ()))


def _surprise(disturbed: Reply | None) -> float | None:
    forced = disturbed.forced if disturbed is not None else None
    return -sum(token.logprob for token in forced) / len(forced) if forced else None


# --- of many ---------------------------------------------------------------------------------------------------------


def cells(trials: Iterable[Trial]) -> dict[tuple[str, int, str], list[Trial]]:
    """Trials by kind, dose and kind of task: the sham first, the question last."""
    order = [NONE, *KINDS, QUESTION]
    result: dict[tuple[str, int, str], list[Trial]] = {}
    for trial in trials:
        result.setdefault((trial.kind, trial.dose, trial.task), []).append(trial)
    return dict(sorted(result.items(), key=lambda cell: (order.index(cell[0][0]), *cell[0][1:])))


def share(trials: Sequence[Trial], outcome: Callable[[Trial], bool | None]) -> Estimate:
    """The share of trials in which something is so, where that is known: Wilson's interval, with as many
    independent trials as the spread between items comes to, since trials of one item are alike.
    """
    by_item: dict[str, list[bool]] = {}
    for trial in trials:
        if (known := outcome(trial)) is not None:
            by_item.setdefault(trial.item, []).append(known)
    return share_of_pairs(np.array([(sum(known), len(known)) for known in by_item.values()], float).reshape(-1, 2))


def mean(trials: Iterable[Trial], amount: Callable[[Trial], float | None]) -> float:
    """The mean of what is known; nan where nothing is."""
    known = [result for trial in trials if (result := amount(trial)) is not None]
    return sum(known) / len(known) if known else math.nan


def prediction_counts(trials: Iterable[Trial], strict: bool) -> Array:
    """What was predicted and what came of it, by item: shape (items, cells). An unreadable prediction is wrong if it is
    counted strictly, else left out.
    """
    rows: dict[str, list[float]] = {}
    for trial in trials:
        if trial.recovers is None or not trial.is_asked or (trial.predicted is None and not strict):
            continue
        row = rows.setdefault(trial.item, [0.0] * len(CELLS))
        row[CELLS.index(_cell(trial.predicted, trial.recovers))] += 1
    return np.array([*rows.values()], float).reshape(-1, len(CELLS))


def _cell(predicted: bool | None, came_true: bool) -> str:
    if predicted is None:
        return "unread_true" if came_true else "unread_false"
    return ("t" if predicted == came_true else "f") + ("p" if predicted else "n")
