"""Replies that are made up differently from most others of a model that came in the same hours.

A reply is made up of the names of its fields and headers, of what these say of who answered, of how its id begins and
of the kind of its fingerprint. What depends on what a model said, or on how bytes travel, is no part of that (see
`selfexec.engines.http.forms`). Servers behind one address may differ in this, and a gateway that answers by itself
nearly always does. So a part counts only where more than half of the replies have it, and it is missing, or where no
more than half have it, and it is there; and only if a reply differs in two parts or more, since good servers have many
a field now and then: a tier, a time in a queue, a source. A single one that is not known is listed (`unknown_fields`).
Another kind of id or fingerprint is two parts: one that is missing, and one that is there.

Replies that came more than an hour before or after all others are compared among themselves: a server may have been
replaced between two commands. Replies that were withheld, cut off or are empty have fields of their own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from selfexec.engines.base import BETWEEN_PARTS
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST = 8  # replies that are compared
LEAST_PARTS = 2  # in which a reply differs
SHOWN = 4  # parts that are named
UPSTREAM = "provider: "  # with the name by which a reply has who answered behind a gateway
ID = regex(r"([A-Za-z]{3,}[-_])(\d+$)?")
ROW = regex(r"[0-9a-f]{6,}")  # of a fingerprint

Made = tuple[int, str, str]  # the form of a reply, how its id begins, and the kind of its fingerprint


class Unlike(NamedTuple):
    """Replies that are unlike the others, and in which parts: those that only they have, and those that they lack."""

    replies: list[Reply]
    only: Sequence[str]
    lacking: Sequence[str]


def unlike_others(replies: Sequence[Reply]) -> Unlike:
    """The replies of a model that are made up differently from the others, with the parts in which most differ."""
    parts_of = {reply.form: reply.form_parts for reply in replies if reply.form_parts is not None}
    compared = [reply for reply in replies if reply.form in parts_of and _came_whole(reply)]
    odd, only, lacking = list[Reply](), Counter[str](), Counter[str]()
    for those in _by_hours(compared):
        by_made = _by_made(those)
        for made, differences in _differences({made: len(own) for made, own in by_made.items()}, parts_of).items():
            odd += by_made[made]
            for part, is_there in differences.items():
                (only if is_there else lacking)[part] += len(by_made[made])
    return Unlike(odd, _most_frequent(only), _most_frequent(lacking))


def _most_frequent(parts: Mapping[str, int]) -> Sequence[str]:
    """The parts in which most replies differ, in the order of their names where as many do."""
    return sorted(parts, key=lambda part: (-parts[part], part))[:SHOWN]


def in_words(unlike: Unlike) -> str:
    """In what the replies differ."""
    parts = [f"only they have {', '.join(unlike.only)}"] if unlike.only else []
    return "; ".join([*parts, f"they lack {', '.join(unlike.lacking)}"] if unlike.lacking else parts)


def _came_whole(reply: Reply) -> bool:
    return bool(reply.text) and reply.stop_reason in (None, "stop") and reply.policy is None and not reply.person


def _by_hours(replies: Iterable[Reply]) -> Iterator[list[Reply]]:
    """The replies of hours that follow one another, as far as they say when they came."""
    by_hour: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        by_hour[(reply.time or "")[:13]].append(reply)
    group, last = list[Reply](), None
    for hour in sorted(by_hour):
        now = datetime.fromisoformat(f"{hour}:00") if hour else None
        if last and now and now - last > timedelta(hours=1):
            yield group
            group = []
        group, last = group + by_hour[hour], now
    yield group


def _by_made(replies: Iterable[Reply]) -> Mapping[Made, list[Reply]]:
    """The replies by what they are made up of."""
    by_made: dict[Made, list[Reply]] = defaultdict(list)
    for reply in replies:
        begins = ID.match(reply.completion_id or "")
        number = " and a number" if begins and begins[2] else ""
        by_made[
            reply.form or 0,
            f"an id {begins[1]}{number}" if begins else "",
            f"system_fingerprint {ROW.sub('#', reply.fingerprint)}" if reply.fingerprint else "",
        ].append(reply)
    return by_made


def _differences(
    numbers: Mapping[Made, int], parts_of: Mapping[int | None, str | None]
) -> Mapping[Made, Mapping[str, bool]]:
    """In which parts replies differ from most others, by what they are made up of: True for one that only they have.
    Nothing where half of them do, or more: then the server itself varies.
    """
    whole = {made: _parts(made, parts_of) for made in numbers}
    total = sum(numbers.values())
    times = Counter[str]()
    for made, number in numbers.items():
        times.update(dict.fromkeys(whole[made], number))
    usual = {part for part, number in times.items() if number > total / 2}
    differing = {
        made: dict.fromkeys(parts - usual, True) | dict.fromkeys(usual - parts, False) for made, parts in whole.items()
    }
    counted = {made: differences for made, differences in differing.items() if len(differences) >= LEAST_PARTS}
    is_few = total >= LEAST and sum(numbers[made] for made in counted) < total / 2
    return counted if is_few else {}


def _parts(made: Made, parts_of: Mapping[int | None, str | None]) -> set[str]:
    """What replies of a kind are made up of. An id that begins in no known way has nothing to compare, and that a
    gateway had several providers is said by itself.
    """
    form, begins, fingerprint = made
    parts = {*(parts_of[form] or "").split(BETWEEN_PARTS), *filter(None, (begins, fingerprint))} - {""}
    return {part for part in parts if not part.startswith(UPSTREAM)}
