"""The tool in the report: a part of its appendix, where it was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from selfexec.extensions.tool.scores import NO_SELF_KNOWLEDGE, SUPERVISION, ToolScores, found_in
from selfexec.report.data import Data
from selfexec.text.tables import Table


@dataclass(frozen=True)
class Section:
    """What the tool added, as tables."""

    scores: ToolScores

    @property
    def tables(self) -> Sequence[Table]:
        return self.scores.tables

    @property
    def said(self) -> Sequence[str]:
        return (NO_SELF_KNOWLEDGE, SUPERVISION)


def tool(data: Data) -> Section | None:
    """What the appendix shows; None where nobody had the tool."""
    scores = data.once(_scores)
    return Section(scores) if scores else None


def _scores(data: Data) -> ToolScores:
    return found_in(replace(data.selection, conditions=()))
