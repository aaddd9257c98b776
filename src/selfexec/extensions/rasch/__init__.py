"""Models and benchmarks on one scale, from tables of success rates."""

from selfexec.extensions.rasch.abilities import Rasch, rasch
from selfexec.extensions.rasch.rates import RateTable, load_rates
