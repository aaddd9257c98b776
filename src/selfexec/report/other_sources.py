"""Who else says what was done than the source that counts: a fixed rule, or judges who read the replies later."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from selfexec.analysis.names import source_of
from selfexec.claims import Tables
from selfexec.experiments import JUDGE
from selfexec.text.printable import command_line


@dataclass(frozen=True)
class OtherSource:
    """Who else says what was done in an experiment (`who`, `text`), and the command by which a page goes by them."""

    source: str
    who: str
    text: str
    command: str

    @property
    def with_command(self) -> str:
        return f"{self.text} `{self.command}` makes a page that goes by {self.who}."


def other_sources(tables: Tables, runs: Sequence[str]) -> Iterator[OtherSource]:
    """Who else says what was done, and how often they say otherwise than the source that counts; `runs`
    are named in the command.
    """
    place = ["model", "experiment", "item", "epoch", "condition", "claim"]
    both = tables.observations.join(tables.outcomes, on=place, suffix="_other").drop_nulls("observed")
    differs = (pl.col("observed") != pl.col("observed_other")).sum()
    models = {*tables.observations["model"].unique()}
    names = ["experiment", "source", "source_other"]
    for experiment, source, other, n, k in both.group_by(names).agg(pl.len(), differs.alias("k")).sort(names).rows():
        who = source_of(experiment, other)
        of_these = " (itself one of these models)" if other.removeprefix(JUDGE) in models else ""
        text = (
            f"{experiment.capitalize()}: what counts as done is {source_of(experiment, source)}; "
            f"{who}{of_these} disagrees on {k:,} of {n:,} claims."
        )
        yield OtherSource(other, who, text, command_line("report {} --source {}", runs, other))
