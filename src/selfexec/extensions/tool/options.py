"""What can be set about what a tool adds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfexec.analysis.options import ConventionOptions, ModelsAndExperiments, OutcomeSource, ReadingOptions

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection


@dataclass(frozen=True)
class ToolOptions(OutcomeSource, ReadingOptions, ConventionOptions, ModelsAndExperiments):
    """What can be set about what a tool adds."""

    runs: "Runs | Selection"
