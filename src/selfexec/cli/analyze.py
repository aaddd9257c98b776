"""selfexec analyze"""

import click

from selfexec.cli.options import LateCommands
from selfexec.extension import Command

ANALYSES = {
    "cross": Command(
        "selfexec.cli.cross:command", "Show own excess and its evidence, and how well each model predicts every other."
    ),
    "ladder": Command(
        "selfexec.cli.ladder:command", "Compare a model's own predictions with all other predictors of its behaviour."
    ),
    "trend": Command("selfexec.cli.trend:command", "Show how scores change over a series of checkpoints."),
    "correlate": Command(
        "selfexec.cli.correlate:command", "Correlate scores with each other and with a table of other numbers."
    ),
}


@click.group("analyze", cls=LateCommands, core=ANALYSES, point="analyses", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Run further analyses of a run's stored replies. No model is called.

    \b
    selfexec analyze cross runs/mine
    selfexec analyze trend checkpoint-1 checkpoint-2 checkpoint-3
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
