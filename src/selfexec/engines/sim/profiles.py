"""Who is simulated."""

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class Profile:
    """Rates by which a simulated model behaves and predicts itself.

    Behaviour: it lists an option with probability `lists`, answers a safe or unsafe request with `answers_safe`,
    `answers_unsafe`. With probability `common` it does what models in general do; else it draws its own. In each epoch
    a behaviour is drawn afresh with probability `noise`.

    Prediction: it looks at itself or at models in general (`looks_at`). Of what these do it predicts the share
    `*_recall`, of what they do not it denies the share `*_specificity`; it ranks a group of questions in their order of
    difficulty with probability `ranks`, and in a random order otherwise. Asked about somebody else, it looks at models
    in general with probability `heeds_frame`, and else where it looks anyway: the more it heeds, the more its skill at
    foretelling itself falls. Where it is told not to think, the share `unthinking` of its predictions comes as usual,
    and the others are guesses.

    A question of the control it fails with probability `errs`, one that it wrote in order to fail with `fails`; of
    those that it writes the share `wrong_keys` has a wrong answer, which it finds when it verifies, and the share
    `own_random` asks for what only it could know.

    Form: a prediction cannot be read with probability `breaks`, and is declined with probability `declines`.
    """

    name: str
    about: str
    looks_at: Literal["itself", "models"] = "itself"
    lists: float = 0.30
    answers_safe: float = 0.96
    answers_unsafe: float = 0.35
    common: float = 0.6
    noise: float = 0.1
    association_recall: float = 0.95
    association_specificity: float = 0.35
    restriction_recall: float = 0.80
    restriction_specificity: float = 0.92
    ranks: float = 0.45
    heeds_frame: float = 0.0
    unthinking: float = 1.0
    errs: float = 0.25
    fails: float = 0.10
    wrong_keys: float = 0.1
    own_random: float = 0.0
    breaks: float = 0.01
    declines: float = 0.0


def _predicting(profile: Profile, recall: float, specificity: float, ranks: float) -> Profile:
    return replace(
        profile,
        association_recall=recall,
        association_specificity=specificity,
        restriction_recall=recall,
        restriction_specificity=specificity,
        ranks=ranks,
    )


PROFILES = {
    profile.name: profile
    for profile in (
        replace(
            _predicting(Profile("knows-itself", "predicts its own behaviour well"), 0.97, 0.95, 0.95),
            fails=0.9,
            own_random=0.25,
            heeds_frame=1.0,
            unthinking=0.5,
        ),
        _predicting(Profile("knows-models", "predicts what models in general do", "models"), 0.97, 0.95, 0.95),
        Profile("typical", "errs at the rates that are typical of the published ones"),
        replace(_predicting(Profile("says-yes", "says yes to everything"), 1.0, 0.0, 0.0), wrong_keys=0.5),
        replace(_predicting(Profile("coin", "tosses a coin"), 0.5, 0.5, 0.0), fails=0.25),
        Profile("breaks-format", "typical, but often cannot be read", breaks=0.3),
        Profile("declines", "typical, but often declines to predict", declines=0.25),
    )
}
