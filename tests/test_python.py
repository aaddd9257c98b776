"""What Python users meet: signatures, names, messages."""

import inspect
import json
import re
import warnings
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.engines import EngineOptions
from selfexec.errors import InputError
from selfexec.plans import Choices

STORED = Path(__file__).parent / "stored"


# --- sx.run and sx.check ---------------------------------------------------------------------------------------------


def default(field: "Field[Any]") -> Any:
    """What holds where nothing is chosen; an empty mapping is None in a signature, where it could be changed."""
    return None if field.default is MISSING else field.default


@pytest.mark.parametrize(
    ("function", "choices", "more"),
    [(sx.run, Choices, {"models", "on_progress"}), (sx.check, EngineOptions, {"model", "items"})],
)
def test_every_choice_stands_in_the_signature_with_its_default_and_in_the_help(
    function: Any, choices: type[EngineOptions], more: set[str]
) -> None:
    known = {field.name: default(field) for field in fields(choices)}
    there = inspect.signature(function).parameters
    assert there.keys() == known.keys() | more
    assert all(there[name].default == value for name, value in known.items())
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in there.values())
    assert all(parameter.annotation not in (Any, parameter.empty) for parameter in there.values())
    # each is told in a line of its own, or in the text below
    assert all(re.search(rf"(?m)^ +{name}  +\S|`{name}`", function.__doc__) for name in there)


def test_a_wrong_name_is_refused_as_python_does_and_with_the_one_that_is_meant() -> None:
    wrong: Any = {"max_call": 3}
    with pytest.raises(InputError, match=r"unknown choice 'max_call' for a run\. Is 'max_calls' meant\?"):
        sx.run("sim/coin", **wrong)
    with pytest.raises(TypeError, match=r"unknown choice 'timout' for a check\. Is 'timeout' meant\?"):
        sx.check("sim/coin", **{"timout": 3.0})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"'temperature' for a run\. Sampling settings go into settings="):
        sx.run("sim/coin", **{"temperature": 0})  # type: ignore[arg-type]


def test_progress_goes_to_on_progress_which_was_called_like_the_report(tmp_path: Path) -> None:
    seen: list[int] = []
    sx.run("sim/coin", limit=1, out=tmp_path / "r", on_progress=lambda progress: seen.append(progress.done))
    assert seen[-1] == 10  # 2 + 3 + 5 sessions
    with pytest.raises(InputError, match=r"unknown choice 'report' for a run\. It is called 'on_progress' now\."):
        sx.run("sim/coin", **{"report": print})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("choice", "said"), [({"max_connections": 0}, "--max-connections 0: give 1"), ({"timeout": 0}, "--timeout 0: give")]
)
def test_a_choice_with_which_nothing_could_be_asked_is_refused(choice: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        sx.run("sim/coin", out=tmp_path / "r", **choice)
    with pytest.raises(InputError, match=said):
        sx.check("sim/coin", **choice)


def test_prompts_are_taken_from_a_file_too_and_any_iterable_names_models_and_experiments(tmp_path: Path) -> None:
    file = tmp_path / "prompts.json"
    file.write_text(json.dumps({"restriction.predict": "Would you answer this? $request"}))
    models = (f"sim/{name}" for name in ("coin", "typical"))
    experiments = iter(["restriction"])
    found = sx.run(models, experiments=experiments, prompts=str(file), limit=1, out=str(tmp_path / "r"))
    assert found.prompts["restriction.predict"] == "Would you answer this? $request"
    [sitting] = found.manifest.sittings
    assert sitting.command == (
        "sx.run(models=['sim/coin', 'sim/typical'], experiments=['restriction'], limit=1, "
        f"prompts={str(file)!r}, out={str(tmp_path / 'r')!r})"
    )


# --- from elsewhere --------------------------------------------------------------------------------------------------


def copied(folder: Path, change: str = "") -> Path:
    """Replies of a stored run in a file of their own, with one more field in the first line."""
    first, *rest = (STORED / "imported" / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    path = folder / "replies.jsonl"
    path.write_text("".join([first.replace("{", "{" + change, 1), *rest]), "utf-8")
    return path


def test_replies_are_imported_with_text_for_paths_and_a_run_comes_back(tmp_path: Path) -> None:
    items = STORED / "imported" / "items"
    one = sx.import_replies(str(copied(tmp_path)), items=str(items), out=str(tmp_path / "one"))
    several = sx.import_replies([copied(tmp_path)], items=items, out=tmp_path / "several")
    stored = sx.load(STORED / "imported")
    assert one.replies == several.replies == stored.replies
    assert sx.load(str(tmp_path / "one")).replies == stored.replies


def test_what_is_odd_about_imported_replies_is_a_warning_at_the_call(tmp_path: Path) -> None:
    path = copied(tmp_path, '"mood": "good", ')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sx.import_replies(path, items=STORED / "imported" / "items", out=tmp_path / "run")
    assert [str(warning.message) for warning in caught] == [f"{path}:1: ignored the unknown field 'mood'"]
    assert caught[0].filename == __file__


def test_items_that_an_imported_model_has_no_reply_of_are_a_warning(tmp_path: Path) -> None:
    line = {"model": "m", "experiment": "restriction", "item": "1", "session": "predict", "text": "A"}
    (tmp_path / "r.jsonl").write_text(json.dumps(line))
    (tmp_path / "items").mkdir()
    items = [{"id": id, "request": "x", "label": "safe", "type": "t"} for id in ("1", "2", "3")]
    (tmp_path / "items" / "restriction.jsonl").write_text("\n".join(map(json.dumps, items)))
    with pytest.warns(UserWarning, match="m has no line for 2 of the items"):
        sx.import_replies(tmp_path / "r.jsonl", items=tmp_path / "items", out=tmp_path / "run")


def test_items_are_called_items_everywhere() -> None:
    with pytest.raises(InputError, match=r"unknown choice 'item_source' for an import\. It is called 'items' now\."):
        sx.import_replies("r.jsonl", **{"item_source": "starter"})  # type: ignore[arg-type]


# --- correlations ----------------------------------------------------------------------------------------------------


def test_a_run_is_correlated_by_itself_by_its_folder_and_beside_a_table(tmp_path: Path) -> None:
    run = sx.load(STORED / "panel")
    # as many as there are, each with another number
    column = {model: float(n) for n, model in enumerate(run.models)}
    (tmp_path / "t.csv").write_text("\n".join(["model,size", *(f"{model},{n}" for model, n in column.items())]))
    table = str(tmp_path / "t.csv")
    assert len({sx.correlations(given).json() for given in (run, str(run.folder), run.folder, [run])}) == 1
    beside = [sx.correlations(run, against=table), sx.correlations([run.folder, table])]
    beside.append(sx.correlations(run, against={"size": column}))
    assert len({found.json() for found in beside}) == 1
    scores = sx.score(run)
    values = {model: scores.value(model, "restriction", "accuracy") for model in run.models}
    known = {model: value for model, value in values.items() if value is not None}
    by_hand = sx.correlations({"restriction accuracy": known}, {"size": column})
    pair = beside[0].pair("restriction accuracy", "size")
    assert pair.pearson.value == by_hand.pair("restriction accuracy", "size").pearson.value
    assert pair.pearson.n == len(known) >= 4


def test_a_table_alone_is_correlated_as_the_command_does(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,a,b\nm,1,2\nn,2,1\no,3,5\np,4,7\n")
    # a and b less their means: -1.5 -.5 .5 1.5 and -1.75 -2.75 1.25 3.25; 9.5 / sqrt(5 * 22.75)
    assert sx.correlations(tmp_path / "t.csv").pair("a", "b").pearson.value == pytest.approx(9.5 / (5 * 22.75) ** 0.5)
    with pytest.raises(InputError, match="eligible is for columns"):
        sx.correlations(tmp_path / "t.csv", eligible=["m"])
