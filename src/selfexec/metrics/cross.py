"""Every model's predictions held against every model's behaviour: is a model better about itself than about others?

M[a, b] is the accuracy of a's predictions about b's behaviour, on the claims that all models read. It is taken apart
as M[a, b] = alpha_a + beta_b + gamma [a = b]: how well a predicts anyone, how easily b is predicted by anyone, and
gamma, the additive self-bonus, for comparison with the literature. It is no evidence that models know themselves: what
a's prediction shares with b's behaviour is a product (how well a knows models in general times how typical b is), not a
sum.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfexec.claims import Claims, Numbers, Signs, occurring
from selfexec.claims.arrays import READ
from selfexec.metrics.kinds import claim_kind
from selfexec.metrics.rows import LEAST_RARER_ITEMS, Estimate, share_interval
from selfexec.stats import NO_SPREAD, NONE, Array, Interval, ratio_error, student
from selfexec.text.numbers import number_of, points, too_few

LEAST_COMMON_ITEMS = 100  # below it a self-bonus is not quoted
NOTHING_READ = "none of its claims was read"
TAKES_TWO = "two models with common claims are needed"
NO_EVIDENCE = "no test of self-knowledge"
WARNING = (
    f"The self-bonus is {NO_EVIDENCE}. Nobody need know anything of itself for it to be above 0: it is above 0 "
    "whenever the better predictors are the more typical models, or models that predict yes more often also act so "
    "more often."
)


@dataclass(frozen=True)
class Common:
    """The claims of one experiment that every model read; `source` says what was done. `predicted` and `observed` have
    shape (models, claims); `item` numbers each claim's item. `left_out`: model -> why it is none of them.
    """

    experiment: str
    source: str
    models: tuple[str, ...]
    left_out: Mapping[str, str]
    items: tuple[str, ...]
    item: Numbers
    predicted: Signs
    observed: Signs

    @property
    def claims(self) -> int:
        return len(self.item)

    @property
    def rarer_share(self) -> float:
        """Share of the rarer outcome, over all models."""
        if not self.claims:
            return math.nan
        share = float((self.observed > 0).mean())
        return min(share, 1 - share)

    @property
    def rarer_items(self) -> int:
        """How many items have the rarer outcome, for the model where they are fewest."""
        counts = [len(occurring(self.item[row == sign])) for row in self.observed for sign in (1, -1)]
        return min(counts, default=0)


@dataclass(frozen=True)
class Crossed:
    """`matrix`: accuracy of predictor (rows) about behaviour (columns), shape (models, models).

    `gamma` is the self-bonus with its interval (Student's t, items as clusters) and standard error; nan, with a
    `reason`, below the floors. `skill_of_predictor` (alpha) and `ease_of_behaviour` (beta, around zero) are the
    additive model's. `own` is each model's own bonus, with an interval of its own: its accuracy about itself less
    alpha + beta fitted to the matrix without its diagonal; gamma is their mean. Of two models all three are nan.
    `by_item`: what the claims of each item add to gamma, and how many they are, shape (items, 2).
    """

    common: Common
    matrix: Array
    gamma: float
    interval: Interval
    error: float
    skill_of_predictor: Array
    ease_of_behaviour: Array
    own: tuple[Estimate, ...]
    by_item: Array
    reason: str | None = None

    @cached_property
    def cells(self) -> Array:
        """The ends of the matrix' intervals, shape (models, models, 2): Wilson's, on the number of claims that are as
        good as independent. Scores do without them.
        """
        models, item = np.arange(len(self.common.models)), self.common.item
        ends = np.full((*self.matrix.shape, 2), math.nan)
        if not self.common.claims:
            return ends
        for a, b in product(models, models):
            right = np.bincount(item, self.common.predicted[a] == self.common.observed[b])
            pairs = np.stack([right, np.bincount(item)], axis=1).astype(np.float64)
            error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], pairs)
            ends[a, b] = share_interval(float(self.matrix[a, b]), error, pairs)
        return ends

    @property
    def has_own(self) -> bool:
        """Whether the matrix is taken apart into alpha, beta and own bonuses."""
        return not all(math.isnan(one.value) for one in self.own)

    @property
    def beyond(self) -> Array:
        """What alpha and beta leave of the matrix: on its diagonal each model's own bonus."""
        return self.matrix - self.skill_of_predictor[:, None] - self.ease_of_behaviour

    def estimate_for(self, model: str) -> Estimate:
        """The self-bonus, as a number about one of the models; it is the same for all that took part."""
        if self.reason:
            return Estimate(math.nan, reason=self.reason)
        if model not in self.common.models:
            why = self.common.left_out.get(model, NOTHING_READ)
            return Estimate(math.nan, reason=f"left out: {why} ({self.basis} without it)")
        return Estimate(self.gamma, self.interval, self.error)

    @property
    def gap(self) -> str:
        """The self-bonus in points, with its interval."""
        low, high = self.interval
        doubt = (
            ", the same on every item, so without an interval"
            if math.isnan(low)
            else f" [{points(low)}, {points(high)}]"
        )
        return f"{points(self.gamma)} points of accuracy{doubt}"

    @property
    def basis(self) -> str:
        """What a self-bonus rests on, to be stated beside it."""
        c = self.common
        return (
            f"{number_of(len(c.models), 'model')}, {number_of(c.claims, 'common claim')} of "
            f"{number_of(len(c.items), 'item')}, "
            f"rarer outcome {c.rarer_share:.0%}"
        )


def self_bonuses(claims: Claims) -> dict[str, Crossed]:
    """Metric -> the models crossed. Also by each further source of what was done (one fixed rule, say), since a model
    that judges both what it would do and what it did may agree with itself for other reasons than knowing itself. None
    where what is predicted is each model's own.
    """
    if not claim_kind(claims).SHARED_CLAIMS:
        return {}
    by_others = {f"self_bonus_by_{other}": cross(common_claims(claims, other)) for other in claims.further_sources}
    return {"self_bonus": cross(common_claims(claims)), **by_others}


def common_claims(claims: Claims, other: str | None = None) -> Common:
    """The claims that all models read. Where they are too few for a self-bonus, models are left out until they are
    enough: first those that have too few by themselves, then again and again the one without which the others come
    nearest to the floors, the most incomplete of equals. Names decide nothing. Where that does not help, nobody is left
    out. `other`: what was done is what this further source says.
    """
    rows = claims.by(other) if other else claims.where(claims.state == READ)
    rows = rows.where((rows.predicted != 0) & (rows.observed != 0))
    sizes = dict(zip(rows.models, np.bincount(rows.model, minlength=len(rows.models)), strict=True))
    kept = [model for model in rows.models if sizes[model]]
    everybody = common = _aligned(rows, kept, dict.fromkeys(set(rows.models) - set(kept), NOTHING_READ))
    if len(kept) < 2 or _floor(everybody) is None:
        return everybody
    left_out = {**everybody.left_out, **{m: why for m in kept if (why := _floor(_aligned(rows, [m]), "read"))}}
    while len(kept := [model for model in kept if model not in left_out]) > 1:
        common = _aligned(rows, kept, left_out)
        if (short := _floor(common)) is None:
            return common
        left_out[_hindrance(rows, kept, sizes)] = f"with it {short}"
    return everybody


def _hindrance(rows: Claims, models: Sequence[str], sizes: Mapping[str, int]) -> str:
    """The model without which the others come nearest to the floors."""

    def merit(model: str) -> tuple[float, int, bytes]:
        rest = _aligned(rows, [other for other in models if other != model])
        own = rows.of(model)
        contents = own.predicted.tobytes() + own.observed.tobytes()
        near = min(len(rest.items) / LEAST_COMMON_ITEMS, rest.rarer_items / LEAST_RARER_ITEMS)
        return near, -sizes[model], contents  # of equals, something that is no name

    return max(models, key=merit)


def _aligned(rows: Claims, models: Sequence[str], left_out: Mapping[str, str] = MappingProxyType({})) -> Common:
    """The claims that all of these models have in common, in the order of items."""
    chosen = sorted(models)
    number = np.array([chosen.index(model) if model in models else -1 for model in rows.models])
    rows = rows.where(number[rows.model] >= 0)
    cell = rows.claim_id * (rows.epoch.max(initial=0) + 1) + rows.epoch
    _, first, column, n = np.unique(cell, return_index=True, return_inverse=True, return_counts=True)
    common = n == len(models)
    numbers, item = np.unique(rows.item[first[common]], return_inverse=True)
    predicted, observed = np.zeros((2, len(models), len(n)), dtype=np.int8)
    for table, signs in ((predicted, rows.predicted), (observed, rows.observed)):
        table[number[rows.model], column] = signs
    return Common(
        rows.experiment,
        rows.source,
        tuple(chosen),
        dict(sorted(left_out.items())),
        tuple(rows.items[n] for n in numbers),
        item,
        predicted[:, common],
        observed[:, common],
    )


def cross(common: Common) -> Crossed:
    """The matrix, taken apart by least squares. The design is balanced, so that gamma is the sum of W * M, with
    W = (I - 1/K) / (K - 1), as each own bonus is with a W of its own. Each claim adds its part to such a sum: its error
    is that of a ratio over items.
    """
    models = len(common.models)
    unknown = Crossed(
        common,
        matrix=np.full((models, models), math.nan),
        gamma=math.nan,
        interval=NONE,
        error=math.nan,
        skill_of_predictor=np.full(models, math.nan),
        ease_of_behaviour=np.full(models, math.nan),
        own=(Estimate(math.nan),) * models,
        by_item=np.zeros((0, 2)),
    )
    if models < 2 or not common.claims:
        return replace(unknown, reason=TAKES_TWO)
    matrix = (1 + common.predicted.astype(np.float64) @ common.observed.T / common.claims) / 2
    if reason := _floor(common):
        return replace(unknown, matrix=matrix, reason=reason)
    w = (np.eye(models) - 1 / models) / (models - 1)
    bonus = _sum_of_cells(common, matrix, w)
    crossed = replace(
        unknown,
        matrix=matrix,
        gamma=bonus.value,
        interval=bonus.interval,
        error=bonus.error,
        by_item=_by_item(common, w),
    )
    return _taken_apart(crossed) if models > 2 else crossed  # of two, two cells tell no alpha from a beta


def _taken_apart(crossed: Crossed) -> Crossed:
    """With alpha, beta and each model's own bonus."""
    matrix = crossed.matrix
    to_alpha, to_beta = _to_additive(len(matrix))
    itself = np.eye(len(matrix))[:, None] * np.eye(len(matrix))
    own = (_sum_of_cells(crossed.common, matrix, weights) for weights in itself - to_alpha - to_beta)
    return replace(
        crossed,
        skill_of_predictor=(to_alpha * matrix).sum((1, 2)),
        ease_of_behaviour=(to_beta * matrix).sum((1, 2)),
        own=tuple(own),
    )


def _to_additive(models: int) -> tuple[Array, Array]:
    """What alpha and beta (around zero) are sums of: weights of the matrix' cells, shape (models, models, models). By
    least squares with a bonus for each model: what is off the diagonal fits alpha and beta alone.
    """
    rows, columns = np.nonzero(~np.eye(models, dtype=bool))
    design: NDArray[Any] = np.zeros((len(rows) + 1, 2 * models))
    design[np.arange(len(rows)), rows] = 1
    design[np.arange(len(rows)), models + columns] = 1
    design[-1, models:] = 1  # the betas sum to zero
    weights = np.zeros((2 * models, models, models))
    weights[:, rows, columns] = np.linalg.pinv(design)[:, :-1]
    return weights[:models], weights[models:]


def _sum_of_cells(common: Common, matrix: Array, weights: Array) -> Estimate:
    """The sum of weights times matrix, with Student's t on items."""
    by_item = _by_item(common, weights)
    error = ratio_error(lambda totals: totals[..., 0] / totals[..., 1], by_item)
    value = float((weights * matrix).sum()) + 0.0
    if not error > NO_SPREAD:  # the same on every item: nothing tells how doubtful it is
        return Estimate(round(value, 12) + 0.0)
    return Estimate(value, student(value, error, len(by_item)), error)


def _by_item(common: Common, weights: Array) -> Array:
    """What the claims of each item add to the sum of weights times matrix, and how many they are, shape (items, 2)."""
    parts = ((common.predicted * (weights @ common.observed)).sum(0) + weights.sum()) / 2
    return np.stack([np.bincount(common.item, parts), np.bincount(common.item)], axis=1).astype(np.float64)


def _floor(common: Common, kind: str = "common") -> str | None:
    """Why a self-bonus must not be quoted, None where it may."""
    if (items := len(common.items)) < LEAST_COMMON_ITEMS:
        return too_few(items, LEAST_COMMON_ITEMS, f"{kind} item")
    if (rarer := common.rarer_items) < LEAST_RARER_ITEMS:
        return too_few(rarer, LEAST_RARER_ITEMS, f"{kind} item has", f"{kind} items have", " the rarer outcome")
    return None
