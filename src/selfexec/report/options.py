"""What can be set about a report: apart from what writes it, which takes long to import."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from selfexec.analysis.options import ConventionOptions, Families, ReadingOptions, ReferencePanel
from selfexec.options import option

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection

Evidence = Literal["none", "sample", "all"]
Width = Literal["column", "page"]


@dataclass(frozen=True)
class ReportOptions(Families, ReferencePanel, ReadingOptions, ConventionOptions):
    """What can be set about a report."""

    runs: "Runs | Selection"
    path: str | Path = option("report.html", "Where the page is written.", typed=False)
    _: KW_ONLY
    evidence: Evidence = option(
        "sample",
        "Sessions to take along, word for word. sample: as many as a page of 3 MB has room for, first those that "
        "make margins.",
    )
    abilities: str | Path | None = option(
        None,
        "Rasch abilities to set scores beside: CSV, or JSON of rasch. Without them the paper's, for models that it "
        "names.",
        metavar="FILE",
        form="file",
    )
    figures: str | Path | None = option(
        None,
        "A folder for each figure as SVG, CSV and LaTeX, and with the extra `figures` as PNG and PDF; a picture of "
        "each model, too.",
        metavar="FOLDER",
        form="file",
    )
    figure: str | None = option(None, "This figure alone, as it is called in docs/figures.md.", metavar="ID")
    figure_width: Width | None = option(
        None,
        "How wide these are in print: a column of two on a page (82.5 mm), or the page (171 mm); column unless it is "
        "given.",
    )
    url: str | None = option(
        None,
        "The address at which the page will stand, for previews of links: their picture is written next to the page, "
        "and its address into it. Takes the extra `figures`.",
        metavar="ADDRESS",
    )
