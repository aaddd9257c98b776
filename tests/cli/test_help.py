"""What is shown to be typed: help fits the terminal, and every command line in help and documents is one."""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from command_lines import COMMANDS
from extension_parts import OURS, needs
from selfexec.analysis.glossary import entries
from selfexec.cli import root
from terminal import left, ours_on_a_terminal

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parents[1] / "stored"
DOCUMENTS = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])


def help_of(name: str) -> str:
    return CliRunner().invoke(root, [*name.split(), "--help"]).output


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_help_is_wider_than_80_columns(name: str) -> None:
    assert [line for line in help_of(name).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_format_and_out_are_spelt_and_meant_alike_in_every_command(name: str) -> None:
    options = {option: one for one in COMMANDS[name].params for option in one.opts if not getattr(one, "hidden", False)}
    assert options.get("--out") is options.get("-o")
    assert not {"--output", "--outfile", "--json", "--csv"} & options.keys()
    if form := options.get("--format"):
        assert form.default is None  # the ending of --out decides
        assert isinstance(form.type, click.Choice)
        assert {"table", "json"} <= set(form.type.choices) <= {"table", "json", "csv", "markdown", "parquet"}
        assert "--out" in options


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_takes_one_value_is_refused_where_it_is_given_two(name: str) -> None:
    single = [
        max(one.opts, key=len)
        for one in COMMANDS[name].params
        if isinstance(one, click.Option) and not (one.multiple or one.is_flag or one.is_eager)
    ]
    for option in single if name else ():
        refused = CliRunner().invoke(root, [*name.split(), option, "2", option, "3"]).exception
        assert str(getattr(refused, "typed", refused)) == f"{option}: given twice, as 2 and as 3. Give one of them."


def test_the_same_value_twice_is_one() -> None:
    assert CliRunner().invoke(root, ["list", "--format", "table", "--format", "table", str(STORED)]).exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_may_be_given_again_says_so(name: str) -> None:
    several = [one for one in COMMANDS[name].params if isinstance(one, click.Option) and one.multiple]
    told = [" ".join(one.get_help_record(click.Context(COMMANDS[name])) or ()) for one in several]
    assert [text for text in told if text and "[," not in text and "epeat" not in text] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_choice_of_an_option(name: str) -> None:
    command = COMMANDS[name]
    for option in command.params:
        if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
            shown = " ".join(option.get_help_record(click.Context(command)) or ())
            assert [choice for choice in option.type.choices if str(choice) not in shown] == [], option.opts


UNCLEAR = re.compile(  # in a sentence that is read alone, as help and `explain` are
    r"(?:^|[.:;] )Of (?:a|an|the|two|several|one)\b|\bours?\b|\bat hand\b|\bshall\b|\bRepeat\.|\brate of yes\b"
    r"|\b(?:it|margin|verdict|interval|which) takes (?!place|part)|\bas shipped\b|\bstands? there\b",
    re.IGNORECASE,
)


@needs(*OURS)
def test_help_and_explanations_are_read_without_what_stands_before_them() -> None:
    texts = {f"{name} --help": re.sub(r"\s+", " ", help_of(name)) for name in COMMANDS}
    texts |= {entry.term: entry.text for entry in entries()}
    assert {where: found[0] for where, text in texts.items() if (found := UNCLEAR.search(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "The folder. Of several logs, it",
        "Readings that replace ours",
        "the margin takes four models",
        "LEVEL, on. Repeat.",
    ],
)
def test_an_unclear_phrase_is_seen(text: str) -> None:
    assert UNCLEAR.search(text)


# --- command lines that are shown ------------------------------------------------------------------------------------


def shown_in(text: str) -> Iterator[str]:
    """The command lines that stand on lines of their own."""
    joined = text.replace("\\\n", " ")
    lines = re.finditer(r"^\s*(?:\$ )?(?:\.venv/bin/)?(selfexec .*)", joined, flags=re.MULTILINE)
    yield from (found[1] for found in lines)


def named_in(text: str) -> Iterator[str]:
    """Commands with options between backticks, which may lack what the sentence is not about."""
    yield from (found[1] for found in re.finditer(r"`(selfexec [^`\n]* --[^`\n]*)`", text) if "COMMAND" not in found[1])


def words_of(line: str) -> list[str]:
    """The words that selfexec is given: without what is said of them, and without what is the shell's."""
    words = shlex.split(re.split(r"\s{3,}| > | \| | && ", line)[0], comments=True)
    return words[1:]


def parsed(words: list[str]) -> dict[str, Any]:
    """What the command makes of them; nothing is carried out. A usage error where it would refuse them."""
    command: click.Command = root
    context = click.Context(root, info_name="selfexec")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            raise click.UsageError(f"no command {words[0]}")
        command, words = found, words[1:]
    return command.make_context(command.name, list(words), parent=context).params


SHOWN = {f"{path.name}: {line}": line for path in DOCUMENTS for line in shown_in(path.read_text("utf-8"))}
SHOWN |= {f"{name} --help: {line}": line for name in COMMANDS for line in shown_in(help_of(name))}
NAMED = {f"{path.name}: {line}": line for path in DOCUMENTS for line in named_in(path.read_text("utf-8"))}


@needs(*OURS)
@pytest.mark.parametrize(
    ("lines", "allowed", "least"), [(SHOWN, (), 100), (NAMED, (click.MissingParameter, click.BadOptionUsage), 10)]
)
def test_every_command_line_that_is_shown_is_one_that_its_command_takes(
    lines: dict[str, str], allowed: tuple[type[Exception], ...], least: int
) -> None:
    refused = {}
    for where, line in lines.items():
        try:
            parsed(words_of(line))
        except (*allowed, click.exceptions.Exit):  # Exit: --help
            pass
        except click.UsageError as fault:
            refused[where] = fault.format_message()
    assert len(lines) > least
    assert refused == {}


@pytest.mark.parametrize(
    ("options", "folders"),
    [
        ("score --model sim/coin", "panel"),
        ("score --experiment restriction --format json", "panel"),
        ("compare --model sim/coin,sim/typical", "panel"),
        ("compare --fail-if 'overall.skill drops 0.1'", "panel panel"),
        ("read --state unreadable --show", "panel"),
        pytest.param("analyze rasch --add mine.csv", "paper", marks=needs("rasch")),
    ],
)
def test_the_order_of_the_usage_line_means_what_the_other_order_does(
    monkeypatch: pytest.MonkeyPatch, options: str, folders: str
) -> None:
    monkeypatch.chdir(STORED)
    command, given = re.split(r" (?=--)", options, maxsplit=1)
    words = shlex.split(given)
    before = parsed([*command.split(), *words, *folders.split()])
    assert before == parsed([*command.split(), *folders.split(), *words])
    assert str(folders.split()[0]) in str(before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("command", ["analyze rasch paper", "analyze ledger panel", "items list", "export panel"])
@pytest.mark.slow
def test_what_is_long_keeps_to_a_terminal_of_80_columns(command: str) -> None:
    lines = left(ours_on_a_terminal(command.split(), STORED))
    assert lines[0]
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if re.search(r"\[-?\.\d[^\]]*$", line)] == []  # an interval that is broken
