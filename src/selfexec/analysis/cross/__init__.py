"""One model's predictions held against another's behaviour: all against all, and all against one."""

from selfexec.analysis.cross.matrix import (
    EACH_ITS_OWN,
    LITERATURE,
    OWN,
    CrossPrediction,
    by_other,
    cross_prediction,
    own_bonus,
    self_bonus_line,
)
from selfexec.analysis.cross.subject import PredictionsAbout, predictions_about
