"""How models recover from words put into their replies, by kind, dose and task, and how well they predict it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.analysis.selection import Selection, known_conditions, selection_of
from selfexec.errors import InputError
from selfexec.extensions.injecting.counting import Trial, cells, mean, prediction_counts, share, trials_of
from selfexec.extensions.injecting.experiment import KINDS, NONE, TokenInjection
from selfexec.extensions.injecting.options import InjectionOptions
from selfexec.metrics import Cells, Estimate, none_if_nan
from selfexec.runs import Run, takes
from selfexec.text.numbers import decimal, interval, joined, number_of
from selfexec.text.printable import command_line
from selfexec.text.tables import Part, Table

NAME = TokenInjection.name
COLUMNS = ["model", "asked with", "put in", "dose", "task", "items", "recovers", "of it came", "predicted", "noticed"]
COLUMNS += ["extra tokens", "surprise"]
BEFORE_NUMBERS = 2  # columns: model and condition
PREDICTION_COLUMNS = [
    "model",
    "asked with",
    "put in",
    "says yes",
    "recovers",
    "accuracy",
    "majority",
    "skill",
    "claims",
]
LEGEND = (
    "Only tasks that the undisturbed reply got right. recovers: the share of replies with four fifths or more of what\n"
    "was to come where they were disturbed; of it came: the mean share of that. predicted: how often it said that it\n"
    "would finish rightly. noticed: how often it named the foreign words; of none, how often it named any (false\n"
    "alarms). extra tokens: against the sham, the dose aside. surprise: mean nats of the forced tokens. question: the\n"
    "same random words in the question."
)
PREDICTION_LEGEND = (
    "Over doses and tasks. accuracy: the share of predictions that came true; majority: of always saying what is more\n"
    "often so. skill: Youden's J. It knows which of its replies recover where skill is above 0."
)


@dataclass(frozen=True)
class InjectionScore:
    """What came of one kind of injection at one dose in one kind of task, of one model, asked in one condition.

    `items` counts tasks with a known disturbed reply. `kind` is `none` of the sham and `question` where the
    words stand in the question. `recovers` is the share of replies that recover, `came` the mean share of what was
    still to come that came, `predicted` how often the model said that it would, `noticed` how often it named the
    foreign words: of the sham, how often it named any. Ends of intervals are `_low` and `_high`. `extra_tokens` is
    against the sham, `surprise` in nats for each forced token. None: not known, or not asked.
    """

    model: str
    condition: str
    kind: str
    dose: int
    task: str
    items: int
    recovers: float | None
    recovers_low: float | None
    recovers_high: float | None
    came: float | None
    predicted: float | None
    predicted_low: float | None
    predicted_high: float | None
    noticed: float | None
    noticed_low: float | None
    noticed_high: float | None
    extra_tokens: float | None
    surprise: float | None


@dataclass(frozen=True)
class PredictionScore:
    """How well a model predicts whether it recovers from one kind of injection, over doses and tasks: `skill` is
    Youden's J, `majority` the accuracy of always saying what is more often so. `reason` says why there is no skill.
    """

    model: str
    condition: str
    kind: str
    says_yes: float | None
    recovers: float | None
    accuracy: float | None
    majority: float | None
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    claims: int
    unreadable: int
    reason: str | None


@dataclass(frozen=True)
class ShamScore:
    """Of one model in one condition: how many replies were begun for it up to the place of the injection with nothing
    put in, and how many of these are the undisturbed reply, to the letter. `are_forced`: within one generation, so that
    all should be.
    """

    model: str
    condition: str
    replies: int
    same: int
    are_forced: bool


class InjectionScores(Rows[InjectionScore]):
    """A row for each model, condition, kind, dose and task. `predictions` has how well each kind is predicted, `shams`
    what beginning a reply changes by itself. It prints as tables, and turns into records or a data frame.
    """

    _ROW = InjectionScore

    def __init__(
        self,
        rows: Iterable[InjectionScore],
        predictions: Iterable[PredictionScore] = (),
        shams: Iterable[ShamScore] = (),
        runs: Sequence[ScoredRun] = (),
    ) -> None:
        super().__init__(rows)
        self.predictions = tuple(predictions)
        self.shams = tuple(shams)
        self.runs = tuple(runs)

    @property
    def notes(self) -> list[str]:
        """What the shams show, what was not asked, and which predictions could not be read."""
        return [*map(sham_sentence, self.shams), *self._not_asked(), *self._unread()]

    def _not_asked(self) -> Iterator[str]:
        for sham in self.shams:
            place = (sham.model, sham.condition)
            kinds = {row.kind for row in self if (row.model, row.condition) == place}
            if missing := [WHAT[kind] for kind in KINDS if kind not in kinds]:
                yield f"{_who(*place)}: {joined(missing)} were not asked for: its engine cannot put them in."

    def _unread(self) -> Iterator[str]:
        for row in self.predictions:
            if row.unreadable:
                number = number_of(row.unreadable, "prediction")
                yield f"{_who(row.model, row.condition)}, {row.kind}: {number} could not be read."

    def _data(self) -> Mapping[str, Any]:
        more = {
            "predictions": [asdict(row) for row in self.predictions],
            "shams": [asdict(part) for part in self.shams],
        }
        return {**head(self.runs, None), "injection": self.records(), **more}

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        yield Table("Recovery by what is put in, dose and task", COLUMNS, [*map(cells_of, self)])
        yield LEGEND
        yield ""
        yield Table("Predictions of recovery", PREDICTION_COLUMNS, [*map(prediction_cells, self.predictions)])
        yield PREDICTION_LEGEND
        yield from self.notes


WHAT = {"random": "random words", "second": "second likeliest tokens", "least": "least likely tokens"}


# --- from runs -------------------------------------------------------------------------------------------------------


@takes(InjectionOptions, "scores of token injection")
def injection_scores(options: InjectionOptions) -> InjectionScores:
    """How models recover from words put into their replies, by kind, dose and task, in every condition in which they
    were asked, and how well they predict it.

    Args:
        runs: A run or its folder, or several, or a selection of them.

    Raises:
        InputError: Nothing was put into replies.
    """
    selection = selection_of(options.runs, options)
    selection.refuse_unknown()
    known_conditions(selection.whole_runs, selection.conditions)
    result = found_in(selection)
    if not result.shams:
        raise InputError(f"nothing was put into replies. Ask for it: {command_line('run --experiment {}', NAME)}")
    return result


def found_in(selection: Selection) -> InjectionScores:
    """The same of a selection; nothing where nobody was asked."""
    rows: list[InjectionScore] = []
    predictions: list[PredictionScore] = []
    shams: list[ShamScore] = []
    strict = selection.convention == "strict"
    for condition in selection.shown_conditions:
        here = selection.under(condition)
        for run in here.runs:
            for model in run.models:
                if (model, NAME) not in run.keys or not here.wants([model]):
                    continue
                trials = list(_trials(run, model))
                shams.append(_sham(model, condition, run, trials))
                rows += (_row(model, condition, *cell, result) for cell, result in cells(trials).items())
                predictions += _predictions(model, condition, trials, strict)
    return InjectionScores(rows, predictions, shams, selection.scored_runs)


def _trials(run: Run, model: str) -> Iterator[Trial]:
    result: dict[tuple[str, int], tuple[dict[str, Any], dict[str, Any]]] = {}
    for key in run.keys.get((model, NAME), ()):
        readings, replies = result.setdefault((key.item, key.epoch), ({}, {}))
        readings[key.session], replies[key.session] = run.readings[key], run.replies[key]
    items: Mapping[str, Any] = run.items[NAME]
    for (id, _), (readings, replies) in result.items():
        yield from trials_of(items[id], readings, replies)


def _row(model: str, condition: str, kind: str, dose: int, task: str, trials: Sequence[Trial]) -> InjectionScore:
    return InjectionScore(
        model,
        condition,
        kind,
        dose,
        task,
        len({trial.item for trial in trials if trial.recovers is not None}),
        *_ends(share(trials, lambda trial: trial.recovers)),
        none_if_nan(mean(trials, lambda trial: trial.share)),
        *_ends(share(trials, lambda trial: trial.predicted)),
        *_ends(share(trials, lambda trial: trial.noticed)),
        none_if_nan(mean(trials, lambda trial: trial.extra_tokens)),
        none_if_nan(mean(trials, lambda trial: trial.surprise)),
    )


def _predictions(model: str, condition: str, trials: Sequence[Trial], strict: bool) -> Iterator[PredictionScore]:
    for kind in KINDS:
        asked = [trial for trial in trials if trial.kind == kind and trial.is_asked]
        if asked:
            yield prediction_score(model, condition, kind, asked, strict)


def prediction_score(
    model: str, condition: str, kind: str, trials: Sequence[Trial], strict: bool = True
) -> PredictionScore:
    """How well recovery from one kind is predicted in these trials."""
    counts = prediction_counts(trials, strict)
    skill = skill_of(counts)
    total = Cells.of(counts.sum(0))
    true = float(total.tp + total.fn + total.unread_true)
    claims = int(counts.sum())
    return PredictionScore(
        model,
        condition,
        kind,
        none_if_nan(share(trials, lambda trial: trial.predicted).value),
        _part(true, claims),
        _part(float(total.tp + total.tn), claims),
        _part(max(true, claims - true), claims),
        *_ends(skill),
        claims,
        sum(trial.predicted is None for trial in trials),
        skill.reason,
    )


def skill_of(counts: Any) -> Estimate:
    """Youden's J of predictions, with the interval that `selfexec score` gives."""
    from selfexec.metrics.kinds import binary

    if not len(counts):
        return Estimate(math.nan, reason="no prediction has a known outcome")
    return binary.estimates_of(counts)["youden_j"]


def _sham(model: str, condition: str, run: Run, trials: Iterable[Trial]) -> ShamScore:
    known = [trial.same for trial in trials if trial.same is not None]
    forced = any(run.replies[key].injection is not None for key in run.keys[model, NAME])
    return ShamScore(model, condition, len(known), sum(known), forced)


def _ends(result: Estimate) -> tuple[float | None, float | None, float | None]:
    value, low, high = map(none_if_nan, (result.value, *result.interval))
    return value, low, high


def _part(amount: float, whole: float) -> float | None:
    return amount / whole if whole else None


# --- in print --------------------------------------------------------------------------------------------------------


def _who(model: str, condition: str) -> str:
    return f"{model} [{condition}]"


def sham_sentence(sham: ShamScore) -> str:
    """What a sham shows: what differs although nothing was put in is the noise below which nothing can be seen."""
    who = _who(sham.model, sham.condition)
    if not sham.replies:
        return f"{who}: no task was right undisturbed, so that nothing was put in."
    way = "tokens are forced within one generation" if sham.are_forced else "replies are begun as text"
    return f"{who}: {way}; with nothing put in, {sham.same:,} of {sham.replies:,} are the undisturbed reply."


def cells_of(row: InjectionScore) -> list[str]:
    """A row as people read it."""
    return [
        row.model,
        row.condition,
        row.kind,
        "" if row.kind == NONE else str(row.dose),
        row.task,
        f"{row.items:,}",
        interval(row.recovers, row.recovers_low, row.recovers_high),
        decimal(row.came),
        interval(row.predicted, row.predicted_low, row.predicted_high),
        interval(row.noticed, row.noticed_low, row.noticed_high),
        decimal(row.extra_tokens, 1),
        decimal(row.surprise, 1),
    ]


def prediction_cells(row: PredictionScore) -> list[str]:
    """A row of predictions as people read it."""
    shares = (row.says_yes, row.recovers, row.accuracy, row.majority)
    skill = interval(row.skill, row.skill_low, row.skill_high)
    return [row.model, row.condition, row.kind, *map(decimal, shares), skill, f"{row.claims:,}"]
