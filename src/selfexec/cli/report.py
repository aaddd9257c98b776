"""selfexec report"""

from pathlib import Path
from typing import Literal

import click

from selfexec.cli.stored import convention_option, folders_apart, readings_option, runs_argument
from selfexec.cli.variadic import Variadic


@click.command("report", cls=Variadic)
@runs_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default="report.html",
    show_default=True,
    help="The file to write.",
)
@click.option(
    "--evidence",
    type=click.Choice(["none", "sample", "all"]),
    default="sample",
    show_default=True,
    help="Sessions to take along, word for word. sample: the worst surprises, and a few for each outcome and state.",
)
@readings_option
@convention_option
@click.option("--groups", type=click.Path(path_type=Path), help="A CSV or JSON file of families: model,family.")
@click.option(
    "--abilities", type=click.Path(path_type=Path), help="Rasch abilities to set scores beside: CSV, or JSON of rasch."
)
@click.option(
    "--figures", type=click.Path(path_type=Path), help="A folder for each figure as SVG, PNG, PDF, CSV and LaTeX."
)
def command(
    runs: tuple[Path, ...],
    output: Path,
    evidence: Literal["none", "sample", "all"],
    readings: tuple[Path, ...],
    convention: str,
    groups: Path | None,
    abilities: Path | None,
    figures: Path | None,
) -> None:
    """Write one HTML file that shows what runs say, and what stands behind each number.

    It opens anywhere, offline. Nothing in it is fetched, and no reply can do anything in it but be read.
    """
    from selfexec.reporting import report

    runs, readings = folders_apart("report", runs, readings)
    path = report(
        runs,
        output,
        evidence=evidence,
        readings=readings,
        convention=convention,
        groups=groups,
        abilities=abilities,
        figures=figures,
    )
    click.echo(f"{path}: {path.stat().st_size / 1e6:.1f} MB. Open it in a browser.")
