"""Numbers as people read them: shares without the zero before the point, intervals in brackets.

What rounds to zero has no sign; what is not there (None or nan) is a dash.
"""

import math
import re
from collections.abc import Callable, Iterable

ABSENT = "–"


class Printed(str):
    """A number as a table prints it, and the number itself for further calculation: with the ends of its
    interval, `of` how many it is, in which `unit`, whose it is (`baseline`), and which `score` it is.
    """

    value: float
    low: float | None
    high: float | None
    of: int | None
    unit: str
    baseline: str
    score: str

    def __new__(
        cls,
        text: str,
        value: float,
        low: float | None = None,
        high: float | None = None,
        *,
        of: int | None = None,
        unit: str = "",
        baseline: str = "",
        score: str = "",
    ) -> "Printed":
        made = super().__new__(cls, text)
        made.value, made.low, made.high, made.of = value, low, high, of
        made.unit, made.baseline, made.score = unit, baseline, score
        return made


def in_a_cell(value: float, low: float | None = None, high: float | None = None, digits: int = 3) -> str:
    """.531 [.508, .553], with the numbers behind it."""
    if math.isnan(value):
        return ABSENT
    low, high = (None if end is None or math.isnan(end) else end for end in (low, high))
    return Printed(interval(value, low, high, lambda number: decimal(number, digits)), value, low, high)


def count_in_a_cell(value: int, unit: str, of: int | None = None) -> Printed:
    """1,204; 12 of 1,250"""
    return Printed(f"{value:,}" if of is None else f"{value:,} of {of:,}", value, of=of, unit=unit)


def decimal(value: float | None, digits: int = 3) -> str:
    """.531, -.042, 1.000"""
    if value is None or math.isnan(value):
        return ABSENT
    text = f"{abs(value):.{digits}f}"
    size = text[1:] if text.startswith("0.") else text
    return f"-{size}" if value < 0 and float(text) else size


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


def dollars(value: float) -> str:
    """$0.0213, and of less than a tenth of a cent two digits: $0.000042."""
    digits = 4 if value <= 0 or value >= 0.001 else 1 - math.floor(math.log10(value))
    return f"${value:.{digits}f}"


def typeset(text: str) -> str:
    """The text as a page prints it, with a true minus sign before each number like -.05, -5% or -8 points."""
    if "-" not in text:  # as in nearly every cell
        return text
    return re.sub(r"(?:^|(?<=[\s\[(]))-(?=\.\d|\d+(?:\.\d\d|%| points?\b|[,\]]))", "−", text)


def with_zeros(text: str) -> str:
    """The text as LaTeX prints it, with a zero before each number like .05: 0.05, -0.05, [0.51, 0.62]."""
    return re.sub(r"(?:^|(?<=[\s\[(=<]))([-−+]?)\.(?=\d)", r"\g<1>0.", text)


def joined(names: Iterable[str]) -> str:
    """a, b and c"""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def all_of(n: int) -> str:
    """all 3, and of two both"""
    return "both" if n == 2 else f"all {n}"


def too_few(n: int, least: int, noun: str, plural: str = "", rest: str = "") -> str:
    """only 3 items have it, fewer than 20; of none: no item has it. `plural` as in number_of, `rest` stands behind."""
    return f"only {number_of(n, noun, plural)}{rest}, fewer than {least}" if n else f"no {noun}{rest}"


def is_or_are(n: int) -> str:
    """is, and of none or several are"""
    return "is" if n == 1 else "are"


def size_of(size: int) -> str:
    """Bytes as people read them: 512 B, 1.2 kB, 34 MB."""
    for unit, of in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= of:
            return f"{size / of:.{1 if size < 10 * of else 0}f} {unit}"
    return f"{size} B"


def number_of(n: int, noun: str, plural: str = "") -> str:
    """1 item, 1,500 items, 0 replies. `plural` is for what takes more than an s: 1 item has, 3 items have."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
