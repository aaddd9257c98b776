"""Readings that somebody else made: a value as it is written, and as an experiment has it. And the other way round: a
letter as a prompt asks for it.
"""

import json
from collections.abc import Collection
from typing import Any

AROUND = " \t\n\"'`"  # what may stand around a letter or a label


def given_letter(value: Any, letters: Collection[str]) -> str | None:
    """One of these letters; None where it is none."""
    letter = value.strip(AROUND).upper() if isinstance(value, str) else None
    return letter if letter in tuple(letters) else None


def given_ranking(value: Any, labels: Collection[str]) -> list[str] | None:
    """All of these labels (Q1, Q2, ...) in an order; bare digits stand for labels. None where it is no such list."""
    if not isinstance(value, list):
        return None
    names = [str(label).strip(AROUND).upper() for label in value]
    found = [f"Q{name}" if name.isdigit() else name for name in names]
    return found if sorted(found) == sorted(labels) else None


def letter_as_asked(letter: str, prompt: str, key: str = "choice") -> str:
    """A letter as the prompt wants it: in a JSON object where the prompt names its key, else alone."""
    return json.dumps({key: letter}) if f'"{key}"' in prompt else letter
