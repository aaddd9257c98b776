"""Tables as text."""

import io
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from selfexec.text.printable import STYLE, harmless, harmless_line
from selfexec.text.regex import regex

if TYPE_CHECKING:
    from rich.table import Column
    from rich.table import Table as RichTable
    from rich.text import Text

Layout = Literal["sections", "stacked", "plain"]
NAME, UNBROKEN = "\ue000", "\ue001"  # of the private use area: in nobody's text
WIDTH = 120  # where the output goes to no terminal
NUMBER = regex(r"[\[(<±+−-]*\.?\d")  # how a piece of text begins that must not be broken
INTERVAL = regex(rf"\[[+-]?[\d.,]+,[ {UNBROKEN}][+-]?[\d.,]+\]")
COMMAND = regex(r"(?:(?<=: )|(?<=; )|(?<=`))selfexec [a-z].*?(?=`|; |\. [A-Z]|\.?$)")  # where one may be pasted
HEAD_WORD = 12  # letters of a word of a head that stay together
LONG_WORD, SHORT_WORD = 10, 4  # letters of a word that stay together where room is scarce, and very scarce


class Table(NamedTuple):
    """A table before it is text. A title may have lines below the first one."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    layout: Layout = "sections"


Part = Table | str  # of what is shown one below the other: a table, or lines of text; "" parts paragraphs


MOST_LINES = 30  # of what an interactive session shows of a value


def beginning(text: str, most: int = MOST_LINES) -> str:
    """A text as an interactive session shows it: whole where it is short, else its first lines, and how many follow."""
    lines = text.splitlines()
    if len(lines) <= most:
        return text
    return "\n".join([*lines[: most - 1], f"... {len(lines) - most + 1:,} more lines: print() shows all of them"])


def terminal_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def shows_styles() -> bool:
    """Whether tables have bold and dim parts on standard output: on a terminal that knows them, or where FORCE_COLOR
    says so; never where NO_COLOR is set.
    """
    from rich.console import Console

    console = Console()
    return console.is_terminal and not console.no_color and not console.is_dumb_terminal


def as_text(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int = WIDTH,
    layout: Layout = "sections",
    *,
    styled: bool = False,
) -> str:
    """A table in which what the first column says is said once.

    In `sections` it stands beside the first of the rows that share it; `stacked` on a line of its own above them, which
    leaves more room for the rest; `plain` has no gaps between rows. Where it is too wide, intervals stand below their
    values, then columns move together, then long words and intervals go on below, these between their ends; and where
    even so a number would have to be broken, each row is a list of its cells, each behind the name of its column.
    Nothing is cut off. `styled`, with the control sequences of terminals, what the first column says is bold, and
    intervals and heads are dim.
    """
    from rich.console import Console
    from rich.style import Style

    text = io.StringIO()
    # what is asked for, whatever the environment says: Rich would show the table by itself in a notebook
    console = Console(
        file=text,
        width=width,
        highlight=False,
        markup=False,  # names are somebody else's text: "[/]" is no tag
        emoji=False,
        force_jupyter=False,
        force_terminal=styled,
        legacy_windows=False,
        no_color=False,
        color_system="standard" if styled else None,
    )
    said = list(_said_once(rows))
    table = _table(columns, said, layout)
    for column, wanted in zip(table.columns, _wanted(table), strict=True):
        column.width = wanted  # Rich would find the same three times
    if console.measure(table, options=console.options.update(width=10 * WIDTH)).maximum > width:
        heads = [column.replace("-", "-\n") for column in columns]
        narrow = [[first, *map(_interval_below, others)] for first, *others in said]
        squeezed = _squeezed(heads, narrow, layout, width)
        if squeezed is None:
            return "\n".join([harmless(title), *_listed(columns, rows, width)])
        table = squeezed
    console.print(table)
    names = iter(first for first, *_ in said if first)
    held = (NAME, Style(bold=True).render(NAME))
    lines = (line.rstrip() for line in [harmless(title), *text.getvalue().replace(UNBROKEN, " ").splitlines()])
    return "\n".join(line.replace(NAME, next(names)) if line.strip() in held else line for line in lines)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], layout: Layout) -> "RichTable":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="")
    stacked = layout == "stacked"
    heads = [f"{columns[0]}\n  {columns[1]}" if columns[1] else "", *columns[2:]] if stacked else columns
    for number, head in enumerate(heads):
        table.add_column(Text.assemble((harmless(head), "dim")), overflow="fold", no_wrap=stacked and number == 0)
    for number, (first, *others) in enumerate(rows):
        if number and first and layout != "plain":
            table.add_section()
        name, cells = Text.assemble((first, "bold")), list(map(_dimmed, others))
        if not stacked:
            table.add_row(name, *cells)
            continue
        if first:
            table.add_row(Text.assemble((NAME, "bold")))  # a name may be longer than the column is wide
        table.add_row(Text("  ").append_text(cells[0]), *cells[1:])
    return table


def _dimmed(cell: str) -> "Text":
    """A cell in which intervals are less than their values."""
    from rich.text import Text

    text = Text(cell)
    text.highlight_regex(INTERVAL, "dim")
    return text


def _squeezed(columns: Sequence[str], rows: Sequence[Sequence[str]], layout: Layout, width: int) -> "RichTable | None":
    """The table with the first of these economies with which it fits; None where it does with none."""
    broken = [[cell.replace(UNBROKEN, " ") for cell in row] for row in rows]
    economies = (
        *((rows, 2, None, None), (rows, 1, None, None), (rows, 1, LONG_WORD, HEAD_WORD)),
        *((broken, 1, SHORT_WORD, HEAD_WORD), (broken, 1, SHORT_WORD, SHORT_WORD)),  # words of heads give way last
    )
    for cells, gap, words, of_heads in economies:
        table = _table(columns, cells, layout)
        table.padding, table.show_edge = (0, gap - 1, 0, 0), False
        least = [_least_width(column, words, of_heads) for column in table.columns]
        room = width - gap * (len(least) - 1)
        if sum(least) <= room:
            for column, given in zip(table.columns, _shared(_wanted(table), least, room), strict=True):
                column.width = given
            return table
    return None


def _listed(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The rows one below the other, their cells behind the names of their columns."""
    for first, *others in _said_once(rows):
        yield ""
        if first:
            yield fitted(harmless(first), width)
        for column, cell in zip(columns[1:], others, strict=True):
            if cell.strip():
                name = harmless(column.strip())
                yield fitted(f"  {name}: {harmless_line(cell)}" if name else f"  {harmless_line(cell)}", width)


def _wanted(table: "RichTable") -> list[int]:
    """How wide each column is where nothing of it goes on below."""
    return [max(_longest(_shown(column))) for column in table.columns]


def _shown(column: "Column") -> list[str]:
    """Its head, and its cells."""
    return [str(column.header), *map(str, column.cells)]


def _longest(cells: Iterable[str]) -> Iterator[int]:
    from rich.cells import cell_len

    yield from (cell_len(line) for cell in cells for line in cell.split("\n"))


def _least_width(column: "Column", words: int | None, of_heads: int | None) -> int:
    """How wide a column must be, where so many letters of a word stay together in its cells, and in its head."""
    if column.no_wrap:
        return _least(_shown(column), None)
    return max(_least([str(column.header)], of_heads), _least(map(str, column.cells), words))


def _least(cells: Iterable[str], words: int | None) -> int:
    """How wide a column must be for its numbers to stay whole, and its words, or so many letters of them."""
    from rich.cells import cell_len

    least = 1
    for line in (line for cell in cells for line in cell.split("\n")):
        inset = len(line) - len(line.lstrip(" "))
        for piece in line.split():
            length = cell_len(piece)
            least = max(least, inset + (length if words is None or NUMBER.match(piece) else min(length, words)))
            inset = 0
    return least


def _shared(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fill the room: what is wanted, less what those can spare that have most to spare."""
    widths = list(wanted)
    while sum(widths) > room:
        most = max(range(len(widths)), key=lambda n: widths[n] - least[n])
        widths[most] -= 1
    return widths


def _interval_below(cell: str) -> str:
    """'.897 [.877, .915]' in two lines; the second is not broken."""
    value, bracket, interval = cell.partition(" [")
    return _whole(f"{value}\n[{interval}" if bracket else cell)


def _whole(text: str) -> str:
    """The text with each interval in one piece, and each command: it would be pasted in two."""
    for piece in (INTERVAL, COMMAND):
        text = piece.sub(lambda found: found[0].replace(" ", UNBROKEN), text)
    return text


def fitted(text: str, width: int) -> str:
    """A text whose lines are no longer than this, where words, intervals and commands allow it; what goes on is set
    in.
    """
    return "\n".join(_fitted(line, width) for line in text.split("\n"))


def _fitted(line: str, width: int) -> str:
    from rich.cells import cell_len

    if cell_len(STYLE.sub("", line)) <= width:
        return line
    bare = line.lstrip(" ")
    inset = " " * (len(line) - len(bare))
    parts = textwrap.wrap(
        _whole(bare),
        width,
        initial_indent=inset,
        subsequent_indent=f"{inset}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts).replace(UNBROKEN, " ")


def as_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """The same table for a notebook, with lines of text below it."""

    def line(tag: str, cells: Sequence[str]) -> str:
        # notebooks align cells to the right, which suits numbers alone
        opening = f'<{tag} style="text-align: left">'
        return f"<tr>{''.join(f'{opening}{_escaped(harmless(cell))}</{tag}>' for cell in cells)}</tr>"

    body = "".join(line("td", row) for row in _said_once(rows))
    table = f"<table><caption>{_lines_as_html([title])}</caption>{line('th', columns)}{body}</table>"
    return f"{table}<p>{_lines_as_html(notes)}</p>" if notes else table


def all_as_text(parts: Iterable[Part], width: int = WIDTH, *, styled: bool = False) -> str:
    """Tables and lines, one below the other, in so many columns. Between two tables is a line of nothing, also where
    they are squeezed.
    """
    shown: list[str] = []
    after_table = False
    for part in parts:
        if isinstance(part, str):
            shown.append(harmless(part))
        else:
            shown += [""] if after_table and not shown[-1].endswith("\n") else []
            shown.append(as_text(*part[:3], width, part.layout, styled=styled))
        after_table = not isinstance(part, str)
    return "\n".join(shown)


def all_as_html(parts: Iterable[Part]) -> str:
    """The same for a notebook: lines that follow each other are a paragraph."""
    return "".join(
        "".join(as_html(*table[:3]) for table in tables) + (f"<p>{_lines_as_html(lines)}</p>" if lines else "")
        for tables, lines in _paragraphs(parts)
    )


def all_as_markdown(parts: Iterable[Part]) -> str:
    """The same for a page in Markdown: titles are bold, lines a list."""
    shown: list[str] = []
    for tables, lines in _paragraphs(parts):
        for table in tables:
            title, *said = table.title.split("\n")
            shown += [f"**{in_markdown(title)}**", *map(in_markdown, said), as_markdown(table.columns, table.rows)]
        shown += [bullets(lines)] if lines else []
    return "\n\n".join(shown)


def _paragraphs(parts: Iterable[Part]) -> Iterator[tuple[list[Table], list[str]]]:
    """By turns, tables that follow each other, and lines that do up to an empty one."""
    for kind, group in groupby(parts, lambda part: type(part) if part else None):
        if kind:
            several = list(group)
            yield [p for p in several if isinstance(p, Table)], [p for p in several if isinstance(p, str)]


def _escaped(text: str) -> str:
    from html import escape  # it brings a table of two thousand names, for which a command that asks has no use

    return escape(text)


def _lines_as_html(texts: Iterable[str]) -> str:
    """Every line on its own, and as far in as it is."""
    lines = [line for text in texts for line in harmless(text).splitlines()]
    return "<br>".join("&ensp;" * (len(line) - len(line.lstrip())) + _escaped(line.lstrip()) for line in lines)


def as_markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same table for a page in Markdown. The lines of a cell stay lines."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join('<br>'.join(map(in_markdown, harmless(cell).splitlines())) for cell in cells)} |"

    return "\n".join([line(columns), line(["---"] * len(columns)), *map(line, rows)])


def bullets(notes: Iterable[str]) -> str:
    """Lines of text for a page in Markdown, those that are set in one step further in."""
    return "\n".join(f"{'  ' if note.startswith(' ') else ''}- {in_markdown(note)}" for note in notes)


def in_markdown(text: str) -> str:
    """A text in one line that opens no HTML and ends no cell; emphasis is left to its author."""
    escaped = " ".join(harmless(text).split()).replace("\\", "\\\\").replace("|", "\\|")
    return re.sub("<(?=[A-Za-z/!?])", "&lt;", escaped)  # "<.001" stays readable as it is


def _said_once(rows: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Rows whose first cell is empty where it would say what the row above says; names can be seen whole."""
    last = None
    for first, *others in rows:
        yield [harmless(first) if first != last else "", *map(harmless, others)]
        last = first
