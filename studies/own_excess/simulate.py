"""How often is a verdict wrong, and how often is one found? Panels of worlds whose truth is known, judged.

    python studies/own_excess/simulate.py --panels 500      # goes on where it stopped, 25 panels of a cell at a time
    python studies/own_excess/simulate.py --panels 0        # results.md again, from results.csv

A row of results.csv is a cell: the panels of one world, kind, size and number of models, and how many of them came out
how. The worlds (worlds.py) were written by somebody who had not seen the estimator, and do not change.
"""

import argparse
import csv
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process for each core is faster than threads in one

import numpy as np
from worlds import FIRST, KNOWING, NULLS, WORLDS, draw

from selfexec.metrics.own_excess.compared import ComparedModels, enough
from selfexec.metrics.own_excess.verdict import judge_own_excess

HERE = Path(__file__).parent
RESULTS = HERE / "results.csv"
PART = 25  # panels
LEAST = 20  # panels, for a share to be told
SAID = (
    "own",
    "shared",
    "plain",
    "covered",
    "one wrong",
    "one unresolved",
    "one plain wrong",
    "found",
    "found shared",
    "knowers",
)
COUNTS = ("panels", "too small", "left out", *SAID)
SIZES = {"binary": (100, 450), "order": (64, 250)}  # items of a quick run, and of the paper's
MODELS = (6, 10, 15)


def panel_of(world: str, models: int, items: int, kind: str, seed: int) -> ComparedModels:
    drawn = draw(world, models=models, items=items, kind=kind, seed=seed)  # type: ignore[arg-type]
    predictions, outcomes = (
        np.where(np.isnan(part), 0, 2 * part - 1).astype(np.int8) for part in (drawn.predictions, drawn.outcomes)
    )
    families = drawn.families or (None,) * models
    place = np.tile(np.arange(len(FIRST)), items) if kind == "order" else None
    names = tuple(map(str, range(models)))
    return enough(ComparedModels(names, predictions, outcomes, drawn.item, tuple(families), position=place))


def judged(world: str, models: int, items: int, kind: str, seed: int) -> dict[str, int]:
    """What is said of one panel, beside what the plain estimator, the interval of one factor, would have said."""
    panel = panel_of(world, models, items, kind, seed)
    found = judge_own_excess(panel)
    if found.evidence is None:
        return {"too small": 1}
    knows, allowed = WORLDS[world].knowers(models), WORLDS[world].allowed(models)
    plain = found.evidence.fits[1]
    said = {int(model): one.verdict for model, one in found.each.items()}
    alone = [int(model) for model, one in found.each.items() if one.tested.low > 0]
    return {
        "own": int(found.overall.verdict == "own"),
        "shared": int(found.overall.verdict != "not shown"),
        "plain": int(plain.mean.low > 0),
        "covered": int(plain.mean.low <= 0 <= plain.mean.high),
        "one wrong": int(any(said[n] == "own" != allowed[n] for n in said)),
        "one unresolved": int(any(said[n] == "unresolved" and allowed[n] == "not shown" for n in said)),
        "one plain wrong": int(any(allowed[n] != "own" for n in alone)),
        "found": sum(said[n] == "own" and knows[n] for n in said),
        "found shared": sum(said[n] != "not shown" and knows[n] for n in said),
        "knowers": sum(knows[n] for n in said),
        "left out": len(panel.left_out),
    }


Cell = tuple[str, int, int, str]


def cells(worlds: Sequence[str], models: Sequence[int]) -> list[Cell]:
    return [(w, k, n, kind) for kind, sizes in SIZES.items() for w, k, n in product(worlds, models, sizes)]


def part(cell: Cell, first: int) -> dict[str, int]:
    """How the next panels of a cell came out; their seeds go on from `first`."""
    sums = dict.fromkeys(COUNTS, 0) | {"panels": PART}
    for seed in range(first, first + PART):
        for name, count in judged(*cell, seed).items():
            sums[name] += count
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=500)
    parser.add_argument("--worlds", nargs="*", default=[*WORLDS])
    parser.add_argument("--models", nargs="*", type=int, default=[*MODELS])
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    found = read()
    for so_many in range(PART, given.panels + 1, PART):
        left = [cell for cell in cells(given.worlds, given.models) if found.get(cell, {}).get("panels", 0) < so_many]
        with ProcessPoolExecutor(given.jobs) as pool:
            firsts = [found.get(cell, {}).get("panels", 0) for cell in left]
            for cell, sums in zip(left, pool.map(part, left, firsts), strict=True):
                known = found.get(cell, {})
                found[cell] = {name: known.get(name, 0) + count for name, count in sums.items()}
                write(found)
        print(f"{so_many} panels of each cell", file=sys.stderr)
    (HERE / "results.md").write_text(page(found), "utf-8")


# --- what is kept ----------------------------------------------------------------------------------------------------


def read() -> dict[Cell, dict[str, int]]:
    if not RESULTS.exists():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {
            (row["world"], int(row["models"]), int(row["items"]), row["kind"]): {
                name: int(row[name]) for name in COUNTS
            }
            for row in csv.DictReader(file)
        }


def write(found: Mapping[Cell, Mapping[str, int]]) -> None:
    """Whole or not at all: whoever is cut off goes on from what was there."""
    order = {cell: n for n, cell in enumerate(cells([*WORLDS], MODELS))}
    fresh = RESULTS.with_suffix(".new")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["world", "models", "items", "kind", *COUNTS])
        for cell in sorted(found, key=lambda cell: order.get(cell, len(order))):
            writer.writerow([*cell, *(found[cell].get(name, 0) for name in COUNTS)])
    os.replace(fresh, RESULTS)


# --- as people read it -----------------------------------------------------------------------------------------------


def page(found: Mapping[Cell, Mapping[str, int]]) -> str:
    least = min((counts["panels"] for counts in found.values()), default=0)
    most = max((counts["panels"] for counts in found.values()), default=0)
    parts = [
        "# What is said of panels whose truth is known\n",
        f"Made by `simulate.py` from results.csv; {least} to {most} panels a cell. Columns: models, and items of a "
        "quick run or of the paper's size. An empty cell was not tried; a dash: fewer than 20 panels had enough to go "
        "by.\n",
    ]
    for kind in SIZES:
        for title, worlds, names in TABLES:
            parts += [f"## {title}: {kind}\n", table(found, kind, worlds, names)]
    return "\n".join(parts)


def table(found: Mapping[Cell, Mapping[str, int]], kind: str, worlds: Sequence[str], names: Sequence[str]) -> str:
    sizes = [*product(MODELS, SIZES[kind])]
    head = ["world", *(f"{models} × {items}" for models, items in sizes)]
    rows = [[world, *(_told(found.get((world, *size, kind)), names) for size in sizes)] for world in worlds]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def _told(counts: Mapping[str, int] | None, names: Sequence[str]) -> str:
    if counts is None:
        return ""
    judged = counts["panels"] - counts["too small"]
    if judged < LEAST:
        return "–"
    if names[0].startswith("found") and not counts["knowers"]:
        return "–"
    shares = (counts[name] / (counts["knowers"] if name.startswith("found") else judged) for name in names)
    return " / ".join(f"{share:.2f}".lstrip("0") if share < 1 else "1" for share in shares)


TABLES = (
    ("Nobody knows itself: the panel called `own` / the plain interval above 0", [*NULLS], ("own", "plain")),
    ("Nobody knows itself: called `unresolved` or more", [*NULLS], ("shared",)),
    (
        "Nobody knows itself: a model called `own` / `unresolved` where it may not be / above 0 by Holm",
        [*NULLS],
        ("one wrong", "one unresolved", "one plain wrong"),
    ),
    ("Nobody knows itself: the plain interval holds 0", [*NULLS], ("covered",)),
    ("Somebody knows itself: the panel called `own` / the plain interval above 0", [*KNOWING], ("own", "plain")),
    ("Somebody knows itself: knowers called `own` / or unresolved", [*KNOWING], ("found", "found shared")),
    ("Somebody knows itself: another model called `own`", [*KNOWING], ("one wrong",)),
)


if __name__ == "__main__":
    main()
