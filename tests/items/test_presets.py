"""Which items a preset takes: of the paper's by one draw, of others by strata, and of an old run as ever."""

import json
from pathlib import Path

import pytest

import selfexec as sx
from selfexec.errors import InputError
from selfexec.experiments import PAPER
from selfexec.items import PAPER_FILES, STRATIFIED, load, newest_order, preset_ids
from selfexec.items import presets as module
from selfexec.items.presets import Draw, Drawn, drawn
from selfexec.metrics import Counted, kind_of, value
from selfexec.runs import Run
from selfexec.runs.asking import run

STARTER = load("starter")
TARGETS = list(STARTER["association"])
SIZES = {"association": (60, 220, 488), "restriction": (100, 203, 450), "difficulty": (60, 113, 250)}


@pytest.fixture
def starter_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the starter set's targets had presets by a draw: the last ones of the fixed order."""
    whole = Drawn(STARTER.hashes["association"], quick=[*range(240, 300)], standard=[*range(165, 300)])
    monkeypatch.setattr(module, "drawn", lambda: Draw("drawn-7", 1, {"association": whole}))


def test_the_draw_is_of_the_papers_items_and_its_presets_nest() -> None:
    assert {e: one.sha256 for e, one in drawn().experiments.items()} == PAPER_FILES
    for experiment, one in drawn().experiments.items():
        small, large, whole = SIZES[experiment]
        assert (len(set(one.quick)), len(set(one.standard))) == (len(one.quick), len(one.standard)) == (small, large)
        assert {*one.quick} <= {*one.standard} <= {*range(whole)}


def test_the_papers_presets_are_those_that_were_drawn(reference: Path) -> None:
    whole = load(reference / "items")
    assert newest_order(whole.hashes) == drawn().name
    cuts = {preset: whole.cut(preset=preset) for preset in ("quick", "standard", "full")}
    for experiment, sizes in SIZES.items():
        ids = list(whole[experiment])
        assert tuple(len(cut[experiment]) for cut in cuts.values()) == sizes
        # cuts are kept in the fixed order
        assert list(cuts["quick"][experiment]) == [ids[n] for n in sorted(drawn().experiments[experiment].quick)]
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
        for experiment in PAPER.experiments:
            kind, claims = kind_of(experiment), ten_models.tables.claims[experiment]
            cut = ten_models.items.cut(preset=preset, order=order)[experiment]
            gaps = []
            for model in ten_models.models:
                record = kind.count(claims.of(model), True)
                some = tuple(id for id in record.items if id in cut)
                if some:
                    gaps.append(value(kind.skill, Counted(some, record.on(some))) - value(kind.skill, record))
            found.append(sum(gaps) / len(gaps))
        return sum(found) / 3

    assert abs(bias(drawn().name)) <= 0.01
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
    monkeypatch.setattr(module, "drawn", lambda: Draw("drawn-7", 1, {"association": whole}))
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
