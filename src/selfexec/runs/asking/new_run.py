"""How a plan is made of what the options of a command say; whatever cannot be asked is refused here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from selfexec.engines import (
    Connection,
    Price,
    Respondent,
    Sampling,
    check_settings,
    default_models,
    engine_of,
    list_price,
    prices_of,
    refuse_unable,
    refuse_unable_in,
    refuse_unsendable,
    refuse_unsent,
)
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, JobKey
from selfexec.facets import (
    DEFAULT,
    crossed_levels,
    facet,
)
from selfexec.items import STRATIFIED, ItemSet, newest_order
from selfexec.items import load as load_items
from selfexec.options import declared, names, part_of
from selfexec.prompts import all_prompts, read_prompts
from selfexec.run_options import STARTER, ItemFields, RunOptions
from selfexec.runs.asking.histories import Histories, histories_of
from selfexec.runs.asking.paper_items import PAPER_ITEMS, at_hand
from selfexec.runs.asking.plan import CALL_TOKENS, Plan
from selfexec.runs.asking.progress import Caps, refuse_unpriced
from selfexec.runs.design import recorded
from selfexec.runs.ends import stored_replies
from selfexec.runs.folder import ITEMS, MANIFEST, load_manifest, of_logs, refuse_harmful_names
from selfexec.runs.sampling import protocol_origins, sampling_of, sampling_settings
from selfexec.runs.share import Shard, shard_folders
from selfexec.text.matching import apart, meant
from selfexec.text.numbers import number_of
from selfexec.text.printable import command_line


def plan_new_run(choices: RunOptions, respondents: Sequence[Respondent] | None = None) -> Plan:
    """What would be asked of `respondents`, or of models that are all asked alike: of the simulated panel, where none
    are named.
    """
    models = None if choices.models is None else names(choices.models)
    if models is not None and not models:
        raise InputError("which model? None is named in the list.")
    epochs, caps = choices.repetitions, Caps(choices.max_calls, choices.max_total_tokens, choices.max_cost)
    asked = _items_asked(choices, models)
    on_command = respondents is None  # and not by what a run or a study says
    experiments = asked.item_set.experiments
    respondents = [
        replace(one, sampling=_for_these(one.sampling, choices, experiments))
        for one in (_all_alike(choices, models) if respondents is None else respondents)
    ]
    by_name = {one.name: one for one in respondents}
    standing_in = {m for m in _standing_in(choices.facets) if m not in by_name} if choices.facets else set()
    given = [price for price in names(choices.price or ()) if price.rpartition("=")[0] not in standing_in]
    prices = prices_of(list(by_name), given, partial(_list_price, by_name))
    refuse_unpriced(by_name, prices, caps)
    _refuse_unaskable(respondents, asked.item_set, choices)
    found = Plan(
        respondents=respondents,
        item_set=asked.item_set,
        whole_set=asked.whole_set,
        epochs=epochs,
        conditions=[DEFAULT] if choices.facets == {} else crossed_levels(_levels(choices.facets)),
        prompts=all_prompts(_changed(choices.prompts)),
        sampling=_for_these(sampling_of(choices), choices, experiments),
        out=asked.out,
        preset=choices.preset,
        preset_order=None if asked.order == STRATIFIED else asked.order,
        caps=caps,
        prices=prices,
        shard=asked.shard,
        recorded=_recorded(asked.out, asked.item_set, list(by_name)),
        accept_ends=tuple(choices.accept_ends or ()),
        retry_ends=choices.retry_ends,
        call_tokens=CALL_TOKENS if choices.tool_tokens is None else choices.tool_tokens,
        call_connection=_one_way(respondents) or part_of(choices, Connection),
        wanted_items=None if choices.items is None else str(choices.items),
    )
    has_facets = any(found.conditions)
    if has_facets:
        found = replace(found, histories=_histories(found, asked.run))
    if has_facets or any(respondent.sampling != Sampling() for respondent in respondents):
        for model, part in product(found.models, found.parts):
            found.sampling_of(model, *part)  # refuses what its engine cannot do
    if asked.of_logs and on_command:
        refuse_epochs_without_log(found, choices.epochs)
    return with_calls(found, choices) if has_facets else found


class _ItemsAsked(NamedTuple):
    """Which items are asked, and where the replies go: `run` is the folder of the run, `out` that of the shard, where
    there is one. `order` is that of the preset, and `of_logs` tells whether the run was made of finished logs.
    """

    item_set: ItemSet
    whole_set: ItemSet
    order: str | None
    run: Path
    out: Path
    shard: Shard | None
    of_logs: bool


def _items_asked(choices: RunOptions, models: Sequence[str] | None) -> _ItemsAsked:
    parts = None if choices.experiments is None else names(choices.experiments)
    if unknown := [name for name in parts or [] if name not in EXPERIMENTS]:
        raise InputError(f"unknown experiment {unknown[0]!r}. {meant(unknown[0], EXPERIMENTS)}")
    if choices.out == "":
        raise InputError("--out: the name is empty. Is a variable not set?")
    given = Path(choices.out) if choices.out else None
    is_of_logs = given is not None and of_logs(given) is not None
    items = at_hand(choices.items, given) if str(choices.items) == PAPER_ITEMS else choices.items
    # nobody has to say which items these are: they came with the logs
    whole_set = load_items(items or (Path(choices.out or "") / ITEMS if is_of_logs else STARTER))
    run = Path("runs") / _folder_name(models, whole_set.name) if given is None else given
    shard = None if choices.shard is None else Shard.parse(choices.shard)
    if shard and is_of_logs:
        raise InputError(
            f"--shard {choices.shard}: {run} is made of logs, which are asked about as a whole. Leave it out."
        )
    order = (_order_there(run) or newest_order(whole_set.hashes)) if choices.preset else None
    item_set = whole_set.cut(
        parts or whole_set.usual, limit=choices.limit, fraction=choices.fraction, preset=choices.preset, order=order
    )
    item_set, whole_set = (_with_fields(some, choices) for some in (item_set, whole_set))
    return _ItemsAsked(item_set, whole_set, order, run, shard.folder(run) if shard else run, shard, is_of_logs)


def _with_fields(item_set: ItemSet, choices: RunOptions) -> ItemSet:
    """The items with the fields that the run sets for all of them: lists of numbers, each once."""
    for each in declared(ItemFields):
        given = getattr(choices, each.name)
        if given is None:
            continue
        values = [
            int(word) if word.isascii() and word.isdecimal() else word for word in ",".join(names(given)).split(",")
        ]
        if twice := [value for value in values if values.count(value) > 1]:
            raise InputError(f"{each.flag} {','.join(map(str, values))}: {twice[0]} occurs twice.")
        item_set = item_set.with_field(each.name, values)
    return item_set


def _all_alike(choices: RunOptions, models: Sequence[str] | None) -> list[Respondent]:
    """These models, or the simulated panel, each reached and asked as the options say."""
    reached, sampling = (part_of(choices, Connection),), sampling_of(choices)
    return [Respondent(model, model, reached, sampling) for model in dict.fromkeys(models or default_models())]


def _refuse_unaskable(respondents: Sequence[Respondent], item_set: ItemSet, choices: RunOptions) -> None:
    """Raise InputError for a model that cannot be asked about these items, or not with what is to be sent to it."""
    for one in respondents:
        if not one.asked.isascii():  # half a surrogate pair cannot be sent
            refuse_unsendable("--model", one.asked)
        refuse_harmful_names([one.name, one.asked], "--model ")
        if one.sampling != Sampling():
            check_settings(one.sampling, item_set.experiments, protocol_origins(choices))
        for connection in one.connections:
            refuse_unable([one.asked], item_set.experiments, connection)
            if one.sampling != Sampling():
                refuse_unsent(one.asked, connection, one.sampling)
    if simulated := [one for one in respondents if one.simulated]:
        engine_of(simulated, item_set)  # refuses models that nobody simulates; real ones want a key, later


def _histories(plan: Plan, run: Path) -> Histories | None:
    """What is shown to each model of earlier behaviour. InputError: an engine cannot ask in one of the conditions."""
    for one in plan.respondents:
        for condition, connection in product(plan.conditions, one.connections):
            refuse_unable_in(one.asked, condition, connection)
    return histories_of(run, plan.models, plan.item_set, plan.prompts, plan.asking)


def with_calls(plan: Plan, choices: RunOptions, *, asks: bool = True) -> Plan:
    """The plan, where models may have prompts executed in it: with what the models cost that stand in for others.

    Args:
        plan: What is to be asked.
        choices: What the command says.
        asks: Whether it is this command that asks, and not somebody to whom prompts are handed out.

    Raises:
        InputError: The command does not allow it, or a model that stands in for another cannot be asked.
    """
    opening = [(n, level) for c in plan.conditions for n, level in c if facet(n).dialogue]
    if not opening:
        return plan
    asked = "--{} {}".format(*opening[0])
    if not asks or not isinstance(choices, RunOptions):
        raise InputError(f"{asked}: what is asked there follows from replies at once, so only `selfexec run` asks it.")
    if not choices.allow_self_execution:
        raise InputError(
            f"{asked}: models are then given a tool by which they have prompts executed. Somebody has to allow that, "
            "in each command: --allow-self-execution"
        )
    for stand_in in plan.stand_ins:
        if stand_in.simulated != plan.all_simulated:
            raise InputError(f"{asked}: a simulated model and one that is not cannot stand in for each other.")
        refuse_unsendable(asked, stand_in.asked)
        refuse_harmful_names([stand_in.asked], f"{asked}: ")
    engine_of([stand_in for stand_in in plan.stand_ins if stand_in.simulated], plan.item_set)
    by_name = {stand_in.name: stand_in for stand_in in plan.stand_ins}
    given = [p for p in names(choices.price or ()) if p.partition("=")[0] in by_name or "=" not in p]
    prices = prices_of(list(by_name), given, partial(_list_price, by_name)) if by_name else {}
    refuse_unpriced(by_name, prices, plan.caps)
    return replace(plan, prices={**plan.prices, **prices})


def refuse_epochs_without_log(plan: Plan, epochs: int | None) -> None:
    """Raise InputError where epochs are named in which no log has any of the samples: nothing would be asked there."""
    most = max((n for by_id in plan.design.values() for n in by_id.values()), default=0)
    if epochs and plan.recorded and 0 < most < epochs:
        raise InputError(
            f"--epochs {epochs}: of no sample here do the logs in {plan.run_folder} hold more than "
            f"{number_of(most, 'attempt')}, and each prediction is about an attempt. Import another log of the model, "
            f"or give --epochs {most}."
        )


def _for_these(sampling: Sampling, choices: RunOptions, experiments: Collection[str]) -> Sampling:
    """What is sent, without what the protocol sends in other experiments than those that are asked."""
    others = sampling_settings(choices.protocol, EXPERIMENTS.keys() - set(experiments)).items() - {
        (name, value) for name, value in choices.settings.items() if isinstance(value, int | float)
    }
    kept = {name: value for name, value in sampling.settings.items() if name not in dict(others)}
    return replace(sampling, settings=kept)


def _list_price(respondents: Mapping[str, Respondent], name: str) -> Price | None:
    """What a model costs wherever it runs, if that is known."""
    one = respondents[name]
    found = [list_price(one.asked, connection) for connection in one.connections]
    return found[0] if len(set(found)) == 1 else None


def _recorded(out: Path, item_set: ItemSet, models: Sequence[str]) -> frozenset[JobKey]:
    """What logs have of these items; InputError where they have nothing of an experiment, or of a model."""
    wanted = [name for name in item_set.experiments if EXPERIMENTS[name].recorded]
    if not wanted:
        return frozenset()
    found = recorded(item_set, stored_replies(out) if (out / MANIFEST).is_file() else ())
    for name in wanted:
        told = dict.fromkeys(job[0] for job in sorted(found) if job[1] == name)
        if not told:
            raise InputError(
                f"{name}: what models did comes from a finished log, and {out} has none of these items. First: "
                f"{command_line('import --from TOOL LOG --as {} --out {}', name, out)}"
            )
        if strange := [model for model in models if model not in told]:
            raise InputError(
                f"--model {strange[0]}: {out} has no log of it in {name}, only of {apart(told)}. Import one, with "
                f"--model {strange[0]} if it goes by another name there."
            )
    return found


def _order_there(out: Path) -> str | None:
    """The order that presets have in the run that is to grow, or in any shard of it; None where there is no run, or it
    never had a preset.
    """
    there = next((folder for folder in (out, *shard_folders(out)) if (folder / MANIFEST).is_file()), None)
    if there is None:
        return None
    manifest = load_manifest(there)
    return manifest.preset_order or (STRATIFIED if manifest.preset else None)


def _levels(facets: Any) -> dict[str, list[str]]:
    """Facet -> the levels that are given."""
    given = facets.items() if isinstance(facets, Mapping) else [(facets, None)]
    for name, levels in given:
        if not isinstance(name, str) or not levels or not all(isinstance(level, str) for level in levels):
            raise InputError(f'facets {facets!r}: write {{"facet": "level"}}, or {{"facet": ["a", "b"]}} for several.')
    return {name: names(levels or ()) for name, levels in given}


def _one_way(respondents: Sequence[Respondent]) -> Connection | None:
    """How all of these are reached; None where they are not all reached in one way."""
    first, *others = (connection for one in respondents for connection in one.connections)
    return first if all(other == first for other in others) else None


def _standing_in(facets: Any) -> set[str]:
    """The models that are named to answer calls for others."""
    given = ((facet(name), level) for name, levels in _levels(facets).items() for level in levels)
    dialogues = (
        (named.dialogue, level)
        for named, level in given
        if named.dialogue and level != named.default and named.has(level)
    )
    return {model for dialogue, level in dialogues if (model := dialogue.stand_in(level))}


def _changed(prompts: Mapping[str, str] | str | Path | None) -> Mapping[str, str]:
    """The prompts that are not asked as shipped, from their file if it is one."""
    return read_prompts(prompts) if isinstance(prompts, str | Path) else prompts or {}


def _folder_name(models: Sequence[str] | None, item_name: str) -> str:
    who = "-".join(model.replace("/", "-") for model in models) if models else "simulated-panel"
    return f"{who[:80]}-{Path(item_name).name}"
