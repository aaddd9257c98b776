"""Models and benchmarks on one scale, from tables of success rates."""

from selfexec.analysis.rasch.abilities import Rasch, rasch
from selfexec.analysis.rasch.rates import RateTable, load_rates
