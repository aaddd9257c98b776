"""A table of success rates, dense or sparse, cut into blocks of whole rows that stay in the processor's cache.

Rows are models, columns are items. A cell has a rate and a weight; a hole has neither.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from selfexec.errors import InputError
from selfexec.stats.intervals import Array

CELLS_PER_BLOCK = 1 << 18  # two megabytes an array


@dataclass(frozen=True)
class Names:
    """What to call rows and columns in a message: by name, or by index where no names are given."""

    models: Sequence[str] | None = None
    items: Sequence[str] | None = None

    def model(self, index: int) -> str:
        return f"model {self.models[index]!r}" if self.models is not None else f"model [{index}]"

    def item(self, index: int) -> str:
        return f"item {self.items[index]!r}" if self.items is not None else f"item [{index}]"

    def cell(self, row: int, column: int) -> str:
        return f"{self.model(row)}, {self.item(column)}"


@dataclass(frozen=True)
class DenseBlock:
    """Rows of a dense table. `rates` is 0 and `weights` is 0 in a hole; `weights` is None where all are 1."""

    rows: slice
    rates: Array
    weights: Array | None

    def sums(self, a: Array, b: Array, out: Array) -> Array:
        """a + b for each cell, with a of its row and b of its column."""
        return np.add(a[self.rows, None], b, out=out)

    def by_row(self, a: Array) -> Array:
        """a of each cell's row, in a shape that goes with the cells."""
        return a[self.rows, None]

    def times(self, cells: Array, vector: Array) -> Array:
        """Matrix times a vector over columns, for values of the block's cells."""
        product: Array = cells @ vector
        return product

    def back(self, cells: Array, vector: Array) -> Array:
        """The transposed matrix times a vector over the block's rows."""
        product: Array = vector @ cells
        return product

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many cells each row and each column has."""
        if self.weights is None:
            rows, columns = self.rates.shape
            return np.full(rows, columns), np.full(columns, rows)
        return np.count_nonzero(self.weights, axis=1), np.count_nonzero(self.weights, axis=0)

    def matrix(self, cells: Array) -> Any:
        return cells

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column of each cell, in the order of `rates.ravel()`."""
        rows, columns = np.indices(self.rates.shape)
        return rows.ravel() + self.rows.start, columns.ravel()


@dataclass(frozen=True)
class SparseBlock:
    """Rows of a sparse table, in the order of compressed rows."""

    rows: slice
    rates: Array
    weights: Array | None
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    shape: tuple[int, int]

    def sums(self, a: Array, b: Array, out: Array) -> Array:
        np.take(b, self.columns, out=out, mode="clip")  # the default mode copies once more
        out += self.by_row(a)
        return out

    def by_row(self, a: Array) -> Array:
        return np.repeat(a[self.rows], np.diff(self.starts))

    def times(self, cells: Array, vector: Array) -> Array:
        product: Array = self.matrix(cells) @ vector
        return product

    def back(self, cells: Array, vector: Array) -> Array:
        product: Array = (self.matrix(cells).T @ vector.T).T
        return product

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return np.diff(self.starts).astype(np.int64), np.bincount(self.columns, minlength=self.shape[1])

    def matrix(self, cells: Array) -> Any:
        return sparse.csr_array((cells, self.columns, self.starts), shape=self.shape)

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = np.repeat(np.arange(self.shape[0], dtype=np.int64), np.diff(self.starts))
        return rows + self.rows.start, self.columns.astype(np.int64)


Block = DenseBlock | SparseBlock


@dataclass(frozen=True)
class RateBlocks:
    """All blocks. `complete`: there is no hole. `open`: every rate is above 0 and below 1."""

    shape: tuple[int, int]
    blocks: tuple[Block, ...]
    cells: int
    complete: bool
    open: bool

    def totals(self, values: Iterable[Array]) -> tuple[Array, Array]:
        """Sums over rows and over columns of values of the cells, given block by block."""
        return self.both_ways(values, np.ones(self.shape[1]), np.ones(self.shape[0]))

    def both_ways(self, values: Iterable[Array], right: Array, left: Array) -> tuple[Array, Array]:
        """The matrix of the values times a vector over columns, and transposed times one over rows, in one go."""

        def product(block: Block, cells: Array) -> tuple[Array, Array]:
            return block.times(cells, right), block.back(cells, left[block.rows])

        parts = list(map(product, self.blocks, values))
        return np.concatenate([rows for rows, _ in parts]), sum_in_order(columns for _, columns in parts)

    def times(self, values: Iterable[Array], vector: Array) -> Array:
        """The matrix of the values times a vector over columns."""
        return np.concatenate([block.times(cells, vector) for block, cells in zip(self.blocks, values, strict=True)])

    def back(self, values: Iterable[Array], vector: Array) -> Array:
        """The transposed matrix of the values times a vector over rows."""
        return sum_in_order(
            block.back(cells, vector[block.rows]) for block, cells in zip(self.blocks, values, strict=True)
        )

    def there_and_back(self, values: Iterable[Array], right: Array, scale: Array) -> tuple[Array, Array]:
        """The matrix times a vector; and that, scaled row by row, back through the transposed matrix."""

        def product(block: Block, cells: Array) -> tuple[Array, Array]:
            across = block.times(cells, right)
            return across, block.back(cells, across * scale[block.rows])

        parts = list(map(product, self.blocks, values))
        return np.concatenate([rows for rows, _ in parts]), sum_in_order(columns for _, columns in parts)

    @property
    def plain(self) -> bool:
        """Whether it is dense, without holes and weights."""
        return self.complete and isinstance(self.blocks[0], DenseBlock) and self.blocks[0].weights is None

    def successes(self) -> Iterator[Array]:
        """Weight times rate of each cell."""
        for block in self.blocks:
            yield block.rates if block.weights is None else block.weights * block.rates

    def failures(self) -> Iterator[Array]:
        """Weight times 1 - rate of each cell."""
        for block in self.blocks:
            yield 1 - block.rates if block.weights is None else block.weights * (1 - block.rates)

    def weights(self) -> Iterator[Array]:
        for block in self.blocks:
            yield np.ones_like(block.rates) if block.weights is None else block.weights

    @cached_property
    def success_totals(self) -> tuple[Array, Array]:
        """Sums of weight times rate over rows and over columns."""
        return self.totals(self.successes())

    def weight_totals(self) -> tuple[Array, Array]:
        """Sums of weights over rows and over columns."""
        return self.counts if self.blocks[0].weights is None else self.totals(self.weights())

    @cached_property
    def counts(self) -> tuple[Array, Array]:
        """How many cells each row and each column has."""
        rows, columns = zip(*(block.counts() for block in self.blocks), strict=True)
        return np.concatenate(rows).astype(np.float64), sum_in_order(columns).astype(np.float64)

    def work(self) -> list[Array]:
        """Room for one number a cell, block by block."""
        sizes = [block.rates.size for block in self.blocks]
        parts = np.split(np.empty(sum(sizes)), np.cumsum(sizes)[:-1])  # one piece comes faster than many
        return [part.reshape(block.rates.shape) for block, part in zip(self.blocks, parts, strict=True)]

    def matrix(self, values: Sequence[Array]) -> Any:
        """Values of the cells, block by block, as one matrix: dense for a dense table, else sparse."""
        parts = [block.matrix(cells) for block, cells in zip(self.blocks, values, strict=True)]
        return np.vstack(parts) if isinstance(parts[0], np.ndarray) else sparse.vstack(parts, format="csr")


def sum_in_order(parts: Iterable[Array]) -> Array:
    total: Array = reduce(np.add, parts)
    return total


def dense(rates: Array, weights: Any, names: Names) -> RateBlocks:
    """A table from a two-dimensional array with nan in its holes. A weight of 0 makes a hole too."""
    weights = None if weights is None else np.asarray(weights, np.float64)
    if weights is not None and weights.shape != rates.shape:
        raise InputError(f"weights have the shape {weights.shape}, rates {rates.shape}. Give one weight for each rate.")
    _check_size(rates.shape, names)
    least, most = rates.min(), rates.max()
    holes = np.isnan(least)
    if holes or weights is not None:
        rates, weights = _without_holes(rates, weights, names)
        least, most = rates[weights > 0].min(initial=1), rates[weights > 0].max(initial=0)
    if least < 0 or most > 1:
        row, column = np.argwhere((rates < 0) | (rates > 1))[0]
        _refuse_rate(float(rates[row, column]), names.cell(row, column))
    cells = rates.size if weights is None else np.count_nonzero(weights)
    height = max(CELLS_PER_BLOCK // rates.shape[1], 1)
    cuts = [slice(k, min(k + height, len(rates))) for k in range(0, len(rates), height)]
    blocks = tuple(DenseBlock(rows, rates[rows], None if weights is None else weights[rows]) for rows in cuts)
    complete = cells == rates.size
    return RateBlocks(rates.shape, blocks, int(cells), complete, bool(least > 0 and most < 1))


def weights_alone(weights: Array) -> RateBlocks:
    """A table without rates, whose totals are known otherwise."""
    block = DenseBlock(slice(0, len(weights)), np.zeros_like(weights), weights)
    return RateBlocks(weights.shape, (block,), weights.size, complete=True, open=True)


def _without_holes(rates: Array, weights: Array | None, names: Names) -> tuple[Array, Array]:
    there = ~np.isnan(rates)
    if weights is None:
        return np.where(there, rates, 0.0), there.astype(np.float64)
    if len(wrong := np.argwhere(there & ~((weights >= 0) & np.isfinite(weights)))):
        row, column = wrong[0]
        _refuse_weight(float(weights[row, column]), names.cell(row, column))
    there &= weights > 0
    return np.where(there, rates, 0.0), np.where(there, weights, 0.0)


def triplets(
    rates: Array, rows: Any, columns: Any, weights: Any, shape: tuple[int, int] | None, names: Names
) -> RateBlocks:
    """A table from its cells: rates with their rows and columns. A cell of weight 0 is left out."""
    if not rates.size:
        raise InputError("there is no rate. Give at least the results of two models on two items.")
    rows, columns = _indices(rows, "rows"), _indices(columns, "columns")
    weights = None if weights is None else np.asarray(weights, np.float64)
    for what, values in (("rows", rows), ("columns", columns), ("weights", weights)):
        if values is not None and values.shape != rates.shape:
            raise InputError(f"there are {rates.size} rates and {values.size} {what}. Give one for each rate.")
    shape = shape or (int(rows.max()) + 1, int(columns.max()) + 1)
    _check_size(shape, names)
    for what, indices, size in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if indices.min() < 0 or indices.max() >= size:
            wrong = int(np.flatnonzero((indices < 0) | (indices >= size))[0])
            raise InputError(f"{what} {indices[wrong]} of rate {wrong} is outside the table of {size}. Fix it.")
    least, most = rates.min(), rates.max()
    if not (least >= 0 and most <= 1):
        wrong = int(np.flatnonzero(~((rates >= 0) & (rates <= 1)))[0])
        _refuse_rate(float(rates[wrong]), names.cell(rows[wrong], columns[wrong]))
    if weights is not None:
        if len(bad := np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))):
            _refuse_weight(float(weights[bad[0]]), names.cell(rows[bad[0]], columns[bad[0]]))
        kept = weights > 0
        rates, rows, columns, weights = rates[kept], rows[kept], columns[kept], weights[kept]
    blocks = tuple(_compressed(rates, rows, columns, weights, shape, names))
    complete = rates.size == shape[0] * shape[1]
    return RateBlocks(shape, blocks, rates.size, complete, bool(least > 0 and most < 1))


def _compressed(
    rates: Array, rows: Any, columns: Any, weights: Array | None, shape: tuple[int, int], names: Names
) -> Iterator[SparseBlock]:
    whole = sparse.coo_array((rates, (rows, columns)), shape=shape).tocsr()  # adds up what occurs twice
    if whole.nnz < rates.size:
        place = rows.astype(np.int64) * shape[1] + columns
        order = np.argsort(place, kind="stable")
        twice = int(place[order[1:][np.diff(place[order]) == 0][0]])
        raise InputError(f"{names.cell(*divmod(twice, shape[1]))}: given twice. Keep one rate, or give their mean.")
    heavy = None if weights is None else sparse.coo_array((weights, (rows, columns)), shape=shape).tocsr().data
    starts = whole.indptr
    first = 0
    while first < shape[0]:
        # as many whole rows as fit, and at least one
        last = int(np.searchsorted(starts, starts[first] + CELLS_PER_BLOCK, side="right")) - 1
        last = min(max(last, first + 1), shape[0])
        cells = slice(starts[first], starts[last])
        yield SparseBlock(
            slice(first, last),
            whole.data[cells],
            None if heavy is None else heavy[cells],
            starts[first : last + 1] - starts[first],
            whole.indices[cells],
            (last - first, shape[1]),
        )
        first = last


def _indices(values: Any, what: str) -> Any:
    indices = np.asarray(values)
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        raise InputError(f"{what} must be a list of whole numbers, counted from 0.")
    return indices


def _check_size(shape: tuple[int, ...], names: Names) -> None:
    for what, size, given in (("model", shape[0], names.models), ("item", shape[1], names.items)):
        if given is not None and len(given) != size:
            raise InputError(f"there are {size} {what}s and {len(given)} names for them. Give one name for each.")
        if size < 2:
            raise InputError(f"there is {size or 'no'} {what}. A Rasch model compares: give at least two {what}s.")


def _refuse_rate(rate: float, place: str) -> None:
    if np.isnan(rate):
        raise InputError(f"{place}: the rate is nan. Leave the cell out.")
    raise InputError(f"{place}: the rate {rate:g} is not a share from 0 to 1. Fix it (85% is 0.85).")


def _refuse_weight(weight: float, place: str) -> None:
    raise InputError(f"{place}: the weight is {weight:g}. Weights are numbers from 0 up (0 leaves the cell out).")
