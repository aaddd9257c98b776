"""Tables as text."""

import io
import shutil
import sys
from collections.abc import Sequence

WIDTH = 120  # where the output goes to no terminal


def terminal_width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def as_text(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], width: int = WIDTH, *, sections: bool = True
) -> str:
    """A table in which what the first column says is said once, above the rows that share it (a section)."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    last = None
    for first, *others in rows:
        if sections and last not in (None, first):
            table.add_section()
        table.add_row(first if first != last else "", *others)
        last = first
    text = io.StringIO()
    Console(file=text, width=width, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())
