"""The paper's items where a command wants them and they are not here yet: fetched, or replaced by the starter items."""

from pathlib import Path

from selfexec.cli.options import say
from selfexec.errors import InputError

PAPER = "paper"
LOST = (
    "The starter items are used instead. What is lost: no reference panel knows them, so one model alone gets its "
    "skill and no margin; a margin then takes three more models. Try again with a connection; docs/paper-items.md has "
    "other ways."
)


def at_hand(items: str | Path | None, run: Path | None = None) -> str | Path | None:
    """The items that a command goes on with: those it was given, unless they are the paper's and cannot be had.

    Args:
        items: What --items says.
        run: The folder that --out names.

    Returns:
        The items given, once they are in the cache; `starter` where the paper's cannot be downloaded.

    Raises:
        InputError: They cannot be downloaded, and the run in the folder is one of other items than the starter's.
    """
    from selfexec.items import cache_folder, paper
    from selfexec.run_options import STARTER
    from selfexec.runs import MANIFEST

    if str(items) != PAPER or cache_folder().exists():
        return items
    files = sum(len(upstream.files) for upstream in (paper.TABOO, paper.XSTEST, paper.MMLU))
    say(f"The paper's items are downloaded, once: {files} files, about 0.9 MB, each checked against its SHA-256.")
    try:
        paper.fetch()
    except InputError as fault:
        if run and (run / MANIFEST).exists() and not _has_starter_items(run):
            raise
        say(f"selfexec: warning: {fault.typed} {LOST}", err=True)
        return STARTER
    return items


def _has_starter_items(run: Path) -> bool:
    """Whether a run is of starter items, as one is that began without a connection."""
    from selfexec.items import load, origin
    from selfexec.run_options import STARTER

    item_set = load(run / "items")
    return all(origin(experiment, item_set).name == STARTER for experiment in item_set.experiments)
