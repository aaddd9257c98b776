"""Run experiments: open every session that is still wanted, and keep each reply as it comes."""

import asyncio
import hashlib
import math
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

import selfexec
from selfexec.engines import Call, Engine, EngineOptions, Outcome, engine_for, in_process
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.formats import Key, Reply
from selfexec.journal import Journal, read_journal
from selfexec.loops import finish, spared_from_sweeps
from selfexec.memory import refuse_shared
from selfexec.plans import Plan, plan, prompt_hashes
from selfexec.progress import Progress, Report, shown_progress
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

NOT_ASKED = Outcome(None, error="not asked")


def run(models: Sequence[str] | None = None, *, report: Report | None = None, **choices: Any) -> Run:
    """Run experiments and keep what comes back.

    The choices are those of `selfexec.plans.plan`: experiments, items, limit, fraction, preset, epochs, max_calls,
    prompts, protocol, out, base_url, wire, api_key_env, headers, max_connections, timeout, settings, system,
    extra_body. `report` is called with the progress after each session; without it, progress with real models is shown
    on standard error.

    The same call continues a run that was cut short, and grows one by models, items, epochs or experiments. Works
    inside a running event loop, as in a notebook.
    """
    planned = plan(models, **choices)
    if report or in_process(planned.models, planned.options):
        return carry_out(planned, report)
    progress = Progress()
    with shown_progress() as show:
        found = carry_out(planned, show, progress)
    for text in progress.warnings:
        warnings.warn(text, stacklevel=2)
    return found


def carry_out(plan: Plan, report: Report | None = None, progress: Progress | None = None) -> Run:
    """Do what is planned. `progress` is kept up to date, and `report` called with it after each session."""
    engine = engine_for(plan.models, plan.item_set, plan.options)
    if not in_process(plan.models, plan.options):
        for model in plan.models:
            refuse_shared(model, plan.options.base_url)
    hashes = prompt_hashes({e: plan.prompts[e] for e in plan.item_set.experiments})
    if not (plan.out / MANIFEST).exists():
        refuse_taken(plan.out)
        create(plan.out, _manifest(plan, hashes), plan.item_set, [])
    with Journal(plan.out / REPLIES) as journal, spared_from_sweeps():
        # whoever holds the journal may change the folder
        _grow(plan, hashes)
        finish(_ask_all(plan, engine, journal, report or (lambda progress: None), progress or Progress()))
    return load(plan.out)


# --- the folder ------------------------------------------------------------------------------------------------------


def _grow(plan: Plan, hashes: dict[str, str]) -> None:
    """See to it that the run can grow to this plan, and write down that it does."""
    old = load_manifest(plan.out)
    if old.origin != "run":
        raise InputError(
            f"{plan.out}: this folder holds imported replies, which cannot be continued. Choose another --out."
        )
    for name, digest in hashes.items():
        if old.prompts.get(name, digest) != digest:
            raise InputError(f"{plan.out}: the prompt {name} has changed since this run began. Choose another --out.")
    settings = _settings(plan.options)
    for name in old.settings.keys() | settings.keys():
        before, now = old.settings.get(name), settings.get(name)
        if before != now:
            raise InputError(
                f"{plan.out}: the setting {name} was {before!r} when this run began and is {now!r} now. "
                "Choose another --out."
            )
    grown = grow_items(plan.out / ITEMS, plan.item_set)
    items = item_hashes(grown)
    new = msgspec.structs.replace(
        old,
        models=list(dict.fromkeys([*old.models, *plan.models])),
        experiments=list(grown.experiments),
        epochs=max(old.epochs, plan.epochs),
        items=items,
        prompts=old.prompts | hashes,
        # the name of a cut holds as long as the items are just those of the cut
        preset=plan.preset if items == item_hashes(plan.item_set) else old.preset if items == old.items else None,
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
        preset=plan.preset,
    )


# --- the sessions ----------------------------------------------------------------------------------------------------


async def _ask_all(plan: Plan, engine: Engine, journal: Journal, report: Report, progress: Progress) -> None:
    progress.total, progress.warnings = plan.sessions, engine.warnings
    desk = _Desk(engine, journal, read_journal(plan.out / REPLIES), progress, report, plan.max_calls)
    visits = plan.visits()

    async def work() -> None:
        for model, experiment, item, epoch in visits:
            await EXPERIMENTS[experiment].sessions(
                item, partial(desk.ask, model, experiment, item.id, epoch), plan.prompts[experiment]
            )

    async with engine, asyncio.TaskGroup() as group:
        for _ in range(plan.options.max_connections):
            group.create_task(work())


class _Desk:
    """Where the sessions of a run are asked for: it brings the reply that is already there, or asks the engine and
    writes the reply down.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        known: Mapping[Key, Reply],
        progress: Progress,
        report: Report,
        max_calls: int | None,
    ) -> None:
        self.engine = engine
        self.journal = journal
        self.known = known
        self.progress = progress
        self.report = report
        self.calls_left = math.inf if max_calls is None else max_calls

    async def ask(
        self, model: str, experiment: str, item: str, epoch: int, session: str, prompt: str
    ) -> Reply | Outcome:
        key = Key(model, experiment, item, epoch, session)
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        reply = self.known.get(key)
        # a judge's prompt holds the response: where that was asked again, so is the judge
        if reply is None or reply.failed or reply.prompt_sha256 != digest:
            if self.calls_left < 1:
                self.progress.left += 1
                return NOT_ASKED
            self.calls_left -= 1
            reply = await self._asked(key, prompt, digest)
            self.journal.append(reply)
            self.progress.count(reply)
        self.progress.done += 1
        self.report(self.progress)
        return reply

    async def _asked(self, key: Key, prompt: str, digest: str) -> Reply:
        started = time.perf_counter()
        o = await self.engine.ask(Call(key.model, key.experiment, key.session, prompt, key.epoch))
        return Reply.of(key, o, time.perf_counter() - started, digest)
