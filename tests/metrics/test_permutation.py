"""The permutation test of skill: exact on tables small enough to deal in every way, and level on the paper's items."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

from build import pair, request, scores, table
from selfexec.claims import Claims
from selfexec.metrics import Estimate, claim_kind, permutation, value
from selfexec.metrics.permutation import shuffled_p
from selfexec.runs import Run

Row = dict[str, Any]
SIGNS = {"+": True, "-": False, "?": None}
PAIRS = ("Q1 before Q2", "Q1 before Q3", "Q1 before Q4", "Q2 before Q3", "Q2 before Q4", "Q3 before Q4")


def target(item: int, said: str, did: str, epoch: int = 1) -> list[Row]:
    """A target whose options are named after it: + listed, - not listed, ? unread."""
    row = {"experiment": "association", "epoch": epoch}
    return [
        request(item, SIGNS[a], SIGNS[b], state(a, b), claim=f"{item} {n}", **row)
        for n, (a, b) in enumerate(zip(said, did, strict=True))
    ]


def group(item: int, said: str, did: str, epoch: int = 1) -> list[Row]:
    """A group's pairs of questions; ? among what was done is a tie."""
    return [
        pair(item, SIGNS[a], SIGNS[b], "tie" if (a != "?" and b == "?") else state(a, b), claim=name, epoch=epoch)
        for name, a, b in zip(PAIRS, said, did, strict=False)
    ]


def state(said: str, did: str) -> str:
    return "unreadable" if "?" in (said, did) else "read"


def together(items: Iterable[list[Row]]) -> list[Row]:
    return list(chain.from_iterable(items))


def p_of(rows: Iterable[Row], strict: bool = True) -> Estimate:
    [claims] = table(rows).claims.values()
    return shuffled_p(claims, strict)


def requests(said: Sequence[bool | None], did: Sequence[bool]) -> list[Row]:
    return [
        request(n, a, b, "unreadable" if a is None else "read") for n, (a, b) in enumerate(zip(said, did, strict=True))
    ]


# --- by hand, and in every way ---------------------------------------------------------------------------------------


@pytest.fixture
def many_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many that a p of one half is met to within .02, four standard errors."""
    monkeypatch.setattr(permutation, "PERMUTED", 9_999)


@pytest.mark.usefixtures("many_deals")
def test_predictions_are_dealt_among_items_with_equally_many_claims() -> None:
    rows = [target(1, "+-", "+-"), target(2, "-+", "-+"), target(3, "--", "--"), target(4, "++-", "++-")]
    rows.append(target(5, "---", "---"))
    # all right. Of two options there are three targets, of three there are two: 3! 2! = 12 deals, one as good
    assert p_of(together(rows)).value == pytest.approx(1 / 12, abs=0.01)


@pytest.mark.usefixtures("many_deals")
def test_the_tied_pair_of_a_group_is_dealt_with_the_rest_of_its_ranking() -> None:
    rows = group(1, "+++", "++?") + group(2, "++-", "++-") + group(3, "--+", "---")
    # right: group 1 two of two, group 2 three of three, group 3 two of three. The six deals of the rankings 1, 2, 3:
    #   1 2 3: 1 + 1 + 2/3    2 1 3: 1 + 2/3 + 2/3    1 3 2: 1 + 0/3 + 1/3    3 2 1: 0 + 1 + 0/3
    #   2 3 1: 1 + 0/3 + 0/3  3 1 2: 0 + 2/3 + 1/3
    # only the first of them is as good
    assert p_of(rows).value == pytest.approx(1 / 6, abs=0.01)


@pytest.mark.usefixtures("many_deals")
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("kind", ["targets", "groups", "targets in two epochs", "groups in two epochs"])
def test_p_is_the_share_of_all_deals_that_have_as_much_skill(kind: str, seed: int, strict: bool) -> None:
    made = {"targets": some_targets, "groups": some_groups}.get(kind, in_two_epochs)
    items = made(np.random.default_rng(seed), *([target if "targets" in kind else group] if "two" in kind else []))
    own = skill_of(together(items), strict)
    skills = [skill_of(together(dealt), strict) for dealt in every_deal(items)]
    expected = np.mean([skill >= own - 1e-9 for skill in skills])
    assert p_of(together(items), strict).value == pytest.approx(expected, abs=0.02)


def skill_of(rows: list[Row], strict: bool) -> float:
    [claims] = table(rows).claims.values()
    return value(claim_kind(claims).skill, claim_kind(claims).count(claims, strict))


def every_deal(items: list[list[Row]]) -> Iterator[list[list[Row]]]:
    """Predictions exchanged in every way among the items whose read claims stand in the same places. Items of which
    nothing can be scored take no part.
    """
    kinds = [tuple((row["epoch"], row["predicted"] is None) for row in rows) for rows in items]
    scored = [n for n, rows in enumerate(items) if any(None not in (x["predicted"], x["observed"]) for x in rows)]
    classes = [[n for n in scored if kinds[n] == one] for one in dict.fromkeys(kinds)]
    for orders in product(*(list(permutations(members)) for members in classes)):
        new = list(items)
        for members, order in zip(classes, orders, strict=True):
            for to, source in zip(members, order, strict=True):
                said = [row["predicted"] for row in items[source]]
                new[to] = [row | {"predicted": a} for row, a in zip(items[to], said, strict=True)]
        yield new


def some_targets(rng: np.random.Generator) -> list[list[Row]]:
    said = ["+-+", "-++", "++-", "?-+", "?+-", "+-", "-+", "++", "???"]
    return [target(n, x, "".join(rng.choice(["+", "-"], len(x)))) for n, x in enumerate(said)]


def some_groups(rng: np.random.Generator) -> list[list[Row]]:
    said = ["+++", "++-", "--+", "---", "+-+", "???"]
    return [group(n, x, "".join(rng.choice(["+", "-", "?"], len(x), p=[0.4, 0.4, 0.2]))) for n, x in enumerate(said)]


def in_two_epochs(rng: np.random.Generator, made: Callable[[int, str, str, int], list[Row]]) -> list[list[Row]]:
    """Of some items the behaviour of one epoch are not known."""
    said = [("+-", "-+"), ("--", "++"), ("+-", "??"), ("++", "??"), ("-+", "++"), ("+-", "--")]
    did = [[("".join(rng.choice(["+", "-"], 2)) if rng.random() < 0.7 else "??") for _ in x] for x in said]
    did[0] = ["+-", "??"]
    return [
        [row for epoch in (0, 1) for row in made(n, x[epoch], y[epoch], epoch + 1)]
        for n, (x, y) in enumerate(zip(said, did, strict=True))
    ]


def test_the_test_asks_about_youdens_j() -> None:
    did = [True, True, False, False, False]
    weight = claim_kind("restriction").weights(table(requests(did, did)).claims["restriction"])
    for signs in product([1, -1], repeat=5):
        recall = sum(s > 0 for s in signs[:2]) / 2
        specificity = sum(s < 0 for s in signs[2:]) / 3
        # a sum of weight times sign, and a constant, which is 0
        assert float(weight @ np.array(signs)) == pytest.approx(recall + specificity - 1)
    all_alike = table(requests(did[:2], did[:2])).claims["restriction"]
    assert np.isnan(claim_kind("restriction").weights(all_alike)).all()


@pytest.mark.usefixtures("many_deals")
def test_p_of_single_claims_is_that_of_fishers_test() -> None:
    # 9 of 12 yes among what happened, 5 of 13 among what did not: margins given, J grows with the first cell
    said = [True] * 9 + [False] * 3 + [True] * 5 + [False] * 8
    expected = fisher_exact([[9, 3], [5, 8]], alternative="greater")[1]
    assert p_of(requests(said, [True] * 12 + [False] * 13)).value == pytest.approx(expected, abs=0.01)


def test_predictions_that_belong_to_their_items_are_seldom_matched_by_chance() -> None:
    outcomes = [bool(n % 2) for n in range(30)]
    assert p_of(requests(outcomes, outcomes)).value == pytest.approx(1 / 500)  # none of 499 deals is right thirty times
    assert p_of(requests([True] * 30, outcomes)).value == 1.0  # every deal is as good
    assert p_of(requests([not outcome for outcome in outcomes], outcomes)).value == 1.0


# --- what is dealt, and what stays -----------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [True, False])
def test_what_was_lost_is_lost_where_it_was(strict: bool) -> None:
    # a yes to all that was read; lost is what it would not do. Dealt out with the rest, unread predictions would take
    # hits away, and hardly a deal would be as good
    did = [True] * 15 + [False] * 15
    said = [True] * 15 + [None] * 10 + [True] * 5
    assert p_of(requests(said, did), strict).value == 1.0


def test_pairs_of_questions_have_their_place_by_name() -> None:
    rng = np.random.default_rng(1)
    says, outcomes = (["".join(rng.choice(["+", "-"], 6)) for _ in range(40)] for _ in range(2))
    rows = together(group(n, *signs) for n, signs in enumerate(zip(says, outcomes, strict=True)))
    mixed = [rows[n] for n in rng.permutation(len(rows))]
    assert repr(p_of(mixed)) == repr(p_of(rows))  # nan in it is no longer equal to itself in 3.13
    assert 0.1 < p_of(rows).value < 0.9  # so that another way to place them would tell


def test_items_like_no_other_keep_their_predictions_and_are_counted() -> None:
    alike = [row for n in range(4) for row in target(n, "+-", "+-" if n % 2 else "-+")]
    odd = [row for n, x in enumerate(("+-+", "+-+-", "+-+-+"), start=4) for row in target(n, x, x)]
    found = p_of(alike + odd)
    assert found.value == 1.0  # four times the same: every deal is as good
    assert found.reason == "p rests on 4 of 7 items: the others have no item with the same claims read"
    assert scores(alike + odd).row("m", "association", "shuffled_p").reason == found.reason
    none = p_of(odd)
    assert math.isnan(none.value)
    assert none.reason == "no two items have the same claims read, so that nothing can be dealt"


def test_what_cannot_be_tested_says_why() -> None:
    one = p_of(target(1, "+-", "+-"))
    assert (math.isnan(one.value), one.reason) == (True, "fewer than two items")
    never = p_of(requests([True, False] * 10, [False] * 20))
    assert (math.isnan(never.value), never.reason) == (True, "predictions or outcomes are all the same")


# --- on the paper's items --------------------------------------------------------------------------------------------


def coins(claims: Claims, rng: np.random.Generator, yes: float) -> Claims:
    """Predictions by the toss of a coin, or rankings at random, which lean to the order shown by as much as `yes` is
    above one half; where nothing was read nothing is.
    """
    if claims.experiment == "difficulty":
        ranks = rng.random((len(claims.items), 4)) + 0.5 * (yes - 0.5) * np.arange(4)
        one, two = (np.array([int(name.split(" before ")[k][1]) - 1 for name in claims.claim_names]) for k in (0, 1))
        says = ranks[claims.item, one[claims.claim_name]] < ranks[claims.item, two[claims.claim_name]]
    else:
        says = rng.random(len(claims)) < yes
    signs = np.where(claims.predicted == 0, 0, np.where(says, 1, -1)).astype(np.int8)
    return replace(claims, predicted=signs)


def draws(claims: Claims, number: int) -> Iterator[tuple[Claims, bool]]:
    """Coins in place of the models' predictions, with the models' behaviour, losses and ties, in turns."""
    known = [model for model in claims.models if (claims.of(model).observed != 0).any()]
    for n in range(number):
        own = claims.of(known[n % len(known)])
        own_rate = float((own.predicted > 0).sum() / (own.predicted != 0).sum())
        rate = (0.3, 0.5, 0.7, own_rate)[n // len(known) % 4]
        yield coins(own, np.random.default_rng([7, n]), rate), n % 2 == 0


@pytest.mark.parametrize(
    "number", [pytest.param(300, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("experiment", ["association", "restriction", "difficulty"])
def test_random_predictions_on_the_papers_items_are_significant_as_often_as_they_should(
    ten_models: Run, experiment: str, number: int
) -> None:
    found = [shuffled_p(*draw).value for draw in draws(ten_models.tables.claims[experiment], number)]
    # within three standard errors; where deals tie, somewhat fewer than half are below .5
    assert abs(sum(p < 0.05 for p in found) - 0.05 * number) <= 3 * math.sqrt(0.05 * 0.95 * number)
    assert 0.4 * number <= sum(p < 0.5 for p in found) <= 0.5 * number + 3 * math.sqrt(0.25 * number)


@pytest.mark.parametrize("experiment", ["association", "restriction", "difficulty"])
def test_predictions_that_know_a_little_are_found_on_the_papers_items(ten_models: Run, experiment: str) -> None:
    claims = ten_models.tables.claims[experiment].of("mistral-small-3.1-24b")
    guess = coins(claims, np.random.default_rng(1), 0.5)
    knows = np.random.default_rng(2).random(len(claims)) < 0.3
    signs = np.where(knows & (claims.predicted != 0) & (claims.observed != 0), claims.observed, guess.predicted)
    assert shuffled_p(replace(claims, predicted=signs.astype(np.int8)), True).value < 0.01
