"""Whether the pieces of a stream are all there and of one reply, by the numbers that servers give them.

    numbers of pieces   the ids of events and fields as `sequence_number` and `chunk_index` of a piece. Where they
                        mostly grow by one they count the pieces, and a step of any other size is a piece that was lost,
                        came from elsewhere or out of order. Others are times, places in a text or the same for all
    counts of tokens    those that a piece gives of the whole so far. Where they mostly grow, one that falls is of
                        another reply, and so is another count of the prompt where that is mostly the same. Gemini's
                        counts are not looked at: they begin anew where the model used a tool of the server

The last piece that has a number may have one of its own, as gateways give it where they add the counts themselves: it
only tells where it leaves something out. The Responses format needs none of this where its last event repeats the words
of all others.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from selfexec.engines.http.name_words import name_words
from selfexec.engines.http.wires.base import Event, count_of, object_of
from selfexec.text.regex import regex

PIECES = frozenset(("sequence", "seq", "chunk", "event", "piece", "frame", "packet", "delta"))
NUMBERS = frozenset(("number", "no", "num", "nr", "index", "idx", "id", "seq", "sequence", "counter"))
NUMBERED = regex(r"(.{0,60}?)(\d{1,6})")
LEAST_STEPS = 3  # by one
RARE = 4  # one in so many steps may be none of a count that grows
OF_THE_ANSWER = ("completion_tokens", "output_tokens")
OF_THE_PROMPT = ("prompt_tokens", "input_tokens")


class Order:
    """The numbers of the pieces of one stream, in the order in which they came."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], list[int]] = {}
        self._answers: list[int] = []
        self._prompts: list[int] = []

    def take(self, event: Event, piece: Mapping[str, Any]) -> None:
        if event.id:
            self._note("id", event.id)
        for name in numbering(tuple(piece)):
            self._note(name, piece[name])
        if usage := object_of(piece.get("usage")):
            self._answers += _first_count(usage, OF_THE_ANSWER)
            self._prompts += _first_count(usage, OF_THE_PROMPT)

    def _note(self, name: str, value: Any) -> None:
        if not isinstance(value, bool) and (numbered := NUMBERED.fullmatch(str(value))):
            self._numbers.setdefault((name, numbered[1]), []).append(int(numbered[2]))

    def has_gaps(self) -> bool:
        return any(_break_in(numbers) for numbers in self._numbers.values())

    def objection(self) -> Mapping[str, Any]:
        """What of the numbers speaks against the stream, as an error."""
        for (name, before), numbers in self._numbers.items():
            if broken := _break_in(numbers):
                steps = " to ".join(f"{before}{number}" for number in broken)
                return _error(f"pieces of the stream are missing, or out of order: its {name} goes from {steps}")
        if falling := _fall_in(self._answers):
            return _error(
                f"its pieces are of several replies: its count of tokens falls from {falling[0]} to {falling[1]}"
            )
        if changed := _change_in(self._prompts):
            return _error(
                f"its pieces are of several replies: its prompt has {changed[0]} tokens, and then {changed[1]}"
            )
        return {}


def _error(message: str) -> Mapping[str, Any]:
    return {"error": {"message": message}}


def _first_count(usage: Mapping[str, Any], names: tuple[str, ...]) -> list[int]:
    """The count of the first field of these names. 0 is what stands there as long as nobody has counted."""
    return [count for name in names if (count := count_of(usage.get(name)))][:1]


@lru_cache(maxsize=1024)
def numbering(names: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the fields of a piece may number it."""
    return tuple(name for name in names if _may_number(name))


def _may_number(name: str) -> bool:
    words = name_words(name)
    return bool(words) and not PIECES.isdisjoint(words) and {*words} <= PIECES | NUMBERS


def _break_in(numbers: list[int]) -> tuple[int, int] | None:
    """The first step of numbers that mostly grow by one which is another one; None where there is none. Some servers
    begin anew with each part of a reply.
    """
    steps = [step for step in pairwise(numbers) if step[1] != numbers[0]]
    by_one = sum(after - before == 1 for before, after in steps)
    if by_one < LEAST_STEPS or 2 * by_one <= len(steps):
        return None
    *others, (before, after) = steps
    looked_at = steps if after > before else others
    return next((step for step in looked_at if step[1] - step[0] != 1), None)


def _fall_in(counts: list[int]) -> tuple[int, int] | None:
    """The first step down of counts that hardly ever fall, but for the last one."""
    falls = [(before, after) for before, after in pairwise(counts[:-1]) if after < before]
    return falls[0] if falls and RARE * len(falls) < len(counts) else None


def _change_in(counts: list[int]) -> tuple[int, int] | None:
    """The first change of counts that hardly ever change, but for the last one."""
    changes = [(before, after) for before, after in pairwise(counts[:-1]) if after != before]
    return changes[0] if changes and RARE * len(changes) < len(counts) else None
