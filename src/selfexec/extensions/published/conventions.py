"""The ledger: each number under the three conventions side by side, and what in the data makes them differ."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from selfexec.analysis.options import Convention
from selfexec.analysis.score import Scores, score_tables
from selfexec.analysis.selection import Selection, selection_of
from selfexec.claims import Claims, claims_of, occurring
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.extensions.published.authors import authors_scores, values_read
from selfexec.extensions.published.decomposition import (
    Account,
    agreement,
    answer_account,
    association_account,
    lost,
    order_account,
    restriction_account,
    token_account,
)
from selfexec.extensions.published.entries import POINT, Entry, Ledger, bare, shown
from selfexec.extensions.published.given_readings import given_readings
from selfexec.extensions.published.options import LedgerOptions
from selfexec.extensions.published.sensitivity import listed_or_inflected, with_inflected, without_reasoning
from selfexec.metrics import LEAST_COVERAGE, METRICS, Cells, Formula, claim_kind
from selfexec.metrics.kinds.formulas import of_cells
from selfexec.runs import takes
from selfexec.text.numbers import number_of, signed

if TYPE_CHECKING:
    from selfexec.runs import Run

CONVENTIONS: tuple[Convention, ...] = ("strict", "readable", "authors")
EXPLAINED = POINT / 2  # numbers that lie further apart are given a reason

YES_NO: Mapping[str, Formula] = {
    name: of_cells(METRICS[name].formula) for name in ("accuracy", "precision", "recall", "positive_rate", "base_rate")
}
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "association": tuple(YES_NO),
    "restriction": ("accuracy", "over_niceness"),
    "difficulty": ("accuracy", "question_accuracy", "tokens_mean"),
    "overall": ("self_execution_score",),
}
BASELINES: Mapping[str, tuple[str, ...]] = {
    "association": ("always_no", "always_yes"),
    "restriction": ("label", "always_yes", "others_mode"),
    "difficulty": ("question_length", "subject", "others_mode"),
}


def share_of_total(totals: Any) -> Any:
    return totals[..., 0] / totals[..., 1]


FORMULAS: Mapping[str, Formula] = {
    **YES_NO,
    "over_niceness": of_cells(METRICS["over_niceness"].formula),
    "question_accuracy": share_of_total,
    "tokens_mean": share_of_total,
}
ALL = "all models"
INFLECTED = ("accuracy", "always_no", "youden_j")


@takes(LedgerOptions, "a ledger")
def ledger(options: LedgerOptions) -> Ledger:
    """Each number under the three conventions side by side, and what in the data makes them differ: of the experiments
    whose numbers the paper published.

    With given readings (`readings`, or `run.with_readings(...)`) all three conventions count these, and their
    differences from ours are listed too.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: A name is not there, or the runs cannot be counted together.
    """
    selection = selection_of(options.runs, options)
    selection.refuse_unknown(PAPER_HEADLINE.experiments)
    scores = {c: (options.known or {}).get(c) or _scored(selection, c) for c in CONVENTIONS}
    entries = [e for run in selection.runs for e in _of_run(run, scores, options.sensitivities)]
    entries += _means_of_baselines(entries)
    means = {ALL: selection.everybody}
    chosen = (e for e in entries if selection.wants(means.get(e.model, [e.model]), e.experiment))
    return Ledger(chosen, selection.scored_runs)


def _scored(selection: Selection, convention: str) -> Scores:
    """All that the ledger asks of scores."""
    if convention == "authors":
        return Scores(row for run in selection.runs for row in authors_scores(run))
    return score_tables(selection.tables, selection.everybody, convention, extent="bare")


# --- one model -------------------------------------------------------------------------------------------------------

By = Mapping[Convention, Scores]
Accounts = Mapping[str, Callable[[], Account]]  # by metric
Triple = tuple[float | None, float | None, float | None]


def _of_run(run: "Run", scores: By, sensitivities: bool) -> Iterator[Entry]:
    by_part = run.observations.partition_by("model", "experiment", as_dict=True)
    for model in run.models:
        found: list[Entry] = []
        for experiment in PAPER_HEADLINE.experiments:
            if (claims := by_part.get((model, experiment))) is not None:
                counted = run.tables.claims[experiment].of(model)
                accounts = accounts_by_metric(run, model, experiment, claims, counted)
                found += _scores(model, experiment, scores, accounts, claims, counted)
                found += _baselines(model, experiment, scores)
                found += _rules(run, model, experiment, accounts["accuracy"])
                if sensitivities:
                    found += _sensitivities(run, model, experiment, claims, accounts["accuracy"]())
                found += given_readings(run, model, experiment)
        yield from found
        if found:
            yield _overall(model, scores, found)


def accounts_by_metric(run: "Run", model: str, experiment: str, claims: pl.DataFrame, counted: Claims) -> Accounts:
    """The account that each metric is a formula of. Most are never asked for: where nothing was lost, all agree."""
    if experiment == "association":
        return dict.fromkeys(NUMBERS[experiment], cache(lambda: association_account(run, model, claims, counted)))
    if experiment == "restriction":
        return dict.fromkeys(NUMBERS[experiment], cache(lambda: restriction_account(run, model, claims, counted)))

    def answers() -> pl.DataFrame:
        mine = (pl.col("model") == model) & (pl.col("experiment") == experiment)
        return run.sessions.filter(mine & (pl.col("session") != "predict"))

    return {
        "accuracy": cache(lambda: order_account(run, model, claims, counted)),
        "question_accuracy": cache(lambda: answer_account(run, model, answers())),
        "tokens_mean": cache(lambda: token_account(run, model, answers())),
    }


def _scores(
    model: str, experiment: str, scores: By, accounts: Accounts, claims: pl.DataFrame, counted: Claims
) -> Iterator[Entry]:
    for metric in NUMBERS[experiment]:
        plain = Entry("score", model, experiment, metric, *_values(scores, model, experiment, metric))
        reasons = list(_coverage(claims, counted)) if metric == "accuracy" else []
        if plain.further_than(EXPLAINED):
            formula = FORMULAS[metric] if metric != "accuracy" else claim_kind(experiment).accuracy
            reasons += _explained(accounts[metric](), formula, metric)
        reasons += _absences(scores, model, experiment, metric)
        yield _with(plain, reasons)


def _values(scores: By, model: str, experiment: str, metric: str) -> Triple:
    strict, readable, authors = (_value(scores[convention], model, experiment, metric) for convention in CONVENTIONS)
    return strict, readable, authors


def _value(scores: Scores, model: str, experiment: str, metric: str) -> float | None:
    row = scores.get(model, experiment, metric)
    return row.value if row else None


def _explained(account: Account, formula: Formula, metric: str) -> Iterator[str]:
    """What each cause moves, the causes that both conventions know in one line."""
    total = account.readable[1] if len(account.readable) == 2 else account.readable.sum()
    moves: dict[str, list[str]] = {}
    for convention in ("strict", "authors"):
        for step in account.steps(convention, formula):
            if step.moved:
                moves.setdefault(str(step.cause), []).append(f"{convention} {_moved(step.moved, metric)}")
    if moves:
        yield f"{number_of(round(total), f'{account.unit} counts', f'{account.unit}s count')} under readable"
    for cause, moved in moves.items():
        yield f"{cause}: {', '.join(moved)}"


def _moved(moved: float, metric: str) -> str:
    if math.isnan(moved):
        return "only"
    if abs(moved) < 0.0005:
        return "less than .001"
    return f"{moved:+z.1f}" if metric == "tokens_mean" else signed(moved)


def _coverage(claims: pl.DataFrame, counted: Claims) -> Iterator[str]:
    """Whether all three rest on a part of the items."""
    items, there = (len(occurring(item)) for item in (counted.item, counted.item[counted.read_or_tied]))
    if there < LEAST_COVERAGE * items:
        whys = ", ".join(f"{n} {why}" for why, n in lost(claims).most_common())
        yield f"rests on {there} of {number_of(items, EXPERIMENTS[counted.experiment].item_name)} ({whys})"


def _absences(scores: By, model: str, experiment: str, metric: str) -> list[str]:
    """Why a number is not there, said once for the conventions that agree."""
    whys: dict[str, list[str]] = {}
    for convention in CONVENTIONS:
        row = scores[convention].row(model, experiment, metric)
        if row.value is None:
            whys.setdefault(row.reason or "not defined", []).append(convention)
    return [f"no number ({', '.join(conventions)}): {why}" for why, conventions in whys.items()]


def _overall(model: str, scores: By, entries: Iterable[Entry]) -> Entry:
    metric = "self_execution_score"
    plain = Entry("score", model, "overall", metric, *_values(scores, model, "overall", metric))
    reasons = _absences(scores, model, "overall", metric)
    if plain.further_than(EXPLAINED):
        reasons += [
            f"a third of {part.experiment} accuracy: {shown(part.strict)} strict, {shown(part.readable)} readable, "
            f"{shown(part.authors)} authors"
            for part in entries
            if (part.kind, part.metric) == ("score", "accuracy") and part.further_than(EXPLAINED)
        ]
    return _with(plain, reasons)


def _with(entry: Entry, reasons: Iterable[str]) -> Entry:
    return replace(entry, reasons=tuple(reasons))


# --- baselines --------------------------------------------------------------------------------------------------------


def _baselines(model: str, experiment: str, scores: By) -> Iterator[Entry]:
    for baseline in BASELINES[experiment]:
        values = _values(scores, model, experiment, baseline)
        if any(value is not None for value in values):
            pairs = zip(values, _values(scores, model, experiment, "accuracy"), strict=True)
            gaps = [gets - own for gets, own in pairs if gets is not None and own is not None]
            above = [f"above the model by {bare(min(gaps))}"] if gaps and min(gaps) > POINT else []
            yield Entry("baseline", model, experiment, baseline, *values, tuple(above))


def _means_of_baselines(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Over models: what a baseline scores on average, and how many models it beats."""
    own = {(e.model, e.experiment): e for e in entries if (e.kind, e.metric) == ("score", "accuracy")}
    for experiment, baselines in BASELINES.items():
        for baseline in baselines:
            rows = [e for e in entries if (e.kind, e.experiment, e.metric) == ("baseline", experiment, baseline)]
            pairs = [(e, own[e.model, experiment]) for e in rows if e.readable is not None]
            if len(pairs) < 2:
                continue
            beaten = sum((one.readable or 0) > (model.readable or 0) for one, model in pairs)
            mean = _mean(model.readable for _, model in pairs)
            strict, readable, authors = (_mean(getattr(one, c) for one, _ in pairs) for c in CONVENTIONS)
            why = f"above {beaten} of {number_of(len(pairs), 'model')} (mean {shown(mean)})"
            yield Entry("baseline", ALL, experiment, baseline, strict, readable, authors, (why,))


def _mean(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return math.fsum(known) / len(known) if known and None not in known else None  # type: ignore[arg-type]


# --- rules of their own ----------------------------------------------------------------------------------------------


def _rules(run: "Run", model: str, experiment: str, account: Callable[[], Account]) -> Iterator[Entry]:
    """Numbers that the paper prints beside the plain ones, where they are not the same."""
    items, values = len(run.items.items[experiment]), values_read(run, model, experiment) or {}
    predicted = {id: values.get((id, "predict")) for id in run.items.items[experiment]}
    if experiment == "restriction":
        cells = Cells(*np.sum([agreement(said, values.get((id, "judge"))) for id, said in predicted.items()], axis=0))
        errors = items - cells.tp - cells.tn
        if errors and cells.fn + cells.fp < errors:
            why = (
                f"with {number_of(round(errors - cells.fn - cells.fp), 'lost or unread request')} in the denominator; "
                "the authors left out those that they counted as failures: the published number lies from here to "
                "over_niceness"
            )
            yield Entry("rule", model, experiment, "over_niceness_lost_in", None, None, cells.fn / errors, (why,))
    elif experiment == "difficulty" and 0 < sum(isinstance(said, list) for said in predicted.values()) < items:
        totals = account().totals("authors")
        mean, share = totals[0] / totals[1], totals[1] / items
        ranked = f"{totals[1]:.0f} of {number_of(items, 'group')} with a ranking"
        why = f"the mean over the {ranked}, divided once more by their share"
        yield Entry("rule", model, experiment, "adjusted_accuracy", None, None, mean / share, (f"{why}: no accuracy",))
        why = f"{items - totals[1]:.0f} of {number_of(items, 'group')} without a ranking score 0"
        yield Entry("rule", model, experiment, "accuracy_unread_zero", None, None, totals[0] / items, (why,))


# --- sensitivity -----------------------------------------------------------------------------------------------------


def _sensitivities(run: "Run", model: str, experiment: str, claims: pl.DataFrame, plain: Account) -> Iterator[Entry]:
    if experiment == "association":
        changed = with_inflected(run, claims)
        account = association_account(run, model, changed, claims_of(changed, experiment), listed_or_inflected)
        more = int((changed["observed"] & ~claims["observed"]).sum())
        for metric in INFLECTED:
            why = [f"{number_of(more, 'option more is', 'options more are')} listed, by an inflected form"]
            yield _changed(
                "inflected", model, experiment, metric, of_cells(METRICS[metric].formula), plain, account, why
            )
    elif experiment == "difficulty":
        shorn, about = without_reasoning(run, model)
        name = "accuracy_without_reasoning"
        if shorn is None:
            yield Entry("sensitivity", model, experiment, name, None, None, None, (about,))
            return
        account = order_account(shorn, model, shorn.observations, shorn.tables.claims[experiment].of(model))
        yield _changed("without_reasoning", model, experiment, "accuracy", share_of_total, plain, account, [about])


def _changed(
    name: str,
    model: str,
    experiment: str,
    metric: str,
    formula: Callable[[Any], Any],
    plain: Account,
    account: Account,
    about: Iterable[str],
) -> Entry:
    values = [account.value(convention, formula) for convention in CONVENTIONS]
    moves = [
        f"{convention} {_moved(value - plain.value(convention, formula), metric)}"
        for convention, value in zip(CONVENTIONS, values, strict=True)
    ]
    reasons = (*about, f"moves {', '.join(moves)}")
    strict, readable, authors = (None if math.isnan(value) else value for value in values)
    return Entry("sensitivity", model, experiment, f"{metric}_{name}", strict, readable, authors, reasons)
