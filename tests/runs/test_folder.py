"""What the manifest of a run tells, and what is said of a folder that is no run, or no place for one."""

from pathlib import Path
from typing import Any

import pytest

from selfexec.errors import InputError
from selfexec.items import load
from selfexec.runs import load_manifest, write_manifest
from selfexec.runs.folder import FORMAT, Manifest, create, keep_old_manifest, refuse_taken, simulated_of


def manifest(**more: Any) -> Manifest:
    usual = {"selfexec": "1", "origin": "run", "models": ["a", "b"], "experiments": [], "epochs": 1, "items": {}}
    return Manifest(**{**usual, **more})


def test_a_model_is_sent_its_own_settings_else_those_of_all_but_what_conditions_send() -> None:
    made = manifest(settings={"temperature": 1, "effort@thinking=off": "none"}, own_settings={"b": {"top_p": 0.5}})
    assert made.settings_of("a") == {"temperature": 1}
    assert made.settings_of("b") == {"top_p": 0.5}
    assert manifest(settings={"temperature": 1}, own_settings={"b": {}}).settings_of("b") == {}


def test_all_settings_are_those_of_all_and_what_a_model_is_sent_otherwise() -> None:
    own = {"c": {"temperature": 1, "seed": 4}, "b": {"top_p": 0.5}, "d": {"temperature": 1}}
    made = manifest(settings={"temperature": 1, "effort@thinking=off": "none"}, own_settings=own)
    assert made.all_settings == [
        ("effort@thinking=off", "effort@thinking=off", "none"),
        ("temperature", "temperature", 1),
        ("temperature of b", "temperature", None),
        ("top_p of b", "top_p", 0.5),
        ("seed of c", "seed", 4),
    ]
    assert manifest().all_settings == []


def test_who_is_simulated_is_kept_or_told_by_the_name_where_it_was_not() -> None:
    models = ["sim/coin", "any/sim/x", "mine/y"]
    assert simulated_of(manifest(models=models)) == ["sim/coin"]
    assert simulated_of(manifest(models=models, simulated=["mine/y"])) == ["mine/y"]
    assert simulated_of(manifest(models=models, simulated=[])) == []


def test_a_manifest_is_read_as_it_was_written_and_one_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    made = manifest(settings={"seed": 1})
    write_manifest(tmp_path, made)
    assert load_manifest(tmp_path) == made
    write_manifest(tmp_path, manifest(format=FORMAT + 1))
    with pytest.raises(InputError, match=f"format {FORMAT + 1} is newer than this version of selfexec"):
        load_manifest(tmp_path)


def test_the_manifest_of_an_older_format_alone_is_kept_and_only_the_first(tmp_path: Path) -> None:
    write_manifest(tmp_path, manifest())
    keep_old_manifest(tmp_path, manifest(format=FORMAT))
    assert not (tmp_path / f"manifest.{FORMAT}.json").exists()
    keep_old_manifest(tmp_path, manifest(format=1))
    kept = (tmp_path / "manifest.1.json").read_bytes()
    assert kept == (tmp_path / "manifest.json").read_bytes()
    write_manifest(tmp_path, manifest(epochs=2))
    keep_old_manifest(tmp_path, manifest(format=1))
    assert (tmp_path / "manifest.1.json").read_bytes() == kept


def test_a_damaged_manifest_names_the_way_to_the_replies_where_these_and_their_items_are_there(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(b"{")

    def said() -> str:
        with pytest.raises(InputError) as refused:
            load_manifest(tmp_path)
        return str(refused.value)

    assert said().endswith("The manifest is damaged. Restore it, or start a new run.")
    (tmp_path / "replies.jsonl").touch()
    assert said().endswith("Restore it, or start a new run.")
    (tmp_path / "items").mkdir()
    way = f"selfexec import {tmp_path}/replies.jsonl --items {tmp_path}/items --out NEW"
    assert said().endswith(f"The replies are not: {way}")
    (tmp_path / "replies.jsonl").unlink()
    assert said().endswith("Restore it, or start a new run.")


def test_a_folder_of_runs_names_ten_of_them_and_counts_the_others(tmp_path: Path) -> None:
    def said() -> str:
        with pytest.raises(InputError) as refused:
            load_manifest(tmp_path)
        return str(refused.value)

    begin = f"{tmp_path}: no run found (there is no manifest.json). "
    assert said() == begin + "Give the folder of a run."
    runs = [tmp_path / f"{n:02}" for n in range(11)]
    for n, run in enumerate(runs):
        run.mkdir()
        (run / "manifest.json").touch()
        if n == 0:
            assert said() == begin + f"It holds the run {run}. Give one of them."
        if n == 9:
            assert said() == begin + f"It holds the runs {', '.join(map(str, runs[:10]))}. Give one of them."
    ten = ", ".join(map(str, runs[:10]))
    assert said() == begin + f"It holds the runs {ten} and 1 more (selfexec list {tmp_path}). Give one of them."


def test_no_run_is_made_where_something_lies(tmp_path: Path) -> None:
    refuse_taken(tmp_path / "nowhere")
    refuse_taken(tmp_path)
    (tmp_path / "note").touch()
    with pytest.raises(InputError, match="this is a file"):
        refuse_taken(tmp_path / "note")
    with pytest.raises(InputError, match="holds something else already"):
        refuse_taken(tmp_path)
    (tmp_path / "manifest.json").touch()
    with pytest.raises(InputError, match="holds another run already"):
        refuse_taken(tmp_path)


def test_of_two_that_begin_a_run_in_one_folder_the_slower_is_told_so_and_changes_nothing(tmp_path: Path) -> None:
    starter = load("starter").cut(limit=1)
    create(tmp_path / "r", manifest(), starter, [])
    before = {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    with pytest.raises(InputError, match=r"r: another process has just begun a run here; nothing was changed\."):
        create(tmp_path / "r", manifest(models=["c"]), starter, [])  # it was refused if it was there already
    assert before == {path: path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()}
    assert [path.name for path in tmp_path.iterdir()] == ["r"]
