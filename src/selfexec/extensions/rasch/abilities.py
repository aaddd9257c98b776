"""Abilities of models on one scale, from their success rates on benchmarks: the Rasch model with names."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from selfexec.analysis.result import Form, Result
from selfexec.errors import InputError
from selfexec.extensions.rasch.options import RaschOptions
from selfexec.extensions.rasch.rates import RateTable, load_rates
from selfexec.extensions.rasch.solver import RaschFit, Sides, fit_rasch, jackknife_errors, negative_log_likelihood
from selfexec.runs import files, takes
from selfexec.text import matching
from selfexec.text.numbers import number_of
from selfexec.text.tables import Part, Table

if TYPE_CHECKING:
    import polars as pl

TITLES = ("Ability, by the Rasch model", "Item difficulty of each benchmark")
COLUMNS = ("95% interval", "SE", "infit", "outfit")
Named = matching.Named[float | None]


@dataclass(frozen=True, repr=False)
class Rasch(Result):
    """A fitted table. Prints as models by ability and benchmarks by difficulty."""

    rates: RateTable
    fit: RaschFit
    jackknifed: Named | None = None  # standard errors of abilities, where they were asked for

    @property
    def abilities(self) -> Named:
        """Each model's ability in logits; None where the table does not settle it."""
        return _named(self.rates.models, self.fit.abilities)

    @property
    def item_difficulties(self) -> Named:
        """Each benchmark's difficulty in logits, on the scale of the abilities."""
        return _named(self.rates.benchmarks, self.fit.item_difficulties)

    @property
    def negative_log_likelihood(self) -> float:
        """Algorithm 1's last number: how far the fitted rates are from the table's; the least of all fits."""
        return negative_log_likelihood(self.rates.rates, self.fit)

    def jackknife(self) -> Named:
        """Standard errors of abilities by leaving out one benchmark at a time."""
        return _named(self.rates.models, jackknife_errors(self.rates.rates, items=self.rates.benchmarks))

    def record(self) -> dict[str, Any]:
        """Everything by name; what is not defined is None."""
        return {
            "abilities": self.abilities,
            "item_difficulties": self.item_difficulties,
            "se": self._both(self.fit.se),
            "infit": self._both(self.fit.infit),
            "outfit": self._both(self.fit.outfit),
            **({"jackknife": self.jackknifed} if self.jackknifed else {}),
            "iterations": self.fit.iterations,
            "method": self.fit.method,
        }

    def _data(self) -> dict[str, Any]:
        return self.record()

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        """Models from able to less able, benchmarks from hard to easy."""
        fit, rates = self.fit, self.rates
        columns = ("model", "ability", *COLUMNS, *(["jackknife SE"] if self.jackknifed else []))
        models = [[*row, *self._jackknife_cell(row[0])] for row in self._rows(rates.models, fit.abilities, 0)]
        yield Table(TITLES[0], columns, models, "plain")
        benchmarks = self._rows(rates.benchmarks, fit.item_difficulties, 1)
        yield Table(TITLES[1], ("benchmark", "item difficulty", *COLUMNS), benchmarks, "plain")
        yield from self._notes()

    def _both(self, sides: Sides) -> dict[str, Named]:
        return {
            "abilities": _named(self.rates.models, sides.abilities),
            "item_difficulties": _named(self.rates.benchmarks, sides.item_difficulties),
        }

    def _rows(self, names: Sequence[str], values: Any, side: int) -> list[list[str]]:
        from scipy.special import stdtrit

        fit = self.fit
        reach = float(stdtrit(max(fit.degrees_of_freedom, 1), 0.975))
        columns = (fit.se[side], fit.infit[side], fit.outfit[side])
        return [
            [names[k], f"{values[k]:z.3f}", _interval(values[k], reach * fit.se[side][k])]
            + [_shown(column[k]) for column in columns]
            for k in np.argsort(-values, kind="stable")
        ]

    def _jackknife_cell(self, model: str) -> list[str]:
        return [] if self.jackknifed is None else [_shown(self.jackknifed[model] or math.nan)]

    def _notes(self) -> list[str]:
        fit, rates = self.fit, self.rates
        filled = int(np.isfinite(rates.rates).sum())
        origin = "not centred, as printed in the paper" if fit.method == "paper" else "item difficulties add up to 0"
        return [
            f"P(success) = expit(ability - item difficulty); {origin}.",
            f"{number_of(len(rates.models), 'model')}, {number_of(len(rates.benchmarks), 'benchmark')}, "
            f"{filled} of {number_of(rates.rates.size, 'rate')}; "
            f"method {fit.method}, {number_of(fit.iterations, 'iteration')}.",
            f"negative log-likelihood {self.negative_log_likelihood:.3f} (Algorithm 1, line 25; less is closer).",
            f"infit, outfit: misfit; {_shown(fit.dispersion)} (the dispersion) is the average, more fits worse.",
        ]


@takes(RaschOptions, "abilities")
def rasch(options: RaschOptions) -> Rasch:
    """Abilities and item difficulties in logits, from success rates: the Rasch model.

    Args:
        table: A CSV file or a data frame, whose first column names the model and whose others hold rates from 0 to 1
            (an empty cell is a hole); or "paper" for the paper's own table.

    Raises:
        InputError: The table cannot be read, or a model or benchmark, which is named, has no finite estimate.
    """
    table, more = options.table, files(options.add)
    rates = load_rates(table, more) if isinstance(table, str | Path) else _from_frame(table, more)
    fit = fit_rasch(rates.rates, models=rates.models, items=rates.benchmarks, method=options.method)
    found = Rasch(rates, fit)
    return replace(found, jackknifed=found.jackknife()) if options.jackknife else found


def paper_abilities() -> dict[str, float]:
    """Abilities of the models in the paper's Table 1."""
    return {model: ability for model, ability in rasch("paper").abilities.items() if ability is not None}


def _from_frame(table: "RateTable | pl.DataFrame", add: Sequence[str | Path]) -> RateTable:
    if not isinstance(table, RateTable) and not hasattr(table, "columns"):
        given = "None" if table is None else type(table).__name__
        raise InputError(f"table: expected a file, rates or a data frame, not {given}.")
    if add:
        raise InputError("add takes files beside a file. Join data frames before.")
    if isinstance(table, RateTable):
        return table
    model, *benchmarks = table.columns
    names = tuple(str(name) for name in table[model])
    if len(twice := [name for name in names if names.count(name) > 1]):
        raise InputError(f"model {twice[0]!r} occurs twice. Rename one of them.")
    if texts := [name for name in benchmarks if not table[name].dtype.is_numeric()]:
        raise InputError(f"column {texts[0]!r} is {table[texts[0]].dtype}, and rates are numbers from 0 to 1. Fix it.")
    rates = np.array([table[name].cast(float).fill_null(math.nan).to_numpy() for name in benchmarks]).T
    return RateTable(names, tuple(benchmarks), rates.reshape(len(names), len(benchmarks)))


def _named(names: Sequence[str], values: Any) -> Named:
    return Named({name: _known(float(value)) for name, value in zip(names, values, strict=True)})


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _shown(value: float) -> str:
    return f"{value:z.3f}" if math.isfinite(value) else "–"


def _interval(value: float, half: float) -> str:
    return f"[{value - half:z.3f}, {value + half:z.3f}]" if math.isfinite(half) else "–"
