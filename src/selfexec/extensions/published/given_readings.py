"""Readings that were given with a run, held against what we read of the same replies."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from selfexec.extensions.published.entries import Entry
from selfexec.runs import is_kept
from selfexec.text.regex import regex

if TYPE_CHECKING:
    from selfexec.runs import Run

FIRST_LETTER = regex("[a-dA-D]")
STATED = regex(r'"answer"\s*:\s*"[A-D]"')
WHATS = {
    "given only": "are read there and not by us",
    "ours only": "are read by us and not there",
    "other": "are read otherwise",
    "first letter": 'are the first letter a to d of a reply that nowhere states "answer": "X"',
}


def given_readings(run: "Run", model: str, experiment: str) -> Iterator[Entry]:
    """Given readings beside our own, by kind of session."""
    if not run.given:
        return
    from selfexec.runs import read_reply

    seen: Counter[str] = Counter()
    tally: dict[str, Counter[str]] = {}
    for key, reply in run.replies.items():
        if (key.model, key.experiment) != (model, experiment) or is_kept(key):
            continue
        if key not in run.given or reply.failed:
            continue
        kind = key.session_kind
        ours = read_reply(run.items.items[experiment][key.item], reply)
        seen[kind] += 1
        given = run.given[key].value
        told = _difference(run.readings[key].value, ours.value)
        tally.setdefault(kind, Counter()).update(told)
        if (experiment, kind) == ("difficulty", "execute") and _by_first_letter(given, reply.text or ""):
            tally[kind]["first letter"] += 1
    for kind, count in tally.items():
        differing = sum(n for what, n in count.items() if what != "first letter")
        reasons = tuple(f"{n} of {seen[kind]} {WHATS[what]}" for what, n in count.most_common())
        if differing or count["first letter"]:
            yield Entry("readings", model, experiment, kind, None, None, differing / seen[kind], reasons)


def _difference(given: Any, ours: Any) -> list[str]:
    if given == ours:
        return []
    return ["ours only" if given is None else "given only" if ours is None else "other"]


def _by_first_letter(given: Any, text: str) -> bool:
    """Whether a reading is what the rule "the first a, b, c or d of the text" gives, and nothing plainer does."""
    first = FIRST_LETTER.search(text)
    return first is not None and first[0].upper() == given and not STATED.search(text)
