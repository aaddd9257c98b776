"""A report, written to a file."""

from contextlib import nullcontext
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

from selfexec.analysis.options import WITH_SKILL
from selfexec.analysis.selection import refuse_unknown, selection_of
from selfexec.errors import InputError
from selfexec.files.outputs import REPORTS, form_by_ending, tried, tried_folder, write_page
from selfexec.report.data import Options
from selfexec.report.export import lacking
from selfexec.report.options import Evidence, ReportOptions, Width
from selfexec.report.page import page
from selfexec.runs import takes


@takes(ReportOptions, "a report")
def report(options: ReportOptions) -> Path:
    """Write the report of a run, or of several, as one file that opens anywhere, and return its path.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: There are no replies, a file cannot be read or written, another file is in its place (an older
            report is overwritten), or an extra that `figures` wants is not there.
    """
    form_by_ending(Path(options.path), REPORTS)
    path = tried(Path(options.path))
    _refuse_another_file(path)
    if options.figures is not None:
        tried_folder(Path(options.figures))
    elif options.figure is not None:
        raise InputError(f"--figure {options.figure}: give a folder for it: --figures FOLDER.")
    selection, width = selection_of(options.runs, options), options.figure_width or "column"
    refuse_unknown("convention", [selection.convention], WITH_SKILL)
    refuse_unknown("evidence", [options.evidence], get_args(Evidence))
    refuse_unknown("figure width", [width], get_args(Width))
    groups, abilities, figures = (
        None if file is None else Path(file) for file in (selection.groups, options.abilities, options.figures)
    )
    preview = None if options.url is None else _preview_of(path, options.url)
    asked = Options(options.evidence, width, groups, abilities, figures, options.figure, options.url, preview)
    write_page(path, page(selection, asked))
    return path


def _preview_of(path: Path, url: str) -> Path:
    """Where the picture is written that previews of links to this address show."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or not url.isprintable() or " " in url:
        raise InputError(f"--url {url}: this is no address of a page. Give one like https://example.org/report.html.")
    if said := lacking():
        raise InputError(f"--url {url}: {said}")
    return tried(path.with_name(f"{path.stem}.preview.png"))


MARK = b'<meta name="generator" content="selfexec '
HEAD = 4096  # bytes, in which the mark stands


def _refuse_another_file(path: Path) -> None:
    """What is no report of ours is not overwritten; an empty file is, and what is no file at all."""
    try:
        with path.open("rb") if path.is_file() else nullcontext() as file:
            head = file.read(HEAD) if file else b""
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give another file.") from None
    if head and MARK not in head:
        raise InputError(
            f"{path}: this is no report of selfexec, and is not overwritten. Give another file, or remove it."
        )
