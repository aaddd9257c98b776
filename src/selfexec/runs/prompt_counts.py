"""Prompts whose counts of tokens are not those of what was sent: one was lost, cut, extended or exchanged on the way.

A server counts each prompt in tokens, and puts a template around it, which is the same for all. So counts lie near a
line over the bytes of the prompts, and three things about them are odd:

    off the line        some are far from it. The line goes through the median points of the shortest and the longest
                        third of all requests (Tukey's resistant line), and where counts scatter by themselves, by the
                        median absolute deviation, far is farther. Or one exceeds a low count by more than the bytes of
                        its prompt: no template of one length explains that, since a token of text has a byte at least.
                        Or, where counts hardly scatter, some have more bytes for each token than any tokenizer gives,
                        as the shortest do where what stands before all prompts is lost
    not counted         all are too small: the prompts have more bytes for each token than any tokenizer gives, or
                        longer ones have hardly more tokens. The prompts, or their longer part, are not in the counts
    one largest count   several prompts of different lengths share it: what was longer was cut to it

None is certain: a server may count only what it had in no cache.
"""

import math
from collections.abc import Iterable, Sequence

from selfexec.runs.odd_counts import median
from selfexec.runs.reply import Reply

LEAST = 12  # counts that are compared
FACTOR = 1.6
SPREADS = 8  # median absolute deviations
STEADY = 0.1  # the scatter of counts that are of prompts alone, as a share of their median
LEAST_TOKENS = 15  # by which a count is off
MOST_BYTES = 16  # of a token, over a whole prompt: in Thai and Russian those of large vocabularies have 9 to 12
LEAST_RISE, LEAST_RATIO = 300, 1.5  # bytes by which, and times that, the longer third of prompts exceeds the shorter
LEAST_ALIKE = 3  # prompts with the largest count
UNEQUAL = 1.25  # times the bytes of the shortest of them that the longest has: of whole texts, one count is of less
QUARTER = 4


def odd_prompts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies for which the server counted far fewer or far more tokens of the prompt than for others."""
    counted = _counted(replies)
    points = _points(counted)
    if not counted or not _grows(points):
        return []
    slope, start = _resistant_line(points)
    off = [tokens - start - slope * length for length, tokens in points]
    scatter = median(map(abs, off))
    spread = max(LEAST_TOKENS, SPREADS * scatter)
    most_bytes = MOST_BYTES if scatter <= STEADY * median(tokens for _, tokens in points) else math.inf
    low = sorted(tokens for _, tokens in points)[len(points) // QUARTER]
    return [
        reply
        for reply, (length, tokens), by in zip(counted, points, off, strict=True)
        if (abs(by) > spread and _is_far(tokens, max(1.0, start + slope * length)))
        or tokens > low + length
        or length > most_bytes * tokens
    ]


def uncounted_prompts(replies: Iterable[Reply]) -> list[Reply]:
    """All replies that have counts, where these are too small for the bytes that were sent or do not grow with them."""
    counted = _counted(replies)
    return [] if _grows(_points(counted)) else counted


def prompts_at_a_limit(replies: Iterable[Reply]) -> list[Reply]:
    """The replies whose prompts have one count of tokens, the largest of all, and are of different lengths."""
    counted = _counted(replies)
    largest = max((reply.input_tokens or 0 for reply in counted), default=0)
    at_it = [reply for reply in counted if reply.input_tokens == largest]
    lengths = {reply.prompt_bytes or 0 for reply in at_it}
    is_limit = len(lengths) >= LEAST_ALIKE and max(lengths) > UNEQUAL * min(lengths)
    return at_it if is_limit and _grows(_points(counted)) else []


def _counted(replies: Iterable[Reply]) -> list[Reply]:
    """Those whose prompts were counted, if they are enough to compare. With a tool a count is of several requests."""
    counted = [reply for reply in replies if reply.input_tokens and reply.prompt_bytes and "tool" not in reply.facets]
    return counted if len(counted) >= LEAST else []


def _points(counted: Iterable[Reply]) -> list[tuple[int, int]]:
    """The bytes and tokens of each prompt."""
    return [(reply.prompt_bytes or 0, reply.input_tokens or 0) for reply in counted]


def _grows(points: Sequence[tuple[int, int]]) -> bool:
    """Whether there are as many tokens as texts of these bytes must have, in all and from shorter to longer ones."""
    if not points:
        return True
    (short, low), (long, high) = _outer_thirds(points)
    enough = median(MOST_BYTES * tokens - length for length, tokens in points) >= 0
    is_flat = long - short >= LEAST_RISE and long >= LEAST_RATIO * short and MOST_BYTES * (high - low) < long - short
    return enough and not is_flat


def _outer_thirds(points: Sequence[tuple[int, int]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The median bytes and tokens of the shortest third, and of the longest."""
    ordered = sorted(points)
    third = max(1, len(ordered) // 3)
    short, long = (
        (median(x for x, _ in part), median(y for _, y in part)) for part in (ordered[:third], ordered[-third:])
    )
    return short, long


def _resistant_line(points: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Slope and start of a line through the medians of the outer thirds; level where requests are all of one length."""
    (left, low), (right, high) = _outer_thirds(points)
    slope = max(0.0, (high - low) / (right - left)) if right > left else 0.0
    return slope, median(y - slope * x for x, y in points)


def _is_far(value: float, expected: float) -> bool:
    return not expected / FACTOR <= value <= expected * FACTOR
