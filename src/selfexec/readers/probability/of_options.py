"""The probability of each of several options that a reply states."""

import re
from collections.abc import Mapping, Sequence

from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.notation import plain_text
from selfexec.readers.probability.amounts import Amount, is_split, on_one_scale, only_amount, top_of_scale
from selfexec.readers.probability.corrections import corrected
from selfexec.readers.probability.denials import LAST, LONGEST, less_the_others, or_declined
from selfexec.readers.probability.in_order import in_their_order
from selfexec.readers.probability.numerals import in_figures
from selfexec.readers.probability.option_names import (
    lettered,
    parts_on_the_opposite,
    turned,
    without_complements,
    without_echoes,
    without_the_rest,
)
from selfexec.readers.probability.spoken_pairs import is_zero_or_one, named_by, spoken_pairs
from selfexec.readers.probability.subject import DECLINES, is_of_the_choice
from selfexec.readers.probability.tables import Table, tables_of
from selfexec.readers.probability.written_pairs import written_pairs
from selfexec.readers.result import Commitment, Reading
from selfexec.readers.run_on import settled


def read_probabilities(text: str, options: Sequence[str], aliases: Mapping[str, str] | None = None) -> Reading:
    """The probability of each option that a reply states, as its value: a map from option to a number from 0 to 1.

    Of an option that is stated several times the last one counts; one that is stated otherwise than by a number from 0
    to 1 has none. Bare numbers stand on one scale, which may be that of percentages (`on_one_scale`). `aliases`: other
    words for options, such as the text behind a letter -> the option.
    """
    plain = less_the_others(in_figures(plain_text(text, formulas=False)))
    replaced = corrected(plain, max(len(plain) - LAST, 0))
    plain = without_complements(without_echoes(lettered(replaced.text, aliases or {}), aliases or {}))
    plain, otherwise = without_the_rest(plain, {**{option: option for option in options}, **(aliases or {})})
    opposite = parts_on_the_opposite(plain)
    named = _named(plain, options, aliases or {})
    if _is_unsettled(plain, named):
        return unreadable(text)
    last = {
        name: turned(amount) if any(start <= amount.start < end for start, end in opposite) else amount
        for name, amount in named
    }
    values = on_one_scale(last, top_of_scale(plain))
    if not values:
        return or_declined(text, unreadable(text))
    if (other := _left_over(plain, options, last, otherwise)) and len(values) == 1:
        values[other] = round(1 - values[next(iter(values))], 9)
    start, end = min(a.start for a in last.values()), max(a.end for a in last.values())
    return conclude(text, [replaced.reaching(Commitment(start, end, values))])


def _left_over(text: str, options: Sequence[str], stated: Mapping[str, Amount], otherwise: str | None) -> str | None:
    """The second of two options, where it is said to have the rest, or the first has its share of a whole: "60/40"."""
    others = [option for option in options if option not in stated]
    if len(options) != 2 or len(others) != 1:
        return None
    shares = all(is_split(text[amount.start : amount.end]) for amount in stated.values())
    return others[0] if shares or otherwise == others[0] else None


def _is_unsettled(text: str, named: Sequence[tuple[str, Amount]]) -> bool:
    """Whether an option has one number in an object that the reply begins with, and another one later, which nothing
    says is a revision.
    """
    stated: dict[str, list[Commitment]] = {}
    top = top_of_scale(text)
    for name, amount in named:
        worth = on_one_scale({name: amount}, top).get(name, amount.number)  # 90 is 90%
        stated.setdefault(name, []).append(Commitment(amount.start, amount.end, worth))
    return any(settled(text, several) != several for several in stated.values())


def _named(text: str, options: Sequence[str], aliases: Mapping[str, str]) -> Sequence[tuple[str, Amount]]:
    """Options with their numbers, in the order of the text: from tables, notation and sentences, else by place."""
    names = {**{option: option for option in options}, **aliases}
    # an option that is a number may be told from its probability beside its letter, or in its column, alone
    words = {name: owner for name, owner in names.items() if only_amount(name) is None}
    begun = max(len(text) - LAST, 0)
    tables = list(tables_of(text, names, begun))
    cells = [pair for table in tables for pair in table.pairs]
    written = [pair for pair in written_pairs(text, words) if not any(t.start <= pair[1].start < t.end for t in tables)]
    spoken = [p for p in spoken_pairs(_outside(text, tables), words, begun) if not _is_among(p, written)]
    if all(is_zero_or_one(text, amount) for _, amount in [*cells, *written, *spoken]):
        spoken = []  # "fog 1, crane 0" with no other number may count, or rank
    named = [*cells, *written, *spoken]
    name, declined = named_by(list(names)), DECLINES.search(text, begun) is not None
    is_whole = not aliases and {option for option, _ in named} == set(options)
    may_be_of_another = {amount: not (is_whole or amount.plain) for _, amount in named}
    chosen: list[tuple[str, Amount]] = []
    for pair in sorted(named, key=lambda pair: pair[1].start):
        if is_of_the_choice(text, pair[1].start, name, declined, may_be_of_another[pair[1]]) or _goes_on(
            text, chosen, pair
        ):
            chosen.append(pair)
    return chosen if named else in_their_order(text, options)


def _goes_on(text: str, chosen: Sequence[tuple[str, Amount]], pair: tuple[str, Amount]) -> bool:
    """Whether a fraction stands in a paragraph that says of its words how probable they are: "I'd say boat is at 0.9.
    Fog is a bit lower, maybe 0.7."
    """
    gap = text[chosen[-1][1].end : pair[1].start] if chosen else "\n\n"
    return pair[1].plain and 0 < (pair[1].value or 0) < 1 and len(gap) <= LONGEST and "\n\n" not in gap


def _outside(text: str, tables: Sequence[Table]) -> str:
    """The text without its tables, place for place."""
    for table in tables:
        text = text[: table.start] + re.sub(r"[^\n]", " ", text[table.start : table.end]) + text[table.end :]
    return text


def _is_among(pair: tuple[str, Amount], written: Sequence[tuple[str, Amount]]) -> bool:
    """Whether what a sentence states is stated there by its notation already, perhaps as no number."""
    return any(one.start < pair[1].end and pair[1].start < one.end for _, one in written)
