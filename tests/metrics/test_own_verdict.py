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
from selfexec.metrics.own_excess import ComparedModels, Objection, Own, OwnExcess, OwnVerdict
from selfexec.metrics.own_excess import verdict as verdict_module
from selfexec.metrics.own_excess.excess import Doubted
from selfexec.metrics.own_excess.verdict import (
    Against,
    judged_by,
    objections_overall,
    objections_to_model,
    own_excess_by_source,
    without_verdict,
)
from selfexec.stats import Interval

LOW, ZERO = SimpleNamespace(low=0.01), SimpleNamespace(low=0.0)


def a_fit(factors: int, models: int = 10, **changed: Any) -> Any:
    """One in which all is as `own` wants it, but for what is changed."""
    sure = Doubted(np.full(models, 1.0), np.full(models, 0.1), 99)
    usual = {"factors": factors, "mean": SimpleNamespace(low=0.01, value=0.1), "over_models": LOW, "well_read": LOW}
    usual |= {"beyond_losses": LOW}
    usual |= {"derangement_p": 0.049, "beyond_family": LOW, "beyond_family_over_models": LOW, "pairs": 0.033}
    usual |= {"misfit": 1.5, "each": sure, "each_beyond_family": sure, "outdone": np.full(models, 0.05)}
    return SimpleNamespace(**(usual | changed))


def evidence(changed_in: int = 0, models: int = 10, lost: float = 0.1, read: bool = True, **changed: Any) -> Any:
    """Fits of one and of two factors, one of them changed."""
    fits = {n: a_fit(n, models, **(changed if n == changed_in else {})) for n in (1, 2)}
    panel = SimpleNamespace(models=("m",) * models, well_read=np.full(models, read))
    return SimpleNamespace(fits=fits, compared=panel, loss_bounds=np.full(models, lost))


@pytest.mark.parametrize("factors", [1, 2])
@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"mean": SimpleNamespace(low=0.0, value=0.1)}, "interval"),
        ({"mean": SimpleNamespace(low=math.nan, value=0.1)}, "interval"),
        ({"over_models": ZERO}, "one model"),
        ({"well_read": ZERO}, "losses"),
        ({"well_read": None}, "losses"),
        ({"beyond_losses": ZERO}, "worst losses"),
        ({"beyond_losses": None}, "worst losses"),
        ({"derangement_p": 0.05}, "derangement"),
        ({"beyond_family": ZERO}, "family"),
        ({"beyond_family_over_models": ZERO}, "family"),
        ({"pairs": 0.034}, "pairs"),  # own excess of .1 is to be more than three times as much
        ({"pairs": math.nan}, "pairs"),
    ],
)
def test_a_panel_is_own_only_above_all_that_stands_against_it(changed: dict[str, Any], what: str, factors: int) -> None:
    assert list(objections_overall(evidence())) == []
    assert list(objections_overall(evidence(factors, **changed))) == [(factors, what)]


def test_a_panel_of_fewer_than_ten_is_not_own_nor_one_that_two_factors_do_not_fit() -> None:
    assert list(objections_overall(evidence(models=9))) == [Objection(1, "few models")]
    assert list(objections_overall(evidence(2, misfit=1.51))) == [Objection(2, "misfit")]
    assert list(objections_overall(evidence(1, misfit=9.0))) == []  # a second factor may be what the first one lacks


def changed_at(n: int, values: np.ndarray, value: float) -> np.ndarray:
    found = values.copy()
    found[n] = value
    return found


@pytest.mark.parametrize("factors", [1, 2])
def test_what_was_not_ruled_out_of_a_single_model_is_listed(factors: int) -> None:
    def only(evidence: Any, *what: str) -> None:
        for n in range(10):
            listed = [(factors, one) for one in what] if n == 2 else []
            assert [name for name in objections_to_model(evidence, n, 0.05) if name != Objection(1, "cohort")] == listed

    only(evidence())
    assert list(objections_to_model(evidence(), 0, 0.05)) == [
        Objection(1, "cohort")
    ]  # of no model can that be ruled out
    sure = a_fit(factors).each
    low = Doubted(changed_at(2, sure.value, 0.1), sure.error, 99)
    only(evidence(factors, each=low), "interval", "losses")
    only(evidence(factors, each_beyond_family=low), "family")
    only(evidence(factors, outdone=changed_at(2, np.full(10, 0.05), 0.051)), "rank")


def test_losses_of_a_single_model_are_its_own_and_a_bound_of_what_they_may_do() -> None:
    # the interval's lower end is 1 - 1.984 errors of .1 = .802
    assert Objection(1, "losses") not in list(objections_to_model(evidence(lost=0.80), 0, 0.05))
    assert Objection(1, "losses") in list(objections_to_model(evidence(lost=0.81), 0, 0.05))
    assert Objection(1, "losses") in list(objections_to_model(evidence(read=False), 0, 0.05))


def test_a_stricter_level_asks_for_more() -> None:
    # 2.2 errors: above 0 at .05 (1.984), not at .01 (2.626)
    near = Doubted(np.full(10, 0.22), np.full(10, 0.1), 99)
    assert Objection(1, "interval") not in list(objections_to_model(evidence(1, each=near, lost=0.0), 0, 0.05))
    assert Objection(1, "interval") in list(objections_to_model(evidence(1, each=near, lost=0.0), 0, 0.01))


@pytest.mark.parametrize("what", ["interval", "one model", "losses", "rank"])
def test_what_fails_with_one_factor_is_not_shown_and_named_alone(what: Against) -> None:
    some = Doubted(np.float64(0.1), np.float64(0.01), 99)

    def verdict(*objections: Objection) -> tuple[Any, tuple[Objection, ...]]:
        found = judged_by(some, iter(objections), "own")
        return found.verdict, found.against

    assert verdict() == ("own", ())
    assert verdict(Objection(1, "family"), Objection(1, what), Objection(2, "interval")) == (
        "not shown",
        (Objection(1, what),),
    )
    assert verdict(Objection(2, what), Objection(1, "family")) == (
        "unresolved",
        (Objection(2, what), Objection(1, "family")),
    )


# --- what is said of it ----------------------------------------------------------------------------------------------


def judged(verdict: Any, against: tuple[str, ...] = (), reason: str | None = None) -> OwnVerdict:
    return OwnVerdict(Estimate(0.1, Interval(0.05, 0.15), 0.02), verdict, against, reason)


def found_of(**each: OwnVerdict) -> OwnExcess:
    some = ComparedModels(
        tuple(each), *np.zeros((2, len(each), 0), np.int8), np.zeros(0, np.int64), left_out={"z": "few"}
    )
    return OwnExcess(some, judged("own"), each)


def judged_beside(models: list[str], references: Any) -> OwnExcess:
    said = judged("unresolved" if set(models) & set(references) else "own")
    return found_of(**{model: said for model in models if model not in references})


def test_simulated_models_are_a_panel_of_their_own_and_each_source_has_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verdict_module, "compared_models", lambda claims, models, families: models)
    monkeypatch.setattr(verdict_module, "judge_own_excess", judged_beside)
    rows = [request(0, True, True, model=model, by={SELF: True}) for model in ("a", "r", "sim", "b")]
    claims = replace(table(rows).claims["restriction"], source="rule")

    def verdicts(*references: str) -> dict[tuple[str, bool], dict[str, Any]]:
        found = own_excess_by_source(claims, {"sim"}, {}, references)
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
    assert [one.verdict for one in (bare.overall, *bare.each.values())] == [None, None, None]
    assert [one.reason for one in (bare.overall, *bare.each.values())] == [
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
