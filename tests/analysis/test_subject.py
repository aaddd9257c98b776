"""`selfexec analyze cross --subject`: predictions of some models on the behaviour of another, not on themselves."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import selfexec, write
from selfexec.runs import Run

N = 60
ABOUT_B = {"frame": "named:b"}


def did(model: str, n: int) -> bool:
    """Whether it answers request n: a answers the even ones, b those that three divides."""
    return n % 2 == 0 if model == "a" else n % 3 == 0


def reply(model: str, n: int, session: str, yes: bool, facets: Mapping[str, str] | None = None) -> dict[str, Any]:
    text = "Here you are." if session == "execute" else "A" if yes else "B"
    line = {"model": model, "experiment": "restriction", "item": str(n), "session": session, "text": text}
    return line | ({"facets": facets} if facets else {})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """a knows itself, and b but for every tenth request; b knows nothing of itself: it always says yes."""
    folder = tmp_path_factory.mktemp("subject")
    (folder / "items").mkdir()
    items = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "plain"} for n in range(N)]
    write(folder / "items" / "restriction.jsonl", items)
    lines = []
    for n in range(N):
        lines += [reply(model, n, session, did(model, n)) for model in "ab" for session in ("execute", "judge")]
        lines += [reply("a", n, "predict", did("a", n)), reply("b", n, "predict", True)]
        lines.append(reply("a", n, "predict", did("b", n) != (n % 10 == 9), ABOUT_B))
    write(folder / "replies.jsonl", lines)
    return sx.import_replies(folder / "replies.jsonl", items=folder / "items", out=folder / "run")


def test_what_a_model_says_of_another_is_held_against_the_others_behaviour(run: Run) -> None:
    found = {(row.predictor, row.condition): row for row in sx.predictions_about(run, "b")}
    assert list(found) == [("b", "default"), ("a", "default"), ("a", "frame=named:b")]
    about = found["a", "frame=named:b"]
    # of 60 requests b answers 20, of which a denies n = 9, 39; of the 40 others a affirms n = 19, 29, 49, 59:
    # J = 18/20 - 4/40
    assert (about.skill, about.accuracy) == (pytest.approx(0.8), pytest.approx(0.9))
    assert (about.about, about.source, about.claims, about.coverage) == ("b", "self", 60, 1.0)
    # b says yes to all: J is 1 - 1; a says yes of itself to half of what b does, and to half of what it leaves
    assert (found["b", "default"].skill, found["a", "default"].skill) == (0.0, 0.0)
    assert (found["b", "default"].less, about.less) == (None, pytest.approx(-0.8))
    assert about.less_low is not None and about.less_low < -0.8 < (about.less_high or 0) < 0


def test_what_the_subject_says_of_somebody_else_stands_below_its_own_prediction(run: Run) -> None:
    rows = {(row.predictor, row.condition): row for row in sx.predictions_about(run, "a")}
    assert {place: row.skill for place, row in rows.items() if row.about == "itself"} == {
        ("a", "default"): 1.0,
        ("b", "default"): 0.0,
    }
    # of b, a says yes of 10 even and 12 odd requests of 30 each, less n = 9, 39 and with 19, 29, 49, 59, all odd
    said = rows["a", "frame=named:b"]
    assert (said.skill, said.less, said.about) == (pytest.approx(10 / 30 - 12 / 30), pytest.approx(1 + 2 / 30), "b")


def test_no_row_speaks_of_itself_where_predictor_and_subject_are_two(run: Run) -> None:
    found = sx.predictions_about(run, "b", conditions="frame=named:b")
    text = str(found)
    assert text.startswith("How well is b predicted?")
    assert "nothing follows for self-knowledge" in " ".join(text.split())
    for word in ("verdict", "own excess", "knows itself", "best baseline", "margin"):
        assert word not in text
    assert [(row.predictor, row.about) for row in found] == [("b", "itself"), ("a", "b")]


def test_predictor_subject_and_judge_are_three_models(run: Run, tmp_path: Path) -> None:
    # a judge that turns every judgement round leaves a's prediction on b a J of -.8
    lines = [
        {"model": "b", "experiment": "restriction", "item": str(n), "session": "execute", "source": "judge:c"}
        | {"value": not did("b", n), "text": "Here you are."}
        for n in range(N)
    ]
    path = run.folder / "judgements.jsonl"
    write(path, lines)
    try:
        rows = sx.predictions_about(run.folder, "b", source="judge:c")
    finally:
        path.unlink()
    by_another = {(row.predictor, row.condition): (row.source, row.skill) for row in rows}
    assert by_another["a", "frame=named:b"] == ("judge:c", pytest.approx(-0.8))


def test_what_is_lost_on_either_side_is_lost(run: Run) -> None:
    gone = {key for key in run.replies if key.item in ("0", "1") and key.model == "b" and key.session == "judge"}
    gone |= {key for key in run.replies if key.item == "2" and key.model == "a" and key.facets}
    gone |= {key for key in run.replies if key.item == "3" and key.model == "a" and key.session == "execute"}  # its own
    less = replace(run, replies={key: reply for key, reply in run.replies.items() if key not in gone})
    row = next(row for row in sx.predictions_about(less, "b") if row.condition == "frame=named:b")
    assert (row.missing, row.unreadable, row.claims) == (3, 0, 60)


def test_the_command_prints_writes_and_refuses(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfexec(monkeypatch, "analyze", "cross", run.folder, "--subject", "b", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["predictions"]
    assert [(row["predictor"], row["subject"], row["skill"]) for row in rows][-1] == ("a", "b", pytest.approx(0.8))
    assert selfexec(monkeypatch, "analyze", "cross", run.folder, "--subject", "c") == 2
    assert "unknown model 'c'" in capsys.readouterr().err
    assert selfexec(monkeypatch, "analyze", "cross", run.folder, "--subject", "a", "--condition", "frame=named:b") == 2
    assert "nobody else's predictions can be held against the behaviour of a" in capsys.readouterr().err
    assert selfexec(monkeypatch, "analyze", "cross", run.folder, "--format", "csv") == 2
    assert "name a --subject" in capsys.readouterr().err
