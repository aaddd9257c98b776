"""Own excess: does a model's prediction tell something of its own behaviour that nobody else's predictions or behaviour
tell?
"""

from selfexec.metrics.own.by_source import OWN_JUDGE, Own, own_excesses
from selfexec.metrics.own.excess import BLOCKS
from selfexec.metrics.own.fit import Evidence, Fit
from selfexec.metrics.own.panel import LEAST_ITEMS, OwnPanel, enough, panel_of_claims
from selfexec.metrics.own.verdict import Judged, OwnExcess, Verdict, own_excess
