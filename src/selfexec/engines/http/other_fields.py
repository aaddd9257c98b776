"""What a reply carries beside the fields and headers that are known: each name with its value, where that is short.

Nobody can list the names by which gateways say that they changed a prompt, a text or a model. So what is not known
(see `known_names`) is kept with the reply, whatever its name is, and listed once for a run.

A part is the path of a field (`usage.compression.ratio: 0.52`) or the name of a header (`header x-prompt-guard:
sanitized`). An id stands as `#` with three digits of its checksum, by which the same one is known again, and long texts
have no value. Of a name that has more than a few values only the first ones are kept.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any
from zlib import crc32

from selfexec.engines.base import BETWEEN_PARTS
from selfexec.engines.http.known_names import (
    CLOSED,
    FIELDS,
    LONG_ID,
    is_known_field,
    is_known_header,
    is_listed_header,
    is_measure_by_name,
)
from selfexec.engines.http.raw_bodies import RawBody
from selfexec.engines.model_names import is_one_model

MOST_VALUES = 8  # of a name, of a model at an address: a name with more of them is kept without
MOST_NAMES = 200  # of a model at an address whose values are remembered
MOST_PARTS = 24  # of a reply
LONGEST_VALUE = 120  # characters
LONGEST_PATH = 80
DEEPEST = 8
FIRST = 3  # objects of a list that are looked at


class OtherFields:
    """The values that names which are not known had in the replies of each model at each address."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], set[str]] = {}

    def of(
        self,
        url: str,
        model: str,
        body: RawBody,
        headers: Mapping[str, str],
        of_pieces: Mapping[str, Any] = MappingProxyType({}),
    ) -> str | None:
        """The parts of a reply that are not known; None where all are. `of_pieces` is what was not known in the pieces
        of a stream.
        """
        unknown = unlisted_headers(tuple(headers))
        if not (unknown or of_pieces or has_unlisted(body.names)):
            return None
        values = [(f"header {name.lower()}", headers[name]) for name in unknown]
        values = [(path, value) for path, value in values if not is_known_header(path[len("header ") :], value)]
        if has_unlisted(body.names):
            values += _fields_of(body)
        values += of_pieces.items()
        parts = dict[str, str]()
        for path, value in values:
            if path not in parts and not _names_the_model(value, model) and len(parts) < MOST_PARTS:
                parts[path] = self._part(url, model, path, shown_value(value))
        return BETWEEN_PARTS.join(parts.values()) or None

    def _part(self, url: str, model: str, path: str, value: str) -> str:
        """A name with its value, or alone, where the value is long or one of many."""
        whose = (url, model, path)
        if whose not in self._values and len(self._values) >= MOST_NAMES:
            return path
        values = self._values.setdefault(whose, set())
        if value not in values:
            if len(values) >= MOST_VALUES:
                return path
            values.add(value)
        return f"{path}: {value}" if value else path


def unknown_in_piece(piece: RawBody) -> Mapping[str, Any]:
    """What is not known in one piece of a stream, by its path; nothing of nearly all."""
    return dict(_fields_of(piece)) if has_unlisted(piece.names) else {}


@lru_cache(maxsize=256)
def has_unlisted(names: frozenset[bytes]) -> bool:
    """Whether some names of fields are not listed. A server sends the same ones with nearly every reply."""
    return not FIELDS.issuperset(name.decode(errors="replace") for name in names)


@lru_cache(maxsize=256)
def unlisted_headers(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of headers that are not known whatever their values are."""
    return tuple(name for name in names if not is_listed_header(name.lower()))


def _fields_of(body: RawBody) -> list[tuple[str, Any]]:
    """The fields of a body that are not known, and those within them, with their paths."""
    return [*islice(unknown_fields(body.value), MOST_NAMES)]


def unknown_fields(body: Any) -> Iterator[tuple[str, Any]]:
    """The fields with a value of their own that are not known, or stand in an object that is not, with their paths."""
    waiting: list[tuple[str, Any, bool, int]] = [("", body, True, 0)]
    while waiting:
        path, place, known, depth = waiting.pop(0)
        if isinstance(place, list):
            scalars = [part for part in place if not isinstance(part, dict | list)]
            if scalars and not known:
                yield path, ", ".join(map(shown_value, scalars[:FIRST]))
            waiting += [(path, part, known, depth + 1) for part in place[:FIRST] if isinstance(part, dict | list)]
        elif isinstance(place, dict) and depth <= DEEPEST:
            for name, value in place.items():
                here = f"{path}.{name}" if path else name
                is_known = known and is_known_field(name, value if not isinstance(value, dict | list) else True)
                if not isinstance(value, dict | list):
                    if not is_known and says_anything(name, value):
                        yield here[:LONGEST_PATH], value
                elif not (known and name in CLOSED):
                    waiting.append((_shortened_path(path, name), value, is_known, depth + 1))


def _shortened_path(path: str, name: str) -> str:
    """The path of what stands in an object. The objects that every reply of a format has need no name in it."""
    return path if name in OUTER else (f"{path}.{name}" if path else name)[:LONGEST_PATH]


OUTER = frozenset(("choices", "candidates", "output", "response", "message", "delta"))


def says_anything(name: str, value: Any) -> bool:
    """Whether a field has a value, and is no measure."""
    return value is not None and value != "" and not is_measure_by_name(name, value)


def shown_value(value: Any) -> str:
    """A value in one line, with `#` for ids; "" where it is too long to be shown."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:.6g}" if isinstance(value, float) else _without_ids(str(value))
    line = " ".join(str(value).split()).replace(BETWEEN_PARTS.strip(), ",") if value is not None else "null"
    return _without_ids(line) if len(line) <= LONGEST_VALUE else ""


def _without_ids(line: str) -> str:
    return LONG_ID.sub(lambda match: f"#{crc32(match[0].encode(errors='replace')) & 0xFFF:03x}", line)


def _names_the_model(value: Any, model: str) -> bool:
    return isinstance(value, str) and is_one_model(model, value)
