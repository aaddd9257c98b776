"""Does the source that says what a model did say the same as others do?

Skill holds predictions against one source: the model's own judgement, say. Were that wrong in a share e of the cases,
whatever was predicted, a perfect predictor's J would come out at 1 - 2e: at a quarter, half of the scale is gone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from selfexec.claims import Claims, occurring
from selfexec.experiments import EXPERIMENTS, by_source
from selfexec.facets import DEFAULT_NAME
from selfexec.metrics.kinds import kind_of
from selfexec.metrics.rows import FEW
from selfexec.text.numbers import decimal, number_of

MUCH = 1 / 4  # of what was judged


@dataclass(frozen=True)
class JudgeTest:
    """How the source of a model's outcomes compares with another that says something of the same behaviour.

    `judged` counts claims about which both say something; of them the source denies `denied` that the other affirms,
    and affirms `affirmed` that the other denies. The skills are None where they are not defined.
    """

    model: str
    experiment: str
    source: str
    other: str
    judged: int
    denied: int
    affirmed: int
    skill: float | None
    skill_by_other: float | None
    text: str
    kind: str = "judge"
    condition: str = DEFAULT_NAME


def judge_warnings(claims: Mapping[str, Claims], strict: bool) -> list[JudgeTest]:
    """The models about which two sources disagree on a quarter of the cases or more, and in ten items at least; and
    where a source counts that stands beside nothing unless it is chosen, all of its models, with what the usual one
    says.
    """
    return [
        found
        for everyone in claims.values()
        for other in everyone.others
        for model in everyone.models
        if (found := _test(model, everyone.of(model), other, strict))
    ]


def _test(model: str, claims: Claims, other: str, strict: bool) -> JudgeTest | None:
    both = claims.where((claims.observed != 0) & (claims.by(other).observed != 0))
    otherwise = both.by(other)
    disputed = both.observed != otherwise.observed
    few = disputed.sum() < MUCH * len(both) or len(occurring(both.item[disputed])) < FEW
    if not len(both) or (few and claims.source not in EXPERIMENTS[claims.experiment].on_request):
        return None
    denied = int((disputed & (both.observed < 0)).sum())
    affirmed = int(disputed.sum()) - denied
    skill, by_other = _skill(both, strict), _skill(otherwise, strict)
    counts = (len(both), denied, affirmed, skill, by_other)
    text = "; ".join(_said(claims, other, *counts))
    return JudgeTest(model, claims.experiment, claims.source, other, *counts, text, condition=claims.condition)


def _skill(claims: Claims, strict: bool) -> float | None:
    kind = kind_of(claims)
    value = kind.skill_estimate(kind.count(claims, strict)).value
    return None if np.isnan(value) else value


def _said(
    claims: Claims, other: str, judged: int, denied: int, affirmed: int, skill: float | None, by_other: float | None
) -> Iterator[str]:
    share = (denied + affirmed) / judged
    thing, true = EXPERIMENTS[claims.experiment].words.judged
    here, there = by_source(claims.source), by_source(other)
    yield (
        f"{denied + affirmed:,} of {number_of(judged, thing)} ({share:.0%}): "
        f"{denied:,} are {true} {there} and none {here}, {affirmed:,} the other way"
    )
    one, two = ("not defined" if value is None else decimal(value) for value in (skill, by_other))
    yield f"skill {one} {here}, {two} {there}"
