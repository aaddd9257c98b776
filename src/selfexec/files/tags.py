"""Tables of what somebody says of models: a tag, as family or size, for each of them, as CSV or JSON."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfexec.errors import InputError
from selfexec.files import csv_rows


@dataclass(frozen=True)
class Tags:
    """Tag -> model -> value, as text."""

    values: Mapping[str, Mapping[str, str]]


def load_tags(path: Path, option: str = "--tags") -> Tags:
    """A CSV file with a column `model`, or JSON: a list of such rows, or an object of model -> tags. `option` is what
    it was given to.
    """
    text = csv_rows.read(path, f"no such file. Give {option} a CSV or JSON file with a row for each model.")
    rows = list(_json_rows(path, text) if text.lstrip()[:1] in ("[", "{") else _csv_rows(path, text))
    values: dict[str, dict[str, str]] = {}
    seen: set[str] = set()
    for row in rows:
        model = row.get("model")
        if not isinstance(model, str) or not model:
            raise InputError(f"{path}: a row names no model. Each needs a field 'model'.")
        if model in seen:
            raise InputError(f"{path}: {model} has two rows. Keep one.")
        seen.add(model)
        for tag, value in row.items():
            if tag != "model" and (said := _as_text(value)):
                values.setdefault(tag, {})[model] = said
    if not values:
        raise InputError(f"{path}: there are no tags. Write one row per model: model,reasoning,family.")
    return Tags(values)


def load_families(path: Path, models: Iterable[str], option: str = "--groups") -> Mapping[str, str]:
    """Model -> family: what the file says in its column `family`, or else in its first one. InputError: it names none
    of these models.
    """
    tags, here = load_tags(path, option).values, list(models)
    families = tags.get("family") or next(iter(tags.values()))
    if families.keys().isdisjoint(here):
        raise InputError(f"{option} {path}: it names none of these models: {', '.join(here)}. Name them so.")
    return families


def _csv_rows(path: Path, text: str) -> Iterable[dict[str, Any]]:
    lines = csv_rows.rows(path, text)
    first, fields = next(lines, (1, []))
    if "model" not in fields:
        raise InputError(f"{path}: there is no column 'model'. Its first line names the columns: model,reasoning.")
    if twice := [field for field in fields if field and fields.count(field) > 1]:
        raise InputError(f"{path}:{first}: the column {twice[0]!r} occurs twice. Rename or remove one.")
    for number, cells in lines:
        if len(cells) != len(fields):
            raise InputError(f"{path}:{number}: the row has not as many fields as the first line. Fix it.")
        yield dict(zip(fields, cells, strict=True))


def _json_rows(path: Path, text: str) -> Iterable[dict[str, Any]]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as fault:
        raise InputError(f"{path}:{fault.lineno}: not valid JSON ({fault.msg}). Give a list or an object.") from None
    if isinstance(found, dict):
        found = [{"model": m, **tags} if isinstance(tags, dict) else tags for m, tags in found.items()]
    if not all(isinstance(row, dict) for row in found):
        raise InputError(f"{path}: not rows of tags. Write a list of objects with 'model', or model -> tags.")
    yield from found


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value).strip()
