"""Statistics on plain arrays: nothing here knows of models, replies or experiments."""

from selfexec.stats.bootstrap import percentile_intervals, resampled_totals
from selfexec.stats.correlation import LEAST_PAIRS, Correlation, correlate
from selfexec.stats.holm import holm, tied_groups
from selfexec.stats.intervals import (
    NO_SPREAD,
    NONE,
    Array,
    Interval,
    effective_n,
    mean_interval,
    normal,
    ratio_error,
    student,
    sum_interval,
    wilson,
)
from selfexec.stats.significance import Welch, detectable, two_sided, welch

__all__ = [
    "LEAST_PAIRS",
    "NONE",
    "NO_SPREAD",
    "Array",
    "Correlation",
    "Interval",
    "Welch",
    "correlate",
    "detectable",
    "effective_n",
    "holm",
    "mean_interval",
    "normal",
    "percentile_intervals",
    "ratio_error",
    "resampled_totals",
    "student",
    "sum_interval",
    "tied_groups",
    "two_sided",
    "welch",
    "wilson",
]
