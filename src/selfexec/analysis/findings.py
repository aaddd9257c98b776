"""What scores say in words. Each sentence follows by rule from intervals, and is withheld where they say nothing.

Of n models that can be judged, one is said to be above (or below) 0 if its interval excludes 0 after Holm's adjustment
(1979) for n one-sided tests at 2.5%: among ten models the best one is above 0 by luck too often otherwise. A model is
judged if its number is neither withheld nor to be read with caution. None is said to be above 0 by a margin over a
baseline of too few models (`small_panel`); such a margin may speak against a model, or leave it open.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from selfexec.engines import is_simulated
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.base import Naive
from selfexec.metrics import LEAST_PANEL, Score
from selfexec.stats import Z, holm
from selfexec.text.numbers import decimal, interval, number_of

if TYPE_CHECKING:
    from selfexec.analysis.compare.differences import Standing

Tone = Literal["yes", "no", "open", "withheld"]
ONE_SIDED = 0.025
NAMED = 3  # so many models are named; the others are counted

OVERALL_BASELINE = "the questions and what other models do"  # what the best baseline knows, whatever the experiment
# why a margin says which predictor to use, and not whether a model knows itself (docs/metrics.md)
NO_TEST = "who knows models in general can be above 0, who knows all of its own ways below"


@dataclass(frozen=True)
class Said:
    """A sentence about an experiment, or `overall`."""

    about: str
    tone: Tone
    text: str


@dataclass(frozen=True)
class Verdicts:
    """Rows of one metric, by what their intervals say of 0; best first."""

    above: tuple[Score, ...]
    open: tuple[Score, ...]
    below: tuple[Score, ...]
    withheld: tuple[Score, ...]

    @property
    def judged(self) -> tuple[Score, ...]:
        return (*self.above, *self.open, *self.below)


def verdicts(rows: Sequence[Score]) -> Verdicts:
    judged = [r for r in rows if r.value is not None and r.low is not None and r.high is not None and _sound(r)]
    judged.sort(key=lambda r: (-(r.value or 0.0), r.model))
    above, below = _beyond(judged, +1), _beyond(judged, -1)
    above -= {r.model for r in judged if r.small_panel}
    return Verdicts(
        tuple(r for r in judged if r.model in above),
        tuple(r for r in judged if r.model not in above | below),
        tuple(r for r in judged if r.model in below),
        tuple(r for r in rows if r not in judged),
    )


def _sound(row: Score) -> bool:
    """Nothing is to be said of it but that its panel may be small."""
    return not row.reason or row.reason == row.small_panel


def _beyond(rows: Sequence[Score], sign: int) -> set[str]:
    """Models whose value lies beyond 0 on this side, adjusted for their number."""
    from scipy.special import ndtr

    if not rows:
        return set()
    # an end of a 95% interval lies Z standard errors away: p < .025 says just that it excludes 0
    towards = [(r.value or 0.0) - (r.low or 0.0) if sign > 0 else (r.high or 0.0) - (r.value or 0.0) for r in rows]
    z = [sign * (r.value or 0.0) * Z / reach if reach > 0 else 0.0 for r, reach in zip(rows, towards, strict=True)]
    adjusted = holm(np.asarray(ndtr(-np.array(z)), dtype=np.float64))
    return {row.model for row, p in zip(rows, adjusted, strict=True) if p < ONE_SIDED}


# --- the answer ------------------------------------------------------------------------------------------------------


def answer(rows: Sequence[Score], skills: Sequence[Score] = ()) -> Said:
    """The one sentence on top, from the overall margin; of a model alone its overall skill, where that is known."""
    found = verdicts(rows)
    n, k = len(found.judged), len(found.above)
    if not n:
        return Said("overall", "withheld", " ".join(without_margin(rows, skills)))
    full = " that can be judged" if found.withheld else ""
    baseline = _baseline("overall")
    takes = f": {more}" if (more := _takes(found)) else ""
    if n == 1:
        who = f"{found.judged[0].model}, the one model that can be judged," if full else found.judged[0].model
        return Said("overall", _tone(found), f"{who} {_predicts(found)} itself better than {baseline}{takes}.")
    if k == n:
        return Said("overall", "yes", f"All {n} models{full} predict themselves better than {baseline}.")
    if k:
        verb = "predicts itself" if k == 1 else "predict themselves"
        return Said("overall", "yes", f"{k} of {n} models{full} {verb} better than {baseline}: {_names(found.above)}.")
    if len(found.below) == n:
        return Said("overall", "no", f"None of the {n} models{full} predicts itself as well as {baseline}.")
    return Said(
        "overall",
        "open",
        f"None of the {n} models{full} is shown to predict itself better than {baseline}{takes}.",
    )


def without_margin(rows: Sequence[Score], skills: Sequence[Score]) -> list[str]:
    """What is said on top where no margin can be judged: overall skills, and why there is no margin."""
    reason = _common_reason(verdicts(rows).withheld)
    return [*overall_skills(skills), f"The margin over the best baseline is withheld: {reason}."]


def overall_skills(skills: Sequence[Score]) -> list[str]:
    """Those that are known, the highest first."""
    known = sorted((row for row in skills if row.value is not None), key=lambda row: (-(row.value or 0.0), row.model))
    if not known:
        return []
    if len(skills) == 1:
        return [f"Overall skill {_number(known[0])}, where 0 is chance."]
    return [f"Overall skill, where 0 is chance: {_listed([f'{row.model} {_number(row)}' for row in known])}."]


def _takes(found: Verdicts) -> str:
    """How many models it takes to say more of those that are left open, where there are fewer."""
    if not (panels := sorted({row.models for row in found.open if row.models is not None and row.small_panel})):
        return ""
    are = " to ".join(str(n) for n in dict.fromkeys([panels[0], panels[-1]]))
    return f"it takes {LEAST_PANEL} models read on the same items to show that, and there are {are}"


def _tone(found: Verdicts) -> Tone:
    return "yes" if found.above else "open" if found.open else "no"


def _predicts(found: Verdicts) -> str:
    """The verb for one model."""
    return "predicts" if found.above else "is not shown to predict" if found.open else "does not predict"


def best_skill(rows: Sequence[Score], standings: "Sequence[Standing]") -> Said | None:
    """Who is ahead in overall skill, and who cannot be told from it."""
    judged = sorted((r for r in rows if r.value is not None and not r.reason), key=lambda r: (-(r.value or 0), r.model))
    if not judged:
        return None
    best = judged[0]
    text = f"The highest overall skill is that of {_quoted(best)}"
    letters = {s.model: set(s.tied.split()) for s in standings if s.experiment == "overall" and s.metric == "skill"}
    tied = [r.model for r in judged[1:] if letters.get(r.model, set()) & letters.get(best.model, set())]
    if tied:
        text += f"; it cannot be told apart from {_listed(tied)}"
    elif len(judged) > 1:
        text += ", ahead of every other model" + (" with a full score" if len(judged) < len(rows) else "")
    return Said("overall", "open" if tied else "yes", f"{text}.")


def simulated(models: Sequence[str]) -> str | None:
    """That models are simulated, as the report says it; None where none is."""
    if not (n := sum(map(is_simulated, models))):
        return None
    if n == len(models):
        return "Simulated models: no language model was asked, and no score here is of a real one."
    return f"{n} of these models {'is' if n == 1 else 'are'} simulated (sim/...): no score of theirs is of a real one."


# --- one experiment --------------------------------------------------------------------------------------------------


def baseline_margin(experiment: str, rows: Sequence[Score], skills: Sequence[Score] = ()) -> Said:
    """Does a model predict itself better than the best baseline? Where none is shown to, it is said first whether it
    does better than chance, if `skills` are given.
    """
    found = verdicts(rows)
    judged, thing, baseline = found.judged, _its(experiment), _baseline(experiment)
    n, k = len(judged), len(found.above)
    chance = skills_said(experiment, skills) if skills else None
    skill = f"{chance.text} " if chance and chance.tone != "withheld" else ""
    if not n:
        if chance and not skill:
            return chance
        reason = _common_reason(found.withheld)
        return Said(
            experiment, "withheld", f"{skill}Nothing can be said of the margin over the best baseline: {reason}."
        )
    if skill and len(found.open) == n and (takes := _takes(found)):
        return Said(experiment, "open", f"{skill}None is shown to be better than the best baseline: {takes}.")
    if len(rows) == 1:
        text = f"{judged[0].model} {_predicts(found)} {thing} better than {baseline}"
        more = f": {takes}" if (takes := _takes(found)) else f" (margin {_number(judged[0])})"
        return Said(experiment, _tone(found), f"{'' if k else skill}{text}{more}.")
    best = f"best: {judged[0].model}, margin {_number(judged[0])}"
    tone: Tone
    if k:
        who = "The one model that can be judged" if n == 1 else _of(k, n)
        verb = f"predicts {thing}" if k == 1 else f"predict {EXPERIMENTS[experiment].words.their}"
        more = f", and {k - NAMED} more" if k > NAMED else ""
        named = "; ".join(_quoted(row) for row in found.above[:NAMED])
        text, tone = f"{who} {verb} better than {baseline} ({named}{more})", "yes"
    elif len(found.below) == n:
        all_do = "it does worse" if n == 1 else f"all {n} do worse"
        text, tone = f"No model here predicts {thing} better than {baseline}; {all_do} ({best})", "no"
    else:
        worse = f"{len(found.below)} of {n} do worse, " if found.below else ""
        rest = f"of {len(found.open)} it cannot be told"
        more = f"; {takes}" if (takes := _takes(found)) else f" ({best})"
        text = f"No model here is shown to predict {thing} better than {baseline}: {worse}{rest}{more}"
        tone = "open"
    left_out = f" Left out: {_listed([row.model for row in found.withheld])}." if found.withheld else ""
    return Said(experiment, tone, f"{'' if k else skill}{text}.{left_out}")


def skill_alone(experiment: str, row: Score) -> Said:
    """Of a model that has no reference models: does it predict itself better than chance?"""
    if row.value is None or row.low is None or row.high is None or row.reason:
        return Said(experiment, "withheld", f"Nothing can be said: {row.reason or 'its skill has no interval'}.")
    tone: Tone = "yes" if row.low > 0 else "no" if row.high < 0 else "open"
    verb = {"yes": "predicts", "no": "predicts", "open": "is not shown to predict"}[tone]
    than = "worse" if tone == "no" else "better"
    return Said(experiment, tone, f"{row.model} {verb} {than} than chance {_about(experiment)} (skill {_number(row)}).")


def skills_said(experiment: str, rows: Sequence[Score]) -> Said:
    """Which models predict themselves better than chance, and of which nothing can be said; of one alone its skill."""
    if len(rows) == 1:
        return skill_alone(experiment, rows[0])
    found = verdicts(rows)
    if not found.judged:
        return Said(experiment, "withheld", f"Nothing can be said: {_common_reason(found.withheld)}.")
    parts = []
    if found.above:
        verb = "predict" if len(found.above) > 1 else "predicts"
        parts.append(f"{_names(found.above)} {verb} better than chance {_about(experiment, len(found.above))}")
    if found.open:
        whole = "" if parts else f" predict better than chance {_about(experiment, len(found.open))}"
        parts.append(f"{_names(found.open)} {'are' if len(found.open) > 1 else 'is'} not shown to{whole}")
    if found.below:
        whole = "" if parts else f" at predicting {_about(experiment, len(found.below))}"
        parts.append(f"{_names(found.below)} {'do' if len(found.below) > 1 else 'does'} worse than chance{whole}")
    if found.withheld:
        parts.append(f"nothing can be said of {_names(found.withheld)}: {_common_reason(found.withheld)}")
    return Said(experiment, _tone(found), f"{'; '.join(parts)}.")


def models_in_short(skills: Mapping[str, Sequence[Score]]) -> Said:
    """Of several models, which predict themselves better than chance in which experiment, without the numbers."""
    found = {experiment: verdicts(rows) for experiment, rows in skills.items()}
    better = [f"{_names(those.above)} in {experiment}" for experiment, those in found.items() if those.above]
    none = [experiment for experiment, those in found.items() if those.judged and not those.above]
    untold = [experiment for experiment, those in found.items() if not those.judged]
    parts = [
        *([f"Better than chance: {'; '.join(better)}."] if better else []),
        *([f"No model is shown to predict itself better than chance in {_listed(none)}."] if none else []),
        *([f"Nothing can be said of {_listed(untold)}."] if untold else []),
    ]
    return Said("overall", "yes" if better else "open" if none else "withheld", " ".join(parts))


SHORT: Mapping[Tone, str] = {
    "yes": "predicts better than chance {}",
    "open": "is not shown to predict better than chance {}",
    "no": "predicts worse than chance {}",
}


def skills_in_short(rows: Sequence[Score]) -> Said:
    """Of a model alone, its skill in each experiment: which it predicts better than chance, without the numbers."""
    tones = {row.experiment: skill_alone(row.experiment, row).tone for row in rows}
    parts = [
        how.format(_listed(things))
        for tone, how in SHORT.items()
        if (things := [_about(experiment) for experiment, found in tones.items() if found == tone])
    ]
    said = [f"{rows[0].model} {'; it '.join(parts)}"] if parts else []
    if untold := [experiment for experiment, found in tones.items() if found == "withheld"]:
        said.append(f"{'nothing' if said else 'Nothing'} can be said of {_listed(untold)}")
    tone: Tone = next((tone for tone in ("yes", "open", "no") if tone in tones.values()), "withheld")
    return Said("overall", tone, f"{'; '.join(said)}.")


def naive_baseline(experiment: str, naive: Naive, gaps: Sequence[Score], baselines: Mapping[str, Score]) -> Said | None:
    """Which models a baseline that takes no model is right more often than. `gaps`: accuracy less that of the baseline,
    which `baselines` have by model.
    """
    found = verdicts(gaps)
    if not found.below:
        return None
    n, k = len(found.judged), len(found.below)
    who = f"all {n} models" if k == n > 1 else found.below[0].model if n == 1 else f"{k} of {n} models"
    values = sorted(baselines[row.model].value or 0.0 for row in found.below)
    between = " to ".join(dict.fromkeys([two(values[0]), two(values[-1])]))
    return Said(experiment, "no", f"{naive.words} is right more often than {who} (accuracy {between}).")


# --- one model -------------------------------------------------------------------------------------------------------


def advice(
    experiment: str, said_and_did: int, said_and_not: int, denied_and_did: int, denied_and_not: int
) -> str | None:
    """How far to trust a model's word: what came of its yes, and of its no. None where it never said either."""
    words = EXPERIMENTS[experiment].words
    if words.deed is None:
        return None
    deed, all_the_same = words.deed
    parts = []
    if yes := said_and_did + said_and_not:
        parts.append(f"when it says that it would {deed}, it does in {said_and_did / yes:.0%} of {yes:,} cases")
    if no := denied_and_did + denied_and_not:
        parts.append(f"when it says that it would not, {all_the_same} in {denied_and_did / no:.0%} of {no:,}")
    return f"W{'; '.join(parts)[1:]}." if parts else None


# --- words -----------------------------------------------------------------------------------------------------------


def _its(experiment: str) -> str:
    return EXPERIMENTS[experiment].words.its


def _about(experiment: str, models: int = 1) -> str:
    words = EXPERIMENTS[experiment].words
    return words.about if models == 1 else words.their


def _baseline(experiment: str) -> str:
    knows = OVERALL_BASELINE if experiment == "overall" else EXPERIMENTS[experiment].words.baseline
    return f"the best baseline, which knows only {knows}"


def two(value: float | None) -> str:
    """A sentence has two digits."""
    return decimal(value, 2)


def _number(row: Score) -> str:
    return interval(row.value, row.low, row.high, two)


def _quoted(row: Score) -> str:
    return f"{row.model}, {_number(row)}"


def _of(k: int, n: int) -> str:
    return f"All {n} models" if k == n > 1 else f"{k} of {number_of(n, 'model')}"


def _names(rows: Sequence[Score]) -> str:
    return _listed([row.model for row in rows])


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def _common_reason(rows: Sequence[Score]) -> str:
    """The reason that most rows share, numbers aside, with an example of it and how many share it."""
    reasons = [row.reason or "it is not defined" for row in rows]
    if not reasons:
        return "there are no scores"
    kinds = [re.sub(r"[\d.,]+", "#", reason) for reason in reasons]
    most = max(dict.fromkeys(kinds), key=kinds.count)
    alike = dict.fromkeys(reason for reason, kind in zip(reasons, kinds, strict=True) if kind == most)
    example = next(iter(alike))
    if len(rows) == kinds.count(most) == 1 or (len(alike) == 1 and kinds.count(most) == len(rows)):
        return example
    such = "" if len(alike) == 1 else " or the like"
    return f"{example}{such} ({kinds.count(most)} of {number_of(len(rows), 'model')})"


def all_said(sentences: Iterator[Said | None]) -> list[Said]:
    return [said for said in sentences if said]
