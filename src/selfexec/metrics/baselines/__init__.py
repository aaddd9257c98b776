"""What could be said of a model without asking it: baselines in five groups, and the one that margins are over."""

from selfexec.metrics.baselines.chances import (
    BaselineChances,
    Pairing,
    baseline_chances,
    baseline_records,
    chance_record,
    paired,
)
from selfexec.metrics.baselines.groups import (
    APART,
    CONSTANT,
    GROUPS,
    HISTORY,
    OTHERS_DO,
    OTHERS_SAY,
    QUESTION,
    SIBLINGS,
    STACKED,
    group_of,
)
from selfexec.metrics.baselines.naive import over_naive, rows_over_naive
from selfexec.metrics.baselines.panel import LEAST_OF_EACH, LEAST_OTHERS, Others, Panel, Panels
from selfexec.metrics.baselines.siblings import NO_SIBLINGS, by_siblings, too_few_siblings
from selfexec.metrics.baselines.stacked import Stacked, known_of, stacked
