"""The sessions of an item played through with replies that are there already: which sessions they lead to, and with
which prompts. Nothing is asked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from selfexec.engines import run_coroutine
from selfexec.experiments import (
    EXPERIMENTS,
    AskFunction,
    Capability,
    Experiment,
    Injection,
    Item,
    Prompt,
    Prompts,
    Token,
)
from selfexec.facets import DEFAULT, Condition, conversing

FORCED: frozenset[Capability] = frozenset({"forced_tokens"})


@dataclass(frozen=True)
class ReplayedItem:
    """One item of an experiment and the text of each reply to its sessions.

    `texts` has None for a reply that is there without a text. What a session is answered that it has nothing for is
    `otherwise`: None leads to no session that needs a reply first, any text to all of them. `forced` has the tokens
    that injections forced into replies, `logprobs` those of replies that came with log-probabilities; `can` is what the
    engine could carry that these came from, besides what the experiment needs. `condition` is what they
    are asked in, and `tokens` what replies took: conversations go by both.
    """

    experiment: str
    item: Item
    prompts: Prompts
    texts: Mapping[str, str | None]
    otherwise: str | None = None
    forced: Mapping[str, tuple[Token, ...]] = field(default_factory=dict)
    logprobs: Mapping[str, tuple[Token, ...]] = field(default_factory=dict)
    can: frozenset[Capability] = frozenset()
    condition: Condition = DEFAULT
    tokens: Mapping[str, int | None] = field(default_factory=dict)


class _WithInjection(Protocol):
    @property
    def model(self) -> str: ...
    @property
    def injection(self) -> object: ...


def forcing(replies: Iterable[_WithInjection]) -> frozenset[str]:
    """The models whose engine forced tokens, as their replies show."""
    return frozenset(reply.model for reply in replies if reply.injection is not None)


def prompts_of(jobs: Iterable[ReplayedItem]) -> list[dict[str, Prompt]]:
    """Of each job the sessions that are opened with their prompts, in the order in which the experiment has them."""

    async def all_of_them() -> list[dict[str, Prompt]]:
        return [await _played(job) for job in jobs]

    return run_coroutine(all_of_them())


def first_sessions(experiment: Experiment, item: Item) -> list[str]:
    """The sessions of an item that need no reply before them."""
    (opened,) = prompts_of([ReplayedItem(experiment.name, item, experiment.prompts, {})])
    return list(opened)


@dataclass(frozen=True)
class _Said:
    text: str | None
    forced: tuple[Token, ...] | None = None
    logprobs: tuple[Token, ...] | None = None
    output_tokens: int | None = None
    withheld_by: str | None = None


async def _played(job: ReplayedItem) -> dict[str, Prompt]:
    opened: dict[str, Prompt] = {}

    async def ask(
        session: str, prompt: Prompt, *, parent: str | None = None, injection: Injection | None = None
    ) -> _Said:
        opened[session] = prompt if isinstance(prompt, str) else tuple(prompt)  # as it is now: it may grow
        forced = None if injection is None else job.forced.get(session, ())
        text = job.texts.get(session, job.otherwise)
        withheld = "somebody" if text is None and session in job.texts else None
        return _Said(text, forced, job.logprobs.get(session), job.tokens.get(session), withheld)

    definition = EXPERIMENTS[job.experiment]
    asked = conversing(job.condition, job.experiment, AskFunction(ask, definition.needs | job.can))
    await definition.sessions(job.item, asked, job.prompts)
    return {session: opened[session] for session in definition.in_order(job.item, opened)}
