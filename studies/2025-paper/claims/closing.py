"""The sentences of sections 6 to 8."""

import math

from evidence import EXPERIMENTS, Evidence, dec, iv, signed, together

from claims.association import in_points
from claims.opening import scaling, sizes_of
from claims.rules import CANNOT, HOLDS, NEARLY_ALL, NOT, stated
from claims.sentences import AGAIN, CORRELATE, CROSS, SCORE, Found, Sentence, kept_in
from selfexec.plans import PROTOCOLS
from selfexec.stats import wilson

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "6",
    "even the most capable LLMs struggle to anticipate core properties of their responses",
    SCORE,
    {HOLDS: "The ablest of those with replies is not above the best baseline in any of the three."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    ablest = max((m for m in e.skill), key=lambda m: ability[m])
    own = {x: e.baseline_margin[ablest, x] for x in EXPERIMENTS}
    return (
        f"{ablest}, margin: " + ", ".join(f"{x} {signed(v)}" for x, v in own.items()),
        HOLDS if not any((v.low or 0) > 0 for v in own.values()) else NOT,
    )


@sentence(
    "6",
    "performance does not scale consistently with model size or sophistication",
    f"{AGAIN}; {CORRELATE} (r)",
    {HOLDS: "By the pairs of models, though only five names tell a size, from 3 to 24 billion."},
)
def _(e: Evidence) -> Found:
    found, verdict = scaling(e)
    r = together({m: math.log(size) for m, size in sizes_of(e).items()}, e.of_all("self_execution_score"))
    return f"{found}; r(log size, score) {iv(r)}", verdict


@sentence(
    "6",
    "nearly all models produced factual questions to which they clearly knew the answers",
    AGAIN,
    {CANNOT: "One question for each model, no counts and no replies were published; four examples are given."},
)
def _(e: Evidence) -> Found:
    least = wilson(1.0, len(e.models)).low
    return (
        f"if all {len(e.models)} of {len(e.models)} answered rightly, the share is still only at least {dec(least, 2)}",
        HOLDS if least > NEARLY_ALL else CANNOT,
    )


@sentence(
    "6",
    "current LLMs lack meaningful self-executive awareness",
    f"{AGAIN}; {CROSS} (self-bonus); {SCORE} (margin of each)",
    {HOLDS: "None beats the best baseline; what they have of their own is a few points of accuracy at most."},
)
def _(e: Evidence) -> Found:
    sure, of = e.knowing
    bonus = [("association", "self_bonus"), ("restriction", "self_bonus_by_rule"), ("difficulty", "self_bonus")]
    said = ", ".join(f"{x} {in_points(e.recorded[name, 'o4-mini', x])}" for x, name in bonus)
    return (
        f"margin surely above 0 in {sure} of {of}; self-bonus in points of accuracy, refusals by one rule: " + said,
        HOLDS if not sure else NOT,
    )


@sentence("8", "we evaluated 15 different models", AGAIN, {HOLDS: "The replies of ten were published."})
def _(e: Evidence) -> Found:
    return f"{len(e.models)}; replies of {len(e.recorded.of('accuracy', 'association'))}", stated((len(e.models), "15"))


@sentence(
    "8",
    "we also test only the default hyperparameters",
    AGAIN,
    {NOT: "Their code sets the temperature; no default is 0 in two experiments and 1 in the third."},
)
def _(e: Evidence) -> Found:
    sent = PROTOCOLS["paper"]
    return ", ".join(f"{name} {value:g}" for name, value in sent.items()), NOT if sent else HOLDS
