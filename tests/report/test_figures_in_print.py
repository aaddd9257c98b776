"""Figures in a paper, as wide as they are printed: all letters can be read, and none is on another."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from build import figures
from selfexec.analysis.score import Scores
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.report.export import drawn
from selfexec.report.figures import Figure
from selfexec.report.svg import (
    SHEETS,
    Axis,
    CurvePoint,
    Dot,
    Drawing,
    ModelOrder,
    Piece,
    RowPanel,
    Sign,
    Whose,
    breadth,
    curve,
    rows,
)
from selfexec.runs import Run

SVG = "{http://www.w3.org/2000/svg}"
MM = {"column": 82.5, "page": 171.0}
NARROW = 0.86  # Helvetica is narrower than the letters by which drawings are measured


# --- letters, as a printer sees them ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Letters:
    """Words in a drawing: how many points high, and the box around them, turned about its start."""

    text: str
    points: float
    left: float
    right: float
    middle: float
    size: float
    turned: bool


def printed(figure: Figure, width: str) -> tuple[ET.Element, float]:
    """The drawing, and how many points one of its units has in print: by its own width and viewBox."""
    root = ET.fromstring(drawn(figure, SHEETS[width]))
    mm = float((root.get("width") or "").removesuffix("mm"))
    assert mm == MM[width]
    return root, mm / 25.4 * 72 / float((root.get("viewBox") or "").split()[2])


def letters(root: ET.Element, unit: float) -> Iterator[Letters]:
    """By the rules of the drawing's own style: that of the drawing as a whole, and of a text's own classes."""
    style = root.findtext(f"{SVG}style") or ""
    sizes = {name: float(size) for name, size in re.findall(r"(\.sx-[a-z]+)\{[^}]*font-size:([\d.]+)px", style)}
    for rule, size in re.findall(r"([^{}]+)\{font-size:([\d.]+)px\}", style):
        sizes |= {name.split()[-1]: float(size) for name in rule.strip().split(",")}
    for text in root.iter(f"{SVG}text"):
        size = next((sizes[f".{c}"] for c in (text.get("class") or "").split() if f".{c}" in sizes), sizes[".sx"])
        said, x = (text[-1].tail if len(text) else text.text) or "", float(text.get("x") or 0)
        long = breadth(said, size) * NARROW
        start = x - {"middle": long / 2, "end": long}.get(text.get("text-anchor") or "", 0)
        turned = text.get("transform") is not None
        yield Letters(said, size * unit, start, start + long, float(text.get("y") or 0), size, turned)


def on_each_other(one: Letters, two: Letters) -> bool:
    """Small letters are half as high as the letters' size, capitals seven tenths."""
    high = 0.3 * (one.size + two.size)
    return min(one.right, two.right) - max(one.left, two.left) > 0.5 and abs(one.middle - two.middle) < high


def assert_readable_in_print(figure: Figure, width: str) -> None:
    root, unit = printed(figure, width)
    _, _, across, down = map(float, (root.get("viewBox") or "").split())
    found = list(letters(root, unit))
    assert found
    for one in found:
        assert one.points >= 7, (figure.id, one)
        assert (one.turned or one.left >= 0) and one.right <= across, (figure.id, one)
        assert one.size / 3 <= one.middle <= down - one.size / 3, (figure.id, one)
    flat = [one for one in found if not one.turned]
    both = [(one.text, two.text) for one, two in combinations(flat, 2) if on_each_other(one, two)]
    assert not both, (figure.id, both)


# --- each layout, with more and longer names than fit at ease --------------------------------------------------------

NAMES = [f"a-provider-with-a-name/a-model-with-a-long-name-{n}" if n % 3 else f"m{n}" for n in range(14)]
MODEL_ORDER = ModelOrder(tuple(NAMES), dict.fromkeys(NAMES, "all"), {name: name.split("/")[-1] for name in NAMES})


class Value(NamedTuple):
    value: float
    low: float | None = None
    high: float | None = None


def value(n: int) -> Value:
    middle = 0.1 + 0.8 * (n * 5 % 14) / 14
    return Value(middle, middle - 0.08, middle + 0.08)


def of_rows() -> Drawing:
    dots = [Dot(name, "one", *value(n)[:1], "said", "main", *value(n)[1:]) for n, name in enumerate(NAMES)]
    bars = [Piece(name, "two", 0.0, value(n).value, 1, "said") for n, name in enumerate(NAMES)]
    panels = [RowPanel(f"a panel of many words {n}", dots, axis="share of what there is") for n in range(4)]
    counted = RowPanel("counts", pieces=bars, counts=dict.fromkeys(NAMES, "1,234"))
    signs = [Sign(kind, "what one mark of a figure means") for kind in ("main", "baseline", "half", "fill-1")]
    return rows(MODEL_ORDER, "rows", "A title", "Words", [*panels, counted], signs)


def of_curve() -> Drawing:
    points = [CurvePoint(k / 4, value(k), "said") for k in range(5)]
    axes = Axis("said chance", (0, 1)), Axis("share", (0, 1))
    return curve("curve", "A title", "Words", Whose(NAMES[0], "all"), points, *axes)


@pytest.mark.parametrize("width", MM)
@pytest.mark.parametrize("layout", [of_rows, of_curve], ids=lambda layout: layout.__name__)
def test_all_letters_have_seven_points_and_room_in_every_layout(layout: Callable[[], Drawing], width: str) -> None:
    assert_readable_in_print(Figure("one", "A title", "Words", layout(), [], []), width)


def test_panels_that_have_no_room_beside_each_other_stand_below() -> None:
    root, unit = printed(Figure("one", "A title", "Words", of_rows(), [], []), "column")
    heads = {t.get("x") for t in root.iter(f"{SVG}text") if t.get("class") == "sx-strong"}
    panels = [g for g in root.iter(f"{SVG}g") if g.get("data-panel")]
    assert len(panels) == 5 and len(heads) < 5
    # in print a panel is at least 100 units wide: 7.05 points are 13 units
    assert min(grid_widths(root)) * unit >= 100 * 7.05 / 13 - 0.1


def grid_widths(root: ET.Element) -> Iterator[float]:
    for line in root.iter(f"{SVG}line"):
        if line.get("class") == "sx-grid" and line.get("y1") == line.get("y2"):
            yield float(line.get("x2") or 0) - float(line.get("x1") or 0)


def test_a_width_of_no_figures_is_refused() -> None:
    run = Path(__file__).parents[1] / "stored" / "two-epochs"
    fault = CliRunner().invoke(root, ["report", str(run), "--figure-width", "page"]).exception
    assert isinstance(fault, InputError) and "--figures FOLDER" in fault.typed


@pytest.mark.slow
@pytest.mark.parametrize("width", MM)
def test_all_letters_of_the_ten_models_figures_have_seven_points_and_room(
    ten_models: Run, scores_of_ten: Scores, width: str
) -> None:
    for figure in figures([ten_models], scores_of_ten):
        assert_readable_in_print(figure, width)
