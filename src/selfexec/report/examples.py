"""A real item under each experiment, which shows the mistake that is most frequent there.

The rule, fixed beforehand: of the most frequent kind of error over the models (or of one model), the claim that the
median number of models get wrong in this way; of several, the first by its item's id, then by its place in the item.
Nothing of an item that is `delicate` (`Experiment.delicate`), as a request that is unsafe on purpose.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import polars as pl

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.report.outcomes import DENIED, HIT, OVER, RIGHT, UNDER, WRONG, WRONG_ANSWER, WRONG_TOKENS
from selfexec.runs import Run
from selfexec.text.numbers import number_of
from selfexec.text.printable import in_short

ERRORS = {OVER: "over", UNDER: "under", WRONG: "order", WRONG_ANSWER: "order", WRONG_TOKENS: "order"}
CLAIM, OUTCOME = ["experiment", "item", "claim"], ["predicted", "observed", "code"]
Outcome = tuple[bool, bool, str]
Errors = dict[str, dict[tuple[str, str], dict[str, int]]]  # error -> item and claim -> model -> its row
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
        """What is said of each of these claims, which were read; of its item so many letters."""
        wanted = pl.DataFrame(
            [[row[name] for name in CLAIM] for row in rows], dict.fromkeys(CLAIM, pl.String), orient="row"
        )
        read = self.claims.filter(pl.col("state") == "read").join(wanted.unique(), on=CLAIM, how="semi")
        alike: dict[tuple[str, ...], Counter[Outcome]] = {}
        for *claim, predicted, observed, code, n in read.group_by(*CLAIM, *OUTCOME).len().iter_rows():
            alike.setdefault(tuple(claim), Counter())[predicted, observed, code] = n
        return [self._quote(row, alike[tuple(row[name] for name in CLAIM)], title) for row in rows]

    def _quote(self, row: Mapping[str, Any], alike: Counter[Outcome], title: int) -> Example:
        experiment, item = row["experiment"], self.items[row["experiment"], row["item"]]
        is_order = EXPERIMENTS[experiment].claim_kind == "order"  # which says itself what it is about
        titled = "" if is_order else in_short(EXPERIMENTS[experiment].title(item), title)
        others = alike - Counter({(row["predicted"], row["observed"], row["code"]): 1})
        said = _said(item, row, self.runs)
        return Example(row["model"], experiment, row["item"], titled, said, _others(row["code"], others))


def examples(quotable: Quotable, models: Sequence[str]) -> Mapping[str, Mapping[str | None, Example]]:
    """Experiment -> model, or None for all of them together -> its example."""
    rows = {}
    wrong = quotable.claims.filter(pl.col("code").is_in([*ERRORS]))
    errors: dict[str, Errors] = {}
    for n, (model, experiment, item, claim, code) in enumerate(wrong.select("model", *CLAIM, "code").iter_rows()):
        of_kind = errors.setdefault(experiment, {}).setdefault(ERRORS[code], {})
        of_kind.setdefault((item, claim), {})[model] = n
    for experiment, of_kinds in errors.items():
        for whose in (None, *models):
            if of := _claim(of_kinds, whose):
                model = whose or next(model for model in models if model in of)
                rows[experiment, whose] = wrong.row(of[model], named=True)
    found: dict[str, dict[str | None, Example]] = {}
    for (experiment, whose), example in zip(rows, quotable.quotes([*rows.values()]), strict=True):
        found.setdefault(experiment, {})[whose] = example
    return found


def _claim(errors: Errors, whose: str | None) -> Mapping[str, int] | None:
    """The claim that the rule comes to: model -> its row."""
    mine = {
        error: {claim: of for claim, of in by_claim.items() if whose is None or whose in of}
        for error, by_claim in errors.items()
    }
    counts = {error: sum(len(of) if whose is None else 1 for of in found.values()) for error, found in mine.items()}
    if not any(counts.values()):
        return None
    found = mine[min(counts, key=lambda error: (-counts[error], error))]
    median = sorted(map(len, found.values()))[(len(found) - 1) // 2]
    return found[min((claim for claim, of in found.items() if len(of) == median), key=itemgetter(0))]


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


def _others(code: str, others: Counter[Outcome]) -> str:
    """What others predicted and did; that most make the same error, where they do."""
    if not (read := others.total()):
        return ""
    who, error = number_of(read, "other model"), ERRORS.get(code)
    alike = sum(n for outcome, n in others.items() if ERRORS.get(outcome[2]) == error)
    if code in ORDERS:
        return _others_on_pair(alike, read, bool(error))
    said, did = (sum(n for outcome, n in others.items() if outcome[side]) for side in (0, 1))
    if read == 1:
        return f"The other model predicted that it would{'' if said else ' not'}, and {'did' if did else 'did not'}."
    same = bool(error) and alike > read / 2
    if same and did in (0, read):
        return _others_on_pair(alike, read, error=True)
    most = f" So {alike} of {read} made the same error." if same else ""
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
