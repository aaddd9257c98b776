"""One level of a ladder, as data."""

from dataclasses import dataclass
from typing import Literal

OwnPrediction = Literal["ahead", "open", "behind"]


@dataclass(frozen=True)
class LadderRow:
    """One level of one model's ladder in one experiment.

    `group` says what it may know, `baseline` which one stands for it, `skill` is its own with its interval, `accuracy`
    that of the score of its name. `difference` is the skill of the model's own prediction less that of the level,
    paired on the same claims; `own_prediction` how the model's prediction stands to it by that, adjusted for all levels
    of all models shown (Holm): ahead, behind, or open. `items`: how many both rest on; `models`: how many were read on
    the model's items, itself included. `reason` says why there is no number, or why to read one with caution; `panel`
    names the reference panel that other models are of. `measure` is what `skill` and `difference` are of: of
    predictions that are probabilities it is `auroc`, with .5 for chance.
    """

    model: str
    experiment: str
    condition: str
    source: str | None
    convention: str
    level: str
    group: str
    baseline: str | None
    skill: float | None
    low: float | None
    high: float | None
    accuracy: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    own_prediction: OwnPrediction | None
    items: int
    models: int
    reason: str | None = None
    panel: str | None = None
    measure: Literal["skill", "auroc"] = "skill"
