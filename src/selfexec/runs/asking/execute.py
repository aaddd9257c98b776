"""Run experiments: open every session that is still wanted, and keep each reply as it comes."""

import asyncio
import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from selfexec.engines import Call, Engine, Outcome, Respondent, Wire, finish, spared_from_sweeps, together
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key, Message, Prompt
from selfexec.facets import Condition, in_condition
from selfexec.items import Preset
from selfexec.runs import sittings
from selfexec.runs.arguments import Names, names, tells_wrong_names
from selfexec.runs.asking.caps import Caps, Spent
from selfexec.runs.asking.estimate import Estimate, estimate
from selfexec.runs.asking.growing import begin, grow, refuse_misfit, sitting
from selfexec.runs.asking.one_session import reply_to
from selfexec.runs.asking.plan import Choices, Plan, SamplingProtocol, Visit, planned
from selfexec.runs.asking.progress import Progress, Report, heartbeat, shown_progress
from selfexec.runs.asking.remaining import NOT_ASKED, Standing, counted, kinds, standing
from selfexec.runs.asking.remarks import remarks
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.asking.suspected_filters import Doubts, filter_warnings
from selfexec.runs.folder import (
    MANIFEST,
    REPLIES,
    load_manifest,
)
from selfexec.runs.records import Reply
from selfexec.runs.run import Run, load
from selfexec.runs.shards import Owner, leave_mark, refuse_other_cut
from selfexec.runs.store import Journal, read_journal

Visits = Iterator[tuple[Visit, Sequence[Key]]]


@tells_wrong_names("a run", report="on_progress")
def run(
    models: Names | None = None,
    *,
    experiments: Names | None = None,
    items: str | Path = "starter",
    limit: int | None = None,
    fraction: float | None = None,
    preset: Preset | None = None,
    shard: str | None = None,
    epochs: int = 1,
    facets: Mapping[str, Names] | None = None,
    max_calls: int | None = None,
    max_total_tokens: int | None = None,
    max_cost: float | None = None,
    price: Names | None = None,
    prompts: Mapping[str, str] | str | Path | None = None,
    protocol: SamplingProtocol = "default",
    out: str | Path | None = None,
    base_url: str | None = None,
    api_key_env: str | None = None,
    wire: Wire | None = None,
    headers: Mapping[str, str] | None = None,
    max_connections: int = 50,
    timeout: float = 600.0,
    stream: bool = False,
    settings: Mapping[str, Any] | None = None,
    system: str | None = None,
    extra_body: Mapping[str, Any] | None = None,
    accept_filters: bool = False,
    again: bool = False,
    on_progress: Report | None = None,
) -> Run:
    """Run experiments and keep what comes back.

    The same call continues a run that was cut short, and grows one by models, items, epochs or experiments. Works
    inside a running event loop, as in a notebook.

    Who is asked what:
      models            `provider/model` or `sim/NAME`, one or several; without any, the simulated panel
      experiments       association, restriction, difficulty: one or several; without any, all that a folder of items is
                        for, and of a set by its name those of the overall score
      items             a set (`starter`, `paper`) or a folder of item files
      limit             at most so many items per experiment
      fraction          this share of the items, above 0 and at most 1
      preset            a cut with its strata in proportion: `quick`, `standard`, `full`; instead of limit and fraction
      shard             only a share of it, "3/8" for number 3 of 8, counted from 0; `merge` joins them
      epochs            how often everything is asked
      facets            other conditions: {"facet": "level"}, or several levels; every one with every one of the others
      max_calls         open at most so many sessions now; the same call goes on from there
      max_total_tokens  ask no more once the run has taken so many tokens, in and out, with all that it took before
      max_cost          ask no more once the run has cost so many dollars, with all that it cost before
      price             what models cost, if it is not known: "IN,OUT" (dollars for a million tokens), "MODEL=IN,OUT",
                        or a file in LiteLLM's format; one or several
      prompts           other prompts, {"restriction.predict": ...}, or a file of them as `selfexec prompts` prints it
      protocol          `paper`: the sampling settings of the paper's authors; `settings` add to them
      out               the run's folder; runs/ with the names of models and items, if none is given

    How it is sent:
      base_url          any server that speaks the OpenAI chat-completions format, or that of `wire`; it may have a
                        query, which goes with every call
      api_key_env       the name of the variable that holds the key, in the environment or .env; never the key
      wire              the wire format: `openai` (chat completions), `responses`, `anthropic` or `gemini`
      headers           sent with every call, as gateways want it; they may be secrets, and are not written down
      max_connections   calls at once, at most
      timeout           seconds for one attempt
      stream            have replies sent in pieces, for gateways that cut connections on which nothing moves
      settings          sampling settings: {"temperature": 0, "execute.temperature": 1}; none is sent unless it is given
      system            a system prompt for every session
      extra_body        more fields of the request body
      accept_filters    keep errors that look like a content filter even where the model itself has said nothing
      again             ask also what is out in a batch (`export_batch`) and has not come back

      on_progress       called with the progress after each session, and every second while none ends; without it,
                        progress with real models is shown on standard error

    InputError: something that was given cannot be used, a key is not there, the folder holds another run, or the
    server refuses for good. What came back until then is kept. What else is to be known comes as a warning.
    """
    asked = None if models is None else names(models)
    choices = Choices(
        experiments=None if experiments is None else names(experiments),
        items=items,
        limit=limit,
        fraction=fraction,
        preset=preset,
        shard=shard,
        epochs=epochs,
        facets=facets or {},
        max_calls=max_calls,
        max_total_tokens=max_total_tokens,
        max_cost=max_cost,
        price=price,
        prompts=prompts,
        protocol=protocol,
        out=out,
        base_url=base_url,
        api_key_env=api_key_env,
        wire=wire,
        headers=headers or {},
        max_connections=max_connections,
        timeout=timeout,
        stream=stream,
        settings=settings or {},
        system=system,
        extra_body=extra_body or {},
        accept_filters=accept_filters,
    )
    made = {"models": asked, **choices.made, **({"again": True} if again else {})}
    plan = replace(planned(asked, choices), command=sittings.call("sx.run", made), again=again)
    return shown(plan, on_progress, 4)  # whoever called stands beyond what tells wrong names


def shown(plan: Plan, on_progress: Report | None, stacklevel: int = 3) -> Run:
    """Do what is planned, with progress on standard error where nobody else is told, and warnings as Python has them.
    `stacklevel`: of whoever called.
    """
    if on_progress is not None and not callable(on_progress):
        raise InputError(f"on_progress={on_progress!r}: give a function, which is called with the progress.")
    if on_progress or plan.all_simulated:
        return carry_out(plan, on_progress)
    progress = Progress()
    with shown_progress() as show:
        found = carry_out(plan, show, progress)
    for text in progress.warnings:
        warnings.warn(text, stacklevel=stacklevel)
    return found


def carry_out(
    plan: Plan,
    report: Report | None = None,
    progress: Progress | None = None,
    at_start: Callable[[Standing], None] | None = None,
) -> Run:
    """Do what is planned. `progress` is kept up to date, and `report` called with it after each session. `at_start` is
    told how the plan stands before anything is asked.
    """
    engine = plan.engine()
    refuse_memory(plan.respondents)
    refuse_other_cut(plan.run_folder, plan.shard)
    progress = progress or Progress()
    with ExitStack() as held:
        # of a shard, which other machines may reach too, whoever is its owner may change the folder
        owner = held.enter_context(Owner(plan.out)) if plan.shard else None
        if not (plan.out / MANIFEST).exists():
            begin(plan)
        _fill(plan, engine, report, progress, at_start, owner)
        if owner:
            owner.check()
            leave_mark(plan.out)
    found = load(plan.out)
    progress.warnings.extend(filter_warnings(found.replies))
    if not plan.all_simulated:
        sampled = {one.name: one.sampling for one in plan.respondents}
        replies = (reply for reply in found.replies.values() if reply.model in sampled)
        progress.warnings.extend(remarks(replies, lambda key: sampled[key.model].of(key.experiment, key.kind)))
    return found


def _fill(
    plan: Plan,
    engine: Engine,
    report: Report | None,
    progress: Progress,
    at_start: Callable[[Standing], None] | None,
    owner: Owner | None,
) -> None:
    """Ask what is missing in the folder of a plan."""
    with Journal(plan.out / REPLIES, owner.check if owner else None) as journal, spared_from_sweeps():
        # whoever holds the journal may change the folder
        refuse_misfit(plan)
        manifest = grow(plan)
        now = finish(standing(plan, read_journal(plan.out / REPLIES)))
        accepted = {one.name for one in plan.respondents if one.connections[0].accept_filters}
        doubts = Doubts(journal.append, now.known, accepted)
        store = _SessionStore(engine, doubts, now, report or (lambda progress: None), progress)
        if at_start:
            at_start(now)
        store.report(store.progress)
        if now.remaining:
            with sitting(plan, manifest, engine, store.progress):
                finish(_ask_all(plan, store))


def foreseen(plan: Plan) -> tuple[Standing, Estimate]:
    """How a plan stands, and what the rest of it will take. Asks and writes nothing, and refuses what a run would."""
    refuse_memory(plan.respondents)
    begun = (plan.out / MANIFEST).exists()
    now = finish(standing(plan, read_journal(plan.out / REPLIES) if begun else {}))
    return now, finish(estimate(now, load_manifest(plan.out).sittings if begun else []))


# --- the sessions ----------------------------------------------------------------------------------------------------


async def _ask_all(plan: Plan, store: "_SessionStore") -> None:
    turns = _Turns(store.standing, plan.caps, store.spent)
    lanes = together(plan.respondents)  # who is slow keeps nobody waiting who is reached elsewhere

    async def work(visits: Visits) -> None:
        while turn := await turns.next(visits):
            await store.carry_out(turn, turns)
            turns.done(turn)

    async with store.engine, heartbeat(store.report, store.progress):
        try:
            async with asyncio.TaskGroup() as group:
                for lane in lanes:
                    visits = _of_lane(store.standing, lane) if len(lanes) > 1 else store.standing.visits()
                    for _ in range(sum(connection.max_connections for connection in lane[0].connections)):
                        group.create_task(work(visits))
        finally:
            store.over = True
    store.doubts.settle()
    asked = store.progress.done + store.progress.waiting + store.progress.out
    store.progress.left = store.progress.total - asked
    store.progress.capped = turns.capped if store.progress.left else None


def _of_lane(standing: Standing, lane: Sequence[Respondent]) -> Visits:
    """What is still to be asked of some of the models."""
    models = {one.name for one in lane}
    return (visit for visit in standing.visits() if visit[0].model in models)


@dataclass(eq=False)
class _Turn:
    """A visit under way. `allowed`: how many calls it may still make; `open`: how many are being made."""

    visit: Visit
    allowed: float
    open: int = 0


class _Turns:
    """Gives out what is to be asked, in order, and no more than the calls suffice for.

    A visit is begun only where all of its sessions can be asked: a prediction without its deed is worth nothing. Where
    not even the first one fits into the calls, part of it is asked, so that the same command gets on.
    """

    def __init__(self, standing: Standing, caps: Caps, spent: Spent) -> None:
        self._keys = standing.plan.keys
        self._caps = caps
        self._spent = spent
        self._calls_left = math.inf if caps.calls is None else caps.calls
        self._under_way: list[_Turn] = []
        self._began = False
        self._short_of_calls = False
        self._over = False
        self._one_at_a_time = asyncio.Lock()
        self._changed = asyncio.Event()

    async def next(self, visits: Visits) -> _Turn | None:
        """The next turn, of what is still to be asked; None where there is none, or where the calls do not suffice."""
        async with self._one_at_a_time:
            visit, here = (None, ()) if self._over else next(visits, (None, ()))
            if visit is None:
                return None
            needed = max(1, len(self._keys(visit)) - len(here))
            # what is under way may need fewer calls than were set aside for it
            while not self._suffice(visit, needed) and self._under_way:
                self._changed.clear()
                await self._changed.wait()
            self._over = not self._suffice(visit, needed)
            self._short_of_calls = needed > self._calls_left
            if self._over and (self._began or not self._short_of_calls):
                return None
            turn = _Turn(visit, min(needed, self._calls_left))
            self._calls_left -= turn.allowed
            self._under_way.append(turn)
            self._began = True
            return turn

    def _suffice(self, visit: Visit, needed: int) -> bool:
        """Whether the caps suffice for so many calls more, with those that are set aside for what is under way."""
        if not self._caps.of_spending:
            return needed <= self._calls_left
        calls = Counter({visit.model: needed})
        for turn in self._under_way:
            calls[turn.visit.model] += int(turn.allowed) + turn.open
        return needed <= self._calls_left and not self.stopped and self._spent.suffices(self._caps, calls)

    @property
    def stopped(self) -> bool:
        """Whether a cap on tokens or dollars is reached: then no other call is begun."""
        return self._spent.reached(self._caps)

    @property
    def capped(self) -> str | None:
        """The cap on tokens or dollars that ended it, as it is said; None where it was the one on calls."""
        return None if self._short_of_calls else self._spent.said(self._caps)

    def one_more(self, turn: _Turn) -> bool:
        """Whether a turn may make one more call than was known that it needs, and that it may."""
        if self._calls_left < 1:
            return False
        self._calls_left -= 1
        turn.allowed += 1
        return True

    def done(self, turn: _Turn) -> None:
        self._calls_left += turn.allowed
        self._under_way.remove(turn)
        self._changed.set()


class _SessionStore:
    """Where the sessions of a run are asked for: it brings the reply that is already there, or asks the engine and
    writes the reply down.
    """

    def __init__(self, engine: Engine, doubts: Doubts, standing: Standing, report: Report, progress: Progress) -> None:
        self.engine = engine
        self.doubts = doubts
        self.standing = standing
        self.report = report
        self.progress = progress
        self.over = False
        self._sampling = cache(standing.plan.sampling_of)  # by model, experiment, kind of session and facets
        progress.total = standing.plan.sessions
        progress.done = standing.here + standing.unneeded.total()
        progress.out, progress.waiting = standing.out, standing.behind
        progress.unneeded += standing.unneeded
        progress.warnings = engine.warnings
        progress.prices = standing.plan.prices
        self.spent = Spent(standing.plan.prices)
        if standing.plan.caps.of_spending:
            self.spent.count_all(standing.known.values())

    async def carry_out(self, turn: _Turn, turns: _Turns) -> None:
        """Ask what is still to be asked of a visit."""
        plan, visit = self.standing.plan, turn.visit
        experiment, keys = EXPERIMENTS[visit.experiment], set(plan.keys(visit))
        opened: dict[Key, Reply] = {}  # a session that several conditions share is asked for once
        away: set[Key] = set()  # out in a batch
        capped = failed = False

        async def ask(
            condition: Condition, session: str, prompt: Prompt, *, parent: str | None = None
        ) -> Reply | Outcome:
            nonlocal capped, failed
            key, messages = in_condition(Key(*visit, session), condition), experiment.messages(prompt)
            reply = opened.get(key) or counted(self.standing.known, key, messages)
            if reply is not None:
                opened[key] = reply
                return reply
            if self.standing.requests.is_out(key, messages):
                away.add(key)
                return NOT_ASKED
            if key not in keys:  # nobody knew of it beforehand
                keys.add(key)
                self.progress.total += 1
            if turns.stopped or (turn.allowed < 1 and not turns.one_more(turn)):
                capped = True
                return NOT_ASKED
            turn.allowed -= 1
            turn.open += 1
            reply = opened[key] = await self.doubts.take(key.model, partial(self._asked, key, messages, parent))
            turn.open -= 1
            failed |= reply.failed
            self.spent.count(reply, messages)
            self.progress.count(reply)
            self.progress.done += 1
            self.report(self.progress)
            return reply

        item = plan.item_set[visit.experiment][visit.item]
        for condition, prompts in plan.asked(visit).items():
            await experiment.sessions(item, partial(ask, condition), prompts)
        rest = keys - opened.keys() - away
        if failed or away:
            self.progress.waiting += len(rest)
        elif not capped:
            self.progress.unneeded.update(kinds(rest))
            self.progress.done += len(rest)
            if rest:
                self.report(self.progress)

    async def _asked(self, key: Key, messages: tuple[Message, ...], parent: str | None) -> Reply:
        sampling = self._sampling(key.model, key.experiment, key.kind, key.facets)
        call = Call(key, messages, sampling, EXPERIMENTS[key.experiment].needs)
        return await reply_to(self.engine, call, self.progress, lambda: self.over, parent)
