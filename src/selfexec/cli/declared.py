"""Options of commands, each declared as a field of a class (`selfexec.options`): from a field to an option of the
command line, and from what was typed to a value of the class. No option of a command is made in another way.

What a function takes has its class beside that of others (`run_options`, `analysis.options`, `report.options`); what
only the command has, like `--dry-run`, has one in the file of the command.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from selfexec.cli.completion import complete_experiments, complete_items, complete_model_to_ask, complete_models
from selfexec.cli.options import (
    DeclaredOption,
    FacetsOption,
    PathArgument,
    PresetOption,
    form_of,
    keep_quiet,
    levels_of,
    separate_names,
    show_every_option,
)
from selfexec.errors import InputError
from selfexec.extension import resolve
from selfexec.files.outputs import RESULTS
from selfexec.options import Declared, declared, note_given, option
from selfexec.text.regex import regex

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])
COMPLETE = {
    "models": complete_models,
    "judge": complete_model_to_ask,
    "experiments": complete_experiments,
    "items": complete_items,
    "item_source": complete_items,
}
CLASSES: Mapping[str, type[DeclaredOption]] = {"preset": PresetOption, "facets": FacetsOption}
READ_FIRST = ("config",)  # so that names can be distinguished from lists of names by its models


def options_of(
    kind: type[Any],
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
    section: str | None = None,
    choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
    **words: str,
) -> Callable[[Command], Command]:
    """Give a command the options that a class declares.

    Args:
        kind: The class.
        only: Only these fields of it.
        without: Not these.
        section: The heading for all of them, in place of each one's own.
        choices: The words that some of them take in this command.
        words: What stands in this command for `{word}` in the help of an option.
    """
    named = [
        each
        for each in declared(kind)
        if each.option.typed and each.name not in without and (not only or each.name in only)
    ]

    def decorate(command: Command) -> Command:
        for each in reversed(named):
            command = _option(each, section, choices.get(each.name, each.choices), words)(command)
        return command

    return decorate


def options_at(places: Iterable[str]) -> Callable[[Command], Command]:
    """Give a command the options of extensions, which lie at these places as what `options_of` gives."""

    def decorate(command: Command) -> Command:
        for place in dict.fromkeys(places):
            command = resolve(place)(command)
        return command

    return decorate


def collect(kind: type[T], given: dict[str, Any], **more: Any) -> T:
    """Take the options of a class out of the parameters of a command, and make a value of the class of them.

    Args:
        kind: The class.
        given: The parameters by name; those of the class are removed.
        more: Fields that are no options of the command.

    Raises:
        InputError: A value is not written as its option has it.
    """
    typed = [(each, given.pop(each.name)) for each in declared(kind) if each.name in given]
    values = {each.name: _parsed(each, value) for each, value in typed if is_given(value)}
    return note_given(kind(**values, **more), (each.name for each, _ in typed if is_typed(each.name)))


def is_given(value: Any) -> bool:
    """Whether the parameter of a command was typed: 0 is a value, a switch that is off is none."""
    return value is not None and value is not False and value != () and value != {}


def is_typed(name: str) -> bool:
    """Whether a parameter was typed, and has not its default."""
    context = click.get_current_context(silent=True)
    return context is not None and context.get_parameter_source(name) is ParameterSource.COMMANDLINE


# --- from a field to an option ---------------------------------------------------------------------------------------


def _option(
    each: Declared, section: str | None, choices: Sequence[str], words: Mapping[str, str]
) -> Callable[[Command], Command]:
    option = each.option
    repeated = option.form not in ("value", "file", "object")
    help = option.help.format(**words) if words else option.help
    metavar = option.metavar or ("NAME[,NAME]" if option.form == "names" else None)
    fits = len(f"  --{each.name} [{'|'.join(choices)}]") <= HELP_WIDTH
    if choices and not fits:
        help = f"One of {', '.join(choices)}. {help}"
    further: dict[str, Any] = {}
    if each.is_switch:
        further["is_flag"] = True
    elif option.form == "value" and each.default is not MISSING:
        further |= {"default": each.default, "show_default": each.default is not None}
    if option.form in CALLBACKS:
        further["callback"] = CALLBACKS[option.form]
    if each.name in ACTIONS:
        further |= {"callback": ACTIONS[each.name], "expose_value": False}
    return click.option(
        *([option.short] if option.short else []),
        each.flag,
        each.name,
        cls=CLASSES.get(each.name, DeclaredOption),
        declared=each,
        section=section or option.section,
        type=_type(each, choices),
        metavar=None if choices and fits else metavar or "NAME",  # which hides the choices
        multiple=repeated,
        help=f"{help} Repeatable." if repeated and not (metavar and "[," in metavar) else help,
        hidden=option.hidden,
        required=each.default is MISSING,
        is_eager=each.name in READ_FIRST or each.name in ACTIONS,
        shell_complete=COMPLETE.get(each.name),
        **further,
    )


HELP_WIDTH = 72  # columns: of the longest line with all choices of an option, its flag and its brackets
CALLBACKS = {"names": separate_names, "levels": levels_of}
ACTIONS = {"help_all": show_every_option}  # switches that do something of their own and end the command


def _type(each: Declared, choices: Sequence[str]) -> Any:
    if choices:
        return click.Choice(choices)
    if each.option.form in ("file", "files"):
        return PathArgument()
    if each.option.least is not None or each.option.most is not None:
        bounded = click.FloatRange if each.kind is float else click.IntRange
        return bounded(each.option.least, each.option.most)
    return each.kind if each.kind in (int, float) else None


# --- from what was typed to a value ----------------------------------------------------------------------------------


def _parsed(each: Declared, value: Any) -> Any:
    if each.option.form == "pairs":
        return dict(_pair(each.flag, text) for text in value)
    if each.option.form == "settings":
        return _settings(each.flag, value)
    if each.option.form == "object":
        return _json_object(each.flag, value)
    return list(value) if isinstance(value, tuple) else value


def _pair(flag: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InputError(f"{flag}: write it as NAME=VALUE, like X-Team=research.")
    return name.strip(), value.strip()


def _settings(flag: str, texts: Sequence[str]) -> dict[str, object]:
    """Settings by name. One that is given twice, with two values, is refused."""
    settings: dict[str, object] = {}
    for name, value in _each_setting(flag, texts):
        if name in settings and json.dumps(settings[name]) != json.dumps(value):
            before, now = json.dumps(settings[name]), json.dumps(value)
            raise InputError(f"{flag} {name}: given twice, as {before} and as {now}. Give one of them.")
        settings[name] = value
    return settings


WITHOUT_ZERO = regex(r"(?P<sign>-?)(?P<digits>\.\d+)")  # a number as people write it and JSON does not


def _each_setting(flag: str, texts: Sequence[str]) -> Iterator[tuple[str, object]]:
    """'execute.temperature=1' as a name and a JSON value; what is not JSON is text, but for numbers like .5."""
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"{flag} {text}: write it as NAME=VALUE, like temperature=0 or execute.temperature=1.")
        try:
            yield name, json.loads(_as_json(value))
        except (ValueError, RecursionError):
            yield name, value


def _as_json(value: str) -> str:
    number = WITHOUT_ZERO.fullmatch(value)
    return f"{number['sign']}0{number['digits']}" if number else value


def _json_object(flag: str, text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{flag}: not valid JSON ({fault}). Write an object, like '{{\"top_k\": 40}}'.") from None
    if not isinstance(value, dict):
        raise InputError(f"{flag}: it must be a JSON object, like '{{\"top_k\": 40}}'.")
    return value


# --- how much is said ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class QuietOptions:
    """How much is said besides the result."""

    quiet: bool = option(False, "Print only the result; warnings and errors still go to standard error.", short="-q")


def quietly(command: Command) -> Command:
    """--quiet, of a command that says more than its result."""

    @wraps(command)
    def with_quiet(*, quiet: bool, **given: Any) -> Any:
        if quiet:
            keep_quiet()
        return command(**given)

    return cast(Command, options_of(QuietOptions)(with_quiet))


@dataclass(frozen=True, kw_only=True)
class HelpOptions:
    """How much help is shown, of a command with many options."""

    help_all: bool = option(False, "Show every option and exit.")


# --- where a result goes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """In which form a result is shown, and where."""

    form: str | None = option(
        None, "The output format. Default: from the extension of --out; a table without --out.", flag="--format"
    )
    out: Path | None = option(
        None,
        "The file to write to, instead of the terminal (-). Its extension sets the format: .txt, {endings}.",
        short="-o",
        metavar="PATH",
        form="file",
    )


def printed(*forms: str) -> Callable[[Command], Command]:
    """--format and --out, of a command whose result has these forms beside the table. The command is handed the form
    that both ask for, and as `out` None for standard output; the place is tried before it begins.
    """
    forms_and_table = ["table", *forms]
    endings = ", ".join(ending for ending, form in RESULTS.items() if form in forms)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_form(*, form: str | None, out: Path | None, **given: Any) -> Any:
            form, out = form_of(form, out, forms_and_table)
            return command(form=form, out=out, **given)

        return cast(Command, options_of(ResultOptions, choices={"form": forms_and_table}, endings=endings)(with_form))

    return decorate
