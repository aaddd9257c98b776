"""Replies from elsewhere as a run, or as more of one."""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from selfexec import items as item_sets
from selfexec.errors import InputError, in_python
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.items import ItemSet, Preset
from selfexec.options import Files, Names, files, names
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.ends import (
    ends_named,
    keep_accepted,
    refuse_other_words,
    stored_replies,
    way_to_texts,
    words_in,
)
from selfexec.runs.folder import (
    IMPORT,
    ITEMS,
    MANIFEST,
    REPLIES,
    SIMULATED,
    Manifest,
    check_fit,
    create,
    grow_items,
    keep_old_manifest,
    load_manifest,
    refuse_harmful_names,
    refuse_other_items,
    refuse_taken,
    write_manifest,
)
from selfexec.runs.journal import Journal, read_journal
from selfexec.runs.journal_writer import without_checked
from selfexec.runs.reply import Cut, Loaded, Reply, load_replies
from selfexec.runs.run import Run, load, load_all, read_run, warn_of_unknown_ends
from selfexec.version import __version__


@tells_wrong_names("an import", item_source="items", paths="replies")
def import_replies(
    replies: Files,
    *,
    items: str | Path | None = None,
    out: str | Path,
    limit: int | None = None,
    fraction: float | None = None,
    preset: Preset | None = None,
    accept_ends: Names = (),
) -> Run:
    """A run made of replies from elsewhere: another harness, a batch API, a form that people filled in.

    Replies of a later round, or of another model, are added to a run that was imported before. What the run has
    already stays as it is.

      replies    a file of JSON Lines, one reply a line, also gzipped; or several such files
      items      the items that were asked: a set (`starter`, `paper`) or a folder of item files. A run that was
                 imported before has them
      out        the run's folder; it is new, and appears whole or not at all, or it has a run that was imported
      limit      so many items per experiment were asked; lines of `selfexec export` say that themselves, and the next
                 two
      fraction   this share of the items was asked
      preset     the cut that was asked: `quick`, `standard` or `full`
      accept_ends  words with which replies count though they are not known to end one; the run keeps them

    InputError: a line cannot be read, belongs to no session of these items, or contradicts another. What is odd and
    can be used all the same comes as a warning.
    """
    cut = Cut(limit=limit, fraction=fraction, preset=preset)
    found, odd = replies_as_run(files(replies), items, Path(out), cut, names(accept_ends))
    for text in (*odd, *map(in_python, items_without_a_line(found))):
        warnings.warn(text, stacklevel=3)  # of the caller, beyond what refuses wrong names
    return found


def items_without_a_line(run: Run) -> Iterator[str]:
    """Of how many items each model has no reply, in sentences; of models that have all there is nothing to say."""
    for model, number in run.unasked.items():
        yield (
            f"{model} has no line for {number:,} of the items{run.as_counted}, which count as missing. If it was not "
            "asked them, give --items with those that it was."
        )


def replies_as_run(
    paths: Sequence[Path], item_source: str | Path | None, out: Path, cut: Cut, accept_ends: Sequence[str] = ()
) -> tuple[Run, list[str]]:
    """A run made of replies, or one that has them in addition, and warnings."""
    if takes_more(out):
        return add_replies(paths, out, item_source, cut, accept_ends)
    if item_source is None:
        raise InputError(
            "which items were asked? Name the set, or the folder of item files: --items starter. A run that "
            "was imported before has its items; no such run is in the folder given."
        )
    return run_of_replies(
        paths,
        item_source=item_source,
        out=out,
        limit=cut.limit,
        fraction=cut.fraction,
        preset=cut.preset,
        accept_ends=accept_ends,
    )


# --- as a new run ----------------------------------------------------------------------------------------------------


def run_of_replies(
    paths: Sequence[Path],
    *,
    item_source: str | Path,
    out: Path,
    limit: int | None = None,
    fraction: float | None = None,
    preset: str | None = None,
    accept_ends: Names = (),
) -> tuple[Run, list[str]]:
    """A run made of replies from elsewhere, and warnings. The folder appears whole or not at all. Where a cut of the
    items was asked, `limit`, `fraction` or `preset` says which, where the lines do not say it themselves. The run
    accepts the unknown ends `accept_ends`.
    """
    refuse_taken(out)
    whole = item_sets.load(item_source)
    came = loaded_replies(paths)
    if not came.replies:
        raise InputError(f"{', '.join(map(str, paths))}: there are no replies. Nothing was imported.")
    refuse_people_among_models(came.replies.values(), ", ".join(map(str, paths)))
    given = Cut(limit=limit, fraction=fraction, preset=preset)
    item_set, cut, order = cut_of_replies(whole, came, given)
    check_fit(came.replies, item_set, came.places.__getitem__)
    used = {key.experiment for key in came.replies}
    item_set = item_set.cut([e for e in item_set.experiments if e in used])
    words = tuple(names(accept_ends))
    refuse_other_words(words, words_in(came.replies.values()), ", ".join(map(str, paths)))
    manifest = _imported(paths, item_set, came.replies, cut.preset, order)
    manifest = msgspec.structs.replace(manifest, accept_ends=list(dict.fromkeys(words)))
    create(out, manifest, item_set, came.replies.values())
    found = Run(out, manifest, item_set, came.replies).with_accepted_ends(words)
    return found, [*came.warnings, *ends_named(found.replies.values(), way_to_texts(out))]


def refuse_people_among_models(replies: Iterable[Reply], place: str) -> None:
    """Raise InputError where both people and models replied: a run is of one of the two."""
    by_kind: dict[bool, set[str]] = {True: set(), False: set()}
    for reply in replies:
        by_kind[reply.person].add(reply.model)
    people, models = by_kind[True], by_kind[False]
    if people and models:
        raise InputError(
            f"{place}: {min(people)} is a person, and {min(models)} is none. Import people and models into a run each; "
            "`selfexec analyze cross` takes both."
        )


def loaded_replies(paths: Sequence[Path]) -> Loaded:
    """Replies from files, which may be those of a run."""
    found = load_replies(paths)
    return replace(found, replies=without_checked(found.replies, {path.parent for path in paths}))


def cut_of_replies(whole: ItemSet, loaded: Loaded, given: Cut) -> tuple[ItemSet, Cut, str | None]:
    """The items that were asked, the cut that they are, and its order, where it is a preset: the cut that is given,
    else the one that the lines name, if all of them are of it. They are not where the items given are the cut already.
    """
    cut = loaded.cut if given.whole else given
    order = preset_order_asked(whole, cut.preset, loaded.replies) if cut.preset else None
    item_set = whole.cut(limit=cut.limit, fraction=cut.fraction, preset=cut.preset, order=order)
    if given.whole and any(key.item not in item_set.items.get(key.experiment, ()) for key in loaded.replies):
        return whole, given, None
    return item_set, cut, order


def preset_order_asked(whole: ItemSet, preset: str, replies: Iterable[Key]) -> str:
    """The order of the preset that was asked: the newest whose cut has all items that were replied to. Replies
    to a preset that was exported before the newest order was there are in one before.
    """
    replied = {(key.experiment, key.item) for key in replies}
    orders = item_sets.preset_orders(whole.hashes)
    for order in orders:
        cut = whole.cut(preset=preset, order=order)
        if all(item in cut.items.get(experiment, {}) for experiment, item in replied):
            return order
    return orders[0]


def _imported(
    paths: Sequence[Path],
    item_set: ItemSet,
    replies: Mapping[Key, Reply],
    preset: str | None = None,
    order: str | None = None,
) -> Manifest:
    return Manifest(
        selfexec=__version__,
        origin=IMPORT,
        models=list(dict.fromkeys(key.model for key in replies)),
        experiments=list(item_set.experiments),
        simulated=_simulated_beside(paths, replies),
        epochs=max((key.epoch for key in replies), default=1),
        items=item_set.hashes,
        sources=sources_of(paths),
        preset=preset,
        preset_order=None if order == item_sets.STRATIFIED else order,
    )


def _simulated_beside(paths: Sequence[Path], replies: Mapping[Key, Reply]) -> list[str] | None:
    """The models that are simulated, as the runs say whose journals these files are; None where no such run
    tells it.
    """
    told: set[str] = set()
    known = False
    for path in paths:
        with suppress(InputError):  # a manifest that is damaged, or not there
            if path.name == REPLIES and (simulated := load_manifest(path.parent).simulated) is not None:
                told, known = told | {*simulated}, True
    if not known:
        return None
    models = dict.fromkeys(key.model for key in replies)
    return [model for model in models if model in told or model.startswith(SIMULATED)]


def run_of(source: Path, item_source: str | Path | None = None, accept_ends: Names = ()) -> Run:
    """A run from its folder, or from a file of replies and the items that were asked; replies with these ends count."""
    if source != jsonl.STANDARD_INPUT and not source.is_file():
        return load(source, accept_ends=accept_ends)
    if item_source is None:
        raise InputError(f"{source}: a file of replies needs the items that were asked. Give them with --items.")
    item_set = item_sets.load(item_source)
    came = loaded_replies([source])
    check_fit(came.replies, item_set, came.places.__getitem__)
    found = Run(source, _imported([source], item_set, came.replies), item_set, came.replies)
    [found] = load_all(found, accept_ends)
    warn_of_unknown_ends(found)
    return found


# --- in addition to those that are there -----------------------------------------------------------------------------


def takes_more(out: Path) -> bool:
    """Whether a folder has a run that was imported, to which replies can be added."""
    return (out / MANIFEST).is_file() and load_manifest(out).origin == IMPORT


def add_replies(
    paths: Sequence[Path], out: Path, item_source: str | Path | None, cut: Cut, accept_ends: Sequence[str] = ()
) -> tuple[Run, list[str]]:
    """Add replies to a run that was imported, and return it, with warnings. A session that failed or was missing gets
    its reply; one that has a reply keeps it.

    Args:
        paths: Files of replies.
        out: The folder of the run.
        item_source: The items that were asked, where they are more than the run has.
        cut: Which of these items were asked.
        accept_ends: Unknown ends that the run accepts from now on.

    Raises:
        InputError: A line fits no item, or is another reply to a session that has one. Nothing was changed.
    """
    came = loaded_replies(paths)
    if not came.replies:
        raise InputError(f"{', '.join(map(str, paths))}: there are no replies. Nothing was imported.")
    here = item_sets.load(out / ITEMS)
    more = here
    if item_source is not None:
        whole = item_sets.load(item_source)
        more, cut, _ = cut_of_replies(whole, came, cut)
        refuse_other_items(out, more, whole)
    way_out = "Give the items that were asked: --items" if item_source is None else "Are these the right --items?"
    check_fit(came.replies, _both(here, more), came.places.__getitem__, way_out)
    refuse_harmful_names({key.model for key in came.replies})
    both = [*came.replies.values(), *stored_replies(out).values()]
    refuse_people_among_models(both, str(out))
    known_words = words_in(both)
    refuse_other_words(accept_ends, known_words, str(out))
    with Journal(out / REPLIES) as journal:
        new = _new(came, read_journal(out / REPLIES), out)
        manifest = load_manifest(out)
        keep_old_manifest(out, manifest)
        used = {key.experiment for key in came.replies}
        grown = grow_items(out / ITEMS, more.cut([e for e in more.experiments if e in used]))
        for reply in new:
            journal.append(reply)
        same = grown.hashes == manifest.items
        write_manifest(
            out,
            msgspec.structs.replace(
                manifest,
                models=list(dict.fromkeys([*manifest.models, *(key.model for key in came.replies)])),
                experiments=list(grown.experiments),
                epochs=max([manifest.epochs, *(key.epoch for key in came.replies)]),
                items=grown.hashes,
                sources=manifest.sources | sources_of(paths),
                preset=manifest.preset if same or manifest.preset == cut.preset else None,
            ),
        )
    keep_accepted(out, accept_ends)
    return read_run(out), came.warnings


def sources_of(paths: Sequence[Path]) -> dict[str, str]:
    """The SHA-256 of each file of replies, by its name."""
    return {path.name: hashlib.sha256(jsonl.file_bytes(path)).hexdigest() for path in paths}


def _both(here: ItemSet, more: ItemSet) -> ItemSet:
    """All items of two sets, where one has what is in both with the same text."""
    names = [*here.experiments, *(name for name in more.experiments if name not in here.items)]
    every = {name: {**more.items.get(name, {}), **here.items.get(name, {})} for name in names}
    lines = {name: {**more.lines.get(name, {}), **here.lines.get(name, {})} for name in names}
    return ItemSet(more.name, every, lines)


def _new(loaded: Loaded, known: Mapping[Key, Reply], out: Path) -> list[Reply]:
    """The replies that a run does not have yet. InputError: it has another one to the same session."""
    found: list[Reply] = []
    for key, reply in loaded.replies.items():
        before = known.get(key)
        if before is None or (before.failed and before != reply):
            found.append(reply)
        elif not reply.failed and reply != before:
            raise InputError(
                f"{loaded.places[key]}: {key} has another reply in {out}. A reply that is there stays: leave this line "
                "out, or import everything into a new folder."
            )
    return found
