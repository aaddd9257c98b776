"""What Python users meet: signatures, names, messages."""

import hashlib
import inspect
import json
import re
import shutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from extension_parts import OURS, here, needs
from selfexec.cli import root
from selfexec.cli.declared import collect, options_of
from selfexec.errors import InputError
from selfexec.options import option, settle
from selfexec.run_options import BatchOptions, CheckOptions, JudgeOptions, RunOptions, stored_names
from selfexec.runs.arguments import takes
from selfexec.text.matching import Named

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "stored"


# --- sx.run and sx.check ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (sx.run, RunOptions),
        (sx.check, CheckOptions),
        *([(sx.judge, JudgeOptions)] if here("judging") else []),
        *([(sx.export_batch, BatchOptions)] if here("batch") else []),
    ],
)
def test_every_option_stands_in_the_signature_with_its_default_and_in_the_help(function: Any, kind: type[Any]) -> None:
    known = {field.name: {} if field.default_factory is dict else field.default for field in fields(kind)}
    there = inspect.signature(function).parameters
    assert there.keys() == known.keys()
    assert all(there[name].default in (value, inspect.Parameter.empty) for name, value in known.items())
    assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in there.values())
    assert all(parameter.annotation not in (Any, parameter.empty) for parameter in there.values())
    # each is told in a paragraph of its own
    assert all(re.search(rf"(?m)^    {name}: \S", function.__doc__) for name in there)


@dataclass(frozen=True, kw_only=True)
class Coffee:
    """Options of something that is none of ours."""

    cups: int = option(1, "How many cups.", metavar="N", section="How much")
    milk: bool = option(False, "Whether with milk.")
    sugar: Mapping[str, Any] = option({}, "What sweetens it.", flag="--sweet", form="settings")

    def __post_init__(self) -> None:
        settle(self)


def test_one_field_makes_an_option_of_a_function_of_a_command_and_of_what_is_written_down() -> None:
    @takes(Coffee, "a coffee", lumps="sugar")
    def brew(options: Coffee) -> Coffee:
        """Make coffee."""
        return options

    @click.command()
    @options_of(Coffee)
    def command(**given: Any) -> None:
        print(collect(Coffee, given))

    assert brew(cups=2, milk=None) == Coffee(cups=2)  # type: ignore[arg-type]
    assert str(inspect.signature(brew)).startswith("(*, cups: int = 1, milk: bool = False, sugar: ")
    assert brew.__doc__ == (
        "Make coffee.\n\nArgs:\n    cups: How many cups.\n    milk: Whether with milk.\n    sugar: What sweetens it."
    )
    with pytest.raises(InputError, match=r"unknown option 'cup' for a coffee\. Did you mean 'cups'\?"):
        brew(**{"cup": 3})
    with pytest.raises(InputError, match=r"cups: expected a whole number, not str\."):
        brew(**{"cups": "three"})
    with pytest.raises(InputError, match="It is called 'sugar' now"):
        brew(**{"lumps": {}})
    typed = CliRunner().invoke(command, ["--cups", "3", "--milk", "--sweet", "honey=2"]).output
    assert typed == f"{Coffee(cups=3, milk=True, sugar={'honey': 2})}\n"
    # no text of anybody's can be in a number or a switch; in settings there may be a key
    assert stored_names([Coffee]) == {"cups", "milk"}


def test_a_wrong_name_is_refused_as_python_does_and_with_the_one_that_is_meant() -> None:
    wrong: Any = {"max_call": 3}
    with pytest.raises(InputError, match=r"unknown option 'max_call' for a run\. Did you mean 'max_calls'\?"):
        sx.run("sim/coin", **wrong)
    with pytest.raises(TypeError, match=r"unknown option 'timout' for a check\. Did you mean 'timeout'\?"):
        sx.check("sim/coin", **{"timout": 3.0})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"unknown option 'metric' for a comparison\. Did you mean 'metrics'\?"):
        sx.compare("r", **{"metric": "skill"})  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"a comparison takes runs, and all else by its name\. Give several runs as one"
    ):
        sx.compare("a", "b")  # type: ignore[call-arg]
    with pytest.raises(InputError, match=r"'temperature' for a run\. Sampling settings go into settings="):
        sx.run("sim/coin", **{"temperature": 0})  # type: ignore[arg-type]


def test_progress_goes_to_on_progress_which_was_called_like_the_report(tmp_path: Path) -> None:
    seen: list[int] = []
    sx.run("sim/coin", limit=1, out=tmp_path / "r", on_progress=lambda progress: seen.append(progress.done))
    assert seen[-1] == 10  # 2 + 3 + 5 sessions
    with pytest.raises(InputError, match=r"unknown option 'report' for a run\. It is called 'on_progress' now\."):
        sx.run("sim/coin", **{"report": print})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("choice", "said"), [({"max_connections": 0}, "max_connections 0: give 1"), ({"timeout": 0}, "timeout 0: give")]
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
    [invocation] = found.manifest.invocations
    assert invocation.command == (
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


def test_a_number_of_items_says_when_it_counts_each_epoch_and_condition(tmp_path: Path) -> None:
    line = {"model": "m", "experiment": "restriction", "item": "1", "session": "predict", "text": "A"}
    lines = [line | {"epoch": epoch} for epoch in (1, 2)]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "items").mkdir()
    items = [{"id": id, "request": "x", "label": "safe", "type": "t"} for id in ("1", "2", "3")]
    (tmp_path / "items" / "restriction.jsonl").write_text("\n".join(map(json.dumps, items)))
    said = r"m has no line for 4 of the items \(each epoch and condition counted\), which"  # of 2 items, in 2 epochs
    with pytest.warns(UserWarning, match=said):
        run = sx.import_replies(tmp_path / "r.jsonl", items=tmp_path / "items", out=tmp_path / "run")
    assert "4 items (each epoch and condition counted) without any reply" in repr(run)


@pytest.mark.parametrize("facet", ["frame", "thinking", "behaviour_thinking", "strategy"])
def test_a_facet_that_is_given_as_a_choice_is_told_where_it_goes_and_not_among_the_settings(facet: str) -> None:
    with pytest.raises(InputError, match=r"It is a facet: facets=\{'" + facet.replace("_", "-")):
        sx.run("sim/coin", **{facet: "x"})


@pytest.mark.parametrize("wrong", [None, 5, ["sim/coin"]])
def test_what_is_no_name_of_a_model_is_refused_by_its_kind(wrong: Any, tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, out=tmp_path / "run")
    judge = [lambda: sx.judge(run, wrong)] if here("judging") else []
    for call in (lambda: sx.check(wrong), lambda: sx.run([wrong]), *judge):
        with pytest.raises(InputError, match=r"expected text, not|is no name"):
            call()


@pytest.mark.parametrize("wrong", [{"bootstrap": "many"}, {"bootstrap": 100.5}, {"bootstrap": 100, "seed": "x"}])
def test_what_is_no_number_of_draws_is_refused_by_its_kind(wrong: dict[str, Any], tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, out=tmp_path / "run")
    with pytest.raises(InputError, match=r"expected a whole number( or None)?, not"):
        sx.score(run, **wrong)


def test_items_are_called_items_everywhere() -> None:
    with pytest.raises(InputError, match=r"unknown option 'item_source' for an import\. It is called 'items' now\."):
        sx.import_replies("r.jsonl", **{"item_source": "starter"})  # type: ignore[arg-type]


# --- correlations ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_is_correlated_by_itself_by_its_folder_and_beside_a_table(tmp_path: Path) -> None:
    models = ["sim/typical", "sim/typical@1", "sim/coin", "sim/knows-itself", "sim/knows-models"]
    run = sx.run(models, experiments=["association", "difficulty"], limit=30, out=tmp_path / "run")
    # as many as there are, each with another number
    column = {model: float(n) for n, model in enumerate(run.models)}
    (tmp_path / "t.csv").write_text("\n".join(["model,size", *(f"{model},{n}" for model, n in column.items())]))
    table = str(tmp_path / "t.csv")
    assert len({sx.correlations(given).json() for given in (run, str(run.folder), run.folder, [run])}) == 1
    beside = [sx.correlations(run, against=table), sx.correlations([run.folder, table])]
    beside.append(sx.correlations(run, against={"size": column}))
    assert len({found.json() for found in beside}) == 1
    scores = sx.score(run)
    values = {model: scores.value(model, "association", "accuracy") for model in run.models}
    known = {model: value for model, value in values.items() if value is not None}
    by_hand = sx.correlations({"association accuracy": known}, {"size": column})
    pair = beside[0].pair("association accuracy", "size")
    assert pair.pearson.value == by_hand.pair("association accuracy", "size").pearson.value
    assert pair.pearson.n == len(known) >= 4


def test_a_table_alone_is_correlated_as_the_command_does(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,a,b\nm,1,2\nn,2,1\no,3,5\np,4,7\n")
    # a and b less their means: -1.5 -.5 .5 1.5 and -1.75 -2.75 1.25 3.25; 9.5 / sqrt(5 * 22.75)
    assert sx.correlations(tmp_path / "t.csv").pair("a", "b").pearson.value == pytest.approx(9.5 / (5 * 22.75) ** 0.5)
    with pytest.raises(InputError, match="eligible is only for columns"):
        sx.correlations(tmp_path / "t.csv", eligible=["m"])


# --- JSON ------------------------------------------------------------------------------------------------------------


def head_of(folder: Path, models: list[str], items: int) -> dict[str, Any]:
    """What is to stand on top of any JSON about a run, worked out from its files alone."""
    replies = (folder / "replies.jsonl").read_bytes()
    return {
        "folder": str(folder),
        "replies_sha256": hashlib.sha256(replies).hexdigest(),
        "models": models,
        "items": dict.fromkeys(["association", "restriction", "difficulty"], items),
        "readings_given": 0,
        "simulated": models,
        "sources": {},
        "out": 0,
    }


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    return sx.run(["sim/coin", "sim/typical"], limit=3, out=tmp_path_factory.mktemp("runs") / "pair")


def test_the_json_of_scores_says_what_was_answered_of_which_replies(pair: sx.Run) -> None:
    scores = sx.score(pair)
    found = json.loads(scores.json())
    parts = ["answer", "runs", "convention", "version", "panel", "scores", "verdicts"]
    parts += ["own_excess", "baseline_groups", "warnings"]
    assert list(found) == parts
    # the lines between the question and the table
    assert found["answer"] == scores.table(10_000).splitlines()[1 : 1 + len(found["answer"])]
    assert any("These models are simulated" in sentence for sentence in found["answer"])
    assert found["runs"] == [head_of(pair.folder, ["sim/coin", "sim/typical"], 3)]
    assert (found["convention"], found["version"]) == ("strict", sx.__version__)
    assert found["scores"] == scores.records()
    for convention in ("readable", *(["authors"] if here("published") else [])):
        assert json.loads(sx.score(pair, convention).json())["convention"] == convention


def test_the_command_gives_the_same_head_and_names_the_folder_as_it_was_given(
    pair: sx.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair.folder.parent)
    printed = CliRunner().invoke(root, ["score", "pair", "--format", "json", "--model", "sim/coin"])
    found = json.loads(printed.output)
    assert found["runs"] == [head_of(pair.folder, ["sim/coin", "sim/typical"], 3) | {"folder": "pair"}]
    assert {row["model"] for row in found["scores"]} == {"sim/coin"}


def test_readings_from_elsewhere_are_counted_in_the_json(pair: sx.Run) -> None:
    key = next(key for key in pair.replies if key.session == "predict" and key.experiment == "restriction")
    [run] = json.loads(sx.score(pair.with_readings({key: "A"})).json())["runs"]
    assert run["readings_given"] == 1


@pytest.mark.slow
def test_comparisons_trends_crossings_ledgers_and_correlations_have_the_same_head(pair: sx.Run, tmp_path: Path) -> None:
    other = sx.run("sim/knows-itself", limit=3, out=tmp_path / "other")
    runs = [head_of(pair.folder, ["sim/coin", "sim/typical"], 3), head_of(other.folder, ["sim/knows-itself"], 3)]
    together = [pair, other]
    column = {model: float(n) for n, model in enumerate(sx.load(STORED / "panel").models)}
    found: dict[str, Any] = {
        "compare": sx.compare(together, metrics="accuracy", convention="readable"),
        "trend": sx.trend(together, models=["sim/coin", "sim/typical"], metrics="accuracy"),
        "cross": sx.cross_prediction(together),
        "ladder": sx.ladder(together),
    }
    if here("published"):
        found["ledger"] = sx.ledger(together, sensitivities=False)
    read = {name: json.loads(result.json()) for name, result in found.items()}
    assert all(record["runs"] == runs and record["version"] == sx.__version__ for record in read.values())
    conventions = {"compare": "readable", "trend": "strict", "cross": "readable", "ladder": "strict", "ledger": None}
    assert {name: record["convention"] for name, record in read.items()} == {name: conventions[name] for name in found}
    correlated = json.loads(sx.correlations(STORED / "panel", against={"size": column}).json())
    assert [run["folder"] for run in correlated["runs"]] == [str(STORED / "panel")]
    assert correlated["convention"] == "strict"
    alone = json.loads(sx.correlations({"a": column, "b": column}).json())
    assert (alone["runs"], alone["convention"], alone["version"]) == ([], None, sx.__version__)


def test_scores_print_as_markdown_with_the_answer_above_and_every_row(pair: sx.Run) -> None:
    scores = sx.score(pair)
    lines = scores.markdown().splitlines()
    assert lines[0] == "**Did the model predict what it would do?**"
    rows = [line.split(" | ") for line in lines if line.startswith("| sim/")]
    assert [[row[0].removeprefix("| "), row[1]] for row in rows] == [
        [model, experiment]
        for model in ("sim/coin", "sim/typical")
        for experiment in ("association", "restriction", "difficulty", "overall")
    ]
    assert all(sentence in scores.markdown() for sentence in json.loads(scores.json())["answer"])
    assert any(line.startswith("- ") and "strict: an unreadable prediction" in line for line in lines)


@needs("published")
def test_scores_of_the_authors_counting_print_as_markdown_with_its_name_above(pair: sx.Run) -> None:
    assert sx.score(pair, "authors").markdown().startswith("**Scores by the counting rule of the paper's authors**\n\n")


# --- look-ups --------------------------------------------------------------------------------------------------------


def test_a_look_up_that_finds_nothing_lists_what_there_is(pair: sx.Run) -> None:
    known = next(key for key in pair.replies if key.session == "execute")
    table = {"a": dict(zip("mnop", (1.0, 2.0, 3.0, 5.0), strict=True))}
    compared, trend = sx.compare(pair, metrics="accuracy"), sx.trend(pair, metrics="accuracy")
    said: list[tuple[Callable[[], object], str]] = [
        (lambda: sx.score(pair).row("sim/coin", "overall", "tau"), "metrics: .*skill"),
        (lambda: compared.row("overall", "sim/coin", "x"), "models: sim/coin, sim/typical; exp.*; metrics: accuracy"),
        (lambda: trend.slope("restrictions"), "experiments: association, restriction, difficulty"),
        (lambda: trend.slope("restriction", "tau"), r"metrics: accuracy\)"),
        (lambda: sx.correlations(table, {"b": table["a"]}).pair("a", "c"), r"columns: a, b; among: all\)"),
        (lambda: pair.items["restrictions"], "experiments: association, restriction, difficulty"),
        (lambda: pair.prompts["predict"], "names: .*restriction.predict"),
        (lambda: pair.readings[known._replace(model="m")], r"models: sim/coin, sim/typical\)"),
        (lambda: pair.readings[known._replace(epoch=2)], r"epochs: 1\)"),
        (lambda: pair.replies[known._replace(session="judges")], r"sessions: .*execute"),
        (lambda: pair.readings["restriction"], r"Give Key\(model, experiment, item, epoch, session\)"),  # type: ignore[index]
    ]
    for look_up, there in said:
        with pytest.raises(KeyError, match=there):
            look_up()
    assert known in pair.readings and pair.readings.get(known._replace(epoch=2)) is None


@needs("card", "published", "rasch")
def test_a_look_up_in_a_card_a_ledger_or_a_scale_that_finds_nothing_lists_what_there_is(pair: sx.Run) -> None:
    fit = sx.rasch(pl.DataFrame({"model": ["m", "n"], "x": [0.2, 0.6], "y": [0.4, 0.7], "z": [0.5, 0.3]}))
    ledger = sx.ledger(pair, sensitivities=False)
    said: list[tuple[Callable[[], object], str]] = [
        (lambda: ledger.entry("sim/coins", "overall", "skill"), "models: sim/coin, sim/typical"),
        (lambda: fit.abilities["k"], r"there is no 'k' \(names: m, n\)"),
        (lambda: sx.card(pair).section("Item"), "Items"),
    ]
    for look_up, there in said:
        with pytest.raises(KeyError, match=there):
            look_up()


def test_what_is_too_much_to_list_is_counted() -> None:
    with pytest.raises(KeyError, match=r"names: 0, 1, .*, 19 and 5 more"):
        Named({str(n): n for n in range(25)})["x"]


# --- docstrings ------------------------------------------------------------------------------------------------------

PUBLIC = {name: getattr(sx, name) for name in sx.__all__ if name != "__version__"}
CLASSES = {name: thing for name, thing in PUBLIC.items() if isinstance(thing, type)}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if name not in CLASSES}


def attributes(kind: type) -> list[str]:
    """What an object of a class has that is public, beside what comes with every exception, tuple or sequence."""
    named = {name for name in dir(kind) if not name.startswith("_")} | getattr(kind, "__dataclass_fields__", {}).keys()
    return sorted(named - set(dir(Exception)) - {"count", "index"} - {f"_{name}" for name in named})


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_has_a_docstring(name: str) -> None:
    thing = PUBLIC[name]
    assert thing.__doc__ and not thing.__doc__.startswith(f"{name}(")  # as dataclasses make one
    if name in FUNCTIONS:
        parameters = inspect.signature(thing).parameters
        # what is said by the first line alone: which runs, which model, which folder
        plain = {"runs", "run", "folder", "path"}
        told = re.findall(r"(?m)^ +(\w+)(?:  +|: )\S|`(\w+)`", thing.__doc__)
        assert parameters.keys() - plain <= {one or other for one, other in told}
        return
    for attribute in set(attributes(thing)) - getattr(thing, "__dataclass_fields__", {}).keys():
        found = inspect.getattr_static(thing, attribute)
        assert getattr(found, "func", found).__doc__, f"{name}.{attribute}"


@pytest.mark.slow
@needs(*OURS)
def test_the_code_of_the_page_on_python_runs_and_has_every_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    code = "".join(re.findall(r"(?ms)^```python\n(.*?)^```$", page))
    exec(code, {})
    assert all(f"sx.{name}" in page for name in FUNCTIONS)


# --- what is said of wrong choices -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: sx.run(settings={"temprature": 1}),
            r"^settings temprature: did you mean temperature\?.*use extra_body\.$",
        ),
        (lambda: sx.run(epochs=-1), "^epochs -1: give 1 or more"),
        (lambda: sx.run(max_connections=0), "^max_connections 0: give 1"),
        (lambda: sx.run(out=""), "^out: the name is empty"),
        (lambda: sx.load(""), r"^which run\? The name of its folder is empty"),
        pytest.param(
            lambda: sx.import_logs("x", tool="lmeval", experiment="correctness", out="y"),
            "^tool lmeval: logs of",
            marks=needs("logs"),
        ),
    ],
)
def test_what_is_wrong_is_told_in_the_words_of_python(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_a_command_in_a_message_is_left_as_it_is_typed() -> None:
    fault = InputError("--out x: taken (`ray --head`). Ask: selfexec run --out x\n- selfexec merge --y z. Or --set a")
    assert str(fault) == "out x: taken (`ray --head`). Ask: selfexec run --out x\n- selfexec merge --y z. Or settings a"
    assert fault.typed.startswith("--out x") and fault.choice == ("out", "x")


def test_a_run_whose_items_are_gone_is_not_asked_for_other_items(tmp_path: Path) -> None:
    run = Path(shutil.copytree(STORED / "panel", tmp_path / "run"))
    (run / "items" / "restriction.jsonl").unlink()
    with pytest.raises(InputError, match=r"have none for restriction\. Put back the files that this run began with"):
        sx.load(run)
    shutil.rmtree(run / "items")
    with pytest.raises(InputError, match=r"the run's items are gone \(there is no items/\)\. Put back"):
        sx.load(run)


WRONG_KINDS = {
    "merge": (lambda run: sx.merge(None), "folder: expected text or a path, not None"),  # type: ignore[arg-type]
    "load_study": (lambda run: sx.load_study(5), "path: expected text or a path, not int"),  # type: ignore[arg-type]
    "import_replies": (
        lambda run: sx.import_replies(None, out="q"),  # type: ignore[arg-type]
        "replies: expected text, a path or a list of these, not None",
    ),
    "rasch": (lambda run: sx.rasch(None), "table: expected a file, rates or a data frame, not None"),  # type: ignore[arg-type]
    "report": (lambda run: sx.report(run, 5), "path: expected text or a path, not int"),  # type: ignore[arg-type]
    "groups": (lambda run: sx.score(run, groups={}), "groups: expected text, a path or None, not dict"),  # type: ignore[arg-type]
    "readings": (
        lambda run: sx.score(run, readings=5),  # type: ignore[arg-type]
        "readings: expected text, a path or a list of these, not int",
    ),
    "seed": (lambda run: sx.score(run, seed=True), "seed: expected a whole number or None, not bool"),
    "against": (lambda run: sx.correlations(run, 5), "against: expected .* or None, not int"),  # type: ignore[arg-type]
}


EXTENSIONS = {"merge": "shards", "load_study": "study", "rasch": "rasch", "ledger": "published", "card": "card"}


def each(*names: str, **extensions: str) -> pytest.MarkDecorator:
    """A test with each of these, those that extensions bring as far as these are here."""
    owners = {**EXTENSIONS, **extensions}
    marks = {name: needs(extension) for name, extension in owners.items()}
    return pytest.mark.parametrize("name", [pytest.param(one, marks=marks.get(one, ())) for one in names])


@each(*WRONG_KINDS)
def test_a_value_of_a_wrong_kind_is_refused_by_the_name_of_its_argument(name: str, tmp_path: Path) -> None:
    call, message = WRONG_KINDS[name]
    run = sx.run("sim/coin", limit=1, experiments="restriction", out=tmp_path / "r")
    with pytest.raises(sx.InputError, match=f"^{message}"):
        call(run)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=np.int64(1), experiments="restriction", out=tmp_path / "r")
    assert sx.score(run, seed=np.int64(3))


OF_RUNS = (
    "score",
    "load",
    "compare",
    "trend",
    "cross_prediction",
    "ladder",
    "ledger",
    "correlations",
    "card",
    "judges",
)


@pytest.mark.parametrize("wrong", [5, 3.5, None, [], [None], [5], object()], ids=str)
@each(*OF_RUNS)
def test_what_is_no_run_is_refused_in_a_line_by_everything_that_takes_runs(name: str, wrong: Any) -> None:
    with pytest.raises(InputError) as fault:
        getattr(sx, name)(wrong)
    assert "\n" not in str(fault.value)
    if wrong is None:
        assert re.fullmatch(r"expected a run.*, not None\.", str(fault.value))


@pytest.mark.parametrize("name", ["m\x00x\x1b[31m", "a\u202eb", "a\nb", " a"], ids=ascii)
def test_a_name_that_does_something_to_a_terminal_is_not_imported(name: str, tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, experiments="restriction", out=tmp_path / "run")
    lines = [json.loads(line) | {"model": name} for line in (run.folder / "replies.jsonl").read_text().splitlines()]
    (tmp_path / "named.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for out in ("new", "known"):
        with pytest.raises(InputError, match=r"stand in this name\. Write it without them"):
            sx.import_replies(tmp_path / "named.jsonl", items=run.folder / "items", out=tmp_path / out)
        assert (tmp_path / out).exists() == (out == "known")
        sx.import_replies(run.folder / "replies.jsonl", items=run.folder / "items", out=tmp_path / "known")


CHOOSING = {
    "convention": lambda run, value: sx.score(run, convention=value),
    "preset": lambda run, value: sx.run("sim/coin", preset=value, out="nowhere"),
    "protocol": lambda run, value: sx.run("sim/coin", protocol=value, out="nowhere"),
    "wire": lambda run, value: sx.run("sim/coin", wire=value, out="nowhere"),
    "evidence": lambda run, value: sx.report(run, "nowhere.html", evidence=value),
    "method": lambda run, value: sx.rasch("paper", method=value),
}


@each(*CHOOSING, method="rasch")
def test_a_choice_is_checked_in_python_as_on_the_command_line(name: str) -> None:
    with pytest.raises(sx.InputError, match=rf"^unknown {name} 'quik'\. There are \w+, \w+"):
        CHOOSING[name](None, "quik")
    assert not Path("nowhere").exists()
