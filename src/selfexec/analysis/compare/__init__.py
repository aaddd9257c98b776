"""Models held against each other on the items that they share: two, all pairs, groups, checkpoints, release gates.

candidates     who is compared: models of one run or of several, each by a label of its own
measures     what they are compared by, item by item, and what is enough to go by
family       one metric of all of them: estimates, paired differences, ties
compare      `compare`
gates        `--fail-if`
tags         groups of models, contrasted with the model as unit
trends       `trend`: checkpoints in order
standings    who can be told apart, from scores at hand
comparison   what comes out, as people read it (as data: `analysis.differences`)
"""

from selfexec.analysis.compare.candidates import load_apart, reference_models, select, unlike
from selfexec.analysis.compare.comparison import Comparison
from selfexec.analysis.compare.family import Family
from selfexec.analysis.compare.gates import NOT_GATED, Gate, judge
from selfexec.analysis.compare.measures import METRICS, ComparedRecord, headline, overall, rarer_items, records_of
from selfexec.analysis.compare.models import compare
from selfexec.analysis.compare.ranking import Ranking, ranking
from selfexec.analysis.compare.trends import Trend, trend
from selfexec.analysis.differences import Difference
