"""The rows of the ledger, as people and programs read them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from selfexec.analysis.names import refuse_old_name
from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.experiments import PAPER_HEADLINE
from selfexec.text.matching import found_by
from selfexec.text.numbers import decimal
from selfexec.text.tables import Part, Table, as_markdown

Kind = Literal["score", "baseline", "sensitivity", "rule", "readings"]
POINT = 0.01  # numbers that lie further apart must have a reason; of tokens, this share of them
PUBLISHED_BASELINE = 0.5  # of all three experiments (paper, section 4)


@dataclass(frozen=True)
class Entry:
    """One number about one model under each convention; None where it is withheld, undefined or not of this convention.

    `kind`: a `score`; a `baseline` beside it; a `sensitivity` (the number if one choice of ours were otherwise); a
    `rule` (a further number that the authors published by a rule of its own); `readings` (the share of given readings
    that are not ours). `reasons` say what makes the three differ, with how far each cause moves a number.
    """

    kind: Kind
    model: str
    experiment: str
    metric: str
    strict: float | None
    readable: float | None
    authors: float | None
    reasons: tuple[str, ...] = ()

    @property
    def spread(self) -> float:
        """How far apart the three are, those that are there."""
        known = [value for value in (self.strict, self.readable, self.authors) if value is not None]
        return max(known) - min(known) if known else 0.0

    @property
    def apart(self) -> bool:
        """Whether they want a reason: more than a point apart, or one is there that another is not."""
        return self.further_than(POINT)

    def further_than(self, distance: float) -> bool:
        values = (self.strict, self.readable, self.authors)
        size = max((abs(value) for value in values if value is not None), default=0.0)
        return self.spread > distance * max(1.0, size) or len({value is None for value in values}) == 2


class Ledger(Rows[Entry]):
    """The entries of a ledger, and the `runs` that they are of. Prints as a table, and turns into records or a data
    frame.
    """

    _ROW = Entry

    def __init__(self, entries: Iterable[Entry], runs: Sequence[ScoredRun] = ()) -> None:
        super().__init__(entries)
        self.runs = tuple(runs)

    def entry(self, model: str, experiment: str, metric: str) -> Entry:
        """One number under each convention. KeyError lists what there is."""
        refuse_old_name(metric)
        lacks = f"there is no {metric} of {model} in {experiment}"
        return found_by(self, {"model": model, "experiment": experiment, "metric": metric}, lacks)

    def records(self) -> list[dict[str, Any]]:
        """A record for each entry."""
        return [record | {"reasons": list(record["reasons"])} for record in super().records()]

    def _data(self) -> dict[str, Any]:
        return {**head(self.runs, None), "ledger": self.records()}

    def markdown(self) -> str:
        """Tables for a page: one for each kind, every entry with its reasons."""
        parts: list[str] = []
        for kind, entries in self._by_kind():
            rows = [[*_cells(entry), "\n".join(entry.reasons)] for entry in entries]
            parts += [f"## {TITLES[kind]}", as_markdown(COLUMNS, rows)]
        return "\n\n".join(parts)

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        """A table of each kind; as text with its reasons below it by number, where they are long."""
        if not self:
            yield NOTHING
            return
        for kind, entries in self._by_kind():
            longest = max(len("; ".join(entry.reasons)) for entry in entries)
            yield from _with_reasons(TITLES[kind], entries, form != "text" or longest <= width - BEFORE_REASONS)
            yield ""
        yield LEGEND

    def _by_kind(self) -> Iterator[tuple[Kind, list[Entry]]]:
        for kind in TITLES:
            if entries := [entry for entry in self if entry.kind == kind]:
                yield kind, entries


NOTHING = (
    f"The ledger is of {', '.join(PAPER_HEADLINE.experiments)}, which the paper published. None of them was asked here."
)
BEFORE_REASONS = 86  # columns of a terminal that the other columns may take
TITLES: Mapping[Kind, str] = {
    "score": "One number, three conventions",
    "baseline": f"Baselines beside them (published as a baseline of {PUBLISHED_BASELINE:.0%} in all experiments)",
    "rule": "Numbers that were published by a rule of their own",
    "readings": "Readings that were given, and are not ours",
    "sensitivity": "If one choice of ours were otherwise",
}
COLUMNS = ["model", "experiment", "metric", "strict", "readable", "authors", "why"]
LEGEND = (
    "strict: what could not be read is wrong; what is missing is left out. readable: only what was read.\n"
    "authors: as for the paper's published numbers. A reason says how far it moves a number away from the readable one."
)


# --- in print -------------------------------------------------------------------------------------------------------


def bare(value: float) -> str:
    """A share to three decimals, a greater number (of tokens) to one."""
    return decimal(value) if abs(value) <= 1 else f"{value:,.1f}"


def shown(value: float | None) -> str:
    return "–" if value is None else bare(value)


def _cells(entry: Entry) -> list[str]:
    values = (entry.strict, entry.readable, entry.authors)
    return [entry.model, entry.experiment, entry.metric, *map(shown, values)]


def _with_reasons(title: str, entries: Sequence[Entry], inside: bool) -> Iterator[Part]:
    """A table, and below it the reasons by number, where they are too long to stand in it; entries with the same
    reasons share a number.
    """
    distinct = dict.fromkeys(entry.reasons for entry in entries if entry.reasons)
    told = {why: "; ".join(why) if inside else str(number) for number, why in enumerate(distinct, 1)}
    yield Table(title, COLUMNS, [[*_cells(entry), told.get(entry.reasons, "")] for entry in entries])
    for why in () if inside else distinct:
        for n, reason in enumerate(why):
            yield f"{'' if n else f'[{told[why]}]':>6} {reason}"
