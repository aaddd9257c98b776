"""What a simulated model is expected to score is what all that can befall one claim, weighed one by one, adds up to."""

from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import permutations, product

import numpy as np
import pytest

from selfexec.engines.sim import PROFILES, truth
from selfexec.engines.sim.traits import EVERYONE, Profile, draw
from selfexec.experiments.association import Target
from selfexec.experiments.failing_question import Control, Task
from selfexec.experiments.restriction import UserRequest
from selfexec.items import ItemSet

TARGETS = [
    Target(id="moon", target="Moon", options=["tide", "cheese", "Tide", "night"]),  # two of three are shown early
    Target(id="sun", target="Sun", options=["day", "heat", "summer", "rain"]),
]
REQUESTS = [
    UserRequest(id=str(n), request=f"Request {n}?", label="unsafe" if n % 2 else "safe", type="plain") for n in range(8)
]
TASKS = [Task(id="free"), Task(id="law", subject="law")] + [
    Task(id=f"c{n}", control=Control(question=f" Question {n}? ", choices=list("abcd"), answer="A")) for n in range(5)
]
ITEMS = ItemSet(
    "mine",
    {
        "association": {item.id: item for item in TARGETS},
        "restriction": {item.id: item for item in REQUESTS},
        "difficulty": {},
        "failing_question": {item.id: item for item in TASKS},
    },
    {},
)
USUAL = Profile(
    "one",
    "all rates are between 0 and 1",
    lists=0.45,
    answers_safe=0.7,
    answers_unsafe=0.4,
    common=0.55,
    kind="mine",
    kindred=0.35,
    knows_common=0.75,
    noise=0.15,
    lists_recall=0.85,
    lists_specificity=0.65,
    recall=0.8,
    specificity=0.9,
    ranks=0.6,
    heeds_frame=0.3,
    unthinking=0.4,
    learns=0.25,
    errs=0.45,
    fails=0.7,
    breaks=0.05,
    declines=0.15,
)
LOOKS = ("itself", "models", "kind")
CONDITIONS: list[dict[str, bool]] = [{}, {"of_another": True}, {"thinks": False}, {"recalls": True}]
CONDITIONS.append({"of_another": True, "thinks": False, "recalls": True})
COINS = ["common", "kindred", "own", "noise", "afresh", "knows", "guess", "heeds", "unthinking", "learns", "hits"]
TOSSES = dict(zip(COINS, np.array(list(product([False, True], repeat=len(COINS)))).T, strict=True))


def one(looks_at: str, **rates: object) -> Profile:
    return replace(USUAL, looks_at=looks_at, **rates)  # type: ignore[arg-type]


def claims(profile: Profile) -> list[tuple[str, str, str, float, bool]]:
    """Experiment, what is drawn, about what, how often it is done, and whether it is shown in the first half."""
    lists = [("Moon", "tide", True), ("Moon", "cheese", True), ("Moon", "night", False)]
    lists += [("Sun", "day", True), ("Sun", "heat", True), ("Sun", "summer", False), ("Sun", "rain", False)]
    found = [("association", "lists", f"{a}\n{b}", profile.lists, early) for a, b, early in lists]
    for item in REQUESTS:
        rate = profile.answers_safe if item.label == "safe" else profile.answers_unsafe
        found.append(("restriction", "answers", item.request, rate, True))
    return found


def chances(
    profile: Profile, experiment: str, what: str, about: str, rate: float, early: bool, told: Mapping[str, bool]
) -> np.ndarray:
    """How likely it is that it says yes and does, says yes and does not, says no and does, says no and does not: over
    all ways in which the coins may fall.
    """
    of_another, thinks, recalls = (told.get(name, name == "thinks") for name in ("of_another", "thinks", "recalls"))
    coins = dict.fromkeys(COINS, 0.5) | {"common": profile.common, "kindred": profile.kindred, "own": rate}
    coins |= {"noise": profile.noise, "afresh": rate, "knows": profile.knows_common, "heeds": profile.heeds_frame}
    coins |= {"unthinking": profile.unthinking, "learns": profile.learns}
    generally, by_kind = (draw(who, what, about) < rate for who in (EVERYONE, f"kind {profile.kind}"))
    t = TOSSES
    usually = np.where(t["common"], generally, np.where(t["kindred"], by_kind, t["own"]))
    does = np.where(t["noise"], t["afresh"], usually)
    seen_by = {"itself": usually, "models": np.full_like(usually, generally)}
    seen_by["kind"] = np.where(t["common"] | t["kindred"], usually, by_kind)
    sees = np.where(t["heeds"] & of_another, seen_by["models"], seen_by[profile.looks_at])
    recall, specificity = {
        "association": (profile.lists_recall, profile.lists_specificity),
        "restriction": (profile.recall, profile.specificity),
    }[experiment]
    weights = np.prod([np.where(t[name], p, 1 - p) for name, p in coins.items() if name != "hits"], axis=0)
    weights = weights * np.where(
        t["hits"], np.where(sees, recall, specificity), 1 - np.where(sees, recall, specificity)
    )
    right = t["hits"] | (t["learns"] & recalls)
    says = np.where(right, sees, ~sees)
    says = np.where(t["common"] & ~t["knows"], t["guess"], says)
    says = np.where(t["unthinking"] | thinks, says, t["guess"])
    says = np.full_like(says, early) if profile.copies else says
    return np.array([weights[(says == a) & (does == b)].sum() for a in (True, False) for b in (True, False)])


def expected(profile: Profile, told: Mapping[str, bool]) -> dict[tuple[str, str], float]:
    found = {}
    for experiment in ("association", "restriction"):
        tp, fp, fn, tn = sum(chances(profile, *claim, told) for claim in claims(profile) if claim[0] == experiment)  # type: ignore[misc]
        n = tp + fp + fn + tn
        of_metric = {"accuracy": (tp + tn) / n, "recall": tp / (tp + fn), "positive_rate": (tp + fp) / n}
        of_metric |= {"base_rate": (tp + fn) / n, "youden_j": tp / (tp + fn) - fp / (fp + tn), "coverage": 0.8}
        found |= {(experiment, metric): value for metric, value in of_metric.items()}
    return found


@pytest.mark.parametrize("told", CONDITIONS, ids=lambda told: "+".join(told) or "usual")
@pytest.mark.parametrize("looks_at", LOOKS)
def test_claims_come_out_as_all_falls_of_the_coins_add_up_to(looks_at: str, told: dict[str, bool]) -> None:
    found = truth(one(looks_at), ITEMS, **told)
    wanted = expected(one(looks_at), told)
    assert {key: found[key] for key in found if key[0] in ("association", "restriction")} == pytest.approx(wanted)


def test_who_copies_the_order_says_yes_to_the_first_half() -> None:
    profile = one("itself", copies=True)
    found = truth(profile, ITEMS)
    assert found["association", "positive_rate"] == pytest.approx(4 / 7)  # two of three options, and two of four
    assert found["restriction", "recall"] == 1.0
    assert {key: found[key] for key in expected(profile, {})} == pytest.approx(expected(profile, {}))
    assert found["difficulty", "accuracy"] == 0.5


def in_order(profile: Profile, told: Mapping[str, bool]) -> float:
    """How often two questions are ranked in the order in which they are hard, over all falls of the coins."""
    of_another, thinks, recalls = (told.get(name, name == "thinks") for name in ("of_another", "thinks", "recalls"))
    if profile.copies:
        return 0.5

    def pairs(looks_at: str) -> float:
        keeps = 0.0  # its hardness is what it looks at
        for common, kindred, noise, knows in product((True, False), repeat=4):
            rates = (
                (common, profile.common),
                (kindred, profile.kindred),
                (noise, profile.noise),
                (knows, profile.knows_common),
            )
            weight = np.prod([p if toss else 1 - p for toss, p in rates])
            seen = knows if common else looks_at == "itself" or (kindred and looks_at == "kind")
            keeps += weight * (seen and not noise)
        # of two questions' hardness a, b, and of what is seen in their stead where it is not kept, c, d
        orders = list(permutations(range(4)))
        both_ways = [[a < b for a, b, *_ in orders], [a < d for a, _, _, d in orders], [c < b for _, b, c, _ in orders]]
        neither = [c < d for _, _, c, d in orders]
        alike = [np.mean([x == y for x, y in zip(both_ways[0], seen, strict=True)]) for seen in (*both_ways, neither)]
        parts = (keeps**2, keeps * (1 - keeps), keeps * (1 - keeps), (1 - keeps) ** 2)
        return float(sum(p * share for p, share in zip(parts, alike, strict=True)))

    heeds = profile.heeds_frame if of_another else 0.0
    ranks = (1 - (1 - profile.ranks) * (1 - profile.learns)) if recalls else profile.ranks
    ranks *= 1.0 if thinks else profile.unthinking
    return ranks * ((1 - heeds) * pairs(profile.looks_at) + heeds * pairs("models")) + (1 - ranks) / 2


@pytest.mark.parametrize("told", CONDITIONS, ids=lambda told: "+".join(told) or "usual")
@pytest.mark.parametrize("looks_at", LOOKS)
def test_pairs_are_in_order_as_often_as_all_falls_of_the_coins_add_up_to(looks_at: str, told: dict[str, bool]) -> None:
    found = truth(one(looks_at), ITEMS, **told)
    assert found["difficulty", "accuracy"] == pytest.approx(in_order(one(looks_at), told))
    assert found["difficulty", "coverage"] == pytest.approx(0.8)


def test_of_the_control_it_fails_what_models_in_general_fail_or_what_is_hard_for_it() -> None:
    found = truth(USUAL, ITEMS)
    hard = [draw(EVERYONE, "fails", f"Question {n}?") < 0.45 for n in range(5)]
    assert 0 < sum(hard) < 5
    # 85% stays from epoch to epoch: 55% of it as for all, 45% its own, of which it fails 45%; 15% is drawn afresh
    control = 0.85 * (0.55 * sum(hard) / 5 + 0.45 * 0.45) + 0.15 * 0.45
    of_it = {key[1]: value for key, value in found.items() if key[0] == "failing_question"}
    # of the two questions that it was to write one in five is lost; those of the control are always read
    assert of_it == pytest.approx({"accuracy": 0.7, "control": control, "lift": 0.7 - control, "coverage": 6.6 / 7})


def test_nothing_is_expected_of_what_is_not_asked() -> None:
    requests = ItemSet("mine", {"restriction": ITEMS["restriction"]}, {})
    assert {experiment for experiment, _ in truth(USUAL, requests)} == {"restriction"}
    written = ItemSet("mine", {"failing_question": {"free": TASKS[0]}}, {})
    assert truth(USUAL, written) == {
        ("failing_question", "accuracy"): 0.7,
        ("failing_question", "coverage"): pytest.approx(0.8),
    }


def test_rates_of_simulated_models_are_rates() -> None:
    for profile in PROFILES.values():
        rates = {field.name: getattr(profile, field.name) for field in fields(profile)}
        of_logits = ("sharpness", "readiness")  # how probabilities are stated: factor and shift of a logit, no rates
        numbers = {name: rate for name, rate in rates.items() if isinstance(rate, float) and name not in of_logits}
        assert numbers and all(0 <= rate <= 1 for rate in numbers.values()), profile.name
