"""What is wrong with a line of items, in plain words: every fault of it, not only the first."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from selfexec.files import jsonl
from selfexec.text.matching import nearest

TYPES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}
SEVERAL = 4  # so many unknown fields are named
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
UNKNOWN = "the line is not what an item of this experiment must be"


def faults(line: bytes, kind: type[Any]) -> list[str]:
    """Why this line is no item of the kind; nothing where it is one."""
    try:
        found = msgspec.json.decode(line)
        msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError as fault:
        if not isinstance(found, dict):
            return [jsonl.what_is_wrong(line, fault)]
        # what the words below do not cover is shown as it is
        return list(_of_struct(found, kind, "")) or [f"{UNKNOWN}: {fault}"]
    except jsonl.UNDECODABLE as fault:
        return [jsonl.what_is_wrong(line, fault)]
    return []


def first_fault(kind: type[Any], line: bytes, _: Exception) -> str:
    """The first of them, for who stops there."""
    return faults(line, kind)[0]


def _of_struct(found: dict[str, Any], kind: Any, place: str) -> Iterator[str]:
    fields = msgspec.structs.fields(kind)
    for field in fields:
        if field.encode_name in found:
            yield from _of_value(found[field.encode_name], field.type, field.encode_name, place)
        elif field.required:
            strange = [name for name in found if name not in {other.encode_name for other in fields}]
            alike = (name for name in strange if isinstance(found[name], list) == _is_list(field.type))
            near = nearest(field.encode_name, alike)
            meant = f"Is {near!r} meant for it?" if near else f"Add it{_unread(strange)}."
            yield f"{place or 'the line'} lacks {field.encode_name!r}. {meant}"


def _is_list(type: Any) -> bool:
    type = get_args(type)[0] if get_origin(type) is Annotated else type
    return get_origin(type) is list


def _unread(names: list[str]) -> str:
    """What stands in the line instead, perhaps by another name."""
    return f": nothing reads {', '.join(map(repr, names[:SEVERAL]))}, which the line has" if names else ""


def _of_value(value: Any, type: Any, name: str, place: str) -> Iterator[str]:
    limits = None
    if get_origin(type) in (Union, UnionType):  # of what need not be there, and is
        type = next(part for part in get_args(type) if part is not NoneType)
    if get_origin(type) is Annotated:
        type, *more = get_args(type)
        limits = next((part for part in more if isinstance(part, msgspec.Meta)), None)
    field = f"{place}, field {name!r}" if place else f"field {name!r}"
    if isinstance(type, _STRUCT) and isinstance(value, dict):
        yield from _of_struct(value, type, f"{place}, {name}" if place else name)
        return
    if get_origin(type) is Literal:
        if value not in (choices := get_args(type)):
            yield f"{field} is {_shown(value)}: write {', '.join(choices[:-1])} or {choices[-1]}."
        return
    wanted = get_origin(type) or type
    wanted = dict if isinstance(wanted, _STRUCT) else wanted
    if value is None:
        yield f"{field} is null, which is never right in items: it must be {TYPES[wanted]}."
    elif not isinstance(value, wanted) or (wanted is not bool and isinstance(value, bool)):
        yield f"{field} must be {TYPES[wanted]}, not {TYPES[value.__class__]}."
    elif limits and (message := _of_length(len(value), limits, name, place, field)):
        yield message
    if isinstance(value, list) and wanted is list:
        [inner] = get_args(type)
        for number, part in enumerate(value, 1):
            yield from _of_part(part, inner, f"{name[:-1]} {number}", place)


def _of_part(part: Any, type: Any, name: str, place: str) -> Iterator[str]:
    """One of a list: `question 2`, `choice 3`."""
    where = f"{place}, {name}" if place else name
    if isinstance(type, _STRUCT) and isinstance(part, dict):
        yield from _of_struct(part, type, where)
        return
    wanted = dict if isinstance(type, _STRUCT) else type
    if not isinstance(part, wanted):
        yield f"{where} must be {TYPES[wanted]}, not {TYPES[part.__class__]}."


def _of_length(length: int, limits: msgspec.Meta, name: str, place: str, field: str) -> str | None:
    least, most = limits.min_length or 0, limits.max_length
    if least <= length and (most is None or length <= most):
        return None
    if least == most:
        return f"{place or 'the line'} needs {_number(least)} {name}, not {_number(length)}."
    if length < least:
        return (
            f"{field} is empty." if length == 0 else f"{field} needs at least {_number(least)}, not {_number(length)}."
        )
    return f"{field} may have {_number(most or 0)} at most, not {_number(length)}."


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else f"{n:,}"


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:59]}…"


_STRUCT = type(msgspec.Struct)
