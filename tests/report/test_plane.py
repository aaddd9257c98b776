"""The layout with marks by two numbers: labels stand beside their marks, and of many marks only where there is room."""

import re
from typing import NamedTuple

from selfexec.report.svg import SCREEN, Axis, ModelOrder, Spot, plane


class At(NamedTuple):
    value: float
    low: float | None = None
    high: float | None = None


def drawn(places: dict[str, tuple[float, float]]) -> tuple[set[str], int]:
    """The labels that there are, and how many marks."""
    model_order = ModelOrder(tuple(places), dict.fromkeys(places, "all"), {key: key for key in places})
    spots = [Spot(key, "s", At(x), At(y), f"{key} is told") for key, (x, y) in places.items()]
    axes = Axis("x", (0, 1)), Axis("y", (0, 1))
    text = plane(model_order, "one", "A title", "Words", spots, *axes, height=300)(SCREEN)
    return set(re.findall(r"</title>(m\d+|apart)</text>", text)), text.count(" is told</title>")


def test_of_few_marks_each_has_its_label() -> None:
    places = {f"m{n}": (0.5 + n / 1000, 0.5) for n in range(12)} | {"apart": (0.1, 0.9)}
    assert drawn(places) == (set(places), 13)


def test_of_many_marks_those_that_stand_apart_are_labelled_and_all_say_whose_they_are() -> None:
    crowd = {f"m{n}": (0.5 + n % 8 / 200, 0.5 + n // 8 / 200) for n in range(40)}
    labels, marks = drawn(crowd | {"apart": (0.1, 0.9)})
    assert marks == 41
    assert "apart" in labels and len(labels) < 20
