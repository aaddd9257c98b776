"""The paper's quantitative sentences, in its order, each with what comes out when it is worked out again.

`rules.py` has the rules of verdicts, `sentences.py` what a sentence is, and a file for each part of the paper the
sentences themselves.
"""

from claims import association, closing, comparison, counting, difficulty, opening, restriction
from claims.rules import VERDICTS
from claims.sentences import Sentence, section, work_out

__all__ = ["SENTENCES", "VERDICTS", "Sentence", "section", "shown_by", "work_out"]

SENTENCES: list[Sentence] = [
    *opening.SENTENCES,
    *counting.SENTENCES,
    *association.SENTENCES,
    *restriction.SENTENCES,
    *difficulty.SENTENCES,
    *comparison.SENTENCES,
    *closing.SENTENCES,
]


def shown_by(number: int) -> str:
    """The commands that show the row of this number, counted from 1."""
    return SENTENCES[number - 1].shown_by.replace("{number}", str(number))
