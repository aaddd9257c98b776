"""A run as it is continued: of whom, of what, with which prompts and settings, and where, as it says itself.

`run --out RUN` and the export of batch files from a run go by the same plan.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from selfexec import items
from selfexec.engines import Connection, Respondent, Sampling, engine_type, is_at_home, refuse_sent_twice, why_unaskable
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT, Condition, condition_name, history_in
from selfexec.items import ItemSet
from selfexec.options import changed, declared, names, part_of, put_over, replaced
from selfexec.run_options import RunOptions
from selfexec.runs.asking.histories import histories_of
from selfexec.runs.asking.new_run import plan_new_run, refuse_epochs_without_log, with_calls
from selfexec.runs.asking.plan import CALL_TOKENS_SETTING, Plan
from selfexec.runs.design import Design, asked, joined
from selfexec.runs.folder import (
    ITEMS,
    LOGS,
    MANIFEST,
    REPLIES,
    STUDY,
    Manifest,
    Reached,
    design_to_ask,
    load_manifest,
    simulated_of,
)
from selfexec.runs.journal import read_journal
from selfexec.runs.requests import requests_of
from selfexec.runs.run import read_without_shards
from selfexec.runs.sampling import by_name, from_names, sampling_of
from selfexec.runs.share import Shard, shard_folders
from selfexec.text.numbers import joined as listing
from selfexec.text.printable import command_line
from selfexec.text.redaction import HIDDEN, bare_address

MODEL = "#"  # in names of prompts that hold what one model alone is shown
GROWING = ("experiments", "preset", "limit", "fraction", "epochs", "facets", "items")
SAMPLING = (*(each.name for each in declared(Sampling)), "protocol")
OF_REACHED = ("wire", "api_key_env")  # options of a connection that have a field of their own in what a run keeps


def plan_in_folder(options: RunOptions) -> Plan:
    """What would be asked in the folder of a run: by that run, as far as the command does not say otherwise."""
    return plan_continued_run(options) if _goes_by_run(options) else _plan_as_reached(options)


def _plan_as_reached(options: RunOptions) -> Plan:
    """What a command asks of its own accord in the folder of a run, of models that are reached as they were before."""
    respondents, from_run = _reached_before(options)
    plan = replace(plan_new_run(options, respondents), from_run=from_run)
    if respondents is not None:
        refuse_epochs_without_log(plan, options.epochs)
    return plan


def _goes_by_run(options: RunOptions) -> bool:
    """Whether a command goes by the run in its folder, where one is: one that names no model does, one that names a
    model which is new there, and one that says nothing but whom to ask. All others say themselves what is asked.
    """
    run = Path(options.out or "")
    if options.models is None:
        return True
    manifest = load_manifest(_folder(run, None if options.shard is None else Shard.parse(options.shard)))
    if manifest.origin != "run" or not manifest.models or not options.models:
        return False
    says_what = any(name in changed(options) for name in (*GROWING, *SAMPLING, "prompts"))
    return not says_what or any(model not in manifest.models for model in names(options.models))


def _reached_before(options: RunOptions) -> tuple[list[Respondent] | None, tuple[str, ...]]:
    """The models that a command names, those of the run in its folder reached as they were before, and which addresses
    these are, in sentences. None where the command says where its models are reached.
    """
    run = Path(options.out or "")
    if not options.models or options.base_url is not None:
        return None, ()
    folder = _folder(run, None if options.shard is None else Shard.parse(options.shard))
    manifest, sampling, models = load_manifest(folder), sampling_of(options), names(options.models)
    respondents = [
        Respondent(model, model, _connections(folder, manifest, model, options), sampling)
        for model in dict.fromkeys(models)
    ]
    return respondents, tuple(_addresses(run, respondents, options))


def _addresses(run: Path, respondents: Iterable[Respondent], options: RunOptions) -> Iterator[str]:
    """Which models are asked at an address that the run has and the command does not say."""
    at: dict[str, list[str]] = {}
    for one in respondents if options.base_url is None else ():
        urls = [connection.base_url for connection in one.connections if connection.base_url is not None]
        if urls:
            at.setdefault(listing(map(bare_address, urls)), []).append(one.name)
    for urls_shown, models in at.items():
        yield f"{listing(models)}: asked at {urls_shown}, as before in {run}."


def plan_continued_run(options: RunOptions, *, calls: bool = True) -> Plan:
    """The plan that a run goes on by.

    Without options that say what to ask (`GROWING`), it is what the run was to ask, and of a model that is new in it
    what any of its models was; with any of them, the models are asked that much, and the rest stays as the run has it.

    Args:
        options: `out` is the run's folder; `models` may name some of its models, and others; what is given besides
            comes before what the run says, and is refused later where a run cannot take it.
        calls: Whether the models are to be called, for which what may be a secret has to be given again.

    Raises:
        InputError: The folder holds imported replies, or something that calls need is not kept in it.
    """
    run = Path(options.out or "")
    folder = _folder(run, None if options.shard is None else Shard.parse(options.shard))
    manifest = load_manifest(folder)
    if manifest.origin not in ("run", LOGS):
        raise InputError(_of_imported(run))
    models, epochs = names(options.models or manifest.models), options.epochs
    if not models:
        raise InputError(f"{run}: no model has answered in this run. Name the models to ask: --model PROVIDER/MODEL")
    growing = [name for name in GROWING if name in changed(options)]
    there = items.load(folder / ITEMS)
    options = replaced(
        options,
        models=models,
        items=options.items or _item_source(folder, there, options, growing),
        experiments=options.experiments or list(there.experiments),
        epochs=_epochs(folder, manifest, there) if options.epochs is None else options.epochs,
        prompts=_prompts(folder, manifest) if options.prompts is None else options.prompts,
    )
    respondents, lacking = _respondents(folder, manifest, options, calls)
    if manifest.origin == LOGS:
        _refuse_names_of_logs(run, respondents)
    design = None if manifest.origin == LOGS else _with_new(models, _design(folder, manifest, there))
    conditions = list(dict.fromkeys(condition for _, _, condition in design or ())) or [DEFAULT]
    plan = plan_new_run(options, respondents)
    new = [model for model in models if model not in manifest.models]
    asked_alike = f"{listing(new)}: new in {run}, and asked what its models are asked, as they are." if new else ""
    later = [condition for condition in conditions if new and _shows_own_results(condition)]
    conditions = [condition for condition in conditions if condition not in later]
    design = design and {place: epochs for place, epochs in design.items() if place[2] not in later}
    have = "has" if len(new) == 1 else "have"
    asked_later = [
        f"{condition_name(condition)}: not asked now, since {listing(new)} {have} no results yet that could be "
        "shown. Give the same command again."
        for condition in later
        if "facets" not in growing
    ]
    plan = replace(
        plan,
        from_run=[*filter(None, [asked_alike]), *asked_later, *_addresses(run, respondents, options)],
        sampling=_sampling(manifest, None, options),
        conditions=plan.conditions if "facets" in growing else conditions,
        lacking=lacking,
    )
    if manifest.origin == LOGS:
        refuse_epochs_without_log(plan, epochs)
    if not growing:
        plan = replace(plan, preset=manifest.preset, preset_order=manifest.preset_order, only=design)
    plan = replace(plan, histories=histories_of(run, plan.models, plan.item_set, plan.prompts, plan.asking))
    limits = [value for name, value in manifest.settings.items() if name.endswith(f".{CALL_TOKENS_SETTING}")]
    if limits and getattr(options, "tool_tokens", None) is None:
        plan = replace(plan, call_tokens=limits[0])
    return with_calls(plan, options, asks=calls)


def _folder(run: Path, shard: Shard | None) -> Path:
    """Where the manifest lies that says what the run is."""
    first = [] if shard is None else [shard.folder(run)]
    return next(folder for folder in (*first, run, *shard_folders(run)) if (folder / MANIFEST).is_file())


def _of_imported(run: Path) -> str:
    return (
        f"{run}: this folder holds imported replies, which cannot be continued. What they lack: "
        f"{command_line('export {}', run)} > rest.jsonl; to ask a model by yourself, begin a run: "
        "selfexec run --model PROVIDER/MODEL --out NEW"
    )


def _refuse_names_of_logs(run: Path, respondents: Iterable[Respondent]) -> None:
    """Raise InputError where models have names from their logs by which nobody can be asked."""
    named = [one.asked for one in respondents if all(at.base_url is None for at in one.connections)]
    unaskable = [name for name in dict.fromkeys(named) if why_unaskable(name)]
    if not unaskable:
        return
    message = (
        f"{run}: {listing(unaskable)} cannot be asked by the name that the logs have. Import the logs into a new "
        "folder with --model PROVIDER/MODEL"
    )
    if all("/" in name for name in unaskable):
        message += ", or add --base-url URL, if a server there has models of these names"
    raise InputError(f"{message}.")


# --- what is asked ---------------------------------------------------------------------------------------------------


def _item_source(folder: Path, there: ItemSet, options: RunOptions, growing: Sequence[str]) -> str | Path:
    """The items that the run may grow by: of the set that its own are from, where they are to be others than these."""
    cut = {"preset", "limit", "fraction"}.intersection(growing)
    strange = [name for name in names(options.experiments or ()) if name not in there.experiments]
    if not cut and not strange:
        return folder / ITEMS
    for name in ("starter", "paper"):
        if (whole := _at_hand(name)) and all(
            id in whole.items.get(e, {}) and whole.items[e][id] == item
            for e, by_id in there.items.items()
            for id, item in by_id.items()
        ):
            return name
    if strange or (options.limit or 0) > min((len(by_id) for by_id in there.items.values()), default=0):
        what = f"--experiment {strange[0]}" if strange else f"--limit {options.limit}"
        raise InputError(f"{what}: {folder} does not say which set its items are from. Add --items SET|FOLDER.")
    return folder / ITEMS


def _at_hand(name: str) -> ItemSet | None:
    """A set of items, if it is there."""
    try:
        return items.load(name)
    except InputError:
        return None


def _prompts(folder: Path, manifest: Manifest) -> dict[str, str]:
    """The templates that the run asked with."""
    kept = read_without_shards(folder).prompts if manifest.prompts else {}
    if lost := [name for name, text in kept.items() if text is None]:
        raise InputError(f"{folder}: the prompt {lost[0]} is not kept, so nobody can ask the rest. Begin a new run.")
    return {name: text for name, text in kept.items() if text and MODEL not in name}


def _design(folder: Path, manifest: Manifest, there: ItemSet) -> Design:
    """What the run was to ask of whom; where it kept no design, what its replies tell."""
    if (design := design_to_ask(manifest, there)) is not None:
        return design
    told = asked(None, there, read_journal(folder / REPLIES))
    return {place: {id: max(epochs) for id, epochs in by_item.items()} for place, by_item in told.items()}


def _with_new(models: Sequence[str], design: Design) -> Design:
    """A design in which models that it does not have are asked what any of its models is."""
    every: Design = {}
    for (_, experiment, condition), epochs in design.items():
        every = joined(every, {("", experiment, condition): epochs})
    new = [model for model in models if not any(model == place[0] for place in design)]
    return {**design, **{(model, e, c): epochs for model in new for (_, e, c), epochs in every.items()}}


def _shows_own_results(condition: Condition) -> bool:
    """Whether a prediction in a condition is asked with results of the model itself, which it must have by then."""
    shown = history_in(condition)
    return shown is not None and shown.of is None


def _epochs(folder: Path, manifest: Manifest, there: ItemSet) -> int:
    """How often everything is asked. How often a log has a sample says nothing of how often it is asked about."""
    if manifest.origin != LOGS:
        return manifest.epochs
    return max((n for epochs in _design(folder, manifest, there).values() for n in epochs.values()), default=1)


# --- how it is asked -------------------------------------------------------------------------------------------------


def _respondents(
    folder: Path, manifest: Manifest, options: RunOptions, calls: bool
) -> tuple[list[Respondent], tuple[str, ...]]:
    """How each model is reached and what it is sent; and what calls lack, in sentences."""
    from selfexec.runs.toml import read_study  # most runs come of no study file

    study = read_study(folder / STUDY) if (folder / STUDY).exists() else None
    models = names(options.models or ())
    by_study = [model for model in models if study and model in study.models]
    if by_study and (said := [name for name in ("base_url", "wire") if getattr(options, name) is not None]):
        option = said[0].replace("_", "-")
        raise InputError(f"--{option}: {folder / STUDY} says how each model is reached. Leave it out.")
    reached, lacking = study.reached(by_study) if study and by_study else ([], ())
    found = {one.name: _with_given(one, options) for one in reached}
    for model in models:
        if model not in found:
            connections = _connections(folder, manifest, model, options, calls)
            found[model] = Respondent(model, model, connections, Sampling())
    return [replace(found[model], sampling=_sampling(manifest, model, options)) for model in models], lacking


def _connections(
    folder: Path, manifest: Manifest, model: str, options: RunOptions, calls: bool = True
) -> tuple[Connection, ...]:
    """How a model was reached, with what is given in place of what was."""
    given = part_of(options, Connection)
    if model not in manifest.models or model in simulated_of(manifest):
        return (given,)
    way = manifest.reached.get(model)
    if way is None:
        if engine_type(model, given).name != "http":
            return (given,)
        way = _as_before(folder, manifest, model, options)
    if calls and (
        lost := [name for name in way.headers if name.casefold() not in {one.casefold() for one in given.headers}]
    ):
        raise InputError(f"{folder}: {model} was asked with the header {lost[0]}, whose value is never kept. "
                         f"Give it: --header {lost[0]}=VALUE")  # fmt: skip
    if options.base_url is not None and not way.base_url and len(names(options.models or ())) > 1:
        raise InputError(
            f"--base-url: {model} was asked at its provider's own address. Name the models that it is for by --model."
        )
    if options.base_url is None and not way.whole:
        raise InputError(
            f"{folder}: of the address at which {model} was asked, {way.base_url[0]}, a part that may be a secret "
            "was not kept. Give it whole: --base-url URL"
        )
    given = replace(given, **_options_as_before(folder, model, way, options, calls))
    urls: Sequence[str | None] = [options.base_url] if options.base_url is not None else way.base_url or [None]
    return tuple(replace(given, base_url=url) for url in urls)


def _options_as_before(folder: Path, model: str, way: Reached, options: RunOptions, calls: bool) -> dict[str, Any]:
    """The other options by which a model was reached, but for those that are given."""
    flags = {each.name: each.flag for each in declared(Connection)}
    before = {**{name: getattr(way, name) for name in OF_REACHED}, **way.options}
    left = {name: v for name, v in before.items() if name in flags and v is not None and not options.is_given(name)}
    hidden = [flags[name] for name, value in left.items() if value == HIDDEN]
    if hidden and calls:
        raise InputError(
            f"{folder}: {model} was asked with {hidden[0]}, whose value may be a secret and is never kept. Give it: "
            f"{hidden[0]} VALUE"
        )
    return {name: value for name, value in left.items() if value != HIDDEN}


def _with_given(one: Respondent, options: RunOptions) -> Respondent:
    """A model of a study, reached by what is given now in place of what the study says."""
    given = {each.name: getattr(options, each.name) for each in declared(Connection) if options.is_given(each.name)}
    return replace(one, connections=tuple(put_over(connection, given) for connection in one.connections))


def _as_before(folder: Path, manifest: Manifest, model: str, options: RunOptions) -> Reached:
    """How a model was reached in a run that does not say so: by the requests of its batches, or at the provider's own
    address. At which other one, and in which format, nobody can tell.
    """
    in_batches = [request for request in requests_of(folder).by_id.values() if request.model == model]
    url, wire = (in_batches[-1].url, in_batches[-1].wire) if in_batches else (None, None)
    if url is not None:
        at_home = is_at_home(model, url)
        return Reached(base_url=[] if at_home else [url], wire=wire, whole=at_home or HIDDEN not in url)
    addresses = [invocation.addresses[model] for invocation in manifest.invocations if model in invocation.addresses]
    if options.base_url is not None:
        return Reached(base_url=[options.base_url])
    if addresses and not all(is_at_home(model, url) for url in addresses[-1].split(", ")):
        raise InputError(
            f"{folder}: {model} was asked at {addresses[-1]}, by a version that did not keep how. Give the address: "
            f"--base-url {addresses[-1].partition(', ')[0]}"
        )
    return Reached()


def _sampling(manifest: Manifest, model: str | None, options: RunOptions) -> Sampling:
    """What was sent beside the prompts to a model, or to all that have nothing of their own; with what is given besides
    in its place, which is refused where it differs.
    """
    sent = manifest.settings if model is None else manifest.settings_of(model)
    sent = {name: value for name, value in sent.items() if "@" not in name and not _is_of_others(name, manifest)}
    if any(name in changed(options) for name in SAMPLING):
        sent |= _given(options)
    found = from_names(sent)
    for flag, values in (("--set", found.settings), ("--extra-body", found.extra_body)):
        if hidden := [name for name, value in values.items() if HIDDEN in str(value)]:
            raise InputError(
                f"the setting {hidden[0]} is or may be a secret, which is not kept. Give it again: "
                + (f"--set {hidden[0]}=VALUE" if flag == "--set" else f"--extra-body '{{\"{hidden[0]}\": ...}}'")
            )
    return found


def _given(options: RunOptions) -> dict[str, Any]:
    """The settings that are given, by the names that a run keeps them by."""
    given = sampling_of(options)
    refuse_sent_twice(given)  # where both have one name, one would replace the other here
    return by_name(given)


def _is_of_others(setting: str, manifest: Manifest) -> bool:
    """Whether a setting is of an experiment that the run has not, as those of earlier versions are."""
    scope, dot, _ = setting.partition(".")
    kinds: Iterable[str] = (kind for e in manifest.experiments if e in EXPERIMENTS for kind in EXPERIMENTS[e].prompts)
    return bool(dot) and scope not in {*manifest.experiments, *kinds, "extra_body"}
