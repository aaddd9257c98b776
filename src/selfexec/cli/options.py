"""What several commands share: how options are written, and how results are shown.

An option takes one value and may be given again. Of names, several may stand in one value, with commas between them.
"""

import os
import shlex
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import cache, partial, wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TextIO, TypeVar, cast

import click
from click.core import ParameterSource

from selfexec import extension, renamed
from selfexec.cli.completion import models_of
from selfexec.errors import InputError
from selfexec.files.outputs import RESULTS, form_by_ending, tried
from selfexec.text.printable import harmless, harmless_styled

if TYPE_CHECKING:
    from selfexec.facets import Facet
    from selfexec.options import Declared

Command = TypeVar("Command", bound=Callable[..., Any])
Names = tuple[str, ...]
OTHER = "Other"
STDOUT = "-"  # what --out says for standard output
EVERY_OPTION = "selfexec.every_option"  # where a context notes that its help is to have every option
QUIET = "selfexec.quiet"  # where a context of click notes that the result alone is wanted
SILENT = 1.5  # seconds of work without a word after which it is said what is done


class PathArgument(click.Path):
    """A file or a folder; a name that is empty is refused, since it would stand for the folder that one is in."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the name is empty. Is a variable not set?", param, ctx)
        return super().convert(value, param, ctx)


class Stopped(click.Abort):
    """Stopped by hand, where it is known what was kept."""


# --- names -----------------------------------------------------------------------------------------------------------


def separate_names(ctx: click.Context, option: click.Parameter, given: Names) -> Names:
    """One name for each that was given; a model of the run, or of the study, may have a comma in its name."""
    if not any("," in name or not name.strip() for name in given):
        return tuple(dict.fromkeys(given))
    known = _models_meant(ctx) if option.name == "models" else []
    found = [part.strip() for name in given for part in ([name] if name in known else name.split(","))]
    if "" in found:
        raise InputError(f"{option.opts[0]} {','.join(given)!r}: a name in it is empty. Write it like a,b.")
    return tuple(dict.fromkeys(found))


def _models_meant(ctx: click.Context) -> list[str]:
    """The models of the runs, or of the study file, that the command names: what it has of these is read first."""
    named = [path for path in map(ctx.params.get, ("source", "run")) if isinstance(path, Path)]
    found = models_of([*(ctx.params.get("runs") or ()), *named])
    if config := ctx.params.get("config"):
        from selfexec.runs.toml import read_study

        with suppress(InputError):  # which the command says
            found += read_study(config).models
    return found


# --- runs ------------------------------------------------------------------------------------------------------------


def runs_argument(command: Callable[..., None]) -> Callable[..., None]:
    """RUNS, the folders of runs. What stands there and is none gets the way out before anything is loaded."""

    @wraps(command)
    def with_runs(**given: Any) -> None:
        _refuse_strays(**given)
        command(**given)

    # eager, so that names can be distinguished from lists of names by the models of the runs
    argument = click.argument("runs", nargs=-1, is_eager=True, type=PathArgument())
    return argument(with_runs)


def _refuse_strays(runs: tuple[Path, ...], **given: Any) -> None:
    if not runs:
        path = click.get_current_context().command_path
        raise InputError(f"which run? Give its folder to `{path}`")
    for run in runs:
        if not run.is_dir() and (way_out := _way_out(run, runs, given)):
            raise InputError(f"{str(run)!r} is not a run's folder. {way_out}")


def _way_out(stray: Path, runs: Sequence[Path], given: dict[str, Any]) -> str | None:
    """What may have been meant by an argument that is no folder, by the options beside it."""
    from selfexec.experiments import EXPERIMENTS

    name = str(stray)
    models, experiments, metrics = (tuple(given.get(what) or ()) for what in ("models", "experiments", "metrics"))
    if name in models_of(runs):
        return f"Is it a model? {repeated('--model', [*models, name])}"
    if experiments and name in (*EXPERIMENTS, "overall"):
        return f"Is it an experiment? {repeated('--experiment', [*experiments, name])}"
    if metrics and not stray.exists():
        return repeated("--metric", [*metrics, name])
    if given.get("fail_if") and " " in name:
        return f"Is it a gate? Repeat the option for each: --fail-if '{given['fail_if'][-1]}' --fail-if '{name}'"
    if stray.is_file():
        if readings := given.get("readings"):
            return f"It is a file. Repeat the option for each: --readings {readings[-1]} --readings {name}"
        return "It is a file. Give the folder of a run; give a file of readings with --readings."
    if models:
        return f"An option takes one value. {repeated('--model', [*models, name])}"
    return None  # a path that is not there: the loading of runs says so


def repeated(option: str, names: Sequence[str]) -> str:
    """How to give several names."""
    shown = list(map(shlex.quote, names))[-2:]
    apart = " ".join(f"{option} {name}" for name in shown)
    return f"Repeat the option, or write a,b: {apart}, or {option} {','.join(shown)}"


# --- options with a help of their own --------------------------------------------------------------------------------


class DeclaredOption(click.Option):
    """An option as a field of a class declares it, which says under which heading the help of its command has it."""

    def __init__(self, *args: Any, declared: "Declared", section: str, **others: Any) -> None:
        super().__init__(*args, **others)
        self.declared = declared
        self.section = section


class PresetOption(DeclaredOption):
    """Its help says what a preset takes of each experiment that there is, which is looked up when it is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from selfexec.experiments import EXPERIMENTS

        sizes = ", ".join(f"{one.quick} {name}" for name, one in EXPERIMENTS.items() if not one.recorded)
        self.help = f"A subset with each kind of item in proportion. quick: {sizes}. standard: 45% of the items."
        return super().get_help_record(ctx)


class FacetsOption(DeclaredOption):
    """Its help names the facets that there are; where there are none, it has no line in the help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from selfexec.facets import FACETS

        if not FACETS:
            return None
        self.help = (
            f"Also ask in this condition: a facet at one of its levels. Repeatable. Facets: {', '.join(FACETS)}."
        )
        return super().get_help_record(ctx)


def levels_of(ctx: click.Context, option: click.Parameter, given: Names) -> dict[str, list[str]]:
    """Facet -> levels, of NAME=LEVEL; several levels may stand in one, with commas between them."""
    found: dict[str, list[str]] = {}
    for text in given:
        facet, equals, levels = text.partition("=")
        if not (facet and equals and levels):
            raise InputError(f"--facet {text}: write it as NAME=LEVEL.")
        found.setdefault(facet, []).extend(levels.split(","))
    return found


class LevelsOption(click.Option):
    """--frame LEVEL, short for --facet frame=LEVEL; in a help it stands beside that."""

    beside = "facets"

    def __init__(self, facet: "Facet") -> None:
        self.facet = facet.name
        super().__init__(
            [f"--{facet.name}", f"facet_{facet.name.replace('-', '_')}"],
            multiple=True,
            metavar="LEVEL",
            help=f"{facet.about or 'Ask in these conditions, too'}: {', '.join(facet.written)}. Repeatable.",
        )


class Faceted(click.Command):
    """A command that takes --facet: it has a short form for each facet, except where the name is taken."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from selfexec.facets import FACETS

        params = super().get_params(ctx)
        taken = frozenset(name for param in params for name in param.opts)
        return [*params, *short_forms(tuple(FACETS.values()), taken)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What the short forms say is said of `facets`, as the long one says it."""
        left = super().parse_args(ctx, args)
        for option in self.get_params(ctx):
            if isinstance(option, LevelsOption) and (given := ctx.params.pop(str(option.name), None)):
                ctx.params["facets"].setdefault(option.facet, []).extend(",".join(given).split(","))
                ctx.set_parameter_source("facets", ParameterSource.COMMANDLINE)
        return left


@cache
def short_forms(facets: tuple["Facet", ...], taken: frozenset[str]) -> list[LevelsOption]:
    """An option for each of these facets whose name can be one, and is not `taken`; made once, and not at each look."""
    return [
        LevelsOption(facet)
        for facet in facets
        if f"--{facet.name}" not in taken and facet.name.replace("-", "_").isidentifier()
    ]


# --- how it was typed -------------------------------------------------------------------------------------------------


def typed(name: str) -> str:
    """The command as it was typed, and as it may be written down, without its arguments."""
    from selfexec.runs import command_line

    context = click.get_current_context()
    given = (
        (str(option.name), max(option.opts, key=len), _as_typed(context.params[str(option.name)]))
        for option in context.command.params
        if isinstance(option, click.Option)
        if context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
    )
    return command_line(["selfexec", name], given)


def _as_typed(value: Any) -> Any:
    """Levels by facet as --facet has them; whatever else as it is."""
    return [f"{facet}={','.join(levels)}" for facet, levels in value.items()] if isinstance(value, dict) else value


# --- what is shown ---------------------------------------------------------------------------------------------------


def form_of(form: str | None, out: Path | None, forms: Sequence[str]) -> tuple[str, Path | None]:
    """The form of a result, and the file to write it to; None: standard output.

    Args:
        form: What --format says, if anything.
        out: What --out says, if anything.
        forms: Those that the command has; the first is the one for the terminal.

    Raises:
        InputError: The name of the file ends in no form that the command has, or nothing can be written there.
    """
    if out is None or str(out) == STDOUT:
        return form or forms[0], None
    return form or form_by_ending(out, {end: one for end, one in RESULTS.items() if one in forms}), tried(out)


def page_place(out: Path, endings: Mapping[str, str]) -> Path | None:
    """Where a page of one form is to be written; None: standard output. InputError as in `form_of`."""
    if str(out) == STDOUT:
        return None
    form_by_ending(out, endings)
    return tried(out)


class Printable(Protocol):
    """A result that can be shown: `json`, `csv`, `markdown` and `parquet` are its other forms, where it has them."""

    def table(self, width: int, *, styled: bool = False) -> str: ...


def show(found: Printable, form: str, out: Path | None) -> None:
    """The result in this form, on the terminal or in a file."""
    from selfexec.text.tables import WIDTH

    if form == "table" and out is None:
        say_table(found)
        return
    if form == "parquet" and out is None and sys.stdout.isatty():
        raise InputError("parquet: it is binary, and not for a terminal. Write it to a file: -o NAME.parquet")
    content = found.table(WIDTH) if form == "table" else getattr(found, form)()
    if out is not None:
        write(out, content)
    elif isinstance(content, bytes):
        click.echo(content, nl=False)
    else:
        put_data(content.encode(errors="backslashreplace") + b"\n")


def say_table(found: Printable) -> None:
    """A table as wide as the terminal, with bold and dim parts where it shows them."""
    from selfexec.text.tables import shows_styles, terminal_width

    styled = shows_styles()
    say(found.table(terminal_width(), styled=styled), styled=styled, result=True)


def write(out: Path, content: str | bytes) -> None:
    from selfexec.files.outputs import write_bytes, write_page

    if isinstance(content, bytes):
        write_bytes(out, content)
    else:
        write_page(out, content if content.endswith("\n") else f"{content}\n")
    say(f"{out}: written.")


def keep_quiet() -> None:
    """From here on the command prints its result alone."""
    click.get_current_context().meta[QUIET] = True


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def say(text: str = "", err: bool = False, styled: bool = False, result: bool = False) -> None:
    """Print lines for people: the one place through which they go, so that nothing in them does anything to a terminal.

    Where the reader of a pipe has had enough (`| head`), they go nowhere from then on, and the command does its work
    all the same: what it asks and writes does not depend on who reads along.

    Args:
        text: The lines. On a terminal they are wrapped at words, elsewhere left alone.
        err: To standard error.
        styled: Control sequences of styles stay; all others are written out in any case.
        result: It is what the command is for, and said with --quiet as well.
    """
    if is_quiet() and not (err or result):
        return
    text = harmless_styled(text) if styled else harmless(text)
    if (sys.stderr if err else sys.stdout).isatty():
        import shutil

        from selfexec.text.tables import fitted

        text = fitted(text, shutil.get_terminal_size().columns)
    try:
        _echo(text, sys.stderr if err else sys.stdout, styled)
    except BrokenPipeError:
        _discard(sys.stderr if err else sys.stdout)


def _echo(text: str, stream: TextIO, styled: bool, end: str = "\n") -> None:
    """Write to a stream as it is: where none is named, click writes UTF-8 to one that takes ASCII alone."""
    click.echo(f"{text}{end}", file=stream, nl=False, color=styled or None)


def _discard(stream: TextIO) -> None:
    """Have whatever goes to a stream from now on, and what it still holds, go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def put_data(content: bytes, *, styled: bool = False, for_people: bool = False) -> None:
    """Print data for programs: as it is where a program reads it, and harmless on a terminal.

    Args:
        content: In UTF-8.
        styled: Control sequences of styles stay; all others are written out on a terminal.
        for_people: It is text, in which plain signs may stand for those that the output does not have. Data is UTF-8
            whatever the output is, since JSON and HTML are.
    """
    sys.stdout.flush()
    text = content.decode(errors="backslashreplace")
    if sys.stdout.isatty():
        _echo(harmless_styled(text) if styled else harmless(text), sys.stdout, styled, end="")
    elif for_people:
        _echo(text, sys.stdout, styled, end="")
    else:
        click.echo(content, nl=False)


@contextmanager
def said_if_slow(what: str) -> Iterator[None]:
    """Says what is done as long as the context lasts, where that takes more than a moment."""
    if is_quiet():
        yield
        return
    timer = threading.Timer(SILENT, partial(say, what, err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# --- help ------------------------------------------------------------------------------------------------------------


class Sections(click.Command):
    """A command whose help has its options under headings.

    Args:
        sections: The headings, in their order, with the options in Python's names that no option says itself.
        renamed: Headings that are called otherwise in this command.
        first: Heading -> options, by their names in Python, of a command that has too many for one screen: its --help
            has these alone, and --help-all every one.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Sequence[str]],
        renamed: Mapping[str, str] = MappingProxyType({}),
        first: Mapping[str, Sequence[str]] = MappingProxyType({}),
        **others: Any,
    ) -> None:
        super().__init__(*args, **others)
        self.sections = sections
        self.renamed = renamed
        self.first = first

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.first and not ctx.meta.get(EVERY_OPTION):
            self._format_first(ctx, formatter)
            return
        records: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*self.sections, OTHER)}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                records[self._heading(option)].append(record)
        for heading, rows in records.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def _format_first(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options that most need, and how many more there are."""
        options = {str(option.name): option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        shown = 0
        for heading, names in self.first.items():
            there = [options[name] for name in names if name in options]  # some are those of extensions
            records = [record for option in there if (record := option.get_help_record(ctx))]
            shown += len(records)
            with formatter.section(heading):
                formatter.write_dl(records)
        more = sum(not option.hidden for option in options.values()) - shown - len(ctx.help_option_names[:1])
        formatter.write_paragraph()
        formatter.write_text(f"{more} more options: {ctx.command_path} --help-all")

    def _heading(self, option: click.Option) -> str:
        name = getattr(option, "beside", str(option.name))
        told = [heading for heading, names in self.sections.items() if name in names]
        said = getattr(next((o for o in self.params if o.name == name), option), "section", None) or OTHER
        heading = told[0] if told else self.renamed.get(said, said)
        return heading if heading in self.sections else OTHER


class FacetedSections(Faceted, Sections):
    """With short forms for facets, and with headings."""


def show_every_option(ctx: click.Context, option: click.Parameter, given: bool) -> None:
    """Print the help of a command with all its options, and end."""
    if given and not ctx.resilient_parsing:
        ctx.meta[EVERY_OPTION] = True
        click.echo(ctx.get_help())
        ctx.exit()


class CommandGroup(click.Group):
    """A group that says which command may have been meant, and what one that was renamed is called now."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            if new_name := renamed.COMMANDS.get(" ".join([*ctx.command_path.split()[1:], name])):
                raise InputError(f"`selfexec {name}` is `selfexec {new_name}` now.")
            ctx.fail(f"No such command {name!r}.{nearest(name, self.list_commands(ctx))}")
        found, command, rest = super().resolve_command(ctx, args)
        if command is not None and not ctx.resilient_parsing:
            _refuse_second_values(command, click.Context(command, ctx, found, **command.context_settings), rest)
        return found, command, rest


class LateCommands(CommandGroup):
    """Commands by name, each imported only when it is called, so that help is quick.

    Args:
        core: The commands of the core.
        point: At which point of registration extensions add further ones.
    """

    def __init__(self, *args: Any, core: Mapping[str, extension.Command], point: str, **others: Any) -> None:
        super().__init__(*args, **others)
        self._core, self._point = core, point

    @property
    def commands_by_name(self) -> Mapping[str, extension.Command]:
        return {**self._core, **extension.registered(self._point)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = self._core.get(cmd_name) or self.commands_by_name.get(cmd_name)
        return command and cast(click.Command, extension.resolve(command.place))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.about) for name, command in self.commands_by_name.items()])


def _refuse_second_values(command: click.Command, context: click.Context, args: Sequence[str]) -> None:
    """Raise InputError where an option that takes one value is given two different ones: click takes the last."""
    single = [one for one in command.get_params(context) if isinstance(one, click.Option) and not one.multiple]
    several = [copy(one) for one in command.get_params(context)]
    for option in several:
        if isinstance(option, click.Option) and not option.count:
            option.multiple = True  # so that the parser keeps each value
    parser = click.Command(command.name, params=several, add_help_option=False).make_parser(context)
    with suppress(click.UsageError):  # which the command itself raises
        given = parser.parse_args(list(args))[0]
        for option in single:
            values = list(map(str, dict.fromkeys(given.get(str(option.name)) or ())))
            if len(values) > 1:
                name = max(option.opts, key=len)
                shown = " and as ".join(map(shlex.quote, values[:2]))
                raise InputError(f"{name}: given twice, as {shown}. Give one of them.")


def nearest(name: str, known: Iterable[str]) -> str:
    """' Did you mean run?', where something is near by name: leading dashes make any two alike, and do not count."""
    import difflib

    names = {one.lstrip("-"): one for one in known}
    near = difflib.get_close_matches(name.lstrip("-"), names)
    return f" Did you mean {' or '.join(names[one] for one in near)}?" if near else ""
