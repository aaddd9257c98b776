"""How respondents find questions: how hard each is for them follows from the question, and so do the letter that they
answer, the tokens that it takes, and in which order they rank questions.
"""

import math
from collections.abc import Callable, Sequence

from selfexec.engines.sim.traits import How, SeededProfile, draw

LETTERS = "ABCD"
RIGHT_BELOW = 0.75  # hardness: what is harder is answered wrongly


def question_id(question: str, choices: Sequence[str]) -> str:
    """What the hardness of a question with choices goes by."""
    return "\n".join([question, *choices])


def tokens_for(hardness: float) -> int:
    """Tokens grow with hardness, from 40 to about 4,000, and start again among the questions answered wrongly."""
    within = hardness / RIGHT_BELOW if hardness <= RIGHT_BELOW else (hardness - RIGHT_BELOW) / (1 - RIGHT_BELOW)
    return int(40 * math.exp(4.6 * within) + 1000 * within)


def solved(respondent: SeededProfile, question: str, choices: Sequence[str], epoch: int) -> tuple[str, int]:
    """The letter that it answers and the tokens that it takes: both follow from how hard it finds the question."""
    asked = question_id(question, choices)
    hard = hardness(respondent, asked, epoch)
    return letter(respondent, asked, hard, respondent.own), tokens_for(hard)


def hardness(respondent: SeededProfile, asked: str, epoch: int) -> float:
    """How hard a question is for it in this epoch, from 0 to 1."""
    if draw(respondent.own, "stirs", "hardness", asked, epoch) < respondent.profile.noise:
        return draw(respondent.own, "afresh", "hardness", asked, epoch)
    return draw(respondent.who("hardness", asked), "hardness", asked)


def letter(
    respondent: SeededProfile, asked: str, hard: float, who: str, right: str | None = None, letters: str = LETTERS
) -> str:
    """The right letter of a question; of one that is too hard, the one that somebody takes for it."""
    known, n = right or respondent.knowledge["keys"].get(asked), len(letters)
    key: str = known if known and known in letters else letters[int(draw("key", asked) * n)]
    if hard <= RIGHT_BELOW:
        return key
    return letters[(letters.index(key) + 1 + int(draw(who, "slip", asked) * (n - 1))) % n]


def hardness_looked_at(respondent: SeededProfile, asked: str, how: How) -> float:
    """How hard the one whose behaviour it looks at finds a question."""
    return draw(respondent.seen("hardness", asked, respondent.heeds(how, asked)), "hardness", asked)


def ranked(
    respondent: SeededProfile,
    questions: str,
    ids: Sequence[str],
    how: How,
    by: Callable[[float], float] = lambda hard: hard,
) -> list[str]:
    """Labels in the order in which it takes the questions to be hard, or that of a number that follows from it."""
    labels = [f"Q{n}" for n in range(1, len(ids) + 1)]
    if respondent.profile.copies:
        return labels
    hard = hardness_predicted(respondent, questions, ids, how)
    return sorted(labels, key=lambda label: by(hard[labels.index(label)]))


def hardness_predicted(respondent: SeededProfile, questions: str, ids: Sequence[str], how: How) -> list[float]:
    """How hard it takes each question to be; `questions` is all that is shown of them."""
    knows = draw(respondent.own, "ranks", questions, *how.apart) < respondent.learnt(respondent.profile.ranks, how)
    if not knows or respondent.guesses(how, questions):
        return [_guess(respondent, id, how) for id in ids]
    heeds = respondent.heeds(how, questions)
    return [
        _guess(respondent, id, how)
        if respondent.is_blind_to("hardness", id)
        else draw(respondent.seen("hardness", id, heeds), "hardness", id)
        for id in ids
    ]


def _guess(respondent: SeededProfile, question: str, how: How) -> float:
    """How hard it takes a question to be that it knows nothing about."""
    return draw(respondent.own, "guess", question, *how.apart)
