"""What was not read: unreadable, withheld and missing replies, by model and reason."""

from collections.abc import Iterator, Mapping

from selfexec.analysis.numbers import Loss, Losses, Number, lost_replies
from selfexec.analysis.words import percent
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures.figure import Figure, behind
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.svg import Piece, RowPanel, Sign, reach, rows
from selfexec.text.numbers import count_in_a_cell, is_or_are

LEAST_AXIS = 0.2  # so that a handful does not look like much
ROOM = 1.2  # for the numbers behind the bars

TITLE = "Replies that are missing, or could not be read"
CAPTION = (
    "Of the replies asked for, the share that is missing, could not be read, or was withheld by the model or its "
    "provider, with their number."
)
FILLS = {
    ("unreadable", "format"): 1,
    ("unreadable", "truncated"): 2,
    ("unreadable", "declined"): 3,
    ("unreadable", "performed"): 3,
    ("withheld", "model"): 4,
    ("withheld", "provider"): 5,
    ("missing", ""): 6,
}
NAMES = {
    1: "unreadable: format",
    2: "unreadable: truncated",
    3: "unreadable: declined, or did the task",
    4: "withheld by the model",
    5: "withheld by the provider",
    6: "missing",
}


def loss(numbers: FigureNumbers) -> Figure | None:
    losses = lost_replies(numbers.tables.sessions)
    if not losses:
        return None
    asked = [e for e in EXPERIMENTS if any(experiment == e for _, experiment in losses)]
    most = max(sum(part.replies for part in parts) / parts[0].of for parts in losses.values())
    domain = reach([most * ROOM], 0.0, LEAST_AXIS)
    panels = [_panel(numbers, experiment, losses, (0.0, min(domain[1], 1.0))) for experiment in asked]
    used = sorted({_fill(part) for parts in losses.values() for part in parts})
    signs = [Sign(f"fill-{fill}", NAMES[fill]) for fill in used]
    cells: dict[str, dict[str, str]] = {}
    for model in numbers.models:
        for experiment in asked:
            for part in losses.get((model, experiment), []):
                count = count_in_a_cell(part.replies, "replies", part.of)
                cells.setdefault(f"{experiment}: {_name(part)}", {})[model] = count
    svg = rows(numbers.model_order, "loss", TITLE, CAPTION, panels, signs)
    finding = _finding(losses, numbers.tables.sessions.height, {e: numbers.scored(e, "coverage") for e in asked})
    return Figure("loss", TITLE, CAPTION, svg, *behind(numbers.models, dict(sorted(cells.items()))), finding)


def _finding(losses: Losses, replies: int, coverage: Mapping[str, Mapping[str, Number]]) -> str:
    """How many replies, and where most claims are lost (a reply may have several of them); where none are, where most
    replies are.
    """
    lost = {part.state for parts in losses.values() for part in parts}
    states = " or ".join(state for state in ("missing", "unreadable", "withheld") if state in lost)
    total = sum(part.replies for parts in losses.values() for part in parts)
    text = f"{total:,} of {replies:,} replies {is_or_are(total)} {states}"
    unread = {(model, e): 1 - number.value for e, of in coverage.items() for model, number in of.items()}
    if not unread or max(unread.values()) == 0:
        shares = {of: sum(part.replies for part in parts) / parts[0].of for of, parts in losses.items()}
        model, experiment = most = max(shares, key=shares.__getitem__)
        largest = f"{percent(shares[most])} of the replies"
    else:
        model, experiment = most = max(unread, key=unread.__getitem__)
        largest = f"{percent(unread[most])} of the claims"
    return f"{text}; the largest loss is {largest} of {model} in {experiment.replace('_', ' ')}"


def _panel(numbers: FigureNumbers, experiment: str, losses: Losses, domain: tuple[float, float]) -> RowPanel:
    found = {model: losses[model, experiment] for model in numbers.models if (model, experiment) in losses}
    pieces = [piece for model, parts in found.items() for piece in _pieces(model, parts)]
    counts = {model: f"{sum(part.replies for part in parts):,}" for model, parts in found.items()}
    return RowPanel(
        experiment.replace("_", " "),
        pieces=pieces,
        counts=counts,
        domain=domain,
        axis="share of replies",
        of=experiment,
    )


def _pieces(model: str, parts: list[Loss]) -> Iterator[Piece]:
    start = 0.0
    for part in sorted(parts, key=lambda part: (_fill(part), part.reason)):
        end = start + part.replies / part.of
        title = f"{model}: {part.replies:,} of {part.of:,} replies {_name(part)} ({part.replies / part.of:.1%})"
        yield Piece(model, _name(part), start, end, _fill(part), title)
        start = end


def _fill(part: Loss) -> int:
    """A reason that has none of its own is drawn as its state's first."""
    first = {"unreadable": 1, "withheld": 4, "missing": 6}[part.state]
    return FILLS.get((part.state, part.reason), first)


def _name(part: Loss) -> str:
    if part.state == "missing":
        return "missing"
    return f"{part.state} by the {part.reason}" if part.state == "withheld" else f"{part.state}: {part.reason}"
