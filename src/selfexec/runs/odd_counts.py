"""Texts whose counts of tokens are far from what a model's other texts of that length have.

A server counts a reply in tokens, and these grow with the length. Where a few replies have far fewer or far more than
the others, what was counted is not what came: a text was cut, put together of two, or has lost a part. It is not
certain: the model may have thought unseen.

What is compared is the median of tokens over a rough number of tokens, made of words, digits and signs: of 8,809
recorded replies of eight models that do not think, eight are off by a factor of 1.8, nearly all rows of blanks or
digits. Where counts scatter by themselves, by the median absolute deviation, far is farther; where they scatter widely,
a high one is not far at all, since it may be one of thoughts, and a low one is less than the text alone must have.
"""

import math
from collections import Counter
from collections.abc import Iterable

from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST = 12  # counts that are compared
LEAST_SHARE = 0.01  # of them are odd: now and then a model goes round in circles, in tokens of its own
FACTOR = 1.8
SPREADS = 4  # median absolute deviations
SCATTERED = 0.18  # median absolute deviation of the logarithm: of recorded models that think unseen it is .22 and more
LEAST_BYTES = 40  # of a text
AROUND = 3  # tokens that a reply may have beside its text: without them the counts of short texts would scatter
MOST_AROUND = 40  # and that it may have at most, as the marks of some formats
MOST_READ = 2_000  # characters of a text: the rest is taken to be like them
# a text that has so many tokens for each of its bytes, as times of the median, is as others are: it is not looked into
USUAL = (0.62, 1.6)
NEARLY_ALL, LONGER = 0.9, 3  # of the replies have one count, though the longest is so many times the shortest
SAMPLE = 300  # texts that are looked into in any case
LONG_WORD = regex("[A-Za-z]{9,}")
PIECE = regex(r"[^\W\d_]+|\d{1,3}|[^\w\s]|_")


def odd_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies for which the server counted far fewer or far more tokens of the text than for others."""
    came = list(replies)
    counted = {n: tokens for n, reply in enumerate(came) if (tokens := tokens_of_text(reply))}
    if len(counted) < LEAST:
        return []
    densities = {n: tokens / len((came[n].text or "").encode(errors="replace")) for n, tokens in counted.items()}
    usual = median(densities.values())
    looked = {n for n, density in densities.items() if not USUAL[0] <= density / usual <= USUAL[1]}
    step = max(1, len(counted) // SAMPLE)
    shares = {
        n: math.log((counted[n] + AROUND) / (rough_tokens(came[n].text or "") + AROUND))
        for n in looked | {*[*counted][::step]}
    }
    sample = [shares[n] for n in [*counted][::step]]
    centre = median(sample)
    spread = median(abs(share - centre) for share in sample)
    far = max(math.log(FACTOR), SPREADS * min(spread, SCATTERED))
    least, most = min(centre, 0.0) - far, centre + far if spread <= SCATTERED else math.inf
    odd = [
        reply
        for n, reply in enumerate(came)
        if (n in shares and not least <= shares[n] <= most) or (most < math.inf and _is_more_than_its_bytes(reply))
    ]
    return odd if len(odd) > LEAST_SHARE * len(counted) else []


def _is_more_than_its_bytes(reply: Reply) -> bool:
    """Whether a text that is too short to be compared has more tokens than bytes, and so more than any text of them."""
    size = len((reply.text or "").encode(errors="replace"))
    return 0 < size < LEAST_BYTES and _tokens_beside_thoughts(reply) > size + MOST_AROUND


def with_the_same_count(replies: Iterable[Reply]) -> list[Reply]:
    """The replies for which the server counted one number of tokens, if nearly all have it, whatever their length."""
    counted = [(tokens, reply) for reply in replies if (tokens := tokens_of_text(reply))]
    (usual, number) = Counter(tokens for tokens, _ in counted).most_common(1)[0] if counted else (0, 0)
    same = [reply for tokens, reply in counted if tokens == usual]
    lengths = [rough_tokens(reply.text or "") for reply in same]
    is_constant = len(counted) >= LEAST and number >= NEARLY_ALL * len(counted)
    return same if is_constant and max(lengths) >= LONGER * min(lengths) else []


def tokens_of_text(reply: Reply) -> int:
    """The tokens of a text that came to its end, without those of thoughts; 0 where they are not known apart, or too
    few to be compared.
    """
    return _tokens_beside_thoughts(reply) if len(reply.text or "") >= LEAST_BYTES else 0


def _tokens_beside_thoughts(reply: Reply) -> int:
    is_whole = reply.stop_reason in (None, "stop") and "tool" not in reply.facets and reply.forced is None
    if not (is_whole and reply.output_tokens) or (reply.reasoning and not reply.reasoning_tokens):
        return 0
    return max(0, reply.output_tokens - (reply.reasoning_tokens or 0))


def rough_tokens(text: str) -> float:
    """About how many tokens a text has: one for each sign, for up to three digits and for a word, and for eight more
    letters of it; of other scripts one for three bytes. Line breaks are half of one.
    """
    read = text[:MOST_READ]
    pieces = PIECE.findall(read)
    if read.isascii():
        number: float = len(pieces) + sum((len(word) - 1) // 8 for word in LONG_WORD.findall(read))
    else:
        number = sum(map(_tokens_of_piece, pieces))
    return max(1.0, (number + read.count("\n") / 2) * len(text) / len(read))


def _tokens_of_piece(piece: str) -> float:
    return 1 + (len(piece) - 1) // 8 if piece.isascii() else len(piece.encode(errors="replace")) / 3


def median(values: Iterable[float]) -> float:
    """The middle of some values, of an even number the mean of two. `statistics` takes a megabyte where only it is
    missing.
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
