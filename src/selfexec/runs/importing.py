"""Replies from elsewhere as a run, for those who work in Python."""

import warnings
from pathlib import Path

from selfexec.items import Preset
from selfexec.runs import run
from selfexec.runs.arguments import Files, files, tells_wrong_names
from selfexec.runs.run import Run


@tells_wrong_names("an import", item_source="items", paths="replies")
def import_replies(
    replies: Files,
    *,
    items: str | Path,
    out: str | Path,
    limit: int | None = None,
    fraction: float | None = None,
    preset: Preset | None = None,
) -> Run:
    """A run made of replies from elsewhere: another harness, a batch API, a form that people filled in.

      replies    a file of JSON Lines, one reply a line, also gzipped; or several such files
      items      the items that were asked: a set (`starter`, `paper`) or a folder of item files
      out        the run's folder; it must be new, and appears whole or not at all
      limit      so many items per experiment were asked
      fraction   this share of the items was asked
      preset     the cut that was asked: `quick`, `standard` or `full`

    InputError: a line cannot be read, belongs to no session of these items, or contradicts another. What is odd and
    can be used all the same comes as a warning.
    """
    found, odd = run.import_replies(
        files(replies), item_source=items, out=Path(out), limit=limit, fraction=fraction, preset=preset
    )
    unasked = (
        f"{model} has no line for {number:,} of the items, which count as missing. If it was not asked them, give "
        "items with those that it was."
        for model, number in found.unasked.items()
    )
    for text in (*odd, *unasked):
        warnings.warn(text, stacklevel=3)  # of whoever called, beyond what tells wrong names
    return found
