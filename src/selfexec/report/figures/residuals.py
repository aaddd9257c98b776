"""What one factor leaves of every prediction with every outcome: own excess on the diagonal, what others share beside
it.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from selfexec.analysis.own import against, panel_size, panel_title
from selfexec.metrics import Own
from selfexec.report.figures.figure import Figure
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import Cell, MatrixRow, matrix
from selfexec.text.numbers import Printed, decimal, in_a_cell, interval, signed, typeset

KEY = (
    "The correlation of each row's prediction with each column's behaviour, less what one factor says of it: how well "
    "the one knows what models do, times how typical the other is. Framed: a model's own prediction and outcome, its "
    "own excess. Above 0 (+) they share more than that, below (−) less. What stands outside the frames shows how far "
    "such numbers go where nobody speaks of itself."
)


SIDES = "less, or more, shared than one factor says"
TOLD = {
    "own": "own predictions tell something of own behaviour that nobody else's tell",
    "unresolved": (
        "own predictions tell more of own behaviour than all models share, but a kind or family may share it"
    ),
    "not shown": "it is not shown that own predictions tell something of own behaviour that nobody else's tell",
}


def residuals(numbers: FigureNumbers) -> Iterator[Figure]:
    """One figure for each panel that is large enough, by each source of what was done."""
    here = numbers.scores.conditions[:1]
    for own in numbers.scores.own:
        if (
            own.found.fits
            and not own.panel
            and own.condition in here
            and any(model in own.found.each for model in numbers.models)
        ):
            yield _figure(numbers, own)


def _figure(numbers: FigureNumbers, own: Own) -> Figure:
    found = own.found
    id = "-".join(["residuals", own.experiment, *(["simulated"] if own.simulated else []), *_by(own)])
    title = f"Beyond what models share: {panel_title(own)}"
    verdict = found.panel.verdict or "no verdict"
    why = found.panel.reason or against(found.panel)
    caption = f"{KEY} {panel_size(own)}: {verdict}{f' ({why})' if why else ''}."
    places = {model: found.of.models.index(model) for model in numbers.models if model in found.each}
    left = own.found.fits[0].residual
    parts = [part.tolist() for part in (left.value, left.low, left.high)]
    lines = {model: _line(own, places, model, *parts) for model in places}
    heads, of = ("prediction ↓ outcome →", "own excess"), own.experiment
    svg = matrix(numbers.model_order, id, title, caption, lines, *heads, of=of, around_zero=True, colours=SIDES)
    value, *_ = parts
    table = [
        [
            model,
            *(_cell(value[a][b]) for b in places.values()),
            _own(own, model),
            _verdict(own, model),
        ]
        for model, a in places.items()
    ]
    finding = f"{_sentence(panel_title(own))}: {TOLD[verdict]}{_reason(own)}" if verdict in TOLD else ""
    return Figure(id, title, caption, svg, ["prediction of", *places, "own excess", "verdict"], table, finding)


def _reason(own: Own) -> str:
    """Why it is not shown, with the number that was tested and what would have been found; of what is shown nothing."""
    found = own.found
    if found.panel.verdict != "not shown":
        return ""
    estimate = found.panel.estimate
    number = interval(estimate.value, *estimate.interval, lambda value: decimal(value, 2))
    blind = "" if math.isnan(found.detectable) else f"; {decimal(found.detectable, 2)} would show in 4 of 5 such runs"
    return f" ({number}: {against(found.panel)}{blind})"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _by(own: Own) -> list[str]:
    """What tells the figures of further sources apart, as it may stand in the name of a file and of an element."""
    plain = re.sub(r"[^a-z0-9]+", "-", own.source.lower()).strip("-")
    return [] if own.metric == "own_excess" else ["by", plain]


def _line(own: Own, places: Mapping[str, int], model: str, *parts: Sequence[Sequence[float]]) -> MatrixRow:
    """A prediction with each outcome; `parts` are what is left of them, and the ends of its intervals."""
    a, cells = places[model], []
    for other, b in places.items():
        value, low, high = (part[a][b] for part in parts)
        whose = (
            f"{model}: its prediction and its own behaviour" if a == b else f"prediction of {model}, outcome of {other}"
        )
        cells.append(Cell(value, typeset(signed(value, 2)), f"{whose}: {interval(value, low, high, signed)}"))
    end = typeset(signed(own.found.each[model].estimate.value))
    return MatrixRow(cells, end, f"{model}: own excess {_own(own, model)}, {_verdict(own, model)}")


def _own(own: Own, model: str) -> str:
    estimate = own.found.each[model].estimate
    return in_a_cell(estimate.value, *estimate.interval)


def _cell(value: float) -> str:
    return Printed(signed(value), value)


def _verdict(own: Own, model: str) -> str:
    return own.found.each[model].verdict or "no verdict"
