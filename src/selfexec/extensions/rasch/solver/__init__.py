"""The Rasch model for success rates, on arrays."""

from selfexec.extensions.rasch.solver.fit import RaschFit, fit_rasch, jackknife_errors, negative_log_likelihood
from selfexec.extensions.rasch.solver.point import Sides
