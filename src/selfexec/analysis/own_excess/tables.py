"""Own excess in full: everything that the verdicts on a panel and its models rest on, as tables and as data."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from selfexec.analysis.own_excess.verdicts import (
    AGAINST,
    against,
    estimate_text,
    families_line,
    own_records,
    panel_size,
    panel_title,
    printed,
)
from selfexec.metrics import MISFIT, TIMES_PAIRS, Fit, Own, OwnVerdict
from selfexec.stats import Array
from selfexec.text.numbers import decimal, interval, p_value, signed
from selfexec.text.tables import Part, Table

QUESTION = (
    "Do a model's predictions reveal anything about its own behaviour that other models' predictions and behaviour do "
    "not?"
)
FIT_NAMES = {1: "one factor", 2: "two factors"}
OF_ONE = {"interval": "the interval, adjusted for the number of models (Holm), is not wholly above 0"}
CELL, LABEL = 6, 4  # characters of a column of a matrix, and of the numbers before its rows
NOTES = (
    "own excess: the correlation between a model's predictions and its own behaviour that remains after removing the "
    "factors common to all other pairs of predictions and outcomes.",
    "detectable: the true own excess that 80% of runs like this one would find above 0, in the test of one factor. The "
    "verdict `shown` requires at least that, and the other conditions.",
    "over models: the same number, with the jackknife over models. derangements: predictions assigned to other models' "
    "behaviour. largest pair: the most that a model may share with a single other, both in predictions and in "
    f"behaviour; own excess has to be more than {TIMES_PAIRS:g} times as much. misfit: about 1 where the factors are "
    f"enough, at most {MISFIT:g}.",
    "high coverage: only models with a coverage of at least .9. worst case: the same, reduced as if prediction and "
    "behaviour disagreed in every unread claim.",
    "correlation: of a model's predictions with its own behaviour. q: how well its predictions fit what models do; "
    "l: how typical its behaviour is; q l: the correlation that follows from both. family: the other models of its "
    "family, by number.",
)
NOTES_ON_ALL = (
    "unique: own excess by what is only in a model's predictions and in its behaviour.",
    "partial correlation: of predictions and outcomes without all that the others predicted and did (the generalised "
    "covariance measure). It is too high with few models. swap share: where two models differ in prediction and in "
    "behaviour, how often each is right about itself; .500 says nothing. Neither decides anything.",
)


def all_own_parts(own: Sequence[Own], width: int, *, every: bool = False) -> Iterator[Part]:
    """Every panel that is large enough, with what its numbers are below the first; of the others why there is nothing
    to say. With `every`, also the numbers that decide nothing.
    """
    yield QUESTION
    yield from too_small(own)
    yield ""
    told = [one for one in own if one.found.fits]
    notes: Sequence[str] = (*NOTES, *NOTES_ON_ALL) if every else NOTES
    for one in told:
        yield from _own_parts(one, width, every, notes if one is told[0] else ())


def too_small(own: Sequence[Own]) -> Iterator[str]:
    """Panels about which nothing can be said, those together that have the same reason."""
    by_reason: dict[str, list[str]] = {}
    for one in own:
        if not one.found.fits:
            by_reason.setdefault(f"no verdict: {one.found.overall.reason}", []).append(panel_title(one))
    yield from (f"{'; '.join(titles)}: {reason}" for reason, titles in by_reason.items())


def _own_parts(own: Own, width: int, every: bool, notes: Sequence[str]) -> Iterator[Part]:
    """The verdict on a panel and what it rests on; then its models; then predictions by behaviour, where there is room
    for it.
    """
    models, apart, *opinions = of_models(own) if every else (_models(own, _order(own)), _apart(own, _order(own)))
    yield of_panel(own)
    yield from below_panel(own, every=every)
    yield from notes
    yield ""
    yield models
    yield from below_models(own)
    yield ""
    yield apart
    yield from opinions
    yield from _matrices(own, width)
    yield ""


def of_models(own: Own, models: Sequence[str] = ()) -> tuple[Table, Table, Table]:
    """Each model's verdict; what it is taken apart into; and what decides nothing: a row for each model, in the order
    of `models` where that is given.
    """
    order = _order(own, models)
    return _models(own, order), _apart(own, order, every=True), _opinions(own, order)


def _order(own: Own, models: Sequence[str] = ()) -> list[int]:
    """Which model of the panel stands in each row."""
    every = own.found.compared.models
    return [every.index(model) for model in models] if models else list(range(len(every)))


def of_panel(own: Own) -> Table:
    """What the verdict on the panel rests on, a column for each fit."""
    fits = own.found.fits
    rows = [
        ["own excess", *(_doubted(fit.mean) for fit in fits)],
        ["over models", *(_doubted(fit.over_models) for fit in fits)],
        ["high coverage", *("too few models" if fit.well_read is None else _doubted(fit.well_read) for fit in fits)],
        [
            "  worst case",
            *("too few models" if fit.beyond_losses is None else _doubted(fit.beyond_losses) for fit in fits),
        ],
        ["beyond family", *(_doubted(fit.beyond_family) for fit in fits)],
        ["  over models", *(_doubted(fit.beyond_family_over_models) for fit in fits)],
        ["derangements, p", *(p_value(fit.derangement_p) for fit in fits)],
        ["largest pair", *(decimal(fit.pairs) for fit in fits)],
        ["misfit", *(decimal(fit.misfit, 2) for fit in fits)],
        ["detectable", decimal(own.found.overall.detectable), *("" for _ in fits[1:])],
    ]
    title = f"{panel_title(own)}: {printed(own.found.overall.verdict)} ({panel_size(own)})"
    return Table(title, ["all models together", *(FIT_NAMES[fit.factors] for fit in fits)], rows, "plain")


def below_panel(own: Own, *, every: bool = True) -> Iterator[str]:
    """With `every` what decides nothing; and what keeps the panel from a better verdict."""
    found = own.found
    if every:
        yield f"partial correlation {estimate_text(found.partial_correlation[1])}"
        yield f"swap share {estimate_text(found.swap[1])}"
    yield families_line(own)
    if why := found.overall.reason or against(found.overall):
        yield f"{'no verdict' if found.overall.verdict is None else 'reasons'}: {why}"


def _models(own: Own, order: Sequence[int]) -> Table:
    """Each model's verdict with the interval that it rests on; its own excess in all fits, each interval for itself;
    and by short names what keeps it from a better verdict.
    """
    found = own.found
    judged = [found.for_model(model) for model in found.compared.models]
    rows = [
        [
            name,
            *(interval(float(e.value[n]), float(e.low[n]), float(e.high[n])) for e in (fit.each for fit in found.fits)),
            _ends(judged[n]),
            printed(judged[n].verdict),
            _in_short(judged[n]),
        ]
        for n, name in _numbered(found.compared.models, order)
    ]
    return Table("Model by model", ["model", *_fit_names(own), "adjusted", "verdict", "reasons"], rows, "plain")


def _ends(judged: OwnVerdict) -> str:
    """The interval that a verdict rests on; none where nothing is judged."""
    low, high = judged.tested
    return "" if np.isnan(low) else f"[{decimal(low)}, {decimal(high)}]"


def _fit_names(own: Own) -> list[str]:
    return [FIT_NAMES[fit.factors] for fit in own.found.fits]


def _in_short(judged: OwnVerdict) -> str:
    """What is against a better verdict by its name, behind it the factors where it takes more than one."""
    said: dict[str, str] = {}
    for factors, what in judged.against:
        said.setdefault(what, what if factors == 1 else f"{what} ({factors})")
    return ", ".join(said.values())


def _codes(judged: Iterable[OwnVerdict]) -> list[str]:
    """What is against any of them, in the order of the conditions."""
    named = {objection.what for one in judged for objection in one.against}
    return [code for code in AGAINST if code in named]


def below_models(own: Own) -> Iterator[str]:
    """What the short names mean, and which models take no part."""
    if codes := _codes(own.found.each.values()):
        yield "reasons:"
        yield from (f"  {code}: {OF_ONE.get(code, AGAINST[code])}" for code in codes)
    if left_out := own.found.compared.left_out:
        yield "left out:"
        yield from (f"  {model}: {why}" for model, why in left_out.items())


def _apart(own: Own, order: Sequence[int], *, every: bool = False) -> Table:
    """Of each model the correlation of prediction and outcome, what the one factor says of it, with `every` own excess
    on a scale of its own, and its family.
    """
    found = own.found
    fit, number = found.fits[0], {n: row for row, n in enumerate(order, 1)}
    prediction, outcome = loadings(fit)
    rows = [
        [
            name,
            *(
                decimal(float(x), 2)
                for x in (fit.evidence.tables.rho[n, n], prediction[n], outcome[n], fit.fitted[n, n])
            ),
            *([decimal(float(found.unique[n]), 2)] if every else []),
            ", ".join(map(str, sorted(number[other] for other in np.flatnonzero(fit.evidence.family[n]).tolist())))
            or "none",
        ]
        for n, name in _numbered(found.compared.models, order)
    ]
    columns = ["model", "correlation", "q", "l", "q l", *(["unique"] if every else []), "family"]
    return Table("Decomposition by model", columns, rows, "plain")


def _opinions(own: Own, order: Sequence[int]) -> Table:
    """What decides nothing, of each model."""
    partial, swap = own.found.partial_correlation[0], own.found.swap[0]
    every = own.found.compared.models
    rows = [
        [name, decimal(own.found.for_model(every[n]).detectable), estimate_text(partial[n]), estimate_text(swap[n])]
        for n, name in _numbered(every, order)
    ]
    return Table("Further estimates", ["model", "detectable", "partial correlation", "swap share"], rows, "plain")


def _matrices(own: Own, width: int) -> Iterator[Part]:
    """What one factor leaves of predictions by behaviour, and how alike behaviour is, where the columns have room."""
    if LABEL + CELL * len(own.found.compared.models) > width:
        yield "The residuals of each pair of models are in --format json and in the report."
        return
    yield _square(
        "Residuals after one factor (rows: predicting model; columns: behaving model)", own.found.fits[0].residual.value
    )
    yield similar_behaviour(own)


def similar_behaviour(own: Own, models: Sequence[str] = ()) -> Table:
    order = _order(own, models)
    similarity = own.found.fits[0].evidence.similarity[np.ix_(order, order)]
    alike = np.where(np.eye(len(similarity), dtype=bool), np.nan, similarity)
    return _square("Similarity of behaviour beyond what all models have in common", alike)


def _square(title: str, table: Array) -> Table:
    columns = ["", *(str(n + 1) for n in range(len(table)))]
    rows = [[str(n + 1), *("" if np.isnan(x) else signed(float(x), 2) for x in row)] for n, row in enumerate(table)]
    return Table(title, columns, rows, "plain")


def _numbered(models: Sequence[str], order: Sequence[int]) -> Iterator[tuple[int, str]]:
    """For each row the place of its model in the panel, and its name behind the number of the row."""
    return ((n, f"{row} {models[n]}") for row, n in enumerate(order, 1))


def _doubted(found: Any) -> str:
    return interval(float(found.value), *found.interval())


def loadings(fit: Fit) -> tuple[Array, Array]:
    """Of predictions and outcomes in the fit of one factor, q and l of q_a l_b: of the same length, typical behaviour
    above 0.
    """
    left, sizes, right = np.linalg.svd(fit.fitted)
    sign = -1.0 if right[0].sum() < 0 else 1.0
    scale = sign * np.sqrt(sizes[0])
    return left[:, 0] * scale, right[0] * scale


# --- as data ---------------------------------------------------------------------------------------------------------


def whole_records(own: Sequence[Own]) -> list[dict[str, Any]]:
    """The records of `score` and all tables behind them: predictions by behaviour, what factors say of it, and similar
    behaviour.
    """
    return [record | _tables(one) for one, record in zip(own, own_records(own), strict=True)]


def _tables(own: Own) -> dict[str, Any]:
    if not (fits := own.found.fits):
        return {}
    prediction, outcome = loadings(fits[0])
    return {
        "correlations": fits[0].evidence.tables.rho.tolist(),
        "fitted": [fit.fitted.tolist() for fit in fits],
        "prediction_loadings": prediction.tolist(),
        "outcome_loadings": outcome.tolist(),
        "similarity": fits[0].evidence.similarity.tolist(),
    }
