"""The paper's Figure 6: does a longer ranking make a better one?"""

import math

import numpy as np
import polars as pl

from selfexec.metrics import Estimate
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import Number, Numbers, counted, estimated, sizes, texts
from selfexec.report.figures.rows import BASELINE
from selfexec.report.figures.scatter import Axis, Spot, plane
from selfexec.report.svg import Sign, drawing, legend, reach, reach_log
from selfexec.stats import mean_interval

TITLE = "Ranking accuracy and the tokens that a ranking takes"
CAPTION = (
    "Mean tokens of a reply that ranks four questions, hidden reasoning included, and the accuracy of these rankings, "
    "both with 95% intervals. The dash at each model's tokens is the most accurate baseline on its claims."
)
HEIGHT = 340.0


def ordering(numbers: Numbers) -> Figure | None:
    accuracy, tokens = numbers.scored("difficulty", "accuracy"), ranking_tokens(numbers)
    shown = [model for model in numbers.models if model in accuracy and model in tokens]
    if not shown:
        return None
    baselines = numbers.baselines("difficulty")
    spots = [
        Spot(
            model,
            "ranking accuracy",
            tokens[model],
            accuracy[model],
            f"{model}: accuracy {accuracy[model].full}, {counted(tokens[model])} tokens a ranking",
            level=(baselines[model].number.value, f"{BASELINE} for {model}: {baselines[model].text}")
            if model in baselines
            else None,
        )
        for model in shown
    ]
    ends = [end for m in shown for end in (tokens[m].value, tokens[m].low, tokens[m].high) if end]
    x = Axis("tokens of a ranking, mean", reach_log(ends))
    x = Axis(f"{x.text}, log scale", x.domain, log=True)
    heights = [end for m in shown for end in (accuracy[m].low, accuracy[m].high, accuracy[m].value) if end is not None]
    heights += [baselines[m].number.value for m in shown if m in baselines]
    low, high = reach(heights, 0.5, 0.7)
    y = Axis("ranking accuracy", (max(low, 0.0), min(high, 1.0)))
    signs = [Sign("main", "model, with 95% intervals"), Sign("level", BASELINE), Sign("half", "a coin")]
    key, top = legend(signs, 2)
    parts = [key, *plane(numbers, spots, x, y, top + 4, HEIGHT, line=0.5)]
    table = behind(
        numbers.models,
        {
            "groups": sizes({m: accuracy[m] for m in shown}),
            "coverage": texts({m: n for m, n in numbers.scored("difficulty", "coverage").items() if m in shown}),
            "accuracy": texts({m: accuracy[m] for m in shown}),
            BASELINE: texts({m: baselines[m] for m in shown if m in baselines}),
            "tokens of a ranking": {m: counted(tokens[m]) for m in shown},
        },
    )
    return Figure("ordering", TITLE, CAPTION, drawing("ordering", TITLE, CAPTION, top + HEIGHT + 50, parts), *table)


def ranking_tokens(numbers: Numbers) -> dict[str, Number]:
    """Mean tokens of a ranking, over groups; epochs of a group are averaged first."""
    rankings = numbers.counted.filter(pl.col("session") == "predict")
    means = rankings.group_by("model", "item").agg(pl.col("output_tokens").mean()).sort("model", "item")
    found: dict[str, Number] = {}
    for (model,), rows in means.partition_by("model", as_dict=True).items():
        values = rows["output_tokens"].to_numpy().astype(np.float64)
        interval, error = mean_interval(values)
        if (mean := float(values.mean())) > 0:
            number = estimated(Estimate(mean, interval.within(0, math.inf), error), len(values), "group")
            found |= {str(model): number} if number else {}
    return found
