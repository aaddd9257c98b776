"""Judging stored replies again: which, by whom, and what is kept of it."""

from selfexec.runs.judging.asking import carry_out, foreseen, judge
from selfexec.runs.judging.labels import Label, load_labels
from selfexec.runs.judging.plan import RULE_ALONE, JudgingPlan, plan
from selfexec.runs.judging.records import JUDGES, JudgeReply, classes_said
