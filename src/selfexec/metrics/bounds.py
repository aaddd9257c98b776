"""Bounds of scores, row by row, and of the headline."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from selfexec.experiments import PAPER, Headline
from selfexec.metrics.rows import Score
from selfexec.stats import Interval

Bounds = Mapping[str, Interval]  # metric -> its least and greatest value
OVERALL = {"self_execution_score": "accuracy", "skill": "skill"}  # overall metric -> the metric that it is the mean of


def overall_bounds(found: Mapping[str, Bounds], headline: Headline = PAPER) -> dict[str, Interval]:
    """Means of the bounds: what was lost in one experiment says nothing of another. Of all, or not at all."""
    return {
        name: Interval(*(float(np.mean(ends)) for ends in zip(*parts, strict=True)))
        for name, metric in OVERALL.items()
        if len(parts := [found[e][metric] for e in headline.experiments if metric in found.get(e, {})]) == len(headline)
    }


def bounded(rows: Iterable[Score], found: Bounds) -> Iterator[Score]:
    """The rows with their bounds. A withheld headline has some too: they hold whatever was lost."""
    for row in rows:
        if row.metric in found and (row.value is not None or row.experiment == "overall"):
            worst, best = found[row.metric]
            row = replace(row, worst=worst, best=best)
        yield row
