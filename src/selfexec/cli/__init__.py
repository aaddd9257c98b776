"""The command line. Each command is a file, imported only when it is called."""

import codecs
import errno
import gc
import io
import os
import re
import sys
import warnings
from typing import TextIO

import click

from selfexec.cli.options import LateCommands, is_quiet, nearest, say
from selfexec.errors import InputError, Notice, SeveralFaults
from selfexec.extension import Command
from selfexec.renamed import OPTIONS, REMOVED
from selfexec.text.numbers import joined
from selfexec.text.printable import harmless_line, in_ascii
from selfexec.version import __version__

FIRST, DATA, MEANING = "First steps", "Data and tools", "Terms and analyses"
COMMANDS = {
    "init": Command("selfexec.cli.init:command", "Create an example study to edit; it runs offline as it is.", FIRST),
    "run": Command(
        "selfexec.cli.run:command", "Ask models what they will do, have them do it, keep every reply.", FIRST
    ),
    "check": Command(
        "selfexec.cli.check:command", "Test a model: format, tokens, refusals, memory between sessions.", FIRST
    ),
    "score": Command("selfexec.cli.score:command", "Score a run: did the model predict what it would do?", FIRST),
    "report": Command(
        "selfexec.cli.report:command", "Write a page with the results, the numbers and the evidence.", FIRST
    ),
    "view": Command("selfexec.cli.view:command", "Open the same page in the browser.", FIRST),
    "read": Command("selfexec.cli.read:command", "Show the replies and how each one was read.", FIRST),
    "compare": Command(
        "selfexec.cli.compare:command", "Compare models on the items they share; can gate a release.", FIRST
    ),
    "list": Command("selfexec.cli.list_:command", "Show the runs in a folder.", FIRST),
    "import": Command("selfexec.cli.import_:command", "Create a run from replies collected elsewhere.", DATA),
    "export": Command(
        "selfexec.cli.export:command", "Write the prompts to send, for a batch API or another harness.", DATA
    ),
    "items": Command("selfexec.cli.items:command", "List, create, check or fetch item sets.", DATA),
    "prompts": Command("selfexec.cli.prompts:command", "Print the prompts, to edit and pass to run --prompts.", DATA),
    "serve": Command("selfexec.cli.serve:command", "Serve the simulated models over HTTP, for testing a set-up.", DATA),
    "explain": Command("selfexec.cli.explain:command", "Explain a term, a verdict or a number.", MEANING),
    "analyze": Command("selfexec.cli.analyze:command", "Run further analyses of the same replies.", MEANING),
}


class Commands(LateCommands):
    """The commands, under headings."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, commands in self._under_headings().items():
            with formatter.section(heading):
                formatter.write_dl([(name, command.about) for name, command in commands.items()])

    def _under_headings(self) -> dict[str, dict[str, Command]]:
        """By heading the commands that the help lists; `run --help-all` names the others."""
        by_heading: dict[str, dict[str, Command]] = {FIRST: {}, DATA: {}, MEANING: {}}
        for name, command in self.commands_by_name.items():
            if command.heading is not None:
                by_heading.setdefault(command.heading, {})[name] = command
        return by_heading

    def in_brief(self) -> str:
        """What `selfexec` alone prints: what it is for, and the commands by their names."""
        names = [(heading, ", ".join(commands)) for heading, commands in self._under_headings().items()]
        formatter = click.HelpFormatter(width=80)
        formatter.write_text(str(self.help).partition("\n")[0])
        formatter.write_paragraph()
        formatter.write_dl(names)
        formatter.write_paragraph()
        formatter.write_dl(
            [
                ("selfexec run", "try it offline, with simulated models"),
                ("selfexec --help", "what each command does"),
                ("selfexec COMMAND --help", "options and examples of one command"),
            ]
        )
        return formatter.getvalue().rstrip("\n")


@click.group(
    cls=Commands,
    core=COMMANDS,
    point="commands",
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="selfexec")
@click.pass_context
def root(context: click.Context) -> None:
    """Can a language model predict what it will do?

    The model is asked what it will do: which words it will list, whether it will answer a request, which questions it
    will find hard. It then does these things in fresh sessions, and selfexec measures whether its predictions were
    right.

    \b
    selfexec run                         try it offline, with simulated models
    selfexec check openai/gpt-6-luna     does this model work with selfexec?
    selfexec run --model openai/gpt-6-luna --items paper --preset quick --dry-run
    selfexec view runs/NAME              the results of a run on one page

    Options may come before or after arguments. To give an option several values, repeat it.
    """
    if context.invoked_subcommand is None:
        click.echo(root.in_brief())


WAYS_OUT = {  # of what is wrong with a path, by its number
    errno.ENAMETOOLONG: " Give a shorter path.",
    errno.EISDIR: " Give a file.",
    errno.ENOTDIR: " Give a folder.",
}


def main() -> None:
    """Exit status: 0 all well, 2 bad input, 3 a run ended with replies missing, or `judge` with replies not judged, a
    model is not ready (`check`) or a gate of `compare` fails, 4 such a gate cannot tell, 130 stopped by hand.
    """
    gc.disable()  # one command, then the process ends: collecting a million small objects in between costs a third
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            status = root.main(prog_name="selfexec", standalone_mode=False)
    except InputError as fault:
        _stop(*(fault.typed.splitlines() if isinstance(fault, SeveralFaults) else [fault.typed]), status=2)
    except click.UsageError as fault:
        path = fault.ctx.command_path if fault.ctx else "selfexec"
        message = _with_way_out(fault)
        _stop(f"{message}{'' if message.endswith(('.', '?')) else '.'} See: {path} --help", status=2)
    except click.ClickException as fault:
        _stop(fault.format_message(), status=2)
    except (click.Abort, KeyboardInterrupt) as stop:
        _stop(str(stop) or "stopped.", status=130)
    except SystemExit as end:
        # click's own, where the reader of our output has had enough; no command ends with 1
        sys.exit(0 if end.code == 1 else end.code)
    except BrokenPipeError:
        # the reader of our output has had enough; keep Python from complaining about it on exit
        sys.stderr.close()
        sys.exit(0)
    except OSError as fault:
        # what is kept is said by those who know: the journal of a run, the maker of a folder
        place = f"{fault.filename}: " if fault.filename else ""
        _stop(f"{place}{fault.strerror or fault}.{WAYS_OUT.get(fault.errno or 0, '')}", status=2)
    sys.exit(status if isinstance(status, int) else 0)


def process() -> None:
    """`main` as a process of its own. What it built is left to the system: freeing a million small objects one by one
    would take longer than loading them.
    """
    status = 0
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        make_printable(stream)
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


def _open_closed_streams() -> None:
    """Standard streams that were closed (`>&-`) lead nowhere: as with a pipe that nobody reads, that is no fault. No
    other file may come to their numbers, to which messages are written.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def make_printable(output: TextIO) -> None:
    """What goes to a file or a pipe is UTF-8 on every system, unless PYTHONIOENCODING says otherwise. Characters that
    the output does not have are written with those that it has.
    """
    if isinstance(output, io.TextIOWrapper):
        codecs.register_error(IN_ASCII, _write_in_ascii)
        utf_8 = not output.isatty() and "PYTHONIOENCODING" not in os.environ
        output.reconfigure(encoding="utf-8" if utf_8 else None, errors=IN_ASCII)


IN_ASCII = "selfexec.in_ascii"  # what Python calls an error handler by


def _write_in_ascii(fault: UnicodeError) -> tuple[str, int]:
    """What is written in place of characters that an output does not have, and where writing goes on."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    return in_ascii(fault.object[fault.start : fault.end]), fault.end


# what click says of values, and how a person would put it
PLAINLY = {
    "a valid integer range": "a whole number",
    "a valid integer": "a whole number",
    "a valid float range": "a number",
    "a valid float": "a number",
}


def _with_way_out(fault: click.UsageError) -> str:
    """What is wrong with the command as it was typed, and what may have been meant."""
    if isinstance(fault, click.NoSuchOption):
        if fault.option_name in OPTIONS:
            return f"{fault.option_name} is called {OPTIONS[fault.option_name]} now."
        if reason := REMOVED.get(f"{fault.ctx.info_name if fault.ctx else ''} {fault.option_name}"):
            return f"{fault.option_name} is gone: {reason}."
        others = _commands_with(fault.option_name, fault.ctx)
        near = nearest(fault.option_name, fault.possibilities or ())
        return f"No such option {fault.option_name!r}.{others or near}"
    message = fault.format_message()
    for said, plainly in PLAINLY.items():
        message = message.replace(said, plainly)
    if message.startswith("Got unexpected extra argument"):
        several = (
            [param.opts[0] for param in fault.ctx.command.get_params(fault.ctx) if param.multiple] if fault.ctx else []
        )
        repeat = f" An option takes one value: repeat {' or '.join(several)} for each." if several else ""
        return f"{message}.{repeat}"
    return message


def _commands_with(option: str, context: click.Context | None) -> str:
    """' It is an option of score, report and view.', where other commands have an option of that very name."""
    here = context.find_root() if context else click.Context(root)
    named = {name: command for name in COMMANDS if (command := root.get_command(here, name)) is not None}
    names = [name for name, command in named.items() if any(option in param.opts for param in command.params)]
    if not names:
        return ""
    most = 3  # are named
    shown = joined(names) if len(names) <= most + 1 else f"{', '.join(names[:most])} and {len(names) - most} more"
    return f" It is an option of {shown}."


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    if isinstance(message, Notice) and is_quiet():
        return
    kind = "" if isinstance(message, Notice) else "warning: "
    say(f"selfexec: {kind}{_in_a_line(str(message))}", err=True)


def _stop(*lines: str, status: int) -> None:
    message = "\n".join(map(_in_a_line, lines))
    say(f"selfexec: {message}", err=True)
    sys.exit(status)


def _in_a_line(message: str) -> str:
    """A message that does nothing to a terminal; of a word that fills the screen its beginning."""
    return re.sub(r"(\w{100})\w{200,}", r"\1…", harmless_line(message))
