"""A number with its interval, the baseline beside it, and both in print."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import CONSTANT, Estimate, none_if_nan
from selfexec.text.numbers import Printed, interval

T = TypeVar("T")


@dataclass(frozen=True)
class Number:
    """A value with its interval, the items that it rests on (`asked`: of how many, where some were lost), and what is
    to be said of it.
    """

    value: float
    low: float | None = None
    high: float | None = None
    items: int | None = None
    asked: int | None = None
    unit: str = "item"
    note: str | None = None
    score: str = ""  # experiment and metric, where it is one

    @property
    def text(self) -> Printed:
        """As in a table: .531 [.508, .553]."""
        said = interval(self.value, self.low, self.high)
        return Printed(said, self.value, self.low, self.high, score=self.score)

    @property
    def full(self) -> str:
        """As in a hover text: with n, and the caution."""
        n = f", n = {self.basis}" if self.items is not None else ""
        return f"{self.text}{n}{f' ({self.note})' if self.note else ''}"

    @property
    def basis(self) -> str:
        """63 of 488 targets."""
        some = f"{self.items:,} of {self.asked:,}" if self.asked else f"{self.items:,}"
        return f"{some} {self.unit}{'' if (self.asked or self.items) == 1 else 's'}"


@dataclass(frozen=True)
class Baseline:
    """What somebody who never saw the model reaches on its claims."""

    name: str
    number: Number

    @property
    def text(self) -> Printed:
        number = self.number
        said = f"{number.text} {self.name}"
        return Printed(said, number.value, number.low, number.high, baseline=self.name, score=number.score)


def whole(found: Mapping[str, T | None]) -> dict[str, T]:
    """Without the models that have nothing."""
    return {model: one for model, one in found.items() if one is not None}


def most_accurate(experiment: str, found: Mapping[str, Number | None]) -> Baseline | None:
    """Of two things to put in order, a predictor that says the same every time is right half of the time."""
    known = whole(found)
    if known and EXPERIMENTS[experiment].claim_kind == "order":
        known[CONSTANT] = Number(0.5)
    best = max(known, key=lambda name: known[name].value, default=None)
    return Baseline(best, known[best]) if best is not None else None


def estimated(estimate: Estimate, items: int, unit: str) -> Number | None:
    if math.isnan(estimate.value):
        return None
    low, high = map(none_if_nan, estimate.interval)
    return Number(estimate.value, low, high, items, unit=unit)


def unit_of(experiment: str) -> str:
    """What an item is called; of all experiments together, an item."""
    return EXPERIMENTS[experiment].item_name if experiment in EXPERIMENTS else "item"


def counted(mean: Number) -> Printed:
    """A mean of counts of tokens: 1,204 [1,180, 1,228]."""
    ends = "" if mean.low is None or mean.high is None else f" [{mean.low:,.0f}, {mean.high:,.0f}]"
    return Printed(f"{mean.value:,.0f}{ends}", mean.value, mean.low, mean.high, unit="tokens", score=mean.score)
