"""The rows of the ledger, as people and programs read them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import polars as pl

from selfexec.analysis.renamed import refuse_old_name
from selfexec.analysis.sources import Source, head
from selfexec.experiments import PAPER
from selfexec.files import csv_rows
from selfexec.text.lookups import what_there_is
from selfexec.text.numbers import decimal
from selfexec.text.tables import WIDTH, all_as_html, as_markdown, as_text

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


class Ledger(Sequence[Entry]):
    """The entries of a ledger, and the `runs` that they are of. Prints as a table, and turns into records or a data
    frame.
    """

    def __init__(self, entries: Iterable[Entry], runs: Sequence[Source] = ()) -> None:
        self._entries = list(entries)
        self.runs = tuple(runs)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def entry(self, model: str, experiment: str, metric: str) -> Entry:
        """One number under each convention. KeyError lists what there is."""
        for entry in self._entries:
            if (entry.model, entry.experiment, entry.metric) == (model, experiment, metric):
                return entry
        refuse_old_name(metric)
        there = what_there_is(self, {"model": model, "experiment": experiment, "metric": metric})
        raise KeyError(f"there is no {metric} of {model} in {experiment} ({there})")

    def records(self) -> list[dict[str, Any]]:
        """A record for each entry."""
        return [asdict(entry) | {"reasons": list(entry.reasons)} for entry in self._entries]

    def frame(self) -> pl.DataFrame:
        """One row per entry, as a Polars data frame."""
        return pl.DataFrame(self.records(), infer_schema_length=None)

    def json(self) -> str:
        """The runs and the version, then the entries, each under all three conventions."""
        found = {**head(self.runs, None), "ledger": self.records()}
        return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)

    def csv(self) -> str:
        """One line per entry."""
        columns = [field.name for field in fields(Entry)]
        records = (record | {"reasons": "; ".join(record["reasons"])} for record in self.records())
        rows = ([record[column] for column in columns] for record in records)
        return csv_rows.written([columns, *rows]).rstrip("\n")

    def markdown(self) -> str:
        """Tables for a page: one for each kind, every entry with its reasons."""
        parts: list[str] = []
        for kind, entries in self._by_kind():
            rows = [[*_cells(entry), "\n".join(entry.reasons)] for entry in entries]
            parts += [f"## {TITLES[kind]}", as_markdown(COLUMNS, rows)]
        return "\n\n".join(parts)

    def table(self, width: int = WIDTH, *, styled: bool = False) -> str:
        """A table of each kind, its reasons below it by number."""
        if not self:
            return NOTHING
        tables = (_with_notes(TITLES[kind], entries, width, styled) for kind, entries in self._by_kind())
        return "\n".join([*(f"{table}\n" for table in tables), LEGEND])

    def _by_kind(self) -> Iterator[tuple[Kind, list[Entry]]]:
        for kind in TITLES:
            if entries := [entry for entry in self if entry.kind == kind]:
                yield kind, entries

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        tables = (
            (TITLES[kind], COLUMNS, [[*_cells(entry), "; ".join(entry.reasons)] for entry in entries])
            for kind, entries in self._by_kind()
        )
        return all_as_html(tables, [LEGEND])


NOTHING = f"The ledger is of {', '.join(PAPER.experiments)}, which the paper published. None of them was asked here."
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


def _with_notes(title: str, entries: Sequence[Entry], width: int, styled: bool) -> str:
    """A table, and below it the reasons by number, where they are too long to stand in it; entries with the same
    reasons share a number."""
    inside = max(len("; ".join(entry.reasons)) for entry in entries) <= width - BEFORE_REASONS
    distinct = dict.fromkeys(entry.reasons for entry in entries if entry.reasons)
    numbers = {reasons: number for number, reasons in enumerate(distinct, 1)}
    told = "; ".join if inside else lambda reasons: str(numbers.get(reasons, ""))
    rows = [[*_cells(entry), told(entry.reasons)] for entry in entries]
    notes = [
        f"{f'[{number}]' if first else '':>6} {reason}"
        for reasons, number in numbers.items()
        for first, reason in zip([True] + [False] * len(reasons), reasons, strict=False)
    ]
    return "\n".join([as_text(title, COLUMNS, rows, width, styled=styled), *([] if inside else notes)])
