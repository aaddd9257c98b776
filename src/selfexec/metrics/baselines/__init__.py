"""What could be said of a model without asking it: baselines in four groups, and the one that margins are over."""

from selfexec.metrics.baselines.chances import baseline_chances, baseline_records, foretold
from selfexec.metrics.baselines.groups import CONSTANT, GROUPS, HISTORY, STACKED, group_of
from selfexec.metrics.baselines.naive import over_naive, rows_over_naive
from selfexec.metrics.baselines.panel import LEAST_OF_EACH, LEAST_OTHERS, Others, Panel, Panels
from selfexec.metrics.baselines.stacked import Stacked, known_of, stacked
