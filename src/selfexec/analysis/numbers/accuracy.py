"""Scores with what they rest on, and accuracies under a convention that is not that of the scores."""

from collections.abc import Callable, Iterable

from selfexec.analysis.numbers.number import Number, estimated, unit_of, whole
from selfexec.claims import Tables
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Score, accuracy_on, claim_kind

OF_ANSWERS = ("question_accuracy", "tokens_mean")  # metrics that rest on no prediction


def scored_number(row: Score | None, items_that_count: Callable[[str, str], int]) -> Number | None:
    """A score; None where it is withheld, undefined or was not asked for. Where claims were lost, it rests on the items
    of the model, in the experiment, that count.
    """
    if row is None or row.value is None:
        return None
    whole = not (row.unreadable or row.missing) or row.experiment not in EXPERIMENTS or row.metric in OF_ANSWERS
    items = row.items if whole else items_that_count(row.model, row.experiment)
    asked = row.items if items != row.items else None
    score = f"{row.experiment} {row.metric}"
    return Number(row.value, row.low, row.high, items, asked, unit_of(row.experiment), row.reason, score)


def items_that_count(tables: Tables, strict: bool, model: str, experiment: str) -> int:
    """How many items of a model have a claim that counts."""
    return len(claim_kind(experiment).count(tables.claims[experiment].of(model), strict).items)


def accuracies(tables: Tables, experiment: str, strict: bool) -> dict[str, Number]:
    """The accuracy of each model under either convention, without its other scores."""
    if (claims := tables.claims.get(experiment)) is None:
        return {}
    unit = unit_of(experiment)
    return whole({model: estimated(*accuracy_on(claims.of(model), strict), unit) for model in claims.models})


def as_published(rows: Iterable[Score], experiment: str) -> dict[str, Number]:
    """The accuracy of each model by the authors' counting, which gives no intervals."""
    return {
        row.model: Number(row.value, items=row.items, unit=unit_of(experiment))
        for row in rows
        if (row.experiment, row.metric) == (experiment, "accuracy") and row.value is not None
    }
