"""The paper's Figure 8: score, skill and baseline margin beside what models are able to do."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from selfexec.analysis.correlate import score_columns
from selfexec.analysis.numbers import Number
from selfexec.report.figures.abilities import known_ability, published_abilities
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers, texts
from selfexec.report.figures.page_correlations import ABILITY, SCORE, page_correlations
from selfexec.report.figures.said import correlated
from selfexec.report.svg import Axis, Sheet, Sign, Spot, drawing, legend, plane, reach
from selfexec.text.numbers import decimal, in_a_cell

TITLE = "Score, skill and margin beside ability"
CAPTION = (
    "Ability is that of the Rasch model, on public benchmarks. The score is the mean of the three accuracies; skill is "
    "the same with chance taken off; the margin is skill less that of the best baseline, "
    "and no test of self-knowledge. "
    "Faint marks without intervals: the headline is withheld, for the reason that the mark tells."
)
MEASURES = {
    "self_execution_score": ("overall accuracy", "score", None),
    "skill": ("overall skill", "skill", 0.0),
    "baseline_margin": ("overall baseline_margin", "margin", 0.0),
}
HEIGHT = 236.0
PAPERS = "r = .59"  # between ability and the self-execution score, as its text has it (section 4.4)
LEAST = 2  # models with a known ability


def ability(numbers: FigureNumbers) -> Figure | None:
    means = score_columns(numbers.scores)
    abilities = {model: numbers.abilities[model] for model in numbers.models if model in numbers.abilities}
    found = {metric: _shown(numbers, metric, means.get(column, {})) for metric, (column, _, _) in MEASURES.items()}
    found = {metric: numbers_of for metric, numbers_of in found.items() if numbers_of}
    if not found or max(map(len, found.values())) < LEAST:
        return None
    low, high = reach(abilities.values(), min(abilities.values()), max(abilities.values()) + 1e-6)
    planes: list[tuple[list[Spot], Axis, float | None]] = []
    cells = {"ability": {m: in_a_cell(ability) for m, ability in abilities.items()}}
    for metric, shown in found.items():
        _, name, line = MEASURES[metric]
        spots = [
            Spot(
                model,
                name,
                Number(abilities[model]),
                number,
                f"{model}: {name} {number.full}, ability {decimal(abilities[model])}",
                "faint" if number.note else "main",
            )
            for model, number in shown.items()
        ]
        ends = [end for number in shown.values() for end in (number.value, number.low, number.high) if end is not None]
        y = Axis(name, reach(ends, min(ends), max(ends) + 1e-6))
        planes.append((spots, y, line))
        cells[name] = texts(shown)
        cells[f"{name}: withheld"] = {m: number.note for m, number in shown.items() if number.note}

    def drawn(sheet: Sheet) -> str:
        signs = [Sign("main", "model, with 95% interval"), Sign("faint", "headline withheld")]
        key, top = legend(sheet, signs, 2)
        parts = [key]
        for spots, y, line in planes:
            parts += plane(sheet, numbers.model_order, spots, Axis("ability", (low, high)), y, top + 8, HEIGHT, line)
            top += HEIGHT + 52
        return drawing(sheet, "ability", TITLE, CAPTION, top + 8, parts)

    finding = correlated(
        page_correlations(numbers).get((SCORE, ABILITY)),
        "More able models predict themselves more accurately",
        "More able models predict themselves less accurately",
        "More able models are not shown to predict themselves more or less accurately",
    )
    return Figure("ability", TITLE, CAPTION, drawn, *behind([*abilities], cells), finding, _paper(abilities), "overall")


def _paper(models: Collection[str]) -> str:
    known = published_abilities()
    if not any(known_ability(model, known) is not None for model in models):
        return ""
    return f"The paper has {PAPERS} over its {len(known)} models (Figure 8)."


def _shown(numbers: FigureNumbers, metric: str, means: Mapping[str, float]) -> dict[str, Number]:
    """The headlines of models whose ability is known; one that is withheld without interval, with the reason."""
    found = {}
    for model in numbers.models:
        if model not in numbers.abilities:
            continue
        if number := numbers.number(model, "overall", metric):
            found[model] = replace(number, note=None)
        elif (mean := means.get(model)) is not None:
            row = numbers.row(model, "overall", metric)
            found[model] = Number(mean, note=f"withheld: {row.reason}" if row and row.reason else "withheld")
    return found
