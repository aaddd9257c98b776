"""Can you predict it? Claims of each model that a visitor of the page may guess before seeing what became of them.

Ten for each model, drawn by hash, which is the same for the same data, from all of its claims that were read but those
of delicate items: experiments in turn, of each one claim that came true and one that did not, from no item twice.
"""

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import polars as pl

from selfexec.analysis.words import sentence
from selfexec.experiments import EXPERIMENTS
from selfexec.report.baseline_predictions import BaselinePredictions
from selfexec.report.examples import Quotable

TEN = 10
TITLE = 1000  # letters of an item
KINDS = ("binary", "order")  # of claims; of others nobody predicts a no


@dataclass(frozen=True)
class Guess:
    """A claim to guess.

    Attributes:
        question: What the model was asked.
        title: The item.
        choices: The claim as a yes and as a no make it.
        predicted: What the model predicted; what the best baseline did, None where that is neither.
        said: What the model predicted and did, in words; and what others did.
    """

    experiment: str
    item: str
    question: str
    title: str
    choices: tuple[str, str]
    observed: bool
    predicted: bool
    baseline: bool | None
    said: str
    others: str


def guesses(quotable: Quotable, models: Sequence[str], baselines: BaselinePredictions) -> Mapping[str, Sequence[Guess]]:
    """Model -> its claims; without models of which nothing was read."""
    rows = drawn(quotable.claims)
    quotes = quotable.quotes(rows, TITLE)
    found: dict[str, list[Guess]] = {model: [] for model in models}
    for row, quote in zip(rows, quotes, strict=True):
        experiment, item = EXPERIMENTS[row["experiment"]], quotable.items[row["experiment"], row["item"]]
        words = experiment.words
        claimed = words.claimed or (lambda item, claim, yes: f"{claim}: {'yes' if yes else 'no'}")
        guess = Guess(
            row["experiment"],
            row["item"],
            words.asks or sentence(words.about),
            quote.title,
            (claimed(item, row["claim"], True), claimed(item, row["claim"], False)),
            row["observed"],
            row["predicted"],
            baselines.best_said(row),
            quote.said,
            quote.others,
        )
        found[row["model"]].append(guess)
    return {model: of for model, of in found.items() if of}


def drawn(claims: pl.DataFrame) -> list[dict[str, Any]]:
    """Ten claims of each model, as rows, in the order of their lots."""
    kinds = [name for name, experiment in EXPERIMENTS.items() if experiment.claim_kind in KINDS]
    read = claims.filter((pl.col("state") == "read") & pl.col("experiment").is_in(kinds))
    read = read.drop_nulls(["predicted", "observed"])
    piles: dict[str, dict[str, dict[bool, list[str]]]] = {}
    places = read.select("model", "experiment", "item", "observed").unique(maintain_order=True).rows()
    for model, experiment, item, observed in sorted(places, key=lambda place: _lot(place[:3])):
        by_outcome = piles.setdefault(model, {}).setdefault(experiment, {True: [], False: []})
        by_outcome[observed].append(item)
    chosen = []
    for model, by_experiment in piles.items():
        names = [name for name in EXPERIMENTS if name in by_experiment]
        turns = [_by_turns(by_experiment[name], bool(n % 2)) for n, name in enumerate(names)]
        rounds = zip_longest(*([(model, name, *place) for place in of] for name, of in zip(names, turns, strict=True)))
        chosen += [place for place in chain(*rounds) if place][:TEN]
    columns = ["model", "experiment", "item", "observed"]
    rows = read.join(pl.DataFrame(chosen, read.select(columns).schema, orient="row"), on=columns, how="semi").to_dicts()
    rows.sort(key=lambda row: _lot((row["model"], row["experiment"], row["item"], row["claim"])))
    return [*{(row["model"], row["experiment"], row["item"]): row for row in rows}.values()]


def _by_turns(piles: Mapping[bool, Sequence[str]], first: bool) -> Iterator[tuple[str, bool]]:
    """Items of either outcome by turns, none twice; ten at the most."""
    left, used = {outcome: deque(piles[outcome]) for outcome in (first, not first)}, set[str]()
    while any(left.values()) and len(used) < TEN:
        for outcome, pile in left.items():
            while pile and pile[0] in used:
                pile.popleft()
            if pile:
                used.add(pile[0])
                yield pile.popleft(), outcome


def _lot(place: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(place).encode("utf-8", "surrogatepass")).hexdigest()
