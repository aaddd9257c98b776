"""The table of predictions that are probabilities: AUROC and the Brier score with its parts. Skill is in none of its
rows.
"""

from collections.abc import Iterable, Mapping, Sequence

from selfexec.analysis.in_probabilities import ScoresByCondition
from selfexec.text.numbers import decimal, interval
from selfexec.text.tables import Table

TITLE = "In probabilities"
# column -> metric; and whether it has its interval there
OF_CLAIMS: Mapping[str, tuple[str, bool]] = {
    "AUROC": ("auroc", True),
    "within items": ("auroc_within", False),
    "baseline": ("auroc_baseline", False),
    "AUROC margin": ("auroc_margin", True),
    "Brier": ("brier", True),
    "reliability": ("brier_reliability", False),
    "resolution": ("brier_resolution", False),
    "surest half": ("selective_accuracy", False),
}
OF_ANSWERS: Mapping[str, tuple[str, bool]] = {
    "AUROC": ("auroc_correct", True),
    "within items": ("auroc_correct_within", False),
    "Brier": ("brier_correct", True),
}
RIGHT_ANSWERS = "right answers"  # of the row below that of an experiment
CAUTION = "†"
LEGEND = (
    "AUROC: of a claim that came true and one that did not, how often the first got the higher probability: .5 is "
    "chance, 1 is perfect; within items: of claims of the same item alone; baseline: that of a predictor that knows "
    "only the questions and what other models did and predicted; AUROC margin: AUROC minus the baseline's, and not a "
    "margin in skill.",
    "Brier: the mean squared distance of probability and outcome, 0 is perfect; reliability: the part that is lost by "
    "probabilities that do not mean what they say, 0 is well calibrated; resolution: what is gained by telling claims "
    "apart; surest half: accuracy on the half of the claims about which the model is surest.",
)


def probability_table(ones: Sequence[ScoresByCondition]) -> tuple[list[str], list[list[str]]]:
    """The columns that hold anything, and a row for each model and experiment in each condition that has probabilities,
    those of a model together; no rows where there are none.
    """
    rows = [row for scores_here in ones for row in _rows(scores_here)]
    models = {model: n for n, model in enumerate(dict.fromkeys(row[0] for row in rows))}
    rows.sort(key=lambda row: models[row[0]])
    columns = ["model", "experiment", "condition", *OF_CLAIMS]
    several = len(ones) > 1
    filled = [n for n, name in enumerate(columns) if any(r[n] for r in rows) and (several or name != "condition")]
    return [columns[n] for n in filled], [[row[n] for n in filled] for row in rows]


def in_probabilities(ones: Sequence[ScoresByCondition]) -> list[Table]:
    """The table as a part of what is printed, where there is anything in it."""
    columns, rows = probability_table(ones)
    return [Table(TITLE, columns, rows, "stacked")] if rows else []


def probability_legend(ones: Iterable[ScoresByCondition]) -> list[str]:
    """What its columns mean, where there are any."""
    return list(LEGEND) if any(_rows(scores_here) for scores_here in ones) else []


def _rows(scores: ScoresByCondition) -> list[list[str]]:
    table_rows = []
    for model in scores.models:
        for experiment in scores.experiments:
            for name, columns in ((experiment, OF_CLAIMS), (RIGHT_ANSWERS, OF_ANSWERS)):
                cells = [_cell(scores, model, experiment, columns.get(head)) for head in OF_CLAIMS]
                if any(cells):
                    table_rows.append([model, name, scores.conditions[0], *cells])
    return table_rows


def _cell(scores: ScoresByCondition, model: str, experiment: str, wanted: tuple[str, bool] | None) -> str:
    if wanted is None:
        return ""
    row = next((row for row in scores.of(experiment, wanted[0]) if row.model == model), None)
    if row is None or row.value is None:
        return ""
    mark = CAUTION if row.reason else ""
    if not wanted[1]:
        return f"{decimal(row.value)}{mark}"
    value, bracket, ends = interval(row.value, row.low, row.high).partition(" [")
    return f"{value}{mark}{bracket}{ends}"
