"""Near the ends of an order's skill, and on few items: `python studies/coverage/ends.py [REPLICATES] [SEED]`.

Rankers, and pairs of models, with known truth are drawn and scored by the package's own functions; beside their
intervals stand Student's t on the groups, and the delta method. Writes ends.csv and ends.md next to this file.
"""

import csv
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from selfexec.metrics import LEAST_RARER_ITEMS, Estimate, Record, claim_kind
from selfexec.stats import Array, Interval, mean_interval, ratio_error, student

GROUPS = (20, 60, 150, 300)
ACCURACIES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
RARER = (5, 10, 15, 20, 30, 60)
ORDERS, ANSWERS = claim_kind("difficulty"), claim_kind("restriction")
FIRST, SECOND = np.triu_indices(4, 1)
TP, FP, FN, TN = range(4)


# --- rankers ---------------------------------------------------------------------------------------------------------


def knowing(accuracy: float, groups: int, rng: np.random.Generator) -> Array:
    """Four questions of normal difficulty, of which a ranking knows so much that its pairs are right so often."""
    correlation = math.sin(math.pi * (accuracy - 0.5))  # Sheppard 1899
    known, rest = rng.normal(size=(2, groups, 4))
    return _shares(known, correlation * known + math.sqrt(1 - correlation**2) * rest)


def guessing(accuracy: float, groups: int, rng: np.random.Generator) -> Array:
    """All of it right in most groups, and a ranking at random in the others."""
    one, other = rng.normal(size=(2, groups, 4))
    return np.where(rng.random(groups) < 2 * (1 - accuracy), _shares(one, other), 1.0)


def _shares(one: Array, other: Array) -> Array:
    found: Array = ((one[:, FIRST] < one[:, SECOND]) == (other[:, FIRST] < other[:, SECOND])).mean(1)
    return found


RANKERS: dict[str, Callable[[float, int, np.random.Generator], Array]] = {
    "knows difficulties": knowing,
    "guesses some groups": guessing,
}


def record(shares: Array) -> Record:
    return Record(tuple(map(str, range(len(shares)))), np.stack([shares, np.ones(len(shares))], axis=1))


# --- pairs of models -------------------------------------------------------------------------------------------------


def two_rankers(groups: int, rng: np.random.Generator) -> tuple[Record, Record, float]:
    """Two who rank the same groups, right in .75 and .65 of pairs: a difference of .2 in tau."""
    one, two = (knowing(accuracy, groups, rng) for accuracy in (0.75, 0.65))
    return record(one), record(two), 0.2


def two_answerers(rarer: int, rng: np.random.Generator) -> tuple[Record, Record, float]:
    """Two models and 120 requests, of which both turn down so many; recall .9 and .8, specificity .8 and .6, and in
    half of the requests what keeps the one from being right keeps the other too.
    """
    happened = np.arange(120) >= rarer
    shared, luck = rng.random(120), rng.random((2, 120))
    luck = np.where(rng.random(120) < 0.5, shared, luck)
    records = []
    for n, (recall, specificity) in enumerate(((0.9, 0.8), (0.8, 0.6))):
        right = luck[n] < np.where(happened, recall, specificity)
        counts = np.zeros((120, 7))
        cells = np.select([happened & right, happened & ~right, ~happened & right], [TP, FN, TN], FP)
        counts[np.arange(120), cells] = 1
        records.append(Record(tuple(map(str, range(120))), counts))
    return records[0], records[1], 0.1 + 0.2


# --- coverage --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """`ours` and `plain`: shares of intervals that hold the truth; `acts`: share of draws in which the rule for the
    ends was followed."""

    of: str
    who: str
    items: int
    truth: float
    ours: float
    plain: float
    acts: float
    width: float


def of_rankers(replicates: int, seed: int) -> Iterator[Row]:
    for who, draw in RANKERS.items():
        for groups in GROUPS:
            for accuracy in ACCURACIES:
                rng = np.random.default_rng([seed, list(RANKERS).index(who), groups, round(1000 * accuracy)])
                drawn = [draw(accuracy, groups, rng) for _ in range(replicates)]
                plain = [mean_interval(2 * shares - 1)[0] for shares in drawn]
                ours = [ORDERS.skill_estimate(record(shares)) for shares in drawn]
                yield _row("tau", who, groups, 2 * accuracy - 1, ours, plain)


def of_pairs(replicates: int, seed: int) -> Iterator[Row]:
    for of, kind, draw in (("J", ANSWERS, two_answerers), ("tau", ORDERS, two_rankers)):
        for items in RARER:
            rng = np.random.default_rng([seed, of == "tau", items])
            drawn = [draw(items, rng) for _ in range(replicates)]
            ours = [kind.skill_difference(one, two) for one, two, _ in drawn]
            plain = [_delta(kind.skill, one, two) for one, two, _ in drawn]
            yield _row(f"difference in {of}", "two models", items, drawn[0][2], ours, plain)


def _delta(skill: Callable[[Array], Array], one: Record, two: Record) -> Interval:
    width = one.counts.shape[1]
    both = np.concatenate([one.counts, two.counts], axis=1)

    def gap(totals: Array) -> Array:
        return skill(totals[..., :width]) - skill(totals[..., width:])

    return student(float(gap(both.sum(0))), ratio_error(gap, both), len(both))


def _row(of: str, who: str, items: int, truth: float, ours: list[Estimate], plain: list[Interval]) -> Row:
    return Row(
        of,
        who,
        items,
        truth,
        _holding([e.interval for e in ours], truth),
        _holding(plain, truth),
        float(np.mean([e.near_end for e in ours])),
        float(np.mean([e.interval.high - e.interval.low for e in ours])),
    )


def _holding(found: list[Interval], truth: float) -> float:
    return float(np.mean([low - 1e-12 <= truth <= high + 1e-12 for low, high in found]))


# --- what is written -------------------------------------------------------------------------------------------------


def main() -> None:
    replicates, seed = (int(a) for a in [*sys.argv[1:], *("2000", "1")[len(sys.argv) - 1 :]])
    rankers, pairs = list(of_rankers(replicates, seed)), list(of_pairs(replicates, seed))
    here = Path(__file__).parent
    with (here / "ends.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row.__dataclass_fields__)
        rows = [vars(row).values() for row in (*rankers, *pairs)]
        writer.writerows([f"{x:.4f}" if isinstance(x, float) else x for x in row] for row in rows)
    (here / "ends.md").write_text("\n".join(_report(rankers, pairs, replicates, seed)))


def _report(rankers: list[Row], pairs: list[Row], replicates: int, seed: int) -> Iterator[str]:
    yield f"# Coverage near the ends and on few items, {date.today()}, {replicates} draws each, seed {seed}"
    yield "\nours / Student's t on the groups (of J: the delta method). Bold: ours outside .93 to .97."
    for who in RANKERS:
        yield f"\n## Tau of one model that {who}, by its accuracy\n"
        yield f"| groups | {' | '.join(_short(a, 2) for a in ACCURACIES)} |\n|---|{'---|' * len(ACCURACIES)}"
        for groups in GROUPS:
            cells = (_cell(row) for row in rankers if (row.who, row.items) == (who, groups))
            yield f"| {groups} | {' | '.join(cells)} |"
    yield "\n## Paired differences in skill, by the items of the rarer outcome (of tau: groups)\n"
    yield f"`compare` withholds those with fewer than {LEAST_RARER_ITEMS}.\n"
    yield f"| interval of | {' | '.join(map(str, RARER))} |\n|---|{'---|' * len(RARER)}"
    for of in dict.fromkeys(row.of for row in pairs):
        rows = [row for row in pairs if row.of == of]
        yield f"| {of} ({_short(rows[0].truth, 1)}): coverage | {' | '.join(map(_cell, rows))} |"
        yield f"| {of}: mean width | {' | '.join(_short(row.width, 2) for row in rows)} |"
    yield ""


def _cell(row: Row) -> str:
    ours = _short(row.ours, 3)
    return f"{ours if 0.93 <= row.ours <= 0.97 else f'**{ours}**'} / {_short(row.plain, 3)}"


def _short(x: float, digits: int) -> str:
    return f"{x:.{digits}f}".removeprefix("0") if x < 1 else f"{x:.{digits}f}"


if __name__ == "__main__":
    main()
