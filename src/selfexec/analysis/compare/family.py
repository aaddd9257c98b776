"""One metric of all models that are compared: estimates, paired differences, and who cannot be told apart."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from selfexec.analysis.compare.candidates import Candidate
from selfexec.analysis.compare.measures import (
    NO_OVERALL,
    OVERALL,
    OWN,
    ComparedRecord,
    alone,
    common_of,
    headline,
    measured_in,
    of_few,
    overall,
    records_of,
    refuse_unpaired,
    too_few,
    uncovered,
    weighed,
)
from selfexec.analysis.compare.own_excess import own_records_of
from selfexec.analysis.differences import Difference, Shift, Standing
from selfexec.experiments import PAPER_HEADLINE
from selfexec.metrics import Estimate, none_if_nan
from selfexec.stats import Z, detectable, holm, tied_groups, two_sided

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Family:
    """One metric of all models: their records by experiment, and their own estimates, overall too."""

    metric: str
    labels: tuple[str, ...]
    records: Mapping[str, Mapping[str, ComparedRecord]]
    estimates: Mapping[str, Mapping[str, Estimate]]

    @classmethod
    def of(
        cls,
        metric: str,
        experiments: Sequence[str],
        chosen: Sequence[Candidate],
        everybody: Sequence[Candidate],
        convention: str,
        without: Sequence[str] = (),
    ) -> "Family":
        """`without`: names of models that are nobody's reference models here."""
        of = own_records_of if metric == OWN else partial(records_of, metric)
        records = {
            experiment: {record.label: record for record in of(experiment, chosen, everybody, convention, without)}
            for experiment in measured_in(metric, experiments)
        }
        return cls.of_records(metric, tuple(e.label for e in chosen), records)

    @classmethod
    def of_records(
        cls, metric: str, labels: tuple[str, ...], records: Mapping[str, Mapping[str, ComparedRecord]]
    ) -> "Family":
        estimates = {e: {x: alone(metric, e, r) for x, r in by_label.items()} for e, by_label in records.items()}
        if metric not in NO_OVERALL and set(PAPER_HEADLINE.experiments) <= set(records):
            parts = {x: {e: estimates[e][x] for e in PAPER_HEADLINE.experiments} for x in labels}
            found = {x: overall(metric, parts[x], differences=False) for x in labels}
            own = {x: {e: records[e][x] for e in PAPER_HEADLINE.experiments} for x in labels}
            estimates[OVERALL] = {x: headline(metric, own[x], found[x]) for x in labels}
        return cls(metric, labels, records, estimates)

    def weighed(self, experiment: str, weights: Mapping[str, float]) -> tuple[Estimate, int]:
        """Sum of weight times metric over models, on the items that they share, and the number of these items."""
        if experiment == OVERALL:
            parts = {e: self.weighed(e, weights) for e in PAPER_HEADLINE.experiments}
            single = len(weights) == 1
            found = overall(self.metric, {e: part[0] for e, part in parts.items()}, differences=not single)
            withheld = next((x for x in weights if math.isnan(self.estimates[OVERALL][x].value)), None)
            if withheld and not math.isnan(found.value):
                found = Estimate(math.nan, reason=f"{withheld}: {self.estimates[OVERALL][withheld].reason}")
            return found, sum(items for _, items in parts.values())
        records = [self.records[experiment][label] for label in weights]
        if not any(record.reason for record in records):
            refuse_unpaired(experiment, records)
        return weighed(self.metric, experiment, records, list(weights.values())), common_of(records)

    def freedom(self, experiment: str, items: int) -> float:
        """Degrees of freedom of a difference: Student's t on items; overall the normal distribution."""
        return math.inf if experiment == OVERALL else items - 1

    def difference(self, experiment: str, model: str, against: str, precision: float | None = None) -> Difference:
        found, items = self.weighed(experiment, {model: 1.0, against: -1.0})
        if math.isnan(found.value):
            return Difference(self.metric, experiment, model, against, items=items, reason=found.reason)
        value, other = self._on_common_items(experiment, model, against, found.value)
        if few := self.too_few(experiment, model, against):
            reason = few if experiment == OVERALL else few.removeprefix(f"{experiment}: ")
            return Difference(self.metric, experiment, model, against, value, other, items=items, reason=reason)
        freedom = self.freedom(experiment, items)
        return Difference(
            metric=self.metric,
            experiment=experiment,
            model=model,
            against=against,
            value=value,
            value_against=other,
            difference=found.value,
            low=found.interval.low,
            high=found.interval.high,
            error=found.error,
            p=two_sided(found.value, found.error, freedom),
            p_holm=None,
            items=items,
            detectable=detectable(found.error, freedom),
            items_needed=math.ceil(items * (Z * found.error / precision) ** 2) if precision else None,
            caution=self._caution(experiment, model, against),
        )

    def _on_common_items(self, experiment: str, model: str, against: str, gap: float) -> tuple[float, float]:
        """Both values on the items that they share, so that their difference is the difference."""
        # a weight of 0 keeps the other one's items in common and adds nothing
        value = self.weighed(experiment, {model: 1.0, against: 0.0})[0].value
        return value, value - gap

    def too_few(self, experiment: str, model: str, against: str) -> str | None:
        """Why a difference is withheld: too few of the items that both have can tell. None where enough can."""
        told = (too_few(self.metric, e, records) for e, records in self._pairs(experiment, model, against))
        return next((reason for reason in told if reason), None)

    def _caution(self, experiment: str, model: str, against: str) -> str | None:
        """Why a difference is to be read with caution."""
        for e, records in self._pairs(experiment, model, against):
            lost = None if self.metric == "coverage" else uncovered(e, records)
            if said := lost or of_few(e, records) or next((f"{e}: {r.caution}" for r in records if r.caution), None):
                return said
        return None

    def _pairs(self, experiment: str, model: str, against: str) -> Iterator[tuple[str, list[ComparedRecord]]]:
        """The records of both, in one experiment, or of an overall value in each that it is made of."""
        for e in PAPER_HEADLINE.experiments if experiment == OVERALL else [experiment]:
            yield e, [self.records[e][label] for label in (model, against)]

    def ranked(self, experiment: str) -> list[str]:
        """The models that have a value, best first."""
        values = {label: found.value for label, found in self.estimates[experiment].items()}
        return sorted((x for x in values if not math.isnan(values[x])), key=lambda label: (-values[label], label))

    def differences(self, precision: float | None = None) -> list[Difference]:
        """Of two models the second against the first; of more, all pairs, the better ranked against the other."""
        rows = []
        for experiment in self.estimates:
            ranked = self.ranked(experiment)
            last = [label for label in sorted(self.labels) if label not in ranked]
            order = [*ranked, *last] if len(self.labels) > 2 else self.labels[::-1]
            rows += _adjusted(self.difference(experiment, *pair, precision) for pair in combinations(order, 2))
        return rows

    def shifts(self, pairs: Sequence[tuple[Candidate, Candidate]], precision: float | None = None) -> list[Shift]:
        """Of each pair, a model in two conditions, the second less the first."""
        rows = []
        for experiment in self.estimates:
            found = _adjusted(self.difference(experiment, new.label, old.label, precision) for old, new in pairs)
            rows += [
                Shift(new.home, str(new.run.condition), str(old.run.condition), row)
                for (old, new), row in zip(pairs, found, strict=True)
            ]
        return rows

    def standings(self, differences: Sequence[Difference]) -> list[Standing]:
        """Models in order, with the letters of the groups in which no two can be told apart."""
        apart: dict[str, list[tuple[str, str]]] = {}
        for row in differences:
            if row.metric == self.metric and row.p_holm is not None and row.p_holm < SIGNIFICANT:
                apart.setdefault(row.experiment, []).append((row.model, row.against))
        return self.standings_of(apart)

    def standings_of(self, apart: Mapping[str, Sequence[tuple[str, str]]]) -> list[Standing]:
        """`standings`, from the pairs that can be told apart, by experiment."""
        rows = []
        for experiment, estimates in self.estimates.items():
            ranked = self.ranked(experiment)
            letters = _letters(ranked, tied_groups(ranked, apart.get(experiment, ())))
            order = [*ranked, *(x for x in self.labels if x not in ranked)]
            rows += [_standing(self.metric, experiment, x, estimates[x], ranked, letters) for x in order]
        return rows


def _adjusted(family: Iterable[Difference]) -> list[Difference]:
    """Differences with p values adjusted for each other."""
    rows = list(family)
    adjusted = holm(np.array([math.nan if row.p is None else row.p for row in rows]))
    return [replace(row, p_holm=none_if_nan(p)) for row, p in zip(rows, adjusted, strict=True)]


def _standing(
    metric: str,
    experiment: str,
    label: str,
    estimate: Estimate,
    ranked: Sequence[str],
    letters: Mapping[str, str],
) -> Standing:
    if label not in ranked:
        return Standing(metric, experiment, label, reason=estimate.reason)
    low, high = map(none_if_nan, estimate.interval)
    return Standing(metric, experiment, label, ranked.index(label) + 1, estimate.value, low, high, letters[label])


def _letters(ranked: Sequence[str], groups: Sequence[Sequence[str]]) -> dict[str, str]:
    """a for the first group, b for the second; behind z comes aa."""
    names = [chr(97 + n % 26) * (1 + n // 26) for n in range(len(groups))]
    return {x: " ".join(name for name, group in zip(names, groups, strict=True) if x in group) for x in ranked}
