"""Difficulty taken apart: by what decides which of two questions is the easier one, and by how clear that is."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from selfexec.analysis.score_table import BASELINES
from selfexec.claims import Claims, Flags
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import accuracy_on, baseline_chances, baseline_records, kind_of, peers, scorable
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import Baseline, Number, Numbers, estimated, most_accurate, texts, whole
from selfexec.report.figures.rows import BASELINE, Dot, Panel, baseline_dots, dots, rows, shares
from selfexec.report.svg import Sign
from selfexec.stats import Array

SIGNS = [Sign("main", "model, with 95% interval"), Sign("baseline", BASELINE), Sign("half", "a coin")]
BASES = {"correctness": "decided by correctness", "tokens": "decided by tokens"}
RATIOS = (1.0, 1.25, 1.5, 2.0, math.inf)  # of the longer answer's tokens to the shorter one's


@dataclass(frozen=True)
class Pairs:
    """A model's pairs of questions, what baselines say of them, whether tokens decide them (else correctness does), and
    the ratio of the longer answer's tokens to the shorter one's, nan where they were not counted.
    """

    claims: Claims
    chances: Mapping[str, Array]
    by_tokens: Flags
    ratio: Array


@dataclass(frozen=True)
class Part:
    """A model's accuracy on a part of its pairs, and that of the baseline which is right most often there."""

    own: Number
    baseline: Baseline | None


def taken_apart(numbers: Numbers) -> list[Figure]:
    """By what decides, and by the ratio of tokens."""
    found = pairs_of(numbers)
    return [figure for figure in (_basis(numbers, found), _ratio(numbers, found)) if figure]


def _basis(numbers: Numbers, pairs: Mapping[str, Pairs]) -> Figure | None:
    title = "Rankings by what decides them"
    caption = (
        "Accuracy on pairs of which the model answers one question rightly and one wrongly, and on pairs that only the "
        "number of tokens tells apart, each beside the baseline that is right most often there."
    )
    found = {name: by_basis(numbers, pairs, basis) for basis, name in BASES.items()}
    return _figure(numbers, "basis", title, caption, found)


def _ratio(numbers: Numbers, pairs: Mapping[str, Pairs]) -> Figure | None:
    title = "Rankings by how much the answers differ in length"
    caption = (
        "Accuracy on pairs that tokens decide, by how many times as long the longer of the two answers is. Who knows "
        "the length of its own answers does better the further these are apart."
    )
    found = {f"{_name(low, high)} times": by_ratio(numbers, pairs, low, high) for low, high in pairwise(RATIOS)}
    return _figure(numbers, "ratio", title, caption, found)


def _name(low: float, high: float) -> str:
    return f"over {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _figure(
    numbers: Numbers, id: str, title: str, caption: str, found: Mapping[str, Mapping[str, Part]]
) -> Figure | None:
    found = {name: parts for name, parts in found.items() if parts}
    if not found:
        return None
    marks: dict[str, list[Dot]] = {}
    cells: dict[str, dict[str, str]] = {}
    for name, parts in found.items():
        own = {model: part.own for model, part in parts.items()}
        baselines = {model: part.baseline for model, part in parts.items() if part.baseline}
        marks[name] = [*baseline_dots(numbers, baselines), *dots(numbers, name, own)]
        cells |= {name: texts(own), f"{name}: groups": {m: f"{n.items:,}" for m, n in own.items()}}
        cells |= {f"{name}: {BASELINE}": texts(baselines)}
    domain = shares(*marks.values())
    panels = [Panel(name, own, domain=domain, line=0.5, axis="accuracy") for name, own in marks.items()]
    svg = rows(numbers, id, title, caption, panels, SIGNS)
    return Figure(id, title, caption, svg, *behind(numbers.models, cells))


# --- numbers ---------------------------------------------------------------------------------------------------------


def pairs_of(numbers: Numbers) -> dict[str, Pairs]:
    """Of each model those that count."""
    if (everyone := numbers.tables.claims.get("difficulty")) is None:
        return {}
    decided = _decided(numbers)
    found = {}
    for model in everyone.models:
        claims = everyone.of(model)
        which = scorable(claims, numbers.strict)
        others = everyone.outcomes(peers(model, everyone.models))
        chances = {name: chance[which] for name, chance in baseline_chances(claims, others).items()}
        mine = everyone.model == everyone.models.index(model)
        found[model] = Pairs(claims.where(which), chances, *(fact[mine][which] for fact in decided))
    return found


def _decided(numbers: Numbers) -> tuple[Flags, Array]:
    """Whether tokens decide it, and their ratio, of each pair."""
    pairs = numbers.tables.observations.filter(pl.col("experiment") == "difficulty")
    tokens = numbers.counted.select("model", "item", "epoch", "session", "output_tokens")
    pairs = pairs.with_columns(pl.col("claim").str.extract_groups(r"^(?<one>\S+) before (?<two>\S+)$").struct.unnest())
    for side in ("one", "two"):
        asked = tokens.with_columns(pl.col("session").str.strip_prefix("execute.").alias(side)).drop("session")
        asked = asked.rename({"output_tokens": f"tokens_{side}"})
        pairs = pairs.join(asked, on=["model", "item", "epoch", side], how="left", maintain_order="left")
    one, two = (pairs[f"tokens_{side}"].cast(pl.Float64).fill_null(math.nan).to_numpy() for side in ("one", "two"))
    with np.errstate(divide="ignore", invalid="ignore"):
        return pairs["basis"].eq_missing("tokens").to_numpy(), np.maximum(one, two) / np.minimum(one, two)


def by_basis(numbers: Numbers, pairs: Mapping[str, Pairs], basis: str) -> dict[str, Part]:
    """Accuracy on the pairs that are decided by `correctness` or `tokens`."""
    return _parts(numbers, pairs, lambda some: some.by_tokens == (basis == "tokens"))


def by_ratio(numbers: Numbers, pairs: Mapping[str, Pairs], low: float, high: float) -> dict[str, Part]:
    """The same on pairs decided by tokens, of which the one answer has `low` to `high` times those of the other."""
    return _parts(numbers, pairs, lambda some: some.by_tokens & (some.ratio >= low) & (some.ratio < high))


def _parts(numbers: Numbers, pairs: Mapping[str, Pairs], which: Callable[[Pairs], Flags]) -> dict[str, Part]:
    return whole({model: _part(some, which(some), numbers.strict) for model, some in pairs.items()})


def _part(pairs: Pairs, which: Flags, strict: bool) -> Part | None:
    unit = EXPERIMENTS["difficulty"].item_name
    if (own := estimated(*accuracy_on(pairs.claims.where(which), strict), unit)) is None:
        return None
    records = baseline_records(pairs.claims, pairs.chances, which)
    baselines = {
        BASELINES[name]: estimated(kind_of("difficulty").accuracy_estimate(record), len(record.items), unit)
        for name, record in records.items()
    }
    return Part(own, most_accurate("difficulty", baselines))
