"""Runs a verdict over simulated panels and keeps the counts: how often it is wrong in nulls, and right in true worlds.

    python simulate.py --judge package.module:function --out counts.csv --worlds nulls --sizes quick --panels 500
    python simulate.py --judge package.module:function --out counts.csv --table

The judge takes a `nulls.Panel` and returns a verdict (a string) or None. Counts are appended batch by batch, and a
batch that is in the file already is not run again, so the same command resumes where it stopped; all cells get their
first batch before any gets its second. Rows name the judge's label and the digest of `nulls.py`: rows of another
label or of other worlds are neither counted nor lost. A judge whose code changed needs another `--label`.

Panels of a cell have the seeds 0, 1, 2, ...; a judge that fails stops the run and names the panel.
"""

from __future__ import annotations

import argparse
import csv
import fcntl
import hashlib
import importlib
import itertools
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two processes on two cores; must be set before numpy is loaded
sys.path.insert(0, str(Path(__file__).parent))

import nulls

Judge = Callable[[nulls.Panel], str | None]

SHAPES: dict[str, tuple[nulls.Kind, int]] = {
    "association": ("binary", 4),
    "restriction": ("binary", 1),
    "order": ("order", 4),
}
QUICK_ITEMS = 60
PAPER_ITEMS = {"association": 488, "restriction": 450, "order": 250}
COLUMNS = ("label", "worlds", "world", "shape", "models", "items", "first_seed", "panels", "verdicts", "seconds")
BOUND = 0.07  # upper limit that a false rate may have at most
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Cell:
    """All panels that differ by seed only."""

    world: str
    shape: str
    models: int
    items: int


@dataclass(frozen=True)
class Batch:
    """Consecutive seeds of a cell."""

    cell: Cell
    first_seed: int
    panels: int


# ---------------------------------------------------------------------------------------------------------------------
# Work
# ---------------------------------------------------------------------------------------------------------------------

_judge: Judge | None = None


def load_judge(name: str, folders: Iterable[str] = ()) -> Judge:
    """The function named "module:function"; modules are looked up in the working directory and in `folders`, too."""
    module, _, function = name.partition(":")
    if not function:
        raise ValueError(f"--judge is {name!r}: write module:function.")
    sys.path[:0] = [*folders, str(Path.cwd())]
    judge: Judge = getattr(importlib.import_module(module), function)
    return judge


def _start_worker(name: str, folders: tuple[str, ...]) -> None:
    global _judge
    _judge = load_judge(name, folders)


def judged(batch: Batch, judge: Judge | None = None) -> tuple[Batch, Counter[str], float]:
    """Verdicts of a batch, counted, and the seconds it took. A verdict of None is counted as "none"."""
    judge = judge or _judge
    assert judge is not None
    kind, claims = SHAPES[batch.cell.shape]
    began = time.perf_counter()
    verdicts: Counter[str] = Counter()
    for seed in range(batch.first_seed, batch.first_seed + batch.panels):
        call = f"draw({batch.cell.world!r}, models={batch.cell.models}, items={batch.cell.items}, kind={kind!r}, "
        call += f"seed={seed}, claims={claims})"
        panel = nulls.draw(
            batch.cell.world, models=batch.cell.models, items=batch.cell.items, kind=kind, seed=seed, claims=claims
        )
        try:
            verdict = judge(panel)
        except Exception as error:
            raise RuntimeError(f"the judge failed on nulls.{call}: {error!r}. Repair it and run again.") from error
        verdicts["none" if verdict is None else str(verdict)] += 1
    return batch, verdicts, time.perf_counter() - began


def cells(worlds: Iterable[str], shapes: Iterable[str], models: Iterable[int], sizes: Iterable[str]) -> Iterator[Cell]:
    """All combinations that mean anything, in the order given."""
    for world, shape, count, size in itertools.product(worlds, shapes, models, sizes):
        kind, claims = SHAPES[shape]
        if nulls.supports(world, kind=kind, claims=claims):
            items = {"quick": QUICK_ITEMS, "paper": PAPER_ITEMS[shape]}.get(size) or int(size)
            yield Cell(world, shape, count, items)


def batches_to_do(wanted: Iterable[Cell], done: dict[Cell, set[int]], *, panels: int, size: int) -> list[Batch]:
    """Seeds that are missing, in runs of at most `size`, the first batches of all cells first."""
    batches = []
    for cell in wanted:
        missing = [seed for seed in range(panels) if seed not in done.get(cell, set())]
        while missing:
            run = 1
            while run < min(size, len(missing)) and missing[run] == missing[0] + run:
                run += 1
            batches.append(Batch(cell, missing[0], run))
            missing = missing[run:]
    return sorted(batches, key=lambda batch: batch.first_seed)


def run_batches(
    batches: list[Batch], *, judge: str, folders: tuple[str, ...], processes: int, stop_at: float
) -> Iterator[tuple[Batch, Counter[str], float]]:
    """Results as they come; few batches are under way at any time, so that stopping loses little."""
    if processes == 1:
        function = load_judge(judge, folders)
        for batch in batches:
            if time.monotonic() > stop_at:
                return
            yield judged(batch, function)
        return
    waiting = iter(batches)
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_start_worker, initargs=(judge, folders)) as pool:
        running: set[Future[tuple[Batch, Counter[str], float]]] = set()
        running |= {pool.submit(judged, batch) for batch in itertools.islice(waiting, processes + 1)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                if time.monotonic() < stop_at:
                    running |= {pool.submit(judged, batch) for batch in itertools.islice(waiting, 1)}
                yield future.result()


# ---------------------------------------------------------------------------------------------------------------------
# The file of counts
# ---------------------------------------------------------------------------------------------------------------------


def digest_of_worlds() -> str:
    return hashlib.sha256(Path(nulls.__file__).read_bytes()).hexdigest()[:12]


def cut_unfinished_row(path: Path) -> None:
    """Drop a last row that was being written when the run was killed: its batch is run again."""
    if path.exists():
        content = path.read_bytes()
        if content and not content.endswith(b"\n"):
            os.truncate(path, content.rfind(b"\n") + 1)


def stored(path: Path, label: str) -> tuple[dict[Cell, set[int]], dict[Cell, Counter[str]]]:
    """Seeds that were judged under the label in these worlds, and their verdicts, by cell."""
    seeds: dict[Cell, set[int]] = {}
    verdicts: dict[Cell, Counter[str]] = {}
    if not path.exists():
        return seeds, verdicts
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            if (row["label"], row["worlds"]) != (label, digest_of_worlds()):
                continue
            cell = Cell(row["world"], row["shape"], int(row["models"]), int(row["items"]))
            first, count = int(row["first_seed"]), int(row["panels"])
            seeds.setdefault(cell, set()).update(range(first, first + count))
            verdicts.setdefault(cell, Counter()).update(json.loads(row["verdicts"]))
    return seeds, verdicts


def as_row(label: str, batch: Batch, verdicts: Counter[str], seconds: float) -> tuple[str | int, ...]:
    counts = json.dumps(verdicts, sort_keys=True)
    cell = batch.cell
    identity = (label, digest_of_worlds(), cell.world, cell.shape, cell.models, cell.items)
    return (*identity, batch.first_seed, batch.panels, counts, f"{seconds:.2f}")


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's interval of a proportion (1927), 95%, two-sided."""
    share, squared = successes / trials, NORMAL_95**2
    centre = (share + squared / (2 * trials)) / (1 + squared / trials)
    half = NORMAL_95 * math.sqrt(share * (1 - share) / trials + squared / (4 * trials**2)) / (1 + squared / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def table(verdicts: dict[Cell, Counter[str]], *, wrong: str) -> str:
    """One line a cell: shares of verdicts, and the 95% limits of the share of `wrong`.

    A null whose upper limit is above the bound is marked: `!` where the share itself is above it, `?` where more
    panels could still bring the limit down.
    """
    names = sorted(set().union(*verdicts.values()) - {wrong})
    listed = {world: index for index, world in enumerate([*nulls.NULLS, *nulls.TRUE, *nulls.LIMITS])}
    heads = "".join(f" {name[:12]:>12}" for name in names)
    lines = [
        f"{'world':34} {'shape':12} {'K':>3} {'items':>5} {'panels':>6} {wrong:>8} {'low':>6} {'high':>6}  {heads}"
    ]
    for cell in sorted(verdicts, key=lambda cell: (listed[cell.world], cell.shape, cell.models, cell.items)):
        counts = verdicts[cell]
        panels = counts.total()
        low, high = wilson(counts[wrong], panels)
        mark = " "
        if cell.world in nulls.NULLS and high > BOUND:
            mark = "!" if counts[wrong] / panels > BOUND else "?"
        shares = "".join(f" {counts[name] / panels:12.3f}" for name in names)
        lines.append(
            f"{cell.world:34} {cell.shape:12} {cell.models:3d} {cell.items:5d} {panels:6d} "
            f"{counts[wrong] / panels:8.3f} {low:6.3f} {high:6.3f} {mark}{shares}"
        )
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------------------------------
# Command line
# ---------------------------------------------------------------------------------------------------------------------


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", required=True, help="module:function that takes a panel and returns a verdict")
    parser.add_argument("--path", nargs="*", default=[], help="further folders in which to look for the module")
    parser.add_argument("--label", help="name of the judge in the file (default: --judge)")
    parser.add_argument("--out", type=Path, default=Path("verdicts.csv"), help="file of counts (default verdicts.csv)")
    parser.add_argument("--worlds", nargs="+", default=["nulls", "true"], help="nulls, true, limits, or names")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--models", nargs="+", type=int, default=[8, 10, 15])
    parser.add_argument("--sizes", nargs="+", default=["quick", "paper"], help="quick, paper, or numbers of items")
    parser.add_argument("--panels", type=int, default=500, help="panels a cell (default 500)")
    parser.add_argument("--batch", type=int, default=20, help="panels a row of the file (default 20)")
    parser.add_argument("--processes", type=int, default=2, choices=[1, 2])
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no batch after so many minutes")
    parser.add_argument("--verdict", default="own", help="verdict whose share has limits (default own)")
    parser.add_argument("--table", action="store_true", help="print the table and run nothing")
    return parser.parse_args(arguments)


def named_worlds(names: Iterable[str]) -> list[str]:
    groups = {"nulls": nulls.NULLS, "true": nulls.TRUE, "limits": nulls.LIMITS}
    known = [*nulls.NULLS, *nulls.TRUE, *nulls.LIMITS]
    worlds = list(itertools.chain.from_iterable(groups.get(name, [name]) for name in names))
    unknown = [world for world in worlds if world not in known]
    if unknown:
        lines = "\n  ".join(known)  # names contain commas
        raise SystemExit(f"there is no world {unknown[0]!r}. Choose nulls, true, limits or some of:\n  {lines}")
    return worlds


def run(options: argparse.Namespace, label: str, wanted: list[Cell]) -> None:
    with options.out.open("a", newline="") as lines:
        try:
            fcntl.flock(lines, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{options.out} is in use by another run. Wait for it or name another --out.") from None
        cut_unfinished_row(options.out)
        done, _ = stored(options.out, label)
        batches = batches_to_do(wanted, done, panels=options.panels, size=options.batch)
        writer = csv.writer(lines, lineterminator="\n")
        if not options.out.stat().st_size:
            writer.writerow(COLUMNS)
        began = time.monotonic()
        results = run_batches(
            batches,
            judge=options.judge,
            folders=tuple(options.path),
            processes=options.processes,
            stop_at=began + 60 * options.minutes,
        )
        for number, (batch, verdicts, seconds) in enumerate(results, 1):
            writer.writerow(as_row(label, batch, verdicts, seconds))
            lines.flush()
            left = (time.monotonic() - began) / number * (len(batches) - number) / 60
            print(f"{number}/{len(batches)} batches, {left:.0f} min left: {batch.cell}", file=sys.stderr, flush=True)


def main() -> None:
    options = parsed()
    label = options.label or options.judge
    wanted = list(cells(named_worlds(options.worlds), options.shapes, options.models, options.sizes))
    if not options.table:
        run(options, label, wanted)
    _, verdicts = stored(options.out, label)
    chosen = {cell: counts for cell, counts in verdicts.items() if cell in set(wanted)}
    print(table(chosen, wrong=options.verdict) if chosen else "no panel has been judged yet")


if __name__ == "__main__":
    main()
