"""Which values a prediction gives to the properties that it was asked for: in an object, in lines or in prose; and the
text of a reply that is predicted as a whole.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from selfexec.readers import Reading, read_object
from selfexec.readers.conclusion import conclude
from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment
from selfexec.readers.shown import mentioned
from selfexec.text.regex import regex

Meant = Callable[[Any], Any]  # what is said of a property -> its value, None where that is no answer
TAG = regex(r"<(?P<closing>/?)response>", re.IGNORECASE)
LEAST_NAMED = 2  # properties, where there is no object
SAID = r"""(?:"(?P<double>[^"\n]{0,80})" | '(?P<single>[^'\n]{0,80})' | “(?P<smart>[^”\n]{0,80})”
              | (?P<bare>[^\s,;|}\n][^,;|}\n]{0,60}))"""


def read_values(text: str, properties: Mapping[str, Meant]) -> Reading:
    """The values by property. The last object that names a property counts; without one, what stands behind the names
    of two properties or more, each at its last place ("Number: 7" alone may be a reply to the prompt). A property that
    is given no value, or one that is none, is left out.
    """
    objects = [reading for name in properties if (reading := read_object(text, name, _meant(properties))).evidence]
    if objects:
        return max(objects, key=lambda reading: len(reading.value or ()))
    plain = plain_text(text)
    found = list(_named(plain, properties))
    values = {name: value for name, value, _ in found}
    if len(values) < min(LEAST_NAMED, len(properties)):
        return conclude(text, [])
    start, end = min(place[0] for _, _, place in found), max(place[1] for _, _, place in found)
    return conclude(text, [Commitment(start, end, values)], of_a_request=True)


def read_predicted_reply(text: str) -> Reading:
    """The text of the reply that a prediction gives: between the last two marks that belong together, without blanks
    around it. Unreadable where it has none, or nothing stands between them.
    """
    start, predicted = -1, None
    for tag in TAG.finditer(text):
        if not tag["closing"]:
            start = tag.end()
        elif start >= 0 and text[start : tag.start()].strip():
            predicted, start = Commitment(start, tag.start(), text[start : tag.start()].strip()), -1
    return conclude(text, [predicted] if predicted else [], of_a_request=True)


def _meant(properties: Mapping[str, Meant]) -> Callable[[Mapping[str, Any]], dict[str, Any] | None]:
    """What an object says of the properties; None where it says nothing of any."""

    def meant(said: Mapping[str, Any]) -> dict[str, Any] | None:
        values = {name: properties[name](value) for name, value in said.items() if name in properties}
        return {name: value for name, value in values.items() if value is not None} or None

    return meant


def _named(text: str, properties: Mapping[str, Meant]) -> Iterator[tuple[str, Any, tuple[int, int]]]:
    """Each property that is named with a value behind it, in the order of the text."""
    for found in _pattern(tuple(properties)).finditer(text):
        name = re.sub(r"[ -]", "_", found["name"].lower())
        written = next(found[way] for way in ("double", "single", "smart", "bare") if found[way] is not None)
        value = properties[name](written)
        if value is not None and not mentioned(text, *found.span()):
            yield name, value, found.span()


@cache
def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    """A name, with or without quotes, and behind a sign or "would be" what is said of it."""
    either = "|".join(re.escape(name).replace("_", "[ _-]") for name in names)
    return re.compile(
        rf"""(?<![\w-])(?P<name>{either})[\"'”’*_`]{{0,4}}\s{{0,3}}
             (?:[:=|]|[–—-](?=\s)|(?:would|will)\s+be\b)[*_]{{0,2}}\s{{0,4}}{SAID}""",
        re.IGNORECASE | re.VERBOSE,
    )
