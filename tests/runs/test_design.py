"""What a run was to ask: only that can be missing, however the run grew."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import selfexec as sx
from selfexec.facets import DEFAULT
from selfexec.items import load
from selfexec.report.evidence import code_strings
from selfexec.runs import list_runs
from selfexec.runs.asking import growing
from selfexec.runs.design import Block, Design, asked, crossed, folded, joined, unfolded
from selfexec.runs.folder import FORMAT

STORED = Path(__file__).parents[1] / "stored"
ITEMS = load("starter").cut(["restriction", "difficulty"], limit=4)
SMALL = {"experiments": ["restriction"], "items": "starter"}


def manifest(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "manifest.json").read_bytes())
    return found


def coverage(run: sx.Run) -> set[float]:
    """The share of claims that are not missing, in each experiment of each model."""
    return {round(1 - row.missing / row.claims, 9) for row in sx.score(run) if row.metric == "coverage"}


conditions = st.sampled_from([DEFAULT, (("tone", "rude"),), (("frame", "person"), ("tone", "rude"))])
places = st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(ITEMS.experiments), conditions)
designs = st.dictionaries(places, st.dictionaries(st.integers(0, 3), st.integers(1, 3), min_size=1), min_size=1).map(
    lambda found: {
        (model, e, condition): {list(ITEMS[e])[n]: times for n, times in epochs.items()}
        for (model, e, condition), epochs in found.items()
    }
)


@given(designs)
def test_blocks_stand_for_the_design_that_they_were_made_of(design: Design) -> None:
    assert unfolded(folded(design, ITEMS), ITEMS) == design
    assert unfolded(folded(design, None), ITEMS) == design


@given(designs, designs)
def test_two_designs_ask_all_that_either_asks(one: Design, two: Design) -> None:
    both = joined(one, two)
    for place in {*one, *two}:
        for id in ITEMS[place[1]]:
            times = max(one.get(place, {}).get(id, 0), two.get(place, {}).get(id, 0))
            assert both[place].get(id, 0) == times


def test_models_that_are_asked_alike_are_one_block_and_all_items_go_without_names() -> None:
    blocks = folded(crossed(["a", "b"], ITEMS, 2), ITEMS)
    assert blocks == [Block(["a", "b"], "restriction", 2), Block(["a", "b"], "difficulty", 2)]


@pytest.mark.parametrize(
    "steps",
    [
        [{"limit": 10}, {"limit": 5, "epochs": 2}],
        [{"limit": 5, "epochs": 2}, {"limit": 10}],
        [{"limit": 3, "epochs": 3}, {"preset": "quick"}, {"limit": 12, "epochs": 2}],
    ],
)
def test_growing_by_limits_and_epochs_in_any_order_loses_no_coverage(
    steps: list[dict[str, int]], tmp_path: Path
) -> None:
    for step in steps:
        run = sx.run(["sim/coin"], out=tmp_path / "r", **SMALL, **step)
        assert coverage(run) == {1.0} and not run.unasked
    asked_of = run.asked["sim/coin", "restriction", DEFAULT]
    assert sum(map(len, asked_of.values())) == len({key[:4] for key in run.replies})
    assert list_runs(tmp_path / "r").runs[0].missing == 0


def test_a_model_is_not_missing_what_only_another_was_asked(tmp_path: Path) -> None:
    sx.run(["sim/coin"], out=tmp_path / "r", limit=2, **SMALL)
    grown = sx.run(["sim/typical"], out=tmp_path / "r", limit=5, **SMALL)
    assert {model: len(grown.asked[model, "restriction", DEFAULT]) for model in grown.models} == {
        "sim/coin": 2,
        "sim/typical": 5,
    }
    assert coverage(grown) == {1.0}


def test_a_run_that_ended_at_so_many_calls_is_a_smaller_run_until_it_goes_on(tmp_path: Path) -> None:
    capped = sx.run(["sim/coin"], out=tmp_path / "r", limit=20, max_calls=31, **SMALL)
    assert 0 < len(capped.asked["sim/coin", "restriction", DEFAULT]) < 20 and coverage(capped) == {1.0}
    assert list_runs(tmp_path / "r").runs[0].missing == 60 - len(capped.replies)  # what is left of what was planned
    whole = sx.run(["sim/coin"], out=tmp_path / "r", limit=20, **SMALL)
    assert len(whole.asked["sim/coin", "restriction", DEFAULT]) == 20 and coverage(whole) == {1.0}
    assert manifest(tmp_path / "r")["planned"] == []


def test_of_a_run_that_was_killed_what_it_was_to_ask_is_missing(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], out=tmp_path / "r", limit=10, **SMALL)
    lines = (run.folder / "replies.jsonl").read_text().splitlines(keepends=True)
    first = json.loads(lines[0])["item"]
    (run.folder / "replies.jsonl").write_text("".join(line for line in lines if json.loads(line)["item"] == first))
    killed = sx.load(run.folder)
    assert killed.unasked == {"sim/coin": 9} and coverage(killed) == {0.1}
    assert list_runs(run.folder).runs[0].missing == 27


def test_a_kill_while_a_run_grows_makes_nothing_missing_that_was_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sx.run(["sim/coin"], out=tmp_path / "r", limit=2, **SMALL)
    grow = growing.grow_items

    def killed(*arguments: object) -> None:
        grow(*arguments)
        raise KeyboardInterrupt  # the items are there, the manifest is not yet written

    monkeypatch.setattr(growing, "grow_items", killed)
    with pytest.raises(KeyboardInterrupt):
        sx.run(["sim/typical"], out=tmp_path / "r", limit=5, **SMALL)
    left = sx.load(tmp_path / "r")
    assert len(left.items["restriction"]) == 5 and len(left.asked["sim/coin", "restriction", DEFAULT]) == 2
    monkeypatch.undo()
    whole = sx.run(["sim/typical"], out=tmp_path / "r", limit=5, **SMALL)
    assert not whole.unasked and coverage(whole) == {1.0}


def test_a_run_of_format_1_is_read_as_it_is_and_written_anew_only_when_it_grows(tmp_path: Path) -> None:
    shutil.copytree(STORED / "panel", tmp_path / "r")
    before = (tmp_path / "r" / "manifest.json").read_bytes()
    old = sx.load(tmp_path / "r")
    sx.score(old)
    assert json.loads(before)["format"] == 1 and old.manifest.design is None
    assert (tmp_path / "r" / "manifest.json").read_bytes() == before
    asked_before = {place: dict(by_item) for place, by_item in old.asked.items()}
    sx.run(["sim/coin@9"], out=tmp_path / "r", items=tmp_path / "r" / "items")
    assert manifest(tmp_path / "r")["format"] == FORMAT
    assert (tmp_path / "r" / "manifest.1.json").read_bytes() == before
    grown = sx.load(tmp_path / "r")
    assert {place: {id: list(e) for id, e in by_item.items()} for place, by_item in asked_before.items()} == {
        place: dict(by_item) for place, by_item in grown.asked.items() if place[0] != "sim/coin@9"
    }


def test_where_nothing_is_kept_every_item_was_asked_in_each_epoch_of_which_there_is_a_reply() -> None:
    first, second, *rest = ITEMS["restriction"]
    keys = [sx.Key("m", "restriction", first, 1, "predict"), sx.Key("m", "restriction", second, 3, "predict")]
    assert asked(None, ITEMS, keys) == {("m", "restriction", DEFAULT): {id: [1, 3] for id in (first, second, *rest)}}
    assert asked([], ITEMS, keys) == {("m", "restriction", DEFAULT): {first: [1], second: [3]}}


def test_what_was_not_asked_in_an_epoch_is_blank_in_the_evidence_and_all_else_keeps_its_place(tmp_path: Path) -> None:
    sx.run(["sim/coin"], out=tmp_path / "r", limit=1, epochs=2, **SMALL)
    run = sx.run(["sim/coin"], out=tmp_path / "r", limit=3, **SMALL)
    coded = run.observations.with_columns(code=run.observations["claim"].str.slice(0, 1))
    found = code_strings(coded, [run], lambda experiment, item: ["answers"])["sim/coin"]["restriction"]
    epochs = run.asked["sim/coin", "restriction", DEFAULT]
    [repeated] = [n for n, id in enumerate(run.items["restriction"]) if len(epochs[id]) > 1]
    assert found["1"] == "aaa"
    assert found["2"] == "".join("a" if n == repeated else " " for n in range(3))
