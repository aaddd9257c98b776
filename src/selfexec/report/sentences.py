"""What the page says in words, in its order; each sentence follows by rule (`selfexec.analysis.findings`)."""

from collections.abc import Iterator, Sequence

from selfexec.analysis import findings
from selfexec.analysis.compare import Standing
from selfexec.analysis.findings import Said
from selfexec.analysis.score import Scores
from selfexec.claims import Tables
from selfexec.metrics import SIMPLE, rows_over_simple


def said(scores: Scores, tables: Tables, standings: Sequence[Standing]) -> list[Said]:
    """Everything that the numbers support: overall, then by experiment."""
    return findings.all_said(_said(scores, tables, standings))


def _said(scores: Scores, tables: Tables, standings: Sequence[Standing]) -> Iterator[Said | None]:
    alone = len(scores.models) == 1
    if not alone:
        yield findings.best_skill(scores.of("overall", "skill"), standings)
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        if alone:
            yield findings.skill_alone(experiment, *scores.of(experiment, "skill"))
        else:
            yield findings.baseline_margin(experiment, scores.of(experiment, "baseline_margin"))
        if experiment in SIMPLE:
            baselines = {row.model: row for row in scores.of(experiment, SIMPLE[experiment])}
            yield findings.simple_baseline(
                experiment, rows_over_simple(scores.of(experiment, "accuracy"), tables.claims[experiment]), baselines
            )
