"""The sentences of sections 6 to 8."""

import math

from evidence import EXPERIMENTS, Evidence, dec, iv, together
from recorded import TOGETHER, VERDICTS, Number

from claims.counting import sure_of
from claims.opening import scaling, short_of_the_ceiling, sizes_of
from claims.rules import ARTEFACT, CANNOT, HOLDS, NEARLY_ALL, NOT, poor, recounted, stated, way
from claims.sentences import AGAIN, CORRELATE, SCORE, Found, Sentence, kept_in
from selfexec.runs.sampling import sampling_settings
from selfexec.stats import wilson

OWN = "`selfexec score TEN --format json --readings READINGS` (own_excess)"

RATED = EXPERIMENTS[:2]  # orders have no rate of yes

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "6",
    "even the most capable LLMs struggle to anticipate core properties of their responses",
    f"{AGAIN}; {SCORE} (skill)",
    {
        ARTEFACT: "Of a chance of 50%. With chance taken off the ablest of those with replies is more than half of the "
        "way, though not in difficulty; the next one is not. In association and restriction both reach nearly all that "
        "is possible at their rates of yes (of deepseek-r1 few claims were read in association)."
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
        + f"; {next_one} (the next) {dec(score[next_one])}, skill {dec(e.skill[next_one])}; shares of the ceiling in "
        + " and ".join(f"{x} {' and '.join(dec(e.shares(x)[m].value) for m in (ablest, next_one))}" for x in RATED),
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
    n = len(e.models)
    least, verdict = _nearly_all(n)
    return f"if all {n} of {n} answered rightly, the share is still only at least {least}", verdict


@sentence(
    "6",
    "However, in practice, the models answered correctly.",
    AGAIN,
    {CANNOT: "One try of one question for each model, four of them named; what fails now and then is not seen."},
)
def _(e: Evidence) -> Found:
    least, verdict = _nearly_all(NAMED)
    return f"of {NAMED} that are named at least {least} if all were answered rightly", verdict


@sentence(
    "6",
    "a deeper misalignment between the models’ beliefs about their own limitations and their actual capabilities",
    AGAIN,
    {
        CANNOT: "It takes what a model fails of questions that it wrote in order to fail, beside what it fails of "
        "others: no control was asked, and nothing was counted. The experiment failing_question does both."
    },
)
def _(e: Evidence) -> Found:
    return "no control questions, no tries, no counts", CANNOT


@sentence(
    "6",
    "None of the models demonstrated any “out of the box” capability",
    AGAIN,
    {CANNOT: "One question for each of fifteen models was looked at; one model in five that can would be missed so."},
)
def _(e: Evidence) -> Found:
    return _hardly_any(len(e.models))


@sentence(
    "6",
    "none of the models even (incorrectly) claimed that no such question is possible",
    AGAIN,
    {CANNOT: "The same."},
)
def _(e: Evidence) -> Found:
    return _hardly_any(len(e.models))


NAMED = 4  # models whose question is given


def _nearly_all(n: int) -> tuple[str, str]:
    """The least that the share can be where all of so many did, and whether that is nearly all."""
    least = wilson(1.0, n).low
    return dec(least, 2), HOLDS if least > NEARLY_ALL else CANNOT


def _hardly_any(n: int) -> Found:
    """Where none of so many did."""
    most = wilson(0.0, n).high
    found = f"if none of {n} did, the share is still only at most {dec(most, 2)}"
    return found, HOLDS if most < 1 - NEARLY_ALL else CANNOT


@sentence(
    "6",
    "not yet capable of accurately predicting or reasoning about their own behavior",
    f"{AGAIN}; {SCORE} (skill of each)",
    {
        NOT: "Not by much, and better than by chance: every one predicts something of what it does, mostly less than "
        "half of it. What they lose in association and restriction they lose mostly by how often: of what is "
        "possible at their rates of yes all reach more than half."
    },
)
def _(e: Evidence) -> Found:
    skills = _skills(e)
    short, of = sum(poor(found.value) for found in skills.values()), len(skills)
    return (
        f"of {of} (model, experiment): skill surely above 0 in {sure_of(skills)}; {short_of_the_ceiling(e)}; less than "
        f"half of the way from chance to perfection in {short}",
        HOLDS if short == of else NOT,
    )


@sentence(
    "6",
    "current LLMs lack meaningful self-executive awareness",
    f"{AGAIN}; {OWN}; {SCORE} (margin of each)",
    {
        CANNOT: "In difficulty their predictions tell a little of their own behaviour that no other model's prediction "
        "or behaviour tells, which the models most alike in behaviour may share; elsewhere nothing is shown, of nine "
        "or ten models. What is not shown is not refuted, and a margin below 0 refutes nothing: it takes more models "
        "and items, and the same question about somebody else, without thinking, and beside their own history, none of "
        "which was asked."
    },
)
def _(e: Evidence) -> Found:
    told, verdicts = [], []
    for experiment, by, how in (
        ("association", "", ""),
        ("restriction", "_by_rule", " (by one fixed rule)"),
        ("difficulty", "", ""),
    ):
        one, two = (e.recorded[f"own_excess{by}_factors_{n}", TOGETHER, experiment] for n in (1, 2))
        verdicts.append(VERDICTS[round(e.recorded[f"own_verdict{by}", TOGETHER, experiment].value)])
        told.append(f"{experiment}{how} {iv(one)}, with two factors {iv(two)}: {verdicts[-1]}")
    margins = e.baseline_margin.values()
    over, under = sum((x.low or 0) > 0 for x in margins), sum((x.high or 0) < 0 for x in margins)
    return (
        "own excess, what a model's prediction tells of its own behaviour that no other model's prediction or "
        f"behaviour tells: {'; '.join(told)}. Margin over the best baseline surely above 0 in {over} of {len(margins)} "
        f"(model, experiment), surely below in {under}; the baseline made to say yes as often as the model: "
        + "; ".join(which_ones(e, x) for x in RATED),
        NOT if "own" in verdicts else CANNOT,
    )


def which_ones(e: Evidence, experiment: str) -> str:
    """association 3 behind, 6 no room to differ: how models stand to the baseline at their own rates of yes."""
    states = {state: models for state, models in e.which_ones(experiment).items() if models}
    return f"{experiment} " + ", ".join(f"{len(models)} {state}" for state, models in states.items())


def _skills(e: Evidence) -> dict[tuple[str, str], Number]:
    return {(m, x): found for x in EXPERIMENTS for m, found in e.skills(x).items()}


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
