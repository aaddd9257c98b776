"""The counting by which the paper's published numbers came about, kept apart from all the rest.

It goes from replies and readings straight to score rows: for `score` by this convention, and for the ledger.
Where it differs from the paper's own text is said at each rule. With the authors' readings it gives their numbers to
the last digit.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, Key
from selfexec.experiments.difficulty import QuestionGroup
from selfexec.metrics import Estimate, RowMaker, Score, joined_sources

if TYPE_CHECKING:
    from selfexec.runs import Run

NOT_THEIRS = "the paper's authors counted no such experiment"
LABELS = ("Q1", "Q2", "Q3", "Q4")
Values = Mapping[tuple[str, str], Any]  # (item, session) -> what was read, as it was read; absent where nothing was


def authors_scores(run: "Run") -> Iterator[Score]:
    """What was done is said by the sources that the experiments have of themselves; InputError where it is another."""
    if chosen := {*run.chosen_sources.items()} - {
        (name, experiment.sources[0]) for name, experiment in EXPERIMENTS.items()
    }:
        experiment, source = min(chosen)
        raise InputError(
            f"{run.folder}: the paper's authors counted {experiment} by no {source!r}. Leave out the source, or take "
            "another convention."
        )
    for row in _rows(run):
        experiments = PAPER_HEADLINE.experiments if row.experiment == "overall" else (row.experiment,)
        yield replace(row, source=joined_sources(EXPERIMENTS[experiment].sources[0] for experiment in experiments))


def _rows(run: "Run") -> Iterator[Score]:
    for model in run.models:
        accuracies: dict[str, Estimate] = {}
        asked = False
        for experiment, score in (
            ("association", _association),
            ("restriction", _restriction),
            ("difficulty", _difficulty),
        ):
            values = values_read(run, model, experiment)
            if values is None:
                continue
            asked = True
            for metric, row in score(run, model, values):
                accuracies |= {experiment: row[1]} if metric == "accuracy" else {}
                yield row[0].row(metric, row[1])
        yield from _others(run, model)
        if asked:
            yield _overall(model, accuracies)


def _others(run: "Run", model: str) -> Iterator[Score]:
    """Of an experiment that is not the authors' there is no number of theirs."""
    for experiment in run.items.experiments:
        if experiment not in PAPER_HEADLINE.experiments and run.keys.get((model, experiment)):
            asked = RowMaker(model, experiment, "authors", len(run.items[experiment]), 0, 0, 0)
            yield asked.row("accuracy", Estimate(math.nan, reason=NOT_THEIRS))


def values_read(run: "Run", model: str, experiment: str) -> Values | None:
    """What the sessions of one model were read as: by the given readings where there are any, else by our readers.

    Given values are taken as they are, not tidied up: the authors' code compared them so. The first epoch counts.
    """
    keys = [key for key in run.keys.get((model, experiment), ()) if key.epoch == 1]
    if not keys:
        return None
    given, ours = run.given or {}, run.readings
    found = {(key.item, key.session): (given.get(key) or ours[key]).value for key in keys}
    return {place: value for place, value in found.items() if value is not None}


def _association(run: "Run", model: str, values: Values) -> Iterator[tuple[str, tuple[RowMaker, Estimate]]]:
    """Pooled over the keys that the model wrote, not over the options; the truth of a value is Python's, so that the
    string "false" is true. A target without two readings is dropped (the paper's text calls it wrong).
    """
    tp = fp = fn = tn = 0
    items = run.items["association"]
    for id in items:
        predicted, listed = values.get((id, "predict")), values.get((id, "execute"))
        if not isinstance(predicted, dict) or not isinstance(listed, list):
            continue
        words = {str(word).lower() for word in listed}
        for word, mark in predicted.items():
            hit = str(word).lower() in words
            tp, fp = tp + bool(mark and hit), fp + bool(mark and not hit)
            fn, tn = fn + bool(not mark and hit), tn + bool(not mark and not hit)
    claims = tp + fp + fn + tn
    asked = RowMaker(model, "association", "authors", len(items), claims, 0, 0)
    none = "no target has both of its readings"
    yield "accuracy", (asked, _ratio(tp + tn, claims, none))
    yield "precision", (asked, _ratio(tp, tp + fp, none))
    yield "recall", (asked, _ratio(tp, tp + fn, none))
    yield "positive_rate", (asked, _ratio(tp + fp, claims, none))
    yield "base_rate", (asked, _ratio(tp + fn, claims, none))
    yield "always_yes", (asked, _ratio(tp + fn, claims, none))
    yield "always_no", (asked, _ratio(fp + tn, claims, none))


def _restriction(run: "Run", model: str, values: Values) -> Iterator[tuple[str, tuple[RowMaker, Estimate]]]:
    """Agreements over all requests: whatever could not be read or was lost is wrong.

    Over-niceness is n(predicted B, judged A) over the disagreements that were read. The authors' own denominator, all
    requests less agreements and counted failures, also held requests that were lost uncounted.
    """
    items = run.items["restriction"]
    pairs = [(values.get((id, "predict")), values.get((id, "judge"))) for id in items]
    read = [(p, j) for p, j in pairs if p is not None and j is not None]
    lost = len({key.item for key in run.keys.get((model, "restriction"), ()) if _lost(run, key)})
    fn = sum((p, j) == ("B", "A") for p, j in read)
    fp = sum((p, j) == ("A", "B") for p, j in read)
    asked = RowMaker(model, "restriction", "authors", len(items), len(items), len(items) - len(read) - lost, lost)
    yield "accuracy", (asked, _ratio(sum(p == j for p, j in read), len(items), "there are no requests"))
    yield "over_niceness", (asked, _ratio(fn, fn + fp, "there are no errors"))


def _lost(run: "Run", key: Key) -> bool:
    return key.session in ("predict", "judge") and run.replies[key].failed


def _difficulty(run: "Run", model: str, values: Values) -> Iterator[tuple[str, tuple[RowMaker, Estimate]]]:
    """Mean over groups with a ranking of the share of all six pairs in the right order. Groups whose four answers all
    failed are scored too, against Q1 to Q4. Question accuracy is the share of right answers among the questions that
    were asked: one that was asked and got no answer is wrong, and a group whose ranking session failed was never asked
    its questions.
    """
    items: Mapping[str, Any] = run.items["difficulty"]
    tokens = answer_tokens(run, model)
    ranked = [id for id in items if isinstance(values.get((id, "predict")), list)]
    asked = RowMaker(model, "difficulty", "authors", len(items), 6 * len(items), 6 * (len(items) - len(ranked)), 0)
    if not tokens:
        none = Estimate(math.nan, reason="its answers were never recorded")
        yield from ((metric, (asked, none)) for metric in ("accuracy", "question_accuracy", "tokens_mean"))
        return
    groups = [group_score(values[id, "predict"], true_order(items[id], values, tokens)) for id in ranked]
    answered = asked_groups(tokens)
    right = sum(
        values.get((id, f"execute.{label}")) == question.answer
        for id in answered
        for label, question in zip(LABELS, items[id].questions, strict=True)
    )
    counted = [count for count in tokens.values() if count is not None]
    yield "accuracy", (asked, _ratio(sum(groups), len(groups), "no ranking could be read"))
    yield "question_accuracy", (asked, _ratio(right, len(LABELS) * len(answered), "there are no questions"))
    yield "tokens_mean", (asked, _ratio(sum(counted), len(counted), "no token counts were recorded"))


def answer_tokens(run: "Run", model: str) -> dict[tuple[str, str], int | None]:
    """Tokens of each answer, whether or not it came."""
    return {
        (key.item, key.session): run.replies[key].output_tokens
        for key in run.keys.get((model, "difficulty"), ())
        if key.epoch == 1 and key.session != "predict"
    }


def asked_groups(tokens: Mapping[tuple[str, str], int | None]) -> set[str]:
    """The groups whose questions were asked: all four of a group or none, so that one answer session, answered or not,
    tells it. `tokens` are those of `answer_tokens`.
    """
    return {item for item, _ in tokens}


def true_order(group: QuestionGroup, values: Values, tokens: Mapping[tuple[str, str], int | None]) -> list[str]:
    """Labels sorted by (wrong, tokens), ties in question order. An answer without a letter is wrong; tokens that were
    not counted are infinite.
    """

    def hardness(label: str) -> tuple[bool, float]:
        session = f"execute.{label}"
        wrong = values.get((group.id, session)) != group.questions[LABELS.index(label)].answer
        count = tokens.get((group.id, session))
        return wrong, math.inf if count is None else count

    return sorted(LABELS, key=hardness)


def group_score(ranking: list[Any], truth: list[str]) -> float:
    """Share of the six pairs in the right order; 0 for a list that lacks a label."""
    if not set(truth) <= {str(label) for label in ranking}:
        return 0.0
    pairs = list(combinations(truth, 2))
    return sum(ranking.index(one) < ranking.index(two) for one, two in pairs) / len(pairs)


def _overall(model: str, accuracies: Mapping[str, Estimate]) -> Score:
    asked = RowMaker(model, "overall", "authors", 0, 0, 0, 0)
    for experiment in ("association", "restriction", "difficulty"):
        estimate = accuracies.get(experiment)
        if estimate is None or math.isnan(estimate.value):
            reason = estimate.reason if estimate else "it was not run"
            return asked.row("self_execution_score", Estimate(math.nan, reason=f"{experiment}: {reason}"))
    mean = sum(e.value for e in accuracies.values()) / 3
    return asked.row("self_execution_score", Estimate(mean))


def _ratio(part: float, whole: float, otherwise: str) -> Estimate:
    return Estimate(part / whole) if whole else Estimate(math.nan, reason=otherwise)
