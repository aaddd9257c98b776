"""A reference panel matched to runs: its claims about their items become rows behind those of their own models."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import polars as pl

from selfexec.claims import OBSERVATIONS, OUTCOMES, Tables
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Facts, Item, source_name
from selfexec.metrics import LEAST_FOR_VERDICT, claim_kind
from selfexec.panels.panel import NOT_ASKED, STATES, PanelClaims, ReferencePanel, claim_keys, signs
from selfexec.runs import Run

# Two names are taken for one model where predictions and outcomes agree in nearly all of enough claims. Of ten recorded
# models no two agree in more than .84 of the claims of an experiment. Not all, since newer readers may read otherwise.
NEARLY_ALL, LEAST_CLAIMS = 0.98, 100
# The most models of a run that the panel which ships is put beside where none is named: with one more they can be
# called ahead without it.
MOST_FOR_SHIPPED_PANEL = LEAST_FOR_VERDICT - 1


@dataclass(frozen=True)
class MatchedPanel:
    """A reference panel matched to runs.

    Attributes:
        panel: The reference panel.
        models: Those of its models that are reference models for the runs.
        left_out: Why its other models are not.
        experiments: Those in which it has some of the runs' items.
        without: Experiment -> why it has none.
        alike: Whether it was asked with the same prompts as the runs; None where the prompts of either are unknown.
        tables: Those of the runs, with the panel's claims behind them.
    """

    panel: ReferencePanel
    models: tuple[str, ...]
    left_out: Mapping[str, str]
    experiments: tuple[str, ...]
    without: Mapping[str, str]
    alike: bool | None
    tables: Tables

    @property
    def own(self) -> tuple[str, ...]:
        """The runs' models that have reference models in it."""
        models = self.tables.observations["model"].unique(maintain_order=True)
        return tuple(m for m in models if m not in self.models and self.serves(m, self.experiments))

    def serves(self, model: str, experiments: Iterable[str]) -> bool:
        """Whether a model of the runs has reference models in it, in any of these experiments."""
        simulated = self.tables.simulated
        alike = any((one in simulated) == (model in simulated) for one in self.models)
        return alike and model not in self.tables.people and not set(self.experiments).isdisjoint(experiments)

    def record(self) -> dict[str, Any]:
        """For a JSON: which panel it is, and what was taken of it."""
        named = {name: getattr(self.panel, name) for name in ("name", "date", "citation", "licence", "convention")}
        of_runs = {
            "experiments": list(self.experiments),
            "without": dict(self.without),
            "asked_with_the_same_prompts": self.alike,
        }
        return {**named, "models": list(self.models), "left_out": dict(self.left_out), **of_runs}


class _Claim(NamedTuple):
    """A claim of the runs, and where it stands in the panel."""

    item: str
    name: str
    facts: Facts
    at: int


def match_panel(
    panel: ReferencePanel, runs: Sequence[Run], tables: Tables, at_most: int | None = None
) -> MatchedPanel | None:
    """Match a reference panel to runs that are narrowed to one condition.

    Args:
        panel: The reference panel.
        runs: The runs.
        tables: Theirs.
        at_most: Use the panel only in experiments for which it has a claim of every item, and in which the runs have at
            most so many models. None for a panel that somebody asked for.

    Returns:
        The match; None in another condition than the panel's, and with `at_most` where no experiment is left.

    Raises:
        InputError: Somebody asked for the panel, and it cannot be used.
    """
    if all(run.people.issuperset(run.models) for run in runs):
        return _nothing(panel, "what models do says nothing of people", at_most)
    simulated = {model in panel.simulated for model in panel.models}
    if all((model in tables.simulated) not in simulated for run in runs for model in run.models):
        return _nothing(panel, "simulated models say nothing of language models, nor the other way round", at_most)
    if tables.observations["condition"].ne(panel.condition).any():
        return None
    items: dict[str, dict[str, Item]] = defaultdict(dict)
    for run in runs:
        for experiment, by_id in run.items.items.items():
            items[experiment] |= by_id
    claims, without = {}, {}
    for experiment, by_id in items.items():
        found = _claims(panel, experiment, by_id, tables, at_most)
        if isinstance(found, str):
            without[experiment] = found
        else:
            claims[experiment] = found
    if not claims:
        why = "; ".join(f"{experiment}: {reason}" for experiment, reason in without.items())
        return _nothing(panel, why, at_most)
    left_out = dict(_themselves(panel, claims, tables))
    kept = [model for model in panel.models if model not in left_out and _is_wanted(panel, model, tables)]
    if not kept:
        return _nothing(panel, "all of its models are scored here already", at_most)
    rows = [table for e, some in claims.items() for table in _observations(panel, e, some, kept, tables)]
    others = [table for e, some in claims.items() for table in _outcomes(panel, e, some, kept, tables)]
    whole = replace(
        tables,
        observations=pl.concat([tables.observations, *rows]),
        outcomes=pl.concat([tables.outcomes, *others]),
        simulated=tables.simulated | {model for model in kept if model in panel.simulated},
    )
    served = [model for model in kept if any(model in panel.experiments[e].models for e in claims)]
    return MatchedPanel(panel, tuple(served), left_out, tuple(claims), without, _alike(panel, runs, claims), whole)


def _nothing(panel: ReferencePanel, why: str, at_most: int | None) -> MatchedPanel | None:
    """No panel; InputError where it was asked for."""
    if at_most is None:
        raise InputError(f"reference panel {panel.name!r}: {why}. Leave out --panel, or give another.")
    return None


def _claims(
    panel: ReferencePanel, experiment: str, items: Mapping[str, Item], tables: Tables, at_most: int | None
) -> list[_Claim] | str:
    """The claims of these items that the panel has; or why it is no help here."""
    if (part := panel.experiments.get(experiment)) is None or not claim_kind(experiment).SHARED_CLAIMS:
        return "it has nothing of it"
    asked = tables.observations.filter(pl.col("experiment") == experiment)
    if not len(asked):
        return "nothing was asked"
    if at_most is not None and sum(_is_like(panel, model, tables) for model in asked["model"].unique()) > at_most:
        return "the runs have other models themselves"
    source, *more = _sources(asked, experiment)
    if more or not any(source in entry.observed for entry in part.models.values()):
        return f"it does not tell what was done by {source_name(more[0] if more else source)}"
    place = {key: n for n, key in enumerate(part.keys)}
    found = []
    for id in asked["item"].unique(maintain_order=True):
        of_item = [
            _Claim(id, claim, facts, place[key])
            for claim, facts, key in claim_keys(experiment, items[id])
            if key in place
        ]
        if not of_item and at_most is not None:
            return "it does not have all of the items"
        found += of_item
    return found or "it has none of the items, or they were changed"


def _is_like(panel: ReferencePanel, model: str, tables: Tables) -> bool:
    """Whether the panel has a model of the same sort as this one of the runs, which is no person."""
    alike = any((one in panel.simulated) == (model in tables.simulated) for one in panel.models)
    return alike and model not in tables.people


def _is_wanted(panel: ReferencePanel, model: str, tables: Tables) -> bool:
    """Whether the runs have a model of the same sort as this one of the panel: both simulated, or neither."""
    asked = tables.observations["model"].unique()
    models = set(asked).difference(tables.people)
    return any((one in tables.simulated) == (model in panel.simulated) for one in models)


def _sources(asked: pl.DataFrame, experiment: str) -> list[str]:
    """Who says what was done, as these rows have it."""
    return asked["source"].drop_nulls().unique().sort().to_list() or [EXPERIMENTS[experiment].sources[0]]


# --- models that are in the panel and in the runs --------------------------------------------------------------------


def _themselves(
    panel: ReferencePanel, claims: Mapping[str, Sequence[_Claim]], tables: Tables
) -> Iterator[tuple[str, str]]:
    """The panel's models that are models of the runs, each with how that is known: by its name without the provider, or
    by its predictions and behaviour.
    """
    asked = tables.observations["model"].unique(maintain_order=True).to_list()
    names = {_bare(model): model for model in asked}
    alike = None
    for model in panel.models:
        if _bare(model) in names:
            yield model, "" if names[_bare(model)] == model else f"{names[_bare(model)]} has its name"
            continue
        alike = _alike_in_all(panel, claims, tables) if alike is None else alike
        if model in alike:
            yield model, f"{alike[model]} predicted and did the same"


def _bare(model: str) -> str:
    """A name without its provider."""
    return model.rpartition("/")[2].casefold()


def _alike_in_all(panel: ReferencePanel, claims: Mapping[str, Sequence[_Claim]], tables: Tables) -> dict[str, str]:
    """Model of the panel -> model of the runs that predicted and did the same in nearly all of enough claims."""
    key = ["experiment", "item", "claim"]
    both = ["predicted", "observed"]
    firsts = tables.observations.filter(pl.col("epoch") == pl.col("epoch").min().over("model", "experiment", "item"))
    own = firsts.select(*key, "model", *both).drop_nulls(both)
    found: dict[str, str] = {}
    for model in panel.models:
        rows = [table for e, some in claims.items() for table in _observations(panel, e, some, [model], tables)]
        if not rows:
            continue
        theirs = pl.concat(rows).select(*key, *both).drop_nulls(both)
        pairs = own.join(theirs, on=key, suffix="_there").with_columns(
            same=(pl.col("predicted") == pl.col("predicted_there")) & (pl.col("observed") == pl.col("observed_there"))
        )
        counts = pairs.group_by("model").agg(pl.len().alias("claims"), pl.col("same").mean())
        same = counts.filter((pl.col("claims") >= LEAST_CLAIMS) & (pl.col("same") >= NEARLY_ALL))["model"]
        if len(same):
            found[model] = str(same.min())
    return found


def _alike(panel: ReferencePanel, runs: Sequence[Run], experiments: Mapping[str, object]) -> bool | None:
    """Whether all runs asked with the prompts that the panel was asked with; None where nobody knows."""
    known = {name: digest for name, digest in panel.prompts.items() if name.split(".")[0] in experiments}
    asked = [run.manifest.prompts for run in runs]
    if not known or not all(set(known) <= set(prompts) for prompts in asked):
        return None
    return all(known.items() <= dict(prompts).items() for prompts in asked)


# --- rows ------------------------------------------------------------------------------------------------------------


def _observations(
    panel: ReferencePanel, experiment: str, claims: Sequence[_Claim], models: Sequence[str], tables: Tables
) -> Iterator[pl.DataFrame]:
    """A table for each of these models that was asked, by the source that the runs have."""
    asked = tables.observations.filter(pl.col("experiment") == experiment)
    epoch, [source] = asked["epoch"].min(), _sources(asked, experiment)
    facts = {name: [getattr(claim.facts, name) for claim in claims] for name in Facts.__struct_fields__}
    named = {"item": [claim.item for claim in claims], "claim": [claim.name for claim in claims]}
    for model in models:
        if (entry := panel.experiments[experiment].models.get(model)) is None or source not in entry.observed:
            continue
        predicted, observed = _at(claims, entry.predicted), _at(claims, entry.observed[source])
        by_own = source == EXPERIMENTS[experiment].sources[0]
        states = _states(claims, entry) if by_own else _states_by_another(claims, entry, source)
        columns = {
            "model": model,
            "experiment": experiment,
            "epoch": epoch,
            "condition": panel.condition,
            "source": source,
            "predicted": predicted,
            "observed": observed,
            "state": states,
            **named,
            **facts,
        }
        table = _table(columns, OBSERVATIONS, len(claims))
        yield table.filter(pl.Series([entry.state[claim.at] != NOT_ASKED for claim in claims], dtype=pl.Boolean))


def _outcomes(
    panel: ReferencePanel, experiment: str, claims: Sequence[_Claim], models: Sequence[str], tables: Tables
) -> Iterator[pl.DataFrame]:
    """The same of each further source that the runs have."""
    asked = tables.observations.filter(pl.col("experiment") == experiment)
    epoch, others = asked["epoch"].min(), tables.outcomes.filter(pl.col("experiment") == experiment)
    for model in models:
        entry = panel.experiments[experiment].models.get(model)
        for source in others["source"].unique().sort() if entry else ():
            if entry and source in entry.observed:
                columns = {
                    "model": model,
                    "experiment": experiment,
                    "item": [claim.item for claim in claims],
                    "epoch": epoch,
                    "condition": panel.condition,
                    "claim": [claim.name for claim in claims],
                    "source": source,
                    "observed": _at(claims, entry.observed[source]),
                }
                yield _table(columns, OUTCOMES, len(claims)).drop_nulls("observed")


def _table(columns: Mapping[str, Any], schema: Mapping[str, type[pl.DataType]], rows: int) -> pl.DataFrame:
    """Columns that are lists, and single values for all rows; what is unknown is empty."""

    def values(name: str) -> list[Any]:
        value = columns.get(name)
        return value if isinstance(value, list) else [value] * rows

    return pl.DataFrame([pl.Series(name, values(name), dtype) for name, dtype in schema.items()])


def _at(claims: Sequence[_Claim], letters: str) -> list[bool | None]:
    known = signs(letters)
    return [known[claim.at] for claim in claims]


def _states(claims: Sequence[_Claim], entry: PanelClaims) -> list[str | None]:
    return [STATES.get(entry.state[claim.at]) for claim in claims]


def _states_by_another(claims: Sequence[_Claim], entry: PanelClaims, source: str) -> list[str]:
    """The states of claims by another source than the experiment's own, as in runs: a claim without an outcome is
    missing; else its prediction decides.
    """
    found = []
    for claim, predicted, observed in zip(
        claims, _at(claims, entry.predicted), _at(claims, entry.observed[source]), strict=True
    ):
        lost = "missing" if entry.state[claim.at] == "m" else "unreadable"
        found.append("missing" if observed is None else lost if predicted is None else "read")
    return found
