"""What is analysed: which runs, how they are read and counted, and which of their models and experiments are meant."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from selfexec.analysis.advice import to_ask_in
from selfexec.analysis.makers import families_elsewhere
from selfexec.analysis.options import Convention, SelectionOptions
from selfexec.analysis.result import ScoredRun, scored_runs
from selfexec.claims import Tables
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item
from selfexec.extension import Convention as AddedConvention
from selfexec.extension import registered, resolve
from selfexec.facets import DEFAULT_NAME, canonical, why_apart
from selfexec.files.tags import load_families
from selfexec.metrics import Score
from selfexec.panels import MOST_FOR_SHIPPED_PANEL, PAPER_PANEL, MatchedPanel, load_panel, match_panel
from selfexec.runs import Run, load_all, load_readings, refuse_silent, takes, with_kept_logprobs, with_source
from selfexec.runs.run import several_runs
from selfexec.text.matching import meant
from selfexec.text.printable import command_line

Runs = Run | str | Path | Iterable[Run | str | Path]

NO_PANEL = "none"
ONE_AT_A_TIME = "Take one run at a time; `selfexec compare` holds a model in one run against itself in another."

# how code reads an option, where that is not as it was given
AS_READ: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("readings", "models", "experiments", "accept_ends"), tuple),
    "conditions": lambda names: tuple(dict.fromkeys(map(canonical, names))),
    "panel": str,
    "groups": Path,
}


@dataclass(frozen=True)
class Selection:
    """Runs, or the folders they lie in, and everything that commands and functions have in common about them.

    `of` makes one, and says what each choice means; the fields are these choices as code reads them. Nothing is read
    from disk before it is asked for.
    """

    given: tuple[Run | str | Path, ...]
    convention: Convention = "strict"
    readings: tuple[Path, ...] = ()
    models: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    source: str | None = None
    panel: str | None = None
    groups: Path | None = None
    accept_ends: tuple[str, ...] = ()
    with_apart: bool = False  # whether conditions may be meant that stand apart

    @staticmethod
    @takes(SelectionOptions, "a selection")
    def of(options: SelectionOptions) -> "Selection":
        """A selection of runs, which every function takes in place of runs and choices.

        Args:
            given: A run or its folder, or several.
        """
        return selection_of(options.given, options)

    @cached_property
    def whole_runs(self) -> list[Run]:
        """The runs in all conditions, whose models are each other's reference models, as the readings and the source
        have it. No model may be in two of them, and no item may differ between them: rows could not be told apart.
        """
        runs = load_all(self.given, self.accept_ends)
        if not runs:
            raise InputError("which runs? Give the folder of at least one.")
        for run in runs:
            if run.only_recorded:
                raise InputError(
                    f"{run.folder}: it holds finished logs and no predictions yet. Ask for them: "
                    f"{command_line('run --out {}', run.folder)}"
                )
        if not any(run.replies for run in runs):
            refuse_silent(runs[0])
        if len(runs) > 1:
            _refuse_clashes(runs)
        runs = read_as_given(runs, self.readings) if self.readings else runs
        runs = with_kept_logprobs(runs, self.conditions) if self.conditions else runs
        return with_source(runs, self.source) if self.source else runs

    @cached_property
    def shown_conditions(self) -> tuple[str, ...]:
        """Those that are named; else every one in which anything was asked, the default one first, without those that
        stand apart.
        """
        known = known_conditions(self.whole_runs, self.conditions)
        if not self.with_apart:
            _refuse_apart(self.conditions)
        return self.conditions or _together(known) or (DEFAULT_NAME,)

    @cached_property
    def condition(self) -> str:
        """The one that is meant."""
        condition, *more = conditions_meant(self.conditions, self.whole_runs, with_apart=self.with_apart)
        if more:
            several = " and ".join([condition, *more])
            raise InputError(f"one condition at a time, and not {several}. Choose one with --condition.")
        return condition

    @cached_property
    def runs(self) -> list[Run]:
        """The runs in the one condition that is meant."""
        return runs_under([self.condition], self.whole_runs)

    def with_those_apart(self) -> "Selection":
        """The same, in which conditions may be meant that stand apart. Runs that were read are not read again."""
        found = replace(self, with_apart=True)
        if "whole_runs" in vars(self):
            vars(found)["whole_runs"] = self.whole_runs  # they hang on no condition that stands apart
        return found

    def under(self, condition: str) -> "Selection":
        """The same in one condition."""
        if self.shown_conditions == (condition,):
            return self
        here = tuple(run for run in self.whole_runs if condition in (run.conditions or [condition]))
        return replace(self, given=here, readings=(), source=None, accept_ends=(), conditions=(condition,))

    @cached_property
    def tables(self) -> Tables:
        """The observations and sessions of all models, and what further sources say."""
        if len(self.runs) == 1:
            return self.runs[0].tables
        several = [run.tables for run in self.runs]
        return Tables(
            pl.concat([tables.observations for tables in several]),
            pl.concat([tables.sessions for tables in several]),
            pl.concat([tables.outcomes for tables in several]),
            frozenset().union(*(tables.simulated for tables in several)),
            frozenset().union(*(tables.people for tables in several)),
            items_of(self.runs),
            pl.concat([tables.expected for tables in several]),
        )

    @cached_property
    def matched_panel(self) -> MatchedPanel | None:
        """The reference panel beside the runs, None where there is none: then a margin needs three other models in the
        runs. Where none is named it is the one that ships, which has the paper's items and not the starter set; it is
        put beside runs of few models (`MOST_FOR_SHIPPED_PANEL`) alone.

        Raises:
            InputError: It was named, and has nothing of these items, or nobody that is not in the runs.
        """
        if self.panel == NO_PANEL or not self.runs:
            return None
        if self.panel is None and all(run.all_simulated for run in self.runs):
            return None  # the one that ships is of language models
        panel, at_most = load_panel(self.panel or PAPER_PANEL), None if self.panel else MOST_FOR_SHIPPED_PANEL
        return match_panel(panel, self.runs, self.tables, at_most)

    @cached_property
    def families(self) -> Mapping[str, str | None]:
        """Model -> family, where that is not what the model's name says: as the file of `groups` has it, and None for
        models that another server served under a maker's name. InputError: the file names no model here.
        """
        served = [run for run in self.whole_runs if not run.all_simulated]
        elsewhere = families_elsewhere(served) if served else {}
        if self.groups is None:
            return elsewhere
        return {**elsewhere, **load_families(self.groups, [m for run in self.whole_runs for m in run.models])}

    @property
    def everybody(self) -> list[str]:
        """All models, in the order of the runs."""
        return [model for run in self.runs for model in run.models]

    @property
    def scored_runs(self) -> tuple[ScoredRun, ...]:
        """What there is to say of the runs, on top of every JSON."""
        return scored_runs(self.whole_runs)

    def refuse_apart(self) -> None:
        """Raise InputError where a condition is named whose predictions are none of what a model knows of itself."""
        _refuse_apart(self.conditions)

    def refuse_unknown(self, experiments: Iterable[str] = EXPERIMENTS) -> None:
        """Refuse a model that nobody has, and an experiment that is none of these."""
        refuse_unknown("model", self.models, [model for run in self.whole_runs for model in run.models])
        refuse_unknown("experiment", self.experiments, [*experiments, "overall"])

    def wants(self, models: Iterable[str], experiment: str | None = None) -> bool:
        """Whether what is said of any of these models is meant, and of this experiment, if it is of one."""
        named = not self.models or not {*models}.isdisjoint(self.models)
        return named and (not self.experiments or experiment is None or experiment in self.experiments)


def selection_of(given: "Runs | Selection", options: Any) -> Selection:
    """What people give to a function: runs and choices, or a selection, which says itself how it is counted and read.

    Args:
        given: Runs, or a selection.
        options: The choices. The function does not have those that the class of the options does not declare.

    Raises:
        InputError: A choice is given next to a selection, or the selection has one that would do nothing.
    """
    names = [each.name for each in fields(Selection) if each.name != "given"]
    values = {name: value for name in names if (value := getattr(options, name, None)) is not None}
    choices = {name: AS_READ[name](value) if name in AS_READ else value for name, value in values.items()}
    if not isinstance(given, Selection):
        runs = (given,) if isinstance(given, Run | str | Path) else tuple(several_runs(given))
        return Selection(runs, **choices)
    plain = Selection(given.given)
    if replace(plain, **choices) != plain:
        raise InputError("a selection holds its own options. Set the option in the selection.")
    idle = [name for name in names if not hasattr(options, name) and getattr(given, name) != getattr(plain, name)]
    if idle:
        raise InputError(f"there is no option {idle[0]} here. Leave it out of the selection.")
    return given


def runs_under(conditions: Sequence[str], runs: Sequence[Run]) -> list[Run]:
    """Each run in each of these conditions that it was asked in. InputError: a run was asked in none of them."""
    for run in runs:
        if run.conditions and not {*run.conditions} & {*conditions}:
            raise InputError(
                f"{run.folder}: nothing was asked in {' and '.join(conditions)}, only in {'; '.join(run.conditions)}. "
                "Choose with --condition, or leave this run out."
            )
    return [run.under(name) for run in runs for name in conditions if name in (run.conditions or conditions)]


def items_of(runs: Iterable[Run]) -> dict[str, dict[str, Item]]:
    """The items of all runs, by experiment and id; none may differ between them."""
    found: dict[str, dict[str, Item]] = {}
    for run in runs:
        for experiment, by_id in run.items.items.items():
            found.setdefault(experiment, {}).update(by_id)
    return found


def refuse_unknown(
    what: str, given: Iterable[str], known: Sequence[str], more: Callable[[str], str] = lambda name: ""
) -> None:
    """`more`: what else there is to say of an unknown name."""
    if strange := [name for name in given if name not in known]:
        raise InputError(f"unknown {what} {strange[0]!r}. {meant(strange[0], known)}{more(strange[0])}")


def known_conditions(runs: Sequence[Run], named: Iterable[str] = ()) -> tuple[str, ...]:
    """In which anything was asked, the default one first. One that is `named` and none of these is refused, with how
    the runs come to it.
    """
    names = {condition for run in runs for condition in run.conditions}
    known = tuple(sorted(names, key=lambda name: (name != DEFAULT_NAME, name)))
    refuse_unknown("condition", named, known, lambda name: _to_ask_it(name, runs))
    return known


def conditions_meant(named: Sequence[str], runs: Sequence[Run], *, with_apart: bool = False) -> tuple[str, ...]:
    """The conditions that are named; where none is, the default one, or the only one that there is. One that stands
    apart is meant only where that is allowed (`with_apart`).
    """
    known = known_conditions(runs, named)
    if not with_apart:
        _refuse_apart(named)
        known = _together(known)
    if not named and len(known) > 1 and DEFAULT_NAME not in known:
        raise InputError(f"which condition? Choose with --condition. There are {'; '.join(known)}.")
    return tuple(named) or (DEFAULT_NAME if DEFAULT_NAME in known or not known else known[0],)


def _refuse_apart(named: Iterable[str]) -> None:
    """Raise InputError where a condition is named whose predictions are none of what a model knows of itself."""
    for condition in named:
        if why := why_apart(condition):
            raise InputError(
                f"--condition {condition}: predictions there are none of what a model knows of itself: {why}. "
                f"`{command_line('score --condition {}', condition)}` shows their scores, by themselves."
            )


def _together(known: Sequence[str]) -> tuple[str, ...]:
    """Those of these conditions that do not stand apart; InputError where all of them do."""
    together = tuple(condition for condition in known if condition == DEFAULT_NAME or why_apart(condition) is None)
    if known and not together:
        _refuse_apart(known)
    return together


def _refuse_clashes(runs: Sequence[Run]) -> None:
    homes: dict[str, Path] = {}
    for run in runs:
        for model in run.models:
            if homes.get(model) == run.folder:
                raise InputError(f"{run.folder}: this run is given twice. Give it once.")
            if model in homes:
                raise InputError(f"{model} is in {homes[model]} and in {run.folder}. {ONE_AT_A_TIME}")
            homes[model] = run.folder
    refuse_different_items(runs, "Take one run at a time.")


def refuse_different_items(runs: Sequence[Run], way_out: str) -> None:
    """An item means the same wherever it has the same id."""
    lines: dict[tuple[str, str], tuple[bytes, Path]] = {}
    for run in runs:
        for experiment, by_id in run.items.lines.items():
            for id, line in by_id.items():
                known, home = lines.setdefault((experiment, id), (line, run.folder))
                if known != line:
                    raise InputError(
                        f"the {experiment} item {id!r} is not the same in {home} and {run.folder}: these runs asked "
                        f"different items. {way_out}"
                    )


def read_as_given(runs: Sequence[Run], readings: Sequence[Path]) -> list[Run]:
    """The runs, read as these files say wherever they do."""
    if not readings:
        return list(runs)
    given = load_readings(readings)
    concerned = [bool(given.keys() & run.replies.keys()) for run in runs]
    if not any(concerned):
        raise InputError(f"{readings[0]}: none of the given readings is of a session of these runs. Are they others'?")
    return [run.with_readings(given) if here else run for run, here in zip(runs, concerned, strict=True)]


def _to_ask_it(condition: str, runs: Iterable[Run]) -> str:
    """How a run comes to a condition that it lacks, where that is the level of one facet."""
    if condition.count("=") != 1:
        return ""
    return f" {to_ask_in(condition, [run.manifest.origin for run in runs])}"


# --- conventions that extensions add to strict and readable, without intervals and baselines -------------------------


def added_convention(name: str | None) -> AddedConvention | None:
    """The convention of this name that an extension adds, None where no extension does."""
    added: AddedConvention | None = registered("conventions").get(name or "")
    return added


def rows_by(convention: str, run: Run) -> Iterator[Score]:
    """The scores of a run by a convention that an extension adds."""
    rows: Iterator[Score] = resolve(registered("conventions")[convention].place)(run)
    return rows
