"""From readings to the two tables on which every score rests: observations (claims) and sessions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from selfexec.arrays import Answers, Claims, answers_by_model, claims_by_experiment
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.claims import MISSING
from selfexec.formats import Key
from selfexec.items import Item, ItemSet
from selfexec.reading import Reading

OBSERVATIONS = {
    "model": pl.String,
    "experiment": pl.String,
    "item": pl.String,
    "epoch": pl.Int32,
    "claim": pl.String,
    "predicted": pl.Boolean,
    "observed": pl.Boolean,
    "state": pl.String,
    "reason": pl.String,
    "basis": pl.String,
    "label": pl.String,
    "subject": pl.String,
    "length": pl.Int32,
    "other_subject": pl.String,
    "other_length": pl.Int32,
    "observed_by_rule": pl.Boolean,
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
    """Claims and sessions of every model, as the schemas above say; and as arrays, for counting."""

    observations: pl.DataFrame
    sessions: pl.DataFrame

    @cached_property
    def claims(self) -> Mapping[str, Claims]:
        """By experiment."""
        return claims_by_experiment(self.observations)

    @cached_property
    def answers(self) -> Mapping[str, Answers]:
        """To the questions of the difficulty experiment, by model."""
        return answers_by_model(self.sessions)


def observe(item_set: ItemSet, readings: Mapping[Key, Reading]) -> Tables:
    """Both tables. Of each experiment that a model has replies of, it is taken to have been asked every item in every
    epoch: a session without a line is missing.
    """
    grouped: dict[tuple[str, str], dict[tuple[str, int], dict[str, Reading]]] = defaultdict(lambda: defaultdict(dict))
    for key, reading in readings.items():
        grouped[key.model, key.experiment][key.item, key.epoch][key.session] = reading
    claims: list[tuple[object, ...]] = []
    sessions: list[tuple[object, ...]] = []
    for (model, experiment), by_item in grouped.items():
        epochs = sorted({epoch for _, epoch in by_item})
        for id, item in item_set.items[experiment].items():
            for epoch in epochs:
                place = (model, experiment, id, epoch)
                found = by_item.get((id, epoch), {})
                claims += ((*place, *row) for row in _claims(experiment, item, found))
                sessions += ((*place, *row) for row in _sessions(experiment, item, found))
    return Tables(_frame(claims, OBSERVATIONS), _frame(sessions, SESSIONS))


def _claims(experiment: str, item: Item, readings: Mapping[str, Reading]) -> Iterator[tuple[object, ...]]:
    for o in EXPERIMENTS[experiment].observe(item, readings):
        f = o.facts
        facts = (f.label, f.subject, f.length, f.other_subject, f.other_length)
        yield (o.claim, o.predicted, o.observed, o.state, o.reason, o.basis, *facts, o.observed_by_rule)


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
