"""The paper's Figure 5: how many tokens a question takes."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import Number, Numbers, counted
from selfexec.report.figures.rows import Dot, Panel, rows
from selfexec.report.svg import Sign, reach_log
from selfexec.text.numbers import decimal

TITLE = "Tokens of one answer"
CAPTION = (
    "How long a model's answers to single questions are, hidden reasoning included, on a scale of equal ratios: the "
    "median, the middle half (thick) and the middle four fifths (thin). The diamond is the mean, which a few long "
    "answers pull to the right. Where the lines are short, answers are alike in length and there is little to foretell."
    " The table has the paper's error bar too: the standard deviation within a group of questions, as a share of the "
    "group's mean."
)


QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Spread:
    """Tokens of the answers of one model: quantiles (10, 25, 50, 75, 90%), their mean, and `within` a group: its
    standard deviation (over n - 1) as a share of its mean, averaged over groups; None where no group has two answers.
    """

    quantiles: tuple[float, ...]
    mean: Number
    answers: int
    within: float | None


def tokens(numbers: Numbers) -> Figure | None:
    spreads = answer_tokens(numbers)
    if not spreads:
        return None
    shown = {model: spreads[model] for model in numbers.models if model in spreads}
    values = [q for spread in shown.values() for q in (max(spread.quantiles[0], 1.0), spread.quantiles[-1])]
    domain = reach_log([*values, *(spread.mean.value for spread in shown.values())])
    marks = [dot for model, spread in shown.items() for dot in _dots(model, spread)]
    signs = [
        Sign("main", "median"),
        Sign("thick", "middle half"),
        Sign("thin", "middle four fifths"),
        Sign("diamond", "mean"),
    ]
    svg = rows(
        numbers,
        "tokens",
        TITLE,
        CAPTION,
        [Panel("tokens", marks, domain=domain, log=True, axis="tokens, log scale")],
        signs,
    )
    cells = {"answers": {model: f"{spread.answers:,}" for model, spread in shown.items()}}
    for k, share in enumerate(QUANTILES):
        cells[f"{share:.0%}"] = {model: f"{spread.quantiles[k]:,.0f}" for model, spread in shown.items()}
    cells["mean"] = {model: counted(spread.mean) for model, spread in shown.items()}
    within = {model: spread.within for model, spread in shown.items()}
    cells["SD in a group / its mean"] = {model: decimal(share) for model, share in within.items() if share is not None}
    return Figure("tokens", TITLE, CAPTION, svg, *behind(numbers.models, cells))


def _dots(model: str, spread: Spread) -> list[Dot]:
    low, lower, median, upper, high = spread.quantiles
    told = f"{model}: median {median:,.0f} tokens, middle half {lower:,.0f} to {upper:,.0f}"
    told += f", middle four fifths {low:,.0f} to {high:,.0f}, {spread.answers:,} answers"
    in_a_group = "" if spread.within is None else f"; within a group they scatter by {spread.within:.0%} of its mean"
    mean_told = f"{model}: mean {counted(spread.mean)} tokens{in_a_group}"
    mean = Dot(model, "mean", spread.mean.value, mean_told, "diamond")
    return [Dot(model, "median", max(median, 1.0), told, "main", low, high, (lower, upper)), mean]


def answer_tokens(numbers: Numbers) -> dict[str, Spread]:
    answers = numbers.counted.filter(pl.col("session") != "predict")
    found = {}
    for (model,), own in answers.partition_by("model", as_dict=True).items():
        tokens = own["output_tokens"].to_numpy().astype(np.float64)
        mean = numbers.number(str(model), "difficulty", "tokens_mean")
        if mean and tokens.max() > 0:
            quantiles = tuple(float(q) for q in np.quantile(tokens, QUANTILES))
            found[str(model)] = Spread(quantiles, mean, len(tokens), _within_groups(own))
    return found


def _within_groups(answers: pl.DataFrame) -> float | None:
    """The error bar of the paper's Figure 5: what the answers to one group of questions scatter by, relatively."""
    tokens = pl.col("output_tokens")
    groups = answers.group_by("item", "epoch").agg(share=tokens.std() / tokens.mean())
    shares = groups["share"].drop_nulls().drop_nans().to_numpy()
    return float(shares.mean()) if len(shares) else None
