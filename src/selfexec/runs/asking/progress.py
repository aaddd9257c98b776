"""How far a run is, as a live line on a terminal, a plain line now and then elsewhere; and what it may take: calls of
this command, tokens and dollars of the whole run.

A cap is never exceeded by more than the calls under way when it is reached: no other is begun. As far as it can be
predicted, from what a call of the model has taken so far, no item is begun that would not come to its end.
"""

import asyncio
import math
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from selfexec.engines import Price, in_batch
from selfexec.errors import InputError
from selfexec.experiments import Message, session_kind
from selfexec.facets import answers_calls, is_call
from selfexec.runs.reply import Reply
from selfexec.text.numbers import dollars as in_dollars
from selfexec.text.numbers import number_of
from selfexec.text.printable import harmless, harmless_line

LIVE_EVERY = 0.2  # seconds between updates on a terminal
PLAIN_EVERY = 30.0  # elsewhere
BEAT = 1.0  # seconds between looks whether anything has come
CALLS_ENOUGH = 20  # to tell a pace
QUIET = 10.0  # seconds without a reply after which it is said that all wait


@dataclass
class Took:
    """What some calls took: tokens as they were counted, thoughts (which the output holds too), and dollars where the
    provider says them or a price is known.
    """

    calls: int = 0
    input: int = 0
    output: int = 0
    reasoning: int | None = None
    dollars: float | None = None

    def count(self, reply: Reply, price: Price | None) -> None:
        self.calls += 1
        self.input += reply.input_tokens or 0
        self.output += reply.output_tokens or 0
        if reply.reasoning_tokens is not None:
            self.reasoning = (self.reasoning or 0) + reply.reasoning_tokens
        cost = reply.cost_usd
        if cost is None and price and (reply.ended_unknown or not reply.failed):
            cost = price.of(reply.input_tokens or 0, reply.output_tokens or 0)
        if cost is not None:
            self.dollars = (self.dollars or 0.0) + cost

    def add(self, other: "Took") -> None:
        self.calls, self.input, self.output = (
            self.calls + other.calls,
            self.input + other.input,
            self.output + other.output,
        )
        for name in ("reasoning", "dollars"):
            known = [value for value in (getattr(self, name), getattr(other, name)) if value is not None]
            setattr(self, name, sum(known) if known else None)


@dataclass
class Progress:
    """How far a run is. Calls are sessions that were asked anew, `failures` count what did not come back, by error.

    `retry_causes` counts what was asked for again by its cause.

    `took` says by experiment and kind of session what the calls took. `done` counts what was here already too, and what
    turned out not to be needed: `unneeded`, by experiment and kind. `out` counts sessions that are out in a batch,
    `not_asked_again` those that an earlier command asked and whose reply has an unknown end, which are not asked again;
    `unknown_ends` counts the failures that have one. `waiting` counts sessions that need the reply of one that failed,
    is out or has such an end, `left` what else was not asked in the end. `cost` is in US dollars, of the calls for
    which the provider said it; of the others `priced` is what they come to at `prices`, by model, and `uncounted` are
    those whose tokens nobody counted. `capped` is the cap that ended it.
    `servers_away` says of each server that is away, by address, since when it is and how long its calls wait.
    """

    total: int = 0
    done: int = 0
    calls: int = 0
    retries: int = 0
    withheld: int = 0
    waiting: int = 0
    left: int = 0
    out: int = 0
    not_asked_again: int = 0
    unknown_ends: int = 0
    capped: str | None = None
    cost: float = 0.0
    prices: Mapping[str, Price] = field(default_factory=dict)
    priced: float = 0.0
    uncounted: int = 0
    unneeded: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    retry_causes: Counter[str] = field(default_factory=Counter)
    took: dict[tuple[str, str], Took] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    servers_away: Mapping[str, str] = field(default_factory=dict)
    under_way: int = 0  # sessions that are being asked
    heard: float = field(default_factory=time.monotonic)  # when the last one ended

    @property
    def quiet(self) -> float:
        """Seconds since anything came back, while sessions are being asked; 0 while things go on."""
        silent = time.monotonic() - self.heard
        return silent if self.under_way and silent >= QUIET else 0.0

    def count(self, reply: Reply) -> None:
        """Count a reply that was asked anew."""
        self.calls += 1
        self.heard = time.monotonic()
        self.retries += (reply.attempt or 1) - 1
        if reply.retry_causes:
            self.retry_causes.update(reply.retry_causes)
        self.withheld += reply.withheld_by is not None
        self.cost += reply.cost_usd or 0.0
        price = self.prices.get(answers_calls(reply.key) if reply.facets and is_call(reply.session) else reply.model)
        if price and reply.cost_usd is None and (reply.ended_unknown or not reply.failed):
            self._count_price(reply, price)
        if reply.failed:
            self.failures[reply.failure] += 1
            self.unknown_ends += reply.ended_unknown
        place = reply.experiment, session_kind(reply.session)
        if (took := self.took.get(place)) is None:
            took = self.took[place] = Took()
        took.count(reply, price)

    @property
    def unfinished(self) -> bool:
        """Whether anything was not asked, or has failed."""
        return bool(self.failures or self.waiting or self.left or self.not_asked_again)

    def sum_up(self, parts: Iterable["Progress"], total: int) -> None:
        """Be what these parts are together, of so many sessions."""
        them = list(parts)
        for name in (
            "done",
            "calls",
            "retries",
            "withheld",
            "waiting",
            "left",
            "not_asked_again",
            "unknown_ends",
            "cost",
            "priced",
            "uncounted",
        ):
            setattr(self, name, sum(getattr(one, name) for one in them))
        self.total, self.under_way = total, sum(one.under_way for one in them)
        self.capped = next((one.capped for one in them if one.capped), None)
        self.prices = next((one.prices for one in them), {})
        for name in ("unneeded", "failures", "retry_causes"):
            setattr(self, name, sum((getattr(one, name) for one in them), Counter()))
        self.warnings[:] = dict.fromkeys(said for one in them for said in one.warnings)
        self.servers_away = {address: said for one in them for address, said in one.servers_away.items()}
        self.took = {}
        for one in them:
            for place, took in one.took.items():
                self.took.setdefault(place, Took()).add(took)

    def _count_price(self, reply: Reply, price: Price) -> None:
        if reply.input_tokens is None or reply.output_tokens is None:
            self.uncounted += 1
        else:
            self.priced += price.of(reply.input_tokens, reply.output_tokens)


Report = Callable[[Progress], None]


@asynccontextmanager
async def heartbeat(report: Report, progress: Progress) -> AsyncIterator[None]:
    """Reports also while nothing comes back."""

    async def beat() -> None:
        away = False
        while True:
            await asyncio.sleep(BEAT)
            if progress.quiet or progress.servers_away or away:
                report(progress)
            away = bool(progress.servers_away)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.wait([beating])
    if not beating.cancelled():
        beating.result()  # what went wrong in reporting


@contextmanager
def shown_progress() -> Iterator[Report]:
    """A function to report progress to, which shows it on standard error as long as the context lasts."""
    if not sys.stderr.isatty():
        yield now_and_then(PLAIN_EVERY, lambda progress, rate: print(as_line(progress, rate), file=sys.stderr))
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False))
    bar = Bar(*columns, console=Console(stderr=True), auto_refresh=False, transient=True)
    task = bar.add_task("starting", total=None)

    def show(progress: Progress, rate: float) -> None:
        bar.start()  # not before: what is said at the beginning would stand on the bar's line
        bar.update(task, completed=progress.done, total=progress.total, description=as_line(progress, rate))
        bar.refresh()

    try:
        yield now_and_then(LIVE_EVERY, show)
    finally:
        bar.stop()


def as_line(progress: Progress, rate: float) -> str:
    """`rate` is in calls a second."""
    done = f"{progress.done:,} of {number_of(progress.total, 'session')}"
    parts = [done, _pace(rate)] if rate else [done]
    if progress.retries:
        parts.append(number_of(progress.retries, "retry", "retries"))
    parts += [f"{n:,} x {error[:30]}" for error, n in progress.failures.most_common(3)]
    if progress.servers_away:
        parts += map(harmless_line, progress.servers_away.values())
    elif quiet := progress.quiet:
        parts.append(f"{number_of(progress.under_way, 'session')} waiting for a reply, {duration(quiet)} so far")
    if cost := progress.cost + progress.priced:
        parts.append(f"${cost:.2f}")
    if rate and progress.calls >= CALLS_ENOUGH and not progress.servers_away:
        parts.append(f"{duration((progress.total - progress.done) / rate)} left")
    return harmless(", ".join(parts))


def _pace(rate: float) -> str:
    """By the minute where it is less than one in two seconds."""
    if rate < 0.5:
        return f"{60 * rate:.0f}/min" if rate >= 1 / 6 else f"{60 * rate:.1f}/min"
    return f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def now_and_then(every: float, show: Callable[[Progress, float], None]) -> Report:
    started = last = time.perf_counter()
    away: list[str] = []

    def report(progress: Progress) -> None:
        nonlocal last, away
        now = time.perf_counter()
        # that a server is away, or back, is shown at once
        if now - last >= every or away != list(progress.servers_away):
            last, away = now, list(progress.servers_away)
            show(progress, progress.calls / (now - started))

    return report


# --- what a run may take ---------------------------------------------------------------------------------------------


CHARACTERS = 4  # of a token, as in most English text


@dataclass(frozen=True)
class Caps:
    """`calls` count from the beginning of the command, `tokens` (in and out) and `dollars` from that of the run."""

    calls: int | None = None
    tokens: int | None = None
    dollars: float | None = None

    def __post_init__(self) -> None:
        for option, cap in (("--max-calls", self.calls), ("--max-total-tokens", self.tokens)):
            if cap is not None and cap < 1:
                raise InputError(f"{option} {cap}: give 1 or more.")
        if self.dollars is not None and not 0 < self.dollars < math.inf:
            raise InputError(f"--max-cost {self.dollars:g}: give dollars above 0.")

    @property
    def any(self) -> bool:
        return self.calls is not None or self.limits_spending

    @property
    def limits_spending(self) -> bool:
        """Whether tokens or dollars are capped, so that what is spent must be followed."""
        return self.tokens is not None or self.dollars is not None


NO_CAPS = Caps()


@dataclass
class Spent:
    """What the replies of a run have taken: tokens in and out, and dollars, as the provider said or at our prices.

    `by_model` holds calls, tokens and dollars of each model. Where nobody counted tokens, they are taken from the
    characters of prompt and reply; `uncounted` says how often.
    """

    prices: Mapping[str, Price]
    tokens: int = 0
    dollars: float = 0.0
    uncounted: int = 0
    by_model: dict[str, tuple[int, int, float]] = field(default_factory=dict)

    def count(self, reply: Reply, messages: Sequence[Message] = ()) -> None:
        tokens_in, tokens_out = tokens_of(reply, messages)
        self.uncounted += reply.input_tokens is None or reply.output_tokens is None
        model = answers_calls(reply.key) if is_call(reply.session) else reply.model
        price = self.prices.get(model)
        price = in_batch(price) if price and reply.batch else price
        priced = price.of(tokens_in, tokens_out) if price else 0.0
        dollars = priced if reply.cost_usd is None else reply.cost_usd
        calls, tokens, cost = self.by_model.get(model, (0, 0, 0.0))
        self.by_model[model] = (calls + 1, tokens + tokens_in + tokens_out, cost + dollars)
        self.tokens += tokens_in + tokens_out
        self.dollars += dollars

    def count_all(self, replies: Iterable[Reply]) -> None:
        for reply in replies:
            self.count(reply)

    def reached(self, caps: Caps) -> bool:
        """Whether a cap on tokens or dollars is reached."""
        return self.tokens >= (caps.tokens or math.inf) or self.dollars >= (caps.dollars or math.inf)

    def said(self, caps: Caps) -> str | None:
        """The cap on tokens or dollars that is reached, or was too near for another item; None where there is none."""
        tokens, dollars = self.tokens / (caps.tokens or math.inf), self.dollars / (caps.dollars or math.inf)
        if dollars > tokens:
            return f"--max-cost {caps.dollars:g}: the run has cost {in_dollars(self.dollars)}"
        return f"--max-total-tokens {caps.tokens}: the run has taken {self.tokens:,}" if tokens else None

    def suffices(self, caps: Caps, calls: Counter[str]) -> bool:
        """Whether so many more calls of each model would stay within the caps, at what its calls have taken so far."""
        tokens, dollars = float(self.tokens), self.dollars
        for model, more in calls.items():
            made, took, cost = self.by_model.get(model, (0, 0, 0.0))
            tokens += more * took / max(1, made)
            dollars += more * cost / max(1, made)
        return tokens <= (caps.tokens or math.inf) and dollars <= (caps.dollars or math.inf)


def tokens_of(reply: Reply, messages: Sequence[Message] = ()) -> tuple[int, int]:
    """Tokens in and out; where nobody counted, from the characters. Nothing of what did not come back."""
    if reply.failed and not reply.ended_unknown:
        return reply.input_tokens or 0, reply.output_tokens or 0
    sent = sum(len(message.content) for message in messages)
    said = len(reply.text or reply.unknown_end_text or "") + len(reply.reasoning or "")
    tokens_in = math.ceil(sent / CHARACTERS) if reply.input_tokens is None else reply.input_tokens
    return tokens_in, math.ceil(said / CHARACTERS) if reply.output_tokens is None else reply.output_tokens


def refuse_unpriced(models: Iterable[str], prices: Mapping[str, Price], caps: Caps) -> None:
    """Raise InputError where dollars are capped, and nobody knows what a model costs."""
    if caps.dollars is not None and (unpriced := [model for model in models if model not in prices]):
        raise InputError(
            f"--max-cost {caps.dollars:g}: nobody knows what {unpriced[0]} costs. "
            f"Say it: --price {unpriced[0]}=IN,OUT, in dollars for a million tokens in and out."
        )
