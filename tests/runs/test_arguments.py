"""What people pass to functions and is nothing that they take: it is told by its name, and never shown."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.options import option, settle
from selfexec.runs.arguments import takes


@pytest.mark.parametrize(
    ("choice", "value", "said"),
    [
        ("limit", "ten", "a whole number or None, not str"),
        ("limit", 2.5, "a whole number or None, not float"),
        ("limit", True, "a whole number or None, not bool"),
        ("epochs", "2", "a whole number or None, not str"),
        ("fraction", "half", "a number or None, not str"),
        ("timeout", "x", "a number, not str"),
        ("stream", 1, "True or False, not int"),
        ("base_url", 5, "text or None, not int"),
        ("settings", "hot", "a mapping, not str"),
        ("headers", ["Authorization: sk-planted-0123456789"], "a mapping, not list"),
        ("price", 3, "text, a list of these or None, not int"),
        ("out", 7, "text, a path or None, not int"),
    ],
)
def test_a_choice_of_another_kind_is_named_and_its_value_is_not_shown(
    choice: str, value: Any, said: str, tmp_path: Path
) -> None:
    with pytest.raises(sx.InputError) as stopped:
        sx.run("sim/coin", **{"out": tmp_path / "run", choice: value})
    assert str(stopped.value) == f"{choice}: expected {said}."
    assert not (tmp_path / "run").exists()


def test_models_that_are_none_are_not_taken_for_the_simulated_panel(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match="which model"):
        sx.run([], limit=1, out=tmp_path / "run")
    with pytest.raises(sx.InputError, match="models: expected text, a list of these or None, not int"):
        sx.run(5, limit=1, out=tmp_path / "run")  # type: ignore[arg-type]
    with pytest.raises(sx.InputError, match="give a function"):
        sx.run("sim/coin", limit=1, out=tmp_path / "run", on_progress="x")  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("nothing", [None, "", 5])
def test_what_is_no_folder_is_no_run(nothing: Any) -> None:
    with pytest.raises(sx.InputError, match=r"^(?:which run\?|expected a run or its folder, not )"):
        sx.load(nothing)


@dataclass(frozen=True, kw_only=True)
class Bounded:
    port: int = option(80, "A number with two bounds.", least=0, most=99)
    share: float | None = option(None, "A number with an upper bound.", most=1)
    at_least: float | None = option(None, "A number with a lower bound.", least=2)

    def __post_init__(self) -> None:
        settle(self)


@takes(Bounded, "a test")
def bounded(options: Bounded) -> Bounded:
    return options


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"port": -1}, "port -1: give 0 to 99."),
        ({"port": 100}, "port 100: give 0 to 99."),
        ({"share": 1.5}, "share 1.5: give 1 or less."),
        ({"share": float("nan")}, "share nan: give 1 or less."),
        ({"at_least": 1.5}, "at_least 1.5: give 2 or more."),
    ],
)
def test_the_bounds_of_an_option_hold_in_python(given: dict[str, Any], said: str) -> None:
    with pytest.raises(sx.InputError) as refusal:
        bounded(**given)
    assert str(refusal.value) == said
    assert bounded(port=0, share=1, at_least=2) == Bounded(port=0, share=1, at_least=2.0)
    assert bounded(port=99, share=-5.0, at_least=1e9).port == 99
