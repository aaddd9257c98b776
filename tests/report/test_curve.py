"""The layout of a curve: points where their values say, beside the diagonal, and text that fits."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from selfexec.report.export import drawn
from selfexec.report.figures import Figure
from selfexec.report.svg import SCREEN, SHEETS, SMALL_LETTERS, Axis, CurvePoint, Drawing, Sign, Whose, breadth, curve

SVG = "{http://www.w3.org/2000/svg}"
GIVEN, SHARE = Axis("said chance", (0.0, 1.0)), Axis("share that came true", (0.0, 1.0))
THREE = [(0.9, 0.7), (0.1, 0.5), (0.5, 0.2)]


class Value(NamedTuple):
    value: float
    low: float | None = None
    high: float | None = None


def made(values: Sequence[tuple[float, float]] = THREE, x: Axis = GIVEN, name: str = "m") -> Drawing:
    points = [
        CurvePoint(x, Value(y, max(0.0, y - 0.1), min(1.0, y + 0.1)), f"{name} at {x:g}: {y:g}") for x, y in values
    ]
    signs = [Sign("main", "model"), Sign("half", "said as it came")]
    return curve("curve", "A title", "A description", Whose(name, "g", "share"), points, x, SHARE, signs)


def drawing(values: Sequence[tuple[float, float]] = THREE, x: Axis = GIVEN, name: str = "m") -> str:
    return made(values, x, name)(SCREEN)


def marks(svg: str) -> dict[str, tuple[float, float]]:
    """Hover text -> place."""
    found = {}
    for g in ET.fromstring(svg).iter(f"{SVG}g"):
        if "sx-mark" in (g.get("class") or "").split():
            x, y = map(float, re.findall(r"[-\d.]+", g.get("transform") or ""))
            found[g.findtext(f"{SVG}title") or ""] = (x, y)
    return found


def test_points_lie_where_their_values_say_on_even_and_on_log_scales() -> None:
    even = marks(drawing([(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)]))
    (x0, y0), (x1, y1), (x2, y2) = (even[f"m at {v}: {v}"] for v in ("0", "0.5", "1"))
    assert (x1, y1) == (pytest.approx((x0 + x2) / 2, abs=0.01), pytest.approx((y0 + y2) / 2, abs=0.01))
    assert x0 < x2 and y0 > y2  # to the right, and up
    log = marks(drawing([(10, 0.5), (100, 0.5), (1000, 0.5)], Axis("tokens", (10, 1000), log=True)))
    (x0, _), (x1, _), (x2, _) = (log[f"m at {v}: 0.5"] for v in ("10", "100", "1000"))
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.01)  # equal ratios, equal steps


def test_an_interval_goes_up_and_down_from_its_point() -> None:
    svg = drawing([(0.0, 0.0), (0.2, 0.5), (1.0, 1.0)])
    height = marks(svg)["m at 0: 0"][1] - marks(svg)["m at 1: 1"][1]  # of all from 0 to 1
    group = next(g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.findtext(f"{SVG}title") == "m at 0.2: 0.5")
    path = next(p.get("d") or "" for p in group.iter(f"{SVG}path") if p.get("class") == "sx-span")
    zero, low, high = map(float, re.findall(r"-?[\d.]+", path))
    # .4 to .6 around .5: a tenth of the scale below (positive, as SVG counts), and a tenth above
    assert (zero, low, high) == (0, pytest.approx(0.1 * height, abs=0.02), pytest.approx(-0.1 * height, abs=0.02))


def test_a_line_joins_its_points_from_left_to_right_in_whatever_order_they_come() -> None:
    svg = drawing([(0.9, 0.7), (0.1, 0.5), (0.5, 0.2)])
    groups = [g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("class") == "sx-main" and not g.get("transform")]
    (path,) = [p.get("d") or "" for g in groups for p in g.iter(f"{SVG}path") if p.get("class") == "sx-span"]
    numbers = list(map(float, re.findall(r"[\d.]+", path)))
    places = list(zip(numbers[::2], numbers[1::2], strict=True))
    assert places == [marks(svg)[f"m at {x}: {y}"] for x, y in (("0.1", "0.5"), ("0.5", "0.2"), ("0.9", "0.7"))]


def test_a_dashed_line_marks_where_both_are_equal() -> None:
    svg = drawing([(0.0, 0.0), (1.0, 1.0)])
    dashed = [line for line in ET.fromstring(svg).iter(f"{SVG}line") if line.get("class") == "sx-half"]
    [line] = [line for line in dashed if line.get("y1") != line.get("y2")]  # besides that of the legend
    x1, y1, x2, y2 = (float(line.get(end) or 0) for end in ("x1", "y1", "x2", "y2"))
    assert [(x1, y1), (x2, y2)] == [marks(svg)["m at 0: 0"], marks(svg)["m at 1: 1"]]


def test_all_text_fits() -> None:
    root = ET.fromstring(drawing())
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for text in root.iter(f"{SVG}text"):
        letters = SMALL_LETTERS if "sx-tick" in (text.get("class") or "") else 15
        x, y, long = float(text.get("x") or 0), float(text.get("y") or 0), breadth(text.text or "", letters)
        start = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor") or "", 0)
        assert start > -1 and start + long <= width and 0 < y < height - 6, text.text


def test_the_same_curve_is_the_same_bytes() -> None:
    assert drawing() == drawing()


def test_colours_are_the_pages_so_that_a_dark_scheme_holds() -> None:
    svg = drawing()
    assert not re.search(r"(?<!,)#[0-9a-f]{3,6}\b", svg)  # a colour is only what a variable falls back to
    in_print = drawn(Figure("curve", "A title", "A description", made(), [], []), SHEETS["column"])
    assert "var(" not in in_print and "@media" not in in_print


def test_each_part_of_a_curve_comes_and_goes_with_its_key() -> None:
    groups = [g for g in ET.fromstring(drawing()).iter(f"{SVG}g") if g.get("data-model")]
    # the line, and three marks
    assert [(g.get("data-model"), g.get("data-family")) for g in groups] == [("m", "g")] * 4


def test_hostile_names_are_text() -> None:
    root = ET.fromstring(drawing(name='<script>"&\x00'))
    assert not list(root.iter(f"{SVG}script"))


def test_one_point_has_no_line_and_none_are_an_empty_plane() -> None:
    svg = drawing([(0.5, 0.5)])
    assert len(marks(svg)) == 1 and not re.search(r'<g class="sx-main"><path[^>]*class="sx-span"', svg)
    assert not marks(drawing([]))
