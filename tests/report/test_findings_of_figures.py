"""Titles of figures: they say what the data show, and nothing that could be luck."""

import math

import numpy as np
import pytest

import selfexec as sx
from build import part_of
from selfexec.analysis.numbers import Number
from selfexec.experiments import PAPER
from selfexec.report.figures import FigureNumbers, absent, figures
from selfexec.report.figures.association import association
from selfexec.report.figures.difficulty import difficulty
from selfexec.report.figures.experiments import experiments
from selfexec.report.figures.said import HALF, across, against, by_experiment, correlated, related, sentence, stand
from selfexec.runs import Run


def number(value: float, arm: float = 0.05, note: str | None = None) -> Number:
    return Number(value, value - arm, value + arm, note=note)


def test_one_number_is_above_another_only_if_both_arms_together_do_not_reach_it() -> None:
    # .30 and .45, arms of .05 each: .15 apart, .10 of arms; .30 and .39 are .09 apart
    found = stand({"far": number(0.45), "near": number(0.39)}, {"far": number(0.3), "near": number(0.3)})
    assert (found.judged, found.above, found.below) == (("far", "near"), ("far",), ())
    assert stand({"low": number(0.3)}, {"low": number(0.45)}).below == ("low",)


def test_of_more_models_each_must_be_further_off() -> None:
    # 1.96 standard errors for an arm: .11 at arms of .10 are z = 2.156, p = .0155 one-sided; times two it is above .025
    one = {"a": number(0.61, 0.1)}
    assert against(one, HALF).above == ("a",)
    assert against(one | {"b": number(0.55, 0.1)}, HALF).above == ()


def test_what_is_to_be_read_with_caution_or_has_no_interval_is_in_no_title() -> None:
    found = against({"a": number(0.9, note="coverage .5 is below .9"), "b": Number(0.9)}, HALF)
    assert found.judged == () and found.whom(found.above) == "all 0 models"


def test_models_are_counted_and_one_alone_is_named_as_it_is() -> None:
    three = against({"a": number(0.9), "b": number(0.8), "c": number(0.5)}, HALF)
    assert three.whom(three.above) == "2 of 3 models" and three.whom(three.judged) == "all 3 models"
    alone = against({"sim/typical": number(0.9)}, HALF)
    assert sentence(f"{alone.whom(alone.above)} ranks better") == "sim/typical ranks better"
    assert sentence("", "all 3 models rank better") == "All 3 models rank better"


@pytest.mark.parametrize(
    ("slope", "said"),
    [
        (1.0, "more (r = .92 [.60, .99] over 8 models)"),
        (-1.0, "less (r = -.92 [-.99, -.60] over 8 models)"),
        (0.0, "open (r = .00 [-.70, .70] over 8 models)"),
    ],
)
def test_that_numbers_go_together_is_said_where_the_interval_says_so(slope: float, said: str) -> None:
    x, noise = np.arange(8.0), np.array([1, -1, -1, 1, 1, -1, -1, 1.0])  # which is orthogonal to x
    ones, twos = ({str(k): float(v) for k, v in enumerate(of)} for of in (x, slope * x + noise))
    found = related(ones, twos)
    # r of x + noise: the spread of x over that of both, sqrt(42 / 50); z = 1.566, its error 1 / sqrt(8 - 3), so that it
    # reaches from .690 to 2.443, and without slope from -.877 to .877: the hyperbolic tangents of these are the ends
    assert found.value == pytest.approx(slope * math.sqrt(42 / 50), abs=1e-12)
    assert correlated(found, "more", "less", "open") == said


def test_of_three_models_no_correlation_is_said() -> None:
    few = {"a": 1.0, "b": 2.0, "c": 3.5}
    assert correlated(related(few, few), "more", "less", "open") == ""


def test_a_range_is_said_once_where_its_ends_are_alike() -> None:
    assert across([number(0.5), number(0.733)]) == ".50 to .73"
    assert across([number(0.5), number(0.501)]) == ".50"


def test_experiments_of_a_title_end_with_and_unless_some_have_an_and_of_their_own() -> None:
    three = {"association": "5 of 10 models", "restriction": "2 of 10 models", "difficulty": "3 of 10 models"}
    last = "5 of 10 models in association, 2 of 10 models in restriction and 3 of 10 models in difficulty"
    assert by_experiment(three) == last
    two = three | {"difficulty": "5 of 10 models"}
    assert by_experiment(two) == "5 of 10 models in association and difficulty, 2 of 10 models in restriction"


@pytest.mark.slow
def test_of_one_model_titles_name_it_once_and_captions_tell_of_what_is_drawn(ten_models: Run) -> None:
    alone = part_of(ten_models, models=["gpt-4.1"])
    scores = sx.score(alone, panel="none")
    found = {figure.id: figure for figure in figures([alone], scores)}
    assert [figure.id for figure in found.values() if figure.finding.count("gpt-4.1") > 1] == []
    assert found["experiments"].finding.endswith(
        "more often than gpt-4.1 in association and restriction, and less often in difficulty"
    )
    assert found["readiness"].finding.endswith("; it says less often that it would answer a request than it does")
    # nobody else was there to say or do anything, and no prediction is pale
    ladder = found["ladder"]
    assert ladder.finding == "A plain fact of an item tells more of gpt-4.1 in restriction than its own prediction"
    assert "same: " in ladder.caption and "history: " in ladder.caption
    assert not any(
        word in ladder.caption for word in ("others predict", "stacked", "family", "A line joins", "faintly")
    )
    # all 12 that were not read are of one experiment
    assert (
        found["loss"].finding
        == "12 of 3,576 replies were not read, all of gpt-4.1 in difficulty: 1% of its replies there"
    )
    # one spot would say nothing of what goes together
    assert "ordering" not in found
    lacks = {one.title: one.takes for one in absent(found.values(), scores.experiments)}
    assert lacks["Ranking accuracy and the tokens that a ranking takes"] == "takes 2 models whose tokens were counted"


@pytest.mark.slow
def test_titles_of_the_ten_say_what_their_scores_say_and_what_the_paper_has(ten_models: Run) -> None:
    scores = sx.score(ten_models)
    numbers = FigureNumbers([ten_models], scores)
    of_words, of_all, of_rankings = association(numbers), experiments(numbers), difficulty(numbers)
    assert of_words and of_all and of_rankings
    # deepseek-r1 was read on a seventh of its targets: of nine others each is less accurate than always saying no
    rows = {row.model: row for row in scores.of("association", "accuracy")}
    assert [m for m, row in rows.items() if row.reason] == ["deepseek-r1"]
    assert all((rows[m].high or 1) < (scores.value(m, "association", "always_no") or 0) for m in rows)
    assert of_words.finding.startswith("Always saying no is right more often than all 9 models")
    assert "than all 9 models in association" in of_all.finding
    assert of_rankings.finding.startswith("8 of 9 models rank questions better than a coin")
    # docs/published.md: .304 to .628 in association, .476 to .896 in restriction
    assert of_all.paper.startswith("Counted as in the paper's Figure 7: association .30 to .63, restriction .48 to .90")
    assert [*PAPER.experiments] == ["association", "restriction", "difficulty"]


@pytest.mark.slow
def test_few_items_leave_figures_their_plain_titles_and_simulated_models_have_no_paper(whole_panel: Run) -> None:
    few = FigureNumbers([whole_panel], sx.score(whole_panel))
    found = association(few)
    assert found and found.paper == ""
    assert found.headline == (found.finding or found.title)
