"""Groups of models: does a tag, as reasoning or size, go with a difference? The unit is the model."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from selfexec.analysis.differences import Contrast, Standing
from selfexec.files.tags import Tags
from selfexec.metrics import none_if_nan
from selfexec.stats import welch


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
    low, high, p = map(none_if_nan, (*found.interval, found.p))
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
        difference=none_if_nan(found.difference),
        low=low,
        high=high,
        p=p,
        reason=reason,
    )
