"""What comes out of a comparison, as data: differences, standings, contrasts."""

from dataclasses import asdict, dataclass
from typing import Any

from selfexec.analysis.findings import TOO_CLOSE


@dataclass(frozen=True)
class Difference:
    """`model` less `against`, on the `items` that both have; values are on these items too.

    `p_holm` is `p` adjusted for all pairs of the same experiment and metric. `detectable` is the true difference that
    80% of runs like these would find. `items_needed` are those that make the interval as narrow as was wanted, overall
    in the proportions that the experiments have here. `reason` says why there is no difference, or why it is withheld
    (then the two values are there), `caution` why it is to be read with caution.
    """

    metric: str
    experiment: str
    model: str
    against: str
    value: float | None = None
    value_against: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    p: float | None = None
    p_holm: float | None = None
    items: int = 0
    detectable: float | None = None
    items_needed: int | None = None
    reason: str | None = None
    caution: str | None = None

    @property
    def says(self) -> str:
        """higher, lower, too close to call, or withheld."""
        if self.low is None or self.high is None:
            return "withheld"
        return "higher" if self.low > 0 else "lower" if self.high < 0 else TOO_CLOSE


@dataclass(frozen=True)
class Shift:
    """One model in one condition less the same model in another. `p_holm` of the difference is adjusted for all models
    and pairs of conditions of the same experiment and metric.
    """

    name: str
    condition: str
    less: str
    difference: Difference

    def fields(self) -> dict[str, Any]:
        """The fields of the difference, with the model's name and both conditions."""
        return {"name": self.name, "condition": self.condition, "less": self.less, **asdict(self.difference)}


@dataclass(frozen=True)
class Movement:
    """How far predictions moved with a planted behaviour, in `units` of items or of pairs of models: each of `new` with
    the one of `old` at the same place, which were trained with opposite assignments where they are `mirrored`.

    `behaviour` is the mean change where yes was planted less that where no was. `own` is the slope of the model's
    prediction about itself on it, `other` that of its prediction about somebody else (`about`, the level of `frame`),
    and `difference` the one less the other. `reason` says why slopes are withheld, `caution` why they are to be read
    with caution.
    """

    experiment: str
    about: str | None
    new: tuple[str, ...]
    old: tuple[str, ...]
    mirrored: bool
    items: int
    claims: int
    units: str
    behaviour: float | None = None
    behaviour_low: float | None = None
    behaviour_high: float | None = None
    own: float | None = None
    own_low: float | None = None
    own_high: float | None = None
    other: float | None = None
    other_low: float | None = None
    other_high: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    reason: str | None = None
    caution: str | None = None

    @property
    def says(self) -> str:
        """further, less far, too close to call, or withheld."""
        if self.difference_low is None or self.difference_high is None:
            return "withheld"
        return "further" if self.difference_low > 0 else "less far" if self.difference_high < 0 else TOO_CLOSE


@dataclass(frozen=True)
class Standing:
    """A model's place, on all of its items. Models that share one of the letters in `tied` cannot be told apart."""

    metric: str
    experiment: str
    model: str
    rank: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    tied: str = ""
    reason: str | None = None


@dataclass(frozen=True)
class Contrast:
    """Two groups of models by a tag: mean of the second less mean of the first, Welch's t test, the model as unit."""

    tag: str
    metric: str
    experiment: str
    first: str
    second: str
    models_first: int
    models_second: int
    mean_first: float | None
    mean_second: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    reason: str | None = None
