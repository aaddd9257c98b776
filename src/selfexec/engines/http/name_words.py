"""The words of a name as programs write them: `finishReason`, `finish_reason` and `x-finish-reason` have the same."""

import re

WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def name_words(name: str) -> list[str]:
    """The words of a name, or of a text, in small letters. Digits are part of none."""
    return [word.lower() for word in WORD.findall(name)]
