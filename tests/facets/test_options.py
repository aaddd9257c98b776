"""Each facet has an option of its own on the command line, short for --facet."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.experiments import Prompts
from selfexec.facets import FACETS, Facet


def parsed(*words: str) -> dict[str, list[str]]:
    """The facets that a command line of `run` asks for."""
    context = click.Context(root, info_name="selfexec")
    command = root.get_command(context, "run")
    assert command
    facets: dict[str, list[str]] = command.make_context("run", list(words), parent=context).params["facets"]
    return facets


@pytest.mark.parametrize(
    ("words", "facets"),
    [
        (["--frame", "self", "--frame", "person"], {"frame": ["self", "person"]}),
        (["--frame", "self,person"], {"frame": ["self", "person"]}),
        (["--facet", "frame=self,person"], {"frame": ["self", "person"]}),
        (["--facet", "frame=self", "--frame", "named:GPT-6"], {"frame": ["self", "named:GPT-6"]}),
        (["--asker", "another", "--frame", "person"], {"asker": ["another"], "frame": ["person"]}),
        ([], {}),
    ],
)
def test_a_facets_option_is_short_for_the_long_one(words: list[str], facets: dict[str, list[str]], toys: Path) -> None:
    assert parsed(*words) == facets


def test_help_has_an_option_for_each_facet_that_is_installed_beside_the_long_one(toys: Path) -> None:
    for command, flag in (("run", "--help-all"), ("export", "--help")):
        told = " ".join(CliRunner().invoke(root, [command, flag]).output.split())
        assert "--frame LEVEL Whose behaviour the model is asked to predict: self, another-model," in told
        assert "--haste LEVEL Ask in these conditions, too: none, quick. Repeatable." in told
    assert told.index("--facet") < told.index("--frame") < told.index("--haste")


def test_a_facet_whose_name_is_taken_keeps_to_the_long_form(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Facet(name="items", default="a", levels={"b": "another"}, touches=lambda experiment, kind: True)
    monkeypatch.setattr(FACETS, "_found", {**FACETS, "items": taken}, raising=False)
    assert parsed("--items", "starter", "--facet", "items=b") == {"items": ["b"]}


def test_a_facet_that_leaves_a_name_in_a_prompt_that_nobody_fills_in_is_refused_before_a_run_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def with_mood(level: str, experiment: str, prompts: Prompts) -> Prompts:
        return prompts | {"predict": f"{prompts['predict']} $target, but $mood"}

    mood = Facet(name="mood", default="none", levels={"bad": "moody"}, touches=predictions, prompts=with_mood)
    monkeypatch.setattr(FACETS, "_found", {**FACETS, "mood": mood}, raising=False)
    with pytest.raises(sx.InputError, match=r"^association.predict@mood=bad: association does not fill in \$mood\."):
        sx.run("sim/coin", experiments="association", limit=1, facets={"mood": "bad"}, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def predictions(experiment: str, kind: str) -> bool:
    return kind == "predict"


def test_the_command_is_written_down_as_it_can_be_typed_again(tmp_path: Path) -> None:
    words = ["run", "--model", "sim/coin", "--limit", "1", "--frame", "self,person", "--out", str(tmp_path / "r")]
    assert CliRunner().invoke(root, words).exit_code == 0
    [invocation] = json.loads((tmp_path / "r" / "manifest.json").read_text())["invocations"]
    assert (
        invocation["command"] == f"selfexec run --model sim/coin --limit 1 --facet frame=self,person --out {tmp_path}/r"
    )


def test_a_condition_goes_by_its_levels_however_they_are_written(tmp_path: Path) -> None:
    out = str(tmp_path / "r")
    CliRunner().invoke(root, ["run", "--model", "sim/coin", "--limit", "3", "--frame", "self,person", "--out", out])
    found = [
        CliRunner().invoke(root, ["score", out, "--condition", name, "--format", "csv"]).output
        for name in ("default", "frame=self")
    ]
    assert found[0] == found[1] and "default" in found[0]
    said = CliRunner().invoke(root, ["score", out, "--condition", "frame"])
    assert "unknown condition 'frame'. There are default, frame=person" in str(said.exception or said.output)
