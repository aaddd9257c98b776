"""A study file as what it plans: which calls it takes, and making them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from selfexec.engines import default_models
from selfexec.errors import InputError
from selfexec.options import names, note_given
from selfexec.run_options import RunOptions
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.asking.carrying_out import carry_out_showing
from selfexec.runs.asking.continuing import plan_continued_run
from selfexec.runs.asking.new_run import plan_new_run
from selfexec.runs.asking.plan import Plan
from selfexec.runs.asking.planning import holds_run, with_hypotheses
from selfexec.runs.asking.progress import Report
from selfexec.runs.invocations import StudyFile, call
from selfexec.runs.run import Run
from selfexec.runs.toml import StudyContents, StudyModel, held_headers, read_study, respondent_of, unset_headers


@dataclass(frozen=True)
class Study(StudyContents):
    """A study that can be asked: what its file says, with its paths resolved.

    `choices` hold for all models, and so do `addresses`, where any are given; `entries` are the models with what each
    has of its own, `outputs` what is to be written at the end, by kind; `content` is the file as it was read.
    """

    def plan(self, models: Sequence[str] | None = None, **instead: Any) -> Plan:
        """What would be asked: of some of its models or of all, with other choices in place of those at the top."""
        choices = replace(self.choices, **{"headers": held_headers(self.choices.headers), "models": None, **instead})
        note_given(choices, instead)
        addresses = self.addresses if "base_url" not in instead else ()
        asked = self._chosen(models)
        if not asked and choices.out and holds_run(Path(choices.out)):
            return self._kept_in(plan_continued_run(choices), choices)
        asked = asked or [StudyModel(model=model) for model in default_models()]
        prices = [f"{one.called}={one.price}" for one in asked if one.price is not None]
        choices = replace(choices, price=[*names(choices.price or ()), *prices] or None)
        try:
            plan = plan_new_run(choices, [respondent_of(one, choices, addresses) for one in asked])
        except InputError as fault:
            self._refuse_in_place(fault, instead)
            raise
        headers = [{} if "headers" in instead else self.choices.headers, *(one.own.get("headers", {}) for one in asked)]
        lacking = dict.fromkeys(said for some in headers for said in unset_headers(some))
        return replace(self._kept_in(plan, choices), lacking=tuple(lacking))

    def _kept_in(self, plan: Plan, choices: RunOptions) -> Plan:
        """The plan with what a run keeps of this file: its text, and the hypotheses that it names."""
        if choices.hypotheses is not None:
            plan = with_hypotheses(plan, choices.hypotheses)
        return replace(plan, study=StudyFile(self.path.name, self.content, self.kept_content))

    def run(self, on_progress: Report | None = None, *, shard: str | None = None) -> Run:
        """Ask what of the study is not there yet, as `sx.run` does, or a `shard` of it; `outputs` are left to the
        caller.
        """
        told = f"{call('sx.load_study', {'config': self.path})}{call('.run', {'shard': shard})}"
        plan = replace(self.plan(**({"shard": shard} if shard else {})), command=told)
        return carry_out_showing(plan, on_progress)


@tells_wrong_names("a study")
def load_study(path: str | Path) -> Study:
    """A study file. InputError: it cannot be read, or something in it is not what it must be, with its line."""
    return Study(**vars(read_study(path)))
