"""What `export --to form` does."""

from pathlib import Path
from typing import TYPE_CHECKING

from selfexec.cli.declared import collect
from selfexec.cli.options import STDOUT, say
from selfexec.errors import InputError
from selfexec.extensions.forms.options import FormOptions
from selfexec.files.outputs import tried_folder, write_page
from selfexec.options import changed, declared
from selfexec.run_options import STARTER, UnknownEnds, Wanted
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.cli.export import ExportRequest
    from selfexec.items import ItemSet

ITEMS = "items"
OF_MODELS = ("epochs", "prompts")  # what people are not asked in, or by


def export_forms(request: "ExportRequest") -> None:
    """Write a form for each round, and the items that are asked there."""
    from selfexec.extensions.forms.items import items_for_people
    from selfexec.extensions.forms.page import page
    from selfexec.extensions.forms.questions import questions_of
    from selfexec.facets import crossed_levels
    from selfexec.options import names

    given = dict(request.given)
    wanted, unsafe = collect(Wanted, given), collect(FormOptions, given).unsafe
    _refuse_idle(request, wanted, collect(UnknownEnds, given))
    folder = _empty_folder(request.out)
    whole = _whole(request, wanted)
    item_set = items_for_people(whole, names(wanted.experiments or ()), wanted, unsafe=unsafe)
    conditions = crossed_levels({facet: names(levels) for facet, levels in wanted.facets.items()})
    rounds = {name: page(asked, name) for name, asked in questions_of(item_set, conditions).items() if asked}
    folder.mkdir(parents=True, exist_ok=True)
    item_set.write(folder / ITEMS)
    for name, text in rounds.items():
        write_page(folder / f"{name}.html", text)
    _say(folder, item_set, list(rounds), whole, unsafe=unsafe)


def _refuse_idle(request: "ExportRequest", wanted: Wanted, ends: UnknownEnds) -> None:
    """Raise InputError where an option was typed that a form for people has no use for."""
    idle = [each.flag for each in declared(Wanted) if each.name in OF_MODELS and each.name in changed(wanted)]
    idle += [each.flag for each in declared(UnknownEnds) if each.name in changed(ends)]
    if request.models:
        raise InputError(f"--model {request.models[0]}: each person types a name of their own. Leave it out.")
    if idle or request.replies:
        raise InputError(f"{[*idle, '--replies'][0]}: people are not asked by that. Leave it out.")
    if request.run is not None and wanted.items is not None:
        raise InputError(f"--items {wanted.items}: {request.run} has its own. Leave one of them out.")


def _empty_folder(out: Path | None) -> Path:
    if out is None or str(out) == STDOUT:
        raise InputError("--to form: a file is written for each round. Give --out a folder: --out forms")
    folder = tried_folder(out)
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder}: there is something in it. Give --out a new folder.")
    return folder


def _whole(request: "ExportRequest", wanted: Wanted) -> "ItemSet":
    from selfexec.items import load
    from selfexec.runs import load as load_run

    return load(wanted.items or STARTER) if request.run is None else load_run(request.run).items


def _say(folder: Path, item_set: "ItemSet", rounds: list[str], whole: "ItemSet", *, unsafe: bool) -> None:
    from selfexec.extensions.forms.items import without_unsafe

    for name in rounds:
        say(f"{folder / name}.html: {name}, {item_set.sizes}", err=True)
    chosen = whole.cut(item_set.experiments)
    left_out = sum(map(len, chosen.items.values())) - sum(map(len, without_unsafe(chosen).items.values()))
    if left_out and not unsafe:
        are = number_of(left_out, "item that is", "items that are")
        say(f"{are} unsafe on purpose left out of what people are asked. To ask them too: --unsafe", err=True)
    out = "runs/people"
    back = command_line("import ANSWERS.jsonl --items {} --out {}", folder / ITEMS, out)
    say(f"Next: {back}, then {command_line('score {}', out)}", err=True)
