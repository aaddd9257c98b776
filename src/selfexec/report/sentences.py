"""What the page says in words, in its order; each sentence follows by rule (`selfexec.analysis.findings`)."""

from collections.abc import Iterator, Sequence

from selfexec.analysis import findings
from selfexec.analysis.compare import Standing
from selfexec.analysis.findings import Said
from selfexec.analysis.score import Scores
from selfexec.analysis.score_table import lacks_overall
from selfexec.claims import Tables
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import rows_over_naive


def said(scores: Scores, tables: Tables, standings: Sequence[Standing]) -> list[Said]:
    """Everything that the numbers support: overall, then by experiment."""
    return findings.all_said(_said(scores, tables, standings))


def _said(scores: Scores, tables: Tables, standings: Sequence[Standing]) -> Iterator[Said | None]:
    alone, unsaid = len(scores.models) == 1, lacks_overall(scores)
    if not alone:
        yield findings.best_skill(scores.of("overall", "skill"), standings)
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        if alone:
            yield findings.skill_alone(experiment, *scores.of(experiment, "skill"))
        else:
            skills = scores.of(experiment, "skill") if unsaid else ()
            yield findings.baseline_margin(experiment, scores.of(experiment, "baseline_margin"), skills)
        if naive := EXPERIMENTS[experiment].naive:
            baselines = {row.model: row for row in scores.of(experiment, naive.metric)}
            gaps = rows_over_naive(scores.of(experiment, "accuracy"), tables.claims[experiment])
            yield findings.naive_baseline(experiment, naive, gaps, baselines)
