"""Replies that go on behind their answer: with a further prompt, and the answer to that.

Models do so whose end of a turn is lost, by a wrong template or a server that does not stop there. Where the prompt is
known as one, the first answer is read (`readers/run_on.py`); else the last, which then belongs to a question that
nobody asked. A reply may revise its answer; so it counts only where two objects with a key that was asked for differ,
and words stand between them that neither revise nor conclude. Of two orders a prompt must be known as one: small models
write several on the way. Of 34,760 recorded replies two are so.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from selfexec.experiments import EXPERIMENTS
from selfexec.readers.run_on import GOES_BACK, prompts_begin
from selfexec.runs.exchanged_replies import asked_keys
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST, LEAST_SHARE = 2, 0.005  # replies, and how many of a model's
LEAST_WORDS = 4  # between two answers
OBJECT = regex(r"\{[^{}]{1,2000}\}")
WORD = regex(r"[^\W\d_]{2,}")


def run_ons(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of a model that have a further answer behind their own."""
    came = [reply for reply in replies if reply.text and reply.experiment in EXPERIMENTS]
    running = [reply for reply in came if reply.text and reply.text.count("}") > 1 and _runs_on(reply)]
    return running if len(running) >= max(LEAST, LEAST_SHARE * len(came)) else []


def _runs_on(reply: Reply) -> bool:
    text, kind = reply.text or "", reply.key.session_kind
    experiment = EXPERIMENTS[reply.experiment]
    is_order = experiment.claim_kind == "order" and kind in experiment.predictions
    begins = prompts_begin((*experiment.prompts.values(),)) if is_order else WORD
    return any(
        own != other
        and len(WORD.findall(text[end:start])) >= LEAST_WORDS
        and begins.search(text, end, start)
        and (is_order or not GOES_BACK.search(text, end, start))
        for (_, end, own), (start, _, other) in pairwise(_answers(text, asked_keys(reply.experiment, kind)))
    )


def _answers(text: str, keys: frozenset[str]) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """The objects of a text that have one of these keys, each with its place."""
    for match in OBJECT.finditer(text):
        try:
            value = msgspec.json.decode(match[0])
        except (msgspec.DecodeError, UnicodeError, RecursionError):  # half a character, or brackets without end
            continue
        if not keys.isdisjoint(map(str.casefold, value)):
            yield match.start(), match.end(), value
