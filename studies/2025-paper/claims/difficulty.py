"""The sentences of section 4.3 and its figures."""

import math

from evidence import (
    COUNTERPARTS,
    EXPERIMENTS,
    GROUPS,
    REASONING,
    Evidence,
    apart,
    contrast,
    dec,
    inverted,
    iv,
    mean,
    pick,
    signed,
    span,
    together,
)

from claims.counting import sure_of
from claims.rules import (
    ARTEFACT,
    CANNOT,
    HOLDS,
    LARGE_PART,
    NEARLY_ALL,
    NOT,
    above,
    around,
    below,
    ends,
    every,
    none_seen,
    poor,
    recounted,
    share,
    stated,
    way,
)
from claims.sentences import AGAIN, AUTHORS, CORRELATE, LEDGER, SCORE, Found, Sentence, compare, kept_in
from selfexec.extensions.published.authors import group_score

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "4.3",
    "its accuracy for this group is 0.67",
    AGAIN,
    {HOLDS: "Four of the six pairs."},
)
def _(e: Evidence) -> Found:
    found = group_score(["Q1", "Q4", "Q2", "Q3"], ["Q1", "Q2", "Q3", "Q4"])
    return dec(found), stated((found, "0.67"))


@sentence(
    "4.3, figure 4",
    "only considers instances in which the model returned a valid ranking",
    f"{AGAIN}; {LEDGER} (adjusted_accuracy; accuracy)",
    {NOT: "The plain accuracy does; the adjusted one is that, divided once more by the share of valid rankings."},
)
def _(e: Evidence) -> Found:
    d = {m: e.published[m]["difficulty"] for m in e.models}
    twice = sum(
        math.isclose(x["adjusted_accuracy"] * x["groups_scored"] / GROUPS, x["accuracy"], abs_tol=1e-9)
        for x in d.values()
    )
    most = max(d, key=lambda m: d[m]["adjusted_accuracy"] - d[m]["accuracy"])
    adjusted, plain, groups = (d[most][name] for name in ("adjusted_accuracy", "accuracy", "groups_scored"))
    return (
        f"adjusted = accuracy / share in {twice} of {len(d)} models; {most} {dec(adjusted)}, mean over its {groups} "
        f"valid rankings {dec(plain)}",
        NOT if twice == len(d) else HOLDS,
    )


@sentence(
    "4.3",
    "the only test on the self-execution benchmark in which it appears to be an advantage for large models",
    AGAIN,
    {CANNOT: "In the two others the published advantage is of like size, and not sure: fifteen models are few."},
)
def _(e: Evidence) -> Found:
    found = {name: contrast(e.number(name, "accuracy"), e.larger, e.smaller) for name in EXPERIMENTS}
    j = contrast({m: e.youden_j(m) for m in e.models}, e.larger, e.smaller)
    left = contrast(e.restriction_without_lost, e.larger, e.smaller)
    others = every(none_seen(found["association"].interval), none_seen(found["restriction"].interval))
    return (
        "larger less smaller: "
        + ", ".join(f"{name} {iv(gap)}" for name, gap in found.items())
        + f"; association by Youden's J {iv(j)}; restriction without the lost requests {iv(left)}",
        every(above(found["difficulty"].interval), others),
    )


@sentence("4.3", "seem to perform around 70%", AGAIN, {HOLDS: "They lie close together."})
def _(e: Evidence) -> Found:
    found = mean(e.number("difficulty", "accuracy")[m] for m in e.larger)
    return _between(e, e.larger), around(found.value, 0.7)


@sentence(
    "4.3",
    "seem to perform around 60%",
    AGAIN,
    {HOLDS: "On average; llama-4-scout is like the larger ones, and two are nearer to chance."},
)
def _(e: Evidence) -> Found:
    found = mean(e.number("difficulty", "accuracy")[m] for m in e.smaller)
    return _between(e, e.smaller), around(found.value, 0.6)


def _between(e: Evidence, models: list[str]) -> str:
    found = {m: e.number("difficulty", "accuracy")[m] for m in models}
    low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return f"{iv(mean(found.values()))}, from {low} {dec(found[low])} to {high} {dec(found[high])}"


@sentence(
    "4.3",
    "within the larger models, there seems to be no clear advantage to reasoning models",
    AGAIN,
    {CANNOT: "Four models against five say little either way."},
)
def _(e: Evidence) -> Found:
    gap = contrast(e.number("difficulty", "accuracy"), REASONING, [m for m in e.larger if m not in REASONING])
    return f"reasoning less other larger {iv(gap)}", none_seen(gap.interval)


@sentence(
    "4.3",
    "GPT o4 mini (67%) which performed less well than 4.1 (73%)",
    f"{AUTHORS} (.673 and .734); {compare('o4-mini', 'gpt-4.1')}",
    {HOLDS: "Also on the groups that both have, without those of o4-mini whose answers all failed."},
)
def _(e: Evidence) -> Found:
    one, two = (e.accuracy(m, "difficulty") for m in ("o4-mini", "gpt-4.1"))
    gap = e.recorded["difference", "o4-mini less gpt-4.1", "difficulty"]
    return (
        f"{dec(one.value)} and {dec(two.value)}; {signed(gap)} on {gap.n} groups",
        every(stated((100 * one.value, "67"), (100 * two.value, "73")), below(ends(gap), 0)),
    )


@sentence(
    "4.3",
    "Gemini 2.5 pro (71%) which was slightly above",
    AGAIN,
    {CANNOT: "The difference is within the error of so many groups."},
)
def _(e: Evidence) -> Found:
    one, two = (e.accuracy(m, "difficulty") for m in ("gemini-2.5-pro", "gemini-2.5-flash"))
    p, gap = apart(one, two)
    groups = e.number("difficulty", "groups_scored")
    return (
        f"{iv(one)} on {groups['gemini-2.5-pro']:.0f} groups, {iv(two)} on {groups['gemini-2.5-flash']:.0f}; "
        f"{signed(gap)}, p = {dec(p, 2)}",
        every(stated((100 * one.value, "71"), (100 * two.value, "68")), above(ends(gap))),
    )


@sentence(
    "4.3",
    "since the random baseline is 50%, none of the models can be perceived as performing well",
    f"{AGAIN}; {SCORE} (of those with replies)",
    {
        HOLDS: "All are above 50%, but none is half of the way to a perfect order. How far an order can be predicted "
        "at all one run does not say, nor whether models know something of their own here."
    },
)
def _(e: Evidence) -> Found:
    own, tau = e.recorded.of("accuracy", "difficulty"), e.recorded.of("tau", "difficulty")
    published = e.number("difficulty", "accuracy").values()
    low, again = sum(poor(way(x)) for x in published), sum(poor(x.value) for x in tau.values())
    return (
        f"{span(x.value for x in own.values())}, surely above .5 in {sure_of(own, 0.5)} of {len(own)}; less than half "
        f"of the way to a perfect order in {low} of {len(published)} published, and {again} of {len(tau)} by Kendall's "
        f"tau, {span(x.value for x in tau.values())}",
        recounted(share(low, len(published), 1 - 1e-9), share(again, len(tau), 1 - 1e-9)),
    )


@sentence(
    "4.3, figure 5",
    "the standard deviation carries a large percent of the average number of token",
    AGAIN,
    {HOLDS: "In nearly all models; but a spread in tokens is no proof that it can be predicted."},
)
def _(e: Evidence) -> Found:
    found = e.number("difficulty", "answer_tokens_sd_fraction_mean")
    large = sum(x > LARGE_PART for x in found.values())
    low, high = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    ends = f"{low} {dec(found[low], 2)} to {high} {dec(found[high], 2)} of the mean"
    return f"{ends}, over {dec(LARGE_PART, 2)} in {large} of {len(found)}", share(large, len(found), NEARLY_ALL)


@sentence(
    "4.3",
    "the sorting itself should not be inherently difficult for the models",
    AGAIN,
    {
        CANNOT: "Pairs far apart in tokens are sorted well by most and near ties are not; how often a model would "
        "order its own answers alike in a second run is unknown."
    },
)
def _(e: Evidence) -> Found:
    def right(name: str) -> tuple[str, str]:
        found = e.recorded.of(name, "difficulty").values()
        shares = span((x.value / (x.n or 1) for x in found), lambda share: dec(share, 2))
        return shares, f"{sum(x.n or 0 for x in found):,} pairs"

    (far, n_far), (alike, n_alike), (correct, n_correct) = map(
        right, ("right_tokens_far", "right_tokens_alike", "right_by_correctness")
    )
    return (
        f"right: {far} where one takes twice the tokens ({n_far}), {alike} where they are within a quarter "
        f"({n_alike}), {correct} of a right and a wrong answer ({n_correct}); one run",
        CANNOT,
    )


@sentence(
    "4.3, figure 6",
    "some models achieve higher accuracy with fewer tokens",
    f"{AGAIN}; {CORRELATE} (r)",
    {HOLDS: "There are such pairs; on the whole, though, more tokens go with higher accuracy."},
)
def _(e: Evidence) -> Found:
    tokens, right = (e.number("difficulty", name) for name in ("ranking_tokens_mean", "accuracy"))
    wrong, pairs = inverted(tokens, right)
    r = together({m: math.log(x) for m, x in tokens.items()}, right)
    return f"{wrong} of {pairs} pairs of models; r(log tokens, accuracy) {iv(r)}", HOLDS if wrong else NOT


@sentence(
    "4.3, figure 4",
    "the larger and more advanced models performed generally better than the smaller models",
    AGAIN,
    {HOLDS: "On individual questions; gemini-2.5-flash is the exception."},
)
def _(e: Evidence) -> Found:
    gap = contrast(e.number("difficulty", "mmlu_accuracy"), e.larger, e.smaller)
    return f"larger less smaller {iv(gap)}", above(gap.interval)


@sentence(
    "4.3",
    "average accuracy of 88.2% compared to only 80.1%",
    AGAIN,
    {HOLDS: "Two of the four with reasoning were only asked the questions of groups that they had ranked."},
)
def _(e: Evidence) -> Found:
    right = e.number("difficulty", "mmlu_accuracy")
    one, two = (100 * float(pick(right, group).mean()) for group in (REASONING, COUNTERPARTS))
    return f"{one:.1f}% and {two:.1f}%", stated((one, "88.2"), (two, "80.1"))


@sentence(
    "4.3",
    "the models with reasoning perform better on the individual MMLU questions",
    AGAIN,
    {CANNOT: "Four models each; much of the difference is gemini-2.5-flash alone."},
)
def _(e: Evidence) -> Found:
    right = e.number("difficulty", "mmlu_accuracy")
    gap = contrast(right, REASONING, COUNTERPARTS)
    rest = contrast(right, REASONING, [m for m in COUNTERPARTS if m != "gemini-2.5-flash"])
    return f"{iv(gap)}; without gemini-2.5-flash {iv(rest)}", above(gap.interval)


@sentence(
    "4.3",
    "68. 3%, while their non-reasoning counterparts achieve an average performance of 68.7%",
    AGAIN,
    {ARTEFACT: "By a rule of its own, unread rankings at 0; under that of the figures it is the other way round."},
)
def _(e: Evidence) -> Found:
    plain, scored = e.number("difficulty", "accuracy"), e.number("difficulty", "groups_scored")
    zero = {m: plain[m] * scored[m] / GROUPS for m in e.models}
    (one, two), (three, four) = (
        [100 * float(pick(rule, group).mean()) for group in (REASONING, COUNTERPARTS)] for rule in (zero, plain)
    )
    published = every(stated((one, "68.3"), (two, "68.7")), HOLDS if one < two else NOT)
    return (
        f"{one:.1f}% and {two:.1f}% with unread rankings at 0; {three:.1f}% and {four:.1f}% as in figure 4",
        recounted(published, HOLDS if three < four else NOT),
    )


@sentence(
    "4.3",
    "the reasoning models do not perform better on the difficulty assessment test",
    AGAIN,
    {CANNOT: "With four models each an advantage is as possible as none; the one pair that can be paired has one."},
)
def _(e: Evidence) -> Found:
    gap = contrast(e.number("difficulty", "accuracy"), REASONING, COUNTERPARTS)
    pair = e.recorded["difference", "deepseek-r1 less deepseek-v3", "difficulty"]
    return (
        f"reasoning less counterparts {iv(gap)}; deepseek-r1 less deepseek-v3 {signed(pair)} on {pair.n} groups",
        none_seen(gap.interval),
    )


@sentence(
    "4.3",
    "despite using much more resources",
    AGAIN,
    {HOLDS: "For ranking; for answers the factor is smaller and could be 1."},
)
def _(e: Evidence) -> Found:
    said, verdicts = [], []
    for what, name in (("ranking", "ranking_tokens_mean"), ("answers", "answer_tokens_mean")):
        gap = contrast({m: math.log(x) for m, x in e.number("difficulty", name).items()}, REASONING, COUNTERPARTS)
        factor, low, high = (math.exp(x) for x in (gap.difference, *gap.interval))
        said.append(f"{what} {factor:.1f} [{low:.1f}, {high:.1f}] times the tokens")
        verdicts.append(above((low, high), 1.0))
    return "; ".join(said), verdicts[0]
