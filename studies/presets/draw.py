"""One balanced draw of the presets of the paper's items: `python studies/presets/draw.py REFERENCE SEED`.

REFERENCE holds the recorded replies (docs/published.md). Adds the draw to those that `src/selfexec/items` ships; the
spread of its levels comes from measure.py.
"""

import hashlib
import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

import selfexec as sx
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.items import PAPER_FILES
from selfexec.items.presets import STANDARD_SHARE, Draw, Drawn, draws, preset_ids
from selfexec.metrics import Record, claim_kind
from selfexec.metrics.kinds import Kind

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
NAME = "balanced-2"  # of the order: another draw is another order
SHIPPED = Path(__file__).parents[2] / "src/selfexec/items/paper_presets.json"
DRAWN_PRESETS = ("quick", "standard")
NEARLY = 1e-9
BINS = 4  # of items, by how the panel did: so coarse that it is not these models' cells which are balanced

# what items are, whoever answers: the most important first
LABELS: dict[str, Callable[[Any], list[float | str]]] = {
    "association": lambda item: [len(item.target)],
    "restriction": lambda item: [len(item.request), item.label],
    "difficulty": lambda item: [sum(len(q.question) for q in item.questions)],
}
KINDS: dict[str, Callable[[Any], list[float | str]]] = {
    "association": lambda item: [],
    "restriction": lambda item: [item.type],
    "difficulty": lambda item: [q.subject for q in item.questions],
}


@dataclass(frozen=True)
class Panel:
    """One experiment's items in the fixed order, and what recorded models predicted and did with them: `strict` and
    `readable` records by model; `right` and `did` are shares of an item's claims that a model predicted rightly, and
    that came true, of shape (models, items), nan where nothing was read. `labels` and `kinds` have the shape
    (items, traits). `sizes` are those of the presets, `stratified` the presets before there was any draw.
    """

    ids: Sequence[str]
    lines: Sequence[bytes]
    kind: Kind
    strict: Sequence[Record]
    readable: Sequence[Record]
    right: Array
    did: Array
    labels: Array
    kinds: Array
    sizes: tuple[int, int]
    stratified: Mapping[str, Flags]

    def balanced_on(self, models: Sequence[int]) -> Array:
        """What a draw has in the whole's proportions, the most important first: how many items there are, length and
        label, quarters of the items by how these models did, type or subjects.
        """
        shares = [self.right, self.did] if self.kind.FREE_THRESHOLD else [self.right]
        quarters = [_in_bins(_mean(share[models])) for share in shares]
        return _independent(np.concatenate([np.ones((len(self.ids), 1)), self.labels, *quarters, self.kinds], axis=1))


def _mean(shares: Array) -> Array:
    """Over the models that were read on an item; where none was, that of all items."""
    known = ~np.isnan(shares)
    mean = np.where(known, shares, 0).sum(0) / np.maximum(known.sum(0), 1)
    return np.where(known.any(0), mean, mean[known.any(0)].mean())


def _in_bins(share: Array) -> Array:
    """Which of four bins of about equal size an item is in; items with the same share are in the same one."""
    edges = np.quantile(share, np.arange(1, BINS) / BINS)
    bins: Array = np.eye(BINS)[np.searchsorted(edges, share, side="right")]
    return bins


def panels(reference: Path) -> tuple[list[str], dict[str, Panel]]:
    """The recorded models as this package reads them."""
    with tempfile.TemporaryDirectory() as scratch:
        replies = [str(path) for path in sorted((reference / "replies").glob("*.jsonl"))]
        run = sx.import_replies(replies, items=str(reference / "items"), out=Path(scratch) / "run")
        return list(run.models), {e: _panel(run, e) for e in PAPER_HEADLINE.experiments}


def _panel(run: Any, experiment: str) -> Panel:
    items, claims, kind = run.items[experiment], run.tables.claims[experiment], claim_kind(experiment)
    if run.items.hashes[experiment] != PAPER_FILES[experiment]:
        raise SystemExit(f"{experiment}: these are not the paper's items, whole and as they are.")
    of_models = [claims.of(model) for model in run.models]
    strict, readable = ([kind.count(one, counted) for one in of_models] for counted in (True, False))
    place = {id: n for n, id in enumerate(items)}
    right, did = np.full((2, len(of_models), len(items)), math.nan)
    for n, one in enumerate(of_models):
        at = [place[id] for id in readable[n].items]
        right[n, at] = kind.accuracy(readable[n].counts)
        known = one.observed != 0
        claimed = np.bincount(one.item[known], minlength=len(one.items))
        true = np.bincount(one.item[one.observed > 0], minlength=len(one.items))
        for id, share, some in zip(one.items, true / np.maximum(claimed, 1), claimed > 0, strict=True):
            if some:
                did[n, place[id]] = share
    quick = EXPERIMENTS[experiment].quick
    sizes = quick, max(quick, math.ceil(round(STANDARD_SHARE * len(items), 9)))
    labels, kinds = (_columns([of[experiment](item) for item in items.values()]) for of in (LABELS, KINDS))
    lines = [run.items.lines[experiment][id] for id in items]
    stratified = {preset: np.isin(list(items), preset_ids(preset, experiment, items)) for preset in DRAWN_PRESETS}
    return Panel(list(items), lines, kind, strict, readable, right, did, labels, kinds, sizes, stratified)


def _columns(traits: Sequence[Sequence[float | str]]) -> Array:
    """Numbers as they are; of words, how often each occurs in an item."""
    numbers = [[x for x in row if not isinstance(x, str)] for row in traits]
    words = dict.fromkeys(x for n in range(len(traits[0])) for row in traits if isinstance(x := row[n], str))
    rows = [[*known, *(row.count(word) for word in words)] for known, row in zip(numbers, traits, strict=True)]
    return np.array(rows, np.float64)


def _independent(columns: Array) -> Array:
    """The columns that do not follow from those before them."""
    kept: list[int] = []
    scaled = columns / np.maximum(np.abs(columns).max(0), NEARLY)
    for n in range(columns.shape[1]):
        if np.linalg.matrix_rank(scaled[:, [*kept, n]], tol=1e-6) > len(kept):
            kept.append(n)
    return columns[:, kept]


# --- the cube method (Deville and Tille 2004) ------------------------------------------------------------------------


def cube(columns: Array, chance: float, rng: np.random.Generator) -> Flags:
    """A sample in which the columns' totals, over the chance to be drawn, are nearly those of the whole. The first
    column is 1, so that its size is exact; where not all can be kept, the last columns are given up first."""
    order = rng.permutation(len(columns))
    wanted = columns[order].T / np.abs(columns).max(0)[:, None]
    chances = np.full(len(columns), chance)
    while True:
        chances = _flown(wanted, chances, rng)
        if not _open(chances).size:
            break
        wanted = wanted[:-1]
    drawn = np.zeros(len(columns), np.bool_)
    drawn[order] = chances > 0.5
    return drawn


def _open(chances: Array) -> NDArray[np.intp]:
    return np.flatnonzero((chances > NEARLY) & (chances < 1 - NEARLY))


def _flown(wanted: Array, chances: Array, rng: np.random.Generator) -> Array:
    """The first phase: a walk along directions that keep all totals, until no such direction is left."""
    chances = chances.copy()
    while True:
        some = _open(chances)[: len(wanted) + 1]
        way = _kept_by(wanted[:, some])
        if way is None:
            return chances
        here = chances[some]
        up, down = _room(here, way), _room(here, -way)
        chances[some] = here + (up if rng.random() * (up + down) < down else -down) * way
        chances[chances < NEARLY], chances[chances > 1 - NEARLY] = 0, 1


def _kept_by(wanted: Array) -> Array | None:
    """A direction in which no total moves."""
    if not wanted.size:
        return None
    if wanted.shape[1] > len(wanted):
        way: Array = np.linalg.svd(wanted)[2][-1]
        return way
    values, ways = np.linalg.svd(wanted)[1:]
    return ways[-1] if values[-1] < NEARLY * values[0] else None


def _room(here: Array, way: Array) -> float:
    """How far one can go this way until a chance is 0 or 1."""
    far = np.where(way > NEARLY, (1 - here) / np.where(way > NEARLY, way, 1), math.inf)
    near = np.where(way < -NEARLY, here / np.where(way < -NEARLY, -way, 1), math.inf)
    return float(min(far.min(), near.min()))


def one_draw(panel: Panel, models: Sequence[int], rng: np.random.Generator) -> dict[str, Flags]:
    """Standard out of the whole, quick out of standard, both balanced on what items are and on these models."""
    columns, (small, large) = panel.balanced_on(models), panel.sizes
    standard = cube(columns, large / len(columns), rng)
    quick = np.zeros(len(columns), np.bool_)
    quick[np.flatnonzero(standard)[cube(_independent(columns[standard]), small / large, rng)]] = True
    return {"quick": quick, "standard": standard}


def shipped(panel: Panel, sha256: str, presets: Mapping[str, Flags]) -> Drawn:
    """Positions in the fixed order, not ids: of some items the id is the text, which is not ours to ship."""
    places = {preset: np.flatnonzero(flags).tolist() for preset, flags in presets.items()}
    cuts = {
        preset: hashlib.sha256(b"".join(panel.lines[n] + b"\n" for n in positions)).hexdigest()
        for preset, positions in places.items()
    }
    return Drawn(sha256, **places, cuts=cuts)


def main() -> None:
    reference, seed = Path(sys.argv[1]), int(sys.argv[2])
    models, by_experiment = panels(reference)
    rng = np.random.default_rng(seed)
    parts = {
        e: shipped(panel, PAPER_FILES[e], one_draw(panel, range(len(models)), rng))
        for e, panel in by_experiment.items()
    }
    others = [draw for draw in draws() if draw.name != NAME]
    SHIPPED.write_bytes(msgspec.json.encode([*others, Draw(NAME, seed, parts)]) + b"\n")


if __name__ == "__main__":
    main()
