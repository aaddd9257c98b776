"""How probable the words were that may stand at one place of a reply, by the log-probabilities of its tokens.

A word is known by the token that begins with it: ` A`, `"A` and `A"` are the letter A. What other tokens would have
gone on to say is not known, so that probabilities are shares of the words asked about, which add up to 1. A word that
is not among the likeliest tokens has none.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from selfexec.readers.result import Reading
from selfexec.text.regex import regex

WORD = regex(r"[\W_]*([^\W_]+)")


class LikelyToken(Protocol):
    """A token that may stand at a place, and the natural logarithm of its probability."""

    @property
    def token(self) -> str: ...
    @property
    def logprob(self) -> float: ...


class ReplyToken(LikelyToken, Protocol):
    """A token of a reply, with those that were likeliest at its place."""

    @property
    def top_logprobs(self) -> Sequence[LikelyToken]: ...


def letter_shares(
    reading: Reading, text: str, tokens: Sequence[ReplyToken], letters: Collection[str], *, alone: bool
) -> Mapping[str, float] | None:
    """The probability of each letter at the place where a reply names one; None where that is not known.

    With `alone`, the letter alone was asked for: where the place is not known, the letters' probabilities as the first
    word of the answer count.
    """
    said, evidence = "".join(token.token for token in tokens), reading.evidence or ""
    letter = reading.value if reading.value in tuple(letters) else None
    named = [match.start() for match in re.finditer(rf"(?<![^\W_]){letter}(?![^\W_])", evidence)] if letter else []
    begun = said.rfind(evidence)
    if len(named) == 1 and begun >= 0 and (shares := word_shares(tokens, begun + named[0], letters)):
        return shares
    begun = said.rfind(text.strip())
    return word_shares(tokens, begun, letters, as_said=False) if alone and text.strip() and begun >= 0 else None


def word_shares(
    tokens: Sequence[ReplyToken], offset: int, words: Collection[str], *, as_said: bool = True
) -> Mapping[str, float] | None:
    """The probability of each word at one place of a reply, as a share of all of them.

    Args:
        tokens: The tokens of the reply.
        offset: How many characters of the joined tokens stand before the place.
        words: The words that may stand there.
        as_said: Whether the token that the reply has there must be one of the words.
    """
    token = _token_at(tokens, offset)
    if token is None or len(token.top_logprobs) < 2 or (as_said and _word(token.token, words) is None):
        return None
    shares = dict.fromkeys(words, 0.0)
    for likely in _alternatives(token):
        if (word := _word(likely.token, words)) is not None:
            shares[word] += math.exp(likely.logprob)
    total = sum(shares.values())
    return {word: share / total for word, share in shares.items()} if total > 0 else None


def _token_at(tokens: Sequence[ReplyToken], offset: int) -> ReplyToken | None:
    end = 0
    for token in tokens:
        end += len(token.token)
        if offset < end:
            return token
    return None


def _alternatives(token: ReplyToken) -> Iterator[LikelyToken]:
    """The likeliest tokens at a place, and the one that was drawn, where it is not among them."""
    yield from token.top_logprobs
    if all(likely.token != token.token for likely in token.top_logprobs):
        yield token


def _word(token: str, words: Collection[str]) -> str | None:
    """Which of the words a token begins with, if any: small words in whatever case, letters as they are."""
    match = WORD.match(token)
    return next((word for word in (match[1], match[1].lower()) if word in words), None) if match else None
