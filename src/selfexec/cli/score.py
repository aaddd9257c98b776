"""selfexec score"""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import (
    groups_option,
    panel_option,
    printed,
    said_if_slow,
    say,
    show,
    source_option,
)
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection

SORTS = ("model", "skill", "baseline_margin")


@click.command("score")
@selection_options("strict", "readable", "authors")
@source_option
@panel_option
@groups_option
@click.option(
    "--bootstrap", type=int, metavar="N", help="Intervals from N draws of items (10000 is plenty) in place of formulas."
)
@click.option("--seed", type=int, metavar="N", help="Where the draws of --bootstrap start.  [default: 0]")
@click.option(
    "--sort",
    type=click.Choice(SORTS),
    help="Models by name, or the highest first by this overall score (of one experiment, by its score); withheld last.",
)
@printed("json", "csv", "markdown")
def command(
    selection: "Selection", bootstrap: int | None, seed: int | None, sort: str | None, form: str, out: Path | None
) -> None:
    """Score runs: did the models predict what they would do?

    Each score stands beside the best baseline, which knows nothing of the model. A headline that the data do not
    support is withheld, with the reason.

    \b
    selfexec score runs/mine
    selfexec score runs/mine runs/theirs --model a,b --experiment restriction
    selfexec score runs/mine --sort skill
    selfexec score runs/mine --convention readable --format json -o scores.json
    """
    from selfexec.analysis.score import score
    from selfexec.errors import InputError

    if seed is not None and bootstrap is None:
        raise InputError(f"--seed {seed}: nothing is drawn without --bootstrap. Give both, or neither.")
    with said_if_slow("Reading and scoring ..."):
        scores = score(selection, bootstrap=bootstrap, seed=seed or 0)
    show(scores.sorted_by(sort) if sort else scores, form, out)
    if form == "table" and out is None:
        unread = {row.model for row in scores if row.unreadable}
        for run in scores.runs:
            if unread & {*run.models}:
                say(f"Unread: selfexec read {shlex.quote(run.folder)} --state unreadable --show")
