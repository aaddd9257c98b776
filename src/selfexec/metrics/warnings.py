"""What may make a model's scores mislead: was what was lost like what was read, and do its judges agree?

A claim is lost if it is unreadable or missing. Where loss goes with what an item is about, scores of what was read do
not stand for what was asked. The item is the unit: it is lost if any of its claims is. Three facts of it are tested:

    label     Fisher's exact test (1935)
    subject   chi-square by permutation of what was lost over the items; each of them, where there are few
    length    rank-sum test (Wilcoxon 1945), by the normal approximation where there are many ways to lose so many

Skill holds predictions against one source of what was done: the model's own judgement, say. Were that wrong in a share
e of the cases, whatever was predicted, a perfect predictor's J would come out at 1 - 2e: at a quarter, half of the
scale is gone.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from selfexec.claims import Claims, Flags, Numbers, occurring
from selfexec.experiments import EXPERIMENTS, by_source
from selfexec.facets import DEFAULT_NAME
from selfexec.metrics.kinds import claim_kind
from selfexec.metrics.rows import FEW
from selfexec.stats import PERMUTATIONS, Array, by_permutation, fisher_exact, holm, rank_sum, ranks
from selfexec.text.numbers import decimal, number_of

# --- what was lost ---------------------------------------------------------------------------------------------------


LEVEL = 0.05


@dataclass(frozen=True)
class LossTest:
    """Whether the items that a model lost differ from those read in one `fact`: label, subject or length.

    `p_adjusted` is Holm's over the tests of the model. `lost` and `read` count items. `text` says how they differ.
    """

    model: str
    experiment: str
    fact: str
    p: float
    p_adjusted: float
    lost: int
    read: int
    text: str
    kind: str = "loss"
    condition: str = DEFAULT_NAME


def loss_warnings(claims: Mapping[str, Claims]) -> list[LossTest]:
    """The tests by which a model's loss is not random (adjusted p below .05)."""
    if not any(everyone.lost.any() for everyone in claims.values()):
        return []
    return [test for test in loss_tests(claims) if test.p_adjusted < LEVEL]


def loss_tests(claims: Mapping[str, Claims]) -> list[LossTest]:
    """Every test that can be made; `claims` are given by experiment. None where all items were lost, or none, or where
    they are all alike in a fact.
    """
    tests: list[LossTest] = []
    for model in dict.fromkeys(model for everyone in claims.values() for model in everyone.models):
        found = [test for everyone in claims.values() for test in _tests(model, everyone.of(model))]
        if not found:
            continue
        adjusted = holm(np.array([test.p for test in found]))
        tests += [replace(test, p_adjusted=float(p)) for test, p in zip(found, adjusted, strict=True)]
    return tests


def _tests(model: str, claims: Claims) -> list[LossTest]:
    asked = claims.by_item() > 0
    lost = claims.by_item(claims.lost) > 0
    if not 0 < lost.sum() < asked.sum():
        return []
    lot = EXPERIMENTS[claims.experiment].words.lost
    found = {
        "label": _by_kind(_parts(claims, [claims.label], claims.labels), lost, claims.labels, lot, "are"),
        "subject": _by_kind(
            _parts(claims, [claims.subject, claims.other_subject], claims.subjects),
            lost,
            claims.subjects,
            lot,
            "are on",
        ),
        "length": _by_length(_lengths(claims), lost, lot),
    }
    counts = int(lost.sum()), int((asked & ~lost).sum())
    return [
        LossTest(model, claims.experiment, fact, f[0], math.nan, *counts, f[1], condition=claims.condition)
        for fact, f in found.items()
        if f
    ]


def _parts(claims: Claims, facts: Sequence[Numbers], kinds: Sequence[str]) -> Array:
    """What part of each item is of each kind, shape (items, kinds): all of it, but where a group's questions differ."""
    parts = np.zeros((len(claims.items), len(kinds)))
    for fact in facts:
        np.add.at(parts, (claims.item[fact >= 0], fact[fact >= 0]), 1)
    with np.errstate(invalid="ignore"):
        shares: Array = parts / parts.sum(1, keepdims=True)
    return shares


def _lengths(claims: Claims) -> Array:
    """Of each item; a pair of questions has two lengths, and their mean over the pairs is the mean over the group's
    questions.
    """
    sums, known = np.zeros((2, len(claims.items)))
    for length in (claims.length, claims.other_length):
        sums += claims.by_item(np.nan_to_num(length))
        known += claims.by_item(~np.isnan(length))
    with np.errstate(invalid="ignore"):
        return sums / known


def _by_kind(parts: Array, lost: Flags, kinds: Sequence[str], lot: str, are: str) -> tuple[float, str] | None:
    """p, and what the lost items, or those read, have most too many of."""
    known = ~np.isnan(parts).any(1) if len(kinds) else np.zeros(len(parts), bool)
    matrix, lost = parts[known], lost[known]
    seen = matrix.sum(0) > 0
    matrix, kinds = matrix[:, seen], list(compress(kinds, seen))
    if len(kinds) < 2 or not 0 < lost.sum() < len(lost):
        return None
    gone, here = matrix[lost].sum(0), matrix[~lost].sum(0)
    most = int(np.argmax(np.maximum(*(_too_many(part, matrix) for part in (matrix[lost], matrix[~lost])))))
    shares = gone[most] / gone.sum(), here[most] / here.sum()
    text = f"{shares[0]:.0%} of {lot} {are} {kinds[most]}, against {shares[1]:.0%} of those read"
    whole = len(kinds) == 2 and ((matrix == 0) | (matrix == 1)).all()
    return fisher_exact(gone, here) if whole else by_permutation(matrix, lost, np.random.default_rng(0)), text


def _too_many(part: Array, whole: Array) -> Array:
    """By kind, how much more of it a part of the items has than is to be expected, in standard deviations."""
    expected = whole.mean(0) * len(part)
    found: Array = (part.sum(0) - expected) / np.sqrt(expected)
    return found


def _by_length(lengths: Array, lost: Flags, lot: str) -> tuple[float, str] | None:
    known = ~np.isnan(lengths)
    lengths, lost = lengths[known], lost[known]
    gone, here = lengths[lost], lengths[~lost]
    if not (len(gone) and len(here) and len(np.unique(lengths)) > 1):
        return None
    medians = np.median(gone), np.median(here)
    text = f"{lot} have a median length of {medians[0]:.0f} characters, against {medians[1]:.0f} for those read"
    if math.comb(len(lost), len(gone)) > PERMUTATIONS + 1:
        return rank_sum(gone, here), text
    return by_permutation(ranks(lengths)[:, None], lost, np.random.default_rng(0)), text


# --- who judges ------------------------------------------------------------------------------------------------------


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
        for other in everyone.further_sources
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
    kind = claim_kind(claims)
    value = kind.skill_estimate(kind.count(claims, strict)).value
    return None if np.isnan(value) else value


def _said(
    claims: Claims, other: str, judged: int, denied: int, affirmed: int, skill: float | None, by_other: float | None
) -> Iterator[str]:
    share = (denied + affirmed) / judged
    thing, true = EXPERIMENTS[claims.experiment].words.judged
    here, there = by_source(claims.source), by_source(other)
    if denied + affirmed:
        yield (
            f"{denied + affirmed:,} of {number_of(judged, thing)} ({share:.0%}) judged differently: "
            f"{denied:,} {'counts' if denied == 1 else 'count'} as {true} {there} alone, {affirmed:,} {here} alone"
        )
    else:
        yield f"{number_of(judged, thing)}, all judged alike {here} and {there}"
    one, two = ("not defined" if value is None else decimal(value) for value in (skill, by_other))
    yield f"skill {one} {here}, {two} {there}"
