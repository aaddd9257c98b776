"""Hypotheses that were written down before the first call, and what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfexec.analysis.hypotheses import EXPLORATORY, JudgedHypothesis, declared_in, judged_hypotheses
from selfexec.report.data import Data


@dataclass(frozen=True)
class HypothesesSection:
    """The hypotheses of all runs of the page, with the SHA-256 that each run keeps of them."""

    lines: Sequence[JudgedHypothesis]
    digests: Sequence[str]
    exploratory: str = EXPLORATORY


def hypotheses(data: Data) -> HypothesesSection | None:
    declared = declared_in(data.selection)
    if not declared:
        return None
    return HypothesesSection(judged_hypotheses(data.selection), [one.sha256 for _, one in declared])
