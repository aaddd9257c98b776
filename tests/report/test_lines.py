"""The layout of curves: points where their values say, text that fits, labels clear of each other."""

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import pytest

from selfexec.report.export import drawn
from selfexec.report.figures import Figure
from selfexec.report.svg import (
    SCREEN,
    SHEETS,
    SMALL_LETTERS,
    Axis,
    Curve,
    LinePoint,
    Sign,
    Whose,
    breadth,
    lines,
    spread,
)

SVG = "{http://www.w3.org/2000/svg}"
SHARE = Axis("share that came true", (0.0, 1.0))


class Value(NamedTuple):
    value: float
    low: float | None = None
    high: float | None = None


def curve(label: str, values: Sequence[tuple[float, float]], group: str = "g") -> Curve:
    points = [
        LinePoint(x, Value(y, max(0.0, y - 0.1), min(1.0, y + 0.1)), f"{label} at {x:g}: {y:g}") for x, y in values
    ]
    return Curve(Whose(label, group, "share"), label, points)


# many curves that end at nearly the same height, one of them early, under names of all lengths
CROWD = [curve(f"{'long-' * (k % 9)}name-{k}", [(0.1, 0.5), (0.9, 0.70 + k / 400), (0.5, 0.2)]) for k in range(24)]
CROWD.append(curve("alone", [(0.4, 0.71)]))


def drawing(curves: Sequence[Curve] = CROWD, x: Axis = Axis("said chance", (0.0, 1.0))) -> str:  # noqa: B008
    signs = [Sign("main", "model"), Sign("half", "said as it came")]
    return lines("curves", "A title", "A description", curves, x, SHARE, signs=signs, line=0.5, diagonal=True)(SCREEN)


def marks(svg: str) -> dict[str, tuple[float, float]]:
    """Hover text -> place."""
    found = {}
    for g in ET.fromstring(svg).iter(f"{SVG}g"):
        if "sx-mark" in (g.get("class") or "").split():
            x, y = map(float, re.findall(r"[-\d.]+", g.get("transform") or ""))
            found[g.findtext(f"{SVG}title") or ""] = (x, y)
    return found


def labels(svg: str) -> list[tuple[float, float, str]]:
    """Those of curves, which alone say the whole name on hover."""
    texts = [text for text in ET.fromstring(svg).iter(f"{SVG}text") if text.find(f"{SVG}title") is not None]
    return [(float(t.get("x") or 0), float(t.get("y") or 0), "".join(t.itertext())) for t in texts]


def test_points_lie_where_their_values_say_on_even_and_on_log_scales() -> None:
    even = marks(drawing([curve("m", [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)])]))
    (x0, y0), (x1, y1), (x2, y2) = (even[f"m at {v}: {v}"] for v in ("0", "0.5", "1"))
    assert (x1, y1) == (pytest.approx((x0 + x2) / 2, abs=0.01), pytest.approx((y0 + y2) / 2, abs=0.01))
    assert x0 < x2 and y0 > y2  # to the right, and up
    log = marks(drawing([curve("m", [(10, 0.5), (100, 0.5), (1000, 0.5)])], Axis("tokens", (10, 1000), log=True)))
    (x0, _), (x1, _), (x2, _) = (log[f"m at {v}: 0.5"] for v in ("10", "100", "1000"))
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.01)  # equal ratios, equal steps


def test_an_interval_goes_up_and_down_from_its_point() -> None:
    svg = drawing([curve("m", [(0.0, 0.0), (0.2, 0.5), (1.0, 1.0)])])
    height = marks(svg)["m at 0: 0"][1] - marks(svg)["m at 1: 1"][1]  # of all from 0 to 1
    group = next(g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.findtext(f"{SVG}title") == "m at 0.2: 0.5")
    path = next(p.get("d") or "" for p in group.iter(f"{SVG}path") if p.get("class") == "sx-span")
    zero, low, high = map(float, re.findall(r"-?[\d.]+", path))
    # .4 to .6 around .5: a tenth of the scale below (positive, as SVG counts), and a tenth above
    assert (zero, low, high) == (0, pytest.approx(0.1 * height, abs=0.02), pytest.approx(-0.1 * height, abs=0.02))


def test_a_line_joins_its_points_from_left_to_right_in_whatever_order_they_come() -> None:
    svg = drawing([curve("m", [(0.9, 0.7), (0.1, 0.5), (0.5, 0.2)])])
    groups = [g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("class") == "sx-main" and not g.get("transform")]
    (path,) = [p.get("d") or "" for g in groups for p in g.iter(f"{SVG}path") if p.get("class") == "sx-span"]
    numbers = list(map(float, re.findall(r"[\d.]+", path)))
    places = list(zip(numbers[::2], numbers[1::2], strict=True))
    assert places == [marks(svg)[f"m at {x}: {y}"] for x, y in (("0.1", "0.5"), ("0.5", "0.2"), ("0.9", "0.7"))]


def test_no_label_lies_on_another_and_all_text_fits() -> None:
    svg = drawing()
    root = ET.fromstring(svg)
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    found = labels(svg)
    assert len(found) == len(CROWD)
    for (_, one, _), (_, two, _) in combinations(found, 2):
        assert abs(one - two) >= SMALL_LETTERS
    for text in root.iter(f"{SVG}text"):
        own = text.text or (text.find(f"{SVG}title").tail if text.find(f"{SVG}title") is not None else "") or ""
        letters = SMALL_LETTERS if "sx-tick" in (text.get("class") or "") else 15
        x, y, long = float(text.get("x") or 0), float(text.get("y") or 0), breadth(own, letters)
        start = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor") or "", 0)
        assert start > -1 and start + long <= width and 0 < y < height - 6, own


def test_labels_lie_beside_the_plane_where_no_mark_is() -> None:
    svg = drawing()
    right = max(x for x, _ in marks(svg).values())
    assert all(x > right + 6 for x, _, _ in labels(svg))


def test_spread_moves_no_more_than_it_must() -> None:
    # room for all: nothing moves
    assert spread([10, 50, 30], 0, 100, 15) == [10, 50, 30]
    # 30 and 32 want to be 15 apart around 31; 90 stays
    assert spread([90, 32, 30], 0, 100, 15) == pytest.approx([90, 38.5, 23.5])
    # the edges hold: 3 from 100 up are 70, 85, 100
    assert spread([99, 99, 100], 0, 100, 15) == pytest.approx([70, 85, 100])
    found = sorted(spread([math.sin(k) * 40 + 60 for k in range(20)], 0, 300, 15))
    assert all(after - before >= 15 - 1e-9 for before, after in pairwise(found))


def test_the_same_curves_are_the_same_bytes() -> None:
    assert drawing() == drawing()


def test_colours_are_the_pages_so_that_a_dark_scheme_holds() -> None:
    svg = drawing()
    assert not re.search(r"(?<!,)#[0-9a-f]{3,6}\b", svg)  # a colour is only what a variable falls back to
    curves = lines("curves", "A title", "A description", CROWD, Axis("said chance", (0.0, 1.0)), SHARE)
    in_print = drawn(Figure("curves", "A title", "A description", curves, [], []), SHEETS["column"])
    assert "var(" not in in_print and "@media" not in in_print


def test_each_part_of_a_curve_comes_and_goes_with_its_key() -> None:
    svg = drawing([curve("one", [(0, 0.1), (1, 0.2)], "a"), curve("two", [(0, 0.5), (1, 0.6)], "b")])
    groups = [g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("data-model")]
    # of each: line with label, and two marks
    assert (
        sorted((g.get("data-model"), g.get("data-family")) for g in groups) == [("one", "a")] * 3 + [("two", "b")] * 3
    )


def test_hostile_labels_are_text() -> None:
    root = ET.fromstring(drawing([curve('<script>"&\x00', [(0, 0.1), (1, 0.2)])]))
    assert not list(root.iter(f"{SVG}script"))


def test_a_curve_without_points_is_left_out_and_one_point_has_no_line() -> None:
    svg = drawing([curve("none", []), curve("one", [(0.5, 0.5)])])
    assert [text for _, _, text in labels(svg)] == ["oneone"]  # the name on hover, and the name
    assert len(marks(svg)) == 1 and not re.search(r'<g class="sx-main"><path[^>]*class="sx-span"', svg)


def test_nothing_at_all_is_an_empty_plane() -> None:
    assert not marks(drawing([]))
