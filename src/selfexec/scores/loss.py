"""Is what was lost like what was read?

A claim is lost if it is unreadable or missing. Where loss goes with what an item is about, scores of what was read do
not stand for what was asked. The item is the unit: it is lost if any of its claims is. Three facts of it are tested:

    label     Fisher's exact test (1935)
    subject   chi-square by permutation of what was lost over the items; each of them, where there are few
    length    rank-sum test (Wilcoxon 1945), by the normal approximation where there are many ways to lose so many
"""

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from selfexec.experiments import EXPERIMENTS
from selfexec.stats import Array, holm
from selfexec.stats.two_samples import fisher_exact, rank_sum, ranks

LOST = ("unreadable", "missing")
LEVEL = 0.05
PERMUTATIONS = 1_999
BLOCK = 200  # permutations at a time
LOT = {
    "association": "the options of its lost targets",
    "restriction": "its lost requests",
    "difficulty": "the questions in its lost groups",
}
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class LossTest:
    """Whether the items that a model lost differ from those read in one `fact`: label, subject or length.

    `p_adjusted` is Holm's over the tests of the model. `lost` and `read` count items. `text` says how they differ.
    """

    model: str
    experiment: str
    fact: str
    p: float
    p_adjusted: float
    lost: int
    read: int
    text: str
    kind: str = "loss"


def loss_warnings(observations: pl.DataFrame) -> list[LossTest]:
    """The tests by which a model's loss is not random (adjusted p below .05)."""
    return [test for test in loss_tests(observations) if test.p_adjusted < LEVEL]


def loss_tests(observations: pl.DataFrame) -> list[LossTest]:
    """Every test that can be made. None where all items were lost, or none, or where they are all alike in a fact."""
    tests: list[LossTest] = []
    lossy = observations.filter(pl.col("state").is_in(LOST).any().over("model", "experiment"))
    for model in lossy["model"].unique(maintain_order=True):
        mine = lossy.filter(pl.col("model") == model)
        found = [t for e in EXPERIMENTS for t in _tests(model, e, mine.filter(pl.col("experiment") == e))]
        adjusted = holm(np.array([test.p for test in found]))
        tests += [replace(test, p_adjusted=float(p)) for test, p in zip(found, adjusted, strict=True)]
    return tests


def _tests(model: str, experiment: str, claims: pl.DataFrame) -> list[LossTest]:
    items = claims.group_by("item").agg(
        lost=pl.col("state").is_in(LOST).any(),
        # a pair of questions has two lengths; its mean over the pairs is the mean over the group's questions
        length=pl.concat_list("length", "other_length").list.drop_nulls().explode().mean(),
    )
    items = items.sort("item")
    lost: Flags = items["lost"].to_numpy()
    if not 0 < lost.sum() < len(lost):
        return []
    lot = LOT[experiment]
    found = {
        "label": _by_kind(_parts(claims, ["label"]), items, lot, "are"),
        "subject": _by_kind(_parts(claims, ["subject", "other_subject"]), items, lot, "are on"),
        "length": _by_length(items.drop_nulls("length"), lot),
    }
    counts = int(lost.sum()), int((~lost).sum())
    return [LossTest(model, experiment, fact, f[0], math.nan, *counts, f[1]) for fact, f in found.items() if f]


def _parts(claims: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Item, kind, and what part of the item is of this kind: all of it, but where a group's questions differ."""
    long = pl.concat([claims.select("item", kind=column) for column in columns]).drop_nulls()
    parts = long.group_by("item", "kind").agg(part=pl.len())
    return parts.with_columns(part=pl.col("part") / pl.col("part").sum().over("item"))


def _by_kind(parts: pl.DataFrame, items: pl.DataFrame, lot: str, are: str) -> tuple[float, str] | None:
    """p, and what the lost items have most too many of."""
    kinds = sorted(parts["kind"].unique())
    table = parts.pivot("kind", index="item", values="part").join(items, on="item").sort("item")
    lost: Flags = table["lost"].to_numpy()
    if len(kinds) < 2 or not 0 < lost.sum() < len(lost):
        return None
    matrix: Array = table.select(pl.col(kinds).fill_null(0.0)).to_numpy()
    gone, here = matrix[lost].sum(0), matrix[~lost].sum(0)
    expected = matrix.mean(0) * lost.sum()
    most = int(np.argmax((gone - expected) / np.sqrt(expected)))
    text = f"of {lot} {gone[most] / gone.sum():.0%} {are} {kinds[most]}, of those read {here[most] / here.sum():.0%}"
    whole = len(kinds) == 2 and set(np.unique(matrix)) <= {0.0, 1.0}
    return fisher_exact(gone, here) if whole else by_permutation(matrix, lost, np.random.default_rng(0)), text


def by_permutation(matrix: Array, lost: Flags, rng: np.random.Generator) -> float:
    """p of the chi-square of lost items over kinds, shape (items, kinds), were the lost ones drawn at random: over all
    ways to draw them where there are no more than 2,000, else over so many random ones and the one that was seen.
    """
    n, k = len(lost), int(lost.sum())
    expected = matrix.mean(0) * k

    def chi_square(drawn: Array) -> Array:
        """Of how much of each kind was drawn, shape (draws, kinds)."""
        found: Array = ((drawn - expected) ** 2 / expected).sum(1)
        return found

    seen = chi_square(lost[None] @ matrix)[0] - 1e-9
    if (ways := math.comb(n, k)) <= PERMUTATIONS + 1:
        draws = np.zeros((ways, n))
        for row, chosen in zip(draws, combinations(range(n), k), strict=True):
            row[list(chosen)] = 1
        return float((chi_square(draws @ matrix) >= seen).mean())
    if set(np.unique(matrix)) <= {0.0, 1.0} and (matrix.sum(1) == 1).all():
        # each item is of one kind: how many of each are drawn can be drawn at once
        drawn = rng.multivariate_hypergeometric(matrix.sum(0).astype(int), k, size=PERMUTATIONS).astype(np.float64)
        return (1 + int((chi_square(drawn) >= seen).sum())) / (1 + PERMUTATIONS)
    extreme = 1
    for start in range(0, PERMUTATIONS, BLOCK):
        block = np.tile(lost.astype(np.float64), (min(BLOCK, PERMUTATIONS - start), 1))
        extreme += int((chi_square(rng.permuted(block, axis=1) @ matrix) >= seen).sum())
    return extreme / (1 + PERMUTATIONS)


def _by_length(items: pl.DataFrame, lot: str) -> tuple[float, str] | None:
    lost: Flags = items["lost"].to_numpy()
    lengths = items["length"].to_numpy()
    gone, here = lengths[lost], lengths[~lost]
    if not (len(gone) and len(here) and len(np.unique(lengths)) > 1):
        return None
    text = f"{lot} have {np.median(gone):.0f} characters at the median, those read {np.median(here):.0f}"
    if math.comb(len(lost), len(gone)) > PERMUTATIONS + 1:
        return rank_sum(gone, here), text
    return by_permutation(ranks(lengths)[:, None], lost, np.random.default_rng(0)), text
