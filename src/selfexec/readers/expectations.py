"""Read what is expected of several questions: how probable a correct answer is, and how many tokens it takes.

Each label stands with its two numbers in an object, a row, a line or a sentence. A number is a probability or a number
of tokens by its name ("correct", "tokens"), its form (95%, "60 tok") or the heads of a table; else the one from 0 to 1
is the probability and the one above 1 the tokens. Where a number may be either, nothing is read of the label.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from selfexec.readers.amounts import Amount, amounts, on_one_scale
from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading

Quantity = Literal["correct", "tokens", "wrong"]
Expected = dict[str, dict[str, float]]  # label -> quantity -> number
LAST = 40_000  # characters of a reply that are read: the end of it
LONGEST = 1_000  # characters of a sentence, and of what stands behind a label
NEAR = 30  # characters before a number that may bound it
CORRECT_NAME = (
    r"(?:(?!in)\w*correct\w*|probabilit\w*|prob|chances?|likelihood|accuracy|confidence|right|success|richtig"
    r"|p(?=\s*(?:\(|[=:\"'|])))"
)
WRONG_NAME = r"(?:incorrect\w*|wrong\w*|errors?|failing|failure|falsch)"
TOKENS_NAME = r"(?:\w*tokens?|toks?|jetons?|length|t(?=\s*[=:\"'|]))"
QUESTION = r"question|frage|pregunta|domanda|no\.|nr\."  # "Frage 1" for Q1
NAMES = re.compile(
    rf"(?<![\w])(?:(?P<wrong>{WRONG_NAME})|(?P<correct>{CORRECT_NAME})|(?P<tokens>{TOKENS_NAME}))(?!\w)", re.IGNORECASE
)
COMMENTS = re.compile(
    r"(?<=[,}\]\d\"\s])//[^\n]*|(?<=[,}\]\d\"])\s{0,8}#[^\n]*|/\*.*?\*/|\([^()\n]*[×*=][^()\n]*\)", re.DOTALL
)
# "1,200", "1.2k": thousands of tokens, which are no decimal fractions
COUNT = re.compile(
    r"(?<![\w.,/])(?:(?P<whole>\d{1,3}(?:[,’' ]\d{3})+|\d{1,7})|(?P<part>\d{1,4}(?:\.\d{1,3})?)\s?k)(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
PAIR = re.compile(r"(?<![\w.])(?:[01]?[.]\d+|[01]\.0)\s?/\s?(?=\d{2,})")  # ".95/50": a probability and tokens
UNIT = re.compile(r"\s{0,2}(?:tokens?|toks?\b|jetons?\b|t\b)", re.IGNORECASE)
RANGE = re.compile(r"\d\s*(?:[-–—]|\bto\b)\s*~?\d", re.IGNORECASE)
BOUNDED = re.compile(
    r"(?:[<>≤≥]|\b(?:under|over|below|above|less\s+than|more\s+than|at\s+(?:least|most)|up\s+to|fewer\s+than))\s*~?\Z",
    re.IGNORECASE,
)
TURNS = re.compile(r"\b(?:if|unless|not|never|n['’]t|another|others?|for\s+example|e\.g\.)\b|\?", re.IGNORECASE)
AND = re.compile(r"[\s,&/*_`\"']*(?:\b(?:and|und|et|y|to)\b)?[\s*_`\"']*", re.IGNORECASE)
ALL = re.compile(r"\b(?:all(?:\s+(?:four|of\s+them|questions))?|each|every)\b", re.IGNORECASE)


class _Number(NamedTuple):
    """A number, what it counts as far as its name or unit says it, and both of what it may be worth."""

    at: int
    quantity: Quantity | None
    amount: Amount | None
    tokens: float | None


def read_expectations(text: str, labels: Sequence[str], wanted: Sequence[Quantity] = ("correct", "tokens")) -> Reading:
    """Of each label the quantities that are wanted, as its value: a map of maps. Nothing is read unless all labels have
    all of them; what is stated last of a label counts.
    """
    plain = _uncommented(plain_text(text))[-LAST:]
    match = _by_label(plain, labels, wanted)
    if not _whole(match, labels, wanted):
        match = _of_all(plain, labels, wanted) or match
    if not _whole(match, labels, wanted):
        return unreadable(text)
    return conclude(text, [Commitment(0, len(plain), {label: match[label] for label in labels})], of_a_request=True)


def _uncommented(text: str) -> str:
    return COMMENTS.sub(lambda match: " " * len(match[0]), text)


def _whole(match: Expected, labels: Sequence[str], wanted: Sequence[Quantity]) -> bool:
    return all(match.get(label, {}).keys() >= set(wanted) for label in labels)


def _by_label(text: str, labels: Sequence[str], wanted: Sequence[Quantity]) -> Expected:
    """What stands behind each label, up to the next one."""
    match: Expected = {}
    heads = _heads(text, labels)
    scale: dict[str, tuple[Quantity, Amount]] = {}
    for label, start, end, before in _stretches(text, labels):
        stretch = text[start : min(end, start + LONGEST)]
        if TURNS.search(stretch):
            continue
        named = _named(list(_numbers(stretch)), _enclosing(before), heads if stretch.lstrip().startswith("|") else ())
        for quantity, number in named.items():
            if quantity == "tokens" and number.tokens:
                match.setdefault(label, {})["tokens"] = number.tokens
            elif quantity != "tokens" and number.amount is not None:
                scale[label] = quantity, number.amount
    values = on_one_scale({label: amount for label, (_, amount) in scale.items()})
    for label, value in values.items():
        match.setdefault(label, {})["correct"] = value if scale[label][0] == "correct" else round(1 - value, 9)
    return match


def _stretches(text: str, labels: Sequence[str]) -> Iterator[tuple[str, int, int, str]]:
    """Each label, where what belongs to it begins and ends, and what stands before it in its object."""
    names = "|".join(map(re.escape, labels))
    pattern = re.compile(
        rf"(?<!\w)(?:(?P<label>{names})|(?:{QUESTION})\s?(?P<n>[1-{len(labels)}]))(?!\w)[\"'”*_`)\]]*", re.IGNORECASE
    )
    marks = [
        (match["label"].upper() if match["label"] else labels[int(match["n"]) - 1], match.start(), match.end())
        for match in pattern.finditer(text)
    ]
    if not marks:
        marks = list(_numbered(text, labels))
    group: list[str] = []
    for (label, start, end), after in zip_longest(marks, marks[1:]):
        stop = after[1] if after else len(text)
        group.append(label)
        if after and AND.fullmatch(text, end, stop):
            continue  # "Q1, Q2: 99%": what follows is of both
        paragraph = text.find("\n\n", end, stop)
        yield from ((each, end, paragraph if paragraph >= 0 else stop, text[:start]) for each in group)
        group = []


def _numbered(text: str, labels: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The lines of a numbered list, where its numbers are as many as the labels and in their order."""
    lines = list(re.finditer(r"^[ \t]*[*_]{0,2}(\d{1,2})[.):]\s", text, re.MULTILINE))
    if [line[1] for line in lines] == [str(n + 1) for n in range(len(labels))]:
        yield from ((label, line.start(), line.end()) for label, line in zip(labels, lines, strict=True))


def _enclosing(before: str) -> Quantity | None:
    """The quantity whose object a label stands in: {"correct": {"Q1": ..."""
    opening = before.rfind("{")
    lead = NAMES.search(before, max(opening - 40, 0), opening) if opening >= 0 else None
    return _quantity(lead) if lead and re.fullmatch(r"[\"'\s:]*", before[lead.end() : opening]) else None


def _heads(text: str, labels: Sequence[str]) -> Sequence[Quantity]:
    """The quantities in the order of the columns of a table, from the last line of heads before its rows."""
    for line in text.splitlines():
        cells = [{_quantity(name) for name in NAMES.finditer(cell)} for cell in line.split("|")]
        # "P(wrong)" has both names in it, and is of the wrong answers
        match = ["wrong" if "wrong" in names else names.pop() for names in cells if names]
        of_a_row = any(label in line for label in labels)
        if line.count("|") > 2 and len(match) == 2 and len(set(match)) == 2 and not of_a_row:
            return [each for each in match if each]
    return ()


def _quantity(name: re.Match[str]) -> Quantity | None:
    return next((each for each in ("correct", "tokens", "wrong") if name[each]), None)


def _numbers(stretch: str) -> Iterator[_Number]:
    """The numbers in a stretch, each with the name that stands nearest before it, or the unit behind it."""
    stretch = PAIR.sub(lambda match: match[0].replace("/", " "), stretch)
    counts = {match.start(): match for match in COUNT.finditer(stretch)}
    probabilities = {amount.start: amount for amount in amounts(stretch) if not _is_a_word(stretch, amount)}
    taken = 0
    for at in sorted({*counts, *probabilities}):
        if at < taken:
            continue
        count, amount = counts.get(at), probabilities.get(at)
        end = max(count.end() if count else 0, amount.end if amount and count is None else 0)
        name = _nearest(stretch, taken, at)
        unit = UNIT.match(stretch, count.end()) if count else None
        in_tokens = unit is not None
        bounded = BOUNDED.search(stretch[max(at - NEAR, 0) : at]) or RANGE.match(stretch, max(end - 1, 0))
        quantity: Quantity | None = "tokens" if in_tokens else name
        if amount is not None and not amount.plain and not in_tokens:
            quantity, count = "correct", None
            end = amount.end
        in_words = amount.number if amount and quantity == "tokens" and count is None else None
        counted = _count(count) if count else in_words
        yield _Number(at, quantity, None if bounded else amount, None if bounded else counted)
        taken = unit.end() if unit else end


def _is_a_word(stretch: str, amount: Amount) -> bool:
    """Whether a bare number is a word that only counts something: "all four", "every one". Behind the name of a
    quantity it is none of these: "Tokens: thirty".
    """
    named = stretch[max(amount.start - NEAR, 0) : amount.start].rstrip().endswith((":", "="))
    return amount.plain and stretch[amount.start].isalpha() and not named


def _nearest(stretch: str, begun: int, at: int) -> Quantity | None:
    names = list(NAMES.finditer(stretch, begun, at))
    return _quantity(names[-1]) if names else None


def _count(match: re.Match[str]) -> float:
    if match["whole"]:
        return float(re.sub(r"\D", "", match["whole"]))
    return 1000 * float(match["part"])


def _named(
    numbers: Sequence[_Number], enclosing: Quantity | None, heads: Sequence[Quantity]
) -> Mapping[Quantity, _Number]:
    """Which of a label's numbers is which; nothing where there are others, or one may be either."""
    named: dict[Quantity, _Number] = {n.quantity: n for n in numbers if n.quantity}
    if len(named) == 2 and len([n for n in numbers if n.quantity]) == 2:
        return named
    if len(numbers) == 1:
        (number,) = numbers
        return {enclosing: number} if enclosing else named
    if len(numbers) != 2:
        return {}
    if heads:
        return dict(zip(heads, numbers, strict=True))
    rest: dict[Quantity, list[_Number]] = {"correct": [], "tokens": []}
    for number in numbers:
        rest[number.quantity or _by_size(number)].append(number)
    return (
        {quantity: each[0] for quantity, each in rest.items()} if all(len(each) == 1 for each in rest.values()) else {}
    )


def _by_size(number: _Number) -> Quantity:
    """From 0 to 1 it is a probability, above that a number of tokens."""
    return "correct" if number.amount is not None and number.amount.value is not None else "tokens"


def _of_all(text: str, labels: Sequence[str], wanted: Sequence[Quantity]) -> Expected | None:
    """One sentence about all of the questions, where no label is named."""
    if any(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) for label in labels):
        return None
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
        if len(sentence) > LONGEST or not ALL.search(sentence):
            continue
        numbers = [number for number in _numbers(sentence) if number.amount is not None or number.tokens]
        numbers = [number for number in numbers if number.quantity]
        if TURNS.search(sentence) or len(numbers) != len(wanted):
            continue
        named = _named(numbers, None, ())
        correct, tokens = named.get("correct"), named.get("tokens")
        if correct and tokens and correct.amount and correct.amount.value is not None and tokens.tokens:
            return {label: {"correct": correct.amount.value, "tokens": tokens.tokens} for label in labels}
    return None
