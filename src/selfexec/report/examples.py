"""A real item under each experiment, which shows the mistake that is most frequent there.

The rule, fixed beforehand: of the most frequent kind of error over the models (or of one model), the claim that the
median number of models get wrong in this way; of several, the first by its item's id, then by its place in the item.
Nothing of an item that is `delicate` (`Experiment.delicate`), as a request that is unsafe on purpose.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.report.outcomes import DENIED, HIT, OVER, RIGHT, UNDER, WRONG, WRONG_ANSWER, WRONG_TOKENS
from selfexec.runs import Run
from selfexec.text.numbers import number_of
from selfexec.text.printable import in_short

ERRORS = {OVER: "over", UNDER: "under", WRONG: "order", WRONG_ANSWER: "order", WRONG_TOKENS: "order"}
COLUMNS = ["model", "experiment", "item", "claim", "state", "predicted", "observed", "code"]
REPLY, TITLE = 80, 110  # characters of a reply, and of an item, that are shown
OUTCOMES = {OVER: "It did not", DENIED: "It did not", UNDER: "It did", HIT: "It did"}
ORDERS = {
    RIGHT: "So it was",
    WRONG: "It was the other way round",
    WRONG_ANSWER: "It was the other way round: only the {} was answered correctly",
    WRONG_TOKENS: "It was the other way round, by the tokens of its answers",
}


@dataclass(frozen=True)
class Example:
    """A claim of a model. `others`: what other models predicted and did."""

    model: str
    experiment: str
    item: str
    title: str
    said: str
    others: str


@dataclass(frozen=True)
class Quotable:
    """Claims of some models that may be quoted: of their first epoch, and not of a delicate item."""

    claims: pl.DataFrame
    runs: Sequence[Run]
    items: Mapping[tuple[str, str], Any]

    @classmethod
    def of(cls, claims: pl.DataFrame, runs: Sequence[Run], models: Sequence[str]) -> "Quotable":
        """`claims` are coded."""
        items = {(e, id): item for run in runs for e, by_id in run.items.items.items() for id, item in by_id.items()}
        shown = {place: item for place, item in items.items() if not EXPERIMENTS[place[0]].delicate(item)}
        places = pl.DataFrame([*shown], {"experiment": pl.String, "item": pl.String}, orient="row")
        first = claims.filter((pl.col("epoch") == pl.col("epoch").min()) & pl.col("model").is_in(models))
        return cls(first.join(places, on=places.columns, how="semi", maintain_order="left"), runs, shown)

    def quotes(self, rows: Sequence[Mapping[str, Any]], title: int = TITLE) -> list[Example]:
        """What is said of each of these claims; of its item so many letters."""
        place = ["experiment", "item", "claim"]
        wanted = pl.DataFrame(
            [[row[name] for name in place] for row in rows], dict.fromkeys(place, pl.String), orient="row"
        )
        alike: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for claim in self.claims.join(wanted.unique(), on=place, how="semi").select(COLUMNS).iter_rows(named=True):
            alike.setdefault(tuple(claim[name] for name in place), []).append(claim)
        of = (alike[tuple(row[name] for name in place)] for row in rows)
        return [self._quote(row, claims, title) for row, claims in zip(rows, of, strict=True)]

    def _quote(self, row: Mapping[str, Any], alike: Sequence[Mapping[str, Any]], title: int) -> Example:
        experiment, item = row["experiment"], self.items[row["experiment"], row["item"]]
        is_order = EXPERIMENTS[experiment].claim_kind == "order"  # which says itself what it is about
        titled = "" if is_order else in_short(EXPERIMENTS[experiment].title(item), title)
        others = _others(row, [claim for claim in alike if claim["model"] != row["model"]])
        return Example(row["model"], experiment, row["item"], titled, _said(item, row, self.runs), others)


def examples(quotable: Quotable, models: Sequence[str]) -> Mapping[str, Mapping[str | None, Example]]:
    """Experiment -> model, or None for all of them together -> its example."""
    rows = {}
    for experiment in quotable.claims["experiment"].unique(maintain_order=True):
        wrong = quotable.claims.filter((pl.col("experiment") == experiment) & pl.col("code").is_in([*ERRORS]))
        wrong = wrong.with_columns(error=pl.col("code").replace_strict(ERRORS))
        for whose in (None, *models):
            if claim := _claim(wrong, whose):
                of = {row["model"]: row for row in wrong.filter(*claim).to_dicts()}
                rows[experiment, whose] = of[whose or next(model for model in models if model in of)]
    found: dict[str, dict[str | None, Example]] = {}
    for (experiment, whose), example in zip(rows, quotable.quotes([*rows.values()]), strict=True):
        found.setdefault(experiment, {})[whose] = example
    return found


def _claim(wrong: pl.DataFrame, whose: str | None) -> tuple[pl.Expr, ...] | None:
    """Which rows are of the item, the claim and the kind of error that the rule comes to."""
    mine = wrong if whose is None else wrong.filter(pl.col("model") == whose)
    if mine.is_empty():
        return None
    error = mine.group_by("error").len().sort(["len", "error"], descending=[True, False])["error"][0]
    counts = wrong.filter(pl.col("error") == error).group_by("item", "claim", maintain_order=True).len()
    counts = counts.join(mine.filter(pl.col("error") == error), on=["item", "claim"], how="semi", maintain_order="left")
    ranked = counts.sort("len", maintain_order=True)["len"]
    median = ranked[(len(ranked) - 1) // 2]
    item, claim = counts.filter(pl.col("len") == median).sort("item", maintain_order=True).row(0)[:2]
    return pl.col("item") == item, pl.col("claim") == claim, pl.col("error") == error


def _said(item: Any, row: Mapping[str, Any], runs: Sequence[Run]) -> str:
    """gpt-4.1 predicted that it would list “white”. It did not: “antarctica, waddle, feathers”."""
    experiment, code = EXPERIMENTS[row["experiment"]], row["code"]
    claimed = experiment.words.claimed
    said = f"that {claimed(item, row['claim'], row['predicted'])}" if claimed else f"a {_yes_or_no(row['predicted'])}"
    if code in ORDERS:
        easier = "first" if row["observed"] else "second"
        return f"{row['model']} predicted {said}. {ORDERS[code].format(easier)}."
    done = OUTCOMES[code] if claimed else f"It was a {_yes_or_no(row['observed'])}"
    reply = _reply(row, runs)
    shown = in_short(reply or "", REPLY).rstrip(".")  # the sentence has its own
    return f"{row['model']} predicted {said}. {done}{f': “{shown}”' if shown else ''}."


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def _reply(row: Mapping[str, Any], runs: Sequence[Run]) -> str | None:
    """What the model replied in the session in which it did the thing, where there is one of that name."""
    key = Key(row["model"], row["experiment"], row["item"], row["epoch"], "execute")
    for run in runs:
        if key in run.replies:
            read = run.readings[key].value
            return ", ".join(map(str, read)) if isinstance(read, list | tuple) else run.replies[key].text
    return None


def _others(row: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """What others predicted and did; that most make the same error, where they do."""
    read = [one for one in others if one["state"] == "read"]
    if not read:
        return ""
    who, error = number_of(len(read), "other model"), ERRORS.get(row["code"])
    alike = sum(ERRORS.get(one["code"]) == error for one in read)
    if row["code"] in ORDERS:
        return _others_on_pair(alike, len(read), bool(error))
    did = sum(one["observed"] for one in read)
    said = sum(one["predicted"] for one in read)
    if len(read) == 1:
        return f"The other model predicted that it would{'' if said else ' not'}, and {'did' if did else 'did not'}."
    most = f" So {alike} of {len(read)} made the same error." if error and alike > len(read) / 2 else ""
    return f"Of {who}, {_count(said)} predicted that they would, and {_count(did)} did.{most}"


def _others_on_pair(alike: int, n: int, error: bool) -> str:
    """How many of the other models made the same error on a pair, or predicted it correctly, too."""
    if n == 1:
        same = "made the same error" if error else "predicted this pair correctly, too"
        other = "did not make the same error" if error else "did not predict this pair correctly"
        return f"The other model {same if alike else other}."
    same = "made the same error" if error else "predicted this pair correctly, too"
    return f"{_count(alike).capitalize()} of {n} other models {same}."


def _count(n: int) -> str:
    return str(n) if n else "none"
