"""What can be set about scores of token injection."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from selfexec.analysis.options import ConventionOptions, ReadingOptions, only_models
from selfexec.options import Names

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection


@dataclass(frozen=True)
class InjectionOptions(ReadingOptions, ConventionOptions):
    """What can be set about scores of token injection."""

    runs: "Runs | Selection"
    _: KW_ONLY
    models: Names = only_models()
