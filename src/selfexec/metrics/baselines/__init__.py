"""What could be said of a model without asking it: baselines in five groups, and the one that margins are over."""

from selfexec.metrics.baselines.groups import (
    APART,
    CONSTANT,
    FAMILY,
    GROUPS,
    HISTORY,
    OTHERS_DO,
    OTHERS_SAY,
    QUESTION,
    STACKED,
    group_of,
)
from selfexec.metrics.baselines.naive import over_naive, rows_over_naive
from selfexec.metrics.baselines.single import (
    NO_FAMILY,
    BaselineProbabilities,
    Pairing,
    baseline_probabilities,
    baseline_records,
    by_family,
    pairing,
    predictor_record_on,
)
from selfexec.metrics.baselines.stacked import Stacked, background_parts, stacked
from selfexec.metrics.baselines.votes import LEAST_OF_EACH, LEAST_OTHERS, NO_OTHERS, Others, VoteTable, VoteTables
