"""What every experiment speaks of: sessions to open, and claims about the model's own behaviour."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from selfexec.items import Item
from selfexec.readers import Reading

ClaimState = Literal["read", "tie", "unreadable", "missing"]
MISSING = Reading("missing")


class Key(NamedTuple):
    """What names one session: no two replies that count share it."""

    model: str
    experiment: str
    item: str
    epoch: int
    session: str

    def __str__(self) -> str:
        return f"{self.model}, {self.experiment} {self.item}, {self.session}, epoch {self.epoch}"


Visited = tuple[str, str, str, int]  # an item as one model was asked it: a key without its session


class Answer(Protocol):
    """What an experiment sees of a reply. `text` is None where none came: withheld, or lost."""

    @property
    def text(self) -> str | None: ...


class Ask(Protocol):
    """Opens a fresh session and brings its reply."""

    def __call__(self, session: str, prompt: str) -> Awaitable[Answer]: ...


Prompts = Mapping[str, str]  # session kind -> template; "$name" marks what an item fills in
Readings = Mapping[str, Reading]  # session -> what its reply says


class Facts(msgspec.Struct, frozen=True):
    """What is known of a claim's item without asking any model: what baselines predict from.

    `length` counts the characters of what the claim is about. In a claim about two questions, `other_` names the
    second.
    """

    label: str | None = None
    subject: str | None = None
    length: int | None = None
    other_subject: str | None = None
    other_length: int | None = None


class Observation(msgspec.Struct, frozen=True):
    """One claim: what the model predicted, what it then did, and whether both are known.

    `reason` says why a claim is unreadable. The side that is not known is None: an unread prediction, or outcome.
    `basis` is what decided a claim of the difficulty experiment: `correctness` or `tokens`. `observed_by_rule` is what
    a fixed rule, the same for all models, makes of the deed, where there is one.
    """

    claim: str
    predicted: bool | None
    observed: bool | None
    state: ClaimState
    reason: str | None = None
    basis: str | None = None
    facts: Facts = Facts()
    observed_by_rule: bool | None = None


class Experiment(Protocol):
    """What a module under `experiments` offers. It knows nothing of HTTP, files or tables."""

    PROMPTS: Prompts
    UNNEEDED: Mapping[str, str]
    """Kinds of sessions that an item may do without, each with what was so where it did."""

    def session_names(self, item: Any) -> Sequence[str]:
        """Every session that an item may need."""

    async def sessions(self, item: Any, ask: Ask, prompts: Prompts) -> None:
        """Open the sessions of one item."""

    def read(self, item: Any, session: str, text: str) -> Reading:
        """What a reply commits to."""

    def given(self, item: Any, session: str, value: Any) -> Any:
        """A reading made elsewhere, in the form that `read` gives; None where it is no answer."""

    def observe(self, item: Any, readings: Readings) -> list[Observation]:
        """The claims of one item, from what its sessions say."""

    def correct(self, item: Any, session: str, reading: Reading) -> bool | None:
        """Whether an answer is right; None for a session that answers no question."""


def state_of(predicted: Sequence[Reading], observed: Sequence[Reading]) -> tuple[ClaimState, str | None]:
    """The state of a claim whose two sides need these sessions: missing before unreadable before read."""
    sides = [reading for reading in (*predicted, *observed) if reading.state != "read"]
    if any(reading.state == "missing" for reading in sides):
        return "missing", None
    for reading in sides:
        if reading.state == "withheld":
            return "unreadable", "withheld"
        if reading.state == "unreadable":
            return "unreadable", reading.reason
    return "read", None


__all__ = ["MISSING", "Answer", "Ask", "Experiment", "Facts", "Item", "Observation", "Prompts", "Readings", "state_of"]
