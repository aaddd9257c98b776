"""Replies from elsewhere for a run that was imported before: a later round, another model, what came late."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from selfexec import items
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.files import jsonl
from selfexec.items import ItemSet
from selfexec.runs.ends import keep_accepted, refuse_other_words, stored_replies, words_in
from selfexec.runs.folder import (
    IMPORT,
    ITEMS,
    MANIFEST,
    REPLIES,
    check_fit,
    grow_items,
    keep_old_manifest,
    load_manifest,
    refuse_harmful_names,
    refuse_other_items,
    write_manifest,
)
from selfexec.runs.records import Cut, Loaded, Reply
from selfexec.runs.run import Run, cut_of_replies, loaded_replies, opened, refuse_people_among_models
from selfexec.runs.store import Journal, read_journal


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
    loaded = loaded_replies(paths)
    if not loaded.replies:
        raise InputError(f"{', '.join(map(str, paths))}: there are no replies. Nothing was imported.")
    here = items.load(out / ITEMS)
    more = here
    if item_source is not None:
        whole = items.load(item_source)
        more, cut, _ = cut_of_replies(whole, loaded, cut)
        refuse_other_items(out, more, whole)
    way_out = "Give the items that were asked: --items" if item_source is None else "Are these the right --items?"
    check_fit(loaded.replies, _both(here, more), loaded.places.__getitem__, way_out)
    refuse_harmful_names({key.model for key in loaded.replies})
    both = [*loaded.replies.values(), *stored_replies(out).values()]
    refuse_people_among_models(both, str(out))
    known_words = words_in(both)
    refuse_other_words(accept_ends, known_words, str(out))
    with Journal(out / REPLIES) as journal:
        new = _new(loaded, read_journal(out / REPLIES), out)
        manifest = load_manifest(out)
        keep_old_manifest(out, manifest)
        used = {key.experiment for key in loaded.replies}
        grown = grow_items(out / ITEMS, more.cut([e for e in more.experiments if e in used]))
        for reply in new:
            journal.append(reply)
        same = grown.hashes == manifest.items
        write_manifest(
            out,
            msgspec.structs.replace(
                manifest,
                models=list(dict.fromkeys([*manifest.models, *(key.model for key in loaded.replies)])),
                experiments=list(grown.experiments),
                epochs=max([manifest.epochs, *(key.epoch for key in loaded.replies)]),
                items=grown.hashes,
                sources=manifest.sources | sources_of(paths),
                preset=manifest.preset if same or manifest.preset == cut.preset else None,
            ),
        )
    keep_accepted(out, accept_ends)
    return opened(out), loaded.warnings


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
