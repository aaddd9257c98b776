"""selfexec analyze"""

import click

from selfexec.cli.options import LateCommands
from selfexec.extension import Command

ANALYSES = {
    "cross": Command(
        "selfexec.cli.cross:command", "Own excess, with everything it rests on; each model's predictions of each other."
    ),
    "ladder": Command(
        "selfexec.cli.ladder:command", "Compare a model's own prediction with everything else that predicts it."
    ),
    "trend": Command("selfexec.cli.trend:command", "Follow checkpoints in their order."),
    "correlate": Command(
        "selfexec.cli.correlate:command", "Correlate scores with each other and with a table of other numbers."
    ),
}


@click.group("analyze", cls=LateCommands, core=ANALYSES, point="analyses", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Further analyses of replies that are there already. None of them asks a model.

    \b
    selfexec analyze cross runs/mine
    selfexec analyze trend checkpoint-1 checkpoint-2 checkpoint-3
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
