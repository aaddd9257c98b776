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
        "A set of items (starter, paper) or a folder. Default: starter.",
        metavar="SET|FOLDER",
        section=WHICH_ITEMS,
        stored=True,
    )


@dataclass(frozen=True, kw_only=True)
class Wanted(ItemSource):
    """What is asked of each model, and how often."""

    experiments: Names | None = option(
        None,
        "Only these experiments. Default: for a folder, all that it has items for; for a named set, those that count "
        "towards the overall score.",
        flag="--experiment",
        form="names",
        section=WHICH_ITEMS,
        stored=True,
    )
    preset: Preset | None = option(
        None, "A subset with each kind of item in proportion, instead of --limit and --fraction.", section=WHICH_ITEMS
    )
    limit: int | None = option(
        None,
        "Only the first N items of each experiment, in the set's fixed order, which is not that of its file.",
        metavar="N",
        section=WHICH_ITEMS,
    )
    fraction: float | None = option(
        None, "The share of the items to ask: above 0 and at most 1.", metavar="X", section=WHICH_ITEMS
    )
    epochs: int | None = option(None, "How many times to ask each item. Default: once.", metavar="N", section=HOW_MUCH)
    facets: Mapping[str, Names] = option(
        {},
        "Also ask in this condition: a facet at one of its levels. Every level of one facet is combined with every "
        "level of the others.",
        flag="--facet",
        metavar="NAME=LEVEL",
        form="levels",
        section=IN_WHICH_CONDITIONS,
        stored=True,
    )
    prompts: Mapping[str, str] | str | Path | None = option(
        None,
        "Prompts to use instead of the built-in ones: a set (de: German), or a file with the changed prompts only, in "
        "the format of `selfexec prompts`.",
        metavar="SET|FILE",
        section=WHAT_IS_SENT,
        stored=True,
    )
    protocol: SamplingProtocol = option(
        "default",
        "paper: the paper's temperature in each experiment, unless --set gives another for that experiment.",
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
class ItemFields:
    """Fields of items that a run may set for all of them: what is given here stands in their place, in each experiment
    whose items have the field.
    """

    doses: Names | None = option(
        None,
        "How many words or tokens to put into a reply, with sessions for each number. Default: as the items say (1,4 "
        "for the built-in items).",
        metavar="N[,N]",
        form="names",
        section=WHICH_ITEMS,
        stored=True,
    )


@dataclass(frozen=True, kw_only=True)
class Calls:
    """How much is asked by one command."""

    max_calls: int | None = option(
        None, "Stop after this many calls. Repeat the command to continue.", metavar="N", section=HOW_MUCH
    )


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """What commands that ask, or write files to ask with, have besides what their functions have in Python."""

    dry_run: bool = option(
        False, "Show what would be asked or written, and what it would cost. Do nothing.", section=HOW_MUCH
    )


@dataclass(frozen=True, kw_only=True)
class Spending(Calls):
    """What asking may cost."""

    max_total_tokens: int | None = option(
        None,
        "Stop asking once the run has used this many tokens, in and out, counting earlier commands.",
        metavar="N",
        section=HOW_MUCH,
    )
    max_cost: float | None = option(
        None,
        "Stop asking once the run has cost this many dollars, counting earlier commands.",
        metavar="USD",
        section=HOW_MUCH,
    )
    price: Names | None = option(
        None,
        "The price in dollars per million tokens in and out, or a file in LiteLLM's format, for models without a list "
        "price.",
        metavar="[MODEL=]IN,OUT|FILE",
        form="repeated",
        section=HOW_MUCH,
        stored=True,
    )


@dataclass(frozen=True, kw_only=True)
class UnknownEnds(AcceptedEnds):
    """What becomes of replies whose end is not known."""

    retry_ends: bool = option(
        False, "Ask again where a reply ended with an unrecognised stop reason.", section=WHERE_IT_GOES, study=False
    )


def _models(help: str) -> Any:
    return option(
        None,
        help,
        flag="--model",
        short="-m",
        metavar="PROVIDER/MODEL",
        form="names",
        section=WHICH_MODELS,
        stored=True,
        study=False,
    )


def _progress() -> Any:
    return option(
        None,
        "A function that is called with the progress after each session, and every second while no session ends. "
        "Without it, the progress of real models is shown on standard error.",
        typed=False,
        recorded=False,
        study=False,
    )


AGAIN = "Also ask the sessions that a batch has not returned yet; these are then paid for twice."


@dataclass(frozen=True)
class RunOptions(
    NotesGiven, UnknownEnds, Connection, Sampling, Spending, ItemFields, Wanted
):  # the signature begins with the last of them
    """What can be set about a run."""

    models: Names | None = _models(
        "`provider/model` or `sim/NAME`. Default: the models of the run in --out, or else simulated models."
    )
    _: KW_ONLY
    shard: str | None = option(
        None,
        "Ask only share I of N, counted from 0, on any machine that can write to the run's folder. Caps apply to this "
        "share only. `selfexec merge` joins the shares.",
        metavar="I/N",
        section=ON_MANY_MACHINES,
        stored=True,
        study=False,
    )
    allow_self_execution: bool = option(
        False,
        "Allow models to run prompts, in the conditions that offer it. Must be given with every command.",
        section=IN_WHICH_CONDITIONS,
        study=False,
    )
    tool_tokens: int | None = option(
        None,
        "The maximum number of tokens in each reply to a prompt that a model runs. Default: 1000.",
        metavar="N",
        least=1,
        section=IN_WHICH_CONDITIONS,
        stored=True,
    )
    out: str | Path | None = option(
        None,
        "The run's folder. Default: runs/NAME. An unfinished run is continued.",
        short="-o",
        metavar="PATH",
        form="file",
        section=WHERE_IT_GOES,
        stored=True,
    )
    hypotheses: str | Path | None = option(
        None,
        "A file of hypotheses, stored in the run before the first call; report and card state which of them held.",
        metavar="FILE",
        form="file",
        section=WHERE_IT_GOES,
        stored=True,
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
    _: KW_ONLY
    experiments: Names | None = option(
        None,
        "Only these experiments. Default: those that a run would ask.",
        flag="--experiment",
        form="names",
        section=WHICH_ITEMS,
    )

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
        "The name of the judge. Default: the model's name. The same model with other settings is another judge.",
        metavar="NAME",
        section="Who judges what",
        stored=True,
    )
    models: Names | None = option(
        None,
        "Only replies of these models.",
        flag="--model",
        short="-m",
        form="names",
        section="Who judges what",
        stored=True,
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

    models: Names | None = _models("`provider/model`, one or several. Default: the models of the existing run.")
    _: KW_ONLY
    to: str
    out: str | Path
    again: bool = option(
        False, "Export again the sessions that a batch has not returned yet; these are then paid for twice."
    )
    per_file: int | None = option(
        None, "The maximum number of requests per file, if lower than the provider's own.", metavar="N"
    )

    def __post_init__(self) -> None:
        settle(self)


def stored_names(kinds: Iterable[type[Any]] = (RunOptions, CheckOptions, JudgeOptions, BatchOptions)) -> frozenset[str]:
    """The options whose values a run may write down as they are."""
    return frozenset(each.name for kind in kinds for each in declared(kind) if each.is_stored)
