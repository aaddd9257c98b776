"""selfexec init"""

from pathlib import Path

import click

from selfexec.cli.declared import quietly
from selfexec.cli.options import PathArgument, say
from selfexec.errors import InputError
from selfexec.text.printable import command_line

STUDY = """\
# A study: which models are asked what. docs/study.md lists every key.
# As it is, this file asks simulated models, offline and free: selfexec run --config {name}

items = "./items"           # the folder next to this file; or "starter" or "paper"
# preset = "quick"          # a subset of a large item set, with each kind of item in proportion
# max_cost = 5.0            # stop asking once the run has cost this many dollars
out = "./run"               # where replies are kept; the same command continues the run

# Replace these with your own, such as "openai/gpt-6-luna". A margin needs four models on the same items; on the paper's
# items one model is enough, because ten recorded models are supplied for comparison.
models = ["sim/knows-itself", "sim/knows-models", "sim/typical", "sim/coin"]

# [settings]
# temperature = 0           # only settings named here are sent

[outputs]
report = "./report.html"
"""


@click.command("init")
@click.argument("folder", metavar="DIR", type=PathArgument(), default=Path("study"))
@quietly
def command(folder: Path) -> None:
    """Create a study file and example items in DIR (default: study), for you to edit.

    As they are, they run offline with simulated models, so that you can try every step before anything costs money.

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
    say(f"{folder}: created study.toml and items/ (examples to replace; items/README.md says what makes a good item).")
    say(f"Next: {command_line('run --config {}', study)}")
