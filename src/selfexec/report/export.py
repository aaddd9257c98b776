"""Figures as files: SVG, PNG and PDF to put into a paper, and the table behind each as CSV and in added formats."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from selfexec.errors import InputError
from selfexec.extension import Places, ReportFile, registered, resolve
from selfexec.extras import to_install
from selfexec.files import csv_rows
from selfexec.report.figures.figure import Figure
from selfexec.report.score_lines import SUMMARISED, WHY
from selfexec.report.svg import POINT, SHEETS, Sheet
from selfexec.text.numbers import ABSENT, Printed

PIXELS = 400  # of a PNG, for each inch
ADDED: Places = registered("figure_formats")
FORMATS = ("svg", "png", "pdf", "csv", *ADDED)
DRAWN = ("png", "pdf")


def export(
    figures: Iterable[Figure], folder: str | Path, formats: Sequence[str] = FORMATS, width: str = "column"
) -> list[Path]:
    """Each figure in each format, as `folder`/id.svg and so on. What was there is written over. Drawings are as wide as
    a `column` of two on a page (82.5 mm), or as a `page` (171 mm), with no letters smaller than 7 points.

    PNG and PDF take the extra `figures` (vl-convert, pikepdf): `lacking` says whether it is there.
    """
    if strange := [name for name in formats if name not in FORMATS]:
        raise InputError(f"unknown format {strange[0]!r} of a figure. There are {', '.join(FORMATS)}.")
    if width not in SHEETS:
        raise InputError(f"unknown width {width!r} of a figure. There are {', '.join(SHEETS)}.")
    makers = _makers(formats, SHEETS[width])
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(
            f"{folder}: no folder for figures can be made here ({fault.strerror}). Name another."
        ) from None
    return list(_written(figures, folder, makers))


def _written(
    figures: Iterable[Figure], folder: Path, makers: Mapping[str, Callable[[Figure], bytes]]
) -> Iterator[Path]:
    for figure in figures:
        for form, make in makers.items():
            path = folder / f"{figure.id}.{form}"
            path.write_bytes(make(figure))
            yield path


def _makers(formats: Sequence[str], sheet: Sheet) -> dict[str, Callable[[Figure], bytes]]:
    known: dict[str, Callable[[Figure], bytes]] = {
        "svg": lambda figure: drawn(figure, sheet).encode(),
        "csv": lambda figure: as_csv(figure).encode(),
    }
    known |= {name: partial(_text_as, ADDED[name]) for name in formats if name in ADDED}
    if any(name in DRAWN for name in formats):
        known |= _painters(sheet)
    return {name: known[name] for name in FORMATS if name in formats}


def _text_as(place: str, figure: Figure) -> bytes:
    text: str = resolve(place)(figure)
    return text.encode()


def lacking() -> str | None:
    """What PNG and PDF would take that is not installed, and how to get it; None where all is there."""
    try:
        import pikepdf  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as fault:
        return (
            f"PNG and PDF of figures need the extra `figures` (there is no {fault.name} here). "
            f"Install it: {to_install('figures')}"
        )
    return None


def _painters(sheet: Sheet) -> dict[str, Callable[[Figure], bytes]]:
    if said := lacking():
        raise InputError(said)
    import pikepdf
    import vl_convert

    def pdf(figure: Figure) -> bytes:
        # vl-convert numbers the objects of a PDF anew each time; pikepdf writes them in the order of the page's tree
        # for vl-convert a pixel is a point
        painted, settled = vl_convert.svg_to_pdf(drawn(figure, sheet, unit="")), io.BytesIO()
        with pikepdf.open(io.BytesIO(painted)) as document:
            document.docinfo["/Title"] = figure.title
            document.save(settled, deterministic_id=True)
        return settled.getvalue()

    def png(figure: Figure) -> bytes:
        painted: bytes = vl_convert.svg_to_png(drawn(figure, sheet, unit=""), ppi=PIXELS)
        return painted

    return {"png": png, "pdf": pdf}


def picture_as_png(svg: str) -> bytes:
    """A picture for screens, a pixel for each of its units. It takes the extra `figures`."""
    import vl_convert

    painted: bytes = vl_convert.svg_to_png(svg, ppi=72)
    return painted


# --- drawings --------------------------------------------------------------------------------------------------------


def drawn(figure: Figure, sheet: Sheet, unit: Literal["mm", ""] = "mm") -> str:
    """The drawing on a sheet, for programs that know no CSS variables: its own colours, its size in print, in points
    where there is no `unit`.
    """
    assert figure.drawing and sheet.mm
    svg = re.sub(r"var\(--[a-z-]+,([^()]+)\)", r"\1", figure.drawing(sheet))  # what stands where none is set
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found
    width = sheet.mm if unit else sheet.mm / POINT
    height = width * float(found[2]) / float(found[1])
    return svg.replace('width="100%"', f'width="{width:.2f}{unit}" height="{height:.2f}{unit}"', 1)


# --- tables ----------------------------------------------------------------------------------------------------------


# beside the names of a row
NUMBER = {
    "quantity": ("which of the figure's numbers it is: a column of the table behind it"),
    "value": "the number in full (no shares in per cent); empty where there is none",
    "low": "the low end of its 95% interval; empty where it has none",
    "high": "the high end",
    "of": "of how many, where it is a count of some",
    "unit": "what it counts; empty for a share, a skill, a margin, a correlation or an ability",
    "baseline": "whose number it is, where it is not the model's own",
    "score": "the row of scores.csv that it is, by experiment and metric; empty where it is none",
    "said": "what is said in place of a number, or of it",
}


def as_csv(figure: Figure) -> str:
    """The numbers of a figure in full, one in each line, below the names of what they are of and which they are."""
    names, quantities = figure.columns[: figure.keys], figure.columns[figure.keys :]
    rows = (
        [*row[: figure.keys], quantity, *_number(cell)]
        for row in figure.cells
        for quantity, cell in zip(quantities, row[figure.keys :], strict=True)
        if cell and cell != ABSENT
    )
    return csv_rows.written([[*names, *NUMBER], *rows])


def _number(cell: str) -> Sequence[str | float | None]:
    if not isinstance(cell, Printed):
        return [None] * 7 + [cell]
    return [cell.value, cell.low, cell.high, cell.of, cell.unit, cell.baseline, cell.score, None]


# of the other tables
SCORES = {
    "model": "whose score it is",
    "experiment": "in which experiment, or overall",
    "metric": "which of its metrics (docs/metrics.md)",
    "value": "the number in full; shares are no percentages; empty where it is withheld or undefined",
    "low": "the low end of its 95% interval; empty where it has none",
    "high": "the high end",
    "items": "how many items were asked",
    "claims": "how many claims these make",
    "unreadable": "how many of these could not be read",
    "missing": "how many of these never came",
    "convention": "how unreadable claims count: strict, readable or authors",
    "reason": "why it is withheld; beside a value, why it is to be read with caution",
    "preset": "the cut of the items, where they are just those of one",
    "worst": "the least value, whatever the lost claims would have been",
    "best": "the greatest value, whatever the lost claims would have been",
    "baseline": "which baseline a best_baseline or a baseline_margin is of",
    "models": "how many models were read on its items, itself included",
    "source": "who says what was done: self, rule, human or judge:NAME",
    "condition": "how it was asked",
    "verdict": "what follows from own excess",
    "panel": "the reference panel that other models are of",
}
MEANING = {  # of the columns of summary.csv that do not say it themselves
    "predicted rate": "yes rate of the predictions that were read; empty where claims are not of yes and no",
    "observed rate": "how often the model did it, of the same claims; less than the predicted rate by the rate bias",
    "margin at own rate": "margin over the best baseline made to say yes as often as the model",
}


def dictionary(figures: Iterable[Figure]) -> str:
    """What is in the tables, column by column, and what each figure shows."""
    ends = {"": "", " low": ": the low end of its 95% interval", " high": ": the high end of its 95% interval"}
    summary = {
        f"{name}{end}": f"{MEANING.get(name, name)}, in full{what}" for name in SUMMARISED for end, what in ends.items()
    }
    summary = {"model": SCORES["model"], "experiment": SCORES["experiment"], **summary, WHY: SCORES["reason"]}
    added: Mapping[str, ReportFile] = registered("report_files")
    tables = {"each figure": NUMBER, "summary.csv": summary, "scores.csv": SCORES}
    tables |= {name: resolve(file.columns) for name, file in added.items() if file.columns}
    rows = [[name, column, what] for name, columns in tables.items() for column, what in columns.items()]
    rows += [[f"{figure.id}.csv", "", f"{figure.title}. {figure.caption}"] for figure in figures]
    return csv_rows.written([["file", "column", "meaning"], *rows])
