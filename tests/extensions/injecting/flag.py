"""A task, replies to it, and what opens its sessions, for tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from selfexec.engines import run_coroutine
from selfexec.experiments import AskFunction, Capability, Experiment, Injection, Likely, Prompt, Readings, Token
from selfexec.extensions.injecting.experiment import PROMPTS, TokenInjection
from selfexec.extensions.injecting.tasks import Task
from selfexec.readers import Reading

EXPERIMENT: Experiment = TokenInjection()
FLAG = Task(id="flag", kind="facts", prompt="Which colours has the flag of France?", parts=("blue", "white", "red"))
RIGHT = "They are blue, white and red."
WORDS = ("They", " are", " blue,", " white", " and", " red.")
HERE = len("They are blue,")  # the first third stands before it


def tokens(second: str | None = " white.") -> tuple[Token, ...]:
    """The right reply as tokens with log-probabilities, with this second likeliest one at each place."""
    others = (Likely(second, -2.0),) if second else ()
    return tuple(Token(word, -0.1, (Likely(word, -0.1), *others)) for word in WORDS)


@dataclass
class Said:
    text: str | None
    forced: tuple[Token, ...] | None = None
    logprobs: tuple[Token, ...] | None = None


@dataclass
class Asked:
    """What was asked, by session, in the order of asking, with what was forced."""

    prompts: dict[str, Prompt] = field(default_factory=dict)
    injections: dict[str, Injection | None] = field(default_factory=dict)


def play(
    item: Task,
    *can: Capability,
    replies: Mapping[str, Said] | None = None,
    undisturbed: Said | None = None,
) -> Asked:
    """Play an item through: what is not among the replies is answered " white and red."."""
    asked = Asked()
    known = {"execute": undisturbed or Said(RIGHT), **(replies or {})}

    async def ask(
        session: str, prompt: Prompt, *, parent: str | None = None, injection: Injection | None = None
    ) -> Said:
        asked.prompts[session], asked.injections[session] = prompt, injection
        return known.get(session, Said(" white and red."))

    every: frozenset[Any] = frozenset({"turns", "prefill", *can})
    run_coroutine(EXPERIMENT.sessions(item, AskFunction(ask, every), PROMPTS))
    return asked


def readings(**texts: str) -> Readings:
    """What these sessions say; `__` stands for a dot in their names."""
    named = {name.replace("__", "."): text for name, text in texts.items()}
    return {session: EXPERIMENT.read(FLAG, session, text) for session, text in named.items()}


def states(found: Readings) -> dict[str, tuple[Any, ...]]:
    """Claim -> predicted, observed, state, reason."""
    return {o.claim: (o.predicted, o.observed, o.state, o.reason) for o in EXPERIMENT.observe(FLAG, found)}


def contents(prompt: Prompt) -> Sequence[tuple[str, str]]:
    assert not isinstance(prompt, str)
    return [(message.role, message.content) for message in prompt]


LOST = Reading("missing", reason="status 500")
