"""What is called how in print: skills by their kind of claims, baselines, and metrics that had other names before the
first version, by which a request is refused with the new one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, RULE, SELF, KindName, by_source, source_name
from selfexec.metrics import CONSTANT, STACKED
from selfexec.renamed import METRICS
from selfexec.text.matching import meant
from selfexec.text.numbers import joined

SKILLS: Mapping[KindName, str] = {
    "binary": "Youden's J",
    "order": "Kendall's tau",
    "share": "the lift over the control",
}
BASELINES = {
    "always_yes": "always yes",
    "always_no": "always no",
    "label": "label",
    "order_shown": "order shown",
    "question_length": "question length",
    "text": "text",
    "subject": "subject",
    "others_mode": "others' mode",
    "others_share": "others' share",
    "others_predictions": "others' predictions",
}
OTHERWISE = {
    CONSTANT: CONSTANT,
    STACKED: "all stacked",
    "family_predictions": "family's predictions",
    "family_behaviour": "family's behaviour",
    "history_text": "text of its own history",
    "history_majority": "its own majority",
}


def baseline_name(baseline: str | None) -> str:
    """Those of an experiment that is not ours go by their own names."""
    return (BASELINES | OTHERWISE).get(baseline or "", (baseline or "").replace("_", " "))


def baselines_of(experiment: str) -> Mapping[str, str]:
    """Every baseline that an experiment may have and that knows nothing of the model, by the metric that is its
    accuracy.
    """
    own = EXPERIMENTS[experiment].baselines if experiment in EXPERIMENTS else ()
    return BASELINES | {name: baseline_name(name) for name in own}


def skill_called(experiments: Iterable[str], *further: str) -> str:
    """Youden's J (for difficulty, Kendall's tau)"""
    by_kind: dict[KindName, list[str]] = {}
    for name in experiments:
        if name in EXPERIMENTS:
            by_kind.setdefault(EXPERIMENTS[name].claim_kind, []).append(name)
    first, *others = sorted(by_kind, key=list(SKILLS).index) or ["binary"]
    apart = "; ".join([*(f"for {joined(by_kind[kind])}, {SKILLS[kind]}" for kind in others), *further])
    return f"{SKILLS[first]} ({apart})" if apart else SKILLS[first]


def skill_legend(experiments: Iterable[str]) -> str:
    """skill: Youden's J (for difficulty, Kendall's tau; overall, their mean). 0 is chance, 1 is perfect."""
    asked = list(experiments)
    parts = set(asked) & set(EXPERIMENTS)
    mean = (
        "their mean"
        if parts <= set(PAPER_HEADLINE.experiments)
        else f"the mean of {joined(PAPER_HEADLINE.experiments)}"
    )
    overall = [f"overall, {mean}"] if "overall" in asked else []
    return f"skill: {skill_called(asked, *overall)}. 0 is chance, 1 is perfect."


def source_of(experiment: str, source: str) -> str:
    """Who says what was done, of one experiment: a fixed rule for refusals"""
    if source == SELF:
        return f"{source_name(source)} of what it did"
    return f"a fixed {EXPERIMENTS[experiment].words.rule}" if source == RULE else source_name(source)


def source_notes(sources: Mapping[str, str]) -> Iterator[str]:
    """Who says what was done, by experiment, where it is not the experiment's own source."""
    for experiment, source in sources.items():
        if experiment in EXPERIMENTS and source != (own := EXPERIMENTS[experiment].sources[0]):
            there, here = source_of(experiment, source), source_of(experiment, own)
            yield f"{experiment}: what counts as done is {there}, not {here}."


def crossed_by(experiment: str, source: str) -> str:
    """Behind the title of a matrix: by which further source of what was done."""
    return f"one {EXPERIMENTS[experiment].words.rule}" if source == RULE else by_source(source)


# --- other names before the first version ----------------------------------------------------------------------------


def called_now(name: str) -> str:
    return f"{name} is called {METRICS[name]} now"


def refuse_unknown_metric(name: str, known: Collection[str], before: str = "") -> None:
    """Refuse a metric that is not among those known; `before` says where it was named."""
    if name in known:
        return
    if (now := METRICS.get(name)) in known:
        raise InputError(f"{before}{called_now(name)}.")
    if now:
        raise InputError(f"{before}{called_now(name)}, and is not among {', '.join(known)}.")
    raise InputError(f"{before}unknown metric {name!r}. {meant(name, known)}")


def refuse_old_name(name: str | None) -> None:
    """For look-ups, which find nothing under an old name."""
    if name in METRICS:
        raise KeyError(called_now(name))
