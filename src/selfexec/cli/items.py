"""selfexec items"""

from dataclasses import dataclass
from pathlib import Path

import click

from selfexec.cli.completion import complete_items
from selfexec.cli.declared import options_of
from selfexec.cli.options import CommandGroup, PathArgument, say
from selfexec.options import option
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line


@click.group("items", cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List, create, check or fetch item sets.

    \b
    selfexec items list               list the available item sets
    selfexec items new mine           create a folder for your own items
    selfexec items check mine         check these items for errors
    selfexec run --items mine
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("list")
def list_sets() -> None:
    """List the available item sets."""
    from selfexec.items import STARTER, cache_folder, load

    for name, folder, about in (
        ("starter", STARTER, "written for this project, for trying out"),
        ("paper", cache_folder(), "the paper's: Taboo-Data, XSTest, MMLU"),
    ):
        sizes = load(name).sizes if folder.exists() else "not fetched yet: selfexec items fetch paper"
        say(f"{name:8} {about} ({sizes})")


@dataclass(frozen=True, kw_only=True)
class FetchOptions:
    """Where the items are taken from."""

    source: Path | None = option(None, "Build from copies in this folder.", flag="--from", form="file")


@command.command("fetch")
@click.argument("name", type=click.Choice(["paper"]))
@options_of(FetchOptions)
def fetch(name: str, source: Path | None) -> None:
    """Build the paper's items from their sources.

    The versions are pinned, and the result is verified. No account is needed.
    """
    from selfexec.items import paper

    folder = paper.build(source) if source else paper.fetch()
    say(f"{folder}: complete and verified. Use it with: --items paper")


@command.command("check")
@click.argument("source", metavar="FOLDER", shell_complete=complete_items)
def check(source: str) -> None:
    """Check items: errors make them unusable, warnings are worth a look.

    FOLDER is a folder of item files, or the name of a set: starter, paper.
    """
    from selfexec.errors import InputError
    from selfexec.items.check import check as check_items

    findings = check_items(source)
    for finding in findings:
        say(str(finding))
    errors = sum(finding.level == "error" for finding in findings)
    counts = f"{source}: {number_of(errors, 'error')}, {number_of(len(findings) - errors, 'warning')}"
    if errors:
        raise InputError(f"{counts}. Fix what is named above before a run.")
    say(counts)


@command.command("new")
@click.argument("folder", metavar="DIR", type=PathArgument())
def new(folder: Path) -> None:
    """Create a folder for your own items.

    It holds a few example lines for each experiment, and a README.md that says what makes a good item.
    """
    from selfexec.items.blank import write_template

    write_template(folder)
    then = command_line("items check {}", folder)
    say(f"{folder}: created, with examples to replace and a README.md on what makes a good item. Next: {then}")
