"""Whose prediction tells something of its own behaviour that nobody else's tells: verdicts with all that they rest on.
Below, for comparison with the literature, predictions of each model held against the behaviour of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from selfexec.analysis.cross import EACH_ITS_OWN, LITERATURE, by_other, self_bonus_line
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
from selfexec.metrics import WARNING, Crossed, Estimate, Own, self_bonuses
from selfexec.report.data import Data
from selfexec.text.tables import Table


@dataclass(frozen=True)
class CrossPanel:
    """One panel: its verdict in the title of the first table, what that rests on, its models in further tables (a row
    each), and a table of models by models.
    """

    title: str
    rests_on: Table
    below: Sequence[str]
    models: Sequence[str]
    by_model: Sequence[Table]
    legend: Sequence[str]
    similar: Table


@dataclass(frozen=True)
class Predictor:
    """How often a model is right `about` each model, and what that is taken apart into; nan where it is not."""

    model: str
    about: Sequence[float]
    alpha: float
    beta: float
    own: Estimate


@dataclass(frozen=True)
class Crossing:
    """One matrix: whose outcomes it has, the models of its rows and columns, and what it comes to in a line."""

    experiment: str
    metric: str
    found: Crossed
    by: str
    models: Sequence[str]
    predictors: Sequence[Predictor]
    line: str


@dataclass(frozen=True)
class Cross:
    """`too_few`: the panels about which nothing can be said; `apart`: experiments where each model predicts its own."""

    panels: Sequence[CrossPanel]
    too_few: Sequence[str]
    crossings: Sequence[Crossing]
    apart: Sequence[str]
    question: str = QUESTION
    notes: Sequence[str] = (*NOTES, *NOTES_ON_ALL)
    literature: str = LITERATURE.removesuffix(".")
    each_its_own: str = EACH_ITS_OWN
    warning: str = WARNING


def cross(data: Data) -> Cross | None:
    """None of one model alone: there is nobody whom it could predict, or be predicted by."""
    if len(data.models) == 1:
        return None
    crossed = {experiment: self_bonuses(claims) for experiment, claims in data.tables.claims.items()}
    crossings = [
        _crossing(experiment, metric, found, [model for model in data.models if model in found.common.models])
        for experiment, parts in crossed.items()
        for metric, found in parts.items()
    ]
    apart = [experiment for experiment, parts in crossed.items() if not parts]
    own = [one for one in data.scores.own if not one.panel]
    panels = [_panel(one, data.models) for one in own if one.found.fits]
    return Cross(panels, list(too_small(own)), crossings, apart) if crossings or apart else None


def _crossing(experiment: str, metric: str, found: Crossed, models: Sequence[str]) -> Crossing:
    places = [found.common.models.index(model) for model in models]
    matrix = found.matrix[np.ix_(places, places)].tolist()
    alpha, beta = found.skill_of_predictor.tolist(), found.ease_of_behaviour.tolist()
    predictors = [
        Predictor(model, about, alpha[n], beta[n], found.own[n])
        for model, n, about in zip(models, places, matrix, strict=True)
    ]
    return Crossing(experiment, metric, found, by_other(metric, found), models, predictors, self_bonus_line(found))


def _panel(own: Own, page: Sequence[str]) -> CrossPanel:
    table = of_panel(own)
    models = [model for model in page if model in own.found.compared.models]
    return CrossPanel(
        table.title,
        table,
        list(below_panel(own)),
        models,
        of_models(own, models),
        list(below_models(own)),
        similar_behaviour(own, models),
    )
