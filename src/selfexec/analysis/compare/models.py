"""Models compared on the items that they share: two of them, or all pairs; and groups of models."""

import math
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from selfexec.analysis.compare.candidates import (
    Candidate,
    chosen_of,
    in_two_conditions,
    otherwise_asked,
    runs_of,
    sources_of,
    unlike,
    wanted_of,
)
from selfexec.analysis.compare.comparison import Comparison, about
from selfexec.analysis.compare.family import Family
from selfexec.analysis.compare.gates import Gate, GateVerdict, failed, judge
from selfexec.analysis.compare.measures import MOVED, OVERALL, check_names, too_few, uncovered
from selfexec.analysis.compare.moved import movements
from selfexec.analysis.compare.tags import contrasts
from selfexec.analysis.differences import Difference
from selfexec.analysis.names import source_notes
from selfexec.analysis.options import CompareOptions
from selfexec.analysis.result import scored_runs
from selfexec.analysis.selection import Selection, selection_of
from selfexec.analysis.warnings import is_about, of_replies, texts_of
from selfexec.analysis.words import who_replied
from selfexec.errors import InputError
from selfexec.experiments import PAPER_HEADLINE
from selfexec.files.tags import load_tags
from selfexec.metrics import nothing_readable
from selfexec.runs import names, takes

LEAST_PRECISION = 0.0001  # finer than any score is given


@takes(CompareOptions, "a comparison")
def compare(options: CompareOptions) -> Comparison:
    """Paired differences between models, on the items that they share.

    Of two models the second is held against the first. Of more, all pairs are: p values are adjusted by Holm (1979)
    within each experiment, and models that cannot be told apart share a letter. The same model in two runs is two
    models: before and after.

    Args:
        runs: A run or its folder, or several, or a selection of them. Each model in each of `conditions` is compared:
            the same model in two conditions is two models, too.

    Returns:
        The comparison; its `status` says how the gates in `fail_if` went.

    Raises:
        InputError: A name is not there, items differ between runs, or nothing can be compared.
    """
    measures, precision = names(options.metrics), options.precision
    selection = selection_of(options.runs, options)
    if measures == [MOVED]:
        return _moved(options, selection)
    check_names(selection, measures)
    if options.planted is not None:
        raise InputError("--planted: it goes with the metric moved alone. Leave it out, or name that metric.")
    if precision is not None and not LEAST_PRECISION <= precision < math.inf:
        least = f"{LEAST_PRECISION} or more"
        raise InputError(f"precision {precision}: give the half-width that is wanted, {least}, as 0.02.")
    candidates, chosen, asked = chosen_of(selection, "a comparison needs two models")
    gates = [Gate.of(text) for text in options.fail_if]
    _refuse_idle(gates, asked, chosen)
    groups = load_tags(Path(options.tags)) if options.tags is not None else None
    families = [
        Family.of(metric, asked, chosen, candidates, selection.convention)
        for metric in dict.fromkeys([*measures, *(gate.metric for gate in gates)])
    ]
    differences = [row for family in families for row in family.differences(precision)]
    shown = wanted_of(differences, selection.experiments)
    pairs = in_two_conditions(chosen) if len(chosen) > 2 else []
    shifts = [row for family in families for row in family.shifts(pairs, precision)]
    verdicts = [_verdict(gate, differences, families, chosen[-1]) for gate in gates]
    if all(row.value is None for row in shown) and not any(v.outcome == "fails" for v in verdicts):
        why = about(shown[0].experiment, shown[0].reason)
        raise InputError(f"nothing can be compared: {why}. Choose others by --metric or --experiment.")
    standings = wanted_of((row for family in families for row in family.standings(differences)), selection.experiments)
    marked, notes = contrasts(groups, {e.label: e.name for e in chosen}, standings) if groups else ([], [])
    return Comparison(
        models=tuple(e.label for e in chosen),
        convention=selection.convention,
        precision=precision,
        differences=tuple(shown),
        standings=tuple(standings),
        shifts=tuple(row for row in shifts if row.difference in wanted_of([row.difference], selection.experiments)),
        contrasts=tuple(marked),
        verdicts=tuple(verdicts),
        notes=(*_caveats(chosen, asked), *source_notes(sources_of(chosen, asked)), *unlike(chosen), *notes),
        runs=scored_runs(e.run for e in candidates),
    )


def _caveats(chosen: Sequence[Candidate], experiments: Sequence[str]) -> Iterator[str]:
    """What `score` says of these models before their numbers, too: that some are simulated or people, and what is odd
    about their replies.
    """
    runs = runs_of(chosen)
    if who := who_replied([e.name for e in chosen], runs):
        yield who
    names = {e.name for e in chosen}

    def wants(models: Iterable[str], experiment: str | None = None) -> bool:
        return not names.isdisjoint(models) and experiment in (None, *experiments)

    yield from texts_of(warning for warning in of_replies(runs) if is_about(warning, wants))


def _moved(options: CompareOptions, selection: Selection) -> Comparison:
    """How far predictions moved with what was planted."""
    idle = {"--fail-if": options.fail_if, "--tags": options.tags, "--precision": options.precision}
    if flags := [flag for flag, value in idle.items() if value]:
        raise InputError(f"{flags[0]}: there is none of the metric moved. Leave it out.")
    rows, asked, notes = movements(options, selection)
    own = [parts[asked.own] for parts in asked.models.values()]
    return Comparison(
        models=tuple(asked.models),
        convention=selection.convention,
        precision=None,
        differences=(),
        standings=(),
        shifts=(),
        contrasts=(),
        verdicts=(),
        notes=(
            *source_notes(sources_of(own, list(dict.fromkeys(row.experiment for row in rows)))),
            *otherwise_asked(own),
            *notes,
        ),
        runs=scored_runs({id(run): run for run in asked.runs}.values()),
        moves=tuple(rows),
    )


def _refuse_idle(gates: Sequence[Gate], experiments: Sequence[str], models: Sequence[Candidate]) -> None:
    """A gate that could not be judged must not pass unseen."""
    if gates and len(models) != 2:
        twice = [name for name, n in Counter(one.name for one in models).items() if n == 2]
        both = f"Name one that is there twice: --model {shlex.quote(twice[0])}" if twice else "Name two with --model."
        raise InputError(f"--fail-if compares a new model with an old one, not {len(models)}. {both}")
    for gate in gates:
        needed = list(PAPER_HEADLINE.experiments) if gate.experiment == OVERALL else [gate.experiment]
        if absent := [e for e in needed if e not in experiments]:
            raise InputError(
                f"--fail-if '{gate}' needs {absent[0]}, and it was not run, or --experiment leaves it out."
            )


def _verdict(gate: Gate, differences: Sequence[Difference], families: Sequence[Family], new: Candidate) -> GateVerdict:
    parts = list(PAPER_HEADLINE.experiments) if gate.experiment == OVERALL else [gate.experiment]
    if unread := next((found for e in parts if (found := _unreadable(new, e))), None):
        return failed(gate, unread)
    row = next(r for r in differences if (r.metric, r.experiment) == (gate.metric, gate.experiment))
    family = next(f for f in families if f.metric == gate.metric)
    records = {e: list(family.records[e].values()) for e in parts}
    few = next((found for e, r in records.items() if (found := too_few(gate.metric, e, r))), None)
    lost = next((found for e, r in records.items() if gate.metric != "coverage" and (found := uncovered(e, r))), None)
    return judge(gate, row, few, lost)


def _unreadable(model: Candidate, experiment: str) -> str | None:
    """That not one prediction of a model could be read."""
    if not model.was_asked(experiment):
        return None
    reason = nothing_readable(model.run.tables.claims[experiment].of(model.name))
    return f"{experiment}: {model.label}: {reason}" if reason else None
