"""What a judge that errs saw, put right: by hand, by simulation, and withheld where it must be."""

from typing import Any

import numpy as np
import pytest

from selfexec.stats import Array, Labelled, corrected, normal, share_interval, true_counts, wilson
from selfexec.stats.misclassification import FALSE_YES, HIT, MISS, RIGHT_NO


def labelled(hit: int, miss: int, right_no: int, false_yes: int) -> Labelled:
    """A label in each cluster."""
    cells = [0] * hit + [1] * miss + [2] * right_no + [3] * false_yes
    return Labelled(np.eye(4)[cells])


def share(true: Any) -> Any:
    return true[..., 0].sum(-1) / true.sum((-2, -1))


def skill(true: Any) -> Any:
    """Youden's J of predicted (groups: yes, no) and true (yes, no)."""
    yes, no = true[..., 0, :], true[..., 1, :]
    return yes[..., 0] / (yes[..., 0] + no[..., 0]) - yes[..., 1] / (yes[..., 1] + no[..., 1])


def test_the_share_put_right_is_that_of_rogan_and_gladen() -> None:
    # of 100, a judge with sensitivity .9 and specificity .8 affirms 48: (.48 + .8 - 1) / (.9 + .8 - 1) = .4
    assert true_counts(np.array([48.0, 52.0]), 0.9, 0.8) == pytest.approx([40, 60])
    # and so it does: .9 of 40 and .2 of 60
    assert 0.9 * 40 + 0.2 * 60 == 48


def test_counts_that_a_judge_blurs_as_expected_come_back_as_they_were() -> None:
    # said yes: 50 did, 10 did not; said no: 15 did, 25 did not. Sensitivity .9, specificity .8
    true = np.array([[50.0, 10.0], [15.0, 25.0]])
    judged = np.stack([0.9 * true[:, 0] + 0.2 * true[:, 1], 0.1 * true[:, 0] + 0.8 * true[:, 1]], axis=1)
    found = corrected(skill, judged[None], np.zeros((1, 2, 2)), Labelled(np.array([[90.0, 10, 80, 20]])))
    assert found.true == pytest.approx(true)
    assert found.value == pytest.approx(50 / 65 - 10 / 35)
    # as judged: 47 of 65.5 said yes of what it affirms, 13 of 34.5 of what it denies
    assert float(skill(judged)) == pytest.approx(47 / 65.5 - 13 / 34.5) and found.value > float(skill(judged)) + 0.14


def test_what_is_known_without_a_judge_is_not_put_right() -> None:
    judged, certain = np.array([[[36.0, 4], [12, 48]]]), np.array([[[0.0, 0], [0, 20]]])
    found = corrected(share, judged, certain, Labelled(np.array([[90.0, 10, 80, 20]])))
    # 48 of 100 affirmed are 40; twenty more were nothing to judge: 40 of 120
    assert found.value == pytest.approx(40 / 120)


def test_the_error_is_that_of_rogan_and_gladens_formula_where_labels_lie_elsewhere() -> None:
    # var = [q(1-q)/n + p^2 v_se + (1-p)^2 v_sp] / (se + sp - 1)^2, v with one more hit and miss
    n, yes = 200, 96
    run, labels = np.zeros((n + 100, 1, 2)), np.zeros((n + 100, 4))
    run[:yes, 0, 0] = run[yes:n, 0, 1] = 1
    labels[n:] = labelled(45, 5, 40, 10).counts
    found = corrected(share, run, np.zeros_like(run), Labelled(labels))
    p, q, d = 0.4, 0.48, 0.7
    v_se, v_sp = 46 / 52 * 6 / 52 / 52, 41 / 52 * 11 / 52 / 52
    by_hand = (q * (1 - q) / (n - 1) + p**2 * v_se + (1 - p) ** 2 * v_sp) / d**2
    assert (found.value, found.error) == (pytest.approx(p), pytest.approx(by_hand**0.5))


def test_a_judge_that_never_erred_on_some_labels_is_not_known_to_be_perfect() -> None:
    run = np.zeros((100, 1, 2))
    run[:40, 0, 0] = run[40:, 0, 1] = 1
    few, many = (labelled(n, 0, n, 0) for n in (25, 2500))
    wide, narrow = (
        corrected(share, np.pad(run, [(0, len(one.counts)), (0, 0), (0, 0)]), np.zeros((100 + len(one.counts), 1, 2)),
                  Labelled(np.pad(one.counts, [(100, 0), (0, 0)]))).error
        for one in (few, many)
    )  # fmt: skip
    assert narrow == pytest.approx((0.4 * 0.6 / 99) ** 0.5, rel=0.01)
    assert wide > 1.1 * narrow


def test_where_all_is_labelled_no_doubt_is_left_but_that_of_the_sample() -> None:
    # 200 of 400 are so; the judge finds 160 of them and denies 170 of the others. What is put right is then what the
    # labels say, 1/2, whatever the judge: only which items were drawn is left to chance
    labels = labelled(160, 40, 170, 30)
    run = np.stack([labels.counts[:, [HIT, FALSE_YES]].sum(1), labels.counts[:, [MISS, RIGHT_NO]].sum(1)], axis=1)
    found = corrected(share, run[:, None], np.zeros((400, 1, 2)), labels)
    assert found.value == pytest.approx(0.5)
    assert found.error == pytest.approx((0.5 * 0.5 / 400) ** 0.5, rel=0.03)  # were they others' labels: .042, not .025


def test_labels_of_one_item_count_as_one() -> None:
    once = labelled(30, 10, 20, 0)
    five_times = Labelled(once.counts * 5)  # five models' replies to each item, all judged alike
    for kind in ((HIT, MISS), (RIGHT_NO, FALSE_YES)):
        assert share_interval(five_times, *kind) == pytest.approx(share_interval(once, *kind))
    # 40 clusters and not 40 trials: sqrt(T/(T-1)) widens it a little
    assert share_interval(once, HIT, MISS) == pytest.approx(wilson(0.75, 39))
    assert np.isnan(share_interval(labelled(0, 0, 5, 5), HIT, MISS)).all()


# --- coverage --------------------------------------------------------------------------------------------------------


def trial(rng: np.random.Generator, n: int, m: int, within: bool) -> tuple[Array, Labelled]:
    """A run of n items, 60% of which come true, predicted with recall .8 and specificity .7 and judged with .9 and .85;
    m labels, of the same items (`within`) or of others.
    """
    total = n if within else n + m
    came, places = rng.random(total) < 0.6, np.arange(total)
    said = rng.random(total) < np.where(came, 0.8, 0.3)
    judged = rng.random(total) < np.where(came, 0.9, 0.15)
    run, label = places < n, places < m if within else places >= n
    cells = [[run & p & judged, run & p & ~judged] for p in (said, ~said)]
    by_label = [label & came & judged, label & came & ~judged, label & ~came & ~judged, label & ~came & judged]
    return np.moveaxis(np.array(cells, float), -1, 0), Labelled(np.stack(by_label, axis=1).astype(float))


@pytest.mark.parametrize("within", [True, False])
def test_planted_errors_are_put_right_within_the_interval_in_93_to_97_of_100(within: bool) -> None:
    rng = np.random.default_rng(15)
    held, raw = [], []
    for _ in range(500):
        judged, labels = trial(rng, 300, 120, within)
        found = corrected(skill, judged, np.zeros_like(judged), labels)
        held.append(abs(found.value - 0.5) <= normal(0, found.error).high)
        raw.append(float(skill(judged.sum(0))))
    assert 0.93 <= np.mean(held) <= 0.97
    assert np.mean(raw) < 0.5 - 0.1  # what it was put right from
