"""The way from a reply to a number, as the package's docstring has it for who reads the source."""

import ast
import inspect
import re
import sys
from pathlib import Path
from types import CodeType, FrameType

import pytest
from click.testing import CliRunner

import selfexec
from selfexec.cli import root
from selfexec.runs import readings
from sockets import sim_server

PACKAGE = Path(selfexec.__file__).parent
ASKING, COUNTING = (
    re.findall(r"^([\w/]+\.py):([\w.]+\w)(?:  |$)", part, re.MULTILINE)
    for part in (selfexec.__doc__ or "").split("From lines to numbers, ")
)
STEPS = [*ASKING, *COUNTING]
STORED = Path(__file__).parents[1] / "stored" / "panel"


def defined(tree: ast.AST) -> dict[str, ast.AST]:
    """The functions and classes right below a node, by name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name: node for node in ast.iter_child_nodes(tree) if isinstance(node, kinds)}


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_each_step_of_the_way_is_where_the_docstring_says(file: str, name: str) -> None:
    node: ast.AST = ast.parse((PACKAGE / file).read_text("utf-8"))
    for part in name.split("."):
        assert part in defined(node), f"{file} has no {name}"
        node = defined(node)[part]


def entered(*words: str) -> list[tuple[str, str]]:
    """The steps that a command enters, in the order in which it first does."""
    codes: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            codes.setdefault(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = CliRunner().invoke(root, words, catch_exceptions=False)
    finally:
        sys.setprofile(before)
    assert done.exit_code == 0, done.output
    places = ((Path(code.co_filename), code.co_qualname) for code in codes)
    called = [(file.relative_to(PACKAGE).as_posix(), name) for file, name in places if PACKAGE in file.parents]
    return [step for step in called if step in STEPS]


def test_run_takes_the_steps_from_what_was_typed_to_lines_in_their_order(tmp_path: Path) -> None:
    with sim_server() as url:
        asked = ("--model", "vllm/typical", "--experiment", "association", "--limit", "1", "--base-url", url)
        taken = entered("run", *asked, "--out", str(tmp_path / "run"))
    assert taken[: len(ASKING)] == ASKING


def test_score_takes_the_steps_from_lines_to_numbers_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "_read", inspect.unwrap(readings._read))  # and not what other tests have read
    assert entered("score", str(STORED), "--experiment", "association") == COUNTING
