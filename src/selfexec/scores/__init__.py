"""Scores: what the observations amount to, with intervals, beside guessers, and withheld where they would mislead."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.observations import Tables
from selfexec.scores.orders import score_orders
from selfexec.scores.overall import overall_scores
from selfexec.scores.rows import Asked, Score, Scored
from selfexec.scores.table import Scores
from selfexec.scores.yes_no import score_yes_no

if TYPE_CHECKING:
    from selfexec.runs import Run

__all__ = ["CONVENTIONS", "Score", "Scores", "score", "score_runs", "score_tables"]

CONVENTIONS = ("strict", "readable", "authors")


def score(run: "Run", convention: str = "strict") -> Scores:
    """Every metric of every model of a run, under one convention of counting: strict, readable or authors."""
    if convention not in CONVENTIONS:
        raise InputError(f"convention {convention!r}: there are {', '.join(CONVENTIONS)}.")
    if convention == "authors":
        from selfexec.scores.authors import authors_scores

        rows = authors_scores(run)
    else:
        rows = score_tables(run.tables, run.models, convention)
    preset = run.manifest.preset
    return Scores(replace(row, preset=preset) if preset else row for row in rows)


def score_runs(
    folders: Iterable[Path],
    convention: str = "strict",
    *,
    readings: Sequence[Path] = (),
    models: Sequence[str] = (),
    experiments: Sequence[str] = (),
) -> Scores:
    """Scores of several runs together. No model may be in two of them: its rows could not be told apart."""
    from selfexec.formats import load_readings
    from selfexec.runs import load

    given = load_readings(readings) if readings else None
    matched = False
    homes: dict[str, Path] = {}
    rows: list[Score] = []
    for folder in folders:
        run = load(folder)
        for model in run.models:
            if model in homes:
                raise InputError(f"{model} is in {homes[model]} and in {folder}. Score them one at a time.")
            homes[model] = folder
        if given is not None and given.keys() & run.replies.keys():
            run, matched = run.with_readings(given), True
        rows += score(run, convention)
    if given is not None and not matched:
        raise InputError(f"{readings[0]}: none of the given readings is of a session of these runs.")
    for wanted, have, what in ((models, homes, "model"), (experiments, EXPERIMENTS, "experiment")):
        if strange := [name for name in wanted if name not in have]:
            raise InputError(f"unknown {what} {strange[0]!r}. There are {', '.join(have)}.")
    return Scores(
        row
        for row in rows
        if (not models or row.model in models) and (not experiments or row.experiment in experiments)
    )


def score_tables(tables: Tables, models: Sequence[str], convention: str) -> Iterator[Score]:
    strict = convention == "strict"
    for model in models:
        claims = tables.observations.filter(pl.col("model") == model)
        sessions = tables.sessions.filter(pl.col("model") == model)
        scored: dict[str, Scored] = {}
        for experiment in EXPERIMENTS:
            if (rows := claims.filter(pl.col("experiment") == experiment)).is_empty():
                continue
            asked = _asked(model, experiment, convention, rows)
            others = tables.observations.filter(
                (pl.col("model") != model) & (pl.col("experiment") == experiment) & pl.col("observed").is_not_null()
            )
            if experiment == "difficulty":
                answers = sessions.filter(
                    (pl.col("experiment") == experiment) & pl.col("session").str.starts_with("execute")
                )
                scored[experiment] = score_orders(asked, rows, answers, others, strict)
            else:
                scored[experiment] = score_yes_no(asked, rows, others, strict)
            yield from scored[experiment].rows
        yield from overall_scores(model, convention, scored)


def _asked(model: str, experiment: str, convention: str, claims: pl.DataFrame) -> Asked:
    states = claims["state"]
    return Asked(
        model,
        experiment,
        convention,
        claims["item"].n_unique(),
        len(claims),
        int((states == "unreadable").sum()),
        int((states == "missing").sum()),
    )
