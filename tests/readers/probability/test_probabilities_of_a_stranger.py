"""176 replies to prompts that ask for probabilities, written by somebody who had not seen the readers, with what a
careful person takes from each: percentages, fractions, odds, words, ranges, tables, corrections, refusals, replies that
do the task or are cut off.

Before anything was mended for them, 60 of the 131 with numbers were read, and 6 were read as another number. `meant`
has each claim's probability, or None; `tokens` what difficulty and length expect. `also` are other values that a
careful person might read; `kinds` are of claims that are of another kind than the reply. Of a range its writer means
the middle: no reader takes it, since it would be ours, so that ranges are not among what is to be read.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Reading

FILE = Path(__file__).parent / "replies_with_probabilities_of_a_stranger.jsonl"
LINES: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
LABELS = ("Q1", "Q2", "Q3", "Q4")


def item_of(line: dict[str, Any]) -> Any:
    """As much of an item as its readers look at."""
    given = line["item"]
    if line["experiment"] == "association":
        return SimpleNamespace(options=[option.strip() for option in given["options"].split(",")])
    if line["experiment"] == "choice":
        return SimpleNamespace(options=[option.partition(": ")[2] for option in given["options"].splitlines()])
    return SimpleNamespace()


def read(line: dict[str, Any]) -> Reading:
    return EXPERIMENTS[line["experiment"]].read_otherwise["elicit=probability"](item_of(line), line["text"])


def stated(line: dict[str, Any], reading: Reading) -> dict[tuple[str, str], float | None]:
    """The numbers that were read, by quantity and claim."""
    value = reading.value if isinstance(reading.value, dict) else {}
    if line["experiment"] == "difficulty":
        of = {quantity: {q: (value.get(q) or {}).get(quantity) for q in LABELS} for quantity in ("correct", "tokens")}
        return {(quantity, q): number for quantity, by_label in of.items() for q, number in by_label.items()}
    if line["experiment"] == "length":
        return {("tokens", q): value.get(q) for q in LABELS}
    if line["experiment"] in ("association", "choice"):
        return {("correct", claim): number for claim, number in value.items()}
    chance = value.get("probability") if line["experiment"] == "failing_question" else reading.probability
    return {("correct", "probability"): chance}


def meant(line: dict[str, Any]) -> dict[tuple[str, str], list[float | None]]:
    """What may be read of each claim, by quantity and claim; what its writer means first."""
    also = {
        claim: [one for one in others if not isinstance(one, str)] for claim, others in line.get("also", {}).items()
    }
    chances = {("correct", claim): [value, *also.get(claim, [])] for claim, value in line["meant"].items()}
    return {**chances, **{("tokens", claim): [value] for claim, value in line.get("tokens", {}).items()}}


def same(one: float | None, other: float | None) -> bool:
    return (one is None and other is None) or (one is not None and other is not None and abs(one - other) < 1e-9)


def kind(line: dict[str, Any], claim: str) -> str:
    found: str = line.get("kinds", {}).get(claim, line["category"])
    return found


def invented(line: dict[str, Any]) -> list[tuple[tuple[str, str], float]]:
    """Numbers that were read where another one is meant, or none."""
    numbers, wanted = stated(line, read(line)), meant(line)
    return [
        (claim, number)
        for claim, number in numbers.items()
        if number is not None and not any(same(number, one) for one in wanted.get(claim, [None]))
    ]


def has_numbers(line: dict[str, Any]) -> bool:
    return any(values[0] is not None and kind(line, claim) != "range" for (_, claim), values in meant(line).items())


def is_read(line: dict[str, Any]) -> bool:
    """Whether all of its numbers are read, ranges aside."""
    numbers = stated(line, read(line))
    return all(
        any(same(numbers.get(claim), one) for one in values)
        for claim, values in meant(line).items()
        if kind(line, claim[1]) != "range"
    )


def test_the_file_holds_176_replies_of_131_with_numbers() -> None:
    assert (len(LINES), sum(map(has_numbers, LINES))) == (176, 131)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["note"][:40] or "plain")
def test_no_number_is_invented(line: dict[str, Any]) -> None:
    assert invented(line) == []


def test_at_least_nine_in_ten_of_the_replies_with_numbers_are_read() -> None:
    # the others are cut off, share a rest among several, or are of a kind that is not read
    assert sum(is_read(line) for line in LINES if has_numbers(line)) == 126


def test_every_refusal_to_give_numbers_is_declined_and_words_without_a_number_are_not() -> None:
    refusals = [read(line).reason for line in LINES if line["category"] == "refusal"]
    assert refusals == ["declined"] * 5
    in_words = {read(line).reason for line in LINES if line["category"] == "words" and "tokens" not in line}
    assert in_words == {"format"}
