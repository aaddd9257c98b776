"""What keys other models' answers make of questions that models made up, beside their authors'."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from selfexec.analysis.result import Form, Result, ScoredRun, as_records, head, scored_runs
from selfexec.experiments import EXPERIMENTS, NoAnswerKey
from selfexec.runs import Names, Run, load_all, names
from selfexec.text.tables import Part, Table

COLUMNS = ["experiment", "model", "questions", "key as its author's", "another key", "too few answers", "no key"]
OUTCOMES = ("same", "other", "too_few", "none")


@dataclass(frozen=True)
class KeyCounts:
    """Of the `questions` that a model made up: how many have the key by other models that the author gives, and how
    many another one; of how many too few models answered, and in how many answers make none.
    """

    experiment: str
    model: str
    questions: int
    same: int
    other: int
    too_few: int
    none: int


@dataclass(frozen=True, repr=False)
class Keys(Result):
    """A row for each model that made up questions."""

    rows: tuple[KeyCounts, ...]
    runs: tuple[ScoredRun, ...] = ()

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        rows = [[str(value) for value in astuple(row)] for row in self.rows]
        yield Table("Keys that other models' answers make", COLUMNS, rows, "plain")

    def _data(self) -> Mapping[str, Any]:
        return {**head(self.runs, None), "keys": as_records(self.rows)}


def keys(run: Run | str | Path, *, models: Names = (), experiments: Names = ()) -> Keys:
    """What keys other models' answers make (`sx.judge`) of the questions that models made up.

    models       only questions of these models
    experiments  only these
    """
    [whole] = load_all(run)
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for key, reading in whole.readings.items():
        keying = EXPERIMENTS[key.experiment].keying
        if not keying or key.session_kind != keying.session or (own := keying.own(reading)) is None:
            continue
        if key.model in (names(models) or [key.model]) and key.experiment in (names(experiments) or [key.experiment]):
            found[key.experiment, key.model][_outcome(keying.key(reading), own)] += 1
    rows = (KeyCounts(*place, counts.total(), *(counts[one] for one in OUTCOMES)) for place, counts in found.items())
    return Keys(tuple(rows), scored_runs([whole]))


def _outcome(made: str | NoAnswerKey, own: str) -> str:
    if isinstance(made, NoAnswerKey):
        return "too_few" if made.too_few else "none"
    return "same" if made == own else "other"
