"""A picture as previews of links show it, 1200 x 630: the front of all models, or one model in all experiments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfexec.report.front import Front, FrontCell, FrontColumn
from selfexec.report.svg import breadth
from selfexec.report.svg.canvas import clean, escape, wrapped
from selfexec.text.numbers import typeset

WIDTH, HEIGHT, MARGIN = 1200, 630, 48
LABEL = 220  # of what is left of the columns
ROWS = 10  # of models, at the most
QUOTED = 21  # pixels of letters
NARROW, BOLD = 0.91, 0.9  # Helvetica's letters, compared with those that `breadth` is for; room for bold ones
STYLE = """
text{font-family:Helvetica,Arial,'Liberation Sans','Nimbus Sans',sans-serif;fill:#16191d}
.soft{fill:#565e69}.bold{font-weight:700}
.between{fill:#ccd3dc}.held{stroke:#16191d;stroke-width:3}.tick{stroke:#d5dae1}
.zero{stroke:#565e69;stroke-dasharray:2 2}
.whisker{stroke:#0a5fb4;stroke-width:2;fill:none}
circle.caution{fill:#fff;stroke:#565e69;stroke-width:2.5;stroke-dasharray:3 2}
circle{fill:#0a5fb4}circle.hollow{fill:#fff;stroke:#0a5fb4;stroke-width:2.5}
""".strip()


@dataclass(frozen=True)
class _Column:
    """`over`: what stands above this and the columns behind it that have none of their own."""

    over: str
    shown: FrontColumn


def preview(front: Front, model: str | None = None) -> str:
    """As SVG: without a `model`, of all. A model may be in no panel; then there is just its name."""
    if model is None:
        columns = [_Column("" if n else p.question, c) for p in front.lines[0] for n, c in enumerate(p.columns)]
        rows = [(name, [column.shown.cells.get(name) for column in columns]) for name in front.models[:ROWS]]
        more = len(front.models) - len(rows)
        return _picture(front.headline, columns, rows, [f"and {more} more models"] if more else [])
    panels = [panel for panel in front.panels if panel.drawn(model)][:ROWS]
    heads = {column.head: column for panel in panels for column in panel.columns if model in column.cells}
    found = {(panel.question, column.head): column.cells.get(model) for panel in panels for column in panel.columns}
    rows = [(panel.question, [found.get((panel.question, head)) for head in heads]) for panel in panels]
    example = next((panel.examples[model] for panel in panels if model in panel.examples), None)
    quoted = f"{example.title}: {example.said}".removeprefix(": ") if example else ""
    title = f"{model}: what it said it would do, and what it did"
    below = _wrapped(quoted, QUOTED, WIDTH - 2 * MARGIN)[:3]
    return _picture(title, [_Column("", column) for column in heads.values()], rows, below)


def _picture(
    title: str, columns: Sequence[_Column], rows: Sequence[tuple[str, Sequence[FrontCell | None]]], below: Sequence[str]
) -> str:
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {HEIGHT}"><style>{STYLE}</style>',
        f'<title>{escape(title)}</title><rect {size} fill="#ffffff"/>',
    ]
    letters = 46.0
    while len(lines := _wrapped(title, letters, BOLD * (WIDTH - 2 * MARGIN))) > 2 and letters > 24:
        letters -= 4
    y = MARGIN + 0.7 * letters
    for line in lines[:3]:
        parts.append(_text(MARGIN, y, line, letters, "bold"))
        y += 1.15 * letters
    label = LABEL if len(rows) > 4 or not columns else LABEL + 140
    wide = (WIDTH - 2 * MARGIN - label) / max(len(columns), 1)
    y += 36
    for n, column in enumerate(columns):
        parts += _head(column, columns[n + 1 :], MARGIN + label + n * wide, y, wide)
    y += 62
    end = HEIGHT - 40 - 1.35 * QUOTED * len(below)
    high = (end - 8 - y) / max(len(rows), 1)
    for n, (name, cells) in enumerate(rows):
        middle = y + (n + 0.5) * high
        parts += _label(name, middle, label - 16, min(24.0, 0.62 * high))
        for k, cell in enumerate(cells):
            parts += _cell(cell, MARGIN + label + k * wide, middle, wide, min(40.0, high - 4)) if cell else []
    parts += [_text(MARGIN, end + 1.35 * QUOTED * n, line, QUOTED, "soft") for n, line in enumerate(below, 1)]
    parts.append(_text(WIDTH - MARGIN, HEIGHT - 20, "selfexec", 17, "soft", "end"))
    return "\n".join([*parts, "</svg>\n"])


def _head(column: _Column, behind: Sequence[_Column], x: float, y: float, wide: float) -> Iterator[str]:
    """The question above, what is drawn below it, and what its dot and its dash are."""
    own = next((n for n, later in enumerate(behind, 1) if later.over), len(behind) + 1)
    over = _wrapped(column.over, 19, BOLD * (own * wide - 12))[:2]
    yield from (_text(x, y - 23 * n, line, 19, "bold") for n, line in enumerate(reversed(over)))
    yield _text(x, y + 25, column.shown.head, 16, "bold")
    dot, dash = column.shown.drawn
    yield f'<circle cx="{x + 5:.1f}" cy="{y + 43:.1f}" r="5"/>{_text(x + 14, y + 48, dot, 15)}'
    if dash:
        at = x + 26 + NARROW * breadth(dot, 15)
        yield f'<line class="held" x1="{at:.1f}" x2="{at:.1f}" y1="{y + 36:.1f}" y2="{y + 51:.1f}"/>'
        yield _text(at + 8, y + 48, dash, 15)


def _label(name: str, middle: float, wide: float, letters: float) -> Iterator[str]:
    lines = _wrapped(name, letters, wide)
    shown = lines if len(lines) == 2 and letters > 22 else [name]
    while letters > 14 and NARROW * max(breadth(clean(line), letters) for line in shown) > wide:
        letters -= 1
    shown = [_cut(line, letters, wide) for line in shown]
    for n, line in enumerate(shown):
        yield _text(MARGIN, middle + 0.35 * letters + (n - (len(shown) - 1) / 2) * 1.2 * letters, line, letters)


def _cell(cell: FrontCell, x: float, middle: float, wide: float, high: float) -> Iterator[str]:
    letters, gap = min(18.0, 0.6 * high), 0.09 * wide
    number = min(0.48 * wide, 6.2 * letters)
    if cell.drawing is None:
        yield _text(x + wide - gap, middle + 0.35 * letters, cell.number, letters, "soft", "end")
        return
    place = f'x="{x:.1f}" y="{middle - high / 2:.1f}" width="{wide - number - gap:.1f}" height="{high:.1f}"'
    drawing = cell.drawing.replace("<svg ", f'<svg {place} overflow="visible" ', 1)
    yield drawing.replace('class="between"', 'class="between" transform="translate(0 -4)"')
    soft = "soft" if cell.faint else ""
    yield _text(x + wide - gap, middle + 0.35 * letters, typeset(cell.number), letters, soft, "end")


def _text(x: float, y: float, text: str, letters: float, kind: str = "", anchor: str = "start") -> str:
    look = f' class="{kind}"' if kind else ""
    at = f'x="{x:.1f}" y="{y:.1f}" font-size="{letters:g}" text-anchor="{anchor}"'
    return f"<text {at}{look}>{escape(text)}</text>" if text else ""


def _wrapped(text: str, letters: float, wide: float) -> list[str]:
    return [_cut(line, letters, wide) for line in wrapped(clean(text), wide / NARROW, letters)]


def _cut(text: str, letters: float, wide: float) -> str:
    """As much of it as there is room for."""
    text = clean(text)
    if NARROW * breadth(text, letters) <= wide:
        return text
    while text and NARROW * breadth(f"{text}…", letters) > wide:
        text = text[:-1]
    return f"{text.rstrip()}…"


def file_names(models: Sequence[str]) -> dict[str, str]:
    """Model -> a name for its picture that any system takes, and that none of the others has."""
    names: dict[str, str] = {}
    for number, model in enumerate(models, 1):
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", model)[:80].strip("-.") or str(number)
        taken = {other.casefold() for other in names.values()}
        names[model] = f"{name}-{number}" if name.casefold() in taken else name
    return names
