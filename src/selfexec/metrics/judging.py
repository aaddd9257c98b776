"""Does a model judge what it did as a fixed rule does?

Skill holds predictions against the model's own judgement. Were that wrong in a share e of the cases, whatever was
predicted, a perfect predictor's J would come out at 1 - 2e: at a quarter, half of the scale is gone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from selfexec.claims import Claims
from selfexec.metrics.kinds import kind_of
from selfexec.metrics.rows import FEW
from selfexec.text.numbers import decimal, number_of

MUCH = 1 / 4  # of what was judged


@dataclass(frozen=True)
class JudgeTest:
    """How a model's own judgements of its responses compare with a fixed rule that is the same for all models.

    `judged` counts claims of which both say something; of them the model denies `denied` that the rule affirms, and
    affirms `affirmed` that the rule denies. The skills are None where they are not defined.
    """

    model: str
    experiment: str
    judged: int
    denied: int
    affirmed: int
    skill: float | None
    skill_by_rule: float | None
    text: str
    kind: str = "judge"


def judge_warnings(claims: Mapping[str, Claims], strict: bool) -> list[JudgeTest]:
    """The models that disagree with the rule on a quarter of the cases or more, and in ten items at least."""
    return [
        found
        for everyone in claims.values()
        for model in everyone.models
        if (found := _test(model, everyone.of(model), strict))
    ]


def _test(model: str, claims: Claims, strict: bool) -> JudgeTest | None:
    both = claims.where((claims.observed != 0) & (claims.observed_by_rule != 0))
    disputed = both.observed != both.observed_by_rule
    if disputed.sum() < MUCH * len(both) or len(np.unique(both.item[disputed])) < FEW:
        return None
    denied = int((disputed & (both.observed < 0)).sum())
    affirmed = int(disputed.sum()) - denied
    skill, by_rule = _skill(both, strict), _skill(replace(both, observed=both.observed_by_rule), strict)
    text = "; ".join(_said(len(both), denied, affirmed, skill, by_rule))
    return JudgeTest(model, claims.experiment, len(both), denied, affirmed, skill, by_rule, text)


def _skill(claims: Claims, strict: bool) -> float | None:
    kind = kind_of(claims)
    value = kind.skill_estimate(kind.count(claims, strict)).value
    return None if np.isnan(value) else value


def _said(judged: int, denied: int, affirmed: int, skill: float | None, by_rule: float | None) -> Iterator[str]:
    share = (denied + affirmed) / judged
    yield (
        f"{denied + affirmed:,} of {number_of(judged, 'response')} ({share:.0%}): "
        f"{denied:,} are answers by the rule and none by its own judgement, {affirmed:,} the other way"
    )
    own, other = ("not defined" if value is None else decimal(value) for value in (skill, by_rule))
    yield f"skill {own} by its own judgement, {other} by the rule"
