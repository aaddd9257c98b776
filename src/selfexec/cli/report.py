"""selfexec report"""

from pathlib import Path
from typing import Literal

import click

from selfexec.cli.variadic import Variadic


@click.command("report", cls=Variadic)
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path))
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
@click.option("--readings", multiple=True, type=click.Path(path_type=Path), help="Files of readings that replace ours.")
@click.option(
    "--convention",
    type=click.Choice(["strict", "readable"]),
    default="strict",
    show_default=True,
    help="strict: an unreadable claim is a wrong prediction. readable: unreadable claims are left out.",
)
@click.option("--groups", type=click.Path(path_type=Path), help="A CSV or JSON file of families: model,family.")
def command(
    runs: tuple[Path, ...],
    output: Path,
    evidence: Literal["none", "sample", "all"],
    readings: tuple[Path, ...],
    convention: str,
    groups: Path | None,
) -> None:
    """Write one HTML file that shows what runs say, and what stands behind each number.

    It opens anywhere, offline. Nothing in it is fetched, and no reply can do anything in it but be read.
    """
    from selfexec.errors import InputError
    from selfexec.reporting import report

    # "--readings a.jsonl b.jsonl RUN": a folder is a run, wherever it stands
    runs, readings = (*runs, *(p for p in readings if p.is_dir())), tuple(p for p in readings if not p.is_dir())
    if not runs:
        raise InputError("which run? Give its folder: selfexec report RUN")
    path = report(runs, output, evidence=evidence, readings=readings, convention=convention, groups=groups)
    click.echo(f"{path}: {path.stat().st_size / 1e6:.1f} MB. Open it in a browser.")
