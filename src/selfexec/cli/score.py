"""selfexec score"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from selfexec.analysis.options import WITH_SKILL, JudgesOptions, ScoreOptions
from selfexec.cli.declared import collect, options_of, printed, quietly
from selfexec.cli.options import runs_argument, said_if_slow, say, show
from selfexec.cli.read import unreadable_claims
from selfexec.options import option
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.analysis.score import Scores

EXPLAIN = command_line("explain")
MANY = 12  # models: with so many a screen has room for one line below the table


@dataclass(frozen=True, kw_only=True)
class OrderOptions:
    """In which order models are shown."""

    sort: Literal["model", "skill", "baseline_margin", "margin_at_own_rate"] | None = option(
        None,
        "Sort by model name, or by this overall score (with one experiment, by its score), highest first and withheld "
        "last. There is no overall margin_at_own_rate.",
    )


@dataclass(frozen=True, kw_only=True)
class DetailOptions:
    """How much is shown of scores; JSON and CSV have every number."""

    full: bool = option(
        False,
        "Show all numbers with their intervals, cautions, what the columns mean, and the paper's metrics.",
    )
    every: bool = option(
        False, "With --full: also show a table of all further metrics, as in JSON and CSV.", flag="--all"
    )


@dataclass(frozen=True, kw_only=True)
class AgreementOptions:
    """Whether it is judges that are compared."""

    agreement: bool = option(
        False,
        "Instead of scores: show how well the judges of RUN's replies agree, and skill corrected for their errors.",
    )


@click.command("score")
@runs_argument
@options_of(ScoreOptions)
@options_of(OrderOptions)
@options_of(DetailOptions)
@options_of(AgreementOptions)
@options_of(JudgesOptions, only=("labels",))
@printed("json", "csv", "markdown", "parquet")
@quietly
def command(
    runs: tuple[Path, ...],
    sort: str | None,
    full: bool,
    every: bool,
    agreement: bool,
    labels: Path | None,
    form: str,
    out: Path | None,
    **given: Any,
) -> None:
    """Score runs: did the models predict what they would do?

    The first screen compares how often each model predicts something with how often it does it, and its predictions
    with those of a baseline that knows nothing about the model; --full has every number. A score that the data do not
    support is withheld, and the reason is given.

    \b
    selfexec score runs/mine
    selfexec score runs/mine runs/theirs --model a,b --experiment restriction
    selfexec score runs/mine --sort skill
    selfexec score runs/mine --full --all
    selfexec score runs/mine --agreement --labels labels.jsonl
    selfexec score runs/mine --convention readable --format json -o scores.json
    """
    from selfexec.analysis.full_scores import FullScores
    from selfexec.analysis.score import scores_of
    from selfexec.analysis.screen import Screen
    from selfexec.errors import InputError

    if agreement:
        _show_agreement(runs, labels, given, form, out)
        return
    if labels:
        raise InputError(f"--labels {labels}: it is for --agreement, which compares judges. Give both, or neither.")
    options = collect(ScoreOptions, given, runs=runs)
    if options.seed is not None and options.bootstrap is None:
        raise InputError(f"--seed {options.seed}: nothing is drawn without --bootstrap. Give both, or neither.")
    if every and not full:
        raise InputError("--all: it adds further metrics to the numbers of --full. Give both, or neither.")
    # what is printed first takes a part of the numbers alone
    brief = form == "table" and not (full or sort or "overall" in options.experiments)
    brief = brief and options.convention in WITH_SKILL
    with said_if_slow("Reading and scoring ..."):
        scores = scores_of(replace(options, brief=brief))
    ordered = scores.sorted_by(sort) if sort else scores
    # a convention without baselines has nothing to answer by, and a mean no row of its own on the first screen
    whole = full or options.convention not in WITH_SKILL or scores.experiments == ["overall"]
    show(FullScores(ordered, every=every) if full else ordered if whole else Screen(ordered), form, out)
    if form == "table" and out is None:
        say("\n".join(_next(scores, whole)))


def _show_agreement(
    runs: tuple[Path, ...], labels: Path | None, given: Mapping[str, Any], form: str, out: Path | None
) -> None:
    """How well judges agree about the replies of one run."""
    from selfexec.analysis.judges import judges, keys
    from selfexec.errors import InputError
    from selfexec.runs import load, refuse_silent

    if len(runs) > 1:
        raise InputError("--agreement: judges are compared on the replies of one run. Give one.")
    if form not in ("table", "json"):
        raise InputError(f"--agreement: it cannot be written as {form}. Use --format table or json.")
    models, experiments = given["models"], given["experiments"]
    keyed = are_keyed(experiments, labels)
    run = load(runs[0], accept_ends=given["accept_ends"])
    refuse_silent(run)
    found = keys(run, models=models, experiments=experiments) if keyed else None
    show(found or judges(run, models=models, experiments=experiments, labels=labels), form, out)


def are_keyed(experiments: tuple[str, ...], labels: Path | None) -> bool:
    """Whether it is questions that are meant, to be answered for their keys, and not replies to be judged."""
    from selfexec.errors import InputError
    from selfexec.experiments import EXPERIMENTS
    from selfexec.runs import names

    wanted = names(experiments)
    keyed = [experiment for experiment in wanted if experiment in EXPERIMENTS and EXPERIMENTS[experiment].keying]
    if keyed and len(keyed) < len(wanted):
        raise InputError(f"--experiment {','.join(wanted)}: {keyed[0]} has keys, not judges. Take one at a time.")
    if keyed and labels:
        raise InputError(f"--labels {labels}: {keyed[0]} has keys, not judges. Leave it out.")
    return bool(keyed)


def _next(scores: "Scores", whole: bool) -> Iterator[str]:
    """What to type next. Of many models the table alone fills a screen, and says itself what was not read."""
    from selfexec.analysis.score_table import claims_unreadable

    # other conventions read replies otherwise than the command that would list these claims
    if scores.convention in WITH_SKILL and (whole or len(scores.models) < MANY):
        for run in scores.runs:
            if number := claims_unreadable(scores, run.models):
                yield unreadable_claims(run.folder, number)
    if not whole:
        runs = [run.folder for run in scores.runs]
        full = command_line("score {} --full", runs)
        yield f"Next: {full}; {EXPLAIN}"
