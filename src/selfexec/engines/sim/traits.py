"""Who is simulated: how a respondent behaves and what it predicts of itself, whatever the experiment."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, Protocol

# --- profiles --------------------------------------------------------------------------------------------------------


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


# --- respondents -----------------------------------------------------------------------------------------------------


EVERYONE = "everyone"  # whose draws all simulated models share: models in general
SURE = 0.9  # what a model that goes by the place where something stands says of it
LEAST_RATE = 0.001  # a rate of 0 or 1 would be evidence without end


def draw(*about: object) -> float:
    """A number in [0, 1), always the same for the same words."""
    digest = blake2b("\x1f".join(map(str, about)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def quantile(rate: float) -> float:
    """Where the normal distribution has passed this rate."""
    return NormalDist().inv_cdf(min(max(rate, LEAST_RATE), 1 - LEAST_RATE))


def expit(logit: float) -> float:
    """The probability that has this logit."""
    return 1 / (1 + math.exp(-logit))


class How(NamedTuple):
    """In which epoch a prediction is made, whose behaviour it is to be of, where not its own, whether it thinks, and
    whose results it was shown, if any.
    """

    epoch: int
    who: str = ""
    thinks: bool = True
    shown: str = ""

    @property
    def apart(self) -> tuple[object, ...]:
        """What one prediction is drawn apart from others by: by its epoch alone, where nothing is asked otherwise."""
        said = (f"of {self.who}" if self.who else "", "" if self.thinks else "at once", self.shown)
        return (self.epoch, *(word for word in said if word))


class Facts(Protocol):
    """What is known of the world: facts by their kind, and by what they are about."""

    def __getitem__(self, kind: str) -> Mapping[str, Any]: ...


class SeededProfile:
    """A profile with a seed and what it knows. Two with the same three always do the same."""

    def __init__(self, profile: Profile, seed: int, knowledge: Facts) -> None:
        self.profile = profile
        self.own = f"{profile.name}@{seed}"
        self.knowledge = knowledge

    # --- behaviour ---

    def does(self, what: str, about: str, rate: float, epoch: int) -> bool:
        """Whether it does something in this epoch."""
        if draw(self.own, "stirs", what, about, epoch) < self.profile.noise:
            return draw(self.own, "afresh", what, about, epoch) < rate
        return draw(self.who(what, about), what, about) < rate

    def who(self, what: str, about: str) -> str:
        """Whose behaviour it shows: that of models in general, of its kind, or its own."""
        shares, profile = draw(self.own, "shares", what, about), self.profile
        if shares < profile.common:
            return EVERYONE
        return self.profile.kind_tag if shares < profile.common + (1 - profile.common) * profile.kindred else self.own

    # --- prediction ---

    def predicts(self, what: str, about: str, rate: float, how: How) -> bool:
        """Whether it says that it does something that it does with this rate."""
        does = draw(self.seen(what, about, self.heeds(how, about)), what, about) < rate  # noise aside
        return self.says(does, what, about, how)

    def copied(self, yes: bool) -> float | None:
        """What it says of something that it says yes or no to by where it stands; None where it does not go by that."""
        return (SURE if yes else 1 - SURE) if self.profile.copies else None

    def chance(self, what: str, about: str, rate: float, how: How) -> float:
        """How probable it takes what it does with this rate. Its evidence is normal: where it is above 0 it says yes,
        to what it sees done and to what it sees left undone as often as its rates say.
        """
        does = draw(self.seen(what, about, self.heeds(how, about)), what, about) < rate
        yes, if_done, if_not = self._rates_of_yes(does, what, about, how)
        apart, middle = quantile(if_done) - quantile(if_not), (quantile(if_done) + quantile(if_not)) / 2
        evidence = quantile(yes) - quantile(draw(self.own, "predicts", what, about, *how.apart))
        calibrated = math.log(rate / (1 - rate)) + apart * (evidence - middle)
        return expit(self.profile.sharpness * calibrated + self.profile.readiness)

    def says(self, does: bool, what: str, about: str, how: How) -> bool:
        """What it predicts where it sees itself do something, or not: it is not always right."""
        yes, _, _ = self._rates_of_yes(does, what, about, how)
        return draw(self.own, "predicts", what, about, *how.apart) < yes

    def _rates_of_yes(self, does: bool, what: str, about: str, how: How) -> tuple[float, float, float]:
        """How often it says yes here, to what it sees done, and to what it sees left undone."""
        recall, specificity = self.profile.predicting(what)
        if how.shown:
            recall, specificity = self.learnt(recall, how), self.learnt(specificity, how)
        unthinking = not how.thinks and self.guesses(how, f"{what}\n{about}")
        guesses = unthinking or self.is_blind_to(what, about)
        return 0.5 if guesses else recall if does else 1 - specificity, recall, 1 - specificity

    def seen(self, what: str, about: str, heeds: bool) -> str:
        """Whose behaviour it looks at when it predicts: its own, that of its kind, or that of models in general."""
        if heeds or self.profile.looks_at == "models":
            return EVERYONE
        who = self.who(what, about)
        return self.profile.kind_tag if who == self.own and self.profile.looks_at == "kind" else who

    def heeds(self, how: How, about: str) -> bool:
        """Whether it minds that it is asked about somebody else."""
        return how.who != "" and draw(self.own, "heeds", about, how.who) < self.profile.heeds_frame

    def guesses(self, how: How, about: str) -> bool:
        """Whether it would have had to think."""
        return not how.thinks and draw(self.own, "unthinking", about, *how.apart) >= self.profile.unthinking

    def learnt(self, rate: float, how: How) -> float:
        """A rate of predicting rightly, with what it has learnt of itself."""
        return rate + self.profile.learns * (1 - rate) if how.shown == "its own" else rate

    def is_blind_to(self, what: str, about: str) -> bool:
        """Whether it does here what models in general do, and does not know what that is."""
        blind = draw(self.own, "blind", what, about) >= self.profile.knows_common
        return blind and self.who(what, about) == EVERYONE
