"""The paper's Figure 5: how many tokens a question takes."""

from collections.abc import Mapping

from selfexec.analysis.numbers import QUANTILES, Number, TokenSpread, answer_tokens, counted
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import Dot, RowPanel, Sign, reach_log, rows
from selfexec.text.numbers import count_in_a_cell, in_a_cell

TITLE = "Tokens of one answer"
CAPTION = (
    "How many tokens a model's answers to single questions take, hidden reasoning included: the median, the middle "
    "half (thick), the middle four fifths (thin) and the mean (diamond), which a few long answers pull to the right."
)


EXPERIMENT = "difficulty"


def tokens(numbers: FigureNumbers) -> Figure | None:
    spreads, means = answer_tokens(numbers.tables.sessions, EXPERIMENT), numbers.scored(EXPERIMENT, "tokens_mean")
    shown = {model: spreads[model] for model in numbers.models if model in spreads and model in means}
    if not shown:
        return None
    values = [q for spread in shown.values() for q in (max(spread.quantiles[0], 1.0), spread.quantiles[-1])]
    domain = reach_log([*values, *(means[model].value for model in shown)])
    marks = [dot for model, spread in shown.items() for dot in _dots(model, spread, means[model])]
    signs = [
        Sign("main", "median"),
        Sign("thick", "middle half"),
        Sign("thin", "middle four fifths"),
        Sign("diamond", "mean"),
    ]
    svg = rows(
        numbers.model_order,
        "tokens",
        TITLE,
        CAPTION,
        [RowPanel("tokens", marks, domain=domain, log=True, axis="tokens, log scale")],
        signs,
    )
    cells: dict[str, dict[str, str]] = {
        "answers": {model: count_in_a_cell(spread.answers, "answers") for model, spread in shown.items()}
    }
    for k, share in enumerate(QUANTILES):
        cells[f"{share:.0%}"] = {model: counted(Number(spread.quantiles[k])) for model, spread in shown.items()}
    cells["mean"] = {model: counted(means[model]) for model in shown}
    within = {model: in_a_cell(spread.within) for model, spread in shown.items() if spread.within is not None}
    cells["SD in a group / its mean"] = within
    return Figure("tokens", TITLE, CAPTION, svg, *behind(numbers.models, cells), _finding(shown), of=EXPERIMENT)


def _finding(shown: Mapping[str, TokenSpread]) -> str:
    """From whose answers are the shortest to whose are the longest, in the middle."""
    medians = {model: spread.quantiles[QUANTILES.index(0.5)] for model, spread in shown.items()}
    least, most = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    if len(medians) == 1:
        return f"Half of the answers of {most} take more than {medians[most]:,.0f} tokens"
    return f"A median answer takes from {medians[least]:,.0f} tokens ({least}) to {medians[most]:,.0f} ({most})"


def _dots(model: str, spread: TokenSpread, mean: Number) -> list[Dot]:
    low, lower, median, upper, high = spread.quantiles
    told = f"{model}: median {median:,.0f} tokens, middle half {lower:,.0f} to {upper:,.0f}"
    told += f", middle four fifths {low:,.0f} to {high:,.0f}, {spread.answers:,} answers"
    in_a_group = "" if spread.within is None else f"; within a group they scatter by {spread.within:.0%} of its mean"
    mean_told = f"{model}: mean {counted(mean)} tokens{in_a_group}"
    return [
        Dot(model, "median", max(median, 1.0), told, "main", low, high, (lower, upper)),
        Dot(model, "mean", mean.value, mean_told, "diamond"),
    ]
