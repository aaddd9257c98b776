"""selfexec read"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selfexec.cli.declared import options_of, printed
from selfexec.cli.options import PathArgument, put_data, say
from selfexec.files.outputs import write_bytes
from selfexec.options import Files, Names, option
from selfexec.reading_options import AcceptedEnds
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line, harmless_line

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
        None, "For a file of replies: the items that were asked.", flag="--items", metavar="SET|FOLDER"
    )
    models: Names | None = _names("Only these models.", "--model")
    experiments: Names | None = _names("Only these experiments.", "--experiment")
    sessions: Names | None = _names("Only these: predict, execute, judge, execute.Q1, ...", "--session")
    ids: Names | None = _names("Only these items, by their ids.", "--item")
    states: Names | None = _names("Only these: read, kept, unreadable, withheld, missing.", "--state")
    ways: Names | None = _names(
        "Only sessions behind claims that came out so: right, wrong; yes-no, no-yes, yes-yes, no-no (predicted, then "
        "observed); disputed (observed otherwise than another source has it: a fixed rule, say); unreadable (counted "
        "as lost, also where the session was read).",
        "--claim",
    )
    show: bool = option(False, "Show the sessions: prompt, reply with the words read marked, reading.")
    limit: int | None = option(
        None, f"At most so many sessions. With --show {A_FEW}, unless given.", metavar="N", least=1
    )
    readings: Files | None = option(
        None, "Readings that replace ours: a file, or a folder of *.jsonl.", metavar="FILE|FOLDER", form="files"
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
    """Show what each reply commits to, and the replies themselves.

    SOURCE is a run's folder or a file of replies. Names may be given again, or with commas between them.

    \b
    selfexec read RUN                              how much could be read
    selfexec read RUN --state unreadable --show    what could not, and why
    selfexec read RUN --claim wrong --show         where it was wrong
    selfexec read RUN --claim unreadable --show    what counts as lost
    selfexec read RUN --experiment restriction --claim no-yes --show
                                                   it said it would not, and did
    selfexec read RUN --format json                a line a session, with text

    Correct the values of such lines by hand and give the file back with `selfexec score --readings`.
    """
    from selfexec.claims import CAME_OUT, claims_that_came_out
    from selfexec.runs import BySession, choose, load_readings, named, reading_summary, refuse_silent
    from selfexec.runs.absent import absent_sessions
    from selfexec.runs.importing import run_of
    from selfexec.runs.server_notices import notices_in
    from selfexec.runs.unknown_fields import unknown_lines

    run = run_of(source, item_source, accept_ends)
    refuse_silent(run)
    if readings:
        run = run.with_readings(load_readings(readings))
    wants_missing = any(state.strip() == "missing" for given in states for state in given.split(","))
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
        table = as_text(*reading_summary(chosen), width, styled=styled)
        texts = (notice.text for notice in notices_in(run) if any(key.model == notice.model for key in chosen))
        fields = unknown_lines(run, shown=None)
        unread = claims_that_came_out(run.tables, ["unreadable"])
        lines = (table.rstrip("\n"), "", *texts, *fields, *_to_see(source, chosen, claims, unread))
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
        yield f"{number_of(number, 'claim')} came out so. To see the replies add --show."
        return
    if any(reading.state == "unreadable" for reading in chosen.values()):
        yield f"Unread: {command_line('read {} --state unreadable --show', source)}"
    if number := sum(len(lost) for job, lost in unread.items() if job in here):
        yield unreadable_claims(source, number)
    yield f"Wrong: {command_line('read {} --claim wrong --show', source)}"


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
    for text in transcripts(run, first, marks, terminal_width() if on_screen else None, claims):
        yield f"{text}\n".encode()
    if len(keys) > len(first):
        yield f"Shown: {len(first)} of {number_of(len(keys), 'session')}. All of them: --limit {len(keys)}".encode()


def _nothing(source: Path) -> str:
    """What to say where no session is meant."""
    here, claims = (command_line(f"read {{}}{how}", source) for how in ("", " --claim unreadable --show"))
    return f"No session is so. What there is: {here} (Of a session that was read, claims may be unreadable: {claims})"


def _first(keys: Sequence["Key"], limit: int, whole: bool) -> Sequence["Key"]:
    """At most so many sessions; `whole`, not the last item if some of its sessions would be cut off."""
    first = keys[:limit]
    if whole and len(keys) > limit and keys[limit][:4] == first[-1][:4]:
        first = [key for key in first if key[:4] != first[-1][:4]] or first
    return first


def _put(lines: Iterable[bytes], out: Path | None, *, styled: bool = False, for_people: bool = True) -> None:
    """Lines to a file, or as they come to the terminal."""
    if out:
        write_bytes(out, b"".join(line + b"\n" for line in lines))
        say(f"{out}: written.")
        return
    for line in lines:
        put_data(line + b"\n", styled=styled, for_people=for_people)
