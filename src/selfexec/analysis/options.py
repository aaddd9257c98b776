"""Everything that can be set about analyses of runs: a class for each function, made of what several have in common.

A new option of one function is a field of its class here; one of all that take a selection is a field of a class that
theirs are made of, and of `Selection`, which has it as code reads it. Nothing else lists it. The functions stand
elsewhere, in modules that take long to import, so that the help of a command is there at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from selfexec import extension
from selfexec.options import Files, Names, Settled, option
from selfexec.reading_options import AcceptedEnds

if TYPE_CHECKING:
    from selfexec.analysis.selection import Runs, Selection
    from selfexec.runs import Run

ConventionWithSkill = Literal["strict", "readable"]
WITH_SKILL: tuple[ConventionWithSkill, ...] = get_args(ConventionWithSkill)
ADDED: Mapping[str, extension.Convention] = extension.registered("conventions")
Convention = Literal["strict", "readable", "authors"]
if not TYPE_CHECKING:  # what is here: an extension may be missing, or add another one
    Convention = Literal[(*WITH_SKILL, *ADDED)]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)
Columns = Mapping[str, Mapping[str, float]]  # column -> model -> number; a hole is no entry
COUNTED = {
    "strict": "unreadable predictions count as wrong.",
    "readable": "unreadable claims are left out.",
    **{name: added.about for name, added in ADDED.items()},
}


# --- what several have in common -------------------------------------------------------------------------------------


def counted(*conventions: Convention) -> Any:
    """The option of how claims are counted, of a function that has these conventions."""
    return option("strict", " ".join(f"{name}: {COUNTED[name]}" for name in conventions))


def only_models(help: str = "Only these models; the others remain reference models.") -> Any:
    return option((), help, flag="--model", short="-m", form="names")


def only_experiments(help: str = "Only these experiments; `overall` is also accepted.") -> Any:
    return option((), help, flag="--experiment", form="names")


def measured_by(default: tuple[str, ...], help: str, more: str = "") -> Any:
    return option(
        default,
        f"{help} Choices: skill, accuracy, baseline_margin, coverage, rate_bias, share_of_ceiling, own_excess{more}.",
        flag="--metric",
        form="names",
    )


@dataclass(frozen=True, kw_only=True)
class ModelsAndExperiments:
    """Which models and experiments are shown."""

    models: Names = only_models()
    experiments: Names = only_experiments()


@dataclass(frozen=True, kw_only=True)
class ConventionOptions:
    """How claims are counted, where there are scores with intervals."""

    convention: ConventionWithSkill = counted("strict", "readable")


@dataclass(frozen=True, kw_only=True)
class ConditionsAndReadings:
    """The condition of the replies, and the readings of them."""

    conditions: Names = option(
        (),
        "Only this condition: `default`, or facet=level.",
        flag="--condition",
        metavar="NAME",
        form="repeated",
    )
    readings: Files = option(
        (),
        "Readings to use instead of selfexec's own: a file, or a folder of *.jsonl files.",
        metavar="FILE|FOLDER",
        form="files",
    )


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Settled, AcceptedEnds, ConditionsAndReadings):  # the signature begins with the last of them
    """Which replies count, and how they are read."""


@dataclass(frozen=True, kw_only=True)
class OutcomeSource:
    """Who says what was done."""

    source: str | None = option(
        None,
        "Where outcomes come from, in experiments with several sources: self, rule or visible (without thinking "
        "tokens); or, from judgements.jsonl in RUN: majority, human or judge:NAME.",
        metavar="SOURCE",
    )


@dataclass(frozen=True, kw_only=True)
class Families:
    """Which models are of one family."""

    groups: str | Path | None = option(
        None,
        "A CSV or JSON file with the columns model,family. Default: families are inferred from the models' names.",
        metavar="FILE",
        form="file",
    )


@dataclass(frozen=True, kw_only=True)
class ReferencePanel:
    """Whose models are reference models besides those of the runs."""

    panel: str | Path | None = option(
        None,
        "A reference panel of other models: paper (the paper's ten models), a file written by `selfexec export --to "
        "panel`, or none. Default: paper, for runs of the paper's items with too few models of their own.",
        metavar="paper|FILE|none",
    )


# --- one class for each function -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SelectionOptions(Families, ReferencePanel, OutcomeSource, ReadingOptions, ModelsAndExperiments):
    """Everything that functions of runs have in common."""

    given: "Runs | Selection"
    convention: Convention = counted(*CONVENTIONS)


@dataclass(frozen=True)
class ScoreOptions(Families, ReferencePanel, OutcomeSource, ReadingOptions, ModelsAndExperiments):
    """What can be set about scoring."""

    runs: "Runs | Selection"
    convention: Convention = counted(*CONVENTIONS)
    _: KW_ONLY
    bootstrap: int | None = option(
        None, "Compute intervals by bootstrap, with this many draws of items (10000 is plenty).", metavar="N"
    )
    seed: int | None = option(None, "The seed of --bootstrap. Default: 0.", metavar="N")
    brief: bool = option(
        False,
        "Compute only what the first screen of `selfexec score` shows, which is faster.",
        typed=False,
    )


@dataclass(frozen=True)
class LadderOptions(Families, ReferencePanel, OutcomeSource, ReadingOptions, ModelsAndExperiments):
    """What can be set about a ladder."""

    runs: "Runs | Selection"
    convention: ConventionWithSkill = counted("strict", "readable")
    _: KW_ONLY
    models: Names = only_models()
    experiments: Names = only_experiments("Only these experiments.")


@dataclass(frozen=True)
class CompareOptions(OutcomeSource, ReadingOptions, ConventionOptions, ModelsAndExperiments):
    """What can be set about a comparison."""

    runs: "Runs | Selection"
    _: KW_ONLY
    models: Names = only_models(
        "Only these models. If two are given, the first is the old one and the second the new one."
    )
    metrics: Names = measured_by(
        ("skill",),
        "What to compare. Default: skill.",
        more="; or `moved` by itself, which needs --planted: how far predictions followed planted behaviour",
    )
    planted: str | Path | None = option(
        None,
        "For --metric moved: a CSV file of the behaviour that fine-tuning planted, with the columns "
        "model,item,planted (yes or no).",
        metavar="FILE",
        form="file",
    )
    tags: str | Path | None = option(
        None, "A CSV or JSON file that describes the models: model,reasoning,family.", metavar="FILE", form="file"
    )
    fail_if: Names = option(
        (),
        "A release gate. 'overall.skill drops 0.1': PASS (exit 0) if the whole 95% interval of new - old lies above "
        "-0.1, FAIL (exit 3) if the whole interval lies below it, CANNOT TELL (exit 4) if -0.1 is inside it or the run "
        "is too small.",
        metavar="'EXPERIMENT.METRIC drops|rises X'",
        form="repeated",
    )
    precision: float | None = option(
        None, "Also report how many items are needed for an interval of this half-width.", metavar="X"
    )


@dataclass(frozen=True)
class TrendOptions(OutcomeSource, ReadingOptions, ConventionOptions, ModelsAndExperiments):
    """What can be set about a trend."""

    runs: "Runs | Selection"
    _: KW_ONLY
    models: Names = only_models("Only these checkpoints, in this order.")
    metrics: Names = measured_by(
        (), "What to track. Default: skill, accuracy, and baseline_margin if the runs have other models."
    )


@dataclass(frozen=True)
class CrossOptions(Families, OutcomeSource, ReadingOptions):
    """What can be set about crossing all predictions with all behaviour."""

    runs: "Runs | Selection"
    experiments: Names = only_experiments("Only these experiments.")


@dataclass(frozen=True)
class SubjectOptions(OutcomeSource, ReadingOptions):
    """What can be set about all predictions of one model's behaviour."""

    runs: "Runs | Selection"
    subject: str
    experiments: Names = only_experiments("Only these experiments.")


@dataclass(frozen=True)
class CorrelateOptions(ReadingOptions, ConventionOptions):
    """What can be set about correlations."""

    of: "Columns | Runs | Selection"
    against: Columns | Files | None = option(
        None, "A table to correlate scores with.", flag="--with", metavar="TABLE.csv", form="files"
    )
    eligible: Iterable[str] | None = option(
        None,
        "Models over which each pair of columns is correlated again. For runs: those whose overall score is not "
        "withheld.",
        typed=False,
    )


@dataclass(frozen=True)
class CardOptions(ReferencePanel, ReadingOptions, ConventionOptions):
    """What can be set about a card."""

    run: "Runs | Selection"


@dataclass(frozen=True)
class JudgesOptions(Settled, ConventionOptions, ModelsAndExperiments):
    """What can be set about a table of judges."""

    run: "Run | str | Path"
    _: KW_ONLY
    models: Names = only_models("Only replies of these models.")
    experiments: Names = only_experiments("Only these experiments.")
    labels: str | Path | None = option(
        None,
        "A file with the correct class of some replies, one per line (model, item, class). Judges are compared with "
        "it.",
        metavar="FILE",
        form="file",
    )
