"""Counts of tokens that are far from what a model's other replies have, of a prompt or a text of that length.

A server counts a prompt or a reply in tokens, and these grow with the length. Where a few replies have far fewer or far
more than the others, what was counted is not what was sent or what came: a prompt was lost, cut or exchanged on the
way, or a text was cut, put together of two, or has lost a part. Neither is certain: the model may have thought unseen.

    prompts    a line through the median points of the shortest and the longest third of all requests (Tukey's
               resistant line), which allows for what a server puts around each prompt
    texts      the median of tokens over a rough number of tokens, made of words, digits and signs: of 8,809 recorded
               replies of eight models that do not think, eight are off by a factor of 1.8, nearly all rows of blanks
               or digits

Where counts scatter by themselves, by the median absolute deviation, far is farther. Where those of texts scatter
widely, a high one is not far at all, since it may be one of thoughts; a low one is less than the text alone must have.
"""

import math
import re
from collections.abc import Iterable, Sequence

from selfexec.runs.records import Reply

LEAST = 12  # counts that are compared
LEAST_SHARE = 0.01  # of them are odd: now and then a model goes round in circles, in tokens of its own
FACTOR_OF_PROMPTS, FACTOR_OF_TEXTS = 1.6, 1.8
SPREADS, SPREADS_OF_TEXTS = 8, 4  # median absolute deviations
SCATTERED = 0.18  # median absolute deviation of the logarithm: of recorded models that think unseen it is .22 and more
LEAST_TOKENS = 15  # by which the count of a prompt is off
LEAST_BYTES = 40  # of a text
AROUND = 3  # tokens that a reply may have beside its text: without them the counts of short texts would scatter
MOST_READ = 2_000  # characters of a text: the rest is taken to be like them
# a text that has so many tokens for each of its bytes, as times of the median, is as others are: it is not looked into
USUAL = (0.62, 1.6)
SAMPLE = 500  # texts that are looked into in any case
PIECE = re.compile(r"[^\W\d_]+|\d{1,3}|[^\w\s]|_")


def odd_prompts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies for which the server counted far fewer or far more tokens of the prompt than for others."""
    counted = [reply for reply in replies if reply.input_tokens and reply.prompt_bytes and "tool" not in reply.facets]
    if len(counted) < LEAST:
        return []
    points = [(reply.prompt_bytes or 0, reply.input_tokens or 0) for reply in counted]
    slope, start = _resistant_line(points)
    off = [tokens - start - slope * length for length, tokens in points]
    spread = SPREADS * _median(map(abs, off))
    return [
        reply
        for reply, (length, tokens), by in zip(counted, points, off, strict=True)
        if abs(by) > max(LEAST_TOKENS, spread) and _is_far(tokens, max(1.0, start + slope * length), FACTOR_OF_PROMPTS)
    ]


def odd_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies for which the server counted far fewer or far more tokens of the text than for others."""
    came = list(replies)
    counted = {n: tokens for n, reply in enumerate(came) if (tokens := tokens_of_text(reply))}
    if len(counted) < LEAST:
        return []
    densities = {n: tokens / len((came[n].text or "").encode(errors="replace")) for n, tokens in counted.items()}
    usual = _median(densities.values())
    looked = {n for n, density in densities.items() if not USUAL[0] <= density / usual <= USUAL[1]}
    step = max(1, len(counted) // SAMPLE)
    shares = {
        n: math.log((counted[n] + AROUND) / (rough_tokens(came[n].text or "") + AROUND))
        for n in looked | {*[*counted][::step]}
    }
    sample = [shares[n] for n in [*counted][::step]]
    centre = _median(sample)
    spread = _median(abs(share - centre) for share in sample)
    far = max(math.log(FACTOR_OF_TEXTS), SPREADS_OF_TEXTS * min(spread, SCATTERED))
    least, most = min(centre, 0.0) - far, centre + far if spread <= SCATTERED else math.inf
    odd = [came[n] for n in sorted(shares) if not least <= shares[n] <= most]
    return odd if len(odd) > LEAST_SHARE * len(counted) else []


def tokens_of_text(reply: Reply) -> int:
    """The tokens of a text that came to its end, without those of thoughts; 0 where they are not known apart."""
    is_whole = reply.stop_reason in (None, "stop") and "tool" not in reply.facets and reply.forced is None
    if not (is_whole and reply.output_tokens and len(reply.text or "") >= LEAST_BYTES):
        return 0
    if reply.reasoning and not reply.reasoning_tokens:
        return 0
    thoughts = reply.reasoning_tokens or 0
    return max(0, reply.output_tokens - thoughts)


def rough_tokens(text: str) -> float:
    """About how many tokens a text has: one for each sign, for up to three digits and for a word, and for eight more
    letters of it; of other scripts one for three bytes. Line breaks are half of one.
    """
    read = text[:MOST_READ]
    pieces = PIECE.findall(read)
    number = sum(
        1 + (len(piece) - 1) // 8 if piece.isascii() else len(piece.encode(errors="replace")) / 3 for piece in pieces
    )
    return max(1.0, (number + read.count("\n") / 2) * len(text) / len(read))


def _resistant_line(points: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Slope and start of a line through the medians of the outer thirds; level where requests are all of one length."""
    ordered = sorted(points)
    third = len(ordered) // 3
    (left, low), (right, high) = (
        (_median(x for x, _ in part), _median(y for _, y in part)) for part in (ordered[:third], ordered[-third:])
    )
    slope = max(0.0, (high - low) / (right - left)) if right > left else 0.0
    return slope, _median(y - slope * x for x, y in points)


def _is_far(value: float, expected: float, factor: float) -> bool:
    return not expected / factor <= value <= expected * factor


def _median(values: Iterable[float]) -> float:
    """The middle of some values, of an even number the mean of two. `statistics` takes a megabyte where only it is
    missing.
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
