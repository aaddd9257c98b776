"""What studies of simulated respondents have in common: so many runs of each, a line for each run, and a table of them.

A study's `simulate.py` puts this folder on its path and calls `write_study`.
"""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

RUNS, SEED = 1000, 1  # unless others are typed


class Named(Protocol):
    """A respondent of any study."""

    @property
    def name(self) -> str: ...


Respondent = TypeVar("Respondent", bound=Named)
Run = Callable[[Respondent, np.random.Generator, int], Mapping[str, Any]]


def write_study(
    folder: Path,
    respondents: Sequence[Respondent],
    run: Run[Respondent],
    results: Callable[[Sequence[Any]], str],
    *,
    prefix: str = "",
) -> None:
    """Simulate as many runs of each respondent, from the seed, as the command line says, and write runs.csv and
    results.md.

    Args:
        folder: Where they are written.
        respondents: Who is simulated.
        run: A run of one of them: what it draws from, and its number, counted from 0. It gives the columns of a line.
        results: The table of all lines.
        prefix: What the names of the two files begin with.
    """
    runs, seed = map(int, (sys.argv[1:] + [str(RUNS), str(SEED)][len(sys.argv) - 1 :])[:2])
    rows = [row for respondent in respondents for row in runs_of(respondent, run, range(seed, seed + runs))]
    with (folder / f"{prefix}runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (folder / f"{prefix}results.md").write_text(results(rows))


def runs_of(respondent: Respondent, run: Run[Respondent], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The lines of a respondent, one for each seed."""
    for number, seed in enumerate(seeds):
        draw = np.random.default_rng([seed, len(respondent.name)])
        yield {"respondent": respondent.name, "seed": seed, **run(respondent, draw, number)}
