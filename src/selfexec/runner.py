"""Run experiments: open every session that is still wanted, and keep each reply as it comes."""

import asyncio
import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

import selfexec
from selfexec.engines import Call, Engine, EngineOptions, engine_for
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.formats import Key, Reply
from selfexec.journal import Journal, read_journal
from selfexec.plans import Plan, plan, prompt_hashes
from selfexec.runs import (
    ITEMS,
    MANIFEST,
    REPLIES,
    Manifest,
    Run,
    create,
    grow_items,
    item_hashes,
    load,
    load_manifest,
    refuse_taken,
    write_manifest,
)

T = TypeVar("T")
Report = Callable[["Progress"], None]


@dataclass
class Progress:
    """How far a run is. Calls are sessions that were asked anew, `failures` count what did not come back, by error."""

    total: int
    done: int = 0
    calls: int = 0
    retries: int = 0
    withheld: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    output_tokens: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)


def run(models: Sequence[str] | None = None, *, report: Report | None = None, **choices: Any) -> Run:
    """Run experiments and keep what comes back; see `plan` for the choices.

    The same call continues a run that was cut short, and grows one by models, items, epochs or experiments. Works
    inside a running event loop, as in a notebook.
    """
    return carry_out(plan(models, **choices), report)


def carry_out(plan: Plan, report: Report | None = None) -> Run:
    _prepare(plan)
    engine = engine_for(plan.models, plan.item_set, plan.options)
    with Journal(plan.out / REPLIES) as journal:
        _finish(_ask_all(plan, engine, journal, report or (lambda progress: None)))
    return load(plan.out)


# --- the folder ------------------------------------------------------------------------------------------------------


def _prepare(plan: Plan) -> None:
    """Make the folder of a new run, or see to it that an old one can grow to this plan."""
    hashes = prompt_hashes({e: plan.prompts[e] for e in plan.item_set.experiments})
    settings = _settings(plan.options)
    if not (plan.out / MANIFEST).exists():
        refuse_taken(plan.out)
        create(plan.out, _manifest(plan, hashes), plan.item_set, [])
        return
    old = load_manifest(plan.out)
    if old.origin != "run":
        raise InputError(
            f"{plan.out}: this folder holds imported replies, which cannot be continued. Choose another --out."
        )
    for name, digest in hashes.items():
        if old.prompts.get(name, digest) != digest:
            raise InputError(f"{plan.out}: the prompt {name} has changed since this run began. Choose another --out.")
    for name in old.settings.keys() | settings.keys():
        before, now = old.settings.get(name), settings.get(name)
        if before != now:
            raise InputError(
                f"{plan.out}: the setting {name} was {before!r} when this run began and is {now!r} now. "
                "Choose another --out."
            )
    grown = grow_items(plan.out / ITEMS, plan.item_set)
    new = msgspec.structs.replace(
        old,
        models=list(dict.fromkeys([*old.models, *plan.models])),
        experiments=list(grown.experiments),
        epochs=max(old.epochs, plan.epochs),
        items=item_hashes(grown),
        prompts=old.prompts | hashes,
    )
    if new != old:
        write_manifest(plan.out, new)


def _settings(options: EngineOptions) -> dict[str, Any]:
    """What changes the replies. How fast and from where they are asked does not."""
    named = {"system": options.system} if options.system else {}
    extra = {f"extra_body.{name}": value for name, value in options.extra_body.items()}
    return {**options.settings, **named, **extra}


def _manifest(plan: Plan, hashes: dict[str, str]) -> Manifest:
    return Manifest(
        selfexec=selfexec.__version__,
        origin="run",
        models=plan.models,
        experiments=list(plan.item_set.experiments),
        epochs=plan.epochs,
        items=item_hashes(plan.item_set),
        prompts=hashes,
        settings=_settings(plan.options),
    )


# --- the sessions ----------------------------------------------------------------------------------------------------


async def _ask_all(plan: Plan, engine: Engine, journal: Journal, report: Report) -> None:
    known = read_journal(plan.out / REPLIES)
    progress = Progress(plan.sessions, warnings=engine.warnings)
    visits = plan.visits()

    async def work() -> None:
        for model, experiment, item, epoch in visits:
            asker = _Asker(engine, journal, known, model, experiment, item.id, epoch, progress, report)
            await EXPERIMENTS[experiment].sessions(item, asker, plan.prompts[experiment])

    async with engine, asyncio.TaskGroup() as group:
        for _ in range(plan.options.max_connections):
            group.create_task(work())


@dataclass(frozen=True, slots=True)
class _Asker:
    """`ask` of one item: it brings the reply that is already there, or asks the engine and writes the reply down."""

    engine: Engine
    journal: Journal
    known: Mapping[Key, Reply]
    model: str
    experiment: str
    item: str
    epoch: int
    progress: Progress
    report: Report

    async def __call__(self, session: str, prompt: str) -> Reply:
        key = Key(self.model, self.experiment, self.item, self.epoch, session)
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        reply = self.known.get(key)
        # a judge's prompt holds the response: where that was asked again, so is the judge
        if reply is None or reply.failed or reply.prompt_sha256 != digest:
            reply = await self._asked(key, prompt, digest)
            self.journal.append(reply)
            # replies that come in the same turn of the loop are written together, by whoever is first in the next one;
            # a disk that is full is then this task's fault, not one that the loop swallows
            await asyncio.sleep(0)
            self.journal.flush()
            self._count(reply)
        self.progress.done += 1
        self.report(self.progress)
        return reply

    def _count(self, reply: Reply) -> None:
        progress = self.progress
        progress.calls += 1
        progress.retries += (reply.attempt or 1) - 1
        progress.withheld += reply.withheld_by is not None
        if reply.failed:
            progress.failures[(reply.error or "no text").split(" (")[0][:60]] += 1
        if reply.output_tokens:
            progress.output_tokens[reply.session.split(".")[0]] += reply.output_tokens

    async def _asked(self, key: Key, prompt: str, digest: str) -> Reply:
        started = time.perf_counter()
        o = await self.engine.ask(Call(self.model, self.experiment, key.session, prompt, self.epoch))
        return Reply(
            model=key.model,
            experiment=key.experiment,
            item=key.item,
            epoch=key.epoch,
            session=key.session,
            text=o.text,
            output_tokens=o.output_tokens,
            error=o.error,
            prompt_sha256=digest,
            input_tokens=o.input_tokens,
            reasoning_tokens=o.reasoning_tokens,
            reasoning=o.reasoning,
            stop_reason=o.stop_reason,
            refusal=o.refusal,
            served_model=o.served_model,
            fingerprint=o.fingerprint,
            attempt=o.attempt,
            latency=round(time.perf_counter() - started, 6),
            time=datetime.now(UTC).isoformat(timespec="seconds"),
        )


def _finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_unwrapped(work))
    result: list[T] = []
    failure: list[BaseException] = []

    def in_thread() -> None:
        try:
            result.append(asyncio.run(_unwrapped(work)))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]


async def _unwrapped(work: Coroutine[Any, Any, T]) -> T:
    """A fault of one task is raised as itself, not as a group of faults."""
    try:
        return await work
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None
