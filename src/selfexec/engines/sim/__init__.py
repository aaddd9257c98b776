"""Simulated respondents with known truth."""

from selfexec.engines.sim.engine import SimEngine, respondent
from selfexec.engines.sim.simulation import InjectedReply, Knowledge, Simulation, forced_into, undisturbed
from selfexec.engines.sim.traits import PROFILES, maker_of
from selfexec.engines.sim.truth import truth
