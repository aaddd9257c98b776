"""Cross-prediction as people read it: own excess with all that its verdicts rest on; and for comparison with the
literature the matrix of accuracies, what it is taken apart into, and the additive self-bonus.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from selfexec.analysis.names import crossed_by
from selfexec.analysis.options import CrossOptions
from selfexec.analysis.own_excess import all_own_parts, families_of, own_of, whole_records
from selfexec.analysis.result import Form, Result, Rows, ScoredRun, head
from selfexec.analysis.selection import Selection, selection_of
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, RULE
from selfexec.extension import registered, resolve
from selfexec.metrics import WARNING, Crossed, Estimate, Own, none_if_nan, self_bonuses
from selfexec.runs import takes
from selfexec.stats import Array
from selfexec.text.matching import meant
from selfexec.text.numbers import decimal, interval
from selfexec.text.tables import Part, Table

NAMED = 3  # so many models that are left out are named each
LITERATURE = (
    "For comparison with the literature: every model's predictions scored against every model's behaviour, as a sum of "
    "parts."
)
MATRIX = "Rows: predicting model; columns: behaving model. Accuracy on the claims that were read for all models."
TAKEN_APART = (
    "alpha: how well it predicts anyone; beta: how easily it is predicted by anyone, around 0.",
    "own bonus: accuracy about itself beyond alpha + beta, with 95% for each alone; the self-bonus is their mean.",
)
OWN = "self_bonus"  # by the source that counts; behaviour as further sources have it has a metric for each
EACH_ITS_OWN = (
    "what is predicted is each model's own, so that no model's prediction can be held against another's behaviour."
)


@dataclass(frozen=True, repr=False)
class CrossPrediction(Result):
    """Every model's predictions held against every model's behaviour, by experiment (and source of what was done):
    `own` excess by correlations, and `parts` by accuracies, as the literature has it. `every`: whether the numbers that
    decide nothing are shown, too; as data they are always there. `further` is what extensions add, by its name.
    """

    parts: Mapping[tuple[str, str], Crossed]  # (experiment, metric of the self-bonus)
    own: tuple[Own, ...] = ()
    runs: tuple[ScoredRun, ...] = ()
    apart: tuple[str, ...] = ()  # experiments in which each model predicts its own
    every: bool = False
    further: Mapping[str, Rows[Any]] = field(default_factory=dict)

    @property
    def nothing(self) -> str | None:
        """Why no model can be held against another, and the way out; None where some can."""
        if self.apart and not self.parts:
            return self._apart()
        models = list(dict.fromkeys(model for found in self.parts.values() for model in found.common.models))
        if len(models) < 2:
            there = f"there is only {models[0]}" if models else "no claim of any could be read"
            return f"cross-prediction needs two models, and {there}. Give another run."
        if not any(found.common.claims and len(found.common.models) > 1 for found in self.parts.values()):
            return f"no claim was read of all of these models: {', '.join(models)}. Give runs of the same items."
        return None

    def _apart(self) -> str:
        return f"{', '.join(self.apart)}: {EACH_ITS_OWN}"

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        if self.nothing:
            yield self.nothing
            return
        yield from all_own_parts(self.own, width, every=self.every)
        yield LITERATURE
        yield ""
        for key, found in self.parts.items():
            yield from _tables(key, found)
            yield self_bonus_line(found)
            yield ""
        yield MATRIX
        if any(found.has_own for found in self.parts.values()):
            yield from TAKEN_APART
        yield WARNING
        if self.apart:
            yield self._apart()
        for rows in self.further.values():
            yield ""
            yield from rows._content(form, width)

    def _data(self) -> dict[str, Any]:
        # claims that are unread on one model's side are left out for all, so that there is no other convention
        records = [_record(*key, found) for key, found in self.parts.items()]
        own = whole_records(self.own)
        counted = {"own_excess": own, "cross_prediction": records, "warning": WARNING}
        return {
            **head(self.runs, "readable"),
            **counted,
            **{name: rows.records() for name, rows in self.further.items()},
        }


@takes(CrossOptions, "a crossing")
def cross_prediction(options: CrossOptions) -> CrossPrediction:
    """Every model's predictions held against every model's behaviour, of a run or its folder, or of several together.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: Nobody was asked this experiment here, or the runs cannot be counted together.
    """
    selection = selection_of(options.runs, options)
    claims = selection.tables.claims
    if strange := [name for name in selection.experiments if name not in claims]:
        raise InputError(f"no model was asked the experiment {strange[0]!r} here. {meant(strange[0], claims)}")
    wanted = selection.experiments or claims
    chosen = {experiment: everyone for experiment, everyone in claims.items() if experiment in wanted}
    models = {model for everyone in chosen.values() for model in everyone.models}
    simulated, people = selection.tables.simulated, selection.tables.people
    found = {experiment: self_bonuses(everyone) for experiment, everyone in chosen.items()}
    return CrossPrediction(
        {(experiment, metric): crossed for experiment, parts in found.items() for metric, crossed in parts.items()},
        tuple(own_of(chosen, simulated, families_of(models, simulated, selection.families), people=people)),
        selection.scored_runs,
        tuple(experiment for experiment, parts in found.items() if not parts),
        further=_further(selection),
    )


def _further(selection: Selection) -> dict[str, Rows[Any]]:
    """What extensions add, of those that have something."""
    added = ((name, resolve(place)(selection)) for name, place in registered("crossings").items())
    return {name: rows for name, rows in added if rows is not None}


def self_bonus_line(found: Crossed) -> str:
    """The self-bonus in points of accuracy, with what it rests on."""
    if found.reason:
        return f"self-bonus: not given, {found.reason}"
    return f"self-bonus: {found.gap} ({found.basis}{''.join(_left_out(found.common.left_out))})"


def _left_out(why: Mapping[str, str]) -> Iterator[str]:
    """A few by name; of more those that have the same reason, numbers aside, are counted, and one is named."""
    alike: dict[str, list[str]] = {}
    for model, reason in why.items():
        alike.setdefault(reason if len(why) <= NAMED else re.sub(r"\d[\d,]*", "#", reason), []).append(model)
    for models in alike.values():
        if len(why) <= NAMED or len(models) == 1:
            yield from (f"; left out: {model}, {why[model]}" for model in models)
        else:
            yield f"; left out: {len(models)} models, such as {models[0]}, {why[models[0]]}"


def by_other(metric: str, found: Crossed, *, all_models: str = " for all models") -> str:
    """Behind a title: which source says what was done, where it is not the experiment's own, or one beside that which
    counts; all models have the same rule.
    """
    common = found.common
    if metric == OWN and common.source == EXPERIMENTS[common.experiment].sources[0]:
        return ""
    return f", {crossed_by(common.experiment, common.source)}{all_models if common.source == RULE else ''}"


def _title(key: tuple[str, str], found: Crossed) -> str:
    experiment, metric = key
    return f"Who predicts whom: {experiment}{by_other(metric, found)}"


def _tables(key: tuple[str, str], found: Crossed) -> Iterator[Table]:
    """The matrix, and what it is taken apart into, where that may be quoted."""
    names = [f"{n} {model}" for n, model in enumerate(found.common.models, 1)]
    cells = [[decimal(x, 2) for x in row] for row in found.matrix]
    columns = ["predictor", *(str(n + 1) for n in range(len(names)))]
    yield Table(_title(key, found), columns, [[name, *row] for name, row in zip(names, cells, strict=True)], "plain")
    if found.has_own:
        parts = zip(names, found.skill_of_predictor, found.ease_of_behaviour, found.own, strict=True)
        rows = [[name, decimal(float(alpha)), decimal(float(beta)), own_bonus(own)] for name, alpha, beta, own in parts]
        yield Table("Decomposition", ["model", "alpha", "beta", "own bonus"], rows, "plain")


def own_bonus(found: Estimate) -> str:
    """As in a table: .034 [.010, .058]."""
    return "" if math.isnan(found.value) else interval(found.value, *found.interval)


def _record(experiment: str, metric: str, found: Crossed) -> dict[str, Any]:
    return {
        "experiment": experiment,
        "metric": metric,
        "source": found.common.source,
        "models": found.common.models,
        "left_out": found.common.left_out,
        "items": len(found.common.items),
        "claims": found.common.claims,
        "rarer_share": none_if_nan(found.common.rarer_share),
        "matrix": _numbers(found.matrix),
        "matrix_low": _numbers(found.cells[..., 0]),
        "matrix_high": _numbers(found.cells[..., 1]),
        "value": none_if_nan(found.gamma),
        "low": none_if_nan(found.interval.low),
        "high": none_if_nan(found.interval.high),
        "as_predictor": [none_if_nan(value) for value in found.skill_of_predictor],
        "as_behaviour": [none_if_nan(value) for value in found.ease_of_behaviour],
        "own_bonus": [none_if_nan(own.value) for own in found.own],
        "own_bonus_low": [none_if_nan(own.interval.low) for own in found.own],
        "own_bonus_high": [none_if_nan(own.interval.high) for own in found.own],
        "reason": found.reason,
    }


def _numbers(table: Array) -> list[list[float | None]]:
    return [[none_if_nan(value) for value in row] for row in table]
