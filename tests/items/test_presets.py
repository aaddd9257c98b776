"""Which items a preset takes: of the paper's by one draw, of others by strata, and of an old run as ever."""

import csv
import json
import statistics
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.experiments import PAPER_HEADLINE
from selfexec.items import PAPER_FILES, STRATIFIED, level_spread, load, newest_order, preset_ids, preset_orders
from selfexec.items import presets as module
from selfexec.items.presets import Draw, Drawn, draws
from selfexec.metrics import Record, claim_kind, value
from selfexec.runs import Run
from selfexec.runs.asking import run

STARTER = load("starter")
TARGETS = list(STARTER["association"])
SPLITS = Path(__file__).parents[2] / "studies" / "presets" / "splits.csv"
SIZES = {"association": (60, 220, 488), "restriction": (100, 203, 450), "difficulty": (60, 113, 250)}


@pytest.fixture
def starter_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the starter set's targets had presets by a draw: the last ones of the fixed order."""
    whole = Drawn(STARTER.hashes["association"], quick=[*range(240, 300)], standard=[*range(165, 300)])
    monkeypatch.setattr(module, "draws", lambda: (Draw("drawn-7", 1, {"association": whole}),))


# of the positions, by draw: a changed cut is another order, and takes another name
PINNED = {
    "balanced-1": "e4608376f587042dcbcb3ca3dbd977578563d1a60e58b7de15f3e7e2fc77921b",
    "balanced-2": "fc91820beb44e84782d434519d1bff4a2e7e86d6c8d28added2e367c6b5e88f8",
}


@pytest.mark.parametrize("draw", draws(), ids=lambda draw: draw.name)
def test_each_draw_is_of_the_papers_items_and_its_presets_nest(draw: Draw) -> None:
    assert {e: one.sha256 for e, one in draw.experiments.items()} == PAPER_FILES
    for experiment, one in draw.experiments.items():
        small, large, whole = SIZES[experiment]
        assert (len(set(one.quick)), len(set(one.standard))) == (len(one.quick), len(one.standard)) == (small, large)
        assert {*one.quick} <= {*one.standard} <= {*range(whole)}


def test_no_cut_that_was_ever_shipped_has_changed() -> None:
    positions = {draw.name: {e: [one.quick, one.standard] for e, one in draw.experiments.items()} for draw in draws()}
    assert {name: sha256(json.dumps(cuts).encode()).hexdigest() for name, cuts in positions.items()} == PINNED


def test_the_newest_draw_knows_its_cuts_by_the_sha256_of_their_items(reference: Path) -> None:
    whole = load(reference / "items")
    for preset in ("quick", "standard"):
        cut = whole.cut(preset=preset)
        assert cut.hashes == {e: one.cuts[preset] for e, one in draws()[-1].experiments.items()}


def test_the_papers_presets_are_those_that_were_drawn(reference: Path) -> None:
    whole = load(reference / "items")
    newest = draws()[-1]
    assert newest_order(whole.hashes) == newest.name == "balanced-2"
    assert preset_orders(whole.hashes) == ["balanced-2", "balanced-1", STRATIFIED]
    cuts = {preset: whole.cut(preset=preset) for preset in ("quick", "standard", "full")}
    for experiment, sizes in SIZES.items():
        ids = list(whole[experiment])
        assert tuple(len(cut[experiment]) for cut in cuts.values()) == sizes
        # cuts are kept in the fixed order
        assert list(cuts["quick"][experiment]) == [ids[n] for n in sorted(newest.experiments[experiment].quick)]
    # one request less, and it is another set
    less = whole.cut(["restriction"], limit=449)
    assert newest_order(less.hashes) == STRATIFIED
    by_strata = preset_ids("quick", "restriction", less["restriction"])
    assert list(less.cut(preset="quick")["restriction"]) == [id for id in less["restriction"] if id in {*by_strata}]


@pytest.mark.parametrize(("preset", "before"), [("quick", 0.04), ("standard", 0.02)])
def test_the_drawn_presets_are_as_hard_as_the_whole_for_the_recorded_models(
    ten_models: Run, preset: str, before: float
) -> None:
    def bias(order: str) -> float:
        """The mean over models of skill on the preset less skill on all items; mean of the experiments."""
        found = []
        for experiment in PAPER_HEADLINE.experiments:
            kind, claims = claim_kind(experiment), ten_models.tables.claims[experiment]
            cut = ten_models.items.cut(preset=preset, order=order)[experiment]
            gaps = []
            for model in ten_models.models:
                record = kind.count(claims.of(model), True)
                some = tuple(id for id in record.items if id in cut)
                if some:
                    gaps.append(value(kind.skill, Record(some, record.on(some))) - value(kind.skill, record))
            found.append(sum(gaps) / len(gaps))
        return sum(found) / 3

    for draw in draws():
        assert abs(bias(draw.name)) <= 0.01
    # as STATISTICS has it, the stratified ones are too easy
    assert bias(STRATIFIED) > before


@pytest.mark.usefixtures("starter_was_drawn")
def test_a_new_run_has_the_newest_order_and_says_so(tmp_path: Path) -> None:
    new = run(["sim/coin"], experiments=["association"], preset="quick", out=tmp_path / "new")
    assert list(new.items["association"]) == TARGETS[240:]
    assert (new.manifest.preset, new.manifest.preset_order) == ("quick", "drawn-7")
    grown = run(["sim/coin"], experiments=["association"], preset="standard", out=tmp_path / "new")
    assert list(grown.items["association"]) == TARGETS[165:]
    assert (grown.manifest.preset, grown.manifest.preset_order) == ("standard", "drawn-7")
    # requests were not drawn: theirs are stratified
    other = STARTER.cut(["restriction"], preset="quick")
    assert [*other["restriction"]] == [*STARTER.cut(["restriction"], preset="quick", order=STRATIFIED)["restriction"]]


def test_a_run_made_in_the_old_order_keeps_it_when_it_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(preset: str) -> Run:
        return run(["sim/coin"], experiments=["association"], preset=preset, out=tmp_path / "old")  # type: ignore[arg-type]

    before = asked("quick")
    # as a version wrote it that knew no other order
    manifest = json.loads((before.folder / "manifest.json").read_text("utf-8"))
    assert manifest.pop("preset_order") is None
    (before.folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    wanted = {preset: {*preset_ids(preset, "association", STARTER["association"])} for preset in ("quick", "standard")}
    whole = Drawn(STARTER.hashes["association"], quick=[*range(240, 300)], standard=[*range(165, 300)])
    monkeypatch.setattr(module, "draws", lambda: (Draw("drawn-7", 1, {"association": whole}),))
    assert {*asked("quick").items["association"]} == wanted["quick"]
    grown = asked("standard")
    assert {*grown.items["association"]} == wanted["standard"]
    assert (grown.manifest.preset, grown.manifest.preset_order) == ("standard", None)


@pytest.mark.usefixtures("starter_was_drawn")
@pytest.mark.parametrize(("order", "named"), [("drawn-7", "drawn-7"), (STRATIFIED, None)])
def test_replies_are_imported_into_the_preset_that_they_were_asked_in(
    order: str, named: str | None, tmp_path: Path
) -> None:
    cut = STARTER.cut(["association"], preset="quick", order=order)
    lines = [
        {"model": "m", "experiment": "association", "item": id, "epoch": 1, "session": "predict", "text": "{}"}
        for id in cut["association"]
    ]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = sx.import_replies(tmp_path / "said.jsonl", items="starter", preset="quick", out=tmp_path / "run")
    assert [*found.items["association"]] == [*cut["association"]]
    assert found.manifest.preset_order == named


def test_an_order_of_a_later_version_is_refused_by_name(tmp_path: Path) -> None:
    made = run(["sim/coin"], experiments=["association"], preset="quick", out=tmp_path / "run")
    path = made.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"preset_order": "balanced-9"}), "utf-8")
    with pytest.raises(InputError, match="'balanced-9' are not known to this version of selfexec"):
        run(["sim/coin"], experiments=["association"], preset="standard", out=tmp_path / "run")


def test_a_run_of_the_papers_items_made_in_an_older_draw_goes_on_in_it(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, whole, shipped = str(reference / "items"), load(reference / "items"), draws()

    def asked(preset: str) -> Run:
        return run(["sim/coin"], experiments=["association"], items=items, preset=preset, out=tmp_path / "run")  # type: ignore[arg-type]

    with monkeypatch.context() as before:
        before.setattr(module, "draws", lambda: shipped[:1])
        assert asked("quick").manifest.preset_order == "balanced-1"
    grown = asked("standard")
    assert grown.manifest.preset_order == "balanced-1"
    older = whole.cut(["association"], preset="standard", order="balanced-1")["association"]
    assert [*grown.items["association"]] == [*older]
    assert [*older] != [*whole.cut(["association"], preset="standard")["association"]]


def test_replies_to_an_older_draw_are_imported_and_exported_in_it(reference: Path, tmp_path: Path) -> None:
    items, older = str(reference / "items"), load(reference / "items").cut(preset="quick", order="balanced-1")
    lines = [
        {"model": "m", "experiment": "restriction", "item": id, "epoch": 1, "session": "predict", "text": "A"}
        for id in older["restriction"]
    ]
    said = tmp_path / "said.jsonl"
    said.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = sx.import_replies(said, items=items, preset="quick", out=tmp_path / "imported")
    assert (found.manifest.preset, found.manifest.preset_order) == ("quick", "balanced-1")
    command = ["export", "--model", "m", "--items", items, "--experiment", "restriction", "--preset", "quick"]
    second = CliRunner().invoke(root, [*command, "--replies", str(said)])
    assert second.exit_code == 0, second.output
    asked = [json.loads(line) for line in second.stdout.splitlines()]
    # what is left of the older cut: the requests themselves, of the 100 that were predicted
    assert {(line["item"], line["session"]) for line in asked} == {(id, "execute") for id in older["restriction"]}


def test_levels_are_right_within_a_hundredth_for_models_that_no_draw_was_balanced_on() -> None:
    """STATISTICS.md, "Fewer calls": the mean over 200 splits; and the spread that ships is the deviation over them."""
    with SPLITS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for preset in ("quick", "standard"):
        for metric in ("skill", "self_execution_score", "adjusted_skill"):
            kept = (preset, "overall", metric)
            means = [float(r["mean"]) for r in rows if (r["preset"], r["experiment"], r["metric"]) == kept]
            assert len(means) == 200
            assert abs(statistics.mean(means)) <= 0.01
            assert draws()[-1].spread[preset]["overall"][metric] == round(statistics.stdev(means), 4)


def test_the_spread_of_levels_is_known_of_just_the_items_that_were_drawn(reference: Path) -> None:
    whole, spread = load(reference / "items"), draws()[-1].spread["quick"]
    hashes = whole.cut(preset="quick").hashes
    known = level_spread("quick", "balanced-2", hashes)
    assert known == {(e, metric): x for e, by_metric in spread.items() for metric, x in by_metric.items()}
    # skill is Youden's J in yes and no, and Kendall's tau in orders
    assert known["association", "skill"] == known["association", "youden_j"] > 0
    assert known["difficulty", "skill"] == known["difficulty", "tau"] > 0
    # not that of another preset, of an order that was not measured, of all items but one, nor overall without a part
    assert not level_spread("standard", "balanced-2", hashes)
    assert not level_spread("quick", "balanced-1", whole.cut(preset="quick", order="balanced-1").hashes)
    part = level_spread("quick", "balanced-2", whole.cut(["association"], preset="quick").hashes)
    assert {experiment for experiment, _ in part} == {"association"}
    assert not level_spread("quick", STRATIFIED, hashes)
