"""What extensions add is found where they say, and nothing of them is imported before it is used."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import FunctionType

import click
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import installed
from extension_parts import OURS
from selfexec.cli import root
from selfexec.engines import EngineType
from selfexec.errors import InputError
from selfexec.experiments import Experiment
from selfexec.extension import Extension, all_extensions, registered, resolve
from selfexec.facets import Facet

ROOT = Path(__file__).parents[1]
KINDS = {  # point -> what lies at its places
    "commands": click.Command,
    "analyses": click.Command,
    "engines": EngineType,
    "experiments": type,
    "facets": Facet,
    "exports": FunctionType,
    "imports": FunctionType,
    "finished_logs": FunctionType,
    "plans": FunctionType,
    "conventions": FunctionType,
    "appendix": FunctionType,
    "report_files": FunctionType,
    "figure_formats": FunctionType,
    "abilities": FunctionType,
    "carriers": FunctionType,
}


def places(point: str) -> Iterator[tuple[str, str]]:
    for name, added in registered(point).items():
        yield name, added if isinstance(added, str) else added.place


def test_what_lies_at_each_place_is_of_the_kind_of_its_point() -> None:
    for point, kind in KINDS.items():
        for name, place in places(point):
            assert isinstance(resolve(place), kind), f"{point} {name}: {place}"
    assert all(issubclass(resolve(place), Experiment) for _, place in places("experiments"))


@pytest.mark.parametrize(
    ("command", "point"), [("export", "exports"), ("import", "imports"), ("import", "finished_logs")]
)
def test_the_help_says_what_each_form_and_each_tool_is_by_what_its_extension_says(command: str, point: str) -> None:
    told = " ".join(CliRunner().invoke(root, [command, "--help"], terminal_width=10_000).output.split())
    for name, added in registered(point).items():
        assert added.about.endswith(".") and re.search(rf"\b{name}\b[^:]*: {re.escape(added.about)}", told), name


def test_each_option_that_an_extension_gives_a_command_is_made_by_a_function() -> None:
    options = [
        one.options for point in ("exports", "plans", "carriers") for one in registered(point).values() if one.options
    ]
    assert all(isinstance(resolve(place), FunctionType) for place in options)


def test_each_public_name_of_an_extension_is_a_name_of_the_package() -> None:
    assert registered("public").keys() <= {*dir(sx)}
    assert all(getattr(sx, name).__module__.startswith("selfexec.extensions.") for name in registered("public"))


def test_the_extensions_that_tests_can_need_are_those_that_are_part_of_this_repository() -> None:
    # from git, which knows of those too that were taken away
    listed = ["git", "-C", str(ROOT), "ls-files", ":(glob)src/selfexec/extensions/*/__init__.py"]
    files = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    ours = [Path(file).parts[3] for file in files]
    assert ours == sorted({*OURS}) and len(OURS) == len(ours)


def test_reading_what_extensions_add_imports_none_of_their_modules() -> None:
    code = (
        "import sys; from selfexec.extension import all_extensions\n"
        "names = all_extensions()\n"
        "print(sorted(m for m in sys.modules if m.startswith('selfexec.extensions.') and m.count('.') > 2), len(names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"[] {len(all_extensions())}\n"


def test_two_extensions_that_add_something_under_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from selfexec.extension import Command, Extension\n"
        "EXTENSION = Extension(commands={'show': Command('mine:show', 'Another one.')})\n"
    )
    announced(tmp_path, "mine = mine:EXTENSION\nyours = mine:EXTENSION")
    with installed(tmp_path), pytest.raises(InputError, match="extension 'yours': commands 'show' is there already"):
        registered("commands")


def test_what_announces_itself_and_is_no_extension_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("EXTENSION = 'mine'\n")
    announced(tmp_path, "mine = mine:EXTENSION")
    with installed(tmp_path), pytest.raises(InputError, match="extension 'mine': EXTENSION is no Extension"):
        all_extensions()


def announced(folder: Path, point: str) -> None:
    """As pip writes it down."""
    info = folder / "mine-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: mine\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(f"[selfexec.extensions]\n{point}\n")


def test_the_page_of_extensions_lists_every_point() -> None:
    page = (ROOT / "docs" / "extensions.md").read_text("utf-8")
    table = page.split("| field of `Extension` |")[1]
    assert all(f"`{each.name}`" in table for each in fields(Extension))


GIVEN = {"--accept-filters": [], "--score": ["acc"], "--model": ["a/b"]}  # options that only some tools of import have


def test_an_option_of_other_tools_is_refused_by_each_tool_that_does_not_take_it() -> None:
    tools = {(name, ()): tool for name, tool in registered("imports").items()}
    tools |= {(name, ("--as", "length")): tool for name, tool in registered("finished_logs").items()}
    for (name, rest), tool in tools.items():
        for flag in GIVEN.keys() - {*tool.takes}:
            words = ["import", "--from", name, *rest, flag, *GIVEN[flag], "nowhere", "--out", "r"]
            done = CliRunner().invoke(root, words, standalone_mode=False)
            assert isinstance(done.exception, InputError) and done.exception.typed.startswith(flag), words


def test_files_that_are_known_by_their_ending_take_no_option_of_another_tool() -> None:
    for tool in registered("imports").values():
        for flag in GIVEN.keys() - {*tool.takes} if tool.suffix else ():
            words = ["import", f"a{tool.suffix}", flag, *GIVEN[flag], "--out", "r"]
            done = CliRunner().invoke(root, words, standalone_mode=False)
            assert isinstance(done.exception, InputError) and done.exception.typed.startswith(flag), words
