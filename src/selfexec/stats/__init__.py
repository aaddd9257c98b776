"""Statistics on plain arrays: nothing here knows of models, replies or experiments."""

from selfexec.stats.bootstrap import percentile_intervals, resampled_totals
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

__all__ = [
    "NONE",
    "NO_SPREAD",
    "Array",
    "Interval",
    "effective_n",
    "mean_interval",
    "normal",
    "percentile_intervals",
    "ratio_error",
    "resampled_totals",
    "student",
    "sum_interval",
    "wilson",
]
