"""From readings to the two tables on which every score rests: observations (claims) and sessions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from selfexec.claims.arrays import CLAIM, Answers, Claims, answers_by_experiment, claims_by_experiment
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, MISSING, Item, Key, Observation, Visited, source_name
from selfexec.items import ItemSet
from selfexec.readers import Reading

OBSERVATIONS = {
    "model": pl.String,
    "experiment": pl.String,
    "item": pl.String,
    "epoch": pl.Int32,
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
    "model": pl.String,
    "experiment": pl.String,
    "item": pl.String,
    "epoch": pl.Int32,
    "claim": pl.String,
    "source": pl.String,
    "observed": pl.Boolean,
}
SESSIONS = {
    "model": pl.String,
    "experiment": pl.String,
    "item": pl.String,
    "epoch": pl.Int32,
    "session": pl.String,
    "state": pl.String,
    "reason": pl.String,
    "output_tokens": pl.Int64,
    "correct": pl.Boolean,
}


@dataclass(frozen=True)
class Tables:
    """Claims and sessions of every model, as the schemas above say; and as arrays, for counting. `outcomes` is what
    further sources say was done, beside the one that the observations have: a row for each that says something.
    """

    observations: pl.DataFrame
    sessions: pl.DataFrame
    outcomes: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=OUTCOMES))

    @cached_property
    def claims(self) -> Mapping[str, Claims]:
        """By experiment."""
        return claims_by_experiment(self.observations, self.outcomes)

    @cached_property
    def answers(self) -> Mapping[str, Mapping[str, Answers]]:
        """To questions, by experiment and model."""
        return answers_by_experiment(self.sessions)


def observe(
    item_set: ItemSet,
    readings: Mapping[Key, Reading],
    asked: Mapping[tuple[str, str], Mapping[str, Sequence[int]]],
) -> Tables:
    """The tables. `asked` says in which epochs each item was asked, by model and experiment: of these, a session
    without a reading is missing.
    """
    grouped: dict[tuple[str, str], dict[tuple[str, int], dict[str, Reading]]] = defaultdict(lambda: defaultdict(dict))
    for key, reading in readings.items():
        grouped[key.model, key.experiment][key.item, key.epoch][key.session] = reading
    claims: list[tuple[object, ...]] = []
    sessions: list[tuple[object, ...]] = []
    outcomes: list[tuple[object, ...]] = []
    for (model, experiment), by_item in grouped.items():
        for id, epochs in asked[model, experiment].items():
            item = item_set.items[experiment][id]
            for epoch in epochs:
                place = (model, experiment, id, epoch)
                found = by_item.get((id, epoch), {})
                for o in EXPERIMENTS[experiment].observe(item, found):
                    claims.append((*place, *_claim(experiment, o)))
                    outcomes += ((*place, o.claim, *by) for by in o.by_source.items() if by[1] is not None)
                sessions += ((*place, *row) for row in _sessions(experiment, item, found))
    return Tables(_frame(claims, OBSERVATIONS), _frame(sessions, SESSIONS), _frame(outcomes, OUTCOMES))


def _claim(experiment: str, o: Observation) -> tuple[object, ...]:
    if o.probability is not None and not 0 <= o.probability <= 1:
        raise InputError(
            f"{experiment}: the probability of the claim {o.claim!r} is {o.probability}, and must lie between 0 and 1. "
            "The experiment's file has the fault."
        )
    f = o.facts
    facts = (f.label, f.subject, f.length, f.other_subject, f.other_length)
    source = EXPERIMENTS[experiment].sources[0]
    return (o.claim, o.predicted, o.probability, o.observed, source, o.state, o.reason, o.basis, *facts)


def _sessions(experiment: str, item: Item, readings: Mapping[str, Reading]) -> Iterator[tuple[object, ...]]:
    module = EXPERIMENTS[experiment]
    for session in module.session_names(item):
        r = readings.get(session, MISSING)
        yield (session, r.state, r.reason, r.tokens, module.correct(item, session, r))


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


def claims_that_came_out(tables: Tables, ways: Iterable[str]) -> Mapping[Visited, list[str]]:
    """By item: the claims of which both sides are known and that came out in one of these ways, in words. Of disputed
    ones the observed side alone is known.
    """
    found: dict[Visited, list[str]] = defaultdict(list)
    for row in with_disputes(tables).filter(pl.any_horizontal(CAME_OUT[way] for way in ways)).iter_rows(named=True):
        found[row["model"], row["experiment"], row["item"], row["epoch"]].append(_in_words(row))
    return found


def _in_words(row: Mapping[str, Any]) -> str:
    def said(side: bool | None) -> str:
        return "unknown" if side is None else "yes" if side else "no"

    others = " and ".join(map(source_name, row["disputed"]))
    disputed = f", but {said(not row['observed'])} by {others}" if others else ""
    return f'"{row["claim"]}": predicted {said(row["predicted"])}, observed {said(row["observed"])}{disputed}'
