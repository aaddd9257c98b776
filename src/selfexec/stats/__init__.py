"""Statistics on plain arrays: nothing here knows of models, replies or experiments."""

from selfexec.stats.correlation import Correlation, correlate
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
    wilson,
)

__all__ = [
    "NONE",
    "NO_SPREAD",
    "Array",
    "Correlation",
    "Interval",
    "correlate",
    "effective_n",
    "mean_interval",
    "normal",
    "ratio_error",
    "student",
    "wilson",
]
