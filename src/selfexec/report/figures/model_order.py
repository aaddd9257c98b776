"""The models of a report: in which order they stand, what they are called, and who belongs to whom."""

from collections.abc import Mapping, Sequence

from selfexec.analysis.makers import family_of
from selfexec.report.svg import ModelOrder, clean

UNKNOWN_FAMILY = "family unknown"
Merit = tuple[int, float]  # the less, the better


def order_models(merit: Mapping[str, Merit], groups: Mapping[str, str] | None = None) -> ModelOrder:
    """The best first. Where `groups` tell other families than the names do, families one after the other, headed, the
    one of the best first.
    """
    by_name = {model: family_of(model) or UNKNOWN_FAMILY for model in merit}
    families = {model: (groups or {}).get(model) or by_name[model] for model in merit}
    best: dict[str, Merit] = {}
    for model, family in families.items():
        best[family] = min(best.get(family, merit[model]), merit[model])
    headed = len(best) > 1 and families != by_name

    def place(model: str) -> tuple[object, ...]:
        family = (best[families[model]], families[model]) if headed else ()
        return (*family, merit[model], model)

    order = sorted(merit, key=place)
    return ModelOrder(tuple(order), families, {model: clean(model) for model in order}, headed=headed)


def merit_of(overall: float | None, skills: Sequence[float], *, caution: bool = False) -> Merit:
    """By overall skill; behind those that have one those whose own is to be read with `caution`, then those without by
    the mean of the skills that they have, and last those that nothing is known about.
    """
    if overall is not None:
        return int(caution), -overall
    return (2, -sum(skills) / len(skills)) if skills else (3, 0.0)
