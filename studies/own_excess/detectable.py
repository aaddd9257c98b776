"""Does a run find what it says that one of its size would have found? Panels in which all know some of their own part.

    python studies/own_excess/detectable.py --panels 100      # goes on where it stopped; detectable.csv

`score` names the least own excess that 80% of runs like the one at hand would find above 0, in the test of one
factor. Of each cell (six models; a world, a kind, a number of items) are kept: the true own excess, what was named, on
average; and how many panels were above 0 in it, and how many were called `own`.
"""

import argparse
import csv
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from simulate import panel_of
from worlds import draw_with_truth

from selfexec.metrics.own_excess import judge_own_excess

OUT = Path(__file__).with_name("detectable.csv")
MODELS = 6  # the fewest, so that runs are not too good for the least share that anybody knows
ITEMS = {"binary": (65, 75, 85, 100, 150, 450), "order": (80, 125, 250)}
CELLS = [(world, kind, items) for kind in ITEMS for world in ("all know .25", "all know .5") for items in ITEMS[kind]]
FIRST = 10_000  # seeds that no other study has
COLUMNS = ["world", "kind", "items", "panels", "true", "detectable", "above", "own"]


def tried(world: str, kind: str, items: int, panels: int) -> list[float]:
    """Of so many panels that are large enough: true own excess and what was named, on average; how many were above 0,
    and `own`.
    """
    rows = []
    for seed in range(FIRST, FIRST + panels):
        found = judge_own_excess(panel_of(world, MODELS, items, kind, seed))
        if found.fits:
            design = draw_with_truth(world, models=MODELS, items=items, kind=kind, seed=seed)[1].design  # type: ignore[arg-type]
            above = found.overall.tested.low > 0
            true = float((design.known * design.own**2).mean())
            rows.append([1.0, true, found.detectable, float(above), float(found.overall.verdict == "own")])
    total = np.sum(rows, axis=0)
    return [int(total[0]), *np.round(total[1:3] / total[0], 3).tolist(), int(total[3]), int(total[4])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=100)
    panels = parser.parse_args().panels
    known = [*csv.reader(OUT.open(encoding="utf-8", newline=""))] if OUT.exists() else [COLUMNS]
    done = {tuple(row[:3]) for row in known}
    with OUT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows(known)
        for world, kind, items in CELLS:
            if (world, kind, str(items)) not in done:
                writer.writerow([world, kind, items, *tried(world, kind, items, panels)])
                file.flush()
                print(f"{world}, {kind}, {items} items", file=sys.stderr)


if __name__ == "__main__":
    main()
