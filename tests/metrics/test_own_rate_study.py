"""The study of the numbers at a model's own rate: its worlds, its page, and what is kept of it."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "own_rate"
MODULES = ("simulate", "worlds", "margins")


@pytest.fixture(scope="module")
def simulate() -> Iterator[ModuleType]:
    path = [*sys.path]
    sys.path.insert(0, str(STUDY))
    import simulate

    yield simulate
    sys.path[:] = path
    for name in MODULES:
        sys.modules.pop(name, None)


def kept(simulate: ModuleType) -> list[dict[str, Any]]:
    with simulate.RESULTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_at_a_models_rate_the_baseline_has_the_skill_that_it_has_on_many_items(
    simulate: ModuleType, rate: float
) -> None:
    """With its own threshold it would have .47 at each of these rates; with claims ranked upside down, less than 0."""
    world = simulate.WORLDS["association"]
    expected = simulate._baselines()["association", 488, rate]
    subject = simulate.Subject(rate, knowledge=1.5)
    found = [simulate.one_run(world, subject, 488, [7, run])[0] for run in range(8)]
    margin, share = np.mean(found, axis=0)[[1, 3], 0]
    # a run's baseline varies by .03; what is left of skill without the margin is the baseline's
    own = simulate.skill(subject, world.base)
    assert own - margin == pytest.approx(expected, abs=0.03)
    assert share == pytest.approx(own / simulate.ceiling(rate, world.base), abs=0.06)


def test_a_subjects_skill_at_its_rate_is_that_of_many_claims(simulate: ModuleType) -> None:
    world = simulate.WORLDS["restriction"]
    for rate, knowledge in ((0.2, 1.4), (0.8, 0.7)):
        claims, _ = simulate.drawn(world, simulate.Subject(rate, knowledge), 40_000, [3])
        did, said = claims.observed > 0, claims.predicted > 0
        assert did.mean() == pytest.approx(world.base, abs=0.01)
        assert said.mean() == pytest.approx(rate, abs=0.01)
        skill = simulate.skill(simulate.Subject(rate, knowledge), world.base)
        assert said[did].mean() - said[~did].mean() == pytest.approx(skill, abs=0.015)


def test_the_page_is_made_of_the_kept_numbers(simulate: ModuleType) -> None:
    found = {simulate._key(row): row for row in kept(simulate)}
    assert (STUDY / "results.md").read_text("utf-8") == simulate.page(found)
    assert {*found} == {simulate._key(cell._asdict()) for cell in simulate.cells()}


def test_margins_of_the_kept_study_hold_the_truth_as_often_as_they_say(simulate: ModuleType) -> None:
    """In .92 to .98 of runs wherever model and baseline differ on enough claims that some outcome of a test could be
    significant. Even if all of four favour the same one, two-sided p is 2 / 2**4 = .125; of five it is .0625.
    """
    differing = {simulate._key(row): float(row["fewest_differing"]) for row in simulate._read(simulate.DIFFERING)}
    for row in kept(simulate):
        covered = float(row["covered_margin_at_own_rate"])
        assert covered >= 0.92, row
        assert covered <= 0.98 or differing[simulate._key(row)] <= 4, row


def test_claims_that_a_margin_rests_on_are_counted_on_the_side_that_has_fewer(simulate: ModuleType) -> None:
    """A model that always says yes has the baseline say yes to all: they differ on none. A coin at .9 differs on claims
    of both sides, on fewer of those that came true, which are fewer.
    """
    world = "association"
    always, coin = (simulate.Cell(world, 200, "coin", rate) for rate in (1.0, 0.9))
    assert simulate.fewest_differing(always, simulate.truth(always, 0.0), 2)["fewest_differing"] == 0
    found = simulate.fewest_differing(coin, simulate.truth(coin, 0.12), 3)["fewest_differing"]
    # the coin denies a tenth of the 144 claims that came true; the baseline, at nearly its ceiling, hardly one
    assert found == pytest.approx(14, abs=6)


def test_verdicts_of_the_kept_study_are_right(simulate: ModuleType) -> None:
    rows = {simulate._key(row): row for row in kept(simulate)}
    for (_, _, model, _), row in rows.items():
        share = {verdict: float(row[verdict]) for verdict in simulate.VERDICTS}
        told = 1 - share["cannot be told"]
        if float(row["true_ceiling_at_own_rate"]) < 0.2:
            assert told == 0, row
        elif model.startswith("coin"):
            assert share["behind"] >= 0.9 * told, row
        elif model == "as good as the baseline":
            assert max(share["behind"], share["ahead"]) <= 0.05, row
        if model == "half of it":
            assert share["behind"] >= 0.7, row
        # how often, whatever is said of which ones
        if model == "coin at the base rate":
            assert float(row["rate_bias_not_0"]) <= 0.08, row
        if model != "coin at the base rate" and abs(float(row["true_rate_bias"])) >= 0.15:
            assert float(row["rate_bias_not_0"]) >= 0.85, row
