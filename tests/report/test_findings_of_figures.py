"""Titles of figures: they say what the data show, and nothing that could be luck."""

import math
import re

import numpy as np
import polars as pl
import pytest

import selfexec as sx
from build import figures, part_of
from extension_parts import needs
from selfexec.analysis.findings import against_baseline, how_often
from selfexec.analysis.numbers import Number
from selfexec.analysis.score import Scores
from selfexec.experiments import PAPER_HEADLINE
from selfexec.report.figures import FigureNumbers, absent
from selfexec.report.figures.ability import ability
from selfexec.report.figures.correlations import correlations
from selfexec.report.figures.difficulty import difficulty
from selfexec.report.figures.experiments import experiments
from selfexec.report.figures.margins import margin_dots
from selfexec.report.figures.ordering import ordering
from selfexec.report.figures.page_correlations import page_correlations
from selfexec.report.figures.readiness import readiness
from selfexec.report.figures.said import (
    HALF,
    across,
    adjusted,
    against,
    by_experiment,
    correlated,
    related,
    sentence,
    stand,
)
from selfexec.report.figures.yes_no import association
from selfexec.runs import Run
from selfexec.stats import NONE, Correlation, Interval


def number(value: float, arm: float = 0.05, note: str | None = None) -> Number:
    return Number(value, value - arm, value + arm, note=note)


def test_one_number_is_above_another_only_if_both_arms_together_do_not_reach_it() -> None:
    # .30 and .45, arms of .05 each: .15 apart, .10 of arms; .30 and .39 are .09 apart
    found = stand({"far": number(0.45), "near": number(0.39)}, {"far": number(0.3), "near": number(0.3)})
    assert (found.above, found.below, found.of) == (("far",), (), 2)
    assert stand({"low": number(0.3)}, {"low": number(0.45)}).below == ("low",)


def test_of_more_models_each_must_be_further_off() -> None:
    # 1.96 standard errors for an arm: .11 at arms of .10 are z = 2.156, p = .0155 one-sided; times two it is above .025
    one = {"a": number(0.61, 0.1)}
    assert against(one, HALF).above == ("a",)
    assert against(one | {"b": number(0.55, 0.1)}, HALF).above == ()


def test_what_is_to_be_read_with_caution_or_has_no_interval_is_in_no_title() -> None:
    found = against({"a": number(0.9, note="coverage .5 is below .9"), "b": Number(0.9)}, HALF)
    assert found.above == found.below == ()


def test_models_are_counted_and_one_alone_is_named_as_it_is() -> None:
    three = against({"a": number(0.9), "b": number(0.8), "c": number(0.5)}, HALF)
    assert three.whom(three.above) == "2 of 3 models" and three.whom("abc") == "all 3 models"
    some = against({"a": number(0.9), "b": number(0.8), "c": Number(0.9)}, HALF)
    assert some.whom(some.above) == "2 of 3 models"  # a drawn one without a verdict counts
    alone = against({"sim/typical": number(0.9)}, HALF)
    assert sentence(f"{alone.whom(alone.above)} ranks better") == "sim/typical ranks better"
    assert sentence("", "all 3 models rank better") == "All 3 models rank better"


@pytest.mark.parametrize(
    ("slope", "said"),
    [
        (1.0, "more (r = .92 [.60, .99] over 8 models)"),
        (-1.0, "less (r = -.92 [-.99, -.60] over 8 models)"),
        (0.0, "open (r = .00 [-.70, .70] over 8 models: the interval reaches 0)"),
    ],
)
def test_that_numbers_go_together_is_said_where_the_interval_says_so(slope: float, said: str) -> None:
    x, noise = np.arange(8.0), np.array([1, -1, -1, 1, 1, -1, -1, 1.0])  # which is orthogonal to x
    ones, twos = ({str(k): float(v) for k, v in enumerate(of)} for of in (x, slope * x + noise))
    found = related(ones, twos)
    # r of x + noise: the spread of x over that of both, sqrt(42 / 50); z = 1.566, its error 1 / sqrt(8 - 3), so that it
    # reaches from .690 to 2.443, and without slope from -.877 to .877: the hyperbolic tangents of these are the ends
    assert found.value == pytest.approx(slope * math.sqrt(42 / 50), abs=1e-12)
    assert correlated(adjusted({"one": found})["one"], "more", "less", "open") == said


def test_of_several_correlations_on_a_page_each_has_the_interval_that_holm_tests() -> None:
    z, n = np.array([2.4, 2.1, 0.3]), 12
    values = np.tanh(z / math.sqrt(n - 3))
    ends = [tuple(np.tanh(np.arctanh(r) + side * 1.959964 / math.sqrt(n - 3)) for side in (-1, 1)) for r in values]
    found = adjusted(
        {
            k: Correlation("pearson", float(r), Interval(*both), n)
            for k, (r, both) in enumerate(zip(values, ends, strict=True))
        }
    )
    # Holm at 2.5% on each side: the first of three has to exceed 2.394, which 2.4 does, the second of two 2.241, which
    # 2.1 does not, although each alone exceeds 1.960
    assert [one.low > 0 for one in found.values()] == [True, False, False]
    first = math.tanh(math.atanh(values[0]) - 2.393980 / math.sqrt(n - 3))
    assert found[0].low == pytest.approx(first, abs=1e-5)
    assert found[1].text.endswith("over 12 models, adjusted for 3 correlations")
    assert correlated(found[1], "more", "less", "not shown").startswith("not shown (r = .60 [-")


def test_a_correlation_without_an_interval_is_none_of_those_that_are_adjusted_for() -> None:
    few = Correlation("pearson", math.nan, NONE, 3, "only 3 pairs, fewer than 4")
    some = Correlation("pearson", 0.8, Interval(0.3, 0.95), 9)
    found = adjusted({"few": few, "some": some})
    assert [*found] == ["some"] and found["some"].among == 1


def test_of_three_models_no_correlation_is_said() -> None:
    few = {"a": 1.0, "b": 2.0, "c": 3.5}
    found = adjusted({"few": related(few, few)})
    assert correlated(found.get("few"), "more", "less", "open") == ""


def test_a_range_is_said_once_where_its_ends_are_alike() -> None:
    assert across([number(0.5), number(0.733)]) == ".50 to .73"
    assert across([number(0.5), number(0.501)]) == ".50"


def test_experiments_of_a_title_end_with_and_unless_some_have_an_and_of_their_own() -> None:
    three = {"association": "5 of 10 models", "restriction": "2 of 10 models", "difficulty": "3 of 10 models"}
    last = "5 of 10 models in association, 2 of 10 models in restriction and 3 of 10 models in difficulty"
    assert by_experiment(three) == last
    two = three | {"difficulty": "5 of 10 models"}
    assert by_experiment(two) == ("5 of 10 models in each of association and difficulty, 2 of 10 models in restriction")


@pytest.mark.slow
def test_of_one_model_titles_name_it_once_and_captions_tell_of_what_is_drawn(ten_models: Run) -> None:
    alone = part_of(ten_models, models=["gpt-4.1"])
    scores = sx.score(alone, panel="none")
    found = {figure.id: figure for figure in figures([alone], scores)}
    assert [figure.id for figure in found.values() if figure.finding.count("gpt-4.1") > 1] == []
    assert found["experiments"].finding.endswith(
        "more often than gpt-4.1 in association and restriction, and less often in difficulty"
    )
    assert found["readiness"].finding.endswith("; it underestimates how often it would answer a request")
    # nobody else was there to say or do anything, and no prediction is pale
    ladder = found["ladder"]
    assert (
        ladder.finding
        == "Going by a plain fact about an item is a better guide to gpt-4.1 in restriction than its own predictions"
    )
    assert "going by a plain fact about an item alone" in ladder.caption  # the one that the title is about
    assert ladder.caption.endswith("The fact is the label in restriction and the question length in difficulty.")
    # all that were not read are of one experiment, and could not be: their share is of the replies there
    lost = alone.sessions.filter(pl.col("state") != "read")
    assert set(lost["experiment"]) == {"difficulty"} and set(lost["state"]) == {"unreadable"}
    there = alone.sessions.filter(pl.col("experiment") == "difficulty").height
    assert found["loss"].finding == (
        f"{lost.height} of {alone.sessions.height:,} replies are unreadable; "
        f"the largest loss is {lost.height / there:.0%} of the replies of gpt-4.1 in difficulty"
    )
    # one spot would say nothing of what goes together
    assert "ordering" not in found
    lacks = {one.title: one.takes for one in absent(found.values(), scores.experiments)}
    assert lacks["Ranking accuracy and the tokens that a ranking takes"] == "needs 2 models whose tokens were counted"


@pytest.mark.slow
def test_titles_of_the_ten_say_what_their_scores_say_and_what_the_paper_has(
    ten_models: Run, scores_of_ten: Scores
) -> None:
    scores = scores_of_ten
    numbers = FigureNumbers([ten_models], scores)
    of_words, of_all, of_rankings = association(numbers), experiments(numbers), difficulty(numbers)
    assert of_words and of_all and of_rankings
    # deepseek-r1 was read on a seventh of its targets: of nine others each is less accurate than always saying no
    rows = {row.model: row for row in scores.of("association", "accuracy")}
    assert [m for m, row in rows.items() if row.reason] == ["deepseek-r1"]
    assert all((rows[m].high or 1) < (scores.value(m, "association", "always_no") or 0) for m in rows)
    assert of_words.finding.startswith("Always saying no is right more often than 9 of 10 models")
    assert "than 9 of 10 models in association" in of_all.finding
    assert of_rankings.finding.startswith("8 of 9 models rank questions better than a coin")
    # docs/published.md: .304 to .628 in association, .476 to .896 in restriction
    assert of_all.paper.startswith("Counted as in the paper's Figure 7: association .30 to .63, restriction .48 to .90")
    assert [*PAPER_HEADLINE.experiments] == ["association", "restriction", "difficulty"]


@pytest.mark.slow
def test_few_items_leave_figures_their_plain_titles_and_simulated_models_have_no_paper(
    whole_panel: Run, scores_of_the_panel: Scores
) -> None:
    few = FigureNumbers([whole_panel], scores_of_the_panel)
    found = association(few)
    assert found and found.paper == ""
    assert found.headline == (found.finding or found.title)


@needs("rasch")
def test_titles_of_the_ten_have_no_correlation_from_withheld_numbers_and_agree(
    ten_models: Run, scores_of_ten: Scores
) -> None:
    scores = scores_of_ten
    numbers = FigureNumbers([ten_models], scores)
    found = {figure.id: figure for figure in (ability(numbers), correlations(numbers), ordering(numbers)) if figure}
    with_headline = [row for row in scores.of("overall", "self_execution_score") if row.value is not None]
    of_page = page_correlations(numbers)
    of_score = of_page["mean accuracy", "ability"]
    # nine models of known ability are in the scores, of three of which the headline is withheld
    assert of_score.n == sum(row.model in numbers.abilities for row in with_headline) == 6
    assert len({one.among for one in of_page.values()}) == 1
    assert of_score.text in found["ability"].finding and of_score.text in found["correlations"].finding
    for figure in found.values():
        says = "not shown" not in figure.finding and "none is shown" not in figure.finding
        low, high = re.search(r"\[(-?[\d.]+), (-?[\d.]+)\]", figure.finding).groups()  # type: ignore[union-attr]
        assert says is (float(low) > 0 or float(high) < 0), figure.finding
        assert says or "reaches 0" in figure.finding


def test_the_title_on_readiness_says_what_the_verdicts_on_rate_bias_say(ten_models: Run, scores_of_ten: Scores) -> None:
    figure = readiness(FigureNumbers([ten_models], scores_of_ten))
    assert figure
    for experiment, errs in (("association", "overestimate"), ("restriction", "underestimate")):
        found = how_often(scores_of_ten, experiment)
        n = sum(one.answer == {"overestimate": "yes", "underestimate": "no"}[errs] for one in found)
        assert len(found) == 10 > n and f"{n} of 10 models {errs} how often" in figure.finding


def test_the_line_of_a_margin_is_the_interval_that_its_title_goes_by(scores_of_ten: Scores) -> None:
    scores = scores_of_ten
    findings = [one for one in against_baseline(scores.of("restriction", "baseline_margin")) if one.among]
    skills = {m: Number(scores.value(m, "restriction", "skill") or 0.0) for m in scores.models}
    margins = {one.subject: Number(one.value or 0.0, one.low, one.high) for one in findings}
    dots = {dot.key: dot for dot in margin_dots(skills, margins, "restriction", findings)}
    assert {one.answer for one in findings} >= {"open", "no"}
    for one in findings:
        dot, dash = dots[one.subject], skills[one.subject].value - (one.value or 0.0)
        assert dot.low is not None and dot.high is not None
        # the line reaches the dash just where it is too close to call
        assert (dot.low <= dash <= dot.high) is (one.answer == "open")
        assert (dot.low, dot.high) == pytest.approx((dash + (one.tested_low or 0), dash + (one.tested_high or 0)))


@pytest.mark.slow
def test_no_title_says_that_something_is_not_shown_without_its_reason(ten_models: Run, scores_of_ten: Scores) -> None:
    found = figures([ten_models], scores_of_ten)
    silent = [one.finding for one in found if "not shown" in one.finding]
    assert silent and all(re.search("reaches 0|is not wholly above 0", finding) for finding in silent)
