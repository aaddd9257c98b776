"""selfexec run"""

import math
import shlex
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

from selfexec.cli.cluster import asked_over
from selfexec.cli.completion import complete_model_to_ask
from selfexec.cli.endpoints import endpoint_choices, endpoint_options
from selfexec.cli.merge import shards_stand
from selfexec.cli.options import (
    FacetedSections,
    Place,
    Stopped,
    cut_options,
    experiments_option,
    facets_option,
    items_option,
    names_option,
    out_option,
    repeated,
    said_if_slow,
    say,
    say_table,
    typed,
)
from selfexec.cli.spending import CAPS, calls_made, capped, costs, say_took, spending_options, tokens_about, went_wrong
from selfexec.engines import keys_lacking
from selfexec.errors import InputError, NoKey
from selfexec.text.numbers import joined, number_of

if TYPE_CHECKING:
    from selfexec.experiments import Key
    from selfexec.items import Preset
    from selfexec.readers import Reading
    from selfexec.runs import Run
    from selfexec.runs.asking import Choices, Plan, Progress, Report, SamplingProtocol, Standing
    from selfexec.runs.study import Study


@click.command(
    "run",
    cls=FacetedSections,
    sections={
        "Which models": ("models", "base_url", "wire", "api_key_env", "headers"),
        "Which items": ("experiments", "items", "preset", "limit", "fraction"),
        "In which conditions": ("facets",),
        "How much": ("epochs", *CAPS, "price", "dry_run", "max_connections", "timeout", "stream"),
        "On many machines": ("shard", "ray", "shards"),
        "What is sent": ("prompts", "settings", "system", "extra_body", "protocol"),
        "Where it goes": ("out", "accept_filters", "again"),
        "A study in one file": ("config", "save"),
    },
)
@click.argument("astray", nargs=-1, metavar="")
@names_option(
    "--model", "models", "provider/model, or sim/NAME. Repeat.", complete_model_to_ask, metavar="PROVIDER/MODEL"
)
@experiments_option("Only these experiments.")
@items_option
@cut_options
@click.option("--epochs", type=int, metavar="N", default=1, show_default=True, help="How often everything is asked.")
@facets_option
@click.option(
    "--shard",
    metavar="I/N",
    help="Only share I of N, from 0 to N-1, into a folder of its own in --out, on any machine that sees it; caps hold "
    "for this share alone. `selfexec merge` joins them.",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Ask over a Ray cluster: auto, its address, or local, this machine alone. Caps are shared out.",
)
@click.option("--shards", type=click.IntRange(1), metavar="N", help="With --ray: into how many shards.")
@click.option(
    "--max-calls",
    type=int,
    metavar="N",
    help="Open at most so many sessions now; the same command goes on from there.",
)
@click.option(
    "--prompts",
    metavar="SET|FILE",
    help="Other prompts: a set (de, in German), or a file as `selfexec prompts` prints it, with those that differ.",
)
@spending_options("the run", ", from its beginning")
@endpoint_options
@click.option(
    "--accept-filters",
    is_flag=True,
    help="Keep errors that look like a content filter even where the model itself has said nothing.",
)
@click.option(
    "--protocol",
    type=click.Choice(["default", "paper"]),
    default="default",
    show_default=True,
    help="paper: the sampling settings of the paper's authors.",
)
@out_option("The run's folder, runs/NAME unless you say. An unfinished one is continued.")
@click.option("--again", is_flag=True, help="Ask also what is out in a batch (`export --to batch-...`).")
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,  # so that names can be told from lists of names by its models
    type=Place(),
    help="A study file, which says all of this; options beside it come before what it says, and --model chooses of its "
    "models.",
)
@click.option("--save", metavar="FILE", type=Place(), help="With --dry-run: write this all to a study file.")
@click.option("--dry-run", is_flag=True, help="Say what is there, what would be asked and what it takes. Ask nothing.")
def command(
    astray: tuple[str, ...],
    models: tuple[str, ...],
    experiments: tuple[str, ...],
    items: str,
    preset: "Preset | None",
    limit: int | None,
    fraction: float | None,
    epochs: int,
    shard: str | None,
    ray: str | None,
    shards: int | None,
    facets: dict[str, list[str]],
    max_calls: int | None,
    max_total_tokens: int | None,
    max_cost: float | None,
    prompts: str | None,
    max_connections: int,
    accept_filters: bool,
    protocol: "SamplingProtocol",
    out: Path | None,
    again: bool,
    config: Path | None,
    save: Path | None,
    dry_run: bool,
    price: tuple[str, ...],
    **endpoint: Any,
) -> None:
    """Ask models what they will do, let them do it in fresh sessions, and keep every reply.

    Without --model it runs a panel of simulated models, offline and free: they stand for nobody, and show how the
    scores read for a model that predicts itself well, one that tosses a coin, one that says yes to everything.

    \b
    selfexec run
    selfexec run --model openai/gpt-6-luna --preset quick --dry-run
    selfexec run --model openai/gpt-6-luna,google/gemini-3.8-flash --max-calls 900
    selfexec run --model vllm/mine --base-url http://localhost:8000/v1
    selfexec run --config study.toml
    selfexec run --model openai/gpt-6-luna --shard 3/8 --out runs/shared

    What is left undone (Ctrl-C, --max-calls, a failure) the same command asks for. Exit status 3: replies are missing.
    """
    from selfexec.analysis.power import outlook
    from selfexec.runs import MANIFEST
    from selfexec.runs.asking import Choices, Progress, refuse_misfit, shown_progress
    from selfexec.runs.requests import requests_of

    if astray:
        _refuse_strays(astray, models, experiments)
    if ray and shard:
        raise InputError(f"--ray {ray}: it asks all shards. Leave --shard {shard} out.")
    if shards and not ray:
        raise InputError(f"--shards {shards}: it is for --ray. One shard alone is asked by --shard I/N.")
    if save and not dry_run:
        raise InputError(f"--save {save}: it goes with --dry-run, which checks it and asks nothing. Add that.")
    choices = Choices(
        experiments=experiments or None,
        items=items,
        preset=preset,
        limit=limit,
        fraction=fraction,
        epochs=epochs,
        shard=shard,
        facets=facets,
        max_calls=max_calls,
        max_total_tokens=max_total_tokens,
        max_cost=max_cost,
        price=price or None,
        prompts=prompts,
        max_connections=max_connections,
        accept_filters=accept_filters,
        **endpoint_choices(**endpoint),
        protocol=protocol,
        out=out,
    )
    study, planned = _planned(config, models, choices)
    planned = replace(planned, command=typed("run"), again=again)
    if not ray:  # its shards are looked at by those who ask them
        refuse_misfit(planned)
    # refuses models that cannot be asked; to say what would be asked no key is needed
    lacking = [*planned.lacking, *keys_lacking(planned.respondents, planned.item_set)]
    if lacking and not dry_run:
        raise NoKey(lacking[0])
    who = f"{len(planned.models)} models" if len(planned.models) > 1 else planned.models[0]
    share = f", of which {number_of(planned.sessions, 'session')} in shard {planned.shard}" if planned.shard else ""
    whole = replace(planned, shard=None).sessions
    say(f"{who}, items {planned.item_set.name} ({planned.item_set.sizes}), {number_of(whole, 'session')}{share}")
    if planned.all_simulated and not models:
        if out and not (planned.run_folder / MANIFEST).exists():
            say(f"{out}: no run is here to go on with, and no model is named (--model), so that one begins:")
        say("Simulated models: no language model is asked.")
    if models or preset or config:
        say(outlook({name: len(found) for name, found in planned.item_set.items.items()}, _models(planned)))
    if dry_run:
        say("\n".join([*_foreseen(planned), *(f"Note: {said}" for said in [*_passed_over(planned), *lacking])]))
        if save:
            say("\n".join(_saved(study, models, choices, planned, save)))
        return
    if ray:
        run = asked_over(ray, planned, shards)
        _say_scores(study, planned, run)
        return
    started = time.perf_counter()
    progress = Progress()
    with shown_progress() as show:
        run = _carried_out(planned, show, progress)
    out_now = {} if again else requests_of(planned.out).out
    failed = sum(reply.failed for key, reply in run.replies.items() if key not in out_now)
    missing = failed + progress.out + progress.waiting + progress.left
    kept = number_of(len(run.replies) - failed, "reply", "replies")
    say(f"{planned.out}: {kept} kept, {missing:,} missing ({time.perf_counter() - started:.1f} s)")
    for said in _not_needed(progress):
        say(said)
    if failed or not planned.all_simulated:
        say("\n".join(summary(progress, run)))
        say_took(progress)
    for model, number in run.unasked.items():
        if model not in planned.models or not progress.left:
            what = number_of(number, "item", "items")
            say(f"Of {what} that {model} was to be asked there is no reply yet; they count as missing until there is.")
    if planned.shard:
        say("\n".join(shards_stand(planned, progress)))
    else:
        _say_scores(None if progress.left else study, planned, run, missing)
    if missing:
        why = f" ({progress.left:,} left by {capped(progress, max_calls)})" if progress.left else ""
        what = number_of(missing, "reply is", "replies are")
        way_on = "The same command with more" if progress.capped else "The same command"
        rest = "" if missing == progress.out + progress.waiting > 0 else f" {way_on} asks for the rest."
        way_back = f" {_way_to_what_is_out(planned)}" if progress.out else ""
        say(f"\nselfexec: {what} missing{why}.{rest}{way_back}", err=True)
        raise click.exceptions.Exit(3)


def _say_scores(study: "Study | None", planned: "Plan", run: "Run", missing: int = 0) -> None:
    """The scores of a run, what to type next, and what the study wants written at its end."""
    from selfexec.analysis.score import score

    kept = number_of(sum(not reply.failed for reply in run.replies.values()), "reply", "replies")
    with said_if_slow(f"Reading and scoring {kept} ..."):
        scores = score(run)
    say()
    say_table(scores)
    say()
    say("\n".join(_afterwards(planned, run, missing)))
    if study and study.outputs:
        from selfexec.cli.outputs import write_outputs

        write_outputs(run, scores, study.outputs)


def _refuse_strays(astray: tuple[str, ...], models: tuple[str, ...], experiments: tuple[str, ...]) -> NoReturn:
    from selfexec.experiments import EXPERIMENTS

    stray = astray[0]
    if experiments and stray in EXPERIMENTS:
        way_out = repeated("--experiment", [*experiments, stray])
    elif models:
        way_out = f"Is it a model? {repeated('--model', [*models, stray])}"
    else:
        way_out = f"A model is named by --model: selfexec run --model {shlex.quote(','.join(astray))}"
    raise InputError(f"{stray!r} belongs to no option. {way_out}")


def _planned(config: Path | None, models: tuple[str, ...], choices: "Choices") -> tuple["Study | None", "Plan"]:
    """The study, if there is one, and what would be asked."""
    from selfexec.runs.asking import planned
    from selfexec.runs.study import load_study

    if config is None:
        return None, planned(models or None, choices)
    study = load_study(config)
    return study, study.plan(models, **_instead(choices))


def _instead(choices: "Choices") -> dict[str, Any]:
    """The choices that were typed, which come before those of a study."""
    context = click.get_current_context()
    return {
        name: getattr(choices, name)
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and hasattr(choices, name)
    }


def _saved(
    study: "Study | None", models: tuple[str, ...], choices: "Choices", planned: "Plan", path: Path
) -> Iterator[str]:
    """Write what is planned to a study file, and say so."""
    from selfexec.runs.study import Entry, Study, save

    if study:
        entries = [one for one in study.entries if not models or (one.name or one.model) in models]
        study = replace(study, choices=replace(study.choices, **_instead(choices)), entries=entries)
    else:
        entries = [Entry(model=model) for model in planned.models]
        study = Study(path, b"", replace(choices, out=planned.run_folder), entries=entries)
    whole = replace(study, choices=replace(study.choices, shard=None))
    yield from save(whole, path)
    yield f"{path}: written. Next: selfexec run --config {shlex.quote(str(path))}"


def _carried_out(planned: "Plan", show: "Report", progress: "Progress") -> "Run":
    from selfexec.runs.asking import carry_out

    try:
        return carry_out(planned, show, progress, _say_what_is_here)
    except KeyboardInterrupt:
        raise Stopped("stopped. What was done is kept; the same command goes on from there.") from None


def _afterwards(planned: "Plan", run: "Run", missing: int) -> Iterator[str]:
    """What the experiments are, and what to type next."""
    from selfexec.experiments import EXPERIMENTS

    asked = planned.item_set.experiments
    yield "; ".join(f"{name}: {EXPERIMENTS[name].words.about}" for name in asked) + "."
    folder = shlex.quote(str(planned.out))
    yield f"{'Once all is there' if missing else 'Next'}: selfexec report {folder}"
    if any(reading.state == "unreadable" for reading in run.readings.values()):
        yield f"Unread: selfexec read {folder} --state unreadable --show"
    yield f"Wrong: selfexec read {folder} --claim wrong --show"


def _models(planned: "Plan") -> int:
    """How many models the run will have, those that are there already included."""
    from selfexec.runs import MANIFEST, load_manifest

    there = load_manifest(planned.out).models if (planned.out / MANIFEST).exists() else []
    return len({*planned.models, *there})


def summary(progress: "Progress", run: "Run") -> Iterator[str]:
    """Calls, retries by cause, states by reason, what failed."""
    yield from calls_made(progress)
    states = Counter(_state(key, reading) for key, reading in run.readings.items())
    yield "sessions: " + ", ".join(f"{state} {n:,}" for state, n in states.most_common())
    yield from went_wrong(progress)


def _state(key: "Key", reading: "Reading") -> str:
    from selfexec.runs import KEPT_STATE, state_shown

    state = state_shown(key, reading)
    reason = "not read" if state == KEPT_STATE else reading.reason if state in ("unreadable", "withheld") else None
    return f"{state} ({reason})" if reason else state


def _say_what_is_here(now: "Standing") -> None:
    if now.here or now.out:
        say(_here(now))


def _here(now: "Standing") -> str:
    """What of a run is there, and what remains of it."""
    unneeded = f", {now.unneeded.total():,} are not needed" if now.unneeded else ""
    remain = f"{now.remaining:,} remain" if now.remaining else "nothing remains to be asked"
    waiting = f" and {now.behind:,} wait for these" if now.behind else ""
    out = f", {now.out:,} are out in a batch{waiting}" if now.out else ""
    return f"{now.here:,} of {number_of(now.plan.sessions, 'session')} are here{unneeded}{out}; {remain}."


def _way_to_what_is_out(planned: "Plan") -> str:
    return (
        f"What is out in a batch comes by `selfexec import --from batch RESULTS -o {shlex.quote(str(planned.out))}`; "
        "--again asks it here, which is paid twice."
    )


def _passed_over(planned: "Plan") -> Iterator[str]:
    """What is set for simulated models, which reply by rule."""
    told = [(one.name, one.sampling) for one in planned.respondents if one.simulated]
    names = [name for name, sampling in told if sampling.settings or sampling.system or sampling.extra_body]
    if names:
        yield f"simulated models reply by rule: no setting changes what {joined(names)} will say."


def _foreseen(planned: "Plan") -> Iterator[str]:
    """What is there, and what the rest will take."""
    from selfexec.runs.asking import asked_elsewhere, duration, foreseen

    now, rest = foreseen(planned)
    if now.here or now.out:
        yield _here(now)
    if not now.remaining:
        return
    calls = f", of which {planned.caps.calls:,} now" if (planned.caps.calls or math.inf) < now.remaining else ""
    about = f"about {tokens_about(rest.input_tokens)} tokens in, {tokens_about(rest.output_tokens)} out"
    yield f"To be asked: at most {number_of(now.remaining, 'session')}{calls}; {about}."
    if rest.own < 1:
        so_far = "where this run has too few replies to go by, " if rest.own else ""
        reckoned = "those of ten recorded models" if _recorded(planned) else "the experiments reckon with"
        yield (
            f"Tokens: {so_far}replies as long as {reckoned}, and prompts at four characters a token. "
            "A model that thinks first may take several times as many."
        )
    if rest.seconds is not None:
        yield f"Time: about {duration(rest.seconds)}, at the pace so far."
    yield from costs(planned.models, planned.prices, rest)
    for folder, models in asked_elsewhere(planned).items():
        said = f"{', '.join(models)} {'was' if len(models) == 1 else 'were'} asked in {folder} already"
        yield f"Note: {said}. Runs can be scored together instead: selfexec score {shlex.quote(str(folder))} RUN"


def _recorded(planned: "Plan") -> bool:
    """Whether models were recorded in all of these experiments."""
    from selfexec.experiments import EXPERIMENTS

    return all(EXPERIMENTS[name].spread for name in planned.item_set.experiments)


def _not_needed(progress: "Progress") -> Iterator[str]:
    """Which sessions that were announced were not asked, since nothing would have come of them."""
    from selfexec.experiments import EXPERIMENTS

    for (experiment, kind), n in progress.unneeded.items():
        sessions = number_of(n, f"{kind} session was", f"{kind} sessions were")
        yield f"{sessions} not needed: {EXPERIMENTS[experiment].unneeded[kind]}."
