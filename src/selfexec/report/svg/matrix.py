"""A layout: a matrix, a row and a column for each key, and a number of its own at the end of each row."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.report.svg.canvas import (
    GREAT_LETTERS,
    SMALL_LETTERS,
    Drawing,
    Sheet,
    at,
    belonging,
    box,
    breadth,
    drawing,
    leading,
    shortened,
    tick_label,
    told,
    wrapped,
    write,
)
from selfexec.report.svg.order import ModelOrder

MATRIX = "sx-matrix"  # the class of such a drawing
LABELS, ENDS = 232.0, 86.0  # room for labels, and for the numbers at the end of rows
WIDEST, TALLEST = 56.0, 30.0  # cells
FAINTEST, RANGE = 0.04, 0.42  # how opaque a cell is at least, and how much more at most
DENSE = 30  # rows and columns: with more, a cell has no room for its number
SOLID = FAINTEST + RANGE
STEPS = 50  # of opacity, from clear to solid, in cells without one
FULL = 0.68  # of a cell's width, by the widest of its numbers
PATCH, PATCHES = 13.0, 3  # of the key, to either side of the middle
Shade = Callable[[float], tuple[str, float]]  # value -> its class, and how opaque it is


@dataclass(frozen=True)
class Cell:
    """A number, as text and as it is shaded, and what it says on hover."""

    value: float
    text: str
    title: str


@dataclass(frozen=True)
class MatrixRow:
    """The cells of a row, in the order of the keys, and what stands at its end, with what that says on hover."""

    cells: Sequence[Cell]
    end: str = ""
    end_title: str = ""


def matrix(
    model_order: ModelOrder,
    id: str,
    title: str,
    description: str,
    lines: Mapping[str, MatrixRow],
    corner: str,
    end: str,
    *,
    of: str = "",
    around_zero: bool = False,
    colours: str | None = None,
) -> Drawing:
    """The drawing of these rows, whose diagonal is framed. `corner`: what rows and columns are; `end`: what the last
    column is; `of`: what the diagonal leads to. Of many keys cells are shades alone, and only the diagonal has words on
    hover. They are shaded from the least to the greatest; `around_zero`, by how far from 0 they are, in one colour
    above and in another below, as a key below them says, and what `colours` mean.
    """
    labels = {key: f"{k} {model_order.labels[key]}" for k, key in enumerate(lines, 1)}
    left = 14 + min(max(breadth(label, SMALL_LETTERS) for label in labels.values()), LABELS)
    left = max(left, breadth(corner, SMALL_LETTERS) + 12)
    values = [cell.value for line in lines.values() for cell in line.cells]
    shade = _around_zero(max(map(abs, values))) if around_zero else _upwards(min(values), max(values))
    widest = max(breadth(cell.text, 1.0) for line in lines.values() for cell in line.cells)

    def drawn(sheet: Sheet) -> str:
        width = min((sheet.width - left - ENDS) / len(lines), WIDEST)
        grid = Grid(left, 28.0, width, min(max(width, 20.0), TALLEST), len(lines))
        letters = max(min(GREAT_LETTERS - 3, width * FULL / (widest or 1.0)), sheet.least_letters)
        numbered = not sheet.least_letters or widest * letters < width
        parts = [f'<g style="--sx-cell:{letters:.1f}px">', *_head(grid, corner, end)]
        for row, (key, line) in enumerate(lines.items()):
            cells = _dense_row(grid, row, line, shade) if grid.dense else _row(grid, row, line, shade, numbered, of)
            parts.append(belonging(model_order.whose(key), _label(grid, row, key, labels[key]), *cells))
        # above all cells, since those of the next row would cover the lower edge
        for k, key in enumerate(lines):
            frame = _frame(grid, k, lines[key].cells[k].title, of)
            parts.append(belonging(model_order.whose(key), frame))
        end_of_cells = grid.y(grid.size) + 8
        if colours is None:
            return drawing(sheet, id, title, description, end_of_cells, [*parts, "</g>"], layout=MATRIX)
        key_to, below = _key(sheet, shade, max(map(abs, values)), colours, end_of_cells)
        return drawing(sheet, id, title, description, below, [*parts, "</g>", *key_to], layout=MATRIX)

    return drawn


@dataclass(frozen=True)
class Grid:
    left: float
    top: float
    width: float
    height: float
    size: int

    @property
    def dense(self) -> bool:
        return self.size > DENSE

    def x(self, column: int) -> float:
        return self.left + self.width * column

    def y(self, row: int) -> float:
        return self.top + self.height * row

    def middle(self, row: int) -> float:
        return self.y(row) + self.height / 2

    @property
    def right(self) -> float:
        """Where the column at the end of rows ends."""
        return self.x(self.size) + ENDS - 4


def _head(grid: Grid, corner: str, end: str) -> Iterator[str]:
    y = grid.top - 11
    yield write(grid.left - 8, y, corner, "sx-soft sx-tick", "end")
    step = math.ceil((breadth(str(grid.size), SMALL_LETTERS) + 5) / grid.width)  # those that have room
    for k in range(0, grid.size, step):
        yield write(grid.x(k) + grid.width / 2, y, str(k + 1), "sx-soft sx-tick", "middle")
    yield write(grid.right, y, end, "sx-soft sx-tick", "end")


def _label(grid: Grid, row: int, key: str, label: str) -> str:
    return write(grid.left - 8, grid.middle(row), shortened(label, LABELS, SMALL_LETTERS), "sx-tick", "end", key)


def _key(sheet: Sheet, shade: Shade, most: float, text: str, y: float) -> tuple[list[str], float]:
    """Patches from the least to the greatest, what they stand for in one line or more, and the height below."""
    ends = [f"{sign}{tick_label(round(most, 2))}" for sign in "−+"]
    x, middle = 12 + breadth(ends[0], SMALL_LETTERS), y + 11
    parts = [write(4, middle, ends[0], "sx-soft sx-tick")]
    for n in range(-PATCHES, PATCHES + 1):
        kind, opacity = shade(most * n / PATCHES)
        parts.append(box(x, y + 5, PATCH, 12, kind, f' fill-opacity="{opacity:.3f}"'))
        x += PATCH
    parts.append(write(x + 4, middle, ends[1], "sx-soft sx-tick"))
    x += 16 + breadth(ends[1], SMALL_LETTERS)
    lines = wrapped(text, sheet.width - x, SMALL_LETTERS)
    parts += [write(x, middle + 18 * n, line, "sx-soft sx-tick") for n, line in enumerate(lines)]
    return parts, y + 4 + 18 * max(len(lines), 1)


def _upwards(low: float, high: float) -> Shade:
    return lambda value: ("sx-heat", FAINTEST + RANGE * ((value - low) / (high - low) if high > low else 0.0))


def _around_zero(most: float) -> Shade:
    """Signs stand in the cells, too, for readers who cannot tell the colours apart."""
    return lambda value: ("sx-below" if value < 0 else "sx-heat", RANGE * (abs(value) / most if most > 0 else 0.0))


def _row(grid: Grid, row: int, line: MatrixRow, shade: Shade, numbered: bool, of: str) -> Iterator[str]:
    for column, cell in enumerate(line.cells):
        kind, opacity = shade(cell.value)
        place = box(grid.x(column), grid.y(row), grid.width, grid.height, kind, f' fill-opacity="{opacity:.3f}"')
        x = grid.x(column) + grid.width / 2
        number = write(x, grid.middle(row), cell.text, "sx-cell", "middle") if numbered else ""
        own = leading(of) if column == row else ""  # a cell beside the diagonal is of two keys
        yield f'<g class="sx-mark"{own}>{told(cell.title)}{place}{number}</g>'
    if line.end:
        yield write(grid.right, grid.middle(row), line.end, "sx-tick", "end", line.end_title)


def _frame(grid: Grid, k: int, title: str, of: str) -> str:
    """Around a cell of the diagonal; it speaks for it where cells are shades alone."""
    place = grid.x(k) + 0.5, grid.y(k) + 0.5, grid.width - 1, grid.height - 1
    if not grid.dense:
        return box(*place, "sx-own")
    frame = box(*place, "sx-own sx-fine", ' pointer-events="all"')
    return f'<g class="sx-mark"{leading(of)}>{told(title)}{frame}</g>'


def _dense_row(grid: Grid, row: int, line: MatrixRow, shade: Shade) -> Iterator[str]:
    """A path for each shade, in which cells that touch are one. No number has to be read on it: it may be solid."""
    runs: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for column, cell in enumerate(line.cells):
        kind, opacity = shade(cell.value)
        found = runs.setdefault((kind, f"{round(opacity / SOLID * STEPS) / STEPS:.2f}"), [])
        start = found.pop()[0] if found and found[-1][1] == column else column
        found.append((start, column + 1))
    top, height = at(grid.y(row)), at(grid.height)
    for (kind, solid), cells in runs.items():
        drawn = "".join(f"M{at(grid.x(a))} {top}H{at(grid.x(b))}v{height}H{at(grid.x(a))}Z" for a, b in cells)
        yield f'<path d="{drawn}" class="{kind}" fill-opacity="{solid}" shape-rendering="crispEdges"/>'
    if line.end:
        yield write(grid.right, grid.middle(row), line.end, "sx-tick", "end", line.end_title)
