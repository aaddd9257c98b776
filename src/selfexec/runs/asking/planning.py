"""From options to a plan: of a new run (`new_run`), or of the run that is in the folder already (`continuing`)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from selfexec.errors import InputError
from selfexec.options import Names, note_given
from selfexec.run_options import RunOptions
from selfexec.runs.asking.continuing import plan_in_folder
from selfexec.runs.asking.new_run import plan_new_run
from selfexec.runs.asking.plan import Plan
from selfexec.runs.folder import MANIFEST, SHARDS
from selfexec.runs.hypotheses import declared_hypotheses
from selfexec.runs.share import shard_folders


def plan(models: Names | None = None, **options: Any) -> Plan:
    """What would be asked; `options` are those of a run. Without models it is what the run in the folder has, and where
    there is none, the simulated panel.
    """
    return plan_run(note_given(RunOptions(models, **options), options))


def plan_run(options: RunOptions) -> Plan:
    """What would be asked: where `out` is the folder of a run by that run, as far as the command does not say
    otherwise, and else of the models that are named, or of the simulated panel. A run that lies where a command without
    `out` writes goes on as well: what it has is not asked again (`carry_out`).
    """
    continues = options.out is not None and holds_run(Path(options.out))
    planned = plan_in_folder(options) if continues else plan_new_run(options)
    return with_hypotheses(planned, options.hypotheses) if options.hypotheses is not None else planned


def with_hypotheses(plan: Plan, path: str | Path) -> Plan:
    """The same plan with the hypotheses of a file. InputError where they are about other items, or only a share of a
    run is asked.
    """
    if plan.shard:
        raise InputError("--hypotheses: a share of a run keeps none. Name them where all of it is asked in one folder.")
    return replace(plan, hypotheses=declared_hypotheses(path, plan.item_set.hashes))


def holds_run(folder: Path) -> bool:
    """Whether a folder holds a run, or a shard of one."""
    if (folder / MANIFEST).is_file():
        return True
    return (folder / SHARDS).is_dir() and any((shard / MANIFEST).is_file() for shard in shard_folders(folder))
