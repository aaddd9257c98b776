"""When a reply was made, as servers write it: in seconds, in thousandths, or as a date."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

from selfexec.text.regex import regex

# the fields of a body with the time at which the reply was made
TIMES = ("created", "created_at", "createTime", "createdAt", "completed_at")
EARLIEST, LATEST = 1e9, 1e11  # seconds since 1970: September 2001, and the year 5138, beyond which they are thousandths
DATED = regex(r"\d{4}-\d\d-\d\d[T ]\d")  # how a date in ISO 8601 with a time begins
IN_AN_ID = regex(r"(?<!\d)(?:1[4-9]|2\d)\d{8}(?:\d{3})?(?!\d)")  # seconds or thousandths, from 2014 on


def created_in(body: Mapping[str, Any]) -> float | None:
    """When a body says that it was made, in seconds since 1970, the earliest where it says several times: something on
    the way may write one of them anew. None where it does not say so, or gives no time.
    """
    times = (seconds_since_1970(body[name]) for name in TIMES if name in body)
    return min((seconds for seconds in times if seconds is not None), default=None)


def time_of(value: Any) -> float | None:
    """The time that a value of any field or header gives, in seconds since 1970: as a number, in digits, or as a date
    with a time of day, as bodies or headers have it; None for any other value.
    """
    if isinstance(value, str):
        if value.endswith("GMT"):
            return seconds_of_date(value)
        if not DATED.match(value):
            return seconds_since_1970(int(value)) if len(value) in (10, 13) and value.isdecimal() else None
    return seconds_since_1970(value)


def time_in_id(name: str | None) -> float | None:
    """The time that an id holds, as OpenRouter's do (`gen-1764230000-...`); None where it holds none."""
    found = IN_AN_ID.search(name) if name else None
    return seconds_since_1970(int(found[0])) if found else None


@lru_cache(maxsize=64)
def seconds_of_date(date: str) -> float | None:
    """The time that a header `Date` gives, in seconds since 1970; None where it gives none."""
    try:
        moment = parsedate_to_datetime(date)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def seconds_since_1970(value: Any) -> float | None:
    """A time as servers write it: seconds, thousandths, or a date in ISO 8601, which is UTC where it does not say."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1000 if value >= LATEST else float(value)
    return seconds if EARLIEST <= seconds < LATEST else None
