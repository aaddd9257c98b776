"""Observations as arrays: the form in which claims are counted.

The table of observations is for people, and for questions that are asked once. Scores, baselines and resampling count
from arrays of numbers: models, items and claims are numbered by their positions in a list; yes is +1 and no is -1.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item, Wording
from selfexec.facets import DEFAULT_NAME

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Signs = NDArray[np.int8]  # +1 for yes, -1 for no, 0 for unknown
Flags = NDArray[np.bool_]
Items = Mapping[str, Item]  # id -> item

SESSION = ["model", "experiment", "item", "epoch", "session"]
CLAIM = ["model", "experiment", "item", "epoch", "condition", "claim"]  # the columns that name one
STATES = ("read", "tie", "unreadable", "missing")
READ, TIE, UNREADABLE, MISSING = range(len(STATES))


@dataclass(frozen=True)
class Claims:
    """Claims of one experiment in one condition. Each array has an entry per claim, in the order of the observations.

    Attributes:
        models: In the order of the observations; the other tuples of names are sorted.
        source: Who says what was done.
        further_sources: Those besides `source` that say what was done, for the same behaviour.
        claim_ids: How many different claims there are, over all models and epochs.
        model: The number of the claim's model among `models`; so do `item`, `claim_name`, `label`, `subject` and
            `other_subject` number the other tuples, with -1 for none.
        claim_id: The number of the claim, from 0: the same for all models and in all epochs.
        predicted: What was predicted.
        probability: The predicted probability of a yes; nan where none was asked for.
        observed: The outcome, as `source` has it.
        further_outcomes: The outcome as each of the further sources has it, shape (claims, further sources).
        by_tokens: For two questions, whether the number of tokens decided which was the easier one.
        by_correctness: The same of whether they were answered rightly.
        state: One of `STATES`, by number.
        length: The length of the text that the claim is about; nan where it is not known.
        other_length: The same of the second question of a pair.
        wording: The number, among `wordings`, of the text that the claim is about; -1 where it is not known.
        other_wording: The same of the second question of a pair.
    """

    experiment: str
    models: tuple[str, ...]
    items: tuple[str, ...]
    claim_names: tuple[str, ...]
    labels: tuple[str, ...]
    subjects: tuple[str, ...]
    wordings: tuple[Wording, ...]
    condition: str
    source: str
    further_sources: tuple[str, ...]
    claim_ids: int
    model: Numbers
    item: Numbers
    epoch: Numbers
    claim_name: Numbers
    claim_id: Numbers
    predicted: Signs
    probability: Floats
    observed: Signs
    further_outcomes: Signs
    by_tokens: Flags
    by_correctness: Flags
    state: Numbers
    label: Numbers
    subject: Numbers
    length: Floats
    other_subject: Numbers
    other_length: Floats
    wording: Numbers
    other_wording: Numbers
    _of: dict[str, "Claims"] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.item)

    def where(self, mask: Flags) -> "Claims":
        """The claims in this mask."""
        return self if mask.all() else self.at(np.flatnonzero(mask))

    def at(self, rows: Numbers) -> "Claims":
        """The claims in these rows, in this order."""
        parts: dict[str, Any] = {name: part[rows] for name, part in vars(self).items() if isinstance(part, np.ndarray)}
        return replace(self, **parts)

    def of(self, model: str) -> "Claims":
        """The claims about one model; none if there is no such model. Selected once: a report asks a dozen times."""
        if model not in self._of:
            self._of[model] = self.where(self.model == (self.models.index(model) if model in self.models else -1))
        return self._of[model]

    def by(self, source: str) -> "Claims":
        """The same claims with the outcomes of another source. Their states stay those by this source."""
        return replace(self, observed=self.further_outcomes[:, self.further_sources.index(source)], source=source)

    def among(self, models: Iterable[str]) -> Flags:
        """A mask over `models`: which of them are among these."""
        chosen = set(models)
        return np.array([model in chosen for model in self.models], np.bool_)

    @property
    def read_or_tied(self) -> Flags:
        return self.state <= TIE

    @property
    def lost(self) -> Flags:
        return self.state >= UNREADABLE

    @property
    def repeated(self) -> bool:
        """Whether there are claims of several epochs."""
        return len(self) > 0 and bool((self.epoch != self.epoch[0]).any())

    @property
    def right(self) -> Flags:
        """The claims whose prediction and outcome are known and agree."""
        return self.predicted * self.observed > 0

    def by_item(self, amounts: Any = None) -> Floats:
        """Sums over the claims of each item, along the last axis; without amounts, the number of claims."""
        return sums(self.item, np.ones(len(self)) if amounts is None else np.asarray(amounts), len(self.items))


def occurring(numbers: Numbers) -> Numbers:
    """The different ones among these numbers, sorted. np.unique would sort all of them, and is slower."""
    return np.flatnonzero(np.bincount(numbers))


def sums(number: Numbers, amounts: Any, of: int) -> Floats:
    """Amounts summed by number, along the last axis: shape (..., of)."""
    if amounts.ndim == 1:
        return np.bincount(number, amounts, of).astype(np.float64)
    rows = amounts.reshape(-1, len(number))
    cells = np.arange(len(rows))[:, None] * of + number
    found = np.bincount(cells.ravel(), rows.ravel(), len(rows) * of).astype(np.float64)
    return found.reshape(*amounts.shape[:-1], of)


@dataclass(frozen=True)
class Answers:
    """A model's answers to the questions of an experiment: whether they are right (1 or 0) and what they
    cost, nan where that is not known; and, where it was asked in probabilities, what it expected of both. `occasion`
    is the same for the answers of an item in one epoch.
    """

    items: int
    item: Numbers
    missing: Flags
    correct: Floats
    tokens: Floats
    expected_correct: Floats = field(default_factory=lambda: np.zeros(0))
    expected_tokens: Floats = field(default_factory=lambda: np.zeros(0))
    occasion: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))

    def by_item(self, amounts: Floats) -> Floats:
        """Sum and number of what is known, shape (items, 2)."""
        known = ~np.isnan(amounts)
        item = self.item[known]
        sums = np.bincount(item, amounts[known], self.items)
        return np.stack([sums, np.bincount(item, minlength=self.items)], axis=1)


NO_ANSWERS = Answers(0, np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0), np.zeros(0))


def answers_by_model(sessions: pl.DataFrame, experiment: str, kind: str) -> Mapping[str, Answers]:
    """The answers of each model that was asked the questions of an experiment, which are sessions of this kind."""
    rows = sessions.filter((pl.col("experiment") == experiment) & pl.col("session").str.starts_with(kind))
    names = _names(rows, model=_sorted(pl.col("model")), item=_sorted(pl.col("item")))
    parts = _arrays(
        rows,
        model=_number("model", names["model"]),
        item=_number("item", names["item"]),
        missing=pl.col("state") == "missing",
        correct=_float("correct"),
        tokens=_float("output_tokens"),
        expected_correct=_float("expected_correct"),
        expected_tokens=_float("expected_tokens"),
        occasion=pl.struct("item", "epoch").rank("dense").cast(pl.Int64) - 1,
    )
    model = parts.pop("model")
    mine = {name: model == number for number, name in enumerate(names["model"])}
    return {
        name: Answers(len(names["item"]), **{part: array[here] for part, array in parts.items()})
        for name, here in mine.items()
    }


def claims_of(
    observations: pl.DataFrame, experiment: str, outcomes: pl.DataFrame | None = None, items: Items | None = None
) -> Claims:
    """The claims of one experiment in one condition; `outcomes` are those by further sources of it, and `items` have
    their words. InputError: they are of several conditions, or of some of them another source says what was done than
    of others.
    """
    rows = observations.filter(pl.col("experiment") == experiment)
    further, further_outcomes = (
        _by_further_sources(rows, outcomes) if outcomes is not None else ((), np.zeros((len(rows), 0), np.int8))
    )
    names = _names(
        rows,
        model=pl.col("model").unique(maintain_order=True),
        **{column: _sorted(pl.col(column)) for column in ("item", "claim", "label", "condition", "source")},
        subject=_sorted(pl.col("subject").append(pl.col("other_subject"))),
    )
    parts = _arrays(
        rows,
        model=_number("model", names["model"]),
        item=_number("item", names["item"]),
        epoch=pl.col("epoch").cast(pl.Int64),
        claim_name=_number("claim", names["claim"]),
        predicted=_sign("predicted"),
        probability=_float("probability"),
        observed=_sign("observed"),
        by_tokens=pl.col("basis").eq_missing("tokens"),
        by_correctness=pl.col("basis").eq_missing("correctness"),
        state=_number("state", STATES),
        label=_number("label", names["label"]),
        subject=_number("subject", names["subject"]),
        length=_float("length"),
        other_subject=_number("other_subject", names["subject"]),
        other_length=_float("other_length"),
    )
    claim_ids, claim_id = np.unique(parts["item"] * len(names["claim"]) + parts["claim_name"], return_inverse=True)
    wordings, worded = _wordings(experiment, items or {}, names["item"], names["claim"], claim_ids)
    return Claims(
        experiment,
        names["model"],
        names["item"],
        names["claim"],
        names["label"],
        names["subject"],
        wordings,
        *_one_condition_and_source(experiment, names["condition"], names["source"]),
        further,
        len(claim_ids),
        claim_id=claim_id,
        further_outcomes=further_outcomes,
        wording=worded[claim_id, 0],
        other_wording=worded[claim_id, 1],
        **parts,
    )


def _wordings(
    experiment: str, asked: Items, items: Sequence[str], names: Sequence[str], claim_ids: Numbers
) -> tuple[tuple[Wording, ...], Numbers]:
    """The words that claims are about, and the numbers of those of each claim id, shape (claim ids, 2)."""
    numbers: dict[Wording, int] = {}
    found = np.full((len(claim_ids), 2), -1)
    of_item = {n: EXPERIMENTS[experiment].wording(asked[id]) for n, id in enumerate(items) if id in asked}
    for row, (item, name) in enumerate(zip(*divmod(claim_ids, max(len(names), 1)), strict=True)):
        for side, wording in enumerate(of_item.get(item, {}).get(names[name], ())):
            found[row, side] = numbers.setdefault(wording, len(numbers))
    return tuple(numbers), found


def _one_condition_and_source(experiment: str, conditions: Sequence[str], sources: Sequence[str]) -> tuple[str, str]:
    """In which condition claims were asked for, and who says what was done: the default one, and the experiment's own
    source, where the table does not tell. Claims of several are not counted together.
    """
    if len(conditions) > 1:
        raise InputError(
            f"claims of several conditions ({'; '.join(conditions)}) are not counted together. Choose one."
        )
    if len(sources) > 1:
        raise InputError(
            f"{experiment}: what was done is decided by {' and by '.join(sources)}, of different models. Choose one "
            "source for all of them."
        )
    own = EXPERIMENTS[experiment].sources
    return (*conditions, DEFAULT_NAME)[0], (*sources, *own)[0]


def _by_further_sources(rows: pl.DataFrame, outcomes: pl.DataFrame) -> tuple[tuple[str, ...], Signs]:
    """The further sources, and what each says of these claims, shape (claims, sources)."""
    further = tuple(sorted(outcomes["source"].unique()))
    columns = [
        rows.select(CLAIM).join(
            outcomes.filter(pl.col("source") == source), on=CLAIM, how="left", maintain_order="left"
        )
        for source in further
    ]
    said = [_arrays(column, said=_sign("observed"))["said"] for column in columns]
    return further, np.stack(said, 1) if further else np.zeros((len(rows), 0), np.int8)


# Polars plans a query longer than it works on the claims of a run: one query for all names, one for all arrays.


def _names(rows: pl.DataFrame, **columns: pl.Expr) -> dict[str, tuple[str, ...]]:
    """The names in some columns, each once."""
    found = rows.select(**{name: column.implode() for name, column in columns.items()})
    return {name: tuple(column[0]) for name, column in found.to_dict().items()}


def _sorted(column: pl.Expr) -> pl.Expr:
    return column.drop_nulls().unique().sort()


def _arrays(rows: pl.DataFrame, **columns: pl.Expr) -> dict[str, Any]:
    return {name: column.to_numpy() for name, column in rows.select(**columns).to_dict().items()}


def _number(column: str, names: Sequence[str]) -> pl.Expr:
    """Of each entry the number of its name, -1 where there is none."""
    return pl.col(column).cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1)


def _sign(column: str) -> pl.Expr:
    return (pl.col(column).cast(pl.Int8) * 2 - 1).fill_null(0)


def _float(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.Float64).fill_null(math.nan)
