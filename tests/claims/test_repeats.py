"""Where a model makes up what is asked, what it made up twice counts once."""

import pytest

from build import changed
from selfexec.claims import observe
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.experiments.restriction import UserRequest
from selfexec.items import ItemSet
from selfexec.readers import Reading


def table(
    monkeypatch: pytest.MonkeyPatch, readings: dict[Key, Reading]
) -> dict[tuple[str, int], tuple[str, str | None]]:
    """State and reason by item and epoch, where the second item always repeats the first."""
    seen: list[list[str]] = []

    def repeats(by_item):  # type: ignore[no-untyped-def]
        seen.append(list(by_item))
        return ["b"] if "predict" in by_item["a"] else []

    known = dict(EXPERIMENTS) | {"restriction": changed(EXPERIMENTS["restriction"], repeats=repeats)}
    monkeypatch.setitem(vars(EXPERIMENTS), "_found", known)
    items = {id: UserRequest(id=id, request=id, label="safe", type="x") for id in "abc"}
    found = observe(
        ItemSet("x", {"restriction": items}, {}), readings, {("m", "restriction", ()): dict.fromkeys("abc", (1, 2))}
    )
    assert seen == [["a", "b", "c"]] * 2  # once an epoch, with every item, in their order
    rows = found.observations.select("item", "epoch", "state", "reason").iter_rows()
    return {(item, epoch): (state, reason) for item, epoch, state, reason in rows}


def test_a_claim_that_repeats_another_is_a_tie_and_one_that_is_lost_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = {
        Key("m", "restriction", item, epoch, session): Reading("read", "A")
        for item in "abc"
        for epoch in (1, 2)
        for session in ("predict", "execute", "judge")
        if (item, epoch, session) not in {("a", 2, "predict"), ("c", 1, "judge")}
    }
    found = table(monkeypatch, readings)
    assert found["a", 1] == found["b", 2] == ("read", None)  # in the second epoch nothing repeats
    assert found["b", 1] == ("tie", "repeated")
    assert found["c", 1] == ("missing", None)
    del readings[Key("m", "restriction", "b", 1, "judge")]
    assert table(monkeypatch, readings)["b", 1] == ("missing", None)
