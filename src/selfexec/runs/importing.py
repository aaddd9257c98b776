"""Replies from elsewhere as a run, or as more of one."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from selfexec.errors import InputError, in_python
from selfexec.items import Preset
from selfexec.options import Files, Names, files, names
from selfexec.runs import run
from selfexec.runs.adding import add_replies, takes_more
from selfexec.runs.arguments import tells_wrong_names
from selfexec.runs.records import Cut
from selfexec.runs.run import Run


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
    return run.import_replies(
        paths,
        item_source=item_source,
        out=out,
        limit=cut.limit,
        fraction=cut.fraction,
        preset=cut.preset,
        accept_ends=accept_ends,
    )
