"""The head of a card in YAML, as Hugging Face's hub reads it: what kind of page it is, and of one model its scores."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfexec.analysis.findings import NO_ROOM, which_ones
from selfexec.analysis.in_probabilities import areas_beside
from selfexec.analysis.score_table import ACCURACY, Scores
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME
from selfexec.items import UNKNOWN, Origin
from selfexec.metrics import Score
from selfexec.text.numbers import interval
from selfexec.text.printable import harmless_line

if TYPE_CHECKING:
    from selfexec.runs import Run

TAGS = ("evaluation", "self-prediction", "self-execution-benchmark", "selfexec")
NAMES = {
    "skill": "Skill",
    "predicted_rate": "Predicted yes rate",
    "rate_bias": "Rate bias (predicted minus observed yes rate)",
    "baseline_margin": "Margin over the baseline",
    "margin_at_own_rate": "Margin over the baseline at the model's own yes rate",
    "ceiling_at_own_rate": "Highest possible skill at the model's own yes rate",
    "share_of_ceiling": "Share of the greatest possible skill that is reached",
    "baseline_share_of_ceiling": "Share of it that the baseline reaches at this rate",
    "auroc": "AUROC of the probabilities that it gave",
    "auroc_margin": "AUROC less that of the baseline",
    "brier": "Brier score of the probabilities that it gave",
    "brier_reliability": "Reliability (0: probabilities mean what they say)",
    "order_bias": "Order bias (accuracy on pairs shown in their true order less that on the others)",
    "shown_order_share": "Share of rankings that are the order shown",
}

IN_PROBABILITIES = ("auroc", "auroc_margin", "brier", "brier_reliability")

Yaml = str | float | int | Sequence["Yaml"] | Mapping[str, "Yaml"]


def front_matter(run: "Run", everywhere: Scores, origins: Mapping[str, Origin]) -> str:
    """Scores of the first condition, and those in AUROC where the same predictions were asked for as probabilities.

    Only what the run supports: no licence, no data set on a hub, and no results of models that are simulated. A reader
    of cards takes all results for those of one model, so they are there where there is just one.
    """
    scores = everywhere.by_condition[0]
    areas = areas_beside(scores, everywhere)
    fields: dict[str, Yaml] = {}
    if all(found.name != UNKNOWN for found in origins.values()):
        fields["language"] = ["en"]
    real = [model for model in scores.models if model not in run.simulated]
    fields["tags"] = [*TAGS, *([] if real else ["simulated"])]
    (model,) = real if len(real) == 1 else (None,)
    results = list(_results(run, scores, areas, origins, model)) if model else []
    if any(row.metric == "accuracy" and row.value is not None and row.model in real for row in scores):
        fields["metrics"] = ["accuracy"]
    if model and results:
        fields["model-index"] = [{"name": harmless_line(model), "results": results}]
    return "\n".join(["---", *in_yaml(fields), "---"])


def _results(
    run: "Run", scores: Scores, areas: Scores | None, origins: Mapping[str, Origin], model: str
) -> Iterator[Yaml]:
    for experiment in scores.experiments:
        at_ceiling = _cannot_be_told(scores, experiment)
        wanted = (ACCURACY.get(experiment, "accuracy"), *NAMES)
        rows = (scores.get(model, experiment, metric) for metric in wanted)
        also = (areas.get(model, experiment, metric) for metric in IN_PROBABILITIES) if areas else ()
        known = [row for row in (*rows, *also) if row is not None and row.value is not None]
        if metrics := [_metric(row, row.metric == "margin_at_own_rate" and model in at_ceiling) for row in known]:
            yield {
                "task": {"type": "text-generation", "name": _task(experiment)},
                "dataset": _items(run, origins, experiment),
                "metrics": metrics,
            }


def _cannot_be_told(scores: Scores, experiment: str) -> set[str]:
    """The models whose yes-or-no predictions cannot decide which ones they know."""
    if experiment not in EXPERIMENTS:
        return set()
    return {finding.subject for finding in which_ones(scores, experiment) if finding.answer == "ceiling"}


def _task(experiment: str) -> str:
    if experiment not in EXPERIMENTS:
        return "prediction of its own behaviour"
    return EXPERIMENTS[experiment].words.task


def _items(run: "Run", origins: Mapping[str, Origin], experiment: str) -> Yaml:
    """Items are no data set on a hub: they are identified by the SHA-256 of their file."""
    if experiment not in origins:
        return {"type": "selfexec", "name": f"{' and '.join(origins)}, together"}
    found, size = origins[experiment], len(run.items.items[experiment])
    whose = f"items of origin {UNKNOWN}" if found.name == UNKNOWN else found.of(size)
    return {
        "type": f"selfexec-{experiment.replace('_', '-')}",
        "name": f"{experiment}, {whose}",
        "args": {"items": size, "sha256": run.items.hashes[experiment]},
    }


def _metric(row: Score, at_ceiling: bool) -> Yaml:
    assert row.value is not None
    name = NAMES.get(row.metric, row.metric.replace("_", "-").capitalize())
    ends = "" if row.low is None else f", 95% interval {interval(row.value, row.low, row.high).split(' ', 1)[1]}"
    caution = "; to be read with caution" if row.reason else ""
    caution += f"; {NO_ROOM} from the baseline by yes-or-no answers" if at_ceiling else ""
    args: dict[str, Yaml] = {"convention": row.convention}
    if row.condition != DEFAULT_NAME:
        args["condition"] = row.condition
    return {"type": row.metric, "name": f"{name}{ends}{caution}", "value": row.value, "args": args}


# --- YAML ------------------------------------------------------------------------------------------------------------


def in_yaml(fields: Mapping[str, Yaml]) -> Iterator[str]:
    """In blocks; every text in quotes, as JSON has it, so that none is taken for anything else."""
    for name, value in fields.items():
        yield from _entry(f"{name}:", value)


def _entry(head: str, value: Yaml) -> Iterator[str]:
    if isinstance(value, str | float | int):
        yield f"{head} {json.dumps(value, ensure_ascii=False)}"
        return
    yield head
    if isinstance(value, Mapping):
        yield from (f"  {line}" for line in in_yaml(value))
        return
    for part in value:
        if isinstance(part, Mapping):
            first, *others = in_yaml(part)
            yield from (f"- {first}", *(f"  {line}" for line in others))
        else:
            yield from _entry("-", part)
