"""Model by model: what came of its prediction, its worst surprises, and what was lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from selfexec.analysis.score import Score
from selfexec.experiments import EXPERIMENTS, Experiment, KindName
from selfexec.metrics import LossTest
from selfexec.report import outcomes
from selfexec.report.data import Data
from selfexec.report.surprises import Surprise


@dataclass(frozen=True)
class ModelPart:
    """Counts of outcomes by experiment, of yes and no (`pooled`), of shares and of orders; `advice` and `kinds` by
    experiment; `warnings` of what was lost. `place`: by overall skill, as far as it is known.
    """

    model: str
    skill: Score | None
    place: str
    pooled: Mapping[str, Mapping[str, int]]
    shares: Mapping[str, Mapping[str, int]]
    orders: Mapping[str, Mapping[str, int]]
    advice: Sequence[tuple[str, str]]
    surprises: Sequence[Surprise]
    kinds: Mapping[str, Sequence[outcomes.KindLine]]
    warnings: Sequence[LossTest]


@dataclass(frozen=True)
class Models:
    """`titles` by experiment and item; `quoted` is what was predicted in the words of the item, empty where there are
    none; `sides_of` and `orders_of` are the codes of an experiment's outcomes.
    """

    models: Sequence[ModelPart]
    titles: Mapping[tuple[str, str], str]
    quoted: Callable[[Surprise], str]
    experiments: Mapping[str, Experiment]
    outcomes: Mapping[str, str]
    sides_of: Callable[[str], str]
    orders_of: Callable[[str, Mapping[str, int]], str]

    @property
    def any_overall(self) -> bool:
        return any(part.skill and part.skill.value is not None for part in self.models)


def models(data: Data) -> Models:
    advice, kinds = outcomes.advice(data.claims), outcomes.kinds(data.claims)
    places = {line.model: line.places.get("skill", "") for line in data.lines if line.experiment == "overall"}
    parts = [
        _part(data, model, places.get(model, ""), advice.get(model, []), kinds.get(model, {})) for model in data.models
    ]
    items = {(e, id): item for run in data.runs for e, of in run.items.items.items() for id, item in of.items()}
    titles = {(e, id): EXPERIMENTS[e].title(item) for (e, id), item in items.items()}
    return Models(
        parts, titles, partial(_quoted, items), EXPERIMENTS, outcomes.OUTCOMES, outcomes.sides_of, outcomes.orders_of
    )


def _quoted(items: Mapping[tuple[str, str], Any], surprise: Surprise) -> str:
    claimed = EXPERIMENTS[surprise.experiment].words.claimed
    item = items[surprise.experiment, surprise.item]
    return claimed(item, surprise.claim, surprise.predicted) if claimed else ""


def _part(
    data: Data,
    model: str,
    place: str,
    advice: Sequence[tuple[str, str]],
    kinds: Mapping[str, Sequence[outcomes.KindLine]],
) -> ModelPart:
    counts = {e: data.counts[model][e] for e in EXPERIMENTS if e in data.counts[model]}
    return ModelPart(
        model,
        data.scores.get(model, "overall", "skill"),
        place,
        _of_kind("binary", counts),
        _of_kind("share", counts),
        _of_kind("order", counts),
        advice,
        data.surprises.get(model, []),
        kinds,
        [w for w in data.scores.warnings if isinstance(w, LossTest) and w.model == model],
    )


def _of_kind(kind: KindName, counts: Mapping[str, Mapping[str, int]]) -> Mapping[str, Mapping[str, int]]:
    return {experiment: found for experiment, found in counts.items() if EXPERIMENTS[experiment].claim_kind == kind}
