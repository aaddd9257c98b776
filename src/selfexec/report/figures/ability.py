"""The paper's Figure 8: the score and what models are able to do; the same of skill and margin."""

from collections.abc import Collection, Iterator, Mapping
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

CAPTION = "{} and ability in the Rasch model on public benchmarks; a faint mark says why its score is withheld."
CAPTIONS = {
    "score": "Mean of the three accuracies",
    "skill": "Mean of the three accuracies with chance taken off",
    "margin": "Skill less that of the best baseline",
}
MEASURES = {
    "self_execution_score": ("overall accuracy", "score", None),
    "skill": ("overall skill", "skill", 0.0),
    "baseline_margin": ("overall baseline_margin", "margin", 0.0),
}
HEIGHT = 236.0
PAPERS = "r = .59"  # between ability and the self-execution score, as its text has it (section 4.4)
LEAST = 2  # models with a known ability


def ability(numbers: FigureNumbers) -> Figure | None:
    """The score, as in the paper."""
    return _figure(numbers, "self_execution_score")


def further_abilities(numbers: FigureNumbers) -> Iterator[Figure]:
    """Skill and margin in its place."""
    for metric in ("skill", "baseline_margin"):
        if figure := _figure(numbers, metric):
            yield figure


def _figure(numbers: FigureNumbers, metric: str) -> Figure | None:
    column, name, line = MEASURES[metric]
    shown = _shown(numbers, metric, score_columns(numbers.scores).get(column, {}))
    if len(shown) < LEAST:
        return None
    abilities = {model: numbers.abilities[model] for model in numbers.models if model in numbers.abilities}
    low, high = reach(abilities.values(), min(abilities.values()), max(abilities.values()) + 1e-6)
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
    id = "ability" if name == "score" else f"ability-{name}"
    title, caption = f"{name.capitalize()} and ability", CAPTION.format(CAPTIONS[name])

    def drawn(sheet: Sheet) -> str:
        key, top = legend(sheet, [Sign("main", "model, with 95% interval"), Sign("faint", "overall score withheld")], 2)
        spread = plane(sheet, numbers.model_order, spots, Axis("ability", (low, high)), y, top + 8, HEIGHT, line)
        return drawing(sheet, id, title, caption, top + HEIGHT + 60, [key, *spread])

    cells = {"ability": {m: in_a_cell(ability) for m, ability in abilities.items()}, name: texts(shown)}
    cells[f"{name}: withheld"] = {m: number.note for m, number in shown.items() if number.note}
    table = behind([*abilities], cells)
    if name != "score":
        return Figure(id, title, caption, drawn, *table, of="overall")
    finding = correlated(
        page_correlations(numbers).get((SCORE, ABILITY)),
        "More able models predict themselves more accurately",
        "More able models predict themselves less accurately",
        "More able models are not shown to predict themselves more or less accurately",
    )
    return Figure(id, title, caption, drawn, *table, finding, _paper(abilities), "overall")


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
