"""Score rows as people read them: the tables of `score --full`, in a notebook, as JSON or CSV. What `run` and `score`
print first is in `screen`.
"""

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

from selfexec.analysis.answers import answers
from selfexec.analysis.findings import (
    against_baseline,
    own_prediction_findings,
    too_few_for_own,
    verdict_records,
    which_ones,
)
from selfexec.analysis.names import refuse_old_name, skill_legend, source_notes
from selfexec.analysis.notes import noise_and_loss
from selfexec.analysis.options import WITH_SKILL
from selfexec.analysis.own_excess import own_lines, own_records
from selfexec.analysis.probability_table import OF_ANSWERS, OF_CLAIMS, in_probabilities, probability_legend
from selfexec.analysis.reference_panel import panel_lines
from selfexec.analysis.result import Form, Rows, ScoredRun, head, out_lines
from selfexec.analysis.selection import added_convention
from selfexec.analysis.warnings import (
    BEHIND_ANSWERS,
    BesideAnswers,
    Canned,
    SameReplies,
    ServerNotice,
    UnseenTokens,
    Warned,
    texts_of,
)
from selfexec.analysis.words import (
    NO_TEST,
    FindingSentence,
    own_in_short,
    percent,
    too_few_models,
    who_replied,
)
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.facets import DEFAULT_NAME, addressed, condition_named, why_apart
from selfexec.metrics import (
    ADJUSTED,
    AT_THE_CEILING,
    GROUPS,
    LEAST_CEILING,
    MARGINS,
    ModelScores,
    Own,
    Score,
    few_models,
    group_of,
    not_run,
)
from selfexec.metrics.baselines.groups import CONSTANT
from selfexec.panels import MatchedPanel
from selfexec.renamed import METRICS as OLD_NAMES
from selfexec.text.matching import listed
from selfexec.text.numbers import decimal, interval, joined, number_of
from selfexec.text.tables import Part, Table

if TYPE_CHECKING:
    from selfexec.metrics import Bootstrap

ACCURACY = {"overall": "self_execution_score"}
TITLE = "Did the model predict what it would do?"
COLUMNS = ["model", "experiment", "accuracy", "skill", "rate bias", "baseline", "margin", "at equal rates", "coverage"]
RATE_BIAS = "rate bias: predicted minus observed yes rate, whatever the model says yes to."
OF_BASELINES = (
    "baseline: the skill of a predictor that knows only the items and what other models predicted and did.",
    "margin: the model's skill minus the baseline's; above 0, the model predicts better. It reflects both how often "
    "the model says yes and what it says yes to.",
)
MARGIN_AT_OWN_RATE = (
    "at equal rates: the margin when the baseline says yes as often as the model does. It reflects only what the model "
    "says yes to.",
    f"no room to differ: both reach at least {percent(AT_THE_CEILING)} of the highest skill possible at the model's "
    f"yes rate, or that maximum is below {decimal(LEAST_CEILING, 1)}.",
)
NOT_A_TEST = f"a margin does not test self-knowledge: {NO_TEST}."
WITHHELD, UNDEFINED = "withheld", "–"
ABSENT: Mapping[str, str] = {
    WITHHELD: "withheld: an overall score, where that of an experiment is missing or unreliable",
    UNDEFINED: "–: cannot be computed",
}
IN_TABLES = {  # the metrics of the table of scores, and of that of probabilities
    *("skill", "rate_bias", "best_baseline", "baseline_margin", "margin_at_own_rate"),
    *(metric for columns in (OF_CLAIMS, OF_ANSWERS) for metric, _ in columns.values()),
}
CAUTION = "†"  # behind a number whose row has a reason; on the first screen: whose finding is withheld
# what stands in a table -> how a heading over the reasons names it
MARKED: Mapping[str, str] = {
    UNDEFINED: f"not computed ({UNDEFINED})",
    WITHHELD: WITHHELD,
    CAUTION: f"to be read with caution ({CAUTION})",
}
BY_RATE = "margins that may reflect only how often a model says yes (see the margins at equal rates)"
LEGEND = {
    "strict": "strict: an unreadable prediction counts as wrong",
    "readable": "readable: unreadable claims are left out",
}


class Scores(Rows[Score]):
    """Score rows, warnings about what they rest on, and how their intervals were drawn, where they were (`bootstrap`).
    `parts` (model -> experiment) are the counts that they were made of, for comparisons, and `runs` what these counts
    are of; `own` has the verdicts on own excess with all that they rest on, `panels` the reference panel beside the
    runs, by condition. Prints as a table, turns into records or a data frame.

    Where there are several conditions, look-ups are of the first one, the default where it was asked, and `under` has
    the scores of another.
    """

    _ROW = Score

    def __init__(
        self,
        rows: Iterable[Score],
        warnings: Iterable[Warned] = (),
        bootstrap: "Bootstrap | None" = None,
        parts: Mapping[str, Mapping[str, ModelScores]] | None = None,
        runs: Iterable[ScoredRun] = (),
        own: Iterable[Own] = (),
        panels: Iterable[MatchedPanel] = (),
    ) -> None:
        super().__init__(rows)
        self.warnings = tuple(warnings)
        self.bootstrap = bootstrap
        self.parts = parts or {}
        self.runs = tuple(runs)
        self.own = tuple(own)
        self.panels = tuple(panels)

    @cached_property
    def conditions(self) -> list[str]:
        """In which the models were asked, the default one first."""
        return list(dict.fromkeys(row.condition for row in self._rows))

    def under(self, condition: str) -> "Scores":
        """The scores in one condition."""
        if condition not in self.conditions:
            raise KeyError(f"there is no condition {condition!r} ({listed('conditions', self.conditions)})")
        if len(self.conditions) == 1:
            return self
        rows = (row for row in self._rows if row.condition == condition)
        warnings = (w for w in self.warnings if isinstance(w, BesideAnswers) or w.condition == condition)
        parts = self.parts if condition == self.conditions[0] else {}
        own = (one for one in self.own if one.condition == condition)
        panels = (one for one in self.panels if one.panel.condition == condition)
        return Scores(rows, warnings, self.bootstrap, parts, self.runs, own, panels)

    def value(self, model: str, experiment: str, metric: str) -> float | None:
        """One number; None where it is withheld."""
        return self.row(model, experiment, metric).value

    def row(self, model: str, experiment: str, metric: str) -> Score:
        """One number with its interval and what it rests on. KeyError lists what there is."""
        if (row := self.get(model, experiment, metric)) is None:
            there_are = "; ".join(self._there_are(model, experiment))
            raise KeyError(f"there is no {metric} of {model} in {experiment} ({there_are})")
        return row

    def _there_are(self, model: str, experiment: str) -> Iterator[str]:
        """What one may ask for: the metrics of this model in this experiment, else models and experiments."""
        if metrics := [row.metric for row in self._rows if (row.model, row.experiment) == (model, experiment)]:
            yield f"metrics: {', '.join(metrics)}"
        else:
            yield f"models: {', '.join(self.models)}"
            yield f"experiments: {', '.join(self.experiments)}"

    def get(self, model: str, experiment: str, metric: str) -> Score | None:
        """The row, or None where there is none."""
        if metric in OLD_NAMES:
            refuse_old_name(metric)
        return self._by_name.get((model, experiment, metric))

    def of(self, experiment: str, metric: str) -> list[Score]:
        """One number of every model that has it."""
        if metric in OLD_NAMES:
            refuse_old_name(metric)
        return self._of_models.get((experiment, metric), [])

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str, str], Score]:
        """The rows of the first condition, by model, experiment and metric."""
        here = (row for row in reversed(self._rows) if row.condition == self.conditions[0])
        return {(row.model, row.experiment, row.metric): row for row in here}

    @cached_property
    def _of_models(self) -> Mapping[tuple[str, str], list[Score]]:
        """The rows of the first condition, by experiment and metric."""
        found: dict[tuple[str, str], list[Score]] = {}
        for row in self._rows:
            if row.condition == self.conditions[0]:
                found.setdefault((row.experiment, row.metric), []).append(row)
        return found

    @property
    def convention(self) -> str | None:
        """How was counted: strict, readable or authors; None where there are no rows."""
        return self._rows[0].convention if self._rows else None

    @cached_property
    def models(self) -> list[str]:
        """The models that there are rows of, in their order."""
        return list(dict.fromkeys(row.model for row in self._rows))

    @cached_property
    def experiments(self) -> list[str]:
        """Those that were asked, and `overall` behind them where it has a row."""
        found = {row.experiment for row in self._rows}
        return [experiment for experiment in (*EXPERIMENTS, "overall") if experiment in found]

    @cached_property
    def baseline_groups(self) -> dict[str, str]:
        """What each baseline that has a row may know: the question, what others do, what others predict, or its
        history.
        """
        known = {name for experiment in EXPERIMENTS.values() for name in experiment.baselines} | set(GROUPS)
        metrics = dict.fromkeys(row.metric for row in self._rows)
        return {metric: group_of(metric) for metric in metrics if metric in known}

    def sorted_by(self, by: str) -> "Scores":
        """The same scores, models by name (`model`) or by their overall score of this metric (`skill`,
        `baseline_margin`), of one experiment alone by its score of it, which may be `margin_at_own_rate`: the highest
        first, those that are withheld last.
        """
        values = {} if by == "model" else {row.model: row.value for row in self._decisive(by)}
        order = sorted(self.models, key=lambda model: (-_or_least(values.get(model)), model))
        rows = sorted(self._rows, key=lambda row: order.index(row.model))
        return Scores(rows, self.warnings, self.bootstrap, self.parts, self.runs, self.own, self.panels)

    def _decisive(self, metric: str) -> "list[Score]":
        """Rows of this metric, a model each: overall, or of the one experiment that there is."""
        overall = [row for row in self.of("overall", metric) if not not_run(row)]
        asked = [experiment for experiment in self.experiments if experiment != "overall"]
        rows = overall or (self.of(asked[0], metric) if len(asked) == 1 else [])
        if self._rows and not rows:
            with_it = [experiment for experiment in asked if self.of(experiment, metric)]
            known = f"; there is one of {' and of '.join(with_it)}: choose one experiment" if len(asked) > 1 else ""
            raise InputError(f"no order by {metric}: there is no overall {metric}{known}.")
        return rows

    @property
    def by_condition(self) -> "list[Scores]":
        """The scores of each condition by themselves."""
        return [self] if len(self.conditions) < 2 else [self.under(condition) for condition in self.conditions]

    def _data(self) -> dict[str, Any]:
        return {
            "answer": every_answer(self.by_condition),
            **head(self.runs, self.convention),
            "panel": self.panels[0].record() if self.panels else None,
            "scores": self.records(),
            "verdicts": [
                {**record, "condition": one.conditions[0]}
                for one in self.by_condition
                if not stands_apart(one)
                for record in verdict_records(one)
            ],
            "own_excess": own_records(self.own),
            "baseline_groups": self.baseline_groups,
            "warnings": [asdict(warning) for warning in self.warnings],
            **({"bootstrap": asdict(self.bootstrap)} if self.bootstrap else {}),
        }

    def _content(self, form: Form, width: int) -> list[Part]:
        if len(self.conditions) < 2:
            table = Table(_title(self), *_grid(self), "stacked")
            return [table, *in_probabilities([self]), *_notes(self), *probability_legend([self])]
        ones = self.by_condition
        title = "\n".join([question(self), *every_answer(ones)])
        cautions, own = (
            [line for one in ones for line in _marked(one, lines(one))] for lines in (_cautions, own_notes)
        )
        notes = [*dict.fromkeys([*cautions, *own]), *_below_each(ones)]
        columns, rows = grid_by_condition(ones)
        table = Table(title, columns, rows, "stacked")
        below = [*notes, *_legend(self), *probability_legend(ones), *absent(rows)]
        return [table, *in_probabilities(ones), *below]


def _or_least(value: float | None) -> float:
    """A value to sort by; what is withheld comes after all that is not."""
    return -math.inf if value is None else value


def _title(scores: Scores) -> str:
    """The question, and what is said to it."""
    return "\n".join([question(scores), *_said(scores)])


def question(scores: Scores) -> str:
    """What is asked of these scores."""
    added = None if scores.convention in WITH_SKILL else added_convention(scores.convention)
    if added:
        return added.title
    why = stands_apart(scores)
    return f"{condition_line(scores.conditions[0])} These are not scores of self-prediction: {why}." if why else TITLE


def stands_apart(scores: Scores) -> str | None:
    """Why the scores of a condition, the first where there are several, are none of what a model knows of itself."""
    first = scores.conditions[0] if scores.conditions else DEFAULT_NAME
    return None if first == DEFAULT_NAME else why_apart(first)


def _said(scores: Scores) -> list[str]:
    """What puts the answers in doubt, these, the verdicts on own excess, and what else must be known of them."""
    note = who_replied(scores.models, scores.runs)
    own = [one for experiment in scores.experiments for one in own_prediction_findings(scores.own, experiment)]
    return [
        *in_doubt(scores),
        *_answers(scores),
        *own_in_short(own),
        *([note] if note else []),
        *remarks(scores),
        *constant_baselines(scores),
        *_asked_in(scores),
    ]


def claims_unreadable(scores: Scores, models: Sequence[str]) -> int:
    """How many claims of these models could not be read, in all conditions and experiments that are scored."""
    rows = (row for row in scores if row.metric == "accuracy" and row.model in models)
    return sum(row.unreadable for row in rows)


def in_doubt(scores: Scores) -> list[str]:
    """What stands before the answers, since it is open whether they are those of models: several names of one model,
    and responses that are the same to whatever is asked.
    """
    return texts_of(scores.warnings, SameReplies, Canned)


def remarks(scores: Scores, *, in_sentences: bool = True) -> list[str]:
    """What stands behind the answers, which may mislead without it: epochs that are one, answers without a token count,
    or, where answers are given in sentences, with more tokens than text, models without a reply, what servers say of
    their replies, who says what was done, where it is not the experiment's own source, and which reference panel the
    baselines are of.
    """
    sources = {row.experiment: row.source for row in scores if row.metric == "accuracy" and row.source}
    others = {e: source for e, source in sources.items() if source != EXPERIMENTS[e].sources[0]}
    shown = {row.experiment for row in scores}
    unseen = texts_of(scores.warnings, UnseenTokens) if in_sentences else []
    panels = [line for panel in scores.panels for line in panel_lines(panel, shown)]
    return [
        *texts_of(scores.warnings, *BEHIND_ANSWERS),
        *unseen,
        *texts_of(scores.warnings, ServerNotice),
        *(source_notes(others) if others else ()),
        *panels,
    ]


def constant_baselines(scores: Scores) -> Iterator[str]:
    """The models whose baseline is always the same answer, since other models predict them no better."""
    margins = ("baseline_margin", "margin_at_own_rate")
    constant: dict[str, dict[str, None]] = {}
    for row in scores:
        if row.metric in margins and row.baseline == CONSTANT and row.value is not None:
            constant.setdefault(row.model, {})[row.experiment] = None
    for model, experiments in constant.items():
        yield (
            f"{model}: in {joined(experiments)} the prediction from other models is no better than a constant "
            "answer. So a constant answer is the baseline, and its skill is 0."
        )


def _asked_in(scores: Scores) -> list[str]:
    """The condition, where it is the only one here and not the default one."""
    here = scores.conditions
    named = len(here) == 1 and here[0] != DEFAULT_NAME and not stands_apart(scores)
    return [condition_line(here[0])] if named else []


def condition_line(condition: str) -> str:
    """How the models were asked; where they were asked about somebody else, that their own behaviour counts."""
    whom = addressed(condition_named(condition)) if condition != DEFAULT_NAME else ""
    about = f" Predictions are about {whom}; they are compared with the model's own behaviour." if whom else ""
    return f"Condition: {condition}.{about}"


def every_answer(ones: Sequence[Scores]) -> list[str]:
    """What is said in each condition; what is said in all of them alike, once."""
    if len(ones) == 1:
        return _said(ones[0])
    said = {one.conditions[0]: [line for line in _said(one) if line not in _asked_in(one)] for one in ones}
    common = [line for line in next(iter(said.values())) if all(line in lines for lines in said.values())]
    own = (f"{condition}: {line}" for condition, lines in said.items() for line in lines if line not in common)
    return [*own, *common]


def grid_by_condition(ones: Sequence[Scores]) -> tuple[list[str], list[list[str]]]:
    """The table of all conditions: those of a model in an experiment stand together."""
    rows = [[*row[:2], one.conditions[0], *row[2:]] for one in ones for row in _shown_cells(one)]
    order = {place: n for n, place in enumerate(dict.fromkeys((row[0], row[1]) for row in rows))}
    models = {model: n for n, model in enumerate(dict.fromkeys(row[0] for row in rows))}
    rows.sort(key=lambda row: (models[row[0]], order[row[0], row[1]]))
    columns = [*COLUMNS[:2], "condition", *COLUMNS[2:]]
    filled = [n for n, _ in enumerate(columns) if any(row[n] for row in rows)]
    return [columns[n] for n in filled], [[row[n] for n in filled] for row in rows]


def _marked(scores: Scores, lines: Sequence[str]) -> list[str]:
    """Lines below a heading, each with its condition."""
    return [line.replace("  ", f"  {scores.conditions[0]}: ", 1) if line.startswith("  ") else line for line in lines]


def legends(scores: Scores) -> list[str]:
    """What skill, rate bias, baselines and margins are, as far as they are there."""
    metrics = {row.metric for row in scores if row.value is not None}
    return [
        skill_legend(scores.experiments),
        *([RATE_BIAS] if "rate_bias" in metrics else []),
        *OF_BASELINES,
        *(MARGIN_AT_OWN_RATE if "margin_at_own_rate" in metrics else []),
        NOT_A_TEST,
    ]


def _answers(scores: Scores) -> list[str]:
    """The answer in each experiment behind its name, and overall."""
    return [] if stands_apart(scores) else [labelled(one) for one in answers(scores)]


def labelled(found: FindingSentence) -> str:
    """With the experiment before it."""
    return found.text if found.about == "overall" else f"{found.about}: {found.text}"


def _grid(scores: Scores) -> tuple[list[str], list[list[str]]]:
    """The columns that hold anything, and the rows."""
    rows = _shown_cells(scores)
    filled = [n for n, _ in enumerate(COLUMNS) if n < 2 or any(row[n] for row in rows)]
    return [COLUMNS[n] for n in filled], [[row[n] for n in filled] for row in rows]


def _shown_cells(scores: Scores) -> list[list[str]]:
    """The rows of the table, but for overall scores of experiments that were not run."""
    left_out = _not_run(scores)
    return [row for row in score_cells(scores) if (row[0], row[1]) not in left_out]


def _not_run(scores: Scores) -> set[tuple[str, str]]:
    """Whose overall scores are withheld since an experiment was left out, and what else would be said of them."""
    return {(row.model, row.experiment) for row in scores if not_run(row)}


def score_cells(scores: Scores) -> list[list[str]]:
    """The rows of the table, cell by cell as `COLUMNS` names them."""
    found: dict[tuple[str, str], dict[str, Score]] = {}
    for row in scores:
        found.setdefault((row.model, row.experiment), {})[row.metric] = row
    return [[model, experiment, *_cells(experiment, rows)] for (model, experiment), rows in found.items()]


def _cells(experiment: str, rows: dict[str, Score]) -> Iterator[str]:
    accuracy = rows.get(ACCURACY.get(experiment, "accuracy"))
    yield number_cell(accuracy)
    yield number_cell(rows.get("skill"))
    yield number_cell(rows.get("rate_bias"))
    baseline = rows.get("best_baseline")
    yield f"{decimal(baseline.value)}{_mark(baseline)}" if baseline and baseline.value is not None else ""
    yield number_cell(rows.get("baseline_margin"))
    yield number_cell(rows.get("margin_at_own_rate"))
    coverage = rows.get("coverage")
    yield decimal(coverage.value) if coverage and coverage.value is not None else ""


def number_cell(row: Score | None) -> str:
    """A number with its interval, and the mark of what is to be read with caution; of none what stands in its place."""
    if row is None:
        return ""
    if row.value is None:
        return WITHHELD if row.experiment == "overall" else UNDEFINED
    value, bracket, ends = interval(row.value, row.low, row.high).partition(" [")
    return f"{value}{_mark(row)}{bracket}{ends}"


def _mark(row: Score) -> str:
    """What ties a number to the cautions below the table."""
    return CAUTION if row.reason else ""


def absent(cells: Iterable[Sequence[str]]) -> list[str]:
    """What stands in place of a number, each case only where it occurs."""
    shown = {cell for row in cells for cell in row}
    meanings = [meaning for sign, meaning in ABSENT.items() if sign in shown]
    return [f"{'; '.join(meanings)}. The reasons are given above."] if meanings else []


def _cuts(scores: Scores) -> list[str]:
    """Which numbers rest on a preset's cut of the items."""
    cuts: dict[tuple[str, str], list[Score]] = {}
    for row in scores:
        if row.preset and row.metric == "accuracy":
            cuts.setdefault((row.model, row.preset), []).append(row)
    told: dict[str, list[str]] = {}
    for (model, preset), (*rows, last) in cuts.items():
        sizes = [*(f"{row.items} {row.experiment}" for row in rows), number_of(last.items, f"{last.experiment} item")]
        told.setdefault(f"preset {preset} ({', '.join(sizes)})", []).append(model)
    return [cut if len(told) == 1 else f"{cut}: {', '.join(models)}" for cut, models in told.items()]


def _adjusted(scores: Scores) -> Iterator[str]:
    """Skill adjusted to all items of the panel, where the items are a preset's."""
    by_model: dict[str, list[Score]] = {}
    for row in scores:
        if row.metric == ADJUSTED and row.value is not None:
            by_model.setdefault(row.model, []).append(row)
    if by_model:
        panel = next(iter(by_model.values()))[0].panel
        yield (
            f"skill adjusted to all items, by how much easier the preset is for the panel `{panel}`; the level of a "
            "preset may be off, so use margins to compare it with other subsets:"
        )
    for model, rows in by_model.items():
        yield f"  {model}: " + ", ".join(f"{row.experiment} {number_cell(row)}" for row in rows)


def _intervals(scores: Scores) -> str:
    if scores.bootstrap is None:
        return "Intervals are 95% confidence intervals over items."
    drawn = scores.bootstrap
    return f"95% intervals are percentiles of {drawn.replicates:,} bootstrap draws of items (seed {drawn.seed})."


def _notes(scores: Scores) -> list[str]:
    """What is said below the table: first what may mislead, last what the columns mean."""
    return [*_cautions(scores), *own_notes(scores), *_below(scores), *_legend(scores), *absent(_grid(scores)[1])]


def own_notes(scores: Scores) -> list[str]:
    """What the verdicts on own excess rest on; what they take, where there is none at all."""
    few = too_few_for_own(scores.own)
    return [f"{too_few_models(few[0])}."] if few else [*own_lines(scores.own, scores.models)]


def _below(scores: Scores) -> list[str]:
    """Noise, loss, judges, cuts of the items, and skill adjusted to all of them."""
    rests_on = noise_and_loss(scores, scores.warnings, scores.runs)
    return [*out_lines(scores.runs), *rests_on, *_cuts(scores), *_adjusted(scores)]


def _below_each(ones: Sequence[Scores]) -> Iterator[str]:
    """The same of each condition: a sentence with the lines below it is said once where it is said in all of them
    alike, else behind the name of its condition.
    """
    said = {one.conditions[0]: _with_indented(_below(one)) for one in ones}
    common = [part for part in said[ones[0].conditions[0]] if all(part in parts for parts in said.values())]
    yield from (line for part in common for line in part)
    for condition, parts in said.items():
        for sentence, *lines in (part for part in parts if part not in common):
            yield from (f"{condition}: {sentence}", *lines)


def _with_indented(lines: Sequence[str]) -> list[list[str]]:
    """Each line that begins at the margin, with those indented below it."""
    begins = [n for n, line in enumerate(lines) if not line.startswith("  ")]
    return [list(lines[begin:end]) for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True)]


def _legend(scores: Scores) -> list[str]:
    convention = scores.convention or "strict"
    if added := added_convention(convention):
        return [f"{added.legend}. It has neither skill nor intervals, and low coverage is not marked."]
    return [f"{LEGEND[convention]}. {_intervals(scores)}", *legends(scores)]


def _cautions(scores: Scores) -> list[str]:
    """What is withheld, or to be read with caution, and why."""
    reasons = _reasons(scores)
    told = {(model, f"{experiment}: {reason}") for (model, experiment), reason in reasons.items()}
    # an overall score is mostly held back by what is said of an experiment already
    lines = [
        f"  {model}, {experiment}: {reason}"
        for (model, experiment), reason in reasons.items()
        if (model, reason) not in told
    ]
    lines += [f"  {line}" for line in further_cautions(scores, IN_TABLES)]
    if stands_apart(scores):
        return [f"{caution_heading(scores)}:", *lines] if lines else []
    lines += [f"  {line}" for line in margin_cautions(scores, _title(scores))]
    by_rate = [f"  {line}" for line in decided_by_rate(scores)]
    return [
        *([f"{caution_heading(scores)}:", *lines] if lines else []),
        *([f"{BY_RATE}:", *by_rate] if by_rate else []),
    ]


def _reasons(scores: Scores) -> Mapping[tuple[str, str], str]:
    """By model and experiment why its accuracy is withheld, or to be read with caution."""
    not_run = _not_run(scores)
    return {
        (row.model, row.experiment): row.reason
        for row in scores
        if row.reason and row.metric == ACCURACY.get(row.experiment, "accuracy")
        if (row.model, row.experiment) not in not_run
    }


def further_cautions(scores: Scores, metrics: Container[str]) -> Iterator[str]:
    """Why numbers of these metrics are marked: those whose reason is not that of the accuracy beside them. That a
    baseline is of few models is said of margins.
    """
    told = _reasons(scores)
    marked: dict[tuple[str, str, str], list[str]] = {}
    for row in scores:
        is_marked = row.metric in metrics and row.value is not None and row.reason and not row.too_few_models
        if is_marked and told.get((row.model, row.experiment)) != row.reason:
            marked.setdefault((row.model, row.experiment, row.reason or ""), []).append(row.metric)
    for (model, experiment, reason), metrics in marked.items():
        yield f"{model}, {experiment}, {joined(dict.fromkeys(metrics))}: {reason}"


def caution_heading(scores: Scores) -> str:
    """What the reasons below a table are about: "withheld, or to be read with caution (†)"; each sign only where it
    stands in the table.
    """
    cells = [cell for row in _shown_cells(scores) for cell in row[2:]]
    signs = [sign for sign in (UNDEFINED, WITHHELD) if sign in cells]
    # numbers of a further table may be the only ones that are marked
    signs += [CAUTION] if not signs or any(CAUTION in cell for cell in cells) else []
    return ", or ".join(
        [", ".join(names[:-1]), names[-1]] if len(names := [MARKED[sign] for sign in signs]) > 1 else names
    )


def decided_by_rate(scores: Scores) -> Iterator[str]:
    """Margins that are surely above or below 0, though at equal rates nothing is sure."""
    for experiment in EXPERIMENTS:
        margins = {one.subject: one for one in against_baseline(scores.of(experiment, "baseline_margin"))}
        which = [one for one in which_ones(scores, experiment) if one.relation == "which ones"]
        alone = [
            one.subject
            for one in which
            if one.answer in ("open", "ceiling") and margins[one.subject].answer in ("yes", "no")
        ]
        if alone:
            yield f"{experiment}: {', '.join(alone)}"


def margin_cautions(scores: Scores, told: str = "") -> Iterator[str]:
    """Where a margin is withheld in an experiment though the accuracy is not, but for what was `told` already; and
    where it is of too few models to speak for one.
    """
    accurate = {(row.model, row.experiment) for row in scores if row.metric == "accuracy" and row.value is not None}
    withheld: dict[tuple[str, str], list[str]] = {}
    of_few: dict[str, dict[str, None]] = {}
    for row in (row for experiment in EXPERIMENTS for metric in MARGINS for row in scores.of(experiment, metric)):
        if row.value is not None:
            is_of_few = row.too_few_models or row.metric == "baseline_margin"
            if is_of_few and (few := few_models(row.models)):
                of_few.setdefault(few, {})[row.model] = None
        elif row.metric == "baseline_margin" and (row.model, row.experiment) in accurate:
            withheld.setdefault((row.experiment, row.reason or ""), []).append(row.model)
    for (experiment, reason), models in withheld.items():
        if reason not in told:
            yield f"{experiment} margin of {joined(models)}: {reason}"
    for reason, those in of_few.items():
        yield f"margins of {joined(those)}: {reason}"
