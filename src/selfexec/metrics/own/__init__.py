"""Own excess: does a model's prediction contain anything about its own behaviour that no other model's predictions or
behaviour contain?
"""

from selfexec.metrics.own.fit import Evidence, Fit
from selfexec.metrics.own.panel import LEAST_ITEMS, OwnPanel, enough, panel_of_claims
from selfexec.metrics.own.verdict import (
    LEAST_FOR_OWN,
    MISFIT,
    OWN_JUDGE,
    TIMES_PAIRS,
    Judged,
    Objection,
    Own,
    OwnExcess,
    Verdict,
    own_excess,
    own_excesses,
)
