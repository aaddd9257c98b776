"""The words of this project are the field's. Words that it coined are gone, and names that say nothing get fewer."""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COINED = re.compile(
    r"(?<![A-Za-z])(?:deeds?|fore(?:tell|tells|telling|told)|kin|siblings?|opponents?|rungs?|storeys?|flights?"
    r"|sittings?|legible|lineups?|own[ _]words?|rooms|house)(?![A-Za-z])",
    re.IGNORECASE,
)
# "rooms" and "the house" were packages and the architecture; there is room for many things, but rooms are of a house
# where it is written down what was called so, and what others wrote
QUOTING = re.compile(
    r"CHANGELOG\.md|src/selfexec/renamed\.py|tests/(?:test_words|runs/test_former_names)\.py"
    r"|.*\.(?:jsonl|svg|png)|src/selfexec/items/paper.*\.json|src/selfexec/panels/paper\.json|tests/items/starter_keys\.py"
    r"|studies/2025-paper/published\.json|tests/starter_sources\.md"
)
FIELDS_OF_ITEMS = re.compile(r'`rung`|line\["rung"\]')  # of the items that ship, which are as they were published
ORDINARY = re.compile(r"in (?:its|their|your) own words|acyclic_siblings|tree, house, dog")  # import-linter's; an item
QUOTED = re.compile(r"“[^”]*”|^> .*$", re.MULTILINE)  # of the paper, and of whoever is quoted in a document

SAYING_NOTHING = ("found", "one", "said", "there", "told")
SAYING_LITTLE = re.compile(r"of_\w+|at|by|among|under")
MOST_LOCALS = 1601
MOST_FUNCTIONS = 28


def texts() -> Iterator[tuple[str, str]]:
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout.decode()
    for name in filter(None, files.split("\0")):
        if not QUOTING.fullmatch(name) and (ROOT / name).is_file():
            try:
                yield name, (ROOT / name).read_text("utf-8")
            except UnicodeDecodeError:
                continue


def test_coined_words_are_only_quoted() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("these are not the files of a checkout")
    places = []
    for name, text in texts():
        if word := COINED.search(Path(name).stem):
            places.append(f"{name}: {word[0]}")
        unquoted = ORDINARY.sub("", FIELDS_OF_ITEMS.sub("", QUOTED.sub("", text)))
        places += [f"{name}: {word[0]}" for word in COINED.finditer(unquoted)]
    assert places == []


def test_a_coined_word_is_seen_in_names_and_in_prose_but_not_within_others() -> None:
    assert [word[0] for word in COINED.finditer("a deed, foretold_by, _kin, own word, Siblings, in_flight, rooms")] == [
        "deed",
        "foretold",
        "kin",
        "own word",
        "Siblings",
        "flight",
        "rooms",
    ]
    assert COINED.search("indeed, kind, working, strung, own wording, illegible, pumpkin, room, household") is None
    assert QUOTED.sub("", "it says “a kin of mine”\n> my sibling\nand so on").split() == [
        "it",
        "says",
        "and",
        "so",
        "on",
    ]


def definitions(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Kind and name of each local name and each function that a module defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "function", node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield "local", node.id
        elif isinstance(node, ast.arg):
            yield "local", node.arg


def test_names_that_say_nothing_get_fewer() -> None:
    """The numbers are what is left. Lower them whenever there are fewer; nothing may raise them."""
    counts: Counter[str] = Counter()
    for path in (ROOT / "src").rglob("*.py"):
        for kind, name in definitions(ast.parse(path.read_text("utf-8"))):
            counts["local"] += kind == "local" and name in SAYING_NOTHING
            counts["function"] += kind == "function" and SAYING_LITTLE.fullmatch(name) is not None
    assert counts["local"] <= MOST_LOCALS
    assert counts["function"] <= MOST_FUNCTIONS
