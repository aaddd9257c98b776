"""selfexec read"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selfexec.cli.declared import options_of, printed
from selfexec.cli.options import PathArgument, put_data, say
from selfexec.files.outputs import write_bytes
from selfexec.options import Files, Names, option
from selfexec.reading_options import AcceptedEnds
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line, harmless, harmless_line

if TYPE_CHECKING:
    from selfexec.experiments import JobKey, Key
    from selfexec.readers import Reading
    from selfexec.runs import Run

A_FEW = 10


def _names(help: str, flag: str) -> Any:
    """Names that are distinguished from lists of names by what the replies know, which may be no run's."""
    return option(None, help, flag=flag, metavar="NAME[,NAME]", form="repeated")


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Which replies are shown, and how."""

    item_source: str | None = option(
        None, "For a file of replies: the items that it is about.", flag="--items", metavar="SET|FOLDER"
    )
    models: Names | None = _names("Only these models.", "--model")
    experiments: Names | None = _names("Only these experiments.", "--experiment")
    sessions: Names | None = _names("Only these sessions: predict, execute, judge, execute.Q1, ...", "--session")
    ids: Names | None = _names("Only the items with these ids.", "--item")
    states: Names | None = _names(
        "Only sessions in these states: read, kept, unreadable, withheld, missing.", "--state"
    )
    ways: Names | None = _names(
        "Only sessions of claims with this result: right or wrong; yes-no, no-yes, yes-yes or no-no (predicted, then "
        "observed); disputed (another source, such as a fixed rule, disagrees about the outcome); unreadable (the "
        "claim could not be read, even if the session was).",
        "--claim",
    )
    show: bool = option(False, "Show each session: prompt, reply (with the words that were read marked) and reading.")
    limit: int | None = option(None, f"Show at most N sessions. Default with --show: {A_FEW}.", metavar="N", least=1)
    readings: Files | None = option(
        None,
        "Readings to use instead of selfexec's own: a file, or a folder of *.jsonl files.",
        metavar="FILE|FOLDER",
        form="files",
    )


@click.command("read")
@click.argument("source", is_eager=True, type=PathArgument())
@options_of(ReadOptions)
@options_of(AcceptedEnds)
@printed("json")
def command(
    source: Path,
    item_source: str | None,
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    sessions: tuple[str, ...],
    ids: tuple[str, ...],
    states: tuple[str, ...],
    ways: tuple[str, ...],
    show: bool,
    limit: int | None,
    readings: tuple[Path, ...],
    accept_ends: tuple[str, ...],
    form: str,
    out: Path | None,
) -> None:
    """Show how each reply was read, and the replies themselves.

    SOURCE is a run's folder or a file of replies. To give several names, repeat an option or separate them by commas.

    \b
    selfexec read RUN                              how much could be read
    selfexec read RUN --state unreadable --show    what could not, and why
    selfexec read RUN --claim wrong --show         wrong predictions
    selfexec read RUN --claim unreadable --show    claims that could not be read
    selfexec read RUN --experiment restriction --claim no-yes --show
                                                   predicted no, but did it
    selfexec read RUN --format json                one line per session, with text

    To correct readings, edit the values in these lines and pass the file to `selfexec score --readings`.
    """
    from selfexec.claims import CAME_OUT, claims_that_came_out
    from selfexec.runs import (
        BySession,
        choose,
        load_readings,
        named,
        reading_legend,
        reading_summary,
        refuse_silent,
    )
    from selfexec.runs.absent import absent_sessions
    from selfexec.runs.importing import run_of
    from selfexec.runs.unknown_fields import unknown_lines

    run = run_of(source, item_source, accept_ends)
    refuse_silent(run)
    if readings:
        run = run.with_readings(load_readings(readings))
    # the table counts every session that the run was to have, as `selfexec list` does
    counts_all = not (show or limit or ways or form == "json")
    wants_missing = counts_all or any(state.strip() == "missing" for given in states for state in given.split(","))
    readings_here = {**run.readings, **absent_sessions(run)} if wants_missing else run.readings
    chosen = choose(readings_here, models=models, experiments=experiments, sessions=sessions, items=ids, states=states)
    claims: Mapping[JobKey, Sequence[str]] = {}
    in_full = form != "json" and (show or limit)
    if ways or in_full:
        meant = named("claim", ways, set(CAME_OUT)) if ways else CAME_OUT
        claims = claims_that_came_out(run.tables, meant)
    if ways:
        chosen = BySession((key, reading) for key, reading in chosen.items() if key[:4] in claims)
    if form == "json":
        _put(_json(run, chosen, limit, show), out, for_people=False)
    elif in_full:
        on_screen = out is None and sys.stdout.isatty()
        shown = _shown(run, chosen, claims, limit or A_FEW, source, on_screen, whole=bool(ways))
        _put(shown, out, styled=on_screen)
    else:
        from selfexec.text.tables import WIDTH, as_text, shows_styles, terminal_width

        width, styled = (WIDTH, False) if out else (terminal_width(), shows_styles())
        if not chosen:
            _put([_nothing(source).encode()], out)
            return
        table = as_text(*reading_summary(chosen), width, "stacked", styled=styled)
        texts = (notice.text for notice in run.server_notices if any(key.model == notice.model for key in chosen))
        fields = unknown_lines(run, shown=None)
        unread = claims_that_came_out(run.tables, ["unreadable"])
        lines = (
            table.rstrip("\n"),
            *reading_legend(chosen),
            "",
            *map(harmless, (*texts, *fields, *_to_see(source, chosen, claims, unread))),
        )
        _put([line.encode() for line in lines], out, styled=styled)


def _to_see(
    source: Path,
    chosen: Mapping["Key", "Reading"],
    claims: Mapping["JobKey", Sequence[str]],
    unread: Mapping["JobKey", Sequence[str]],
) -> Iterator[str]:
    """How many claims are meant, and what to type to see what is counted here, sessions and claims."""
    here = {key[:4] for key in chosen}
    if claims:
        number = sum(len(those) for job, those in claims.items() if job in here)
        yield f"{number_of(number, 'claim')} {'matches' if number == 1 else 'match'}. To see the replies, add --show."
        return
    if any(reading.state == "unreadable" for reading in chosen.values()):
        yield f"Unreadable replies: {command_line('read {} --state unreadable --show', source)}"
    if number := sum(len(lost) for job, lost in unread.items() if job in here):
        yield unreadable_claims(source, number)
    yield f"Wrong predictions: {command_line('read {} --claim wrong --show', source)}"


def unreadable_claims(source: str | Path, number: int) -> str:
    """How many claims could not be read, and what lists them."""
    return f"{number_of(number, 'unreadable claim')}: {command_line('read {} --claim unreadable --show', source)}"


def _json(run: "Run", chosen: Mapping["Key", "Reading"], limit: int | None, with_prompts: bool) -> Iterator[bytes]:
    from selfexec.runs import reading_lines
    from selfexec.runs.transcripts import prompts_sent

    found = dict(list(chosen.items())[:limit])
    sent = prompts_sent(run, [key for key in found if key in run.replies]) if with_prompts else None
    yield from reading_lines(found, run.replies, sent)


def _shown(
    run: "Run",
    chosen: Mapping["Key", "Reading"],
    claims: Mapping["JobKey", Sequence[str]],
    limit: int,
    source: Path,
    on_screen: bool,
    *,
    whole: bool,
) -> Iterator[bytes]:
    from selfexec.runs.transcripts import BOLD, Marks, transcripts
    from selfexec.text.tables import shows_styles, terminal_width

    absent = [key for key in chosen if key not in run.replies]
    for key in absent[:limit]:
        yield f"{harmless_line(str(key))}: there is no reply".encode()
    if absent:
        yield f"{number_of(len(absent), 'session has', 'sessions have')} no reply at all.\n".encode()
    keys = [key for key in chosen if key in run.replies]
    if absent and not keys:
        return
    if not keys:
        yield _nothing(source).encode()
        return
    marks = BOLD if on_screen and shows_styles() else Marks()
    first = _first(keys, limit, whole=whole)
    if any(run.readings[key].evidence for key in first):
        yield f"{marks.begin}...{marks.end} in a reply: what was read.\n".encode()
    for text in transcripts(run, first, marks, terminal_width() if on_screen else None, claims):
        yield f"{text}\n".encode()
    if len(keys) > len(first):
        behind = f" behind {_by_experiment(keys, claims)}" if whole else ""
        shown = f"Shown: {len(first)} of {number_of(len(keys), 'session')}{behind}."
        yield f"{shown} All of them: --limit {len(keys)}".encode()


def _by_experiment(keys: Iterable["Key"], claims: Mapping["JobKey", Sequence[str]]) -> str:
    """How many claims there are behind these sessions, in each experiment."""
    numbers: Counter[str] = Counter()
    for job in dict.fromkeys(key[:4] for key in keys):
        numbers[job[1]] += len(claims.get(job, ()))
    return ", ".join(f"{number_of(number, 'claim')} of {experiment}" for experiment, number in numbers.items())


def _nothing(source: Path) -> str:
    """What to say where no session is meant."""
    here, claims = (command_line(f"read {{}}{how}", source) for how in ("", " --claim unreadable --show"))
    return f"No session matches. All of them: {here} (Claims of a session that was read may be unreadable: {claims})"


def _first(keys: Sequence["Key"], limit: int, whole: bool) -> Sequence["Key"]:
    """At most so many sessions, in turn of each model and experiment, from its first item on; `whole`, no item without
    some of its sessions, unless one alone has more.
    """
    units = [list(those) for _, those in groupby(keys, key=lambda key: key[:4] if whole else key)]
    queues: dict[tuple[str, str], list[list[Key]]] = {}
    for unit in units:
        queues.setdefault((unit[0].model, unit[0].experiment), []).append(unit)
    first: list[Key] = []
    for unit in (unit for turn in zip_longest(*queues.values()) for unit in turn if unit):
        if first and len(first) + len(unit) > limit:
            break
        first += unit
    meant = {*first[:limit]}
    return [key for key in keys if key in meant]


def _put(lines: Iterable[bytes], out: Path | None, *, styled: bool = False, for_people: bool = True) -> None:
    """Lines to a file, or as they come to the terminal."""
    if out:
        write_bytes(out, b"".join(line + b"\n" for line in lines))
        say(f"{out}: written.")
        return
    for line in lines:
        put_data(line + b"\n", styled=styled, for_people=for_people)
