"""Readers of probabilities give a reading of any text: numbers, labels, names of sides and signs in any order."""

import random
from types import SimpleNamespace

import pytest

from effort import examples
from selfexec.experiments import EXPERIMENTS

SOME = """
Q1 Q2 Q3 Q4 Q1: Q2: A B C D A: boat sea fog crane : - – = → | , . ; ( ) { } [ ] " ** ` 0.9 0.05 35% 1 7 100 12 1/2
3_in_4 one_in_five two_thirds 0,8 ~ ≈ < > + 50-70 tokens correct right wrong incorrect fail refuse answer comply
probability chance confidence P( not no yes never always or and each respectively about actually make_that wait
the_rest otherwise I would is true false null of others 1. 2) Probability: certain 50/50 odds 3:1 percent e-3 first
all none question listed choose
"""
WORDS = [*SOME.split(), "\n"]
ITEMS = {
    "association": SimpleNamespace(options=["boat", "sea", "fog", "crane", "tree"]),
    "choice": SimpleNamespace(options=["boat", "sea", "fog", "tree"]),
}
ASKED = [name for name in EXPERIMENTS if "elicit=probability" in EXPERIMENTS[name].read_otherwise]


@pytest.mark.parametrize("experiment", ASKED)
def test_words_in_any_order_are_read_or_not_and_no_reader_fails(experiment: str) -> None:
    draw = random.Random(experiment)
    read = EXPERIMENTS[experiment].read_otherwise["elicit=probability"]
    texts = [
        "Q1: 35% wrong, 65% right (100 tokens)\nQ2: 5% wrong, 95% right (15 tokens)\n"
        "Q3: 8% wrong, 92% right (15 tokens)\nQ4: 15% wrong, 85% right (15 tokens)"
    ]
    for _ in range(examples(400)):
        words = [word.replace("_", " ") for word in draw.choices(WORDS, k=draw.randint(3, 30))]
        texts.append(" ".join(words).replace(" \n ", "\n"))
    for text in texts:
        assert read(ITEMS.get(experiment, SimpleNamespace()), text).state in ("read", "unreadable"), text
