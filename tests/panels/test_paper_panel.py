"""The panel that ships: ten recorded models on the paper's items."""

import importlib.util
import json
import zlib
from pathlib import Path
from types import ModuleType

import pytest

import selfexec as sx
from selfexec.panels import PAPER_PANEL, load_panel
from selfexec.panels.panel import SHIPPED
from selfexec.runs import Run
from selfexec.runs.importing import run_of_replies

MAKE = Path(__file__).parents[2] / "studies" / "panel" / "make.py"
PAPERS = ("association", "restriction", "difficulty")
COMPARED = ("best_baseline", "baseline_margin", "own_excess", "own_excess_by_rule", "others_mode", "others_share")


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_panel", MAKE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def alone(reference: Path, folder: Path, *models: str, experiments: tuple[str, ...] = PAPERS) -> Run:
    lines = [
        line
        for model in models
        for line in (reference / "replies" / f"{model}.jsonl").read_text("utf-8").split("\n")
        if line and json.loads(line)["experiment"] in experiments
    ]
    folder.mkdir(exist_ok=True)
    (folder / "replies.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    run, _ = run_of_replies([folder / "replies.jsonl"], item_source=reference / "items", out=folder / "run")
    return run


@pytest.mark.slow
def test_it_is_what_the_script_makes(ten_models: Run) -> None:
    assert script().made(ten_models).json() == SHIPPED.read_text("utf-8")


def test_it_is_small_and_holds_letters_and_no_words() -> None:
    panel = load_panel(PAPER_PANEL)
    assert (len(panel.models), panel.date, panel.licence) == (10, "2025", "MIT")
    assert "2508.12277" in str(panel.citation)
    assert {experiment: len(part.keys) for experiment, part in panel.experiments.items()} == {
        "association": 1779,  # of 488 targets
        "restriction": 450,
        "difficulty": 1500,  # six pairs of 250 groups
    }
    assert len(zlib.compress(SHIPPED.read_bytes())) < 60_000
    for part in panel.experiments.values():
        assert set(part.claims) <= set("0123456789abcdef ")
        told = [text for one in part.models.values() for text in (one.state, one.predicted, *one.observed.values())]
        assert set("".join(told)) <= set("rtum01.")


@pytest.mark.parametrize(
    ("source", "experiments"),
    [
        (None, ("restriction", "difficulty")),
        pytest.param(None, PAPERS, marks=pytest.mark.slow),
        pytest.param("rule", PAPERS, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_one_of_the_ten_alone_has_the_margin_that_it_has_among_them(
    reference: Path,
    ten_models: Run,
    scores_of_ten: sx.Scores,
    tmp_path: Path,
    source: str | None,
    experiments: tuple[str, ...],
) -> None:
    """The panel leaves the model itself out; the other nine are the same."""
    here = sx.score(alone(reference, tmp_path, "gpt-4.1", experiments=experiments), source=source)
    there = sx.score(ten_models, source=source) if source else scores_of_ten
    assert here.panels[0].left_out == {"gpt-4.1": ""}
    assert len(here.panels[0].models) == 9
    assert there.panels == ()
    for experiment in experiments:
        for metric in COMPARED:
            one, other = here.get("gpt-4.1", experiment, metric), there.get("gpt-4.1", experiment, metric)
            assert (one is None) == (other is None)
            if one and other:
                values = [[row.value, row.low, row.high] for row in (one, other)]
                assert values[0] == pytest.approx(values[1], abs=1e-9 if "own" in metric else 1e-12)
                assert one.models == other.models
    if experiments == PAPERS:
        assert here.value("gpt-4.1", "overall", "baseline_margin") == pytest.approx(
            there.value("gpt-4.1", "overall", "baseline_margin"), abs=1e-12
        )


@pytest.mark.slow
def test_it_stands_beside_the_papers_items_by_itself_where_there_are_too_few_models(
    reference: Path, scores_of_ten: sx.Scores, tmp_path: Path
) -> None:
    pair = alone(reference, tmp_path / "pair", "gpt-4.1", "o4-mini", experiments=("restriction",))
    found = sx.score(pair)
    assert set(found.panels[0].left_out) == {"gpt-4.1", "o4-mini"}
    answer = json.loads(found.json())["answer"]
    assert (
        "The baseline is built from the other models and the reference panel `paper`: 8 models recorded in 2025, "
        "with prompts that may differ from these." in answer
    )
    assert sx.score(pair, panel="none").panels == ()
    assert scores_of_ten.panels == ()


@pytest.mark.slow
def test_a_further_model_takes_no_verdict_away(reference: Path, tmp_path: Path) -> None:
    """Six models can be called ahead by themselves; up to five have the panel beside them."""
    models = ("gpt-4.1", "o4-mini", "llama-3.2-3b", "mistral-7b", "deepseek-v3", "deepseek-r1")
    for number in (4, 5, 6):
        run = alone(reference, tmp_path / str(number), *models[:number], experiments=("restriction",))
        scores = sx.score(run)
        assert bool(scores.panels) == (number < 6)
        assert not any(row.too_few_models for row in scores)


def test_items_that_are_not_all_the_papers_get_it_only_by_name(reference: Path, tmp_path: Path) -> None:
    items = tmp_path / "items"
    items.mkdir()
    lines = (reference / "items" / "restriction.jsonl").read_text("utf-8").splitlines()[:60]
    changed = json.loads(lines[0])
    changed["request"] += " "
    (items / "restriction.jsonl").write_text("\n".join([json.dumps(changed), *lines[1:]]) + "\n", "utf-8")
    ids = {json.loads(line)["id"] for line in lines}
    replies = (reference / "replies" / "gpt-4.1.jsonl").read_text("utf-8").splitlines()
    kept = [
        line for line in replies if (found := json.loads(line))["experiment"] == "restriction" and found["item"] in ids
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(kept) + "\n", "utf-8")
    run, _ = run_of_replies([tmp_path / "replies.jsonl"], item_source=items, out=tmp_path / "run")
    assert sx.score(run).panels == ()
    assert sx.score(run, panel="paper").panels[0].experiments == ("restriction",)
