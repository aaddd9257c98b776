"""The paper's Figure 6: does a longer ranking make a better one?"""

from selfexec.analysis.numbers import counted
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, sizes, texts
from selfexec.report.figures.page_correlations import ORDERING, page_correlations
from selfexec.report.figures.said import correlated
from selfexec.report.svg import Axis, Sign, Spot, ends_of, plane, reach, reach_log

TITLE = "Ranking accuracy and the tokens that a ranking takes"
CAPTION = (
    "Mean tokens of a reply that ranks four questions, hidden reasoning included, and the accuracy of these rankings, "
    "both with 95% intervals."
)
LEAST = 2  # models


def ordering(numbers: FigureNumbers) -> Figure | None:
    accuracy, tokens = numbers.scored("difficulty", "accuracy"), numbers.prediction_tokens("difficulty")
    shown = [model for model in numbers.models if model in accuracy and model in tokens]
    if len(shown) < LEAST:  # one spot says nothing of what goes together
        return None
    baselines = numbers.baselines("difficulty")
    spots = [
        Spot(
            model,
            "ranking accuracy",
            tokens[model],
            accuracy[model],
            f"{model}: accuracy {accuracy[model].full}, {counted(tokens[model])} tokens a ranking"
            f"{f'; {BASELINE} {baselines[model].text}' if model in baselines else ''}",
        )
        for model in shown
    ]
    x = Axis("tokens of a ranking, mean, log scale", reach_log(ends_of(tokens[m] for m in shown)), log=True)
    low, high = reach(ends_of(accuracy[m] for m in shown), 0.5, 0.7)
    y = Axis("ranking accuracy", (max(low, 0.0), min(high, 1.0)))
    signs = [Sign("main", "model, with 95% intervals"), Sign("half", "a coin")]
    svg = plane(numbers.model_order, "ordering", TITLE, CAPTION, spots, x, y, signs, line=0.5)
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
    finding = correlated(
        page_correlations(numbers).get(("difficulty", ORDERING)),
        "Models that take more tokens for a ranking rank better",
        "Models that take more tokens for a ranking rank worse",
        "Models that take more tokens for a ranking are not shown to rank better or worse",
    )
    return Figure("ordering", TITLE, CAPTION, svg, *table, finding, of="difficulty")
