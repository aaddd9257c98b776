"""Every sentence that follows from scores, of the ten recorded models and of the simulated panel, word for word.

`sentences.json` holds them. A number or a word that changes there is a change of what people are told: it is for the
one who makes it to see that it is right, and to write the file anew.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import part_of
from selfexec.analysis.compare import ranking
from selfexec.analysis.differences import Standing
from selfexec.analysis.findings import against_baseline, against_others, further_findings, which_ones
from selfexec.analysis.selection import Selection
from selfexec.metrics import Score
from selfexec.report.data import Data, Options
from selfexec.report.sections.answer import answer
from selfexec.report.sections.models import models
from selfexec.report.sections.top import top
from selfexec.runs import Run

PINNED = json.loads(Path(__file__).with_name("sentences.json").read_text("utf-8"))


def test_a_finding_says_how_a_model_stands_and_to_what_without_a_word(
    ten_models: Run, scores_of_ten: sx.Scores
) -> None:
    scores = scores_of_ten
    ranks = ranking(scores, ["skill"]).standings
    found = list(further_findings(scores, ten_models.tables, ranks))
    assert len({(one.about, one.relation, one.subject, one.source) for one in found}) == len(found)
    told = {(one.about, one.relation, one.subject): one for one in found if one.relation != "own"}
    assert {one.relation for one in found} == {"others", "naive", "own"}
    naive = told["association", "naive", "o4-mini"]
    assert naive.level == scores.value("o4-mini", "association", "always_no")
    row = scores.row("o4-mini", "association", "baseline_margin")
    [margin] = [m for m in against_baseline(scores.of("association", "baseline_margin")) if m.subject == "o4-mini"]
    assert (margin.value, margin.low, margin.high, margin.answer) == (row.value, row.low, row.high, "no")
    # STATISTICS.md: gemini-2.5-flash has no recorded answers, so nothing is found, and it says why
    lost = next(m for m in which_ones(scores, "difficulty") if m.subject == "gemini-2.5-flash")
    assert lost.answer == "withheld" and lost.value is None and lost.reason


def test_who_cannot_be_told_from_whom_goes_both_ways() -> None:
    rows = [made(model, value) for model, value in (("c", 0.1), ("a", 0.5), ("b", 0.4))]
    # a and b share one letter, b and c another: c is behind a, and b is not
    standings = [
        Standing("skill", "overall", model, tied=tied) for model, tied in (("a", "x"), ("b", "x y"), ("c", "y"))
    ]
    found = [(one.subject, one.answer, one.alike) for one in against_others(rows, standings)]
    assert found == [("a", "open", ("b",)), ("b", "open", ("a", "c")), ("c", "no", ("b",))]


def made(model: str, value: float) -> Score:
    ends = {"value": value, "low": value - 0.1, "high": value + 0.1}
    counts = {"items": 50, "claims": 50, "unreadable": 0, "missing": 0}
    return Score(model=model, experiment="overall", metric="skill", convention="strict", **ends, **counts)  # type: ignore[arg-type]


def sentences(run: Run, convention: str, panel: str | None = "none") -> dict[str, Any]:
    """What `score` answers, and what the page says on top, below, and model by model; each with its tone."""
    data = Data(Selection.of(run, convention, panel=panel), Options())
    head, front = top(data), answer(data)
    panels = front.front.panels if front.front else ()
    return {
        "score": json.loads(data.scores.json())["answer"],
        "top": [head.headline, head.about, *head.details],
        "front": [
            *front.notes,
            *([p.experiment, p.question, *(f"{c.head}: {c.brief}" for c in p.columns), *p.own] for p in panels),
        ],
        "said": [[one.about, one.answer, one.text] for told in front.said.values() for one in told],
        "advice": [[part.model, *advice] for part in models(data).models for advice in part.advice],
    }


@pytest.fixture(
    scope="module", params=["", "gpt-4.1", pytest.param("gpt-4.1 o4-mini mistral-7b", marks=pytest.mark.slow)]
)
def recorded(request: pytest.FixtureRequest, ten_models: Run) -> tuple[str, Run]:
    """Names of models, and the run as if these alone had been asked; read once for both conventions."""
    names = request.param
    return names or "all", part_of(ten_models, models=names.split()) if names else ten_models


@pytest.mark.parametrize("convention", ["strict", pytest.param("readable", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_sentences_of_the_recorded_models_are_those_that_stand_here(recorded: tuple[str, Run], convention: str) -> None:
    names, run = recorded
    assert sentences(run, convention) == PINNED[f"recorded {names} {convention}"]


@pytest.mark.slow
def test_sentences_beside_the_reference_panel_are_those_that_stand_here(ten_models: Run) -> None:
    run = part_of(ten_models, models=["gpt-4.1"])
    assert sentences(run, "strict", None) == PINNED["recorded gpt-4.1 beside the panel"]


@pytest.mark.parametrize(
    ("names", "limit"),
    [
        pytest.param("", None, marks=pytest.mark.slow),
        pytest.param("sim/typical", None, marks=pytest.mark.slow),
        ("sim/typical", 45),
        ("sim/typical sim/coin", 60),
        pytest.param("sim/typical sim/coin sim/says-yes", 180, marks=pytest.mark.slow),
    ],
)
def test_sentences_of_the_panel_are_those_that_stand_here(
    request: pytest.FixtureRequest, names: str, limit: int | None, tmp_path: Path
) -> None:
    whole = not names  # asked of all only where it is wanted
    run = request.getfixturevalue("whole_panel") if whole else sx.run(names.split(), limit=limit, out=tmp_path / "run")
    assert sentences(run, "strict") == PINNED[f"panel {names or 'all'} {limit or 'whole'}"]
