"""Predictions with the tool are in no headline, own excess, panel or overall score, wherever scores are shown, and
nothing of a run without the tool changes by them.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import selfexec as sx
from build import SEVEN
from extension_parts import needs
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.facets import crossed_levels, why_apart
from selfexec.panels import panel_of_run

WITH = "tool=self:2"
WHY = "use of a tool, not self-knowledge"
ITEMS = {"preset": "quick", "experiments": ("association", "restriction", "difficulty")}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run with the tool, and the same run without it."""
    folder = tmp_path_factory.mktemp("runs")
    sx.run(SEVEN, **ITEMS, facets={"tool": "self:2"}, allow_self_execution=True, out=folder / "tool")
    sx.run(SEVEN, **ITEMS, out=folder / "plain")
    return folder / "tool", folder / "plain"


def invoked(*words: str) -> str:
    found = CliRunner().invoke(root, [*words], catch_exceptions=False)
    return found.stdout


def records(run: Path, **more: Any) -> list[dict[str, Any]]:
    return sx.score(run, **more).records()


def test_scores_overall_scores_and_own_excess_are_those_of_the_run_without_the_tool(both: tuple[Path, Path]) -> None:
    with_tool, without = map(records, both)
    assert with_tool == without  # the condition with the tool is not among them
    assert {row["condition"] for row in with_tool} == {"default"}
    assert any(row["metric"] == "own_excess" and row["value"] is not None for row in with_tool)
    ours, theirs = (json.loads(invoked("score", str(run), "--format", "json")) for run in both)
    assert ours["answer"] == theirs["answer"] and ours["verdicts"] == theirs["verdicts"]


def test_the_first_screen_and_the_run_itself_do_not_show_the_condition(both: tuple[Path, Path]) -> None:
    tool, plain = both
    ours, theirs = (invoked("score", str(run)).replace(str(run), "RUN") for run in (tool, plain))
    assert ours == theirs


def test_asked_for_by_name_its_scores_stand_by_themselves_and_say_what_they_are(both: tuple[Path, Path]) -> None:
    tool, _ = both
    rows = records(tool, conditions=[WITH])
    assert {row["condition"] for row in rows} == {WITH}
    skill = {row["experiment"]: row for row in rows if row["metric"] == "skill" and row["model"] == "sim/typical"}
    assert skill["association"]["value"] is not None
    withheld = {"self_execution_score", "own_excess", "best_baseline", "baseline_margin", "margin_at_own_rate"}
    told = [row for row in rows if row["metric"] in withheld or row["experiment"] == "overall"]
    assert told and all(row["value"] is None and row["verdict"] is None for row in told)
    assert WHY in next(row["reason"] for row in told)
    found = json.loads(invoked("score", str(tool), "--condition", WITH, "--format", "json"))
    assert found["verdicts"] == [] and found["own_excess"] == [] and found["panel"] is None
    for more in ([], ["--full"]):
        shown = invoked("score", str(tool), "--condition", WITH, *more)
        assert WHY in shown and "Did the model predict" not in shown and "better than chance" not in shown


@pytest.mark.parametrize(
    "words",
    [
        ["report", "RUN", "-o", "OUT.html"],
        ["compare", "RUN", "--model", "sim/coin,sim/typical"],
        ["analyze", "ladder", "RUN"],
        ["analyze", "cross", "RUN"],
        ["analyze", "trend", "RUN"],
        ["analyze", "correlate", "RUN"],
        pytest.param(["card", "RUN"], marks=needs("card")),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_what_makes_a_headline_refuses_the_condition(both: tuple[Path, Path], tmp_path: Path, words: list[str]) -> None:
    tool, _ = both
    typed = [word.replace("RUN", str(tool)).replace("OUT", str(tmp_path / "x")) for word in words]
    if "--condition" not in invoked(*words[: 1 + (words[0] == "analyze")], "--help"):
        with pytest.raises(InputError):
            sx.report(sx.load(tool).under(WITH), tmp_path / "x.html")
        return
    with pytest.raises(InputError, match="not self-knowledge"):
        invoked(*typed, "--condition", WITH)


def test_a_run_that_is_narrowed_to_it_has_no_page_and_is_no_panel(both: tuple[Path, Path], tmp_path: Path) -> None:
    narrowed = sx.load(both[0]).under(WITH)
    with pytest.raises(InputError, match=WHY):
        sx.report(narrowed, tmp_path / "x.html")
    with pytest.raises(InputError, match=WHY):
        panel_of_run(narrowed)
    with pytest.raises(InputError, match=WHY):
        sx.score(narrowed)  # without its name


def test_the_panel_of_the_run_is_that_of_the_run_without_the_tool(both: tuple[Path, Path]) -> None:
    ours, theirs = (panel_of_run(sx.load(run).under("default"), "panel") for run in both)
    assert ours.experiments == theirs.experiments


def test_the_front_of_the_page_is_that_of_the_run_without_the_tool(both: tuple[Path, Path], tmp_path: Path) -> None:
    pages = []
    for name, run in zip(("tool", "plain"), both, strict=True):
        sx.report(run, tmp_path / f"{name}.html", evidence="none")
        pages.append((tmp_path / f"{name}.html").read_text("utf-8"))
    with_tool, without = pages
    assert "With a tool for self-execution" in with_tool and "self-execution tool" not in without
    assert "With a tool for self-execution" not in without and WITH not in without
    fronts = [page[: page.index('id="appendix"')].replace("tool", "plain") for page in pages]
    assert WITH not in with_tool[: with_tool.index('id="appendix"')]
    assert fronts[0].count("own excess") == fronts[1].count("own excess")


def test_a_hypothesis_about_it_is_refused(tmp_path: Path) -> None:
    from selfexec.items import load

    sha = load("starter").cut(["restriction"], limit=3).hashes["restriction"]
    told = {"name": "h", "metric": "skill", "models": ["sim/typical"], "experiment": "restriction"}
    told |= {"direction": "above", "margin": 0, "condition": WITH}
    (tmp_path / "h.json").write_text(json.dumps({"items": {"restriction": sha}, "hypotheses": [told]}))
    with pytest.raises(InputError, match="hypotheses are about what models know of themselves"):
        sx.run(
            "sim/typical",
            experiments="restriction",
            limit=3,
            facets={"tool": "self:2"},
            allow_self_execution=True,
            hypotheses=tmp_path / "h.json",
            out=tmp_path / "run",
        )


def test_the_usual_prediction_is_always_asked_with_it_and_other_facets_are_crossed() -> None:
    assert crossed_levels({"tool": ["self:1"]}) == [(), (("tool", "self:1"),)]
    crossed = crossed_levels({"frame": ["person"], "tool": ["self:1"]})
    assert crossed == [(("frame", "person"),), (("frame", "person"), ("tool", "self:1"))]
    assert why_apart("frame=person,tool=self:1") and why_apart("frame=person") is None
