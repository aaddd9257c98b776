"""Numbers as people read them: shares without the zero before the point, intervals in brackets.

What rounds to zero has no sign; what is not there (None or nan) is a dash.
"""

import math
import re
from collections.abc import Callable

ABSENT = "–"


def decimal(value: float | None, digits: int = 3) -> str:
    """.531, -.042, 1.000"""
    if value is None or math.isnan(value):
        return ABSENT
    text = f"{value:.{digits}f}"
    text = text if float(text) else text.removeprefix("-")
    return re.sub(r"^(-?)0\.", r"\1.", text)


def signed(value: float | None, digits: int = 3) -> str:
    """+.531, -.042, .000"""
    text = decimal(value, digits)
    return f"+{text}" if value is not None and value > 0 and float(text) else text


def points(share: float | None) -> str:
    """Hundredths: +4.22, 0.00."""
    if share is None or math.isnan(share):
        return ABSENT
    text = f"{100 * share:+.2f}"
    return text if float(text) else "0.00"


def interval(
    value: float | None, low: float | None, high: float | None, say: Callable[[float | None], str] = decimal
) -> str:
    """.531 [.508, .553]; the value alone where it has no interval."""
    if value is None or low is None or high is None or math.isnan(low) or math.isnan(high):
        return say(value)
    return f"{say(value)} [{say(low)}, {say(high)}]"


def p_value(p: float | None) -> str:
    """As it is down to .001, and that it is smaller below."""
    return "<.001" if p is not None and p < 0.0005 else decimal(p)


def typeset(text: str) -> str:
    """The text as a page prints it, with a true minus sign before each number like -.05."""
    return re.sub(r"(?:^|(?<=[\s\[(]))-(?=\.\d|\d+\.\d\d)", "−", text)


def number_of(n: int, noun: str, plural: str = "") -> str:
    """1 item, 1,500 items, 0 replies. `plural` is for what takes more than an s: 1 item has, 3 items have."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
