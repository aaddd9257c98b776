"""How words are compared. Readers of words, letters and marks all need it, and some of these need one another."""

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=10_000)
def fold(word: str) -> str:
    """How words are compared: NFKC, case folded, trimmed."""
    return unicodedata.normalize("NFKC", word).casefold().strip()
