"""The total of tokens that a usage gives, where it is not the sum of the prompt and the reply.

xAI and Vertex count thoughts beside the reply and not within it, which the total shows. Others leave out of a count
what stands in another one, as what came from a cache of prompts. What no count explains was read or written all the
same: a prompt that is hidden, thoughts that are, or tokens of another call.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from selfexec.engines.base import CallResult

MOST_COUNTS = 20  # of a usage
SUMMED = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "promptTokenCount")
TOTALS = ("total_tokens", "totalTokenCount")


def by_total(result: CallResult, usage: Mapping[str, Any], total: int | None) -> CallResult:
    """A reply with the tokens of its thoughts among its own, and with those that no count of its usage explains."""
    if not (total and result.input_tokens and result.output_tokens):
        return result
    rest = total - result.input_tokens - result.output_tokens
    if rest == 0:
        return result
    if rest == result.reasoning_tokens:
        return replace(result, output_tokens=result.output_tokens + rest)
    counts = {*list(_counts(usage))[:MOST_COUNTS]}
    explained = counts | {sum(pair) for pair in combinations(counts, 2)}
    return result if abs(rest) in explained else replace(result, unexplained_tokens=rest)


def _counts(usage: Mapping[str, Any]) -> Iterator[int]:
    """The counts of a usage, those of its details included, but for those that the total sums up."""
    for name, value in usage.items():
        if isinstance(value, dict):
            yield from _counts(value)
        elif type(value) is int and value > 0 and name not in (*SUMMED, *TOTALS):
            yield value
