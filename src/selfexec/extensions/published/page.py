"""Each number, counted in three ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.extensions.published.entries import Entry
from selfexec.report.data import Data

TITLES = {
    "score": "Scores",
    "baseline": "Baselines beside them",
    "rule": "Numbers published by a rule of their own",
    "readings": "Readings that were given, and are not ours",
}


@dataclass(frozen=True)
class Conventions:
    """Entries by their title."""

    entries: Mapping[str, Sequence[Entry]]


def ledger(data: Data) -> Conventions | None:
    # those of models that are not in the page, where it is of some, come last
    entries = sorted(data.ledger, key=lambda entry: data.places.get(entry.model, len(data.places)))
    found = {title: [entry for entry in entries if entry.kind == kind] for kind, title in TITLES.items()}
    found = {title: entries for title, entries in found.items() if entries}
    return Conventions(found) if found else None
