"""What models of the same family did with the very item, and what they said that they would.

Nothing is chosen or learnt, and nothing that the model itself said or did is in it. It is no part of the stacked
baseline: a margin would then hang on whether a model of its family happens to be in the run (docs/decisions/0030).
"""

import math
from collections.abc import Mapping

import numpy as np

from selfexec.claims import Claims, Flags, occurring
from selfexec.experiments.base import say
from selfexec.metrics.baselines.others import reaches
from selfexec.metrics.baselines.panel import Others
from selfexec.metrics.kinds import kind_of
from selfexec.metrics.rows import LEAST_COVERAGE
from selfexec.stats import Array
from selfexec.text.numbers import number_of

BY_FAMILY = ("family_predictions", "family_behaviour")
NO_FAMILY = "no other model of its family is here"


def by_family(claims: Claims, family: Others) -> Mapping[str, Array]:
    """Baseline -> the chance that it says yes to each of a model's claims; nan where no model of its family was read.
    Nothing where what is predicted is each model's own.

    family_predictions    yes where the share of them that said that they would reaches that with which they say so at
                          all
    family_behaviour      yes where the share of them that did it reaches their base rate; of a pair, what most of them
                        did
    """
    if not kind_of(claims).CROSSED:
        return {}
    if not len(family):
        return dict.fromkeys(BY_FAMILY, np.full(len(claims), math.nan))
    cut, at = kind_of(claims).CUT, family.panel.at(claims)
    shares = dict(zip(BY_FAMILY, (family.votes.share_said, family.votes.share_did), strict=True))
    said = {name: reaches(share) if cut else say(share, 0.5) for name, share in shares.items()}
    return {name: np.where(np.isnan(shares[name]), math.nan, chance)[at] for name, chance in said.items()}


def too_few_of_family(claims: Claims, family: Others, chance: Array, which: Flags) -> str | None:
    """Why a family tells nothing of these of a model's claims, None where one was read on nine tenths of the items."""
    if not len(family):
        return NO_FAMILY
    asked, met = (len(occurring(claims.item[these])) for these in (which, which & ~np.isnan(chance)))
    if met < LEAST_COVERAGE * asked:
        return f"models of its family were read on {met} of {number_of(asked, 'item')}"
    return None
