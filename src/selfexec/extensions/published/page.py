"""The ledger in the report: a part of its appendix, and a table among the exported figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.options import Convention
from selfexec.analysis.score import Scores
from selfexec.extensions.published.conventions import ledger
from selfexec.extensions.published.entries import Entry, Ledger, shown
from selfexec.report.data import Data
from selfexec.text.numbers import typeset

TITLES = {
    "score": "Scores",
    "baseline": "Baselines beside them",
    "rule": "Numbers published by a rule of their own",
    "readings": "Readings that were given, and are not ours",
}
COLUMNS = {  # of ledger.csv
    "kind": "score, baseline (beside a model), or rule (published by a rule of its own)",
    "model": "whose score it is",
    "experiment": "in which experiment, or overall",
    "metric": "which of its metrics (docs/metrics.md)",
    "strict": "the value where an unreadable claim counts as wrong",
    "readable": "the value where an unreadable claim is left out",
    "authors": "the value as the paper's authors count",
    "reasons": "why they differ",
}


@dataclass(frozen=True)
class Conventions:
    """Entries by their title."""

    entries: Mapping[str, Sequence[Entry]]

    @staticmethod
    def shown(value: float | None) -> str:
        """A number as the page prints it."""
        return typeset(shown(value))


def of_own_sources(data: Data) -> bool:
    return not any(run.sources for run in data.scores.runs)


def conventions(data: Data) -> Conventions | None:
    """The entries that the appendix shows; None where there are none."""
    if not of_own_sources(data):
        return None
    # those of models that are not in the page, where it is of some, come last
    entries = sorted(data.once(_ledger), key=lambda entry: data.places.get(entry.model, len(data.places)))
    by_title = {title: [entry for entry in entries if entry.kind == kind] for kind, title in TITLES.items()}
    by_title = {title: entries for title, entries in by_title.items() if entries}
    return Conventions(by_title) if by_title else None


def ledger_csv(data: Data) -> str | None:
    """All entries as a file; None where another source says what was done, by which the authors did not count."""
    return data.once(_ledger).csv() + "\n" if of_own_sources(data) else None


def _ledger(data: Data) -> Ledger:
    known: dict[Convention, Scores] = {
        data.selection.convention: data.scores,
        "authors": data.numbers.scores_by("authors"),
    }
    return ledger(data.runs, sensitivities=False, known=known)
