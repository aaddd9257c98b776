"""What can be set about a report: apart from what writes it, which takes long to import."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from selfexec.analysis.options import ConventionOptions, Families, ReadingOptions, ReferencePanel
from selfexec.options import option

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection

Evidence = Literal["none", "sample", "all"]
Width = Literal["column", "page"]


def known_abilities() -> Any:
    """The option of abilities that figures show."""
    return option(
        None,
        "Rasch abilities to plot scores against: CSV, or JSON of rasch. Default: the paper's, for models that it "
        "names.",
        metavar="FILE",
        form="file",
    )


@dataclass(frozen=True)
class FiguresOptions(Families, ReferencePanel, ReadingOptions, ConventionOptions):
    """What can be set about figures."""

    runs: "Runs | Selection"
    _: KW_ONLY
    abilities: str | Path | None = known_abilities()


@dataclass(frozen=True)
class ReportOptions(Families, ReferencePanel, ReadingOptions, ConventionOptions):
    """What can be set about a report."""

    runs: "Runs | Selection"
    path: str | Path = option("report.html", "Where the page is written.", typed=False)
    _: KW_ONLY
    evidence: Evidence = option(
        "sample",
        "The sessions to include verbatim. sample: as many as fit into a page of 3 MB, first those that make margins.",
    )
    abilities: str | Path | None = known_abilities()
    figures: str | Path | None = option(
        None,
        "A folder for the figures as SVG, CSV and LaTeX, and a picture of each model; with the extra `figures` also as "
        "PNG and PDF.",
        metavar="FOLDER",
        form="file",
    )
    figure: str | None = option(None, "This figure alone, as it is called in docs/figures.md.", metavar="ID")
    figure_width: Width | None = option(
        None,
        "Their width in print: one of two columns (82.5 mm) or the page (171 mm). Default: column.",
    )
    url: str | None = option(
        None,
        "The address at which the page will stand, for previews of links: their picture is written next to the page, "
        "and its address into it. Takes the extra `figures`.",
        metavar="ADDRESS",
    )
