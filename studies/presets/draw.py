"""One balanced draw of the presets of the paper's items: `python studies/presets/draw.py REFERENCE SEED [REPEATS]`.

REFERENCE holds the recorded replies (docs/published.md). Writes the positions that `src/selfexec/items` ships, and
results.md and results.csv next to this file. REPEATS: further draws, which show what a single one may be off by.
"""

import csv
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

import selfexec as sx
from selfexec.experiments import EXPERIMENTS, PAPER
from selfexec.items import PAPER_FILES
from selfexec.items.presets import STANDARD_SHARE, preset_ids
from selfexec.metrics import kind_of
from selfexec.metrics.kinds import Kind

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
NAME = "balanced-1"  # of the order: another draw is another order
SHIPPED = Path(__file__).parents[2] / "src/selfexec/items/paper_presets.json"
NEARLY = 1e-9

# what items are, whoever answers: the most important first
TRAITS: dict[str, Callable[[Any], list[float | str]]] = {
    "association": lambda item: [len(item.target)],
    "restriction": lambda item: [len(item.request), item.label, item.type],
    "difficulty": lambda item: [sum(len(q.question) for q in item.questions), *(q.subject for q in item.questions)],
}


@dataclass(frozen=True)
class Panel:
    """One experiment's items in the fixed order, and what recorded models predicted and did with them: `counts` has the
    shape (models, items, cells), nan where nothing can be scored. `traits` has the shape (items, traits)."""

    ids: Sequence[str]
    kind: Kind
    counts: Array
    traits: Array
    sizes: tuple[int, int]  # of quick and of standard

    def balanced_on(self, models: Sequence[int]) -> Array:
        """What a draw has in the whole's proportions, the most important first: how many items there are, what the
        mean of these models predicted and did, traits."""
        counts = self.counts[models]
        known = ~np.isnan(counts)
        mean = np.where(known, counts, 0).sum(0) / np.maximum(known.sum(0), 1)
        return _independent(np.concatenate([np.ones((len(mean), 1)), mean, self.traits], axis=1))

    def skill(self, model: int, drawn: Flags | slice = slice(None)) -> float:
        counts = self.counts[model][drawn]
        counts = counts[~np.isnan(counts[:, 0])]
        return float(self.kind.skill(counts.sum(0))) if len(counts) else math.nan


def panels(reference: Path) -> tuple[list[str], dict[str, Panel], dict[str, dict[str, Flags]]]:
    """The recorded models as this package reads them; and the presets before this draw, by experiment."""
    with tempfile.TemporaryDirectory() as scratch:
        replies = [str(path) for path in sorted((reference / "replies").glob("*.jsonl"))]
        run = sx.import_replies(replies, items=str(reference / "items"), out=Path(scratch) / "run")
        before = {
            e: {p: np.isin(list(run.items[e]), preset_ids(p, e, run.items[e])) for p in ("quick", "standard")}
            for e in PAPER.experiments
        }
        return list(run.models), {e: _panel(run, e) for e in PAPER.experiments}, before


def _panel(run: Any, experiment: str) -> Panel:
    items, claims, kind = run.items[experiment], run.tables.claims[experiment], kind_of(experiment)
    if run.items.hashes[experiment] != PAPER_FILES[experiment]:
        raise SystemExit(f"{experiment}: these are not the paper's items, whole and as they are.")
    records = [kind.count(claims.of(model), True) for model in run.models]
    place = {id: n for n, id in enumerate(items)}
    counts = np.full((len(records), len(items), max(record.counts.shape[1] for record in records)), math.nan)
    for n, record in enumerate(records):
        if record.items:
            counts[n, [place[id] for id in record.items]] = record.counts
    quick = EXPERIMENTS[experiment].quick
    sizes = quick, max(quick, math.ceil(round(STANDARD_SHARE * len(items), 9)))
    return Panel(list(items), kind, counts, _columns([TRAITS[experiment](item) for item in items.values()]), sizes)


def _columns(traits: Sequence[Sequence[float | str]]) -> Array:
    """Numbers as they are; of words, how often each occurs in an item."""
    numbers = [[x for x in row if not isinstance(x, str)] for row in traits]
    words = dict.fromkeys(x for n in range(len(traits[0])) for row in traits if isinstance(x := row[n], str))
    return np.array(
        [[*known, *(row.count(word) for word in words)] for known, row in zip(numbers, traits, strict=True)]
    )


def _independent(columns: Array) -> Array:
    """Those that say something new beside the ones before them."""
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


def drawn_presets(panel: Panel, models: Sequence[int], rng: np.random.Generator) -> dict[str, Flags]:
    """Standard out of the whole, quick out of standard, both balanced on these models."""
    columns, (small, large) = panel.balanced_on(models), panel.sizes
    standard = cube(columns, large / len(columns), rng)
    quick = np.zeros(len(columns), np.bool_)
    quick[np.flatnonzero(standard)[cube(_independent(columns[standard]), small / large, rng)]] = True
    return {"quick": quick, "standard": standard}


# --- how far a preset is off -----------------------------------------------------------------------------------------


def biases(panels: Mapping[str, Panel], drawn: Mapping[str, Flags], model: int) -> list[float]:
    """Skill on the drawn items less skill on all, in each experiment and overall."""
    found = [panels[e].skill(model, drawn[e]) - panels[e].skill(model) for e in PAPER.experiments]
    return [*found, float(np.mean(found))]


def one_draw(
    panels: Mapping[str, Panel], models: Sequence[int], rng: np.random.Generator
) -> dict[str, dict[str, Flags]]:
    """By preset and experiment."""
    found = {e: drawn_presets(panels[e], models, rng) for e in PAPER.experiments}
    return {preset: {e: found[e][preset] for e in found} for preset in ("quick", "standard")}


def leave_one_out(panels: Mapping[str, Panel], models: int, seed: Sequence[int]) -> dict[str, Array]:
    """By preset: each model's biases where the draw was balanced on the others alone."""
    rows: dict[str, list[list[float]]] = {"quick": [], "standard": []}
    for model in range(models):
        others = [n for n in range(models) if n != model]
        drawn = one_draw(panels, others, np.random.default_rng([*seed, model]))
        for preset, flags in drawn.items():
            rows[preset].append(biases(panels, flags, model))
    return {preset: np.array(found) for preset, found in rows.items()}


# --- what is written -------------------------------------------------------------------------------------------------


def main() -> None:
    reference, seed, repeats = Path(sys.argv[1]), int(sys.argv[2]), int([*sys.argv, "20"][3])
    models, found, before = panels(reference)
    drawn = one_draw(found, range(len(models)), np.random.default_rng(seed))
    ship(found, drawn, seed)
    tables = {f"before: {p}": np.array([biases(found, {e: before[e][p] for e in found}, m) for m in range(len(models))])
              for p in ("quick", "standard")}  # fmt: skip
    tables |= {f"drawn: {p}": np.array([biases(found, drawn[p], m) for m in range(len(models))]) for p in drawn}
    left_out = leave_one_out(found, len(models), [seed])
    tables |= {f"left out: {p}": rows for p, rows in left_out.items()}
    again = [leave_one_out(found, len(models), [seed, 1 + n]) for n in range(repeats)]
    here = Path(__file__).parent
    with (here / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "model", *PAPER.experiments, "overall"])
        for name, rows in tables.items():
            writer.writerows([name, model, *(f"{x:.4f}" for x in row)] for model, row in zip(models, rows, strict=True))
    repeated = {p: np.array([one[p] for one in again]) for p in ("quick", "standard")}
    (here / "results.md").write_text("\n".join(_report(models, tables, repeated, seed)))


def ship(panels: Mapping[str, Panel], drawn: Mapping[str, Mapping[str, Flags]], seed: int) -> None:
    """Positions in the fixed order, not ids: of some items the id is the text, which is not ours to ship."""
    sets = {
        e: {"sha256": PAPER_FILES[e], **{p: np.flatnonzero(drawn[p][e]).tolist() for p in ("quick", "standard")}}
        for e in panels
    }
    SHIPPED.write_bytes(msgspec.json.encode({"name": NAME, "seed": seed, "experiments": sets}) + b"\n")


def _report(models: Sequence[str], tables: Mapping[str, Array], again: Mapping[str, Array], seed: int) -> Iterator[str]:
    yield f"# How far a preset's skill is from the whole's, seed {seed}\n"
    yield "Skill on the preset's items less skill on all items (strict), for each recorded model."
    head = f"| {' | '.join(['', *PAPER.experiments, 'overall'])} |\n|{'---|' * 5}"
    for name, rows in tables.items():
        yield f"\n## {name[0].upper()}{name[1:]}\n\n{head}"
        yield from (f"| {model} | {' | '.join(map(_signed, row))} |" for model, row in zip(models, rows, strict=True))
        yield f"| **mean** | {' | '.join(map(_signed, np.nanmean(rows, axis=0)))} |"
    some = len(next(iter(again.values())))
    for preset, found in again.items():
        yield f"\n## Left out: {preset}, {some} draws more, mean and (root mean square)\n\n{head}"
        mean, off = found.mean(0), np.sqrt((found**2).mean(0))
        for model, *row in zip(models, mean, off, strict=True):
            yield f"| {model} | {' | '.join(map(_with_spread, *row))} |"
        overall = np.nanmean(mean, axis=0), np.sqrt(np.nanmean(off**2, axis=0))
        yield f"| **mean** | {' | '.join(map(_with_spread, *overall))} |"
    yield ""


def _with_spread(mean: float, off: float) -> str:
    return _signed(mean) if math.isnan(mean) else f"{_signed(mean)} ({f'{off:.3f}'.removeprefix('0')})"


def _signed(x: float) -> str:
    return "–" if math.isnan(x) else f"{x:+.3f}".replace("0.", ".", 1)


if __name__ == "__main__":
    main()
