"""selfexec rasch"""

from pathlib import Path

import click

from selfexec.cli.options import printed, show


@click.command("rasch")
@click.argument("table", metavar="TABLE.csv")
@click.option("--add", multiple=True, metavar="FILE", help="A file with further models in the same columns. Repeat.")
@click.option(
    "--method",
    type=click.Choice(["newton", "paper"]),
    default="newton",
    show_default=True,
    help="newton: joint maximum likelihood. paper: Algorithm 1 as printed.",
)
@click.option("--jackknife", is_flag=True, help="Also standard errors by leaving out one benchmark at a time.")
@printed("json")
def command(table: str, add: tuple[str, ...], method: str, jackknife: bool, form: str, out: Path | None) -> None:
    """Put models and benchmarks on one scale, from success rates with holes.

    TABLE.csv has a column of models and one column for each benchmark, rates from 0 to 1, empty where there is none.
    The name `paper` takes Table 1 of the paper: 15 models, 9 benchmarks.

    \b
    selfexec rasch benchmarks.csv
    selfexec rasch paper --add mine.csv       your models beside the paper's 15
    """
    from selfexec.analysis.rasch import rasch

    found = rasch(table, add=add, method=method, jackknife=jackknife)  # type: ignore[arg-type]  # click has checked it
    show(found, form, out)
