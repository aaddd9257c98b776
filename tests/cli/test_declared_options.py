"""Every option of every command is a field of a class of options, and these classes are there at once."""

import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import click
import pytest

from command_lines import COMMANDS
from selfexec.cli.options import DeclaredOption, LevelsOption
from selfexec.options import METADATA

SOURCE = Path(__file__).parents[2] / "src" / "selfexec"
STRUCTURAL = {"--help", "--version"}  # click's own; LevelsOption is made of the facets that are installed


def declarations() -> set[int]:
    """The identities of all options that fields of classes of ours declare."""
    modules = [module for name, module in sys.modules.items() if name.startswith("selfexec")]
    classes = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    return {
        id(field.metadata[METADATA])
        for kind in classes
        if is_dataclass(kind)
        for field in fields(kind)
        if METADATA in field.metadata
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_a_field_of_a_class(name: str) -> None:
    command, declared = COMMANDS[name], declarations()
    for option in command.get_params(click.Context(command)):
        if (
            isinstance(option, click.Option)
            and not {*option.opts} & STRUCTURAL
            and not isinstance(option, LevelsOption)
        ):
            assert isinstance(option, DeclaredOption), option.opts
            assert id(option.declared.option) in declared, option.opts


def test_the_walk_sees_the_options_of_commands_and_of_commands_in_groups() -> None:
    seen = {(name, option) for name, command in COMMANDS.items() for one in command.params for option in one.opts}
    assert {("score", "--seed"), ("items fetch", "--from"), ("run", "--shard"), ("serve", "--port")} <= seen


def test_no_module_makes_an_option_of_a_command_but_the_one_that_reads_declarations() -> None:
    making = [path for path in SOURCE.rglob("*.py") if "click.option(" in path.read_text("utf-8")]
    assert making == [SOURCE / "cli" / "declared.py"]


@pytest.mark.parametrize(
    "module", ["cli", "analysis.options", "report.options", "cli.score", "cli.report", "cli.cross"]
)
def test_what_help_needs_imports_nothing_that_takes_long(module: str) -> None:
    code = f"import sys, selfexec.{module}; print(*{{'polars', 'numpy', 'msgspec', 'aiohttp'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == []


def test_the_function_report_is_not_replaced_by_the_package_of_its_name() -> None:
    code = "import selfexec as sx, selfexec.report.data; print(sx.report.__name__, sx.report.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == ["report", "selfexec.report.writing"]
