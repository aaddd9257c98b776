"""The sessions of an item played through with replies that are there already: which sessions they lead to, and with
which prompts. Nothing is asked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from selfexec.engines import finish
from selfexec.experiments import EXPERIMENTS, Experiment, Item, Prompt, Prompts


@dataclass(frozen=True)
class ReplayedItem:
    """One item of an experiment and the text of each reply to its sessions.

    `texts` has None for a reply that is there without a text. What a session is answered that it has nothing for is
    `otherwise`: None leads to no session that needs a reply first, any text to all of them.
    """

    experiment: str
    item: Item
    prompts: Prompts
    texts: Mapping[str, str | None]
    otherwise: str | None = None


def prompts_of(jobs: Iterable[ReplayedItem]) -> list[dict[str, Prompt]]:
    """Of each job the sessions that are opened with their prompts, in the order in which the experiment has them."""

    async def all_of_them() -> list[dict[str, Prompt]]:
        return [await _played(job) for job in jobs]

    return finish(all_of_them())


def first_sessions(experiment: Experiment, item: Item) -> list[str]:
    """The sessions of an item that need no reply before them."""
    (opened,) = prompts_of([ReplayedItem(experiment.name, item, experiment.prompts, {})])
    return list(opened)


@dataclass(frozen=True)
class _Said:
    text: str | None


async def _played(job: ReplayedItem) -> dict[str, Prompt]:
    opened: dict[str, Prompt] = {}

    async def ask(session: str, prompt: Prompt, *, parent: str | None = None) -> _Said:
        opened[session] = prompt if isinstance(prompt, str) else tuple(prompt)  # as it is now: it may grow
        return _Said(job.texts.get(session, job.otherwise))

    definition = EXPERIMENTS[job.experiment]
    await definition.sessions(job.item, ask, job.prompts)
    return {session: opened[session] for session in definition.in_order(job.item, opened)}
