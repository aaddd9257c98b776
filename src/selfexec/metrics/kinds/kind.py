"""What a kind of claims offers, all that counting, comparing and drawing anew must know of it; and which kinds there
are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from selfexec.claims import Answers, Claims, Floats
from selfexec.experiments import EXPERIMENTS, KindName
from selfexec.facets import asks_for_probabilities, condition_named
from selfexec.metrics.kinds import binary, orders, shares
from selfexec.metrics.kinds.counts import Counted, Formula
from selfexec.metrics.kinds.paired import ceiling_share_difference, rate_bias_difference
from selfexec.metrics.kinds.rates import ceiling_share_estimate, rate_bias_estimate
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, Interval


class Kind(Protocol):
    """A module for each kind. Records are counts by item, shape (items, cells); formulas take totals of them."""

    NAME: str
    SKILL_NAME: str
    """The field's name of its skill."""
    DRAWN: Mapping[str, Formula]
    """What has bootstrap intervals."""
    OF_SKILL: Collection[str]
    """Metrics about which one item says nothing."""
    OF_OTHERS: Sequence[str]
    """Rows of baselines that are there, with the reason, where nothing is known of others."""
    TELLING_NAME: str
    """What items have that tell something, in words."""
    NO_SKILL: str
    """Why skill is not defined, of models to be named."""
    SHARED_CLAIMS: bool
    """Whether a model's predictions can be held against another model's behaviour."""
    FREE_THRESHOLD: bool
    """Whether a baseline may take another share than one half of the others for a yes."""

    @property
    def never_changed(self) -> Callable[[Array], Interval] | None:
        """The interval of the noise ceiling where all executions were alike; None: there is no ceiling."""

    def accuracy(self, totals: Any) -> Any:
        """Formula of totals."""

    def skill(self, totals: Any) -> Any:
        """Formula of totals."""

    def count(self, claims: Claims, strict: bool) -> Counted:
        """A model's own record; strictly, with what was not read."""

    def chance_record(self, claims: Claims, chance: Array) -> Counted:
        """The record of somebody who says yes with these chances (0 to 1); nan where nothing is said."""

    def chance_counts(self, claims: Claims, chance: Array) -> Array:
        """The counts of many such, of chances of shape (..., claims): (..., items, cells), nothing left out."""

    def constant(self, record: Counted) -> Counted:
        """Somebody with skill 0 on the items of a record."""

    def own_estimates(
        self, claims: Claims, record: Counted, answers: Answers, wanted: Iterable[str], strict: bool
    ) -> Mapping[str, Estimate]:
        """Metrics of a model's own record alone; `wanted` are metrics that not every experiment has."""

    def accuracy_estimate(self, record: Counted) -> Estimate: ...

    def skill_estimate(self, record: Counted) -> Estimate: ...

    def skill_difference(self, one: Counted, two: Counted) -> Estimate:
        """Skill of one less skill of two, paired on the items that both have."""

    def weights(self, claims: Claims) -> Floats:
        """Skill is the sum over claims of this times the sign predicted, and of a constant: for permutation."""

    def bounds(self, claims: Claims) -> Mapping[str, Interval]:
        """Metric -> its least and greatest value, whatever the lost claims would have been."""

    def rehearsed(self, yes: Array, no: Array, differ: Array, n: Array) -> Sequence[Array]:
        """Cells of how one execution predicts another: pairs that both did it, that neither did, that differ; of n."""

    def of_rehearsals(self, sums: Array) -> Array:
        """A record of those cells, summed by item."""

    def telling(self, counts: Array) -> int:
        """How many items tell something."""

    def too_few(self, claims: Claims, record: Counted) -> str | None:
        """Why a headline on these claims would mislead."""


# --- those that there are --------------------------------------------------------------------------------------------


KINDS: Mapping[KindName, Kind] = {"binary": binary, "order": orders, "share": shares}


class RateMetric(NamedTuple):
    """What is estimated of counts of yes and no, and its paired difference between two records."""

    estimate: Callable[[Array], Estimate]
    difference: Callable[[Counted, Counted], Estimate]


RATES: Mapping[str, RateMetric] = {
    "rate_bias": RateMetric(rate_bias_estimate, rate_bias_difference),
    "share_of_ceiling": RateMetric(ceiling_share_estimate, ceiling_share_difference),
}


def claim_kind(what: Claims | str) -> Kind:
    """The kind of these claims, or of an experiment's by its name."""
    return KINDS[EXPERIMENTS[what if isinstance(what, str) else what.experiment].kind]


def gives_probabilities(claims: Claims) -> bool:
    """Whether a model was asked for the probabilities of these claims."""
    return asks_for_probabilities(condition_named(claims.condition))
