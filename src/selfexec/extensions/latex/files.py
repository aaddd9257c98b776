"""What `report --figures` writes for LaTeX besides the table behind each figure."""

from selfexec.extensions.latex.wide_table import wide_table
from selfexec.extensions.latex.writing import as_latex, includes
from selfexec.report import score_lines
from selfexec.report.data import Data


def summary(data: Data) -> str:
    """The table of scores."""
    return as_latex(score_lines.summary(data.lines))


def models(data: Data) -> str:
    """A row for each model."""
    return wide_table(data.scores, data.lines, data.areas)


def figures(data: Data) -> str:
    """Every drawing with its caption."""
    return includes(data.drawings, page=data.options.figure_width == "page")
