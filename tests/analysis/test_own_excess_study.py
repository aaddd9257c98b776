"""What is kept of the study of own excess: the page is made of its numbers, and these are within what is promised."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

STUDY = Path(__file__).parents[2] / "studies" / "own_excess"
FALSE = 0.05


@pytest.fixture(scope="module")
def simulate() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(STUDY)
        import simulate

        yield simulate
        for name in ("simulate", "worlds"):
            sys.modules.pop(name, None)


def test_the_page_is_made_of_the_kept_numbers(simulate: ModuleType) -> None:
    assert (STUDY / "results.md").read_text("utf-8") == simulate.page(simulate.read())


def test_no_world_without_knowers_has_more_false_verdicts_than_one_in_twenty(simulate: ModuleType) -> None:
    tried = {cell: counts for cell, counts in simulate.read().items() if cell[0] in simulate.NULLS}
    assert {cell[0] for cell in tried} == {*simulate.NULLS}
    for cell, counts in tried.items():
        judged = counts["panels"] - counts["too small"]
        for name in ("own", "one wrong"):
            assert counts[name] <= FALSE * max(judged, simulate.PART), (cell, name)


def test_a_kept_cell_is_what_its_panels_come_out_as(simulate: ModuleType) -> None:
    """The first panels of a cell whose plain interval errs in nearly all of them."""
    cell = ("two kinds", 6, 100, "binary")
    first, kept = simulate.part(cell, 0), simulate.read()[cell]
    assert first["panels"] == 25
    assert all(first[name] <= kept[name] for name in simulate.COUNTS)
    assert first["plain"] >= 22 and first["own"] <= 1
