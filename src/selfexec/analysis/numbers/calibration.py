"""What models give a probability to, and how often that came true."""

import math
from dataclasses import dataclass, replace

import numpy as np

from selfexec.analysis.numbers.number import Number, estimated, unit_of
from selfexec.claims import Claims, Tables
from selfexec.metrics import Estimate, claim_kind
from selfexec.stats import Array, effective_n, equal_groups, ratio_error, student, wilson


@dataclass(frozen=True)
class Tenth:
    """Claims of like probability: their mean, how often they came true, and how many they are."""

    said: float
    came: Number
    claims: int


@dataclass(frozen=True)
class Calibration:
    """Of one model, its claims in tenths of about equal count, from the least probable to the most; equal probabilities
    stay together, so that there may be fewer. These are the groups that the parts of the Brier score rest on. `excess`
    is what it gave more than came true, on average over all claims. `of_pairs`: claims are orders of two, each taken
    the way round that the model holds the more probable one, since which of two is called the first is no matter of it.
    """

    tenths: tuple[Tenth, ...]
    excess: Number | None
    of_pairs: bool = False


def calibrations(tables: Tables, experiment: str) -> dict[str, Calibration]:
    """Of each model that gave any claim a probability and whose outcome is known."""
    if (everyone := tables.claims.get(experiment)) is None:
        return {}
    weighed = everyone.where(np.isfinite(everyone.probability) & (everyone.observed != 0))
    of_pairs = not claim_kind(everyone).FREE_THRESHOLD
    if of_pairs:
        weighed = _favoured(weighed)
    calibrated = {model: _calibration(mine) for model in everyone.models if len(mine := weighed.of(model))}
    return {model: replace(one, of_pairs=of_pairs) for model, one in calibrated.items()}


def _favoured(claims: Claims) -> Claims:
    """Orders the way round that has more than one half; those of one half are left out."""
    weighed = claims.where(claims.probability != 0.5)
    turned = weighed.probability < 0.5
    probability = np.where(turned, 1 - weighed.probability, weighed.probability)
    return replace(weighed, probability=probability, observed=np.where(turned, -weighed.observed, weighed.observed))


def _calibration(claims: Claims) -> Calibration:
    tenth = equal_groups(claims.probability)
    tenths = (_tenth(claims.where(tenth == n)) for n in np.unique(tenth))
    return Calibration(tuple(one for one in tenths if one), _excess(claims))


def _tenth(claims: Claims) -> Tenth | None:
    """With Wilson's interval, on as many independent claims as those of the same items amount to."""
    share, error, counts = _mean(claims, (claims.observed > 0).astype(np.float64))
    clusters = len(counts)
    interval = wilson(share, effective_n(share, error, clusters)) if clusters > 1 else wilson(math.nan, 0)
    came = estimated(Estimate(share, interval, error), clusters, unit_of(claims.experiment))
    return Tenth(float(claims.probability.mean()), came, len(claims)) if came else None


def _excess(claims: Claims) -> Number | None:
    """With Student's interval over items."""
    value, error, counts = _mean(claims, claims.probability - (claims.observed > 0))
    return estimated(
        Estimate(value, student(value, error, len(counts)), error), len(counts), unit_of(claims.experiment)
    )


def _mean(claims: Claims, values: Array) -> tuple[float, float, Array]:
    """The mean over claims, its standard error, and sums and counts by item."""
    _, item = np.unique(claims.item, return_inverse=True)
    counts = np.stack([np.bincount(item, values), np.bincount(item)], axis=1).astype(np.float64)
    total, n = counts.sum(0)
    return float(total / n), ratio_error(lambda totals: totals[..., 0] / totals[..., 1], counts), counts
