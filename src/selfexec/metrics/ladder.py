"""The ladder: the skill of all who might predict a model, from who knows least of it to the model itself.

Each level is one baseline of fixed design: which of several stands for it is settled by name, not by how well it does
on the model's claims. (Of those that always say the same it is the one that is right more often; all have skill 0.) No
level but the last two saw anything of the model: `history` its behaviour with other items, `itself` is its own
prediction.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.experiments import EXPERIMENTS
from selfexec.metrics.baselines import (
    CONSTANT,
    FAMILY,
    HISTORY,
    NO_OTHERS,
    OTHERS_DO,
    OTHERS_SAY,
    QUESTION,
    STACKED,
    Pairing,
)
from selfexec.metrics.kinds import Kind, claim_kind
from selfexec.metrics.rows import LEAST_COVERAGE, Estimate
from selfexec.metrics.score import ModelScores
from selfexec.text.numbers import number_of

ITSELF = "itself"
NO_FACTS = "its items have no facts to predict from"
NO_WORDS = "there are no words to learn from"
NO_HISTORY = "there is nothing to learn from on other items"
EACH_ITS_OWN = "what is predicted is each model's own"
ALWAYS, AS_SHOWN = ("always_yes", "always_no"), "order_shown"

# level -> what it may know, and the baselines that may stand for it: the first that there is does
LEVELS: Mapping[str, tuple[str, Sequence[str]]] = {
    "constant": (QUESTION, (*ALWAYS, AS_SHOWN)),
    "facts": (QUESTION, ()),  # those of the experiment, in its order
    "text": (QUESTION, ("text",)),
    "others_predictions": (OTHERS_SAY, ("others_predictions",)),
    "others_behaviour": (OTHERS_DO, ("others_share", "others_mode")),
    "stacked": (STACKED, ()),
    "family_predictions": (FAMILY, ("family_predictions",)),
    "family_behaviour": (FAMILY, ("family_behaviour",)),
    "history": (HISTORY, ("history_text", "history_majority")),
    ITSELF: (ITSELF, ()),
}


@dataclass(frozen=True)
class Level:
    """One level of a model's ladder.

    Attributes:
        baseline: The baseline that stands for it. None where there is none, or where it is the model itself.
        skill: The skill of that baseline; nan with the reason where nothing can be said.
        ahead: The model's own skill less that of the level, paired on the same claims; nan likewise.
        items: On how many items both rest.
    """

    name: str
    baseline: str | None
    skill: Estimate
    ahead: Estimate
    items: int


def levels(scored: ModelScores) -> Iterator[Level]:
    """Every level of one model in one experiment, from below; those that are not there with the reason."""
    kind = claim_kind(scored.asked.experiment)
    for name in LEVELS:
        if math.isnan(scored.skill.value):
            yield _absent(name, scored.skill.reason)
        elif name == ITSELF:
            yield Level(name, None, scored.skill, Estimate(math.nan), len(scored.record.items))
        elif name == "constant":
            yield _constant(kind, scored)
        elif name == "stacked":
            yield _stacked(kind, scored)
        else:
            yield _single(kind, name, scored)


def _absent(name: str, reason: str | None) -> Level:
    unknown = Estimate(math.nan, reason=reason)
    return Level(name, None, unknown, unknown, 0)


def _constant(kind: Kind, scored: ModelScores) -> Level:
    """Who always says yes, or always no, has skill 0 without a doubt; the better one of the two is the one that is
    right more often. The same ranking every time is one, too.
    """
    if found := scored.baselines.get(AS_SHOWN):
        return _level(kind, "constant", AS_SHOWN, found)
    right = {row.metric: row.value for row in scored.rows if row.metric in ALWAYS and row.value is not None}
    best = max(right, key=lambda name: right[name], default=CONSTANT)
    ahead = kind.skill_difference(scored.record, kind.constant(scored.record))
    return Level("constant", best, Estimate(0.0), ahead, len(scored.record.items))


def _stacked(kind: Kind, scored: ModelScores) -> Level:
    """The stacked baseline that the margin is over."""
    comparison = scored.comparison
    if math.isnan(comparison.margin.value):
        return _absent("stacked", comparison.margin.reason)
    return Level(
        "stacked",
        comparison.baseline,
        kind.skill_estimate(comparison.baseline_record),
        comparison.margin,
        len(comparison.own.items),
    )


def _single(kind: Kind, name: str, scored: ModelScores) -> Level:
    candidates = _candidates(name, scored)
    baseline = next((one for one in candidates if one in scored.baselines), None)
    if baseline is None:
        return _absent(name, _why_not(name, candidates, scored))
    pairing = scored.baselines[baseline]
    asked, told = len(scored.record.items), len(pairing.baseline.items)
    if told < LEAST_COVERAGE * asked:
        return _absent(name, f"it tells something of {told} of {number_of(asked, 'item')}")
    return _level(kind, name, baseline, pairing)


def _candidates(name: str, scored: ModelScores) -> Sequence[str]:
    if name != "facts":
        return LEVELS[name][1]
    constant = LEVELS["constant"][1]
    return [one for one in EXPERIMENTS[scored.asked.experiment].baselines if one not in constant]


def _why_not(name: str, candidates: Sequence[str], scored: ModelScores) -> str:
    """Why no baseline stands for a level: as its row says, where it has one."""
    if name == "facts":
        return NO_FACTS
    if not claim_kind(scored.asked.experiment).SHARED_CLAIMS:
        return EACH_ITS_OWN
    if name == "history":
        return NO_HISTORY
    said = next((row.reason for row in scored.rows if row.metric in candidates and row.reason), None)
    return said or (NO_WORDS if "others_mode" in scored.baselines else NO_OTHERS)


def _level(kind: Kind, name: str, baseline: str, pairing: Pairing) -> Level:
    ahead = kind.skill_difference(pairing.own, pairing.baseline)
    return Level(name, baseline, kind.skill_estimate(pairing.baseline), ahead, len(pairing.baseline.items))
