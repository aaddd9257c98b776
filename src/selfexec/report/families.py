"""Families of models, to filter a page by."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from selfexec.analysis.names import family_of
from selfexec.errors import InputError


def families(models: Sequence[str], groups: Path | None = None) -> Mapping[str, str]:
    """Model -> family: as the file says in its column `family` (or its first one), else by name."""
    said: Mapping[str, str] = {}
    if groups is not None:
        from selfexec.analysis.compare import load_tags

        tags = load_tags(groups, "--groups").values
        said = tags.get("family") or next(iter(tags.values()))
        if not said.keys() & set(models):
            raise InputError(f"--groups {groups}: it names none of these models: {', '.join(models)}. Name them so.")
    return {model: said.get(model) or family_of(model) for model in models}
