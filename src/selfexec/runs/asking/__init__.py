"""Asking: what a run will ask, asking it, and trying a model before."""

from selfexec.runs.asking.carrying_out import carry_out, run
from selfexec.runs.asking.executor import reply_to
from selfexec.runs.asking.growing import begin, grow, growth, refuse_misfit
from selfexec.runs.asking.new_run import plan_new_run
from selfexec.runs.asking.plan import Job, Plan
from selfexec.runs.asking.planning import plan, plan_run, with_hypotheses
from selfexec.runs.asking.progress import Progress, Report, as_line, duration, heartbeat, shown_progress
from selfexec.runs.asking.remaining import DueCall, Remaining, asked_elsewhere, job_state
from selfexec.runs.asking.remarks import remarks
from selfexec.runs.asking.reply_gate import (
    HELD_AT_MOST,
    IN_A_ROW,
    EndsInARow,
    ReplyGate,
    filter_warnings,
    held_back,
    row_message,
)
from selfexec.runs.asking.shared_memory import code_word, note, refuse_shared
