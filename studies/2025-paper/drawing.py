"""Figures 7 to 9 as SVG: a table in, a picture out. Nothing is worked out here."""

from collections.abc import Iterator, Sequence
from html import escape

from tables import Cell, Table

FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="11"'
COLOURS = {"association": "#0072b2", "restriction": "#e69f00", "difficulty": "#009e73"}
INK, PALE = "#333333", "#bbbbbb"


def figure_7(table: Table) -> str:
    """Dots with intervals for each model and experiment; hollow: what was read only. A line at .5, as in the paper."""
    rows = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    left, top, step, width = 180, 40, 42, 480
    height = top + step * len(models) + 40

    def x(value: Cell) -> float:
        return left + width * float(value or 0)

    body = list(_scale(left, top, width, step * len(models), "accuracy"))
    body.append(_line(x(0.5), top, x(0.5), top + step * len(models), INK, dashed=True))
    for n, (name, colour) in enumerate(COLOURS.items()):
        body += [_dot(left + 150 * n, 14, colour), _text(left + 150 * n + 8, 18, name)]
    for row in rows:
        colour = COLOURS[str(row["experiment"])]
        y = top + step * models.index(str(row["model"])) + 10 + 9 * list(COLOURS).index(str(row["experiment"]))
        body += [_line(x(row["low"]), y, x(row["high"]), y, colour), _dot(x(row["published"]), y, colour)]
        if row["readable"] is not None:
            body.append(_dot(x(row["readable"]), y, colour, hollow=True))
    body += [_text(left - 8, top + step * n + 23, model, "end") for n, model in enumerate(models)]
    return _svg(left + width + 30, height, body)


def figure_8(table: Table) -> str:
    """Score (dots with intervals; hollow: without the failed requests) against ability."""
    rows = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
    abilities = [float(row["ability_printed"] or 0) for row in rows]
    left, top, width, height = 60, 20, 620, 400
    least, most = min(abilities) - 0.2, max(abilities) + 0.2
    low, high = 0.4, 0.8

    def x(value: float) -> float:
        return left + width * (value - least) / (most - least)

    def y(value: Cell) -> float:
        return top + height * (high - float(value or 0)) / (high - low)

    body = [_line(left, y(0.5), left + width, y(0.5), INK, dashed=True)]
    for tenth in range(4, 9):
        body += [
            _line(left - 4, y(tenth / 10), left, y(tenth / 10), INK),
            _text(left - 8, y(tenth / 10) + 4, f".{tenth}", "end"),
        ]
    for whole in range(-1, 2):
        body += [_line(x(whole), top + height, x(whole), top + height + 4, INK)]
        body += [_text(x(whole), top + height + 18, str(whole), "middle")]
    body += [_line(left, top, left, top + height, INK), _line(left, top + height, left + width, top + height, INK)]
    body += [_text(left + width / 2, top + height + 34, "ability (Table 1)", "middle"), _text(6, 12, "score")]
    crowded, before = 0, (least, low)
    for row, ability in sorted(zip(rows, abilities, strict=True), key=lambda pair: pair[1]):
        blue, score, again = COLOURS["association"], row["score"], row["score_without_failed_requests"]
        body.append(_line(x(ability), y(row["low"]), x(ability), y(row["high"]), blue))
        if abs(float(again or 0) - float(score or 0)) > 0.002:
            body.append(_line(x(ability), y(score), x(ability), y(again), blue, dashed=True))
            body.append(_dot(x(ability), y(again), blue, hollow=True))
        body.append(_dot(x(ability), y(score), blue))
        # names of points side by side go down in steps
        beside = ability - before[0] < 0.4 and abs(float(score or 0) - before[1]) < 0.02
        crowded, before = crowded + 1 if beside else 0, (ability, float(score or 0))
        body.append(_text(x(ability) + 6, y(score) + 4 + 11 * crowded, str(row["model"])))
    return _svg(left + width + 150, top + height + 44, body)


def figure_9(table: Table) -> str:
    """The heat map, each correlation with its interval."""
    names = list(dict.fromkeys([str(row[0]) for row in table[1:]] + [str(row[1]) for row in table[1:]]))
    left, top, size = 90, 30, 100
    body = [_text(left + size * (n + 0.5), top - 8, name, "middle") for n, name in enumerate(names)]
    body += [_text(left - 8, top + size * (n + 0.5) + 4, name, "end") for n, name in enumerate(names)]
    for one, two, r, low, high, _ in table[1:]:
        for row, column in ((one, two), (two, one)):
            x, y = left + size * names.index(str(column)), top + size * names.index(str(row))
            shade = round(255 - 150 * abs(float(r or 0)))
            fill = f"rgb({shade},{shade},255)" if float(r or 0) >= 0 else f"rgb(255,{shade},{shade})"
            body.append(f'<rect x="{x}" y="{y}" width="{size - 2}" height="{size - 2}" fill="{fill}"/>')
            body.append(_text(x + size / 2, y + size / 2 - 2, _short(r), "middle"))
            body.append(_text(x + size / 2, y + size / 2 + 14, f"[{_short(low)}, {_short(high)}]", "middle"))
    return _svg(left + size * len(names) + 20, top + size * len(names) + 10, body)


def _scale(left: int, top: int, width: int, height: int, name: str) -> Iterator[str]:
    for tenth in range(0, 11, 2):
        x = left + width * tenth / 10
        yield _line(x, top, x, top + height, PALE)
        yield _text(x, top + height + 16, f"{tenth / 10:.1f}", "middle")
    yield _text(left + width / 2, top + height + 32, name, "middle")


def _short(value: Cell) -> str:
    return f"{float(value or 0):.2f}".replace("0.", ".", 1)


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}"{dashes}/>'


def _dot(x: float, y: float, colour: str, hollow: bool = False) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{"white" if hollow else colour}" stroke="{colour}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}">{escape(text)}</text>'


def _svg(width: float, height: float, body: Sequence[str]) -> str:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {FONT}>'
    return "\n".join([opening, f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>', *body, "</svg>", ""])
