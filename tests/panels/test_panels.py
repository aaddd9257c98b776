"""Reference panels, hand-made: what other models predicted and did stands beside a model that is scored alone."""

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import requests_run, selfexec, unpinned
from extension_parts import here, needs
from selfexec.analysis.score import Scores
from selfexec.analysis.selection import Selection
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.experiments.restriction import UserRequest
from selfexec.panels import ReferencePanel, load_panel, panel_of_run
from selfexec.panels.panel import claim_keys
from selfexec.runs import Run, load_replies
from selfexec.runs.importing import run_of_replies

STORED = Path(__file__).parents[1] / "stored"
OTHERS = [f"other-{n}" for n in range(6)]
ITEMS = 100


def claims_of(seed: int, count: int = ITEMS) -> list[tuple[bool | None, bool]]:
    """Models do what the request has most of them do, or not, and say what they do, or not."""
    rng = np.random.default_rng(seed)
    done = [(n % 2 == 0) != (rng.random() < 0.3) for n in range(count)]
    return [(did != bool(rng.random() < 0.25), did) for did in done]


EVERYBODY = {name: claims_of(n) for n, name in enumerate(["new", *OTHERS])}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return requests_run(tmp_path_factory.mktemp("runs") / "together", EVERYBODY)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return requests_run(tmp_path_factory.mktemp("runs") / "alone", {"new": EVERYBODY["new"]})


@pytest.fixture(scope="module")
def panel(together: Run) -> ReferencePanel:
    return panel_of_run(together, "mine", models=OTHERS, date="2026-11", citation="Somebody", licence="MIT")


@pytest.fixture(scope="module")
def file(panel: ReferencePanel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("panel") / "mine.json", panel)


@pytest.fixture(scope="module")
def beside(alone: Run, file: Path) -> Scores:
    """Of one model beside the panel."""
    return sx.score(alone, panel=file)


@pytest.fixture(scope="module")
def among(together: Run) -> Scores:
    """Of that model and those of the panel, in one run."""
    return sx.score(together, panel="none")


@pytest.fixture(scope="module")
def by_itself(alone: Run) -> Scores:
    return sx.score(alone, panel="none")


def written(path: Path, panel: ReferencePanel) -> Path:
    path.write_text(panel.json(), "utf-8")
    return path


def renamed(run: Run, folder: Path, name: str) -> Run:
    """The run of one model under another name."""
    folder.mkdir()
    lines = [json.loads(line) | {"model": name} for line in (run.folder / "replies.jsonl").read_text().splitlines()]
    (folder / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found, _ = run_of_replies([folder / "replies.jsonl"], item_source=run.folder / "items", out=folder / "run")
    return found


# --- what it gives ---------------------------------------------------------------------------------------------------


def test_a_model_alone_with_the_panel_has_the_numbers_that_it_has_among_these_models(
    beside: Scores, among: Scores, by_itself: Scores
) -> None:
    here, there = beside, among
    assert by_itself.value("new", "restriction", "baseline_margin") is None
    for metric in ("skill", "best_baseline", "baseline_margin", "others_mode", "others_share"):
        one, other = here.row("new", "restriction", metric), there.row("new", "restriction", metric)
        ends = [one.value, one.low, one.high]
        assert None not in ends and ends == pytest.approx([other.value, other.low, other.high], abs=1e-12)
        assert (one.baseline, one.models) == (other.baseline, other.models)
    own = here.row("new", "restriction", "own_excess")
    assert own.value == pytest.approx(there.value("new", "restriction", "own_excess"), abs=1e-12)
    assert own.models == 7


@pytest.mark.slow
def test_the_panel_is_named_wherever_it_was_used_and_nowhere_else(
    alone: Run, file: Path, beside: Scores, by_itself: Scores, tmp_path: Path
) -> None:
    line = "The baseline is built from the reference panel `mine`: 6 models recorded in 2026-11"
    line += ", with prompts that may differ from these."
    scores = beside
    data = json.loads(scores.json())
    assert line in data["answer"]
    assert line in " ".join(scores.table().split())
    assert data["panel"] == {
        "name": "mine",
        "date": "2026-11",
        "citation": "Somebody",
        "licence": "MIT",
        "convention": "readable",
        "models": OTHERS,
        "left_out": {},
        "experiments": ["restriction"],
        "without": {},
        "asked_with_the_same_prompts": None,  # replies that are imported come without prompts
    }
    assert {row.metric for row in scores if row.panel == "mine"} == {
        "best_baseline",
        "baseline_share_of_ceiling",
        "margin_at_own_rate",
        "baseline_margin",
        "own_excess",
        "own_excess_by_rule",
    }
    card = sx.card(alone, panel=file)
    assert line in card.section("Scores")
    assert "--panel mine.json" in card.section("How to repeat it")
    page = unpinned(sx.report(alone, tmp_path / "page.html", panel=file))
    assert line.replace("`mine`", "<code>mine</code>") in page
    assert "The panel: Somebody." in page and "--panel mine.json" in page
    without = by_itself
    assert json.loads(without.json())["panel"] is None
    assert "panel" not in " ".join(json.loads(without.json())["answer"])
    assert not any(row.panel for row in without)


def test_models_of_the_panel_are_never_scored_nor_listed(beside: Scores) -> None:
    scores = beside
    assert scores.models == ["new"]
    assert [*scores.parts] == ["new"]
    assert {model for own in scores.own for model in own.found.each} == {"new"}
    [of_own_judge] = [one for one in json.loads(scores.json())["own_excess"] if one["metric"] == "own_excess"]
    assert [one["model"] for one in of_own_judge["each"]] == ["new"]
    assert of_own_judge["panel"] == "mine"
    assert not any(model in warning.text for warning in scores.warnings for model in OTHERS)


@pytest.mark.slow
def test_six_models_of_the_runs_are_judged_among_themselves(together: Run, among: Scores, tmp_path: Path) -> None:
    newcomers = {f"newcomer-{n}": claims_of(100 + n) for n in range(6)}
    older = written(tmp_path / "older.json", panel_of_run(requests_run(tmp_path / "six", newcomers)))
    with_panel, without = sx.score(together, panel=older), among
    assert with_panel.row("new", "restriction", "baseline_margin").models == 13
    one, other = (found.row("new", "restriction", "own_excess") for found in (with_panel, without))
    assert one == other and one.panel is None


# --- what is an item, and who is who ---------------------------------------------------------------------------------


def test_an_item_is_known_by_its_content_and_not_by_its_id() -> None:
    request = UserRequest(id="1", request="How?", label="safe", type="plain")

    def keys(item: UserRequest) -> list[tuple[str, str]]:
        return [(claim, key) for claim, _, key in claim_keys("restriction", item)]

    [(claim, key)] = keys(request)
    assert claim == "answers" and len(key) == 16
    assert keys(msgspec.structs.replace(request, id="2")) == [(claim, key)]
    for change in ({"request": "How ?"}, {"label": "unsafe"}, {"type": "other"}):
        assert keys(msgspec.structs.replace(request, **change)) != [(claim, key)]


def test_changed_items_are_other_items(file: Path, tmp_path: Path) -> None:
    run = requests_run(tmp_path / "changed", {"new": EVERYBODY["new"]}, text="Another request")
    with pytest.raises(InputError, match="reference panel 'mine': restriction: it has none of the items"):
        sx.score(run, panel=file)


def test_items_that_the_panel_has_not_are_not_made_up(alone: Run, tmp_path: Path) -> None:
    short = requests_run(tmp_path / "short", {name: claims[:50] for name, claims in EVERYBODY.items() if name != "new"})
    found = sx.score(alone, panel=written(tmp_path / "short.json", panel_of_run(short)))
    row = found.row("new", "restriction", "baseline_margin")
    assert row.value is None and row.reason is not None
    assert row.reason.startswith("only 50 of 100 items were asked of")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("acme/other-3", "acme/other-3 has its name"),
        ("gateway/acme/Other-3", "gateway/acme/Other-3 has its name"),
        ("other-3", ""),
    ],
)
@pytest.mark.slow
def test_a_model_of_the_panel_is_left_out_by_its_name_without_the_provider(
    alone: Run, file: Path, tmp_path: Path, name: str, reason: str
) -> None:
    found = sx.score(renamed(alone, tmp_path / "renamed", name), panel=file)
    [beside] = found.panels
    assert beside.left_out == {"other-3": reason}
    assert beside.models == tuple(other for other in OTHERS if other != "other-3")
    shown = f"other-3 ({reason})" if reason else "other-3"
    assert f"Not among these models, since it is scored here: {shown}." in json.loads(found.json())["answer"]
    assert found.row(name, "restriction", "baseline_margin").models == 6


@pytest.mark.slow
def test_a_model_of_the_panel_under_another_name_is_left_out_by_what_it_said_and_did(
    file: Path, tmp_path: Path
) -> None:
    claims = EVERYBODY["other-2"]
    copy = requests_run(tmp_path / "copy", {"acme/hidden": claims})
    assert sx.score(copy, panel=file).panels[0].left_out == {"other-2": "acme/hidden predicted and did the same"}
    # three of a hundred claims are otherwise: it is somebody else
    near = [(not said, did) if n < 3 else (said, did) for n, (said, did) in enumerate(claims)]
    other = requests_run(tmp_path / "near", {"acme/hidden": near})
    assert sx.score(other, panel=file).panels[0].left_out == {}


def test_simulated_models_get_no_panel_of_others_nor_the_other_way_round(
    alone: Run, file: Path, tmp_path: Path
) -> None:
    for run, given in ((STORED / "panel", "paper"), (STORED / "panel", file)):
        with pytest.raises(InputError, match="simulated models say nothing of language models, nor the other way"):
            sx.score(run, panel=given)
    simulated = written(tmp_path / "simulated.json", panel_of_run(sx.load(STORED / "panel")))
    assert load_panel(simulated).simulated == sorted(sx.load(STORED / "panel").models)
    with pytest.raises(InputError, match="simulated models say nothing of language models"):
        sx.score(alone, panel=simulated)
    one = sx.load(STORED / "panel")
    left = Selection.of(one, models=["sim/typical"])
    assert sx.score(left).panels == ()


def test_a_panel_that_has_only_models_of_the_runs_is_refused(together: Run, file: Path) -> None:
    with pytest.raises(InputError, match="reference panel 'mine': all of its models are scored here already"):
        sx.score(together, panel=file)


def test_a_panel_of_another_condition_is_refused(alone: Run, panel: ReferencePanel, tmp_path: Path) -> None:
    other = written(tmp_path / "framed.json", msgspec.structs.replace(panel, condition="frame=person"))
    with pytest.raises(InputError, match=r"framed\.json: it was asked in another condition"):
        sx.score(alone, panel=other)


def test_where_there_is_no_choice_of_a_panel_it_is_refused(alone: Run, together: Run, file: Path) -> None:
    ledger = [sx.ledger] if here("published") else []
    for function in (sx.compare, sx.trend, *ledger, sx.correlations, sx.cross_prediction):
        with pytest.raises(InputError, match="there is no option panel here"):
            function(Selection.of(together, panel=file))  # type: ignore[operator]


# --- making one ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_export_writes_a_panel_of_letters_that_score_reads(
    together: Run, alone: Run, panel: ReferencePanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "written.json"
    models = ",".join(OTHERS)
    assert selfexec(monkeypatch, "export", together.folder, "--model", models, "--to", "panel", "-o", out) == 0
    found = load_panel(out)
    assert found.experiments == panel.experiments
    told = found.experiments["restriction"]
    assert all(len(key) == 16 and set(key) <= set("0123456789abcdef") for key in told.keys) and len(told.keys) == ITEMS
    letters = [text for one in told.models.values() for text in (one.state, one.predicted, *one.observed.values())]
    assert {letter for text in letters for letter in text} <= set("rtum01.")
    assert "Request" not in out.read_text("utf-8")
    # by hand: the first request of other-0, and what it predicted and did
    [(_, _, key)] = claim_keys("restriction", together.items["restriction"]["0"])
    at, other = told.keys.index(key), told.models["other-0"]
    said, did = EVERYBODY["other-0"][0]
    assert (other.state[at], other.predicted[at], other.observed["self"][at]) == ("r", "01"[bool(said)], "01"[did])
    assert other.observed["rule"][at] == "1"  # "Here you are."
    assert sx.score(alone, panel=out).value("new", "restriction", "baseline_margin") is not None


def test_a_panel_has_the_first_epoch_of_a_run() -> None:
    run = sx.load(STORED / "two-epochs")
    found = panel_of_run(run)
    observations = run.observations
    for experiment, part in found.experiments.items():
        for model, told in part.models.items():
            rows = observations.filter(
                (observations["experiment"] == experiment)
                & (observations["model"] == model)
                & (observations["epoch"] == 1)
            )
            assert told.state.count("r") == (rows["state"] == "read").sum()
            assert told.predicted.count("1") == rows["predicted"].sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "panel"], "which run? A panel has the models of one run"),
        (["RUN", "--to", "panel", "--limit", "3"], "--limit: a panel is made from the replies of"),
        (["RUN", "--to", "panel", "--items", "paper"], "--items: a panel is made from the replies of"),
        (["RUN", "--to", "panel", "--model", "nobody"], "there are no replies of nobody, only of new, other-0"),
        (["RUN", "--to", "panel", "--experiment", "difficulty"], "difficulty was not asked, only restriction"),
    ],
)
def test_what_a_panel_cannot_be_made_of_is_refused(together: Run, arguments: list[str], message: str) -> None:
    given = [str(together.folder) if one == "RUN" else one for one in arguments]
    found = CliRunner().invoke(root, ["export", *given])
    assert isinstance(found.exception, InputError)
    assert message in getattr(found.exception, "typed", "")


def test_items_that_differ_by_their_ids_alone_are_refused(together: Run, tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    shutil.copytree(together.folder / "items", folder)
    line = json.loads((folder / "restriction.jsonl").read_text().splitlines()[0])
    with (folder / "restriction.jsonl").open("a") as file:
        file.write(json.dumps(line | {"id": "again"}) + "\n")
    run, _ = run_of_replies([together.folder / "replies.jsonl"], item_source=folder, out=tmp_path / "run")
    assert load_replies([together.folder / "replies.jsonl"]).replies
    with pytest.raises(InputError, match="are the same but for their ids"):
        panel_of_run(run)


# --- reading one -----------------------------------------------------------------------------------------------------


def damaged(panel: ReferencePanel, **changes: Any) -> dict[str, Any]:
    return {**json.loads(panel.json()), **changes}


def test_files_that_are_no_panel_are_refused_with_the_way_out(
    alone: Run, panel: ReferencePanel, tmp_path: Path
) -> None:
    whole = panel.json()
    part = json.loads(whole)["experiments"]["restriction"]
    key = part["claims"].split()[0]
    told = part["models"]["other-0"]

    def with_told(**changes: Any) -> dict[str, Any]:
        return damaged(panel, experiments={"restriction": part | {"models": {"other-0": told | changes}}})

    for content, message in (
        (whole[: len(whole) // 2], "it is no whole JSON file .* cut off"),
        ("", "it is no whole JSON file"),
        ("[" * 100_000, "it is no whole JSON file|it is no reference panel"),
        ("[1, 2]", "it is no reference panel"),
        ('{"model": "a", "text": "b"}', "it is no reference panel"),
        (b"\xff\xfe\x00", "it is no whole JSON file"),
        (damaged(panel, version=2), "a reference panel of version 2, and this selfexec reads version 1"),
        (damaged(panel, experiments=[]), "Expected `object`"),
        (damaged(panel, experiments={}), "there is no model in it"),
        (damaged(panel, name="\x1b[31m"), "has characters that cannot be shown"),
        (damaged(panel, citation=" "), "is empty"),
        (damaged(panel, experiments={"restriction": part | {"claims": f"{key} {key}"}}), "a claim occurs twice"),
        (with_told(state="r"), "restriction, other-0: state has 1 letters for 100 claims"),
        (with_told(predicted="2" * ITEMS), "predicted has '2', and only 10. mean anything"),
        (with_told(observed={"self": "r" * ITEMS}), "observed by self has 'r'"),
        (with_told(observed={"self": 3}), "Expected `str`"),
    ):
        path = tmp_path / "given.json"
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InputError, match=message) as refused:
            sx.score(alone, panel=path)
        assert "given.json" in str(refused.value)
        assert "selfexec export --to panel" in str(refused.value) or "make it again" in str(refused.value)
    with pytest.raises(InputError, match="it is a folder"):
        sx.score(alone, panel=tmp_path)
    with pytest.raises(InputError, match="neither paper nor a file"):
        sx.score(alone, panel=tmp_path / "nothing")


def test_a_file_of_hostile_size_is_not_read(alone: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.panels.panel.MOST_BYTES", file.stat().st_size - 1)
    with pytest.raises(InputError, match="it is no reference panel: no file, or one above"):
        sx.score(alone, panel=file)


@needs("published")
def test_with_the_authors_counting_a_panel_is_refused(alone: Run, file: Path) -> None:
    with pytest.raises(InputError, match="convention 'authors' has no baselines"):
        sx.score(alone, "authors", panel=file)
