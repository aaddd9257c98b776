"""Texts that came in part only, by the object in JSON that they were asked for: it is not closed, or not opened.

A model may forget a bracket itself; so it counts where at least one in fifty of its replies that were asked for an
object has a part of one, though the server says that they came to their ends. Of ten recorded models at most one in
140 has.
"""

from collections.abc import Iterable

from selfexec.experiments import EXPERIMENTS
from selfexec.runs.exchanged_replies import asked_keys, asks_for_marks
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST, LEAST_SHARE = 2, 0.02
LONGEST = 4_000  # characters of an object
# an object from its beginning on, which no bracket closes, and one up to its end, which none opens
UNCLOSED = regex(r"\{\s*(?:\"[^{}]*)?\Z")
UNOPENED = regex(r"\A[^{}]*?\"(?:\s*[:,][^{}]*)?\}\W*\Z")


def halved_objects(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of a model that begin or end within the object that they were asked for."""
    asked = [reply for reply in replies if reply.text and reply.known_stop in (None, "stop") and _asks_for_one(reply)]
    halved = [reply for reply in asked if is_half(reply.text or "")]
    return halved if len(halved) >= max(LEAST, LEAST_SHARE * len(asked)) else []


def _asks_for_one(reply: Reply) -> bool:
    if reply.experiment not in EXPERIMENTS or reply.facets:
        return False
    return bool(asked_keys(reply.experiment, reply.key.session_kind)) or asks_for_marks(reply)


def is_half(text: str) -> bool:
    """Whether a text has an object without an end, at its end, or without a beginning, at its beginning."""
    opened = text.rfind("{", -LONGEST)
    if opened > text.rfind("}"):
        return UNCLOSED.match(text.rstrip("` \n"), opened) is not None
    return opened < 0 and text.endswith(("}", "`", "\n")) and UNOPENED.match(text) is not None
