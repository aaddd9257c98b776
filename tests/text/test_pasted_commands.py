"""Commands as they are printed can be pasted; no other place writes one with a placeholder in it."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfexec.text.printable import PLACEHOLDER, command_line

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "selfexec"
HELPS = re.compile(r"option|_names|argument|declared")  # calls whose texts are a help, which has placeholders
COMMAND = re.compile(r"\bselfexec [a-z]+[^.;:`\"\n]*")


def test_every_value_is_quoted_for_the_shell() -> None:
    folder = "my run; rm -rf '$HOME'"
    shown = command_line("read {} --claim wrong --show", folder)
    assert shlex.split(shown) == ["selfexec", "read", folder, "--claim", "wrong", "--show"]


@pytest.mark.parametrize("template", ["read RUN --show", "judge {} --judge MODEL", "explain TERM", "read {} {}"])
def test_a_command_that_cannot_be_pasted_is_none(template: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be pasted|1 values for"):
        command_line(template, "r")


def printed(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts that may be printed, of f-strings what is not filled in: neither docstrings nor helps."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))
        if isinstance(node, ast.Call) and HELPS.search(ast.unparse(node.func)):
            left_out.update(id(part) for part in ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def bare(text: str) -> list[str]:
    return [word for found in COMMAND.findall(text) for word in found.split() if PLACEHOLDER.fullmatch(word)]


def test_no_text_that_is_printed_has_a_command_with_a_placeholder() -> None:
    places = [
        f"{path.relative_to(PACKAGE)}:{line}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in printed(ast.parse(path.read_text("utf-8")))
        if bare(text)
    ]
    assert places == []


def test_a_placeholder_in_a_command_is_seen_and_one_elsewhere_is_not() -> None:
    assert bare("Look at them (selfexec read RUN --show)") == ["RUN"]
    assert bare("RUN is a folder. Type selfexec read runs/mine: MODEL is its name") == []
    tree = ast.parse('x = f"selfexec judge {run} --judge MODEL"\ny = option(None, "selfexec read RUN")')
    assert [text for _, text in printed(tree)] == ["selfexec judge ", " --judge MODEL"]
