"""Everything that can be set when models are asked: for a run, a check, a judge and batch files.

What several of them have in common is a class of its own. A new option of all is a field of `Connection` or `Sampling`
(in `engines`) or of a class here. How it is given, written down and gone on with follows from the field. What it does
is written where it acts: each wire format and each engine names the fields of `Sampling` that it sends (`Wire.sends`,
`EngineType.sends`), so that an option is refused by name wherever it would not be sent. This module stands outside of
`runs`, which takes long to import, so that the help of a command is there at once.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from selfexec.engines import Address, Connection, Sampling
from selfexec.errors import InputError
from selfexec.items import Preset
from selfexec.options import (
    HOW_MUCH,
    WHAT_IS_SENT,
    WHERE_IT_GOES,
    WHICH_MODELS,
    Names,
    NotesGiven,
    changed,
    declared,
    option,
    refuse_no_name,
    settle,
)
from selfexec.reading_options import AcceptedEnds

if TYPE_CHECKING:
    from selfexec.runs.asking.progress import Progress
    from selfexec.runs.run import Run

SamplingProtocol = Literal["default", "paper"]
MOST_EPOCHS = 10_000
STARTER = "starter"  # the items that are asked unless others are named
WHICH_ITEMS, IN_WHICH_CONDITIONS, ON_MANY_MACHINES = "Which items", "In which conditions", "On many machines"
STUDY = "A study in one file"
SECTIONS = (
    *(WHICH_MODELS, WHICH_ITEMS, IN_WHICH_CONDITIONS, HOW_MUCH, ON_MANY_MACHINES, WHAT_IS_SENT),
    *(WHERE_IT_GOES, STUDY),
)


@dataclass(frozen=True, kw_only=True)
class ItemSource:
    """Which set of items."""

    items: str | Path | None = option(
        None,
        "A set of items (starter, paper) or a folder; starter unless it is given.",
        metavar="SET|FOLDER",
        section=WHICH_ITEMS,
        stored=True,
    )


@dataclass(frozen=True, kw_only=True)
class Wanted(ItemSource):
    """What is asked of each model, and how often."""

    experiments: Names | None = option(
        None,
        "Only these experiments; otherwise all that a folder of items is for, and of a set by its name those of the "
        "overall score.",
        flag="--experiment",
        form="names",
        section=WHICH_ITEMS,
        stored=True,
    )
    preset: Preset | None = option(
        None, "A cut with its strata in proportion, in place of --limit and --fraction.", section=WHICH_ITEMS
    )
    limit: int | None = option(None, "At most so many items per experiment.", metavar="N", section=WHICH_ITEMS)
    fraction: float | None = option(
        None, "This share of the items, above 0 and at most 1.", metavar="X", section=WHICH_ITEMS
    )
    epochs: int | None = option(
        None, "How often everything is asked; once unless it is given.", metavar="N", section=HOW_MUCH
    )
    facets: Mapping[str, Names] = option(
        {},
        "Ask in this condition, too. Every level of one facet is combined with every level of the others.",
        flag="--facet",
        metavar="NAME=LEVEL",
        form="levels",
        section=IN_WHICH_CONDITIONS,
        stored=True,
    )
    prompts: Mapping[str, str] | str | Path | None = option(
        None,
        "Other prompts: a set (de, in German), or a file as `selfexec prompts` prints it, with those that differ.",
        metavar="SET|FILE",
        section=WHAT_IS_SENT,
        stored=True,
    )
    protocol: SamplingProtocol = option(
        "default",
        "paper: the temperature of the paper's authors in each experiment. A setting of the experiment replaces it.",
        section=WHAT_IS_SENT,
    )

    @property
    def repetitions(self) -> int:
        """How often everything is asked.

        Raises:
            InputError: It is less than once, or more than a run holds.
        """
        epochs = 1 if self.epochs is None else self.epochs
        if epochs < 1:
            raise InputError(f"--epochs {epochs}: give 1 or more.")
        if epochs > MOST_EPOCHS:
            raise InputError(f"--epochs {epochs}: a run holds {MOST_EPOCHS:,} at most.")
        return epochs


@dataclass(frozen=True, kw_only=True)
class Calls:
    """How much is asked by one command."""

    max_calls: int | None = option(
        None, "Open at most so many sessions now; the same command goes on from there.", metavar="N", section=HOW_MUCH
    )


@dataclass(frozen=True, kw_only=True)
class Spending(Calls):
    """What asking may cost."""

    max_total_tokens: int | None = option(
        None,
        "Ask no more once so many tokens were taken, in and out, by this and all earlier commands of the run.",
        metavar="N",
        section=HOW_MUCH,
    )
    max_cost: float | None = option(
        None,
        "Ask no more once so many dollars were spent, by this and all earlier commands of the run.",
        metavar="USD",
        section=HOW_MUCH,
    )
    price: Names | None = option(
        None,
        "Dollars for a million tokens in and out, or a file in LiteLLM's format, where no list knows them.",
        metavar="[MODEL=]IN,OUT|FILE",
        form="repeated",
        section=HOW_MUCH,
        stored=True,
    )


@dataclass(frozen=True, kw_only=True)
class UnknownEnds(AcceptedEnds):
    """What becomes of replies whose end is not known."""

    retry_ends: bool = option(
        False, "Ask again for replies whose end is not known.", section=WHERE_IT_GOES, study=False
    )


def _models(help: str) -> Any:
    return option(
        None,
        help,
        flag="--model",
        metavar="PROVIDER/MODEL",
        form="names",
        section=WHICH_MODELS,
        stored=True,
        study=False,
    )


def _progress() -> Any:
    return option(
        None,
        "A function that is called with the progress after each session, and every second while none ends; without "
        "it, progress with real models is shown on standard error.",
        typed=False,
        recorded=False,
        study=False,
    )


AGAIN = "Ask also what is out in a batch and has not come back, which is then paid twice."


@dataclass(frozen=True)
class RunOptions(
    NotesGiven, UnknownEnds, Connection, Sampling, Spending, Wanted
):  # the signature begins with the last of them
    """What can be set about a run."""

    models: Names | None = _models(
        "`provider/model` or `sim/NAME`; without any, those of the run in `out`, else the simulated panel."
    )
    _: KW_ONLY
    shard: str | None = option(
        None,
        "Only share I of N, from 0 to N-1, into a folder of its own in the run's, on any machine that sees it; caps "
        "hold for this share alone. `selfexec merge` joins them.",
        metavar="I/N",
        section=ON_MANY_MACHINES,
        stored=True,
        study=False,
    )
    out: str | Path | None = option(
        None,
        "The run's folder, runs/NAME unless it is given. An unfinished run is continued.",
        short="-o",
        metavar="PATH",
        form="file",
        section=WHERE_IT_GOES,
        stored=True,
    )
    hypotheses: str | Path | None = option(
        None,
        "A file of hypotheses, kept in the run before the first call; report and card say which of them held.",
        metavar="FILE",
        form="file",
        section=WHERE_IT_GOES,
        stored=True,
        study=False,
    )
    again: bool = option(False, AGAIN, section=WHERE_IT_GOES, study=False)
    on_progress: "Callable[[Progress], None] | None" = _progress()

    def __post_init__(self) -> None:
        settle(self)
        super().__post_init__()

    @property
    def made(self) -> dict[str, Any]:
        """Those that are not what they would be anyway."""
        return changed(self)


@dataclass(frozen=True)
class CheckOptions(AcceptedEnds, Sampling, Connection, ItemSource):
    """What can be set about trying a model."""

    model: str

    def __post_init__(self) -> None:
        refuse_no_name("model", self.model)
        settle(self)
        super().__post_init__()


@dataclass(frozen=True)
class JudgeOptions(UnknownEnds, Connection, Sampling, Spending):
    """What can be set about judging the replies of a run again."""

    run: "Run | str | Path"
    judge: str
    _: KW_ONLY
    name: str | None = option(
        None,
        "What the judge goes by, the model's name unless it is given. One model with other settings is another judge.",
        metavar="NAME",
        section="Who judges what",
        stored=True,
    )
    models: Names | None = option(
        None, "Only replies of these models.", flag="--model", form="names", section="Who judges what", stored=True
    )
    experiments: Names | None = option(
        None, "Only these experiments.", flag="--experiment", form="names", section="Who judges what", stored=True
    )
    on_progress: "Callable[[Progress], None] | None" = _progress()

    def __post_init__(self) -> None:
        refuse_no_name("judge", self.judge)
        settle(self)
        super().__post_init__()


@dataclass(frozen=True)
class BatchOptions(UnknownEnds, Address, Sampling, Calls, Wanted):
    """What can be set about files for a provider's batch API."""

    models: Names | None = _models("`provider/model`, one or several; without any, those of the run that is there.")
    _: KW_ONLY
    to: str
    out: str | Path
    again: bool = option(False, "Export once more what is out, which is then paid twice.")
    per_file: int | None = option(
        None, "At most so many requests a file, where that is less than the provider takes.", metavar="N"
    )

    def __post_init__(self) -> None:
        settle(self)


def stored_names(kinds: Iterable[type[Any]] = (RunOptions, CheckOptions, JudgeOptions, BatchOptions)) -> frozenset[str]:
    """The options whose values a run may write down as they are."""
    return frozenset(each.name for kind in kinds for each in declared(kind) if each.is_stored)
