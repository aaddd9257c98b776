"""What else is installed never changes a headline, nor any other number of the experiments that were there before."""

from pathlib import Path

import pytest

import selfexec as sx
from build import installed
from conftest import TOYS
from respondents import written_items
from selfexec.experiments import EXPERIMENTS
from selfexec.items import STARTER
from selfexec.items.sets import item_file

STORED = Path(__file__).parents[1] / "stored"
NAMES = ("panel", "two-epochs", "grown", "own-prompts", "served", "imported")


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the simulated panel some, on so many items that there are headlines that are not withheld."""
    return sx.run(
        ["sim/knows-itself", "sim/typical", "sim/coin"],
        items="starter",
        limit=100,
        out=tmp_path_factory.mktemp("runs") / "panel",
    ).folder


def scores_with_and_without(run: Path, convention: str, bootstrap: int | None) -> list[list[sx.Score]]:
    names = tuple(EXPERIMENTS)
    without = list(sx.score(run, convention, bootstrap=bootstrap))
    with installed(TOYS):
        assert tuple(EXPERIMENTS) == (*names, "brevity", "habit", "lengths")
        found = list(sx.score(run, convention, bootstrap=bootstrap))
    assert tuple(EXPERIMENTS) == names
    return [without, found]


@pytest.mark.parametrize(
    ("convention", "bootstrap"),
    [
        ("strict", None),
        pytest.param("readable", None, marks=pytest.mark.slow),
        ("authors", None),
        pytest.param("strict", 100, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_a_stored_run_scores_the_same_whatever_is_installed(name: str, convention: str, bootstrap: int | None) -> None:
    without, found = scores_with_and_without(STORED / name, convention, bootstrap)
    assert found == without
    assert any(row.experiment == "overall" for row in found)


@pytest.mark.parametrize(
    ("convention", "bootstrap"), [("strict", 100), pytest.param("readable", None, marks=pytest.mark.slow)]
)
@pytest.mark.slow
def test_the_panel_scores_the_same_whatever_is_installed(panel: Path, convention: str, bootstrap: int | None) -> None:
    without, found = scores_with_and_without(panel, convention, bootstrap)
    assert found == without
    headlines = [row for row in found if row.experiment == "overall" and row.metric == "self_execution_score"]
    assert any(row.value is not None for row in headlines)


@pytest.mark.parametrize("bootstrap", [None, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_run_of_both_has_the_headline_of_a_run_without_them(tmp_path: Path, bootstrap: int | None) -> None:
    source = written_items(tmp_path / "items")
    for path in (item_file(STARTER, experiment) for experiment in EXPERIMENTS):
        if path.exists():
            (source / path.name).write_bytes(path.read_bytes())
    models = ["sim/typical", "sim/knows-itself", "sim/coin"]
    alone = sx.run(models, items="starter", limit=25, out=tmp_path / "alone")
    with installed(TOYS):
        both = sx.run(models, items=source, limit=25, out=tmp_path / "both")
        assert set(both.items.experiments) == {name for name, one in EXPERIMENTS.items() if not one.recorded}
        scores = [sx.score(run, bootstrap=bootstrap) for run in (alone, both)]
        rows = [[row for row in found if row.experiment in ("overall", "restriction")] for found in scores]
        assert rows[0] == rows[1]
