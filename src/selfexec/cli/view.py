"""selfexec view"""

import webbrowser
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import click

from selfexec.cli.declared import collect, options_of, quietly
from selfexec.cli.options import runs_argument, said_if_slow, say
from selfexec.report.options import ReportOptions

NO_BROWSER = "No browser can be opened here. `selfexec report` writes the page where you want it."


@click.command("view")
@runs_argument
@options_of(ReportOptions, without=("figures", "figure_width", "abilities"))
@quietly
def command(runs: tuple[Path, ...], **given: Any) -> None:
    """Write the report of runs to a temporary file and open it in the browser.

    The path of the file is printed; `selfexec report` writes the page where you want it. Nothing is served or fetched.

    \b
    selfexec view runs/mine
    """
    from selfexec.report.writing import report

    options = collect(ReportOptions, given, runs=runs)
    path = Path(mkdtemp(prefix="selfexec-")) / "report.html"
    with said_if_slow("Reading, scoring and drawing ..."):
        report(**vars(replace(options, path=path)))
    if _opened(path):
        say(f"{path}: opened in the browser.")
        return
    say(f"Open this page in a browser: {path}", result=True)
    say(NO_BROWSER)


def _opened(path: Path) -> bool:
    """Whether a browser with a window of its own was started: one that takes the terminal would hide what is said."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(browser, webbrowser.GenericBrowser) and not isinstance(browser, webbrowser.BackgroundBrowser):
        return False
    return browser.open(path.as_uri())
