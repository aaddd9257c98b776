"""From readings to the tables on which every score rests: observations (claims) and sessions; besides, outcomes by
further sources, and what predictions in probabilities expect of single answers.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl
from msgspec import structs

from selfexec.claims.arrays import CLAIM, SESSION, Answers, Claims, Items, answers_by_model, claims_of
from selfexec.errors import InputError
from selfexec.experiments import (
    EXPERIMENTS,
    MISSING_READING,
    ClaimState,
    Experiment,
    Item,
    JobKey,
    Key,
    Observation,
    session_kind,
    source_name,
)
from selfexec.facets import DEFAULT, DEFAULT_NAME, Condition, condition_name, nested, touching
from selfexec.items import ItemSet
from selfexec.readers import Reading

# where a claim or a session belongs
PLACE = {
    "model": pl.String,
    "experiment": pl.String,
    "item": pl.String,
    "epoch": pl.Int32,
    "condition": pl.String,
}
OBSERVATIONS = {
    **PLACE,
    "claim": pl.String,
    "predicted": pl.Boolean,
    "probability": pl.Float64,
    "observed": pl.Boolean,
    "source": pl.String,
    "state": pl.String,
    "reason": pl.String,
    "basis": pl.String,
    "label": pl.String,
    "subject": pl.String,
    "length": pl.Int32,
    "other_subject": pl.String,
    "other_length": pl.Int32,
}
OUTCOMES = {
    **PLACE,
    "claim": pl.String,
    "source": pl.String,
    "observed": pl.Boolean,
}
SESSIONS = {
    **PLACE,
    "session": pl.String,
    "state": pl.String,
    "reason": pl.String,
    "output_tokens": pl.Int64,
    "correct": pl.Boolean,
}
EXPECTED = {
    **PLACE,
    "session": pl.String,
    "expected_correct": pl.Float64,
    "expected_tokens": pl.Float64,
}

Observe = Callable[[Item, Mapping[str, Reading]], list[Observation]]
REPEATED = "repeated"  # why a claim counts no second time


@dataclass(frozen=True, repr=False)
class Tables:
    """Claims and sessions of every model, as the schemas above say; and as arrays, for counting. `outcomes` is what
    further sources say was done, beside the one that the observations have: a row for each that says something;
    `simulated`: those of the models that are, and `people` those that are none; `items`, by experiment and id, have the
    words that claims are about; `expected` is what predictions in probabilities say of single answers.

    The condition of a claim is the one in which it was asked for; that of a session names the facets that it was asked
    with, so that one which several conditions share is in the default one.
    """

    observations: pl.DataFrame
    sessions: pl.DataFrame
    outcomes: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=OUTCOMES))
    simulated: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    items: Mapping[str, Items] = field(default_factory=dict)
    expected: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=EXPECTED))

    def __repr__(self) -> str:
        parts = {"claims": self.observations, "sessions": self.sessions, "outcomes of further sources": self.outcomes}
        return f"Tables({', '.join(f'{frame.height:,} {name}' for name, frame in parts.items())})"

    @cached_property
    def claims(self) -> Mapping[str, Claims]:
        """The claims of every experiment that was asked, by its name."""
        asked = set(self.observations["experiment"].unique())
        further = self.outcomes.partition_by("experiment", as_dict=True)
        return {
            name: claims_of(self.observations, name, further.get((name,)), self.items.get(name))
            for name in EXPERIMENTS
            if name in asked
        }

    @cached_property
    def answers(self) -> Mapping[str, Mapping[str, Answers]]:
        """The answers to questions, by experiment and model, of the experiments that ask some; with what was expected
        of them, where that was asked in one condition.
        """
        expected = self.expected if self.expected["condition"].n_unique() < 2 else self.expected.clear()
        sessions = self.sessions.join(expected.drop("condition"), on=SESSION, how="left", maintain_order="left")
        asked = set(sessions["experiment"].unique())
        kinds = {
            name: kind for name, definition in EXPERIMENTS.items() if name in asked and (kind := definition.answers)
        }
        found = {name: answers_by_model(sessions, name, kind) for name, kind in kinds.items()}
        return {name: by_model for name, by_model in found.items() if by_model}


def observe(
    item_set: ItemSet,
    readings: Mapping[Key, Reading],
    asked: Mapping[tuple[str, str, Condition], Mapping[str, Sequence[int]]],
    sources: Mapping[str, str] | None = None,
    only_condition: str | None = None,
) -> Tables:
    """From what replies commit to, to the tables.

    Args:
        item_set: The items that were asked.
        readings: By session.
        asked: In which epochs each item was asked, by model, experiment and condition: of these, a session without a
            reading is missing.
        sources: By experiment, who says what was done, where it is not the experiment's own source.
        only_condition: The one that the readings were narrowed to, where they were; they go without its facets.
    """
    later: dict[str, dict[str, None]] = defaultdict(dict)  # who judged stored replies, by experiment
    grouped: dict[tuple[str, str], ByPlace] = defaultdict(lambda: defaultdict(dict))
    for key, reading in readings.items():
        if (key.facets or only_condition) and nested(key.session):
            continue  # what the session within which it was opened says of it is in the reading of that
        grouped[key.model, key.experiment][key.item, key.epoch, key.facets][key.session] = reading
        if reading.judged:
            later[key.experiment] |= _judges(reading)
    claims: list[tuple[object, ...]] = []
    sessions: list[tuple[object, ...]] = []
    outcomes: list[tuple[object, ...]] = []
    expected: list[tuple[object, ...]] = []
    for (model, experiment, condition), by_id in asked.items():
        definition = EXPERIMENTS[experiment]  # looked up once: there are thousands of items
        facets = {kind: condition and touching(condition, experiment, kind) for kind in definition.session_kinds}
        name = only_condition or (condition_name(condition) if condition else DEFAULT_NAME)
        own_names = (condition_name(part) if part else DEFAULT_NAME for part in facets.values())
        shared = {kind: only_condition or own for kind, own in zip(facets, own_names, strict=True)}
        names: dict[str, str] = {}  # session -> the condition that its own facets make
        judges = later.get(experiment, ())
        source = (sources or {}).get(experiment, definition.sources[0])
        there = grouped[model, experiment]
        said = {(id, n): _in_condition(there, id, n, facets) for id, epochs in by_id.items() for n in epochs}
        repeated = _repeated(experiment, said)
        for (id, epoch), found in said.items():
            item = item_set.items[experiment][id]
            place = (model, experiment, id, epoch, name)
            observed = [
                (o, _judged(experiment, o, found, judges) if judges else o.by_source)
                for o in definition.observe(item, found)
            ]
            if source != definition.sources[0]:
                observed = _by_source(source, definition, item, found, observed)
            for o, further in observed:
                if repeated and (id, epoch) in repeated and o.state == "read":
                    o = structs.replace(o, state="tie", reason=REPEATED)
                claims.append((*place, *_claim(experiment, o, source)))
                if further:
                    outcomes += ((*place, o.claim, *by) for by in further.items() if by[1] is not None)
            if name != DEFAULT_NAME:  # in which predictions may be in probabilities
                expected += ((*place, session, *each) for session, each in definition.expected(found).items())
            for row in _sessions(definition, item, found):
                own = names.get(row[0]) or names.setdefault(row[0], shared[session_kind(row[0])])
                sessions.append((model, experiment, id, epoch, own, *row))
    session_table = _frame(sessions, SESSIONS)
    if any(condition for _, _, condition in asked):
        session_table = session_table.unique(list(SESSIONS)[:6], keep="first", maintain_order=True)
    frames = _frame(claims, OBSERVATIONS), session_table, _frame(outcomes, OUTCOMES)
    return Tables(*frames, items=item_set.items, expected=_frame(expected, EXPECTED))


ByPlace = dict[tuple[str, int, Condition], dict[str, Reading]]  # item, epoch and facets -> session -> reading


def _in_condition(there: ByPlace, item: str, epoch: int, facets: Mapping[str, Condition]) -> Mapping[str, Reading]:
    """What the sessions of an item say in a condition; `facets` has what each kind of session knows."""
    if not any(facets.values()):
        return there.get((item, epoch, DEFAULT), {})
    return {
        session: reading
        for part in set(facets.values())
        for session, reading in there.get((item, epoch, part), {}).items()
        if facets[session_kind(session)] == part
    }


def _repeated(experiment: str, said: Mapping[tuple[str, int], Mapping[str, Reading]]) -> set[tuple[str, int]]:
    """The items, each with its epoch, where a model's claims repeat those of another in the same epoch."""
    by_epoch: dict[int, dict[str, Mapping[str, Reading]]] = defaultdict(dict)
    for (id, epoch), found in said.items():
        by_epoch[epoch][id] = found
    return {(id, epoch) for epoch, found in by_epoch.items() for id in EXPERIMENTS[experiment].repeats(found)}


def _judges(reading: Reading) -> dict[str, None]:
    """Who judged what was done in this session. A text is no judgement of it, but what is right of a question."""
    return {source: None for source, value in reading.judged.items() if not isinstance(value, str)}


Outcomes = Mapping[str, bool | None]  # source -> what it says was done


def _judged(experiment: str, o: Observation, readings: Mapping[str, Reading], later: Collection[str]) -> Outcomes:
    """What further sources say, with those that judged replies later. Where there was nothing to judge, they need not
    have said it.
    """
    found = dict(o.by_source) | dict.fromkeys(later, o.observed if EXPERIMENTS[experiment].idle(readings) else None)
    for reading in readings.values():
        for source, value in reading.judged.items():
            if isinstance(value, str):
                continue  # what is right of a question, and not what was done
            did = value.get(o.claim) if isinstance(value, Mapping) else value
            found[source] = found[source] if did is None else did
    return found


def _by_source(
    source: str,
    definition: Experiment,
    item: Item,
    readings: Mapping[str, Reading],
    observed: Sequence[tuple[Observation, Outcomes]],
) -> list[tuple[Observation, Outcomes]]:
    """The claims of an item as a source has them that is not the experiment's own, each with what further sources say:
    the experiment's own is one of these then. A source that observes for itself has claims of its own.
    """
    on_request = (
        definition.observe_by(source, item, readings) if source in definition.on_request else [None] * len(observed)
    )
    found: list[tuple[Observation, Outcomes]] = []
    for (o, outcomes), other in zip(observed, on_request, strict=True):
        further = {definition.sources[0]: o.observed, **outcomes}
        found.append((other or _as_told(o, further.pop(source, None)), further))
    return found


def _as_told(o: Observation, observed: bool | None) -> Observation:
    """A claim as another source has it. What it says nothing of is missing; else the prediction decides."""
    state: ClaimState = "read"
    if observed is None:
        state = "missing"
    elif o.predicted is None:
        state = o.predicted_state or ("missing" if o.state == "missing" else "unreadable")
    reason = o.reason if state == o.state == "unreadable" else None
    return structs.replace(o, observed=observed, state=state, reason=reason, basis=None)


def _claim(experiment: str, o: Observation, source: str) -> tuple[object, ...]:
    if o.probability is not None and not 0 <= o.probability <= 1:
        raise InputError(
            f"{experiment}: the probability of the claim {o.claim!r} is {o.probability}, and must lie between 0 and 1. "
            "The experiment's file has the fault."
        )
    f = o.facts
    facts = (f.label, f.subject, f.length, f.other_subject, f.other_length)
    return (o.claim, o.predicted, o.probability, o.observed, source, o.state, o.reason, o.basis, *facts)


def _sessions(
    definition: Experiment, item: Item, readings: Mapping[str, Reading]
) -> Iterator[tuple[str, *tuple[object, ...]]]:
    for session in dict.fromkeys([*definition.session_names(item), *definition.in_order(item, readings)]):
        r = readings.get(session, MISSING_READING)
        yield (session, r.state, r.reason, r.tokens, definition.correct(item, session, r))


def _frame(rows: list[tuple[object, ...]], schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    columns = zip(*rows, strict=True) if rows else [() for _ in schema]
    return pl.DataFrame(
        [pl.Series(name, column, dtype) for (name, dtype), column in zip(schema.items(), columns, strict=True)]
    )


# how a claim may have come out, predicted and then observed
_predicted, _observed = pl.col("predicted"), pl.col("observed")
CAME_OUT: Mapping[str, pl.Expr] = {
    "right": _predicted == _observed,
    "wrong": _predicted != _observed,
    "yes-yes": _predicted & _observed,
    "yes-no": _predicted & ~_observed,
    "no-yes": ~_predicted & _observed,
    "no-no": ~_predicted & ~_observed,
    "disputed": pl.col("disputed").list.len() > 0,
    "unreadable": pl.col("state") == "unreadable",
}


def with_disputes(tables: Tables) -> pl.DataFrame:
    """The observations with a column `disputed`: the further sources by which the outcome is another one."""
    observations, outcomes = tables.observations, tables.outcomes
    by_both = outcomes.join(observations.select(*CLAIM, here="observed"), on=CLAIM)
    otherwise = (
        by_both.filter(pl.col("observed") != pl.col("here")).group_by(CLAIM).agg(disputed=pl.col("source").sort())
    )
    found = observations.join(otherwise, on=CLAIM, how="left", maintain_order="left")
    return found.with_columns(pl.col("disputed").fill_null(pl.lit([], dtype=pl.List(pl.String))))


def claims_that_came_out(tables: Tables, ways: Iterable[str]) -> Mapping[JobKey, list[str]]:
    """By item: the claims with both sides known that came out in one of these ways, in words. Of disputed ones the
    observed side alone is known, and unreadable ones lack a side, though the sessions behind them may have been read.
    """
    found: dict[JobKey, list[str]] = defaultdict(list)
    for row in with_disputes(tables).filter(pl.any_horizontal(CAME_OUT[way] for way in ways)).iter_rows(named=True):
        found[row["model"], row["experiment"], row["item"], row["epoch"]].append(_in_words(row))
    return found


def _in_words(row: Mapping[str, Any]) -> str:
    def said(side: bool | None) -> str:
        return "unknown" if side is None else "yes" if side else "no"

    others = " and ".join(map(source_name, row["disputed"]))
    disputed = f", but {said(not row['observed'])} by {others}" if others else ""
    unreadable = ", unreadable" if row["state"] == "unreadable" else ""
    at = "" if row["condition"] == DEFAULT_NAME else f" ({row['condition']})"
    sides = f"predicted {said(row['predicted'])}, observed {said(row['observed'])}"
    return f'"{row["claim"]}"{at}: {sides}{disputed}{unreadable}'
