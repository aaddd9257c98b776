"""Own excess as people read it: verdicts with what they rest on, and what keeps them from a better one."""

import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from selfexec.analysis.makers import family_of
from selfexec.analysis.names import source_of
from selfexec.claims import Claims
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import (
    LEAST_FOR_OWN,
    LEAST_FOR_VERDICT,
    Estimate,
    Fit,
    Objection,
    Own,
    OwnVerdict,
    gives_probabilities,
    none_if_nan,
    own_excess_by_source,
)
from selfexec.panels import MatchedPanel
from selfexec.text.numbers import decimal, interval, number_of

NO_GROUPS: Mapping[str, str | None] = {}
HEADING = (
    "own excess: what a model's predictions reveal about its own behaviour that other models' predictions and "
    "behaviour do not:"
)
FACTORS = {1: "", 2: "with two common factors, "}
AGAINST = {
    "interval": "the interval is not wholly above 0",
    "one model": "a single model may account for it",
    "losses": "unreadable or missing replies may account for it",
    "rank": "its predictions agree as well with other models' behaviour",
    "few models": (
        f"with fewer than {LEAST_FOR_OWN} models compared, many small influences shared by some of them cannot be "
        "ruled out"
    ),
    "derangement": "as much is found when predictions are matched with other models' behaviour",
    "family": "models of one family may have it in common",
    "pairs": "pairs of models may have it in common",
    "worst losses": "in the worst case, unreadable or missing replies account for it",
    "misfit": "pairs of different models are still more alike than chance explains",
    "cohort": "similar models that are not in the run may have it in common",
    "panel": "the other models come from a reference panel, which was asked at another time",
}


# verdict -> how it is printed; data have the verdict itself
PRINTED: Mapping[str, str] = {"own": "shown"}


def printed(verdict: str | None) -> str:
    """A verdict on own excess as people read it: shown, unresolved, not shown; where there is none, no verdict."""
    return PRINTED.get(verdict, verdict) if verdict else "no verdict"


def own_of(
    claims: Mapping[str, Claims],
    simulated: Container[str],
    families: Mapping[str, str | None],
    matched: MatchedPanel | None = None,
    *,
    people: Collection[str] = (),
) -> Iterator[Own]:
    """Own excess in every experiment in which models can be held against each other; with those of the panel that is
    `matched` to them where they are too few themselves.

    Args:
        claims: By experiment.
        simulated: Which models are.
        families: By model, those of the panel included.
        matched: The reference panel, where there is one.
        people: Those that are no models. They are a panel where there is nobody else, and never one with models.
    """
    for experiment, whole in claims.items():
        models = whole.among(set(whole.models).difference(people))
        everyone = whole.where(models[whole.model]) if models.any() else whole
        if gives_probabilities(everyone):  # see docs/decisions/0051
            continue
        if matched and 0 < sum(matched.serves(model, [experiment]) for model in everyone.models) < LEAST_FOR_VERDICT:
            yield from _with_panel(matched, matched.tables.claims[experiment], families)
        else:
            yield from own_excess_by_source(everyone, simulated, families)


def _with_panel(matched: MatchedPanel, claims: Claims, families: Mapping[str, str | None]) -> Iterator[Own]:
    """Own excess of models and those of a panel together, which is named where any of it is among them."""
    for own in own_excess_by_source(claims, matched.tables.simulated, families, matched.models):
        among = {*own.found.compared.models, *own.found.compared.left_out}
        yield own if among.isdisjoint(matched.models) else replace(own, panel=matched.panel.name)


def families_of(
    models: Collection[str], simulated: Container[str], groups: Mapping[str, str | None] = NO_GROUPS
) -> dict[str, str | None]:
    """As `groups` has them, else the makers that their names tell; those of simulated models are known. None of a model
    that has none, and of one whose maker is not known.
    """
    families = {model: family_of(model) for model in models if model not in simulated}
    if len(families) < len(models):
        from selfexec.engines.sim import maker_of  # scoring language models needs no simulated ones

        families |= {model: maker_of(model) for model in models if model in simulated}
    return {model: groups.get(model, families[model]) for model in models}


def own_lines(own: Iterable[Own], models: Container[str]) -> list[str]:
    """A line for each panel that has one of these models in it, or for each of them that stands next to a reference
    panel. Nothing where no panel is large enough.
    """
    lines = [line for one in own for line in (_next_to_panel(one, models) if one.panel else _of_panel(one, models))]
    return [HEADING, *lines] if lines else []


def _of_panel(own: Own, models: Container[str]) -> Iterator[str]:
    each = own.found.each
    if not own.found.fits or all(model not in models for model in each):
        return
    yield f"  {panel_title(own)}: {_panel(own)}"
    if named := [model for model, judged in each.items() if judged.verdict == "unresolved"]:
        numbers = (f"{model} {tested_text(each[model])}" for model in named)
        yield f"    unresolved for single models: {', '.join(numbers)}"
    if own.found.overall.verdict == "own":
        yield f"    {families_line(own)}"


def _next_to_panel(own: Own, models: Container[str]) -> Iterator[str]:
    """The verdict on each of these models, or why it has none."""
    found = own.found
    said = {model: f"no verdict: {reason}" for model, reason in found.compared.left_out.items()}
    for model in found.compared.models:
        said[model] = _beside(own, model) if model in found.each else f"no verdict: {found.overall.reason}"
    yield from (f"  {panel_title(own)}, {model}: {text}" for model, text in said.items() if model in models)


def families_line(own: Own) -> str:
    """The families that verdicts rest on, each with its models, then the models of no known family."""
    of = own.found.compared
    models: dict[str, list[str]] = {}
    for model, family in zip(of.models, of.families or [None] * len(of.models), strict=True):
        models.setdefault("" if family is None else family, []).append(model)
    unknown = models.pop("", [])
    parts = [f"{family} ({', '.join(members)})" for family, members in sorted(models.items())]
    if unknown:
        parts.append(f"family unknown: {', '.join(unknown)}")
    return f"families: {', '.join(parts)}"


def panel_title(own: Own) -> str:
    """The experiment, and who says what was done, where it is not its own source."""
    by = own.source != EXPERIMENTS[own.experiment].sources[0]
    return f"{own.experiment}{f', by {source_of(own.experiment, own.source)}' if by else ''}"


def _panel(own: Own) -> str:
    found = own.found
    verdict = printed(found.overall.verdict)
    why = found.overall.reason or against(found.overall)
    size = f"{panel_size(own)}{_would_have_found(found.overall)}"
    return f"{verdict}, {estimate_text(found.overall.estimate)} ({size}){f': {why}' if why else ''}"


def _would_have_found(judged: OwnVerdict) -> str:
    """The least that a run of this size finds in 80 of 100 cases, where it is not plain that this one found enough."""
    short = judged.verdict in ("not shown", "unresolved") and not math.isnan(judged.detectable)
    return f"; 80% power to detect {decimal(judged.detectable)}" if short else ""


def panel_size(own: Own) -> str:
    """9 models, 250 groups"""
    of = own.found.compared
    models = number_of(len(of.models), "simulated model" if own.simulated else "model")
    return f"{models}, {number_of(of.items, EXPERIMENTS[own.experiment].item_name)}"


def _beside(own: Own, model: str) -> str:
    """Of a model that is held against those of a reference panel."""
    found, judged = own.found, own.found.each[model]
    why = judged.reason or against(judged)
    references = sum(one not in found.each for one in found.compared.models)
    of = f"{number_of(len(found.compared.models), 'model')}, {references} of them from the panel `{own.panel}`"
    of += _would_have_found(judged)
    return f"{printed(judged.verdict)}, {tested_text(judged)} ({of}){f': {why}' if why else ''}"


def against(judged: OwnVerdict) -> str:
    """What keeps a verdict from a better one."""
    return in_words(judged.against)


def in_words(objections: Iterable[Objection]) -> str:
    """What is against a verdict, each reason once, by the fit of the fewest factors that has it; several by number."""
    said: dict[str, str] = {}
    for factors, what in objections:
        said.setdefault(what, f"{FACTORS[factors]}{AGAINST[what]}")
    if len(said) < 2:
        return "".join(said.values())
    return "; ".join(f"({number}) {reason}" for number, reason in enumerate(said.values(), 1))


def estimate_text(found: Estimate) -> str:
    """As in a line: .040 [.023, .058]"""
    return interval(found.value, *found.interval, decimal)


def tested_text(judged: OwnVerdict) -> str:
    """The estimate with the interval that its verdict rests on: .040 [.010, .071], adjusted for 3 models"""
    adjusted = f", adjusted for {judged.tests} models" if judged.tests > 1 else ""
    return f"{interval(judged.estimate.value, *judged.tested, decimal)}{adjusted}"


# --- as data ---------------------------------------------------------------------------------------------------------


def own_records(own: Iterable[Own]) -> list[dict[str, Any]]:
    """Everything that verdicts rest on, a record for each panel."""
    return [_record(one) for one in own]


def _record(own: Own) -> dict[str, Any]:
    found, panel = own.found, own.found.compared
    partial = found.partial_correlation[1] if found.fits else Estimate(math.nan)
    swap = found.swap[1] if found.fits else Estimate(math.nan)
    return {
        "experiment": own.experiment,
        "condition": own.condition,
        "source": own.source,
        "metric": own.metric,
        "simulated": own.simulated,
        "models": list(panel.models),
        "families": list(panel.families) or [None] * len(panel.models),
        "panel": own.panel,
        "left_out": dict(panel.left_out),
        "items": panel.items,
        "coverage": [none_if_nan(share) for share in panel.coverage],
        **_judged(found.overall),
        "partial_correlation": _estimate(partial),
        "swap_share": _estimate(swap),
        "fits": [_fit(fit) for fit in found.fits],
        "each": [_one(own, n, m) for n, m in enumerate(panel.models) if m in found.each] if found.fits else [],
    }


def _judged(judged: OwnVerdict) -> dict[str, Any]:
    low, high = judged.tested
    return {
        **_estimate(judged.estimate),
        "verdict": judged.verdict,
        "against": list(map(str, judged.against)),
        "reason": judged.reason,
        "tested": {"low": none_if_nan(low), "high": none_if_nan(high), "tests": judged.tests},
        "detectable": none_if_nan(judged.detectable),
    }


def _estimate(found: Estimate) -> dict[str, float | None]:
    return _ends(found.value, *found.interval)


def _ends(value: float, low: float, high: float) -> dict[str, float | None]:
    return {"value": none_if_nan(value), "low": none_if_nan(low), "high": none_if_nan(high)}


def _fit(fit: Fit) -> dict[str, Any]:
    further = {
        "over_models": fit.over_models,
        "beyond_family": fit.beyond_family,
        "beyond_family_over_models": fit.beyond_family_over_models,
        "well_read": fit.well_read,
        "beyond_losses": fit.beyond_losses,
    }
    return {
        "factors": fit.factors,
        **_ends(float(fit.mean.value), *fit.mean.interval()),
        **{name: None if one is None else _ends(float(one.value), *one.interval()) for name, one in further.items()},
        "derangement_p": fit.derangement_p,
        "pairs": none_if_nan(fit.pairs),
        "misfit": none_if_nan(fit.misfit),
        "residuals": [[none_if_nan(left) for left in row] for row in fit.residual.value],
    }


def _one(own: Own, n: int, model: str) -> dict[str, Any]:
    found = own.found
    family = found.fits[0].evidence.family[n]
    return {
        "model": model,
        **_judged(found.each[model]),
        "fits": [_fit_of(fit, n) for fit in found.fits],
        "loss_bound": none_if_nan(found.fits[0].evidence.loss_bounds[n]),
        "family": [other for other, is_one in zip(found.compared.models, family, strict=True) if is_one],
        "unique_correlation": none_if_nan(found.unique[n]),
        "partial_correlation": _estimate(found.partial_correlation[0][n]),
        "swap_share": _estimate(found.swap[0][n]),
    }


def _fit_of(fit: Fit, n: int) -> dict[str, Any]:
    """Of the n-th model."""
    each = fit.each
    ends = _ends(float(each.value[n]), float(each.low[n]), float(each.high[n]))
    return {"factors": fit.factors, **ends, "outdone": none_if_nan(fit.outdone[n])}
