"""The sentences of sections 6 to 8."""

import math

from evidence import EXPERIMENTS, Evidence, dec, iv, together

from claims.counting import sure_of
from claims.opening import scaling, sizes_of
from claims.rules import ARTEFACT, CANNOT, HOLDS, MOST, NEARLY_ALL, NOT, every, poor, recounted, share, stated, way
from claims.sentences import AGAIN, CORRELATE, SCORE, Found, Sentence, kept_in
from selfexec.runs.asking import sampling_settings
from selfexec.stats import wilson

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "6",
    "even the most capable LLMs struggle to anticipate core properties of their responses",
    f"{AGAIN}; {SCORE} (skill)",
    {
        ARTEFACT: "Of a chance of 50%. With chance taken off the ablest of those with replies is more than half of the "
        "way, though not in difficulty; the next one is not."
    },
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    first, (ablest, next_one) = max(e.models, key=ability.__getitem__), sorted(e.skill, key=lambda m: -ability[m])[:2]
    score = e.of_all("self_execution_score")
    return (
        f"{first} (ablest) {dec(score[first])}, at least {dec(e.score_without_lost[first])} without the lost requests; "
        f"{ablest} (ablest with replies) {dec(score[ablest])}, skill {dec(e.skill[ablest])}: "
        + ", ".join(f"{x} {iv(e.skills(x)[ablest])}" for x in EXPERIMENTS)
        + f"; {next_one} (the next) {dec(score[next_one])}, skill {dec(e.skill[next_one])}",
        recounted(HOLDS if poor(way(score[ablest])) else NOT, HOLDS if poor(e.skill[ablest]) else NOT),
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
    f"{AGAIN}; {SCORE} (skill and margin of each)",
    {
        CANNOT: "They do foretell something of what they do, mostly less than half of it, and none is surely a better "
        "guide to it than the best baseline. Whether any of it is knowledge of themselves nothing here tells: a margin "
        "below 0 does not refute it, and one above 0 would not show it."
    },
)
def _(e: Evidence) -> Found:
    skills = {(m, x): found for x in EXPERIMENTS for m, found in e.skills(x).items()}
    short, of = sum(poor(found.value) for found in skills.values()), len(skills)
    margins = e.baseline_margin.values()
    over, under = sum((x.low or 0) > 0 for x in margins), sum((x.high or 0) < 0 for x in margins)
    return (
        f"of {of} (model, experiment): skill surely above 0 in {sure_of(skills)}; less than half of the way from "
        f"chance to perfection in {short}; margin over the best baseline surely above 0 in {over}, surely below in "
        f"{under}; what a model's word tells of its own deed that no other model's word or deed tells: no number",
        every(share(short, of, MOST), CANNOT),
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
    sent = {name: value for name, value in sampling_settings("paper").items() if name.split(".")[0] in EXPERIMENTS}
    return ", ".join(f"{name} {value:g}" for name, value in sent.items()), NOT if sent else HOLDS
