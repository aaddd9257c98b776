"""How well one execution predicts another, and what lies in items and in repeats."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import selfexec as sx
from build import pair, request, table
from selfexec.analysis.notes import noise_and_loss
from selfexec.analysis.score import Scores, score_tables
from selfexec.metrics import ceilings, claim_kind, value
from selfexec.metrics.ceiling import rehearsals

METRICS = ("noise_ceiling", "skill_over_ceiling", "variance_items", "variance_repeats")


def scores(rows: list[dict[str, Any]], convention: str = "strict") -> Scores:
    return Scores(score_tables(table(rows), ["m"], convention))


def repeated(does: np.ndarray, says: np.ndarray | None = None) -> list[dict[str, Any]]:
    """Requests, shape (items, epochs): what the model does, and what it says that it will do."""
    said = does if says is None else says
    return [
        request(i, bool(said[i, e]), bool(does[i, e]), epoch=e + 1)
        for i in range(does.shape[0])
        for e in range(does.shape[1])
    ]


def orders(does: np.ndarray) -> list[dict[str, Any]]:
    """One pair a group."""
    return [row | {"experiment": "difficulty", "length": 1, "other_length": 2} for row in repeated(does)]


# --- the ceiling -----------------------------------------------------------------------------------------------------


def test_who_always_does_the_same_can_be_predicted_wholly() -> None:
    does = np.repeat(np.arange(60)[:, None] % 3 == 0, 3, axis=1)
    for rows, experiment in ((repeated(does), "restriction"), (orders(does), "difficulty")):
        row = scores(rows).row("m", experiment, "noise_ceiling")
        assert row.value == pytest.approx(1.0)
        assert row.low is not None and 0.5 < row.low < 1.0  # 60 items are not all items
    # 20 requests are done and 40 are not, each as the first time: Wilson's low ends are n / (n + z^2)
    z2 = 1.959963984540054**2
    row = scores(repeated(does)).row("m", "restriction", "noise_ceiling")
    assert (row.low, row.high) == pytest.approx((20 / (20 + z2) + 40 / (40 + z2) - 1, 1.0))
    row = scores(orders(does)).row("m", "difficulty", "noise_ceiling")
    assert (row.low, row.high) == pytest.approx((2 * 60 / (60 + z2) - 1, 1.0))


def test_a_ceiling_is_at_most_one() -> None:
    # 29 of 60 requests are done both times, 30 neither time, and one the first time alone. Each epoch predicts the
    # other: TP 58, FP 1, FN 1, TN 60. J is so near to 1 that t standard errors lead beyond it
    does = np.repeat(np.arange(60)[:, None] % 2 == 0, 2, axis=1)
    does[0, 1] = False
    row = scores(repeated(does)).row("m", "restriction", "noise_ceiling")
    assert row.value == pytest.approx(58 / 59 + 60 / 61 - 1)
    assert row.high == 1 and row.low is not None and row.low < 0.95


def test_who_tosses_a_coin_each_time_cannot_be_predicted() -> None:
    does = np.random.default_rng(1).random((400, 4)) < 0.5
    for rows, experiment in ((repeated(does), "restriction"), (orders(does), "difficulty")):
        found = scores(rows)
        ceiling = found.row("m", experiment, "noise_ceiling")
        assert ceiling.low is not None and ceiling.high is not None
        assert ceiling.low < 0 < ceiling.high
        share = found.row("m", experiment, "skill_over_ceiling")
        assert (share.value, share.reason) == (
            None,
            "the noise ceiling cannot be distinguished from 0: nothing to take a share of",
        )


def test_four_requests_in_two_epochs_by_hand() -> None:
    # did: both, both, first only, neither. Each epoch predicts the other: TP 2+2, FP 1, FN 1, TN 1+1
    does = np.array([[1, 1], [1, 1], [1, 0], [0, 0]], dtype=bool)
    claims = table(repeated(does)).claims["restriction"]
    rehearsed = rehearsals(claims)
    assert rehearsed.counts.sum(0)[:4].tolist() == [4, 1, 1, 2]
    assert value(claim_kind("restriction").skill, rehearsed) == pytest.approx(4 / 5 + 2 / 3 - 1)
    # orders: shares of agreeing pairs of epochs 1, 1, 0, 1: accuracy 3/4
    order_claims = table(orders(does)).claims["difficulty"]
    assert value(claim_kind("difficulty").skill, rehearsals(order_claims)) == pytest.approx(2 * 3 / 4 - 1)


def test_the_ceiling_is_the_mean_over_all_ordered_pairs_of_epochs() -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(2)
    does = rng.random((80, 4)) < rng.beta(0.5, 0.8, 80)[:, None]
    ordered = [(does[:, e], does[:, f]) for e in range(4) for f in range(4) if e != f]
    said, did = (np.concatenate(side) for side in zip(*ordered, strict=True))
    found = scores(repeated(does)).value("m", "restriction", "noise_ceiling")
    # both ways round the margins agree, so that J is Cohen's kappa
    assert found == pytest.approx(cohen_kappa_score(said, did), abs=1e-12)
    js = [s[d].mean() - s[~d].mean() for s, d in ordered]
    assert found == pytest.approx(np.mean(js), abs=0.01)


def test_a_claim_counts_as_often_as_it_was_scored() -> None:
    # one request in three epochs (yes, yes, no), one in two (no, no), one only once
    rows = [request(1, True, did, epoch=e) for e, did in ((1, True), (2, True), (3, False))]
    rows += [request(2, False, False, epoch=e) for e in (1, 2)]
    rows += [request(3, True, True, epoch=1), request(3, True, None, "missing", epoch=2)]
    claims = table(rows[:-2]).claims["restriction"]
    # ordered pairs of request 1: 2 yes-yes and 2 + 2 that differ, over n-1 = 2; of request 2: 2 no-no, over 1
    assert rehearsals(claims).counts.sum(0)[:4].tolist() == [1, 1, 1, 2]
    assert ceilings(table(rows).claims["restriction"], True)["noise_ceiling"].value == pytest.approx(1 / 2 + 2 / 3 - 1)


@pytest.mark.slow
def test_the_interval_of_the_ceiling_covers_as_often_as_it_should() -> None:
    rng = np.random.default_rng(3)
    # each request is done with .9 or .2, evenly: both executions do it (.81+.04)/2 of the time, one does .55
    truth = (0.425 - 0.55**2) / (0.55 * 0.45)
    covered = 0
    for _ in range(100):
        does = rng.random((150, 3)) < np.where(np.arange(150) % 2, 0.9, 0.2)[:, None]
        found = ceilings(table(repeated(does)).claims["restriction"], True)["noise_ceiling"]
        covered += found.interval.low <= truth <= found.interval.high
    assert covered >= 88  # of 95 expected: fewer has a chance of about one in five hundred


# --- skill over ceiling ----------------------------------------------------------------------------------------------


def test_skill_over_ceiling_is_their_ratio_and_may_exceed_one() -> None:
    rng = np.random.default_rng(4)
    chance = np.where(np.arange(300) % 2, 0.9, 0.1)[:, None]
    does = rng.random((300, 3)) < chance
    found = scores(repeated(does, np.repeat(chance > 0.5, 3, axis=1)))
    skill, ceiling, share = (
        found.row("m", "restriction", metric) for metric in ("youden_j", "noise_ceiling", "skill_over_ceiling")
    )
    assert share.value == pytest.approx((skill.value or 0) / (ceiling.value or 1))
    # who knows the tendencies of a behaviour tells it better than a rehearsal does: about .80 against .64
    assert share.low is not None and share.low > 1


def test_a_ratio_that_is_the_same_on_every_item_has_no_interval() -> None:
    does = np.repeat(np.arange(60)[:, None] % 3 == 0, 2, axis=1)
    for rows, experiment in ((repeated(does), "restriction"), (orders(does), "difficulty")):
        row = scores(rows).row("m", experiment, "skill_over_ceiling")
        assert row.value == pytest.approx(1) and (row.low, row.high) == (None, None)


def test_the_error_of_the_ratio_agrees_with_a_bootstrap_over_items() -> None:
    rng = np.random.default_rng(5)
    chance = rng.beta(0.6, 0.6, 300)[:, None]
    does = rng.random((300, 3)) < chance
    says = np.where(rng.random((300, 3)) < 0.8, chance > 0.5, chance <= 0.5)
    claims = table(repeated(does, says)).claims["restriction"]

    def ratio(items: np.ndarray) -> float:
        d, s = does[items], says[items]
        n11, n00 = (sum((x[:, e] & x[:, f]).sum() for e in range(3) for f in range(3) if e != f) for x in (d, ~d))
        n10 = sum((d[:, e] & ~d[:, f]).sum() for e in range(3) for f in range(3) if e != f)
        return float((s[d].mean() - s[~d].mean()) / (n11 / (n11 + n10) + n00 / (n00 + n10) - 1))

    found = ceilings(claims, True)["skill_over_ceiling"]
    replicates = [ratio(rng.integers(0, 300, 300)) for _ in range(500)]
    assert found.value == pytest.approx(ratio(np.arange(300)))
    assert found.error == pytest.approx(np.std(replicates, ddof=1), rel=0.12)


# --- where the variance lies -----------------------------------------------------------------------------------------


def test_the_split_of_variance_agrees_with_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(6)
    right = rng.random((50, 4)) < rng.beta(1, 1, 50)[:, None]
    found = ceilings(table(repeated(np.ones_like(right), right)).claims["restriction"], True)
    # equal groups of n: the intraclass correlation is (F - 1) / (F - 1 + n)
    f = stats.f_oneway(*right.astype(float)).statistic
    assert found["variance_items"].value == pytest.approx((f - 1) / (f - 1 + 4))
    assert found["variance_items"].value + found["variance_repeats"].value == pytest.approx(1)


def test_claims_may_be_scored_in_unequally_many_epochs() -> None:
    rng = np.random.default_rng(8)
    groups = [rng.random(n) < rng.random() for n in (2, 3, 3, 4, 2, 5, 4, 4)]
    rows = [request(i, bool(g), True, epoch=e) for i, group in enumerate(groups) for e, g in enumerate(group)]
    found = ceilings(table(rows).claims["restriction"], True)["variance_items"].value
    everything = np.concatenate(groups)
    n, k = len(everything), len(groups)
    between = sum(len(g) * (g.mean() - everything.mean()) ** 2 for g in groups) / (k - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - k)
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (k - 1)
    share = (between - within) / size / ((between - within) / size + within)
    assert 0 < share < 1
    assert found == pytest.approx(share)


def test_what_lies_in_the_repeats_is_the_rest_of_what_lies_in_the_items_ends_and_all() -> None:
    right = np.random.default_rng(9).random((60, 3)) < np.where(np.arange(60) % 2, 0.9, 0.3)[:, None]
    found = ceilings(table(repeated(np.ones_like(right), right)).claims["restriction"], True)
    items, repeats = found["variance_items"], found["variance_repeats"]
    assert 0 < items.interval.low < items.value < items.interval.high < 1
    assert repeats.interval == pytest.approx((1 - items.interval.high, 1 - items.interval.low))
    assert repeats.error == items.error > 0


def test_known_shares_of_variance_come_back() -> None:
    # chances from Beta(1, 1): variance of the chances 1/12 of 1/4 in all, a third
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(40):
        right = rng.random((200, 3)) < rng.random(200)[:, None]
        found = ceilings(table(repeated(np.ones_like(right), right)).claims["restriction"], True)
        low, high = found["variance_items"].interval
        covered += low <= 1 / 3 <= high
    assert covered >= 33  # of 38 expected


def test_what_is_below_zero_is_said_to_be_an_estimate() -> None:
    # 29 requests right once in two and one each time: repeats differ more than requests do
    right = np.stack([np.arange(30) % 2 == 0, np.arange(30) % 2 == 1], axis=1)
    right[0] = True
    found = scores(repeated(np.ones_like(right), right))
    items, repeats = (found.row("m", "restriction", f"variance_{part}") for part in ("items", "repeats"))
    assert (items.value, items.reason) == (0.0, "estimated below 0")
    assert (repeats.value, repeats.reason) == (1.0, "estimated above 1")
    # means of 1/2, and one of 1: between them 2 x (29/4 + 1 - 15.5^2/30) / 29 = .0167; within them 14.5 / 30 = .4833
    # (.0167 - .4833) / 2 = -.2333, over -.2333 + .4833: -.93, far below 0 with all of its interval
    assert (items.low, items.high, repeats.low, repeats.high) == (None,) * 4
    assert "  m: restriction .00 (estimated below 0)" in found.table().splitlines()


def test_an_interval_of_which_a_part_is_possible_is_cut_to_it() -> None:
    # of 30 requests 16 are right once in two, 7 always and 7 never
    once, always = np.arange(30) < 16, (np.arange(30) >= 16) & (np.arange(30) < 23)
    right = np.stack([once | always, always], axis=1)
    row = scores(repeated(np.ones_like(right), right)).row("m", "restriction", "variance_items")
    # between 30 means of 0, 1/2, 1: sum of squares 2 (7 + 16/4 - 30/4) = 7, over 29; within 16 / 2 / 30 = .2667
    # (7 / 29 - .2667) / 2 = -.0126, over -.0126 + .2667: -.0498
    assert (row.value, row.reason, row.low) == (0.0, "estimated below 0", 0.0)
    assert row.high is not None and row.high > 0.2


# --- where nothing can be said ---------------------------------------------------------------------------------------


def test_with_one_epoch_the_ceiling_is_unknown_and_said_once() -> None:
    found = scores([request(n, n % 2 == 0, n % 3 == 0) for n in range(30)])
    assert not {row.metric for row in found} & set(METRICS)
    assert found.table().count("consistency of behaviour: not measured") == 1


def test_with_two_epochs_it_is_known() -> None:
    does = np.repeat(np.arange(40)[:, None] % 2 == 0, 2, axis=1)
    found = scores(repeated(does))
    assert {row.metric for row in found} >= set(METRICS)
    assert "consistency of behaviour: not measured" not in found.table()
    assert "  m: restriction 1.00" in found.table()


def test_what_was_asked_twice_is_not_to_be_asked_twice_though_there_is_no_ceiling() -> None:
    assert "consistency of behaviour: not measured" not in scores(repeated(np.ones((30, 2), dtype=bool))).table()


def test_questions_of_ones_own_have_no_repeats_that_could_be_asked_for() -> None:
    # written anew in each epoch: no execution of one says anything of another's
    def row(model: str, experiment: str, metric: str) -> sx.Score:
        ends = {"value": 0.5, "low": 0.4, "high": 0.6, "items": 50, "claims": 50, "unreadable": 0, "missing": 0}
        return sx.Score(model=model, experiment=experiment, metric=metric, convention="strict", **ends)  # type: ignore[arg-type]

    assert noise_and_loss([row("m", "failing_question", "accuracy")], []) == []
    # of those that can be repeated, the models are named that were asked once
    rows = [row("a", "restriction", metric) for metric in ("accuracy", "noise_ceiling", "skill_over_ceiling")]
    said, *_ = noise_and_loss([*rows, row("b", "restriction", "accuracy")], [])
    assert said.startswith("consistency of behaviour for b: not measured;")


def test_who_asks_everything_twice_is_not_advised_to_do_so_while_replies_are_missing(tmp_path: Path) -> None:
    found = sx.run("sim/coin", experiments="restriction", limit=3, epochs=2, max_calls=6, out=tmp_path / "run")
    said = next(line for line in repr(sx.score(found)).splitlines() if "consistency of behaviour: not measured" in line)
    assert said == "consistency of behaviour: not measured; no claim has replies in two epochs yet."
    once = sx.run("sim/coin", experiments="restriction", limit=3, out=tmp_path / "once")
    assert "consistency of behaviour: not measured; to measure it, ask every item twice (--epochs 2)" in repr(
        sx.score(once)
    )


def test_epochs_without_a_common_claim_tell_nothing() -> None:
    found = scores([request(n, True, n % 3 == 0, epoch=1 + n % 2) for n in range(30)])
    assert "consistency of behaviour: not measured" in found.table()
    for metric in METRICS:
        row = found.row("m", "restriction", metric)
        assert (row.value, row.reason) == (None, "no claim was scored in two epochs")


def test_who_does_the_same_with_everything_has_no_ceiling() -> None:
    found = scores(repeated(np.ones((30, 2), dtype=bool)))
    assert found.row("m", "restriction", "noise_ceiling").value is None
    assert found.row("m", "restriction", "noise_ceiling").reason == "the model did the same with every claim"
    assert found.row("m", "restriction", "variance_items").value is None  # and was always right


def test_one_item_has_no_interval() -> None:
    rows = [pair(1, True, True, epoch=e) for e in (1, 2)]
    row = scores(rows).row("m", "difficulty", "noise_ceiling")
    assert (row.value, row.low, row.high) == (1.0, None, None)
    assert scores(rows).row("m", "difficulty", "skill_over_ceiling").value is None


# --- simulated respondents -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_ceiling_of_simulated_models_is_what_their_noise_allows(tmp_path: Path) -> None:
    models = ["sim/knows-itself@0", "sim/knows-itself@1"]
    run = sx.run(models, experiments=["association"], out=tmp_path / "run", epochs=2)
    found = sx.score(run, "readable")
    # Behaviour is drawn afresh in one epoch of ten. Two executions of a claim with rate r share their draw with
    # probability .81: their covariance is .81 r(1-r), and that of all claims of one rate is .81 of their variance.
    for model in run.models:
        row = found.row(model, "association", "noise_ceiling")
        assert row.value == pytest.approx(0.81, abs=0.05)
        share = found.row(model, "association", "skill_over_ceiling")
        assert share.value == pytest.approx((0.97 + 0.95 - 1) * 0.9 / 0.81, abs=0.06)  # its own draw holds in .9
