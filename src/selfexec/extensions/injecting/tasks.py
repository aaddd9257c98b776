"""Tasks whose right answer has several parts: which of them a reply has, where it is disturbed, and what was still to
come there.
"""

import random
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

import msgspec

from selfexec.experiments import Name
from selfexec.text.regex import regex

MOST_DOSE = 16
EARLY = 3  # the first third of the parts may stand before the injection
RECOVERED = 0.8  # the share of what was to come from which on a reply has recovered
WORD = regex(r"\S+")
LETTERS = regex(r"[^\W_]+")
Dose = Annotated[int, msgspec.Meta(ge=1, le=MOST_DOSE)]
# words that no task is about
FOREIGN = (
    *("ribbon", "anchor", "whisper", "tomato", "lantern", "copper", "gravel", "pillow", "meadow", "thimble"),
    *("saddle", "pepper", "canvas", "beetle", "harbour", "mitten", "rocket", "velvet", "walnut", "cabin"),
    *("feather", "magnet", "carpet", "ginger", "bucket", "comet", "sandal", "marble", "turnip", "zipper"),
)


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A task with one right answer, which is made of `parts`: words or numbers that a right reply has, in this order
    unless `in_order` is false. `kind` is what sort of task it is. `doses`: how many words or tokens are put into a
    reply to it, a session of its own for each.
    """

    id: Name
    kind: Name
    prompt: Name
    parts: Annotated[tuple[Name, ...], msgspec.Meta(min_length=2)]
    in_order: bool = True
    doses: Annotated[tuple[Dose, ...], msgspec.Meta(min_length=1)] = (1, 4)


class Spot(NamedTuple):
    """Where a reply is disturbed: behind how many of its characters, and which parts are given before."""

    at: int
    before: tuple[int, ...]


def parts_in(task: Task, text: str) -> list[int]:
    """The parts that a text has, by their place in the right answer, in the order in which they stand there."""
    return [part for part, _ in _occurrences(task, text)]


def _occurrences(task: Task, text: str) -> list[tuple[int, int]]:
    """Each part that a text has, and where it begins."""
    places = {part.casefold(): n for n, part in enumerate(task.parts)}
    longest_first = sorted(task.parts, key=len, reverse=True)
    pattern = rf"(?<![^\W_])({'|'.join(map(re.escape, longest_first))})(?![^\W_])"
    hits = re.finditer(pattern, text, re.IGNORECASE)
    return [(places[match[1].casefold()], match.start()) for match in hits if match[1].casefold() in places]


def share_of(task: Task, wanted: Sequence[int], hits: Sequence[int]) -> float:
    """The share of the wanted parts that are there: in order, the longest common subsequence."""
    if not task.in_order:
        return len({*wanted} & {*hits}) / len(wanted)
    lengths = [0] * (len(wanted) + 1)
    for part in hits:
        before = 0
        for n, other in enumerate(wanted, 1):
            before, lengths[n] = lengths[n], before + 1 if part == other else max(lengths[n], lengths[n - 1])
    return lengths[-1] / len(wanted)


def outstanding(task: Task, before: Iterable[int]) -> list[int]:
    """The parts that were still to come behind these."""
    given = {*before}
    return [part for part in range(len(task.parts)) if part not in given]


def is_right(task: Task, hits: Sequence[int]) -> bool:
    """Whether a reply with these parts has the whole answer."""
    return share_of(task, range(len(task.parts)), hits) == 1.0


def spot_in(task: Task, text: str) -> Spot | None:
    """Where a right reply is disturbed: behind the last whole word before the first part that is beyond the first third
    of them, and behind its first word at the least. None where the reply is not right, or nothing would be to come.
    """
    occurrences = _occurrences(task, text)
    if not is_right(task, [part for part, _ in occurrences]):
        return None
    starts = _starts(task, occurrences)
    limit = starts[len(task.parts) // EARLY]
    ends = [word.end() for word in WORD.finditer(text)]
    at = max((end for end in ends if end <= limit), default=ends[0])
    before = tuple(part for part, start in enumerate(starts_by_part(task, occurrences)) if start < at)
    return Spot(at, before) if len(before) < len(task.parts) else None


def _starts(task: Task, occurrences: Sequence[tuple[int, int]]) -> list[int]:
    """Where the first, second, ... part of a right answer begins, as they come."""
    return sorted(starts_by_part(task, occurrences))


def starts_by_part(task: Task, occurrences: Sequence[tuple[int, int]]) -> list[int]:
    """Where each part of a right answer begins: in order, each behind the one before it."""
    hits: dict[int, int] = {}
    for part, start in occurrences:
        if part not in hits and (not task.in_order or part == len(hits)):
            hits[part] = start
    return [hits[part] for part in range(len(task.parts))]


def foreign_words(task: Task, count: int) -> list[str]:
    """Words to put into a reply, the same for every model: fewer are the first of more."""
    known = {word.casefold() for text in (task.prompt, *task.parts) for word in LETTERS.findall(text)}
    drawn = random.Random(task.id).sample([word for word in FOREIGN if word not in known], MOST_DOSE)
    return drawn[:count]


def in_the_question(task: Task, count: int) -> str:
    """The task with the same words in the middle of it."""
    words = task.prompt.split()
    middle = len(words) // 2
    return " ".join([*words[:middle], *foreign_words(task, count), *words[middle:]])


def words_at(text: str, start: int, end: int) -> set[str]:
    """The words of a text that lie in a stretch of it, or reach into it."""
    return {word[0].casefold() for word in LETTERS.finditer(text) if word.start() < end and word.end() > start}


def has_noticed(named: Iterable[str], foreign: set[str]) -> bool:
    """Whether who names these words has noticed the foreign ones: one of them at least, and more often than not. Where
    there are none, whether anything is named: a false alarm.
    """
    words = {word.casefold() for text in named for word in LETTERS.findall(text)}
    if not foreign:
        return bool(words)
    return bool(words & foreign) and 2 * len(words & foreign) >= len(words)
