"""The Rasch model for success rates, on arrays."""

from selfexec.stats.rasch.fit import RaschFit, fit_rasch, jackknife_errors, negative_log_likelihood
from selfexec.stats.rasch.point import Sides
