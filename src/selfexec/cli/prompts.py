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

    name: str | None = option(None, "The prompts in another language: de.", flag="--set", metavar="SET")
    file: Path | None = option(None, "Check this file of prompts for errors.", flag="--check", form="file")


@click.command("prompts")
@click.argument("run", metavar="[RUN|SET]", required=False, type=PathArgument())
@options_of(PromptsOptions)
def command(run: Path | None, name: str | None, file: Path | None) -> None:
    """Print the prompts as JSON, to edit and pass to `selfexec run --prompts`.

    Without RUN, these are the built-in prompts; with RUN, the prompts that the run used. A SET (de) may be given in
    place of RUN; --set does the same. An entry such as restriction.predict.A is the text of answer option A; replies
    that quote this text are read as A.

    \b
    selfexec prompts > mine.json          omitted prompts keep their text
    selfexec prompts --check mine.json    errors, and which prompts differ
    selfexec run --prompts mine.json
    """
    from selfexec.errors import InputError
    from selfexec.prompts import ENGLISH, all_prompts, by_name, prompts_file, read_prompts, sets
    from selfexec.runs import prompts_of_run
    from selfexec.text.matching import meant

    known_sets = [ENGLISH, *sets()]
    if name is None and run is not None and not run.exists() and str(run) in known_sets:
        run, name = None, str(run)
    if name is None and run is not None and not run.exists():
        raise InputError(f"{run}: this is neither a run's folder nor a set of prompts. {meant(str(run), known_sets)}")
    if name is not None and name not in known_sets:
        raise InputError(f"--set {name}: there is no such set. There are {', '.join(known_sets)}.")
    shipped = by_name(all_prompts(read_prompts(name) if name else {}))
    known: Mapping[str, str | None] = prompts_of_run(run) if run else shipped
    if file:
        _check(file, known, f"those of {run}" if run else "the built-in ones")
        return
    if lost := [name for name, text in known.items() if text is None]:
        say(f"selfexec: warning: {run}: not kept, but for their SHA-256: {', '.join(lost)}", err=True)
    if len(lost) == len(known):
        raise InputError(f"{run}: its prompts are not kept. The built-in prompts: selfexec prompts")
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
    say(
        f"{file}: {number_of(len(given), 'prompt')}; {number_of(len(changed), 'differs', 'differ')} from {which}{named}"
    )
