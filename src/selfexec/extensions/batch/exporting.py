"""What of a run can be asked now, as files of requests. What is in them is out until its result is there: it is not
exported again, nor asked by a run, unless somebody says so.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import msgspec

from selfexec.engines import Price, in_batch, run_coroutine
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.extensions.batch.forms import FORMS, BatchForm, batch_place, batch_request
from selfexec.extensions.batch.planning import of_run
from selfexec.items import ItemSet
from selfexec.options import Names, changed
from selfexec.prompts import digest
from selfexec.run_options import BatchOptions, RunOptions
from selfexec.runs import invocations
from selfexec.runs.arguments import takes
from selfexec.runs.asking import DueCall, Plan, begin, grow, job_state, plan_new_run, refuse_misfit
from selfexec.runs.design import Design, folded
from selfexec.runs.ends import keep_accepted, stored_replies
from selfexec.runs.folder import BATCHES, MANIFEST, REPLIES, Manifest, grow_prompts, load_manifest, write_manifest
from selfexec.runs.journal import Journal
from selfexec.runs.reply import Reply
from selfexec.runs.requests import ExportedRequest, Requests, add_requests, custom_ids, requests_of
from selfexec.text.matching import apart


@dataclass
class NextRound:
    """What can be asked now; `out` counts sessions that are out already, `behind` those that wait for others, at most,
    and `ended` those that are not asked again, since the end of their reply is not known. `capped`: not all of it, for
    --max-calls.
    """

    wanted: list[DueCall]
    out: int = 0
    behind: int = 0
    capped: bool = False
    ended: int = 0


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
    `behind` those that follow at most when all is answered. Nothing is left to ask where all three are none. `ended`
    counts those that are not asked again, since the end of their reply is not known.
    """

    folder: Path
    files: Sequence[WrittenFile]
    sessions: int
    out: int
    behind: int
    capped: bool = False
    ended: int = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask, and nothing is out."""
        return not (self.sessions or self.out or self.behind)


@takes(BatchOptions, "an export")
def export_batch(options: BatchOptions) -> Exported:
    """Write the sessions that a run can ask now as files for a provider's batch API, at half the price.

    They are out until `import_batch` has read their results: the same call then writes the next round, of sessions
    whose prompts hold replies, until nothing is left. A run that is there already says itself which models are asked
    what; only `models`, `experiments`, `max_calls`, `base_url` and `wire` may then be given, to choose among it.

    Args:
        to: Whose batch API: `openai` (and servers that take its format), `anthropic` or `gemini`.
        out: The run's folder; the files are in `batches/` there.

    Raises:
        InputError: What is asked is not sent over HTTP or in another format, a key would stand in the files, or the
            folder holds another run.
    """
    plan, design = planned_for(options)
    command = invocations.call("sx.export_batch", {"to": options.to, "out": options.out, **changed(options)})
    return export(replace(plan, command=command, again=options.again), options.to, options.per_file, design)


NARROWING = (
    *("models", "experiments", "max_calls", "base_url", "wire", "again", "per_file"),
    *("accept_ends", "retry_ends"),
)


def planned_for(options: BatchOptions, price: Names = ()) -> tuple[Plan, Design | None]:
    """What would be asked, and which of it where that is less than everything.

    It is what the run in the folder still wants, where nothing is said of what to ask; otherwise what is said, as for
    a run.
    """
    folder, given = Path(options.out), changed(options)
    models = given.pop("models", None)
    if (folder / MANIFEST).exists() and not given.keys() - NARROWING:
        known = load_manifest(folder).models
        if strange := [model for model in models or () if model not in known]:
            raise InputError(
                f"--model {strange[0]}: {folder} has {apart(known)}. To have it grow by another model, say what "
                "that is asked, as --items starter."
            )
        return of_run(_run_options(options, price))
    if not models:
        raise InputError(f"{folder}: which model? Name it: --model PROVIDER/MODEL (models=).")
    return plan_new_run(_run_options(options, price)), None


def _run_options(options: BatchOptions, price: Names) -> RunOptions:
    """The same as options of a run."""
    both = {each.name for each in fields(RunOptions)} & {each.name for each in fields(BatchOptions)}
    return RunOptions(**{name: getattr(options, name) for name in both}, price=price or None)


def export(plan: Plan, to: str, per_file: int | None = None, design: Design | None = None) -> Exported:
    """Write what of a plan can be asked now, of what the design has, where that is not all of it."""
    form = _form(to)
    if per_file is not None and per_file < 1:
        raise InputError(f"--per-file {per_file}: give 1 or more.")
    _refuse_unsendable(plan, form)
    refuse_misfit(plan)
    if not (plan.out / MANIFEST).exists():
        begin(plan)
    with Journal(plan.out / REPLIES):  # the holder of the journal may change the folder
        refuse_misfit(plan)
        keep_accepted(plan.out, plan.accept_ends)
        found, requests = current(plan)
        if not found.wanted:
            return Exported(plan.out, [], 0, found.out, found.behind, ended=found.ended)
        manifest = grow(plan) if design is None else _with_design(plan.out, design, plan.item_set)
        grow_prompts(plan.out, manifest.prompts, plan.asked_prompts)
        files = _write(plan, form, per_file, found.wanted, requests)
        _note(plan, form, manifest, len(found.wanted))
    return Exported(plan.out, files, len(found.wanted), found.out, found.behind, found.capped, found.ended)


def foreseen_round(plan: Plan, to: str) -> NextRound:
    """What an export would write. Writes nothing, and refuses what it would."""
    _refuse_unsendable(plan, _form(to))
    refuse_misfit(plan)
    return current(plan)[0]


def batch_prices(prices: Mapping[str, Price]) -> Mapping[str, Price]:
    """What models cost in a batch."""
    return {model: in_batch(price) for model, price in prices.items()}


def _refuse_unsendable(plan: Plan, form: BatchForm) -> None:
    """Raise InputError where a model is not asked in the format of these files, and where replies would be begun for
    it: whether that is honoured shows only in a probe beforehand, and nobody probes the server of a batch.
    """
    for name in plan.item_set.experiments:
        if "prefill" in EXPERIMENTS[name].needs:
            raise InputError(
                f"{name} begins replies for the model, and in a batch nobody can probe whether the server goes on with "
                "them. Ask it with `selfexec run`, and leave it out here: --experiment names those to export."
            )
    for one in plan.respondents:
        batch_place(one.asked, one.connections[0], form)


def _form(to: str) -> BatchForm:
    if to not in FORMS:
        raise InputError(f"batch files for {to!r}: there are {', '.join(FORMS)}.")
    return FORMS[to]


# --- which sessions --------------------------------------------------------------------------------------------------


def current(plan: Plan) -> tuple[NextRound, Requests]:
    """What can be asked now, and all that was exported before."""
    begun = (plan.out / MANIFEST).exists()
    known = stored_replies(plan.out, plan.accept_ends) if begun else {}
    requests = requests_of(plan.out) if begun else Requests()
    return run_coroutine(_round(plan, known, Requests() if plan.again else requests)), requests


async def _round(plan: Plan, known: Mapping[Key, Reply], requests: Requests) -> NextRound:
    found = NextRound([])
    for job in plan.jobs():
        state = await job_state(plan, job, known, requests)
        cap = plan.caps.calls
        if state.due and cap is not None and len(found.wanted) + len(state.due) > cap and found.wanted:
            found.capped = True
            break
        found.wanted += state.due.values()
        found.out += len(state.out)
        found.ended += len(state.not_asked_again)
        if state.due or state.out:  # what waits for an ended one alone does not follow
            found.behind += len(set(plan.keys(job)) - state.seen)
    return found


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
    plan: Plan, form: BatchForm, per_file: int | None, wanted: Sequence[DueCall], requests: Requests
) -> list[WrittenFile]:
    """Write the files, and then down what is in them."""
    folder = plan.out / BATCHES
    ids = dict(custom_ids(requests, (one.key for one in wanted)))
    by_model: dict[str, list[DueCall]] = defaultdict(list)
    for one in wanted:
        by_model[one.key.model].append(one)
    time, files, noted = invocations.now(), [], []
    try:
        folder.mkdir(exist_ok=True)
        for model, some in by_model.items():
            respondent = next(one for one in plan.respondents if one.name == model)
            where = batch_place(respondent.asked, respondent.connections[0], form)
            stem = f"{requests.rounds + 1}-{_plain(model, by_model)}"
            lines = ((one, batch_request(ids[one.key], where, plan.call(one.key, one.messages), form)) for one in some)
            for path, inside, size in written_files(folder, stem, form, per_file, lines):
                files.append(WrittenFile(path, model, len(inside), size))
                noted += [
                    ExportedRequest(
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


def written_files(
    folder: Path, stem: str, form: BatchForm, per_file: int | None, lines: Iterable[tuple[DueCall, bytes]]
) -> Iterator[tuple[Path, list[DueCall], int]]:
    """Write requests to as many files as the provider's limits ask for: each file, what is in it, and its bytes."""
    most = min(form.most_requests or per_file or 10**9, per_file or 10**9)
    around = len(form.head) + len(form.tail)
    number, inside, parts, size = 1, [], [], around  # type: int, list[DueCall], list[bytes], int

    def written() -> tuple[Path, list[DueCall], int]:
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
    invocation = invocations.begun(plan.command, addresses, plan.study)
    invocation = msgspec.structs.replace(invocation, end=invocation.begin, calls=calls)
    written = invocations.kept([*manifest.invocations, invocation])
    write_manifest(plan.out, msgspec.structs.replace(manifest, invocations=written))
