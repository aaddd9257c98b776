"""What a run can tell apart, as it is said before it is paid for, against recorded models."""

import math
import statistics
from dataclasses import replace

import pytest

import selfexec as sx
from selfexec.analysis.power import half_width, outlook
from selfexec.items import level_spread
from selfexec.items.presets import draws, preset_ids
from selfexec.runs import Run
from selfexec.stats import Z
from selfexec.text.numbers import decimal


def quick_part(run: Run) -> Run:
    """The run as if its items had been those of the quick preset, without its name: no spread of the cut is added."""
    [*_, newest] = draws()
    kept = {
        name: set(preset_ids("quick", name, items, newest.name, newest.experiments[name].sha256))
        for name, items in run.items.items.items()
    }
    found = replace(run, replies={key: reply for key, reply in run.replies.items() if key.item in kept[key.experiment]})
    vars(found)["readings"] = {key: run.readings[key] for key in found.replies}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["quick", "full"])
def test_intervals_of_recorded_models_are_as_wide_as_is_said_beforehand(ten_models: Run, cut: str) -> None:
    run = quick_part(ten_models) if cut == "quick" else ten_models
    scores = sx.score(run, panel="none")
    for experiment, items in (("association", 60), ("restriction", 100), ("difficulty", 60)):
        asked = items if cut == "quick" else len(run.items.items[experiment])
        rows = [scores.row(model, experiment, "skill") for model in scores.models]
        widths = [(row.high - row.low) / 2 for row in rows if row.low is not None and row.high is not None]
        assert half_width(experiment, asked) == pytest.approx(statistics.median(widths), rel=0.06)


def test_how_far_a_cut_may_be_off_is_in_the_intervals_that_are_said_beforehand() -> None:
    [*_, newest] = draws()
    cuts = level_spread("quick", newest.name, {name: drawn.cuts["quick"] for name, drawn in newest.experiments.items()})
    sizes = {"association": 60, "restriction": 100, "difficulty": 60}
    # by association: 1.96 x .29 / sqrt(60) x (1 + 25/60) = .104, and 1.96 x .0223 = .044: the root of their squares
    assert cuts["association", "skill"] == pytest.approx(0.0223)
    width = half_width("association", 60, cuts["association", "skill"])
    assert width == pytest.approx(math.hypot(0.104, 0.0437), abs=5e-4)
    sampled = math.hypot(*(half_width(name, n) for name, n in sizes.items())) / 3
    assert f"overall ±{decimal(math.hypot(sampled, Z * cuts['overall', 'skill']), 2)}" in outlook(sizes, 6, cuts)
    assert "association ±.11, restriction ±.15, difficulty ±.13, overall ±.08" in outlook(sizes, 6, cuts)
    assert "association ±.10, restriction ±.14, difficulty ±.12, overall ±.07" in outlook(sizes, 6)
