"""The finding in one picture: a panel overall and for each experiment, a row for each model, what it says of itself
beside the best baseline. Under each experiment the verdict on own excess.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.analysis.findings import against_baseline, against_chance, beside_panel, own_prediction_findings
from selfexec.analysis.score import Score, Scores
from selfexec.analysis.words import ahead_in_brief, own_in_brief
from selfexec.experiments import EXPERIMENTS, PAPER
from selfexec.metrics import LEAST_COVERAGE, not_run
from selfexec.report.svg import Gap, gap

BESIDE = 5  # so many panels have room beside each other


@dataclass(frozen=True)
class PictureMark:
    """A model in one panel. `open`: too close to call; `drawing` is None where there is no number."""

    model: str
    skill: Score | None
    margin: Score | None
    baseline: float | None
    open: bool
    drawing: str | None

    @property
    def faint(self) -> bool:
        return _faint(self.skill, self.margin)

    @property
    def number(self) -> Score | None:
        """What is printed: the margin, without one the skill."""
        known = (row for row in (self.margin, self.skill) if row and row.value is not None)
        return next(known, None)


@dataclass(frozen=True)
class PicturePanel:
    """One experiment, or overall: what is predicted there, who is ahead in brief, models that are judged overall, and
    those that are not. `first` of a line of panels; `own` are the verdicts on own excess.
    """

    experiment: str
    predicted: str
    brief: Sequence[str]
    judged: Sequence[PictureMark]
    apart: Sequence[PictureMark]
    own: Sequence[str]
    first: bool


@dataclass(frozen=True)
class PictureScale:
    """The one scale of all panels."""

    scale: tuple[float, float]
    ticks: Sequence[float]


@dataclass(frozen=True)
class Picture:
    """So many panels stand `beside` each other. `incomplete`: those that are not judged lost too much of what they were
    asked. `why`: model -> what is to be said of its numbers alone; `common` is said of all of them.
    """

    panels: Sequence[PicturePanel]
    beside: int
    axis: PictureScale
    incomplete: bool
    why: Mapping[str, Sequence[str]]
    common: Sequence[str]

    @property
    def marks(self) -> Iterator[PictureMark]:
        return (mark for panel in self.panels for mark in (*panel.judged, *panel.apart))

    @property
    def has_own(self) -> bool:
        return any(panel.own for panel in self.panels)

    @property
    def rows(self) -> int:
        """How many lines of the page's grid a panel takes: its head, its models, their heading, verdicts."""
        judged, apart = len(self.panels[0].judged), len(self.panels[0].apart)
        return 2 + judged + (apart + 1 if apart else 0) + self.has_own

    @property
    def has_margins(self) -> bool:
        return any(mark.baseline is not None for mark in self.marks)

    @property
    def has_ahead(self) -> bool:
        return any(mark.drawing and mark.margin and (mark.margin.value or 0.0) > 0 for mark in self.marks)

    @property
    def has_behind(self) -> bool:
        return any(mark.drawing and mark.margin and (mark.margin.value or 0.0) < 0 for mark in self.marks)

    @property
    def has_open(self) -> bool:
        return any(mark.open for mark in self.marks)

    @property
    def has_faint(self) -> bool:
        return any(mark.faint for mark in self.marks if mark.drawing)


def picture(scores: Scores, models: Sequence[str]) -> Picture | None:
    """None where no model has a number. Overall comes first, where any model has an overall number."""
    experiments = [e for e in ("overall", *EXPERIMENTS) if any(_known(scores, m, e) for m in models)]
    if not experiments:
        return None
    gaps = {e: {m: _gap(*_rows(scores, m, e)) for m in models} for e in experiments}
    axis = _axis([x for those in gaps.values() for one in those.values() if one for x in one.reach])
    judged = {m for m in models if _known(scores, m, "overall")} or set(models)
    beside = in_a_line(len(experiments))
    panels = [_panel(scores, e, judged, gaps[e], axis, n % beside == 0) for n, e in enumerate(experiments)]
    reasons = {model: list(_reasons(scores, model, experiments)) for model in models}
    common = [reason for reason in reasons[models[0]] if all(reason in told for told in reasons.values())]
    why = {model: own for model, told in reasons.items() if (own := [one for one in told if one not in common])}
    incomplete = all(_incomplete(scores, model) for model in models if model not in judged)
    return Picture(panels, beside, axis, incomplete, why, list(_each_once(common)))


def _incomplete(scores: Scores, model: str) -> bool:
    rows = (scores.get(model, experiment, "coverage") for experiment in PAPER.experiments)
    return any(row is not None and (row.value or 0.0) < LEAST_COVERAGE for row in rows)


def in_a_line(panels: int) -> int:
    """How many stand beside each other, in lines of like length."""
    lines = -(-panels // BESIDE)
    return -(-panels // lines)


def _axis(reach: Sequence[float]) -> PictureScale:
    """From chance, or the least, to perfect."""
    low, high = min(0.0, *reach), max(1.0, *reach)
    return PictureScale((low, high), [tick for tick in (-1.0, -0.5, 0.0, 0.5, 1.0) if low <= tick <= high])


def _panel(
    scores: Scores,
    experiment: str,
    judged: Container[str],
    gaps: Mapping[str, Gap | None],
    axis: PictureScale,
    first: bool,
) -> PicturePanel:
    margins = against_baseline(scores.of(experiment, "baseline_margin"))
    skills = against_chance(scores.of(experiment, "skill"))
    open_ = {one.subject for one in margins if one.tone == "open"}
    marks = [_mark(model, *_rows(scores, model, experiment), one, model in open_, axis) for model, one in gaps.items()]
    own = own_prediction_findings(scores.own, experiment) or beside_panel(scores.own, experiment, list(gaps))
    return PicturePanel(
        experiment,
        _predicted(experiment, len(gaps)),
        ahead_in_brief(margins, skills),
        [mark for mark in marks if mark.model in judged],
        [mark for mark in marks if mark.model not in judged],
        own_in_brief(own),
        first,
    )


def _predicted(experiment: str, models: int) -> str:
    if experiment not in EXPERIMENTS:
        *parts, last = PAPER.experiments
        return f"the mean of {', '.join(parts)} and {last}"
    words = EXPERIMENTS[experiment].words
    return words.about if models == 1 else words.their


def _mark(
    model: str, skill: Score | None, margin: Score | None, one: Gap | None, open_: bool, axis: PictureScale
) -> PictureMark:
    drawing = gap(one, axis.scale, axis.ticks) if one else None
    return PictureMark(model, skill, margin, one.held if one else None, open_, drawing)


def _rows(scores: Scores, model: str, experiment: str) -> tuple[Score | None, Score | None]:
    return scores.get(model, experiment, "skill"), scores.get(model, experiment, "baseline_margin")


def _known(scores: Scores, model: str, experiment: str) -> bool:
    skill, _ = _rows(scores, model, experiment)
    return skill is not None and skill.value is not None


def _gap(skill: Score | None, margin: Score | None) -> Gap | None:
    if skill is None or skill.value is None:
        return None
    if margin is None or margin.value is None:
        return Gap(skill.value, None, skill.low, skill.high, _faint(skill, margin))
    return Gap(skill.value, skill.value - margin.value, margin.low, margin.high, _faint(skill, margin))


def _faint(skill: Score | None, margin: Score | None) -> bool:
    """To be read with caution, for more than that its panel is small."""
    rows = (row for row in (skill, margin) if row and row.value is not None)
    return any(row.reason and row.reason != row.small_panel for row in rows)


def _each_once(reasons: Sequence[str]) -> Iterator[str]:
    """Reasons as sentences, what holds in several experiments once."""
    where: dict[str, list[str]] = {}
    for reason in reasons:
        experiment, _, text = reason.partition(": ")
        place, said = (experiment, text) if experiment in EXPERIMENTS else ("", reason)
        where.setdefault(said, []).append(place)
    for said, places in where.items():
        line = said if "" in places else f"{', '.join(places)}: {said}"
        yield line[0].upper() + line[1:]


def _reasons(scores: Scores, model: str, experiments: Sequence[str]) -> Iterator[str]:
    """What is withheld, or to be read with caution, and why; each once."""
    told: set[str] = set()
    for experiment in experiments:
        for row in _rows(scores, model, experiment):
            if row is None or not row.reason or not_run(row):
                continue
            text = row.reason if experiment == "overall" else f"{experiment}: {row.reason}"
            if text not in told:
                told.add(text)
                yield text
