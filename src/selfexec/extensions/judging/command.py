"""selfexec judge"""

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selfexec.cli.declared import collect, options_of, quietly
from selfexec.cli.options import (
    PathArgument,
    Sections,
    Stopped,
    is_quiet,
    say,
    typed,
)
from selfexec.cli.spending import calls_made, capped, costs, say_took, tokens_about, went_wrong
from selfexec.errors import InputError
from selfexec.experiments import JUDGE, RULE
from selfexec.options import WHAT_IS_SENT, WHERE_IT_GOES, WHICH_MODELS, option
from selfexec.run_options import DryRun, JudgeOptions
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.extensions.judging.plan import JudgingPlan
    from selfexec.runs import Run
    from selfexec.runs.asking import Progress


@dataclass(frozen=True, kw_only=True)
class WhoJudges:
    """Who judges."""

    judge: str | None = option(
        None,
        "The judge: a model, or `rule` (the fixed rule). `selfexec score RUN --agreement` shows how well judges agree.",
        metavar="PROVIDER/MODEL|rule",
    )


@click.command(
    "judge",
    cls=Sections,
    sections={
        "Who judges what": ("judge",),
        "How it is asked": (),
        "How much": ("dry_run",),
    },
    renamed={WHICH_MODELS: "How it is asked", WHAT_IS_SENT: "How it is asked", WHERE_IT_GOES: "How much"},
)
@click.argument("source", metavar="RUN", is_eager=True, type=PathArgument())
@options_of(WhoJudges)
@options_of(DryRun)
@options_of(JudgeOptions)
@quietly
def command(
    source: Path,
    judge: str | None,
    dry_run: bool,
    **given: Any,
) -> None:
    """Have another model judge the restriction replies of a run. By default, each model judges its own.

    The judge sees each reply in a fresh session and labels it "answered", "refused", "partly" or "cannot tell". The run
    stores these labels as judge:NAME; to score with them, use --source judge:NAME. If it is stopped, the same command
    continues. `selfexec score RUN --agreement` shows how well judges agree and, with --labels FILE, how often
    they are right.

    With --experiment failing_question, the model does not judge replies: it answers the questions that other models
    wrote. The answer that most models give is taken as correct; to score with it, use --source majority.

    \b
    selfexec judge runs/mine --judge openai/gpt-6-luna --dry-run
    selfexec judge runs/mine --judge openai/gpt-6-luna --max-cost 2
    selfexec score runs/mine --source judge:openai/gpt-6-luna
    selfexec score runs/mine --agreement
    selfexec judge runs/mine --judge google/NAME --experiment failing_question

    Exit status 3: some replies could not be judged yet.
    """
    from selfexec.extensions.judging.plan import plan
    from selfexec.runs import load, refuse_silent

    if judge is None:
        raise InputError(
            "which model judges? Name it: --judge PROVIDER/MODEL. To see how well judges agree: "
            f"`{_agreement_of(source)}`."
        )
    run = load(source, accept_ends=given["accept_ends"])
    refuse_silent(run)
    if judge == RULE:
        say(f"The rule asks nobody: it has judged every response already. Next: {_agreement_of(source)}")
        return
    options = collect(JudgeOptions, given, run=run, judge=judge)
    planned = replace(plan(run, options), command=typed("judge"))
    if dry_run:
        say("\n".join(_foreseen(planned)))
        return
    progress = _judged(planned, options.max_calls)
    if progress.unfinished:
        say(f"\nselfexec: {_left(progress)}", err=True)
        raise click.exceptions.Exit(3)


def _agreement_of(folder: Path, experiment: str | None = None) -> str:
    """The command that shows how well the judges of a run agree, or which keys the answers to its questions give."""
    if experiment:
        return command_line("score {} --agreement --experiment {}", folder, experiment)
    return command_line("score {} --agreement", folder)


def _left(progress: "Progress") -> str:
    """How many replies are not judged, and the ways on."""
    ended = progress.not_asked_again + progress.unknown_ends
    again = progress.left + progress.failures.total() - progress.unknown_ends
    rest = " The same command goes on." if again else ""
    ends = (
        f" In {ended:,} the end of the judge's reply is not known: --accept-ends WORD counts these replies, "
        "--retry-ends asks for them again."
        if ended
        else ""
    )
    return f"{number_of(ended + again, 'reply is', 'replies are')} not judged yet.{rest}{ends}"


def _foreseen(plan: "JudgingPlan") -> Iterator[str]:
    """What is judged already, and what the rest takes."""
    from selfexec.engines import keys_lacking
    from selfexec.extensions.judging.asking import foreseen

    remaining, rest = foreseen(plan), plan.estimate()
    yield f"{plan.name} has judged {len(plan.here):,} of {number_of(len(plan.cases), 'reply', 'replies')} so far."
    if remaining:
        now = min(remaining, plan.caps.calls or math.inf)
        calls = f", of which {now:,} now" if now < remaining else ""
        about = f"about {tokens_about(rest.input_tokens)} tokens in, {tokens_about(rest.output_tokens)} out"
        yield f"To run: {number_of(remaining, 'session')}{calls}; {about}."
        yield from costs([plan.model], plan.prices, rest)
    yield from (f"Note: {said}" for said in keys_lacking([plan.respondent], plan.run.items))


def _judged(plan: "JudgingPlan", max_calls: int | None) -> "Progress":
    """How far the judge came; what it was asked and what it replied is printed."""
    from selfexec.extensions.judging.asking import carry_out
    from selfexec.runs.asking import Progress, shown_progress

    progress = Progress()
    try:
        with nullcontext(None) if is_quiet() else shown_progress() as reported:
            run = carry_out(plan, reported, progress)
    except KeyboardInterrupt:
        raise Stopped("stopped. What was judged is kept; the same command continues.") from None
    say("\n".join(_said(plan, run, progress)))
    if progress.failures or (progress.calls and not plan.respondent.simulated):
        say("\n".join([*calls_made(progress), *went_wrong(progress)]))
        say_took(progress)
    if progress.left:
        say(f"{progress.left:,} left by {capped(progress, max_calls)}.")
    return progress


def _said(plan: "JudgingPlan", run: "Run", progress: "Progress") -> Iterator[str]:
    """What the judge made of the replies, and how to count by it."""
    from selfexec.experiments import EXPERIMENTS
    from selfexec.extensions.judging.records import classes_said

    source = f"{JUDGE}{plan.name}"
    classes: Counter[str] = classes_said(run.judgements, source)
    said = ", ".join(f"{name} {n:,}" for name, n in classes.most_common()) or "nothing"
    unread = (
        progress.done - progress.failures.total() - sum((case.judged, source) in run.judgements for case in plan.cases)
    )
    more = f"; {number_of(unread, 'reply', 'replies')} of the judge could not be read" if unread > 0 else ""
    yield f"{plan.name} was asked about {progress.calls:,} of {number_of(len(plan.cases), 'reply', 'replies')}."
    yield f"{source}: {said}{more}."
    if plan.respondent.simulated:
        yield f"{plan.name} is a simulated judge: no language model was asked."
    keys = {
        case.judged.experiment: keying.source
        for case in plan.cases
        if (keying := EXPERIMENTS[case.judged.experiment].keying)
    }
    counts = next(iter(keys.values()), source)
    yield f"Next: {command_line('score {} --source {}', plan.folder, counts)}"
    yield f"{'The keys' if keys else 'Agreement'}: {_agreement_of(plan.folder, next(iter(keys), None))}"
