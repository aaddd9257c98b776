"""Predicted replies as text, matched with the replies of all models: what `selfexec analyze cross` shows of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from selfexec.analysis.result import Form, Rows
from selfexec.analysis.selection import Selection
from selfexec.extensions.simulating.experiment import FIRST, SECOND, SelfSimulation
from selfexec.extensions.simulating.facet import PREDICTS, REPLY
from selfexec.extensions.simulating.matching import Match, match, similarities
from selfexec.facets import condition_named
from selfexec.metrics import LEAST_OTHERS, Estimate, none_if_nan
from selfexec.runs import Run
from selfexec.stats import Array
from selfexec.text.numbers import decimal, interval, number_of
from selfexec.text.tables import Part, Table

NAME = SelfSimulation.name
LEVEL = (PREDICTS.name, REPLY)  # the condition in which predictions are texts
TITLE = "Whose reply is the predicted one nearest to?"
COLUMNS = [
    "model",
    "asked with",
    "nearer to its own",
    "by style alone",
    "beyond style",
    "ceiling",
    "closeness",
    "items",
]
LEGEND = (
    "Over prompts and other models. nearer to its own: how often the predicted reply is nearer to the model's own\n"
    "reply than to the other's; a tie is half, chance is .5. by style alone: the same of the two models' replies to\n"
    "other prompts. beyond style: the first less the second, 0 for who knows nothing but its style. ceiling: the\n"
    "same of its second reply. closeness: by how much it is nearer, in cosines of trigrams, less that by style alone."
)
Texts = Mapping[tuple[str, int], str]  # (item, epoch) -> a text


@dataclass(frozen=True)
class FreeTextMatch:
    """How one model's predicted replies, asked in one condition, match its own replies and those of other models.

    `same_prompt` is how often a predicted reply is nearer to its own reply than to another model's reply to the same
    prompt, `style` how often to its own than to the other's reply to another prompt; `beyond_style` is the difference,
    `ceiling` the same of its second reply in place of the predicted one. `closeness` is the difference in similarity in
    place of the share. `others` counts models. None: not known; `reason` says why.
    """

    model: str
    condition: str
    same_prompt: float | None
    style: float | None
    beyond_style: float | None
    beyond_style_low: float | None
    beyond_style_high: float | None
    ceiling: float | None
    closeness: float | None
    closeness_low: float | None
    closeness_high: float | None
    items: int
    others: int
    reason: str | None = None


class FreeTextMatches(Rows[FreeTextMatch]):
    """A row for each model and condition in which replies were predicted as text. It prints as a table, and turns into
    records or a data frame.
    """

    _ROW = FreeTextMatch

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        yield Table(TITLE, COLUMNS, [*map(cells_of, self)])
        yield from dict.fromkeys(f"{row.reason}." for row in self if row.reason)
        yield LEGEND


def free_text_matches(selection: Selection) -> FreeTextMatches | None:
    """How predicted replies match, in every condition of a selection in which they were asked for; None where they were
    in none.
    """
    asked = [condition for condition in selection.shown_conditions if LEVEL in condition_named(condition)]
    if not asked or (selection.experiments and NAME not in selection.experiments):
        return None
    return FreeTextMatches(row for condition in asked for row in _rows(selection.under(condition).runs, condition))


def _rows(runs: Sequence[Run], condition: str) -> Iterator[FreeTextMatch]:
    texts = {model: _texts_of(run, model) for run in runs for model in run.models if (model, NAME) in run.keys}
    replying = [model for model, by_session in texts.items() if by_session[FIRST]]
    for model, by_session in texts.items():
        others = [texts[other][FIRST] for other in replying if other != model]
        if len(others) < LEAST_OTHERS:
            count = number_of(len(replying), "model")
            why = f"matching takes {LEAST_OTHERS + 1} models that replied to these prompts, not {count}"
            yield row_of(model, condition, NOTHING, math.nan, len(others), why)
            continue
        predicted, again = (matched(by_session[session], by_session[FIRST], others) for session in ("predict", SECOND))
        reason = predicted.beyond_style.reason
        yield row_of(model, condition, predicted, again.beyond_style.value, len(others), reason)


def _texts_of(run: Run, model: str) -> dict[str, dict[tuple[str, int], str]]:
    """The predicted replies, and both replies, of one model."""
    texts: dict[str, dict[tuple[str, int], str]] = {"predict": {}, FIRST: {}, SECOND: {}}
    for key in run.keys[model, NAME]:
        reading = run.readings[key]
        if reading.state == "read":
            text = reading.value[REPLY] if key.session == "predict" else run.replies[key].text
            if text and text.strip():
                texts[key.session][key.item, key.epoch] = text
    return texts


def matched(predicted: Texts, replies: Texts, others: Sequence[Texts]) -> Match:
    """How the predicted replies of one model match its own replies, against those of other models."""
    items = list(dict.fromkeys(item for item, _ in predicted))
    epochs = sorted({epoch for _, epoch in predicted})
    by_epoch = [_similar(predicted, [replies, *others], items, epoch) for epoch in epochs]
    if not by_epoch:
        return NOTHING
    table = np.moveaxis(np.array(by_epoch), 0, 1)  # models, epochs, items, items
    return match(table[0], table[1:])


NOTHING = Match(
    math.nan, math.nan, Estimate(math.nan, reason="no predicted reply could be read"), Estimate(math.nan), 0
)


def _similar(predicted: Texts, replies: Sequence[Texts], items: Sequence[str], epoch: int) -> Array:
    """Similarity of each predicted reply to each reply of each model in one epoch: shape (models, items, items)."""
    rows = [predicted.get((item, epoch)) for item in items]
    columns = [texts.get((item, epoch)) for texts in replies for item in items]
    return np.moveaxis(similarities(rows, columns).reshape(len(items), len(replies), len(items)), 1, 0)


def row_of(
    model: str, condition: str, result: Match, ceiling: float, others: int, reason: str | None = None
) -> FreeTextMatch:
    """The result of a model, as a row."""
    beyond, closeness = result.beyond_style, result.closeness
    return FreeTextMatch(
        model,
        condition,
        none_if_nan(result.same),
        none_if_nan(result.style),
        none_if_nan(beyond.value),
        none_if_nan(beyond.interval.low),
        none_if_nan(beyond.interval.high),
        none_if_nan(ceiling),
        none_if_nan(closeness.value),
        none_if_nan(closeness.interval.low),
        none_if_nan(closeness.interval.high),
        result.items,
        others,
        reason,
    )


def cells_of(row: FreeTextMatch) -> list[str]:
    """A row as people read it."""
    return [
        row.model,
        row.condition,
        decimal(row.same_prompt),
        decimal(row.style),
        interval(row.beyond_style, row.beyond_style_low, row.beyond_style_high),
        decimal(row.ceiling),
        interval(row.closeness, row.closeness_low, row.closeness_high),
        f"{row.items:,}",
    ]
