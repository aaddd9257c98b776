"""Show stored replies to a judge, each in a fresh session, and keep what it says."""

import asyncio
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from selfexec.engines import Call, Engine, Wire, all_simulated, engine_for, finish, sent_to, spared_from_sweeps
from selfexec.runs import sittings
from selfexec.runs.arguments import Names, loaded, names, tells_wrong_names
from selfexec.runs.asking.caps import Spent
from selfexec.runs.asking.one_session import reply_to
from selfexec.runs.asking.progress import Progress, Report, heartbeat, shown_progress
from selfexec.runs.asking.shared_memory import refuse_memory
from selfexec.runs.asking.suspected_filters import Doubts
from selfexec.runs.judging.plan import Case, JudgingPlan, plan
from selfexec.runs.judging.records import (
    JUDGE_REPLIES,
    Judge,
    JudgeReply,
    judgements_of,
    keep_judgements,
    load_judges,
    read_judge_replies,
    write_judges,
)
from selfexec.runs.run import Run, load
from selfexec.runs.store import Journal


@tells_wrong_names("judging", report="on_progress")
def judge(
    run: Run | str | Path,
    judge: str,
    *,
    name: str | None = None,
    models: Names = (),
    experiments: Names = (),
    max_calls: int | None = None,
    max_total_tokens: int | None = None,
    max_cost: float | None = None,
    price: Names | None = None,
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
    on_progress: Report | None = None,
) -> Run:
    """Have another model judge the stored replies of a run, each in a fresh session, and bring the run with what it
    said: the source `judge:NAME`, which scores by `source="judge:NAME"` count.

    What is judged already is not asked again, so that the same call goes on where one ended; a reply that has changed
    since is. Only experiments whose replies are judged have any: restriction. Where it is named, the questions of
    failing_question are answered for their keys, by others than who wrote them: the source `majority`.

    Who judges what:
      run               a run or its folder; replies in it stay as they are
      judge             `provider/model` or `sim/NAME`
      name              what the judge goes by, the model's name unless you say: one model with other settings is
                        another judge
      models            only replies of these models
      experiments       only these
      max_calls         open at most so many sessions now
      max_total_tokens  ask no more once this judge has taken so many tokens, in and out, with all that it took before
      max_cost          ask no more once this judge has cost so many dollars, with all that it cost before
      price             what the judge costs, if it is not known: "IN,OUT" (dollars for a million tokens), or a file in
                        LiteLLM's format

    How it is sent:
      base_url          any server that speaks the OpenAI chat-completions format, or that of `wire`; it may have a
                        query, which goes with every call
      api_key_env       the name of the variable that holds the key, in the environment or .env; never the key
      wire              the wire format: `openai` (chat completions), `responses`, `anthropic` or `gemini`
      headers           sent with every call, as gateways want it; they may be secrets, and are not written down
      max_connections   calls at once, at most
      timeout           seconds for one attempt
      stream            have replies sent in pieces, for gateways that cut connections on which nothing moves
      settings          sampling settings: {"temperature": 0}; none is sent unless it is given
      system            a system prompt for every session
      extra_body        more fields of the request body
      accept_filters    keep errors that look like a content filter even where the judge itself has said nothing

      on_progress       called with the progress after each session; without it, progress with real models is shown on
                        standard error

    InputError: something that was given cannot be used, a key is not there, a judge of this name has judged with other
    settings, or the server refuses for good. What came back until then is kept.
    """
    choices: dict[str, Any] = {
        "name": name,
        "models": names(models) or None,
        "experiments": names(experiments) or None,
        "max_calls": max_calls,
        "max_total_tokens": max_total_tokens,
        "max_cost": max_cost,
        "price": price,
        "base_url": base_url,
        "api_key_env": api_key_env,
        "wire": wire,
        "headers": headers or None,
        "stream": stream or None,
        "settings": settings or None,
        "system": system,
        "extra_body": extra_body or None,
        "accept_filters": accept_filters or None,
    }
    given = {choice: value for choice, value in choices.items() if value is not None}
    [there] = loaded(run)
    planned = plan(there, judge, max_connections=max_connections, timeout=timeout, **given)
    planned = replace(planned, command=sittings.call("sx.judge", {"judge": judge, **given}))
    if on_progress or all_simulated([judge], planned.connection):
        return carry_out(planned, on_progress)
    progress = Progress()
    with shown_progress() as show:
        found = carry_out(planned, show, progress)
    for text in progress.warnings:
        warnings.warn(text, stacklevel=3)  # of whoever called, beyond what tells wrong names
    return found


def carry_out(plan: JudgingPlan, report: Report | None = None, progress: Progress | None = None) -> Run:
    """Do what is planned, and bring the run with its judgements. `progress` is kept up to date, and `report` called
    with it after each session.
    """
    engine = engine_for([plan.model], plan.run.items, plan.connection)
    refuse_memory([plan.respondent])
    progress = progress or Progress()
    with Journal(plan.folder / JUDGE_REPLIES) as journal, spared_from_sweeps():
        # whoever holds the journal knows what is there
        plan = replace(plan, known=read_judge_replies(plan.folder / JUDGE_REPLIES, plan.name))
        progress.total, progress.done = len(plan.cases), len(plan.here)
        progress.warnings, progress.prices = engine.warnings, plan.prices
        try:
            if plan.open:
                with _sitting(plan, engine, progress):
                    finish(_ask_all(plan, engine, journal, report or (lambda progress: None), progress))
        finally:
            said = read_judge_replies(plan.folder / JUDGE_REPLIES, plan.name)
            judged = replace(plan, known=said).here
            keep_judgements(plan.folder, judgements_of(plan.run, judged))
    found = load(plan.folder)
    return replace(found, given=plan.run.given, told_by=plan.run.told_by)


def foreseen(plan: JudgingPlan) -> int:
    """How many sessions remain to be asked. Asks and writes nothing, and refuses what judging would."""
    refuse_memory([plan.respondent])
    return len(plan.open)


async def _ask_all(plan: JudgingPlan, engine: Engine, journal: Journal, report: Report, progress: Progress) -> None:
    cases, over = iter(plan.open), False
    spent, under_way, changed = Spent(plan.prices), 0, asyncio.Event()
    spent.count_all(plan.known.values())
    doubts = Doubts(journal.append, plan.known, {plan.model} if plan.connection.accept_filters else ())
    calls_left = len(plan.open) if plan.caps.calls is None else plan.caps.calls

    async def following() -> Case | None:
        """The next case; None where there is none, or where the caps do not suffice for it."""
        nonlocal under_way, calls_left
        while calls_left and not spent.reached(plan.caps):
            if spent.suffices(plan.caps, Counter({plan.model: under_way + 1})):
                case = next(cases, None)
                under_way, calls_left = under_way + (case is not None), calls_left - (case is not None)
                return case
            if not under_way:
                return None
            changed.clear()  # what is under way may take less than was set aside for it
            await changed.wait()
        return None

    async def work() -> None:
        nonlocal under_way
        while (case := await following()) is not None:
            sampling = sent_to(plan.model, plan.connection, plan.sampling.of(case.asked.experiment, case.asked.kind))
            call = Call(case.asked, case.messages, sampling)

            async def ask(call: Call = call, case: Case = case) -> JudgeReply:
                reply = await reply_to(engine, call, progress, lambda: over)
                fields = msgspec.structs.asdict(reply)
                return JudgeReply(**fields, name=plan.name, subject=case.judged.model, judged=case.judged.session)

            reply = await doubts.take(plan.model, ask)
            under_way -= 1
            spent.count(reply, case.messages)
            progress.count(reply)
            progress.done += 1
            changed.set()
            report(progress)

    async with engine, heartbeat(report, progress):
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(plan.connection.max_connections, len(plan.open))):
                    group.create_task(work())
        finally:
            over = True
    doubts.settle()
    progress.left = progress.total - progress.done
    if progress.left and calls_left:
        progress.capped = spent.said(plan.caps)


@contextmanager
def _sitting(plan: JudgingPlan, engine: Engine, progress: Progress) -> Iterator[None]:
    """Write down when this judge judges, how it was called, and when it is done. Where no call came of it, nothing."""
    judges = load_judges(plan.folder)
    before = judges.get(plan.name)
    judge = plan.judge
    if before:
        judge = msgspec.structs.replace(judge, prompts={**before.prompts, **judge.prompts}, sittings=before.sittings)
    begun = sittings.begun(plan.command, engine.addresses)

    def write(*more: sittings.Sitting) -> None:
        kept: Judge = msgspec.structs.replace(judge, sittings=sittings.kept([*judge.sittings, *more]))
        write_judges(plan.folder, {**judges, plan.name: kept} if more or before else judges)

    with sittings.noted(begun, write, progress):
        yield
