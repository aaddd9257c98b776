"""What can be set about abilities."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from selfexec.options import Files, Settled, option

if TYPE_CHECKING:
    import polars as pl

    from selfexec.extensions.rasch.rates import RateTable


@dataclass(frozen=True)
class RaschOptions(Settled):
    """What can be set about abilities."""

    table: "str | Path | RateTable | pl.DataFrame"
    _: KW_ONLY
    add: Files = option((), "A file of further models, with the same columns.", metavar="FILE", form="files")
    method: Literal["newton", "paper"] = option(
        "newton", "newton: joint maximum likelihood. paper: Algorithm 1 as printed."
    )
    jackknife: bool = option(False, "Also compute standard errors by leaving out one benchmark at a time.")
