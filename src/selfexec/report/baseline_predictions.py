"""What baselines predicted for each claim, as strings like those of what became of it: one character for each claim.

A baseline says yes or no, and was right or wrong; where the claim does not count, as where nobody knows what was done,
it is neither. Beside that stands how many other models did it, and of how many that is known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from selfexec.analysis.score import Score, Scores
from selfexec.claims import Claims, Flags, Numbers
from selfexec.experiments import EXPERIMENTS, Item
from selfexec.metrics import OF_BASELINE, STACKED, ModelScores, claim_kind, scorable
from selfexec.stats import Array

if TYPE_CHECKING:
    from selfexec.claims import Tables
    from selfexec.runs import Run

SAYS = {  # what a baseline says -> where it was right, where it was wrong, where the claim does not count
    1.0: "Yy+",
    0.0: "Nn-",
    0.5: "==~",
}
SILENT = "."  # of this claim it says nothing
NOT_ASKED = " "
ZERO = 48  # how many did: the characters from "0" on
BEST = "best"  # the baseline that the margin is over, whichever it is
ALWAYS = {"always_yes": 1.0, "always_no": 0.0}
NAMES = {STACKED: "best baseline"}

ByEpoch = Mapping[str, str]


@dataclass(frozen=True)
class PredictionsByEpoch:
    """Of one model in one experiment, by epoch: what each baseline said, how many others `did` it, and `of` how many.
    `best` is the baseline that the margin is over; None where the same answer every time does as well.
    """

    best: str | None
    said: Mapping[str, ByEpoch]
    did: ByEpoch
    of: ByEpoch


@dataclass(frozen=True)
class BaselinePredictions:
    """Everything that baselines said of the models of some runs."""

    runs: Sequence["Run"]
    tables: "Tables"
    scores: Scores
    strict: bool
    _known: dict[int, Mapping[str, Mapping[tuple[str, str], int]]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def told(self) -> Mapping[str, Mapping[str, PredictionsByEpoch]]:
        """Model -> experiment -> what was said; without experiments in which no baseline says yes or no to a claim."""
        found: dict[str, dict[str, PredictionsByEpoch]] = {}
        for run in self.runs:
            for experiment, claims in self.tables.claims.items():
                mine = [model for model in run.models if experiment in self.scores.parts.get(model, {})]
                if not mine or not claim_kind(claims).SHARED_CLAIMS:
                    continue
                at = self._places(run)[experiment]
                places, length = _places(claims, at), len(at)
                for model in mine:
                    part, own = self.scores.parts[model][experiment], claims.of(model)
                    found.setdefault(model, {})[experiment] = _told(part, own, places, length, self.strict)
        return found

    def _places(self, run: "Run") -> Mapping[str, Mapping[tuple[str, str], int]]:
        """Experiment -> item and claim -> where it stands in a string."""
        if id(run) not in self._known:
            self._known[id(run)] = {e: _in_order(e, items) for e, items in run.items.items.items()}
        return self._known[id(run)]

    def best_said(self, row: Mapping[str, Any]) -> bool | None:
        """What the best baseline predicted for a claim, a row of the observations; None where that is neither."""
        told = self.told.get(row["model"], {}).get(row["experiment"])
        if told is None or told.best is None:
            return None
        run = next(run for run in self.runs if row["model"] in run.models)
        place = self._places(run)[row["experiment"]][row["item"], row["claim"]]
        letter = told.said[told.best][str(row["epoch"])][place]
        return next((says > 0.5 for says, letters in SAYS.items() if letter in letters and says != 0.5), None)

    @cached_property
    def decisive(self) -> set[tuple[str, str, str]]:
        """Model, experiment and item, where one of model and best baseline was right and the other wrong."""
        found: set[tuple[str, str, str]] = set()
        for experiment, claims in self.tables.claims.items():
            for model, parts in self.scores.parts.items():
                part = parts.get(experiment)
                probability = (
                    part.predicted_by_baselines.probabilities.get(part.comparison.baseline)
                    if part and part.comparison.baseline
                    else None
                )
                if probability is None or not claim_kind(claims).SHARED_CLAIMS:
                    continue
                own = claims.of(model)
                tells = scorable(own, self.strict) & (probability != 0.5) & ~np.isnan(probability)
                baseline_right, model_right = (probability > 0.5) == (own.observed > 0), own.predicted == own.observed
                apart = tells & (baseline_right != model_right)
                found |= {(model, experiment, own.items[item]) for item in np.unique(own.item[apart])}
        return found

    @property
    def names(self) -> Mapping[str, str]:
        """Of the baselines, in words."""
        by_model = (told for found in self.told.values() for told in found.values())
        every = sorted({name for told in by_model for name in told.said})
        return {name: NAMES.get(name, name.replace("_", " ")) for name in every}

    def behind(self, row: Score) -> tuple[str, str] | None:
        """The baseline that a number is about, and which claims make it: `said`, all about which it said something, or
        `apart`, those in which either it or the model was right. None where it is about none.
        """
        found = self.told.get(row.model, {})
        if row.metric in OF_BASELINE:
            known = any(told.best for e, told in found.items() if row.experiment in ("overall", e))
            return (BEST, "apart" if row.metric == "baseline_margin" else "said") if known else None
        told = found.get(row.experiment)
        return (row.metric, "said") if told and row.metric in told.said else None


def _in_order(experiment: str, items: Mapping[str, Item]) -> Mapping[tuple[str, str], int]:
    names = [(id, o.claim) for id, item in items.items() for o in EXPERIMENTS[experiment].observe(item, {})]
    return {name: n for n, name in enumerate(names)}


def _places(claims: Claims, at: Mapping[tuple[str, str], int]) -> Numbers:
    """Where each place of the claims stands in a string, -1 where the run has not got it."""
    places = np.full(claims.claim_ids, -1)
    first = claims.at(np.unique(claims.claim_id, return_index=True)[1])
    for place, item, name in zip(first.claim_id, first.item, first.claim_name, strict=True):
        places[place] = at.get((claims.items[item], claims.claim_names[name]), -1)
    return places


def _told(part: ModelScores, claims: Claims, places: Numbers, length: int, strict: bool) -> PredictionsByEpoch:
    at, counts, predicted = places[claims.claim_id], scorable(claims, strict), part.predicted_by_baselines
    metrics = {row.metric for row in part.rows}
    always = {name: np.full(len(claims), probability) for name, probability in ALWAYS.items() if name in metrics}
    words = {
        name: _words(probability, claims, counts)
        for name, probability in sorted(({**predicted.probabilities, **always}).items())
        if np.isin(probability[~np.isnan(probability)], list(SAYS)).all() and not np.isnan(probability).all()
    }

    def strings(characters: Numbers) -> ByEpoch:
        return dict(_by_epoch(characters, claims.epoch, at, length))

    best = part.comparison.baseline if part.comparison.baseline in words else None
    said = {name: strings(found) for name, found in words.items() if name in (best, *metrics)}
    return PredictionsByEpoch(
        best, said, strings(_numerals(predicted.behaved)), strings(_numerals(predicted.behaviour_known))
    )


def _words(probability: Array, claims: Claims, counts: Flags) -> Numbers:
    """As characters, by their numbers."""
    found = np.full(len(claims), ord(SILENT))
    for says, letters in SAYS.items():
        right = (says > 0.5) == (claims.observed > 0)
        which = np.where(counts, np.where(right, 0, 1), 2)
        found = np.where(probability == says, np.array([ord(letter) for letter in letters])[which], found)
    return found


def _numerals(numbers: Array) -> Numbers:
    found: Numbers = ZERO + np.rint(numbers).astype(np.int64)
    return found


def _by_epoch(characters: Numbers, epoch: Numbers, at: Numbers, length: int) -> Iterator[tuple[str, str]]:
    for one in np.unique(epoch):
        found = np.full(length, ord(NOT_ASKED), np.uint32)
        here = epoch == one
        found[at[here]] = characters[here]
        yield str(one), found.astype("<u4").tobytes().decode("utf-32-le")
