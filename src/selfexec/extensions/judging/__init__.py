"""Judging stored replies again: which, by whom, and what is kept of it."""

from selfexec.extensions.judging.asking import carry_out, foreseen, judge
from selfexec.extensions.judging.labels import load_labels
from selfexec.extensions.judging.plan import JudgingPlan, plan
from selfexec.extensions.judging.records import classes_said
