"""What stands under a table of scores about noise, loss and who judges."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from selfexec.analysis.advice import to_repeat
from selfexec.analysis.names import source_of
from selfexec.analysis.options import WITH_SKILL
from selfexec.analysis.result import ScoredRun, folders_of
from selfexec.analysis.warnings import LeftOpen, Warned
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import NOT_REPEATED, JudgeTest, LossTest, Score, claim_kind
from selfexec.text.numbers import decimal, signed
from selfexec.text.printable import command_line

LEAST_SHOWN = 0.01


def noise_and_loss(
    scores: Sequence[Score], warnings: Iterable[Warned], runs: Sequence[ScoredRun] = (), *, name_only: bool = False
) -> list[str]:
    """Nothing about scores by a convention without intervals. `runs` were scored; with `name_only` they are named by
    the last part of their folders.
    """
    if not scores or scores[0].convention not in WITH_SKILL:
        return []
    found = list(warnings)
    losses = [warning for warning in found if isinstance(warning, LossTest)]
    judges = [warning for warning in found if isinstance(warning, JudgeTest)]
    opened = [f"{w.model}, {w.experiment}: {w.text}" for w in found if isinstance(w, LeftOpen)]
    folders = partial(folders_of, runs, name_only=name_only)
    return [
        *_order_biases(scores),
        *_ceilings(scores, runs),
        *_worst_cases(scores),
        *_losses(losses),
        *_judges(judges, folders),
        *opened,
    ]


def _ceilings(scores: Sequence[Score], runs: Sequence[ScoredRun]) -> Iterator[str]:
    known = {(r.model, r.experiment): r.value for r in scores if r.metric == "noise_ceiling" and r.value is not None}
    by_model = _by_model(r for r in scores if r.metric == "skill_over_ceiling" and (r.model, r.experiment) in known)
    repeated = {(row.model, row.experiment) for rows in by_model.values() for row in rows}
    once = {(row.model, row.experiment) for row in scores if row.metric == "accuracy" and _repeats(row.experiment)}
    twice = (row for row in scores if row.metric == "noise_ceiling" and row.reason != NOT_REPEATED)
    once -= {(row.model, row.experiment) for row in twice}
    if once:
        whose = f" for {', '.join(sorted({model for model, _ in once}))}" if repeated else ""
        those = [run for run in runs if any(model in run.models for model, _ in once)]
        if those and all(run.epochs > 1 for run in those):
            why = "no claim has replies in two epochs yet"
        else:
            why = f"to measure it, {to_repeat([run.origin for run in those])}"
        yield f"consistency of behaviour{whose}: not measured; {why}."
    if by_model:
        yield "skill over ceiling (the skill with which one execution predicts another):"
    for model, rows in by_model.items():
        yield f"  {model}: " + ", ".join(
            f"{row.experiment} {_over(row, known.get((row.model, row.experiment)))}" for row in rows
        )
    split = _by_model(row for row in scores if row.metric == "variance_items" and row.value is not None)
    if split:
        yield "share of the variance in correctness that lies between claims (the rest lies between repeats):"
    for model, rows in split.items():
        yield f"  {model}: " + ", ".join(
            f"{row.experiment} {decimal(row.value, 2)}{_interval(row)}{_reason(row)}" for row in rows
        )


def _order_biases(scores: Sequence[Score]) -> Iterator[str]:
    """How far rankings lean to the order shown, by experiment."""
    shares = {(row.model, row.experiment): row.value for row in scores if row.metric == "shown_order_share"}
    biases: dict[str, list[Score]] = {}
    for row in scores:
        if row.metric == "order_bias" and row.value is not None:
            biases.setdefault(row.experiment, []).append(row)
    for experiment, rows in biases.items():
        follow = [row.value or 0.0 for row in rows if (row.low or 0.0) > 0]
        above = f" (above 0 for {len(follow)} of {len(rows)} models)" if len(rows) > 1 else ""
        yield (
            f"{experiment}, order effect: accuracy on pairs shown in their true order minus accuracy on the other "
            f"pairs{above}, then the share of rankings that repeat the order shown:"
        )
        for row in rows:
            share = shares.get((row.model, experiment))
            yield f"  {row.model}: {signed(row.value, 2)}{_interval(row)}, {decimal(share, 2)}"


def _repeats(experiment: str) -> bool:
    """Whether it has a meaning there how one execution predicts another."""
    return claim_kind(experiment).never_changed is not None


def _over(row: Score, ceiling: float | None) -> str:
    of = "–" if ceiling is None else f"{decimal(ceiling, 2)}"
    if row.value is None:
        return f"– of {of}"
    return f"{decimal(row.value, 2)}{_interval(row)} of {of}"


def _interval(row: Score) -> str:
    return f" [{decimal(row.low, 2)}, {decimal(row.high, 2)}]" if row.low is not None else ""


def _reason(row: Score) -> str:
    return f" ({row.reason})" if row.reason else ""


def _worst_cases(scores: Sequence[Score]) -> Iterator[str]:
    lossy = [row for row in scores if row.metric == "skill" and (row.best or 0) - (row.worst or 0) >= LEAST_SHOWN]
    if lossy:
        yield "skill in the worst and the best case for unread claims, where the two differ by .01 or more:"
    for model, rows in _by_model(lossy).items():
        yield f"  {model}: " + ", ".join(
            f"{row.experiment} [{decimal(row.worst, 2)}, {decimal(row.best, 2)}]" for row in rows
        )


def _losses(warnings: Sequence[LossTest]) -> Iterator[str]:
    if warnings:
        yield "unread items differ from those read (p < .05, Holm-adjusted), so scores may not represent all items:"
    for found in warnings:
        yield f"  {found.model}, {found.experiment}: {found.text}"


def _judges(warnings: Sequence[JudgeTest], folders: Callable[[Iterable[str]], list[str]]) -> Iterator[str]:
    """By experiment and the two sources that disagree."""
    found: dict[tuple[str, str, str], list[JudgeTest]] = {}
    for warning in warnings:
        found.setdefault((warning.experiment, warning.source, warning.other), []).append(warning)
    for (experiment, source, other), those in found.items():
        thing, _ = EXPERIMENTS[experiment].words.judged
        former, latter = source_of(experiment, source), source_of(experiment, other)
        if source in EXPERIMENTS[experiment].on_request:
            yield f"{experiment}: skill rests on {former}; it is compared with {latter}, where both decide:"
        else:
            yield (
                f"{former} and {latter} disagree on a quarter or more of the {thing}s; skill rests on the former, and "
                f"either may be wrong{_ways_to_see(folders(warning.model for warning in those))}:"
            )
        for warning in those:
            yield f"  {warning.model}, {warning.experiment}: {warning.text}"


def _ways_to_see(folders: Sequence[str]) -> str:
    """What to type to read the claims that sources disagree about, for each run that has any."""
    commands = [command_line("read {} --claim disputed --show", folder) for folder in folders]
    return f" ({'; '.join(commands)})" if commands else ""


def _by_model(rows: Iterable[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for row in rows:
        found.setdefault(row.model, []).append(row)
    return found
