"""selfexec cross"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from selfexec.cli.options import groups_option, printed, show, source_option
from selfexec.cli.selection import selection_options

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection


@click.command("cross")
@selection_options(models=None, experiments="Only these experiments.")
@source_option
@groups_option
@click.option(
    "--subject",
    metavar="MODEL",
    help="Only this model's behaviour: how well the others predict it, in each condition in which they were asked.",
)
@printed("json", "csv")
def command(selection: "Selection", subject: str | None, form: str, out: Path | None) -> None:
    """Hold every model's predictions against every model's behaviour.

    For each experiment the verdict on own excess (does a prediction tell something of its own behaviour that nobody
    else's predictions or outcomes tell?) with everything that it rests on, for the panel and for each model. Below, for
    comparison with the literature, the matrix of accuracies and its additive self-bonus, which is no test of
    self-knowledge: docs/metrics.md says why.

    \b
    selfexec cross runs/mine
    selfexec cross runs/mine runs/theirs --experiment restriction
    selfexec cross runs/both --subject openai/b
    """
    from selfexec.analysis.cross import cross_prediction, predictions_about
    from selfexec.errors import InputError

    if subject is not None:
        show(predictions_about(selection, subject), form, out)
        return
    if form == "csv":
        raise InputError("csv: matrices are no rows. Take --format json (.json), or name a --subject.")
    found = cross_prediction(selection)
    if found.nothing:
        raise InputError(found.nothing)
    show(found, form, out)
