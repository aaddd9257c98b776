"""selfexec export"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from selfexec.cli.declared import collect, is_typed, options_at, options_of
from selfexec.cli.options import STDOUT, FacetedSections, PathArgument, put_data, say
from selfexec.errors import InputError
from selfexec.extension import Export, explained, registered, resolve
from selfexec.files.outputs import tried
from selfexec.options import HOW_MUCH, WHAT_IS_SENT, Files, Names, changed, declared, option
from selfexec.run_options import IN_WHICH_CONDITIONS, STARTER, WHICH_ITEMS, UnknownEnds, Wanted
from selfexec.text.matching import apart
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.experiments import Key
    from selfexec.prompts import AllPrompts
    from selfexec.runs import Reply
    from selfexec.runs.exporting import Round


WHICH_SESSIONS, PROMPTS_AND_REPLIES = "Which sessions", "Prompts and earlier replies"


@dataclass(frozen=True)
class ExportRequest:
    """What was typed.

    Attributes:
        form: The form in which to write.
        given: The options that are not named here, by their names in Python.
    """

    run: Path | None
    form: str
    out: Path | None
    models: tuple[str, ...]
    replies: tuple[Path, ...]
    given: Mapping[str, Any]

    def run_part(self, no_run: str, what: str) -> "RunPart":
        """Which part of a run is written in a form in which a run says all else itself.

        Args:
            no_run: What is wrong where no run is named.
            what: What the form is, as messages have it: "logs are".

        Raises:
            InputError: No run is named, or an option that has no part in it.
        """
        given = dict(self.given)
        wanted, ends = collect(Wanted, given), collect(UnknownEnds, given)
        if self.run is None:
            raise InputError(no_run)
        if idle := [*_idle(wanted), *(["--replies"] if self.replies else [])]:
            way_out = "Leave it out; --model and --experiment select among them."
            raise InputError(f"{idle[0]}: {what} made from the replies of {self.run}. {way_out}")
        return RunPart(self.run, self.models, tuple(wanted.experiments or ()), tuple(ends.accept_ends or ()))


@dataclass(frozen=True)
class RunPart:
    """Some models and experiments of a run; all where none are named."""

    folder: Path
    models: tuple[str, ...]
    experiments: tuple[str, ...]
    accept_ends: tuple[str, ...]


EXPORTS: Mapping[str, Export] = registered("exports")


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """Which models' sessions are exported, and where they go."""

    models: Names | None = option(
        None,
        "The name of the model, as it will be recorded with its replies.",
        flag="--model",
        short="-m",
        form="names",
    )
    replies: Files | None = option(None, "The replies so far: a file, or a run's folder.", form="files")
    form: str = option(
        "jsonl",
        "jsonl: one line for each session to ask. panel: what the models of RUN predicted and did, as a reference "
        f"panel, without text. {explained(EXPORTS)}",
        flag="--to",
        metavar="FORM",
    )
    out: Path | None = option(
        None,
        "The file to write.  [default: standard output] For several logs, chats or forms: the folder to write to. For "
        "batch files: the run's folder.",
        short="-o",
        metavar="PATH",
        form="file",
    )


@click.command(
    "export",
    cls=FacetedSections,
    sections={
        WHICH_SESSIONS: ("models", "accept_ends", "retry_ends"),
        PROMPTS_AND_REPLIES: ("replies",),
        "Where it goes": ("form", "out"),
        **{form.heading: () for form in EXPORTS.values() if form.options},
    },
    renamed={
        **dict.fromkeys((WHICH_ITEMS, HOW_MUCH, IN_WHICH_CONDITIONS), WHICH_SESSIONS),
        WHAT_IS_SENT: PROMPTS_AND_REPLIES,
    },
)
@click.argument("run", required=False, is_eager=True, type=PathArgument())
@options_of(ExportOptions, only=("models",))
@options_of(Wanted, without=("protocol",))
@options_of(UnknownEnds)
@options_of(ExportOptions, without=("models",), choices={"form": ["jsonl", "panel", *EXPORTS]})
@options_at(form.options for form in EXPORTS.values() if form.options)
def command(
    run: Path | None,
    models: tuple[str, ...],
    replies: tuple[Path, ...],
    form: str,
    out: Path | None,
    **given: Any,
) -> None:
    """Write the prompts to send, for a batch API or another harness. With --to, a run is written in other formats.

    Prompts are written in rounds, one line for each session: first the sessions whose prompts are already known, then,
    given the replies, the sessions whose prompts depend on them. Each line has model, experiment, item, epoch, session,
    custom_id and prompt (docs/export.md). With RUN, only the sessions that the run still lacks are written.

    \b
    selfexec export --model m --preset quick > round-1.jsonl
    selfexec export --model m --preset quick --replies said.jsonl > round-2.jsonl
    selfexec import said.jsonl more.jsonl --items starter --preset quick -o runs/m

    Files for a provider's batch API (docs/batch.md). The run records which requests are waiting for results; the last
    command writes the next round, until nothing is left to ask.

    \b
    selfexec export --model openai/gpt-6-luna --to batch-openai -o runs/mine
    selfexec import --from batch output.jsonl errors.jsonl -o runs/mine
    selfexec export runs/mine --to batch-openai

    A reference panel (docs/panel.md), which gives baselines to a model that is scored alone.

    \b
    selfexec export runs/mine --to panel -o mine.json
    selfexec score runs/new --panel mine.json

    Inspect AI logs, one for each model and experiment. They open in `inspect view`, and `selfexec import` reads them.

    \b
    selfexec export runs/mine --to inspect -o logs

    Chats for training a model to predict its own behaviour (docs/training.md). Control sets have other models'
    behaviour, the majority or shuffled outcomes in its place. Whole families of similarly worded items are held out.

    \b
    selfexec export runs/both --to sft --model a --split family -o chats
    """
    if out is not None and str(out) == STDOUT and form in ("jsonl", "panel"):
        out = None
    if out is not None and form in ("jsonl", "panel"):
        tried(out)
    _refuse_options_of_other_forms(form)
    request = ExportRequest(run, form, out, models, replies, given)
    if form in EXPORTS:
        resolve(EXPORTS[form].place)(request)
    elif form == "panel":
        _panel(request)
    else:
        _sessions(request)


def _sessions(request: ExportRequest) -> None:
    """Write the sessions to ask."""
    from selfexec.runs.exporting import lines

    run, models, replies, out = request.run, request.models, request.replies, request.out
    given = dict(request.given)
    wanted, ends = collect(Wanted, given), collect(UnknownEnds, given)
    if run:
        if named := [flag for flag in _idle(wanted) if flag != "--prompts"]:
            raise InputError(f"{named[0]}: this is already set by {run}. Leave out the option or the run.")
        found = round_of_run(run, list(models), list(wanted.experiments or ()), wanted.prompts, replies, ends)
    elif not models:
        raise InputError("which model? Give the name to record with its replies: selfexec export --model NAME")
    else:
        found = _of_items(models, wanted, replies, ends)
        _say_what_to_send(found)
    _say_what_begins_replies(found)
    with _output(out) as file:
        file.writelines(lines(found.sessions()))
    _say(found, out, run)


def _idle(wanted: Wanted) -> list[str]:
    """The options of what is wanted that were typed, but for the experiments."""
    return [each.flag for each in declared(Wanted) if each.name in changed(wanted) and each.name != "experiments"]


def _refuse_options_of_other_forms(form: str) -> None:
    """Raise InputError where an option was typed that only other forms have."""
    headings = {one.heading: str(one.files) for name, one in EXPORTS.items() if one.options}
    own = EXPORTS[form].heading if form in EXPORTS else None
    for param in click.get_current_context().command.params:
        heading = getattr(param, "section", None)
        if heading in headings and heading != own and is_typed(str(param.name)):
            forms = [name for name, one in EXPORTS.items() if one.heading == heading]
            raise InputError(
                f"{param.opts[-1]}: this option is for {headings[heading]}. Choose the format: --to {apart(forms)}"
            )


def _of_items(models: tuple[str, ...], wanted: "Wanted", replies: tuple[Path, ...], ends: UnknownEnds) -> "Round":
    """What is to be asked of some models."""
    from selfexec.facets import crossed_levels
    from selfexec.items import load
    from selfexec.runs import names
    from selfexec.runs.exporting import Round
    from selfexec.runs.importing import preset_order_asked
    from selfexec.runs.reply import Cut

    whole, known = load(wanted.items or STARTER), _replies(replies, ends)
    cut = whole.cut(
        names(wanted.experiments or whole.usual),
        limit=wanted.limit,
        fraction=wanted.fraction,
        preset=wanted.preset,
        # a round that was begun in an older order is finished in it
        order=preset_order_asked(whole, wanted.preset, known) if wanted.preset else None,
    )
    conditions = crossed_levels({facet: names(levels) for facet, levels in wanted.facets.items()})
    named = Cut(
        preset=wanted.preset, limit=wanted.limit, fraction=wanted.fraction, prompts=_name_of_prompts(wanted.prompts)
    )
    asked = _prompts(wanted.prompts)
    return Round(list(models), cut, asked, wanted.repetitions, known, conditions, cut=named, retry_ends=ends.retry_ends)


def _name_of_prompts(given: Any) -> str | None:
    """What prompts are called where they are given again."""
    return str(given) if isinstance(given, str | Path) else None


def _say_what_to_send(exported: "Round") -> None:
    """Which facets are nothing that a prompt says."""
    from selfexec.experiments import EXPERIMENTS
    from selfexec.facets import settings_in

    kinds = [(e, kind) for e in exported.item_set.experiments for kind in EXPERIMENTS[e].prompts]
    levels = dict.fromkeys(level for condition in exported.conditions for level in condition)
    if sent := ["=".join(level) for level in levels if any(settings_in((level,), *kind) for kind in kinds)]:
        said = "no prompt says that. Send it with the sessions whose `facets` have it."
        say(f"selfexec: {', '.join(sent)}: {said}", err=True)


def _say_what_begins_replies(exported: "Round") -> None:
    """Which experiments have sessions whose last message is the beginning of the reply: nothing here can probe whether
    the server goes on with it.
    """
    from selfexec.experiments import EXPERIMENTS

    if beginning := [e for e in exported.item_set.experiments if "prefill" in EXPERIMENTS[e].needs]:
        say(
            f"selfexec: {', '.join(beginning)}: where the last message is the assistant's, it is the beginning of the "
            "reply. Have the server go on with it, try first whether it does, and give back what follows.",
            err=True,
        )


def _panel(request: ExportRequest) -> None:
    """Write the reference panel of a run."""
    from selfexec.analysis.selection import Selection
    from selfexec.panels import panel_of_run

    no_run = "which run? A panel has the models of one run: give its folder"
    part, out = request.run_part(no_run, "a panel is"), request.out
    [here] = Selection.of(part.folder, accept_ends=part.accept_ends).runs
    panel = panel_of_run(here, models=part.models, experiments=part.experiments)
    text = panel.json()
    with _output(out) as file:
        file.write(text.encode())
    claims = sum(len(part.keys) for part in panel.experiments.values())
    what = f"{number_of(len(panel.models), 'model')}, {number_of(claims, 'claim')}, {', '.join(panel.experiments)}"
    then = f" To score a run with it: {command_line('score --panel {}', out)}, and the run's folder" if out else ""
    say(f"selfexec: {f'{out}: ' if out else ''}{what}.{then}", err=True)


def round_of_run(
    folder: Path,
    models: list[str],
    experiments: list[str],
    prompts: Any,
    replies: tuple[Path, ...],
    ends: UnknownEnds,
) -> "Round":
    """What a run lacks, of some of its models and experiments if you like."""
    from selfexec.prompts import all_prompts
    from selfexec.runs import load
    from selfexec.runs.asking.histories import HELD_OUT
    from selfexec.runs.design import recorded
    from selfexec.runs.exporting import Round
    from selfexec.runs.folder import design_to_ask
    from selfexec.runs.reply import Cut

    stored = load(folder, accept_ends=ends.accept_ends or ())
    if strange := [model for model in models if model not in stored.manifest.models]:
        raise InputError(f"--model {strange[0]}: {folder} has {apart(stored.manifest.models)}.")
    kept = stored.prompts if stored.manifest.prompts else {}
    if lost := [name for name, text in kept.items() if text is None]:
        raise InputError(f"{folder}: the prompt {lost[0]} is not kept, so nobody can ask the rest. Begin a new run.")
    asked = all_prompts({name: text for name, text in kept.items() if text}) if kept else _prompts(prompts)
    if kept and prompts:
        raise InputError(f"--prompts: {folder} keeps its own. Leave it out.")
    if sent := [each for each in stored.manifest.all_settings if not each[1].endswith(f".{HELD_OUT}")]:
        say(f"selfexec: this run was asked with {_settings_by_value(sent)}: send the same.", err=True)
    known = {**stored.replies, **_replies(replies, ends)}
    cut = stored.items.cut(experiments or None)
    return Round(
        models or stored.manifest.models,
        cut,
        asked,
        stored.manifest.epochs,
        known,
        stored.all_conditions,
        retry_ends=ends.retry_ends,
        cut=Cut(preset=stored.manifest.preset, prompts=_name_of_prompts(prompts)),
        design=design_to_ask(stored.manifest, stored.items),
        recorded=recorded(stored.items, stored.replies),
    )


def _settings_by_value(sent: list[tuple[str, str, Any]]) -> str:
    """Settings with what they are called; of many that have one value, the first and how many more there are."""
    labels: dict[str, list[str]] = {}
    for label, _, value in sent:
        labels.setdefault(repr(value), []).append(label)
    return ", ".join(
        f"{first}={value}" + (f" (and {len(more)} more settings with this value)" if more else "")
        for value, (first, *more) in labels.items()
    )


def _prompts(given: Any) -> "AllPrompts":
    from selfexec.prompts import all_prompts, read_prompts

    return all_prompts(read_prompts(given) if given else {})


def _replies(paths: tuple[Path, ...], ends: UnknownEnds) -> Mapping["Key", "Reply"]:
    from selfexec.runs import given_replies

    return given_replies(paths, ends.accept_ends or ()).replies


class _Printed:
    """Standard output, for what else goes to a file."""

    def write(self, content: bytes) -> None:
        put_data(content)

    def writelines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            put_data(line)


@contextmanager
def _output(path: Path | None) -> "Iterator[_Printed | BinaryIO]":
    """Where lines go. Of a file that was not there nothing is left where they cannot be made."""
    if path is None:
        yield _Printed()
        return
    before = path.exists()
    try:
        with path.open("wb") as file:
            yield file
    except OSError as fault:
        raise InputError(f"{path}: cannot be written ({fault.strerror}). Give another file to --out.") from None
    except BaseException:
        if not before:
            path.unlink(missing_ok=True)
        raise


def _say(found: "Round", out: Path | None, run: Path | None) -> None:
    """What was written and what comes next, beside the lines themselves."""
    where = f"{out}: " if out else ""
    if not found.asked:
        then = command_line("score {}", run) if run else "selfexec import, with the replies of all rounds"
        say(f"selfexec: {where}nothing is left to ask. Next: {then}", err=True)
        return
    more = ""
    if found.waiting:
        follow = number_of(found.waiting, "more session follows", "more sessions follow")
        more = f" At most {follow} when they are answered: the same command with --replies"
    say(f"selfexec: {where}{number_of(found.asked, 'session')} to ask.{more}", err=True)
