"""The sentences of section 4 that say how things are counted."""

import math
import statistics
from collections.abc import Mapping

from evidence import GROUPS, REASONING, REQUESTS, Evidence, contrast, dec, iv, span
from recorded import Number

from claims.rules import CANNOT, HOLDS, MOST, NOT, above, every, share
from claims.sentences import AGAIN, LEDGER, Found, Sentence, kept_in

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "4",
    "this was counted as an incorrect prediction",
    f"{AGAIN}; {LEDGER} (llama-3.2-3b)",
    {NOT: "Only restriction is counted so (and two means in 4.3): unread targets and unread rankings were dropped."},
)
def _(e: Evidence) -> Found:
    options = {x.n or 0 for x in e.recorded.of("accuracy_strict", "association").values()}
    fewest = min(e.models, key=e.claims)
    unranked = [m for m, n in e.number("difficulty", "groups_failed").items() if n]
    lowest = min(e.recorded.of("accuracy_strict", "difficulty").items(), key=lambda pair: pair[1].value)
    plain = e.published[lowest[0]]["difficulty"]["accuracy"]
    return (
        f"association of {fewest}: {e.claims(fewest)} claims of {max(options):,} options; rankings left out of "
        f"{len(unranked)} models: {lowest[0]} {dec(plain)} as published, {dec(lowest[1].value)} if they are wrong",
        NOT if unranked or e.claims(fewest) < MOST * max(options) else HOLDS,
    )


@sentence(
    "4",
    "Formatting failures were more common in smaller models",
    AGAIN,
    {CANNOT: "Most unread rankings are of small models, most unread choices of one large one; six models are few."},
)
def _(e: Evidence) -> Found:
    rankings = {m: n / GROUPS for m, n in e.number("difficulty", "groups_failed").items()}
    choices = e.number("restriction", "failure_rate")
    found = [contrast(rates, e.smaller, e.larger) for rates in (rankings, choices)]
    most = max(choices, key=choices.__getitem__)
    return (
        f"smaller less larger: rankings {iv(found[0])}, choices {iv(found[1])}; most of all {most} with "
        f"{dec(choices[most])} of its choices",
        every(*(above(f.interval) for f in found)),
    )


@sentence(
    "4",
    "even larger reasoning-oriented models occasionally exhibited the same issue",
    AGAIN,
    {HOLDS: "Failures, more than occasionally; whether they were all of format is not published."},
)
def _(e: Evidence) -> Found:
    rates = e.number("restriction", "failure_rate")
    failing = {m: rates[m] for m in REASONING if rates[m]}
    return (
        "failed requests: " + ", ".join(f"{m} {dec(rate)}" for m, rate in failing.items()),
        HOLDS if failing else NOT,
    )


@sentence(
    "4",
    "the baseline accuracy for guessing in all experiments is 50%",
    f"{AGAIN}; {LEDGER} (baselines, of each of the ten)",
    {NOT: "Outcomes are unbalanced in association, the label predicts restriction, and length says which is hard."},
)
def _(e: Evidence) -> Found:
    no, own = e.number("association", "always_no_accuracy"), e.number("association", "accuracy")
    beaten = sum(no[m] > own[m] for m in e.models)
    label, restriction = (e.recorded.of(name, "restriction") for name in ("label", "accuracy"))
    behind = sum(label[m].value > restriction[m].value for m in label)
    length = e.recorded.of("question_length", "difficulty")
    return (
        f"association, always no: {span(no.values())}, above {beaten} of {len(no)} models; restriction, the label: "
        f"{dec(_mean(label))} on average, above {behind} of {len(label)}; difficulty, the shorter question: "
        f"{dec(_mean(length))}, above .5 for sure in {sure_of(length, 0.5)} of {len(length)}",
        HOLDS if not beaten and not behind else NOT,
    )


def _mean(numbers: Mapping[str, Number]) -> float:
    return statistics.fmean(x.value for x in numbers.values())


def sure_of(numbers: Mapping[str, Number], limit: float = 0.0) -> int:
    """How many are above a limit with their whole interval."""
    return sum((x.low or 0) > limit for x in numbers.values())


@sentence(
    "4, 4.1, 4.2",
    "the proportion of correct responses among all questions",
    AGAIN,
    {HOLDS: "The published accuracies, precisions, recalls and positive rates follow from the published counts."},
)
def _(e: Evidence) -> Found:
    def follows(model: str) -> bool:
        a, r = e.published[model]["association"], e.published[model]["restriction"]
        n = e.claims(model)
        pairs = [
            (a["accuracy"], (a["TP"] + a["TN"]) / n),
            (a["precision"], a["TP"] / (a["TP"] + a["FP"])),
            (a["recall"], a["TP"] / (a["TP"] + a["FN"])),
            (a["positive_rate"], (a["TP"] + a["FP"]) / n),
            (r["accuracy"], r["consistent"] / REQUESTS),
        ]
        return all(math.isclose(one, two, abs_tol=1e-9) for one, two in pairs)

    right = sum(map(follows, e.models))
    return f"{right} of {len(e.models)} models", share(right, len(e.models), 1 - 1e-9)
