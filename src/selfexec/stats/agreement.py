"""How far several judges of the same things agree."""

import numpy as np

from selfexec.stats.intervals import Array


def coincidences(counts: Array) -> Array:
    """What Krippendorff's alpha is made of, shape (units, 1 + classes), from how many judges put each unit into each
    class, shape (units, classes): first the pairs that agree, each unit's among its m judges counted 1/(m - 1) times,
    then how many judgements each class has. Units with fewer than two judgements tell nothing of agreement.
    """
    judges = counts.sum(1)
    several = judges > 1
    agreeing = (counts * (counts - 1)).sum(1)[several] / (judges[several] - 1)
    found = np.zeros((len(counts), 1 + counts.shape[1]))
    found[several, 0], found[several, 1:] = agreeing, counts[several]
    return found


def nominal_alpha(totals: Array) -> Array:
    """Krippendorff's alpha for classes without an order, from totals of `coincidences` (on the last axis).

    alpha = 1 - observed over expected disagreement = 1 - (n - 1) (n - sum_c o_cc) / (n^2 - sum_c n_c^2), n judgements
    in pairs, n_c of them of class c, o_cc pairs that agree on c (Krippendorff 2011, Computing Krippendorff's
    Alpha-Reliability, section C). 1 is agreement throughout, 0 what chance gives; nan where all judgements are one
    class: then nothing shows that they could tell.
    """
    agreeing, by_class = totals[..., 0], totals[..., 1:]
    n = by_class.sum(-1)
    expected = n**2 - (by_class**2).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * (n - agreeing) / expected, np.nan)
