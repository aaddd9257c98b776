"""What is shown next to own excess: a measure of another construction, its size on a scale of its own, and one for
readers. None of them decides a verdict.
"""

from itertools import combinations

import numpy as np

from selfexec.claims import Floats, Numbers, Signs
from selfexec.metrics.own_excess.compared import ComparedModels
from selfexec.metrics.own_excess.excess import claims_by_item, rho_and_weights
from selfexec.metrics.rows import Estimate
from selfexec.stats import NO_SPREAD, Array, ratio_error, student
from selfexec.stats.factors import fit_factors

RIDGE = 1.0
ALONE = 1e-9
MOST_SHARED = 0.98  # of a variance: what is left must be something


def partial_correlations(compared: ComparedModels) -> tuple[list[Estimate], Estimate]:
    """Of each model's predictions and its behaviour, from both of which everything is taken off that the predictions
    and outcomes of the others say of them, by ridge regression; and their mean. What is taken off the claims of an item
    is by a regression on all other items (the generalised covariance measure: Shah and Peters 2020, here a
    correlation); Student's t on items.

    With few other models it is too high: their predictions and outcomes do not show all that is common to models, and
    what they leave is in prediction and outcome alike. Hence it is a second opinion, and no verdict.
    """
    items, item = np.unique(compared.item, return_inverse=True)
    rows = claims_by_item(item, np.arange(len(item)), len(items))
    parts = [_by_item(compared, n, item, rows) for n in range(len(compared.models))]
    each = [_correlation(sums) for sums in parts]
    # of the mean: the influence of each item on each correlation, which is 0 on average, added up
    influence = np.sum([_influence(sums) for sums in parts], axis=0) / len(parts)
    error = float(np.sqrt(len(items) / (len(items) - 1) * (influence**2).sum()))
    value = float(np.mean([one.value for one in each]))
    return each, Estimate(value, student(value, error, len(items)), error)


def _by_item(compared: ComparedModels, n: int, item: Numbers, rows: Numbers) -> Array:
    """Sums over the claims of each item, of a model's residual prediction times outcome, and the squares of each."""
    others = np.delete(np.arange(len(compared.models)), n)
    known = compared.known[n]
    signs = np.stack([compared.predictions[n], compared.outcomes[n]]).astype(np.float64)
    predictors = np.vstack([compared.predictions[others], compared.outcomes[others]]).astype(np.float64)
    intercepts = (compared.stratum == np.arange(compared.strata)[:, None]).astype(np.float64)
    prediction, outcome = _left(signs, intercepts * known, predictors * known, rows) * known
    products = (prediction * outcome, prediction * prediction, outcome * outcome)
    return np.stack([np.bincount(item, part, len(rows)) for part in products], axis=1)


def _left(signs: Floats, intercepts: Floats, predictors: Floats, rows: Numbers) -> Floats:
    """What ridge regressions leave of signs, shape (2, claims), each claim's without the item that it is of: from the
    regression on all items, by its leverage. `rows` has the claims of each item.
    """
    x = np.vstack([intercepts, predictors])
    ridge = np.diag([NO_SPREAD] * len(intercepts) + [RIDGE] * len(predictors))
    slopes = np.linalg.solve(x @ x.T + ridge, x)  # (predictors, claims)
    left = signs - (signs * intercepts.any(0)) @ x.T @ slopes
    present = rows >= 0
    own, other = x[:, rows] * present, slopes[:, rows] * present
    leverage = np.einsum("pia,pib->iab", own, other)
    # where nothing else predicts a claim there is nothing to take off, and nothing to go by
    free = np.diagonal(leverage, axis1=1, axis2=2) < 1 - ALONE
    here = np.where(present & free, left[:, rows], 0.0)
    rest = np.eye(rows.shape[1]) - leverage * (free[:, :, None] & free[:, None, :])
    seen = np.linalg.solve(rest, np.moveaxis(here, 0, -1))
    unseen = np.zeros_like(left)
    unseen[:, rows[present]] = np.moveaxis(seen, -1, 0)[:, present]
    return unseen


def _correlation(sums: Array) -> Estimate:
    total = sums.sum(0)
    if not (total[1] > NO_SPREAD and total[2] > NO_SPREAD):
        return Estimate(0.0)
    value = float(total[0] / np.sqrt(total[1] * total[2]))
    error = ratio_error(lambda t: t[..., 0] / np.sqrt(t[..., 1] * t[..., 2]), sums)
    return Estimate(value, student(value, error, len(sums)), error)


def _influence(sums: Array) -> Array:
    """How much each item moves the correlation of these sums."""
    both, prediction, outcome = sums.sum(0)
    if not (prediction > NO_SPREAD and outcome > NO_SPREAD):
        return np.zeros(len(sums))
    scale = np.sqrt(prediction * outcome)
    r = both / scale
    influence: Array = sums[:, 0] / scale - r * (sums[:, 1] / prediction + sums[:, 2] / outcome) / 2
    return influence


def unique_correlations(compared: ComparedModels, own: Array) -> Array:
    """Own excess by what it could be at most: the correlation of what is unique in a model's prediction (it is in
    nobody else's predictions) and what is unique in its behaviour. nan where nothing is unique.
    """
    predictions, outcomes = (_unique(compared, signs) for signs in (compared.predictions, compared.outcomes))
    with np.errstate(invalid="ignore"):
        found = own / np.sqrt(predictions * outcomes)
    return np.clip(found, -1, 1)


def _unique(compared: ComparedModels, signs: Signs) -> Array:
    """The share of each row's variance that it has in common with no other, by two factors of their correlations."""
    rho, weights = rho_and_weights(signs, signs)
    shared = np.diagonal(fit_factors(rho, weights * ~np.eye(len(rho), dtype=bool), 2).fitted)
    found: Array = 1 - np.clip(shared, 0, MOST_SHARED)
    return found


def swap_shares(compared: ComparedModels) -> tuple[list[Estimate], Estimate]:
    """Of the claims on which two models differ both in prediction and in behaviour, the share in which they are right
    about themselves and not about each other: of each model with all others, and of all pairs. One half says nothing.
    """
    items, item = np.unique(compared.item, return_inverse=True)
    n = len(compared.models)
    by_pair = np.zeros((n, len(items), 2))
    for a, b in combinations(range(n), 2):
        predictions, outcomes = (
            compared.predictions[a] * compared.predictions[b],
            compared.outcomes[a] * compared.outcomes[b],
        )
        differ = (predictions < 0) & (outcomes < 0)
        right = differ & (compared.predictions[a] == compared.outcomes[a])
        counts = np.stack([np.bincount(item, part, len(items)) for part in (right, differ)], axis=1)
        by_pair[a] += counts
        by_pair[b] += counts
    return [_share(counts) for counts in by_pair], _share(by_pair.sum(0))


def _share(counts: Array) -> Estimate:
    counts = counts[counts[:, 1] > 0]
    if not len(counts):
        return Estimate(float("nan"), reason="no two models differ both in prediction and in behaviour")
    total = counts.sum(0)
    value = float(total[0] / total[1])
    error = ratio_error(lambda t: t[..., 0] / t[..., 1], counts)
    return Estimate(value, student(value, error, len(counts)).within(0, 1), error)
