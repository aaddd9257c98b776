"""The sentences of section 4.1 and its figures."""

from evidence import Evidence, apart, dec, gap, iv, signed, span

from claims.counting import sure_of
from claims.rules import ARTEFACT, CANNOT, HOLDS, MOST, NOT, above, ends, poor, recounted, share, stated, way
from claims.sentences import AGAIN, AUTHORS, LEDGER, SCORE, Found, Sentence, kept_in

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "4.1, figure 2",
    "the o4-mini model, which performed best",
    AGAIN,
    {
        CANNOT: "It leads, but claude-3.7-sonnet is close, and its replies, which would allow to pair, are not "
        "published. Of those with replies it is best by how often: it overestimates that least. Which words, it does "
        "not pick better than others as far as yes and no can tell."
    },
)
def _(e: Evidence) -> Found:
    return best_of(e, "association")


def best_of(e: Evidence, experiment: str) -> Found:
    """Whether o4-mini is above the next best, as if they had been asked different items."""
    values = {m: e.accuracy(m, experiment) for m in e.models}
    first, second = sorted(e.models, key=lambda m: -values[m].value)[:2]
    p, difference = apart(values[first], values[second])
    published = above(ends(difference)) if first == "o4-mini" else NOT
    shares, again = shares_of_the_best(e, experiment)
    return (
        f"{first} {iv(values[first])}, {second} {iv(values[second])}; {signed(difference)}, p = {dec(p, 2)}; {shares}",
        recounted(published, again),
    )


def shares_of_the_best(e: Evidence, experiment: str) -> Found:
    """Whether o4-mini reaches more of what is possible at its rate of yes than the next best of those with replies."""
    shares = e.shares(experiment)
    own, others = shares["o4-mini"], {m: x for m, x in shares.items() if m != "o4-mini"}
    most = max(others, key=lambda m: others[m].value)
    reached = sum(x.value >= own.value for x in others.values())
    return (
        f"share of the ceiling {iv(own)}, as high or higher in {reached} of {len(others)} others with replies",
        above(ends(gap(own, others[most]))),
    )


@sentence(
    "4.1",
    "reached only 63% accuracy",
    f"{AGAIN}; {AUTHORS} (.628)",
    {HOLDS: "The same from its replies under all three conventions."},
)
def _(e: Evidence) -> Found:
    found = e.accuracy("o4-mini", "association")
    return iv(found), stated((100 * found.value, "63"))


@sentence(
    "4.1",
    "not much better than random guessing (50%)",
    f"{AGAIN}; {SCORE} (Youden's J); {LEDGER} (always no)",
    {
        ARTEFACT: "Accuracy is the wrong measure here: it says yes too often, and still far more for words that it "
        "lists than for others, more than half of the way to perfection, and nearly all the way that its rate of yes "
        "allows; and who always says no would have more."
    },
)
def _(e: Evidence) -> Found:
    found = e.accuracy("o4-mini", "association")
    j = e.recorded["youden_j", "o4-mini", "association"]
    no = e.recorded["always_no", "o4-mini", "association"]
    possible = e.shares("association")["o4-mini"]
    published = HOLDS if poor(way(found.value)) else NOT
    again = HOLDS if poor(j.value) else NOT
    return (
        f"{dec(found.value)}; always no {dec(no.value)}; Youden's J {iv(j)}, 0 being chance, which is {iv(possible)} "
        "of what is possible at its rate of yes",
        recounted(published, again),
    )


@sentence(
    "4.1",
    "limited capability for models to accurately anticipate their own associations",
    f"{AGAIN}; {SCORE} (Youden's J of those with replies)",
    {
        HOLDS: "Above chance, but short of half of the way to perfection in all but o4-mini. What limits it is "
        "how often: most of them reach nearly all that is possible at their rates of yes, little as that may be. How "
        "much of it a model knows of itself and how much of models in general, these numbers do not say."
    },
)
def _(e: Evidence) -> Found:
    accuracies, j = e.number("association", "accuracy").values(), [e.youden_j(m) for m in e.models]
    low, again = sum(poor(way(x)) for x in accuracies), sum(map(poor, j))
    read = e.recorded.of("youden_j", "association")
    possible = [x.value for x in e.shares("association").values()]
    return (
        f"less than half of the way from chance to a perfect score: {low} of {len(accuracies)} accuracies, if chance "
        f"is 50%; {again} of {len(j)} Youden's J, {span(j)}, surely above 0 in {sure_of(read)} of the {len(read)} with "
        f"replies; of what is possible at their rates of yes these reach {span(possible)}",
        recounted(share(low, len(accuracies), MOST), share(again, len(j), MOST)),
    )


@sentence(
    "4.1",
    "the recall values for all models are very high",
    f"{AGAIN}; {LEDGER} (of the ten)",
    {HOLDS: "Above .9 in all of them."},
)
def _(e: Evidence) -> Found:
    found = e.number("association", "recall").values()
    return span(found), share(sum(x > 0.9 for x in found), len(found), 1 - 1e-9)


@sentence(
    "4.1",
    "overpredict the inclusion of words (a high positive rate)",
    f"{AGAIN}; {LEDGER} (of the ten)",
    {HOLDS: "Every model says yes at least twice as often as it then lists the word."},
)
def _(e: Evidence) -> Found:
    said = e.number("association", "positive_rate")
    did = {m: 1 - no for m, no in e.number("association", "always_no_accuracy").items()}
    over = sum(said[m] > 2 * did[m] for m in e.models)
    return f"said {span(said.values())}, did {span(did.values())}", share(over, len(said), 1 - 1e-9)


@sentence(
    "4.1",
    "in reality most words did not",
    f"{AGAIN}; {LEDGER} (base_rate, of the ten)",
    {HOLDS: "Fewer than a quarter were listed by any model."},
)
def _(e: Evidence) -> Found:
    did = [1 - no for no in e.number("association", "always_no_accuracy").values()]
    return f"listed {span(did)}", share(sum(x < 0.5 for x in did), len(did), 1 - 1e-9)


@sentence(
    "4.1",
    "precision is low, reflecting frequent false-positive predictions",
    f"{AGAIN}; {LEDGER} (of the ten)",
    {HOLDS: "More false than true positives in every model; yet above the share listed, so that a yes says something."},
)
def _(e: Evidence) -> Found:
    found = e.number("association", "precision")
    did = {m: 1 - no for m, no in e.number("association", "always_no_accuracy").items()}
    low = sum(x < 0.5 for x in found.values())
    return (
        f"{span(found.values())}, above the share listed in {sum(found[m] > did[m] for m in did)} of {len(did)}",
        share(low, len(found), 1 - 1e-9),
    )
