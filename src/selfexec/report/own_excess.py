"""Whose prediction tells something of its own behaviour that nobody else's tells: verdicts with what they rest on."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.analysis.own_excess import (
    NOTES,
    NOTES_ON_ALL,
    QUESTION,
    below_models,
    below_panel,
    of_models,
    of_panel,
    similar_behaviour,
    too_small,
)
from selfexec.metrics import Own
from selfexec.report.data import Data
from selfexec.text.tables import Table


@dataclass(frozen=True)
class OwnExcessPanel:
    """One panel: its verdict in the title of the first table, what that rests on, and further tables with a row for
    each model, and the first one has a legend.
    """

    title: str
    rests_on: Table
    below: Sequence[str]
    models: Sequence[str]
    by_model: Sequence[Table]
    legend: Sequence[str]


@dataclass(frozen=True)
class OwnExcess:
    """`too_few`: the panels about which nothing can be said."""

    panels: Sequence[OwnExcessPanel]
    too_few: Sequence[str]
    question: str = QUESTION
    notes: Sequence[str] = (*NOTES, *NOTES_ON_ALL)


def own_excess(data: Data) -> OwnExcess | None:
    """None of one model alone: there is nobody whom its predictions could be held against."""
    if len(data.models) == 1:
        return None
    own = [one for one in data.scores.own if not one.panel]
    panels = [_panel(one, data.models) for one in own if one.found.fits]
    return OwnExcess(panels, list(too_small(own)))


def _panel(own: Own, page: Sequence[str]) -> OwnExcessPanel:
    table = of_panel(own)
    models = [model for model in page if model in own.found.compared.models]
    return OwnExcessPanel(
        table.title,
        table,
        list(below_panel(own)),
        models,
        [*of_models(own, models), similar_behaviour(own, models)],
        list(below_models(own)),
    )
