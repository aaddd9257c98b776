"""How well models predict one model: the predictions of each, on whomever they were asked about, held against its
behaviour, beside its own prediction about itself.

Predictor, subject and judge may be three models. Only the subject's own row is a model's prediction about itself; of
all others nothing is said of self-knowledge, and no baseline stands beside them that would know the subject's
behaviour.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from selfexec.analysis.advice import to_ask_about
from selfexec.analysis.cross.matrix import EACH_ITS_OWN
from selfexec.analysis.names import skill_legend, source_notes
from selfexec.analysis.options import SubjectOptions
from selfexec.analysis.result import Form, Rows, ScoredRun, head
from selfexec.analysis.score_table import CAUTION, LEGEND, UNDEFINED
from selfexec.analysis.selection import items_of, refuse_unknown, selection_of
from selfexec.analysis.words import who_replied
from selfexec.claims import Claims, observe
from selfexec.claims.arrays import MISSING, UNREADABLE
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import DEFAULT, FRAME, Condition, asks_for_probabilities, condition_name, condition_named, touching
from selfexec.items import ItemSet
from selfexec.metrics import (
    Estimate,
    RowMaker,
    claim_kind,
    common_items,
    contrast,
    estimates,
    none_if_nan,
    scorable,
    score_by_item,
)
from selfexec.readers import Reading
from selfexec.runs import Run, takes
from selfexec.stats import student
from selfexec.text.numbers import decimal, interval, signed
from selfexec.text.tables import Part, Table

ITSELF = "itself"
COLUMNS = ["experiment", "predictor", "asked about", "skill", "itself less it", "accuracy", "coverage", "items"]
AUROC = "AUROC"  # a column where any prediction is a probability
NO_SELF_KNOWLEDGE = (
    "Of a predictor that is another model nothing follows for self-knowledge, its own or the subject's: it may know "
    "the subject, models in general, or the task."
)


@dataclass(frozen=True)
class PredictionAbout:
    """What one model, asked in one condition, predicted of the subject's behaviour in an experiment.

    `about` is whom the prompts asked about: `itself` (the predictor), or what --frame said. `less` is the skill of the
    subject's own prediction about itself less this one's, paired by item; None in its own row and where it was not
    asked.
    Of probabilities, `auroc` and its difference `less` take the place of skill, which rests on a threshold.
    `source` says what was done; None stands for what cannot be worked out, and `reason` says why, or what to be
    careful of.
    """

    experiment: str
    subject: str
    predictor: str
    condition: str
    about: str
    source: str
    items: int
    claims: int
    unreadable: int
    missing: int
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    less: float | None
    less_low: float | None
    less_high: float | None
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    coverage: float | None
    reason: str | None = None
    auroc: float | None = None
    auroc_low: float | None = None
    auroc_high: float | None = None


class PredictionsAbout(Rows[PredictionAbout]):
    """A row for each predictor and condition, the subject's own prediction first. Prints as a table, turns into records
    or a data frame.
    """

    _ROW = PredictionAbout

    def __init__(self, rows: Iterable[PredictionAbout], runs: Iterable[ScoredRun] = (), apart: Sequence[str] = ()):
        super().__init__(rows)
        self.runs, self.apart = tuple(runs), tuple(apart)

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        [subject] = {row.subject for row in self}
        yield f"How well is {subject} predicted?"
        if note := who_replied(list(dict.fromkeys(row.predictor for row in self)), self.runs):
            yield note
        yield from source_notes({row.experiment: row.source for row in self})
        areas = any(row.auroc is not None for row in self)
        columns = [*COLUMNS[:4], AUROC, *COLUMNS[4:]] if areas else COLUMNS
        yield Table("", columns, [_cells(row, areas=areas) for row in self], "plain")
        yield ""
        yield from dict.fromkeys(f"{CAUTION} {row.experiment}, {_who(row)}: {row.reason}" for row in self if row.reason)
        yield f"{LEGEND['strict']}. {skill_legend(dict.fromkeys(row.experiment for row in self))}"
        of_what = "skill, or AUROC of probabilities," if areas else "skill"
        yield f"itself less it: {of_what} of the subject's own prediction less the predictor's, paired by item."
        yield NO_SELF_KNOWLEDGE
        if self.apart:
            yield f"{', '.join(self.apart)}: {EACH_ITS_OWN}"

    def _data(self) -> dict[str, Any]:
        return {**head(self.runs, "strict"), "predictions": self.records()}


class _Place(NamedTuple):
    """A predictor as it was asked."""

    predictor: str
    condition: Condition


@takes(SubjectOptions, "a crossing")
def predictions_about(options: SubjectOptions) -> PredictionsAbout:
    """Every model's predictions, in each condition in which it was asked, held against the behaviour of one model.

    Outcomes are those of the same items and epochs, under the same facets as far as these touch outcomes; strictly
    counted. `conditions` are those in which predictions were made, like `frame=named:GPT-6`.

    Args:
        runs: A run or its folder, or several, or a selection of them.
        subject: The model whose behaviour counts.

    Raises:
        InputError: Nobody has this name, or nobody else was asked about the same items.
    """
    selection, subject = selection_of(options.runs, options), options.subject
    whole = selection.whole_runs
    refuse_unknown("model", [subject], [model for run in whole for model in run.models])
    there = {experiment for run in whole for _, experiment, _ in run.asked}
    asked = [experiment for experiment in EXPERIMENTS if experiment in there]
    refuse_unknown("experiment", selection.experiments, asked)
    wanted = [experiment for experiment in asked if not selection.experiments or experiment in selection.experiments]
    crossed = [experiment for experiment in wanted if claim_kind(experiment).SHARED_CLAIMS]
    meant = {condition_named(name) for name in selection.shown_conditions}
    rows = [row for experiment in crossed for row in _rows(whole, subject, experiment, meant)]
    if all(row.predictor == subject for row in rows):
        names = ", ".join(crossed) or "no experiment in which one can predict another"
        raise InputError(
            f"nobody else's predictions can be held against the behaviour of {subject} ({names}). "
            + to_ask_about(subject.rpartition("/")[2], [run.manifest.origin for run in whole])
        )
    return PredictionsAbout(rows, selection.scored_runs, [e for e in wanted if e not in crossed])


def _rows(
    runs: Sequence[Run], subject: str, experiment: str, conditions: Iterable[Condition]
) -> Iterator[PredictionAbout]:
    """Of one experiment: the subject itself, then the others in the order of the runs."""
    chosen = {*conditions} | {DEFAULT}  # its own prediction stands beside, whatever is chosen
    places = [
        _Place(model, condition)
        for run in runs
        for model, e, condition in run.asked
        if e == experiment and (condition in chosen if model == subject else condition in conditions)
    ]
    everyone = _claims(runs, subject, experiment, sorted(places, key=lambda place: place.predictor != subject))
    if everyone is None:
        return
    kind = claim_kind(experiment)
    found = {place: everyone.of(_name(place)) for place in places}
    records = {place: kind.count(claims, True) for place, claims in found.items() if len(claims)}
    for place in sorted(records, key=lambda place: (place.predictor != subject, places.index(place))):
        itself = _Place(subject, tuple(pair for pair in place.condition if pair[0] != FRAME.name))
        less = Estimate(math.nan)
        if itself in records and place != itself:
            less = (
                _area_difference(found[itself], found[place])
                if _in_areas(place, experiment)
                else kind.skill_difference(records[itself], records[place])
            )
        yield _row(subject, place, found[place], less)


def _in_areas(place: _Place, experiment: str) -> bool:
    """Whether predictions are probabilities of yes and no, which have no threshold."""
    return asks_for_probabilities(place.condition) and claim_kind(experiment).FREE_THRESHOLD


def _area_difference(own: Claims, others: Claims) -> Estimate:
    """AUROC of one less that of another, paired by item: Student's t."""
    (one, mine), (two, theirs) = (score_by_item("auroc", claims) for claims in (own, others))
    if math.isnan(one.value) or math.isnan(two.value):
        return Estimate(math.nan, reason=one.reason or two.reason)
    found = contrast(lambda totals: totals[..., 0] / totals[..., 1], [mine, theirs], [1.0, -1.0])
    return replace(found, interval=student(found.value, found.error, len(common_items([mine, theirs]))).within(-1, 1))


def _claims(runs: Sequence[Run], subject: str, experiment: str, places: Sequence[_Place]) -> Claims | None:
    """The claims of each predictor in each condition as those of a model of its own, with the subject's behaviour."""
    definition = EXPERIMENTS[experiment]
    outcomes = [kind for kind in definition.session_kinds if kind not in definition.predictions]
    [home] = [run for run in runs if subject in run.models]
    readings: dict[Key, Reading] = {}
    asked: dict[tuple[str, str, Condition], dict[str, Sequence[int]]] = {}
    for place in places:
        [run] = [run for run in runs if place.predictor in run.models]
        name = _name(place)
        common = _common(run, home, subject, experiment, place, outcomes)
        asked[name, experiment, DEFAULT] = common
        sides = ((run, place.predictor, definition.predictions), (home, subject, outcomes))
        for where, model, kinds in sides:
            for key in where.keys.get((model, experiment), ()):
                here = key.session_kind in kinds and key.epoch in common.get(key.item, ())
                if here and key.facets == touching(place.condition, experiment, key.session_kind):
                    readings[key._replace(model=name, facets=DEFAULT)] = where.readings[key]
    if not readings:
        return None
    tables = observe(ItemSet("", items_of(runs), {}), readings, asked, home.chosen_sources)
    return tables.claims.get(experiment)


def _common(
    run: Run, home: Run, subject: str, experiment: str, place: _Place, outcomes: Sequence[str]
) -> dict[str, Sequence[int]]:
    """The items, with their epochs, that the predictor was asked about in its condition, and that the subject was to do
    under the same facets as there.
    """

    def under(condition: Condition) -> list[Condition]:
        return [touching(condition, experiment, kind) for kind in outcomes]

    done: dict[str, set[int]] = {}
    for (model, e, condition), by_id in home.asked.items():
        if (model, e) == (subject, experiment) and under(condition) == under(place.condition):
            for id, epochs in by_id.items():
                done.setdefault(id, set()).update(epochs)
    wanted = run.asked[place.predictor, experiment, place.condition]
    both = {id: sorted(done.get(id, set()).intersection(epochs)) for id, epochs in wanted.items()}
    return {id: epochs for id, epochs in both.items() if epochs}


def _name(place: _Place) -> str:
    return f"{place.predictor}\n{condition_name(place.condition)}"


def _row(subject: str, place: _Place, claims: Claims, less: Estimate) -> PredictionAbout:
    found = estimates(claims)
    items = len(np.unique(claims.item))
    unreadable, missing = (int((claims.state == state).sum()) for state in (UNREADABLE, MISSING))
    asked = RowMaker(place.predictor, claims.experiment, "strict", items, len(claims), unreadable, missing)
    kind = claim_kind(claims)
    caution = asked.caution or kind.too_few(claims.where(scorable(claims, True)), kind.count(claims, True))
    numbers: dict[str, float | None] = {}
    skill, area = found["skill"], Estimate(math.nan)
    if _in_areas(place, claims.experiment):
        skill, area = Estimate(math.nan), score_by_item("auroc", claims)[0]
    for name, estimate in {"skill": skill, "auroc": area, "less": less, "accuracy": found["accuracy"]}.items():
        ends = (estimate.value, *estimate.interval)
        numbers |= dict(zip((name, f"{name}_low", f"{name}_high"), map(none_if_nan, ends), strict=True))
    return PredictionAbout(
        experiment=claims.experiment,
        subject=subject,
        predictor=place.predictor,
        condition=condition_name(place.condition),
        about=_about(place.condition),
        source=claims.source,
        items=items,
        claims=len(claims),
        unreadable=unreadable,
        missing=missing,
        **numbers,
        coverage=none_if_nan(found["coverage"].value),
        reason=skill.reason or area.reason or caution,
    )


def _about(condition: Condition) -> str:
    """Whom the prompts asked about."""
    level = dict(condition).get(FRAME.name)
    if level is None:
        return ITSELF
    name, _, given = level.partition(":")
    return given or FRAME.texts[name]


def _who(row: PredictionAbout) -> str:
    more = "" if row.condition == condition_name(DEFAULT) else f" [{row.condition}]"
    return f"{row.predictor}{more}"


def _cells(row: PredictionAbout, *, areas: bool) -> list[str]:
    def shown(name: str, mark: str = "", say: Callable[[float | None], str] = decimal) -> str:
        value, low, high = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
        if value is None:
            return UNDEFINED
        return interval(value, low, high, say) + mark

    coverage = UNDEFINED if row.coverage is None else decimal(row.coverage)
    mark = CAUTION if row.reason else ""
    more = "" if (row.predictor, row.about) == (row.subject, ITSELF) else shown("less", say=signed)
    return [
        row.experiment,
        row.predictor,
        _asked_about(row),
        shown("skill", mark),
        *([shown("auroc", mark)] if areas else []),
        more,
        shown("accuracy"),
        coverage,
        f"{row.items:,}",
    ]


def _asked_about(row: PredictionAbout) -> str:
    """With what else was otherwise."""
    rest = [pair for pair in condition_named(row.condition) if pair[0] != FRAME.name]
    return f"{row.about} [{condition_name(tuple(rest))}]" if rest else row.about
