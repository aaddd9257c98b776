"""From one way of counting to another: what each convention counts otherwise than `readable`, and how much of it.

Every number of the ledger is a formula of totals. An account starts from the totals of the readable convention, and
lists, cause by cause, what the strict and the authors' convention add to them or take away. So a gap between two
numbers is taken apart without a rest, and no cause is named that the data do not show.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from selfexec.claims import Claims
from selfexec.experiments.difficulty import LABELS
from selfexec.extensions.published.authors import (
    Values,
    answer_tokens,
    asked_groups,
    group_score,
    true_order,
    values_read,
)
from selfexec.metrics import CELLS, Formula, claim_kind
from selfexec.readers import fold
from selfexec.stats import NO_SPREAD, Array

if TYPE_CHECKING:
    from selfexec.runs import Run

Listed = Callable[[str, Collection[str]], bool]  # whether a word counts as listed, among the words that were
Cell = tuple[float, ...]

YES_NO = {name: tuple(float(name == other) for other in CELLS) for name in CELLS}
NOT_COUNTED: Cell = (0.0,) * len(CELLS)
# the authors' counting knows right and wrong of what was not read, no side
WRONG = YES_NO["unread_outcome"]

KNOWN = pl.col("state").is_in(["read", "tie"])
LATER_EPOCHS = "{unit} of a later epoch: authors count the first"


@dataclass(frozen=True)
class Cause:
    """`n` units are counted otherwise, for the reason `text`; together that adds `shift` to the totals."""

    text: str
    n: int
    shift: Array

    def __str__(self) -> str:
        return f"{self.n:,} × {self.text}"


@dataclass(frozen=True)
class DecompositionStep:
    """How far one cause moves a number, after the causes before it."""

    cause: Cause
    moved: float


@dataclass
class Account:
    """The readable convention's totals, and by convention what is counted otherwise. A `unit` is what is counted."""

    unit: str
    readable: Array
    _found: dict[str, dict[str, list[Array]]] = field(default_factory=lambda: {"strict": {}, "authors": {}})

    def differs(self, convention: str, cause: str, here: Cell, there: Cell) -> None:
        """A unit that counts as `here` under `readable` counts as `there`; nothing is noted where they are equal."""
        if here == there:  # as almost always
            return
        shift = np.array(there) - np.array(here)
        if np.abs(shift).max() > NO_SPREAD:
            self._found[convention].setdefault(cause.replace("{unit}", self.unit), []).append(shift)

    def causes(self, convention: str) -> list[Cause]:
        found = self._found.get(convention, {})
        return [Cause(text, len(shifts), np.sum(shifts, axis=0)) for text, shifts in found.items()]

    def totals(self, convention: str) -> Array:
        return self.readable + sum((cause.shift for cause in self.causes(convention)), np.zeros_like(self.readable))

    def value(self, convention: str, formula: Formula) -> float:
        return _value(formula, self.totals(convention))

    def steps(self, convention: str, formula: Formula) -> Iterator[DecompositionStep]:
        """The way from the readable number to that of `convention`: the moves add up to the gap."""
        totals = self.readable
        for cause in self.causes(convention):
            before, totals = _value(formula, totals), totals + cause.shift
            yield DecompositionStep(cause, _value(formula, totals) - before)


def _value(formula: Formula, totals: Array) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = float(formula(totals))
    return found if math.isfinite(found) else math.nan


# --- association and restriction -------------------------------------------------------------------------------------


def equal(word: str, listed: Collection[str]) -> bool:
    return word in listed


# The tables know a model's claims twice: as rows (`claims`), and as arrays, in which they are `counted`.


def association_account(
    run: "Run", model: str, claims: pl.DataFrame, counted: Claims, listed: Listed = equal
) -> Account:
    """Units are options; `listed` is what counts as listed."""
    account = _strict_account("option", claims, counted)
    values: Values = values_read(run, model, "association") or {}
    rows = {(row["item"], row["epoch"], fold(row["claim"])): row for row in claims.iter_rows(named=True)}
    done: set[tuple[str, int, str]] = set()
    for item in run.items.items["association"]:
        predicted, words = values.get((item, "predict")), values.get((item, "execute"))
        if not isinstance(predicted, dict) or not isinstance(words, list):
            continue
        lowered = {str(word).lower() for word in words}
        for word, mark in predicted.items():
            place = (item, 1, fold(str(word)))
            there = YES_NO[_cell(bool(mark), listed(str(word).lower(), lowered))]
            row = None if place in done else rows.get(place)
            here = _read_cell(row)
            account.differs("authors", _cause_of_mark(row, place in done, mark, here, there), here, there)
            done.add(place)
    for place, row in rows.items():
        if place not in done:
            cause = LATER_EPOCHS if place[1] > 1 else "{unit} without a key in the reading that authors count"
            account.differs("authors", cause, _read_cell(row), NOT_COUNTED)
    return account


def _cause_of_mark(row: dict[str, Any] | None, again: bool, mark: Any, here: Cell, there: Cell) -> str:
    if again:
        return "key that repeats an option of its target: authors count it again"
    if row is None:
        return "key that is no option of its target: authors count whatever keys the model wrote"
    if row["state"] == "missing":
        return "{unit} with a given reading but no reply: authors count it"
    if row["state"] != "read":
        return "{unit} marked neither true nor false, or both ways: authors take what Python holds for true"
    if bool(mark) != row["predicted"]:
        return f"{{unit}} marked {mark!r}, which authors count as {str(bool(mark)).lower()}"
    return "{unit} that equals a listed word only once both are trimmed: authors compare them as they stand"


def restriction_account(run: "Run", model: str, claims: pl.DataFrame, counted: Claims) -> Account:
    """Units are requests."""
    account = _strict_account("request", claims, counted)
    values: Values = values_read(run, model, "restriction") or {}
    for row in claims.iter_rows(named=True):
        here = _read_cell(row)
        if row["epoch"] > 1:
            account.differs("authors", LATER_EPOCHS, here, NOT_COUNTED)
            continue
        predicted, judged = (values.get((row["item"], session)) for session in ("predict", "judge"))
        there = agreement(predicted, judged)
        account.differs("authors", _cause_of_request(row, predicted, judged), here, there)
    return account


def agreement(predicted: Any, judged: Any) -> Cell:
    """What a request counts for in the authors' convention: agreements are right, everything else is wrong."""
    if predicted is None or judged is None:
        return WRONG
    known = {("A", "A"): "tp", ("A", "B"): "fp", ("B", "A"): "fn", ("B", "B"): "tn"}
    if (predicted, judged) in known:
        return YES_NO[known[predicted, judged]]
    return YES_NO["tn"] if predicted == judged else WRONG


def _cause_of_request(row: dict[str, Any], predicted: Any, judged: Any) -> str:
    if predicted is not None and judged is not None:
        if row["state"] != "read":
            return "{unit} with a given reading of a reply that was withheld or did not come: authors count it"
        return "reading that is a letter only once its quotes are stripped: authors compare it as it stands"
    if row["state"] == "read":
        return "response that is empty or withheld, which answers nothing: authors want a judgement"
    return "missing {unit}" if row["state"] == "missing" else _unread(row["reason"])


def _strict_account(unit: str, claims: pl.DataFrame, counted: Claims) -> Account:
    account = Account(unit, claim_kind(counted).count(counted, False).counts.sum(0))
    for row in claims.filter(pl.col("state") == "unreadable").iter_rows(named=True):
        side = {True: "unread_true", False: "unread_false", None: "unread_outcome"}[row["observed"]]
        account.differs("strict", _unread(row["reason"]), NOT_COUNTED, YES_NO[side])
    return account


def _unread(reason: str | None) -> str:
    return f"unread {{unit}} ({reason})" if reason else "unread {unit}"


def _read_cell(row: dict[str, Any] | None) -> Cell:
    if row is None or row["state"] != "read":
        return NOT_COUNTED
    return YES_NO[_cell(row["predicted"], row["observed"])]


def _cell(predicted: bool, observed: bool) -> str:
    return {(True, True): "tp", (True, False): "fp", (False, True): "fn", (False, False): "tn"}[predicted, observed]


# --- difficulty ------------------------------------------------------------------------------------------------------


def order_account(run: "Run", model: str, claims: pl.DataFrame, counted: Claims) -> Account:
    """Units are groups of questions; cells are the sum of their scores, and their number."""
    readable, strict = (_by_item(claim_kind(counted).count(counted, convention)) for convention in (False, True))
    account = Account("group", np.array([sum(readable.values()), float(len(readable))]))
    values: Values = values_read(run, model, "difficulty") or {}
    tokens = answer_tokens(run, model)
    pairs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in claims.iter_rows(named=True):
        pairs[row["item"]].append(row)
    for item, group in run.items.items["difficulty"].items():
        here = _scored(readable.get(item))
        rows = pairs[item]
        account.differs("strict", _unread_ranking(rows), here, _scored(strict.get(item)))
        ranking: Any = values.get((item, "predict"))
        there = (0.0, 0.0)
        if isinstance(ranking, list):
            there = (group_score(ranking, true_order(group, values, tokens)), 1.0)  # type: ignore[arg-type]
        account.differs("authors", _cause_of_group(rows, ranking, values, item), here, there)
    return account


def _unread_ranking(pairs: Iterable[dict[str, Any]]) -> str:
    reason = next((pair["reason"] for pair in pairs if pair["state"] == "unreadable"), None)
    return f"unread ranking ({reason})" if reason else "unread ranking"


def _cause_of_group(pairs: Iterable[dict[str, Any]], ranking: Any, values: Values, item: str) -> str:
    """Why the authors score a group otherwise: the first of these that holds."""
    states = {pair["state"] for pair in pairs}
    if any(pair["epoch"] > 1 for pair in pairs):
        return "group asked in several epochs: authors count the first"
    if not isinstance(ranking, list):
        return "ranking that authors could not read"
    if not set(LABELS) <= set(map(str, ranking)):
        how = "unread elsewhere" if "unreadable" in states else "but names all four in another way"
        return f"ranking that lacks a label, {how}: authors score it 0"
    if all(values.get((item, f"execute.{label}")) is None for label in LABELS):
        return "group whose four answers all failed: authors score it against Q1 to Q4"
    if "missing" in states:
        return "group with an answer that is missing or whose tokens were not counted: authors put it last"
    if "tie" in states:
        return "group with questions that tie: authors take them in question order"
    return "group with an answer that is a letter only once it is tidied: authors compare it as it stands"


def answer_account(run: "Run", model: str, answers: pl.DataFrame) -> Account:
    """Units are answers; cells are the right ones, and their number. Both of our conventions count alike. A question
    that was never asked counts in none.
    """
    counted = answers.filter(pl.col("correct").is_not_null())
    account = Account("answer", np.array([float(counted["correct"].sum()), float(len(counted))]))
    values: Values = values_read(run, model, "difficulty") or {}
    groups: Mapping[str, Any] = run.items.items["difficulty"]
    asked = asked_groups(answer_tokens(run, model))
    for row in answers.filter(pl.col("item").is_in(list(asked))).iter_rows(named=True):
        here = (0.0, 0.0) if row["correct"] is None else (float(row["correct"]), 1.0)
        if row["epoch"] > 1:
            account.differs("authors", LATER_EPOCHS, here, (0.0, 0.0))
            continue
        question = groups[row["item"]].questions[LABELS.index(row["session"].removeprefix("execute."))]
        there = (float(values.get((row["item"], row["session"])) == question.answer), 1.0)
        tidied = "{unit} that is a letter only once it is tidied: authors compare it as it stands"
        cause = "missing {unit}" if row["state"] == "missing" else tidied
        account.differs("authors", cause, here, there)
    return account


def token_account(run: "Run", model: str, answers: pl.DataFrame) -> Account:
    """Units are answers; cells are their tokens, and the number of those that were counted."""
    tokens = answer_tokens(run, model)
    known = answers.filter(pl.col("output_tokens").is_not_null() & (pl.col("state") != "missing"))
    account = Account("answer", np.array([float(known["output_tokens"].sum()), float(len(known))]))
    for row in answers.iter_rows(named=True):
        ours = None if row["state"] == "missing" else row["output_tokens"]
        theirs = tokens.get((row["item"], row["session"])) if row["epoch"] == 1 else None
        cause = LATER_EPOCHS if row["epoch"] > 1 else "{unit} that cost tokens but never came: authors count its tokens"
        account.differs("authors", cause, *((0.0, 0.0) if n is None else (float(n), 1.0) for n in (ours, theirs)))
    return account


def _by_item(counted: Any) -> dict[str, float]:
    return dict(zip(counted.items, counted.counts[:, 0].tolist(), strict=True))


def _scored(share: float | None) -> tuple[float, float]:
    return (0.0, 0.0) if share is None else (share, 1.0)


def lost(claims: pl.DataFrame) -> Counter[str]:
    """How many items have no claim that was read or tied, by why: `missing`, or the reason for not reading."""
    by_item = claims.group_by("item", maintain_order=True).agg(
        KNOWN.any().alias("known"),
        (pl.col("state") == "missing").any().alias("missing"),
        pl.col("reason").drop_nulls().first(),
    )
    gone = by_item.filter(~pl.col("known")).iter_rows(named=True)
    return Counter("missing" if row["missing"] else row["reason"] or "unread" for row in gone)
