"""The ladder of each model in each experiment: rows, the table of them, and what they say."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from selfexec import renamed
from selfexec.analysis.findings import clear_of_zero
from selfexec.analysis.ladder.row import LadderRow, OwnPrediction
from selfexec.analysis.ladder.words import HEADS, LEGEND, MARKS, NO_TEST, sentences
from selfexec.analysis.names import baseline_name, skill_legend, source_notes
from selfexec.analysis.options import WITH_SKILL, LadderOptions
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.analysis.score import Scores, score
from selfexec.analysis.score_table import CAUTION, UNDEFINED, condition_line
from selfexec.analysis.score_table import LEGEND as CONVENTIONS
from selfexec.analysis.selection import refuse_unknown, selection_of
from selfexec.analysis.words import who_replied
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME
from selfexec.metrics import ITSELF, LEVELS, ModelScores, Score, levels, none_if_nan
from selfexec.panels import MatchedPanel
from selfexec.runs import takes
from selfexec.text.numbers import decimal, interval, joined, signed
from selfexec.text.tables import Part, Table

TITLE = "Does anything predict a model better than its own predictions do?"
OF_OTHERS = (
    "text",
    "others_predictions",
    "others_behaviour",
    "stacked",
    "family_predictions",
    "family_behaviour",
)  # may be of a panel
CHANCE = 0.5  # the AUROC of one probability for all
OF_AREAS = (
    "AUROC, of predictions that are probabilities, in place of skill: .5 is chance, 1 is perfect. Only levels that say "
    "how probable each claim is are there: the same for all, the baseline of margins (all), and the model itself."
)
DETAILS = ["experiment", "level", "baseline", "skill", "itself less it", "items"]


class Ladder(Rows[LadderRow]):
    """Rows of ladders, model by model and experiment by experiment, each from who knows least of the model to its own
    word. Prints as a table of skills (of a model alone, with intervals and differences), turns into records or a data
    frame. `sentences` have what follows for each model.
    """

    _ROW = LadderRow

    def __init__(
        self, rows: Iterable[LadderRow], runs: Iterable[ScoredRun] = (), panels: Iterable[MatchedPanel] = ()
    ) -> None:
        super().__init__(_judged(list(rows)))
        self.runs = tuple(runs)
        self.panels = tuple(panels)

    @property
    def models(self) -> list[str]:
        """The models that there are rows of, in their order."""
        return list(dict.fromkeys(row.model for row in self._rows))

    @property
    def experiments(self) -> list[str]:
        """The experiments that there are rows of."""
        return list(dict.fromkeys(row.experiment for row in self._rows))

    @property
    def convention(self) -> str | None:
        """How was counted: strict or readable; None where there are no rows."""
        return self._rows[0].convention if self._rows else None

    @property
    def sentences(self) -> dict[str, str]:
        """Model -> what its ladder shows."""
        return dict(sentences(self._rows))

    def row(self, model: str, experiment: str, level: str) -> LadderRow:
        """One level. KeyError lists what there is, or has the new name of a level that was called otherwise."""
        if level in renamed.LEVELS:
            raise KeyError(f"{level} is called {renamed.LEVELS[level]} now")
        for row in self._rows:
            if (row.model, row.experiment, row.level) == (model, experiment, level):
                return row
        there = {"models": self.models, "experiments": self.experiments, "levels": LEVELS}
        known = "; ".join(f"{what}: {', '.join(names)}" for what, names in there.items())
        raise KeyError(f"there is no level {level} of {model} in {experiment} ({known})")

    def _data(self) -> dict[str, Any]:
        return {
            "answer": [*self.sentences.values(), NO_TEST],
            **head(self.runs, self.convention),
            "panel": self.panels[0].record() if self.panels else None,
            "levels": {name: group for name, (group, _) in LEVELS.items()},
            "ladder": self.records(),
        }

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        title = "\n".join([TITLE, *self.sentences.values(), *self._about()])
        yield Table(title, *(self._details() if len(self.models) == 1 else self._overview()), "stacked")
        yield from self._cautions()
        if len(self.models) != 1:
            yield MARKS
        yield from LEGEND
        if any(row.measure == "auroc" for row in self._rows):
            yield OF_AREAS
        ranged = " Intervals are 95%." if len(self.models) == 1 else ""
        yield f"{skill_legend(self.experiments)} {CONVENTIONS[self.convention or 'strict']}.{ranged}"
        yield NO_TEST

    def _about(self) -> Iterator[str]:
        if note := who_replied(self.models, self.runs):
            yield note
        yield from source_notes({row.experiment: row.source for row in self._rows if row.source})
        yield from (line for one in self.panels for line in panel_lines(one))
        if self._rows and (condition := self._rows[0].condition) != DEFAULT_NAME:
            yield condition_line(condition)

    def _overview(self) -> tuple[list[str], list[list[str]]]:
        """A line for each model and experiment; levels that nobody has are no columns. The cell of a row that was left
        out is empty.
        """
        there = {row.level for row in self._rows if row.skill is not None}
        shown = [name for name in LEVELS if name in there or name == ITSELF]
        columns = ["model", "experiment", *(HEADS[name] for name in shown)]
        lines = []
        for ladder, rows in self._ladders.items():
            skills = {row.level: _skill(row) for row in rows}
            lines.append([*_named(ladder, rows), *(skills.get(name, "") for name in shown)])
        return columns, lines

    def _details(self) -> tuple[list[str], list[list[str]]]:
        """A line for each level that there is."""
        rows = [
            [
                _named((row.model, row.experiment), [row])[1],
                HEADS[row.level],
                baseline_name(row.baseline),
                _ranged(row.skill, row.low, row.high) + (CAUTION if row.level == ITSELF and row.reason else ""),
                "" if row.difference is None else signed_interval(row),
                f"{row.items:,}",
            ]
            for row in self._rows
            if row.skill is not None
        ]
        return DETAILS, rows

    def _cautions(self) -> Iterator[str]:
        """Why numbers are not there, or to be read with caution: which, where and of whom, each reason once."""
        told: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}  # (reason, experiment, heads) -> models
        for (model, experiment), rows in self._ladders.items():
            own = next((row.reason for row in rows if row.level == ITSELF), None)
            by_reason: dict[str, list[str]] = {}
            for row in rows:
                if row.reason and (row.level == ITSELF or row.reason != own):
                    by_reason.setdefault(row.reason, []).append(HEADS[row.level])
            for reason, heads in by_reason.items():
                told.setdefault((reason, experiment, tuple(heads)), []).append(model)
        if told:
            yield f"not computed ({UNDEFINED}), or to be read with caution ({CAUTION}):"
        alike: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
        for (reason, experiment, which), models in told.items():
            alike.setdefault((reason, which, tuple(models)), []).append(experiment)
        for (reason, which, whom), where in alike.items():
            of = "" if len(whom) == len(self.models) else f" of {joined(whom)}"
            yield f"  {joined(which)} in {joined(where)}{of}: {reason}"

    @property
    def _ladders(self) -> dict[tuple[str, str], list[LadderRow]]:
        """Model and experiment -> the levels that there are rows of."""
        found: dict[tuple[str, str], list[LadderRow]] = {}
        for row in self._rows:
            found.setdefault((row.model, row.experiment), []).append(row)
        return found


@takes(LadderOptions, "a ladder")
def ladder(options: LadderOptions) -> Ladder:
    """The ladder of each model in each experiment, of a run or its folder, or of several: the skill of all who might
    predict it, from who says always the same to its own prediction.

    Args:
        runs: A run or its folder, or several: their models are then each other's reference models. Or a selection of
            them.

    Raises:
        InputError: A name is not there, or the runs cannot be counted together.
    """
    selection = selection_of(options.runs, options)
    refuse_unknown("convention", [selection.convention], WITH_SKILL)
    refuse_unknown("experiment", selection.experiments, list(EXPERIMENTS))
    return ladder_of(score(selection.under(selection.condition)))


def ladder_of(scores: Scores) -> Ladder:
    """The ladders of these models in these experiments."""
    shown = {(row.model, row.experiment) for row in scores}
    rows = (
        row
        for model, parts in scores.parts.items()
        for experiment, part in parts.items()
        if (model, experiment) in shown
        for row in _rows(scores, part)
    )
    return Ladder(rows, scores.runs, scores.panels)


def _rows(scores: Scores, part: ModelScores) -> Iterator[LadderRow]:
    asked = part.asked
    area = scores.get(asked.model, asked.experiment, "auroc")
    if area is not None and area.value is not None:
        yield from _area_rows(scores, part, area)
        return
    best_baseline = scores.get(asked.model, asked.experiment, "best_baseline")
    for level in levels(part):
        named = scores.get(asked.model, asked.experiment, "accuracy" if level.name == ITSELF else level.baseline or "")
        yield LadderRow(
            model=asked.model,
            experiment=asked.experiment,
            condition=asked.condition,
            source=asked.source,
            convention=asked.convention,
            level=level.name,
            group=LEVELS[level.name][0],
            baseline=level.baseline,
            skill=none_if_nan(level.skill.value),
            low=none_if_nan(level.skill.interval.low),
            high=none_if_nan(level.skill.interval.high),
            difference=none_if_nan(level.ahead.value),
            difference_low=none_if_nan(level.ahead.interval.low),
            difference_high=none_if_nan(level.ahead.interval.high),
            accuracy=named.value if named else None,
            own_prediction=None,
            items=level.items,
            models=asked.models,
            reason=level.skill.reason or part.caution,
            panel=best_baseline.panel if best_baseline and level.name in OF_OTHERS else None,
        )


def _area_rows(scores: Scores, part: ModelScores, area: Score) -> Iterator[LadderRow]:
    """The levels of predictions that are probabilities: those that say how probable each claim is, which are a constant
    and the baseline of margins, and the model itself.
    """
    asked = part.asked
    chance = [None if end is None else end - CHANCE for end in (area.value, area.low, area.high)]
    baseline, margin = (scores.get(asked.model, asked.experiment, f"auroc_{name}") for name in ("baseline", "margin"))
    found = {
        "constant": ((CHANCE, None, None), chance),
        "stacked": (_ends(baseline), _ends(margin)),
        ITSELF: (_ends(area), (None, None, None)),
    }
    for level, (numbers, differences) in found.items():
        yield LadderRow(
            model=asked.model,
            experiment=asked.experiment,
            condition=asked.condition,
            source=asked.source,
            convention=asked.convention,
            level=level,
            group=LEVELS[level][0],
            baseline="stacked" if level == "stacked" else None,
            skill=numbers[0],
            low=numbers[1],
            high=numbers[2],
            accuracy=None,
            difference=differences[0],
            difference_low=differences[1],
            difference_high=differences[2],
            own_prediction=None,
            items=area.items,
            models=asked.models,
            reason=area.reason or (baseline.reason if level == "stacked" and baseline else None),
            measure="auroc",
        )


def _ends(row: Score | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if row is None else (row.value, row.low, row.high)


def _named(ladder: tuple[str, str], rows: Sequence[LadderRow]) -> tuple[str, str]:
    """Model and experiment, with the measure where that is not skill."""
    model, experiment = ladder
    return (model, f"{experiment}, AUROC") if rows[0].measure == "auroc" else ladder


class _Gap(NamedTuple):
    value: float | None
    low: float | None
    high: float | None


def _judged(rows: Sequence[LadderRow]) -> list[LadderRow]:
    """The rows with how own predictions stand to them, by experiment: adjusted for all that can be judged there."""
    found = list(rows)
    for experiment in dict.fromkeys(row.experiment for row in rows):
        here = [n for n, row in enumerate(rows) if row.experiment == experiment and _can_be_judged(row)]
        gaps = [_Gap(row.difference, row.difference_low, row.difference_high) for row in (rows[n] for n in here)]
        for n, ahead, behind in zip(here, clear_of_zero(gaps, +1), clear_of_zero(gaps, -1), strict=True):
            word: OwnPrediction = "ahead" if ahead else "behind" if behind else "open"
            found[n] = replace(rows[n], own_prediction=word)
    return found


def _can_be_judged(row: LadderRow) -> bool:
    return row.difference_low is not None and row.difference_high is not None and not row.reason


def _skill(row: LadderRow) -> str:
    """As in the overview: .80*, with what tells how the own prediction stands to it."""
    if row.skill is None:
        return UNDEFINED
    if row.level == ITSELF:
        return decimal(row.skill, 2) + (CAUTION if row.reason else "")
    return decimal(row.skill, 2) + {"behind": "*", "open": "~"}.get(row.own_prediction or "", "")


def _ranged(value: float | None, low: float | None, high: float | None) -> str:
    return UNDEFINED if value is None else interval(value, low, high)


def signed_interval(row: LadderRow) -> str:
    """The difference, as in a table."""
    return interval(row.difference or 0.0, row.difference_low, row.difference_high, signed)
