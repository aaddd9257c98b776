"""Levels on a preset: their intervals hold how far the cut may be off, and skill is adjusted to all items."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import selfexec as sx
from selfexec.analysis import preset_levels
from selfexec.analysis.preset_levels import widened
from selfexec.analysis.score import Score, Scores
from selfexec.items import load, presets
from selfexec.items.presets import draws
from selfexec.metrics import claim_kind, value
from selfexec.panels import load_panel, match_panel
from selfexec.runs import Run
from selfexec.runs.asking import run

LEVELS = [("association", "skill"), ("association", "accuracy"), ("difficulty", "tau"), ("overall", "skill")]
LEVELS += [("overall", "self_execution_score"), ("overall", "adjusted_skill")]
OF_NO_CUT = [("association", "baseline_margin"), ("restriction", "margin_at_own_rate"), ("overall", "baseline_margin")]
OF_NO_CUT += [("association", "best_baseline"), ("restriction", "coverage")]


@pytest.fixture(scope="module")
def quick(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A recorded model as if it had been asked the quick preset alone."""
    folder, cut = tmp_path_factory.mktemp("quick"), load(reference / "items").cut(preset="quick")
    lines = (reference / "replies" / "gpt-4.1.jsonl").read_text("utf-8").split("\n")
    asked = [line for line in lines if line and (key := json.loads(line))["item"] in cut[key["experiment"]]]
    (folder / "said.jsonl").write_text("\n".join(asked) + "\n", "utf-8")
    return sx.import_replies(folder / "said.jsonl", items=str(reference / "items"), preset="quick", out=folder / "run")


@pytest.fixture(scope="module")
def of_quick(quick: Run) -> Scores:
    return sx.score(quick)


def test_a_further_doubt_lengthens_both_arms_of_an_interval_by_hand() -> None:
    row = Score("m", "association", "skill", 0.4, 0.2, 0.5, 60, 240, 0, 0, "strict")
    wider = widened(row, 0.05)
    # 1.96 x .05 = .098; sqrt(.2^2 + .098^2) = .22272 below, sqrt(.1^2 + .098^2) = .14001 above
    assert (wider.low, wider.high) == pytest.approx((0.17728, 0.54001), abs=1e-5)
    assert wider.value == 0.4
    assert widened(row, 0.0) == row


@pytest.mark.parametrize(
    ("metric", "least"), [("accuracy", 0.0), ("self_execution_score", 0.0), ("skill", -1.0), ("tau", -1.0)]
)
def test_an_interval_with_a_further_doubt_stays_within_what_is_possible(metric: str, least: float) -> None:
    def ends(value: float) -> tuple[float | None, float | None]:
        row = Score("m", "difficulty", metric, value, value - 0.01, value + 0.01, 60, 360, 0, 0, "strict")
        return widened(row, 0.5).low, widened(row, 0.5).high

    assert ends(0.97)[1] == 1.0
    assert ends(least + 0.02)[0] == least


def test_the_interval_of_a_presets_level_holds_the_spread_of_its_cut(
    quick: Run, of_quick: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preset_levels, "level_spread", lambda *_: {})
    plain = sx.score(quick)
    spread = draws()[-1].spread["quick"]
    for experiment, metric in LEVELS:
        without, row = (one.row("gpt-4.1", experiment, metric) for one in (plain, of_quick))
        assert row.value == without.value is not None
        assert row.low is not None and row.high is not None and without.low is not None and without.high is not None
        arm, doubt = without.high - row.value, 1.959964 * spread[experiment][metric]
        assert row.high - row.value == pytest.approx(math.sqrt(arm**2 + doubt**2))
        assert row.low < without.low
    for experiment, metric in OF_NO_CUT:
        assert of_quick.row("gpt-4.1", experiment, metric) == plain.row("gpt-4.1", experiment, metric)


def test_skill_on_a_preset_is_adjusted_by_the_panel_without_the_model_itself(quick: Run, of_quick: Scores) -> None:
    row = of_quick.row("gpt-4.1", "difficulty", "adjusted_skill")
    assert (row.panel, row.preset) == ("paper", "quick")
    assert "skill adjusted to all items" in of_quick.table()
    # by another way: tau is 2 x mean - 1 of the groups' scores, so that the regression is numpy's own. A group that a
    # model lacks has the mean of its others, and models that lack some count a little more in the package: .002.
    panel = match_panel(load_panel("paper"), [quick], quick.tables)
    assert panel is not None and "gpt-4.1" not in panel.models
    kind, claims = claim_kind("difficulty"), panel.tables.claims["difficulty"]
    own = kind.count(claims.of("gpt-4.1"), True)
    records = {model: kind.count(claims.of(model), False) for model in panel.models}
    columns, leads = [], []
    for model, record in records.items():
        if len(record.items) >= 30:
            scores = dict(zip(record.items, record.counts[:, 0], strict=True))
            columns.append([scores.get(id, record.counts[:, 0].mean()) for id in own.items])
            on_all = load_panel("paper").experiments["difficulty"].models[model].skill
            leads.append((on_all or math.nan) - value(kind.skill, record))
    slope, _ = np.polyfit(np.mean(columns, axis=0), own.counts[:, 0], 1)
    assert row.value == pytest.approx(value(kind.skill, own) + slope * np.mean(leads), abs=0.002)


def test_a_run_of_all_items_has_no_adjusted_level(scores_of_ten: Scores) -> None:
    assert not [row for row in scores_of_ten if row.metric == "adjusted_skill"]


def test_without_a_panel_nothing_is_adjusted(quick: Run) -> None:
    scores = sx.score(quick, panel="none", experiments=["difficulty"])
    assert scores.get("gpt-4.1", "difficulty", "adjusted_skill") is None


def test_comparing_runs_of_two_cuts_warns_and_pairs_the_items_that_both_have(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(preset: str, name: str) -> Run:
        items = str(reference / "items")
        return run(["sim/coin"], experiments=["restriction"], items=items, preset=preset, out=tmp_path / name)  # type: ignore[arg-type]

    shipped = draws()
    with monkeypatch.context() as before:
        before.setattr(presets, "draws", lambda: shipped[:1])
        old = asked("quick", "old")
    new, larger = asked("quick", "new"), asked("standard", "larger")
    of_two = sx.compare([old, new])
    [warning] = [note for note in of_two.notes if "cuts of the items" in note]
    assert "quick in the order balanced-1, quick in the order balanced-2" in warning
    assert "levels of the two are not comparable" in warning
    common = {*shipped[0].experiments["restriction"].quick} & {*shipped[1].experiments["restriction"].quick}
    assert {row.items for row in of_two.differences if row.experiment == "restriction"} == {len(common)}
    # cuts of one order nest
    assert not [note for note in sx.compare([new, larger]).notes if "cuts of the items" in note]
