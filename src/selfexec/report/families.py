"""Families of models, to filter a page by."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from selfexec.analysis.names import family_of
from selfexec.files.tags import load_families


def families(models: Sequence[str], groups: Path | None = None) -> Mapping[str, str]:
    """Model -> family: as the file says in its column `family` (or its first one), else by name."""
    said = load_families(groups, models) if groups is not None else {}
    return {model: said.get(model) or family_of(model) for model in models}
