"""What of a run can be asked now, as files of requests. What is in them is out until its result is there: it is not
exported again, nor asked by a run, unless somebody says so.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from selfexec.engines import FORMS, BatchForm, Call, Outcome, Price, Wire, batch_place, batch_request, finish, in_batch
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key, Message, Prompt
from selfexec.facets import Condition, in_condition
from selfexec.items import ItemSet, Preset
from selfexec.prompts import digest
from selfexec.runs import sittings
from selfexec.runs.arguments import Names, names, tells_wrong_names
from selfexec.runs.asking import (
    NOT_ASKED,
    Choices,
    Plan,
    SamplingProtocol,
    Visit,
    begin,
    counted,
    grow,
    planned,
    refuse_misfit,
)
from selfexec.runs.batch.planning import of_run
from selfexec.runs.design import Design, folded
from selfexec.runs.folder import MANIFEST, REPLIES, Manifest, grow_prompts, load_manifest, write_manifest
from selfexec.runs.records import Reply
from selfexec.runs.requests import BATCHES, Request, Requests, add_requests, custom_ids, requests_of
from selfexec.runs.store import Journal, read_journal
from selfexec.text.lookups import apart


class Wanted(NamedTuple):
    """A session that can be asked now."""

    key: Key
    messages: tuple[Message, ...]
    parent: str | None


@dataclass
class Round:
    """What can be asked now; `out` counts sessions that are out already, `behind` those that wait for others, at most.
    `capped`: not all of it, for --max-calls.
    """

    wanted: list[Wanted]
    out: int = 0
    behind: int = 0
    capped: bool = False


@dataclass(frozen=True)
class WrittenFile:
    """A file of requests for one model."""

    path: Path
    model: str
    requests: int
    bytes: int


@dataclass(frozen=True)
class Exported:
    """What an export wrote: its files, and how many sessions are in them. `out` counts those that were out before,
    `behind` those that follow at most when all is answered. Nothing is left to ask where all three are none.
    """

    folder: Path
    files: Sequence[WrittenFile]
    sessions: int
    out: int
    behind: int
    capped: bool = False

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask, and nothing is out."""
        return not (self.sessions or self.out or self.behind)


@tells_wrong_names("an export")
def export_batch(
    models: Names | None = None,
    *,
    to: str,
    out: str | Path,
    again: bool = False,
    per_file: int | None = None,
    experiments: Names | None = None,
    items: str | Path | None = None,
    limit: int | None = None,
    fraction: float | None = None,
    preset: Preset | None = None,
    epochs: int | None = None,
    facets: Mapping[str, Names] | None = None,
    max_calls: int | None = None,
    prompts: Mapping[str, str] | str | Path | None = None,
    protocol: SamplingProtocol = "default",
    base_url: str | None = None,
    wire: Wire | None = None,
    settings: Mapping[str, Any] | None = None,
    system: str | None = None,
    extra_body: Mapping[str, Any] | None = None,
) -> Exported:
    """Write the sessions that a run can ask now as files for a provider's batch API, at half the price.

    They are out until `import_batch` has read their results: the same call then writes the next round, of sessions
    whose prompts hold replies, until nothing is left. A run that is there already says itself what is asked of whom;
    of what follows here only `models`, `experiments` and how it is sent may then be given, to choose among it.

      models       `provider/model`, one or several; without any, those of the run that is there
      to           whose batch API: `openai` (and who takes its form), `anthropic`, `gemini`
      out          the run's folder; the files are in `batches/` there
      again        export what is out again, too: both are paid
      per_file     at most so many requests a file, where that is less than the provider takes
      max_calls    at most so many sessions now; the same call goes on from there

    `experiments`, `items`, `limit`, `fraction`, `preset`, `epochs`, `facets`, `prompts`, `protocol`, `base_url`,
    `wire`, `settings`, `system` and `extra_body` are as for `run`. InputError: what is asked is not sent over HTTP or
    in another format, a key would stand in the files, or the folder holds another run.
    """
    chosen = {
        "experiments": experiments,
        "items": items,
        "limit": limit,
        "fraction": fraction,
        "preset": preset,
        "epochs": epochs,
        "facets": facets,
        "max_calls": max_calls,
        "prompts": prompts,
        "protocol": None if protocol == "default" else protocol,
        "base_url": base_url,
        "wire": wire,
        "settings": settings,
        "system": system,
        "extra_body": extra_body,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    asked = None if models is None else names(models)
    plan, design = planned_for(Path(out), asked, given)
    command = sittings.call("sx.export_batch", {"models": asked, "form": to, "out": out, **given})
    return export(replace(plan, command=command, again=again), to, per_file=per_file, design=design)


FREE = ("experiments", "max_calls", "price", "base_url", "wire")  # may be said of a run that says the rest itself


def planned_for(folder: Path, models: Sequence[str] | None, given: Mapping[str, Any]) -> tuple[Plan, Design | None]:
    """What would be asked, and which of it where that is less than everything: by the run that is in the folder, if
    nothing is said of what to ask; else by what is said, as `run` has it.
    """
    if (folder / MANIFEST).exists() and not given.keys() - FREE:
        there = load_manifest(folder).models
        if strange := [model for model in models or () if model not in there]:
            raise InputError(
                f"--model {strange[0]}: {folder} has {apart(there)}. To have it grow by another model, say what "
                "that is asked, as --items starter."
            )
        return of_run(folder, models, given)
    if not models:
        raise InputError(f"{folder}: which model? Name it: --model PROVIDER/MODEL (models=).")
    return planned(models, Choices(**{**given, "out": folder})), None


def export(plan: Plan, to: str, *, per_file: int | None = None, design: Design | None = None) -> Exported:
    """Write what of a plan can be asked now, of what the design has, where that is not all of it."""
    form = _form(to)
    if per_file is not None and per_file < 1:
        raise InputError(f"--per-file {per_file}: give 1 or more.")
    _refuse_unsendable(plan, form)
    refuse_misfit(plan)
    if not (plan.out / MANIFEST).exists():
        begin(plan)
    with Journal(plan.out / REPLIES):  # whoever holds the journal may change the folder
        refuse_misfit(plan)
        found, requests = current(plan, design)
        if not found.wanted:
            return Exported(plan.out, [], 0, found.out, found.behind)
        manifest = grow(plan) if design is None else _with_design(plan.out, design, plan.item_set)
        grow_prompts(plan.out, manifest.prompts, plan.asked_prompts)
        files = _write(plan, form, per_file, found.wanted, requests)
        _note(plan, form, manifest, len(found.wanted))
    return Exported(plan.out, files, len(found.wanted), found.out, found.behind, found.capped)


def foreseen_round(plan: Plan, design: Design | None, to: str) -> Round:
    """What an export would write. Writes nothing, and refuses what it would."""
    _refuse_unsendable(plan, _form(to))
    refuse_misfit(plan)
    return current(plan, design)[0]


def batch_prices(prices: Mapping[str, Price]) -> Mapping[str, Price]:
    """What models cost in a batch."""
    return {model: in_batch(price) for model, price in prices.items()}


def _refuse_unsendable(plan: Plan, form: BatchForm) -> None:
    """Raise InputError where a model is not asked in the format of these files."""
    for one in plan.respondents:
        batch_place(one.asked, one.connections[0], form)


def _form(to: str) -> BatchForm:
    if to not in FORMS:
        raise InputError(f"batch files for {to!r}: there are {', '.join(FORMS)}.")
    return FORMS[to]


# --- which sessions --------------------------------------------------------------------------------------------------


def current(plan: Plan, design: Design | None) -> tuple[Round, Requests]:
    """What can be asked now, and all that was exported before."""
    begun = (plan.out / MANIFEST).exists()
    known = read_journal(plan.out / REPLIES) if begun else {}
    requests = requests_of(plan.out) if begun else Requests()
    return finish(_round(plan, plan.design if design is None else design, known, requests)), requests


async def _round(plan: Plan, design: Design, known: Mapping[Key, Reply], requests: Requests) -> Round:
    found = Round([])
    for visit in plan.visits():
        here: dict[Key, Wanted | None] = {}  # None: it is there, or out
        counts = {"out": 0}

        async def ask(
            condition: Condition,
            session: str,
            prompt: Prompt,
            *,
            parent: str | None = None,
            visit: Visit = visit,
            here: dict[Key, Wanted | None] = here,
            counts: dict[str, int] = counts,
        ) -> Reply | Outcome:
            key = in_condition(Key(*visit, session), condition)
            messages = EXPERIMENTS[visit.experiment].messages(prompt)
            if (reply := counted(known, key, messages)) is not None:
                here[key] = None
                return reply
            if key not in here:
                away = not plan.again and requests.is_out(key, messages)
                counts["out"] += away
                here[key] = None if away else Wanted(key, messages, parent)
            return NOT_ASKED

        conditions = {c: prompts for c, prompts in plan.asked(visit).items() if _has(design, visit, c)}
        if not conditions:
            continue
        item = plan.item_set[visit.experiment][visit.item]
        for condition, prompts in conditions.items():
            await EXPERIMENTS[visit.experiment].sessions(item, partial(ask, condition), prompts)
        wanted = [one for one in here.values() if one]
        cap = plan.caps.calls
        if wanted and cap is not None and len(found.wanted) + len(wanted) > cap and found.wanted:
            found.capped = True
            break
        found.wanted += wanted
        found.out += counts["out"]
        if wanted or counts["out"]:
            of_design = (in_condition(Key(*visit, name), c) for c in conditions for name in _names(plan, visit))
            found.behind += len(set(of_design) - here.keys())
    return found


def _names(plan: Plan, visit: Visit) -> Sequence[str]:
    return EXPERIMENTS[visit.experiment].session_names(plan.item_set[visit.experiment][visit.item])


def _has(design: Design, visit: Visit, condition: Condition) -> bool:
    """Whether a design has an item in this epoch and condition."""
    return visit.epoch <= design.get((visit.model, visit.experiment, condition), {}).get(visit.item, 0)


def _with_design(folder: Path, design: Design, item_set: ItemSet) -> Manifest:
    """Write down that all of the design is asked now: what of it commands with so many calls had not come to is
    missing until its result is there.
    """
    old = load_manifest(folder)
    new = msgspec.structs.replace(old, design=folded(design, item_set), planned=[])
    if new != old:
        write_manifest(folder, new)
    return new


# --- the files -------------------------------------------------------------------------------------------------------


def _write(
    plan: Plan, form: BatchForm, per_file: int | None, wanted: Sequence[Wanted], requests: Requests
) -> list[WrittenFile]:
    """Write the files, and then down what is in them."""
    folder = plan.out / BATCHES
    ids = dict(custom_ids(requests, (one.key for one in wanted)))
    by_model: dict[str, list[Wanted]] = defaultdict(list)
    for one in wanted:
        by_model[one.key.model].append(one)
    time, files, noted = sittings.now(), [], []
    try:
        folder.mkdir(exist_ok=True)
        for model, some in by_model.items():
            respondent = next(one for one in plan.respondents if one.name == model)
            where = batch_place(respondent.asked, respondent.connections[0], form)
            stem = f"{requests.rounds + 1}-{_plain(model, by_model)}"
            lines = ((one, batch_request(ids[one.key], where, _call(plan, one), form)) for one in some)
            for path, inside, size in _files(folder, stem, form, per_file, lines):
                files.append(WrittenFile(path, model, len(inside), size))
                noted += [
                    Request(
                        **one.key.fields(),
                        custom_id=ids[one.key],
                        prompt_sha256=digest(one.messages),
                        file=path.name,
                        time=time,
                        form=form.name,
                        wire=where.wire,
                        url=where.shown,
                        parent=one.parent,
                    )
                    for one in inside
                ]
        add_requests(plan.out, noted)
    except OSError as fault:
        raise InputError(f"{folder}: cannot be written ({fault.strerror}). Nothing was exported.") from None
    return files


def _call(plan: Plan, one: Wanted) -> Call:
    key = one.key
    sampling = plan.sampling_of(key.model, key.experiment, key.kind, key.facets)
    return Call(key, one.messages, sampling, EXPERIMENTS[key.experiment].needs)


def _files(
    folder: Path, stem: str, form: BatchForm, per_file: int | None, lines: Iterable[tuple[Wanted, bytes]]
) -> Iterator[tuple[Path, list[Wanted], int]]:
    """Write requests to as many files as the provider's limits ask for: each file, what is in it, and its bytes."""
    most = min(form.most_requests or per_file or 10**9, per_file or 10**9)
    around = len(form.head) + len(form.tail)
    number, inside, parts, size = 1, [], [], around  # type: int, list[Wanted], list[bytes], int

    def written() -> tuple[Path, list[Wanted], int]:
        path = folder / f"{stem}{f'-{number}' if number > 1 else ''}.{form.ending}"
        content = form.head + form.between.join(parts) + form.tail
        path.write_bytes(content)
        return path, inside, len(content)

    for one, line in lines:
        if around + len(line) > form.most_bytes:
            raise InputError(f"{one.key}: its request alone is larger than {form.title} files may be. Ask it by `run`.")
        if inside and (len(inside) == most or size + len(form.between) + len(line) > form.most_bytes):
            yield written()
            number, inside, parts, size = number + 1, [], [], around
        inside.append(one)
        parts.append(line)
        size += len(line) + (len(form.between) if len(parts) > 1 else 0)
    if inside:
        yield written()


def _plain(model: str, models: Iterable[str]) -> str:
    """A model's name as part of a file's name; where two models have the same, with a number."""
    alike = [other for other in models if _letters(other) == _letters(model)]
    return _letters(model) + (f"-m{alike.index(model) + 1}" if len(alike) > 1 else "")


def _letters(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:80]


def _note(plan: Plan, form: BatchForm, manifest: Manifest, calls: int) -> None:
    """Write down that this command asked, as those do that ask themselves."""
    where = {one.name: batch_place(one.asked, one.connections[0], form).shown for one in plan.respondents}
    addresses = {name: f"{shown}, in a batch" for name, shown in where.items()}
    sitting = sittings.begun(plan.command, addresses, plan.study)
    sitting = msgspec.structs.replace(sitting, end=sitting.begin, calls=calls)
    written = sittings.kept([*manifest.sittings, sitting])
    write_manifest(plan.out, msgspec.structs.replace(manifest, sittings=written))
