"""Titles that say what a figure shows. Nothing is said that could be luck: of two numbers one is the greater if that is
so whatever their errors have in common, adjusted for the number of models (Holm). Where nothing is found a figure keeps
its plain title.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from selfexec.analysis.findings import clear_of_zero, tested_intervals
from selfexec.analysis.numbers import Number
from selfexec.report.figures.abilities import known_ability, published_abilities
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.stats import Correlation, correlate
from selfexec.text.numbers import all_of, decimal, interval, joined

T = TypeVar("T", bound=Hashable)
HALF = Number(0.5, 0.5, 0.5)  # a coin


@dataclass(frozen=True)
class Stand:
    """Of so many models those whose first number is surely above the second, and below it."""

    above: tuple[str, ...]
    below: tuple[str, ...]
    of: int

    def whom(self, those: Sequence[str]) -> str:
        """all 10 models, both models, 3 of 10 models, or one by its name"""
        whole = f"{all_of(self.of)} models"
        return those[0] if len(those) == 1 else whole if len(those) == self.of else f"{len(those)} of {self.of} models"


def stand(ones: Mapping[str, Number], twos: Mapping[str, Number]) -> Stand:
    """The difference has the sum of both arms for its own: no two errors add up to more. What is to be read with
    caution is not judged, nor what has no interval.
    """
    gaps = {m: gap for m in ones if m in twos and (gap := _gap(ones[m], twos[m]))}
    above, below = (
        tuple(m for m, clear in zip(gaps, clear_of_zero([*gaps.values()], sign), strict=True) if clear)
        for sign in (1, -1)
    )
    return Stand(above, below, len(ones))


def _gap(one: Number, two: Number) -> Number | None:
    if one.note or two.note or one.low is None or one.high is None or two.low is None or two.high is None:
        return None
    return Number(one.value - two.value, one.low - two.high, one.high - two.low)


def against(ones: Mapping[str, Number], what: Number) -> Stand:
    """The same, beside what is known without error."""
    return stand(ones, dict.fromkeys(ones, what))


def across(those: Iterable[Number]) -> str:
    """.53 to .73"""
    values = sorted(number.value for number in those)
    return " to ".join(dict.fromkeys(decimal(value, 2) for value in (values[0], values[-1])))


def by_experiment(whom: Mapping[str, str]) -> str:
    """all 9 models in association and difficulty, 2 of 8 models in each of restriction and choice; of one each, "and"
    before the last
    """
    where: dict[str, list[str]] = {}
    for experiment, who in whom.items():
        where.setdefault(who, []).append(experiment.replace("_", " "))
    each = {who: "each of " if len(experiments) > 1 and " of " in who else "" for who, experiments in where.items()}
    parts = [f"{who} in {each[who]}{joined(experiments)}" for who, experiments in where.items()]
    return joined(parts) if len(parts) == len(whom) else ", ".join(parts)


def sentence(*clauses: str) -> str:
    """The clauses that there are, as a title. Names of models keep their first letter."""
    text = "; ".join(clause for clause in clauses if clause)
    return f"{text[0].upper()}{text[1:]}" if text.startswith(("all ", "both ", "the ")) else text


def related(ones: Mapping[str, float], twos: Mapping[str, float]) -> Correlation:
    """Of two numbers over the models that have both."""
    both = [m for m in ones if m in twos]
    one, two = (np.array([of[m] for m in both], dtype=np.float64) for of in (ones, twos))
    return correlate(one, two)


@dataclass(frozen=True)
class AdjustedCorrelation:
    """A correlation, with the interval that was tested: adjusted for all that were tested together (`among`)."""

    value: float
    low: float
    high: float
    n: int
    among: int

    @property
    def text(self) -> str:
        """r = .76 [.19, .95] over 9 models, adjusted for 3 correlations"""
        size = f"r = {interval(self.value, self.low, self.high, lambda value: decimal(value, 2))}"
        family = f", adjusted for {self.among} correlations" if self.among > 1 else ""
        return f"{size} over {self.n} models{family}"


def adjusted(found: Mapping[T, Correlation]) -> dict[T, AdjustedCorrelation]:
    """Those that have an interval, with that of Fisher's z adjusted for their number (Holm)."""
    known = {name: one for name, one in found.items() if not math.isnan(one.interval.low)}
    in_z = [
        Number(math.atanh(one.value), math.atanh(one.interval.low), math.atanh(one.interval.high))
        for one in known.values()
    ]
    ends = ((math.tanh(low), math.tanh(high)) for low, high in tested_intervals(in_z))
    return {
        name: AdjustedCorrelation(one.value, *both, one.n, len(known))
        for (name, one), both in zip(known.items(), ends, strict=True)
    }


def correlated(found: AdjustedCorrelation | None, more: str, less: str, untold: str) -> str:
    """Which way two numbers go together, or that this is not shown, and why; nothing of too few models."""
    if found is None:
        return ""
    if found.low <= 0 <= found.high:
        return f"{untold} ({found.text}: the interval reaches 0)"
    return f"{more if found.low > 0 else less} ({found.text})"


def as_the_paper_counts(numbers: FigureNumbers, experiment: str) -> dict[str, Number]:
    """The accuracy of each model that the paper has, by its own counting."""
    known = published_abilities()
    theirs = [model for model in numbers.models if known_ability(model, known) is not None]
    if not theirs or not numbers.accuracies(experiment, "strict"):
        return {}
    found = numbers.accuracies(experiment, "authors")
    return {model: found[model] for model in theirs if model in found}


def paper(numbers: FigureNumbers, figure: int, experiments: Sequence[str], name: Callable[[str], str] = str) -> str:
    """What the paper has for the same models, where they are among its."""
    found = {e: theirs for e in experiments if (theirs := as_the_paper_counts(numbers, e))}
    if not found:
        return ""
    parts = (f"{name(e)} {across(theirs.values())}" for e, theirs in found.items())
    return f"Counted as in the paper's Figure {figure}: {', '.join(parts)}."
