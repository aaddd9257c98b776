"""Accuracy alone, of any part of a model's claims: without guessers, and so a hundred times as fast as all scores."""

import math

from selfexec.arrays import Claims
from selfexec.scores.counted import Counted, count
from selfexec.scores.counts import NOTHING_READ, share_interval
from selfexec.scores.metrics import Cells, accuracy
from selfexec.scores.rows import Estimate
from selfexec.stats import mean_interval, ratio_error


def accuracy_on(claims: Claims, strict: bool) -> tuple[Estimate, int]:
    """Accuracy on these claims of one model, as `selfexec score` has it, and how many items it rests on."""
    record = count(claims, strict)
    return accuracy_of(claims.experiment, record), len(record.items)


def accuracy_of(experiment: str, record: Counted) -> Estimate:
    counts = record.counts
    if not len(counts):
        return Estimate(math.nan, reason=NOTHING_READ)
    if experiment == "difficulty":
        interval, error = mean_interval(counts[:, 0])
        return Estimate(float(counts[:, 0].mean()), interval.within(0, 1), error)
    value = float(accuracy(Cells.of(counts.sum(0))))
    error = ratio_error(lambda totals: accuracy(Cells.of(totals)), counts)
    return Estimate(value, share_interval(value, error, counts), error)
