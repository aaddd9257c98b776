"""selfexec init"""

import shlex
from pathlib import Path

import click

from selfexec.cli.declared import quietly
from selfexec.cli.options import PathArgument, say
from selfexec.errors import InputError

STUDY = """\
# A study: who is asked what. Every key that may stand here is in docs/study.md.
# As it is, it asks simulated models, offline and free: selfexec run --config {name}

items = "./items"           # the folder next to this file; or "starter" or "paper"
# preset = "quick"          # of a large set of items: a cut with its strata in proportion
# max_cost = 5.0            # dollars, after which nothing more is asked
out = "./run"               # where replies are kept; the same command continues there

# Replace these by your own, like "openai/gpt-6-luna". A margin takes four models on the same items, or the paper's
# items, for which ten recorded models come along.
models = ["sim/knows-itself", "sim/knows-models", "sim/typical", "sim/coin"]

# [settings]
# temperature = 0           # nothing is sent unless it is named here

[outputs]
report = "./report.html"
"""


@click.command("init")
@click.argument("folder", metavar="DIR", type=PathArgument(), default=Path("study"))
@quietly
def command(folder: Path) -> None:
    """Write a study file and a folder of items into DIR (default: study), to be edited.

    They run as they are, offline, with simulated models: the whole way once, before anything costs money.

    \b
    selfexec init mine
    selfexec run --config mine/study.toml
    """
    from selfexec.files.outputs import write_page
    from selfexec.items.blank import write_template

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file. Give `selfexec init` a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder}: the folder holds something already; nothing was changed. Give a new one.")
    write_template(folder / "items")
    study = folder / "study.toml"
    write_page(study, STUDY.format(name=study.name))
    say(f"{folder}: study.toml and items/ (examples to replace; its README.md says what good items are).")
    say(f"Next: selfexec run --config {shlex.quote(str(study))}")
