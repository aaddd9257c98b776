"""What can be set about files to train on. Kept apart, so that the help of the command is there at once."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from selfexec.options import Names, Settled, option

if TYPE_CHECKING:
    from selfexec.runs import Run

Split = Literal["family", "item"]


@dataclass(frozen=True)
class SftOptions(Settled):
    """What can be set about files to train a model on."""

    run: "Run | str | Path"
    out: str | Path
    _: KW_ONLY
    model: str | None = option(
        None, "The model whose behaviour is to be learnt. Default: the only model of the run.", typed=False
    )
    experiments: Names = option((), "Only these experiments.", form="names", typed=False)
    against: Names = option(
        (),
        "The models whose behaviour the cross-trained control learns instead. Default: every other model of the run.",
        metavar="MODEL[,MODEL]",
        form="names",
    )
    source: str | None = option(
        None,
        "Where outcomes come from, in experiments with several sources: self or rule; or, from judgements.jsonl in "
        "RUN: majority, human or judge:NAME.",
        metavar="SOURCE",
    )
    split: Split = option(
        "family",
        "The unit that is either trained on or held out as a whole: family (items worded alike) or item.",
    )
    seed: int = option(0, "The seed that decides which families are held out, and the shuffled control.", metavar="N")
