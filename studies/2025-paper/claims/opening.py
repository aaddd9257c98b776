"""The sentences of the abstract and of sections 1 to 3."""

from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from evidence import EXPERIMENTS, GROUPS, Evidence, Value, apart, inverted, iv, size_in_name, span, together

from claims.comparison import skills_of
from claims.rules import HOLDS, MOST, NOT, every, poor, recounted, share, stated, unsteady, way
from claims.sentences import AGAIN, CORRELATE, RASCH, SCORE, Found, Sentence, kept_in
from selfexec.items import groupings

SENTENCES: list[Sentence] = []
sentence = kept_in(SENTENCES)


@sentence(
    "abstract",
    "models generally perform poorly on this benchmark",
    f"{AGAIN}; {SCORE} (skill of each)",
    {
        HOLDS: "Also by skill; but o4-mini and gpt-4.1 are beyond half of the way, and in restriction most models. Of "
        "what is possible at their rates of yes all reach more than half in association and restriction: what they "
        "lose there they lose mostly by how often."
    },
)
def _(e: Evidence) -> Found:
    scores, skills = e.of_all("self_execution_score").values(), e.skill.values()
    poor_scores, poor_skills = sum(poor(way(x)) for x in scores), sum(map(poor, skills))
    cells = {x: list(found.values()) for x, found in skills_of(e).items()}
    return (
        f"less than half of the way from chance to a perfect score: {poor_scores} of {len(scores)} scores, if chance "
        f"is 50%; {poor_skills} of {len(skills)} skills, from {span(skills)} ("
        + ", ".join(f"{x} {sum(map(poor, found))} of {len(found)}" for x, found in cells.items())
        + "); "
        + short_of_the_ceiling(e),
        recounted(share(poor_scores, len(scores), MOST), share(poor_skills, len(skills), MOST)),
    )


def short_of_the_ceiling(e: Evidence) -> str:
    """How many reach less than half of what is possible at their rate of yes, in the experiments with rates."""
    shares = {x: [found.value for found in e.shares(x).values()] for x in EXPERIMENTS[:2]}
    return "less than half of what is possible at the rate of yes: " + ", ".join(
        f"{x} {sum(map(poor, found))} of {len(found)}" for x, found in shares.items()
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
    found, verdict = scaling(e)
    return (
        f"{found}; r(ability, score) {iv(r)}, {iv(again)} without the lost requests; r(ability, skill) "
        f"{iv(together(ability, e.skill))}, with shares of the ceiling in place of J {iv(together(ability, e.share))}",
        verdict,
    )


@sentence(
    "1",
    "In many cases, increases in model size or capability do not lead to improved performance",
    AGAIN,
    {HOLDS: "Also without the lost requests, though these are then partly other pairs, and fewer of them sure."},
)
def _(e: Evidence) -> Found:
    return scaling(e)


def scaling(e: Evidence) -> Found:
    """Of the pairs of models how many are the wrong way round, by ability and by size; surely: beyond the error of
    their scores. What is said of size or capability is said of both.
    """
    score, again = e.of_all("self_execution_score"), e.score_without_lost
    said, verdicts = [], []
    for word, of, order in (
        ("abler", "models", e.of_all("rasch_ability")),
        ("larger", "names with a size", sizes_of(e)),
    ):
        (wrong, pairs), (left, _) = inverted(order, score), inverted(order, again)
        sure, still = _surely(order, e.score), _surely(order, e.score_left)
        said.append(
            f"of {pairs} pairs of {of} {wrong} in which the {word} scores lower ({sure} surely); {left} ({still}) "
            "without the lost requests"
        )
        verdicts.append(recounted(unsteady(order, score), unsteady(order, again)))
    ability = e.of_all("rasch_ability")
    wrong, pairs = inverted(ability, e.share)
    said.append(f"of {pairs} pairs of models with replies {wrong} by shares of the ceiling and tau")
    return "; ".join(said), every(*verdicts, recounted(every(*verdicts), unsteady(ability, e.share)))


def _surely(order: Mapping[str, float], score: Callable[[str], Value]) -> int:
    pairs = [sorted(pair, key=order.__getitem__) for pair in combinations(order, 2)]
    return sum(apart(score(two), score(one))[1].high < 0 for one, two in pairs if order[one] < order[two])


def sizes_of(e: Evidence) -> dict[str, float]:
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
