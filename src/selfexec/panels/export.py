"""A run's models as a reference panel."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from selfexec.claims import Claims, Tables
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item
from selfexec.facets import why_apart
from selfexec.metrics import claim_kind, value
from selfexec.panels.panel import (
    NO,
    NOT_ASKED,
    STATES,
    UNKNOWN,
    YES,
    PanelClaims,
    PanelPart,
    ReferencePanel,
    claim_keys,
)
from selfexec.runs import Run

LETTERS = {state: letter for letter, state in STATES.items()}
SIGNS = {True: YES, False: NO, None: UNKNOWN}


def panel_of_run(
    run: Run,
    name: str | None = None,
    *,
    models: Sequence[str] = (),
    experiments: Sequence[str] = (),
    date: str | None = None,
    citation: str | None = None,
    licence: str | None = None,
) -> ReferencePanel:
    """What the models of a run predicted and did, in the one condition that the run was asked in or narrowed to, of
    each item in the first epoch in which it was asked.

    InputError: a model or an experiment that the run does not have; nothing by which models can be held against each
    other; items that differ by their ids alone.
    """
    if strange := [model for model in models if model not in run.models]:
        raise InputError(f"{run.folder}: there are no replies of {strange[0]}, only of {', '.join(run.models)}.")
    if strange := [experiment for experiment in experiments if experiment not in run.items.items]:
        raise InputError(f"{run.folder}: {strange[0]} was not asked, only {', '.join(run.items.items)}.")
    if len(run.conditions) > 1:
        raise InputError(f"{run.folder}: a panel is of one condition, and there are {'; '.join(run.conditions)}.")
    if run.conditions and (why := why_apart(run.conditions[0])):
        raise InputError(f"{run.folder}: predictions in {run.conditions[0]} are none for a panel: {why}.")
    there = [e for e in run.items.items if claim_kind(e).SHARED_CLAIMS and (not experiments or e in experiments)]
    parts = {e: _part(run.tables, e, run.items[e], models or run.models) for e in there}
    parts = {experiment: part for experiment, part in parts.items() if part.models}
    if not parts:
        raise InputError(f"{run.folder}: there are no claims by which models could be held against each other.")
    asked = {model for part in parts.values() for model in part.models}
    return ReferencePanel(
        name=name or run.folder.resolve().name,
        date=date or _asked_on(run),
        citation=citation,
        licence=licence,
        condition=run.conditions[0],
        prompts={prompt: digest for prompt, digest in run.manifest.prompts.items() if prompt.split(".")[0] in parts},
        simulated=sorted(run.simulated & asked),
        experiments=parts,
    )


def _asked_on(run: Run) -> str | None:
    """The month in which the run began, where that is known."""
    return next((one.begin[:7] for one in run.manifest.invocations if one.begin), None)


def _part(tables: Tables, experiment: str, items: Mapping[str, Item], models: Sequence[str]) -> PanelPart:
    """Claims in the order of their keys, which tells nothing of the order of the items."""
    keys: dict[tuple[str, str], str] = {}
    home: dict[str, str] = {}
    rows = tables.observations.filter((pl.col("experiment") == experiment) & pl.col("model").is_in(list(models)))
    for id in rows["item"].unique(maintain_order=True):
        for claim, _, key in claim_keys(experiment, items[id]):
            if key in home:
                raise InputError(
                    f"{experiment}: the items {home[key]!r} and {id!r} are the same but for their ids, so that a panel "
                    "could not tell them apart. Leave one of them out."
                )
            keys[id, claim], home[key] = key, id
    order = {key: n for n, key in enumerate(sorted(home))}
    own = EXPERIMENTS[experiment].sources[0]
    found: dict[str, dict[str, list[str]]] = {}
    named = rows.filter(pl.col("epoch") == pl.col("epoch").min().over("model", "item"))
    columns = ("model", "item", "claim", "state", "predicted", "observed", "source")
    for model, item, claim, state, predicted, observed, source in named.select(columns).iter_rows():
        told = found.setdefault(model, {"state": [NOT_ASKED] * len(order), "predicted": [UNKNOWN] * len(order)})
        at = order[keys[item, claim]]
        told["state"][at], told["predicted"][at] = LETTERS[state], SIGNS[predicted]
        told.setdefault(f"by {source or own}", [UNKNOWN] * len(order))[at] = SIGNS[observed]
    firsts = named.select("model", "item", "epoch").unique()
    others = tables.outcomes.filter(pl.col("experiment") == experiment).join(firsts, on=["model", "item", "epoch"])
    for model, item, claim, source, observed in others.select(
        "model", "item", "claim", "source", "observed"
    ).iter_rows():
        letters = found[model].setdefault(f"by {source}", [UNKNOWN] * len(order))
        letters[order[keys[item, claim]]] = SIGNS[observed]
    of_models = {
        model: _told(found[model], _skill(tables.claims[experiment].of(model))) for model in models if model in found
    }
    return PanelPart(" ".join(order), of_models)


def _told(letters: Mapping[str, list[str]], skill: float | None) -> PanelClaims:
    by = {name.removeprefix("by "): "".join(them) for name, them in letters.items() if name.startswith("by ")}
    return PanelClaims("".join(letters["state"]), "".join(letters["predicted"]), dict(sorted(by.items())), skill)


def _skill(claims: Claims) -> float | None:
    """In the first epoch in which each item was asked, as the letters are."""
    first = np.full(len(claims.items), np.iinfo(np.int64).max)
    np.minimum.at(first, claims.item, claims.epoch)
    kind = claim_kind(claims)
    skill = value(kind.skill, kind.count(claims.where(claims.epoch == first[claims.item]), False))
    return None if math.isnan(skill) else round(skill, 6)
