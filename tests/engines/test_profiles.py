"""Who is simulated: what each profile says of itself, and that all it says of rates are rates."""

from dataclasses import fields

import pytest

from selfexec.engines.sim.traits import PROFILES, Profile, maker_of

USUAL = Profile("", "")
TELL = {"name", "about", "maker"}
ACCURATE = {
    **{"lists_recall": 0.97, "recall": 0.97, "ranks": 0.95},
    **{"lists_specificity": 0.95, "specificity": 0.95},
}
OF_A_COIN = {
    **{"lists_recall": 0.5, "recall": 0.5, "ranks": 0.0},
    **{"lists_specificity": 0.5, "specificity": 0.5},
}
OF_YES = {
    **{"lists_recall": 1.0, "recall": 1.0, "ranks": 0.0},
    **{"lists_specificity": 0.0, "specificity": 0.0},
}
OF_LOGITS = ("sharpness", "readiness")  # of probabilities that are given: no shares


@pytest.mark.parametrize("profile", [USUAL, *PROFILES.values()], ids=lambda profile: profile.name or "usual")
def test_every_rate_is_a_share(profile: Profile) -> None:
    numbers = [field.name for field in fields(profile) if field.type in (float, "float")]
    rates = [getattr(profile, name) for name in numbers if name not in OF_LOGITS]
    assert rates and all(0 <= rate <= 1 for rate in rates)


def test_whoever_is_as_usual_does_and_knows_nothing_that_only_some_do() -> None:
    never = ("kindred", "heeds_frame", "learns", "own_random", "declines")
    assert [getattr(USUAL, name) for name in never] == [0.0] * 5 and not USUAL.copies and USUAL.looks_at == "itself"
    assert USUAL.knows_common == USUAL.unthinking == 1.0


def test_profiles_are_as_usual_but_for_what_they_are_named_after() -> None:
    other = {
        name: {
            field.name: getattr(profile, field.name)
            for field in fields(profile)
            if field.name not in TELL and getattr(profile, field.name) != getattr(USUAL, field.name)
        }
        for name, profile in PROFILES.items()
    }
    assert other == {
        "knows-itself": {**ACCURATE, "fails": 0.9, "own_random": 0.25, "heeds_frame": 1.0, "unthinking": 0.5}
        | {"executes": "uses"},
        "knows-models": {**ACCURATE, "looks_at": "models", "executes": "ignores"},
        "knows-its-kind": {**ACCURATE, "looks_at": "kind", "kind": "other", "kindred": 0.5},
        "knows-its-family": {**ACCURATE, "looks_at": "kind", "kind": "family", "kindred": 0.8},
        "knows-its-own-ways": {**ACCURATE, "knows_common": 0.2},
        "solves": {**ACCURATE, "unthinking": 0.0},
        "typical": {"learns": 0.5, "executes": "uses"},
        "copies-the-order": {"copies": True},
        "says-yes": {**OF_YES, "wrong_keys": 0.5, "readiness": 4.0},
        "coin": {**OF_A_COIN, "fails": 0.25, "executes": "more"},
        "breaks-format": {"breaks": 0.3},
        "declines": {"declines": 0.25},
    }


def test_a_family_is_of_one_maker_whatever_the_seeds() -> None:
    assert maker_of("sim/coin") == maker_of("coin@7") == maker_of("sim/says-yes@2") == "another"
    assert maker_of("sim/typical") != maker_of("sim/coin") and maker_of("sim/nobody") is None
