"""The paper's Figure 8: the score and what models are able to do."""

from collections.abc import Collection
from dataclasses import replace

from selfexec.analysis.correlate import score_columns
from selfexec.analysis.numbers import Number
from selfexec.report.figures.abilities import known_ability, published_abilities
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, texts
from selfexec.report.figures.page_correlations import ABILITY, SCORE, page_correlations
from selfexec.report.figures.said import correlated
from selfexec.report.svg import Axis, Sign, Spot, ends_of, plane, reach
from selfexec.text.numbers import decimal, in_a_cell

TITLE = "Mean accuracy and ability"
CAPTION = (
    "Mean of the three accuracies, which depend on how often a model says yes, too (self_execution_score), and ability "
    "in the Rasch model on public benchmarks."
)
HEIGHT = 236.0
PAPERS = "r = .59"  # between ability and the self-execution score, as its text has it (section 4.4)
LEAST = 2  # models with a known ability


def ability(numbers: FigureNumbers) -> Figure | None:
    shown = _shown(numbers)
    if len(shown) < LEAST:
        return None
    abilities = {model: numbers.abilities[model] for model in numbers.models if model in numbers.abilities}
    spots = [
        Spot(
            model,
            "score",
            Number(abilities[model]),
            number,
            f"{model}: mean accuracy {number.full}, ability {decimal(abilities[model])}",
            "faint" if number.note else "main",
        )
        for model, number in shown.items()
    ]
    least, most = min(abilities.values()), max(abilities.values())
    end = most + 0.15 * (most - least)  # the room of a name
    x, y = Axis("ability", _around([least, end])), Axis("mean accuracy", _around(ends_of(shown.values())))
    signs = [Sign("main", "model, with 95% interval"), Sign("faint", "no overall score: not counted")]
    svg = plane(numbers.model_order, "ability", TITLE, CAPTION, spots, x, y, signs, height=HEIGHT)
    cells = {"ability": {m: in_a_cell(ability) for m, ability in abilities.items()}, "mean accuracy": texts(shown)}
    cells["mean accuracy: withheld"] = {m: number.note for m, number in shown.items() if number.note}
    finding = correlated(
        page_correlations(numbers).get((SCORE, ABILITY)),
        "More able models have a higher mean accuracy",
        "More able models have a lower mean accuracy",
        "More able models are not shown to have a higher or lower mean accuracy",
    )
    table = behind([*abilities], cells)
    return Figure("ability", TITLE, CAPTION, svg, *table, finding, _paper(abilities), "overall")


def _around(values: Collection[float]) -> tuple[float, float]:
    return reach(values, min(values), max(values) + 1e-6)


def _paper(models: Collection[str]) -> str:
    known = published_abilities()
    if not any(known_ability(model, known) is not None for model in models):
        return ""
    return f"The paper on this benchmark has {PAPERS} over its {len(known)} models (Figure 8)."


def _shown(numbers: FigureNumbers) -> dict[str, Number]:
    """The scores of models whose ability is known; one that is withheld without interval, with the reason."""
    means = score_columns(numbers.scores).get("overall accuracy", {})
    found = {}
    for model in numbers.models:
        if model not in numbers.abilities:
            continue
        if number := numbers.number(model, "overall", "self_execution_score"):
            found[model] = replace(number, note=None)
        elif (mean := means.get(model)) is not None:
            row = numbers.row(model, "overall", "self_execution_score")
            found[model] = Number(mean, note=f"withheld: {row.reason}" if row and row.reason else "withheld")
    return found
