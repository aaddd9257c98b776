"""What several commands share: their options, spelt alike in all of them, and how results are shown.

An option takes one value and may be given again. Of names, several may stand in one value, with commas between them.
"""

import shlex
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click
from click.core import ParameterSource

from selfexec.cli.completion import complete_experiments, complete_items, complete_models, models_of
from selfexec.errors import InputError
from selfexec.text.numbers import number_of

if TYPE_CHECKING:
    from selfexec.facets import Facet

Command = TypeVar("Command", bound=Callable[..., Any])
Names = tuple[str, ...]
SILENT = 1.5  # seconds of work without a word after which it is said what is done


class Place(click.Path):
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


def names_option(
    option: str, name: str, help: str, shell_complete: Any = None, metavar: str | None = None
) -> Callable[[Command], Command]:
    """An option that names things: it may be given again, or hold several with commas between them."""
    return click.option(
        option,
        name,
        multiple=True,
        callback=_apart,
        help=help,
        shell_complete=shell_complete,
        metavar=metavar or "NAME[,NAME]",
    )


def models_option(help: str = "Only these models.") -> Callable[[Command], Command]:
    return names_option("--model", "models", help, complete_models)


def experiments_option(
    help: str = "Only these experiments, or overall, where there is one.",
) -> Callable[[Command], Command]:
    return names_option("--experiment", "experiments", help, complete_experiments)


def metrics_option(help: str) -> Callable[[Command], Command]:
    return names_option("--metric", "metrics", help, metavar="[skill|accuracy|baseline_margin|coverage|own_excess]")


def _apart(ctx: click.Context, option: click.Parameter, given: Names) -> Names:
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
        from selfexec.runs.study import load_study

        with suppress(InputError):  # which the command says
            found += load_study(config).models
    return found


# --- runs ------------------------------------------------------------------------------------------------------------


def runs_argument(command: Callable[..., None]) -> Callable[..., None]:
    """RUNS, the folders of runs. What stands there and is none gets the way out before anything is loaded."""

    @wraps(command)
    def with_runs(**given: Any) -> None:
        _refuse_strays(**given)
        command(**given)

    # eager, so that names can be told from lists of names by the models of the runs
    argument = click.argument("runs", nargs=-1, is_eager=True, type=Place())
    return argument(with_runs)


def _refuse_strays(runs: tuple[Path, ...], **given: Any) -> None:
    if not runs:
        path = click.get_current_context().command_path
        raise InputError(f"which run? Give its folder: {path} RUN")
    for run in runs:
        if not run.is_dir() and (way_out := _way_out(run, runs, given)):
            raise InputError(f"{str(run)!r} is no folder of a run. {way_out}")


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
        return "It is a file. Give the folder of a run; a file of readings goes behind --readings."
    if models:
        return f"An option takes one value. {repeated('--model', [*models, name])}"
    return None  # a path that is not there: whoever loads runs says so


def repeated(option: str, names: Sequence[str]) -> str:
    """How to give several names."""
    shown = list(map(shlex.quote, names))[-2:]
    apart = " ".join(f"{option} {name}" for name in shown)
    return f"Repeat the option, or write a,b: {apart}, or {option} {','.join(shown)}"


# --- items, readings, conventions ------------------------------------------------------------------------------------

items_option = click.option(
    "--items",
    default="starter",
    show_default=True,
    metavar="SET|FOLDER",
    shell_complete=complete_items,
    help="A set of items (starter, paper) or a folder.",
)


class PresetOption(click.Option):
    """Its help says what a preset takes of each experiment that there is, of which nobody knows before it is asked."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from selfexec.experiments import EXPERIMENTS

        sizes = ", ".join(number_of(one.quick, one.item_name) for one in EXPERIMENTS.values() if not one.recording)
        self.help = f"A cut with its strata in proportion: quick is {sizes}; standard 45% of all."
        return super().get_help_record(ctx)


CUT = (
    click.option("--preset", cls=PresetOption, type=click.Choice(["quick", "standard", "full"])),
    click.option("--limit", type=int, metavar="N", help="At most so many items per experiment."),
    click.option("--fraction", type=float, metavar="X", help="This share of the items."),
)


def cut_options(command: Command) -> Command:
    """--preset, --limit and --fraction."""
    for option in reversed(CUT):
        command = option(command)
    return command


class FacetsOption(click.Option):
    """Its help names the facets that there are; where there are none, it says nothing of itself."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from selfexec.facets import FACETS

        if not FACETS:
            return None
        self.help = f"Ask in this condition, too. Repeat for more levels. There are {', '.join(FACETS)}."
        return super().get_help_record(ctx)


def _levels(ctx: click.Context, option: click.Parameter, given: Names) -> dict[str, list[str]]:
    """Facet -> levels, of NAME=LEVEL; several levels may stand in one, with commas between them."""
    found: dict[str, list[str]] = {}
    for text in given:
        facet, equals, levels = text.partition("=")
        if not (facet and equals and levels):
            raise InputError(f"--facet {text}: write it as NAME=LEVEL.")
        found.setdefault(facet, []).extend(levels.split(","))
    return found


facets_option = click.option(
    "--facet", "facets", cls=FacetsOption, multiple=True, metavar="NAME=LEVEL", callback=_levels
)


class LevelsOption(click.Option):
    """--frame LEVEL, short for --facet frame=LEVEL; in a help it stands beside that."""

    beside = "facets"

    def __init__(self, facet: "Facet") -> None:
        self.facet = facet.name
        super().__init__(
            [f"--{facet.name}", f"facet_{facet.name.replace('-', '_')}"],
            multiple=True,
            metavar="LEVEL",
            help=f"{facet.about or 'Ask in these conditions, too'}: {', '.join(facet.written)}. Repeat.",
        )


class Faceted(click.Command):
    """A command that takes --facet: it has a short form for each facet, but for those of which the name is taken."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from selfexec.facets import FACETS

        params = super().get_params(ctx)
        taken = {name for param in params for name in param.opts}
        return [*params, *(LevelsOption(facet) for name, facet in FACETS.items() if _is_free(name, taken))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What the short forms say is said of `facets`, as the long one says it."""
        left = super().parse_args(ctx, args)
        for option in self.get_params(ctx):
            if isinstance(option, LevelsOption) and (given := ctx.params.pop(str(option.name), None)):
                ctx.params["facets"].setdefault(option.facet, []).extend(",".join(given).split(","))
                ctx.set_parameter_source("facets", ParameterSource.COMMANDLINE)
        return left


def _is_free(name: str, taken: Collection[str]) -> bool:
    """Whether a facet of this name can have an option of its own."""
    return f"--{name}" not in taken and name.replace("-", "_").isidentifier()


readings_option = click.option(
    "--readings",
    multiple=True,
    metavar="FILE|FOLDER",
    type=Place(),
    help="Readings that replace ours: a file, or a folder of *.jsonl. Repeat.",
)

condition_option = click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="Only as asked in this condition: default, or like facet=level. Repeat.",
)

source_option = click.option(
    "--source",
    metavar="self|rule|visible|majority|human|judge:NAME",
    help="Who says what was done, in the experiments of which it says anything; judgements.jsonl in RUN has the last "
    "three. visible: without tokens of thoughts.",
)

panel_option = click.option(
    "--panel",
    metavar="paper|FILE|none",
    help="A reference panel, whose models tell what others say and do: the paper's ten, or a file of export --to "
    "panel.  [default: paper, where a run asked the paper's items of too few models]",
)

groups_option = click.option(
    "--groups",
    metavar="FILE",
    type=Place(),
    help="A CSV or JSON file of families: model,family. Models of one family are siblings; without it names tell.",
)

CONVENTIONS = {
    "strict": "an unreadable claim is a wrong prediction.",
    "readable": "unreadable claims are left out.",
    "authors": "as the paper's published numbers were counted.",
}


def convention_option(*names: str) -> Callable[[Command], Command]:
    return click.option(
        "--convention",
        type=click.Choice(names),
        default="strict",
        show_default=True,
        help=" ".join(f"{name}: {CONVENTIONS[name]}" for name in names),
    )


# --- what is analysed ------------------------------------------------------------------------------------------------


def selection_options(
    *conventions: str,
    models: str | None = "Only these models.",
    experiments: str | None = "Only these experiments, or overall, where there is one.",
    argument: Callable[[Any], Any] = runs_argument,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What the commands about runs have in common: RUNS (or another `argument`), --readings, --convention where there
    is a choice of `conventions`, --model and --experiment where there is help for them. The command is handed it all
    as one `selection`, and so it is whatever else of that stands among its options.
    """
    options: list[Callable[[Any], Any]] = [argument]
    options += [models_option(models)] if models else []
    options += [experiments_option(experiments)] if experiments else []
    options += [convention_option(*conventions)] if conventions else []

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_selection(**given: Any) -> None:
            from selfexec.analysis.selection import Selection

            chosen = {field.name: given.pop(field.name) for field in fields(Selection) if field.name in given}
            command(selection=Selection.of(given.pop("runs"), **chosen), **given)

        decorated = condition_option(readings_option(with_selection))
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


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


def out_option(
    help: str = "A file to write to, instead of the terminal.", required: bool = False
) -> Callable[[Command], Command]:
    return click.option("-o", "--out", metavar="PATH", type=Place(), help=help, required=required)


def printed(*forms: str) -> Callable[[Command], Command]:
    """--format and --out, of a command whose result has these forms beside the table."""

    def decorate(command: Command) -> Command:
        choice = click.option(
            "--format", "form", type=click.Choice(["table", *forms]), default="table", show_default=True
        )
        return choice(out_option()(command))

    return decorate


class Printable(Protocol):
    """A result that can be shown: `json`, `csv` and `markdown` are its other forms, as far as it has them."""

    def table(self, width: int, *, styled: bool = False) -> str: ...


def show(found: Printable, form: str, out: Path | None) -> None:
    """The result in this form, on the terminal or in a file."""
    from selfexec.text.tables import WIDTH

    if form == "table" and out is None:
        say_table(found)
        return
    text = found.table(WIDTH) if form == "table" else getattr(found, form)()
    if out is None:
        click.echo(text)
    else:
        write(out, text)


def say_table(found: Printable) -> None:
    """A table as wide as the terminal, with bold and dim parts where it shows them."""
    from selfexec.text.tables import shows_styles, terminal_width

    styled = shows_styles()
    say(found.table(terminal_width(), styled=styled), styled=styled)


def write(out: Path, text: str) -> None:
    from selfexec.files.outputs import write_page

    write_page(out, text if text.endswith("\n") else f"{text}\n")
    click.echo(f"{out}: written.")


def say(text: str = "", err: bool = False, styled: bool = False) -> None:
    """Lines that are wrapped at words on a terminal, and left alone elsewhere. `styled`: control sequences stay."""
    if (sys.stderr if err else sys.stdout).isatty():
        import shutil

        from selfexec.text.tables import fitted

        text = fitted(text, shutil.get_terminal_size().columns)
    click.echo(text, err=err, color=styled or None)


@contextmanager
def said_if_slow(what: str) -> Iterator[None]:
    """Says what is done as long as the context lasts, where that takes more than a moment."""
    timer = threading.Timer(SILENT, partial(say, what, err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# --- help ------------------------------------------------------------------------------------------------------------


class Sections(click.Command):
    """A command whose help has its options under headings: heading -> names in Python; what is under none, last."""

    def __init__(self, *args: Any, sections: dict[str, Sequence[str]], **others: Any) -> None:
        super().__init__(*args, **others)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        left: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
                left.setdefault(getattr(option, "beside", str(option.name)), []).append(record)
        for heading, names in self.sections.items():
            if records := [record for name in names for record in left.pop(name, ())]:
                with formatter.section(heading):
                    formatter.write_dl(records)
        with formatter.section("Other"):
            formatter.write_dl([record for records in left.values() for record in records])


class FacetedSections(Faceted, Sections):
    """With short forms for facets, and with headings."""


class Group(click.Group):
    """A group that says which command may have been meant."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            ctx.fail(f"No such command {name!r}.{nearest(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def nearest(name: str, known: Iterable[str]) -> str:
    """' Did you mean run?', where something is near by name: leading dashes make any two alike, and do not count."""
    import difflib

    names = {one.lstrip("-"): one for one in known}
    near = difflib.get_close_matches(name.lstrip("-"), names)
    return f" Did you mean {' or '.join(names[one] for one in near)}?" if near else ""
