"""False against true verdicts, for several rules on what pairs of models share.

    python studies/null_worlds/rules.py --panels 40     # goes on where it stopped, 10 panels of a cell at a time
    python studies/null_worlds/rules.py --panels 0      # rules.txt again, from rules.csv

Of each panel that passes all other conditions, rules.csv keeps what the rules are about, so that any of them can be
tried on the same panels: how many times what pairs share own excess is, with what pairs share taken from predictions
with outcomes alone (`crossed`), or also from predictions with predictions and outcomes with outcomes (`coinciding`);
and the misfit of two factors.

The further worlds with sources are by the author of the estimator, after `corpora` of nulls.py: 12, 20 or 40 sources,
each in .3, .4 or .5 of the models.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

import nulls
import numpy as np
from judge import panel_of
from simulate import PAPER_ITEMS, SHAPES

from selfexec.metrics.own_excess.excess import ONE_SIDED_90, Residuals
from selfexec.metrics.own_excess.fit import Evidence
from selfexec.metrics.own_excess.verdict import judged_by, objections_overall, too_small

HERE = Path(__file__).parent
RESULTS = HERE / "rules.csv"
COLUMNS = ("world", "shape", "models", "items", "first_seed", "panels", "passing")
ROUND = 10  # panels
PRESET_ITEMS = {"association": 220, "restriction": 203, "order": 113}  # of the preset standard
ABOUT_SHARING = {"pairs", "misfit", "few models"}
SOURCES: dict[str, str] = {}
GROUPS = {
    "sources": [f"{sources} sources in {share}" for sources, share in itertools.product((12, 20, 40), (0.3, 0.4, 0.5))],
    "few partners": ["ring", "patchwork", "features"],
    "true": ["knows 0.3", "knows 0.5", "knows 1", "no norm, all known"],
}
Cell = tuple[str, str, int, int]
Passing = tuple[float, float, float]  # crossed, coinciding, misfit
Rule = Callable[[Passing], bool]


def _sources(sources: int, share: float) -> nulls.World:
    def build(setting: nulls.Setting) -> nulls.Latent:
        users = max(2, round(share * setting.models))
        uses = setting.rng.random((sources, setting.models)).argsort(axis=1) < users
        mix = uses.T * setting.rng.uniform(0.5, 1.5, (setting.models, sources))
        mix /= np.maximum(np.linalg.norm(mix, axis=1, keepdims=True), 1e-9)
        return nulls._same_in_both(setting, mix @ setting.noise(sources))

    return build


for _count, _share in itertools.product((12, 20, 40), (0.3, 0.4, 0.5)):
    nulls._world(SOURCES, f"{_count} sources in {_share}", "As `corpora`, with so many sources.")(
        _sources(_count, _share)
    )


def cells() -> Iterator[Cell]:
    """The paper's sizes for 8, 10 and 15 models, and the preset `standard` for 10, of every world."""
    for world in itertools.chain.from_iterable(GROUPS.values()):
        for shape in SHAPES:
            yield from ((world, shape, models, PAPER_ITEMS[shape]) for models in (10, 15, 8))
            yield world, shape, 10, PRESET_ITEMS[shape]


def passing(cell: Cell, seed: int) -> Passing | None:
    """What the rules are about, of a panel that passes all other conditions; else None."""
    world, shape, models, items = cell
    kind, claims = SHAPES[shape]
    panel = panel_of(nulls.draw(world, models=models, items=items, kind=kind, seed=seed, claims=claims))
    if too_small(panel):
        return None
    evidence = Evidence(panel)
    judged = judged_by(evidence.fits[1].mean, objections_overall(evidence), "own")
    if judged.verdict == "not shown" or {objection.what for objection in judged.against} - ABOUT_SHARING:
        return None
    fits = evidence.fits.values()
    crossed = min(_times(float(fit.mean.value), crossed_alone(fit.apart)) for fit in fits)
    coinciding = min(_times(float(fit.mean.value), fit.pairs) for fit in fits)
    return crossed, coinciding, evidence.fits[2].misfit


def _times(own: float, shared: float) -> float:
    return 0.0 if math.isnan(shared) else min(own / max(shared, 1e-9), 99.0)


def crossed_alone(left: Residuals) -> float:
    """What pairs share by the former rule: of predictions with outcomes, as the fit leaves it."""
    known = np.triu((left.fit.weights > 0) & (left.fit.weights.T > 0))
    if not known.any():
        return math.nan
    one, other = np.nonzero(known)
    value = (left.value[one, other] + left.value[other, one]) / 2
    influence = (left.influence[:, one, other] + left.influence[:, other, one]) / 2
    error = math.sqrt(2 * float(((influence @ influence.T) ** 2).sum()))
    square = float((value**2).sum() - (influence**2).sum())
    return math.sqrt(max(2 * (square + ONE_SIDED_90 * error) / left.tables.models, 0.0))


# --- the file --------------------------------------------------------------------------------------------------------


def stored() -> dict[Cell, tuple[int, list[Passing]]]:
    """By cell, how many panels there were, and those that pass all other conditions."""
    found: dict[Cell, tuple[int, list[Passing]]] = {}
    if RESULTS.exists():
        with RESULTS.open(newline="") as lines:
            for row in csv.DictReader(lines):
                cell = (row["world"], row["shape"], int(row["models"]), int(row["items"]))
                panels, some = found.get(cell, (0, []))
                read: list[Any] = [tuple(map(float, one.split())) for one in row["passing"].split(";") if one]
                found[cell] = (panels + int(row["panels"]), some + read)
    return found


def run(panels: int) -> None:
    done = {cell: count for cell, (count, _) in stored().items()}
    with RESULTS.open("a", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        if not done:
            writer.writerow(COLUMNS)
        for first in range(0, panels, ROUND):
            for cell in cells():
                if done.get(cell, 0) > first:
                    continue
                some = [one for seed in range(first, first + ROUND) if (one := passing(cell, seed))]
                kept = ";".join(" ".join(f"{number:.2f}" for number in one) for one in some)
                writer.writerow((*cell, first, ROUND, kept))
                lines.flush()


# --- rules -----------------------------------------------------------------------------------------------------------

TIMES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0)
MISFITS = (3.0, 2.0, 1.5, 1.35, 1.2, 1.1, 1.0, 0.9)
# A family of rules: for each setting, from lenient to strict, whether a panel is `own`.
RULES: dict[str, list[tuple[str, Rule]]] = {
    "misfit alone": [(f"at most {m:g}", lambda one, m=m: one[2] <= m) for m in MISFITS],
    "crossed pairs, misfit 1.5": [(f"{t:g} times", lambda one, t=t: one[0] > t and one[2] <= 1.5) for t in TIMES],
    "coinciding pairs, misfit 1.5": [(f"{t:g} times", lambda one, t=t: one[1] > t and one[2] <= 1.5) for t in TIMES],
}
FORMER, CHOSEN = ("crossed pairs, misfit 1.5", "2 times"), ("coinciding pairs, misfit 1.5", "3 times")
GROUPED_BY: dict[str, Callable[[Cell], bool]] = {
    "few partners": lambda cell: cell[0] in GROUPS["few partners"],
    "12 sources": lambda cell: cell[0].startswith("12 "),
    "20 sources": lambda cell: cell[0].startswith("20 "),
    "40 sources": lambda cell: cell[0].startswith("40 "),
    "worst cell": lambda cell: cell[0] not in GROUPS["true"],  # of the false ones the highest
    "knows 0.3": lambda cell: cell[0] == "knows 0.3",
    "knows 0.5": lambda cell: cell[0] == "knows 0.5",
    "knows 1": lambda cell: cell[0] == "knows 1",
    "no norm": lambda cell: cell[0] == "no norm, all known",
}
Kept = dict[Cell, tuple[int, list[Passing]]]


def share(rule: Rule, cells: Sequence[Cell], kept: Kept) -> float:
    """Of the panels of these cells, how many the rule calls `own`."""
    panels = sum(kept[cell][0] for cell in cells)
    return sum(rule(one) for cell in cells for one in kept[cell][1]) / max(panels, 1)


def table(kept: Kept) -> str:
    """The share of `own` by rule, from lenient to strict: false in the first five columns, true in the others."""
    lines = [f"{'':34}" + "".join(f"{name:>14}" for name in GROUPED_BY)]
    for models in (8, 10, 15):
        for name, settings in RULES.items():
            lines += ["", f"{models} models; {name}"]
            for setting, rule in settings:
                numbers = []
                for group, belongs in GROUPED_BY.items():
                    chosen = [cell for cell in kept if cell[2] == models and belongs(cell)]
                    parts = [share(rule, [cell], kept) for cell in chosen]
                    number = max(parts, default=0.0) if group == "worst cell" else share(rule, chosen, kept)
                    numbers.append(f"{number:14.3f}")
                lines.append(f"  {setting:32}" + "".join(numbers))
    lines += ["", "each cell: the former rule, and the chosen one (8 models: without the floor of ten)", ""]
    former, chosen_rule = (dict(RULES[name])[setting] for name, setting in (FORMER, CHOSEN))
    for cell in sorted(kept, key=lambda cell: (cell[0], cell[1], cell[2], cell[3])):
        world, shape, models, items = cell
        numbers = "".join(f"{share(rule, [cell], kept):8.3f}" for rule in (former, chosen_rule))
        lines.append(f"  {world:22} {shape:12} {models:3} {items:4} {kept[cell][0]:4} panels {numbers}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=60)
    run(parser.parse_args().panels)
    (HERE / "rules.txt").write_text(table(stored()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
