"""How often is a panel `own` that has learnt its tables? The verdict on tables alone, without any model.

    python studies/planted/simulate.py --panels 200      # expected.csv

`wrong` is the share of entries, of behaviour and of predictions, that a model has not learnt.
"""

import argparse
import csv
import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from tables import KINDS, Flags, Tables, drawn
from topics import TOPICS

from selfexec.metrics.own_excess import ComparedModels, OwnExcess, judge_own_excess
from selfexec.metrics.own_excess.compared import enough

OUT = Path(__file__).parent / "expected.csv"
FIRST = 1000  # draws below this are those that models are taught
WRONG = (0.0, 0.05)
COLUMNS = ("kind", "wrong", "panels", "own", "unresolved", "not shown", "own excess", "agreement")


def judged(tables: Tables) -> OwnExcess:
    """The verdict on models that do and predict exactly this."""
    models, topics = tables.behaviour.shape
    predictions, outcomes = (np.where(part, 1, -1).astype(np.int8) for part in (tables.prediction, tables.behaviour))
    names = tuple(map(str, range(models)))
    return judge_own_excess(enough(ComparedModels(names, predictions, outcomes, np.arange(topics), (None,) * models)))


def with_errors(tables: Tables, share: float, rng: np.random.Generator) -> Tables:
    """The same tables, this share of the entries turned round at random."""

    def changed(part: Flags) -> Flags:
        return part ^ (rng.random(part.shape) < share)

    return Tables(changed(tables.behaviour), changed(tables.prediction))


def row(kind: str, wrong: float, panels: int) -> dict[str, object]:
    """The verdicts on so many panels of a kind, counted; own excess and agreement are means over them."""
    counts: Counter[str | None] = Counter()
    excess, agreement = [], []
    for draw in range(FIRST, FIRST + panels):
        tables = drawn(kind, draw, len(TOPICS))
        found = judged(with_errors(tables, wrong, np.random.default_rng(draw)))
        counts[found.overall.verdict] += 1
        excess.append(found.overall.estimate.value)
        agreement.append(tables.agreement)
    shares = {verdict: counts[verdict] for verdict in ("own", "unresolved", "not shown")}
    means = {"own excess": f"{np.mean(excess):.3f}", "agreement": f"{np.mean(agreement):.3f}"}
    return {"kind": kind, "wrong": wrong, "panels": panels, **shares, **means}


def expected_share(kind: str) -> float:
    """The share of panels of a kind that are `own`, by expected.csv: the lowest over what was not learnt."""
    with OUT.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == kind]
    return min(int(row["own"]) / int(row["panels"]) for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--panels", type=int, default=200)
    given = parser.parse_args()
    rows = [row(kind, wrong, given.panels) for kind in KINDS for wrong in WRONG]
    with OUT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
