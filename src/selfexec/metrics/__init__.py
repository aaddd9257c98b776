"""Numbers from claims, with their intervals: baselines, margins, own excess and scores. No sentences for readers."""

from selfexec.metrics.adjusted import ADJUSTED, adjusted_skill
from selfexec.metrics.baseline_margin import BaselineComparison, compare_with_baseline, models_read, peers
from selfexec.metrics.baselines import (
    CONSTANT,
    FAMILY,
    GROUPS,
    HISTORY,
    LEAST_OTHERS,
    NO_FAMILY,
    NO_OTHERS,
    OTHERS_DO,
    OTHERS_SAY,
    QUESTION,
    STACKED,
    BaselineProbabilities,
    Others,
    VoteTables,
    baseline_probabilities,
    baseline_records,
    group_of,
    over_naive,
    rows_over_naive,
)
from selfexec.metrics.bootstrap import Bootstrap, with_bootstrap
from selfexec.metrics.ceiling import NOT_REPEATED, ceilings
from selfexec.metrics.cross import NO_EVIDENCE, TAKES_TWO, WARNING, Common, Crossed, common_claims, cross, self_bonuses
from selfexec.metrics.kinds import (
    CELLS,
    METRICS,
    NO_CONTRAST,
    RATES,
    Cells,
    Formula,
    Record,
    ceiling_estimate,
    claim_kind,
    common_items,
    contrast,
    gives_probabilities,
    scorable,
    value,
)
from selfexec.metrics.ladder import ITSELF, LEVELS, Level, levels
from selfexec.metrics.margin_at_own_rate import AT_THE_CEILING, LEAST_CEILING, at_the_ceiling
from selfexec.metrics.own_excess import (
    LEAST_FOR_OWN,
    LEAST_ITEMS,
    LEAST_KNOWN,
    MISFIT,
    OWN_JUDGE,
    TIMES_PAIRS,
    Fit,
    Objection,
    Own,
    OwnExcess,
    OwnVerdict,
    compared_models,
    judge_own_excess,
    own_excess_by_source,
)
from selfexec.metrics.probability import NO_OWN_EXCESS, score_by_item
from selfexec.metrics.rows import (
    LEAST_COVERAGE,
    LEAST_FOR_VERDICT,
    LEAST_RARER_ITEMS,
    MARGINS,
    OF_BASELINE,
    Estimate,
    RowMaker,
    Score,
    few_models,
    known_and_asked,
    none_if_nan,
    nothing_read,
    nothing_readable,
    share_interval,
)
from selfexec.metrics.score import (
    IN_PROBABILITIES,
    LEAST_OVERALL,
    Bounds,
    Extent,
    ModelScores,
    accuracy_on,
    combine,
    estimates,
    joined_sources,
    not_run,
    overall_scores,
    score_experiment,
    too_wide,
    with_bounds,
)
from selfexec.metrics.warnings import JudgeTest, LossTest, judge_warnings, loss_tests, loss_warnings
