"""Scores: what the observations amount to, with intervals, beside baselines, and withheld where they would mislead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from selfexec.analysis.notes import Warned
from selfexec.analysis.same_replies import SameReplies, same_replies
from selfexec.analysis.score_table import Scores
from selfexec.analysis.selection import load_together, tables_of
from selfexec.analysis.sources import sources
from selfexec.claims import NO_ANSWERS, Claims, Tables
from selfexec.claims.arrays import MISSING, UNREADABLE
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import (
    NO_EVIDENCE,
    Asked,
    Bootstrap,
    Bounds,
    Crossed,
    Score,
    Scored,
    bounded,
    ceilings,
    judge_warnings,
    kind_of,
    loss_warnings,
    overall_bounds,
    overall_scores,
    panel_of,
    peers,
    score_experiment,
    self_bonuses,
    with_bootstrap,
)
from selfexec.runs import Files

if TYPE_CHECKING:
    from selfexec.runs import Run

__all__ = ["CONVENTIONS", "Bootstrap", "Score", "Scores", "score", "score_runs", "score_tables", "score_together"]

CONVENTIONS = ("strict", "readable", "authors")


def score(
    runs: "Run | str | Path | Iterable[Run | str | Path]",
    convention: str = "strict",
    *,
    readings: Files = (),
    source: str | None = None,
    bootstrap: int | None = None,
    seed: int = 0,
) -> Scores:
    """Every metric of every model, under one convention of counting: strict, readable or authors.

    Give a run or its folder, or several: their models are then each other's reference models.

      convention  strict (an unreadable prediction is a wrong one), readable (it is left out) or authors (as for the
                  paper's published numbers)
      readings    files of readings that replace ours
      source      who says what was done: self, rule, human or judge:NAME, in the experiments of which it says anything
      bootstrap   so many draws of items, from `seed`, give the intervals where there is a choice, and not formulas

    InputError: a model that is in two of the runs, or items that differ between them.
    """
    return score_together(load_together(runs, readings, source), convention, bootstrap=bootstrap, seed=seed)


def score_together(
    runs: Sequence["Run"],
    convention: str = "strict",
    *,
    bootstrap: int | None = None,
    seed: int = 0,
    whole: bool = True,
) -> Scores:
    """Scores of several runs, with all their models as each other's reference models: what most others did, self-bonus.
    Not `whole`, there are no self-bonuses, permutation tests, noise ceilings and bounds, and loss is not tested.
    """
    if convention not in CONVENTIONS:
        raise InputError(f"convention {convention!r}: there are {', '.join(CONVENTIONS)}.")
    drawn = Bootstrap(bootstrap, seed) if bootstrap is not None else None
    warnings: list[Warned] = []
    scored: dict[str, dict[str, Scored]] = {}
    if convention == "authors":
        if drawn:
            raise InputError("convention 'authors' has no intervals to bootstrap: take strict or readable.")
        from selfexec.analysis.published.authors import authors_scores

        rows: Iterable[Score] = (row for run in runs for row in authors_scores(run))
    else:
        tables = tables_of(runs)
        models = [model for run in runs for model in run.models]
        scored = {model: _scored(tables, model, convention, whole) for model in models}
        rows = _rows(tables, convention, scored, drawn) if whole else _bare_rows(convention, scored)
        warnings = [*_warnings(tables, convention), *same_replies(runs)] if whole else []
    presets = {model: run.manifest.preset for run in runs for model in run.models}
    rows = (replace(row, preset=preset) if (preset := presets[row.model]) else row for row in rows)
    return Scores(rows, warnings, drawn, scored, sources(runs))


def score_runs(
    folders: Iterable[Path],
    convention: str = "strict",
    *,
    readings: Files = (),
    source: str | None = None,
    models: Sequence[str] = (),
    experiments: Sequence[str] = (),
    bootstrap: int | None = None,
    seed: int = 0,
) -> Scores:
    """Scores of the runs in these folders, of some models or experiments only if you like."""
    runs = load_together(folders, readings, source)
    have = [model for run in runs for model in run.models]
    for wanted, known, what in ((models, have, "model"), (experiments, [*EXPERIMENTS, "overall"], "experiment")):
        if strange := [name for name in wanted if name not in known]:
            raise InputError(f"unknown {what} {strange[0]!r}. There are {', '.join(known)}.")
    found = score_together(runs, convention, bootstrap=bootstrap, seed=seed)

    def wanted_of(row: Score | Warned) -> bool:
        if isinstance(row, SameReplies):
            return not models or not {*models}.isdisjoint(row.models)
        return (not models or row.model in models) and (not experiments or row.experiment in experiments)

    return Scores(filter(wanted_of, found), filter(wanted_of, found.warnings), found.bootstrap, runs=found.runs)


def _warnings(tables: Tables, convention: str) -> list[Warned]:
    return [*loss_warnings(tables.claims), *judge_warnings(tables.claims, convention == "strict")]


def score_tables(
    tables: Tables, models: Sequence[str], convention: str, bootstrap: Bootstrap | None = None
) -> Iterator[Score]:
    """The rows of some models, from observations and sessions alone."""
    scored = {model: _scored(tables, model, convention, whole=True) for model in models}
    return _rows(tables, convention, scored, bootstrap)


def _scored(tables: Tables, model: str, convention: str, whole: bool) -> dict[str, Scored]:
    """Each experiment of one model."""
    strict = convention == "strict"
    scored: dict[str, Scored] = {}
    for experiment, everyone in tables.claims.items():
        if not len(claims := everyone.of(model)):
            continue
        references = peers(model, everyone.models, tables.simulated)
        asked = replace(_asked(model, convention, claims), panel=panel_of(everyone, model, references))
        others = everyone.outcomes(references)
        answers = tables.answers.get(experiment, {}).get(model, NO_ANSWERS)
        scored[experiment] = score_experiment(asked, claims, answers, others, strict, whole=whole)
    return scored


def _bare_rows(convention: str, scored: Mapping[str, Mapping[str, Scored]]) -> Iterator[Score]:
    for model, parts in scored.items():
        for part in parts.values():
            yield from part.rows
        yield from overall_scores(model, convention, parts)


def _rows(
    tables: Tables, convention: str, scored: Mapping[str, Mapping[str, Scored]], bootstrap: Bootstrap | None
) -> Iterator[Score]:
    crossed = {experiment: self_bonuses(claims) for experiment, claims in tables.claims.items()}
    rows = (row for model, parts in scored.items() for row in _of_model(tables, model, convention, parts, crossed))
    return rows if bootstrap is None else with_bootstrap(rows, scored, crossed, bootstrap)


def _of_model(
    tables: Tables,
    model: str,
    convention: str,
    scored: Mapping[str, Scored],
    crossed: Mapping[str, Mapping[str, Crossed]],
) -> Iterator[Score]:
    limits: dict[str, Bounds] = {}
    for experiment, part in scored.items():
        claims = tables.claims[experiment].of(model)
        limits[experiment] = _bounds(claims) if convention == "readable" else {}
        yield from bounded(part.rows, limits[experiment])
        for metric, estimate in ceilings(claims, convention == "strict").items():
            yield part.asked.row(metric, estimate)
        for metric, found in crossed[experiment].items():
            by = replace(part.asked, source=found.common.source)
            yield by.row(metric, found.estimate_for(model), f"{NO_EVIDENCE}; {found.basis}")
    yield from bounded(overall_scores(model, convention, scored), overall_bounds(limits))


def _bounds(claims: Claims) -> Bounds:
    kind = kind_of(claims)
    found = dict(kind.bounds(claims))
    return found | {"skill": found[kind.SKILL_NAME]} if kind.SKILL_NAME in found else found


def _asked(model: str, convention: str, claims: Claims) -> Asked:
    return Asked(
        model,
        claims.experiment,
        convention,
        len(np.unique(claims.item)),
        len(claims),
        int((claims.state == UNREADABLE).sum()),
        int((claims.state == MISSING).sum()),
        source=claims.source,
    )
