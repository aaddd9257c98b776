"""The sessions of an item played through with replies that are there already: which sessions they lead to, and with
which prompts. Nothing is asked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from selfexec.engines import finish
from selfexec.experiments import EXPERIMENTS, Experiment, Item, Prompt, Prompts
from selfexec.facets import DEFAULT, Condition, conversing


@dataclass(frozen=True)
class ReplayedItem:
    """One item of an experiment and the text of each reply to its sessions.

    `texts` has None for a reply that is there without a text. What a session is answered that it has nothing for is
    `otherwise`: None leads to no session that needs a reply first, any text to all of them. `condition` is what they
    are asked in, and `tokens` what replies took: conversations go by both.
    """

    experiment: str
    item: Item
    prompts: Prompts
    texts: Mapping[str, str | None]
    otherwise: str | None = None
    condition: Condition = DEFAULT
    tokens: Mapping[str, int | None] = field(default_factory=dict)


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
    output_tokens: int | None = None
    withheld_by: str | None = None


async def _played(job: ReplayedItem) -> dict[str, Prompt]:
    opened: dict[str, Prompt] = {}

    async def ask(session: str, prompt: Prompt, *, parent: str | None = None) -> _Said:
        opened[session] = prompt if isinstance(prompt, str) else tuple(prompt)  # as it is now: it may grow
        text = job.texts.get(session, job.otherwise)
        withheld = "somebody" if text is None and session in job.texts else None
        return _Said(text, job.tokens.get(session), withheld)

    module = EXPERIMENTS[job.experiment]
    await module.sessions(job.item, conversing(job.condition, job.experiment, ask), job.prompts)
    return {session: opened[session] for session in module.in_order(job.item, opened)}
