"""A run as it lies on disk: what was asked, what came back, and what each reply commits to."""

from selfexec.options import Files, Names, files, names
from selfexec.runs.arguments import takes, tells_wrong_names
from selfexec.runs.ends import given_replies, stored_replies
from selfexec.runs.folder import LOGS, MANIFEST, PROMPTS, REPLIES, load_manifest, prompts_of_run, write_manifest
from selfexec.runs.invocations import command_line
from selfexec.runs.journal import Journal, read_journal
from selfexec.runs.kept_logprobs import with_kept_logprobs
from selfexec.runs.listing import Listing, list_runs
from selfexec.runs.readings import (
    KEPT_STATE,
    choose,
    is_kept,
    named,
    read_reply,
    reading_legend,
    reading_lines,
    reading_summary,
    state_shown,
)
from selfexec.runs.replay import first_sessions
from selfexec.runs.reply import BySession, GivenReading, Reply, load_readings, load_replies
from selfexec.runs.run import Run, load, load_all, refuse_silent, with_source
