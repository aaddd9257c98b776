"""A guess that takes no model at all, held against what a model says of itself, on the same claims."""

import numpy as np

from selfexec.arrays import Claims
from selfexec.scores.counted import ACCURACY, count, difference, guess_counts, scorable
from selfexec.scores.guessers import by_label
from selfexec.scores.rows import Estimate

# the guesser's name among the metrics
SIMPLE = {"association": "always_no", "restriction": "label"}


def over_simple(claims: Claims, strict: bool) -> Estimate:
    """A model's accuracy less that of always saying no (association) or of the request's label (restriction), paired on
    the items: Student's t.
    """
    scored = claims.where(scorable(claims, strict))
    chance = by_label(scored) if SIMPLE[claims.experiment] == "label" else np.zeros(len(scored))
    return difference(ACCURACY[claims.experiment], count(claims, strict), guess_counts(scored, chance))
