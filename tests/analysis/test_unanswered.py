"""A model that a run was to ask and that has answered nothing is named, wherever scores are."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import selfexec as sx
from extension_parts import needs
from selfexec.engines.sim.server import SimServer
from selfexec.items import load as load_items
from selfexec.runs.asking import grow, plan
from sockets import served


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of one model that answered everything, to which another was to be added by a command that was killed."""
    folder = tmp_path_factory.mktemp("runs") / "mine"
    with served(SimServer(load_items("starter")).app()) as url:
        sx.run("vllm/typical", base_url=url, limit=2, out=folder)
        grow(plan("vllm/typcial", base_url=url, limit=2, out=folder))
        yield folder


SAID = (
    "Nothing that mine was to ask vllm/typcial in association, restriction and difficulty has been answered yet: no "
    "score here is about that."
)


def test_it_is_said_beside_the_scores_in_every_form_of_them(run: Path) -> None:
    scores = sx.score(run)
    assert scores.models == ["vllm/typical"]
    assert SAID in str(scores).splitlines()
    [warning] = [one for one in json.loads(scores.json())["warnings"] if one.get("kind") == "unanswered"]
    assert warning["model"] == "vllm/typcial" and warning["text"] == SAID


@needs("card")
def test_it_is_said_in_the_card(run: Path) -> None:
    assert str(sx.card(run)).count(SAID) >= 1


def test_it_is_said_in_the_report(run: Path, tmp_path: Path) -> None:
    assert SAID in sx.report(run, tmp_path / "r.html").read_text()


def test_the_run_says_it_of_itself_and_a_whole_run_does_not(run: Path, tmp_path: Path) -> None:
    assert "nothing answered by vllm/typcial (association, restriction and difficulty)" in repr(sx.load(run))
    whole = sx.run("sim/coin", limit=2, out=tmp_path / "whole")
    assert not whole.unanswered and "nothing answered" not in repr(whole)
    assert not [one for one in sx.score(whole).warnings if getattr(one, "kind", "") == "unanswered"]


def test_an_experiment_that_a_model_answered_nothing_of_is_named_alone(tmp_path: Path) -> None:
    sx.run("sim/coin", limit=2, out=tmp_path / "part")
    journal = tmp_path / "part" / "replies.jsonl"
    kept = [line for line in journal.read_text().splitlines() if '"experiment":"restriction"' not in line]
    journal.write_text("".join(f"{line}\n" for line in kept))
    assert sx.load(tmp_path / "part").unanswered == {"sim/coin": ("restriction",)}


def test_of_other_models_alone_nothing_is_said_of_it(run: Path) -> None:
    from selfexec.analysis.score import score
    from selfexec.analysis.selection import Selection

    scores = score(Selection.of(run, models=["vllm/typical"]))
    assert SAID not in str(scores)
