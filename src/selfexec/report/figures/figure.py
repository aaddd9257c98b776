"""What a figure is: a drawing, and the table behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from selfexec.report.svg import PHONE, ROWS, SCREEN, Drawing
from selfexec.text.numbers import Printed
from selfexec.text.tables import as_html


@dataclass(frozen=True, repr=False)
class Figure:
    """`columns` and `cells` are the numbers that it shows, below names of rows. A table alone has no drawing. `title`
    says what is drawn, and `finding` what that shows: empty where nothing is found. `paper`: what the paper has for the
    same models. `of`: the experiment, where all its marks lead to the items of one.
    """

    id: str
    title: str
    caption: str
    drawing: Drawing | None = field(compare=False, repr=False)
    columns: list[str]
    cells: list[list[str]]  # Printed, where they are numbers
    finding: str = ""
    paper: str = ""
    of: str = ""

    @property
    def headline(self) -> str:
        return self.finding or self.title

    @cached_property
    def keys(self) -> int:
        """How many columns name a row; the others hold numbers, or what is said of them."""
        first = (n for n in range(len(self.columns)) if any(isinstance(row[n], Printed) for row in self.cells))
        named = (n for n in range(1, len(self.columns)) if not all(row[n] for row in self.cells))
        return max(1, min([*first, *named, len(self.columns)]))

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells as nothing but text."""
        return [[str(cell) for cell in row] for row in self.cells]

    @cached_property
    def svg(self) -> str:
        """For the page. It stands alone: no script, nothing from elsewhere. Its colours are the page's CSS variables
        where there are any.
        """
        return self.drawing(SCREEN) if self.drawing else ""

    def __repr__(self) -> str:
        return f"Figure({self.id!r}: {self.headline})"

    def _repr_html_(self) -> str:
        if not self.svg:
            return as_html(self.headline, self.columns, self.rows, [self.caption])
        return f"<p><b>{escape(self.headline)}</b></p>{self.svg}<p>{escape(self.caption)}</p>"

    @property
    def narrow(self) -> str:
        """The same laid out for a phone: what has no room beside each other stands below."""
        return self.drawing(PHONE) if self.drawing else ""

    @property
    def sortable(self) -> bool:
        """Whether the drawing has a row for each model, so that the page can put them in another order."""
        return f'class="sx {ROWS}' in self.svg and len({row[0] for row in self.cells}) > 1


def behind(models: Sequence[str], cells: Mapping[str, Mapping[str, str]]) -> tuple[list[str], list[list[str]]]:
    """The table behind a figure: `cells` are column -> model -> text. A model without any cell is left out."""
    kept = {column: found for column, found in cells.items() if found}
    shown = [model for model in models if any(model in found for found in kept.values())]
    return ["model", *kept], [[model, *(found.get(model, "") for found in kept.values())] for model in shown]
