"""selfexec cross"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import printed, selection_options, show, source_option

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("cross")
@selection_options(models=None, experiments="Only these experiments.")
@source_option
@printed("json")
def command(selection: "Selection", form: str, out: Path | None) -> None:
    """Hold every model's predictions against every model's behaviour.

    The matrix is taken apart into how well a model predicts anyone, how easily it is predicted by anyone, and a
    self-bonus, as others have reported it. The self-bonus is no test of self-knowledge: docs/metrics.md says why.

    \b
    selfexec cross runs/mine
    selfexec cross runs/mine runs/theirs --experiment restriction
    """
    from selfexec.analysis.cross import cross_prediction
    from selfexec.errors import InputError

    found = cross_prediction(selection)
    if found.nothing:
        raise InputError(found.nothing)
    show(found, form, out)
