"""What a session asks of a simulated model: known by its name in this process, recognised by its prompt behind a
server, where the wire has nothing else.
"""

from collections.abc import Iterator
from functools import cache

from selfexec.engines.sim.simulation import CHATS, ShownResult, SimTask, filled_in, simulation_of, simulations
from selfexec.engines.sim.traits import Facts
from selfexec.experiments import EXPERIMENTS, Facets, Item
from selfexec.facets import FACETS, asks_for_probabilities


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


def recognised(prompt: str, facts: Facts) -> SimTask:
    """What a prompt asks that is worded as shipped; anything else is small talk. `facts` are those of the world, by
    their kind: some prompts are only known by what they are about.
    """
    shown, prompt = _split(_without_tool(prompt))
    for experiment, simulation in reversed(list(simulations())):  # what comes later may build on what came before
        for kind, facets, template in _templates(experiment):
            filled = filled_in(template, prompt)
            subject = None if filled is None else simulation.recognised(kind, filled, facts)
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
