"""What needs no Inspect: who is asked in which role, what models are called, and that nothing brings Inspect in."""

import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.extensions.inspect.records import lines_of, our_name, role_of, subject
from selfexec.items import load
from selfexec.runs import Reply

ROOT = Path(__file__).parents[3]


def test_predictions_are_the_predictors_and_what_judges_kept_replies_is_the_judges() -> None:
    four = (*PAPER_HEADLINE.experiments, "failing_question")
    roles = {(e, kind): role_of(EXPERIMENTS[e], kind) for e in four for kind in EXPERIMENTS[e].prompts}
    assert {place: role for place, role in roles.items() if role == "judge"} == {("restriction", "judge"): "judge"}
    assert {kind for (_, kind), role in roles.items() if role == "predictor"} == {"predict"}
    assert roles["difficulty", "execute"] is roles["failing_question", "verify"] is None


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("selfexec/sim", "sim/typical"),
        ("selfexec/sim/coin@3", "sim/coin@3"),
        ("openai/gpt-6-luna", "openai/gpt-6-luna"),
        ("selfexec/simple", "selfexec/simple"),
    ],
)
def test_simulated_models_have_one_name_on_both_sides(theirs: str, ours: str) -> None:
    assert our_name(theirs) == ours


def test_nobody_takes_another_models_prediction_for_its_own() -> None:
    assert subject("a/m", {}) == "a/m"
    assert subject("a/m", {"judge": "b/j", "predictor": "c/p"}) == "a/m, predicted by c/p, judged by b/j"


def test_a_reply_in_a_store_is_a_line_of_the_journal() -> None:
    reply = Reply(model="m", experiment="difficulty", item="g", session="execute.Q1", text="B", retry_causes=("x",))
    [line] = lines_of([reply])
    assert line["retry_causes"] == ["x"] and "error" not in line
    assert msgspec.convert(line, Reply) == reply


@pytest.mark.slow
def test_what_is_imported_at_every_start_does_not_import_inspect() -> None:
    ours = "selfexec.cli, selfexec.extensions.inspect.engine, selfexec.extensions.inspect.records"
    code = f"import sys, {ours}; print('inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_entry_point_is_where_inspect_looks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["inspect_ai"] == {"selfexec": "selfexec.extensions.inspect._registry"}


# --- the register of inspect_evals -----------------------------------------------------------------------------------

LISTINGS = sorted((ROOT / "docs" / "inspect-register").glob("*.yaml"))


def test_each_of_our_tasks_is_listed_with_its_items() -> None:
    asked = [name for name, experiment in EXPERIMENTS.items() if not experiment.recorded]
    assert {*asked} >= {path.stem for path in LISTINGS} >= {*PAPER_HEADLINE.experiments}
    starter = load("starter")
    for path in LISTINGS:
        text = path.read_text("utf-8")
        assert f"name: {path.stem}\n" in text
        assert f"dataset_samples: {len(starter[path.stem])}\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("path", LISTINGS, ids=lambda path: path.stem)
def test_the_register_takes_a_listing_and_finds_its_task(path: Path) -> None:
    metadata = pytest.importorskip("inspect_evals.metadata", reason="inspect-evals is not installed")
    tasks = pytest.importorskip("register_tooling.task_resolver", reason="inspect-evals is not installed")
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    listed = yaml.safe_load(path.read_text("utf-8"))
    entry = metadata.ExternalEvalMetadata(**listed, id=f"selfexec_{path.stem}")
    assert entry.source.maintainers == entry.contributors and len(entry.description.split()) <= 80
    [task] = entry.tasks
    source = (ROOT / task.task_path).read_text("utf-8")
    line = source[: source.index(f"def {task.name}(")].count("\n")  # that of its decorator
    found = tasks.resolve_task(source, line_anchor=line)
    assert (found.name, found.decorator_lineno) == (path.stem, line)
