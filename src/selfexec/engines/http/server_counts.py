"""Silences whose tokens a server did not count, beside replies of the same model that it counts.

A model that says nothing has read its prompt all the same, and a server that counts the tokens of prompts counts those
of this one. Where it does so for other replies of the model, and an empty reply has no such count or 0, the prompt did
not reach the model: a gateway has made a reply of a stream from which nothing came.
"""

from selfexec.engines.base import CallResult
from selfexec.engines.http.ends import BESIDE
from selfexec.engines.http.wires.base import doubtful

DONE = "stop"
WHY = "it is empty, and no tokens of its prompt were counted as those of others were: the model may not have been asked"


class ServerCounts:
    """For which models a server has counted the tokens of a prompt."""

    def __init__(self) -> None:
        self._counting: set[tuple[str, str]] = set()

    def judged(self, url: str, model: str, result: CallResult) -> CallResult:
        """A reply as it counts by the tokens that were counted of it: a silence without any has an unknown end."""
        if result.input_tokens:
            self._counting.add((url, model))
            return result
        is_silent = result.stop_reason == DONE and not (result.text or result.refusal or result.reasoning)
        if not is_silent or result.error is not None or (url, model) not in self._counting:
            return result
        return doubtful(result, f"{DONE}{BESIDE}", WHY)
