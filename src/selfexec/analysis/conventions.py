"""Conventions of counting that extensions add to strict and readable. They give no intervals and no baselines."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from selfexec.extension import Convention, registered, resolve
from selfexec.metrics import Score

if TYPE_CHECKING:
    from selfexec.runs import Run


def added_convention(name: str | None) -> Convention | None:
    """The convention of this name that an extension adds, None where no extension does."""
    added: Convention | None = registered("conventions").get(name or "")
    return added


def rows_by(convention: str, run: "Run") -> Iterator[Score]:
    """The scores of a run by a convention that an extension adds."""
    rows: Iterator[Score] = resolve(registered("conventions")[convention].place)(run)
    return rows
