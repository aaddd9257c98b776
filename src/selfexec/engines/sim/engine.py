"""Simulated respondents with known truth: to try the tool out, and to test that it measures what it says.

A reply is a pure function of profile, seed, what is asked, in which words, and epoch. So it survives restarts and comes
out the same over any transport, as long as prompts are worded as shipped: behind a server it knows them by their words.
`sim/typical` is a model; `sim/typical@3` is the same with seed 3.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType

from selfexec.engines.base import Call, Outcome
from selfexec.engines.sim import shapes
from selfexec.engines.sim.profiles import PROFILES, Profile
from selfexec.engines.sim.sessions import named, recognised
from selfexec.engines.sim.simulation import (
    Knowledge,
    Said,
    ShownResult,
    SimTask,
    Simulation,
    simulation_of,
    undisturbed,
)
from selfexec.engines.sim.traits import How, Respondent, draw
from selfexec.engines.sim.truth import truth
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Injection, Message
from selfexec.facets import OFF, THINKING
from selfexec.items import ItemSet
from selfexec.text.matching import meant

__all__ = ["PROFILES", "Profile", "SimEngine", "SimRespondent", "respondent", "truth"]


class SimEngine(AbstractAsyncContextManager["SimEngine"]):
    """Simulated models in this process, who know the items of one set."""

    def __init__(self, models: Sequence[str], item_set: ItemSet) -> None:
        self.warnings: list[str] = []
        self.addresses: Mapping[str, str] = {}
        self._items = item_set.items
        knowledge = Knowledge.of(item_set)
        self._respondents = {model: respondent(model, knowledge) for model in models}

    async def ask(self, call: Call) -> Outcome:
        model, experiment, id, epoch, session, facets = call.key
        asked = named(experiment, self._items.get(experiment, {}).get(id), session, call.prompt, facets)
        thinks = call.sampling.get(THINKING) != OFF
        respondent = self._respondents[model]
        if call.injection is not None:
            return respondent.disturbed(call.messages, epoch, asked, call.injection)
        return respondent.reply(call.messages, epoch, asked, thinks)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def respondent(model: str, knowledge: Knowledge) -> "SimRespondent":
    """The respondent that a model name stands for."""
    name, _, seed = model.removeprefix("sim/").partition("@")
    if name not in PROFILES:
        known = (f"sim/{profile}" for profile in PROFILES)
        raise InputError(f"model {model!r}: unknown simulated model. {meant(f'sim/{name}', known)}")
    if seed and not seed.isdecimal():
        raise InputError(f"model {model!r}: the seed behind @ must be a whole number.")
    return SimRespondent(PROFILES[name], int(seed or 0), knowledge)


# --- how a model replies: it decides what it is asked for, and puts its decision into words ---------------------------

# what it remembers of a conversation: a word that it was told, when it is asked for one
TOLD, WANTED = re.compile(r'code word is "(\w+)"'), re.compile(r"code word\b.*\?", re.DOTALL)


class SimRespondent(Respondent):
    """A respondent that puts what it does and predicts into words. Two with the same profile, seed and knowledge always
    reply the same.
    """

    def reply(
        self, messages: Sequence[Message], epoch: int = 1, asked: SimTask | None = None, thinks: bool = True
    ) -> Outcome:
        """Its reply to a conversation. What is `asked` is recognised by the last message where nobody tells."""
        said = _said_so_far(messages)
        text, tokens = self._replied(asked or recognised(messages[-1].content, self.knowledge), said, epoch, thinks)
        if len(messages) > 1 and (word := _remembered(messages)):
            text, tokens = word, None
        return Outcome(text, tokens or shapes.tokens_of(text), "stop")

    def disturbed(self, messages: Sequence[Message], epoch: int, asked: SimTask, injection: Injection) -> Outcome:
        """Its reply to a conversation with tokens forced into it: the same as without them, up to there."""
        said = _said_so_far(messages)
        simulation = simulation_of(asked.experiment)
        if simulation is None or asked.kind in EXPERIMENTS[asked.experiment].predictions:
            text, _ = self._replied(asked, said, epoch, thinks=True)
            found = undisturbed(text, injection)
        else:
            shape = draw(self.own, "shape", said, epoch)
            found = simulation.injected(self, asked, epoch, shape, said, injection)
        end = len(found.text) - len(found.behind)
        return Outcome(found.text, shapes.tokens_of(found.text), "stop", forced=found.forced, forced_end=end)

    def _replied(self, asked: SimTask, said: str, epoch: int, thinks: bool) -> Said:
        """Text and tokens. In what shape it puts the same decision depends on all that was `said`."""
        simulation = simulation_of(asked.experiment)
        if simulation is None:
            return shapes.plain(draw("plain", said)), None
        shape = draw(self.own, "shape", said, epoch)
        if asked.kind not in EXPERIMENTS[asked.experiment].predictions:
            return simulation.behaves(self, asked, epoch, shape, said)
        fate = draw(self.own, "form", said, epoch)
        how = How(epoch, asked.who, thinks, self._whose(asked.shown) if asked.shown else "")
        return self._prediction(simulation, asked, shape, fate, how), None

    def _prediction(self, simulation: Simulation, asked: SimTask, shape: float, fate: float, how: How) -> str:
        """What it predicts, in words; a prediction may fail in form."""
        if fate < self.profile.declines:
            return shapes.declined(shape)
        if fate < self.profile.declines + self.profile.breaks:
            return shapes.broken(shape)
        return simulation.predicts(self, asked, shape, how)

    def _whose(self, shown: tuple[ShownResult, ...]) -> str:
        """Whose results it is shown: it looks at what is shown of them, and at what it does itself."""
        return "its own" if all(self._did(result) == result.answer for result in shown) else "another's"

    def _did(self, result: ShownResult) -> str | None:
        """What there is to tell of its own result in the place of another."""
        simulation = simulation_of(result.experiment)
        return simulation.did(self, result.about) if simulation else None


def _said_so_far(messages: Sequence[Message]) -> str:
    """A conversation as one text: of a single message its own."""
    return messages[0].content if len(messages) == 1 else "\n".join(f"{m.role}: {m.content}" for m in messages)


def _remembered(messages: Sequence[Message]) -> str | None:
    """The word that it was told earlier in this conversation and is asked for now."""
    told = [word for message in messages[:-1] for word in TOLD.findall(message.content)]
    return told[-1] if told and WANTED.search(messages[-1].content) else None
