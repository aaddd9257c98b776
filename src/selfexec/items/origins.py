"""Where the items of a run come from: known sets are recognised by their very lines, not by what a run is called."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from selfexec.errors import InputError
from selfexec.items.paper import groupings
from selfexec.items.sets import ItemSet, load

UNKNOWN = "unknown"
# SHA-256 of the paper's files in the order of a run: how the whole set is known where it was not fetched
PAPER_FILES = {
    "association": "bf91f43f77a1320e1f8f39bc8a3c3c584b97fbdb932177354ec74caf928d0fb3",
    "restriction": "8108e83a698e98506595b2f2f576084327efcd8a76193f63b659f4addf37f88c",
    "difficulty": "dc8394ee533b29ef67c4b9eee4f0cb63c7b448725884bd53c272c1fed95f8697",
}
STARTER_LICENCE = "written for selfexec, CC-BY-4.0, not validated on real models"
PAPER_LICENCES = {
    "association": "Kovah/Taboo-Data, GPL-3.0-or-later",
    "restriction": "XSTest (Röttger et al. 2024), CC-BY-4.0",
    "difficulty": "MMLU (Hendrycks et al. 2021), MIT",
}


@dataclass(frozen=True)
class Origin:
    """The set that items belong to, how many of them do, and the source and licence of that set."""

    name: str
    known: int
    total: int | None  # of the whole set; None where it is not at hand
    licence: str

    def of(self, items: int) -> str:
        """In words, for so many items."""
        if self.name == UNKNOWN:
            return UNKNOWN
        rest = f"; {items - self.known} {UNKNOWN}" if self.known < items else ""
        if self.known == self.total:
            return f"the set {self.name}, all {self.known} items{rest}"
        return f"the set {self.name}, {self.known} of {self.total or UNKNOWN} items{rest}"


def origin(experiment: str, item_set: ItemSet) -> Origin:
    """The set that has most items as lines. An item counts only where its line is the same to the byte."""
    lines = item_set.lines[experiment]
    found = {"starter": _shared(lines, "starter", experiment), "paper": _of_paper(experiment, item_set)}
    name = max(found, key=lambda name: found[name][0])
    known, total = found[name]
    if not known:
        return Origin(UNKNOWN, 0, None, UNKNOWN)
    return Origin(name, known, total, STARTER_LICENCE if name == "starter" else PAPER_LICENCES[experiment])


def _shared(lines: Mapping[str, bytes], name: str, experiment: str) -> tuple[int, int | None]:
    """How many lines are of a set, and how many it has."""
    try:
        known = load(name).lines.get(experiment, {})
    except InputError:  # not fetched
        return 0, None
    return sum(known.get(id) == line for id, line in lines.items()), len(known)


def _of_paper(experiment: str, item_set: ItemSet) -> tuple[int, int | None]:
    lines = item_set.lines[experiment]
    if item_set.hashes[experiment] == PAPER_FILES.get(experiment):
        return len(lines), len(lines)
    if experiment == "difficulty":
        groups = {grouping.sha256 for grouping in groupings()}
        return sum(hashlib.sha256(line).hexdigest() in groups for line in lines.values()), len(groups)
    return _shared(lines, "paper", experiment)
