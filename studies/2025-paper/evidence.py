"""What the sentences are held against: the published numbers, Table 1, and the frozen numbers of the ten models."""

import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from recorded import STATES, Number, Recorded, read

import selfexec as sx
from selfexec.extensions.rasch.abilities import Rasch
from selfexec.extensions.rasch.rates import RateTable, load_rates
from selfexec.stats import (
    Correlation,
    Interval,
    Welch,
    Z,
    correlate,
    mean_interval,
    normal,
    sum_interval,
    two_sided,
    welch,
    wilson,
)

EXPERIMENTS = ("association", "restriction", "difficulty")
GROUPS = 250
REQUESTS = 450

# As the paper sorts them (section 4.3): "the larger models (Claude, DeepSeek, GPT and Gemini)", "the smaller models
# (Llama, Qwem and Mistral)", o4-mini among GPT; and the four with reasoning beside their four counterparts.
LARGER_FAMILIES = ("claude", "deepseek", "gpt", "gemini", "o4")
REASONING = ("gemini-2.5-pro", "o4-mini", "claude-3.7-sonnet-thinking", "deepseek-r1")
COUNTERPARTS = ("gpt-4.1", "gemini-2.5-flash", "deepseek-v3", "claude-3.5-haiku")


class Value(NamedTuple):
    """A number with its 95% interval and standard error."""

    value: float
    low: float
    high: float
    error: float


@dataclass(frozen=True)
class Evidence:
    published: Mapping[str, Mapping[str, Any]]
    recorded: Recorded

    @classmethod
    def of(cls, folder: Path) -> "Evidence":
        found = json.loads((folder / "published.json").read_text("utf-8"))["models"]
        return cls(found, read(folder / "recorded.csv"))

    @property
    def models(self) -> list[str]:
        return list(self.published)

    @property
    def larger(self) -> list[str]:
        return [model for model in self.models if model.startswith(LARGER_FAMILIES)]

    @property
    def smaller(self) -> list[str]:
        return [model for model in self.models if not model.startswith(LARGER_FAMILIES)]

    @cached_property
    def rates(self) -> RateTable:
        return load_rates("paper")

    @cached_property
    def rasch(self) -> Rasch:
        return sx.rasch(self.rates)

    @cached_property
    def algorithm_1(self) -> Rasch:
        return sx.rasch(self.rates, method="paper")

    # --- published numbers -------------------------------------------------------------------------------------------

    def number(self, experiment: str, name: str) -> dict[str, float]:
        """One published number of every model."""
        return {model: float(numbers[experiment][name]) for model, numbers in self.published.items()}

    def of_all(self, name: str) -> dict[str, float]:
        return {model: float(numbers[name]) for model, numbers in self.published.items()}

    def youden_j(self, model: str) -> float:
        """Of the published counts: only the association test has all four."""
        a = self.published[model]["association"]
        return float(a["TP"] / (a["TP"] + a["FN"]) + a["TN"] / (a["TN"] + a["FP"]) - 1)

    def accuracy(self, model: str, experiment: str) -> Value:
        """The published accuracy. Its interval is over items, whose spread is taken to be as in the ten models with
        replies (median): words of a target go together, and groups of questions differ.
        """
        share = float(self.published[model][experiment]["accuracy"])
        if experiment == "difficulty":
            error = self._spread_of_groups / math.sqrt(self.published[model][experiment]["groups_scored"])
            return Value(share, *normal(share, error), error)
        n = REQUESTS if experiment == "restriction" else self.claims(model) / self._design_effect
        return Value(share, *wilson(share, n), math.sqrt(share * (1 - share) / n))

    def claims(self, model: str) -> int:
        return sum(self.published[model]["association"][cell] for cell in ("TP", "FP", "TN", "FN"))

    def score(self, model: str) -> Value:
        """The published self-execution score, its error the root of the sum of squares over three."""
        value = float(self.published[model]["self_execution_score"])
        error = math.hypot(*(self.accuracy(model, e).error for e in EXPERIMENTS)) / len(EXPERIMENTS)
        return Value(value, *normal(value, error), error)

    @cached_property
    def _design_effect(self) -> float:
        found = self.recorded.of("accuracy", "association").values()
        return statistics.median(_error(x) ** 2 * (x.n or 0) / (x.value * (1 - x.value)) for x in found)

    @cached_property
    def _spread_of_groups(self) -> float:
        found = self.recorded.of("accuracy", "difficulty").values()
        return statistics.median(_error(x) * math.sqrt((x.n or 0) / 6) for x in found)

    def failed(self, model: str) -> int:
        """Requests that the authors counted as failures."""
        r = self.published[model]["restriction"]
        return int(r["prediction_failures"] + r["judgement_failures"])

    @cached_property
    def restriction_left(self) -> dict[str, Number]:
        """Accuracy on the requests that were not lost: on all that were read, of the models with replies; of the others
        agreements over the requests that the authors did not count as failures, the least that it can be, since more
        may have been lost uncounted.
        """
        left = {model: REQUESTS - self.failed(model) for model in self.models}
        counted = {m: Number(self.published[m]["restriction"]["consistent"] / n, n=n) for m, n in left.items()}
        return counted | self.recorded.of("accuracy", "restriction")

    @cached_property
    def restriction_without_lost(self) -> dict[str, float]:
        return {model: x.value for model, x in self.restriction_left.items()}

    @cached_property
    def score_without_lost(self) -> dict[str, float]:
        return self.scores(self.restriction_without_lost)

    def scores(self, restriction: Mapping[str, float]) -> dict[str, float]:
        """The scores with these in place of the published accuracies of restriction."""
        parts = [self.number("association", "accuracy"), restriction, self.number("difficulty", "accuracy")]
        return {model: statistics.fmean(part[model] for part in parts) for model in self.models}

    def score_left(self, model: str) -> Value:
        """The score without the lost requests, with an interval over items, those of restriction fewer."""
        value, restriction = self.score_without_lost[model], self.restriction_left[model]
        error = math.sqrt(restriction.value * (1 - restriction.value) / (restriction.n or 0))
        others = (self.accuracy(model, e).error for e in ("association", "difficulty"))
        error = math.hypot(error, *others) / len(EXPERIMENTS)
        return Value(value, *normal(value, error), error)

    def uncounted(self) -> Iterator[dict[str, float]]:
        """Accuracies of restriction without the lost requests, each model without replies once at its least and once
        at its most: with every error lost but those that are published as over-nice, which were read.
        """
        known = self.recorded.of("accuracy", "restriction")
        found = {m: self.published[m]["restriction"] for m in self.models if m not in known}
        most = {m: r["consistent"] / (r["consistent"] + r["over_nice"]) for m, r in found.items()}
        for ends in product(*((self.restriction_without_lost[m], x) for m, x in most.items())):
            yield self.restriction_without_lost | dict(zip(most, ends, strict=True))

    # --- the ten models with replies ---------------------------------------------------------------------------------

    def skills(self, experiment: str) -> dict[str, Number]:
        """J, J and tau on what was read."""
        return self.recorded.of("tau" if experiment == "difficulty" else "youden_j", experiment)

    @cached_property
    def skill(self) -> dict[str, float]:
        """Their mean, of the models that have all three."""
        parts = [self.skills(e) for e in EXPERIMENTS]
        return {m: math.fsum(part[m].value for part in parts) / 3 for m in parts[0] if all(m in part for part in parts)}

    def shares(self, experiment: str) -> dict[str, Number]:
        """J as a share of the greatest that is possible at the model's rate of yes, on what was read; of orders, which
        have no rate, tau.
        """
        return self.recorded.of("tau" if experiment == "difficulty" else "share_of_ceiling", experiment)

    @cached_property
    def share(self) -> dict[str, float]:
        """Their mean, of the models that have all three."""
        parts = [self.shares(e) for e in EXPERIMENTS]
        return {m: math.fsum(part[m].value for part in parts) / 3 for m in parts[0] if all(m in part for part in parts)}

    def mean_share(self, model: str) -> Number:
        """That mean of one model with its interval, the arms of the three summed as errors are."""
        parts = [self.shares(e)[model] for e in EXPERIMENTS]
        low, high = sum_interval([x.value for x in parts], [_interval(x) for x in parts])
        return Number(self.share[model], low / 3, high / 3)

    def which_ones(self, experiment: str) -> dict[str, list[str]]:
        """The models in each state of how they stand to the baseline on which ones."""
        found = self.recorded.of("which_ones", experiment)
        return {state: [m for m, x in found.items() if x.value == place] for place, state in enumerate(STATES)}

    @cached_property
    def baseline_margin(self) -> dict[tuple[str, str], Number]:
        return {(m, e): x for e in EXPERIMENTS for m, x in self.recorded.of("baseline_margin", e).items()}

    @cached_property
    def baseline_margin_overall(self) -> dict[str, float]:
        """Mean of the three, of the models that have all."""
        parts = [self.recorded.of("baseline_margin", e) for e in EXPERIMENTS]
        return {m: math.fsum(p[m].value for p in parts) / 3 for m in parts[0] if all(m in p for p in parts)}


def _interval(x: Number) -> Interval:
    return Interval(math.nan if x.low is None else x.low, math.nan if x.high is None else x.high)


def _error(x: Number) -> float:
    return ((x.high or math.nan) - (x.low or math.nan)) / (2 * Z)


# --- comparisons -----------------------------------------------------------------------------------------------------


def pick(values: Mapping[str, float], models: Iterable[str]) -> np.ndarray:
    return np.array([values[model] for model in models])


def contrast(values: Mapping[str, float], first: Sequence[str], second: Sequence[str]) -> Welch:
    """Mean over `first` less mean over `second`, with the model as unit."""
    return welch(pick(values, second), pick(values, first))


def together(one: Mapping[str, float], two: Mapping[str, float], models: Iterable[str] | None = None) -> Correlation:
    shared = [m for m in (models or one) if m in one and m in two]
    return correlate(pick(one, shared), pick(two, shared))


def leaving_out(one: Mapping[str, float], two: Mapping[str, float]) -> dict[str, Correlation]:
    """The correlation without each of the models in turn."""
    shared = [m for m in one if m in two]
    return {left: together(one, two, [m for m in shared if m != left]) for left in shared}


def apart(one: Value, two: Value) -> tuple[float, Value]:
    """p, and one less the other as if they had been asked different items: replies to pair are not published."""
    error = math.hypot(one.error, two.error)
    difference = one.value - two.value
    return two_sided(difference, error, math.inf), Value(difference, *normal(difference, error), error)


def gap(one: Number, two: Number) -> Number:
    """One less the other as if they had been asked different items, of numbers near an end of their scale: the arms of
    their intervals are summed as errors are (MOVER).
    """
    back = _interval(two)
    low, high = sum_interval([one.value, -two.value], [_interval(one), Interval(-back.high, -back.low)])
    return Number(one.value - two.value, low, high)


def mean(values: Iterable[float]) -> Value:
    """A mean over models with Student's t interval."""
    found = np.array(list(values))
    interval, error = mean_interval(found)
    return Value(float(found.mean()), *interval, error)


def size_in_name(model: str) -> float | None:
    """Billions of parameters, where the name says so."""
    found = re.search(r"-(\d+)b$", model)
    return float(found[1]) if found else None


def inverted(one: Mapping[str, float], two: Mapping[str, float]) -> tuple[int, int]:
    """Pairs of models that the two put in opposite orders, of all pairs that differ in the first."""
    pairs = [(a, b) for a, b in combinations([m for m in one if m in two], 2) if one[a] != one[b]]
    return sum((one[a] - one[b]) * (two[a] - two[b]) < 0 for a, b in pairs), len(pairs)


# --- in print --------------------------------------------------------------------------------------------------------


def dec(value: float, digits: int = 3) -> str:
    """A number as the documents print it: .628, -.05, 1.467."""
    text = f"{value:.{digits}f}"
    if not float(text):
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if abs(float(text)) < 1 else text


def iv(x: Any, digits: int = 3) -> str:
    """A value with its interval: anything with `value`, `low` and `high`, a Correlation or a Welch contrast."""
    if isinstance(x, Correlation):
        return f"{dec(x.value, 2)} [{dec(x.interval.low, 2)}, {dec(x.interval.high, 2)}], n = {x.n}"
    if isinstance(x, Welch):
        return f"{sign(x.difference, digits)} [{sign(x.interval.low, digits)}, {sign(x.interval.high, digits)}]"
    return f"{dec(x.value, digits)} [{dec(x.low, digits)}, {dec(x.high, digits)}]"


def sign(value: float, digits: int = 3) -> str:
    return dec(value, digits) if value < 0 else f"+{dec(value, digits)}"


def signed(x: Any, digits: int = 3) -> str:
    return f"{sign(x.value, digits)} [{sign(x.low, digits)}, {sign(x.high, digits)}]"


def span(values: Iterable[float], say: Callable[[float], str] = dec) -> str:
    found = list(values)
    return f"{say(min(found))} to {say(max(found))}"
