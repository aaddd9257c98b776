"""What a run still wants, as it says itself: of whom, of what, with which prompts and settings."""

from pathlib import Path

from selfexec.errors import InputError
from selfexec.run_options import RunOptions
from selfexec.runs.asking.continuing import plan_continued_run
from selfexec.runs.asking.plan import Plan
from selfexec.runs.design import Design
from selfexec.runs.folder import load_manifest


def of_run(options: RunOptions) -> tuple[Plan, Design]:
    """The plan that a run was made by, and what of it the run has asked or was to ask. The options may narrow it, and
    say how it is sent.
    """
    folder = Path(options.out or "")
    if load_manifest(folder).origin != "run":
        raise InputError(f"{folder}: this folder holds imported replies, which cannot be continued. Begin a new run.")
    plan = plan_continued_run(options, calls=False)
    return plan, plan.design if plan.only is None else plan.only  # of all models, whichever are asked now
