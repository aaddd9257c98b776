"""Carry sessions out with weights in this process: all that are there are answered together, token by token."""

import asyncio
import hashlib
import math
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from selfexec.engines.base import Call, CallResult, Connection
from selfexec.errors import InputError
from selfexec.experiments import Likely, Token
from selfexec.extensions.local.weights import Weights, load, refuse_unfound

if TYPE_CHECKING:
    from selfexec.extensions.local.generation import Row

MOST_TOKENS = 1024  # of a reply, thoughts included, where nobody says
TOGETHER = 0.01  # seconds in which sessions that begin at once find each other
SAMPLED = ("temperature", "top_p", "top_k", "repetition_penalty")
NUMBERS = (*SAMPLED, "max_tokens", "seed", "top_logprobs")
FIELDS = (*NUMBERS, "logprobs", "system", "chat_template_kwargs")
MOST_LIKELY = 20  # tokens at each place of a reply, as servers have it


@dataclass(frozen=True, eq=False)
class _Session:
    """One that waits for its reply, or is being answered. `thinks`: its prompt ends within a thought."""

    row: "Row"
    thinks: bool
    reply: "asyncio.Future[CallResult]"


class _Talk:
    """A model and its sessions: those that are being answered together, at most so many, and those that wait."""

    def __init__(self, weights: Weights, most: int, thread: ThreadPoolExecutor) -> None:
        from selfexec.extensions.local.generation import Batch

        self.weights = weights
        self._thread = thread
        self.waiting: deque[_Session] = deque()
        self._going: list[_Session] = []
        self._batch = Batch(weights)
        self._most = most

    @property
    def goes_on(self) -> bool:
        return bool(self._going or self.waiting)

    async def advance(self) -> None:
        """One token more for all that are being answered, the first for those that can join them; who is done has its
        reply. Where memory does not suffice, half of them wait.
        """
        coming = self._coming()
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._advance, [one.row for one in coming])
        except Exception as fault:
            self._hand_over()
            self._stumble(fault)
        self._hand_over()

    def _coming(self) -> list[_Session]:
        self._going = [one for one in self._going if not one.reply.done()]  # nor given up
        self._batch.keep([one.row for one in self._going])
        coming: list[_Session] = []
        while self.waiting and self._batch.open and len(self._going) + len(coming) < self._most:
            one = self.waiting.popleft()
            if not one.reply.done():
                coming.append(one)
        self._going += coming
        return coming

    def _advance(self, coming: "Sequence[Row]") -> None:
        if self._batch.rows:
            self._batch.step()
        if coming:
            self._batch.join(coming)

    def _stumble(self, fault: Exception) -> None:
        """Where memory did not suffice begin again with half of the sessions, which keep what they have said. Any
        other fault is reported to all that were being answered.
        """
        from selfexec.extensions.local.generation import Batch

        stopped = [one for one in self._going if not one.reply.done()]
        self._going, self._batch = [], Batch(self.weights)
        lacking = type(fault).__name__ == "OutOfMemoryError"
        if lacking and len(stopped) > 1:
            self._most = len(stopped) // 2
            self.waiting.extendleft(reversed(stopped))
            return
        for one in stopped:
            if lacking:
                one.reply.set_result(CallResult(None, error="memory does not suffice for it, not even by itself"))
            else:
                one.reply.set_exception(fault)

    def _hand_over(self) -> None:
        for one in self._going:
            if one.row.whole and not one.reply.done():
                one.reply.set_result(row_result(self.weights, one))


class LocalEngine:
    """Models by their weights, each loaded once, when the first session is opened."""

    def __init__(self, models: Sequence[str], connection: Connection) -> None:
        for model in models:
            refuse_unfound(model)
        self.warnings: list[str] = []
        self.addresses: Mapping[str, str] = {}
        self._models = models
        self._most = connection.max_connections
        self._talks: dict[str, _Talk] = {}
        self._came = asyncio.Event()
        self._thread = ThreadPoolExecutor(1)  # one for all: memory that one thread lets go is not another's

    async def __aenter__(self) -> Self:
        for model in self._models:
            self._talks[model] = _Talk(await asyncio.to_thread(load, model), self._most, self._thread)
        self._worker = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.cancel()
        with suppress(asyncio.CancelledError):
            await self._worker
        self._thread.shutdown(wait=False)

    async def ask(self, call: Call) -> CallResult:
        """The reply to a session, which is answered together with all others that are there."""
        from selfexec.extensions.local.generation import GenerationRequest, Row

        talk = self._talks[call.model]
        weights = talk.weights
        sampling = {**weights.sampling, **checked_sampling(call)}
        messages = [{"role": message.role, "content": message.content} for message in call.messages]
        if system := sampling.get("system"):
            messages.insert(0, {"role": "system", "content": system})
        prompt, thinks = weights.prompt(messages, sampling.get("chat_template_kwargs", {}))
        if call.injection is not None and call.injection.kind in ("random", "least"):
            _ = weights.pieces  # refused here where there are none
        room = weights.context - len(prompt)
        if room < 1:
            return CallResult(
                None, error=f"its {len(prompt):,} tokens do not fit into a context of {weights.context:,}"
            )
        wanted = GenerationRequest(
            prompt,
            most=min(int(sampling.get("max_tokens", MOST_TOKENS)), room),
            seed=session_seed(call, sampling.get("seed", 0)),
            likely=likeliest_wanted(call, sampling),
            injection=call.injection,
            **{name: sampling[name] for name in SAMPLED if name in sampling},
        )
        session = _Session(Row(wanted), thinks, asyncio.get_running_loop().create_future())
        talk.waiting.append(session)
        self._came.set()
        return await session.reply

    async def _work(self) -> None:
        """Give each model's sessions a token in turn, as long as there are any."""
        while True:
            await self._came.wait()
            await asyncio.sleep(TOGETHER)
            self._came.clear()
            while going := [talk for talk in self._talks.values() if talk.goes_on]:
                for talk in going:
                    await talk.advance()


def row_result(weights: Weights, one: _Session) -> CallResult:
    """What was said, with thoughts apart."""
    tokens = one.row.tokens
    text = weights.tokenizer.decode(tokens, skip_special_tokens=True)
    thoughts, answer = thoughts_apart(text, one.thinks)
    return CallResult(
        answer,
        input_tokens=len(one.row.wanted.prompt),
        output_tokens=len(tokens),
        reasoning=thoughts,
        reasoning_tokens=None if thoughts is None else _tokens_of_thoughts(weights, tokens, answer),
        stop_reason="stop" if one.row.ended else "length",
        logprobs=row_logprobs(weights, one.row),
        forced=row_forced(weights, one.row),
        forced_end=None if one.row.wanted.injection is None else _forced_end(weights, one.row, text, answer),
    )


def row_logprobs(weights: Weights, row: "Row") -> tuple[Token, ...] | None:
    """The tokens of a reply, those that are no text included, as each reads behind the one before it: many tokenizers
    leave out the blank of one that stands alone.
    """
    if row.wanted.likely is None:
        return None
    found = []
    for n, (token, (logprob, likely)) in enumerate(zip(row.tokens, row.logprobs, strict=True)):
        others = [Likely(_text_at(weights, row, n, other), chance) for other, chance in likely]
        found.append(Token(_text_at(weights, row, n, token), logprob, tuple(others)))
    return tuple(found)


def row_forced(weights: Weights, row: "Row") -> tuple[Token, ...] | None:
    """The tokens that an injection forced into a reply; None where there was none."""
    if row.wanted.injection is None:
        return None
    places = enumerate(row.forced, start=row.wanted.injection.at)
    return tuple(Token(_text_at(weights, row, n, row.tokens[n]), logprob) for n, logprob in places)


def _text_at(weights: Weights, row: "Row", n: int, token: int) -> str:
    """How a token reads at a place of a reply, behind the one before it."""
    decode, before = weights.tokenizer.decode, row.tokens[max(n - 1, 0) : n]
    return str(decode([*before, token]))[len(decode(before)) :]


def _forced_end(weights: Weights, row: "Row", text: str, answer: str) -> int:
    """How many characters of the answer stand before what came behind an injection. Thoughts are no part of it."""
    injection = row.wanted.injection
    assert injection is not None
    begun = row.tokens[: injection.at + len(row.forced)]
    # a letter of several tokens that the last of these begins is what came behind
    before = weights.tokenizer.decode(begun, skip_special_tokens=True).rstrip("\ufffd")
    return min(max(len(before) - (len(text) - len(answer)), 0), len(answer))


def thoughts_apart(text: str, thinks: bool) -> tuple[str | None, str]:
    """The thoughts and the answer of a reply; None where there are no thoughts."""
    opened = text.lstrip().startswith("<think>")
    if not (opened or thinks):
        return None, text
    thoughts, _, answer = text.partition("</think>")
    return thoughts.replace("<think>", "", 1).strip(), answer.lstrip()


def _tokens_of_thoughts(weights: Weights, tokens: Sequence[int], answer: str) -> int:
    """How many of a reply's tokens stand before its answer."""
    return len(tokens) - len(weights.tokenizer(answer, add_special_tokens=False)["input_ids"])


def checked_sampling(call: Call) -> Mapping[str, Any]:
    """What is sent beside the prompt. InputError for what a local model does not take."""
    for name, value in call.sampling.items():
        if name not in FIELDS:
            raise InputError(f"setting {name}: local models know {', '.join(FIELDS)}.")
        if name == "logprobs" and not isinstance(value, bool):
            raise InputError(f"setting logprobs={value!r}: give true or false, and how many with top_logprobs.")
        if name in NUMBERS:
            least = 1 if name == "max_tokens" else 0
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < math.inf:
                raise InputError(f"setting {name}={value!r}: give a number of {least} or more.")
    if not 0 <= call.sampling.get("top_logprobs", 0) <= MOST_LIKELY:
        raise InputError(f"setting top_logprobs={call.sampling['top_logprobs']!r}: give {MOST_LIKELY} at most.")
    return call.sampling


def likeliest_wanted(call: Call, sampling: Mapping[str, Any]) -> int | None:
    """How many of the likeliest tokens are wanted at each place, beside the log-probability of the one that stands
    there; None where none of it is.
    """
    wanted = sampling.get("logprobs", "logprobs" in call.needs or "top_logprobs" in sampling)
    return int(sampling.get("top_logprobs", 0)) if wanted else None


def session_seed(call: Call, seed: Any) -> int:
    """A seed for each session, by its name: the same session has the same reply, and epochs have others. One with an
    injection draws like the undisturbed one that is named by its kind alone, `execute.random.4` like `execute`.
    """
    key = call.key if call.injection is None else call.key._replace(session=call.session_kind)
    name = "\x1f".join(map(str, (seed, *key)))
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:7], "big")
