"""The figures of a report by themselves, for notebooks and scripts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from selfexec.analysis.options import WITH_SKILL
from selfexec.analysis.selection import refuse_unknown, selection_of
from selfexec.report.data import Data, Options
from selfexec.report.export import export
from selfexec.report.figures import Figure
from selfexec.report.options import FiguresOptions, Width
from selfexec.runs import takes
from selfexec.text.matching import listed
from selfexec.text.tables import as_html

FILES = ("svg", "csv")  # of each figure; neither needs an extra


class Figures(Sequence[Figure]):
    """Figures in the order of the report, by their place or by their id: `figures["margins"]`."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._figures = list(figures)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, str):
            return self._figures[index]
        for figure in self._figures:
            if figure.id == index:
                return figure
        raise KeyError(f"there is no figure {index!r} ({listed('figures', self.ids)})")

    def __len__(self) -> int:
        return len(self._figures)

    @property
    def ids(self) -> list[str]:
        """The id of each figure, which is also the name of its files."""
        return [figure.id for figure in self._figures]

    def write(self, folder: str | Path, formats: Sequence[str] = FILES, width: Width = "column") -> list[Path]:
        """Write each figure to the folder in each format, and return the paths of the files.

        Args:
            folder: Made where it does not exist. Files of the same names are overwritten.
            formats: `svg`, `png`, `pdf`, `csv` (the numbers) and `tex` (the table). PNG and PDF need the extra
                `figures`.
            width: As wide as a `column` of two on a page (82.5 mm), or as the `page` (171 mm).

        Raises:
            InputError: A format or a width is unknown, the folder cannot be made, or the extra is not installed.
        """
        return export(self._figures, folder, [formats] if isinstance(formats, str) else formats, width)

    def __repr__(self) -> str:
        return "\n".join([f"{len(self)} figures", *(f"  {figure.id}: {figure.headline}" for figure in self._figures)])

    def _repr_html_(self) -> str:
        return as_html("Figures", ["id", "shows"], [[figure.id, figure.headline] for figure in self._figures])


@takes(FiguresOptions, "figures")
def figures(options: FiguresOptions) -> Figures:
    """The figures of a report, drawn from stored replies. One whose data are absent is left out.

    In a notebook, `figures(run)["margins"]` shows the drawing with its title and caption; `write` saves all of them.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: There are no replies, or a file cannot be read.
    """
    selection = selection_of(options.runs, options)
    refuse_unknown("convention", [selection.convention], WITH_SKILL)
    groups, abilities = (None if file is None else Path(file) for file in (selection.groups, options.abilities))
    return Figures(Data(selection, Options(groups=groups, abilities=abilities)).drawings)
