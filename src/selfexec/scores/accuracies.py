"""Accuracy alone, of any part of a model's claims: without baselines, and so a hundred times as fast as all scores."""

from selfexec.arrays import Claims
from selfexec.scores.counted import Counted, count
from selfexec.scores.orders import mean_of_groups
from selfexec.scores.rows import Estimate
from selfexec.scores.shares import NOTHING_READ, degenerate
from selfexec.scores.yes_no import share_of


def accuracy_on(claims: Claims, strict: bool) -> tuple[Estimate, int]:
    """Accuracy on these claims of one model, as `selfexec score` has it, and how many items it rests on."""
    record = count(claims, strict)
    items = len(record.items)
    found, _ = degenerate(claims, items, {"accuracy": accuracy_of(claims.experiment, record)})
    return found["accuracy"], items


def accuracy_of(experiment: str, record: Counted) -> Estimate:
    return mean_of_groups(record, NOTHING_READ) if experiment == "difficulty" else share_of("accuracy", record.counts)
