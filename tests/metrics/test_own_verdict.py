"""The rule of the verdicts, condition by condition: what each number must be above or below, and what is then said."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from build import request, table
from selfexec.experiments import SELF
from selfexec.metrics import Estimate
from selfexec.metrics.own import Judged, Own, OwnExcess, OwnPanel, by_source
from selfexec.metrics.own.by_source import own_excesses
from selfexec.metrics.own.excess import Doubted
from selfexec.metrics.own.verdict import (
    REFERENCES,
    against_one,
    against_panel,
    beside_references,
    fits_of,
    without_verdict,
)
from selfexec.stats import Interval

ALL_READ = np.ones(6, np.bool_)
ONE_LOST = np.arange(6) != 1


def a_fit(well_read: np.ndarray = ALL_READ, **changed: Any) -> Any:
    """One in which all is as `own` wants it, but for what is changed."""
    sure = Doubted(np.full(6, 1.0), np.full(6, 0.1))
    of = SimpleNamespace(panel=SimpleNamespace(well_read=well_read), family=np.ones((6, 6), np.bool_))
    usual = {"panel": SimpleNamespace(low=0.01), "least_without_one": 0.01, "least_well_read": 0.01}
    usual |= {"derangement_p": 0.049, "least_beyond_family": 0.01, "each": sure, "each_beyond_family": sure}
    usual |= {"without": np.where(np.eye(6), np.nan, 0.01), "outdone": np.full(6, 0.05), "each_well_read": sure}
    return SimpleNamespace(of=of, **(usual | changed))


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"panel": SimpleNamespace(low=0.0)}, "interval"),
        ({"panel": SimpleNamespace(low=math.nan)}, "interval"),
        ({"least_without_one": 0.0}, "one model"),
        ({"derangement_p": 0.05}, "derangement"),
        ({"least_beyond_family": 0.0}, "family"),
    ],
)
def test_a_panel_is_own_only_above_all_that_stands_against_it(changed: dict[str, Any], what: str) -> None:
    assert list(against_panel(a_fit())) == []
    assert list(against_panel(a_fit(**changed))) == [what]


def test_losses_stand_against_a_panel_where_somebody_lost_much_and_the_others_alone_do_not_show_it() -> None:
    assert list(against_panel(a_fit(ONE_LOST))) == []
    for least in (0.0, -0.1, math.nan):
        assert list(against_panel(a_fit(ONE_LOST, least_well_read=least))) == ["losses"]
    assert list(against_panel(a_fit(least_well_read=math.nan))) == []  # nobody lost much


def changed_at(n: int, values: np.ndarray, value: float) -> np.ndarray:
    found = values.copy()
    found[n] = value
    return found


def test_a_model_is_own_only_above_all_that_stands_against_it() -> None:
    usual = a_fit()
    assert [list(against_one(usual, n)) for n in range(6)] == [[]] * 6

    def only(n: int, fit: Any, what: str) -> None:
        assert [list(against_one(fit, m)) for m in range(6)] == [[what] if m == n else [] for m in range(6)]

    low = Doubted(changed_at(2, usual.each.value, 0.1), usual.each.error)
    only(2, a_fit(each=low), "interval")
    only(2, a_fit(each_beyond_family=low), "family")
    only(3, a_fit(outdone=changed_at(3, usual.outdone, 0.051)), "rank")
    without = usual.without.copy()
    without[0, 4] = 0.0
    only(4, a_fit(without=without), "one model")
    lone = a_fit(each_beyond_family=low)
    lone.of.family[2] = False
    only(2, lone, "no family")  # and what is beyond family that it has not is not asked


def test_a_model_that_lost_much_is_not_own_and_the_others_are_where_they_show_it_among_themselves() -> None:
    # five are left: the second of six is not among them, so that the third is their second
    among = Doubted(np.full(5, 1.0), changed_at(1, np.full(5, 0.1), 0.9))
    found = [list(against_one(a_fit(ONE_LOST, each_well_read=among), n)) for n in range(6)]
    assert found == [[], ["losses"], ["losses"], [], [], []]  # 1 - 2.05 errors of .9 is below 0
    none = [list(against_one(a_fit(ONE_LOST, each_well_read=None), n)) for n in range(6)]
    assert none == [["losses"]] * 6


def test_a_third_factor_is_asked_for_where_two_leave_a_misfit_and_there_are_models_enough() -> None:
    def factors(misfit: float, models: int) -> list[int]:
        fits = {n: SimpleNamespace(factors=n, misfit=misfit if n == 2 else math.nan) for n in (1, 2, 3)}
        evidence: Any = SimpleNamespace(fits=fits, panel=SimpleNamespace(models=("m",) * models))
        return [fit.factors for fit in fits_of(evidence)]

    assert (factors(1.5, 8), factors(1.51, 8)) == ([1, 2], [1, 2, 3])
    assert (factors(9.0, 7), factors(math.nan, 8)) == ([1, 2], [1, 2])


# --- what is said of it ----------------------------------------------------------------------------------------------


def judged(verdict: Any, against: tuple[str, ...] = (), reason: str | None = None) -> Judged:
    return Judged(Estimate(0.1, Interval(0.05, 0.15), 0.02), verdict, against, reason)


def found_of(**each: Judged) -> OwnExcess:
    some = OwnPanel(tuple(each), *np.zeros((2, len(each), 0), np.int8), np.zeros(0, np.int64), left_out={"z": "few"})
    return OwnExcess(some, judged("own"), each)


def test_beside_a_reference_panel_a_model_is_at_best_unresolved() -> None:
    found = found_of(a=judged("own"), b=judged("unresolved", ("2:rank",)), c=judged("not shown"), d=judged("own"))
    beside = beside_references(found, {"d"})
    assert {model: (one.verdict, one.against) for model, one in beside.each.items()} == {
        "a": ("unresolved", ("1:panel",)),
        "b": ("unresolved", ("2:rank", "1:panel")),
        "c": ("not shown", ()),
    }
    assert (beside.panel.verdict, beside.panel.reason) == (None, REFERENCES)
    assert beside.panel.estimate == found.panel.estimate


def test_simulated_models_are_a_panel_of_their_own_and_each_source_has_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(by_source, "panel_of_claims", lambda claims, models, families: models)
    monkeypatch.setattr(by_source, "own_excess", lambda models: found_of(**dict.fromkeys(models, judged("own"))))
    rows = [request(0, True, True, model=model, by={SELF: True}) for model in ("a", "r", "sim", "b")]
    claims = replace(table(rows).claims["restriction"], source="rule")

    def verdicts(*references: str) -> dict[tuple[str, bool], dict[str, Any]]:
        found = own_excesses(claims, {"sim"}, {}, references)
        return {(own.metric, own.simulated): {m: one.verdict for m, one in own.found.each.items()} for own in found}

    by_rule = {
        ("own_excess", False): dict.fromkeys("arb", "own"),
        ("own_excess", True): {"sim": "own"},
    }
    of_itself = {
        ("own_excess_by_self", False): dict.fromkeys("arb"),
        ("own_excess_by_self", True): {"sim": None},
    }
    assert verdicts() == by_rule | of_itself
    # nothing is said of who is of a reference panel, and at best half of that of those beside it
    beside = {
        ("own_excess", False): dict.fromkeys("ab", "unresolved"),
        ("own_excess_by_self", False): dict.fromkeys("ab"),
    }
    assert verdicts("r") == by_rule | of_itself | beside


def test_without_a_verdict_the_numbers_stay_and_the_first_reason() -> None:
    bare = without_verdict(found_of(a=judged("own"), b=judged(None, reason="too few")), "it judges itself")
    assert [one.verdict for one in (bare.panel, *bare.each.values())] == [None, None, None]
    assert [one.reason for one in (bare.panel, *bare.each.values())] == [
        "it judges itself",
        "it judges itself",
        "too few",
    ]
    assert bare.each["a"].estimate.value == 0.1


def test_something_is_said_of_a_model_that_took_part_or_was_left_out() -> None:
    own = Own("difficulty", "default", "rule", "own_excess", found_of(a=judged("own")))
    assert [own.is_of(model) for model in ("a", "z", "y")] == [True, True, False]
    assert own.found.for_model("z").reason == "left out: few"
    assert own.found.for_model("y").reason == "left out: none of its claims was read"
    assert own.found.for_model("a").verdict == "own" and own.found.fits == [] and math.isnan(own.found.detectable)
