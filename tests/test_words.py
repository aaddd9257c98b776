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
QUOTED = re.compile(r"“[^”]*”|^> .*$", re.MULTILINE)  # of the paper, and of others who are quoted in a document

# what reads as no native speaker would say it, in what we write for others: plain words were found for each
ODD = re.compile(
    r"\bwhoever\b|\bfor want of\b"
    r"|\bis (?:'[^'\n]+'|\{[^}\n]+\}) meant\?|\bunknown choice\b"
    r"|\bgive [^.\n]{1,60}, and (?:no|not) (?:None\b|\{|str\b|int\b)"
    r"|\bunless it is given\b|\bgoes on from there\b|\bwritten rightly\b|\bof his own\b"
    r"|\b(?:is|are|was|were)\s+told\s+(?:by|from|on|as|in)\b"
    # a word for a word of another language, a verb that has lost its subject, and two words for one thing
    r"|\brates?\s+of\s+yes\b|\bcame\s+out\s+so\b|\bis\s+a\s+wrong\s+one\b|\breckons?\s+with\b|\bof\s+a\s+real\s+one\b"
    r"|\bstands?\s+with\s+it\b|\bno\s+run\s+is\s+here\b|\btakes\s+(?:two|three|\d+)\s+(?:other\s+)?models\b",
    re.IGNORECASE,
)
PROSE = re.compile(r"(?:src|docs)/.*|README\.md|CONTRIBUTING\.md")
PROMPTS = re.compile(  # a changed word changes the instrument
    r"Whether the given answer is correct cannot be told|It cannot be told whether (?:it does|the response provides)"
)
MOST_OF_WHICH = 44

SAYING_NOTHING = ("found", "one", "said", "there", "told")
SAYING_LITTLE = re.compile(r"of_\w+|at|by|among|under")
MOST_LOCALS = 1590
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


def prose() -> Iterator[tuple[str, str]]:
    """What we write for others: documents, and the package with its comments and messages."""
    yield from ((name, PROMPTS.sub("", QUOTED.sub("", text))) for name, text in texts() if PROSE.fullmatch(name))


def test_odd_phrases_are_gone_from_what_we_write_for_others() -> None:
    places = [f"{name}: {found[0]}" for name, text in prose() for found in ODD.finditer(text)]
    assert places == []


def test_an_odd_phrase_is_seen_and_its_plain_uses_are_not() -> None:
    odd = "Whoever asks, for want of more; they are told by name"
    assert [found[0] for found in ODD.finditer(odd)] == ["Whoever", "for want of", "are told by"]
    messages = "x: is 'y' meant? z: give text, and no int. Once unless it is given; the command goes on from there"
    assert [found[0] for found in ODD.finditer(messages)] == [
        "is 'y' meant?",
        "give text, and no int",
        "unless it is given",
        "goes on from there",
    ]
    habits = "at its rate of yes; 3 claims came out so; it takes three other models; no run is here"
    assert [found[0] for found in ODD.finditer(habits)] == [
        "rate of yes",
        "came out so",
        "takes three other models",
        "no run is here",
    ]
    assert ODD.search("a and b cannot be told apart; it is told to think, and cannot be told how hard") is None


def test_of_which_gets_rarer() -> None:
    """A noun or `whose` is plainer. The number is what is left, in lists mostly: lower it whenever there are fewer."""
    assert sum(len(re.findall(r"\b[Oo]f\s+which\b", text)) for _, text in prose()) <= MOST_OF_WHICH


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
