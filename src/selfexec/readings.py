"""From replies to readings, and readings as users meet them: a line per session, a summary of what could be read."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from selfexec.experiments import EXPERIMENTS
from selfexec.formats import BySession, GivenReading, Key, Reply
from selfexec.items import Item, ItemSet
from selfexec.reading import Reading

KEPT = ("restriction", "execute")  # the response itself: it is kept, not read


def read_replies(
    item_set: ItemSet, replies: Mapping[Key, Reply], given: Mapping[Key, GivenReading] | None = None
) -> BySession[Reading]:
    """A reading of every reply. Readings given from elsewhere take the place of ours, session by session."""
    given = given or {}
    return BySession(
        (key, read_reply(item_set.items[key.experiment][key.item], reply, given.get(key)))
        for key, reply in replies.items()
    )


def read_reply(item: Item, reply: Reply, given: GivenReading | None = None) -> Reading:
    if by := reply.withheld_by:
        return Reading("withheld", reason=by, evidence=reply.refusal or reply.policy, tokens=reply.output_tokens)
    if reply.failed or reply.text is None:
        return Reading("missing", reason=reply.error, tokens=reply.output_tokens)
    experiment = EXPERIMENTS[reply.experiment]
    if given is None or (reply.experiment, reply.session) == KEPT:
        reading = experiment.read(item, reply.session, reply.text)
    elif (value := experiment.given(item, reply.session, given.value)) is not None:
        reading = Reading("read", value)
    else:
        reading = Reading("unreadable", reason=given.reason or "format")
    if reading.state == "unreadable" and reply.stop_reason == "length":
        reading = msgspec.structs.replace(reading, reason="truncated")
    return reading if reply.output_tokens is None else msgspec.structs.replace(reading, tokens=reply.output_tokens)


def reading_lines(readings: Mapping[Key, Reading]) -> Iterator[bytes]:
    """JSON lines {model, experiment, item, epoch, session, state, reason, value, evidence}."""
    encode = msgspec.json.Encoder().encode
    for key, reading in readings.items():
        if (key.experiment, key.session) != KEPT:
            found = {
                "state": reading.state,
                "reason": reading.reason,
                "value": reading.value,
                "evidence": reading.evidence,
            }
            yield encode(key._asdict() | found)


def reading_summary(readings: Mapping[Key, Reading]) -> tuple[str, list[str], list[list[str]]]:
    """Title, columns and rows: how many sessions of each model and kind came to which state."""
    states: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for key, reading in readings.items():
        if (key.experiment, key.session) != KEPT:
            state = reading.state if reading.state != "unreadable" else f"unreadable: {reading.reason}"
            states[key.model, key.experiment, key.session.split(".")[0]][state] += 1
    known = ["read", "unreadable: format", "unreadable: truncated", "unreadable: declined", "withheld", "missing"]
    found = set().union(*states.values()) if states else set()
    columns = [name for name in known if name in found] + sorted(found - set(known))
    rows = [[*place, *(f"{count[c]:,}" if count[c] else "" for c in columns)] for place, count in states.items()]
    return "Sessions by what could be read", ["model", "experiment", "session", *columns], rows
