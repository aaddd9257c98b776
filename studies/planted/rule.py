"""The pass rule of the first stage. It was written before the first panel was trained; README.md has its SHA-256.

1. A model has learnt its tables if, on requests in a wording that it was never taught, at least .9 of its predictions
   and of its outcomes are read, and at least .9 of those read are as taught. A panel with a model that has not learnt
   its tables is not judged. Only that is a reason to train longer, and all models of a panel are trained alike.
2. Panels of models that know their tables (`knowers`, `no-norm`) pass if no more of them lack the verdict `own` than
   chance allows: with as many panels, and the share of `own` that simulation of such tables gives (the lower one of the
   tables as they are and of tables in which one entry of twenty is wrong), so few would come out with a probability
   of .05 or more.
3. Panels of the null kinds (`anothers`, `common`, `many-to-many`) pass together: with two or more that are `own` they
   fail; a single one is examined, which means that it is described on the page, with what the simulation says of its
   kind, and is not trained again.
4. `half` measures power: its share is given, and nothing passes or fails.
5. A verdict is that of `selfexec score` on the run of a panel, by the fixed rule of what is a refusal, where models
   predict for themselves. All panels that were judged count; none is left out, and none is drawn again.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

LEARNT = 0.9
CHANCE = 0.05
KNOWING = ("knowers", "no-norm")
NULLS = ("anothers", "common", "many-to-many")

Passing = Literal["passes", "fails", "to be examined", "nothing judged"]


def has_learnt(read: float, as_taught: float) -> bool:
    """Whether a model has learnt a table, by the shares of it that were read, and that were read as taught."""
    return read >= LEARNT and as_taught >= LEARNT


def probability_of_at_most(own: int, panels: int, share: float) -> float:
    """The binomial probability that so few panels, or fewer, are `own`."""
    return math.fsum(math.comb(panels, n) * share**n * (1 - share) ** (panels - n) for n in range(own + 1))


def knowers_pass(verdicts: Sequence[str | None], share: float) -> Passing:
    """Judge all panels of one knowing kind, where simulation gives this share of `own`."""
    if not verdicts:
        return "nothing judged"
    probability = probability_of_at_most(sum(verdict == "own" for verdict in verdicts), len(verdicts), share)
    return "passes" if probability >= CHANCE else "fails"


def nulls_pass(verdicts: Mapping[str, Sequence[str | None]]) -> Passing:
    """Judge all panels of all null kinds together: kind -> its verdicts."""
    judged = [verdict for kind in NULLS for verdict in verdicts.get(kind, ())]
    if not judged:
        return "nothing judged"
    return ("passes", "to be examined", "fails")[min(sum(verdict == "own" for verdict in judged), 2)]
