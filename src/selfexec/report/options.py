"""What can be set about a report: apart from what writes it, which takes long to import."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from selfexec.analysis.options import ConventionOptions, Families, OutcomeSource, ReadingOptions, ReferencePanel
from selfexec.options import option

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection

Evidence = Literal["none", "sample", "all"]
Width = Literal["column", "page"]


def known_abilities() -> Any:
    """The option of abilities that figures show."""
    return option(
        None,
        "Rasch abilities to plot scores against: a CSV file, or the JSON output of `selfexec analyze rasch`. Default: "
        "the paper's abilities, for the models in the paper.",
        metavar="FILE",
        form="file",
    )


@dataclass(frozen=True)
class FiguresOptions(Families, ReferencePanel, OutcomeSource, ReadingOptions, ConventionOptions):
    """What can be set about figures."""

    runs: "Runs | Selection"
    _: KW_ONLY
    abilities: str | Path | None = known_abilities()


@dataclass(frozen=True)
class ReportOptions(Families, ReferencePanel, OutcomeSource, ReadingOptions, ConventionOptions):
    """What can be set about a report."""

    runs: "Runs | Selection"
    path: str | Path = option("report.html", "Where the page is written.", typed=False)
    _: KW_ONLY
    evidence: Evidence = option(
        "sample",
        "The sessions to include verbatim. sample: as many as fit into a page of 3 MB, starting with items on which "
        "either the model or the baseline was right, but not both.",
    )
    abilities: str | Path | None = known_abilities()
    figures: str | Path | None = option(
        None,
        "The folder for the figures as SVG, CSV and LaTeX, with a summary picture for each model; if the extra "
        "`figures` is installed, also as PNG and PDF.",
        metavar="FOLDER",
        form="file",
    )
    figure: str | None = option(None, "Only the figure with this ID (see docs/figures.md).", metavar="ID")
    figure_width: Width | None = option(
        None,
        "The width of the figures in print: one of two columns (82.5 mm) or the page (171 mm). Default: column.",
    )
    url: str | None = option(
        None,
        "The address where the page will be published. A preview image for links is written next to the page, and the "
        "page refers to the image at this address. Requires the extra `figures`.",
        metavar="ADDRESS",
    )
