"""Self-knowledge: a model's skill less that of the best guesser who never saw it, on the same claims.

It is doubtful for two reasons, and its interval has both. There are only so many items. And there are only so many
other models to tell what models in general do: with others the guesser would have said otherwise (its standard error
is that of the jackknife over them), and with more of them it would have guessed better: what the last of them added is
taken off the lower end. See docs/decisions/0010.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from selfexec.arrays import Claims, Flags
from selfexec.nouns import number_of
from selfexec.scores.counted import SKILL, Counted, count, guess_counts, scorable, value
from selfexec.scores.guessers import OF_OTHERS, again, guess_records
from selfexec.scores.paired import skill_difference
from selfexec.scores.rows import LEAST_COVERAGE, Estimate
from selfexec.stats import Array, Interval
from selfexec.stats.intervals import Z

NO_OTHERS = "it takes two other models on the same items to tell what models in general do (score their runs with it)"


class Company(NamedTuple):
    """What a guesser's skill owes to who the others are: its standard error, and what the last of them added."""

    error: float = 0.0
    shortfall: float = 0.0


ALONE = Company()


@dataclass(frozen=True)
class Held:
    """A model's record, beside it that of the best guesser who never saw it, and its self-knowledge, nan with a reason
    where nothing is known of others.
    """

    own: Counted
    guesser: str
    guess: Counted
    knowledge: Estimate
    company: Company = ALONE


def held_against(
    claims: Claims, others: Claims, guessed: Mapping[str, Array], strict: bool, *, whole: bool = True
) -> Held:
    """A model's claims held against the best guesser; `others` are the claims of other models, outcome known, and
    `guessed` the guesses. Claims that fewer than two others share are left out, so that both are judged on the same
    ones. Not `whole`, the interval is that of the items alone, which takes a tenth of the time.
    """
    which = scorable(claims, strict)
    reason, shared = _shared(claims, guessed, which)
    kept = claims.where(shared)
    own = count(kept, strict)
    guesser, guess = best_of(claims.experiment, own, guess_records(claims, guessed, which & shared))
    if reason:
        return Held(own, guesser, guess, Estimate(math.nan, reason=reason))
    found = skill_difference(claims.experiment, own, guess)
    if not whole:
        return Held(own, guesser, guess, found)
    company = _company(kept, others, guesser, which[shared], value(SKILL[claims.experiment], guess))
    return Held(own, guesser, guess, doubted(found, company), company)


def best_of(experiment: str, model: Counted, guessed: Mapping[str, Counted]) -> tuple[str, Counted]:
    """The guesser with the greatest skill on the model's claims, and its record, of those that are there.

    Whoever says the same every time has skill 0, so that the best guesser's skill is never below it.
    """
    skills = {name: value(SKILL[experiment], counted) for name, counted in guessed.items()}
    known = {name: skill for name, skill in skills.items() if not math.isnan(skill)}
    best = max(known, key=lambda name: known[name], default=None)
    if best is None or known[best] <= 0:
        return "always the same", _constant(experiment, model)
    return best, guessed[best]


def doubted(found: Estimate, company: Company) -> Estimate:
    """Self-knowledge with the doubts that come from the company added to those that come from the items."""
    if math.isnan(found.value) or company == ALONE:
        return found
    spread = Z * company.error
    low = found.value - company.shortfall - math.hypot(found.value - found.interval.low, spread)
    high = found.value + math.hypot(found.interval.high - found.value, spread)
    error = math.hypot(found.error, company.error)
    return Estimate(found.value, Interval(low, high).within(-2, 2), error, found.reason, near_end=True)


def _shared(claims: Claims, guessed: Mapping[str, Array], which: Flags) -> tuple[str | None, Flags]:
    """Why nothing is known of others, if so, and which claims at least two of them share."""
    everything = np.ones(len(claims), np.bool_)
    if "others_mode" not in guessed:
        return NO_OTHERS, everything
    shared = ~np.isnan(guessed["others_mode"])
    asked, met = (len(np.unique(claims.item[these])) for these in (which, which & shared))
    if met < LEAST_COVERAGE * asked:
        return f"only {met} of {number_of(asked, 'item was', 'items were')} asked of two other models", everything
    return None, shared


def _company(claims: Claims, others: Claims, guesser: str, which: Flags, skill: float) -> Company:
    """By leaving out one of the others at a time."""
    if guesser not in OF_OTHERS:
        return ALONE
    others = others.where(np.isin(others.item, claims.item))
    scored, fewer = claims.where(which), []
    for left_out in np.unique(others.model):
        chance = again(guesser, claims, others.where(others.model != left_out))
        fewer.append(value(SKILL[claims.experiment], guess_counts(scored, np.nan_to_num(chance[which], nan=0.5))))
    skills = np.array(fewer)
    k = len(skills)
    error = math.sqrt((k - 1) / k * float(((skills - skills.mean()) ** 2).sum()))
    return Company(error, max(skill - float(skills.mean()), 0.0))


def _constant(experiment: str, model: Counted) -> Counted:
    """Somebody with skill 0 on each item of the model's."""
    counts = model.counts.copy()
    if experiment == "difficulty":
        counts[:, 0] = 0.5
        return Counted(model.items, counts)
    happened = counts[:, [0, 2, 4]].sum(1)  # tp, fn, unread_true
    did_not = counts[:, [1, 3, 5]].sum(1)
    counts[:] = 0
    counts[:, 2], counts[:, 3] = happened, did_not
    return Counted(model.items, counts)
