"""Accuracy alone, of any part of a model's claims: without baselines, and so a hundred times as fast as all scores."""

from selfexec.claims import Claims
from selfexec.metrics.binary import share_of
from selfexec.metrics.counts import Counted, count
from selfexec.metrics.orders import mean_of_groups
from selfexec.metrics.rows import Estimate
from selfexec.metrics.shares import NOTHING_READ, degenerate


def accuracy_on(claims: Claims, strict: bool) -> tuple[Estimate, int]:
    """Accuracy on these claims of one model, as `selfexec score` has it, and how many items it rests on."""
    record = count(claims, strict)
    items = len(record.items)
    found, _ = degenerate(claims, items, {"accuracy": accuracy_of(claims.experiment, record)})
    return found["accuracy"], items


def accuracy_of(experiment: str, record: Counted) -> Estimate:
    return mean_of_groups(record, NOTHING_READ) if experiment == "difficulty" else share_of("accuracy", record.counts)
