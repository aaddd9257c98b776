"""Which sessions a page takes along where there is no room for all of them."""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import selfexec as sx
from selfexec.analysis.selection import Selection
from selfexec.report.data import PAGE, Data, Options
from selfexec.report.evidence import Place
from selfexec.report.sample import in_order, sample
from selfexec.runs import Run


@pytest.fixture(scope="module")
def data(small_panel: Run) -> Data:
    return Data(Selection.of(small_panel), Options())


def sampled(data: Data, room: float, quoted: set[Place] | None = None) -> set[Place]:
    decisive = data.baseline_predictions.decisive
    return sample(data.runs, data.claims, data.sessions, quoted or set(), decisive, room)


def rows(table: pl.DataFrame, chosen: set[Place]) -> pl.DataFrame:
    place = ["model", "experiment", "item"]
    return table.join(pl.DataFrame(sorted(chosen), place, orient="row"), on=place, how="semi")


def test_without_any_room_there_is_what_is_quoted_and_an_item_of_each_outcome_and_state(data: Data) -> None:
    worst = {(s.model, s.experiment, s.item) for found in data.surprises.values() for s in found}
    chosen = sampled(data, 0, worst)
    assert chosen >= worst
    for table, by in (
        (data.claims, ["model", "experiment", "code", "disputed"]),
        (data.sessions, ["model", "experiment", "session", "code"]),
    ):
        assert set(map(str, rows(table, chosen).select(by).rows())) == set(map(str, table.select(by).rows()))


def test_decisive_items_are_those_that_the_page_lists_behind_a_margin(data: Data) -> None:
    """By the strings in the page: what the baseline said (a capital: it was right), and what became of the claim."""
    assert data.evidence
    index: Any = json.loads(zlib.decompress(base64.b64decode(data.evidence.index)))
    listed = set()
    for model in index["models"]:
        for experiment, told in model["baseline_predictions"].items():
            items = index["runs"][model["run"]]["items"][experiment]
            names = [item["id"] for item in items for _ in item["claims"]]
            if told["best"] is not None:
                said, codes = told["said"][told["best"]]["1"], model["claims"][experiment]["1"]
                for item, word, code in zip(names, said, codes, strict=True):
                    if word in "YyNn" and (word in "YN") != (code in "TNR"):
                        listed.add((model["name"], experiment, item))
    assert len(listed) > 300 and data.baseline_predictions.decisive == listed


def test_the_more_room_there_is_the_more_items_are_there_and_those_that_make_a_margin_come_first(data: Data) -> None:
    decisive = data.baseline_predictions.decisive
    whole = {(key.model, key.experiment, key.item) for run in data.runs for key in run.replies}
    least = sampled(data, 0)
    sizes = []
    for room in (50_000, 150_000, 10**9):
        chosen = sampled(data, room)
        assert least <= chosen <= whole
        sizes.append(len(chosen))
        added = chosen - least
        # what is left of the room takes short items that make none
        assert decisive <= chosen or len(added - decisive) < 0.1 * len(added)
    assert len(least) < sizes[0] < sizes[1] < sizes[2] == len(whole)


def test_items_that_make_a_margin_come_first_then_what_is_short_and_models_take_turns() -> None:
    """Items of `short` take 10 on average, those of `long` 100. Of m two items of `short` make a margin, of n one."""
    sizes = {
        ("m", "long", "1"): 150.0, ("m", "long", "2"): 50.0, ("n", "long", "1"): 100.0,
        ("m", "short", "1"): 10.0, ("m", "short", "2"): 10.0, ("n", "short", "1"): 9.0, ("n", "short", "2"): 11.0,
    }  # fmt: skip
    decisive = {("m", "short", "1"), ("m", "short", "2"), ("n", "short", "2"), ("n", "long", "1")}
    assert in_order(sizes, decisive) == [
        ("m", "short", "1"), ("n", "short", "2"), ("m", "short", "2"), ("n", "long", "1"),
        ("n", "short", "1"), ("m", "long", "1"), ("m", "long", "2"),
    ]  # fmt: skip


def test_the_room_is_about_what_the_sessions_take(data: Data) -> None:
    assert data.evidence
    least, chosen = sampled(data, 0), sampled(data, 100_000)
    before, after = (sum(map(len, data.evidence.kept(places).chunks)) for places in (set(), chosen))
    assert least < chosen
    assert 0.75 * 100_000 < after - before < 1.1 * 100_000


def test_a_small_run_has_all_its_sessions_in_the_page(tmp_path: Path) -> None:
    run = sx.run(["sim/typical", "sim/coin"], limit=5, out=tmp_path / "run")
    some, all_ = (sx.report(run, tmp_path / f"{e}.html", evidence=e) for e in ("sample", "all"))  # type: ignore[arg-type]
    packed = [
        [line for line in page.read_text("utf-8").split("\n") if 'id="evidence-' in line and "index" not in line]
        for page in (some, all_)
    ]
    assert len(packed[0]) == 2 and packed[0] == packed[1]


@pytest.mark.slow
def test_the_page_of_ten_models_is_as_large_as_it_may_be(ten_models: Run, tmp_path: Path) -> None:
    page = sx.report(ten_models, tmp_path / "ten.html")
    assert 0.85 * PAGE < page.stat().st_size < PAGE
