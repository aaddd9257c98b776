"""The paper's Figure 6: does a longer ranking make a better one?"""

from selfexec.reporting.figures.canvas import Sign, drawing, legend, reach, reach_log
from selfexec.reporting.figures.figure import Figure, behind
from selfexec.reporting.figures.scatter import Axis, Spot, plane
from selfexec.reporting.figures.tables import Numbers, sizes, texts

TITLE = "Ranking accuracy and the tokens that a ranking takes"
CAPTION = (
    "Mean tokens of a reply that ranks four questions, hidden reasoning included, and the accuracy of these rankings, "
    "both with 95% intervals. The dash at each model's tokens is the best guesser on its claims."
)
HEIGHT = 340.0


def ordering(numbers: Numbers) -> Figure | None:
    accuracy, tokens = numbers.scored("difficulty", "accuracy"), numbers.ranking_tokens
    shown = [model for model in numbers.models if model in accuracy and model in tokens]
    if not shown:
        return None
    best = numbers.best_guessers("difficulty")
    spots = [
        Spot(
            model,
            "ranking accuracy",
            tokens[model],
            accuracy[model],
            f"{model}: accuracy {accuracy[model].full}, {_told(numbers, model)} tokens a ranking",
            level=(best[model].number.value, f"best guesser for {model}: {best[model].text}")
            if model in best
            else None,
        )
        for model in shown
    ]
    ends = [end for m in shown for end in (tokens[m].value, tokens[m].low, tokens[m].high) if end]
    x = Axis("tokens of a ranking, mean", reach_log(ends))
    x = Axis(x.text, x.domain, log=True)
    heights = [end for m in shown for end in (accuracy[m].low, accuracy[m].high, accuracy[m].value) if end is not None]
    heights += [best[m].number.value for m in shown if m in best]
    low, high = reach(heights, 0.5, 0.7)
    y = Axis("ranking accuracy", (max(low, 0.0), min(high, 1.0)))
    signs = [Sign("main", "model, with 95% intervals"), Sign("level", "best guesser"), Sign("half", "a coin")]
    key, top = legend(signs, 2)
    parts = [key, *plane(numbers, spots, x, y, top + 4, HEIGHT, line=0.5)]
    table = behind(
        numbers.models,
        {
            "groups": sizes({m: accuracy[m] for m in shown}),
            "accuracy": texts({m: accuracy[m] for m in shown}),
            "best guesser": texts({m: best[m] for m in shown if m in best}),
            "tokens of a ranking": {m: _told(numbers, m) for m in shown},
        },
    )
    return Figure("ordering", TITLE, CAPTION, drawing("ordering", TITLE, CAPTION, top + HEIGHT + 50, parts), *table)


def _told(numbers: Numbers, model: str) -> str:
    mean = numbers.ranking_tokens[model]
    if mean.low is None or mean.high is None:
        return f"{mean.value:,.0f}"
    return f"{mean.value:,.0f} [{mean.low:,.0f}, {mean.high:,.0f}]"
