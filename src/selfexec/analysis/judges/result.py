"""Judges as people see them: agreement, labels, correction, and where to look."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from selfexec.analysis.judges.agreement import (
    Agreement,
    Dispute,
    JudgedClaims,
    agreements,
    disputes,
    pairs_by_item,
    said_of,
)
from selfexec.analysis.judges.correction import AgainstLabels, Correction, against_labels, corrections
from selfexec.analysis.judges.labels import load_labels
from selfexec.analysis.options import JudgesOptions
from selfexec.analysis.result import Form, Result, ScoredRun, head, scored_runs
from selfexec.claims import Claims
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.metrics import Estimate, none_if_nan
from selfexec.runs import Run, load_all, names, takes
from selfexec.stats import Interval
from selfexec.text.matching import meant
from selfexec.text.numbers import ABSENT, decimal, interval, number_of, p_value
from selfexec.text.tables import Part, Table

SHOWN = 20  # disputes in a table
NAMED = 5  # labels in a line
UNEQUAL = 0.05  # the level of the test whether a source errs as often with each model
ASSUMED = (
    "Put right: a judge is taken to err as often whatever was predicted, given what was done, and as often with every "
    "model's replies. What is labelled counts by its label. Intervals hold the doubt about the labels too."
)
ALONE = "One source alone says what was done here: there is nobody to agree with. `selfexec judge` asks another"


@dataclass(frozen=True, repr=False)
class Judges(Result):
    """How far those who say what was done agree, and how they stand against labels where there are any.

    `agreements` are of all sources and of every two; `disputes` are claims about which they say different
    things, the most divided first; `items` is by experiment and item how many of its replies there are, and the share
    of pairs of judgements that agree; `labels` and `corrections` are empty without labels.
    """

    agreements: tuple[Agreement, ...]
    disputes: tuple[Dispute, ...]
    items: tuple[tuple[str, str, int, float], ...]
    classes: Mapping[str, Mapping[str, int]]
    labels: tuple[AgainstLabels, ...] = ()
    corrections: tuple[Correction, ...] = ()
    elsewhere: Sequence[str] = ()
    convention: str = "strict"
    runs: tuple[ScoredRun, ...] = ()

    def _content(self, form: Form, width: int) -> Iterator[Part]:
        if not self.agreements:
            yield ALONE
        for experiment in dict.fromkeys(one.experiment for one in self.agreements):
            yield _agreement_table(experiment, self.agreements)
        for source, by_class in self.classes.items():
            yield f"{source}, its judgements: " + ", ".join(f"{n:,} {name}" for name, n in by_class.items())
        if self.labels:
            yield ""
            yield Table("Against labels", LABEL_COLUMNS, [_label_row(one) for one in self.labels], "plain")
            yield from _unequal(self.labels)
            if self.elsewhere:
                labels = number_of(len(self.elsewhere), "label is", "labels are")
                more = f" and {len(self.elsewhere) - NAMED} more" if len(self.elsewhere) > NAMED else ""
                which = ", ".join(self.elsewhere[:NAMED])
                yield f"{labels} of replies that are not here or have changed: {which}{more}."
            yield ""
            yield Table("Put right for the errors of judges", COLUMNS, [_row(one) for one in self.corrections], "plain")
            yield ASSUMED
            yield from _withheld(self.corrections)
        if self.disputes:
            yield ""
            yield _dispute_table(self.disputes, bool(self.labels))
            if len(self.disputes) > SHOWN:
                yield f"{len(self.disputes) - SHOWN:,} more: --format json"
            yield f"To look at one: {self.disputes[0].address}"

    def _data(self) -> Mapping[str, Any]:
        return {
            **head(self.runs, self.convention),
            "agreement": [_agreement_record(one) for one in self.agreements],
            "classes": self.classes,
            "labels": [_label_record(one) for one in self.labels],
            "labels_elsewhere": len(self.elsewhere),
            "corrected": [_correction_record(one) for one in self.corrections],
            "disputes": [vars(one) | {"said": dict(one.said)} for one in self.disputes],
            "items": [dict(zip(("experiment", "item", "replies", "agree"), one, strict=True)) for one in self.items],
        }


@takes(JudgesOptions, "a table of judges")
def judges(options: JudgesOptions) -> Judges:
    """How far those who say what was done in a run agree: the model itself, the fixed rule, other models that judged
    its replies (`sx.judge`), people; and with labels how each errs, and skill put right for that, beside the raw one.

    A run that was asked in several conditions is looked at in the first. The labels are JSON Lines, one reply a line:
    `model`, `item` and `class` (or `value`: true, false), and `experiment`, `epoch`, `session`, `facets` where they are
    needed to identify it. The convention is that of skill.

    Args:
        run: A run or its folder.

    Raises:
        InputError: No experiment of the run has replies that are judged, or the labels cannot be read.
    """
    convention, labels, models = options.convention, options.labels, options.models
    if convention not in ("strict", "readable"):
        raise InputError(f"convention {convention!r}: there are strict and readable.")
    runs = load_all(options.run)
    if len(runs) != 1:
        raise InputError(f"judges are compared within one run, and {number_of(len(runs), 'run is', 'runs are')} given.")
    [whole] = runs
    judged = [e for e in whole.items.experiments if EXPERIMENTS[e].judging]
    wanted = names(options.experiments) or judged
    if strange := [e for e in wanted if e not in judged]:
        raise InputError(f"no replies of the experiment {strange[0]!r} are judged. {meant(strange[0], judged)}")
    if not wanted:
        raise InputError(f"{whole.folder}: its experiments have no replies that are judged.")
    if strange := [model for model in names(models) if model not in whole.models]:
        raise InputError(f"no model {strange[0]!r} is in the run. {meant(strange[0], whole.models)}")
    found, elsewhere = load_labels(Path(labels), whole) if labels is not None else ({}, [])
    if len(whole.conditions) > 1:
        found = {key: outcome for key, outcome in found.items() if not key.facets}
    here = _part(whole.under(whole.conditions[0]) if len(whole.conditions) > 1 else whole, wanted)
    parts = [said_of(here, here.tables.claims[e], found) for e in wanted if e in here.tables.claims]
    shown = [_only(said, names(models)) for said in parts]
    against = [(said, against_labels(said, source)) for said in parts for source in said.sources if labels is not None]
    return Judges(
        tuple(one for said in shown if len(said.sources) > 1 for one in agreements(said)),
        tuple(one for said in shown for one in disputes(said, str(whole.folder))),
        tuple(one for said in shown for one in _by_item(said)),
        _classes(here, wanted, names(models)),
        tuple(one for _, one in against),
        tuple(
            one
            for said, found_against in against
            for one in corrections(
                said, found_against.source, _by(here, said, found_against.source), convention == "strict"
            )
            if not names(models) or one.model in names(models)
        ),
        tuple(elsewhere),
        convention,
        scored_runs([whole]),
    )


def _part(run: Run, experiments: Sequence[str]) -> Run:
    """The run as if these experiments alone had been asked."""
    replies = {key: reply for key, reply in run.replies.items() if key.experiment in experiments}
    asked = {place: by_id for place, by_id in run.asked.items() if place[1] in experiments}
    return replace(run, items=run.items.cut(experiments), replies=replies, asked_here=asked)


def _by(run: Run, said: JudgedClaims, source: str) -> Claims:
    """The claims as a source has their outcomes."""
    return run.with_source(source).tables.claims[said.claims.experiment]


def _only(said: JudgedClaims, models: Sequence[str]) -> JudgedClaims:
    if not models:
        return said
    rows = said.claims.among(models)[said.claims.model]
    return JudgedClaims(said.claims.where(rows), said.sources, said.by[rows], said.idle[rows], said.label[rows])


def _by_item(said: JudgedClaims) -> Iterator[tuple[str, str, int, float]]:
    """Of each item how many replies two sources or more judged, and the share of their pairs that agree; the least
    first.
    """
    agreeing, judged, replies = pairs_by_item(said)
    rows = [
        (said.claims.experiment, id, int(replies[n]), float(agreeing[n] / judged[n]))
        for n, id in enumerate(said.claims.items)
        if judged[n]
    ]
    yield from sorted(rows, key=lambda row: row[3])


def _classes(run: Run, experiments: Sequence[str], models: Sequence[str]) -> dict[str, dict[str, int]]:
    """By source, how many replies it put into which class."""
    found: dict[str, Counter[str]] = {}
    for (key, source), judgement in sorted(run.judgements.items(), key=lambda one: one[0][1]):
        judging, named = EXPERIMENTS[key.experiment].judging, judgement.reason
        meant = key.experiment in experiments and (not models or key.model in models)
        if meant and judging and named is not None and named in judging.outcomes:
            found.setdefault(source, Counter())[named] += 1
    return {source: dict(counter.most_common()) for source, counter in found.items()}


# --- tables ----------------------------------------------------------------------------------------------------------

LABEL_COLUMNS = ("experiment", "source", "sensitivity", "of", "specificity", "of")
COLUMNS = ("model", "source", "outcomes: yes", "put right", "skill", "put right")


def _agreement_table(experiment: str, found: Sequence[Agreement]) -> Table:
    reply = EXPERIMENTS[experiment].words.judged[0]
    rows = [
        (
            " and ".join(one.sources) if len(one.sources) == 2 else f"all {len(one.sources)}",
            f"{one.replies:,}",
            decimal(one.agree),
            interval(one.alpha, *one.interval),
        )
        for one in found
        if one.experiment == experiment
    ]
    return Table(
        f"Agreement between judges: {experiment}",
        ("judges", f"{reply}s", "agreement", "Krippendorff's alpha"),
        rows,
        "plain",
    )


def _label_row(one: AgainstLabels) -> tuple[str, ...]:
    found = interval(one.sensitivity, *one.sensitivity_interval), interval(one.specificity, *one.specificity_interval)
    return one.experiment, one.source, found[0], f"{one.true:,}", found[1], f"{one.false:,}"


def _unequal(against: Sequence[AgainstLabels]) -> Iterator[str]:
    """Which sources err at another rate with one model than with another, where the labels show it."""
    for one in against:
        if one.equal_models_p < UNEQUAL:
            yield (
                f"{one.experiment}: the errors of {one.source} are more frequent with some models' replies than with "
                f"others' (permutation test over labels: p {p_value(one.equal_models_p)}). Corrected numbers of single "
                "models assume that they are not."
            )


def _row(one: Correction) -> tuple[str, ...]:
    return (
        one.model,
        one.source,
        decimal(one.share),
        _estimate(one.share_corrected) if one.reason is None else ABSENT,
        _estimate(one.skill),
        _estimate(one.skill_corrected) if one.reason is None else "withheld",
    )


def _estimate(found: Estimate) -> str:
    return interval(found.value, *found.interval)


def _withheld(found: Sequence[Correction]) -> Iterator[str]:
    """Why which are, each reason once."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    for one in found:
        if one.reason is not None:
            by_reason.setdefault(one.reason, {}).setdefault(one.source, []).append(one.model)
    for reason, by_source in by_reason.items():
        who = "; ".join(f"{source} of {', '.join(models)}" for source, models in by_source.items())
        yield f"Withheld ({who}): {reason}."


def _dispute_table(found: Sequence[Dispute], labelled: bool) -> Table:
    sources = list(dict.fromkeys(source for one in found for source in one.said))
    rows = [
        (
            one.model,
            one.item,
            *(_word(one.said.get(source)) for source in sources),
            *([_word(one.label)] if labelled else []),
        )
        for one in found[:SHOWN]
    ]
    columns = ("model", "item", *sources, *(["label"] if labelled else []))
    n = number_of(len(found), "reply is", "replies are")
    return Table(f"Where they disagree: {n} judged in two ways, the most divided first", columns, rows, "plain")


def _word(said: bool | None) -> str:
    return ABSENT if said is None else "yes" if said else "no"


# --- JSON ------------------------------------------------------------------------------------------------------------


def _with_ends(name: str, value: float, ends: Interval) -> dict[str, float | None]:
    return {name: none_if_nan(value), f"{name}_low": none_if_nan(ends.low), f"{name}_high": none_if_nan(ends.high)}


def _agreement_record(one: Agreement) -> dict[str, Any]:
    ends = _with_ends("alpha", one.alpha, one.interval)
    place = {"experiment": one.experiment, "sources": list(one.sources), "replies": one.replies}
    return {**place, "agree": none_if_nan(one.agree), **ends}


def _label_record(one: AgainstLabels) -> dict[str, Any]:
    return {
        "experiment": one.experiment,
        "source": one.source,
        "true": one.true,
        "false": one.false,
        **_with_ends("sensitivity", one.sensitivity, one.sensitivity_interval),
        **_with_ends("specificity", one.specificity, one.specificity_interval),
        "equal_models_p": none_if_nan(one.equal_models_p),
    }


def _correction_record(one: Correction) -> dict[str, Any]:
    return {
        "experiment": one.experiment,
        "model": one.model,
        "source": one.source,
        "claims": one.claims,
        "share": none_if_nan(one.share),
        **_with_ends("share_corrected", one.share_corrected.value, one.share_corrected.interval),
        **_with_ends("skill", one.skill.value, one.skill.interval),
        **_with_ends("skill_corrected", one.skill_corrected.value, one.skill_corrected.interval),
        "reason": one.reason,
    }
