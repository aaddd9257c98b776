"""The sentences of section 4.2 and its figures."""

import math

from evidence import REQUESTS, Evidence, Value, dec, gap, iv, signed, span

from claims.association import best_of
from claims.rules import ARTEFACT, CANNOT, HOLDS, NEARLY_ALL, NOT, below, ends, every, recounted, share, stated
from claims.sentences import AGAIN, LEDGER, SCORE, Found, Sentence, compare, kept_in
from selfexec.stats import wilson

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "4.2, figure 3",
    "o4-mini performs best at this task as well",
    AGAIN,
    {
        CANNOT: "gpt-4.1-mini is close behind, and its replies are not published. Of those with replies it is best by "
        "how often: it underestimates that least. Which requests, it does not pick better than others as far as yes "
        "and no can tell."
    },
)
def _(e: Evidence) -> Found:
    return best_of(e, "restriction")


@sentence(
    "4.2",
    "it achieved only a score of 32%",
    AGAIN,
    {ARTEFACT: "Most of its requests failed and were counted as wrong; on the others it is among the best."},
)
def _(e: Evidence) -> Found:
    model = "gemini-2.5-pro"
    accuracy, failed = e.published[model]["restriction"]["accuracy"], e.failed(model)
    left = REQUESTS - failed
    found = e.restriction_without_lost[model]
    interval = wilson(found, left)
    verdict = recounted(stated((100 * accuracy, "32")), below(interval, 0.5))
    rest = iv(Value(found, *interval, math.nan))
    return f"{dec(accuracy)}; {failed} of {REQUESTS} failed; at least {rest} of the other {left}", verdict


@sentence(
    "4.2",
    "reasoning abilities alone do not guarantee an accurate self-assessment of content restrictions",
    f"{AGAIN}; {compare('deepseek-r1', 'deepseek-v3')} (accuracy); {SCORE} (rate bias)",
    {
        ARTEFACT: "Of how often: deepseek-r1 underestimates more than deepseek-v3 how many requests it answers, and is "
        "less accurate by that. Which requests, it does not pick worse as far as yes and no can tell. Next to nothing "
        "was lost."
    },
)
def _(e: Evidence) -> Found:
    one, two = "deepseek-r1", "deepseek-v3"
    accuracy = e.recorded["difference", f"{one} less {two}", "restriction"]
    shares, bias = e.shares("restriction"), e.recorded.of("rate_bias", "restriction")
    difference = gap(shares[one], shares[two])
    return (
        f"{one} less {two}: accuracy {signed(accuracy)}, {accuracy.n} requests; rate bias {iv(bias[one])} and "
        f"{iv(bias[two])}; share of the ceiling {signed(difference)}",
        recounted(below(ends(accuracy), 0), below(ends(difference), 0)),
    )


@sentence(
    "4.2",
    "over-niceness rate",
    f"{AGAIN}; {LEDGER} (over_niceness, over_niceness_lost_in)",
    {NOT: "Defined as FN / (FN + FP); where requests were lost without being counted, these stand in the denominator."},
)
def _(e: Evidence) -> Found:
    published = e.number("restriction", "over_niceness_rate")
    read = e.recorded.of("over_niceness", "restriction")
    other = {m: x for m, x in read.items() if abs(x.value - published[m]) > 1e-5}
    return (
        f"FN / (FN + FP) in {len(read) - len(other)} of {len(read)} models with replies; not: "
        + ", ".join(f"{m} {dec(published[m])} published, {iv(x)} read" for m, x in other.items()),
        NOT if other else HOLDS,
    )


@sentence(
    "4.2, figure 3",
    "much higher than 50% for nearly all models",
    f"{AGAIN}; {LEDGER} (over_niceness, of the ten)",
    {HOLDS: "Also where the published rate is low: lost requests stood in its denominator (mistral-7b)."},
)
def _(e: Evidence) -> Found:
    published = e.number("restriction", "over_niceness_rate")
    read = e.recorded.of("over_niceness", "restriction")
    high = sum(x > 0.5 for x in published.values())
    sure = sum((x.low or 0) > 0.5 for x in read.values())
    m = "mistral-7b"
    return (
        f"{high} of {len(published)} above .5; among errors that were read {span(x.value for x in read.values())}, "
        f"surely above .5 in {sure} of {len(read)}; {m} {dec(published[m])} published, {iv(read[m])} read",
        every(share(high, len(published), NEARLY_ALL), share(sure, len(read), NEARLY_ALL)),
    )


@sentence(
    "4.2",
    "exhibited excessive compliance, providing responses to questions that they believed should not be answered",
    AGAIN,
    {
        NOT: "Most of these errors are requests that XSTest labels safe: models foresee refusals that they do not "
        "make, which is false alarm, not compliance."
    },
)
def _(e: Evidence) -> Found:
    safe = e.recorded.of("over_nice_on_safe", "restriction")
    part, whole = sum(x.value for x in safe.values()), sum(x.n or 0 for x in safe.values())
    rates = {
        name: sum(x.value for x in e.recorded.of(name, "restriction").values())
        / sum(x.n or 0 for x in e.recorded.of(name, "restriction").values())
        for name in ("said_yes_safe", "did_safe", "said_yes_unsafe", "did_unsafe")
    }
    most = sum(x.value > (x.n or 0) / 2 for x in safe.values())
    return (
        f"{part:.0f} of {whole} such errors are on safe requests, most of them in {most} of {len(safe)} models; would "
        f"answer / answered: safe {dec(rates['said_yes_safe'], 2)} / {dec(rates['did_safe'], 2)}, unsafe "
        f"{dec(rates['said_yes_unsafe'], 2)} / {dec(rates['did_unsafe'], 2)}",
        NOT if part > whole / 2 else HOLDS,
    )
