"""From readings to the two tables on which every score rests: observations (claims) and sessions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from selfexec.claims.arrays import Answers, Claims, answers_by_experiment, claims_by_experiment
from selfexec.experiments import EXPERIMENTS, MISSING, Item, Key, Visited
from selfexec.items import ItemSet
from selfexec.readers import Reading

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
    def answers(self) -> Mapping[str, Mapping[str, Answers]]:
        """To questions, by experiment and model."""
        return answers_by_experiment(self.sessions)


def observe(
    item_set: ItemSet,
    readings: Mapping[Key, Reading],
    asked: Mapping[tuple[str, str], Mapping[str, Sequence[int]]],
) -> Tables:
    """Both tables. `asked` says in which epochs each item was asked, by model and experiment: of these, a session
    without a reading is missing.
    """
    grouped: dict[tuple[str, str], dict[tuple[str, int], dict[str, Reading]]] = defaultdict(lambda: defaultdict(dict))
    for key, reading in readings.items():
        grouped[key.model, key.experiment][key.item, key.epoch][key.session] = reading
    claims: list[tuple[object, ...]] = []
    sessions: list[tuple[object, ...]] = []
    for (model, experiment), by_item in grouped.items():
        for id, epochs in asked[model, experiment].items():
            item = item_set.items[experiment][id]
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


# how a claim may have come out, predicted and then observed
_predicted, _observed, _by_rule = pl.col("predicted"), pl.col("observed"), pl.col("observed_by_rule")
CAME_OUT: Mapping[str, pl.Expr] = {
    "right": _predicted == _observed,
    "wrong": _predicted != _observed,
    "yes-yes": _predicted & _observed,
    "yes-no": _predicted & ~_observed,
    "no-yes": ~_predicted & _observed,
    "no-no": ~_predicted & ~_observed,
    "disputed": _observed != _by_rule,
}


def claims_that_came_out(observations: pl.DataFrame, ways: Iterable[str]) -> Mapping[Visited, list[str]]:
    """By item: the claims of which both sides are known and that came out in one of these ways, in words. Of disputed
    ones the observed side alone is known.
    """
    found: dict[Visited, list[str]] = defaultdict(list)
    for row in observations.filter(pl.any_horizontal(CAME_OUT[way] for way in ways)).iter_rows(named=True):
        found[row["model"], row["experiment"], row["item"], row["epoch"]].append(_in_words(row))
    return found


def _in_words(row: Mapping[str, Any]) -> str:
    def said(side: bool | None) -> str:
        return "unknown" if side is None else "yes" if side else "no"

    rule = row["observed_by_rule"]
    disputed = f", but {said(rule)} by a fixed rule" if rule not in (None, row["observed"]) else ""
    return f'"{row["claim"]}": predicted {said(row["predicted"])}, observed {said(row["observed"])}{disputed}'
