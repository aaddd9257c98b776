"""Findings in words: the one place where sentences about scores are made. An experiment gives its own phrases."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from selfexec.analysis.findings import PANEL, SIMULATED, Finding, FindingAnswer, Relation
from selfexec.analysis.own_excess import in_words, printed
from selfexec.experiments import EXPERIMENTS, RULE, SELF, by_source
from selfexec.metrics import LEAST_FOR_VERDICT, LEAST_ITEMS, LEAST_KNOWN, LEAST_RARER_ITEMS
from selfexec.text.numbers import all_of, decimal, interval, number_of

if TYPE_CHECKING:
    from selfexec.analysis.result import ScoredRun
    from selfexec.runs import Run

NAMED = 3  # so many models are named; the others are counted

# why a margin says which predictor to use, and not whether a model knows itself (docs/metrics.md)
NO_TEST = (
    "a model that only knows how models in general behave can have a margin above 0, and one with "
    "self-knowledge a margin below 0"
)


@dataclass(frozen=True)
class FindingSentence:
    """A sentence about an experiment, or `overall`."""

    about: str
    answer: FindingAnswer
    text: str


@dataclass(frozen=True)
class Verdicts:
    """Findings of one relation, by what they say; best first."""

    above: tuple[Finding, ...]
    open: tuple[Finding, ...]
    below: tuple[Finding, ...]
    withheld: tuple[Finding, ...]

    @property
    def judged(self) -> tuple[Finding, ...]:
        return (*self.above, *self.open, *self.below)

    @property
    def answer(self) -> FindingAnswer:
        return "yes" if self.above else "open" if self.open else "no"


def verdicts(found: Iterable[Finding]) -> Verdicts:
    every = list(found)
    return Verdicts(
        *(tuple(one for one in every if one.answer == answer) for answer in ("yes", "open", "no", "withheld"))
    )


def sentences(found: Iterable[Finding]) -> list[FindingSentence]:
    """What there is to say besides the answer, experiment by experiment."""
    said: list[FindingSentence | None] = []
    for _, group in groupby(found, key=lambda one: one.about):
        of: dict[Relation, list[Finding]] = {}
        for one in group:
            of.setdefault(one.relation, []).append(one)
        if "others" in of:
            said.append(ahead(of["others"]))
        if "naive" in of:
            said.append(behind_naive(of["naive"]))
        said += own_predictions(of.get("own", ()))
    return [one for one in said if one]


# --- skill ----------------------------------------------------------------------------------------------------------


def overall_skills(skills: Sequence[Finding]) -> list[str]:
    """Those that are known, the highest first."""
    known = sorted((one for one in skills if one.value is not None), key=lambda one: (-(one.value or 0.0), one.subject))
    if not known:
        return []
    if len(skills) == 1:
        return [f"Overall skill {_number(known[0])}, where 0 is chance."]
    return [f"Overall skill, where 0 is chance: {listed_names([f'{one.subject} {_number(one)}' for one in known])}."]


SHORT: Mapping[FindingAnswer, str] = {
    "yes": "predicts better than chance {}",
    "open": "is not shown to predict better than chance {}",
    "no": "predicts worse than chance {}",
}


def simulated(models: Sequence[str], runs: Iterable["Run | ScoredRun"]) -> str | None:
    """That models of these runs are simulated, as the report says it; None where none is."""
    known = {model for run in runs for model in run.simulated}
    if not (n := sum(model in known for model in models)):
        return None
    if n == len(models) == 1:
        return "This model is simulated: no language model was asked, so no score here describes one."
    if n == len(models):
        return "These models are simulated: no language model was asked, so no score here describes one."
    if n == 1:
        return "1 of these models is simulated: it does not serve as a reference model for the others."
    return f"{n} of these models are simulated: they do not serve as reference models for the others."


def people(models: Sequence[str], runs: Iterable["Run | ScoredRun"]) -> str | None:
    """That people replied in the place of models; None where nobody did."""
    known = {model for run in runs for model in run.people}
    if not (n := sum(model in known for model in models)):
        return None
    if n == len(models):
        return f"{'A person' if n == 1 else 'People'} filled in a form: no score here describes a model."
    return f"{n} of these {'is a person' if n == 1 else 'are people'} who filled in a form, not models."


def who_replied(models: Sequence[str], runs: Iterable["Run | ScoredRun"]) -> str | None:
    """That models of these runs are simulated, or are people; None where all are language models."""
    listed = list(runs)
    return " ".join(note for note in (simulated(models, listed), people(models, listed)) if note) or None


# --- one relation ----------------------------------------------------------------------------------------------------


def ahead(skills: Sequence[Finding]) -> FindingSentence | None:
    """Who is ahead in skill, and who cannot be told apart from it."""
    judged = [one for one in skills if one.answer != "withheld"]
    if not judged:
        return None
    best = judged[0]
    text = f"The highest {best.about} skill is that of {_quoted(best)}"
    if best.alike:
        text += f"; it cannot be told apart from {listed_names(best.alike)}"
    elif len(judged) > 1:
        text += ", ahead of every other model" + (" with an overall score" if len(judged) < len(skills) else "")
    return FindingSentence(best.about, best.answer, f"{text}.")


def better_than_chance(skills: Sequence[Finding]) -> FindingSentence:
    """Which models predict themselves better than chance, and which cannot be judged; of one alone its skill."""
    found, about = verdicts(skills), skills[0].about
    if not found.judged:
        alone = len(skills) == 1
        reason = skills[0].reason or "its skill has no interval" if alone else common_reason(found.withheld)
        return FindingSentence(about, "withheld", f"No verdict: {reason}.")
    if len(skills) == 1:
        how = SHORT[found.answer].format(_about(about))
        return FindingSentence(about, found.answer, f"{skills[0].subject} {how} (skill {_number(skills[0])}).")
    parts = []
    if found.above:
        verb = "predict" if len(found.above) > 1 else "predicts"
        parts.append(f"{_names(found.above)} {verb} better than chance {_about(about, len(found.above))}")
    if found.open:
        whole = "" if parts else f" predict better than chance {_about(about, len(found.open))}"
        parts.append(f"{_names(found.open)} {'are' if len(found.open) > 1 else 'is'} not shown to{whole}")
    if found.below:
        whole = "" if parts else f" at predicting {_about(about, len(found.below))}"
        parts.append(f"{_names(found.below)} {'do' if len(found.below) > 1 else 'does'} worse than chance{whole}")
    if found.withheld:
        parts.append(f"no verdict on {_names(found.withheld)}: {common_reason(found.withheld)}")
    return FindingSentence(about, found.answer, f"{'; '.join(parts)}.")


def behind_naive(gaps: Sequence[Finding]) -> FindingSentence | None:
    """Which models a baseline that takes no model is right more often than."""
    found, about = verdicts(gaps), gaps[0].about
    naive = EXPERIMENTS[about].naive
    if not found.below or naive is None:
        return None
    n, k = len(gaps), len(found.below)
    who = f"{all_of(n)} models" if k == n > 1 else found.below[0].subject if n == 1 else f"{k} of {n} models"
    naives = [one.level or 0.0 for one in found.below]
    models = [(one.level or 0.0) + (one.value or 0.0) for one in found.below]
    accuracy = f"accuracy {span(naives)} against {span(models)}"
    return FindingSentence(about, "no", f"{naive.words} is right more often than {who} ({accuracy}).")


# --- own excess ------------------------------------------------------------------------------------------------------

REQUIRES = (
    f"{LEAST_FOR_VERDICT} models, each with at least {LEAST_ITEMS} items asked, {LEAST_KNOWN} items read, "
    f"{LEAST_RARER_ITEMS} items with the rarer outcome and {LEAST_RARER_ITEMS} with the rarer prediction"
)
OWN_EXCESS = (
    "Own excess (what a model's predictions reveal about its own behaviour that other models' predictions and "
    "behaviour do not)"
)


def own_in_short(found: Sequence[Finding]) -> list[str]:
    """The verdicts of all experiments in a sentence, for each panel. Nothing where none is large enough."""
    lines = []
    for subject, whose in ((PANEL, ""), (SIMULATED, " of the simulated models")):
        if those := [one for one in found if one.subject == subject and one.about != "overall"]:
            mixed = any(one.subject == PANEL for one in found)
            clauses = [own_clause(of_one, reasons=False) for of_one in _by_experiment(those).values()]
            lines.append(f"{OWN_EXCESS}{whose if mixed else ''}: {'; '.join(clauses)}.")
    return lines


def own_predictions(found: Sequence[Finding]) -> list[FindingSentence]:
    """A sentence on each panel of one experiment. Overall, that no panel is large enough."""
    if found and found[0].about == "overall":
        return [FindingSentence("overall", "withheld", f"{too_few_models(found[0])}.")]
    by_panel: dict[str, list[Finding]] = {}
    for one in found:
        by_panel.setdefault(one.subject, []).append(one)
    lines = []
    for subject, those in by_panel.items():
        whose = " of the simulated models" if subject == SIMULATED and len(by_panel) > 1 else ""
        answer = next((one.answer for one in those if one.own_verdict), those[0].answer)
        lines.append(FindingSentence(those[0].about, answer, f"Own excess{whose}: {own_clause(those, named=False)}."))
    return lines


def own_in_brief(found: Sequence[Finding], *, reasons: bool = True) -> list[str]:
    """The verdict on own excess in one experiment, on each panel; on single models where they are held against a
    reference panel. With or without the `reasons` that keep it from a better one.
    """
    by_subject: dict[str, list[Finding]] = {}
    for one in found:
        by_subject.setdefault(one.subject, []).append(one)
    names = {PANEL: "", SIMULATED: "Simulated models: "}
    several = len(by_subject) > 1
    return [
        f"{names.get(subject, f'{subject}: ') if several else ''}"
        f"{sentence(own_clause(those, named=False, reasons=reasons))}."
        for subject, those in by_subject.items()
    ]


def own_clause(found: Sequence[Finding], *, named: bool = True, reasons: bool = True) -> str:
    """The verdict in one experiment with its estimate, the interval that was tested, and the effect that would have
    been found, by the source that counts; where that gives no verdict, by the next.
    """
    judged = next((one for one in found if one.own_verdict), found[0])
    head = f"{judged.about}: " if named else ""
    if judged.own_verdict is None:
        return f"{head}no verdict{f' ({judged.reason})' if judged.reason else ''}"
    verdict = printed(judged.own_verdict)
    if judged is not found[0]:
        lacks = found[0].source == SELF
        head += "no verdict where each model judges its own responses, and " if lacks else ""
        verdict = f"{verdict} {_by(judged)}" if lacks else f"{_by(judged)}, {verdict}"
    number = interval(judged.value, judged.tested_low, judged.tested_high, two)
    least = None if judged.detectable is None or judged.own_verdict == "own" else two(judged.detectable)
    power = f"; 80% power to detect {least}" if least else ""
    is_above = judged.own_verdict != "own" and (judged.tested_low or 0.0) > 0
    if reasons:
        why = f". {sentence(in_words(judged.against))}" if is_above or judged.own_verdict == "unresolved" else ""
        return f"{head}{verdict} ({number}{power}){why}"
    if is_above:
        return f"{head}{verdict}: it is above 0 ({number}{power}), but other explanations are not ruled out"
    return f"{head}{verdict} ({number}{power})"


def _by_experiment(found: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_experiment: dict[str, list[Finding]] = {}
    for one in found:
        by_experiment.setdefault(one.about, []).append(one)
    return by_experiment


def _by(found: Finding) -> str:
    """By which source, where it is not the one that counts."""
    if found.source == RULE:
        return f"by a fixed {EXPERIMENTS[found.about].words.rule}"
    return by_source(found.source or "")


def too_few_models(found: Finding) -> str:
    """Why there is no verdict on own excess at all, and what it would require."""
    here = f"more than {number_of(found.models, 'such model')}" if found.models else "any such model"
    return f"{OWN_EXCESS} requires {REQUIRES}; no experiment here has {here}"


# --- one model -------------------------------------------------------------------------------------------------------


def advice(
    experiment: str, said_and_did: int, said_and_not: int, denied_and_did: int, denied_and_not: int
) -> str | None:
    """How far to trust a model's prediction: what came of its yes, and of its no, or of the control. None where it
    never said either.
    """
    kind, words = EXPERIMENTS[experiment].claim_kind, EXPERIMENTS[experiment].words
    if words.behaviour is None:
        return None
    behaviour, all_the_same = words.behaviour
    parts = []
    if yes := said_and_did + said_and_not:
        parts.append(
            f"when it says that it would {behaviour}, it does in {percent(said_and_did / yes)} of {yes:,} cases"
        )
    if no := denied_and_did + denied_and_not:
        else_so = "in the control" if kind == "share" else "when it says that it would not,"
        parts.append(f"{else_so} {all_the_same} in {percent(denied_and_did / no)} of {no:,}")
    return f"{parts[0][0].upper()}{'; '.join(parts)[1:]}." if parts else None


def span(values: Sequence[float]) -> str:
    """.67 to .87"""
    return " to ".join(dict.fromkeys([two(min(values)), two(max(values))]))


def percent(share: float) -> str:
    """In per cent; 0% is none, and 100% all."""
    text = f"{share:.0%}".replace("-0%", "0%")
    if 0 < share < 1 and text in ("0%", "100%"):
        return "less than 1%" if share < 0.5 else "more than 99%"
    return text


# --- words -----------------------------------------------------------------------------------------------------------


def _about(experiment: str, models: int = 1) -> str:
    words = EXPERIMENTS[experiment].words
    return words.about if models == 1 else words.their


def sentence(text: str) -> str:
    """With a capital letter."""
    return f"{text[0].upper()}{text[1:]}"


def two(value: float | None) -> str:
    """A sentence has two digits."""
    return decimal(value, 2)


def _number(found: Finding) -> str:
    return interval(found.value, found.low, found.high, two)


def _quoted(found: Finding) -> str:
    return f"{found.subject}, {_number(found)}"


def _best_first(found: Iterable[Finding]) -> list[Finding]:
    return sorted(found, key=lambda one: (-(one.value or 0.0), one.subject))


def _names(found: Sequence[Finding]) -> str:
    return listed_names([one.subject for one in found])


def listed_names(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def common_reason(found: Sequence[Finding]) -> str:
    """The reason that most share, numbers aside, with an example of it and how many share it."""
    reasons = [one.reason or "it is not defined" for one in found]
    if not reasons:
        return "there are no scores"
    kinds = [re.sub(r"[\d.,]+", "#", reason) for reason in reasons]
    most = max(dict.fromkeys(kinds), key=kinds.count)
    alike = dict.fromkeys(reason for reason, kind in zip(reasons, kinds, strict=True) if kind == most)
    example = next(iter(alike))
    if len(found) > 1:  # "it" would be any of them
        whole = len(alike) == 1 and kinds.count(most) == len(found)
        example = re.sub("^it ", "each model " if whole else f"{found[reasons.index(example)].subject} ", example)
    if len(found) == kinds.count(most) == 1 or (len(alike) == 1 and kinds.count(most) == len(found)):
        return example
    such = "" if len(alike) == 1 else ", each by its own numbers"
    return f"{example} ({kinds.count(most)} of {number_of(len(found), 'model')}{such})"
