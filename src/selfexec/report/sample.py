"""Which items have their sessions in a page that does not take all of them along: as many as there is room for.

However little room there is: what the page quotes, and an item for each outcome of a claim and each state of a session.
Then the items that make a margin, where one of model and best baseline was right and the other wrong, and then all
others; both from the experiment with the shortest sessions to that with the longest, there model by model in turn.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import polars as pl

from selfexec.experiments import Key
from selfexec.report.asked import asked
from selfexec.report.evidence import Place, sessions_of
from selfexec.report.packing import packed

if TYPE_CHECKING:
    from selfexec.runs import Run

PLACE = ["model", "experiment", "item"]
TOGETHER = 0.955  # all sessions of a model pack better than the few that are measured
MODELS, ITEMS = 2, 100  # by which it is measured how small the sessions of an experiment become when they are packed


def sample(
    runs: Sequence["Run"],
    claims: pl.DataFrame,
    sessions: pl.DataFrame,
    quoted: Iterable[Place],
    decisive: Set[Place],
    room: float,
) -> set[Place]:
    """`claims` and `sessions` have codes; `decisive` items make margins; `room` is in bytes, about."""
    chosen = set(quoted)
    for table, by in (
        (claims, ["model", "experiment", "code", "disputed"]),
        (sessions, ["model", "experiment", "session", "code"]),
    ):
        chosen |= _one_of_each(table, by, chosen)
    sizes = _sizes(runs)
    room -= sum(sizes.get(place, 0.0) for place in chosen)
    for place in in_order(sizes, decisive):
        if place not in chosen and sizes[place] <= room:
            chosen.add(place)
            room -= sizes[place]
    return chosen


def _one_of_each(table: pl.DataFrame, by: Sequence[str], known: Set[Place]) -> set[Place]:
    """An item of each group that none of the known ones is in."""
    places = pl.DataFrame(sorted(known), dict.fromkeys(PLACE, pl.String), orient="row")
    covered = table.join(places, on=PLACE, how="semi").select(by).unique()
    others = table.join(covered, on=by, how="anti", nulls_equal=True, maintain_order="left")
    return set(others.unique(by, keep="first", maintain_order=True).select(PLACE).iter_rows())


def in_order(sizes: Mapping[Place, float], decisive: Set[Place]) -> list[Place]:
    """Decisive items first, those of short experiments first, the first of each model first."""
    by_experiment: dict[str, list[float]] = {}
    for (_, experiment, _), size in sizes.items():
        by_experiment.setdefault(experiment, []).append(size)
    means = {experiment: sum(found) / len(found) for experiment, found in by_experiment.items()}
    seen: dict[tuple[str, str, bool], int] = {}
    ranks = {}
    for place in sizes:
        model, experiment, _ = place
        series = (model, experiment, place in decisive)
        seen[series] = turn = seen.get(series, 0) + 1
        ranks[place] = (place not in decisive, means[experiment], experiment, turn)
    return sorted(ranks, key=ranks.__getitem__)


def _sizes(runs: Sequence["Run"]) -> dict[Place, float]:
    """How many bytes each item's sessions take in a page, about: their length, by what packing leaves of a few."""
    sizes: dict[Place, float] = {}
    for run in runs:
        keys: dict[str, dict[str, dict[str, list[Key]]]] = {}
        for key in run.replies:
            keys.setdefault(key.experiment, {}).setdefault(key.model, {}).setdefault(key.item, []).append(key)
        for experiment, by_model in keys.items():
            few = [[*by_item.values()][:: len(by_item) // ITEMS + 1] for by_item in [*by_model.values()][:MODELS]]
            tried = [[key for item in items for key in item] for items in few]
            whole = sum(_length(run, key) for keys in tried for key in keys)
            left = TOGETHER * sum(len(packed(sessions_of(run, keys, {}))) for keys in tried) / whole
            prompts = len(packed(asked(run, tried[0]).nested)) / len(few[0]) / len(by_model)
            for model, by_item in by_model.items():
                for item, of in by_item.items():
                    sizes[model, experiment, item] = left * sum(_length(run, key) for key in of) + prompts
    return sizes


FACTS = 60  # characters of a session besides its texts


def _length(run: "Run", key: Key) -> int:
    reply = run.replies[key]
    return FACTS + sum(len(text) for text in (reply.text, reply.reasoning, reply.refusal, reply.error) if text)
