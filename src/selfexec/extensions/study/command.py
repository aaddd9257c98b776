"""What `run --config` and `run --dry-run --save` do."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from selfexec.cli.run import PlannedRun
from selfexec.errors import InputError
from selfexec.run_options import RunOptions
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.extensions.study.planning import Study
    from selfexec.runs.asking import Plan


def planned_study(choices: RunOptions, given: Mapping[str, Any]) -> PlannedRun:
    """What a study file plans, or a plan that is to be written to one."""
    from selfexec.extensions.study.outputs import write_outputs
    from selfexec.extensions.study.planning import load_study
    from selfexec.runs import names
    from selfexec.runs.asking import plan_run

    config, save = given["config"], given["save"]
    if save:
        _refuse_to_save(save, choices, config, dry_run=given["dry_run"])
    if config is None:
        planned = PlannedRun(plan_run(choices))
        study = None
    else:
        study = load_study(config)
        plan = study.plan(names(choices.models or ()), **_instead(choices))
        planned = PlannedRun(plan, names_models=True)
        if outputs := study.outputs:
            planned = replace(planned, finish=lambda run, scores: write_outputs(run, scores, outputs))
    if save:
        planned = replace(planned, save=lambda: _saved(study, choices, planned.plan, save))
    return planned


def _refuse_to_save(path: Path, choices: RunOptions, config: Path | None, *, dry_run: bool) -> None:
    from selfexec.runs import MANIFEST

    if not dry_run:
        raise InputError(f"--save {path}: it goes with --dry-run, which checks it and asks nothing. Add that.")
    out = choices.out
    if not (choices.models or config) and out and (Path(out) / MANIFEST).exists():
        raise InputError(f"--save {path}: {out} goes on by itself. To write a study of its models, name them: --model")


def _instead(choices: RunOptions) -> dict[str, Any]:
    """The options that were typed, which come before those of a study; its models are chosen by name."""
    context = click.get_current_context()
    return {
        name: getattr(choices, name)
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if hasattr(choices, name) and name != "models"
    }


def _saved(study: "Study | None", choices: RunOptions, planned: "Plan", path: Path) -> Iterator[str]:
    """Write what is planned to a study file, and say so."""
    from selfexec.extensions.study.planning import Study
    from selfexec.extensions.study.saving import save
    from selfexec.runs.toml import StudyModel

    if study:
        entries = [one for one in study.entries if not choices.models or one.called in choices.models]
        study = replace(study, choices=replace(study.choices, **_instead(choices)), entries=entries)
    else:
        entries = [StudyModel(model=model) for model in planned.models]
        study = Study(path, b"", replace(choices, out=planned.run_folder, models=None), entries=entries)
    whole = replace(study, choices=replace(study.choices, shard=None))
    yield from save(whole, path)
    yield f"{path}: written. Next: {command_line('run --config {}', path)}"
