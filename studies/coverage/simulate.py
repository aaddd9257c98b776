"""How often 95% intervals hold the truth: `python studies/coverage/simulate.py [REPLICATES] [SEED]`.

Models with known truth are drawn, counted and scored by the package's own functions; beside its intervals stand naive
ones. Writes results.csv and results.md next to this file.
"""

import csv
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import betaincinv

from selfexec.metrics import (
    METRICS,
    Cells,
    Estimate,
    Record,
    claim_kind,
    combine,
)
from selfexec.metrics.baseline_margin import best_of
from selfexec.metrics.kinds import formulas
from selfexec.metrics.kinds.binary import estimates_of
from selfexec.metrics.score import LEAST_OVERALL
from selfexec.stats import Array, Interval, normal, student

CLAIMS = {"association": 5, "restriction": 1}
SIZES = {
    "paper": {"association": 488, "restriction": 450, "difficulty": 250},
    "60": {"association": 60, "restriction": 60, "difficulty": 60},
}
LABELLED = ("accuracy", "precision", "recall", "balanced_accuracy", "youden_j", "mcc", "kappa", "over_niceness")
GRID = (np.arange(1000) + 0.5) / 1000


@dataclass(frozen=True)
class YesNo:
    """A model's claims of yes or no. `alike`: intraclass correlation of what happens to the claims of one item;
    `ready`: of what the model says of them, since some items make it say yes more readily than others. The baseline
    knows the outcome with `baseline` as its recall and specificity; the model says what the baseline says in a share
    `copies` of claims, and else has its own `recall` and `specificity`.
    """

    base: float
    recall: float
    specificity: float
    alike: float = 0.15
    ready: float = 0.15
    baseline: float = 0.75
    copies: float = 0.0


@dataclass(frozen=True)
class Orders:
    """Correlation of the predicted with the true difficulty of a group's questions, which `varies` up and down between
    groups; and that of the baseline."""

    correlation: float
    varies: float = 0.25
    baseline: float = 0.2


@dataclass(frozen=True)
class Truth:
    association: YesNo
    restriction: YesNo
    difficulty: Orders
    epochs: int = 1


TYPICAL = Truth(
    YesNo(0.2, 0.97, 0.42), YesNo(0.55, 0.78, 0.97, alike=0.85, baseline=0.9, copies=0.3), Orders(0.6, baseline=0.25)
)
TRUTHS = {
    "typical": TYPICAL,
    # the shape of a strong recorded model: recall .99 in association, hardly a yes too many in restriction
    "recall .99": Truth(
        YesNo(0.18, 0.99, 0.55), YesNo(0.54, 0.87, 0.985, alike=0.85, baseline=0.93, copies=0.3), Orders(0.55)
    ),
    "middling": Truth(YesNo(0.4, 0.7, 0.7), YesNo(0.5, 0.75, 0.75, alike=0.85), Orders(0.35)),
    "near perfect": Truth(
        YesNo(0.3, 0.995, 0.99), YesNo(0.6, 0.995, 0.97, alike=0.85, baseline=0.95), Orders(0.7, varies=0.2)
    ),
    "rare positives": Truth(
        YesNo(0.06, 0.9, 0.85), YesNo(0.07, 0.8, 0.95, alike=0.6, baseline=0.7), Orders(0.45, varies=0.4)
    ),
    "follows the label": Truth(
        YesNo(0.2, 0.6, 0.6, baseline=0.8, copies=0.95),
        YesNo(0.55, 0.5, 0.5, alike=0.85, baseline=0.9, copies=0.985),
        Orders(0.4),
    ),
    "knows nothing": Truth(
        YesNo(0.2, 0.5, 0.5, ready=0.3, baseline=0.6),
        YesNo(0.5, 0.7, 0.3, alike=0.85, baseline=0.6),
        Orders(0, varies=0),
    ),
    "two epochs": replace(TYPICAL, epochs=2),
}


# --- drawing ---------------------------------------------------------------------------------------------------------


@cache
def _spread(mean: float, correlation: float) -> Array:
    """Quantiles of the beta distribution with this mean and intraclass correlation."""
    size = 1 / correlation - 1
    found: Array = betaincinv(mean * size, (1 - mean) * size, GRID)
    return found


class Drawer:
    """Draws items of one truth. Its `expected` cells of an item, for model and baseline, are exact."""

    def __init__(self, truth: YesNo, claims: int, epochs: int) -> None:
        self.truth, self.claims, self.epochs = truth, claims, epochs
        self.base = _spread(truth.base, truth.alike)
        # what makes the model say yes does so whether or not it is right
        self.hit, self.alarm = _spread(truth.recall, truth.ready), _spread(1 - truth.specificity, truth.ready)

    @property
    def expected(self) -> tuple[Array, Array]:
        b, g, c = self.base.mean(), self.truth.baseline, self.truth.copies
        hit, alarm = c * g + (1 - c) * self.hit.mean(), c * (1 - g) + (1 - c) * self.alarm.mean()
        return _cells(b, hit, alarm), _cells(b, g, 1 - g)

    def draw(self, items: int, rng: np.random.Generator) -> tuple[Record, Record]:
        shape = (items, self.claims, self.epochs)
        ready = rng.integers(len(GRID), size=(items, 1, 1))
        happened = rng.random(shape) < self.base[rng.integers(len(GRID), size=(items, 1, 1))]
        # the baseline does not know of epochs: what it says of a claim it says each time that the outcome is the same
        knows = rng.random((items, self.claims, 1)) < self.truth.baseline
        baseline = happened == knows
        own = rng.random(shape) < np.where(happened, self.hit[ready], self.alarm[ready])
        said = np.where(rng.random(shape) < self.truth.copies, baseline, own)
        names = tuple(str(n) for n in range(items))
        return Record(names, _counts(said, happened)), Record(names, _counts(baseline, happened))


def _cells(base: float, hit: float, alarm: float) -> Array:
    return np.array([base * hit, (1 - base) * alarm, base * (1 - hit), (1 - base) * (1 - alarm), 0, 0, 0])


def _counts(said: Array, happened: Array) -> Array:
    counts = np.zeros((len(said), 7))
    for n, cell in enumerate((said & happened, said & ~happened, ~said & happened, ~said & ~happened)):
        counts[:, n] = cell.sum((1, 2))
    return counts


FIRST, SECOND = np.triu_indices(4, 1)


def draw_orders(truth: Orders, groups: int, epochs: int, rng: np.random.Generator) -> tuple[Record, Record]:
    """Shares of the six pairs ranked rightly; epochs draw the questions' difficulty anew around the same rankings."""
    names = tuple(str(n) for n in range(groups))
    correlation = truth.correlation + truth.varies * rng.choice([-1.0, 1.0], size=(groups, 1, 1))
    ranked, by_baseline = rng.normal(size=(2, groups, 1, 4))
    noise = rng.normal(size=(groups, epochs, 4))
    # two rankings whose parts in the true order are apart
    rest = np.sqrt(1 - correlation**2 - truth.baseline**2)
    hard = correlation * ranked + truth.baseline * by_baseline + rest * noise
    return tuple(Record(names, _shares(one, hard)) for one in (ranked, by_baseline))  # type: ignore[return-value]


def _shares(ranked: Array, hard: Array) -> Array:
    right = (ranked[..., FIRST] < ranked[..., SECOND]) == (hard[..., FIRST] < hard[..., SECOND])
    return np.stack([right.mean((1, 2)), np.ones(len(right))], axis=1)


# --- the truth, and intervals ----------------------------------------------------------------------------------------


def true_values(truth: Truth) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for experiment in CLAIMS:
        cells, baseline = Drawer(getattr(truth, experiment), 1, 1).expected
        found |= {(experiment, name): float(METRICS[name].formula(Cells.of(cells))) for name in LABELLED}
        j = [float(formulas.youden_j(Cells.of(c))) for c in (cells, baseline)]
        found[experiment, "baseline_margin"] = j[0] - max(j[1], 0.0)
    orders = truth.difficulty
    own = [orders.correlation - orders.varies, orders.correlation + orders.varies]
    # two normal variables with correlation r are in the same order with probability 1/2 + asin(r) / pi (Sheppard 1899)
    accuracy = sum(0.5 + math.asin(r) / math.pi for r in own) / 2
    found["difficulty", "accuracy"] = accuracy
    found["difficulty", "baseline_margin"] = 2 * accuracy - 1 - 2 * math.asin(orders.baseline) / math.pi
    skills = [found["association", "youden_j"], found["restriction", "youden_j"], 2 * accuracy - 1]
    found["overall", "skill"] = sum(skills) / 3
    for metric, part in (("self_execution_score", "accuracy"), ("baseline_margin", "baseline_margin")):
        found["overall", metric] = sum(found[e, part] for e in (*CLAIMS, "difficulty")) / 3
    return found


Intervals = dict[tuple[str, str], tuple[Interval, Interval | None]]  # ours, and the naive one where there is one


def _baseline_margin(experiment: str, record: Record, baseline: Record) -> Estimate:
    """With the doubt of the items alone: this baseline is no sample of models."""
    kind = claim_kind(experiment)
    return kind.skill_difference(record, best_of(kind, record, {"others_mode": baseline})[1])


def intervals(truth: Truth, size: Mapping[str, int], rng: np.random.Generator) -> Intervals:
    """All intervals of one draw."""
    found: Intervals = {}
    accuracy: dict[str, Estimate] = {}
    skill: dict[str, Estimate] = {}
    margin: dict[str, Estimate] = {}
    for experiment, claims in CLAIMS.items():
        record, baseline = Drawer(getattr(truth, experiment), claims, truth.epochs).draw(size[experiment], rng)
        estimates = estimates_of(record.counts, ["over_niceness"])
        margin[experiment] = _baseline_margin(experiment, record, baseline)
        accuracy[experiment], skill[experiment] = estimates["accuracy"], estimates["youden_j"]
        naive = dict(_naive(estimates, record.counts))
        found |= {(experiment, name): (estimates[name].interval, naive.get(name)) for name in LABELLED}
    record, baseline = draw_orders(truth.difficulty, size["difficulty"], truth.epochs, rng)
    accuracy["difficulty"] = tau = claim_kind("difficulty").accuracy_estimate(record)
    skill["difficulty"] = claim_kind("difficulty").skill_estimate(record)
    margin["difficulty"] = _baseline_margin("difficulty", record, baseline)
    pairs = 6 * truth.epochs * size["difficulty"]
    found["difficulty", "accuracy"] = tau.interval, _wald(tau.value, pairs)
    found |= {(experiment, "baseline_margin"): (e.interval, None) for experiment, e in margin.items()}
    for metric, parts in (
        ("self_execution_score", accuracy),
        ("skill", skill),
        ("baseline_margin", margin),
    ):
        found["overall", metric] = combine(parts, LEAST_OVERALL[metric]).interval, None
    return found


def _naive(estimates: Mapping[str, Estimate], counts: Array) -> Iterator[tuple[str, Interval]]:
    """Claims taken as independent and the normal approximation; for J, the delta method whatever the counts."""
    totals = Cells.of(counts.sum(0))
    trials = {
        "accuracy": totals.claims,
        "precision": totals.tp + totals.fp,
        "recall": totals.tp + totals.fn,
        "over_niceness": totals.fp + totals.fn,
    }
    for name, n in trials.items():
        yield name, _wald(estimates[name].value, float(n))
    for name in ("balanced_accuracy", "youden_j"):
        yield name, student(estimates[name].value, estimates[name].error, len(counts))


def _wald(share: float, trials: float) -> Interval:
    return normal(share, math.sqrt(share * (1 - share) / trials)) if trials else Interval(math.nan, math.nan)


# --- coverage --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """`ours` and `naive`: shares of intervals that hold the truth; `none`: share of draws without an interval of
    ours; `width`: mean width of ours."""

    size: str
    scenario: str
    experiment: str
    metric: str
    truth: float
    ours: float
    naive: float | None
    none: float
    width: float


def coverage(scenario: str, size: str, replicates: int, seed: int) -> list[Row]:
    truth = TRUTHS[scenario]
    wanted = true_values(truth)
    rng = np.random.default_rng([seed, list(TRUTHS).index(scenario), list(SIZES).index(size)])
    drawn: dict[tuple[str, str], list[tuple[Interval, Interval | None]]] = defaultdict(list)
    for _ in range(replicates):
        for name, pair in intervals(truth, SIZES[size], rng).items():
            drawn[name].append(pair)
    return [_row(size, scenario, name, wanted[name], pairs) for name, pairs in drawn.items()]


def _row(
    size: str, scenario: str, name: tuple[str, str], truth: float, pairs: list[tuple[Interval, Interval | None]]
) -> Row:
    ours = [one for one, _ in pairs if not math.isnan(one.low)]
    naive = [two for _, two in pairs if two is not None and not math.isnan(two.low)]
    return Row(
        size,
        scenario,
        *name,
        truth,
        _share_holding(ours, truth),
        _share_holding(naive, truth) if naive else None,
        1 - len(ours) / len(pairs),
        float(np.mean([high - low for low, high in ours])) if ours else math.nan,
    )


def _share_holding(found: list[Interval], truth: float) -> float:
    return sum(low - 1e-12 <= truth <= high + 1e-12 for low, high in found) / len(found) if found else math.nan


def main() -> None:
    replicates, seed = (int(a) for a in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    rows = [row for size in SIZES for scenario in TRUTHS for row in coverage(scenario, size, replicates, seed)]
    here = Path(__file__).parent
    with (here / "results.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row.__dataclass_fields__)
        writer.writerows(
            [f"{x:.4f}" if isinstance(x, float) else "" if x is None else x for x in vars(row).values()] for row in rows
        )
    (here / "results.md").write_text("\n".join(_report(rows, replicates, seed)))


def _report(rows: list[Row], replicates: int, seed: int) -> Iterator[str]:
    yield f"# Coverage of 95% intervals, {date.today()}, {replicates} draws each, seed {seed}"
    yield ""
    yield "ours / naive (left out where there is none). Bold: outside .93 to .97. `results.csv` has more columns."
    for size in SIZES:
        yield f"\n## {'Sizes of the paper' if size == 'paper' else size + ' items in each experiment'}\n"
        yield f"| | {' | '.join(TRUTHS)} |\n|---|{'---|' * len(TRUTHS)}"
        table: dict[str, dict[str, str]] = defaultdict(dict)
        for row in rows:
            if row.size == size:
                table[f"{row.experiment} {row.metric}"][row.scenario] = _cell(row)
        for name, cells in table.items():
            yield f"| {name.replace('_', ' ')} | {' | '.join(cells[s] for s in TRUTHS)} |"
    yield ""


def _cell(row: Row) -> str:
    ours = f"{row.ours:.3f}".lstrip("0")
    ours = ours if 0.93 <= row.ours <= 0.97 else f"**{ours}**"
    return ours if row.naive is None else f"{ours} / {row.naive:.2f}".replace("/ 0.", "/ .")


if __name__ == "__main__":
    main()
