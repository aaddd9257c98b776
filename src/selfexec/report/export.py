"""Figures as files: SVG, PNG and PDF to put into a paper, and the table behind each as CSV and LaTeX."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from selfexec.errors import InputError
from selfexec.files import csv_rows
from selfexec.report.figures.figure import Figure
from selfexec.report.svg import POINT, SHEETS, Sheet
from selfexec.text.legible import harmless

PIXELS = 600  # of a PNG, for each inch
FORMATS = ("svg", "png", "pdf", "csv", "tex")
DRAWN = ("png", "pdf")


def export(
    figures: Iterable[Figure], folder: Path, formats: Sequence[str] = FORMATS, width: str = "column"
) -> list[Path]:
    """Each figure in each format, as `folder`/id.svg and so on. What was there is written over. Drawings are as wide as
    a `column` of two on a page (84 mm), or as a `page` (174 mm), with no letters smaller than 7 points.

    PNG and PDF take the extra `figures` (vl-convert, pikepdf): `lacking` says whether it is there.
    """
    if strange := [name for name in formats if name not in FORMATS]:
        raise InputError(f"unknown format {strange[0]!r} of a figure. There are {', '.join(FORMATS)}.")
    if width not in SHEETS:
        raise InputError(f"unknown width {width!r} of a figure. There are {', '.join(SHEETS)}.")
    makers = _makers(formats, SHEETS[width])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(
            f"{folder}: no folder for figures can be made here ({fault.strerror}). Name another."
        ) from None
    return list(_written(figures, folder, makers))


def export_tables(tables: Iterable[Figure], texts: Mapping[str, str], folder: Path) -> None:
    """Tables without a drawing, as LaTeX, and texts as they are, by the name of their file."""
    export(tables, folder, ("tex",))
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


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
        "tex": lambda figure: as_latex(figure).encode(),
    }
    if any(name in DRAWN for name in formats):
        known |= _painters(sheet)
    return {name: known[name] for name in FORMATS if name in formats}


def lacking() -> str | None:
    """What PNG and PDF would take that is not installed, and how to get it; None where all is there."""
    try:
        import pikepdf  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as fault:
        return (
            f"PNG and PDF of figures take the extra `figures` (there is no {fault.name} here). "
            "Install it: pip install 'selfexec[figures]'"
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


# --- drawings --------------------------------------------------------------------------------------------------------


def drawn(figure: Figure, sheet: Sheet, unit: Literal["mm", ""] = "mm") -> str:
    """The drawing on a sheet, for programs that know no CSS variables: its own colours, its size in print, in points
    where there is no `unit`.
    """
    assert figure.drawing and sheet.mm
    svg = _without_variables(figure.drawing(sheet))
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found
    width = sheet.mm if unit else sheet.mm / POINT
    height = width * float(found[2]) / float(found[1])
    return svg.replace('width="100%"', f'width="{width:.2f}{unit}" height="{height:.2f}{unit}"', 1)


def _without_variables(svg: str) -> str:
    """Each variable that the drawing sets itself in place of its uses, then what is to stand where none is set."""
    if own := re.search(r"--sx-cell:([\d.]+px)", svg):
        svg = svg.replace("var(--sx-cell,10px)", own[1]).replace(own[0], "")
    return re.sub(r"var\(--[a-z-]+,([^()]+)\)", r"\1", svg)


# --- tables ----------------------------------------------------------------------------------------------------------


# .56 [.51, .62] label, 12 of 1,250
VALUE = re.compile(r"(-?[\d.,]+)(?: \[(-?[\d.,]+), (-?[\d.,]+)\])?(?: (?:of (?=[\d,]+$))?(.+))?")


def as_csv(figure: Figure) -> str:
    """The table behind a figure, with its columns in the first line. A value, the ends of its interval and the name of
    a baseline each have a column of their own.
    """
    columns = [_apart(name, [row[n] for row in figure.rows], names=n == 0) for n, name in enumerate(figure.columns)]
    headings = [heading for found, _ in columns for heading in found]
    rows = ([cell for _, cells in columns for cell in cells[n]] for n in range(len(figure.rows)))
    return csv_rows.written([headings, *rows])


def _apart(name: str, cells: Sequence[str], *, names: bool) -> tuple[list[str], list[list[str]]]:
    """A column of the table as columns of data: as it is, where it holds `names`, or its cells are no numbers. Where
    some are numbers with intervals, the words of the others say why there is none.
    """
    plain = [cell.replace("−", "-").removeprefix("+") for cell in cells]
    found = [VALUE.fullmatch(cell) for cell in plain]
    whole = all(match or not cell for cell, match in zip(plain, found, strict=True))
    if names or not any(found) or not (whole or any(match and match[2] for match in found)):
        return [name], [[cell] for cell in cells]
    both = zip(cells, found, strict=True)
    parts = [[*match.groups(""), ""] if match else ["", "", "", "", cell] for cell, match in both]
    used = [any(part[n] for part in parts) for n in range(5)]
    headings = (name, f"{name} low", f"{name} high", f"{name} of", f"{name}: none because")
    shown = [[_number(part[n]) if n < 4 else part[n] for n in range(5) if used[n]] for part in parts]
    return [heading for heading, there in zip(headings, used, strict=True) if there], shown


def _number(text: str) -> str:
    """.56 as 0.56, 1,204 as 1204; what is no number as it is."""
    if not re.fullmatch(r"-?[\d.,]+", text):
        return text
    return re.sub(r"^(-?)\.", r"\g<1>0.", text.replace(",", ""))


def as_latex(figure: Figure) -> str:
    """The table behind a figure, for the packages booktabs and graphicx (it is made no wider than the text)."""
    layout = "l" + "r" * (len(figure.columns) - 1)
    lines = [
        "% needs \\usepackage{booktabs,graphicx}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{latex(figure.title)}.}}",
        f"\\label{{tab:{figure.id}}}",
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%",
        f"\\begin{{tabular}}{{{layout}}}",
        "\\toprule",
        _latex_row(figure.columns),
        "\\midrule",
        *map(_latex_row, figure.rows),
        "\\bottomrule",
        "\\end{tabular}}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    # a row that starts with a bracket would be taken for an option of the line break before it
    return " & ".join(f"{{}}{latex(c)}" if c.startswith("[") else latex(c) for c in cells) + " \\\\"


_LATEX = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "−": "$-$",
    "×": "$\\times$",
    "≥": "$\\geq$",
    "–": "--",
    "…": "\\dots{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def latex(text: str) -> str:
    """The text with everything that LaTeX would take for a command of its own."""
    return "".join(_LATEX.get(letter, letter) for letter in re.sub(r"\s+", " ", harmless(text)))
