"""What is counted, with its intervals; no English."""

from selfexec.metrics.accuracies import accuracy_of, accuracy_on
from selfexec.metrics.baselines import LEAST_OTHERS, baseline_chances, baseline_records
from selfexec.metrics.binary import estimates_of, score_yes_no, youden_estimate
from selfexec.metrics.bootstrap import Bootstrap, with_bootstrap
from selfexec.metrics.bounds import Bounds, bounded, bounds, overall_bounds
from selfexec.metrics.ceiling import ceilings, rehearsals
from selfexec.metrics.counts import (
    ACCURACY,
    NO_CONTRAST,
    SKILL,
    Counted,
    Formula,
    accuracy_of_orders,
    baseline_counts,
    common_items,
    contrast,
    count,
    of_cells,
    scorable,
    value,
)
from selfexec.metrics.cross import NO_EVIDENCE, WARNING, Common, Crossed, common_claims, cross, self_bonuses
from selfexec.metrics.formulas import CELLS, METRICS, Cells, criterion, d_prime
from selfexec.metrics.headline import LEAST, NOT_RUN, combine, overall_scores, too_wide
from selfexec.metrics.judging import JudgeTest, judge_warnings
from selfexec.metrics.loss import LossTest, loss_tests, loss_warnings
from selfexec.metrics.margin import NO_DOUBT, Held, ReferenceDoubt, best_of, doubted, held_against, panel_of, peers
from selfexec.metrics.orders import LEAST_GROUPS, mean_of_groups, score_orders
from selfexec.metrics.paired import skill_difference
from selfexec.metrics.permutation import shuffled_p
from selfexec.metrics.rows import LEAST_COVERAGE, LEAST_PANEL, LEAST_RARER_ITEMS, Asked, Estimate, Score, small_panel
from selfexec.metrics.scored import Scored
from selfexec.metrics.shares import known_and_asked, nothing_read, nothing_readable, share_interval
from selfexec.metrics.simple import SIMPLE, over_simple, rows_over_simple

__all__ = [
    "ACCURACY",
    "CELLS",
    "LEAST",
    "LEAST_COVERAGE",
    "LEAST_GROUPS",
    "LEAST_OTHERS",
    "LEAST_PANEL",
    "LEAST_RARER_ITEMS",
    "METRICS",
    "NOT_RUN",
    "NO_CONTRAST",
    "NO_DOUBT",
    "NO_EVIDENCE",
    "SIMPLE",
    "SKILL",
    "WARNING",
    "Asked",
    "Bootstrap",
    "Bounds",
    "Cells",
    "Common",
    "Counted",
    "Crossed",
    "Estimate",
    "Formula",
    "Held",
    "JudgeTest",
    "LossTest",
    "ReferenceDoubt",
    "Score",
    "Scored",
    "accuracy_of",
    "accuracy_of_orders",
    "accuracy_on",
    "baseline_chances",
    "baseline_counts",
    "baseline_records",
    "best_of",
    "bounded",
    "bounds",
    "ceilings",
    "combine",
    "common_claims",
    "common_items",
    "contrast",
    "count",
    "criterion",
    "cross",
    "d_prime",
    "doubted",
    "estimates_of",
    "held_against",
    "judge_warnings",
    "known_and_asked",
    "loss_tests",
    "loss_warnings",
    "mean_of_groups",
    "nothing_read",
    "nothing_readable",
    "of_cells",
    "over_simple",
    "overall_bounds",
    "overall_scores",
    "panel_of",
    "peers",
    "rehearsals",
    "rows_over_simple",
    "scorable",
    "score_orders",
    "score_yes_no",
    "self_bonuses",
    "share_interval",
    "shuffled_p",
    "skill_difference",
    "small_panel",
    "too_wide",
    "value",
    "with_bootstrap",
    "youden_estimate",
]
