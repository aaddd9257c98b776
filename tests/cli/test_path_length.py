"""How much code lies on the path from a reply to a number, as `benchmarks/path.py` counts it."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from selfexec.text.numbers import number_of

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "path.py"
# of a run of one item and of its scores: functions, and files that they are in. A run in which a new second begins has
# one function more than others, by which it writes the time of that second. The item's replies are nothing but their
# objects, which are read at once.
MOST = {"run": (516, 65), "score": (281, 45)}


def loaded() -> ModuleType:
    spec = spec_from_file_location("benchmarks_path", SCRIPT)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


path = loaded()
Entered = dict[str, Any]  # command -> what it enters


@pytest.fixture(scope="module")
def entered() -> Entered:
    before = sys.getprofile()
    try:
        return path.measured(tuple(MOST))
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize("command", MOST)
def test_a_run_of_one_item_and_its_scores_enter_no_more_functions_and_files_than_before(
    command: str, entered: Entered
) -> None:
    functions, files = MOST[command]
    assert len(path.functions(entered[command])) <= functions
    assert len(path.files(entered[command])) <= files


def test_lambdas_and_comprehensions_are_no_functions_and_everything_entered_is_of_the_package(
    entered: Entered,
) -> None:
    line = number_of.__code__.co_firstlineno  # by which a run says how many sessions it has
    assert path.Entered("text/numbers.py", line, "number_of") in path.functions(entered["run"])
    assert any("<" in one.name.split(".")[-1] for one in entered["run"])
    assert not any("<" in one.name.split(".")[-1] for one in path.functions(entered["run"]))
    assert all((path.PACKAGE / file).is_file() for file in path.files(entered["run"]))
