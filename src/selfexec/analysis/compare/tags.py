"""Groups of models: does a tag, as reasoning or size, go with a difference? The unit is the model."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from selfexec.analysis.compare.differences import Contrast, Standing
from selfexec.errors import InputError
from selfexec.files import csv_rows
from selfexec.stats import welch


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
        raise InputError(f"{path}:{fault.lineno}: not valid JSON ({fault.msg}).") from None
    if isinstance(found, dict):
        found = [{"model": m, **tags} if isinstance(tags, dict) else tags for m, tags in found.items()]
    if not all(isinstance(row, dict) for row in found):
        raise InputError(f"{path}: not rows of tags. Write a list of objects with 'model', or model -> tags.")
    yield from found


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value).strip()


def contrasts(tags: Tags, names: Mapping[str, str], standings: Sequence[Standing]) -> tuple[list[Contrast], list[str]]:
    """Welch's t test for each tag that splits the models in two, and notes on what could not be used. `names`: label of
    each model -> its name; a tag may be of either. Of numbers the greater half is set against the rest, of several
    kinds each one.
    """
    rows: list[Contrast] = []
    notes: list[str] = []
    for tag, values in tags.values.items():
        of = {label: said for label, name in names.items() if (said := values.get(label, values.get(name)))}
        if without := [label for label in names if label not in of]:
            notes.append(f"no tag {tag}: {', '.join(without)}")
        if len(set(of.values())) < 2:
            notes.append(f"tag {tag} is the same for all of these models; a contrast takes two kinds")
            continue
        keys = dict.fromkeys((row.metric, row.experiment) for row in standings)
        for key in keys:
            several = [row for row in standings if (row.metric, row.experiment) == key]
            rows += [_contrast(tag, kinds, split, several) for kinds, split in _splits(of)]
    absent = {model for values in tags.values.values() for model in values} - set(names) - set(names.values())
    if absent:
        notes.append(f"tagged, but not among these models: {', '.join(sorted(absent))}")
    return rows, notes


def _splits(of: Mapping[str, str]) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The two kinds of a contrast, and which of them each model is."""
    kinds = sorted(set(of.values()))
    if len(kinds) == 2:
        yield kinds, dict(of)
        return
    sizes = {label: _size(value) for label, value in of.items()}
    known = [size for size in sizes.values() if size is not None]
    if len(known) == len(sizes):
        middle = float(np.median(known))
        small, great = f"up to {middle:g}", f"above {middle:g}"
        yield [small, great], {label: great if (size or 0.0) > middle else small for label, size in sizes.items()}
        return
    for kind in kinds:
        yield ["the others", kind], {label: kind if value == kind else "the others" for label, value in of.items()}


def _size(value: str) -> float | None:
    """A number, as 70 or 70b or 3.1B; None for words."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s?[bB]?", value)
    return float(found[1]) if found else None


def _contrast(tag: str, kinds: Sequence[str], of: Mapping[str, str], standings: Sequence[Standing]) -> Contrast:
    groups = [
        np.array(sorted(r.value for r in standings if of.get(r.model) == kind and r.value is not None))
        for kind in kinds
    ]
    found = welch(groups[0], groups[1])
    counts = [len(group) for group in groups]
    means = [float(group.mean()) if len(group) else None for group in groups]
    reason = None
    if min(counts) < 2:
        n, kind = min(zip(counts, kinds, strict=True))
        reason = f"only {n} model{'s are' if n != 1 else ' is'} {kind!r}: it takes two in each group to tell"
    elif math.isnan(found.p):
        reason = "models of a group are all the same"
    low, high, p = (None if math.isnan(x) else x for x in (*found.interval, found.p))
    return Contrast(
        tag=tag,
        metric=standings[0].metric,
        experiment=standings[0].experiment,
        first=kinds[0],
        second=kinds[1],
        models_first=counts[0],
        models_second=counts[1],
        mean_first=means[0],
        mean_second=means[1],
        difference=None if math.isnan(found.difference) else found.difference,
        low=low,
        high=high,
        p=p,
        reason=reason,
    )
