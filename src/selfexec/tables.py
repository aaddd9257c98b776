"""Tables as text."""

import io
import shutil
import sys
from collections.abc import Iterator, Sequence
from html import escape
from typing import Literal

Layout = Literal["sections", "stacked", "plain"]
WIDTH = 120  # where the output goes to no terminal


def terminal_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def as_text(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = WIDTH, layout: Layout = "sections"
) -> str:
    """A table in which what the first column says is said once.

    In `sections` it stands beside the first of the rows that share it; `stacked` on a line of its own above them, which
    leaves more room for the rest; `plain` has no gaps between rows.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    stacked = layout == "stacked"
    for column in columns[stacked:]:
        table.add_column(column, no_wrap=True)
    for number, (first, *others) in enumerate(_said_once(rows)):
        if number and first and layout != "plain":
            table.add_section()
        if not stacked:
            table.add_row(first, *others)
            continue
        if first:
            table.add_row(first)
        table.add_row(f"  {others[0]}", *others[1:])
    text = io.StringIO()
    # text alone: Rich would show the table by itself in a notebook, and in colours where FORCE_COLOR is set
    Console(file=text, width=width, highlight=False, force_jupyter=False, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def as_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """The same table for a notebook, with lines of text below it."""

    def line(tag: str, cells: Sequence[str]) -> str:
        # notebooks align cells to the right, which suits numbers alone
        opening = f'<{tag} style="text-align: left">'
        return f"<tr>{''.join(f'{opening}{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "".join(line("td", row) for row in _said_once(rows))
    below = "<br>".join(map(escape, notes))
    return f"<table><caption>{escape(title)}</caption>{line('th', columns)}{body}</table><p>{below}</p>"


def _said_once(rows: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Rows of which the first cell is empty where it would say what the row above says."""
    last = None
    for first, *others in rows:
        yield [first if first != last else "", *others]
        last = first
