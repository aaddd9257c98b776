"""Simulated respondents with known truth: to try the tool out, and to test that it measures what it says.

A reply is a pure function of profile, seed, what is asked, in which words, and epoch. So it survives restarts and comes
out the same over any transport, as long as prompts are worded as shipped: behind a server it knows them by their words.
`sim/typical` is a model; `sim/typical@3` is the same with seed 3.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from types import TracebackType
from typing import Any

from selfexec.engines.base import Call, CallResult
from selfexec.engines.sim import shapes
from selfexec.engines.sim.simulation import (
    CHATS,
    Knowledge,
    Said,
    ShownResult,
    SimTask,
    SimTurn,
    Simulation,
    filled_in,
    rest_of,
    simulation_of,
    simulations,
    undisturbed,
)
from selfexec.engines.sim.traits import PROFILES, Facts, How, Profile, SeededProfile, draw
from selfexec.engines.sim.truth import truth
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, AskFunction, Facets, Injection, Item, Message, Prompt, session_kind
from selfexec.extension import resolve
from selfexec.facets import FACETS, OFF, THINKING, asks_for_probabilities, base_of, dialogue_in, nested
from selfexec.items import ItemSet
from selfexec.text.matching import meant
from selfexec.text.regex import regex

__all__ = ["PROFILES", "Profile", "SimEngine", "SimRespondent", "respondent", "truth"]


class SimEngine(AbstractAsyncContextManager["SimEngine"]):
    """Simulated models in this process, who know the items of one set."""

    def __init__(self, models: Sequence[str], item_set: ItemSet) -> None:
        self.warnings: list[str] = []
        self.addresses: Mapping[str, str] = {}
        self._items = item_set.items
        knowledge = Knowledge.of(item_set)
        self._respondents = {model: respondent(model, knowledge) for model in models}

    async def ask(self, call: Call) -> CallResult:
        model, experiment, id, epoch, session, facets = call.key
        respondent, item = self._respondents[model], self._items.get(experiment, {}).get(id)
        thinks = call.sampling.get(THINKING) != OFF
        within = nested(session) if facets else None
        if within and within.role == "call":  # a session of its own, which names no item
            return respondent.reply(call.messages, epoch + CALLED * within.number)
        held = dialogue_in(facets, experiment, call.session_kind) if facets else None
        first = call.messages[:1] if held else call.messages
        asked = named(experiment, item, base_of(session) if facets else session, first[-1].content, facets)
        if call.injection is not None:
            return respondent.disturbed(call.messages, epoch, asked, call.injection)
        usual = respondent.reply(first, epoch, asked, thinks)
        if held is None or item is None or not held[0].simulation:
            return usual
        dialogue, level = held
        shape, behaviour = draw(respondent.own, "turn", call.prompt, epoch), await _behaviour_prompts(experiment, item)
        turn = (respondent.profile, level, experiment, item, call.messages, usual.text or "", behaviour, shape)
        text = resolve(dialogue.simulation)(SimTurn(*turn))
        return usual if text is None else CallResult(text, shapes.tokens_of(text), "stop")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


CALLED = 1_000_000  # apart from all epochs: what is executed once more is drawn anew


async def _behaviour_prompts(experiment: str, item: Item) -> Mapping[str, str]:
    """The prompts by which the behaviour of an item is asked for, by session, of those that need no reply first."""
    prompts: dict[str, str] = {}

    async def ask(session: str, prompt: Prompt, **more: Any) -> CallResult:
        if isinstance(prompt, str) and session_kind(session) not in EXPERIMENTS[experiment].predictions:
            prompts[session] = prompt
        return CallResult(None)

    await EXPERIMENTS[experiment].sessions(item, AskFunction(ask), EXPERIMENTS[experiment].prompts)
    return prompts


def respondent(model: str, knowledge: Knowledge) -> "SimRespondent":
    """The respondent that a model name stands for."""
    name, _, seed = model.removeprefix("sim/").partition("@")
    if name not in PROFILES:
        known = (f"sim/{profile}" for profile in PROFILES)
        raise InputError(f"model {model!r}: unknown simulated model. {meant(f'sim/{name}', known)}")
    if seed and not seed.isdecimal():
        raise InputError(f"model {model!r}: the seed behind @ must be a whole number.")
    return SimRespondent(PROFILES[name], int(seed or 0), knowledge)


# --- what a session asks: known by its name; behind a server, which sees no names, by its prompt ---------------------


def named(experiment: str, item: Item | None, session: str, prompt: str, facets: Facets = ()) -> SimTask:
    """What a session of an item asks, whatever the words of its prompt; of one that it has not learnt, to chat."""
    kind = session.partition(".")[0]
    simulation = simulation_of(experiment)
    subject = simulation.asked(item, session, prompt) if simulation and item else None
    if subject is None:
        return CHATS
    addressed = dict(facets) if kind in EXPERIMENTS[experiment].predictions else {}
    addressee = addressed.get("frame", "")
    return SimTask(
        experiment,
        kind,
        *subject,
        who=_who(addressee) if addressee else "",
        shown=_split(prompt)[0] if "strategy" in addressed else (),
        probably=bool(addressed) and asks_for_probabilities(facets),
    )


def _who(level: str) -> str:
    """The one asked about, as the prompts that ship call it."""
    name, _, given = level.partition(":")
    return given or FACETS["frame"].texts[name]


# --- by its prompt ---------------------------------------------------------------------------------------------------


def recognised(prompt: str, facts: Facts, earlier: Sequence[Message] = ()) -> SimTask:
    """What a prompt asks that is worded as shipped; anything else is small talk. `facts` are those of the world, by
    their kind: some prompts are only known by what they are about, and some by what was said `earlier`.
    """
    shown, prompt = _split(_without_tool(prompt))
    for experiment, simulation in reversed(list(simulations())):  # what comes later may build on what came before
        for kind, facets, template in _templates(experiment):
            filled = filled_in(template, prompt)
            subject = None if filled is None else simulation.recognised(kind, filled, facts)
            if filled is not None and subject is None and earlier:
                subject = simulation.recalled(kind, earlier, facts)
            if filled is not None and subject is not None:
                who = filled.get("who", "") if "frame" in facets else ""
                return SimTask(experiment, kind, *subject, who=who, shown=shown, probably="elicit" in facets)
    return CHATS


def _templates(experiment: str) -> Iterator[tuple[str, str, str]]:
    """Kind of session, the facets that change its words, and the template."""
    asked = EXPERIMENTS[experiment]
    yield from ((kind, "", template) for kind, template in asked.prompts.items())
    if judged := asked.rejudged:
        yield judged.kind, "", judged.prompt
    for name, template in asked.variants.items():
        kind, _, facets = name.partition("@")
        if kind in asked.predictions:
            yield kind, facets, template


def _without_tool(prompt: str) -> str:
    """A prompt without what stands behind it of sessions that it may have opened, in the words that ship."""
    texts = (text for facet in FACETS.values() if facet.dialogue for text in facet.texts.values())
    places = [prompt.rfind(text.partition("$")[0]) for text in texts]
    return prompt[:place] if (place := max(places, default=-1)) > 0 else prompt


# --- results that stand before it ------------------------------------------------------------------------------------


def _split(prompt: str) -> tuple[tuple[ShownResult, ...], str]:
    """The results that a prompt shows, in the words that ship, and what it asks."""
    for phrase in FACETS["strategy"].texts.values():
        before = phrase.partition("$")[0]
        if prompt.startswith(before):
            at = max(prompt.rfind(beginning) for beginning in _beginnings())
            return _results(prompt[len(before) : at].strip()), prompt[at:]
    return (), prompt


def _beginnings() -> list[str]:
    """How a prompt goes on behind the results that are shown before it."""
    return [
        template.partition("$")[0]
        for name, simulation in simulations()
        if simulation.result
        for kind, _, template in _templates(name)
        if kind in EXPERIMENTS[name].predictions
    ]


@cache
def _results(history: str) -> tuple[ShownResult, ...]:
    return tuple(
        ShownResult(name, match["about"], match["answer"])
        for name, simulation in simulations()
        if simulation.result
        for match in simulation.result.finditer(history)
    )


# --- how a model replies: it decides what it is asked for, and puts its decision into words ---------------------------

# what it remembers of a conversation: a word that it was told, when it is asked for one
TOLD, WANTED = regex(r'code word is "(\w+)"'), regex(r"code word\b.*\?", re.DOTALL)


# a count that it goes on with, and what may stand in brackets before it
NUMBERS = "one two three four five six seven eight nine ten"
BEHIND_MARK = regex(r"^\(\w+\) ")


class SimRespondent(SeededProfile):
    """A respondent that puts what it does and predicts into words. Two with the same profile, seed and knowledge always
    reply the same.
    """

    def reply(
        self, messages: Sequence[Message], epoch: int = 1, asked: SimTask | None = None, thinks: bool = True
    ) -> CallResult:
        """Its reply to a conversation. What is `asked` is recognised by the last message where nobody tells."""
        said = _said_so_far(messages)
        asked = asked or recognised(messages[-1].content, self.knowledge, messages[:-1])
        text, tokens = self._replied(asked, said, epoch, thinks)
        if len(messages) > 1 and (word := _remembered(messages)):
            text, tokens = word, None
        return CallResult(text, tokens or shapes.tokens_of(text), "stop")

    def disturbed(self, messages: Sequence[Message], epoch: int, asked: SimTask, injection: Injection) -> CallResult:
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
        return CallResult(found.text, shapes.tokens_of(found.text), "stop", forced=found.forced, forced_end=end)

    def continued(self, messages: Sequence[Message], epoch: int, begun: str) -> CallResult:
        """How it goes on with a reply to a conversation that was begun for it; it counts on from a count."""
        conversation = _said_so_far(messages)
        asked = recognised(messages[-1].content, self.knowledge, messages[:-1])
        simulation = simulation_of(asked.experiment)
        count = BEHIND_MARK.sub("", begun)
        if NUMBERS.startswith(count):
            text = NUMBERS[len(count) :]
        elif simulation is None or asked.kind in EXPERIMENTS[asked.experiment].predictions:
            whole, _ = self._replied(asked, conversation, epoch, thinks=True)
            text = rest_of(whole, begun)
        else:
            shape = draw(self.own, "shape", conversation, epoch)
            text = simulation.continued(self, asked, epoch, shape, conversation, begun)
        return CallResult(text, shapes.tokens_of(text), "stop")

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
