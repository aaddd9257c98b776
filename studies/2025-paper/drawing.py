"""Figures 7 to 9 as SVG: a table in, a picture out. Nothing is worked out here."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from tables import Cell, Table

FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="11"'
COLOURS = {"association": "#0072b2", "restriction": "#e69f00", "difficulty": "#009e73"}
INK, PALE, BAND = "#333333", "#bbbbbb", "#f3f3f3"
LETTER = 6.1  # widest that a letter of a name is on average, in this size


def _records(table: Table) -> list[dict[str, Cell]]:
    return [dict(zip(map(str, table[0]), row, strict=True)) for row in table[1:]]


def figure_7(table: Table) -> str:
    """Marks with intervals for each model and experiment, a ring on what was read only, a stroke for what a baseline
    gets. The paper's line at .5 is left away: it is the baseline of none of the baselines.
    """
    rows = _records(table)
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    left, top, step, width = 180, 84, 48, 520

    def x(value: Cell) -> float:
        return left + width * float(value or 0)

    body = list(_legend_7(left, rows))
    bands = [
        f'<rect x="{left}" y="{top + step * n}" width="{width}" height="{step}" fill="{BAND}"/>' for n in _even(models)
    ]
    body += [*bands, *_scale(left, top, width, step * len(models), "accuracy")]
    for row in rows:
        name = str(row["experiment"])
        colour, y = COLOURS[name], top + step * models.index(str(row["model"])) + 11 + 13 * list(COLOURS).index(name)
        if row["baseline_accuracy"] is not None:
            body.append(_stroke(x(row["baseline_accuracy"]), y, colour))
        body += [_line(x(row["low"]), y, x(row["high"]), y, colour), _mark(name, x(row["published"]), y)]
        if row["readable"] is not None:
            body.append(_mark(name, x(row["readable"]), y, hollow=True))
    body += [_text(left - 8, top + step * n + 28, model, "end") for n, model in enumerate(models)]
    return _svg(left + width + 30, top + step * len(models) + 40, body)


def _even(models: Sequence[str]) -> range:
    return range(0, len(models), 2)


def _legend_7(left: int, rows: Sequence[dict[str, Cell]]) -> Iterator[str]:
    """One column for each experiment: as published, on what was read, and its baseline."""
    baselines = {str(row["experiment"]): str(row["baseline"]).replace("_", " ") for row in rows}
    for n, (name, colour) in enumerate(COLOURS.items()):
        x = left + 175 * n
        yield _line(x - 10, 14, x + 10, 14, colour)
        yield _mark(name, x, 14)
        yield _text(x + 18, 18, f"{name}, published")
        yield _mark(name, x, 36, hollow=True)
        yield _text(x + 18, 40, "on what was read")
        yield _stroke(x, 58, colour)
        yield _text(x + 18, 62, f"baseline: {baselines[name]}")


def _stroke(x: float, y: float, colour: str) -> str:
    return f'<line x1="{x:.1f}" y1="{y - 6:.1f}" x2="{x:.1f}" y2="{y + 6:.1f}" stroke="{colour}" stroke-width="2.5"/>'


def _mark(experiment: str, x: float, y: float, hollow: bool = False) -> str:
    """A circle, a square or a triangle; hollow ones are larger, so that both are seen where they coincide."""
    colour, r = COLOURS[experiment], 5.6 if hollow else 3.4
    look = f'fill="{"none" if hollow else colour}" stroke="{colour}"'
    if experiment == "association":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" {look}/>'
    if experiment == "restriction":
        return f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r:.1f}" height="{2 * r:.1f}" {look}/>'
    corners = [(x, y - 1.25 * r), (x + 1.15 * r, y + 0.8 * r), (x - 1.15 * r, y + 0.8 * r)]
    return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}" {look}/>'


def figure_8(table: Table) -> str:
    """Score (dots with intervals; hollow: without the lost requests) against ability. A name stands where neither a
    line nor a mark nor another name crosses it.
    """
    rows = sorted(_records(table), key=_ability)
    left, top, width, height = 60, 60, 720, 460
    least, most = _ability(rows[0]) - 0.2, _ability(rows[-1]) + 0.2
    low, high = 0.4, 0.8

    def x(value: float) -> float:
        return left + width * (value - least) / (most - least)

    def y(value: Cell) -> float:
        return top + height * (high - float(value or 0)) / (high - low)

    body = list(_legend_8(left))
    for tenth in range(4, 9):
        body += [
            _line(left - 4, y(tenth / 10), left, y(tenth / 10), INK),
            _text(left - 8, y(tenth / 10) + 4, f".{tenth}", "end"),
        ]
    for whole in range(-1, 2):
        body += [_line(x(whole), top + height, x(whole), top + height + 4, INK)]
        body += [_text(x(whole), top + height + 18, str(whole), "middle")]
    body += [_line(left, top, left, top + height, INK), _line(left, top + height, left + width, top + height, INK)]
    body += [
        _text(left + width / 2, top + height + 34, "ability (Table 1)", "middle"),
        _text(left - 8, top - 16, "score", "end"),
    ]
    axes = [Box(0, 0, left + 4, top + height), Box(0, top + height - 4, 2 * width, top + height + 44)]
    blue, taken = COLOURS["association"], list(axes)
    for row in rows:
        at, score, again = x(_ability(row)), y(row["score"]), y(row["score_without_lost_requests"])
        ends = [y(row["high"]), y(row["low"])]
        body.append(_line(at, ends[0], at, ends[1], blue))
        if abs(again - score) > 2:
            body += [_line(at, score, at, again, blue, dashed=True), _dot(at, again, blue, hollow=True)]
            ends.append(again)
        body.append(_dot(at, score, blue))
        taken.append(Box(at - 5, min(ends) - 5, at + 5, max(ends) + 5))
    for row, own in zip(rows, taken[len(axes) :], strict=False):
        name, at, score = str(row["model"]), x(_ability(row)), y(row["score"])
        place = next(box for box in _places(name, at, score, own) if not any(box.meets(other) for other in taken))
        taken.append(place)
        body.append(_name(name, at, place))
    return _svg(left + width + 120, top + height + 44, body)


def _ability(row: dict[str, Cell]) -> float:
    return float(row["ability_printed"] or 0)


def _legend_8(left: int) -> Iterator[str]:
    blue = COLOURS["association"]
    yield _line(left, 6, left, 22, blue)
    yield _dot(left, 14, blue)
    yield _text(left + 12, 18, "as published, with 95% interval")
    yield _line(left + 230, 6, left + 230, 22, blue, dashed=True)
    yield _dot(left + 230, 14, blue, hollow=True)
    yield _text(left + 242, 18, "without the lost requests; at least this where replies are not published")


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def _name(name: str, x: float, place: Box) -> str:
    """At the edge that is turned to the dot, since letters are narrower than the room that they are given."""
    if place.left > x:
        return _text(place.left, place.bottom - 3, name)
    if place.right < x:
        return _text(place.right, place.bottom - 3, name, "end")
    return _text((place.left + place.right) / 2, place.bottom - 3, name, "middle")


def _places(name: str, x: float, y: float, own: Box) -> list[Box]:
    """Where a name may stand, the best first: beside its dot, under or over its marks, beside them higher or lower."""
    wide, high = LETTER * len(name), 13
    found: list[tuple[float, Box]] = []
    for off in range(-60, 61, 2):
        if own.top <= y + off <= own.bottom:
            top, bottom = y + off - high / 2, y + off + high / 2
            found += [(abs(off), Box(x + 7, top, x + 7 + wide, bottom))]
            found += [(abs(off) + 1, Box(x - 7 - wide, top, x - 7, bottom))]
    for shift in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9):
        start, worse = x - shift * wide, 20 * abs(shift - 0.5)
        found += [(14 + worse, Box(start, own.bottom, start + wide, own.bottom + high))]
        found += [(15 + worse, Box(start, own.top - high, start + wide, own.top))]
    return [box for _, box in sorted(found)]


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
