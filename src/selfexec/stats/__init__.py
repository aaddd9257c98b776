"""Statistics on plain arrays: nothing here knows of models, replies or experiments."""

from selfexec.stats.agreement import coincidences, nominal_alpha
from selfexec.stats.bootstrap import draws, percentile_intervals, resampled_totals
from selfexec.stats.brier import BrierParts, brier_parts, equal_groups
from selfexec.stats.correlation import LEAST_PAIRS, Correlation, correlate
from selfexec.stats.discrimination import Area, auroc, auroc_within, centred
from selfexec.stats.fieller import fieller
from selfexec.stats.holm import holm, holm_points, tied_groups
from selfexec.stats.intervals import (
    NO_SPREAD,
    NONE,
    POWER_80,
    Array,
    Interval,
    Z,
    effective_n,
    influence,
    influence_error,
    influence_errors,
    mean_interval,
    normal,
    ratio_error,
    student,
    sum_interval,
    wilson,
)
from selfexec.stats.logistic import Features, ridge_logistic
from selfexec.stats.misclassification import Corrected, Labelled, corrected, share_interval, true_counts
from selfexec.stats.ranks import ranks
from selfexec.stats.significance import Welch, detectable, p_values, two_sided, welch
from selfexec.stats.two_samples import PERMUTATIONS, by_permutation, fisher_exact, rank_sum
