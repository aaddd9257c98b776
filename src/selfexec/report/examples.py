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
from selfexec.report.outcomes import OVER, UNDER, WRONG, WRONG_ANSWER, WRONG_TOKENS
from selfexec.runs import Run
from selfexec.text.numbers import number_of
from selfexec.text.printable import in_short

ERRORS = {OVER: "over", UNDER: "under", WRONG: "order", WRONG_ANSWER: "order", WRONG_TOKENS: "order"}
REPLY, TITLE = 80, 110  # characters of a reply, and of an item, that are shown
OUTCOMES = {OVER: "It did not", UNDER: "It did"}
REVERSED = {
    WRONG: "It was the other way round",
    WRONG_ANSWER: "It was the other way round: one was answered correctly, the other was not",
    WRONG_TOKENS: "It was the other way round, by the tokens of its answers",
}


@dataclass(frozen=True)
class Example:
    """A claim that a model got wrong. `others`: what other models predicted and did."""

    model: str
    experiment: str
    item: str
    title: str
    said: str
    others: str


def examples(
    claims: pl.DataFrame, runs: Sequence[Run], models: Sequence[str]
) -> Mapping[str, Mapping[str | None, Example]]:
    """Experiment -> model, or None for all of them together -> its example; `claims` are coded."""
    items = {(e, id): item for run in runs for e, by_id in run.items.items.items() for id, item in by_id.items()}
    first = claims.filter((pl.col("epoch") == pl.col("epoch").min()) & pl.col("model").is_in(models))
    found: dict[str, dict[str | None, Example]] = {}
    for experiment in first["experiment"].unique(maintain_order=True):
        of = first.filter(pl.col("experiment") == experiment)
        shown = [id for id in of["item"].unique() if not EXPERIMENTS[experiment].delicate(items[experiment, id])]
        of = of.filter(pl.col("item").is_in(shown))
        wrong = of.filter(pl.col("code").is_in([*ERRORS])).with_columns(error=pl.col("code").replace_strict(ERRORS))
        for whose in (None, *models):
            if claim := _claim(wrong, whose):
                item, name, error = claim
                alike = of.filter((pl.col("item") == item) & (pl.col("claim") == name)).to_dicts()
                given = [row for row in alike if ERRORS.get(row["code"]) == error]
                chosen = whose or next(model for model in models if model in {row["model"] for row in given})
                row = next(row for row in given if row["model"] == chosen)
                others = _others(experiment, row, [one for one in alike if one["model"] != chosen], len(given) - 1)
                said = _said(items[experiment, item], row, runs)
                is_order = EXPERIMENTS[experiment].kind == "order"  # which says itself what it is about
                title = "" if is_order else in_short(EXPERIMENTS[experiment].title(items[experiment, item]), TITLE)
                found.setdefault(experiment, {})[whose] = Example(chosen, experiment, item, title, said, others)
    return found


def _claim(wrong: pl.DataFrame, whose: str | None) -> tuple[str, str, str] | None:
    """Item, claim and kind of error, by the rule."""
    mine = wrong if whose is None else wrong.filter(pl.col("model") == whose)
    if mine.is_empty():
        return None
    error = mine.group_by("error").len().sort(["len", "error"], descending=[True, False])["error"][0]
    counts = wrong.filter(pl.col("error") == error).group_by("item", "claim", maintain_order=True).len()
    counts = counts.join(mine.filter(pl.col("error") == error), on=["item", "claim"], how="semi", maintain_order="left")
    ranked = counts.sort("len", maintain_order=True)["len"]
    median = ranked[(len(ranked) - 1) // 2]
    item, claim = counts.filter(pl.col("len") == median).sort("item", maintain_order=True).row(0)[:2]
    return item, claim, error


def _said(item: Any, row: Mapping[str, Any], runs: Sequence[Run]) -> str:
    """gpt-4.1 predicted that it would list “white”. It did not: “antarctica, waddle, feathers”."""
    experiment, code = EXPERIMENTS[row["experiment"]], row["code"]
    claimed = experiment.words.claimed
    said = f"that {claimed(item, row['claim'], row['predicted'])}" if claimed else f"a {_yes_or_no(row['predicted'])}"
    if code in REVERSED:
        return f"{row['model']} predicted {said}. {REVERSED[code]}."
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


def _others(experiment: str, row: Mapping[str, Any], others: Sequence[Mapping[str, Any]], alike: int) -> str:
    """What others predicted and did; that most make the same error, where they do."""
    read = [one for one in others if one["state"] == "read"]
    if not read:
        return ""
    who = number_of(len(read), "other model")
    if row["code"] in REVERSED:
        return f"{alike or 'None'} of {who} made the same error."
    did = sum(one["observed"] for one in read)
    said = sum(one["predicted"] for one in read)
    most = f" So {alike} of {len(read)} made the same error." if alike > len(read) / 2 else ""
    return f"Of {who}, {_count(said)} predicted that they would, and {_count(did)} did.{most}"


def _count(n: int) -> str:
    return str(n) if n else "none"
