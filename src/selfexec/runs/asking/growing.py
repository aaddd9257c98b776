"""The folder of a run as it grows to what is planned: begun, refused where it cannot, written down."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from selfexec.engines import Connection, Engine, Respondent, kept_setting
from selfexec.errors import InputError, Interrupted
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import condition_name
from selfexec.files.replacing import put, settle
from selfexec.items import ItemSet
from selfexec.items import load as load_items
from selfexec.options import declared
from selfexec.prompts import prompt_hashes, shipped_sentences
from selfexec.runs import invocations
from selfexec.runs.asking.plan import Plan
from selfexec.runs.asking.progress import Progress
from selfexec.runs.design import Block, Design, asked, folded, joined, unfolded
from selfexec.runs.ends import refuse_other_words, stored_replies, words_in, words_of_judges
from selfexec.runs.folder import (
    FORMAT,
    ITEMS,
    LOGS,
    MANIFEST,
    STUDY,
    Manifest,
    Reached,
    ShareOf,
    create,
    design_to_ask,
    grow_items,
    keep_old_manifest,
    load_manifest,
    refuse_other_items,
    refuse_taken,
    simulated_of,
    write_manifest,
)
from selfexec.runs.sampling import PROTOCOLS, kept_settings, sampling_settings
from selfexec.runs.share import refuse_other_cut
from selfexec.text.numbers import joined as listing
from selfexec.text.numbers import number_of
from selfexec.text.redaction import HIDDEN, bare_address
from selfexec.version import __version__

T = TypeVar("T")
REACHED = Reached.__struct_fields__


def begin(plan: Plan, wanted: Design | None = None) -> Manifest:
    """Make the folder of a run that is not there yet, and return its manifest as it is read back.

    Args:
        plan: What the run is to ask.
        wanted: What of it is asked now; nothing yet, where none is given.
    """
    refuse_taken(plan.out)
    # what is in the design counts as missing until it is there; with caps, what is planned may never be asked
    design, planned = ({}, wanted or {}) if plan.caps.any else (wanted or {}, {})
    hashes = plan.item_set.hashes
    experiments = [name for name in EXPERIMENTS if name in hashes]  # in the order in which a folder of items has them
    manifest = Manifest(
        selfexec=__version__,
        origin="run",
        models=list(dict.fromkeys(plan.models)),
        simulated=_simulated(plan),
        experiments=experiments,
        epochs=plan.epochs,
        items={name: hashes[name] for name in experiments},
        **_designs(plan, design, planned, plan.item_set),
        prompts=prompt_hashes(plan.asked_prompts),
        settings={**kept_settings(plan.sampling), **plan.settings_of_facets},
        own_settings=_own_settings(plan),
        preset=plan.preset,
        preset_order=plan.preset_order,
        accept_ends=list(dict.fromkeys(plan.accept_ends)),
        hypotheses=plan.hypotheses,
        reached=_reached(plan),
    )
    create(plan.out, manifest, plan.item_set, [], plan.asked_prompts)
    return load_manifest(plan.out)  # as all others read it: JSON knows no tuples


def _refuse_later_hypotheses(plan: Plan, old: Manifest) -> None:
    """Hypotheses come before the first call: a run that began without them, or with others, takes none."""
    if plan.hypotheses and plan.hypotheses != old.hypotheses:
        had = "with other hypotheses" if old.hypotheses else "without hypotheses"
        raise InputError(
            f"{plan.out}: this run began {had}, and they are written down before the first call. Choose another --out."
        )


def _protocol_of(name: str, value: object) -> str:
    """The way out where a setting is given no more and a sampling protocol sends it."""
    sends = [protocol for protocol in PROTOCOLS if sampling_settings(protocol).get(name) == value]
    return f"It is sent by --protocol {sends[0]}: give that too, and the run goes on. " if sends else ""


def growth(plan: Plan) -> Iterator[str]:
    """What a command adds to the run that is in its folder already, in a sentence; nothing where it only goes on with
    what the run was to ask, or where the run does not say what that was.
    """
    if not (plan.out / MANIFEST).exists():
        return
    before = design_to_ask(load_manifest(plan.out), load_items(plan.out / ITEMS))
    if before is not None and (added := "; ".join(_added(before, plan.design))):
        apart = "For a separate run, give another --out."
        yield f"{plan.out}: this run exists, and the command adds to it: {added}. {apart}"


def _added(before: Design, design: Design) -> Iterator[str]:
    """6 restriction requests; association in 2 epochs, where it was 1; condition asker=another. Which models are new
    says what they are asked.
    """
    repeated: dict[tuple[int, int], list[str]] = {}
    for experiment in dict.fromkeys(place[1] for place in design):
        had, wanted = _most_epochs(before, experiment), _most_epochs(design, experiment)
        if new := wanted.keys() - had.keys():
            name = f"{'more ' if had else ''}{experiment} {EXPERIMENTS[experiment].item_name}"
            yield number_of(len(new), name)
        if again := [(had[id], wanted[id]) for id in wanted.keys() & had.keys() if wanted[id] > had[id]]:
            repeated.setdefault((min(again)[0], max(epochs for _, epochs in again)), []).append(experiment)
    for (least, most), experiments in repeated.items():
        yield f"{listing(experiments)} in {number_of(most, 'epoch')}, where it was {least}"
    known = {condition for _, _, condition in before}
    for condition in dict.fromkeys(condition for _, _, condition in design if condition not in known):
        yield f"condition {condition_name(condition)}"


def _most_epochs(design: Design, experiment: str) -> Mapping[str, int]:
    """Item of an experiment -> in how many epochs any model is asked it in any condition."""
    most: dict[str, int] = {}
    for (_, asked_in, _), by_item in design.items():
        for item, epochs in by_item.items() if asked_in == experiment else ():
            most[item] = max(epochs, most.get(item, 0))
    return most


def refuse_misfit(plan: Plan) -> None:
    """Raise InputError where the folder of the plan holds something that cannot grow to it."""
    if plan.has_shards:
        refuse_other_cut(plan.run_folder, plan.shard)
    if not (plan.out / MANIFEST).exists():
        refuse_taken(plan.out)
        return
    old = load_manifest(plan.out)
    if old.origin not in ("run", LOGS):
        raise InputError(
            f"{plan.out}: this folder holds imported replies, which cannot be continued. "
            "Choose another folder with --out."
        )
    _refuse_mixture(plan, old)
    _refuse_later_hypotheses(plan, old)
    both = {name.partition(".")[0] for name in old.prompts} & {*plan.item_set.experiments}
    ours = prompt_hashes(shipped_sentences(both))
    before = {**ours, **old.prompts}
    for name, now in {**ours, **prompt_hashes(plan.asked_prompts)}.items():
        if before.get(name, now) != now:
            raise InputError(
                f"{plan.out}: the prompt {name} has changed since this run began. Choose another folder with --out."
            )
    settings, of_facets = kept_settings(plan.sampling), plan.settings_of_facets
    # a condition that is new, or not asked now, is no other setting than before
    plain = {name for name in old.settings if "@" not in name} | settings.keys()
    settings |= of_facets
    # nothing of other experiments was asked with another setting, whether or not they are installed
    kinds = {
        kind
        for e in {*old.experiments, *plan.item_set.experiments} & set(EXPERIMENTS)
        for kind in EXPERIMENTS[e].session_kinds
    }
    named = {name.partition(".")[0] for name in {*plain, *old.settings, *of_facets} if "." in name and "@" not in name}
    not_asked = set(old.experiments) - {*plan.item_set.experiments}  # now: what was sent there stays as it is
    of_others = (EXPERIMENTS.keys() | named) - set(old.experiments) - kinds - {"extra_body"}
    for name in sorted(plain | (old.settings.keys() & of_facets.keys())):
        if name.partition(".")[0] in of_others or (settings.get(name) is None and _is_of(name, not_asked)):
            continue
        # runs of a version that kept everything as it was given may still hold what is kept as a digest now
        before, wanted = kept_setting(name, old.settings.get(name)), settings.get(name)
        if before != wanted:
            raise InputError(
                f"{plan.out}: the setting {name} {was_set(before)} when this run began and {is_set(wanted)} now. "
                f"{'' if wanted is not None else _protocol_of(name, before)}Choose another folder with --out."
            )
    for one in plan.respondents:
        sent = (old.settings_of(one.name), kept_settings(one.sampling)) if one.name in old.models else ({}, {})
        for name in sorted({name for settings in sent for name in settings if name.partition(".")[0] not in of_others}):
            before, wanted = kept_setting(name, sent[0].get(name)), sent[1].get(name)
            if before != wanted and not (wanted is None and _is_of(name, not_asked)):
                raise InputError(
                    f"{plan.out}: the setting {name} of {one.name} {was_set(before)} when it was asked before and "
                    f"{is_set(wanted)} now. Give the model another name, or choose another folder with --out."
                )
    refuse_other_items(plan.out, plan.item_set, plan.whole_set)
    refuse_strange_ends(plan, old)


def refuse_strange_ends(plan: Plan, manifest: Manifest) -> None:
    """Raise InputError where the plan accepts an end that no reply has, while replies here have other unknown ends. Of
    a run without any, nobody can know yet how its replies will end.
    """
    new = [word for word in plan.accept_ends if word not in manifest.accept_ends]
    if new and (known := words_in(stored_replies(plan.out).values()) | words_of_judges(plan.out)):
        refuse_other_words(new, known, str(plan.out))


def _refuse_mixture(plan: Plan, old: Manifest) -> None:
    """Raise InputError where simulated models would come into a run of others, or others into one of simulated models,
    unless the command names both.
    """
    simulated = set(_simulated(plan))
    if simulated and set(plan.models) - simulated:
        return
    new = [model for model in plan.models if model not in old.models]
    others = [model for model in old.models if (model in simulated_of(old)) != bool(simulated)]
    if new and others:
        here, there = ("simulated", "not") if simulated else ("not simulated", "is")
        raise InputError(
            f"{plan.out}: {new[0]} is {here}, and {others[0]}, which this run asked, {there}. To have both in one "
            f"run, name both: --model {others[0]},{new[0]}. Else choose another folder with --out."
        )


def _is_of(setting: str, experiments: Collection[str]) -> bool:
    """Whether a setting is one of these experiments alone."""
    return "." in setting and setting.partition(".")[0] in experiments


def was_set(value: Any) -> str:
    """How a setting stood, in a sentence."""
    return "was not set" if value is None else f"was {value!r}"


def is_set(value: Any) -> str:
    """How a setting stands, in a sentence."""
    return "is not set" if value is None else f"is {value!r}"


def grow(plan: Plan) -> Manifest:
    """Let the run grow to this plan, write down that it does, and return what is written."""
    settle(plan.out)
    settle(plan.out / ITEMS)
    old, before = load_manifest(plan.out), load_items(plan.out / ITEMS)
    keep_old_manifest(plan.out, old)
    wanted = plan.design
    capped = plan.caps.any
    design = joined(_design_of(plan.out, old, before), {} if capped else wanted)
    planned = joined(unfolded((old.shard or old).planned, before), wanted if capped else {})
    if any(id not in before.items.get(e, {}) for e, by_id in plan.item_set.items.items() for id in by_id):
        # until the items are there, "all that the run has" must not come to mean these too
        old = replace(old, format=FORMAT, **_designs(plan, design, planned, None))
        write_manifest(plan.out, old)
    grown = grow_items(plan.out / ITEMS, plan.item_set)
    same_items, just_the_cut = grown.hashes == old.items, grown.hashes == plan.item_set.hashes
    new = replace(
        old,
        format=FORMAT,
        models=list(dict.fromkeys([*old.models, *plan.models])),
        simulated=list(dict.fromkeys([*simulated_of(old), *_simulated(plan)])),
        experiments=list(grown.experiments),
        epochs=max(old.epochs, plan.epochs),
        items=grown.hashes,
        **_designs(plan, design, {} if joined(design, planned) == design else planned, grown),
        prompts=old.prompts | prompt_hashes(plan.asked_prompts),
        settings={**kept_settings(plan.sampling), **old.settings, **plan.settings_of_facets},
        own_settings={**old.own_settings, **_grown_settings(plan, old)},
        # the name of a cut holds as long as the items are just those of the cut
        preset=plan.preset if just_the_cut else old.preset if same_items else None,
        preset_order=old.preset_order or plan.preset_order,
        accept_ends=list(dict.fromkeys([*old.accept_ends, *plan.accept_ends])),
        reached={**{m: way for m, way in _reached(plan).items() if m not in old.models}, **old.reached},
    )
    if new != old:
        write_manifest(plan.out, new)
    return new


@contextmanager
def undone_if_refused(plan: Plan, before: Manifest | None) -> Iterator[None]:
    """Take the models out of the run again that a command brought into it and that never answered, where the command
    was refused: a mistyped name would otherwise be asked by all later commands that name no model.

    Args:
        plan: What the command was to ask. The shards of a run share their plan, from which nothing is taken.
        before: The manifest as it was before the command; None where the command began the run.

    Raises:
        InputError: The refusal, which now says which models these are.
    """
    try:
        yield
    except Interrupted:  # the same command goes on later
        raise
    except InputError as fault:
        answered = {reply.model for reply in stored_replies(plan.out).values()}
        silent = [model for model in plan.models if model not in answered]
        blocks = () if before is None else (*(before.design or ()), *before.planned)
        known = {model for block in blocks for model in block.models}
        taken_out = [model for model in silent if model not in known and plan.shard is None]
        if taken_out:
            write_manifest(plan.out, _without(load_manifest(plan.out), taken_out))
        if answered and silent:
            said = fault.typed if fault.typed.endswith((".", "?")) else f"{fault.typed}."
            fault.args = (" ".join([said, *_on_silent(plan, silent, taken_out)]),)
        raise


def _on_silent(plan: Plan, silent: Sequence[str], taken_out: Sequence[str]) -> Iterator[str]:
    """What becomes of the models that never answered in a run in which others did."""
    if taken_out:
        is_not = "is not" if len(taken_out) == 1 else "are not"
        yield f"{listing(taken_out)} never answered and {is_not} part of {plan.out}."
    if there := [model for model in silent if model not in taken_out]:
        others = [model for model in load_manifest(plan.out).models if model not in silent]
        them = "it" if len(there) == 1 else "them"
        way_out = f"To go on without {them}, name the others: --model {','.join(others)}"
        yield f"{listing(there)} never answered in {plan.out}. {way_out}"


def _without(manifest: Manifest, models: Collection[str]) -> Manifest:
    """The manifest of a run to which these models never belonged."""

    def others(blocks: Iterable[Block]) -> list[Block]:
        left = [replace(block, models=[m for m in block.models if m not in models]) for block in blocks]
        return [block for block in left if block.models]

    def kept(by_model: Mapping[str, T]) -> dict[str, T]:
        return {model: value for model, value in by_model.items() if model not in models}

    return replace(
        manifest,
        models=[model for model in manifest.models if model not in models],
        simulated=[model for model in simulated_of(manifest) if model not in models],
        design=None if manifest.design is None else others(manifest.design),
        planned=others(manifest.planned),
        own_settings=kept(manifest.own_settings),
        reached=kept(manifest.reached),
    )


def _design_of(folder: Path, manifest: Manifest, item_set: ItemSet) -> Design:
    """What a run has asked, a shard that it is of; where it kept no design, what its replies tell."""
    if manifest.shard is not None:
        return unfolded(manifest.shard.design, item_set)
    if manifest.design is not None:
        return unfolded(manifest.design, item_set)
    told = asked(None, item_set, stored_replies(folder))
    return {place: {id: max(epochs) for id, epochs in by_item.items()} for place, by_item in told.items()}


def _designs(plan: Plan, design: Design, planned: Design, item_set: ItemSet | None) -> dict[str, Any]:
    """What the manifest says of what is to be asked; that of a shard says it of its share and of the whole."""
    whole = {"design": folded(design, item_set), "planned": folded(planned, item_set)}
    if plan.shard is None:
        return whole
    share = {"design": folded(plan.shard.part(design), item_set), "planned": folded(plan.shard.part(planned), item_set)}
    return {**share, "shard": ShareOf(index=plan.shard.index, of=plan.shard.of, **whole)}


def _own_settings(plan: Plan) -> dict[str, dict[str, Any]]:
    """What is sent to models that are not sent what all others are."""
    common = kept_settings(plan.sampling)
    sent = {one.name: kept_settings(one.sampling) for one in plan.respondents}
    return {model: settings for model, settings in sent.items() if settings != common}


def _grown_settings(plan: Plan, old: Manifest) -> dict[str, dict[str, Any]]:
    """What is sent to models that are not sent what all others are, with what they were sent before in experiments that
    are not asked now. A new model is taken to be sent there what all others were.
    """
    before = {name: value for name, value in old.settings.items() if "@" not in name}
    common = {**kept_settings(plan.sampling), **before}
    elsewhere = set(old.experiments) - {*plan.item_set.experiments}
    there = {name: value for name, value in before.items() if _is_of(name, elsewhere)}
    found = {}
    for one in plan.respondents:
        known = old.settings_of(one.name) if one.name in old.models else there
        sent = {**kept_settings(one.sampling), **known}
        if sent != common:
            found[one.name] = sent
    return found


def _reached(plan: Plan) -> dict[str, Reached]:
    """How those models are reached that are not known by their names alone."""
    found = {one.name: _way_to(one) for one in plan.respondents if not one.simulated}
    return {model: way for model, way in found.items() if way != Reached()}


def _reached_now(plan: Plan, manifest: Manifest) -> dict[str, Reached]:
    """How the models of a run were reached last; nothing of one for which all is as by default now."""
    now, asked = _reached(plan), {one.name for one in plan.respondents}
    before = {model: way for model, way in manifest.reached.items() if model in now or model not in asked}
    return {**before, **now}


def _way_to(one: Respondent) -> Reached:
    """How a model is reached, without what may be a secret."""
    first = one.connections[0]
    urls = [connection.base_url for connection in one.connections if connection.base_url is not None]
    return Reached(
        base_url=list(map(bare_address, urls)),
        whole=all(bare_address(url) == url for url in urls),
        wire=first.wire,
        api_key_env=first.api_key_env,
        headers=sorted(first.headers),
        options=_other_options(first),
    )


def _other_options(connection: Connection) -> dict[str, Any]:
    """The options of a connection that have no field of `Reached` and are not what holds anyway. Of one that may be a
    secret only that it was given.
    """
    values = [(each, getattr(connection, each.name)) for each in declared(Connection)]
    others = [(each, value) for each, value in values if each.name not in REACHED and value != each.default]
    return {each.name: _plain(value) if each.is_stored else HIDDEN for each, value in others}


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return (
        [*map(_plain, value)] if isinstance(value, list | tuple) else str(value) if isinstance(value, Path) else value
    )


def _simulated(plan: Plan) -> list[str]:
    """The models of a plan that an engine simulates. What lies behind a server says so itself, reply by reply."""
    return [one.name for one in plan.respondents if one.simulated]


@contextmanager
def invocation(plan: Plan, manifest: Manifest, engine: Engine, progress: Progress) -> Iterator[None]:
    """Write down when this command asks, how it was called and how the models are reached, and when it is done. Where
    no call came of it, nothing: an address at which nobody answered does not replace one at which somebody did.
    """
    begun = invocations.begun(plan.command, engine.addresses, plan.study)
    if plan.study:
        put(plan.out / STUDY, [plan.study.kept])

    def write(*more: invocations.Invocation) -> None:
        written = invocations.kept([*manifest.invocations, *more])
        reached = _reached_now(plan, manifest) if more else manifest.reached
        write_manifest(plan.out, replace(manifest, invocations=written, reached=reached))

    with invocations.noted(begun, write, progress):
        yield
