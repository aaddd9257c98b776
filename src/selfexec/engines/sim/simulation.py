"""What an experiment brings for simulated respondents: how they answer it, and what a perfect measurement would give.

An experiment names the place of its own (`Experiment.simulation`); the engine knows no experiment by name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from selfexec.engines.sim.traits import Facts, How, Profile, SeededProfile, draw
from selfexec.experiments import EXPERIMENTS, Injection, Message, Token
from selfexec.extension import resolve
from selfexec.items import ItemSet

Lookings = Sequence[tuple[float, Profile]]  # shares of predictions, and the profile that makes them
Said = tuple[str, int | None]  # text and tokens, None where they follow from the text


class Subject(NamedTuple):
    """What a session is about, and its parts: a target word with its options, a question with its choices."""

    about: str
    parts: tuple[str, ...] = ()


class ShownResult(NamedTuple):
    """A result that a model is shown before it predicts: the experiment, what was asked, and what is shown of the
    answer.
    """

    experiment: str
    about: str
    answer: str


class SimTask(NamedTuple):
    """What a session asks of a simulated model: the experiment and the kind of session, and what it is about. `who` is
    whose behaviour is to be predicted, where that is somebody else's; `shown` are results on other items that stand
    before it; `probably`: the prediction is to be a probability. Without an experiment it is small talk.
    """

    experiment: str
    kind: str
    about: str
    parts: tuple[str, ...] = ()
    who: str = ""
    shown: tuple[ShownResult, ...] = ()
    probably: bool = False


CHATS = SimTask("", "", "")


class SimTurn(NamedTuple):
    """A turn of a conversation that a facet holds with a simulated model: its profile, what it is asked about, the
    messages so far, and what it would say anyway. `behaviour` has the prompts by which it is asked for the behaviour
    that it predicts, by session, and `shape` (0 to 1) chooses the form of what it says.
    """

    profile: Profile
    level: str
    experiment: str
    item: Any
    messages: Sequence[Message]
    usual: str
    behaviour: Mapping[str, str]
    shape: float


# --- what is forced into a reply -------------------------------------------------------------------------------------

PIECES = ("ribbon", "anchor", "whisper", "tomato", "lantern", "copper", "gravel", "pillow", "meadow", "thimble")
SURPRISE = {"second": 2.5, "random": 20.0, "least": 35.0}  # nats, about as a small model has them


class InjectedReply(NamedTuple):
    """A reply that tokens were forced into: what stands before them, the tokens, and what the respondent wrote behind
    them.
    """

    before: str
    forced: tuple[Token, ...]
    behind: str

    @property
    def text(self) -> str:
        return self.before + "".join(token.token for token in self.forced) + self.behind


def forced_into(injection: Injection) -> tuple[Token, ...]:
    """The tokens that an injection forces into the reply of a simulated respondent: words, with made-up surprise."""
    if injection.kind == "none":
        return ()
    start = int(draw("forced", injection.kind, injection.seed) * len(PIECES))
    words = (PIECES[(start + n) % len(PIECES)] for n in range(injection.count))
    return tuple(Token(f" {word}", -SURPRISE[injection.kind]) for word in words)


def undisturbed(text: str, injection: Injection) -> InjectedReply:
    """A reply that goes on behind an injection as if nothing had come: its tokens are its words, each with the blanks
    before it. Into one that ends before the injection nothing is forced.
    """
    words = re.findall(r"\s*\S+", text)
    if len(words) < injection.at:
        return InjectedReply(text, (), "")
    before = "".join(words[: injection.at])
    return InjectedReply(before, forced_into(injection), text[len(before) :])


def rest_of(text: str, begun: str) -> str:
    """What follows in a text behind all that it has in common with a beginning."""
    same = next((n for n, pair in enumerate(zip(text, begun, strict=False)) if pair[0] != pair[1]), len(begun))
    return text[same:]


class Simulation:
    """How simulated models answer the sessions of one experiment."""

    result: re.Pattern[str] | None = None
    """How a result of this experiment is shown before a prediction: the groups `about` and `answer`."""

    def facts(self, items: Sequence[Any]) -> Mapping[str, Mapping[str, Any]]:
        """What the items tell about the world, by kind of fact and by what it is about."""
        return {}

    def asked(self, item: Any, session: str, prompt: str) -> Subject | None:
        """What a session of an item is about, whatever the words of its prompt; None for small talk."""
        return None

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        """What a session of this kind is about, from what its template was filled in with, where nothing else tells.
        None where it is not one of this experiment after all.
        """
        return None

    def recalled(self, kind: str, earlier: Sequence[Message], facts: Facts) -> Subject | None:
        """What a session of this kind is about, from what was said before its last message, where the words of that do
        not tell.
        """
        return None

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        """The reply to a session that is no prediction. `shape` (0 to 1) chooses its form, `said` is the prompt."""
        raise NotImplementedError

    def injected(
        self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str, injection: Injection
    ) -> InjectedReply:
        """The reply to a session with an injection: here the one that `behaves` gives, which goes on behind the
        injection as if nothing had come.
        """
        text, _ = self.behaves(respondent, task, epoch, shape, said)
        return undisturbed(text, injection)

    def continued(
        self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, conversation: str, begun: str
    ) -> str:
        """What follows a beginning of its reply that it did not choose itself: here the rest of the reply that
        `behaves` gives, from where the two part.
        """
        text, _ = self.behaves(respondent, task, epoch, shape, conversation)
        return rest_of(text, begun)

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
        """The reply to a session that is a prediction."""
        raise NotImplementedError

    def predicts_outcomes(
        self, item: Any, seen: Mapping[str, bool], anyway: Mapping[str, bool], shape: float
    ) -> str | None:
        """The reply that predicts what was seen, claim -> outcome, and of all other claims what it would say `anyway`;
        None where it does not say.
        """
        return None

    def did(self, respondent: SeededProfile, about: str) -> str:
        """What is shown of a respondent's own result (see `result`), in its first epoch."""
        raise NotImplementedError

    def truth(
        self, profile: Profile, items: Sequence[Any], looking: Lookings, coverage: float
    ) -> Iterable[tuple[str, float]]:
        """Expected values by metric; `coverage` is the share of its predictions that can be read."""
        return ()


def simulation_of(experiment: str) -> Simulation | None:
    """How simulated models answer an experiment; None where it does not say."""
    known = EXPERIMENTS.get(experiment)
    return _simulation_at(known.simulation) if known and known.simulation else None


@cache
def _simulation_at(place: str) -> Simulation:
    simulation: Simulation = resolve(place)()
    return simulation


class Knowledge(dict[str, Mapping[str, Any]]):
    """What simulated respondents know of the world: facts by their kind, as the simulations of the experiments call it
    (`labels` of requests, `keys` of questions), and by what they are about. Of other kinds nothing is known.
    """

    def __missing__(self, kind: str) -> Mapping[str, Any]:
        return {}

    @classmethod
    def of(cls, item_set: ItemSet) -> "Knowledge":
        """What the items of a set tell."""
        facts: dict[str, dict[str, Any]] = {}
        for experiment, by_id in item_set.items.items():
            if simulation := simulation_of(experiment):
                for kind, known in simulation.facts(list(by_id.values())).items():
                    facts.setdefault(kind, {}).update(known)
        return cls(facts)


def simulations() -> Iterator[tuple[str, Simulation]]:
    """Every experiment that can be simulated, with how."""
    for name in EXPERIMENTS:
        if simulation := simulation_of(name):
            yield name, simulation


@cache
def pattern_of(template: str) -> re.Pattern[str]:
    """A regular expression that matches what a template was filled in to."""
    parts = re.split(r"\$(\w+)", template)
    names = parts[1::2]
    pieces = (
        re.escape(part) if n % 2 == 0 else f"(?P={part})" if part in names[: n // 2] else f"(?P<{part}>.*?)"
        for n, part in enumerate(parts)
    )
    return re.compile("".join(pieces), re.DOTALL)


def filled_in(template: str, prompt: str) -> dict[str, str] | None:
    """What a template was filled in with to make a prompt; None where it did not make it."""
    match = pattern_of(template).fullmatch(prompt)
    return match.groupdict() if match else None
