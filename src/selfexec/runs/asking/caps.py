"""Caps on what a run may take: calls of this command, tokens and dollars of the whole run.

A cap is never exceeded by more than the calls under way when it is reached: no other is begun. As far as it can be
predicted, from what a call of the model has taken so far, no item is begun that would not come to its end.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from selfexec.engines import Price, in_batch
from selfexec.errors import InputError
from selfexec.experiments import Message
from selfexec.facets import answers_calls, is_call
from selfexec.runs.records import Reply
from selfexec.text.numbers import dollars as in_dollars

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
        return self.calls is not None or self.of_spending

    @property
    def of_spending(self) -> bool:
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
