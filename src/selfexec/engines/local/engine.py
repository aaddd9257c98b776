"""Carry sessions out with weights in this process: those that wait are put into one batch."""

import asyncio
import hashlib
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from selfexec.engines.base import Call, Connection, Outcome
from selfexec.engines.local.weights import Weights, load, refuse_unfound
from selfexec.errors import InputError

if TYPE_CHECKING:
    from selfexec.engines.local.generation import Wanted

MOST_TOKENS = 1024  # of a reply, thoughts included, where nobody says
TOGETHER = 0.01  # seconds in which sessions that begin at once find each other
SAMPLED = ("temperature", "top_p", "top_k", "repetition_penalty")
FIELDS = (*SAMPLED, "max_tokens", "seed", "system", "chat_template_kwargs")


@dataclass(frozen=True)
class _Waiting:
    """A session that waits for its reply. `thinks`: its prompt ends within a thought."""

    wanted: "Wanted"
    thinks: bool
    reply: "asyncio.Future[Outcome]"


class LocalEngine:
    """Models by their weights, each loaded once, when the first session is opened."""

    def __init__(self, models: Sequence[str], connection: Connection) -> None:
        for model in models:
            refuse_unfound(model)
        self.warnings: list[str] = []
        self.addresses: Mapping[str, str] = {}
        self._models = models
        self._most = connection.max_connections
        self._weights: dict[str, Weights] = {}
        self._waiting: dict[str, list[_Waiting]] = {model: [] for model in models}
        self._came = asyncio.Event()

    async def __aenter__(self) -> Self:
        for model in self._models:
            self._weights[model] = await asyncio.to_thread(load, model)
        self._worker = asyncio.create_task(self._work())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.cancel()
        with suppress(asyncio.CancelledError):
            await self._worker

    async def ask(self, call: Call) -> Outcome:
        """The reply to a session, when the batch that it is in is done."""
        from selfexec.engines.local.generation import Wanted

        weights = self._weights[call.model]
        sampling = {**weights.sampling, **_sound(call)}
        messages = [{"role": message.role, "content": message.content} for message in call.messages]
        if system := sampling.get("system"):
            messages.insert(0, {"role": "system", "content": system})
        prompt, thinks = weights.prompt(messages, sampling.get("chat_template_kwargs", {}))
        room = weights.context - len(prompt)
        if room < 1:
            return Outcome(None, error=f"its {len(prompt):,} tokens do not fit into a context of {weights.context:,}")
        wanted = Wanted(
            prompt,
            most=min(int(sampling.get("max_tokens", MOST_TOKENS)), room),
            seed=_seed(call, sampling.get("seed", 0)),
            **{name: sampling[name] for name in SAMPLED if name in sampling},
        )
        waiting = _Waiting(wanted, thinks, asyncio.get_running_loop().create_future())
        self._waiting[call.model].append(waiting)
        self._came.set()
        return await waiting.reply

    async def _work(self) -> None:
        """Make batches of what waits, model by model, as long as anything does."""
        while True:
            await self._came.wait()
            await asyncio.sleep(TOGETHER)
            self._came.clear()
            for model, waiting in self._waiting.items():
                while waiting:
                    batch = [one for one in waiting[: self._most] if not one.reply.done()]  # nor given up
                    del waiting[: self._most]
                    if batch:
                        await self._answer(self._weights[model], batch)

    async def _answer(self, weights: Weights, batch: Sequence[_Waiting]) -> None:
        """Generate replies and hand them over; by halves where memory does not suffice for all."""
        try:
            found = await asyncio.to_thread(_outcomes, weights, batch)
        except Exception as fault:
            if type(fault).__name__ == "OutOfMemoryError" and len(batch) > 1:
                self._most = half = len(batch) // 2
                for part in (batch[:half], batch[half:]):
                    await self._answer(weights, part)
                return
            for one in batch:
                if not one.reply.done():
                    one.reply.set_exception(fault)
            return
        for one, outcome in zip(batch, found, strict=True):
            if not one.reply.done():
                one.reply.set_result(outcome)


def _outcomes(weights: Weights, batch: Sequence[_Waiting]) -> list[Outcome]:
    from selfexec.engines.local.generation import generate

    rows = generate(weights, [one.wanted for one in batch])
    return [_outcome(weights, one, row.tokens, row.ended) for one, row in zip(batch, rows, strict=True)]


def _outcome(weights: Weights, one: _Waiting, tokens: Sequence[int], ended: bool) -> Outcome:
    """What was said, with thoughts apart."""
    text = weights.tokenizer.decode(tokens, skip_special_tokens=True)
    thoughts, answer = _parted(text, one.thinks)
    return Outcome(
        answer,
        input_tokens=len(one.wanted.prompt),
        output_tokens=len(tokens),
        reasoning=thoughts,
        reasoning_tokens=None if thoughts is None else _tokens_of_thoughts(weights, tokens, answer),
        stop_reason="stop" if ended else "length",
    )


def _parted(text: str, thinks: bool) -> tuple[str | None, str]:
    """The thoughts and the answer of a reply; None where there are no thoughts."""
    opened = text.lstrip().startswith("<think>")
    if not (opened or thinks):
        return None, text
    thoughts, _, answer = text.partition("</think>")
    return thoughts.replace("<think>", "", 1).strip(), answer.lstrip()


def _tokens_of_thoughts(weights: Weights, tokens: Sequence[int], answer: str) -> int:
    """How many of a reply's tokens stand before its answer."""
    return len(tokens) - len(weights.tokenizer(answer, add_special_tokens=False)["input_ids"])


def _sound(call: Call) -> Mapping[str, Any]:
    """What is sent beside the prompt. InputError for what a local model cannot be told."""
    for name, value in call.sampling.items():
        if name not in FIELDS:
            raise InputError(f"setting {name}: local models know {', '.join(FIELDS)}.")
        if name in ("temperature", "top_p", "top_k", "repetition_penalty", "max_tokens", "seed"):
            least = 1 if name == "max_tokens" else 0
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < math.inf:
                raise InputError(f"setting {name}={value!r}: give a number of {least} or more.")
    return call.sampling


def _seed(call: Call, seed: Any) -> int:
    """A seed for each session, by its name: the same session has the same reply, and epochs have others."""
    name = "\x1f".join(map(str, (seed, *call.key)))
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:7], "big")
