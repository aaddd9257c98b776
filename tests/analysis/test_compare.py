"""Comparisons: paired differences by hand and by SciPy, who can be told apart, and gates that open and shut."""

import json
import math
import random
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import selfexec as sx
from build import requests_run, selfexec, write, wrong_on
from selfexec.analysis.compare import (
    METRICS,
    NOT_GATED,
    ComparedRecord,
    Difference,
    Family,
    Gate,
    headline,
    judge,
    load_apart,
    overall,
    ranking,
    rarer_items,
    records_of,
    reference_models,
    select,
    unlike,
)
from selfexec.analysis.compare.ranking import told_apart
from selfexec.analysis.power import detectable as planned
from selfexec.metrics import CELLS, Estimate, Record
from selfexec.runs import Run
from selfexec.stats import NONE, Interval, detectable, holm, tied_groups, two_sided, welch


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    models = ["sim/knows-itself", "sim/typical", "sim/typical@1", "sim/coin"]
    return sx.run(models, limit=80, out=tmp_path_factory.mktemp("p"))


@pytest.mark.slow
def test_models_have_the_values_and_intervals_that_score_gives_them(panel: Run) -> None:
    scores = sx.score(panel)
    skill = {"association": "youden_j", "restriction": "youden_j", "difficulty": "tau"}
    same = {metric: dict.fromkeys(skill, metric) for metric in ("baseline_margin", "accuracy", "coverage")}
    metrics = {"skill": skill, **same}
    found = sx.compare(panel, metrics=list(metrics))
    told = [s for s in found.standings if s.experiment in skill]
    assert len(told) == 4 * 3 * 4
    for standing in told:
        row = scores.row(standing.model, standing.experiment, metrics[standing.metric][standing.experiment])
        expected = (row.value, row.low, row.high)
        assert (standing.value, standing.low, standing.high) == pytest.approx(expected, abs=1e-12)


# --- differences -----------------------------------------------------------------------------------------------------


def test_a_difference_in_accuracy_is_a_paired_t_test_over_items(tmp_path: Path) -> None:
    old, new = wrong_on(range(30)), wrong_on(range(20, 90))
    row = sx.compare(requests_run(tmp_path / "x", {"old": old, "new": new}), metrics=["accuracy"]).row(
        "restriction", "old", "new"
    )
    right_old, right_new = ([float(p == o) for p, o in claims] for claims in (old, new))
    test = scipy_stats.ttest_rel(right_new, right_old)
    # 30 of 200 wrong before, 70 after
    assert (row.model, row.against) == ("new", "old")
    assert row.value_against == pytest.approx(170 / 200)
    assert row.value == pytest.approx(130 / 200)
    assert row.difference == pytest.approx(-40 / 200)
    assert row.p == pytest.approx(test.pvalue, rel=1e-9)
    assert (row.low, row.high) == pytest.approx(tuple(test.confidence_interval()), rel=1e-9)
    assert row.items == 200


def test_a_difference_in_skill_by_hand(tmp_path: Path) -> None:
    rng = random.Random(5)
    claims = {
        m: [(rng.random() < 0.6, rng.random() < share) for _ in range(60)] for m, share in (("a", 0.5), ("b", 0.7))
    }
    row = sx.compare(requests_run(tmp_path / "x", claims)).row("restriction", "a", "b")

    def influence(model: str) -> tuple[float, np.ndarray]:
        """J, and what each request adds to it: (right - recall) / positives, (right - specificity) / negatives."""
        predicted, observed = np.array(claims[model]).T
        recall, specificity = predicted[observed].mean(), 1 - predicted[~observed].mean()
        parts = np.where(
            observed, (predicted - recall) / observed.sum(), (1.0 - predicted - specificity) / (~observed).sum()
        )
        return recall + specificity - 1, parts

    (j_a, of_a), (j_b, of_b) = influence("a"), influence("b")
    error = math.sqrt(60 / 59 * ((of_b - of_a) ** 2).sum())
    assert row.difference == pytest.approx(j_b - j_a)
    assert row.error == pytest.approx(error)
    assert row.low == pytest.approx(j_b - j_a - scipy_stats.t(59).ppf(0.975) * error)


def test_a_difference_in_skill_that_few_requests_make_has_two_made_up_ones(tmp_path: Path) -> None:
    # of 50 requests that are answered the new model misses three, of 50 that are not none
    run = requests_run(tmp_path / "x", {"old": wrong_on([], 100), "new": wrong_on(range(3), 100)})
    row = sx.compare(run).row("restriction", "old", "new")
    assert row.difference == pytest.approx(-3 / 50)
    # two are made up on either side (docs/decisions/0008), in one of which the one is right, in one the other: so of 52
    # that are answered three are lost, and one more for one that is won; of 52 that are not, one and one
    parts = [-1] * 4 + [1] + [0] * 47 + [-1, 1] + [0] * 50
    squares = sum((part - mean) ** 2 for part, mean in zip(parts, [-3 / 52] * 52 + [0.0] * 52, strict=True))
    error = math.sqrt(104 / 103 * squares) / 52
    t = scipy_stats.t(103).ppf(0.975)
    assert (row.low, row.high) == pytest.approx((-3 / 52 - t * error, -3 / 52 + t * error))
    # without them it is half of that: three of 50, less their mean
    assert math.sqrt(100 / 99 * (3 - 9 / 50)) / 50 < 0.7 * error


def test_a_difference_in_difficulty_is_a_paired_t_test_over_groups(panel: Run) -> None:
    names = ("sim/coin", "sim/typical")
    row = sx.compare(panel, models=names, metrics=["accuracy"]).row("difficulty", *names)
    candidates = select(load_apart(panel), names)
    coin, typical = (dict(zip(r.own.items, r.own.counts[:, 0], strict=True)) for r in records_of(
        "accuracy", "difficulty", candidates, candidates, "strict"
    ))  # fmt: skip
    common = sorted(coin.keys() & typical.keys())
    test = scipy_stats.ttest_rel([typical[id] for id in common], [coin[id] for id in common])
    assert row.p == pytest.approx(test.pvalue, rel=1e-9)
    assert (row.low, row.high) == pytest.approx(tuple(test.confidence_interval()), rel=1e-9)
    assert row.items == len(common)


def test_the_overall_difference_is_the_mean_of_three_and_its_error_the_root_of_their_squares_over_three(
    panel: Run,
) -> None:
    found = sx.compare(panel, models=["sim/coin", "sim/typical"])
    parts = [found.row(e, "sim/coin", "sim/typical") for e in ("association", "restriction", "difficulty")]
    row = found.row("overall", "sim/coin", "sim/typical")
    assert row.difference == pytest.approx(sum(part.difference or 0 for part in parts) / 3)
    assert row.error == pytest.approx(math.sqrt(sum((part.error or 0) ** 2 for part in parts)) / 3)
    assert row.p == pytest.approx(2 * scipy_stats.norm.sf(abs(row.difference or 0) / (row.error or 1)))


def test_values_of_a_pair_are_on_common_items_so_that_their_difference_is_the_difference(tmp_path: Path) -> None:
    # the new model has only the first 100 requests in common: 20 of them wrong before, 5 after
    run = requests_run(tmp_path / "x", {"old": wrong_on(range(20)), "new": wrong_on(range(5))[:150]})
    row = sx.compare(run, metrics=["accuracy"]).row("restriction", "old", "new")
    assert row.items == 150
    assert row.value_against == pytest.approx(130 / 150)
    assert row.value == pytest.approx(145 / 150)
    assert row.difference == pytest.approx(15 / 150)


def test_unread_predictions_are_wrong_under_strict_and_out_under_readable(tmp_path: Path) -> None:
    new = [
        (None, observed) if n < 40 else (predicted, observed) for n, (predicted, observed) in enumerate(wrong_on([]))
    ]
    run = requests_run(tmp_path / "x", {"old": wrong_on([]), "new": new})
    strict, readable = (
        sx.compare(run, metrics=["accuracy"], convention=convention).row("restriction", "old", "new")
        for convention in ("strict", "readable")
    )
    assert (strict.difference, strict.items) == (pytest.approx(-40 / 200), 200)
    assert (readable.difference, readable.items) == (0, 160)


def test_baseline_margin_of_each_model_is_skill_beyond_its_own_best_baseline(panel: Run) -> None:
    names = ("sim/coin", "sim/typical")
    row = sx.compare(panel, metrics=["baseline_margin"], models=names).row("association", *names)
    # every target counts for both, so that the values are those that each has alone
    scores = sx.score(sx.Selection.of(panel, models=names, experiments=["association"]))
    coin, typical = (scores.value(name, "association", "baseline_margin") for name in names)
    assert (row.value_against, row.value) == pytest.approx((coin, typical))
    assert row.difference == pytest.approx((typical or 0) - (coin or 0))


@pytest.mark.slow
def test_pairing_makes_intervals_narrower_where_models_err_alike(
    ten_models: Run, as_the_authors_read_them: Run
) -> None:
    models = [e for e in load_apart(as_the_authors_read_them) if e.name not in ("deepseek-r1", "gemini-2.5-flash")]
    family = Family.of("accuracy", ["association"], models, models, "readable")
    saved = []
    for one, two in combinations(family.labels, 2):
        paired = family.weighed("association", {one: 1.0, two: -1.0})[0].error
        alone = [family.weighed("association", {x: 1.0, y: 0.0})[0].error for x, y in ((one, two), (two, one))]
        saved.append(1 - paired / math.hypot(*alone))
    assert min(saved) > 0
    assert 0.15 < float(np.median(saved)) < 0.25


def test_overall_alone_is_what_it_is_among_all(panel: Run, tmp_path: Path) -> None:
    names = ("sim/coin", "sim/typical")
    for wanted in (["overall"], ["overall", "restriction"]):
        found = sx.compare(panel, models=names, experiments=wanted, fail_if=["difficulty.skill drops 0.5"])
        assert {row.experiment for row in found.differences} == {row.experiment for row in found.standings} == {*wanted}
        assert found.row("overall", *names).low == sx.compare(panel, models=names).row("overall", *names).low
        assert found.verdicts[0].outcome == "holds"  # also of what is not shown
    points = sx.trend(panel, models=names, experiments="overall", metrics="skill")
    assert [(point.experiment, point.model) for point in points.points] == [("overall", name) for name in names]
    assert [slope.experiment for slope in points.slopes] == ["overall"]
    assert points.slopes[0].slope == found.row("overall", *names).difference
    part = sx.run(names, experiments=["association"], limit=5, out=tmp_path / "part")
    with pytest.raises(sx.InputError, match=r"nothing can be compared: restriction: sim/typical was not asked\."):
        sx.compare(part, experiments=["overall"])


# --- nothing to go by ------------------------------------------------------------------------------------------------


def test_two_models_that_agree_on_every_item_are_not_known_to_be_the_same(tmp_path: Path) -> None:
    row = sx.compare(requests_run(tmp_path / "x", {"a": wrong_on([1]), "b": wrong_on([1])}), metrics=["accuracy"]).row(
        "restriction", "a", "b"
    )
    # none of 200 items differs, and accuracy asks for no outcome: Wilson's upper end for none of 200, z^2 / (200 + z^2)
    assert row.difference == 0
    assert row.p == 1
    assert row.high == pytest.approx(1.96**2 / (200 + 1.96**2), abs=1e-5)
    assert row.low == -(row.high or 0)
    # its standard error is the one that gives this interval over 200 items
    assert row.error == pytest.approx((row.high or 0) / scipy_stats.t(199).ppf(0.975))


def test_a_difference_in_accuracy_is_at_most_one(tmp_path: Path) -> None:
    # the old model is wrong throughout, but for one request of 50; the new one never: .98 +- t(49) .02 = .98 +- .04
    models = {"old": wrong_on(range(1, 50), 50), "new": wrong_on([], 50), "never": wrong_on(range(50), 50)}
    found = sx.compare(requests_run(tmp_path / "x", models), metrics=["accuracy"])
    row = found.row("restriction", "new", "old")
    assert row.difference == pytest.approx(0.98)
    assert (row.low, row.high) == pytest.approx((0.98 - scipy_stats.t(49).ppf(0.975) * 0.02, 1.0))
    # 1 on every item: at most z^2 / (50 + z^2) of others are otherwise, and these by 2 at most
    row = found.row("restriction", "new", "never")
    assert (row.difference, row.high) == (1, 1)
    assert row.low == pytest.approx(1 - 2 * 1.959964**2 / (50 + 1.959964**2))


def test_an_overall_difference_in_skill_is_between_minus_two_and_two() -> None:
    for value, ends in ((1.2, (1.0868, 1.3132)), (1.95, (1.8368, 2.0)), (-1.95, (-2.0, -1.8368))):
        parts = {e: Estimate(value, NONE, 0.1) for e in ("association", "restriction", "difficulty")}
        # 1.96 * .1 / sqrt(3) = .1132
        assert overall("skill", parts, differences=True).interval == pytest.approx(ends, abs=5e-5)


def test_models_without_two_common_items_are_refused_by_name(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"a": wrong_on([], 4)})
    two = requests_run(tmp_path / "two", {"b": wrong_on([], 4)}, first=3)
    with pytest.raises(sx.InputError, match=r"restriction: b and a have 1 scorable item in common"):
        sx.compare([one, two])
    three = requests_run(tmp_path / "three", {"b": wrong_on([], 4)}, first=9)
    with pytest.raises(sx.InputError, match="have no scorable items in common"):
        sx.compare([one, three])


def test_runs_of_different_experiments_are_refused(tmp_path: Path) -> None:
    one = sx.run(["sim/typical"], experiments=["association"], limit=5, out=tmp_path / "one")
    two = sx.run(["sim/coin"], experiments=["restriction"], limit=5, out=tmp_path / "two")
    with pytest.raises(sx.InputError, match=r"nothing can be compared: .* was not asked"):
        sx.compare([one, two])


def test_what_is_undefined_has_a_reason_and_no_number(tmp_path: Path) -> None:
    always = [(True, True)] * 30
    found = sx.compare(requests_run(tmp_path / "x", {"a": always, "b": always}), metrics=["skill", "accuracy"])
    row = found.row("restriction", "a", "b", "skill")
    assert (row.difference, row.p, row.p_holm) == (None, None, None)
    assert row.reason == "the outcomes of b and a are all the same"
    assert "  restriction: the outcomes of b and a are all the same" in found.table().splitlines()
    # both values are there, their difference is withheld: nobody turned a request down
    accuracy = found.row("restriction", "a", "b", "accuracy")
    assert (accuracy.value, accuracy.value_against, accuracy.difference, accuracy.low, accuracy.p) == (
        1,
        1,
        *[None] * 3,
    )
    assert accuracy.reason == "only 0 common items with the rarer outcome, fewer than 20"
    assert "withheld" in next(line for line in found.table().splitlines() if "1.000" in line)
    # the other two experiments were not run: nothing is said of them, nor overall
    assert {row.experiment for row in found.differences} == {"restriction"}


def test_of_two_models_the_one_that_did_the_same_with_everything_is_named(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"a": [(True, n % 2 == 0) for n in range(30)], "b": [(True, True)] * 30})
    with pytest.raises(sx.InputError) as fault:
        sx.compare(run)
    why = "nothing can be compared: restriction: the outcomes of b are all the same."
    assert str(fault.value) == f"{why} Choose others by metrics or experiments."


def test_where_a_model_has_no_claim_the_experiment_is_named_once(tmp_path: Path) -> None:
    run = sx.run(["sim/typical", "sim/coin"], limit=20, out=tmp_path / "run")
    path = run.folder / "replies.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [row for row in lines if (row["model"], row["experiment"]) != ("sim/coin", "difficulty")]
    lost = {"model": "sim/coin", "experiment": "difficulty", "session": "predict", "text": None, "error": "lost"}
    first = next(row for row in lines if row["experiment"] == "difficulty")
    write(path, [*kept, {**first, **lost}])
    told = "  difficulty: sim/coin: no claim was read (120 missing)"
    for found in (sx.compare(run.folder), sx.trend(run.folder, models=["sim/typical", "sim/coin"])):
        assert found.table().splitlines().count(told) == 1


def test_of_a_model_whose_every_prediction_is_unreadable_score_and_compare_say_the_same(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"a": wrong_on(range(10)), "b": [(None, n % 2 == 0) for n in range(200)]})
    reason = "no claim was read (200 unreadable)"
    for convention in ("strict", "readable"):
        row = sx.score(run, convention).row("b", "restriction", "accuracy")
        assert (row.value, row.reason) == (None, reason)
        with pytest.raises(sx.InputError, match=re.escape(f"b: {reason}")):
            sx.compare(run, metrics=["accuracy"], convention=convention)


@pytest.mark.parametrize("convention", ["strict", "readable"])
def test_a_model_that_lost_everything_fails_a_gate_on_coverage(tmp_path: Path, convention: str) -> None:
    run = requests_run(tmp_path / "x", {"old": wrong_on(range(10)), "new": [(None, n % 2 == 0) for n in range(200)]})
    found = sx.compare(run, metrics=["coverage"], convention=convention, fail_if=["restriction.coverage drops 0.1"])
    # from 1 to 0, and Wilson's upper end for none of 200 is .019
    assert found.differences[0].difference == -1
    assert found.verdicts[0].outcome == "fails"


def test_an_outcome_that_nobody_has_makes_accuracies_no_more_doubtful() -> None:
    family = Family.of_records("accuracy", ("a", "b"), {"restriction": {x: outcomes(200 * "+") for x in "ab"}})
    found, _ = family.weighed("restriction", {"a": 1.0, "b": -1.0})
    assert (found.value, found.interval.high) == (0, pytest.approx(1.96**2 / (200 + 1.96**2), abs=1e-5))


def outcomes(marks: str) -> ComparedRecord:
    """A record of requests: + it answers and said so, - it does not and said so; Y it answers, N it does not, and what
    it said cannot be read.
    """
    counts = np.zeros((len(marks), 7))
    cells = {"+": "tp", "-": "tn", "Y": "unread_true", "N": "unread_false"}
    for n, mark in enumerate(marks):
        counts[n, CELLS.index(cells[mark])] = 1
    counted = Record(tuple(f"{n:03}" for n in range(len(marks))), counts)
    return ComparedRecord("m", counted, counted, 1.0)


@pytest.mark.parametrize(
    ("models", "rarer"),
    [
        ([40 * "+" + 20 * "-"], 20),
        ([15 * "+" + 45 * "-"], 15),
        # where they are fewest, whoever comes first
        ([40 * "+" + 20 * "-", 15 * "+" + 45 * "-"], 15),
        ([15 * "+" + 45 * "-", 40 * "+" + 20 * "-"], 15),
        # what was done is known of an unread prediction
        ([10 * "+" + 12 * "Y" + 38 * "-"], 22),
        ([38 * "+" + 12 * "N" + 10 * "-"], 22),
        # of the thirty that both were asked the first model answered all but two
        ([28 * "+" + 32 * "-", 15 * "+-"], 2),
    ],
)
def test_the_rarer_outcome_is_counted_by_common_items_for_the_model_that_has_the_fewest(
    models: list[str], rarer: int
) -> None:
    records = [outcomes(marks) for marks in models]
    assert rarer_items("skill", "restriction", records) == rarer
    # coverage has no outcome, nor have orders
    common = min(len(marks) for marks in models)
    assert rarer_items("coverage", "restriction", records) == rarer_items("skill", "difficulty", records) == common


def recorded(
    label: str, *, happened: int = 100, groups: int = 200, first_group: int = 0, coverage: float = 1.0
) -> dict[str, ComparedRecord]:
    """One model in all three: of so many claims that came true, of a hundred that did not, and of so many groups it is
    wrong about every fifth.
    """
    claims = np.zeros((happened + 100, 7))
    for n in range(happened + 100):
        cells = ("tp", "fn") if n < happened else ("tn", "fp")
        claims[n, CELLS.index(cells[n % 5 == 0])] = 1
    pairs = np.array([[float(n % 5 > 0), 1.0] for n in range(groups)])
    counted = {
        experiment: Record(tuple(f"{first + n:03}" for n in range(len(counts))), counts)
        for experiment, counts, first in (
            ("association", claims, 0),
            ("restriction", claims, 0),
            ("difficulty", pairs, first_group),
        )
    }
    return {experiment: ComparedRecord(label, found, found, coverage) for experiment, found in counted.items()}


def family_of(*models: Mapping[str, ComparedRecord], metric: str = "skill") -> Family:
    labels = [model["difficulty"].label for model in models]
    records = {e: {x: model[e] for x, model in zip(labels, models, strict=True)} for e in models[0]}
    return Family.of_records(metric, tuple(labels), records)


@pytest.mark.parametrize(
    ("flaw", "reason"),
    [
        ({}, None),
        ({"coverage": 0.9}, None),
        ({"coverage": 0.89}, "association: coverage of b is .890, below .9"),
        ({"happened": 20}, None),
        ({"happened": 19}, "association: only 19 common items with the rarer outcome, fewer than 20"),
        ({"groups": 20}, None),
        ({"groups": 19}, "difficulty: only 19 common items, fewer than 20"),
    ],
)
def test_an_overall_value_and_its_differences_are_withheld_where_score_withholds_a_headline(
    flaw: dict[str, Any], reason: str | None
) -> None:
    family = family_of(recorded("a"), recorded("b", **flaw))
    sound, other = (family.estimates["overall"][x] for x in "ab")
    # 80 of 100 on either side, 160 of 200 groups: skills of .6
    assert sound.value == pytest.approx(0.6) and sound.reason is None
    assert (other.reason, math.isnan(other.value)) == (reason, reason is not None)
    for one, two in (("a", "b"), ("b", "a")):
        row = family.difference("overall", one, two)
        assert row.reason == (reason and f"b: {reason}")
        assert (row.difference is None) is (row.low is None) is (row.p is None) is (reason is not None)
        # of a part there is a difference, but where it is items that lack
        short = {"happened": {"association", "restriction"}, "groups": {"difficulty"}}.get("".join(flaw), set())
        short = short if reason else set()
        assert {e for e in family.records if family.difference(e, one, two).difference is None} == short


def test_an_overall_value_is_withheld_from_a_width_of_two_fifths_on_but_not_that_of_coverage() -> None:
    records = recorded("a")
    shown, wide = (Estimate(0.5, Interval(0.3, 0.3 + width), 0.1) for width in (0.399, 0.401))
    assert headline("skill", records, shown) == shown
    assert headline("skill", records, wide).reason == "its interval is wider than .4: too few items"
    # how much was lost is known just where much was lost
    lost = recorded("a", coverage=0.5, groups=5)
    assert headline("coverage", lost, wide) == wide


@pytest.mark.parametrize("common", [15, 19, 20])
def test_a_difference_on_few_common_items_is_withheld_and_so_is_the_overall_one(common: int) -> None:
    # 200 groups each, of which the last ones of the one are the first of the other
    family = family_of(recorded("a"), recorded("b", first_group=200 - common))
    rows = [family.difference(experiment, "a", "b") for experiment in ("association", "difficulty", "overall")]
    few = f"only {common} common items, fewer than 20" if common < 20 else None
    assert [row.reason for row in rows] == [None, few, few and f"difficulty: {few}"]
    assert [row.difference is None for row in rows] == [row.low is None for row in rows] == [False, *[bool(few)] * 2]
    # what each has on the common items is no secret, nor does it make anybody better
    assert None not in [value for row in rows for value in (row.value, row.value_against)]
    assert {row.says for row in rows if row.reason} <= {"withheld"}


def at_random(label: str, rng: np.random.Generator, items: Sequence[int], right: float) -> dict[str, ComparedRecord]:
    """One model that is right about this share of claims (each second came true), of six pairs in each group,
    and of three tries of each item, with a control of three that come true less often.
    """
    sure = rng.random(len(items)) < right
    cells = [(("tp", "fn") if n % 2 else ("tn", "fp"))[not known] for n, known in zip(items, sure, strict=True)]
    claims = np.array([[float(cell == one) for one in CELLS] for cell in cells])
    pairs = np.array([[n / 6, 1.0] for n in rng.binomial(6, right, len(items))])
    tries = np.array([[a, 3 - a, 3 - b, b, 0, 0, 0] for a, b in rng.binomial(3, [right, 0.3], (len(items), 2))], float)
    names = tuple(f"{n:03}" for n in items)
    records = {"association": claims, "difficulty": pairs, "failing_question": tries}
    return {
        e: ComparedRecord(label, r, r, 1.0) for e, r in ((e, Record(names, counts)) for e, counts in records.items())
    }


def beside(model: Mapping[str, ComparedRecord], baseline: Mapping[str, ComparedRecord]) -> dict[str, ComparedRecord]:
    """A model with the counts of its baseline behind its own, as margins are of."""
    both = {e: np.concatenate([r.own.counts, baseline[e].own.on(r.own.items)], axis=1) for e, r in model.items()}
    return {e: replace(r, counted=Record(r.own.items, both[e])) for e, r in model.items()}


@pytest.mark.parametrize("metric", ["skill", "baseline_margin"])
@pytest.mark.parametrize("seed", range(3))
def test_a_ranking_of_many_models_knows_of_each_pair_what_its_difference_says(seed: int, metric: str) -> None:
    rng = np.random.default_rng(seed)
    models = [at_random(f"m{n}", rng, range(60), rng.uniform(0.3, 1.0)) for n in range(6)]
    # twins that part on few items, two that are never wrong, one asked other items, two asked few, and one without
    models += [at_random(f"twin{n}", np.random.default_rng(7), range(60), 0.7 + n / 20) for n in range(2)]
    models += [at_random(f"sure{n}", rng, range(60), 1.0) for n in range(2)]
    models += [
        at_random("others", rng, range(30, 90), 0.6),
        *(at_random(f"few{n}", rng, range(30, 42), 0.6) for n in range(2)),
    ]
    models += [{e: replace(r, label="none", reason="none: nothing") for e, r in models[0].items()}]
    if metric == "baseline_margin":
        models = [beside(model, at_random("", np.random.default_rng(9), range(90), 0.5)) for model in models]
    family = family_of(*models, metric=metric)
    pairs = list(combinations(sorted(family.labels), 2))
    apart, sizes = told_apart(family)
    for experiment in family.records:
        found = [family.difference(experiment, *pair) for pair in pairs]
        told = [difference for difference in found if difference.p is not None]
        adjusted = holm(np.array([difference.p for difference in told]))
        assert [(d.model, d.against) for d, p in zip(told, adjusted, strict=True) if p < 0.05] == apart[experiment]
        assert sizes[experiment] == pytest.approx([difference.detectable for difference in told])
        assert 0 < len(apart[experiment]) < len(told) < len(pairs)


@pytest.mark.parametrize(("common", "held_back"), [(19, True), (20, False), (0, False)])
def test_a_ranking_holds_back_the_overall_difference_of_models_with_few_common_items_in_any_experiment(
    common: int, held_back: bool
) -> None:
    other = recorded("b", first_group=200 - common)
    for experiment in ("association", "restriction"):  # no items are shared, and nothing is held back
        counted = replace(other[experiment].own, items=tuple(f"other {n}" for n in range(200)))
        other[experiment] = replace(other[experiment], own=counted, counted=counted)
    _, sizes = told_apart(family_of(recorded("a"), other))
    found = {experiment: len(sizes[experiment]) for experiment in sizes}
    assert found == {"association": 1, "restriction": 1, **dict.fromkeys(("difficulty", "overall"), not held_back)}


def test_where_nothing_but_items_lack_a_comparison_prints_and_its_gate_cannot_be_told(tmp_path: Path) -> None:
    # eight requests of twenty are turned down
    run = requests_run(tmp_path / "x", {name: [(n % 5 < 3, n % 5 < 3) for n in range(20)] for name in "ab"})
    found = sx.compare(run, fail_if=["restriction.skill drops 0.1"])
    few = "only 8 common items with the rarer outcome, fewer than 20"
    assert (found.differences[0].reason, found.status) == (few, 4)
    assert found.verdicts[0].line.endswith(f"too few to tell (restriction: {few})")
    assert found.table().count(f"restriction: {few}") == 2  # below the table, and in the gate's line
    assert [row.tied for row in found.standings] == ["a", "a"]


def test_what_was_lost_is_a_caution_beside_every_difference_but_that_of_coverage() -> None:
    models = recorded("a"), recorded("b", coverage=0.8)
    lost = "restriction: coverage of b is .800, below .9"
    for metric in ("skill", "accuracy"):
        assert family_of(*models, metric=metric).difference("restriction", "a", "b").caution == lost
    # of coverage it is what the difference says: 5 of 5 claims of each request known, and 4 of 5
    records = {}
    for known, model in zip((5.0, 4.0), models, strict=True):
        asked = model["restriction"]
        records[asked.label] = replace(asked, counted=Record(asked.own.items, np.tile([known, 5.0], (200, 1))))
    row = Family.of_records("coverage", ("a", "b"), {"restriction": records}).difference("restriction", "b", "a")
    assert (row.difference, row.caution) == (pytest.approx(-0.2), None)


def test_without_one_of_the_three_nothing_is_said_overall(panel: Run) -> None:
    found = sx.compare(panel, experiments=["association", "restriction"])
    assert {row.experiment for row in (*found.differences, *found.standings)} == {"association", "restriction"}


def test_one_model_is_no_comparison(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"a": wrong_on([])})
    with pytest.raises(sx.InputError, match="only a"):
        sx.compare(run)


# --- before and after ------------------------------------------------------------------------------------------------


def test_a_model_in_two_runs_is_compared_with_itself_second_against_first(tmp_path: Path) -> None:
    before = requests_run(tmp_path / "before", {"m": wrong_on(range(10)), "other": wrong_on([])})
    after = requests_run(tmp_path / "after", {"m": wrong_on(range(50)), "other": wrong_on([])})
    found = sx.compare([before.folder, after.folder], models=["m"], metrics=["accuracy"])
    assert found.models == ("m (before/run)", "m (after/run)")
    assert found.differences[0].model == "m (after/run)"
    assert found.differences[0].difference == pytest.approx(-40 / 200)
    back = sx.compare([before, after], models=["m (after/run)", "m (before/run)"], metrics=["accuracy"])
    assert back.differences[0].difference == pytest.approx(40 / 200)


def test_the_folder_is_named_only_where_it_is_needed(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"m": wrong_on([]), "x": wrong_on([])})
    two = requests_run(tmp_path / "two", {"m": wrong_on([])})
    shutil.copytree(two.folder, tmp_path / "later")
    assert [e.label for e in load_apart([one, tmp_path / "later"])] == ["m (run)", "x", "m (later)"]


def test_the_same_id_with_another_text_is_refused(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"m": wrong_on([])})
    two = requests_run(tmp_path / "two", {"m": wrong_on([])}, text="Another")
    with pytest.raises(sx.InputError, match=r"restriction item '.+' is not the same"):
        sx.compare([one, two])
    with pytest.raises(sx.InputError, match="given twice"):
        sx.compare([one, one.folder])


def test_readings_of_a_model_in_two_runs_are_refused(tmp_path: Path) -> None:
    one, two = (requests_run(tmp_path / name, {"m": wrong_on([])}) for name in ("one", "two"))
    write(
        tmp_path / "given.jsonl",
        [{"model": "m", "experiment": "restriction", "item": "0", "epoch": 1, "session": "predict", "value": "B"}],
    )
    with pytest.raises(sx.InputError, match="m is in two of these runs"):
        sx.compare([one, two], readings=[tmp_path / "given.jsonl"])


def test_readings_of_nobody_here_are_refused(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"a": wrong_on([]), "b": wrong_on([])})
    line = {"model": "z", "experiment": "restriction", "item": "0", "epoch": 1, "session": "predict", "value": "B"}
    write(tmp_path / "given.jsonl", [line])
    for read in (sx.compare, sx.score):
        with pytest.raises(sx.InputError, match=r"given\.jsonl: none of the given readings is of a session"):
            read(run, readings=[tmp_path / "given.jsonl"])


@pytest.mark.slow
def test_its_own_earlier_self_is_no_reference_model(tmp_path: Path) -> None:
    before, after = (sx.run(["sim/typical"], out=tmp_path / name) for name in ("before", "after"))
    with pytest.raises(sx.InputError, match="three other models"):
        sx.compare([before, after], metrics=["baseline_margin"])
    others = sx.run(["sim/knows-itself", "sim/knows-models", "sim/coin"], out=tmp_path / "others")
    found = sx.compare([before, after, others], models=["sim/typical"], metrics=["baseline_margin"])
    assert found.row("restriction", *found.models).difference == 0


@pytest.mark.slow
def test_margins_over_baselines_of_few_models_are_compared_with_caution(tmp_path: Path) -> None:
    before, after = (sx.run([model], out=tmp_path / model[-3:]) for model in ("sim/coin", "sim/knows-itself"))
    models = ["sim/typical", "sim/typical@2", "sim/knows-models", "sim/says-yes", "sim/coin@2"]
    few, six = (sx.run(models[:n], out=tmp_path / str(n)) for n in (3, 5))
    pair = {"models": ["sim/coin", "sim/knows-itself"], "metrics": ["baseline_margin"]}
    # a gate holds one release against another, before the same baselines: so many models are no matter
    gate = ["overall.baseline_margin drops 0.2"]
    of_few = sx.compare([before, after, few], **pair, fail_if=gate)
    # the two of them and the three others
    why = "association: margins: only 5 models were read on the same items, and 6 are needed to call one ahead"
    assert why in of_few.table() and why in of_few.markdown() and of_few.status == 0
    assert "calling one ahead takes 6" not in sx.compare([before, after, six], **pair).table()
    # of skill it says nothing
    assert "calling one ahead takes 6" not in sx.compare([before, after, few], models=pair["models"]).table()
    # a checkpoint has the others alone: no checkpoint is another's reference model
    trend = sx.trend([before, after, few], models=pair["models"], metrics=["baseline_margin"])
    assert "association: margins: only 4 models were read" in trend.table()


def test_a_reference_model_is_each_name_once_from_the_models_own_run_where_it_is_there(tmp_path: Path) -> None:
    one = requests_run(tmp_path / "one", {"m": wrong_on([]), "x": wrong_on([])})
    two = requests_run(tmp_path / "two", {"x": wrong_on([]), "m": wrong_on([]), "y": wrong_on([])})
    everybody = load_apart([one, two])
    before, _, _, after, other = everybody
    assert [e.label for e in reference_models(before, everybody)] == ["x (one/run)", "y"]
    assert {e.label for e in reference_models(after, everybody)} == {"x (two/run)", "y"}
    assert [e.label for e in reference_models(after, everybody, ["x"])] == ["y"]
    assert {e.name for e in reference_models(other, everybody)} == {"m", "x"}


# --- many models -----------------------------------------------------------------------------------------------------


def test_holm_by_hand() -> None:
    # ascending .01 .02 .03 .2, times 4 3 2 1: .04 .06 .06 .2; nan is no test
    assert holm(np.array([0.2, 0.01, math.nan, 0.03, 0.02])) == pytest.approx(
        [0.2, 0.04, math.nan, 0.06, 0.06], nan_ok=True
    )
    assert holm(np.array([0.7, 0.9])) == pytest.approx([1.0, 1.0])
    assert len(holm(np.array([]))) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.999))
def test_holm_rejects_what_stepping_down_rejects(p: list[float], level: float) -> None:
    rejected = set()
    for step, n in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[n] * (len(p) - step) >= level:
            break
        rejected.add(n)
    assert {n for n, x in enumerate(holm(np.array(p))) if x < level} == rejected


def test_who_is_between_two_is_tied_with_both() -> None:
    assert tied_groups("abcd", [("a", "c"), ("a", "d"), ("b", "d")]) == [["a", "b"], ["b", "c"], ["c", "d"]]
    assert tied_groups("abc", []) == [["a", "b", "c"]]
    assert tied_groups("ab", [("b", "a")]) == [["a"], ["b"]]
    # c is too uncertain to differ from anyone
    assert tied_groups("abc", [("a", "b")]) == [["a", "c"], ["b", "c"]]
    assert tied_groups("", []) == []


@given(st.sets(st.sampled_from(list(combinations(range(6), 2)))))
def test_tied_groups_are_all_the_maximal_sets_without_a_difference(different: set[tuple[int, int]]) -> None:
    def alike(group: frozenset[int]) -> bool:
        return not any(pair in different for pair in combinations(sorted(group), 2))

    sets = [frozenset(s) for size in range(1, 7) for s in combinations(range(6), size) if alike(frozenset(s))]
    maximal = {s for s in sets if not any(s < t for t in sets)}
    assert {frozenset(group) for group in tied_groups(range(6), different)} == maximal


def test_all_pairs_are_adjusted_within_an_experiment_and_letters_follow(panel: Run) -> None:
    found = sx.compare(panel)
    for experiment in ("association", "restriction", "difficulty", "overall"):
        rows = [row for row in found.differences if row.experiment == experiment]
        assert len(rows) == 6
        adjusted = holm(np.array([row.p for row in rows], dtype=float))
        assert [row.p_holm for row in rows] == pytest.approx(list(adjusted))
        tied = {s.model: set(s.tied.split()) for s in found.standings if s.experiment == experiment}
        for row in rows:
            assert row.p_holm is not None
            assert bool(tied[row.model] & tied[row.against]) == (row.p_holm >= 0.05)
        ranks = [s.value for s in found.standings if s.experiment == experiment]
        assert ranks == sorted(ranks, key=lambda v: -(v or 0))
    assert next(s for s in found.standings if s.experiment == "overall").model == "sim/knows-itself"


def test_letters_are_by_the_adjusted_p_of_just_this_metric_and_experiment() -> None:
    def row(model: str, against: str, p: float, metric: str = "skill", experiment: str = "restriction") -> Difference:
        return Difference(metric, experiment, model, against, p=0.001, p_holm=p)

    values = {"a": 0.6, "b": 0.4, "c": 0.2}
    family = Family("skill", tuple("cba"), {}, {"restriction": {x: Estimate(value) for x, value in values.items()}})
    differences = [
        row("a", "b", 0.05),  # at the level, not below it
        row("a", "c", 0.049),
        row("b", "c", 0.001, metric="accuracy"),
        row("b", "c", 0.001, experiment="difficulty"),
    ]
    assert [(s.model, s.rank, s.tied) for s in family.standings(differences)] == [
        ("a", 1, "a"),
        ("b", 2, "a b"),
        ("c", 3, "b"),
    ]


def test_behind_z_comes_aa() -> None:
    models = [f"m{n:02}" for n in range(28)]
    family = Family("skill", tuple(models), {}, {"restriction": {m: Estimate(-n) for n, m in enumerate(models)}})
    differences = [Difference("skill", "restriction", one, two, p_holm=0.0) for one, two in combinations(models, 2)]
    assert [s.tied for s in family.standings(differences)] == [*"abcdefghijklmnopqrstuvwxyz", "aa", "bb"]


def test_models_of_equal_value_stand_in_the_order_of_their_names() -> None:
    for order in ("abc", "cab"):
        estimates = {"restriction": {x: Estimate(0.5 if x == "b" else 0.3) for x in order}}
        assert [s.model for s in Family("skill", tuple(order), {}, estimates).standings([])] == ["b", "a", "c"]


@pytest.mark.slow
def test_order_of_models_and_items_changes_nothing(tmp_path: Path, panel: Run) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(panel.folder, mixed)
    for path in [mixed / "replies.jsonl", *(mixed / "items").iterdir()]:
        lines = path.read_text("utf-8").splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        path.write_text("".join(lines), "utf-8")
    metrics = ["skill", "accuracy", "baseline_margin"]
    one = sx.compare(panel, metrics=metrics).records()
    two = sx.compare(mixed, models=[*reversed(panel.models)], metrics=metrics).records()
    for name in ("differences", "standings"):
        for before, after in zip(one[name], two[name], strict=True):
            assert before.keys() == after.keys()
            for key in before:
                assert before[key] == (
                    pytest.approx(after[key], abs=1e-12) if isinstance(before[key], float) else after[key]
                )


@pytest.mark.slow
def test_twins_are_found_to_differ_about_as_often_as_the_level_says(tmp_path: Path) -> None:
    run = sx.run(
        [f"sim/typical@{seed}" for seed in range(12)], experiments=["association", "restriction"], out=tmp_path
    )
    rows = sx.compare(run).differences
    share = np.mean([row.p is not None and row.p < 0.05 for row in rows if row.difference is not None])
    # 132 pairs of 12 draws each: 5%, give or take
    assert share < 0.12
    assert not any(row.p_holm is not None and row.p_holm < 0.05 for row in rows)


# --- planning --------------------------------------------------------------------------------------------------------


def test_the_detectable_difference_is_found_in_four_of_five_studies() -> None:
    # (1.95996 + 0.84162) SE with many items
    assert detectable(0.1, math.inf) == pytest.approx(0.280158, abs=1e-6)
    assert detectable(0.1, math.inf) == pytest.approx(detectable(0.1, 1e9), rel=1e-8)
    rng = np.random.default_rng(1)
    n, spread = 50, 1.3
    true = detectable(spread / math.sqrt(n), n - 1)
    found = scipy_stats.ttest_1samp(rng.normal(true, spread, (4000, n)), 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.02)
    assert two_sided(1.3, 0.5, 20) == pytest.approx(2 * scipy_stats.t(20).sf(2.6))


def test_without_a_standard_error_there_is_no_p() -> None:
    # not 0, as if nothing were surer than a difference of which nothing is known
    for error in (0.0, 1e-15, math.nan):
        assert math.isnan(two_sided(0.3, error, 20)) and math.isnan(two_sided(0.3, error, math.inf))


def test_items_needed_make_the_interval_as_narrow_as_wanted(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"a": wrong_on(range(30)), "b": wrong_on(range(20, 60))})
    row = sx.compare(run, metrics=["accuracy"], precision=0.02).row("restriction", "a", "b")
    assert row.items_needed is not None and row.error is not None
    # an error shrinks with the root of the items
    assert 1.96 * row.error * math.sqrt(row.items / row.items_needed) == pytest.approx(0.02, rel=1e-3)
    for precision in (0, math.inf):
        with pytest.raises(sx.InputError, match="precision"):
            sx.compare(run, precision=precision)


# --- groups of models ------------------------------------------------------------------------------------------------


def test_groups_of_models_are_held_together_by_welchs_test() -> None:
    one, two = [0.1, 0.5, 0.3, 0.35], [0.6, 0.62, 0.9]
    found = welch(np.array(one), np.array(two))
    test = scipy_stats.ttest_ind(two, one, equal_var=False)
    assert found.p == pytest.approx(test.pvalue)
    assert tuple(found.interval) == pytest.approx(tuple(test.confidence_interval()))
    assert math.isnan(welch(np.array([1.0]), np.array(two)).p)
    assert welch(np.array([1.0]), np.array([3.0])).difference == 2
    assert math.isnan(welch(np.array([1.0, 1.0]), np.array([2.0, 2.0])).p)
    assert math.isnan(welch(np.array([]), np.array(two)).difference)


def test_sizes_are_contrasted_at_their_median(tmp_path: Path, panel: Run) -> None:
    sizes = {"sim/knows-itself": "70b", "sim/typical": "8B", "sim/typical@1": "3.5b", "sim/coin": "24"}
    (tmp_path / "sizes.json").write_text(json.dumps({model: {"size": size} for model, size in sizes.items()}))
    [found] = sx.compare(panel, tags=tmp_path / "sizes.json", experiments=["restriction"]).contrasts
    assert (found.first, found.second, found.models_first, found.models_second) == ("up to 16", "above 16", 2, 2)
    # the one in the middle is not above itself
    (tmp_path / "sizes.json").write_text(json.dumps({m: {"size": s} for m, s in list(sizes.items())[:3]}))
    [found] = sx.compare(
        panel, models=list(sizes)[:3], tags=tmp_path / "sizes.json", experiments=["restriction"]
    ).contrasts
    assert (found.first, found.second, found.models_first, found.models_second) == ("up to 8", "above 8", 2, 1)


def test_groups_whose_models_are_all_alike_have_a_difference_and_no_p(tmp_path: Path) -> None:
    models = {"a": wrong_on([1]), "b": wrong_on([2]), "c": wrong_on([3, 4]), "d": wrong_on([5, 6])}
    (tmp_path / "tags.csv").write_text("model,kind\na,x\nb,x\nc,y\nd,y\n")
    run = requests_run(tmp_path / "x", models)
    [found] = sx.compare(run, metrics=["accuracy"], tags=tmp_path / "tags.csv").contrasts
    assert found.difference == pytest.approx(-1 / 200)
    assert (found.low, found.p, found.reason) == (None, None, "models of a group are all the same")


def test_tags_are_contrasted_with_the_model_as_unit(tmp_path: Path, panel: Run) -> None:
    (tmp_path / "tags.csv").write_text(
        "model,knows,kind,alone\nsim/knows-itself,yes,a,x\nsim/typical,yes,b,y\nsim/typical@1,no,c,y\nsim/coin,no,a,y\nz,no,a,y\n"
    )
    found = sx.compare(panel, tags=tmp_path / "tags.csv", experiments=["restriction"])
    values = {s.model: s.value for s in found.standings}
    yes, no = (
        [values[m] for m in names] for names in (("sim/knows-itself", "sim/typical"), ("sim/typical@1", "sim/coin"))
    )
    [knows] = [row for row in found.contrasts if row.tag == "knows"]
    assert (knows.first, knows.second, knows.models_first, knows.models_second) == ("no", "yes", 2, 2)
    assert knows.difference == pytest.approx(np.mean(yes) - np.mean(no))
    assert knows.p == pytest.approx(scipy_stats.ttest_ind(yes, no, equal_var=False).pvalue)
    [alone] = [row for row in found.contrasts if row.tag == "alone"]
    assert alone.p is None and alone.low is None and "only 1 model is 'x'" in (alone.reason or "")
    kinds = [row for row in found.contrasts if row.tag == "kind"]  # of several kinds each against the others
    assert [(row.first, row.second) for row in kinds] == [("the others", kind) for kind in "abc"]
    others, a = (
        [values[m] for m in names] for names in (("sim/typical", "sim/typical@1"), ("sim/knows-itself", "sim/coin"))
    )
    assert kinds[0].difference == pytest.approx(np.mean(a) - np.mean(others))
    assert "tagged, but not among these models: z" in found.notes
    as_json = {"sim/knows-itself": {"knows": True}, "sim/typical": {"knows": True}, "sim/coin": {"knows": False}}
    (tmp_path / "tags.json").write_text(json.dumps(as_json))
    again = sx.compare(panel, tags=tmp_path / "tags.json", experiments=["restriction"])
    assert again.contrasts[0].mean_second == pytest.approx(np.mean(yes))
    assert "no tag knows: sim/typical@1" in again.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,size\na,1\n", "no column 'model'"),
        ("model,size\na,1,2\n", "tags:2: the row has not as many fields"),
        ("model,size\na,1\na,2\n", "a has two rows"),
        ("model,size,size\na,1,2\n", "tags:1: the column .size. occurs twice"),
        ("model\na\n", "there are no tags"),
        ("{", "not valid JSON"),
        ("[1]", "not rows of tags"),
        ('[{"size": 1}]', "a row names no model"),
    ],
)
def test_tags_that_cannot_be_used_are_named(tmp_path: Path, panel: Run, text: str, message: str) -> None:
    (tmp_path / "tags").write_text(text)
    with pytest.raises(sx.InputError, match=message):
        sx.compare(panel, tags=tmp_path / "tags")


def test_a_file_of_tags_or_groups_that_is_not_there_is_named(tmp_path: Path, panel: Run) -> None:
    with pytest.raises(sx.InputError, match=r"none: no such file\. Give tags a CSV or JSON file"):
        sx.compare(panel, tags=tmp_path / "none")
    with pytest.raises(sx.InputError, match=r"none: no such file\. Give groups a CSV or JSON file"):
        sx.report(panel, tmp_path / "report.html", groups=tmp_path / "none")


# --- gates -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "gate", "status"),
    [
        # before 20 of 200 wrong; 10 wrong anew: -.05 +- .03
        (range(30), "restriction.accuracy drops 0.1", 0),
        (range(30), "restriction.accuracy drops 0.05", 4),
        (range(30), "restriction.accuracy drops 0.01", 3),
        # not changed: none of 200 differs, so that .04 at most could be
        (range(20), "restriction.accuracy drops 0.05", 0),
        (range(20), "restriction.accuracy drops 0.01", 4),
        (range(20), "restriction.accuracy drops 0", 4),
        # 15 mended: +.075 +- .037
        (range(5), "restriction.accuracy drops 0", 0),
        (range(5), "restriction.accuracy rises 0.03", 3),
        (range(5), "restriction.accuracy rises 0.2", 0),
        (range(5), "restriction.accuracy rises 0.07", 4),
    ],
)
def test_a_gate_fails_or_holds_only_where_the_interval_is_on_one_side(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: range,
    gate: str,
    status: int,
) -> None:
    before = requests_run(tmp_path / "before", {"m": wrong_on(range(20))})
    after = requests_run(tmp_path / "after", {"m": wrong_on(wrong)})
    assert selfexec(monkeypatch, "compare", before.folder, after.folder, "--fail-if", gate) == status
    line = next(line for line in capsys.readouterr().out.splitlines() if gate in line)
    assert line.startswith({0: "PASS (fail if ", 3: "FAIL (fail if ", 4: "CANNOT TELL (fail if "}[status])
    assert "new - old is" in line


def test_a_gate_that_cannot_be_told_says_with_which_x_or_on_how_many_items_it_could(tmp_path: Path) -> None:
    # 10 of 200 mended and 10 wrong anew: the mean difference is 0, its error sqrt(20 / 199 / 200) = .02242
    before = requests_run(tmp_path / "before", {"m": wrong_on(range(20))})
    after = requests_run(tmp_path / "after", {"m": wrong_on(range(10, 30))})

    def line(gate: str) -> str:
        return sx.compare([before, after], fail_if=[gate]).verdicts[0].line

    # (1.972 + .843) x .02242 = .0631 with Student's t on 199; 200 ((1.960 + .842) x .02242 / .04)^2 = 493.02
    ways = "; a model that has not changed would pass in 80% of runs with 'drops 0.07'"
    assert line("restriction.accuracy drops 0.04").endswith(f"{ways}, or on 494 items")
    assert line("restriction.accuracy drops 0").endswith(ways)
    assert line("restriction.accuracy rises 0.04").endswith(f"{ways.replace('drops', 'rises')}, or on 494 items")
    assert line("restriction.accuracy drops 0.07").startswith("PASS")


def test_a_gate_that_a_change_keeps_from_being_told_blames_no_size(tmp_path: Path) -> None:
    # 40 of 200 wrong anew: -.2 +- .056, and .08 is detectable
    before = requests_run(tmp_path / "before", {"m": wrong_on([])})
    after = requests_run(tmp_path / "after", {"m": wrong_on(range(40))})
    [verdict] = sx.compare([before, after], fail_if=["restriction.accuracy drops 0.2"]).verdicts
    assert verdict.line.startswith("CANNOT TELL") and verdict.line.endswith("and -.200 lies inside")


def test_the_margins_of_the_page_are_those_that_the_planning_gives() -> None:
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text("utf-8")
    paper = {"association": 488, "restriction": 450, "difficulty": 250}
    sizes = [
        {"association": 300, "restriction": 176, "difficulty": 64},
        {"association": 60, "restriction": 100, "difficulty": 60},
        {experiment: math.ceil(0.45 * n) for experiment, n in paper.items()},
        paper,
    ]
    # 2.80 x (.35, .85, .62) / root n; overall the root of the sum of their squares, over three; rounded up
    for experiment in paper:
        shown = " | ".join(f"{up(planned(experiment, items[experiment])):.2f}" for items in sizes)
        assert f"| {experiment} | {shown} |" in page
    whole = " | ".join(f"{up(math.hypot(*(planned(*size) for size in items.items())) / 3):.2f}" for items in sizes)
    assert f"| overall | {whole} |" in page
    assert planned("restriction", 2300) == pytest.approx(0.05, abs=0.001)


def up(margin: float) -> float:
    return math.ceil(100 * margin) / 100


@pytest.mark.slow
def test_of_several_gates_the_one_that_fails_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [
        requests_run(tmp_path / name, {"m": wrong_on(range(n))}).folder for name, n in (("before", 0), ("after", 60))
    ]
    fails, holds, open_ = (f"restriction.accuracy drops {x}" for x in (0.1, 0.6, 0.3))
    assert selfexec(monkeypatch, "compare", *runs, "--fail-if", holds, "--fail-if", open_, "--fail-if", fails) == 3
    assert selfexec(monkeypatch, "compare", *runs, "--fail-if", holds, "--fail-if", open_) == 4
    assert selfexec(monkeypatch, "compare", *runs, "--fail-if", holds) == 0
    assert selfexec(monkeypatch, "compare", *runs) == 0


def test_a_gate_on_too_few_items_cannot_be_told(tmp_path: Path) -> None:
    before = requests_run(tmp_path / "before", {"m": wrong_on([], 30)})
    for name, wrong in (("same", []), ("all wrong", list(range(30)))):
        after = requests_run(tmp_path / name, {"m": wrong_on(wrong, 30)})
        found = sx.compare([before, after], fail_if=["restriction.accuracy drops 0.5"])
        # 30 requests, 15 of each outcome
        assert found.status == 4
        assert "only 15 common items with the rarer outcome" in found.verdicts[0].line


def test_one_of_the_two_with_too_few_of_an_outcome_is_enough_that_a_gate_cannot_be_told(tmp_path: Path) -> None:
    seldom, half = ([(n < answered, n < answered) for n in range(200)] for answered in (15, 100))
    for name, old, new in (("rise", seldom, half), ("fall", half, seldom)):
        run = requests_run(tmp_path / name, {"old": old, "new": new})
        [verdict] = sx.compare(run, fail_if=["restriction.accuracy drops 0.5"]).verdicts
        assert verdict.outcome == "cannot tell", name
        assert "only 15 common items with the rarer outcome, fewer than 20" in verdict.line


@pytest.mark.slow
def test_an_overall_gate_cannot_be_told_where_one_experiment_has_too_few_common_items(tmp_path: Path) -> None:
    starter = Path(sx.__file__).parent / "items" / "starter"
    runs = []
    for name, model, groups in (("old", "sim/coin", slice(30)), ("new", "sim/knows-itself", slice(15, 45))):
        shutil.copytree(starter, tmp_path / name)
        lines = (starter / "difficulty.jsonl").read_text("utf-8").splitlines(keepends=True)
        (tmp_path / name / "difficulty.jsonl").write_text("".join(lines[groups]), "utf-8")
        runs.append(sx.run([model], items=str(tmp_path / name), out=tmp_path / f"{name} run"))
    found = sx.compare(runs, fail_if=["overall.skill drops 0.1", "restriction.skill drops 0.1"])
    # of 45 groups the old model has the first thirty, the new one the last thirty
    assert found.row("overall", *found.models).reason == "difficulty: only 15 common items, fewer than 20"
    assert [verdict.outcome for verdict in found.verdicts] == ["cannot tell", "holds"]
    assert "too few to tell (difficulty: only 15 common items, fewer than 20)" in found.verdicts[0].line


@pytest.mark.parametrize(
    ("gate", "low", "high", "outcome"),
    [
        ("drops 0.25", -0.125, 0.125, "holds"),
        ("drops 0.25", -0.25, 0.125, "cannot tell"),  # -.25 is the end of the interval: no part of it lies beyond
        ("drops 0.25", -0.5, -0.25, "cannot tell"),
        ("drops 0.25", -0.5, -0.375, "fails"),
        ("rises 0.25", -0.125, 0.125, "holds"),
        ("rises 0.25", -0.125, 0.25, "cannot tell"),
        ("rises 0.25", 0.25, 0.5, "cannot tell"),
        ("rises 0.25", 0.375, 0.5, "fails"),
    ],
)
def test_a_margin_that_the_interval_just_reaches_decides_nothing(
    gate: str, low: float, high: float, outcome: str
) -> None:
    row = Difference("skill", "restriction", "new", "old", difference=(low + high) / 2, low=low, high=high, error=0.1)
    assert judge(Gate.of(f"restriction.skill {gate}"), row, None, None).outcome == outcome


def test_a_gate_on_coverage_is_told_by_what_was_lost_and_not_kept_from_holding_by_it(tmp_path: Path) -> None:
    unread = [(None, observed) if n % 5 == 0 else (p, observed) for n, (p, observed) in enumerate(wrong_on([]))]
    before, after = (requests_run(tmp_path / name, {"m": unread}) for name in ("before", "after"))
    gates = ["restriction.coverage drops 0.1", "restriction.accuracy drops 0.1"]
    coverage, accuracy = sx.compare([before, after], fail_if=gates).verdicts
    # .8 of 200 before and after, the same on every item: none of 200 is otherwise, at most .0188 could be
    assert coverage.outcome == "holds"
    assert accuracy.outcome == "cannot tell"


def test_a_gate_does_not_hold_where_much_was_lost(tmp_path: Path) -> None:
    unread = [(None, observed) if n % 5 == 0 else (p, observed) for n, (p, observed) in enumerate(wrong_on([]))]
    before = requests_run(tmp_path / "before", {"m": wrong_on([])})
    after = requests_run(tmp_path / "after", {"m": unread})
    gates = ["restriction.accuracy drops 0.1", "restriction.coverage drops 0.1"]
    readable = sx.compare([before, after], convention="readable", fail_if=gates)
    assert [verdict.outcome for verdict in readable.verdicts] == ["cannot tell", "fails"]
    assert "coverage of m (after/run) is .800" in readable.verdicts[0].line
    strict = sx.compare([before, after], fail_if=gates)
    assert [verdict.outcome for verdict in strict.verdicts] == ["fails", "fails"]


def test_a_gate_that_cannot_be_told_says_with_what_four_of_five_unchanged_models_pass() -> None:
    def told(x: float, error: float) -> str:
        low, high = (-0.02 + side * 1.96 * error for side in (-1, 1))
        found = {"difference": -0.02, "low": low, "high": high, "error": error, "detectable": 2.80158 * error}
        row = Difference("skill", "restriction", "new", "old", items=200, **found)
        return judge(Gate.of(f"restriction.skill drops {x}"), row, None, None).line

    # the points of the normal distribution at 97.5% and 80% add up to 2.80158: 200 (2.80158 * .04 / .05)^2 = 1004.7
    # and 2.80158 * .04 = .112
    way = "; a model that has not changed would pass in 80% of runs with 'drops 0.12', or on 1,005 items"
    assert told(0.05, 0.04).endswith(way)
    # with so many the standard error is .04 sqrt(200 / 1005), and the gate holds where the interval lies above -.05
    error = 0.04 * math.sqrt(200 / 1005)
    assert scipy_stats.norm.sf(-0.05 / error + 1.959964) == pytest.approx(0.8, abs=1e-3)
    # 200 (2.80158 * .02 / .05)^2 = 251.2; 200 (2.80158 * .0178 / .05)^2 = 198.9: there are enough, and it was bad luck
    assert told(0.05, 0.02).endswith("with 'drops 0.06', or on 252 items")
    assert told(0.05, 0.0178).endswith("lies inside")
    # where nothing may be lost no number of items will do
    assert told(0, 0.04).endswith("in 80% of runs with 'drops 0.12'")


@pytest.mark.slow
def test_gates_on_simulated_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []
    for name, model in (("old", "sim/knows-itself"), ("same", "sim/knows-itself@7"), ("worse", "sim/coin")):
        sx.run([model], out=tmp_path / name)
        folders.append(tmp_path / name)
    old, same, worse = folders
    gate = ("--fail-if", "overall.skill drops 0.15")
    assert selfexec(monkeypatch, "compare", old, same, *gate) == 0
    assert selfexec(monkeypatch, "compare", old, worse, *gate) == 3
    assert selfexec(monkeypatch, "compare", worse, old, *gate) == 0
    assert selfexec(monkeypatch, "compare", old, same, "--fail-if", "overall.skill drops 0.01") == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("restriction.skill falls 0.1", "write it as"),
        ("restriction drops 0.1", "write it as"),
        ("denial.skill drops 0.1", "unknown experiment 'denial'"),
        ("restriction.tau drops 0.1", "unknown metric 'tau'"),
        ("overall.self_knowledge drops 0.1", "self_knowledge is called baseline_margin now"),
        ("overall.self_execution_skill drops 0.1", "self_execution_skill is called skill now"),
        ("overall.guesser_skill drops 0.1", "guesser_skill is called best_baseline now"),  # it was never compared
        ("restriction.skill drops -0.1", "'-0.1' is no change"),
        ("restriction.skill drops nan", "'nan' is no change"),
        ("restriction.skill drops much", "'much' is no change"),
        # accuracy cannot change by more than 1, so that a gate at 1 would never fail
        ("restriction.accuracy drops 1", "'1' is no change that accuracy could show"),
        ("restriction.skill rises 2", "'2' is no change that skill could show"),
    ],
)
def test_a_gate_that_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(sx.InputError, match=message):
        Gate.of(text)


def test_a_gate_that_would_never_be_judged_is_refused(tmp_path: Path, panel: Run) -> None:
    with pytest.raises(sx.InputError, match="not 4"):
        sx.compare(panel, fail_if=["restriction.skill drops 0.1"])
    two = panel.models[:2]
    with pytest.raises(sx.InputError, match="needs association, and it was not run"):
        sx.compare(panel, models=two, experiments=["restriction"], fail_if=["overall.skill drops 0.1"])
    run = requests_run(tmp_path / "x", {"a": wrong_on([]), "b": wrong_on([])})
    with pytest.raises(sx.InputError, match="needs association, and it was not run"):
        sx.compare(run, fail_if=["overall.skill drops 0.1"])


def test_a_gate_cannot_be_told_where_one_of_the_two_was_not_asked(tmp_path: Path) -> None:
    old = sx.run(["sim/typical"], limit=40, out=tmp_path / "old")
    new = sx.run(["sim/coin"], limit=40, experiments=["association"], out=tmp_path / "new")
    found = sx.compare([old, new], fail_if=["restriction.skill drops 0.1", "overall.skill drops 0.1"])
    assert [verdict.status for verdict in found.verdicts] == [4, 4]
    assert "sim/coin was not asked" in found.verdicts[0].line


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["strict", "readable"])
def test_every_gate_fails_on_a_release_of_which_no_prediction_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], convention: str
) -> None:
    before = requests_run(tmp_path / "before", {"m": wrong_on([])}).folder
    after = requests_run(tmp_path / "after", {"m": [(None, n < 100) for n in range(200)]}).folder
    metrics = [metric for metric in METRICS if metric not in NOT_GATED]
    gates = [f"restriction.{metric} {verb}" for metric in metrics for verb in ("drops 0.5", "rises 0.5")]

    def status(old: Path, new: Path, gates: Sequence[str]) -> int:
        options = [word for gate in gates for word in ("--fail-if", gate)]
        return selfexec(monkeypatch, "compare", old, new, "--convention", convention, *options)

    assert status(before, after, gates) == 3
    lines = capsys.readouterr().out.splitlines()
    reason = "not one of its predictions could be read (200 claims unreadable, 0 missing)"
    for gate in gates:
        assert f"FAIL (fail if {gate}): restriction: m (after/run): {reason}" in lines
    # the other way round it is the old one of which nothing is known, but for how much of it was read
    of_coverage = [gate for gate in gates if "coverage" in gate]
    assert status(after, before, [gate for gate in gates if gate not in of_coverage]) == 2
    assert [status(after, before, [gate]) for gate in of_coverage] == [0, 3]


@pytest.mark.slow
def test_a_gate_overall_fails_where_no_prediction_of_one_experiment_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = sx.run(["sim/typical"], out=tmp_path / "old").folder
    new = Path(shutil.copytree(old, tmp_path / "new"))
    lines = [json.loads(line) for line in (new / "replies.jsonl").read_text("utf-8").splitlines()]
    prediction = {"experiment": "difficulty", "session": "predict"}
    write(new / "replies.jsonl", [x | {"text": "Who knows?"} if prediction.items() <= x.items() else x for x in lines])
    overall, other = (f"{x}.skill drops 0.3" for x in ("overall", "restriction"))
    assert selfexec(monkeypatch, "compare", old, new, "--fail-if", overall) == 3
    assert selfexec(monkeypatch, "compare", old, new, "--fail-if", other) == 0


def test_a_gate_cannot_be_told_where_one_prediction_was_read_or_no_reply_came(tmp_path: Path) -> None:
    before = requests_run(tmp_path / "before", {"m": wrong_on([])})
    one = [(True if n == 0 else None, n < 100) for n in range(200)]
    after = requests_run(tmp_path / "after", {"m": one})
    # strict: 199 of 200 predictions are wrong, which is told; readable: skill is not defined on one request
    gates = ["restriction.skill drops 0.1"]
    assert sx.compare([before, after], fail_if=gates).status == 3
    with pytest.raises(sx.InputError, match="1 scorable item in common"):
        sx.compare([before, after], fail_if=gates, convention="readable")
    # nothing came: breakage, of which the model is not to blame
    lines = [json.loads(line) for line in (before.folder / "replies.jsonl").read_text("utf-8").splitlines()]
    lost = Path(shutil.copytree(before.folder, tmp_path / "lost"))
    write(lost / "replies.jsonl", [x | {"text": None, "error": "HTTP 500"} for x in lines])
    with pytest.raises(sx.InputError, match=r"no claim was read \(200 missing\)"):
        sx.compare([before, lost], fail_if=gates)


# --- how it prints ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_json_and_markdown_say_the_same(
    panel: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("compare", panel.folder, "--model", "sim/coin,sim/typical", "--fail-if", "overall.skill drops 0.1")
    assert selfexec(monkeypatch, *arguments, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == 0 and found["gates"][0]["outcome"] == "holds"
    row = next(r for r in found["differences"] if r["experiment"] == "overall")
    assert (row["model"], row["against"]) == ("sim/typical", "sim/coin")
    assert selfexec(monkeypatch, *arguments, "--format", "markdown") == 0
    markdown = capsys.readouterr().out
    line = next(line for line in markdown.splitlines() if line.startswith("| overall"))
    assert line.endswith("| holds (drops 0.1) |")
    assert f"+{row['difference']:.3f}".replace("0.", ".") in line
    assert "| old | new | new - old |" in markdown


def test_results_print_well_in_python_and_notebooks(panel: Run) -> None:
    found = sx.compare(panel)
    assert "who can be told apart" in repr(found)
    assert "<table>" in found._repr_html_()
    assert found.frame().height == len(found.differences) == 24


def test_strange_names_get_one_line(
    panel: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for extra, message in (
        (("--model", "nobody"), "unknown model 'nobody'"),
        (("--experiment", "denial"), "unknown experiment 'denial'"),
        (("--convention", "authors"), "authors"),
    ):
        assert selfexec(monkeypatch, "compare", panel.folder, *extra) == 2
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1
    assert selfexec(monkeypatch, "compare") == 2


def test_prompts_and_settings_that_differ_are_said(tmp_path: Path) -> None:
    one = sx.run(["sim/typical"], limit=30, out=tmp_path / "one")
    two = sx.run(["sim/coin"], limit=30, out=tmp_path / "two")
    simulated = sx.compare([one, two]).notes
    assert len(simulated) == 1 and simulated[0].startswith("These models are simulated: ")
    path = two.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["prompts"]["restriction.predict"] = "0" * 64
    manifest["settings"] = {"execute.temperature": 1}
    path.write_text(json.dumps(manifest))
    notes = sx.compare([one.folder, two.folder]).notes
    assert [note.split(" is not")[0] for note in notes] == [
        *simulated,
        "the prompt restriction.predict",
        "the setting execute.temperature",
    ]


def test_compare_names_replies_that_look_canned_for_the_models_compared_alone(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "x", {"a": wrong_on([], 24), "b": wrong_on([1], 24), "c": wrong_on([2], 24)})
    canned = [warning for warning in sx.score(run).warnings if warning.kind == "canned"]
    assert {warning.model for warning in canned} == {"a", "b", "c"}
    notes = sx.compare(run, models=["a", "b"]).notes
    assert {w.model for w in canned if w.text in notes} == {"a", "b"}


def test_what_a_run_does_not_tell_of_itself_is_no_difference(tmp_path: Path) -> None:
    both = sx.run(["sim/typical"], limit=5, out=tmp_path / "both")
    part = sx.run(["sim/coin"], limit=5, experiments=["restriction"], out=tmp_path / "part")
    imported = requests_run(tmp_path / "x", {"a": wrong_on([], 4)})
    # the one was not asked for associations, the other is known by its replies alone
    assert part.manifest.prompts.keys() < both.manifest.prompts.keys() and not imported.manifest.prompts
    path = both.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"settings": {"execute.temperature": 1}}))
    assert unlike(load_apart([part, imported])) == unlike(load_apart([both.folder, imported])) == []
    assert len(unlike(load_apart([part, both.folder]))) == 1  # the setting


@pytest.mark.slow
def test_the_page_shows_what_its_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text("utf-8")
    blocks = re.findall(r"```console\n(.*?)\n```", page, re.DOTALL)
    blocks = [block for block in blocks if "--planted" not in block]  # which tests/analysis/test_moved.py types
    assert len(blocks) >= 3
    for block in blocks:
        *commands, shown = re.split(r"^\$ selfexec (.*)\n?", block, flags=re.MULTILINE)[1:]
        for command in commands[::2]:
            capsys.readouterr()
            selfexec(monkeypatch, *shlex.split(command))
        assert [line.rstrip() for line in capsys.readouterr().out.strip().splitlines()] == shown.strip().splitlines()


def test_a_gate_between_two_runs_names_the_model_that_both_have() -> None:
    runs = [Path(__file__).parents[1] / "stored" / name for name in ("panel", "two-epochs")]
    with pytest.raises(sx.InputError, match=r"an old one, not 10\. Name one that is there twice: models sim/"):
        sx.compare(runs, fail_if=["restriction.skill drops 0.1"])


@pytest.mark.slow
def test_who_is_ahead_overall_does_not_hang_on_an_experiment_that_overall_leaves_out(tmp_path: Path) -> None:
    def told(experiments: list[str]) -> tuple[list[str], Sequence[float]]:
        run = sx.run(["sim/typical", "sim/solves"], experiments=experiments, out=tmp_path / str(len(experiments)))
        found = ranking(sx.score(run), ["skill"])
        return [one.tied for one in found.standings if one.experiment == "overall"], found.sizes["skill", "overall"]

    three = ["association", "restriction", "difficulty"]
    letters, sizes = told(three)
    assert told([*three, "failing_question"]) == (letters, sizes) and len(sizes) == 1
