"""Claims as scores of Inspect. A score is of one item in one epoch; what is counted over items is counted as by
`selfexec score`: strictly, with standard errors over items, whose epochs are not averaged before.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from selfexec.claims import observe
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, Key, Observation
from selfexec.extensions.inspect.records import LOG_OF, REPLIES, SENTENCES, role_of
from selfexec.extensions.inspect.sessions import item_of
from selfexec.facets import DEFAULT
from selfexec.items import ItemSet
from selfexec.metrics import Estimate, estimates
from selfexec.prompts import options_in
from selfexec.readers import Reading
from selfexec.runs import Reply, read_reply

MODEL = "the model"  # a log is of one
NOT_OURS = "no replies of selfexec are in this sample's store: it is of another task, or another solver ran"


@metric(scores="unreduced")
def claims_metrics() -> Metric:
    """Accuracy, skill and coverage with their standard errors over items, and the ends of their 95% intervals."""

    def found(scores: list[SampleScore]) -> Mapping[str, float]:
        values: dict[str, float] = {}
        for name, estimate in _estimates(scores).items():
            low, high = estimate.interval
            values |= {name: estimate.value, f"{name}_stderr": estimate.error}
            values |= {f"{name}_low": low, f"{name}_high": high}
        return values

    return found


def _estimates(scores: Iterable[SampleScore]) -> Mapping[str, Estimate]:
    """As `selfexec score` has them for a model alone."""
    by_experiment: dict[str, list[SampleScore]] = {}
    for one in scores:
        if (metadata := one.score.metadata) and "readings" in metadata:
            by_experiment.setdefault(metadata["experiment"], []).append(one)
    if len(by_experiment) != 1:
        return {name: Estimate(math.nan) for name in ("accuracy", "skill", "coverage")}
    [(name, of_it)] = by_experiment.items()
    experiment = EXPERIMENTS[name]
    items = {str(one.sample_id): item_of(experiment, one.sample_metadata or {}) for one in of_it}
    readings: dict[Key, Reading] = {}
    asked: dict[str, list[int]] = {}
    for one in of_it:
        id, epoch = str(one.sample_id), one.score.metadata["epoch"]
        asked.setdefault(id, []).append(epoch)
        for session, reading in one.score.metadata["readings"].items():
            readings[Key(MODEL, name, id, epoch, session)] = msgspec.convert(reading, Reading)
    tables = observe(ItemSet("", {name: items}, {}), readings, {(MODEL, name, DEFAULT): asked})
    return estimates(tables.claims[name])


@scorer(metrics=[claims_metrics()], name="claims")
def claims() -> Scorer:
    """What the replies in the store say, read again: no model is asked."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_of(state.metadata, dict(state.store.items()), str(state.sample_id), state.epoch)

    return score


def score_of(metadata: Mapping[str, Any], store: Mapping[str, Any], id: str, epoch: int) -> Score:
    """The score of one item in one epoch: the shares of its claims that were predicted rightly, said, done and
    known.
    """
    name = str(metadata.get(LOG_OF))
    if name not in EXPERIMENTS or REPLIES not in store:
        return Score.unscored(reason="scoring_failed", explanation=NOT_OURS)
    experiment = EXPERIMENTS[name]
    item = item_of(experiment, metadata)
    try:
        replies = msgspec.convert(store[REPLIES], list[Reply])
    except msgspec.ValidationError as fault:
        raise InputError(f"sample {id}: its replies are damaged ({fault}). Read a whole log.") from None
    readings = _readings(experiment, item, replies, store.get(SENTENCES, {}))
    found = experiment.observe(item, readings)
    return Score(
        value=_value(found),
        answer="; ".join(f"{o.claim}: {_said(o.predicted)}" for o in found),
        explanation="\n".join(map(_in_words, found)),
        reason=_reason(experiment, found, readings),
        metadata={
            "experiment": name,
            "epoch": epoch,
            "claims": [_claim(o) for o in found],
            "readings": {session: msgspec.to_builtins(reading) for session, reading in readings.items()},
        },
    )


def _readings(
    experiment: Experiment, item: Any, replies: Sequence[Reply], sentences: Mapping[str, str]
) -> dict[str, Reading]:
    options = {kind: options_in(sentences, experiment.name, kind) for kind in experiment.options}
    return {reply.session: read_reply(item, reply, None, options.get(reply.key.session_kind)) for reply in replies}


def _value(found: Sequence[Observation]) -> dict[str, float]:
    """Strictly: of an unreadable claim nothing was predicted. Shares of nothing are nan."""
    counted = [o for o in found if o.state in ("read", "unreadable")]
    right = [o.state == "read" and o.predicted == o.observed for o in counted]
    return {
        "right": _share(right),
        "predicted": _share([o.predicted for o in found if o.predicted is not None]),
        "done": _share([o.observed for o in found if o.observed is not None]),
        "known": _share([o.state in ("read", "tie") for o in found]),
    }


def _share(marks: Sequence[bool | None]) -> float:
    return sum(map(bool, marks)) / len(marks) if marks else math.nan


def _reason(experiment: Experiment, found: Sequence[Observation], readings: Mapping[str, Reading]) -> str | None:
    """Why something of an item is not known, in Inspect's words; None where all is."""
    lost = [o for o in found if o.state not in ("read", "tie")]
    if not lost:
        return None
    judged = [r for s, r in readings.items() if role_of(experiment, s.partition(".")[0]) == "judge"]
    if any(reading.state != "read" for reading in judged):
        return "grader_failed"
    if any(o.state == "missing" for o in lost):
        return "no_response"
    refused = any(o.reason in ("withheld", "declined") for o in lost)
    return "refusal" if refused else "invalid_response_format"


def _claim(o: Observation) -> dict[str, Any]:
    said = {"claim": o.claim, "predicted": o.predicted, "observed": o.observed, "state": o.state}
    more = {"reason": o.reason, "basis": o.basis, "by_source": dict(o.by_source)}
    return said | {name: value for name, value in more.items() if value}


def _in_words(o: Observation) -> str:
    lost = "" if o.state == "read" else f" ({o.state}{f', {o.reason}' if o.reason else ''})"
    return f"{o.claim}: predicted {_said(o.predicted)}, observed {_said(o.observed)}{lost}"


def _said(side: bool | None) -> str:
    return "unknown" if side is None else "yes" if side else "no"
