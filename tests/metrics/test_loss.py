"""What was lost: whether it is like what was read, and what the scores could have been with it."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import selfexec as sx
from build import pair, request, table, whole_run
from effort import examples
from selfexec.analysis.notes import noise_and_loss
from selfexec.analysis.score import Score, Scores, score_tables
from selfexec.claims import Claims
from selfexec.metrics import Cells, claim_kind, loss_tests, loss_warnings, warnings
from selfexec.metrics.kinds import METRICS
from selfexec.stats import holm


def claims_of(rows: list[dict[str, Any]]) -> Mapping[str, Claims]:
    return table(rows).claims


# --- is what was lost like what was read? ----------------------------------------------------------------------------


def test_loss_that_goes_with_the_label_is_told_with_both_shares() -> None:
    # 10 lost: 8 unsafe; 30 read: 6 unsafe
    rows = [request(n, None, None, "missing", label="unsafe" if n < 8 else "safe") for n in range(10)]
    rows += [request(n, True, True, label="unsafe" if n < 16 else "safe") for n in range(10, 40)]
    (found,) = loss_warnings(claims_of(rows))
    assert (found.model, found.experiment, found.fact, found.lost, found.read) == ("m", "restriction", "label", 10, 30)
    assert found.text == "80% of its unread requests are unsafe, against 20% of those read"
    # tables no likelier than this one with margins 10, 30 and 14, 26, hypergeometric
    chance = stats.hypergeom(40, 14, 10).pmf(np.arange(11))
    assert found.p == pytest.approx(chance[chance <= chance[8] * (1 + 1e-9)].sum())


def test_where_next_to_nothing_was_read_the_kind_of_what_was_read_is_told() -> None:
    # ten types of twenty requests each; of the first, five requests were read, and nothing else
    rows = [request(n, True, True, "read" if n < 5 else "missing", subject=f"type{n // 20}") for n in range(200)]
    told = [test.text for test in loss_warnings(claims_of(rows))]
    # 15 of 195 lost ones are of it
    assert told == ["8% of its unread requests are on type0, against 100% of those read"]


def test_the_kind_that_is_told_has_most_too_many_for_how_many_were_to_be_expected() -> None:
    # of 20 lost and 80 read: law 14 and 36, art 1 and 4, logic 5 and 40. To be expected among the lost: 10, 1 and 9; in
    # their roots that is 1.26 too many of law, none of art, and among the read .67 too many of logic
    lost = ["law"] * 14 + ["art"] + ["logic"] * 5
    read = ["law"] * 36 + ["art"] * 4 + ["logic"] * 40
    rows = [request(n, None, None, "missing", subject=kind) for n, kind in enumerate(lost)]
    rows += [request(n, True, True, subject=kind) for n, kind in enumerate(read, len(lost))]
    told = next(test.text for test in loss_tests(claims_of(rows)) if test.fact == "subject")
    assert told == "70% of its unread requests are on law, against 45% of those read"


def test_an_item_is_lost_if_any_of_its_claims_is() -> None:
    rows = [
        request(n, True, True, "read" if n % 2 or epoch == 1 else "unreadable", epoch=epoch, length=n + 1)
        for n in range(8)
        for epoch in (1, 2)
    ]
    (found,) = loss_tests(claims_of(rows))
    assert (found.fact, found.lost, found.read) == ("length", 4, 4)
    # lost lengths 1, 3, 5, 7 and read 2, 4, 6, 8: U = 0+1+2+3 = 6; 48 of the 70 ways to draw four are as far from the
    # middle, 8
    by_hand = [abs(sum(c) - 10 - 8) >= 2 for c in combinations(range(1, 9), 4)]
    assert found.p == pytest.approx(sum(by_hand) / 70)


def test_the_questions_of_a_group_each_have_their_subject_and_length() -> None:
    def group(n: int, state: str, *subjects: str) -> list[dict[str, Any]]:
        facts = [{"subject": a, "other_subject": b, "length": 30} for a, b in combinations(subjects, 2)]
        return [pair(n, True, True, state, claim=str(k), **f) for k, f in enumerate(facts)]

    rows = [r for n in range(8) for r in group(n, "missing", "law", "law", "art", "art")]
    rows += [r for n in range(8, 40) for r in group(n, "read", "law", "art", "art", "art")]
    subject = next(t for t in loss_tests(claims_of(rows)) if t.fact == "subject")
    assert subject.text == "50% of the questions in its unread groups are on law, against 25% of those read"
    assert subject.p == 1 / 2000  # none of 1,999 random draws is as extreme


def test_a_group_is_as_long_as_its_questions_are_on_average() -> None:
    def group(n: int, state: str, *lengths: int) -> list[dict[str, Any]]:
        sizes = combinations(lengths, 2)
        return [pair(n, True, True, state, claim=str(k), length=a, other_length=b) for k, (a, b) in enumerate(sizes)]

    rows = [r for n in range(5) for r in group(n, "missing", 10, 20, 30, 60)]
    rows += [r for n in range(5, 10) for r in group(n, "read", 60, 10, 20, 42)]
    (found,) = loss_tests(claims_of(rows))
    assert found.text == (
        "the questions in its unread groups have a median length of 30 characters, against 33 for those read"
    )


@pytest.mark.slow
def test_loss_at_random_is_seldom_warned_of() -> None:
    rng = np.random.default_rng(4)
    alarms = 0
    for _ in range(60):
        rows = [
            request(n, True, True, "missing" if rng.random() < 0.2 else "read", label=label, subject=kind, length=size)
            for n, (label, kind, size) in enumerate(
                zip(
                    rng.choice(["safe", "unsafe"], 100),
                    rng.choice(list("abcd"), 100),
                    rng.integers(10, 99, 100),
                    strict=True,
                )
            )
        ]
        alarms += bool(loss_warnings(claims_of(rows)))
    # at most .05 of 60 by Holm: 9 or more has a chance below .003
    assert alarms < 9


def test_a_model_is_warned_of_by_the_adjusted_p() -> None:
    # lost 7 of 8 unsafe, read 4 of 12: Fisher's p is .028; beside a second test, of length, twice that
    unsafe = [n < 7 or 8 <= n < 12 for n in range(20)]
    rows = [
        request(n, True, True, "missing" if n < 8 else "read", label="unsafe" if unsafe[n] else "safe", length=7)
        for n in range(20)
    ]
    assert [(w.fact, round(w.p_adjusted, 4)) for w in loss_warnings(claims_of(rows))] == [("label", 0.0281)]
    of_all_lengths = [row | {"length": int(row["item"]) % 2} for row in rows]
    assert [round(t.p_adjusted, 4) for t in loss_tests(claims_of(of_all_lengths))] == [0.0562, 1.0]
    assert loss_warnings(claims_of(of_all_lengths)) == []


def test_one_lost_item_is_tested_and_p_at_the_level_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        request(n, True, True, "missing" if n == 7 else "read", label="unsafe" if n == 7 else "safe") for n in range(20)
    ]
    # what others were asked is nothing that it read, and their labels are none of its own
    rows += [request(n, True, True, model="other", label="odd") for n in range(15, 25)]
    (found,) = loss_tests(claims_of(rows))
    assert (found.model, found.lost, found.read) == ("m", 1, 19)
    assert found.p == pytest.approx(1 / 20)  # the one that is lost is the one that is unsafe
    monkeypatch.setattr(warnings, "LEVEL", found.p_adjusted)
    assert loss_warnings(claims_of(rows)) == []
    monkeypatch.setattr(warnings, "LEVEL", found.p_adjusted + 1e-9)
    assert loss_warnings(claims_of(rows)) == [found]


def test_an_item_counts_once_in_however_many_epochs_it_was_asked() -> None:
    # lost: one of law, asked three times, and one of art, asked once; read: one of law, three of art
    rows = [request(0, None, None, "missing", subject="law", epoch=epoch) for epoch in (1, 2, 3)]
    rows += [request(1, None, None, "missing", subject="art"), request(2, True, True, subject="law")]
    rows += [request(n, True, True, subject="art") for n in (3, 4, 5)]
    (found,) = loss_tests(claims_of(rows))
    assert found.text == "50% of its unread requests are on law, against 25% of those read"


def test_where_there_are_two_thousand_ways_to_lose_so_many_each_is_counted() -> None:
    # one is lost, the longest of all: as far from the middle is the shortest one alone
    for items in (2000, 2001):
        found = warnings._by_length(np.arange(items, dtype=float), np.arange(items) == items - 1, "its lost requests")
        assert found is not None
        # by the normal approximation of the rank sum, with half a rank for continuity
        spread = math.sqrt((items - 1) * (items + 1) / 12)
        normal = 2 * stats.norm.sf(((items - 1) / 2 - 0.5) / spread)
        assert found[0] == pytest.approx(2 / 2000 if items == 2000 else normal)


@pytest.mark.parametrize("states", [["read"] * 20, ["missing"] * 20])
def test_with_nothing_lost_or_nothing_read_there_is_nothing_to_test(states: list[str]) -> None:
    rows = [request(n, True, True, s, label="safe" if n % 2 else "unsafe", length=n) for n, s in enumerate(states)]
    assert loss_tests(claims_of(rows)) == []


def test_items_that_are_all_alike_are_not_tested() -> None:
    rows = [request(n, True, True, "missing" if n < 5 else "read", label="safe", length=7) for n in range(20)]
    assert loss_tests(claims_of(rows)) == []


def test_holms_rule_worked_by_hand() -> None:
    # sorted .01 .02 .03 .04, times 4 3 2 1: .04 .06 .06 .04, never falling: .04 .06 .06 .06
    assert holm(np.array([0.03, 0.01, 0.04, 0.02])) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(np.array([0.6, 0.7])) == pytest.approx([1.0, 1.0])
    assert len(holm(np.array([]))) == 0


def test_the_tests_of_a_model_are_adjusted_together_and_each_model_alone() -> None:
    rows = [
        request(n, True, True, "missing" if n < 8 else "read", label="safe" if n % 3 else "unsafe", length=n * 7 % 40)
        for n in range(40)
    ]
    one = loss_tests(claims_of(rows))
    both = loss_tests(claims_of([*rows, *(r | {"model": "other"} for r in rows)]))
    assert [t.fact for t in one] == ["label", "length"]
    assert [t.p_adjusted for t in one] == pytest.approx(holm(np.array([t.p for t in one])))
    assert sorted(t.p_adjusted for t in both) == pytest.approx(sorted(2 * [t.p_adjusted for t in one]))


@pytest.mark.slow
def test_warnings_stand_under_the_table_and_beside_the_scores(
    as_the_authors_read_them: sx.Run, scores_as_the_authors_read_them: sx.Scores
) -> None:
    run, scores = as_the_authors_read_them, scores_as_the_authors_read_them
    labels = {w.model: w.text for w in scores.warnings if w.kind == "loss" and w.fact == "label"}
    claims = run.observations.filter(pl.col("experiment") == "restriction").with_columns(
        unsafe=pl.col("label") == "unsafe", lost=pl.col("state").is_in(["unreadable", "missing"])
    )
    shares = {
        (model, lost): share
        for model, lost, share in claims.group_by("model", "lost").agg(pl.col("unsafe").mean()).iter_rows()
    }
    for model in ("llama-3.2-3b", "llama-4-scout"):
        (name,) = (known for known in labels if model in known)
        lost, read = shares[name, True], shares[name, False]
        assert labels[name] == f"{lost:.0%} of its unread requests are unsafe, against {read:.0%} of those read"
        assert f"  {name}, restriction: {labels[name]}" in scores.table().splitlines()
    records = json.loads(scores.json())
    assert len(records["warnings"]) == len(scores.warnings)
    assert {"model", "experiment", "fact", "p", "p_adjusted", "text", "kind"} <= records["warnings"][0].keys()


def test_what_rounds_to_zero_has_no_sign() -> None:
    row = Score("m", "restriction", "skill", 0.1, None, None, 9, 9, 3, 0, "readable", worst=-0.004, best=0.3)
    over = replace(row, metric="skill_over_ceiling", value=-0.004, low=-0.004, high=0.2)
    said = noise_and_loss([row, over, replace(row, metric="noise_ceiling", value=0.5)], [])
    assert "  m: restriction [.00, .30]" in said
    assert "  m: restriction .00 [.00, .20] of .50" in said


# --- what the scores could have been ---------------------------------------------------------------------------------

SIDE = st.sampled_from([True, False, None])
LOST = st.lists(st.tuples(SIDE, SIDE, st.sampled_from(["unreadable", "missing"])), max_size=4)
READ = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=6)


def filled(side: bool | None) -> tuple[bool, ...]:
    return (True, False) if side is None else (side,)


def every_way(lost: list[tuple[bool | None, bool | None, str]]) -> Iterator[list[tuple[bool, bool]]]:
    for sides in product(*(product(filled(said), filled(did)) for said, did, _ in lost)):
        yield list(sides)


EITHER = [(True, True), (True, False), (False, True), (False, False)]
KNOWN = [(True, None, "missing"), (False, None, "missing"), (None, True, "unreadable"), (None, False, "unreadable")]


@settings(max_examples=examples(150), deadline=None)
@example(EITHER, KNOWN)
@example(EITHER, [(None, None, "missing"), (None, None, "unreadable"), *KNOWN[::2]])
@given(READ, LOST)
def test_bounds_of_yes_and_no_are_those_of_every_way_to_fill_the_gaps(
    read: list[tuple[bool, bool]], lost: list[tuple[bool | None, bool | None, str]]
) -> None:
    lost = [claim for claim in lost if claim[0] is None or claim[1] is None]
    rows = [request(n, said, did) for n, (said, did) in enumerate(read)]
    rows += [request(100 + n, said, did, state) for n, (said, did, state) in enumerate(lost)]
    found = claim_kind("restriction").bounds(claims_of(rows)["restriction"])
    tables = []
    for way in every_way(lost):
        claims = [*read, *way]
        tables.append([claims.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))])
    cells = Cells.of(np.array([[*t, 0, 0, 0] for t in tables], dtype=float))
    own = Cells.of(
        np.array([*[read.count(c) for c in ((True, True), (True, False), (False, True), (False, False))], 0, 0, 0.0])
    )
    rates = ("positive_rate", "base_rate", "always_yes", "always_no", "over_niceness")
    for metric in ("accuracy", "precision", "recall", "balanced_accuracy", "youden_j", "mcc", "kappa", *rates):
        formula = METRICS[metric].formula
        with np.errstate(invalid="ignore", divide="ignore"):
            if math.isnan(formula(own)):
                continue
            values = formula(cells)
        values = values[np.isfinite(values)]
        assert found[metric] == pytest.approx((values.min(), values.max()), abs=1e-12), metric


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["right", "wrong", "lost", "tie"])), min_size=1, max_size=7)
)
def test_bounds_of_orders_are_those_of_every_way_to_fill_the_gaps(pairs: list[tuple[int, str]]) -> None:
    states = {"lost": "unreadable", "tie": "tie"}
    rows = [
        pair(g, True, {"right": True, "wrong": False}.get(s), states.get(s, "read"), claim=str(n))
        for n, (g, s) in enumerate(pairs)
    ]
    found = claim_kind("difficulty").bounds(claims_of(rows)["difficulty"])
    if not any(s in ("right", "wrong") for _, s in pairs):
        assert found == {}
        return
    values = []
    # a lost pair may have been ranked rightly or wrongly, or be none that can be decided
    for way in product(
        *((1.0, 0.0, None) if s == "lost" else ({"right": 1.0, "wrong": 0.0}.get(s),) for _, s in pairs)
    ):
        groups: dict[int, list[float]] = {}
        for (g, _), value in zip(pairs, way, strict=True):
            if value is not None:
                groups.setdefault(g, []).append(value)
        values.append(np.mean([np.mean(group) for group in groups.values()]))
    assert found["accuracy"] == pytest.approx((min(values), max(values)), abs=1e-12)
    assert found["tau"] == pytest.approx((2 * min(values) - 1, 2 * max(values) - 1), abs=1e-12)


def readable(rows: list[dict[str, Any]], convention: str = "readable") -> Scores:
    return Scores(score_tables(table(rows), ["m"], convention))


def test_bounds_stand_beside_the_value_and_hold_it() -> None:
    scores = readable(whole_run(lost=30))
    accuracy = scores.row("m", "restriction", "accuracy")
    right = 200 * (accuracy.value or 0)
    assert (accuracy.worst, accuracy.best) == pytest.approx((right / 230, (right + 30) / 230))
    for row in scores:
        if row.worst is not None and row.best is not None and row.value is not None:
            assert row.worst <= row.value + 1e-12
            assert row.value <= row.best + 1e-12


def test_a_withheld_headline_still_has_its_bounds_the_means_of_three() -> None:
    scores = readable(whole_run(lost=30))
    skill = scores.row("m", "overall", "skill")
    assert skill.value is None
    parts = [
        scores.row("m", e, m)
        for e, m in (("association", "youden_j"), ("restriction", "youden_j"), ("difficulty", "tau"))
    ]
    assert skill.worst == pytest.approx(sum(p.worst or 0 for p in parts) / 3)
    assert skill.best == pytest.approx(sum(p.best or 0 for p in parts) / 3)
    assert "restriction [" in next(line for line in scores.table().splitlines() if line.startswith("  m: restriction"))


def test_where_nothing_was_lost_the_bounds_are_the_value_and_go_unsaid() -> None:
    scores = readable(whole_run())
    row = scores.row("m", "restriction", "youden_j")
    assert (row.worst, row.best) == pytest.approx((row.value, row.value))
    assert "worst" not in scores.table()


def test_only_scores_of_what_was_read_have_bounds() -> None:
    assert all(row.worst is None for row in readable(whole_run(lost=30), "strict"))
    nothing = readable([request(n, None, None, "missing") for n in range(5)])
    assert all(row.worst is None for row in nothing)


def test_the_strict_score_lies_within_the_bounds() -> None:
    # under strict an unread prediction is one of the ways it may have been: the wrong one
    rng = np.random.default_rng(6)
    rows = [
        request(n, None if rng.random() < 0.2 else bool(rng.random() < 0.5), bool(rng.random() < 0.5))
        for n in range(100)
    ]
    rows = [r | {"state": "unreadable" if r["predicted"] is None else "read"} for r in rows]
    for metric in ("accuracy", "recall", "youden_j"):
        row = readable(rows).row("m", "restriction", metric)
        assert readable(rows, "strict").value("m", "restriction", metric) == pytest.approx(row.worst)
