"""selfexec report"""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, quietly
from selfexec.cli.options import page_place, put_data, runs_argument, said_if_slow, say
from selfexec.errors import InputError
from selfexec.files.outputs import REPORTS, tried_folder
from selfexec.options import option
from selfexec.report.options import ReportOptions
from selfexec.text.numbers import size_of

DEFAULT = Path("report.html")


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Where the page is written."""

    out: Path | None = option(
        None,
        "The .html file to write; - for standard output.  [default: report.html]",
        short="-o",
        metavar="PATH",
        form="file",
    )


@click.command("report")
@runs_argument
@options_of(ReportOptions)
@options_of(PageOptions)
@quietly
def command(runs: tuple[Path, ...], out: Path | None, **given: Any) -> None:
    """Write one HTML file with the results of runs and the evidence for each number.

    The file opens anywhere, offline: it loads nothing from the network. Replies are shown as text and never run.

    \b
    selfexec report runs/mine -o report.html
    selfexec report runs/mine --evidence all --figures figures
    selfexec report runs/mine -o report.html --url https://example.org/report.html
    """
    options = collect(ReportOptions, given, runs=runs)
    if (width := options.figure_width) and not options.figures:
        raise InputError(f"--figure-width {width}: which figures? Give a folder for them: --figures FOLDER.")
    place = page_place(out or DEFAULT, REPORTS)
    if options.figures:
        tried_folder(Path(options.figures))
    if place is None:
        if options.url:
            raise InputError(f"--url {options.url}: an image is written next to the page. Name a file: --out FILE.")
        _put_page(options)
        return
    path = _written(replace(options, path=place))
    say(f"{path}: {size_of(path.stat().st_size)}. Open it in a browser.")


def _put_page(options: ReportOptions) -> None:
    """The page on standard output."""
    with TemporaryDirectory() as folder:
        content = _written(replace(options, path=Path(folder) / DEFAULT)).read_bytes()
    put_data(content)


def _written(options: ReportOptions) -> Path:
    from selfexec.report.writing import report

    with said_if_slow("Reading, scoring and drawing ..."):
        return report(**vars(options))
