"""Can you predict it? Claims for the visitor to guess."""

from dataclasses import dataclass

from selfexec.report.data import Data
from selfexec.report.packing import packed
from selfexec.text.printable import harmless


@dataclass(frozen=True)
class GuessSection:
    """`model` is the first that can be guessed, and `claims` how many of its claims; `packed` are those of all."""

    model: str
    claims: int
    has_others: bool
    packed: str


def guess(data: Data) -> GuessSection | None:
    if not data.guesses:
        return None
    model, claims = next(iter(data.guesses.items()))
    return GuessSection(
        model,
        len(claims),
        any(claim.others for claim in claims),
        packed({harmless(name): of for name, of in data.guesses.items()}),
    )
