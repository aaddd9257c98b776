"""Who is simulated: how a respondent behaves and what it predicts of itself, whatever the experiment."""

import math
from collections.abc import Mapping
from hashlib import blake2b
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

from selfexec.engines.sim.profiles import Profile

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


class Respondent:
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
