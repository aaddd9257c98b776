"""What became of sessions: read, unreadable, withheld or missing, and why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Reading

if TYPE_CHECKING:
    from selfexec.runs import Run

FEW_REASONS = 4
SESSION_STATES = {  # state and reason -> code
    "read": "r",
    "unreadableformat": "f",
    "unreadabletruncated": "t",
    "unreadableperformed": "e",
    "unreadabledeclined": "d",
    "withheldmodel": "o",
    "withheldprovider": "p",
}
STATE_NAMES = {
    "r": "read",
    "f": "unreadable: format",
    "t": "unreadable: truncated",
    "e": "unreadable: performed",
    "d": "unreadable: declined",
    "u": "unreadable: other",
    "o": "withheld by the model",
    "p": "withheld by the provider",
    "x": "not needed",
    "m": "missing",
}


READ_OR_IDLE = ("r", "x")


@dataclass(frozen=True)
class StateLine:
    """Sessions of one kind by state, and why the missing ones are missing."""

    model: str
    experiment: str
    session: str
    counts: Mapping[str, int]
    why_missing: str

    @property
    def lossy(self) -> bool:
        return any(n for code, n in self.counts.items() if code not in READ_OR_IDLE)


def with_states(sessions: pl.DataFrame, runs: Sequence["Run"]) -> pl.DataFrame:
    """Sessions with a column `code`, one character for state and reason. What an item did without, as the judge of an
    empty response, is not needed rather than missing."""
    schema = {"model": pl.String, "experiment": pl.String, "item": pl.String, "epoch": pl.Int32, "session": pl.String}
    nothing = pl.DataFrame(list(_idle(runs)), schema, orient="row").with_columns(idle=pl.lit(True))
    keys = ["model", "experiment", "item", "epoch", "session"]
    found = sessions.join(nothing, on=keys, how="left", maintain_order="left")
    place = pl.concat_str(
        "state", pl.when(pl.col("state") == "read").then(pl.lit("")).otherwise("reason"), ignore_nulls=True
    )
    missing = pl.when(pl.col("idle").fill_null(False)).then(pl.lit("x")).otherwise(pl.lit("m"))
    other = place.replace_strict(SESSION_STATES, default="u", return_dtype=pl.String)
    return found.with_columns(code=pl.when(pl.col("state") == "missing").then(missing).otherwise(other)).drop("idle")


def _idle(runs: Sequence["Run"]) -> Iterator[tuple[str, str, str, int, str]]:
    """The sessions that are not needed, by what the others of their item say."""
    for run in runs:
        found: dict[tuple[str, str, str, int], dict[str, Reading]] = {}
        for key, reading in run.readings.items():
            if EXPERIMENTS[key.experiment].unneeded:
                found.setdefault((key.model, key.experiment, key.item, key.epoch), {})[key.session] = reading
        for place, readings in found.items():
            yield from ((*place, session) for session in EXPERIMENTS[place[1]].idle(readings))


def state_lines(sessions: pl.DataFrame) -> list[StateLine]:
    """One line per model, experiment and kind of session; `sessions` have codes."""
    kinds = sessions.with_columns(session=pl.col("session").str.split(".").list.first())
    table = kinds.group_by("model", "experiment", "session", "code", "reason", maintain_order=True).agg(pl.len())
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    whys: dict[tuple[str, str, str], Counter[str]] = {}
    for model, experiment, session, code, reason, n in table.iter_rows():
        place = (model, experiment, session)
        counts.setdefault(place, Counter())[code] += n
        if code == "m":
            whys.setdefault(place, Counter())[reason or "no reply recorded"] += n
    return [StateLine(*place, count, _most(whys.get(place, Counter()))) for place, count in counts.items()]


def _most(whys: Counter[str]) -> str:
    told = [f"{n:,} × {why if len(why) <= 80 else why[:79] + '…'}" for why, n in whys.most_common(FEW_REASONS)]
    rest = sum(whys.values()) - sum(n for _, n in whys.most_common(FEW_REASONS))
    return ", ".join([*told, *([f"{rest:,} for other reasons"] if rest else [])])
