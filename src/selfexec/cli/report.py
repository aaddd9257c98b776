"""selfexec report"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import click

from selfexec.cli.options import (
    PathArgument,
    groups_option,
    out_option,
    page_place,
    panel_option,
    put_data,
    said_if_slow,
    say,
)
from selfexec.cli.selection import selection_options
from selfexec.errors import InputError
from selfexec.files.outputs import REPORTS, tried_folder
from selfexec.text.numbers import size_of

if TYPE_CHECKING:
    from selfexec.analysis.selection import Selection

DEFAULT = Path("report.html")


@click.command("report")
@selection_options("strict", "readable", models=None, experiments=None)
@panel_option
@out_option("The file to write, .html; - for standard output.  [default: report.html]")
@click.option("--output", hidden=True, type=PathArgument())  # as it was spelt before; for one version
@click.option(
    "--evidence",
    type=click.Choice(["none", "sample", "all"]),
    default="sample",
    show_default=True,
    help="Sessions to take along, word for word. sample: the worst surprises, and a few for each outcome and state.",
)
@groups_option
@click.option(
    "--abilities",
    metavar="FILE",
    type=PathArgument(),
    help="Rasch abilities to set scores beside: CSV, or JSON of rasch.",
)
@click.option(
    "--figures",
    metavar="FOLDER",
    type=PathArgument(),
    help="A folder for each figure as SVG, CSV and LaTeX, and with the extra `figures` as PNG and PDF.",
)
@click.option(
    "--figure-width",
    type=click.Choice(["column", "page"]),
    help="How wide these are in print: a column of two on a page (82.5 mm), or the page (171 mm).  [default: column]",
)
def command(
    selection: "Selection",
    out: Path | None,
    output: Path | None,
    evidence: Literal["none", "sample", "all"],
    abilities: Path | None,
    figures: Path | None,
    figure_width: Literal["column", "page"] | None,
) -> None:
    """Write one HTML file that shows what runs say, and what stands behind each number.

    It opens anywhere, offline. Nothing in it is fetched, and no reply can do anything in it but be read.

    \b
    selfexec report runs/mine -o report.html
    selfexec report runs/mine --evidence all --figures figures
    """
    from selfexec.report import report

    if output:
        if out:
            raise InputError(f"--output {output}: it is the old name of --out. Give --out alone.")
        say("selfexec: warning: --output is called --out now; the next version takes that alone.", err=True)
    if figure_width and not figures:
        raise InputError(f"--figure-width {figure_width}: of which figures? Give a folder for them: --figures FOLDER.")
    place = page_place(out or output or DEFAULT, REPORTS)
    if figures:
        tried_folder(figures)
    if place is None:
        _put_page(selection, evidence=evidence, abilities=abilities, figures=figures, figure_width=figure_width)
        return
    with said_if_slow("Reading, scoring and drawing ..."):
        path = report(
            selection,
            place,
            evidence=evidence,
            abilities=abilities,
            figures=figures,
            figure_width=figure_width or "column",
        )
    say(f"{path}: {size_of(path.stat().st_size)}. Open it in a browser.")


def _put_page(selection: "Selection", figure_width: Literal["column", "page"] | None, **options: Any) -> None:
    """The page on standard output."""
    from selfexec.report import report

    with TemporaryDirectory() as folder, said_if_slow("Reading, scoring and drawing ..."):
        path = report(selection, Path(folder) / DEFAULT, figure_width=figure_width or "column", **options)
        content = path.read_bytes()
    put_data(content)
