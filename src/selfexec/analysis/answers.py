"""The answer: in each experiment how often and which ones, then the mean over experiments.

Terminal, page and JSON have these sentences. Each is made from findings alone: a clause for each of their states, with
the numbers that were tested.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from selfexec.analysis.findings import (
    ANSWERS,
    NO_ROOM,
    TOO_CLOSE,
    ConditionScores,
    ExperimentFindings,
    Finding,
    FindingAnswer,
    against_baseline,
    against_chance,
    experiment_findings,
    how_often,
    own_prediction_findings,
    which_ones,
)
from selfexec.analysis.in_probabilities import lead_in
from selfexec.analysis.words import (
    NAMED,
    FindingSentence,
    better_than_chance,
    common_reason,
    listed_names,
    overall_skills,
    percent,
    sentence,
    span,
    two,
)
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.metrics import AT_THE_CEILING, LEAST_CEILING, MARGINS, NO_OTHERS, not_run
from selfexec.text.numbers import all_of, decimal, interval, is_or_are, joined, number_of

BASELINE = "Models are compared with a baseline that knows only the items and what other models predicted and did."

MEAN_MARGIN = "Mean margin over the experiments (it reflects both how often models say yes and what they say yes to)"
HARDLY = 0.1  # of the highest possible skill: a baseline that reaches less is hardly better than chance
CONSTANT_ANSWER, NO_BETTER = "a constant answer", "other models predict no better than that"
EQUALLY_OFTEN = " at equal yes rates"
ONLY_ITSELF = "only the model itself could know"
REASONS_BELOW = "reasons below"


def answers(scores: ConditionScores, reasons: str = REASONS_BELOW) -> list[FindingSentence]:
    """What the baseline knows, where it is named; what is known of each experiment, and of the mean over them.
    `reasons` says where those stand why a model has no verdict.
    """
    experiments = [experiment for experiment in scores.experiments if experiment != "overall"]
    found = (experiment_findings(scores, experiment) for experiment in experiments)
    parts = [*(experiment_answer(each, reasons) for each in found), overall_answer(scores, reasons)]
    sentences = [part for part in parts if part]
    sentences += [FindingSentence("overall", "withheld", line) for line in no_margins(scores)]
    if any(" the baseline" in sentence.text for sentence in sentences if sentence.answer != "withheld"):
        sentences.insert(0, FindingSentence("overall", "open", BASELINE))
    return sentences


def experiment_answer(found: ExperimentFindings, reasons: str = REASONS_BELOW) -> FindingSentence | None:
    """How often and which ones, in one experiment; without a margin, who predicts better than chance. None where
    nothing was asked. `reasons` says where those stand why a model has no verdict.
    """
    often, which, skills = found.how_often, found.which_ones, found.skills
    if not skills:
        return None
    clause = which_ones_clause(which, of_several=len(skills) > 1)
    spoken = which if clause else skills
    clauses = [how_often_clause(often), clause or _skill_clause(skills, alone=not how_often_clause(often))]
    if clause:
        clauses.append(_left_out(often, which, reasons))
    judged = [finding for finding in (*often, *spoken) if finding.answer != "withheld"]
    return FindingSentence(found.experiment, _joint_answer(judged), " ".join(clause for clause in clauses if clause))


def _skill_clause(skills: Sequence[Finding], *, alone: bool) -> str:
    """Who predicts better than chance. Where nobody has a verdict, the question before that, unless it stands alone."""
    text = better_than_chance(skills).text
    words = EXPERIMENTS[skills[0].about].words
    question = sentence(words.about if len(skills) == 1 else words.their)
    return text if alone else re.sub("^No verdict", f"{question}: no verdict", text)


def no_margins(scores: ConditionScores) -> Iterator[str]:
    """Why there are no margins, where there is none in any experiment."""
    margins = [row for e in EXPERIMENTS for metric in MARGINS for row in scores.of(e, metric)]
    if any(row.value is not None for row in margins):
        return
    reasons: dict[str, dict[str, None]] = {}
    for row in margins:
        if row.reason:
            reasons.setdefault(row.reason, {})[row.experiment] = None
    for reason, experiments in reasons.items():
        where = f" in {' and '.join(experiments)}" if len(reasons) > 1 else ""
        yield f"The margin over the baseline{where} is not given: {reason}."


def _joint_answer(findings: Iterable[Finding]) -> FindingAnswer:
    found = {finding.answer for finding in findings}
    return next((answer for answer in ANSWERS if answer in found), "withheld")


# --- how often -------------------------------------------------------------------------------------------------------


def how_often_clause(findings: Sequence[Finding]) -> str:
    """Who overestimates how often it does such things, and who underestimates it; nothing where nobody is judged."""
    judged = [finding for finding in findings if finding.answer != "withheld" and finding.rates]
    if not judged:
        return ""
    if len(findings) == 1:
        return _how_often_of_one(judged[0])
    parts: list[str] = []
    for answer, verb in (("yes", "overestimate"), ("no", "underestimate")):
        if those := [finding for finding in judged if finding.answer == answer]:
            do = f"{verb if len(those) > 1 else f'{verb}s'} how often {_would(those)}"
            parts.append(f"{_how_many(those, findings, first=not parts)} {do}: {_rates(those)}")
    if those := [finding for finding in judged if finding.answer == "open"]:
        who = _how_many(those, findings, first=not parts)
        parts.append(f"For {who} it is {TOO_CLOSE}" if parts else f"How often: {TOO_CLOSE} for {who}")
    parts = [part.replace("all ", "All ", 1) if part.startswith("all ") else part for part in parts]
    return f"{'. '.join(parts)}."  # a name keeps its first letter


def _how_often_of_one(finding: Finding) -> str:
    verb = {"yes": "overestimates", "no": "underestimates"}.get(finding.answer)
    if verb is None:
        return f"How often: {TOO_CLOSE} for {finding.subject}; {_rates([finding])}."
    return f"{finding.subject} {verb} how often {_would([finding])}: {_rates([finding])}."


def _would(findings: Sequence[Finding]) -> str:
    """they would list a word"""
    behaviour = EXPERIMENTS[findings[0].about].words.behaviour
    return f"{'it' if len(findings) == 1 else 'they'} would {behaviour[0] if behaviour else 'do so'}"


def _rates(findings: Sequence[Finding]) -> str:
    """it predicts that it would list 85% of the offered words, but lists 15%"""
    words = EXPERIMENTS[findings[0].about].words.rates
    assert words is not None
    in_full, did, does = words
    predicted, observed = (_range([finding.rates[n] for finding in findings if finding.rates]) for n in (0, 1))
    link = "and" if findings[0].answer == "open" else "but"
    whom = findings[0].whom  # of one condition all are asked about the same
    if len(findings) == 1:
        itself = " itself" if whom else ""
        does_so = f"{does.format(observed)}{itself} ({_apart_by(findings[0])})"
        return f"it predicts that {whom or 'it'} would {in_full.format(predicted)}, {link} {does_so}"
    themselves, who = (" themselves", whom) if whom else ("", "they")
    return f"they predict that {who} would {in_full.format(predicted)}, {link} {did.format(observed)}{themselves}"


def points_apart(findings: Sequence[Finding]) -> str:
    """How far predicted and observed shares are apart: 37 to 70 points; about 12 points, where they are printed as 68%
    and 55%. The one rule for such a difference: it is rounded by itself, and says "about" where the printed shares
    differ by something else.
    """
    ordered = sorted(findings, key=lambda finding: abs(_difference(finding)))
    ends = [ordered[0], ordered[-1]]
    shown = " to ".join(dict.fromkeys(_in_points(abs(_difference(finding))) for finding in ends))
    about = "" if all(map(_as_printed, ends)) else "about "
    return f"{about}{shown} point{'' if shown == '1' else 's'}"


def _apart_by(finding: Finding) -> str:
    """a difference of 12 points [8, 17]: with the interval that was tested, of prediction less behaviour, as exact as
    the difference; where it excludes 0, each end as exact as it takes to see that.
    """
    ends = [end for end in (finding.tested_low, finding.tested_high) if end is not None]
    if finding.answer == "no":
        ends = [-end for end in reversed(ends)]
    of = _difference(finding) if finding.answer == "open" else None
    tested = f" [{', '.join(_in_points(end, of) for end in ends)}]" if len(ends) == 2 else ""
    shown = points_apart([finding])
    if finding.answer == "open" and _difference(finding) < 0:
        shown = re.sub(r"(?=\.?\d)", "-", shown, count=1)
    return f"a difference of {shown}{tested}"


def _difference(finding: Finding) -> float:
    predicted, observed = finding.rates or (finding.value or 0.0, 0.0)
    return predicted - observed


def _as_printed(finding: Finding) -> bool:
    """Whether the shares differ by as much as they do where they are printed."""
    predicted, observed = finding.rates or (finding.value or 0.0, 0.0)
    return _in_points(_difference(finding)) == str(round(100 * predicted) - round(100 * observed))


def _in_points(share: float, exact_as: float | None = None) -> str:
    """13; below one point the first digit that is not 0, so that an interval which excludes 0 does not end there; or
    as many digits as this share has then.
    """
    size = abs(round(100 * (share if exact_as is None else exact_as), 9))
    return decimal(100 * share, max(0, -math.floor(math.log10(size))) if size else 0)


def _range(shares: Sequence[float]) -> str:
    """55% to 86%"""
    ends = dict.fromkeys([percent(min(shares)), percent(max(shares))])
    return " to ".join(ends)


# --- which ones ------------------------------------------------------------------------------------------------------


def which_ones_clause(findings: Sequence[Finding], *, of_several: bool = False) -> str:
    """Who knows better which ones, models or the baseline; at each model's yes rate, where there are rates. The only
    model with a finding is named where it is one of several.
    """
    judged = [finding for finding in findings if finding.answer != "withheld"]
    if not judged:
        return ""
    about = EXPERIMENTS[findings[0].about].words
    head = sentence(about.their if len(findings) > 1 else about.about)
    of_rates = judged[0].relation == "which ones"
    if len(findings) == 1:
        name = judged[0].subject if of_several else ""
        return f"{head}: {_which_of_one(judged[0], of_rates, name)}.{_over_little(judged)}"
    parts: list[str] = []
    for answer, where in (("yes", "ahead of"), ("no", "behind")):
        if those := [finding for finding in judged if finding.answer == answer]:
            held = f"the baseline{EQUALLY_OFTEN}" if of_rates else "the baseline"
            whom = f" {held}" if not parts else ""
            where = where if whom else where.removesuffix(" of")
            who = _how_many(those, findings, first=not parts)
            parts.append(f"{who} {is_or_are(len(those))} {where}{whom} {_how_far(those, first=bool(whom))}")
    if those := [finding for finding in judged if finding.answer == "open"]:
        parts.append(f"for {_how_many(those, findings, first=not parts)} it is {TOO_CLOSE}{_least(those)}")
    if those := [finding for finding in judged if finding.answer == "ceiling"]:
        who = _how_many(those, findings, first=not parts)
        has = "has" if len(those) == 1 else "have"
        parts.append(f"{who} {has} {NO_ROOM} from the baseline, because {_why_no_room(those)}")
    return f"{head}: {'; '.join(parts)}.{_over_little(judged)}"


def _which_of_one(finding: Finding, of_rates: bool, name: str) -> str:
    held = f"the baseline{EQUALLY_OFTEN}" if of_rates else "the baseline"
    if finding.answer == "ceiling":
        return f"{name or 'it'} has {NO_ROOM} from the baseline, because {_why_no_room([finding])}"
    if finding.answer == "open":
        return f"{TOO_CLOSE} between {name or 'it'} and {held}{_least([finding])}"
    where = "ahead of" if finding.answer == "yes" else "behind"
    return f"{f'{name} is ' if name else ''}{where} {held} {_how_far([finding], first=True)}"


def _over_little(judged: Sequence[Finding]) -> str:
    """Whose baseline is always the same answer, or hardly better than chance, and what being ahead of it is worth."""
    parts: list[str] = []
    if those := [finding for finding in judged if finding.over_constant]:
        parts.append(f"{_for(those, judged)} the baseline is always the same answer (skill 0), because {NO_BETTER}.")
        if any(finding.answer == "yes" for finding in those):
            parts.append("Being ahead of it means predicting better than chance, no more.")
    if those := [finding for finding in judged if finding.answer == "yes" and _hardly_above_chance(finding)]:
        worth = "being ahead of it means little more than predicting better than chance"
        parts.append(f"{_for(those, judged)} the baseline itself is hardly better than chance, so {worth}.")
    return "".join(f" {part}" for part in parts)


def _hardly_above_chance(finding: Finding) -> bool:
    reached = finding.baseline_reaches
    return reached is not None and reached < HARDLY and not finding.over_constant


def _for(those: Sequence[Finding], judged: Sequence[Finding]) -> str:
    if len(judged) == 1:
        return "Here"
    return "For all models" if len(those) == len(judged) else f"For {_names(those)}"


def _names(findings: Sequence[Finding]) -> str:
    return listed_names([finding.subject for finding in findings])


def _why_no_room(findings: Sequence[Finding]) -> str:
    """Why answers of yes and no cannot decide: both reach all that is possible, or little is possible."""
    whose = "its" if len(findings) == 1 else "a model's"
    low = [finding for finding in findings if finding.ceiling is not None and finding.ceiling < LEAST_CEILING]
    possible = f"the highest skill possible at {whose} yes rate"
    both = f"it and the baseline both reach at least {percent(AT_THE_CEILING)} of {possible}"
    if len(findings) > 1:
        both = both.replace("it and the baseline both", "model and baseline both", 1)
    little = f"below {decimal(LEAST_CEILING, 1)}"
    if len(low) == len(findings):
        return f"{possible} is {little}"
    return f"{both}, or that maximum is {little}" if low else both


def _how_far(findings: Sequence[Finding], *, first: bool) -> str:
    """(by .09 to .31 in skill; they reach 67% to 87% of the highest skill possible at their rates, the
    baseline 100%), or (by .09 to .35 in skill); of one model with the interval that was tested.
    """
    measure = "AUROC" if findings[0].relation == "auroc" else "skill"
    lead = f"by {_sizes(findings)} in {measure}"
    if findings[0].relation != "which ones":
        return f"({lead})"
    own, baseline = (_range([finding.shares[n] or 0.0 for finding in findings if finding.shares]) for n in (0, 1))
    who = "it reaches" if len(findings) == 1 else "they reach"
    rate = "its rate" if len(findings) == 1 else "their rates"
    possible = f" of the highest skill possible at {rate}" if first else ""
    return f"({lead}; {who} {own}{possible}, the baseline {baseline})"


def _sizes(findings: Sequence[Finding]) -> str:
    """How far models are ahead, or behind: .09 to .31, and of one .20 [.11, .29]."""
    if len(findings) > 1:
        return span([abs(finding.value or 0.0) for finding in findings])
    value, low, high = findings[0].value or 0.0, findings[0].tested_low, findings[0].tested_high
    if low is None or high is None:
        return two(abs(value))
    return interval(-value, -high, -low, two) if value < 0 else interval(value, low, high, two)


def _least(findings: Sequence[Finding]) -> str:
    """The least margin that would have been found, and of one model its margin with the interval that was tested."""
    least = [finding.detectable for finding in findings if finding.detectable is not None]
    if not least:
        return ""
    one = findings[0]
    margin = f"margin {interval(one.value, one.tested_low, one.tested_high, two)}; " if len(findings) == 1 else ""
    return f" ({margin}80% power to detect {'one' if margin else 'a margin'} of {span(least)})"


# --- overall ---------------------------------------------------------------------------------------------------------


def overall_answer(scores: ConditionScores, reasons: str = REASONS_BELOW) -> FindingSentence | None:
    """The mean margin over the paper's experiments, else the overall skill; None where they were not all asked."""
    rows = [row for row in scores.of("overall", "baseline_margin") if not not_run(row)]
    findings = against_baseline(rows)
    judged = [finding for finding in findings if finding.answer != "withheld"]
    if not judged:
        skills = " ".join(overall_skills(against_chance(scores.of("overall", "skill"))))
        withheld = [finding for finding in findings if finding.reason and NO_OTHERS not in finding.reason]
        text = " ".join([*([skills] if skills else []), *_withheld(withheld)])
        return FindingSentence("overall", "withheld", text) if text else None
    parts: list[str] = []
    for answer, where in (("yes", "ahead of the baseline"), ("no", "behind the baseline")):
        if those := [finding for finding in judged if finding.answer == answer]:
            who = _how_many(those, findings, first=not parts)
            by = f" by {_sizes(those)} in skill"
            parts.append(f"{who} {is_or_are(len(those))} {where}{by}")
    if those := [finding for finding in judged if finding.answer == "open"]:
        parts.append(f"for {_how_many(those, findings, first=not parts)} it is {TOO_CLOSE}{_least(those)}")
    cancel = _cancelling(scores, [finding.subject for finding in judged])
    left_out = [finding for finding in findings if finding.answer == "withheld"]
    out = f" No verdict ({reasons}): {listed_names([finding.subject for finding in left_out])}." if left_out else ""
    text = f"{MEAN_MARGIN}: {'; '.join(parts)}."
    return FindingSentence("overall", _joint_answer(judged), f"{text}{cancel}{out}")


def _withheld(findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    reason = re.sub(r"^([a-z_]+): ", r"in \1 ", common_reason(findings))
    return [f"The mean margin over the baseline is withheld: {reason}."]


def _cancelling(scores: ConditionScores, models: Sequence[str]) -> str:
    """That the mean hides margins of both signs, and of whom."""
    parts = [against_baseline(scores.of(experiment, "baseline_margin")) for experiment in PAPER_HEADLINE.experiments]
    answers_of: dict[str, set[FindingAnswer]] = {model: set() for model in models}
    for findings in parts:
        for finding in findings:
            if finding.subject in answers_of:
                answers_of[finding.subject].add(finding.answer)
    both = [model for model, those in answers_of.items() if {"yes", "no"} <= those]
    if not both:
        return ""
    return f" For {listed_names(both)}, margins above and below 0 cancel out in it."


# --- in brief, next to a picture -------------------------------------------------------------------------------------


def experiment_in_brief(found: ExperimentFindings) -> list[str]:
    """The same in a few words: how many models are in each state, on how often and on which ones."""
    which = EXPERIMENTS[found.experiment].words.which
    lines = [_counted("how often", found.how_often), _counted(which, found.which_ones)]
    return [line for line in lines if line] or _chance_in_brief(found.skills)


def overall_in_brief(scores: ConditionScores) -> list[str]:
    line = _counted("mean margin", against_baseline(scores.of("overall", "baseline_margin")))
    return [line] if line else _chance_in_brief(against_chance(scores.of("overall", "skill")))


def _counted(head: str, findings: Sequence[Finding]) -> str:
    """which words: 3 behind, 6 with no room to differ"""
    states = brief(findings)
    return f"{head}: {states}" if states else ""


def brief(findings: Sequence[Finding]) -> str:
    """How many models are in each state, what is sure first: 3 behind, 6 with no room to differ. Empty where none is
    judged.
    """
    judged = [finding for finding in findings if finding.answer != "withheld"]
    parts: list[str] = []
    for answer in ("yes", "no", "open", "ceiling"):
        if those := [finding for finding in judged if finding.answer == answer]:
            state = those[0].state if len(those) == 1 else those[0].state.replace("estimates", "estimate")
            if len(findings) == 1:
                parts.append(f"{state}{_of_constant(those)}")
            else:
                how = f"with {state}" if answer == "ceiling" else f"{state}{_of_constant(those)}"
                parts.append(f"{all_of(len(those)) if len(those) == len(findings) else len(those)} {how}")
    if parts and len(judged) < len(findings):
        parts.append(f"{len(findings) - len(judged)} without a verdict")
    return ", ".join(parts)


def _of_constant(those: Sequence[Finding]) -> str:
    """ahead (2 of a constant answer): how many of these are ahead of no more than that"""
    number = sum(finding.over_constant for finding in those if finding.answer == "yes")
    if not number:
        return ""
    return f" of {CONSTANT_ANSWER}" if number == len(those) else f" ({number} of {CONSTANT_ANSWER})"


def headline(scores: ConditionScores, areas: ConditionScores | None = None) -> str:
    """What is surely so, in a dozen words, in the first experiment where anything is; how often before which ones.
    `areas`: the scores of the same predictions as probabilities, which say which ones where all models have them.
    """
    for experiment in scores.experiments:
        if experiment == "overall":
            continue
        which: Sequence[Finding] = which_ones(lead_in(scores, areas, experiment), experiment)
        if all(finding.answer == "withheld" for finding in which):
            which = against_chance(scores.of(experiment, "skill"))  # where no margin is known
        for findings in (how_often(scores, experiment), which):
            if any(finding.answer in ("yes", "no") for finding in findings):
                return _headline(findings, len(scores.models))
    who = "what this model predicts" if len(scores.models) == 1 else "what these models predict"
    return f"Nothing is certain yet about {who} about {'itself' if len(scores.models) == 1 else 'themselves'}"


def _headline(findings: Sequence[Finding], models: int) -> str:
    """9 of 10 models overestimate how often they would list a word, by 37 to 70 points; of the state that most are in,
    and of all models, whether they are judged or not. Where most are not, it says so: the others may do the same.
    """
    open_ = models - len([finding for finding in findings if finding.answer != "withheld"])
    rest = f"; {open_} have no verdict" if open_ > models / 2 else ""
    those = max(([f for f in findings if f.answer == answer] for answer in ("no", "yes")), key=len)
    one = len(those) == 1
    who = f"{all_of(models)} models" if len(those) == models else f"{len(those)} of {models} models"
    who = those[0].subject if one else sentence(who)
    answer, words = those[0].answer, EXPERIMENTS[those[0].about].words
    if those[0].relation == "how often":
        do = {"yes": "overestimate", "no": "underestimate"}[answer]
        return f"{who} {do}{'s' if one else ''} how often {_would(those)}, by {points_apart(those)}{rest}"
    about = words.about if one else words.their
    by_chance = those[0].relation == "chance" or all(finding.over_constant for finding in those)
    than = "chance" if by_chance else "a baseline"
    stands = f"{is_or_are(len(those))} {'better' if answer == 'yes' else 'worse'} than {than}"
    return f"{who} {stands} at predicting {about}{rest}"


def comparison_with_others(scores: ConditionScores, areas: ConditionScores | None = None) -> str:
    """Whether any model is ahead of the baseline anywhere, of those that are judged, and whether own excess is shown;
    empty where neither is judged.
    """
    experiments = [experiment for experiment in scores.experiments if experiment != "overall"]
    which = [f for e in experiments for f in which_ones(lead_in(scores, areas, e), e)]
    found = [f for f in which if f.answer == "yes"]
    ahead = [*dict.fromkeys(f.subject for f in found if not f.over_constant)]
    own = [finding for e in experiments for finding in own_prediction_findings(scores.own, e) if finding.own_verdict]
    shown = [*dict.fromkeys(finding.about.replace("_", " ") for finding in own if finding.own_verdict == "own")]
    it = len(scores.models) == 1
    parts = []
    if ahead:
        several = f"{listed_names(ahead) if len(ahead) <= NAMED else f'{len(ahead)} models'} predict themselves"
        who = f"{'It' if it else ahead[0]} predicts itself" if len(ahead) == 1 else several
        parts.append(f"{who} better than a baseline made from other models in at least one experiment")
    elif found:
        where = joined(dict.fromkeys(finding.about.replace("_", " ") for finding in found))
        as_good = f"there {CONSTANT_ANSWER} is as good as the prediction from other models"
        parts.append(f"in {where} predictions are better than chance, and no more is shown: {as_good}")
    elif any(finding.answer != "withheld" for finding in which):
        parts.append(_none_ahead(which, len(scores.models)))
    if shown:
        parts.append(f"in {joined(shown)} predictions hold something that {ONLY_ITSELF}")
    elif own:
        unresolved = [*dict.fromkeys(f.about.replace("_", " ") for f in own if f.own_verdict == "unresolved")]
        where = f" (in {joined(unresolved)} this is unresolved)" if unresolved else ""
        if len(unresolved) == len({finding.about for finding in own}):
            parts.append(f"whether predictions hold anything that {ONLY_ITSELF} is unresolved")
        else:
            parts.append(f"predictions are not shown to hold anything that {ONLY_ITSELF}{where}")
    text = "; ".join(parts)
    return f"{text if ahead else sentence(text)}." if parts else ""  # a name keeps its first letter


def _none_ahead(findings: Sequence[Finding], models: int) -> str:
    """That nobody is found ahead of the baseline, of the models and experiments in which one could have been.
    `findings`: on which ones, none of them "yes" and some judged; `models`: how many the page has. Where the baseline
    is of so few models that being ahead is withheld, there is no such model: then the reason is said.
    """
    judged = [finding for finding in findings if finding.answer != "withheld"]
    able = [finding for finding in judged if not finding.reason]  # a judged one has no other reason than few models
    if not able:
        who = "it" if models == 1 else "any model"
        return f"whether {who} is ahead of a baseline made from other models is not known: {judged[0].reason}"
    subjects = {finding.subject for finding in able}
    who = "it is not" if models == 1 else "no model is"
    if len(subjects) < models:
        none = f"none of the {len(subjects)} models with a verdict is"
        who = "the one model with a verdict is not" if len(subjects) == 1 else none
    tested = dict.fromkeys(finding.about for finding in able)
    all_tested = len(tested) == len({finding.about for finding in findings})
    where = "" if all_tested else f" in {joined(name.replace('_', ' ') for name in tested)}"
    return f"{who} shown to predict itself better than a baseline made from other models{where}"


def _chance_in_brief(findings: Sequence[Finding]) -> list[str]:
    return [_counted("skill", findings) or "no verdict"]


# --- clauses ---------------------------------------------------------------------------------------------------------


def _left_out(often: Sequence[Finding], which: Sequence[Finding], reasons: str) -> str:
    """Models that neither clause speaks of, and those judged on how often alone."""
    spoken = {finding.subject for finding in (*often, *which) if finding.answer != "withheld"}
    silent = dict.fromkeys(finding.subject for finding in (*often, *which) if finding.subject not in spoken)
    half = [finding.subject for finding in which if finding.answer == "withheld" and finding.subject in spoken]
    on = f" on {EXPERIMENTS[which[0].about].words.which}"
    parts = [("", list(silent)), (on, half)]
    return " ".join(f"No verdict{where} ({reasons}): {listed_names(models)}." for where, models in parts if models)


def _how_many(those: Sequence[Finding], everyone: Sequence[Finding], *, first: bool) -> str:
    """All 10 models, 3 of 10 models, or behind that 3; a single one by its name. Models without a verdict count among
    the 10, so that the numbers of a sentence add up to the models of the table.
    """
    if len(those) == 1:
        return those[0].subject
    if len(those) == len(everyone):
        return f"{all_of(len(everyone))} models"
    return f"{len(those)} of {number_of(len(everyone), 'model')}" if first else str(len(those))
