"""selfexec prompts"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from selfexec.cli.declared import options_of
from selfexec.cli.options import PathArgument, put_data, say
from selfexec.options import option
from selfexec.text.numbers import number_of


@dataclass(frozen=True, kw_only=True)
class PromptsOptions:
    """Which prompts, or which file of them."""

    name: str | None = option(None, "Those of another language: de.", flag="--set", metavar="SET")
    file: Path | None = option(None, "Say what is wrong with this file of prompts.", flag="--check", form="file")


@click.command("prompts")
@click.argument("run", metavar="[RUN|SET]", required=False, type=PathArgument())
@options_of(PromptsOptions)
def command(run: Path | None, name: str | None, file: Path | None) -> None:
    """Print the prompts, as JSON to edit and to give back with --prompts.

    Without RUN they are those that are shipped; with it, those that this run asked with. A SET by its name (de) is the
    same as --set. A name like
    restriction.predict.A is the sentence that the letter stands for, by which replies are read.

    \b
    selfexec prompts > mine.json          what you leave out is asked as shipped
    selfexec prompts --check mine.json    faults, and which are not as shipped
    selfexec run --prompts mine.json
    """
    from selfexec.errors import InputError
    from selfexec.prompts import ENGLISH, all_prompts, by_name, prompts_file, read_prompts, sets
    from selfexec.runs import prompts_of_run
    from selfexec.text.matching import meant

    there = [ENGLISH, *sets()]
    if name is None and run is not None and not run.exists() and str(run) in there:
        run, name = None, str(run)
    if name is None and run is not None and not run.exists():
        raise InputError(f"{run}: no run is here, and no set of prompts is called so. {meant(str(run), there)}")
    if name is not None and name not in (ENGLISH, *sets()):
        raise InputError(f"--set {name}: there is no such set. There are {', '.join([ENGLISH, *sets()])}.")
    shipped = by_name(all_prompts(read_prompts(name) if name else {}))
    known: Mapping[str, str | None] = prompts_of_run(run) if run else shipped
    if file:
        _check(file, known, f"those of {run}" if run else "the shipped ones")
        return
    if lost := [name for name, text in known.items() if text is None]:
        say(f"selfexec: warning: {run}: not kept, but for their SHA-256: {', '.join(lost)}", err=True)
    if len(lost) == len(known):
        raise InputError(f"{run}: what was asked is not kept. The shipped prompts: selfexec prompts")
    put_data(prompts_file(known))


def _check(file: Path, known: Mapping[str, str | None], which: str) -> None:
    from selfexec.errors import InputError
    from selfexec.prompts import prompt_faults, prompt_oddities, read_prompts

    given = read_prompts(file)
    faults = list(prompt_faults(given))
    for fault in faults:
        say(f"{file}: error: {fault}")
    if faults:
        raise InputError(f"{file}: {number_of(len(faults), 'error')}. Fix what is named above before a run.")
    for oddity in prompt_oddities(given):
        say(f"{file}: warning: {oddity}")
    changed = sorted(name for name, text in given.items() if text != known.get(name))
    named = f" ({', '.join(changed)})" if changed else ""
    say(f"{file}: {number_of(len(given), 'prompt')}, of which {len(changed)} not as {which}{named}")
