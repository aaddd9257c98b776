"""Judging stored replies again: which, by whom, and what is kept of it."""

from selfexec.runs.judging.asking import carry_out, foreseen, judge
from selfexec.runs.judging.labels import load_labels
from selfexec.runs.judging.plan import JudgingPlan, plan
from selfexec.runs.judging.records import classes_said
