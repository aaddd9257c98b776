"""Lines on standard error that say how far the work is, or why there is none."""

import sys
import time
from collections.abc import Iterable
from typing import NoReturn

EVERY = 10  # steps


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def noted(name: str, losses: Iterable[float]) -> list[float]:
    """The loss of each step of a training, with a line every few steps while it goes on."""
    began = time.process_time()
    kept: list[float] = []
    for loss in losses:
        kept.append(loss)
        if len(kept) == 1 or len(kept) % EVERY == 0:  # the first one says how long the others will take
            note(f"{name}: step {len(kept)}, loss {loss:.3f}, {time.process_time() - began:.0f} CPU seconds")
    return kept


def refuse(reason: str) -> NoReturn:
    """Leave with exit status 2, for input that cannot be used."""
    print(f"Error: {reason}", file=sys.stderr)
    sys.exit(2)
