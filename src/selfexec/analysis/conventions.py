"""Conventions of counting that extensions add to strict and readable. They give no intervals and no baselines."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from selfexec import extension
from selfexec.analysis.options import WITH_SKILL
from selfexec.extension import registered, resolve
from selfexec.metrics import Score

if TYPE_CHECKING:
    from selfexec.runs import Run


def known_conventions() -> tuple[str, ...]:
    """All that there are here: ours, then those of extensions."""
    return (*WITH_SKILL, *_added())


def is_added(convention: str) -> bool:
    """Whether an extension adds this convention."""
    return convention in _added()


def rows_by(convention: str, run: "Run") -> Iterator[Score]:
    """The scores of a run by a convention that an extension adds."""
    rows: Iterator[Score] = resolve(_added()[convention].place)(run)
    return rows


def title_of(convention: str | None) -> str | None:
    """What stands above scores by such a convention; None of ours."""
    added = _added().get(convention or "")
    return added.title if added else None


def legend_of(convention: str) -> str | None:
    """What is said below them; None of ours."""
    added = _added().get(convention)
    return added.legend if added else None


def _added() -> Mapping[str, extension.Convention]:
    return registered("conventions")
