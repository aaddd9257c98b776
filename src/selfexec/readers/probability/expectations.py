"""What is expected of several questions: how probable a correct answer is, and how many tokens it takes.

Each label stands with its two numbers in an object, a row, a line or a sentence. A number is a probability or a number
of tokens by its name ("correct", "tokens"), its form (95%, "60 tok") or the heads of a table; else the one from 0 to 1
is the probability and the one above 1 the tokens. Where a number may be either, nothing is read of the label.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.notation import plain_text
from selfexec.readers.objects import objects
from selfexec.readers.probability.amounts import Amount, on_one_scale
from selfexec.readers.probability.corrections import corrected
from selfexec.readers.probability.denials import blank
from selfexec.readers.probability.labels import enclosing, heads_of, relabelled, stretches
from selfexec.readers.probability.numerals import in_figures
from selfexec.readers.probability.of_all_labels import (
    LONGEST,
    counted_for,
    lists_of_all,
    one_for_all,
    said_of_each,
)
from selfexec.readers.probability.quantities import (
    CORRECT_NAME,
    NAMES,
    NEAR,
    TOKENS_NAME,
    TURNS,
    WRONG_NAME,
    Expected,
    Number,
    Quantity,
    by_size,
    numbers_in,
    told_apart,
)
from selfexec.readers.probability.revised_labels import corrections_of, revised
from selfexec.readers.result import Commitment, Reading
from selfexec.readers.withdrawal import withdrawn
from selfexec.text.regex import regex

LAST = 40_000  # characters of a reply that are read: the end of it

COMMENTS = regex(
    r"(?<=[,}\]\d\"\s])//[^\n]*|(?<=[,}\]\d\"])[ \t]{0,8}#[^\n]*|/\*.*?\*/"
    # the working in brackets, but not what names a quantity there: "(probability = 0.9, 30 tokens)"
    rf"|\((?![^()\n=]*(?:{CORRECT_NAME}|{WRONG_NAME}|{TOKENS_NAME})\s?=)[^()\n]*[×*=][^()\n]*\)",
    re.DOTALL | re.IGNORECASE,
)

NEVER_WRONG = regex(rf"\b(?:never|hardly\s+ever)\s+(?:be\s+|get\s+\w+\s+)?{WRONG_NAME}", re.IGNORECASE)

STOP = regex(r"[.!?](?=\s)|\n")

# "(George Eliot, 1871)" between a label and its numbers is of the question
REMARK = regex(r"\([^()\n]*\)")

ASKED = regex(r"\([^()\n]*\?\)|[\"“][^\"“”\n]*\?[\"”]")  # the question, said back

TITLE = regex(r"[^:\n]{1,80}:\s(?=[\d.~≈*])")  # "2. 58 * 67: 0.9 (50 tokens)"

EXCEPTS = regex(r"\b(?:(?:all|each|every)\s+but|except(?:\s+for)?|apart\s+from|other\s+than)\W+\Z", re.IGNORECASE)


def read_expectations(text: str, labels: Sequence[str], wanted: Sequence[Quantity] = ("correct", "tokens")) -> Reading:
    """Of each label the quantities that are stated of it, as its value: a map of maps; what is stated last of a label
    counts. Nothing is read unless two labels at least have all that is wanted, or all labels have the same part of it.
    """
    plain = NEVER_WRONG.sub(lambda match: "correct".ljust(len(match[0])), in_figures(plain_text(text)))
    plain = relabelled(corrected(_uncommented(plain)[-LAST:]).text, labels)
    rest, corrections = corrections_of(plain, labels)
    match = revised(_by_label(rest, labels), corrections)
    if not _enough(match, labels, wanted):
        match = one_for_all(plain, labels, wanted) or match
    if not _enough(match, labels, wanted):
        return unreadable(text)
    return conclude(text, [Commitment(0, len(plain), match)], of_a_request=True)


def read_revised(text: str, labels: Sequence[str], reading: Reading) -> Reading:
    """The reading of an object, where what stands behind it corrects some of it: "I'd change Q2 to 0.4, 600 tokens"."""
    plain = _uncommented(plain_text(text))
    end = next((end for _, end, _ in objects(plain, labels[0])), len(plain))
    _, corrections = corrections_of(plain, labels, end)
    return msgspec.structs.replace(reading, value=revised(reading.value, corrections)) if corrections else reading


def _uncommented(text: str) -> str:
    return COMMENTS.sub(lambda match: " " * len(match[0]), text)


def _enough(match: Expected, labels: Sequence[str], wanted: Sequence[Quantity]) -> bool:
    whole = [label for label in labels if match.get(label, {}).keys() >= set(wanted)]
    return len(whole) > 1 or any(all(quantity in match.get(label, {}) for label in labels) for quantity in wanted)


def _by_label(text: str, labels: Sequence[str]) -> Expected:
    """What stands behind each label, up to the next one; and what lists and rows of as many numbers say of them all."""
    match: Expected = {}
    heads = heads_of(text, labels)
    scale: dict[str, tuple[Quantity, Amount]] = {}
    text, listed = lists_of_all(text, labels)
    text, shared = said_of_each(text, labels)
    listed += shared
    text, counted = counted_for(text, labels)
    for label, start, end, before, head in stretches(text, labels):
        stretch = ASKED.sub(blank, text[start : min(end, start + LONGEST)])
        if _turns(stretch) or EXCEPTS.search(before[-NEAR:]):
            continue
        may_be_alone = bool(counted or listed) or before.rfind("{") > before.rfind("}")
        for quantity, number in _named_in(stretch, enclosing(before) or head, heads, may_be_alone).items():
            if quantity == "tokens" and number.tokens:
                match.setdefault(label, {})["tokens"] = number.tokens
            elif quantity != "tokens" and number.amount is not None:
                scale[label] = quantity, number.amount
    for quantity, numbers in listed:
        for label, number in zip(labels, numbers, strict=True):
            if quantity == "tokens" and number.tokens:
                match.setdefault(label, {}).setdefault("tokens", number.tokens)
            elif quantity != "tokens" and number.amount is not None:
                scale.setdefault(label, (quantity, number.amount))
    for label, tokens in counted.items():
        match.setdefault(label, {}).setdefault("tokens", tokens)
    values = on_one_scale({label: amount for label, (_, amount) in scale.items()})
    for label, value in values.items():
        match.setdefault(label, {})["correct"] = value if scale[label][0] == "correct" else round(1 - value, 9)
    return {label: match[label] for label in labels if label in match}


def _turns(stretch: str) -> bool:
    """Whether what states the numbers of a label denies, supposes or asks, or is taken back: "Q4: 70%. I would not need
    many tokens" denies nothing of it.
    """
    digits = [match.end() for match in re.finditer(r"\d", stretch)]
    stop = STOP.search(stretch, digits[-1]) if digits else None
    statement = stretch[: stop.end()] if stop else stretch
    return TURNS.search(statement) is not None or withdrawn(stretch, len(statement))


def _named_in(
    stretch: str, head: Quantity | None, heads: Sequence[Quantity], may_be_alone: bool
) -> Mapping[Quantity, Number]:
    """The numbers of a label by quantity, remarks in brackets aside where there are enough without them. The only value
    of a label in an object, a fraction, is its probability.
    """
    columns = heads if stretch.lstrip().startswith("|") else ()
    bare = REMARK.sub(lambda match: " " * len(match[0]), stretch)
    named = told_apart(list(numbers_in(bare)), head, columns)
    named = named if len(named) == 2 else told_apart(list(numbers_in(stretch)), head, columns) or named
    title = TITLE.match(stretch)
    if len(named) < 2 and title and not NAMES.search(title[0]):
        named = told_apart(list(numbers_in(stretch[title.end() :])), head, columns) or named
    numbers = list(numbers_in(stretch))
    if not named and len(numbers) == 1 and may_be_alone and "." in stretch and by_size(numbers[0]) == "correct":
        return {"correct": numbers[0]}
    return named
