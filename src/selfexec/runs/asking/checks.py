"""Try a model before a run: a few sessions of each kind, and whether sessions know of each other."""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from selfexec.engines import (
    Call,
    Checking,
    Connection,
    ConnectionCheck,
    Engine,
    Notices,
    Sampling,
    check_settings,
    engine_for,
    engine_in_words,
    engine_type,
    refuse_unable,
    refuse_unsendable,
    refuse_unsent,
    run_coroutine,
    sent_to,
)
from selfexec.errors import InputError, Interrupted
from selfexec.experiments import EXPERIMENTS, AskFunction, Capability, Injection, Item, Key, Prompt
from selfexec.items import ItemSet
from selfexec.items import load as load_items
from selfexec.options import names, part_of
from selfexec.readers import Reading, most_tokens
from selfexec.run_options import STARTER, CheckOptions
from selfexec.runs.arguments import takes
from selfexec.runs.asking.paper_items import at_hand
from selfexec.runs.asking.remarks import remarks
from selfexec.runs.asking.shared_memory import Memory, note, sessions_share_memory, shared_message
from selfexec.runs.ends import as_typed, why_unknown, with_accepted_end
from selfexec.runs.readings import KEPT_STATE, is_kept, read_reply, state_shown
from selfexec.runs.reply import Reply, ended_with
from selfexec.runs.server_notices import notices_among
from selfexec.text.numbers import dollars, number_of
from selfexec.text.printable import harmless_line
from selfexec.text.tables import as_html, as_text, beginning

COLUMNS = ("experiment", "session", "state", "value", "in", "out", "thought", "finish", "s")
TOKENS = ("in", "out", "thought")
Sent = Callable[[str, str], Mapping[str, Any]]  # what is sent with a kind of session of an experiment
EXCERPT = 100  # characters of a reply that could not be read which are shown, from its beginning and from its end


@dataclass(frozen=True)
class TriedSession:
    """One session that was tried."""

    call: Call
    item: Item
    reply: Reply
    reading: Reading


@dataclass(frozen=True)
class Check:
    """What came of trying a model. `shared_memory`: whether a session knew what was said in another. `swapping` are
    addresses that sent an answer which no call was waiting for, so that no reply is certain to answer its prompt.
    """

    model: str
    tried: Sequence[TriedSession]
    shared_memory: bool
    notes: Sequence[str]
    swapping: Sequence[str] = ()

    @property
    def failed(self) -> int:
        """Sessions from which nothing came back."""
        return sum(t.reply.failed for t in self.tried)

    @property
    def ready(self) -> bool:
        """Whether a run can be made: everything came back, each kind of session could be read, none knew of another."""
        return not self._obstacles

    @property
    def verdict(self) -> str:
        """In one line whether a run can be made, and what is in the way."""
        if self._obstacles:
            return f"not ready: {'; '.join(self._obstacles)}"
        return f"ready: {self.model} can be asked, as far as these {number_of(len(self.tried), 'session')} can tell"

    @property
    def _obstacles(self) -> Sequence[str]:
        return list(_obstacles(self.tried, self.shared_memory, self.swapping))

    def table(self, width: int = 120, *, styled: bool = False) -> str:
        """What came of each session, what was found, and the verdict, as text of so many columns."""
        columns, rows = self._grid
        return "\n".join([as_text(self._title, columns, rows, width, styled=styled), *self.notes, self.verdict])

    def json(self) -> str:
        """Verdict, sessions with what they said and what they cost in tokens, and notes."""
        sessions = [
            t.reply.key.fields()
            | {"state": t.reading.state, "reason": t.reading.reason, "value": t.reading.value, "text": t.reply.text}
            | {name: getattr(t.reply, name) for name in ("input_tokens", "output_tokens", "reasoning_tokens", "error")}
            for t in self.tried
        ]
        found = {"model": self.model, "ready": self.ready, "verdict": self.verdict, "sessions": sessions}
        found |= {"shared_memory": self.shared_memory, "notes": list(self.notes)}
        return msgspec.json.format(msgspec.json.encode(found), indent=1).decode()

    @property
    def _title(self) -> str:
        counted = [column for column in self._grid[0] if column in TOKENS]
        tokens = f"; {', '.join(counted)}: tokens" if counted else ""
        return f"{self.model}: one item of each kind{tokens}; s: seconds"

    @property
    def _grid(self) -> tuple[list[str], list[list[str]]]:
        """The columns that hold anything, and the rows."""
        rows = [session_row(t) for t in self.tried]
        filled = [n for n, _ in enumerate(COLUMNS) if any(row[n] for row in rows)]
        return [COLUMNS[n] for n in filled], [[row[n] for n in filled] for row in rows]

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return beginning(str(self))

    def _repr_html_(self) -> str:
        return as_html(self._title, *self._grid, [*self.notes, self.verdict])


@takes(CheckOptions, "a check")
def check(options: CheckOptions) -> Check:
    """Ask one item of each kind (18 calls with the starter items), and try whether sessions share memory.

    Where they do, `sx.run` refuses this model at this address until a later check finds otherwise. `max_connections`
    and `accept_filters` are taken so that one set of options does for `sx.run` and this: a check asks one session after
    the other, and stops where its code word ends in an error that looks like a content filter.

    Args:
        model: `provider/model` or `sim/NAME`.

    Returns:
        What came of each session, and whether the model is ready for a run.

    Raises:
        InputError: Something that was given cannot be used, a key is not there, or the server refuses for good.
    """
    return carry_out_check(options)


def carry_out_check(options: CheckOptions) -> Check:
    """What `check` brings."""
    model, sampling = options.model, part_of(options, Sampling)
    # a person who tries a model is there, and wants to know at once that the server is not
    connection = dataclasses.replace(part_of(options, Connection), patience=0.0)
    item_set = load_items(at_hand(options.items) or STARTER)
    item_set = item_set.cut(names(options.experiments or ()) or item_set.usual)
    refuse_unsendable("--model", model)
    check_settings(sampling, item_set.experiments)
    refuse_unable([model], item_set.experiments, connection)
    refuse_unsent(model, connection, sampling)
    engine = engine_for([model], item_set, connection)

    def sent(experiment: str, kind: str) -> Mapping[str, Any]:
        return sent_to(model, connection, sampling.of(experiment, kind))

    for experiment in item_set.experiments:
        for kind in EXPERIMENTS[experiment].prompts:
            sent(experiment, kind)  # refuses what its engine cannot do
    asked_by = engine_type(model, connection)
    can = asked_by.capabilities(model, connection)
    accepted = tuple(options.accept_ends or ())
    try:
        checked = run_coroutine(
            _check(model, item_set, engine, options.base_url, sent, accepted, can, is_simulated=asked_by.simulated)
        )
    except Interrupted as fault:
        raise InputError(f"{fault.obstacle} Check again when that is over; a check keeps no replies.") from None
    if model in engine.addresses:
        asked = f"asked in {engine_in_words(model, connection)} (--wire names another)"
        checked = dataclasses.replace(checked, notes=[asked, *checked.notes])
    return checked


async def _check(
    model: str,
    item_set: ItemSet,
    engine: Engine,
    base_url: str | None,
    sent: Sent,
    accept_ends: Collection[str] = (),
    can: frozenset[Capability] = frozenset(),
    *,
    is_simulated: bool = False,
) -> Check:
    """`accept_ends`: words for unknown ends with which replies count; `can` is what the engine can carry; of a model
    that is simulated in this process no server has said anything.
    """
    connections: list[ConnectionCheck] = []
    if isinstance(engine, Checking):
        engine.report_checks(connections.append)
    async with engine:
        told = await engine.notices(model) if isinstance(engine, Notices) else ()
        memory = await sessions_share_memory(engine, model, sent("check", "memory"), accept_ends)
        if memory.is_sure:
            note(model, base_url, memory.shared)
        tried: list[TriedSession] = []
        for experiment, item in _samples(item_set):
            definition = EXPERIMENTS[experiment]
            asked: dict[str, TriedSession] = {}
            ask = partial(_ask, engine, sent, accept_ends, asked, Key(model, experiment, item.id, 1, ""), item)
            await definition.sessions(item, AskFunction(ask, can), definition.prompts)
            # some are asked at once, and come as they like
            tried += [asked[session] for session in definition.in_order(item, asked)]
        # a cache on the way shows where the same is asked twice
        first = tried[0]
        again = await _try(engine, first.item, replace(first.call, key=first.call.key._replace(epoch=2)), accept_ends)
    replies = [] if is_simulated else [t.reply for t in [*tried, again]]
    odd = remarks(replies, lambda key: sent(key.experiment, key.session_kind), notices_among(replies))
    notes = [
        *findings_of(tried, again, memory, model),
        *(f"warning: {text}" for text in [*told, *engine.warnings, *odd]),
    ]
    swapping = sorted({check.address for check in connections if check.result == "swapped"})
    return Check(model, tried, memory.shared, notes, swapping)


def _samples(item_set: ItemSet) -> Iterator[tuple[str, Item]]:
    """The first item of each experiment; of requests the first safe and the first unsafe one."""
    for experiment, by_id in item_set.items.items():
        seen = set()
        for item in by_id.values():
            kind, _ = EXPERIMENTS[experiment].strata(item)
            if kind not in seen:
                seen.add(kind)
                yield experiment, item


async def _ask(
    engine: Engine,
    sent: Sent,
    accept_ends: Collection[str],
    tried: dict[str, TriedSession],
    place: Key,
    item: Item,
    session: str,
    prompt: Prompt,
    *,
    parent: str | None = None,
    injection: Injection | None = None,
) -> Reply:
    key, experiment = place._replace(session=session), EXPERIMENTS[place.experiment]
    call = Call(key, experiment.messages(prompt), sent(key.experiment, key.session_kind), experiment.needs, injection)
    tried[session] = await _try(engine, item, call, accept_ends, parent)
    return tried[session].reply


async def _try(
    engine: Engine, item: Item, call: Call, accept_ends: Collection[str], parent: str | None = None
) -> TriedSession:
    started = asyncio.get_running_loop().time()
    outcome = await engine.ask(call)
    came = Reply.of(call.key, outcome, asyncio.get_running_loop().time() - started, parent=parent)
    reply = with_accepted_end(came, accept_ends)
    return TriedSession(call, item, reply, read_reply(item, reply))


def session_row(t: TriedSession) -> list[str]:
    r = t.reply
    kept = is_kept(r.key)
    state = t.reading.state if t.reading.reason is None else f"{t.reading.state}: {t.reading.reason}"
    numbers = ("" if n is None else f"{n:,}" for n in (r.input_tokens, r.output_tokens, r.reasoning_tokens))
    value = harmless_line(r.text or "") if kept else "" if t.reading.value is None else str(t.reading.value)
    short = value if len(value) <= 30 else value[:29] + "…"
    state = KEPT_STATE if _kept(t) else state[:36]
    cells = [
        r.experiment,
        r.session,
        state,
        short,
        *numbers,
        r.stop_reason or r.unknown_end or "",
        f"{r.latency or 0:.1f}",
    ]
    return list(map(harmless_line, cells))


def _kept(t: TriedSession) -> bool:
    return state_shown(t.reply.key, t.reading) == KEPT_STATE


def findings_of(tried: Sequence[TriedSession], again: TriedSession, memory: Memory, model: str) -> Iterator[str]:
    """What to know before money is spent, one line each; `again` is the first session, asked a second time."""
    yield (
        f"calls: {len(tried) + 1 + memory.calls}, the {len(tried)} above, the first prompt once more (is there a "
        f"cache?) and {memory.calls} about made-up words (is there a memory?)"
    )
    kept = sum(_kept(t) for t in tried)
    asked = [t for t in tried if not is_kept(t.reply.key) and not t.reply.failed]
    unread = [t for t in asked if t.reading.state == "unreadable"]
    yield (
        f"format: {len(asked) - len(unread)} of {number_of(len(asked), 'reply', 'replies')} could be read"
        + (
            " (" + ", ".join(f"{t.reply.experiment} {t.reply.session}: {t.reading.reason}" for t in unread) + ")"
            if unread
            else ""
        )
        + (f"; {number_of(kept, 'response is', 'responses are')} kept, not read" if kept else "")
    )
    yield from (f"  {t.reply.experiment} {t.reply.session} said: {excerpt(t.reply.text or '')}" for t in unread)
    for t in tried:
        if t.reply.ended_unknown:
            text = t.reply.unknown_end_text
            what = f"with the text {excerpt(text)}" if text else "without any text"
            yield f"  {t.reply.experiment} {t.reply.session} {ended_with(t.reply.unknown_end)}, {what}"
    came = [t.reply for t in tried if not t.reply.failed]
    if any(reply.output_tokens is None for reply in came):
        yield "tokens: not counted by this server; in difficulty, pairs alike in correctness will be missing"
    elif came:
        prompts = "" if any(r.input_tokens is not None for r in came) else "; those of prompts are not counted"
        yield f"tokens: {sum(r.output_tokens or 0 for r in came) / len(came):,.0f} a reply, {_thoughts(came)}{prompts}"
    yield f"refusals: {_refusals(tried)}"
    if cost := sum(reply.cost_usd or 0 for reply in came):
        yield f"cost: {dollars(cost)} for {number_of(len(came), 'reply', 'replies')}"
    if efforts := sorted({harmless_line(reply.effort) for reply in came if reply.effort}):
        yield f"effort: {', '.join(efforts)}, as the server says"
    yield f"served by: {', '.join(sorted({harmless_line(r.served_model or 'unnamed') for r in came})) or 'nobody'}"
    if memory.is_sure:
        yield shared_message(model) if memory.shared else "memory: no session knew what another was told"
    else:
        words = " and ".join(ended_with(word) for word in sorted(memory.ended))
        yield f"memory: it is unknown whether sessions share one, since replies {words}"
    if tried[0].reply.text and again.reply.text:
        same = tried[0].reply.text == again.reply.text
        what = "the same text: a cache, or a model that always gives it" if same else "another text: no cache seen"
        yield f"cache: the first prompt, sent once more, got {what}"


def _obstacles(tried: Sequence[TriedSession], shared: bool, swapping: Sequence[str] = ()) -> Iterator[str]:
    """Why no run should be made yet."""
    for address in swapping:
        yield (
            f"{address} sent an answer that no call was waiting for, so any of these replies may answer another "
            "prompt. Look at the server and at what stands before it, then check again"
        )
    if shared:
        yield "sessions share memory, see above"
    if ended := [t.reply for t in tried if t.reply.ended_unknown]:
        yield from _unknown_ends(ended)
    if failed := [t for t in tried if t.reply.failed and not t.reply.ended_unknown]:
        came_to_nothing = number_of(len(failed), "session came", "sessions came")
        yield f"{came_to_nothing} to nothing ({harmless_line(failed[0].reply.error or 'no text')})"
    states: dict[str, list[Reading]] = {}
    for t in tried:
        if not t.reply.failed and not is_kept(t.reply.key):
            states.setdefault(f"{t.reply.experiment} {t.call.session_kind}", []).append(t.reading)
    unread = [what for what, readings in states.items() if all(r.state == "unreadable" for r in readings)]
    if unread:
        yield f"{', '.join(unread)} could not be read. If that may be chance, check again"


def _unknown_ends(ended: Sequence[Reply]) -> Iterator[str]:
    """Why sessions are missing whose replies have an unknown end, and the way out."""
    for word, number in Counter(reply.unknown_end for reply in ended).items():
        yield (
            f"{number_of(number, 'reply', 'replies')} {ended_with(word)}, {why_unknown(word)} (see above; if these are "
            f"whole replies: --accept-ends {as_typed(word)})"
        )


def excerpt(text: str) -> str:
    """A reply in one line that does nothing to a terminal: its beginning, and its end, where answers mostly are."""
    line = harmless_line(text)
    return f'"{line}"' if len(line) <= 2 * EXCERPT else f'"{line[:EXCERPT]} ... {line[-EXCERPT:]}"'


def _thoughts(came: Sequence[Reply]) -> str:
    if any(reply.reasoning_tokens for reply in came):
        return "reasoning tokens counted apart"
    if any(reply.reasoning for reply in came):
        return "reasoning text kept apart; its tokens are not counted apart"
    unseen = sum((r.output_tokens or 0) > most_tokens(r.text or "") for r in came)
    if unseen:
        who = number_of(unseen, "reply has", "replies have")
        return f"no reasoning seen, but {who} more tokens than bytes of text: the model may think unseen"
    return "no reasoning seen"


def _refusals(tried: Sequence[TriedSession]) -> str:
    """How a request is turned down here, as far as this little shows."""
    withheld = [f"{t.reply.experiment} {t.reply.session} by the {t.reading.reason}" for t in tried if _withheld(t)]
    if withheld:
        said = dict.fromkeys(t.reply.policy for t in tried if t.reply.policy)
        return f"withheld: {', '.join(withheld)}" + "".join(f"; the server says ({text})" for text in said)
    judged = [t.reading.value for t in tried if t.reply.session == "judge"]
    if "B" in judged:
        return "in words, as the model's own judgement says"
    return "none seen" if judged else "not tried"


def _withheld(t: TriedSession) -> bool:
    return t.reading.state == "withheld"
