"""The paper's items where a run wants them and they are not here yet: downloaded, or replaced by the starter items."""

import warnings
from pathlib import Path

from selfexec.errors import InputError, Notice
from selfexec.items import cache_folder, load, origin, paper
from selfexec.run_options import STARTER
from selfexec.runs.folder import ITEMS, MANIFEST

PAPER_ITEMS = "paper"
LOST = (
    "The starter items are used instead. No reference models have been asked these: one model alone gets its skill, "
    "and a margin takes three more models. Try again with a connection; docs/paper-items.md has other ways."
)


def at_hand(items: str | Path | None, run: Path | None = None) -> str | Path | None:
    """The items that a run is made with: those that are named, unless they are the paper's and cannot be had.

    What is done is said by a warning: that they are downloaded, or why they are not and what is lost.

    Args:
        items: What names them.
        run: The folder of the run.

    Returns:
        The items named, once they are in the cache; `starter` where the paper's cannot be downloaded.

    Raises:
        InputError: They cannot be downloaded, and the run in the folder is one of other items than the starter's.
    """
    if str(items) != PAPER_ITEMS or cache_folder().exists():
        return items
    files = sum(len(upstream.files) for upstream in (paper.TABOO, paper.XSTEST, paper.MMLU))
    what = f"The paper's items are downloaded, once: {files} files, about 0.9 MB, each checked against its SHA-256."
    warnings.warn(Notice(what), stacklevel=2)
    try:
        paper.fetch()
    except InputError as fault:
        if run and (run / MANIFEST).exists() and not _has_starter_items(run):
            raise
        warnings.warn(f"{fault.typed} {LOST}", stacklevel=2)
        return STARTER
    return items


def _has_starter_items(run: Path) -> bool:
    """Whether a run is of starter items, as one is that began without a connection."""
    item_set = load(run / ITEMS)
    return all(origin(experiment, item_set).name == STARTER for experiment in item_set.experiments)
