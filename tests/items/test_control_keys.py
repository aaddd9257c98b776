"""The keys of the starter set's control questions: computed afresh, or with their grounds in starter_sources.md."""

import re
from collections import Counter
from datetime import date, datetime
from fractions import Fraction
from itertools import permutations
from math import comb, factorial, gcd
from pathlib import Path

import pytest

from selfexec.experiments.failing_question import Control, Task
from selfexec.items import load
from selfexec.metrics import LEAST_RARER_ITEMS

TASKS = [task for task in load("starter")["failing_question"].values() if isinstance(task, Task)]
CONTROLS: dict[str, Control] = {task.id.removeprefix("control-"): task.control for task in TASKS if task.control}
ROMAN = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "V": 5, "I": 1}


def prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, n))


def from_roman(numeral: str) -> int:
    return sum(ROMAN[part] for part in re.findall("CM|CD|XC|XL|[MDCLXVI]", numeral.replace("IV", "IIII")))


def to_roman(n: int) -> str:
    numeral = ""
    for part, value in ROMAN.items():
        numeral += part * (n // value)
        n %= value
    return numeral


def determinant(rows: list[list[int]]) -> int:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


SENTENCE = "Seven elephants entered the deserted temple before the evening"
LETTERS = Counter("COMMITTEE")
COMPUTED = {
    "product": 47 * 83,
    "last-digit": pow(7, 222, 10),
    "primes": sum(map(prime, range(101, 150))),
    "weekday": date(1900, 3, 1).strftime("%A"),
    "letters": SENTENCE.lower().count("e"),
    "digit-sum": sum(map(int, str(2**50))),
    "committee": f"{factorial(9) // (factorial(LETTERS['M']) * factorial(LETTERS['T']) * factorial(LETTERS['E'])):,}",
    "zeros": len(str(factorial(250))) - len(str(factorial(250)).rstrip("0")),
    "divisor": gcd(3528, 2772),
    "binary": f"{1234:b}",
    "determinant": determinant([[2, -1, 3], [0, 4, 5], [1, 2, -2]]),
    "squares": sum(n**2 for n in range(1, 8)),
    "two-sixes": comb(4, 2) * Fraction(1, 6) ** 2 * Fraction(5, 6) ** 2,
    "hexadecimal": f"{0x2F7 + 0x1A9:X}",
    "alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[-17],
    "backwards": "stratagem"[::-1][4],
    "derangements": sum(all(n != at for at, n in enumerate(p)) for p in permutations(range(5))),
    "minutes": (datetime(2024, 1, 2, 6, 12) - datetime(2024, 1, 1, 21, 47)).seconds // 60,
    "days": (date(2024, 11, 3) - date(2023, 1, 15)).days,
    "roman": to_roman(from_roman("MCMXLIV") + from_roman("MDCCLXXVI")),
}


@pytest.mark.parametrize("id", COMPUTED)
def test_the_computed_answer_is_the_keyed_choice(id: str) -> None:
    control = CONTROLS[id]
    assert control.choices["ABCD".index(control.answer)] == str(COMPUTED[id])


def test_every_other_key_has_its_grounds_written_down() -> None:
    sources = (Path(__file__).parents[1] / "starter_sources.md").read_text("utf-8")
    facts = set(CONTROLS) - set(COMPUTED)
    assert facts
    assert {id for id in facts if f"\n- control-{id}: " not in sources} == set()


def test_keys_are_balanced_and_choices_differ() -> None:
    keys = Counter(control.answer for control in CONTROLS.values())
    assert set(keys.values()) == {len(CONTROLS) // 4}
    assert all(len(set(control.choices)) == 4 for control in CONTROLS.values())


def test_there_are_enough_of_either_side_and_some_to_write_on_anything() -> None:
    written = [task for task in TASKS if not task.control]
    assert min(len(CONTROLS), len(written)) >= LEAST_RARER_ITEMS
    assert sum(task.subject is None for task in written) >= 3
