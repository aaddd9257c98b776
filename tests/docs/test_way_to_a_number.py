"""The way from a reply to a number, as the package's docstring has it for who reads the source."""

import ast
import re
from pathlib import Path

import pytest

import selfexec

PACKAGE = Path(selfexec.__file__).parent
STEPS = re.findall(r"([\w/]+\.py):([\w.]+\w)", selfexec.__doc__ or "")


def defined(tree: ast.AST) -> dict[str, ast.AST]:
    """The functions and classes right below a node, by name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name: node for node in ast.iter_child_nodes(tree) if isinstance(node, kinds)}


def test_the_way_begins_at_the_command_leads_over_plan_and_prompt_and_ends_on_the_screen() -> None:
    files = [file for file, _ in STEPS]
    way = ("cli/run.py", "runs/asking/planning.py", "experiments/base.py", "runs/readings.py", "analysis/screen.py")
    assert files[0] == way[0] and [files.index(file) for file in way] == sorted(files.index(file) for file in way)


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_each_step_of_the_way_is_where_the_docstring_says(file: str, name: str) -> None:
    node: ast.AST = ast.parse((PACKAGE / file).read_text("utf-8"))
    for part in name.split("."):
        assert part in defined(node), f"{file} has no {name}"
        node = defined(node)[part]
