"""selfexec run"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import click

from selfexec.cli.declared import HelpOptions, collect, options_at, options_of, quietly
from selfexec.cli.options import (
    FacetedSections,
    Stopped,
    is_quiet,
    repeated,
    said_if_slow,
    say,
    say_table,
    typed,
)
from selfexec.cli.read import unreadable_claims
from selfexec.cli.score import EXPLAIN, MANY
from selfexec.cli.spending import calls_made, capped, costs, say_took, tokens_about, went_wrong
from selfexec.engines import keys_lacking
from selfexec.errors import InputError, NoApiKey
from selfexec.extension import registered, resolve
from selfexec.options import changed
from selfexec.run_options import SECTIONS, DryRun, RunOptions
from selfexec.text.numbers import is_or_are, joined, number_of
from selfexec.text.printable import command_line

if TYPE_CHECKING:
    from selfexec.analysis.score import Scores
    from selfexec.experiments import Key
    from selfexec.readers import Reading
    from selfexec.runs import Run
    from selfexec.runs.asking import Plan, Progress, Remaining, Report


@dataclass(frozen=True)
class PlannedRun:
    """What is asked, and what is done besides.

    Attributes:
        save: What a dry run ends with: it writes the plan to a file, and says so.
        finish: What else is done at the end with the run and its scores, as a study file asks; None where nothing is.
        names_models: Whether its models were named, and are not those of a run or simulated ones.
    """

    plan: "Plan"
    save: Callable[[], Iterable[str]] | None = None
    finish: Callable[["Run", "Scores"], None] | None = None
    names_models: bool = False


@click.command(
    "run",
    cls=FacetedSections,
    sections=dict.fromkeys(SECTIONS, ()),
    first={
        "Which models": ("models", "base_url", "api_key_env"),
        "What they are asked": ("items", "preset", "experiments", "epochs", "settings", "facets"),
        "Limits and output": ("dry_run", "max_calls", "max_cost", "out", "config", "quiet"),
    },
)
@click.argument("astray", nargs=-1, metavar="")
@options_of(RunOptions)
@options_of(DryRun)
# of extensions that carry a plan out elsewhere, as Ray does, or that make one, as a study does
@options_at(source.options for point in ("carriers", "plans") for source in registered(point).values())
@quietly
@options_of(HelpOptions)
def command(
    astray: tuple[str, ...],
    dry_run: bool,
    **given: Any,
) -> None:
    """Ask models what they will do, have them do it in fresh sessions, and keep every reply.

    Without --model, the run in --out is continued. If there is none, simulated models are asked, offline and free. They
    show what scores look like for a model that predicts itself well, one that tosses a coin, and one that says yes to
    everything.

    \b
    selfexec run
    selfexec run --model openai/gpt-6-luna --preset quick --dry-run
    selfexec run --model openai/gpt-6-luna,google/gemini-3.8-flash --max-calls 900
    selfexec run --model vllm/mine --base-url http://localhost:8000/v1
    selfexec run --config study.toml
    selfexec run --model openai/gpt-6-luna --shard 3/8 --out runs/shared

    The same command continues a run that was stopped (by Ctrl-C, --max-calls or a failure). Exit status 3: replies are
    missing.
    """
    from selfexec.analysis.power import outlook
    from selfexec.experiments import EXPERIMENTS
    from selfexec.items import STRATIFIED, level_spread
    from selfexec.runs import MANIFEST
    from selfexec.runs.asking import Progress, growth, refuse_misfit, shown_progress
    from selfexec.runs.ends import ways_on
    from selfexec.runs.folder import BATCHES
    from selfexec.runs.requests import requests_of

    models, out = given["models"], given["out"]
    if astray:
        _refuse_strays(astray, models, given["experiments"])
    carry_out_there = _carrier(given)
    choices = collect(RunOptions, given)
    planned = _planned_run(choices, {**given, "dry_run": dry_run})
    plan = replace(planned.plan, command=typed("run"), again=choices.again)
    if carry_out_there is None:  # else those who ask look at the folders that they ask into
        refuse_misfit(plan)
    # refuses models that cannot be asked; to say what would be asked no key is needed
    lacking = [*plan.lacking, *keys_lacking([*plan.respondents, *plan.stand_ins], plan.item_set)]
    if lacking and not dry_run:
        raise NoApiKey(lacking[0])
    who = f"{len(plan.models)} models" if len(plan.models) > 1 else plan.models[0]
    share = f", of which {number_of(plan.sessions, 'session')} in shard {plan.shard}" if plan.shard else ""
    sessions = number_of(replace(plan, shard=None).sessions, "session")
    say(f"{who}, items {plan.item_set.name} ({plan.item_set.sizes}), {sessions}{share}")
    words = {name: EXPERIMENTS[name].words for name in plan.item_set.experiments}
    asked = {name: each.about if len(plan.models) == 1 else each.their for name, each in words.items()}
    say("; ".join(f"{name}: {about}" for name, about in asked.items()) + ".")
    for text in [*plan.from_run, *growth(plan)]:
        say(text)
    if plan.all_simulated and not models:
        if out and not (plan.run_folder / MANIFEST).exists():
            say(f"{out}: there is no run to continue and no --model is given, so the models are simulated.")
        say("Simulated models: no language model is asked.")
    if models or choices.preset or planned.names_models:
        sizes = {name: len(found) for name, found in plan.item_set.items.items()}
        order = plan.preset_order or STRATIFIED
        cuts = level_spread(plan.preset, order, plan.item_set.hashes) if plan.preset else {}
        say(outlook(sizes, _models(plan), cuts))
    if not plan.all_simulated:
        for text in _unsafe(plan):
            say(text)
    if dry_run:
        say("\n".join([*_foreseen(plan), *(f"Note: {said}" for said in [*_passed_over(plan), *lacking])]))
        if planned.save:
            say("\n".join(planned.save()))
        return
    if carry_out_there is not None:
        _say_scores(planned, carry_out_there(plan))
        return
    started = time.perf_counter()
    progress = Progress()
    with nullcontext(None) if is_quiet() else shown_progress() as show:
        run = _carried_out(plan, show, progress)
    out_now = requests_of(plan.out).out if (plan.out / BATCHES).is_dir() and not choices.again else {}
    failed = sum(reply.failed for key, reply in run.replies.items() if key not in out_now)
    ended = sum(reply.ended_unknown for key, reply in run.replies.items() if key not in out_now)
    missing = failed + progress.out + progress.waiting + progress.left
    from_logs = sum(key.session_kind in EXPERIMENTS[key.experiment].recorded for key in run.replies)
    came = number_of(sum(not reply.failed for reply in run.replies.values()) - from_logs, "reply", "replies")
    say(f"{plan.out}: {came} kept, {missing:,} missing ({time.perf_counter() - started:.1f} s)")
    if progress.unneeded:
        say("\n".join(_not_needed(progress)))
    if failed or not plan.all_simulated:
        say("\n".join(summary(progress, run, scores_follow=not plan.shard)))
        say_took(progress)
    if is_quiet():
        for warning in progress.warnings:
            say(f"selfexec: warning: {warning}", err=True)
    for model, number in run.unasked.items():
        if model not in plan.models or not progress.left:
            what = f"{number_of(number, 'item')}{run.as_counted}"
            say(f"Of {what} that {model} was to be asked there is no reply yet; they count as missing until there is.")
    if plan.shard:
        say("\n".join(_after_shard(plan, missing)))
    else:
        _say_scores(replace(planned, finish=None) if progress.left else planned, run, missing)
    if missing:
        why = f" ({progress.left:,} left by {capped(progress, choices.max_calls)})" if progress.left else ""
        what = number_of(missing, "reply is", "replies are")
        way_on = "The same command with more" if progress.capped else "The same command"
        rest = f" {way_on} asks for the rest." if failed - ended + progress.left else ""
        way_back = f" {_way_to_what_is_out(plan)}" if progress.out else ""
        ends = f" {ways_on(ended, plan.out)}" if ended else ""
        say(f"\nselfexec: {what} missing{why}.{rest}{way_back}{ends}", err=True)
        raise click.exceptions.Exit(3)


def _say_scores(planned: PlannedRun, run: "Run", missing: int = 0) -> None:
    """The scores of a run, what to type next, and what else is wanted at its end."""
    from selfexec.analysis.options import ScoreOptions
    from selfexec.analysis.score import scores_of
    from selfexec.analysis.screen import Screen

    kept = number_of(sum(not reply.failed for reply in run.replies.values()), "reply", "replies")
    with said_if_slow(f"Reading and scoring {kept} ..."):
        # what else is wanted may take every number
        scores = scores_of(ScoreOptions(run, brief=planned.finish is None))
    say()
    say_table(Screen(scores))
    say("\n".join(_afterwards(planned.plan, run, scores, missing)))
    if planned.finish:
        planned.finish(run, scores)


def _refuse_strays(astray: tuple[str, ...], models: tuple[str, ...], experiments: tuple[str, ...]) -> NoReturn:
    from selfexec.experiments import EXPERIMENTS

    stray = astray[0]
    if experiments and stray in EXPERIMENTS:
        way_out = repeated("--experiment", [*experiments, stray])
    elif models:
        way_out = f"Is it a model? {repeated('--model', [*models, stray])}"
    else:
        way_out = f"A model is named by --model: {command_line('run --model {}', ','.join(astray))}"
    raise InputError(f"{stray!r} belongs to no option. {way_out}")


def _planned_run(choices: "RunOptions", given: Mapping[str, Any]) -> PlannedRun:
    """What the options say, and the run that is there already, or what a study file says."""
    from selfexec.runs.asking import plan_run

    source = _triggered("plans", given)
    planned: PlannedRun = source(choices, given) if source else PlannedRun(plan_run(choices))
    return planned


def _carrier(given: Mapping[str, Any]) -> "Callable[[Plan], Run] | None":
    """What carries the plan out elsewhere, where an option says so."""
    carrier = _triggered("carriers", given)
    return carrier(given) if carrier else None


def _triggered(point: str, given: Mapping[str, Any]) -> Callable[..., Any] | None:
    """What an extension adds at this point, where one of the options that call for it was typed."""
    added = registered(point).values()
    return next((resolve(one.place) for one in added if any(given[option] for option in one.triggers)), None)


def _carried_out(plan: "Plan", show: "Report | None", progress: "Progress") -> "Run":
    from selfexec.runs.asking import carry_out

    try:
        return carry_out(plan, show, progress, _say_what_is_here)
    except KeyboardInterrupt:
        raise Stopped("stopped. What was done is kept; the same command continues.") from None


def _afterwards(plan: "Plan", run: "Run", scores: "Scores", missing: int) -> Iterator[str]:
    """What to type next. Of many models the table alone fills a screen."""
    from selfexec.analysis.score_table import claims_unreadable
    from selfexec.metrics import MARGINS
    from selfexec.runs.asking.paper_items import PAPER_ITEMS

    if len(run.models) < MANY:
        if number := claims_unreadable(scores, run.models):
            yield unreadable_claims(plan.out, number)
        yield f"Wrong predictions: {command_line('read {} --claim wrong --show', plan.out)}"
    wanted = PAPER_ITEMS in (plan.item_set.name, plan.wanted_items)  # which may not be had
    has_margin = any(row.metric in MARGINS and row.value is not None for row in scores)
    if not (missing or has_margin or plan.all_simulated or wanted):
        how = "--items paper, a new --out, and --preset quick instead of --limit or --fraction"
        yield f"For a margin without further models: the same command with {how}"
    yield f"{'Once all is there' if missing else 'Next'}: {command_line('view {}', plan.out)}; {EXPLAIN}"


def _after_shard(plan: "Plan", missing: int) -> Iterator[str]:
    """How the shard that was asked stands, and what to do once all are."""
    from selfexec.runs.share import command_to_join

    shard = plan.shard
    assert shard
    if plan.caps.any:
        yield "Caps hold for this shard alone."
    if not missing:
        yield f"Shard {shard} has all its replies."
    yield f"Once all {shard.of:,} shards are asked: {command_to_join(plan.run_folder)}"


def _models(plan: "Plan") -> int:
    """How many models the run will have, those that are there already and those of its reference panel included."""
    from selfexec.panels import PAPER_PANEL, load_panel
    from selfexec.runs import MANIFEST, load_manifest
    from selfexec.runs.asking.paper_items import PAPER_ITEMS

    there = load_manifest(plan.out).models if (plan.out / MANIFEST).exists() else []
    has_panel = plan.item_set.name == PAPER_ITEMS and not plan.all_simulated
    return len({*plan.models, *there, *(load_panel(PAPER_PANEL).models if has_panel else ())})


def _unsafe(plan: "Plan") -> Iterator[str]:
    """How many items ask for something harmful on purpose, what that may cost, and how to go on without them."""
    from selfexec.experiments import EXPERIMENTS

    experiments = plan.item_set.experiments
    for name in experiments:
        items = plan.item_set[name].values()
        if unsafe := sum(map(EXPERIMENTS[name].unsafe, items)):
            others = ",".join(other for other in experiments if other != name)
            way_out = f" To go on without them: --experiment {others}" if others else ""
            yield (
                f"{name}: {unsafe:,} of {number_of(len(items), EXPERIMENTS[name].item_name)} are unsafe on purpose, "
                f"and a provider may count them against your account.{way_out}"
            )


def summary(progress: "Progress", run: "Run", *, scores_follow: bool) -> Iterator[str]:
    """Calls, retries by cause, states by reason, what failed, and what replies have that is not known. What is to be
    known of the replies stands with the scores, where these follow.
    """
    from selfexec.runs.unknown_fields import unknown_lines

    yield from calls_made(progress)
    states = Counter(_state(key, reading) for key, reading in run.readings.items())
    yield "sessions: " + ", ".join(f"{state} {n:,}" for state, n in states.most_common())
    with_scores = {notice.text for notice in run.server_notices} if scores_follow else set()
    yield from (line for line in went_wrong(progress) if line.removeprefix("warning: ") not in with_scores)
    yield from unknown_lines(run)


def _state(key: "Key", reading: "Reading") -> str:
    from selfexec.runs import KEPT_STATE, state_shown

    state = state_shown(key, reading)
    reason = "not read" if state == KEPT_STATE else reading.reason if state in ("unreadable", "withheld") else None
    return f"{state} ({reason})" if reason else state


def _say_what_is_here(remaining: "Remaining[Plan]") -> None:
    if remaining.here or remaining.out or remaining.not_asked_again:
        say(_here(remaining))


def _here(remaining: "Remaining[Plan]") -> str:
    """What of a run is there, and what remains of it."""
    unneeded = f", {number_of(remaining.unneeded.total(), 'is', 'are')} not needed" if remaining.unneeded else ""
    remain = (
        number_of(remaining.sessions_left, "remains", "remain")
        if remaining.sessions_left
        else "nothing remains to be asked"
    )
    out = f", {number_of(remaining.out, 'is', 'are')} out in a batch" if remaining.out else ""
    ended = (
        f", {number_of(number, 'has', 'have')} an unknown end and {is_or_are(number)} not asked again"
        if (number := remaining.not_asked_again)
        else ""
    )
    waiting = f"; {number_of(remaining.behind, 'waits', 'wait')} for these" if remaining.behind else ""
    return (
        f"{remaining.here:,} of {number_of(remaining.plan.sessions, 'session')} {is_or_are(remaining.here)} here"
        f"{unneeded}{out}{ended}{waiting}; {remain}."
    )


def _way_to_what_is_out(plan: "Plan") -> str:
    return (
        f"What is out in a batch comes by `{command_line('import --from batch RESULTS -o {}', plan.out)}`; "
        "--again asks it here, which is paid twice."
    )


def _passed_over(plan: "Plan") -> Iterator[str]:
    """What is set for simulated models, which reply by rule."""
    told = [(one.name, one.sampling) for one in plan.respondents if one.simulated]
    names = [name for name, sampling in told if changed(sampling)]
    if names:
        yield f"simulated models reply by rule: no setting changes what {joined(names)} will say."


def _foreseen(plan: "Plan") -> Iterator[str]:
    """What is there, and what the rest will take."""
    from selfexec.runs.asking import asked_elsewhere, duration
    from selfexec.runs.asking.estimate import foreseen

    remaining, rest = foreseen(plan)
    if remaining.here or remaining.out or remaining.not_asked_again:
        yield _here(remaining)
    if not remaining.sessions_left:
        return
    calls = f", of which {plan.caps.calls:,} now" if (plan.caps.calls or math.inf) < remaining.sessions_left else ""
    about = f"about {tokens_about(rest.input_tokens)} tokens in, {tokens_about(rest.output_tokens)} out"
    yield f"To run: at most {number_of(remaining.sessions_left, 'session')}{calls}; {about}."
    if rest.own < 1:
        so_far = ", where this run has too few replies to go by," if rest.own else ""
        assumed = "as long as those of ten recorded models" if _has_spread(plan) else "of the usual length"
        yield (
            f"The token estimate{so_far} assumes replies {assumed} and four prompt characters per token. "
            "A model that thinks first may use several times as many."
        )
    if rest.seconds is not None:
        yield f"Time: about {duration(rest.seconds)}, at the pace so far."
    everybody = [*plan.models, *(stand_in.name for stand_in in plan.stand_ins)]
    yield from costs(everybody, plan.prices, rest)
    for folder, models in asked_elsewhere(plan).items():
        asked = f"{', '.join(models)} {'was' if len(models) == 1 else 'were'} asked in {folder} already"
        together = command_line("score {} {}", folder, plan.out)
        yield f"Note: {asked}. Runs can be scored together instead: {together}"


def _has_spread(plan: "Plan") -> bool:
    """Whether models were recorded in all of these experiments."""
    from selfexec.experiments import EXPERIMENTS

    return all(EXPERIMENTS[name].spread for name in plan.item_set.experiments)


def _not_needed(progress: "Progress") -> Iterator[str]:
    """Which sessions that were announced were not asked, since nothing would have come of them."""
    from selfexec.experiments import EXPERIMENTS

    for (experiment, kind), n in progress.unneeded.items():
        sessions = number_of(n, f"{kind} session was", f"{kind} sessions were")
        why = EXPERIMENTS[experiment].unneeded.get(kind, "no execution was asked for that they would have followed")
        yield f"{sessions} not needed: {why}."
