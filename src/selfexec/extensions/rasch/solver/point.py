"""The likelihood of the Rasch model at one point: its derivatives, cell by cell."""

from typing import NamedTuple

import numpy as np

from selfexec.extensions.rasch.solver.cells import Block, RateBlocks, sum_in_order
from selfexec.stats.intervals import Array


class Sides(NamedTuple):
    """One number for each model and one for each item."""

    abilities: Array
    item_difficulties: Array


class LikelihoodPoint(NamedTuple):
    """The likelihood's derivatives at one point.

    `gaps`: observed less fitted totals. `information`: sums of n p (1-p). `carried`: what the models' gaps, each over
    its information, come to at the items. `densities`: n / (a+b)^2 of each cell, block by block; times a b it is
    n p (1-p).
    """

    a: Array
    b: Array
    gaps: Sides
    information: Sides
    carried: Array
    densities: list[Array]

    def there_and_back(self, table: RateBlocks, vector: Array) -> tuple[Array, Array]:
        """W v, and W' R^-1 W v: the matrix of n p (1-p) times a vector over items, and that back to the items."""
        across, back = table.there_and_back(self.densities, self.b * vector, self.a**2 / self.information.abilities)
        return self.a * across, self.b * back


def derivatives(table: RateBlocks, totals: Sides, at: Sides, work: list[Array]) -> LikelihoodPoint:
    """The derivatives at one point. `work` has an array for the cells of each block, and ends up as `densities`."""
    a, b = np.exp(at.abilities), np.exp(at.item_difficulties)
    ones = np.ones_like(b)

    def part(block: Block, cells: Array) -> tuple[Array, Array, Array, Array]:
        mine = a[block.rows]
        np.divide(1.0, block.sums(a, b, out=cells), out=cells)
        heavy = cells if block.weights is None else block.weights * cells
        gaps, fitted = totals.abilities[block.rows] - mine * block.times(heavy, ones), block.back(heavy, mine)
        cells *= heavy
        information = mine * block.times(cells, b)
        both = block.back(cells, np.stack([mine, mine * gaps / information]))  # two vectors at the price of one
        return gaps, information, fitted, both

    gaps, information, fitted, both = zip(*map(part, table.blocks, work), strict=True)
    at_items, carried = b * sum_in_order(both)
    return LikelihoodPoint(
        a,
        b,
        Sides(np.concatenate(gaps), totals.item_difficulties - sum_in_order(fitted)),
        Sides(np.concatenate(information), at_items),
        carried,
        work,
    )


def simple_step(point: LikelihoodPoint) -> float:
    """The largest step of one side alone; near a Newton step where links are not weak."""
    return float(max(np.abs(gap / sums).max() for gap, sums in zip(point.gaps, point.information, strict=True)))
