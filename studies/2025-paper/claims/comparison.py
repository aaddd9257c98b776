"""The sentences of section 4.4 and its figures."""

import math
import statistics
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from evidence import EXPERIMENTS, Evidence, Value, apart, dec, gap, iv, leaving_out, mean, signed, span, together

from claims.counting import sure_of
from claims.rules import (
    ARTEFACT,
    CANNOT,
    HIGH,
    HOLDS,
    LOW,
    MOST,
    NOT,
    above,
    below,
    close,
    ends,
    every,
    none_steady,
    poor,
    recounted,
    share,
    stated,
    way,
)
from claims.sentences import AGAIN, ALGORITHM_1, AUTHORS, CORRELATE, RASCH, SCORE, Found, Sentence, compare, kept_in
from selfexec.stats import Correlation, Interval

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "4.4, figure 7",
    "The average performance on the restriction recognition test is the highest",
    f"{AGAIN}; {SCORE} (skill of each model)",
    {
        CANNOT: "It is the highest estimate, within the error of difficulty's; without what was lost it stands out "
        "from that. Association it exceeds by how often alone: of what is possible at the rates of yes it shows no "
        "more."
    },
)
def _(e: Evidence) -> Found:
    r, d = e.number("restriction", "accuracy"), e.number("difficulty", "accuracy")
    published = mean(r[m] - d[m] for m in e.models)
    left = mean(e.restriction_without_lost[m] - d[m] for m in e.models)
    skills = skills_of(e)
    again = mean(skills["restriction"][m] - skills["difficulty"][m] for m in e.skill)
    r_shares, a_shares = e.shares("restriction"), e.shares("association")
    possible = mean(r_shares[m].value - a_shares[m].value for m in r_shares)
    return (
        f"restriction less difficulty, accuracy {signed(published)} over {len(r)} models, at least {signed(left)} "
        f"without the lost requests; skill on what was read {signed(again)} over {len(e.skill)}; share of the ceiling, "
        f"restriction less association {signed(possible)} over {len(r_shares)}",
        recounted(above(ends(published)), above(ends(left))),
    )


def skills_of(e: Evidence) -> dict[str, dict[str, float]]:
    return {x: {m: n.value for m, n in e.skills(x).items()} for x in EXPERIMENTS}


@sentence(
    "4.4, figure 7",
    "the association test shows the lowest scores",
    f"{AGAIN}; {SCORE} (skill of each model)",
    {
        ARTEFACT: "Of how often: models say yes too often there. With chance taken off it is no lower than difficulty, "
        "and of what is possible at their rates of yes they reach about as much as in restriction."
    },
)
def _(e: Evidence) -> Found:
    a, d = e.number("association", "accuracy"), e.number("difficulty", "accuracy")
    published = mean(a[m] - d[m] for m in e.models)
    skills = skills_of(e)
    again = mean(skills["association"][m] - skills["difficulty"][m] for m in e.skill)
    return (
        f"association less difficulty, accuracy {signed(published)} over {len(a)} models; skill {signed(again)} over "
        f"{len(e.skill)}; share of the ceiling {span(x.value for x in e.shares('association').values())}, "
        f"in restriction {span(x.value for x in e.shares('restriction').values())}",
        recounted(below(ends(published), 0), below(ends(again), 0)),
    )


@sentence(
    "4.4",
    "with results close to the random baseline",
    f"{AGAIN}; {SCORE} (skill of each model)",
    {
        ARTEFACT: "50% is nobody's baseline there. Guessing as often as the model says yes gives less, always no more; "
        "and of what is possible at their rates of yes most models reach nearly all."
    },
)
def _(e: Evidence) -> Found:
    own = e.number("association", "accuracy")
    j = {m: e.youden_j(m) for m in e.models}
    average, skill = mean(own.values()), mean(j.values())
    sure = e.recorded.of("youden_j", "association")
    no = statistics.fmean(e.number("association", "always_no_accuracy").values())
    return (
        f"mean {iv(average)}; always no {dec(no)}; Youden's J {iv(skill)} on average, {span(j.values())}, surely above "
        f"chance in {sure_of(sure)} of {len(sure)}; share of the ceiling "
        f"{span(x.value for x in e.shares('association').values())}",
        recounted(HOLDS if close(way(average.value)) else NOT, HOLDS if close(skill.value) else NOT),
    )


@sentence(
    "figure 7",
    "Most models performed close to chance (50%)",
    AGAIN,
    {NOT: "In no experiment most of them; only the mean of a low association test and higher others is near 50%."},
)
def _(e: Evidence) -> Found:
    near = {x: sum(close(way(v)) for v in e.number(x, "accuracy").values()) for x in EXPERIMENTS}
    scores = sum(close(way(score)) for score in e.of_all("self_execution_score").values())
    n = len(e.models)
    return (
        f"within ten points of it: {sum(near.values())} of {n * len(near)} accuracies ("
        + ", ".join(f"{x} {some} of {n}" for x, some in near.items())
        + f"); {scores} of {n} scores, which the figure does not show",
        share(sum(near.values()), n * len(near), MOST),
    )


@sentence(
    "figure 8",
    "the average of all experiments in this paper",
    AGAIN,
    {HOLDS: "The mean of the three accuracies, difficulty over the groups with a ranking."},
)
def _(e: Evidence) -> Found:
    score = e.of_all("self_execution_score")
    right = sum(
        math.isclose(score[m], statistics.fmean(e.published[m][x]["accuracy"] for x in EXPERIMENTS), abs_tol=1e-9)
        for m in e.models
    )
    return f"{right} of {len(score)} models", share(right, len(score), 1 - 1e-9)


@sentence(
    "4.4",
    "which achieves some of the highest benchmark scores on various tests",
    AGAIN,
    {HOLDS: "From Table 1."},
)
def _(e: Evidence) -> Found:
    row, best = _row(e, "gemini-2.5-pro"), np.nanmax(e.rates.rates, axis=0)
    has = int(np.isfinite(row).sum())
    return f"the highest on {int((row == best).sum())} of the {has} benchmarks that it has", HOLDS if any(
        row == best
    ) else NOT


@sentence(
    "4.4",
    "GPT 4.1-mini (68.5%) is greater than the average score of GPT 4.1 (66.4%)",
    AGAIN,
    {HOLDS: "From Table 1."},
)
def _(e: Evidence) -> Found:
    mini, full = (100 * float(np.nanmean(_row(e, m))) for m in ("gpt-4.1-mini", "gpt-4.1"))
    return f"{mini:.1f}% and {full:.1f}%", stated((mini, "68.5"), (full, "66.4"))


def _row(e: Evidence, model: str) -> np.ndarray:
    return np.asarray(e.rates.rates[e.rates.models.index(model)])


@sentence(
    "4.4",
    "average score of (72.0%) compared to (68.5%)",
    AGAIN,
    {HOLDS: "From Table 1, on the benchmarks that both have."},
)
def _(e: Evidence) -> Found:
    mini, full = _row(e, "gpt-4.1-mini"), _row(e, "gpt-4.1")
    both = np.isfinite(mini) & np.isfinite(full)
    one, two = 100 * float(full[both].mean()), 100 * float(mini[both].mean())
    return f"{one:.1f}% and {two:.1f}%, {both.sum()} benchmarks", stated((one, "72.0"), (two, "68.5"))


@sentence(
    "4.4, table 1",
    "Joint Maximum Likelihood Estimation (JMLE)",
    f"{AGAIN}; {ALGORITHM_1} (Table 1, iterations); {RASCH} (settled)",
    {HOLDS: "Algorithm 1 as printed gives Table 1 to its last digit; a fit that settles differs by its origin alone."},
)
def _(e: Evidence) -> Found:
    printed, again = e.of_all("rasch_ability"), _abilities(e)[1]
    names = dict(zip(_abilities(e)[0], again, strict=True))
    largest = max(abs(printed[m] - names[_table_name(e, m)]) for m in e.models)
    fitted = e.rasch.fit.abilities
    shift = float(np.mean(fitted - again))
    rest = float(np.abs(fitted - again - shift).max())
    return (
        f"largest difference {largest:.1e} after {e.algorithm_1.fit.iterations} iterations; a settled fit lies "
        f"{dec(shift)} higher throughout, to {rest:.6f}",
        HOLDS if largest < 1e-6 else NOT,
    )


def _abilities(e: Evidence) -> tuple[tuple[str, ...], np.ndarray]:
    return e.rates.models, e.algorithm_1.fit.abilities


def _table_name(e: Evidence, model: str) -> str:
    """Table 1 and the results name one model a little otherwise."""
    return model if model in e.rates.models else next(m for m in e.rates.models if m in model or model in m)


@sentence(
    "4.4, figure 8",
    "no clear correspondence between the general benchmark scores and the results of the other experiments",
    f"{AGAIN}; {CORRELATE} (r with its interval)",
    {
        NOT: "With the difficulty test the correlation is high whichever model is left out. With the score as "
        "published it hangs on single models, without the lost requests it does not."
    },
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    results = {
        "score": e.of_all("self_execution_score"),
        "score without the lost requests": e.score_without_lost,
        **{x: e.number(x, "accuracy") for x in EXPERIMENTS},
    }
    return (
        "r with ability: " + "; ".join(f"{name} {_with_sensitivity(ability, x)}" for name, x in results.items()),
        every(*(none_steady(leaving_out(ability, x).values()) for x in results.values())),
    )


def _with_sensitivity(one: Mapping[str, float], two: Mapping[str, float]) -> str:
    """A correlation over models, and the least and the greatest that it comes to without one of them."""
    left = leaving_out(one, two)
    ends = [f"{iv(left[m]).partition(', n')[0]} ({m})" for m in sorted(left, key=lambda m: left[m].value)]
    sure = sum(r.interval.low > 0 for r in left.values())
    without = f"without one model {ends[0]} to {ends[-1]}, surely above 0 in {sure} of {len(left)}"
    return f"{iv(together(one, two))}, {without}"


@sentence(
    "4.4, figure 8",
    "has the highest ability score (according to the Rasch model)",
    f"{AGAIN}; {ALGORITHM_1} (Table 1); {RASCH} (settled)",
    {CANNOT: "It has the highest estimate, in Table 1 too; o4-mini is nearer than the error of either."},
)
def _(e: Evidence) -> Found:
    order = np.argsort(-e.rasch.fit.abilities)[:2]
    values = [Value(e.rasch.fit.abilities[k], math.nan, math.nan, e.rasch.fit.se.abilities[k]) for k in order]
    names = [next(m for m in e.models if _table_name(e, m) == e.rates.models[k]) for k in order]
    said = [
        f"{m} {dec(e.of_all('rasch_ability')[m], 2)} in Table 1, {dec(x.value, 2)} settled"
        for m, x in zip(names, values, strict=True)
    ]
    p, difference = apart(values[0], values[1])
    verdict = above(ends(difference)) if names[0] == "gemini-2.5-pro" else NOT
    return f"{'; '.join(said)}; {signed(difference, 2)}, p = {dec(p, 2)}", verdict


@sentence(
    "4.4, figure 8",
    "It achieved an average performance of 50% in the self-execution benchmark",
    AGAIN,
    {ARTEFACT: "Of its failed requests in restriction; without them it stands near gpt-4.1."},
)
def _(e: Evidence) -> Found:
    found, again = e.score("gemini-2.5-pro"), e.score_without_lost["gemini-2.5-pro"]
    return (
        f"{iv(found)}; at least {dec(again)} without the lost requests",
        recounted(stated((100 * found.value, "50")), stated((100 * again, "50"))),
    )


@sentence(
    "4.4, figure 8",
    "achieved an average performance of 58% in the self-execution benchmark",
    f"{AGAIN}; {RASCH} (12th of 15)",
    {HOLDS: "A score below the mean of the fifteen; that it is above gemini-2.5-pro's is the latter's artefact."},
)
def _(e: Evidence) -> Found:
    found = e.score("qwen-2.5-7b")
    ability = e.of_all("rasch_ability")
    rank = sorted(ability, key=lambda m: -ability[m]).index("qwen-2.5-7b") + 1
    return f"{iv(found)}; ability {rank}th of {len(ability)}", stated((100 * found.value, "58"))


@sentence(
    "4.4",
    "o4-mini outperformed all other models",
    f"{AGAIN}; {compare('o4-mini', 'gpt-4.1')} (overall)",
    {
        ARTEFACT: "By accuracy it is told from gpt-4.1, and from claude-3.7-sonnet only by the latter's failed "
        "requests. By shares of the ceiling and tau it is not ahead of gpt-4.1: what it leads by is how often."
    },
)
def _(e: Evidence) -> Found:
    second = e.recorded["difference", "o4-mini less gpt-4.1", "overall"]
    one, two = "o4-mini", "claude-3.7-sonnet-thinking"
    _, third = apart(e.score(one), e.score(two))
    _, again = apart(e.score_left(one), e.score_left(two))
    possible = gap(e.mean_share(one), e.mean_share("gpt-4.1"))
    return (
        f"less gpt-4.1 {signed(second)}, paired, on what was read; less {two} {signed(third)} as published, "
        f"{signed(again)} without the lost requests; mean of the shares of the ceiling and tau less that of gpt-4.1 "
        f"{signed(possible)}",
        recounted(every(above(ends(second)), above(ends(third))), every(above(ends(again)), above(ends(possible)))),
    )


@sentence(
    "4.4",
    "it only achieved a precision of 73%",
    f"{AGAIN}; {AUTHORS} (.732)",
    {HOLDS: "It is the mean of three accuracies; no precision."},
)
def _(e: Evidence) -> Found:
    found = e.score("o4-mini")
    return iv(found), stated((100 * found.value, "73"))


@sentence(
    "4.4",
    "not that much higher than the random baseline precision of 50%",
    f"{AGAIN}; {SCORE} (.588)",
    {ARTEFACT: "Of the baseline: those that never saw it have more, and its skill is more than half of the way."},
)
def _(e: Evidence) -> Found:
    m = "o4-mini"
    baselines = [
        max(e.recorded[name, m, x].value for name in names)
        for x, names in {
            "association": ("always_no", "others_mode"),
            "restriction": ("label", "others_mode"),
            "difficulty": ("question_length", "subject", "others_mode"),
        }.items()
    ]
    best = statistics.fmean(baselines)
    return (
        f"{dec(e.score(m).value)}; best baselines {dec(best)}; skill {dec(e.skill[m])}, 0 being chance",
        recounted(HOLDS if poor(way(e.score(m).value)) else NOT, HOLDS if poor(e.skill[m]) else NOT),
    )


@sentence(
    "4.4, figure 8",
    "only three (o4-mini, GPT-4.1, and Claude 3.7 sonnet) achieved a score greater than 66.7%",
    AGAIN,
    {ARTEFACT: "Of failed requests counted as wrong: without them there is a fourth; gpt-4.1-mini may be one."},
)
def _(e: Evidence) -> Found:
    scores = e.of_all("self_execution_score")
    over = [m for m in e.models if scores[m] > 2 / 3]
    again = [m for m in e.models if e.score_without_lost[m] > 2 / 3]
    near = [m for m in e.models if m not in over and e.score(m).high > 2 / 3]
    return (
        f"{len(over)}: {', '.join(over)}; without lost requests {len(again)}: also "
        f"{', '.join(m for m in again if m not in over)} (at least {dec(e.score_without_lost['gemini-2.5-pro'])}); "
        f"interval over .667: {', '.join(f'{m} {iv(e.score(m))}' for m in near)}",
        recounted(stated((len(over), "3")), stated((len(again), "3"))),
    )


@sentence(
    "4.4, figure 9",
    "the correlations among the experiments themselves are quite low, often near zero",
    f"{AGAIN}; {CORRELATE} (r with its interval)",
    {
        CANNOT: "Each published interval reaches from 0 or below to beyond one half; those with restriction hang on "
        "what was lost."
    },
)
def _(e: Evidence) -> Found:
    accuracy = {x: e.number(x, "accuracy") for x in EXPERIMENTS}
    found = {pair: together(accuracy[pair[0]], accuracy[pair[1]]) for pair in combinations(EXPERIMENTS, 2)}

    def again(one: str, two: str) -> str:
        return _without_lost(e, lambda r: together(*({**accuracy, "restriction": r}[x] for x in (one, two))))

    return (
        "; ".join(f"{one} and {two} {iv(r)}" for (one, two), r in found.items())
        + "; without the lost requests "
        + ", ".join(f"{one} and {two} {again(one, two)}" for one, two in found if "restriction" in (one, two)),
        every(*(_within(r.interval, LOW) for r in found.values())),
    )


def _without_lost(e: Evidence, r: Callable[[Mapping[str, float]], Correlation]) -> str:
    """A correlation that takes accuracies of restriction, without the lost requests; and within what it lies if the
    models without replies lost more than was counted.
    """
    ends = span((r(restriction).value for restriction in e.uncounted()), lambda x: dec(x, 2))
    return f"{iv(r(e.restriction_without_lost))} ({ends} if more was lost uncounted)"


def _within(interval: Interval, limit: float) -> str:
    low, high = interval
    return HOLDS if -limit < low and high < limit else NOT if low > limit or high < -limit else CANNOT


@sentence(
    "4.4",
    "the self-execution score is 0.59",
    CORRELATE,
    {NOT: "By one in the last digit; figure 9 has it right."},
)
def _(e: Evidence) -> Found:
    r = together(e.of_all("rasch_ability"), e.of_all("self_execution_score"))
    return iv(r), stated((r.value, "0.59"))


@sentence(
    "4.4",
    "which is not very high",
    f"{AGAIN}; {CORRELATE} (r with its interval)",
    {CANNOT: "Fifteen models do not tell a weak correlation from a strong one; and lost requests lower it."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    r = together(ability, e.of_all("self_execution_score"))
    again = _without_lost(e, lambda restriction: together(ability, e.scores(restriction)))
    return f"{iv(r)}; without the lost requests {again}", below(r.interval, HIGH)


@sentence(
    "4.4",
    "each of our experiments measures a different capability",
    CORRELATE,
    {CANNOT: "It rests on the low correlations between experiments, which are as compatible with high ones."},
)
def _(e: Evidence) -> Found:
    skills = skills_of(e)
    again = [together(skills[one], skills[two]) for one, two in combinations(EXPERIMENTS, 2)]
    shares = {x: {m: n.value for m, n in e.shares(x).items()} for x in EXPERIMENTS}
    possible = [together(shares[one], shares[two]) for one, two in combinations(EXPERIMENTS, 2)]
    return (
        f"between skills {', '.join(iv(r) for r in again)}; with shares of the ceiling in place of J "
        + ", ".join(iv(r) for r in possible),
        every(*(_within(r.interval, LOW) for r in (*again, *possible))),
    )


@sentence(
    "4.4",
    "capabilities not already captured by common benchmarks",
    CORRELATE,
    {CANNOT: "Score and skill go with ability; so few models do not tell a part from nearly all of it."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    score, *others = (together(x, ability) for x in (e.score_without_lost, e.skill, e.share))
    skill, possible = others
    return (
        f"r with ability: score without the lost requests {iv(score)}; skill {iv(skill)}, with shares of the ceiling "
        f"in place of J {iv(possible)}",
        every(*(below(r.interval, HIGH) for r in (score, skill, possible))),
    )
