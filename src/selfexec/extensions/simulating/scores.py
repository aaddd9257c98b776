"""How well models predict each property of their replies, and the mean over properties."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.analysis.selection import Selection, known_conditions, selection_of
from selfexec.claims import Claims
from selfexec.errors import InputError
from selfexec.experiments import Readings
from selfexec.extensions.simulating.counting import (
    NamePairs,
    accuracy_of,
    counts_by_property,
    exact_shares,
    majority_of,
    mean_skill,
    name_pairs,
    others_by_property,
    repeats_by_property,
    skill_of,
)
from selfexec.extensions.simulating.experiment import SECOND, SelfSimulation, SimulatedPrompt
from selfexec.extensions.simulating.options import PropertyOptions
from selfexec.facets import condition_named
from selfexec.metrics import Estimate, none_if_nan
from selfexec.runs import Run, takes
from selfexec.text.numbers import decimal, interval, is_or_are, joined
from selfexec.text.printable import command_line
from selfexec.text.tables import Part, Table

NAME = SelfSimulation.name
MEAN = "mean"  # of the properties
COLUMNS = [
    "model",
    "asked with",
    "property",
    "skill",
    "accuracy",
    "majority",
    "others",
    "ceiling",
    "same value",
    "claims",
]
BEFORE_NUMBERS = 3  # columns
LEGEND = (
    "skill: Youden's J of the claims of a property; the mean is over the properties that held for at least two\n"
    "replies and did not hold for at least two. accuracy: the share of claims predicted rightly, next to that of\n"
    "always saying what is more often so (majority) and of what most other models' replies have (others). ceiling:\n"
    "the skill of one reply to the prompt as a prediction of the other. same value: how often the predicted value\n"
    "is exactly the observed one."
)
OFF = ("thinking", "off")
GO_BY_OFF = (
    "Thinking off is the skill to go by: a model that thinks can write the reply in its thoughts, and read the\n"
    "properties off."
)
ASK_OFF = f"{GO_BY_OFF} It was not asked for here: --facet thinking=off."


@dataclass(frozen=True)
class PropertyScore:
    """How well a model predicts one property of its replies, asked in one condition; or `mean`, over the properties.

    `skill` is Youden's J, `accuracy` the share of claims predicted rightly, `majority` and `others` the accuracy of
    always saying what is more often so, and of what most other models' replies have. `ceiling` is the skill of one
    reply to a prompt as a prediction of the other. `same_value` is how often a prediction names the very value, and
    `same_value_ceiling` how often the second reply has it; None of a yes or no. `reason` says why a number is None, or
    which properties a mean leaves out.
    """

    model: str
    condition: str
    property: str
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    accuracy: float | None
    majority: float | None
    others: float | None
    ceiling: float | None
    same_value: float | None
    same_value_ceiling: float | None
    items: int
    claims: int
    reason: str | None = None


class PropertyScores(Rows[PropertyScore]):
    """A row for each model, condition and property, and for the mean over properties; `names` is what a name in a
    prompt changes. It prints as tables, and turns into records or a data frame.
    """

    _ROW = PropertyScore

    def __init__(
        self, rows: Iterable[PropertyScore], names: Iterable[NamePairs] = (), runs: Sequence[ScoredRun] = ()
    ) -> None:
        super().__init__(rows)
        self.names = tuple(names)
        self.runs = tuple(runs)

    @property
    def means(self) -> list[PropertyScore]:
        """The rows of means over properties, those with thinking off first."""
        return sorted((row for row in self if row.property == MEAN), key=lambda row: not _is_off(row.condition))

    def of(self, mean: PropertyScore) -> list[PropertyScore]:
        """The rows of single properties that a mean is of."""
        same = (mean.model, mean.condition)
        return [row for row in self if (row.model, row.condition) == same and row.property != MEAN]

    @property
    def advice(self) -> str:
        """What is to be said of thinking."""
        return GO_BY_OFF if any(_is_off(row.condition) for row in self) else ASK_OFF

    def _data(self) -> Mapping[str, Any]:
        return {**head(self.runs, None), "properties": self.records(), "names": [asdict(one) for one in self.names]}

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        without = {"property"}
        yield _table("The mean over properties", self.means, without)
        for row in self.means:
            if row.reason:
                yield f"{_who(row)}: {row.reason}."
        yield self.advice
        yield ""
        yield _table("Each property apart", [one for mean in self.means for one in self.of(mean)], set())
        yield LEGEND
        if self.names:
            yield ""
            yield Table("Pairs of prompts that differ in a name alone", NAME_COLUMNS, [*map(_name_cells, self.names)])
            yield NAME_LEGEND


# --- from runs -------------------------------------------------------------------------------------------------------


@takes(PropertyOptions, "scores by property")
def property_scores(options: PropertyOptions) -> PropertyScores:
    """How well models predict each property of their replies, and the mean over properties, in every condition in which
    they were asked.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: Nobody was asked about properties of replies.
    """
    selection = selection_of(options.runs, options)
    selection.refuse_unknown()
    known_conditions(selection.whole_runs, selection.conditions)
    found = found_in(selection)
    if not found:
        raise InputError(
            "nobody was asked what would be true of their replies. Ask for it: "
            f"{command_line('run --experiment {}', NAME)}"
        )
    return found


def found_in(selection: Selection) -> PropertyScores:
    """The same of a selection; nothing where nobody was asked."""
    rows: list[PropertyScore] = []
    names: list[NamePairs | None] = []
    for condition in selection.shown_conditions:
        here = selection.under(condition)
        claims = here.tables.claims.get(NAME)
        for run in here.runs if claims is not None else ():
            for model in run.models:
                if claims is not None and len(claims.of(model)) and here.wants([model]):
                    items, readings = _by_item(run, model)
                    rows += _rows(model, condition, claims, items, readings, selection.convention == "strict")
                    names.append(name_pairs(model, condition, items, readings))
    return PropertyScores(rows, (pair for pair in names if pair), selection.scored_runs)


def _by_item(run: Run, model: str) -> tuple[list[SimulatedPrompt], list[list[Readings]]]:
    """The items that a model was asked, and the readings of their sessions in each epoch."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for key in run.keys.get((model, NAME), ()):
        found.setdefault(key.item, {}).setdefault(key.epoch, {})[key.session] = run.readings[key]
    items: Mapping[str, Any] = run.items[NAME]
    return [items[id] for id in found], [[*epochs.values()] for epochs in found.values()]


def _rows(
    model: str,
    condition: str,
    everybody: Claims,
    items: Sequence[SimulatedPrompt],
    readings: Sequence[Sequence[Readings]],
    strict: bool,
) -> Iterator[PropertyScore]:
    claims = everybody.of(model)
    counts, repeats = counts_by_property(claims, strict), repeats_by_property(items, readings)
    others = others_by_property(everybody, model)
    exact, exact_again = (exact_shares(items, readings, session) for session in ("predict", SECOND))
    parts = [
        _row(model, condition, name, skill_of(found), found, {
            "others": others.get(name, math.nan),
            "ceiling": skill_of(repeats[name]).value if name in repeats else math.nan,
            "same_value": exact.get(name, math.nan),
            "same_value_ceiling": exact_again.get(name, math.nan),
        })
        for name, found in counts.items()
    ]  # fmt: skip
    yield from parts
    skill, left_out = mean_skill(counts)
    ceiling, _ = mean_skill({name: found for name, found in repeats.items() if name not in left_out})
    yield _mean(model, condition, skill, ceiling, parts, claims, _why(left_out))


def _why(left_out: Sequence[str]) -> str | None:
    """Why a mean over properties leaves some out; None where it has all."""
    if not left_out:
        return None
    are = is_or_are(len(left_out))
    return f"{joined(left_out)} {are} left out: fewer than two replies have it, or fewer than two have it not"


def _row(
    model: str, condition: str, name: str, skill: Estimate, counts: Any, shares: Mapping[str, float]
) -> PropertyScore:
    asked = counts.sum(1) > 0
    return PropertyScore(
        model=model,
        condition=condition,
        property=name,
        **_ends(skill),
        accuracy=none_if_nan(accuracy_of(counts)),
        majority=none_if_nan(majority_of(counts)),
        **{name: none_if_nan(share) for name, share in shares.items()},
        items=int(asked.sum()),
        claims=int(counts.sum()),
        reason=skill.reason,
    )


def _mean(
    model: str,
    condition: str,
    skill: Estimate,
    ceiling: Estimate,
    parts: Sequence[PropertyScore],
    claims: Claims,
    why: str | None,
) -> PropertyScore:
    shares = ("accuracy", "majority", "others", "same_value", "same_value_ceiling")
    return PropertyScore(
        model=model,
        condition=condition,
        property=MEAN,
        **_ends(skill),
        **{name: _average([getattr(part, name) for part in parts]) for name in shares},
        ceiling=none_if_nan(ceiling.value),
        items=len({*claims.item.tolist()}),
        claims=sum(part.claims for part in parts),
        reason=skill.reason or why,
    )


def _ends(skill: Estimate) -> dict[str, float | None]:
    names = ("skill", "skill_low", "skill_high")
    return dict(zip(names, map(none_if_nan, (skill.value, *skill.interval)), strict=True))


def _average(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


# --- in print --------------------------------------------------------------------------------------------------------


def _is_off(condition: str) -> bool:
    return OFF in condition_named(condition)


def _who(row: PropertyScore) -> str:
    return f"{row.model} [{row.condition}]"


def _table(title: str, rows: Iterable[PropertyScore], without: set[str]) -> Table:
    shown = [n for n, column in enumerate(COLUMNS) if column not in without]
    return Table(title, [COLUMNS[n] for n in shown], [[cells[n] for n in shown] for cells in map(cells_of, rows)])


def cells_of(row: PropertyScore) -> list[str]:
    """A row as people read it."""
    return [
        row.model,
        row.condition,
        row.property,
        interval(row.skill, row.skill_low, row.skill_high),
        *(decimal(share) for share in (row.accuracy, row.majority, row.others, row.ceiling, row.same_value)),
        f"{row.claims:,}",
    ]


NAME_COLUMNS = ["model", "asked with", "behaviour differs", "by chance", "predictions differ", "foreseen", "claims"]
NAME_LEGEND = (
    "Shares of properties. behaviour differs: between the replies to the two prompts; by chance: between two replies\n"
    "to one of them. foreseen: the share of differences in behaviour that the predictions show, too."
)


def _name_cells(pair: NamePairs) -> list[str]:
    shares = (pair.behaviour, pair.chance, pair.predictions, pair.foreseen)
    return [pair.model, pair.condition, *map(decimal, shares), f"{pair.claims:,}"]
