"""What the page says in words, in its order; each sentence follows by rule (`selfexec.scores.sentences`)."""

from collections.abc import Iterator, Sequence

from selfexec.observations import Tables
from selfexec.scores import Scores, sentences
from selfexec.scores.compare.differences import Standing
from selfexec.scores.sentences import Said
from selfexec.scores.simple import SIMPLE, rows_over_simple


def said(scores: Scores, tables: Tables, standings: Sequence[Standing]) -> list[Said]:
    """Everything that the numbers support: overall, then by experiment."""
    return sentences.all_said(_said(scores, tables, standings))


def _said(scores: Scores, tables: Tables, standings: Sequence[Standing]) -> Iterator[Said | None]:
    alone = len(scores.models) == 1
    if not alone:
        yield sentences.best_skill(scores.of("overall", "skill"), standings)
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        if alone:
            yield sentences.skill_alone(experiment, *scores.of(experiment, "skill"))
        else:
            yield sentences.baseline_margin(experiment, scores.of(experiment, "baseline_margin"))
        if experiment in SIMPLE:
            baselines = {row.model: row for row in scores.of(experiment, SIMPLE[experiment])}
            yield sentences.simple_baseline(
                experiment, rows_over_simple(scores.of(experiment, "accuracy"), tables.claims[experiment]), baselines
            )
