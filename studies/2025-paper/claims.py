"""The paper's quantitative sentences, in its order, each with what comes out when it is worked out again.

A sentence is a function from the evidence to what was found and a verdict. The verdict comes from one of the rules
below; the words beside it are written for one verdict each, and `make.py` stops where another comes out.

    holds                       the number rounds to what is printed; or the interval lies on the side that is claimed;
                                or what is said of all (most) models is true of all (most) of them
    holds by an artefact        it holds as published, and no longer once what was lost is left out, or what a guesser
                                gets is taken away
    cannot be told at this n    the interval lies on both sides of what is claimed
    does not hold               the interval lies on the other side, or the number is another

Sentences that say like things are judged by one rule:

    "perform poorly", "not much better than guessing", "none performs well": less than half of the way from chance to
        a perfect score (`poor`), once with the published accuracies and chance at 50%, and once by skill, of which 0
        is chance. What is said of models in general is said of most of them.
    "close to chance": within a fifth of that way (`close`), which is ten points of accuracy. A caption is held against
        what its figure shows.
    "limited capability to anticipate their own ...", "lack awareness": by self-knowledge. Whoever never saw the model
        foretells it as well, or better.
    "not consistently with size or capability", "in many cases not": the pairs of models of which the abler (larger)
        has the lower score are more than one in ten (`unsteady`). A correlation above 0 does not refute this, and
        one near 0 does not show it: it is about exceptions, not about the trend.
    "no correspondence", "no advantage", that is, no trend at all: falls with an interval without 0, and is open
        otherwise (`none_seen`).
    "best", "highest", "outperformed": the difference to the next is above 0 with its whole interval (`above`). That
        the estimate is the highest is said beside it.
"""

import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from evidence import (
    COUNTERPARTS,
    EXPERIMENTS,
    GROUPS,
    REASONING,
    REQUESTS,
    Evidence,
    Value,
    apart,
    contrast,
    dec,
    inverted,
    iv,
    mean,
    pick,
    signed,
    size_in_name,
    span,
    together,
)
from recorded import Number, difference

from selfexec.items.paper import groupings
from selfexec.plans import PROTOCOLS
from selfexec.scores.authors import group_score
from selfexec.stats import Correlation, wilson
from selfexec.stats.intervals import Interval

HOLDS = "holds"
ARTEFACT = "holds by an artefact"
CANNOT = "cannot be told at this n"
NOT = "does not hold"
VERDICTS = (HOLDS, ARTEFACT, CANNOT, NOT)

LOW = 0.5  # a correlation is low if its interval lies within -.5 to .5
HIGH = 0.7  # and not very high if its interval lies below .7: half of the variance
CLOSE = 0.2  # close to chance: within a fifth of the way to a perfect score, which is ten points of accuracy
MOST = 0.5  # most models: more than half of them
NEARLY_ALL = 0.8
MANY = 0.1  # many cases: more than one in ten
MUCH = 0.5  # much better than chance: at least half of the way from there to a perfect score
LARGE_PART = 0.25  # a large percent, where none is named

# --- rules -----------------------------------------------------------------------------------------------------------


def stated(*pairs: tuple[float, str]) -> str:
    """Every number, in the digits that the paper gives, is the one that it gives."""
    return HOLDS if all(f"{value:.{_digits(said)}f}" == said for value, said in pairs) else NOT


def _digits(said: str) -> int:
    return len(said.partition(".")[2])


def above(interval: Interval | tuple[float, float], limit: float = 0.0) -> str:
    low, high = interval
    return HOLDS if low > limit else NOT if high < limit else CANNOT


def below(interval: Interval | tuple[float, float], limit: float) -> str:
    low, high = interval
    return HOLDS if high < limit else NOT if low > limit else CANNOT


def none_seen(interval: Interval | tuple[float, float]) -> str:
    """What says that there is no relation or no advantage falls with an interval without 0, and is open otherwise."""
    low, high = interval
    return NOT if low > 0 or high < 0 else CANNOT


def share(part: int, whole: int, least: float) -> str:
    return HOLDS if part > least * whole else NOT


def way(accuracy: float) -> float:
    """How far an accuracy is on the way from 50% to a perfect score: what its skill is if 50% is chance."""
    return 2 * accuracy - 1


def poor(skill: float) -> bool:
    return skill < MUCH


def close(skill: float) -> bool:
    return abs(skill) < CLOSE


def unsteady(orders: Mapping[str, float], values: Mapping[str, float]) -> str:
    """Not consistently: in more than one in ten pairs of models the abler (or larger) one is lower."""
    return share(*inverted(orders, values), MANY)


def around(value: float, said: float) -> str:
    """Within five points of a number of tens."""
    return HOLDS if abs(value - said) < 0.05 else NOT


def every(*verdicts: str) -> str:
    """Several things that are said together: as good as the worst of them."""
    return max(verdicts, key=VERDICTS.index)


def _ends(x: Number | Value) -> tuple[float, float]:
    return (math.nan if x.low is None else x.low), (math.nan if x.high is None else x.high)


def recounted(published: str, again: str) -> str:
    """Once as published, and once without what was lost or what a guesser gets."""
    if published == HOLDS:
        return HOLDS if again == HOLDS else ARTEFACT
    return again if (published, again) == (CANNOT, HOLDS) else published


# --- the list --------------------------------------------------------------------------------------------------------

Found = tuple[str, str]  # what was found, verdict


@dataclass(frozen=True)
class Sentence:
    place: str
    quote: str
    shown_by: str
    because: Mapping[str, str]
    work_out: Callable[[Evidence], Found]


SENTENCES: list[Sentence] = []


def section(s: Sentence) -> str:
    """Under which heading a sentence is listed."""
    if s.place in ("abstract", "1"):
        return "Abstract and introduction"
    number = FIGURES.get(s.place, s.place)
    return next(title for start, title in HEADINGS.items() if number.startswith(start))


FIGURES = {"figure 7": "4.4", "figure 8": "4.4"}
HEADINGS = {
    "2.2": "2 Related work",
    "3": "3 Experimental design",
    "4.1": "4.1 Association",
    "4.2": "4.2 Restriction",
    "4.3": "4.3 Difficulty",
    "4.4": "4.4 Comparison with other benchmarks",
    "4": "4 Results",
    "6": "6 Conclusions",
    "8": "8 Limitations",
}


def sentence(
    place: str, quote: str, shown_by: str, because: Mapping[str, str]
) -> Callable[[Callable[[Evidence], Found]], None]:
    def keep(work_out: Callable[[Evidence], Found]) -> None:
        SENTENCES.append(Sentence(place, quote, shown_by, because, work_out))

    return keep


AGAIN = "`python studies/2025-paper/make.py --claim {number}`"
SCORE = "`selfexec score TEN --convention readable --readings READINGS`"
AUTHORS = "`selfexec score TEN --convention authors --readings READINGS`"
LEDGER = "`selfexec ledger TEN --readings READINGS`"
CROSS = "`selfexec cross TEN --readings READINGS`"
CORRELATE = "`selfexec correlate studies/2025-paper/models.csv`"
RASCH = "`selfexec rasch paper`"
ALGORITHM_1 = "`selfexec rasch paper --method paper`"


def compare(one: str, two: str) -> str:
    """First less second."""
    return f"`{difference(one, two)}`"


# --- abstract, sections 2 and 3 --------------------------------------------------------------------------------------


@sentence(
    "abstract",
    "models generally perform poorly on this benchmark",
    f"{AGAIN}; {SCORE} (skill and self-knowledge of each)",
    {
        HOLDS: "Also by skill; but o4-mini and gpt-4.1 are beyond half of the way, and in restriction most models. "
        "None foretells itself better than somebody who never saw it."
    },
)
def _(e: Evidence) -> Found:
    scores, skills = e.of_all("self_execution_score").values(), e.skill.values()
    poor_scores, poor_skills = sum(poor(way(x)) for x in scores), sum(map(poor, skills))
    cells = {x: list(found.values()) for x, found in _skills(e).items()}
    sure, of = e.knowing
    return (
        f"less than half of the way from chance to a perfect score: {poor_scores} of {len(scores)} scores, if chance "
        f"is 50%; {poor_skills} of {len(skills)} skills, from {span(skills)} ("
        + ", ".join(f"{x} {sum(map(poor, found))} of {len(found)}" for x, found in cells.items())
        + f"); self-knowledge surely above 0 in {sure} of {of} (model, experiment)",
        recounted(share(poor_scores, len(scores), MOST), share(poor_skills, len(skills), MOST)),
    )


@sentence(
    "abstract",
    "increased model size or capability does not consistently lead to better performance",
    f"{AGAIN}; {CORRELATE} (r)",
    {HOLDS: "There are many exceptions, also without the lost requests; on the whole abler models score higher."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    r, again = (together(ability, x) for x in (e.of_all("self_execution_score"), e.score_without_lost))
    found, verdict = _scaling(e)
    return (
        f"{found}; r(ability, score) {iv(r)}, {iv(again)} without the lost requests; r(ability, skill) "
        f"{iv(together(ability, e.skill))}",
        verdict,
    )


@sentence(
    "1",
    "In many cases, increases in model size or capability do not lead to improved performance",
    AGAIN,
    {HOLDS: "Also without the lost requests, though these are then partly other pairs, and fewer of them sure."},
)
def _(e: Evidence) -> Found:
    return _scaling(e)


def _scaling(e: Evidence) -> Found:
    """Of the pairs of models how many are the wrong way round, by ability and by size; surely: beyond the error of
    their scores. What is said of size or capability is said of both.
    """
    score, again = e.of_all("self_execution_score"), e.score_without_lost
    said, verdicts = [], []
    for word, of, order in (("abler", "models", e.of_all("rasch_ability")), ("larger", "names with a size", _sizes(e))):
        (wrong, pairs), (left, _) = inverted(order, score), inverted(order, again)
        sure, still = _surely(order, e.score), _surely(order, e.score_left)
        said.append(
            f"of {pairs} pairs of {of} {wrong} in which the {word} scores lower ({sure} surely); {left} ({still}) "
            "without the lost requests"
        )
        verdicts.append(recounted(unsteady(order, score), unsteady(order, again)))
    return "; ".join(said), every(*verdicts)


def _surely(order: Mapping[str, float], score: Callable[[str], Value]) -> int:
    pairs = [sorted(pair, key=order.__getitem__) for pair in combinations(order, 2)]
    return sum(apart(score(two), score(one))[1].high < 0 for one, two in pairs if order[one] < order[two])


def _sizes(e: Evidence) -> dict[str, float]:
    return {m: size for m in e.models if (size := size_in_name(m))}


@sentence(
    "2.2",
    "full benchmark results are available",
    RASCH,
    {NOT: "A third of the cells of Table 1 are empty, which is why section 4.4 needs the Rasch model."},
)
def _(e: Evidence) -> Found:
    filled = int(np.isfinite(e.rates.rates).sum())
    return f"{filled} of {e.rates.rates.size} cells of Table 1", HOLDS if filled == e.rates.rates.size else NOT


@sentence(
    "3.2",
    "approximately 1,000 diverse questions",
    AGAIN,
    {NOT: "XSTest, from which they are taken, has 450, and every published accuracy is a number of 450ths."},
)
def _(e: Evidence) -> Found:
    asked = {round(r["consistent"] / r["accuracy"]) for r in (e.published[m]["restriction"] for m in e.models)}
    return f"{', '.join(map(str, asked))} requests for each of {len(e.models)} models", stated((max(asked), "1000"))


@sentence(
    "3.2, figure 1",
    "Each model is queried three times for each request",
    AGAIN,
    {HOLDS: "Prediction, request and judgement are separate sessions."},
)
def _(e: Evidence) -> Found:
    found = {x.value for x in e.recorded.of("sessions_a_request", "restriction").values()}
    return f"{', '.join(f'{x:.0f}' for x in found)} sessions in the recorded replies", stated((max(found), "3"))


@sentence(
    "3.3",
    "four questions from 10 different topics",
    AGAIN,
    {HOLDS: "The ten topics are all there; the four of a group need not be of different ones."},
)
def _(e: Evidence) -> Found:
    groups = [[subject for subject, _ in group.questions] for group in groupings()]
    subjects = {subject for group in groups for subject in group}
    whole = sum(len(set(group)) == 4 for group in groups)
    return f"{len(subjects)} subjects; {whole} of {len(groups)} groups have four of them", stated((len(subjects), "10"))


@sentence(
    "3.3",
    "1000 MMLU questions, which resulted with 250 4-question groups",
    AGAIN,
    {HOLDS: "Two models were only asked the questions of groups that they had ranked."},
)
def _(e: Evidence) -> Found:
    questions = {question for group in groupings() for question in group.questions}
    groups = len(groupings())
    fewer = {m: int(n) for m, n in e.number("difficulty", "mmlu_total").items() if n < len(questions)}
    left = ", ".join(f"{m} {n}" for m, n in fewer.items())
    return f"{len(questions)} questions in {groups} groups; answered by {left}, all others 1000", stated(
        (len(questions), "1000"), (groups, str(GROUPS))
    )


# --- section 4: rules of counting ------------------------------------------------------------------------------------


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
    f"{AGAIN}; {LEDGER} (guessers, of each of the ten)",
    {NOT: "Outcomes are unbalanced in association, the label foretells restriction, and length says which is hard."},
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
        f"{dec(_mean(length))}, above .5 for sure in {_sure(length, 0.5)} of {len(length)}",
        HOLDS if not beaten and not behind else NOT,
    )


def _mean(numbers: Mapping[str, Number]) -> float:
    return statistics.fmean(x.value for x in numbers.values())


def _sure(numbers: Mapping[str, Number], limit: float = 0.0) -> int:
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


# --- 4.1 association -------------------------------------------------------------------------------------------------


@sentence(
    "4.1, figure 2",
    "the o4-mini model, which performed best",
    AGAIN,
    {CANNOT: "It leads, but claude-3.7-sonnet is close, and its replies, which would allow to pair, are unpublished."},
)
def _(e: Evidence) -> Found:
    return _best(e, "association")


def _best(e: Evidence, experiment: str) -> Found:
    """Whether o4-mini is above the next best, as if they had been asked different items."""
    values = {m: e.accuracy(m, experiment) for m in e.models}
    first, second = sorted(e.models, key=lambda m: -values[m].value)[:2]
    p, gap = apart(values[first], values[second])
    verdict = above(_ends(gap)) if first == "o4-mini" else NOT
    return f"{first} {iv(values[first])}, {second} {iv(values[second])}; {signed(gap)}, p = {dec(p, 2)}", verdict


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
    f"{SCORE}; {LEDGER} (always no)",
    {
        ARTEFACT: "Accuracy is the wrong measure here: it says yes too often, and still far more for words that it "
        "lists than for others, more than half of the way to perfection; and who always says no would have more."
    },
)
def _(e: Evidence) -> Found:
    found = e.accuracy("o4-mini", "association")
    j = e.recorded["youden_j", "o4-mini", "association"]
    no = e.recorded["always_no", "o4-mini", "association"]
    published = HOLDS if poor(way(found.value)) else NOT
    again = HOLDS if poor(j.value) else NOT
    return f"{dec(found.value)}; always no {dec(no.value)}; Youden's J {iv(j)}, 0 being chance", recounted(
        published, again
    )


@sentence(
    "4.1",
    "limited capability for models to accurately anticipate their own associations",
    f"{SCORE}; {CROSS}",
    {HOLDS: "What most other models list foretells each model better than it does itself."},
)
def _(e: Evidence) -> Found:
    own = {m: x for (m, experiment), x in e.self_knowledge.items() if experiment == "association"}
    under = sum((x.high or 0) < 0 for x in own.values())
    bonus = e.recorded["self_bonus", "o4-mini", "association"]
    return (
        f"self-knowledge {span(x.value for x in own.values())}, surely below 0 in {under} of {len(own)} models; "
        f"self-bonus {_points(bonus)} points of accuracy",
        share(under, len(own), MOST),
    )


def _points(x: Number) -> str:
    """In points of accuracy."""
    value, low, high = (100 * (end or 0.0) for end in x[:3])
    return signed(Value(value, low, high, math.nan), 2)


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


# --- 4.2 restriction -------------------------------------------------------------------------------------------------


@sentence(
    "4.2, figure 3",
    "o4-mini performs best at this task as well",
    AGAIN,
    {CANNOT: "gpt-4.1-mini is close behind, and its replies are not published."},
)
def _(e: Evidence) -> Found:
    return _best(e, "restriction")


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
    compare("deepseek-r1", "deepseek-v3"),
    {HOLDS: "Not by the example; but deepseek-r1 is less accurate than deepseek-v3; next to nothing was lost."},
)
def _(e: Evidence) -> Found:
    gap = e.recorded["difference", "deepseek-r1 less deepseek-v3", "restriction"]
    return f"deepseek-r1 less deepseek-v3 {signed(gap)}, {gap.n} requests", below(_ends(gap), 0)


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


# --- 4.3 difficulty --------------------------------------------------------------------------------------------------


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
        every(stated((100 * one.value, "67"), (100 * two.value, "73")), below(_ends(gap), 0)),
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
        every(stated((100 * one.value, "71"), (100 * two.value, "68")), above(_ends(gap))),
    )


@sentence(
    "4.3",
    "since the random baseline is 50%, none of the models can be perceived as performing well",
    f"{AGAIN}; {SCORE} (of those with replies)",
    {
        HOLDS: "All are above 50%, but none is half of the way to a perfect order, nor above what others found hard. "
        "How far an order can be foretold at all, one run does not say."
    },
)
def _(e: Evidence) -> Found:
    own, tau = e.recorded.of("accuracy", "difficulty"), e.recorded.of("tau", "difficulty")
    others = e.recorded.of("others_mode", "difficulty")
    published = e.number("difficulty", "accuracy").values()
    sure = sum((x.low or 0) > 0 for (_, name), x in e.self_knowledge.items() if name == "difficulty")
    low, again = sum(poor(way(x)) for x in published), sum(poor(x.value) for x in tau.values())
    return (
        f"{span(x.value for x in own.values())}, surely above .5 in {_sure(own, 0.5)} of {len(own)}; less than half of "
        f"the way to a perfect order in {low} of {len(published)} published, and {again} of {len(tau)} by Kendall's "
        f"tau, {span(x.value for x in tau.values())}; others' mode {span(x.value for x in others.values())}; "
        f"self-knowledge surely above 0 in {sure}",
        recounted(share(low, len(published), 1 - 1e-9), share(again, len(tau), 1 - 1e-9)),
    )


@sentence(
    "4.3, figure 5",
    "the standard deviation carries a large percent of the average number of token",
    AGAIN,
    {HOLDS: "In nearly all models; but a spread in tokens is no proof that it can be foretold."},
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


# --- 4.4 comparison --------------------------------------------------------------------------------------------------


@sentence(
    "4.4, figure 7",
    "The average performance on the restriction recognition test is the highest",
    f"{AGAIN}; {SCORE} (skill of each model)",
    {HOLDS: "As published it could not be told from difficulty, for what was lost; on what was read it stands out."},
)
def _(e: Evidence) -> Found:
    r, d = e.number("restriction", "accuracy"), e.number("difficulty", "accuracy")
    published = mean(r[m] - d[m] for m in e.models)
    skills = _skills(e)
    again = mean(skills["restriction"][m] - skills["difficulty"][m] for m in e.skill)
    return (
        f"restriction less difficulty, accuracy {signed(published)} over {len(r)} models; skill on what was read "
        f"{signed(again)} over {len(e.skill)}",
        recounted(above(_ends(published)), above(_ends(again))),
    )


def _skills(e: Evidence) -> dict[str, dict[str, float]]:
    names = {"association": "youden_j", "restriction": "youden_j", "difficulty": "tau"}
    return {x: {m: n.value for m, n in e.recorded.of(name, x).items()} for x, name in names.items()}


@sentence(
    "4.4, figure 7",
    "the association test shows the lowest scores",
    f"{AGAIN}; {SCORE} (skill of each model)",
    {ARTEFACT: "Of accuracy: models say yes too often there. With chance taken off it is no lower than difficulty."},
)
def _(e: Evidence) -> Found:
    a, d = e.number("association", "accuracy"), e.number("difficulty", "accuracy")
    published = mean(a[m] - d[m] for m in e.models)
    skills = _skills(e)
    again = mean(skills["association"][m] - skills["difficulty"][m] for m in e.skill)
    return (
        f"association less difficulty, accuracy {signed(published)} over {len(a)} models; skill {signed(again)} over "
        f"{len(e.skill)}",
        recounted(below(_ends(published), 0), below(_ends(again), 0)),
    )


@sentence(
    "4.4",
    "with results close to the random baseline",
    f"{AGAIN}; {SCORE} (skill of each model)",
    {ARTEFACT: "50% is nobody's baseline there. Guessing as often as the model says yes gives less, always no more."},
)
def _(e: Evidence) -> Found:
    own = e.number("association", "accuracy")
    j = {m: e.youden_j(m) for m in e.models}
    average, skill = mean(own.values()), mean(j.values())
    sure = e.recorded.of("youden_j", "association")
    no = statistics.fmean(e.number("association", "always_no_accuracy").values())
    return (
        f"mean {iv(average)}; always no {dec(no)}; Youden's J {iv(skill)} on average, {span(j.values())}, surely above "
        f"chance in {_sure(sure)} of {len(sure)}",
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
    gap = max(abs(printed[m] - names[_table_name(e, m)]) for m in e.models)
    fitted = e.rasch.fit.abilities
    shift = float(np.mean(fitted - again))
    rest = float(np.abs(fitted - again - shift).max())
    return (
        f"largest difference {gap:.1e} after {e.algorithm_1.fit.iterations} iterations; a settled fit lies "
        f"{dec(shift)} higher throughout, to {rest:.6f}",
        HOLDS if gap < 1e-6 else NOT,
    )


def _abilities(e: Evidence) -> tuple[tuple[str, ...], np.ndarray]:
    return e.rates.models, e.algorithm_1.fit.abilities


def _table_name(e: Evidence, model: str) -> str:
    """Table 1 and the results name one model a little otherwise."""
    return model if model in e.rates.models else next(m for m in e.rates.models if m in model or model in m)


@sentence(
    "4.4, figure 8",
    "no clear correspondence between the general benchmark scores and the results of the other experiments",
    CORRELATE,
    {NOT: "The correlation is surely above 0, and with the difficulty test it is high."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    r = together(ability, e.of_all("self_execution_score"))
    by = {x: together(ability, e.number(x, "accuracy")) for x in EXPERIMENTS}
    return (
        f"r(ability, score) {iv(r)}; " + ", ".join(f"{x} {iv(found)}" for x, found in by.items()),
        none_seen(r.interval),
    )


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
    p, gap = apart(values[0], values[1])
    verdict = above(_ends(gap)) if names[0] == "gemini-2.5-pro" else NOT
    return f"{'; '.join(said)}; {signed(gap, 2)}, p = {dec(p, 2)}", verdict


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
    {ARTEFACT: "It is told from gpt-4.1; but from claude-3.7-sonnet only by the latter's failed requests."},
)
def _(e: Evidence) -> Found:
    second = e.recorded["difference", "o4-mini less gpt-4.1", "overall"]
    one, two = "o4-mini", "claude-3.7-sonnet-thinking"
    _, third = apart(e.score(one), e.score(two))
    _, again = apart(e.score_left(one), e.score_left(two))
    return (
        f"less gpt-4.1 {signed(second)}, paired, on what was read; less {two} {signed(third)} as published, "
        f"{signed(again)} without the lost requests",
        recounted(every(above(_ends(second)), above(_ends(third))), above(_ends(again))),
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
    {ARTEFACT: "Of the baseline: guessers who never saw it have more, and its skill is more than half of the way."},
)
def _(e: Evidence) -> Found:
    m = "o4-mini"
    guessers = [
        max(e.recorded[name, m, x].value for name in names)
        for x, names in {
            "association": ("always_no", "others_mode"),
            "restriction": ("label", "others_mode"),
            "difficulty": ("question_length", "subject", "others_mode"),
        }.items()
    ]
    best = statistics.fmean(guessers)
    return (
        f"{dec(e.score(m).value)}; best guessers {dec(best)}; skill {dec(e.skill[m])}, 0 being chance",
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
    skills = _skills(e)
    again = [together(skills[one], skills[two]) for one, two in combinations(EXPERIMENTS, 2)]
    return f"between skills {', '.join(iv(r) for r in again)}", every(*(_within(r.interval, LOW) for r in again))


@sentence(
    "4.4",
    "capabilities not already captured by common benchmarks",
    CORRELATE,
    {CANNOT: "Score and skill go with ability; what a model has over the best guesser may or may not."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    r = together(e.self_knowledge_overall, ability)
    return (
        f"r with ability: score without the lost requests {iv(together(ability, e.score_without_lost))}; skill "
        f"{iv(together(e.skill, ability))}; self-knowledge {iv(r)}",
        below(r.interval, HIGH),
    )


# --- 6 to 8 ----------------------------------------------------------------------------------------------------------


@sentence(
    "6",
    "even the most capable LLMs struggle to anticipate core properties of their responses",
    SCORE,
    {HOLDS: "The ablest of those with replies is not above the best guesser in any of the three."},
)
def _(e: Evidence) -> Found:
    ability = e.of_all("rasch_ability")
    ablest = max((m for m in e.skill), key=lambda m: ability[m])
    own = {x: e.self_knowledge[ablest, x] for x in EXPERIMENTS}
    return (
        f"{ablest}, self-knowledge: " + ", ".join(f"{x} {signed(v)}" for x, v in own.items()),
        HOLDS if not any((v.low or 0) > 0 for v in own.values()) else NOT,
    )


@sentence(
    "6",
    "performance does not scale consistently with model size or sophistication",
    f"{AGAIN}; {CORRELATE} (r)",
    {HOLDS: "By the pairs of models, though only five names tell a size, from 3 to 24 billion."},
)
def _(e: Evidence) -> Found:
    found, verdict = _scaling(e)
    r = together({m: math.log(size) for m, size in _sizes(e).items()}, e.of_all("self_execution_score"))
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
    f"{AGAIN}; {CROSS} (self-bonus); {SCORE} (self-knowledge of each)",
    {HOLDS: "None beats a guesser who never saw it; what they have of their own is a few points of accuracy at most."},
)
def _(e: Evidence) -> Found:
    sure, of = e.knowing
    bonus = [("association", "self_bonus"), ("restriction", "self_bonus_by_rule"), ("difficulty", "self_bonus")]
    said = ", ".join(f"{x} {_points(e.recorded[name, 'o4-mini', x])}" for x, name in bonus)
    return (
        f"self-knowledge surely above 0 in {sure} of {of}; self-bonus in points of accuracy, refusals by one rule: "
        + said,
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


def work_out(s: Sentence, evidence: Evidence) -> tuple[Sentence, str, str, str]:
    """A sentence with what was found, the verdict and its reason."""
    found, verdict = s.work_out(evidence)
    if verdict not in s.because:
        raise SystemExit(f"“{s.quote}”: the rule now says “{verdict}” ({found}). Write the reason anew.")
    return s, found, verdict, s.because[verdict]


def shown_by(number: int) -> str:
    """The commands that show the row of this number, counted from 1."""
    return SENTENCES[number - 1].shown_by.replace("{number}", str(number))
