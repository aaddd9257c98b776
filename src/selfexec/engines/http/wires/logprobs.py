"""Log-probabilities of a reply's tokens, as servers spell them. A list with gaps is none: what stands at a place of it
would be of another token.
"""

import math
from collections.abc import Sequence
from typing import Any

from selfexec.engines.http.wires.base import list_of, object_of
from selfexec.experiments import LEAST_LOGPROB, Likely, Token


def tokens_of(content: Any) -> tuple[Token, ...] | None:
    """Of both OpenAI formats: objects with `token`, `logprob` and `top_logprobs`."""
    if not content:
        return None
    return _whole([_token(object_of(one), "logprob", object_of(one).get("top_logprobs")) for one in list_of(content)])


def gemini_tokens_of(result: Any) -> tuple[Token, ...] | None:
    """Of Gemini: what was chosen and what was likely stand in two lists, place by place."""
    chosen = list_of(object_of(result).get("chosenCandidates"))
    likely = [object_of(one).get("candidates") for one in list_of(object_of(result).get("topCandidates"))]
    likely += [None] * (len(chosen) - len(likely))
    places = zip(chosen, likely, strict=False)
    return _whole([_token(object_of(one), "logProbability", others) for one, others in places])


def _token(one: Any, field: str, others: Any) -> Token | None:
    likely = [_likely(object_of(other), field) for other in list_of(others)]
    own = _likely(one, field)
    known = tuple(other for other in likely if other)
    return Token(own.token, own.logprob, known) if own and len(known) == len(likely) else None


def _likely(one: Any, field: str) -> Likely | None:
    token, logprob = one.get("token"), one.get(field)
    if not isinstance(token, str) or isinstance(logprob, bool) or not isinstance(logprob, int | float):
        return None
    return None if math.isnan(logprob) else Likely(token, max(float(logprob), LEAST_LOGPROB))


def _whole(tokens: Sequence[Token | None]) -> tuple[Token, ...] | None:
    found = tuple(token for token in tokens if token)
    return found if found and len(found) == len(tokens) else None
