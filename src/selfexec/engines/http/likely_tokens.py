"""Secrets in the log-probabilities of a reply, cut into tokens: in what was said, and in what might have stood there.

A secret may be put together of alternatives of one place, of the alternatives of one rank at each place, or of any one
of each place. The last is looked for letter by letter, since the rows that can be made so are too many to be written.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import zip_longest

from selfexec.experiments import Token


def rows_of(tokens: Sequence[Token]) -> Iterator[str]:
    """The texts that can be read off tokens and their alternatives without choosing among the latter."""
    alternatives = [[other.token for other in token.top_logprobs] for token in tokens]
    yield "".join(token.token for token in tokens)
    if any(alternatives):
        yield from ("".join(rank) for rank in zip_longest(*alternatives, fillvalue=""))
        yield "".join(word for place in alternatives for word in place)


def can_spell(tokens: Sequence[Token], letters_in: Callable[[str], str], secret: str, least: int) -> bool:
    """Whether one alternative of each place, or what was said there, makes so many letters of a secret in a row.

    `letters_in` gives the letters of a token as those of the secret are written.
    """

    @cache
    def matches(word: str) -> tuple[tuple[int, int], ...]:
        """Before which letters of the secret a word may end, and how many of its last letters match there."""
        found: dict[int, int] = {}
        for length in range(1, len(word) + 1):
            ends = list(_ends(word[-length:], secret))
            if not ends:
                break
            found |= dict.fromkeys(ends, length)
        return tuple(found.items())

    @cache
    def letters(word: str) -> str:
        return letters_in(word)

    reached: dict[int, int] = {}  # before which letters of the secret one may be, and how many came in a row
    for token in tokens:
        words = {letters(word) for word in (token.token, *(other.token for other in token.top_logprobs))}
        now = dict(reached) if "" in words else {}
        longest = max(reached.values(), default=0)
        for word in words - {""}:
            if longest + len(word) >= least and _goes_on(word, secret, reached, least):
                return True
            for end, length in matches(word):
                whole = length + reached.get(end - length, 0) if length == len(word) else length
                if whole > now.get(end, 0):
                    now[end] = whole
        reached = now
        if any(length >= least for length in reached.values()):
            return True
    return False


def _ends(part: str, secret: str) -> Iterator[int]:
    """Before which letters of a secret a part of it ends, wherever it stands there."""
    at = secret.find(part)
    while at >= 0:
        yield at + len(part)
        at = secret.find(part, at + 1)


def _goes_on(word: str, secret: str, reached: dict[int, int], least: int) -> bool:
    """Whether the beginning of a word makes letters that came in a row so many as give a secret away."""
    missing = ((at, least - length) for at, length in reached.items())
    return any(n <= len(word) and secret.startswith(word[:n], at) for at, n in missing)
