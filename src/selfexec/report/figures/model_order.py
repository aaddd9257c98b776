"""The models of a report: in which order they stand, what they are called, and who belongs to whom."""

import math
from collections.abc import Mapping, Sequence

from selfexec.analysis.names import family_of
from selfexec.report.svg import Lineup, clean


def line_up(accuracies: Mapping[str, Sequence[float]], groups: Mapping[str, str] | None = None) -> Lineup:
    """Families one after the other, the best first, and so within each; headed where the names do not tell the family.
    `accuracies` of each model are what it is put in order by: their mean.
    """
    families = {model: (groups or {}).get(model) or family_of(model) for model in accuracies}
    merit = {model: -math.fsum(found) / len(found) if found else 1.0 for model, found in accuracies.items()}
    best: dict[str, float] = {}
    for model, family in families.items():
        best[family] = min(best.get(family, math.inf), merit[model])
    order = sorted(accuracies, key=lambda m: (best[families[m]], families[m], merit[m], m))
    told = all(families[model] == family_of(model) for model in order)
    return Lineup(tuple(order), families, names_of(order), headed=not told and len(best) > 1)


def names_of(models: Sequence[str]) -> dict[str, str]:
    """Without the provider where that is the same for all, or tells nobody apart."""
    last = {model: clean(model.split("/")[-1]) for model in models}
    if all(last.values()) and len(set(last.values())) == len(models):
        return last
    return {model: clean(model) for model in models}
