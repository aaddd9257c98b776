"""What is kept of the study of own excess: the page is made of its numbers, and these are within what is promised."""

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

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


ASKED = ("association", "difficulty")
KNOWS_NOTHING = ("knows-models", "copies-the-order", "says-yes", "coin")  # of itself, its kind or its family


@pytest.fixture(scope="module")
def whole_runs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (STUDY / "whole_runs.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("experiment", ASKED)
def test_a_model_that_knows_itself_is_unresolved_in_eighty_of_a_hundred_whole_runs_and_one_that_does_not_in_ten(
    whole_runs: list[dict[str, Any]], experiment: str
) -> None:
    assert [run["seed"] for run in whole_runs] == [*range(100)]
    verdicts = Counter((model, said) for run in whole_runs for model, said in run[experiment]["each"].items())
    assert verdicts["knows-itself", "unresolved"] >= 80
    assert all(verdicts[model, "unresolved"] <= 10 for model in KNOWS_NOTHING)
    assert not any(said == "own" for _, said in verdicts)  # a single model cannot be told from a lone newcomer


@pytest.mark.slow
def test_a_kept_whole_run_is_what_comes_of_the_models_that_are_asked(
    whole_runs: list[dict[str, Any]], tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(STUDY)
        from whole_runs import verdicts
    assert verdicts(0, tmp_path) == whole_runs[0]
    judged = whole_runs[0]["association"]["each"]
    # at least eight with a coverage of .9 and words that vary: of eleven two were lost too often
    assert len(judged.keys() - {"breaks-format", "declines"}) >= 8
    # as the README has them
    told = {"knows-itself": "unresolved", "knows-models": "not shown", "knows-its-kind": "unresolved"}
    assert judged | told == judged and whole_runs[0]["association"]["values"]["knows-its-own-ways"] > 0.4


def test_a_run_finds_four_times_in_five_what_it_says_that_one_of_its_size_would_have_found() -> None:
    """Between the sizes at which it is a fifth more and a fifth less than the truth."""
    with (STUDY / "detectable.csv").open(encoding="utf-8", newline="") as file:
        cells = [{k: float(v) for k, v in row.items() if k not in ("world", "kind")} for row in csv.DictReader(file)]
    near = [c["above"] / c["panels"] for c in cells if 0.8 < c["true"] / c["detectable"] < 1.25]
    # at these sizes .62 to .93 are expected, and a hundred panels miss by .05
    assert len(near) >= 3 and all(0.57 <= share <= 0.98 for share in near)
    assert all(c["above"] >= 0.85 * c["panels"] for c in cells if c["true"] > 1.25 * c["detectable"])


@pytest.mark.parametrize("panels", [5, pytest.param(25, marks=pytest.mark.slow)])
def test_a_kept_cell_is_what_its_panels_come_out_as(
    simulate: ModuleType, panels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first panels of a cell whose plain interval errs in nearly all of them."""
    monkeypatch.setattr(simulate, "PART", panels)
    cell = ("two kinds", 6, 100, "binary")
    first, kept = simulate.part(cell, 0), simulate.read()[cell]
    assert first["panels"] == panels
    assert all(first[name] <= kept[name] for name in simulate.COUNTS)
    assert first["plain"] >= 0.88 * panels and first["own"] <= 1
