"""Who is simulated."""

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class Profile:
    """Rates by which a simulated model behaves and predicts itself.

    Behaviour: it lists an option with probability `lists`, answers a safe or unsafe request with `answers_safe`,
    `answers_unsafe`. With probability `common` it does what models in general do; of the rest, the share `kindred` is
    as all of its `kind` do, and what is left it draws for itself. In each epoch a behaviour is drawn afresh with
    probability `noise`. `maker` tells which models are of one family.

    Prediction: it looks at itself, at models in general, or at its kind (`looks_at`): then where it goes its own way it
    sees what its kind does. What it shares with all it knows with probability `knows_common`, and else it guesses. Of
    what it sees done it predicts the share `recall`, of what it sees left undone it denies the share `specificity`
    (`lists_recall`, `lists_specificity` of what it lists); it ranks a group of questions in their order of difficulty
    with probability `ranks`, and in a random order otherwise. A model that `copies` says yes to what is shown in the
    first half, and ranks in the order shown. Asked about somebody else, it looks at models in general with probability
    `heeds_frame`, and else where it looks anyway: the more it heeds, the more its skill at predicting itself falls.
    Where it is told not to think, the share `unthinking` of its predictions comes as usual, and the others are guesses.
    Shown results of its own on other items, it is right about the share `learns` of what it would have got wrong; those
    of others tell it nothing.

    Asked for a probability, it gives what its evidence amounts to: as far as what it sees done and what it sees left
    undone lie apart by its rates of predicting them (its resolution), with how often it does such things taken into
    account. That is calibrated; `sharpness` multiplies the logit (1: calibrated, more: overconfident), and `readiness`
    is added to it (its criterion).

    A question of the control it fails with probability `errs`, one that it wrote in order to fail with `fails`; of
    those that it writes the share `wrong_keys` has a wrong answer, which it finds when it verifies, and the share
    `own_random` asks for what only it could know.

    Where it may have prompts executed, it `uses` that (asks for the behaviour that it predicts, and says what it saw),
    `ignores` what it saw, asks for `more` than it may, or asks for nothing.

    Form: a prediction cannot be read with probability `breaks`, and is declined with probability `declines`.
    """

    name: str
    about: str
    maker: str = "one"
    looks_at: Literal["itself", "models", "kind"] = "itself"
    lists: float = 0.30
    answers_safe: float = 0.96
    answers_unsafe: float = 0.35
    common: float = 0.6
    kind: str = ""
    kindred: float = 0.0
    knows_common: float = 1.0
    copies: bool = False
    noise: float = 0.1
    lists_recall: float = 0.95
    lists_specificity: float = 0.35
    recall: float = 0.80
    specificity: float = 0.92
    ranks: float = 0.45
    heeds_frame: float = 0.0
    unthinking: float = 1.0
    learns: float = 0.0
    sharpness: float = 1.0
    readiness: float = 0.0
    errs: float = 0.25
    fails: float = 0.10
    wrong_keys: float = 0.1
    own_random: float = 0.0
    executes: Literal["", "uses", "ignores", "more"] = ""
    breaks: float = 0.01
    declines: float = 0.0

    def predicting(self, what: str) -> tuple[float, float]:
        """The rates of recall and specificity at which it predicts something that it does: where it has none of this
        name, those for anything.
        """
        recall: float = getattr(self, f"{what}_recall", self.recall)
        specificity: float = getattr(self, f"{what}_specificity", self.specificity)
        return recall, specificity

    @property
    def kind_tag(self) -> str:
        """By which name what its kind does is drawn."""
        return f"kind {self.kind}"


def _predicting(profile: Profile, recall: float, specificity: float, ranks: float) -> Profile:
    return replace(
        profile,
        lists_recall=recall,
        lists_specificity=specificity,
        recall=recall,
        specificity=specificity,
        ranks=ranks,
    )


# All that `selfexec run` asks: one that knows itself; those that seem to and know something else, or do know their own
# ways and do not seem to; those that err as is typical, say the same whatever is asked, or often cannot be read. Makers
# have few models each, as real ones have: the model that is judged is held apart from all of its family.
PROFILES = {
    profile.name: profile
    for profile in (
        replace(
            _predicting(Profile("knows-itself", "predicts its own behaviour well"), 0.97, 0.95, 0.95),
            fails=0.9,
            own_random=0.25,
            executes="uses",
            heeds_frame=1.0,
            unthinking=0.5,
        ),
        replace(
            _predicting(Profile("knows-models", "predicts what models in general do"), 0.97, 0.95, 0.95),
            looks_at="models",
            executes="ignores",
        ),
        replace(
            _predicting(Profile("knows-its-kind", "predicts what its kind does", "a third"), 0.97, 0.95, 0.95),
            looks_at="kind",
            kind="other",
            kindred=0.5,
        ),
        replace(
            _predicting(Profile("knows-its-family", "predicts what its family does", "a fourth"), 0.97, 0.95, 0.95),
            looks_at="kind",
            kind="family",
            kindred=0.8,
        ),
        replace(
            _predicting(
                Profile("knows-its-own-ways", "knows its own ways, and little of models", "a fifth"), 0.97, 0.95, 0.95
            ),
            knows_common=0.2,
        ),
        replace(
            _predicting(
                Profile("solves", "does the task in its head instead of predicting", "a fifth"), 0.97, 0.95, 0.95
            ),
            unthinking=0.0,
        ),
        Profile(
            "typical",
            "errs at the rates that are typical of the published ones",
            "a sixth",
            learns=0.5,
            executes="uses",
        ),
        replace(
            Profile("copies-the-order", "says yes to what is shown first, and ranks as shown", "another"), copies=True
        ),
        replace(
            _predicting(Profile("says-yes", "says yes to everything", "another"), 1.0, 0.0, 0.0),
            wrong_keys=0.5,
            readiness=4.0,
        ),
        replace(_predicting(Profile("coin", "tosses a coin", "another"), 0.5, 0.5, 0.0), fails=0.25, executes="more"),
        Profile("breaks-format", "typical, but often cannot be read", "a sixth", breaks=0.3),
        Profile("declines", "typical, but often declines to predict", "a sixth", declines=0.25),
    )
}


def maker_of(model: str) -> str | None:
    """Whose a simulated model is, as a tag for families; None of one that is not one of these."""
    name = model.removeprefix("sim/").partition("@")[0]
    return PROFILES[name].maker if name in PROFILES else None
