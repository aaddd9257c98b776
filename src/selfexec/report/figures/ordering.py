"""The paper's Figure 6: does a longer ranking make a better one?"""

from selfexec.analysis.numbers import counted
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import BASELINE, FigureNumbers, sizes, texts
from selfexec.report.figures.page_correlations import ORDERING, page_correlations
from selfexec.report.figures.said import correlated
from selfexec.report.svg import Axis, Sheet, Sign, Spot, drawing, legend, plane, reach, reach_log

TITLE = "Ranking accuracy and the tokens that a ranking takes"
CAPTION = (
    "Mean tokens of a reply that ranks four questions, hidden reasoning included, and the accuracy of these rankings, "
    "both with 95% intervals."
)
HEIGHT = 340.0
LEAST = 2  # models


def ordering(numbers: FigureNumbers) -> Figure | None:
    accuracy, tokens = numbers.scored("difficulty", "accuracy"), numbers.ranking_tokens
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
    ends = [end for m in shown for end in (tokens[m].value, tokens[m].low, tokens[m].high) if end]
    x = Axis("tokens of a ranking, mean", reach_log(ends))
    x = Axis(f"{x.text}, log scale", x.domain, log=True)
    heights = [end for m in shown for end in (accuracy[m].low, accuracy[m].high, accuracy[m].value) if end is not None]
    low, high = reach(heights, 0.5, 0.7)
    y = Axis("ranking accuracy", (max(low, 0.0), min(high, 1.0)))
    signs = [Sign("main", "model, with 95% intervals"), Sign("half", "a coin")]

    def drawn(sheet: Sheet) -> str:
        key, top = legend(sheet, signs, 2)
        parts = [key, *plane(sheet, numbers.model_order, spots, x, y, top + 4, HEIGHT, line=0.5)]
        return drawing(sheet, "ordering", TITLE, CAPTION, top + HEIGHT + 50, parts)

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
        page_correlations(numbers).get(ORDERING),
        "Models that take more tokens for a ranking rank better",
        "Models that take more tokens for a ranking rank worse",
        "Models that take more tokens for a ranking are not shown to rank better or worse",
    )
    return Figure("ordering", TITLE, CAPTION, drawn, *table, finding, of="difficulty")
