"""Simulated respondents with known truth: to try the tool out, and to test that it measures what it says.

A reply is a pure function of profile, seed, what is asked, in which words, and epoch. So it survives restarts and comes
out the same over any transport, as long as prompts are worded as shipped: behind a server it knows them by their words.
`sim/typical` is a model; `sim/typical@3` is the same with seed 3.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType

from selfexec.engines.base import Call, Outcome
from selfexec.engines.sim.profiles import PROFILES, Profile
from selfexec.engines.sim.replying import SimRespondent
from selfexec.engines.sim.sessions import named
from selfexec.engines.sim.simulation import Knowledge
from selfexec.engines.sim.truth import truth
from selfexec.errors import InputError
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
        return self._respondents[model].reply(call.messages, epoch, asked, thinks)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def respondent(model: str, knowledge: Knowledge) -> SimRespondent:
    """The respondent that a model name stands for."""
    name, _, seed = model.removeprefix("sim/").partition("@")
    if name not in PROFILES:
        known = (f"sim/{profile}" for profile in PROFILES)
        raise InputError(f"model {model!r}: unknown simulated model. {meant(f'sim/{name}', known)}")
    if seed and not seed.isdecimal():
        raise InputError(f"model {model!r}: the seed behind @ must be a whole number.")
    return SimRespondent(PROFILES[name], int(seed or 0), knowledge)
