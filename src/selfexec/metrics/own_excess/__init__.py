"""Own excess: does a model's prediction contain anything about its own behaviour that no other model's predictions or
behaviour contain?
"""

from selfexec.metrics.own_excess.compared import LEAST_ITEMS, LEAST_KNOWN, ComparedModels, compared_models, enough
from selfexec.metrics.own_excess.fit import Evidence, Fit
from selfexec.metrics.own_excess.verdict import (
    LEAST_FOR_OWN,
    MISFIT,
    OWN_JUDGE,
    TIMES_PAIRS,
    Objection,
    Own,
    OwnExcess,
    OwnVerdict,
    Verdict,
    judge_own_excess,
    own_excess_by_source,
)
