"""When a reply was made, as servers write it: in seconds, in thousandths, or as a date."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

# the fields of a body with the time at which the reply was made
TIMES = ("created", "created_at", "createTime", "createdAt")
EARLIEST, LATEST = 1e9, 1e11  # seconds since 1970: September 2001, and the year 5138, beyond which they are thousandths


def created_in(body: Mapping[str, Any]) -> float | None:
    """When a body says that it was made, in seconds since 1970; None where it does not say so, or gives no time."""
    return next((seconds for name in TIMES if (seconds := seconds_since_1970(body.get(name))) is not None), None)


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
