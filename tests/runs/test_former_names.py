"""Names of earlier versions: runs that have them are read, and who types one is given the new one."""

import dataclasses
import importlib
from pathlib import Path

import pytest

import selfexec as sx
from build import selfexec
from extension_parts import left_out
from selfexec.errors import InputError
from selfexec.experiments import Association, Experiment, Words
from selfexec.renamed import LEVELS, METRICS, NAMES

NEW_TO_OLD = {"behaviour-thinking": "deed-thinking", '"invocations"': '"sittings"'}
FACETS = {"behaviour-thinking": ["default", "off"], "strategy": ["none", "own-history:1"]}


def with_old_names(run: Path) -> None:
    """Write the files of a run as earlier versions did."""
    for file in (run / "manifest.json", run / "prompts.json", run / "replies.jsonl"):
        text = file.read_text(encoding="utf-8")
        for new, old in NEW_TO_OLD.items():
            text = text.replace(new, old)
        file.write_text(text.replace('"format": 3', '"format": 2'), encoding="utf-8")


def test_a_run_with_old_names_is_read_and_goes_on_as_one_with_new_ones(tmp_path: Path) -> None:
    out = tmp_path / "r"
    behaviour = {"behaviour-thinking": FACETS["behaviour-thinking"]}
    sx.run("sim/typical", limit=12, experiments=["association"], facets=behaviour, out=out)
    new = sx.run("sim/typical", limit=12, experiments=["association"], facets=FACETS, out=out)
    with_old_names(out)
    assert "deed-thinking" in (out / "replies.jsonl").read_text(encoding="utf-8")
    old = sx.load(out)
    assert "behaviour-thinking=off" in old.conditions
    assert (old.conditions, dict(old.prompts)) == (new.conditions, dict(new.prompts))
    assert {key: reply.text for key, reply in old.replies.items()} == {k: r.text for k, r in new.replies.items()}
    assert old.asked == new.asked
    assert [one.calls for one in old.manifest.invocations] == [one.calls for one in new.manifest.invocations]
    lines = (out / "replies.jsonl").read_bytes()
    sx.run("sim/typical", limit=12, experiments=["association"], facets=FACETS, out=out)
    assert (out / "replies.jsonl").read_bytes() == lines  # nothing is asked again


def test_an_old_name_is_refused_with_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        selfexec(monkeypatch, "run", "--model", "sim/typical", "--deed-thinking", "off", "--out", tmp_path / "r") == 2
    )
    assert "--deed-thinking is called --behaviour-thinking now" in capsys.readouterr().err
    with pytest.raises(InputError, match="the facet deed-thinking is called behaviour-thinking now"):
        sx.run("sim/typical", facets={"deed-thinking": ["off"]}, out=tmp_path / "r")
    prompts = {"association.deed@strategy": "Target: $target. Listed: $words."}
    with pytest.raises(InputError, match=r"it is called 'association\.behaviour@strategy' now"):
        sx.run("sim/typical", prompts=prompts, out=tmp_path / "r")
    run = sx.run("sim/typical", limit=1, out=tmp_path / "r")
    with pytest.raises(InputError, match="the facet deed-thinking is called behaviour-thinking now"):
        sx.score(run, conditions="deed-thinking=off")
    for old, new in METRICS.items():
        with pytest.raises(KeyError, match=f"{old} is called {new} now"):
            sx.score(run).row("sim/typical", "restriction", old)
    for old, new in LEVELS.items():
        with pytest.raises(KeyError, match=f"{old} is called {new} now"):
            sx.ladder(run).row("sim/typical", "restriction", old)


RENAMED = [
    (module, old, new)
    for module, names in NAMES.items()
    for old, new in names.items()
    if not left_out(f"/{new}/".replace(".", "/"))
]


@pytest.mark.parametrize(("module", "old", "new"), RENAMED)
def test_to_import_an_old_name_is_an_error_that_has_the_new_one(module: str, old: str, new: str) -> None:
    with pytest.raises(ImportError, match=f"{module}.{old} is called {new} now"):
        exec(f"from {module} import {old}")
    where, _, name = new.rpartition(".")
    assert hasattr(importlib.import_module(where or module), name)


@pytest.mark.parametrize("module", NAMES)
def test_a_name_that_never_was_is_missing_as_from_any_module(module: str) -> None:
    assert not hasattr(importlib.import_module(module), "Nowhere")
    with pytest.raises(ImportError, match="cannot import name 'Nowhere'"):
        exec(f"from {module} import Nowhere")


def test_an_experiment_with_a_field_by_its_old_name_is_refused_with_the_new_one() -> None:
    fields = {field.name: getattr(Association.words, field.name) for field in dataclasses.fields(Words)}
    assert Words(**fields) == Association.words
    assert dataclasses.replace(Association.words) == Association.words
    with pytest.raises(TypeError, match="Words: deed is called behaviour now"):
        Words(**fields, deed=fields.pop("behaviour"))


def test_an_experiment_whose_kind_of_claims_has_its_old_name_is_refused_with_the_new_one() -> None:
    with pytest.raises(TypeError, match="Old: kind is called claim_kind now"):
        type("Old", (Experiment,), {"name": "old", "kind": "binary"})
