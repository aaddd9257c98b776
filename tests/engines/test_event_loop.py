"""What the garbage collector is told while many calls are made, and that it is told otherwise afterwards."""

import gc
from collections.abc import Iterator

import pytest

from selfexec.engines import without_garbage_sweeps


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_what_is_there_is_left_alone_only_while_calls_are_made() -> None:
    with without_garbage_sweeps():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def test_what_somebody_has_set_apart_stays_apart_and_nothing_joins_it() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    made = [[] for _ in range(1000)]
    with without_garbage_sweeps():
        assert gc.get_freeze_count() <= before
    assert gc.get_freeze_count() > 0
    assert len(made) == 1000  # they lived as long as the calls


def test_what_the_interpreter_has_set_apart_itself_is_no_programs_doing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("gc.get_freeze_count", lambda: 375)  # as Python 3.12 has it when it starts
    monkeypatch.setattr("gc.freeze", lambda: asked.append("freeze"))
    monkeypatch.setattr("gc.unfreeze", lambda: asked.append("unfreeze"))
    with without_garbage_sweeps():
        assert asked == ["freeze"]
    assert asked == ["freeze", "unfreeze"]


@pytest.mark.parametrize("enabled", [True, False])
def test_calls_are_made_with_a_collector_and_it_is_left_as_it_was(enabled: bool) -> None:
    if not enabled:
        gc.disable()
    with without_garbage_sweeps():
        assert gc.isenabled()
    assert gc.isenabled() == enabled
