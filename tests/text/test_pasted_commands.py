"""Commands as they are printed can be pasted; no other place writes one with a placeholder in it."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from selfexec.cli import root
from selfexec.facets import FACETS
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


def test_a_list_is_so_many_words_and_a_path_that_begins_with_a_dash_is_taken_for_no_option() -> None:
    assert command_line("score {} --full", ["a b", "-x"]) == "selfexec score 'a b' ./-x --full"
    assert command_line("run --out {} --set {}", "-x", "-1") == "selfexec run --out -x --set -1"  # click takes these


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


# --- one way to write a command ---------------------------------------------------------------------------------------

NAMES = "|".join(root.list_commands(click.Context(root)))
FILLED = re.compile(rf"\bselfexec (?:{NAMES})(?: [^\s.;:`()]+)*? (?:[^\s.;:`()]*\0)")


def filled_in(tree: ast.AST) -> Iterator[str]:
    """f-strings that write a command with a value in it, each value shown as a zero character."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
            if FILLED.search(text):
                yield text


def test_a_value_in_a_command_is_quoted_by_the_one_function_for_it() -> None:
    places = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for text in filled_in(ast.parse(path.read_text("utf-8")))
    ]
    assert places == []


def test_a_command_written_by_hand_is_seen_and_prose_about_one_is_not() -> None:
    by_hand = """f"Next: selfexec score {folder} --full", f"selfexec run --out {quote(x)}", f"selfexec export > {x}" """
    assert len(list(filled_in(ast.parse(by_hand.strip())))) == 3
    prose = (
        """f"Only `selfexec run` asks {x}", f"selfexec score: {x}", f"by selfexec {version}", f"{x} selfexec score" """
    )
    assert list(filled_in(ast.parse(prose.strip()))) == []


def templates() -> Iterator[tuple[str, str]]:
    """The commands that are suggested, as they stand in the source, with the file that each is in."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "command_line" and node.args:
                parts = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else [node.args[0]]
                text = " ".join(part.value for part in parts if isinstance(part, ast.Constant))
                yield str(path.relative_to(PACKAGE)), text


def test_every_suggested_command_is_there_with_each_of_its_options() -> None:
    found = [(place, text) for place, text in templates() if text]
    assert len(found) > 40
    for place, text in found:
        words = text.split()
        context = click.Context(root)
        command = root.get_command(context, words[0])
        assert command is not None, (place, text)
        if isinstance(command, click.Group) and len(words) > 1:
            command = command.get_command(context, words[1])
            assert command is not None, (place, text)
        known = {name for param in command.params for name in param.opts}
        known |= {f"--{name}" for name in FACETS if "--facet" in known}
        assert {word for word in words if word.startswith("-")} <= known, (place, text)
