"""How often is a verdict wrong, and how often is one found? Panels of worlds whose truth is known, judged.

    python studies/own_excess/simulate.py --panels 500        # goes on where it stopped; results.jsonl
    python studies/own_excess/simulate.py --table             # results.md from what is there

A line of results.jsonl is a part: 25 panels of one world, size and kind. The worlds (worlds.py) were written by
somebody who had not seen the estimator, and do not change.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process for each core is faster than threads in one

import numpy as np
from worlds import WORLDS, draw

from selfexec.metrics.own.panel import Panel, enough
from selfexec.metrics.own.verdict import above, own_excess

HERE = Path(__file__).parent
RESULTS = HERE / "results.jsonl"
PART = 25  # panels
SIZES = {"binary": (100, 450), "order": (64, 250)}  # items of a quick run, and of the paper's
MODELS = (6, 10, 15)


def panel_of(world: str, models: int, items: int, kind: str, seed: int) -> Panel:
    drawn = draw(world, models=models, items=items, kind=kind, seed=seed)  # type: ignore[arg-type]
    words, deeds = (np.where(np.isnan(part), 0, 2 * part - 1).astype(np.int8) for part in (drawn.words, drawn.deeds))
    families = drawn.families or (None,) * models
    return enough(Panel(tuple(map(str, range(models))), words, deeds, drawn.item, tuple(families)))


def judged(world: str, models: int, items: int, kind: str, seed: int) -> dict[str, int]:
    """What is said of one panel, beside what the plain estimator, the interval of one factor, would have said."""
    panel = panel_of(world, models, items, kind, seed)
    found = own_excess(panel)
    if found.evidence is None:
        return {"too small": 1}
    knows, allowed = WORLDS[world].knowers(models), WORLDS[world].allowed(models)
    plain = found.evidence.fits[1]
    said = {int(model): one.verdict for model, one in found.each.items()}
    alone = [int(panel.models[n]) for n in np.flatnonzero(above(plain.each))]
    return {
        "own": int(found.panel.verdict == "own"),
        "shared": int(found.panel.verdict != "not shown"),
        "plain": int(plain.panel.low > 0),
        "covered": int(plain.panel.low <= 0 <= plain.panel.high),
        "one wrong": int(any(said[n] == "own" != allowed[n] for n in said)),
        "one plain wrong": int(any(allowed[n] != "own" for n in alone)),
        "found": sum(said[n] == "own" and knows[n] for n in said),
        "found shared": sum(said[n] != "not shown" and knows[n] for n in said),
        "knowers": sum(knows[n] for n in said),
        "left out": len(panel.left_out),
    }


Cell = tuple[str, int, int, str]


def cells(worlds: Sequence[str], models: Sequence[int]) -> list[Cell]:
    return [(w, k, n, kind) for kind, sizes in SIZES.items() for w, k, n in product(worlds, models, sizes)]


def part(cell: Cell, number: int) -> dict[str, Any]:
    sums: dict[str, int] = {}
    for seed in range(number * PART, (number + 1) * PART):
        for name, count in judged(*cell, seed).items():
            sums[name] = sums.get(name, 0) + count
    world, models, items, kind = cell
    return {"world": world, "models": models, "items": items, "kind": kind, "part": number, "panels": PART, **sums}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=500)
    parser.add_argument("--worlds", nargs="*", default=[*WORLDS])
    parser.add_argument("--models", nargs="*", type=int, default=[*MODELS])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    done = {tuple(line[name] for name in ("world", "models", "items", "kind", "part")) for line in lines(given.out)}
    parts = [
        (cell, number)
        for number in range(given.panels // PART)
        for cell in cells(given.worlds, given.models)
        if (*cell, number) not in done
    ]
    with ProcessPoolExecutor(given.jobs) as pool, given.out.open("a") as file:
        for count, found in enumerate(pool.map(part, *zip(*parts, strict=True)) if parts else (), 1):
            file.write(json.dumps(found) + "\n")
            file.flush()
            print(f"{count} of {len(parts)} parts", end="\r", file=sys.stderr)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    main()
