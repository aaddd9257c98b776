"""What would change if words, or tokens, were counted in another way than they are."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from selfexec.experiments import Key
from selfexec.readers import fold
from selfexec.runs import Reply
from selfexec.text.numbers import number_of

if TYPE_CHECKING:
    from selfexec.runs import Run

VOWELS = "aeiouy"
SHORTEST = 3  # letters of a base form


def inflected(one: str, two: str) -> bool:
    """Whether one word is an inflected form of the other, by English spelling: plural and third person (-s, -es, -ies),
    past (-ed, -ied), -ing, with a dropped e or a doubled consonant, and the genitive (-'s).

    Conservative: no irregular forms (mouse and mice), no comparatives, no derived words (teach and teacher), no base
    of fewer than three letters or without a vowel (so that `bring` is no form of `br`). It knows no dictionary: news
    is taken for a form of new, evening for one of even.
    """
    base, longer = sorted((one, two), key=len)
    return one != two and one[:2] == two[:2] and longer in forms(base)


def forms(base: str) -> set[str]:
    """Every inflected form of a base form, by the rules of spelling alone."""
    if len(base) < SHORTEST or not any(letter in VOWELS for letter in base) or not base[-1].isalpha():
        return set()
    found = {f"{base}'s", f"{base}’s", f"{base}ing"}
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        found |= {f"{base}es"} | ({f"{base}s"} if base.endswith("o") else set())
    elif base[-1] == "y" and base[-2] not in VOWELS:
        found |= {f"{base[:-1]}ies", f"{base[:-1]}ied"}
    else:
        found |= {f"{base}s"}
    if base[-1] == "e":
        found |= {f"{base}d", f"{base[:-1]}ing"}
    elif not (base[-1] == "y" and base[-2] not in VOWELS):
        found |= {f"{base}ed"}
    if base[-1] not in VOWELS + "wx" and base[-2] in VOWELS and base[-3] not in VOWELS:
        found |= {f"{base}{base[-1]}ed", f"{base}{base[-1]}ing"}
    return found


def listed_or_inflected(word: str, listed: Collection[str]) -> bool:
    return word in listed or any(inflected(word, other) for other in listed)


def with_inflected(run: "Run", claims: pl.DataFrame) -> pl.DataFrame:
    """Claims of association, in which an option is listed too if an inflected form of it is."""
    words: dict[Key, set[str]] = {
        key: {fold(word) for word in reading.value}
        for key, reading in run.readings.items()
        if (key.experiment, key.session) == ("association", "execute") and reading.value
    }
    observed = [
        row["observed"]
        if row["observed"] is not False
        else listed_or_inflected(fold(row["claim"]), words[_listing(row)])
        for row in claims.iter_rows(named=True)
    ]
    return claims.with_columns(observed=pl.Series(observed, dtype=pl.Boolean))


def _listing(row: dict[str, Any]) -> Key:
    return Key(row["model"], "association", row["item"], row["epoch"], "execute")


def without_reasoning(run: "Run", model: str) -> "tuple[Run | None, str]":
    """A run of one model's difficulty experiment, its reasoning tokens taken off the tokens of its answers; and what
    there is to say of it. None where no reasoning tokens were recorded.

    An answer for which they were not recorded, or are more than all its tokens, has no count then.
    """
    mine = {k: r for k, r in run.replies.items() if (k.model, k.experiment) == (model, "difficulty")}
    answers = {k: r for k, r in mine.items() if k.session != "predict" and r.output_tokens is not None}
    recorded = {k: rest for k, r in answers.items() if (rest := _visible(r)) is not None}
    if not recorded:
        return None, "reasoning tokens were not recorded"
    changed = {k: _with_tokens(r, recorded.get(k)) if k in answers else r for k, r in mine.items()}
    taken = sum(answers[k].output_tokens or 0 for k in recorded) - sum(recorded.values())
    about = f"{number_of(taken, 'reasoning token')} of {number_of(len(recorded), 'answer')} left out"
    if rest := len(answers) - len(recorded):
        about += f"; {number_of(rest, 'answer has', 'answers have')} no record of theirs, and no count then"
    return replace(run, replies=changed), about


def _visible(reply: Reply) -> int | None:
    if reply.output_tokens is None or reply.reasoning_tokens is None:
        return None
    rest = reply.output_tokens - reply.reasoning_tokens
    return rest if rest >= 0 else None


def _with_tokens(reply: Reply, tokens: int | None) -> Reply:
    return msgspec.structs.replace(reply, output_tokens=tokens)
