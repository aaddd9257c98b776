"""Where in a TOML file something stands: parsers keep no lines."""

import re
import tomllib
from collections.abc import Sequence
from typing import Any


def line_of(text: str, where: Sequence[str | int]) -> int | None:
    """The number of the line in which a key stands, given as the keys and places that lead to it; None: there is none.

    It is the first line up to which the file is whole and has the key; of what goes over several lines, the one that
    names it, where only one does. Where there is no such key, it is the line of what would hold it.
    """
    if not where:
        return None
    lines = text.splitlines(keepends=True)
    end_before = 0
    for end in range(1, len(lines) + 1):
        try:
            found = tomllib.loads("".join(lines[:end]))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue
        if _is_there(found, where):
            return _named(lines, end_before, end, where)
        end_before = end
    return line_of(text, where[:-1])


def _is_there(found: Any, where: Sequence[str | int]) -> bool:
    for step in where:
        inside = isinstance(step, str) and isinstance(found, dict) and step in found
        if not inside and not (isinstance(step, int) and isinstance(found, list) and step < len(found)):
            return False
        found = found[step]
    return True


def _named(lines: Sequence[str], before: int, end: int, where: Sequence[str | int]) -> int:
    names = [step for step in where if isinstance(step, str)]
    key = re.compile(rf"""(^|[\s{{,.]|["']){re.escape(names[-1])}["']?\s*=""") if names else None
    found = [n for n in range(before, end) if key and key.search(lines[n])]
    if len(found) == 1:
        return found[0] + 1
    first = next((n for n in range(before, end) if lines[n].strip() and not lines[n].lstrip().startswith("#")), before)
    return first + 1
