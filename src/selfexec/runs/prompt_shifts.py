"""Prompts that were counted a constant number of tokens apart from others: a text stands before some of them alone.

Within a kind of session prompts are much alike, and so are their counts at one length. Where these lie in two groups
with a gap between them that is large beside the spread of each, something was added to the prompts of one. A few items
in another script lie apart as well, but in all sessions that quote them, and by numbers of their own. So what counts
is that several replies lie apart by one number, in any kinds of sessions, and that their items lie with the others in
other sessions.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from selfexec.runs.odd_counts import median
from selfexec.runs.reply import Reply

LEAST_IN_KIND = 5  # replies of one kind
LEAST_GAP, SPREADS = 8, 1.5  # tokens, and times the wider of both groups
ALIKE, ALIKE_SHARE = 3, 0.1  # tokens by which the numbers of two kinds may differ, or as a share of them
LEAST, LEAST_ITEMS = 4, 2  # replies apart, and how many of them are of items that elsewhere are not
SAMPLE = 40  # prompts of a kind by which the slope is found


class Shifted(NamedTuple):
    """Replies whose prompts were counted so many tokens above those of most others, or below them."""

    replies: Sequence[Reply]
    tokens: int


class Split(NamedTuple):
    """Two groups of one kind, and how many tokens are between their middles."""

    low: Sequence[Reply]
    high: Sequence[Reply]
    tokens: float


def shifted_prompts(replies: Iterable[Reply]) -> Shifted:
    """The replies of a model that lie apart from most by one number of tokens; none mostly."""
    kinds: dict[tuple[object, ...], list[Reply]] = defaultdict(list)
    for reply in replies:
        if reply.input_tokens and reply.prompt_bytes and "tool" not in reply.facets:
            kinds[reply.experiment, reply.key.session_kind, reply.key.facets].append(reply)
    splits = [split for those in kinds.values() if (split := _split(those))]
    if not splits:
        return Shifted((), 0)
    tokens = median(split.tokens for split in splits for _ in range(min(len(split.low), len(split.high))))
    alike = [split for split in splits if abs(split.tokens - tokens) <= max(ALIKE, ALIKE_SHARE * tokens)]
    low = [reply for split in alike for reply in split.low]
    high = [reply for split in alike for reply in split.high]
    few, many, sign = (low, high, -1) if len(low) < len(high) else (high, low, 1)
    items = {(reply.experiment, reply.item) for reply in many}
    is_of_both = sum((reply.experiment, reply.item) in items for reply in few) >= LEAST_ITEMS
    return Shifted(few, sign * round(tokens)) if len(few) >= LEAST and is_of_both else Shifted((), 0)


def _split(replies: Sequence[Reply]) -> Split | None:
    """The two groups in which prompts of one kind lie; None where they lie in one, as nearly always."""
    if len(replies) < LEAST_IN_KIND:
        return None
    points = [(reply.prompt_bytes or 0, reply.input_tokens or 0) for reply in replies]
    slope = _slope(points)
    off = sorted((tokens - slope * length, n) for n, (length, tokens) in enumerate(points))
    gap, at = max((off[n][0] - off[n - 1][0], n) for n in range(1, len(off)))
    low, high = off[:at], off[at:]
    spread = max(part[-1][0] - part[0][0] for part in (low, high))
    if gap < max(LEAST_GAP, SPREADS * spread):
        return None
    apart = median(by for by, _ in high) - median(by for by, _ in low)
    return Split([replies[n] for _, n in low], [replies[n] for _, n in high], apart)


def _slope(points: Sequence[tuple[int, int]]) -> float:
    """Tokens for a byte of what prompts of a kind differ in: the median over pairs of them (Theil and Sen)."""
    ordered = sorted(points)[:: max(1, len(points) // SAMPLE)]
    slopes = [(high - low) / (long - short) for (short, low), (long, high) in combinations(ordered, 2) if long > short]
    return max(0.0, median(slopes)) if slopes else 0.0
