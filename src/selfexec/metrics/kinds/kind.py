"""The kinds of claims, and what each kind defines: how its claims are counted, compared and resampled."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from selfexec.claims import Answers, Claims, Floats
from selfexec.experiments import EXPERIMENTS, KindName
from selfexec.facets import DEFAULT_NAME, asks_for_probabilities, condition_named
from selfexec.metrics.kinds import binary, orders, shares
from selfexec.metrics.kinds.counts import Formula, Record
from selfexec.metrics.kinds.paired_differences import ceiling_share_difference, rate_bias_difference
from selfexec.metrics.kinds.rates import ceiling_share_estimate, rate_bias_estimate
from selfexec.metrics.rows import Estimate
from selfexec.stats import Array, Interval


class Kind(Protocol):
    """What the module of a kind defines: `binary`, `orders` or `shares`, in which to look for what is called here as
    `kind.count` of a `claim_kind`. Some of it is imported there: `skill_difference` from `paired_differences`, `bounds`
    from `binary_bounds`. Records are counts by item, shape (items, cells); formulas take totals of them.
    """

    NAME: str
    SKILL_NAME: str
    """The field's name of its skill."""
    DRAWN: Mapping[str, Formula]
    """The formulas of the metrics that have bootstrap intervals."""
    OF_SKILL: Collection[str]
    """The metrics that are not defined on a single item."""
    OF_OTHERS: Sequence[str]
    """The baselines by other models: without such models their rows have a reason in place of a number."""
    ITEMS_FOR_SKILL_NAME: str
    """In sentences, behind "items": what items have that count for `items_for_skill`."""
    NO_SKILL: str
    """Why skill is not defined, of models to be named."""
    SHARED_CLAIMS: bool
    """Whether all models are asked about the same claims, so that the predictions of one can be compared with the
    behaviour of another."""
    FREE_THRESHOLD: bool
    """Whether a baseline predicts a yes from the others' base rate on; else from one half."""

    @property
    def never_changed(self) -> Callable[[Array], Interval] | None:
        """The interval of the noise ceiling where all executions agreed; None for a kind without a noise ceiling."""

    def accuracy(self, totals: Any) -> Any:
        """Formula of totals."""

    def skill(self, totals: Any) -> Any:
        """Formula of totals."""

    def count(self, claims: Claims, strict: bool) -> Record:
        """A model's own record; strictly, with what was not read."""

    def predictor_record(self, claims: Claims, probability: Array) -> Record:
        """The record of a predictor with these probabilities of a yes (0 to 1); nan where it predicts nothing."""

    def predictor_counts(self, claims: Claims, probability: Array) -> Array:
        """The counts of many such predictors: probabilities have shape (..., claims), counts (..., items, cells)."""

    def constant(self, record: Record) -> Record:
        """The record of a predictor with skill 0 on the items of a record."""

    def own_estimates(
        self, claims: Claims, record: Record, answers: Answers, wanted: Iterable[str], strict: bool
    ) -> Mapping[str, Estimate]:
        """The metrics of a model's own record; `wanted` names those that only some experiments have."""

    def brief_estimates(self, record: Record) -> Mapping[str, Estimate]:
        """Those of them that the first screen is made of."""

    def accuracy_estimate(self, record: Record) -> Estimate: ...

    def skill_estimate(self, record: Record) -> Estimate: ...

    def skill_difference(self, one: Record, two: Record) -> Estimate:
        """Skill of one less skill of two, paired on the items that both have."""

    def rests_on_few(self, first: Array, second: Array) -> bool:
        """Whether so few items tell these two apart that the error of their difference is not that of the formula. The
        rows of both are of the same items.
        """

    def weights(self, claims: Claims) -> Floats:
        """For the permutation test: skill is a constant plus the sum, over claims, of weight times predicted sign."""

    def bounds(self, claims: Claims) -> Mapping[str, Interval]:
        """Metric -> its least and greatest value, whatever the lost claims would have been."""

    def rehearsed(self, yes: Array, no: Array, differ: Array, n: Array) -> Sequence[Array]:
        """Cells of how one execution predicts another: pairs where both are a yes, both are a no, and that differ,
        of n."""

    def of_rehearsals(self, sums: Array) -> Array:
        """A record of those cells, summed by item."""

    def items_for_skill(self, counts: Array) -> int:
        """How many items bear on skill: those with the rarer outcome, say."""

    def too_few(self, claims: Claims, record: Record) -> str | None:
        """Why a headline on these claims would mislead."""


# --- the kinds -------------------------------------------------------------------------------------------------------


KINDS: Mapping[KindName, Kind] = {"binary": binary, "order": orders, "share": shares}


class RateMetric(NamedTuple):
    """What is estimated of counts of yes and no, and its paired difference between two records."""

    estimate: Callable[[Array], Estimate]
    difference: Callable[[Record, Record], Estimate]


RATES: Mapping[str, RateMetric] = {
    "rate_bias": RateMetric(rate_bias_estimate, rate_bias_difference),
    "share_of_ceiling": RateMetric(ceiling_share_estimate, ceiling_share_difference),
}


def claim_kind(what: Claims | str) -> Kind:
    """The kind of these claims, or of an experiment's by its name."""
    return KINDS[EXPERIMENTS[what if isinstance(what, str) else what.experiment].claim_kind]


def gives_probabilities(claims: Claims) -> bool:
    """Whether a model was asked for the probabilities of these claims."""
    return claims.condition != DEFAULT_NAME and asks_for_probabilities(condition_named(claims.condition))
