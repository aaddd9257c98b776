"""The verdict of `selfexec` on a panel of these worlds."""

import numpy as np
from nulls import Panel

from selfexec.metrics.own_excess import ComparedModels, judge_own_excess
from selfexec.metrics.own_excess.compared import enough


def judge(drawn: Panel) -> str | None:
    """`own`, `unresolved` or `not shown`; None where too few models tell enough."""
    return judge_own_excess(panel_of(drawn)).overall.verdict


def panel_of(drawn: Panel) -> ComparedModels:
    """The models of a drawn panel that tell enough."""
    predictions, outcomes = (signs(part) for part in (drawn.predictions, drawn.outcomes))
    models = len(predictions)
    items = int(drawn.item.max()) + 1
    panel = ComparedModels(
        tuple(map(str, range(models))),
        predictions,
        outcomes,
        drawn.item,
        tuple(drawn.families or (None,) * models),
        position=np.tile(np.arange(6), items) if drawn.kind == "order" else None,
    )
    return enough(panel)


def signs(part: np.ndarray) -> np.ndarray:
    """1 yes, -1 no, 0 lost."""
    return np.where(np.isnan(part), 0, 2 * part - 1).astype(np.int8)
