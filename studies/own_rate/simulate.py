"""Are the numbers at a model's own rate of yes right? Models whose truth is known, scored by the package.

    python studies/own_rate/simulate.py                # 500 runs a cell; goes on where it stopped
    python studies/own_rate/simulate.py --runs 0       # results.md again, from results.csv
    python studies/own_rate/simulate.py --bootstrap    # one cell by percentiles of 1,000 draws of items
    python studies/own_rate/simulate.py --differing    # differing.csv: on how many claims model and baseline differ

A row of results.csv is a cell: one world, size and model at one rate of yes. Each cell has seeds of its own.
"""

import argparse
import csv
import math
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process for each core is faster than threads in one

import numpy as np
from worlds import SIZES, WORLDS, Array, Subject, World, baseline_skills, ceiling, drawn, half, knowledge_for, skill

from selfexec.claims import NO_ANSWERS
from selfexec.metrics import Bootstrap, compare_with_baseline, score_experiment, with_bootstrap
from selfexec.metrics.baselines import stacked
from selfexec.metrics.kinds.rates import rate_bias_estimate
from selfexec.metrics.margin_at_own_rate import at_the_ceiling, probabilities_at_rate
from selfexec.metrics.rows import RowMaker

HERE = Path(__file__).parent
RESULTS, BASELINES, DIFFERING = (HERE / f"{name}.csv" for name in ("results", "baselines", "differing"))
RUNS, SEED = 500, 1
RUNS_DIFFERING = 100
PANELS, ELSEWHERE = 400, 4000  # the baseline's true skill: so many panels, each on so many other items
RATES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
METRICS = ("rate_bias", "margin_at_own_rate", "ceiling_at_own_rate", "share_of_ceiling", "baseline_share_of_ceiling")
MARGIN = METRICS.index("margin_at_own_rate")
AT_BASE = math.nan  # a rate of yes that is the base rate
MODELS: Mapping[str, Sequence[float]] = {  # the rates at which each is tried
    "as good as the baseline": (*RATES, AT_BASE),
    "coin": (0.5, 0.6, 0.7, 0.8, 0.9),
    "half of it": (0.5, 0.6, 0.7),
    "perfect": (0.8,),
    "coin at the base rate": (AT_BASE,),
    "always yes": (1.0,),
}
LIMITS, LIMITS_OF_MARGIN = (0.92, 0.99), (0.92, 0.98)
VERDICTS = ("cannot be told", "behind", "too close to call", "ahead")


class Cell(NamedTuple):
    world: str
    items: int
    model: str
    rate: float


@dataclass(frozen=True)
class Truth:
    """A subject, and what is true of it in its world, in the order of METRICS."""

    subject: Subject
    values: Sequence[float]

    @property
    def cannot_be_told(self) -> bool:
        return at_the_ceiling(*self.values[2:])


def cells() -> list[Cell]:
    return [
        Cell(world, items, model, WORLDS[world].base if math.isnan(rate) else rate)
        for world in WORLDS
        for items in SIZES[WORLDS[world].experiment]
        for model, rates in MODELS.items()
        for rate in rates
    ]


def truth(cell: Cell, baseline: float) -> Truth:
    """The `baseline` has this skill at this rate."""
    base = WORLDS[cell.world].base
    subject = Subject(cell.rate, _knowledge(cell, baseline))
    own, highest = (skill(subject, base) if cell.rate < 1 else 0.0), ceiling(cell.rate, base)
    shares = (own / highest, baseline / highest) if highest else (math.nan, math.nan)
    return Truth(subject, (cell.rate - base, own - baseline, highest, *shares))


def _knowledge(cell: Cell, baseline: float) -> float:
    base = WORLDS[cell.world].base
    if cell.model == "as good as the baseline":
        return knowledge_for(baseline, cell.rate, base)
    if cell.model == "half of it":
        return half(knowledge_for(baseline, cell.rate, base), base)
    return 10.0 if cell.model == "perfect" else 0.0


# --- a cell ----------------------------------------------------------------------------------------------------------


def one_run(world: World, subject: Subject, items: int, seed: list[int]) -> tuple[Array, bool]:
    """What the package makes of one draw: value, low and high of each of METRICS; and whether it cannot be told."""
    claims, others = drawn(world, subject, items, seed)
    comparison = compare_with_baseline(claims, others, strict=False)
    found = comparison.margin_at_own_rate
    assert found is not None
    bias = rate_bias_estimate(comparison.own.counts)
    estimates = (bias, found.margin, found.ceiling, found.share, found.baseline_share)
    return np.array([(e.value, *e.interval) for e in estimates]), found.cannot_be_told


def one_bootstrap(world: World, subject: Subject, items: int, seed: list[int]) -> tuple[Array, bool]:
    """The same by `--bootstrap`."""
    claims, others = drawn(world, subject, items, seed)
    asked = RowMaker("m0", world.experiment, "readable", items, len(claims), 0, 0)
    scored = score_experiment(asked, claims, NO_ANSWERS, others, others, False)
    drawn_anew = Bootstrap(1000, seed[1])
    rows = with_bootstrap(scored.rows, {"m0": {world.experiment: scored}}, {}, drawn_anew)
    ends = {row.metric: (row.value, row.low, row.high) for row in rows if row.metric in METRICS}
    assert scored.comparison.margin_at_own_rate is not None
    found = np.array([ends[metric] for metric in METRICS], dtype=float)
    return found, scored.comparison.margin_at_own_rate.cannot_be_told


def measured(cell: Cell, real: Truth, runs: int, bootstrap: bool = False) -> dict[str, Any]:
    world, once = WORLDS[cell.world], one_bootstrap if bootstrap else one_run
    found = [once(world, real.subject, cell.items, seed) for seed in _seeds(cell, runs)]
    values, lows, highs = np.moveaxis(np.array([each for each, _ in found]), -1, 0)
    cannot = np.array([cannot for _, cannot in found])
    row: dict[str, Any] = {**cell._asdict(), "seed": SEED, "runs": runs}
    row |= {f"true_{metric}": value for metric, value in zip(METRICS, real.values, strict=True)}
    row["bias"], row["spread"] = values[:, MARGIN].mean() - real.values[MARGIN], values[:, MARGIN].std()
    row["width"] = (highs - lows)[:, MARGIN].mean()
    for n, metric in enumerate(METRICS):
        known = ~np.isnan(lows[:, n])
        above, below = (lows[:, n] > real.values[n] + 1e-9)[known], (highs[:, n] < real.values[n] - 1e-9)[known]
        row[f"intervals_{metric}"] = known.mean()
        row[f"covered_{metric}"] = 1 - (above | below).mean() if known.any() else math.nan
        row[f"above_{metric}"] = above.mean() if known.any() else math.nan
    behind, ahead = highs[:, MARGIN] < 0, lows[:, MARGIN] > 0
    for verdict, these in zip(VERDICTS, (cannot, behind, ~behind & ~ahead, ahead), strict=True):
        row[verdict] = (these & (~cannot | (verdict == VERDICTS[0]))).mean()
    row["rate_bias_not_0"] = ((lows[:, 0] > 0) | (highs[:, 0] < 0)).mean()
    return row


def fewest_differing(cell: Cell, real: Truth, runs: int) -> dict[str, Any]:
    """On how many claims the model and the baseline at its rate differ: among those that came true or among the others,
    whichever are fewer; the median over runs. At equal rates a hit more is a false alarm fewer, so that the margin
    rests on these claims alone.
    """
    found = []
    for seed in _seeds(cell, runs):
        claims, others = drawn(WORLDS[cell.world], real.subject, cell.items, seed)
        says, did = claims.predicted > 0, claims.observed > 0
        differ = np.abs(says - probabilities_at_rate(stacked(others).logits(claims), float(says.mean()))) > 0.5
        found.append(min(differ[did].sum(), differ[~did].sum()))
    return {**cell._asdict(), "runs": runs, "fewest_differing": float(np.median(found))}


def _seeds(cell: Cell, runs: int) -> list[list[int]]:
    name = [*cell.world.encode(), *cell.model.encode(), round(100 * cell.rate), cell.items]
    return [[SEED, run, *name] for run in range(runs)]


# --- all of them -----------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bootstrap", action="store_true")
    parser.add_argument("--differing", action="store_true")
    given = parser.parse_args()
    baselines = _baselines()
    if given.bootstrap:
        cell = Cell("association", 200, "as good as the baseline", 0.6)
        row = measured(cell, truth(cell, baselines[cell.world, cell.items, cell.rate]), given.runs, bootstrap=True)
        _write(HERE / "bootstrap.csv", [row])
        return
    if given.differing:
        truths = [truth(cell, baselines[cell.world, cell.items, cell.rate]) for cell in cells()]
        with ProcessPoolExecutor(given.jobs) as pool:
            _write(DIFFERING, pool.map(fewest_differing, cells(), truths, [RUNS_DIFFERING] * len(truths)))
        return
    found = {_key(row): row for row in _read(RESULTS)}
    left = [cell for cell in cells() if float(found.get(_key(cell._asdict()), {"runs": 0})["runs"]) < given.runs]
    truths = [truth(cell, baselines[cell.world, cell.items, cell.rate]) for cell in left]
    with ProcessPoolExecutor(given.jobs) as pool:
        for row in pool.map(measured, left, truths, [given.runs] * len(left)):
            found[_key(row)] = _rounded(row)
            _write(RESULTS, found.values())
            print(*_key(row), file=sys.stderr)
    (HERE / "results.md").write_text(page(found), "utf-8")


def _baselines() -> Mapping[tuple[str, int, float], float]:
    """The true skill of the baseline by world, number of items and rate; worked out once."""
    if not BASELINES.exists():
        rows = []
        for name, world in WORLDS.items():
            rates = np.array(sorted({*RATES, world.base}))
            for items in SIZES[world.experiment]:
                skills, errors = baseline_skills(world, items, rates, PANELS, ELSEWHERE, SEED)
                for rate, value, error in zip(rates, skills, errors, strict=True):
                    rows.append({"world": name, "items": items, "rate": rate, "skill": value, "error": error})
        _write(BASELINES, rows)
    known = {(row["world"], int(row["items"]), float(row["rate"])): float(row["skill"]) for row in _read(BASELINES)}
    return known | {(world, items, 1.0): 0.0 for world, items, _ in known}


def _key(row: Mapping[str, Any]) -> tuple[str, int, str, float]:
    return row["world"], int(row["items"]), row["model"], float(row["rate"])


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    exact = ("rate",)  # by which cells are found again
    return {
        name: f"{value:.4f}" if isinstance(value, float) and name not in exact else value for name, value in row.items()
    }


def _read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Any) -> None:
    """Whole or not at all: a run that is cut off goes on from what was there."""
    rows = [_rounded(row) for row in rows]
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(fresh, path)


# --- as people read it -----------------------------------------------------------------------------------------------

HEAD = (
    "model",
    "rate",
    "true margin",
    "ceiling",
    "shares",
    "bias",
    "differ on",
    "margin",
    "above / below",
    "rate bias",
    "ceiling",
    "share",
    "baseline's share",
    "cannot be told / behind / close / ahead",
    "rate bias not 0",
)


def page(found: Mapping[Any, Mapping[str, Any]]) -> str:
    differing = {_key(row): f"{float(row['fewest_differing']):g}" for row in _read(DIFFERING)}
    parts = [
        "# Intervals and verdicts at a model's own rate of yes\n",
        "Made by `simulate.py` from results.csv. `shares` of the ceiling are true ones, model's and baseline's; `bias` "
        "is the margin's; `differ on`, from differing.csv, is on how many claims model and baseline differ, among "
        "those that came true or among the others, whichever are fewer (median). From there on, columns are shares of "
        "runs. First those whose interval holds the truth: "
        "nominal .95; bold outside .92 to .99, for the margin outside .92 to .98. Then those whose interval "
        "of the margin lies above the truth or below; what is said of which ones; whether rate bias is surely not 0.\n",
    ]
    for world in WORLDS:
        for items in SIZES[WORLDS[world].experiment]:
            rows = [found[_key(c._asdict())] for c in cells() if c[:2] == (world, items) and _key(c._asdict()) in found]
            shown = [_shown(row, differing.get(_key(row), "–")) for row in rows]
            parts += [f"## {world[0].upper()}{world[1:]}, {items} items\n", _table(shown)]
    return "\n".join(parts)


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [HEAD, ["---"] * len(HEAD), *rows]) + "\n"


def _shown(row: Mapping[str, Any], differing: str) -> list[str]:
    margin, highest, own, baseline = (float(row[f"true_{metric}"]) for metric in METRICS[1:])
    limits = [LIMITS_OF_MARGIN if n == MARGIN else LIMITS for n in range(len(METRICS))]
    covered = [_coverage(float(row[f"covered_{m}"]), *each) for m, each in zip(METRICS, limits, strict=True)]
    above = float(row["above_margin_at_own_rate"])
    below = 1 - float(row["covered_margin_at_own_rate"]) - above
    verdicts = " / ".join(_short(float(row[verdict])) for verdict in VERDICTS)
    shown = [str(row["model"]), _short(float(row["rate"])), f"{margin:+.3f}", _short(highest)]
    shown += [f"{_short(own)}, {_short(baseline)}", f"{float(row['bias']):+.3f}", differing, covered[MARGIN]]
    shown += [
        f"{_short(above, 3)} / {_short(below, 3)}",
        covered[0],
        *covered[2:],
        verdicts,
        _short(float(row["rate_bias_not_0"])),
    ]
    return shown


def _coverage(share: float, least: float, most: float) -> str:
    if math.isnan(share):
        return "–"
    return _short(share, 3) if least <= share <= most else f"**{_short(share, 3)}**"


def _short(value: float, digits: int = 2) -> str:
    return "–" if math.isnan(value) else f"{abs(value):.{digits}f}".removeprefix("0") or "0"


if __name__ == "__main__":
    main()
