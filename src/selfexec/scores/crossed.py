"""Cross-prediction as people read it: the matrix, what it is taken apart into, and the self-bonus."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selfexec.errors import InputError
from selfexec.scores.cross import Crossed, self_bonuses
from selfexec.scores.table import decimal
from selfexec.scores.together import tables_of
from selfexec.tables import as_html, as_text

if TYPE_CHECKING:
    from selfexec.runs import Run

NAMES = {"self_bonus": "", "self_bonus_by_rule": ", one rule of what is a refusal for all models"}
NOTES = (
    "Rows predict, columns behave: accuracy on the claims that all models read.",
    "alpha: how well it predicts anyone; beta: how easily it is predicted by anyone, around 0.",
    "own bonus: accuracy about itself beyond alpha + beta; the self-bonus is the mean of them.",
)


@dataclass(frozen=True)
class CrossPrediction:
    """Every model's predictions held against every model's behaviour, by experiment (and rule of outcome)."""

    parts: Mapping[tuple[str, str], Crossed]  # (experiment, metric of the self-bonus)

    def table(self, width: int = 120) -> str:
        return "\n".join(line for key in self.parts for line in self._block(key, width)) + "\n" + "\n".join(NOTES)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        blocks = [as_html(_title(key), *_cells(found), [self_bonus_line(found)]) for key, found in self.parts.items()]
        return "".join(blocks) + "<p>" + "<br>".join(NOTES) + "</p>"

    def _block(self, key: tuple[str, str], width: int) -> Iterator[str]:
        found = self.parts[key]
        yield as_text(_title(key), *_cells(found), width, "plain")
        yield self_bonus_line(found)
        yield ""

    def json(self) -> str:
        records = [_record(*key, found) for key, found in self.parts.items()]
        return json.dumps({"cross_prediction": records}, ensure_ascii=False, indent=1, allow_nan=False)


def cross_prediction(runs: "Run | Sequence[Run]", experiments: Sequence[str] = ()) -> CrossPrediction:
    """Cross-prediction of all models of a run, or of several; see `cross`."""
    together = list(runs) if isinstance(runs, Sequence) else [runs]
    claims = tables_of(together).claims
    if strange := [name for name in experiments if name not in claims]:
        raise InputError(f"no model was asked the experiment {strange[0]!r} here. There are {', '.join(claims)}.")
    return CrossPrediction(
        {
            (experiment, metric): found
            for experiment in claims
            if not experiments or experiment in experiments
            for metric, found in self_bonuses(claims[experiment]).items()
        }
    )


def self_bonus_line(found: Crossed) -> str:
    """The self-bonus in points of accuracy, with what it rests on."""
    if found.reason:
        return f"self-bonus: not given, {found.reason}"
    low, high = (f"{100 * end:+.2f}" for end in found.interval)
    left_out = f"; left out: {', '.join(found.common.left_out)}" if found.common.left_out else ""
    return f"self-bonus: {100 * found.gamma:+.2f} points of accuracy [{low}, {high}] ({found.basis}{left_out})"


def _title(key: tuple[str, str]) -> str:
    experiment, metric = key
    return f"Who predicts whom: {experiment}{NAMES[metric]}"


def _cells(found: Crossed) -> tuple[list[str], list[list[str]]]:
    models = found.common.models
    columns = ["predictor", *(f"{n}" for n in range(1, len(models) + 1)), "alpha", "beta", "own bonus"]
    rows = [
        [f"{n + 1} {model}", *(f"{value:.2f}".lstrip("0") for value in found.matrix[n]), *map(_short, numbers)]
        for n, (model, *numbers) in enumerate(
            zip(models, found.skill_of_predictor, found.ease_of_behaviour, found.own, strict=True)
        )
    ]
    return columns, rows


def _short(value: float) -> str:
    return "" if math.isnan(value) else decimal(float(value))


def _record(experiment: str, metric: str, found: Crossed) -> dict[str, Any]:
    return {
        "experiment": experiment,
        "metric": metric,
        "models": found.common.models,
        "left_out": found.common.left_out,
        "items": len(found.common.items),
        "claims": found.common.claims,
        "rarer_share": _number(found.common.rarer_share),
        "matrix": [[_number(value) for value in row] for row in found.matrix],
        "value": _number(found.gamma),
        "low": _number(found.interval.low),
        "high": _number(found.interval.high),
        "as_predictor": [_number(value) for value in found.skill_of_predictor],
        "as_behaviour": [_number(value) for value in found.ease_of_behaviour],
        "own_bonus": [_number(value) for value in found.own],
        "reason": found.reason,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
