"""Tables in Markdown whose rows give each name a probability, in the column that is headed so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from selfexec.readers.folding import fold
from selfexec.readers.probability.amounts import Amount, only_amount
from selfexec.text.regex import regex

BLOCK = regex(r"(?:^[ \t]*\|[^\n]*\|[ \t]*(?:\n|\Z)){2,200}", re.MULTILINE)
HEAD = regex(r"prob|\bp\b|chance|likelihood|odds|estimate|%|percent|Wahrscheinlichkeit", re.IGNORECASE)
IN_PERCENT = regex(r"%|percent|\bpct\b|Prozent", re.IGNORECASE)
OPPOSITE = regex(r"\bnot\b|n['’]t\b|\bno\b|absen|missing|against", re.IGNORECASE)
MARKUP = " \t*_`\"'“”"


class Table(NamedTuple):
    """Where a table stands, and what it gives to whom."""

    start: int
    end: int
    pairs: Sequence[tuple[str, Amount]]


def tables_of(text: str, names: Mapping[str, str], begun: int = 0) -> Iterator[Table]:
    """The tables with one column of probabilities, and names in another; one without such a head, or with several, is
    none of them. A column of the opposite ("P(not listed)") is turned round.
    """
    whose = {fold(word): owner for word, owner in names.items()}
    for block in BLOCK.finditer(text, begun):
        lines = block[0].splitlines(keepends=True)
        heads = [n for n, cell in enumerate(_cells(lines[0])) if HEAD.search(cell[0])]
        if len(heads) != 1:
            pairs = list(_across(lines, block.start(), whose))
            if pairs:
                yield Table(block.start(), block.end(), pairs)
            continue
        head = _cells(lines[0])[heads[0]][0]
        pairs = list(_rows(lines, block.start(), heads[0], IN_PERCENT.search(head) is not None, whose))
        if OPPOSITE.search(head):
            pairs = [(name, _opposite(amount)) for name, amount in pairs]
        if pairs:
            yield Table(block.start(), block.end(), pairs)


def _across(lines: Sequence[str], start: int, whose: Mapping[str, str]) -> Iterator[tuple[str, Amount]]:
    """The pairs of a table whose names head its columns, over one row of numbers."""
    rows = [line for line in lines[1:] if re.search(r"\w", line)]
    names = [whose.get(fold(cell.strip(MARKUP))) for cell, _ in _cells(lines[0])]
    if len(rows) != 1 or not all(names[1:]) or len(names) < 3:
        return
    at = start + sum(len(line) for line in lines[: lines.index(rows[0])])
    for name, (words, place) in zip(names, _cells(rows[0]), strict=False):
        if name and (amount := only_amount(words)):
            yield name, amount._replace(start=at + place + amount.start, end=at + place + amount.end)


def _cells(line: str) -> list[tuple[str, int]]:
    """The cells of a row, each with its place in the line."""
    return [(cell[1], cell.start(1)) for cell in re.finditer(r"\|([^|\n]*)(?=\|)", line)]


def _rows(
    lines: Sequence[str], start: int, column: int, in_percent: bool, whose: Mapping[str, str]
) -> Iterator[tuple[str, Amount]]:
    for line in lines:
        cells = _cells(line)
        beside = (fold(cell.strip(MARKUP)) for n, (cell, _) in enumerate(cells) if n != column)
        owners = list({whose[name] for name in beside if name in whose})
        if len(owners) == 1 and column < len(cells):
            words, at = cells[column]
            amount = only_amount(words)
            if amount:
                yield (
                    owners[0],
                    _scaled(amount, in_percent)._replace(start=start + at + amount.start, end=start + at + amount.end),
                )
        start += len(line)


def _scaled(amount: Amount, in_percent: bool) -> Amount:
    """A bare number below a head in percent is one."""
    if not (in_percent and amount.plain) or amount.number is None:
        return amount
    value = amount.number / 100
    return amount._replace(value=value if 0 <= value <= 1 else None, plain=False, number=None)


def _opposite(amount: Amount) -> Amount:
    """One less it; a bare number above 1 has no opposite, since its scale is not known."""
    return amount._replace(value=None if amount.value is None else round(1 - amount.value, 9), plain=False, number=None)
