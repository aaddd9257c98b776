"""The command line. Each command is a file, imported only when it is called."""

import gc
import io
import os
import sys
import warnings
from importlib import import_module
from typing import TextIO

import click

from selfexec import __version__
from selfexec.errors import InputError

# name -> (module, what it does)
COMMANDS = {
    "run": ("run", "Ask models what they will do, let them do it, and keep every reply."),
    "check": ("check", "Try a model before a run: format, tokens, refusals, memory between sessions."),
    "export": ("export", "Write the sessions to ask, for a batch API or another harness."),
    "import": ("import_", "Make a run of replies from elsewhere."),
    "list": ("list_", "Show the runs in a folder."),
    "read": ("read", "Show what each reply commits to."),
    "score": ("score", "Score a run: did the model predict what it would do?"),
    "report": ("report", "Write one HTML file with the answer, the numbers and what stands behind them."),
    "rasch": ("rasch", "Put models and benchmarks on one scale, from success rates."),
    "cross": ("cross", "Hold every model's predictions against every model's behaviour."),
    "ledger": ("ledger", "Hold each number against itself, counted in three ways."),
    "correlate": ("correlate", "Correlate scores with each other and with a table of other numbers."),
    "compare": ("compare", "Compare models on common items, and guard a release."),
    "trend": ("trend", "Follow checkpoints in their order."),
    "card": ("card", "Write the card of a run: what was measured, how, and what it does not show."),
    "serve": ("serve", "Serve the simulated models over HTTP, to try a set-up on."),
    "prompts": ("prompts", "Print the prompts, to edit them and give them back."),
    "items": ("items", "List, write, check or fetch sets of items."),
}


class Commands(click.Group):
    """Commands by name, imported late so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"selfexec.cli.{COMMANDS[cmd_name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selfexec")
def root() -> None:
    """Can a language model predict what it will do?

    It is asked what it will do: which words it would list, whether it would answer a request, which questions it
    would find hard. Then it does it, in fresh sessions, and selfexec measures whether it was right.
    """


def main() -> None:
    """Exit status: 0 all well, 2 bad input, 3 a run ended with replies missing or a gate of `compare` fails, 4 such a
    gate cannot be told, 130 stopped by hand.
    """
    gc.disable()  # one command, then the process ends: collecting a million small objects in between costs a third
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            status = root.main(standalone_mode=False)
    except InputError as fault:
        _stop(str(fault), 2)
    except click.UsageError as fault:
        path = fault.ctx.command_path if fault.ctx else "selfexec"
        message = _no_such_option(fault) if isinstance(fault, click.NoSuchOption) else fault.format_message()
        _stop(f"{message}{'' if message.endswith(('.', '?')) else '.'} See: {path} --help", 2)
    except click.ClickException as fault:
        _stop(fault.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        _stop("stopped. What was done is kept; the same command goes on from there.", 130)
    except BrokenPipeError:
        # the reader of our output has had enough; keep Python from complaining about it on exit
        sys.stderr.close()
        sys.exit(0)
    except OSError as fault:
        # what is kept is said by those who know: the journal of a run, the maker of a folder
        place = f"{fault.filename}: " if fault.filename else ""
        _stop(f"{place}{fault.strerror or fault}.", 2)
    sys.exit(status if isinstance(status, int) else 0)


def process() -> None:
    """`main` as a process of its own. What it built is left to the system: freeing a million small objects one by one
    would take longer than loading them.
    """
    status = 0
    _make_legible(sys.stdout)
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    try:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
    except BrokenPipeError:
        pass  # the reader has had enough
    except OSError as fault:
        os.write(2, f"selfexec: the output could not be written ({fault.strerror}).\n".encode())
        status = 2
    os._exit(status)


def _make_legible(output: TextIO) -> None:
    """What goes to a file or a pipe is UTF-8 on every system, unless PYTHONIOENCODING says otherwise. What the output
    has no character for is shown as a question mark.
    """
    if isinstance(output, io.TextIOWrapper):
        utf_8 = not output.isatty() and "PYTHONIOENCODING" not in os.environ
        output.reconfigure(encoding="utf-8" if utf_8 else None, errors="replace")


def _no_such_option(fault: click.NoSuchOption) -> str:
    """Which option is wrong, and those that are near it by name: two dashes make any two alike, and do not count."""
    import difflib

    names = {name.lstrip("-"): name for name in fault.possibilities or ()}
    near = difflib.get_close_matches(fault.option_name.lstrip("-"), names)
    meant = f" Did you mean {' or '.join(names[name] for name in near)}?" if near else ""
    return f"No such option {fault.option_name!r}.{meant}"


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"selfexec: warning: {' '.join(str(message).split())}", err=True)


def _stop(message: str, status: int) -> None:
    click.echo(f"selfexec: {' '.join(message.split())}", err=True)
    sys.exit(status)
