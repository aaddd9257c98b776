"""selfexec rasch"""

import click

from selfexec.cli.variadic import Variadic


@click.command("rasch", cls=Variadic)
@click.argument("table", metavar="TABLE.csv")
@click.option("--add", multiple=True, help="Files with further models in the same columns.")
@click.option(
    "--method",
    type=click.Choice(["newton", "paper"]),
    default="newton",
    show_default=True,
    help="newton: joint maximum likelihood. paper: Algorithm 1 as printed.",
)
@click.option("--jackknife", is_flag=True, help="Also standard errors by leaving out one benchmark at a time.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(table: str, add: tuple[str, ...], method: str, jackknife: bool, form: str) -> None:
    """Put models and benchmarks on one scale, from success rates with holes.

    TABLE.csv has a column of models and one column for each benchmark, rates from 0 to 1, empty where there is none.
    The name `paper` takes Table 1 of the paper: 15 models, 9 benchmarks.
    """
    from selfexec.abilities import rasch
    from selfexec.tables import terminal_width

    found = rasch(table, add=add, method=method, jackknife=jackknife)  # type: ignore[arg-type]  # click has checked it
    click.echo(found.json() if form == "json" else found.table(terminal_width()))
