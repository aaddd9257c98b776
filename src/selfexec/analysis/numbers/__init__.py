"""Numbers as figures show them: each with its interval, what it rests on, and what is to be said of it."""

from selfexec.analysis.numbers.accuracy import accuracies, as_published, items_that_count, scored_number
from selfexec.analysis.numbers.calibration import Calibration, calibrations
from selfexec.analysis.numbers.lost import Loss, Losses, lost_replies
from selfexec.analysis.numbers.number import Baseline, Number, counted, most_accurate, whole
from selfexec.analysis.numbers.tokens import QUANTILES, TokenSpread, answer_tokens, prediction_tokens
