"""Orders taken apart: accuracy on the pairs that correctness decides, that tokens decide, and by how clearly."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from selfexec.analysis.names import baseline_name
from selfexec.analysis.numbers.number import Baseline, Number, estimated, most_accurate, unit_of, whole
from selfexec.analysis.numbers.tokens import counted_sessions
from selfexec.claims import Claims, Flags, Tables
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Panels, accuracy_on, baseline_chances, baseline_records, kind_of, peers, scorable
from selfexec.stats import Array


@dataclass(frozen=True)
class Pairs:
    """A model's pairs, what baselines say of them, whether tokens decide them (else correctness does), and the ratio of
    the longer answer's tokens to the shorter one's, nan where they were not counted.
    """

    claims: Claims
    strict: bool
    chances: Mapping[str, Array]
    by_tokens: Flags
    ratio: Array


@dataclass(frozen=True)
class PairsPart:
    """A model's accuracy on a part of its pairs, and that of the baseline which is right most often there."""

    own: Number
    baseline: Baseline | None


def pairs_of(tables: Tables, experiment: str, strict: bool) -> dict[str, Pairs]:
    """Of each model those that count."""
    if (everyone := tables.claims.get(experiment)) is None:
        return {}
    decided, panels = _decided(tables, experiment), Panels(everyone)
    found = {}
    for model in everyone.models:
        claims = everyone.of(model)
        which = scorable(claims, strict)
        others = panels.others(claims, peers(model, everyone.models, tables.simulated))
        chances = {name: chance[which] for name, chance in baseline_chances(claims, others, learnt=False).items()}
        mine = everyone.model == everyone.models.index(model)
        found[model] = Pairs(claims.where(which), strict, chances, *(fact[mine][which] for fact in decided))
    return found


def _decided(tables: Tables, experiment: str) -> tuple[Flags, Array]:
    """Whether tokens decide it, and their ratio, of each pair."""
    pairs = tables.observations.filter(pl.col("experiment") == experiment)
    tokens = counted_sessions(tables.sessions, experiment)
    tokens = tokens.select("model", "item", "epoch", "session", "output_tokens")
    pairs = pairs.with_columns(pl.col("claim").str.extract_groups(r"^(?<one>\S+) before (?<two>\S+)$").struct.unnest())
    for side in ("one", "two"):
        answer = pl.col("session").str.strip_prefix(f"{EXPERIMENTS[experiment].answers}.").alias(side)
        asked = tokens.with_columns(answer).drop("session").rename({"output_tokens": f"tokens_{side}"})
        pairs = pairs.join(asked, on=["model", "item", "epoch", side], how="left", maintain_order="left")
    one, two = (pairs[f"tokens_{side}"].cast(pl.Float64).fill_null(math.nan).to_numpy() for side in ("one", "two"))
    with np.errstate(divide="ignore", invalid="ignore"):
        return pairs["basis"].eq_missing("tokens").to_numpy(), np.maximum(one, two) / np.minimum(one, two)


def by_basis(pairs: Mapping[str, Pairs], basis: str) -> dict[str, PairsPart]:
    """Accuracy on the pairs that are decided by `correctness` or `tokens`."""
    return _parts(pairs, lambda some: some.by_tokens == (basis == "tokens"))


def by_ratio(pairs: Mapping[str, Pairs], low: float, high: float) -> dict[str, PairsPart]:
    """The same on pairs decided by tokens, where one answer has `low` to `high` times those of the other."""
    return _parts(pairs, lambda some: some.by_tokens & (some.ratio >= low) & (some.ratio < high))


def _parts(pairs: Mapping[str, Pairs], which: Callable[[Pairs], Flags]) -> dict[str, PairsPart]:
    return whole({model: _part(some, which(some)) for model, some in pairs.items()})


def _part(pairs: Pairs, which: Flags) -> PairsPart | None:
    experiment = pairs.claims.experiment
    unit = unit_of(experiment)
    if (own := estimated(*accuracy_on(pairs.claims.where(which), pairs.strict), unit)) is None:
        return None
    baselines = {
        baseline_name(name): estimated(kind_of(experiment).accuracy_estimate(record), len(record.items), unit)
        for name, record in baseline_records(pairs.claims, pairs.chances, which).items()
    }
    return PairsPart(own, most_accurate(experiment, baselines))
