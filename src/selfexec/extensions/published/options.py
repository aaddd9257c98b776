"""What can be set about a ledger."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from selfexec.analysis.options import Convention, ModelsAndExperiments, ReadingOptions, only_models
from selfexec.options import Names, option

if TYPE_CHECKING:
    from selfexec.analysis.score_table import Scores
    from selfexec.analysis.selection import Runs, Selection


@dataclass(frozen=True)
class LedgerOptions(ReadingOptions, ModelsAndExperiments):
    """What can be set about a ledger."""

    runs: "Runs | Selection"
    _: KW_ONLY
    models: Names = only_models("Only these models.")
    sensitivities: bool = option(
        True,
        "Whether to show also the effect of each choice that selfexec makes; without it, a ledger takes a third less "
        "time.",
        typed=False,
    )
    known: "Mapping[Convention, Scores] | None" = option(
        None, "Scores by convention that are already known.", typed=False
    )
