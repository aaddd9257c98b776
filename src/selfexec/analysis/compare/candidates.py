"""Models of several runs kept apart, also where the same model is in two of them: before and after."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Protocol, TypeVar

import polars as pl

from selfexec.analysis.selection import (
    Runs,
    Selection,
    conditions_meant,
    items_of,
    read_as_given,
    refuse_different_items,
    runs_under,
)
from selfexec.claims import Claims, claims_of
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME
from selfexec.items import FULL, STRATIFIED
from selfexec.metrics import peers
from selfexec.options import Names
from selfexec.runs import Files, Run, files, load_all, refuse_silent, with_kept_logprobs, with_source
from selfexec.runs.folder import Manifest
from selfexec.text.matching import meant


class OfExperiment(Protocol):
    @property
    def experiment(self) -> str: ...


Row = TypeVar("Row", bound=OfExperiment)


@dataclass(frozen=True)
class Candidate:
    """A model in a run. `home` is its name, with the run's folder behind it where another run has the same model;
    `label` has behind that the condition that the run was narrowed to, where several are compared.
    """

    label: str
    name: str
    run: Run
    home: str = ""

    def was_asked(self, experiment: str) -> bool:
        return (self.name, experiment) in self.run.keys


def load_apart(
    given: Runs,
    readings: Files = (),
    source: str | None = None,
    conditions: Sequence[str] = (),
    accept_ends: Names = (),
) -> list[Candidate]:
    """Every model of every run, in each of these conditions; where none is named, in the default one, or in the only
    one that there is. A run is refused that is given twice, or that has an item which differs from
    another's of the same id.
    """
    runs = load_all(given, accept_ends)
    if not runs:
        raise InputError("which runs? Give the folder of at least one.")
    folders = Counter(run.folder.resolve() for run in runs)
    if twice := [folder for folder, times in folders.items() if times > 1]:
        raise InputError(f"{twice[0]}: this run is given twice. Give it once.")
    for run in runs:
        refuse_silent(run)
    refuse_different_items(runs, "They cannot be compared.")
    runs = read_as_given(runs, files(readings))
    runs = with_kept_logprobs(runs, conditions)
    runs = with_source(runs, source) if source else runs
    homes = Counter(model for run in runs for model in run.models)
    _refuse_ambiguous(runs, homes)
    names = dict(zip((run.folder for run in runs), _folder_names([run.folder for run in runs]), strict=True))
    meant = conditions_meant(conditions, runs)

    def candidate(model: str, run: Run) -> Candidate:
        home = f"{model} ({names[run.folder]})" if homes[model] > 1 else model
        return Candidate(f"{home} [{run.condition}]" if len(meant) > 1 else home, model, run, home)

    return [candidate(model, run) for run in runs_under(meant, runs) for model in run.models]


def select(candidates: Sequence[Candidate], wanted: Sequence[str]) -> list[Candidate]:
    """Those that are named, in that order; a name that several runs have stands for all of them. All, if none is."""
    if not wanted:
        return list(candidates)
    chosen: dict[str, Candidate] = {}
    for name in wanted:
        found = [e for e in candidates if e.label == name] or [e for e in candidates if e.name == name]
        if not found:
            raise InputError(f"unknown model {name!r}. {meant(name, (e.label for e in candidates))}")
        chosen |= {e.label: e for e in found}
    return list(chosen.values())


def in_two_conditions(candidates: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """Every model of a run in each two of its conditions, in their order."""
    return [(old, new) for old, new in combinations(candidates, 2) if old.home == new.home]


def chosen_of(selection: Selection, what: str) -> tuple[list[Candidate], list[Candidate], list[str]]:
    """Everybody there is, those that are meant, and the experiments that it takes; `what` takes two of them."""
    everybody = load_apart(
        selection.given, selection.readings, selection.source, selection.conditions, selection.accept_ends
    )
    chosen = select(everybody, selection.models)
    if len(chosen) < 2:
        raise InputError(f"{what}, and there is only {chosen[0].label}. Give another run.")
    return everybody, chosen, experiments_of(chosen, selection.experiments)


def experiments_of(candidates: Sequence[Candidate], wanted: Sequence[str]) -> list[str]:
    """The experiments that it takes: those that are wanted, for overall all; if none is named, those that any of these
    models was asked.
    """
    if "overall" in wanted:
        return list(EXPERIMENTS)
    return [e for e in EXPERIMENTS if (e in wanted if wanted else any(x.was_asked(e) for x in candidates))]


def wanted_of(rows: Iterable[Row], wanted: Sequence[str]) -> list[Row]:
    """Without the rows of experiments that only the overall values take, where these are wanted by name."""
    return [row for row in rows if "overall" not in wanted or row.experiment in wanted]


def claims_together(everybody: Sequence[Candidate], chosen: Sequence[Candidate], experiment: str) -> Claims:
    """What everybody, and who else is chosen, claims in an experiment, under their labels."""
    candidates = [*everybody, *(one for one in chosen if one not in everybody)]
    if all(e.run is candidates[0].run and e.label == e.name for e in candidates):
        known = candidates[0].run.tables.claims
        if experiment in known:
            return known[experiment]
    rows = [
        e.run.observations.filter(pl.col("model") == e.name).with_columns(model=pl.lit(e.label), condition=pl.lit(""))
        for e in candidates
    ]
    items = items_of(runs_of(candidates))
    return claims_of(pl.concat(rows), experiment, items=items.get(experiment))


def reference_models(
    candidate: Candidate, candidates: Sequence[Candidate], without: Collection[str] = ()
) -> list[Candidate]:
    """The other models by whose behaviour the candidate's might be predicted: each name once, from the candidate's own
    run if it is there. The same model in another run is none of them, and is left out; so is `without`, by name.
    Simulated models and others are no reference for each other, nor is a model in another condition.
    """
    found: dict[str, Candidate] = {}
    simulated = {e.name for e in candidates if e.name in e.run.simulated}
    people = {e.name for e in candidates if e.name in e.run.people}
    allowed = peers(candidate.name, (e.name for e in candidates), simulated, people)
    alike = (other for other in candidates if other.run.condition == candidate.run.condition)
    for other in sorted(alike, key=lambda e: e.run is not candidate.run):
        if other.name in allowed and other.name not in without:
            found.setdefault(other.name, other)
    return list(found.values())


def runs_of(candidates: Iterable[Candidate]) -> list[Run]:
    """The runs of these models, each once."""
    return list({id(candidate.run): candidate.run for candidate in candidates}.values())


def sources_of(candidates: Sequence[Candidate], experiments: Sequence[str]) -> dict[str, str]:
    """Who says what was done, by experiment, where another than its own source was chosen."""
    return {e: source for one in candidates for e, source in one.run.chosen_sources.items() if e in experiments}


def unlike(candidates: Sequence[Candidate]) -> list[str]:
    """In which condition models were asked, and what else differs between the runs, beside their models."""
    return [*_condition_notes(candidates), *otherwise_asked(candidates)]


def otherwise_asked(candidates: Sequence[Candidate]) -> list[str]:
    """What differs between the runs beside their models: prompts and settings, by name."""
    manifests = [run.manifest for run in runs_of(candidates)]
    prompts = {name for m in manifests for name in m.prompts}
    # a run that was imported knows neither prompts nor settings, and a prompt only where its experiment was run
    unlike = [
        f"prompt {name}" for name in sorted(prompts) if len({m.prompts.get(name) for m in manifests} - {None}) > 1
    ]
    made = [{label: value for label, _, value in m.all_settings} for m in manifests if m.origin == "run"]
    settings = {name for known in made for name in known}
    unlike += [f"setting {name}" for name in sorted(settings) if any(k.get(name) != made[0].get(name) for k in made)]
    notes = [f"the {what} is not the same in these runs: that may be what makes a difference" for what in unlike]
    return [*notes, *_cut_notes(manifests)]


def _cut_notes(manifests: Iterable[Manifest]) -> Iterator[str]:
    """Whether their presets are cuts of different orders, which do not nest."""
    presets = {
        f"{m.preset} in the order {m.preset_order or STRATIFIED}": m.preset_order
        for m in manifests
        if m.preset not in (None, FULL)
    }
    if len({*presets.values()}) > 1:
        yield (
            f"these runs have different cuts of the items ({', '.join(sorted(presets))}): differences rest on the "
            "items that both have; the levels of the two are not comparable"
        )


def _condition_notes(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Of one condition only, which it is; where nobody chose it, that there are others."""
    meant = {e.run.condition for e in candidates if e.run.condition is not None}
    if len(meant) == 1:
        (condition,) = meant
        others = "" if condition != DEFAULT_NAME else "; there are others: --condition"
        yield f"as asked in the condition {condition}{others}"


def _refuse_ambiguous(runs: Sequence[Run], homes: Counter[str]) -> None:
    """A line of readings names a model, not a run."""
    given = {key.model for run in runs for key in run.given or ()}
    if both := sorted(model for model in given if homes[model] > 1):
        raise InputError(
            f"{both[0]} is in two of these runs, and the readings do not say which one they are of. "
            "Leave them out, or compare with one run."
        )


def _folder_names(folders: Sequence[Path]) -> list[str]:
    """The last part of each path, or as many parts as it takes to tell them apart."""
    paths = [folder.resolve() for folder in folders]
    for parts in range(1, max(len(path.parts) for path in paths) + 1):
        names = ["/".join(path.parts[-parts:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]
