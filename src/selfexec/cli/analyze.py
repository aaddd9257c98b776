"""selfexec analyze"""

import click

from selfexec.cli.options import LateCommands

# name -> (module, what it does)
ANALYSES = {
    "cross": ("selfexec.cli.cross", "Own excess, with everything it rests on; each model's predictions of each other."),
    "ladder": ("selfexec.cli.ladder", "Compare a model's own prediction with everything else that predicts it."),
    "trend": ("selfexec.cli.trend", "Follow checkpoints in their order."),
    "correlate": ("selfexec.cli.correlate", "Correlate scores with each other and with a table of other numbers."),
    "ledger": ("selfexec.extensions.published.command", "Show each score under three counting rules."),
    "rasch": ("selfexec.extensions.rasch.command", "Put models and benchmarks on one scale, from success rates."),
}


@click.group("analyze", cls=LateCommands, modules=ANALYSES, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Further analyses of replies that are there already. None of them asks a model.

    \b
    selfexec analyze cross runs/mine
    selfexec analyze trend checkpoint-1 checkpoint-2 checkpoint-3
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
