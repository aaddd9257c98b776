"""The report: one HTML file with the answer, the numbers, and what stands behind them."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection
    from selfexec.report.data import Width
    from selfexec.report.evidence import Level
    from selfexec.runs import Files

LEVELS = ("none", "sample", "all")
WIDTHS = ("column", "page")


def report(
    runs: "Runs | Selection",
    path: str | Path = "report.html",
    *,
    evidence: "Level" = "sample",
    readings: "Files" = (),
    convention: str = "strict",
    panel: str | Path | None = None,
    groups: str | Path | None = None,
    abilities: str | Path | None = None,
    figures: str | Path | None = None,
    figure_width: "Width" = "column",
) -> Path:
    """Write the report of a run, or of several, as one file that opens anywhere, and return its path.

      evidence    the sessions in it: none, a sample (the worst surprises, and a few items for each outcome and state),
                  or all
      readings    files of readings that replace ours
      convention  strict (an unreadable prediction is a wrong one) or readable (it is left out)
      panel       a reference panel: `paper`, a file of `selfexec export --to panel`, or `none`; else as in `score`
      groups      a CSV or JSON file with a family for each model, to filter by: which models are of one family
      abilities   a file of Rasch abilities to set scores beside; without it the paper's, for models that it names
      figures     a folder to write each figure to as SVG, PNG and PDF, and each table as CSV and LaTeX
      figure_width  how wide these are in print: a `column` of two on a page (82.5 mm), or the `page` (171 mm)

    InputError: no replies, a file that cannot be read or written, another file in its place (an older report is
    overwritten), or an extra that `figures` wants and is not there.
    """
    from selfexec.analysis.selection import OURS, Selection, refuse_unknown
    from selfexec.errors import InputError
    from selfexec.files.outputs import REPORTS, form_by_ending, tried, tried_folder, write_page
    from selfexec.options import refuse_another_kind
    from selfexec.report.data import Options
    from selfexec.report.page import page

    refuse_another_kind("path", str | Path, path)
    form_by_ending(Path(path), REPORTS)
    path = tried(Path(path))
    _refuse_another_file(path)
    if figures is not None:
        tried_folder(Path(figures))
    without = ["models", "experiments", "source"]
    selection = Selection.of(runs, convention, readings=readings, panel=panel, groups=groups, without=without)
    refuse_unknown("convention", [selection.convention], OURS)
    refuse_unknown("evidence", [evidence], LEVELS)
    refuse_unknown("figure width", [figure_width], WIDTHS)
    files = (None if file is None else Path(file) for file in (selection.groups, abilities, figures))
    write_page(path, page(selection, Options(evidence, figure_width, *files)))
    return path


MARK = b'<meta name="generator" content="selfexec '
HEAD = 4096  # bytes, in which the mark stands


def _refuse_another_file(path: Path) -> None:
    """What is no report of ours is not overwritten; an empty file is, and what is no file at all."""
    from selfexec.errors import InputError

    try:
        with path.open("rb") if path.is_file() else nullcontext() as file:
            head = file.read(HEAD) if file else b""
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give another file.") from None
    if head and MARK not in head:
        raise InputError(
            f"{path}: this is no report of selfexec, and is not overwritten. Give another file, or remove it."
        )
