"""What is said of scores follows from the intervals that were tested, on terminal, page and in JSON alike."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from build import Run
from selfexec.analysis.answers import (
    BASELINE,
    answers,
    brief,
    comparison_with_others,
    experiment_answer,
    headline,
    how_often_clause,
    overall_answer,
    points_apart,
)
from selfexec.analysis.findings import Finding, against_baseline, experiment_findings, how_often, which_ones
from selfexec.analysis.score_table import Scores, labelled
from selfexec.analysis.screen import Screen
from selfexec.analysis.selection import Selection
from selfexec.metrics import CONSTANT, MARGINS, Own, Score, few_models
from selfexec.report.data import Data, Options
from selfexec.report.front import front
from selfexec.report.sections.answer import answer
from selfexec.stats import holm, holm_points

Z = 1.959963984540054


@dataclass(frozen=True)
class Rows:
    """Scores that are only their rows."""

    rows: Sequence[Score]
    own: Sequence[Own] = field(default=())

    @property
    def models(self) -> Sequence[str]:
        return list(dict.fromkeys(row.model for row in self.rows))

    @property
    def experiments(self) -> Sequence[str]:
        return list(dict.fromkeys(row.experiment for row in self.rows))

    def of(self, experiment: str, metric: str) -> Sequence[Score]:
        return [row for row in self.rows if (row.experiment, row.metric) == (experiment, metric)]


def row(
    model: str, metric: str, value: float | None, error: float = 0.02, experiment: str = "association", **more: Any
) -> Score:
    ends = (None, None) if value is None else (value - Z * error, value + Z * error)
    counts = {"items": 100, "claims": 500, "unreadable": 0, "missing": 0, "convention": "strict"}
    return Score(model, experiment, metric, value, *ends, **counts, **more)


def yes_and_no(
    model: str,
    bias: float,
    margin: float,
    share: float = 0.7,
    baseline: float = 0.8,
    ceiling: float = 0.5,
    error: float = 0.02,
) -> list[Score]:
    """The rows of one model in association that sentences are made from."""
    values = {
        **{"skill": 0.3, "predicted_rate": 0.4 + bias / 2, "rate_bias": bias},
        **{"baseline_margin": -0.2, "margin_at_own_rate": margin, "ceiling_at_own_rate": ceiling},
        **{"share_of_ceiling": share, "baseline_share_of_ceiling": baseline},
    }
    return [row(model, metric, value, error) for metric, value in values.items()]


# --- the interval that was tested ------------------------------------------------------------------------------------


@given(st.lists(st.floats(-6, 6), min_size=1, max_size=12))
def test_the_tested_interval_leaves_0_just_where_holms_adjusted_p_is_below_the_level(z: list[float]) -> None:
    values = np.array(z)
    adjusted = holm(np.asarray(norm.sf(values)))
    clear = values > holm_points(values, 0.025)
    near = np.abs(adjusted - 0.025) < 1e-12
    assert ((clear == (adjusted < 0.025)) | near).all()


margins_of_models = st.lists(st.tuples(st.floats(-0.4, 0.4), st.floats(0.01, 0.2)), min_size=1, max_size=8)


@given(margins_of_models)
def test_too_close_to_call_is_said_just_where_the_tested_interval_holds_0(
    worlds: list[tuple[float, float]],
) -> None:
    rows = [row(f"m{n}", "baseline_margin", value, error) for n, (value, error) in enumerate(worlds)]
    for one in against_baseline(rows):
        assert one.tested_low is not None and one.tested_high is not None and one.low is not None
        assert one.tested_low <= one.low and one.high is not None and one.high <= one.tested_high
        assert (one.state == "too close to call") == (one.tested_low <= 0 <= one.tested_high)
        assert (one.state == "ahead") == (one.tested_low > 0)
        assert one.among == len(rows)


def test_the_least_effect_is_what_80_of_100_runs_find_by_a_draw() -> None:
    rows = [row("a", "baseline_margin", 0.0, 0.05), row("b", "baseline_margin", 0.01, 0.05)]
    least = against_baseline(rows)[0].detectable
    assert least is not None
    rng, hits = np.random.default_rng(5), 0
    for _ in range(2000):  # a's true margin is the least, b's is 0
        drawn = [row("a", "baseline_margin", rng.normal(least, 0.05), 0.05), row("b", "baseline_margin", 0.0, 0.05)]
        hits += any(one.subject == "a" and one.state == "ahead" for one in against_baseline(drawn))
    assert hits / 2000 == pytest.approx(0.8, abs=0.03)


def test_a_model_without_a_margin_beside_models_that_have_one_is_withheld_and_the_screen_says_why() -> None:
    why = "only 2 of 100 items were asked of three other models"
    rows = [*yes_and_no("a", 0.1, 0.2), *yes_and_no("b", 0.1, -0.2), row("c", "baseline_margin", None, reason=why)]
    found = {one.subject: one for one in which_ones(Rows(rows), "association")}
    assert {model: one.state for model, one in found.items()} == {"a": "ahead", "b": "behind", "c": "withheld"}
    assert (found["c"].value, found["c"].reason, found["c"].relation) == (None, why, "which ones")
    assert why in Screen(Scores(rows)).table(200)


def test_of_few_reference_models_nothing_is_found_in_a_models_favour() -> None:
    def of_few(model: str, value: float) -> Score:
        found = row(model, "baseline_margin", value, models=5)
        return replace(found, reason=few_models(found.models), too_few_models=True)

    above, below, close = (against_baseline([of_few("m", value)])[0] for value in (0.3, -0.3, 0.0))
    assert above.state == "withheld" and "6 are needed to call one ahead" in (above.reason or "")
    assert (below.state, close.state) == ("behind", "too close to call")


# --- which ones ------------------------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(-0.4, 0.4))
def test_it_cannot_be_told_just_where_both_are_at_the_ceiling_or_it_is_low(
    ceiling: float, share: float, baseline: float, margin: float
) -> None:
    [found] = which_ones(Rows(yes_and_no("m", 0.5, margin, share, baseline, ceiling)), "association")
    assert (found.state == "no room to differ") == (ceiling < 0.2 or (share >= 0.95 and baseline >= 0.95))


def test_models_of_which_nothing_can_be_told_do_not_count_in_the_test_of_the_others() -> None:
    # z = .05 / .02 = 2.5: p = .0062, below .025 alone and .025 / 3 = .0083, but not below .025 / 5
    told = [each for name in "abc" for each in yes_and_no(name, 0.5, -0.05)]
    untold = [each for name in "de" for each in yes_and_no(name, 0.5, -0.05, share=0.99, baseline=0.99)]
    states = {one.subject: one.state for one in which_ones(Rows([*told, *untold]), "association")}
    assert states == dict.fromkeys("abc", "behind") | dict.fromkeys("de", "no room to differ")


# --- sentences -------------------------------------------------------------------------------------------------------


def test_of_several_models_how_often_and_which_ones_are_said_apart() -> None:
    rows = [
        *yes_and_no("a", 0.6, -0.1, share=0.67, baseline=0.97),
        *yes_and_no("b", 0.4, -0.15, share=0.8, baseline=0.99),
        *yes_and_no("c", 0.5, -0.15, share=0.97, baseline=0.99),
    ]
    said = experiment_answer(experiment_findings(Rows(rows), "association"))
    # predicted: .4 + bias / 2; observed: less the bias
    assert said and said.text == (
        "All 3 models overestimate how often they would list a word: they predict that they would list 60% to 70% of "
        "the offered words, but list 10% to 20%. Which words they will list: 2 of 3 models are behind the baseline "
        "at equal yes rates (by .10 to .15 in skill; they reach 67% to 80% of the highest skill possible at "
        "their rates, the baseline 97% to 99%); c has no room to differ from the baseline, because it and the baseline "
        "both reach at least 95% of the highest skill possible at its yes rate."
    )


def test_the_numbers_of_a_sentence_add_up_to_all_models_also_to_those_without_a_verdict() -> None:
    rows = [each for name in "abc" for each in yes_and_no(name, 0.6, -0.2)]
    rows += [replace(each, reason="coverage .5") for each in yes_and_no("d", 0.6, -0.2)]
    said = experiment_answer(experiment_findings(Rows(rows), "association"))
    assert said and said.text.startswith("3 of 4 models overestimate")
    assert "Which words they will list: 3 of 4 models are behind" in said.text and "All" not in said.text
    assert said.text.endswith("No verdict (reasons below): d.")


def test_of_a_frame_it_is_said_whom_the_prediction_is_about() -> None:
    rows = [replace(each, condition="frame=another-model") for each in yes_and_no("m", 0.4, 0.0)]
    said = experiment_answer(experiment_findings(Rows(rows), "association"))
    # predicted .4 + .4 / 2, observed .4 less
    whole = "it predicts that another language model would list 60% of the offered words, but lists 20% itself"
    assert said and whole in said.text


def test_of_one_model_both_are_said_of_it() -> None:
    said = experiment_answer(
        experiment_findings(Rows(yes_and_no("m", -0.2, 0.1, share=0.9, baseline=0.7)), "association")
    )
    assert said and said.text == (
        "m underestimates how often it would list a word: it predicts that it would list 30% of the offered words, but "
        "lists 50% (a difference of 20 points [16, 24]). Which words it will list: ahead of the baseline at equal yes "
        "rates (by .10 [.06, .14] in skill; it reaches 90% of the highest skill possible at its rate, the baseline "
        "70%)."
    )


def test_ahead_of_a_baseline_that_is_hardly_better_than_chance_says_so() -> None:
    def said(*rows: Score) -> str:
        found = experiment_answer(experiment_findings(Rows(rows), "association"))
        assert found
        return found.text.rpartition("). ")[2]

    worth = "the baseline itself is hardly better than chance, so being ahead of it means little more than predicting "
    low, high = yes_and_no("m", 0.1, 0.2, baseline=0.09), yes_and_no("n", 0.1, 0.2, baseline=0.11)
    assert said(*low) == f"Here {worth}better than chance."
    assert said(*low, *high) == f"For m {worth}better than chance."
    assert "hardly better" not in said(*high)
    assert "hardly better" not in said(*yes_and_no("m", 0.1, -0.2, baseline=0.09))  # behind it


@pytest.mark.parametrize(
    ("margin", "share", "clause"),
    [
        (0.2, 0.7, "m is ahead of the baseline at equal yes rates (by .20 "),
        (-0.2, 0.7, "m is behind the baseline at equal yes rates (by .20 "),
        (0.0, 0.7, "too close to call between m and the baseline"),
        (0.0, 0.99, "m has no room to differ from the baseline"),
    ],
)
def test_of_two_models_the_only_one_with_a_finding_is_named(margin: float, share: float, clause: str) -> None:
    alone = [row for row in yes_and_no("n", 0.1, 0.0) if row.metric == "skill"]
    rows = [*yes_and_no("m", 0.1, margin, share=share, baseline=0.8 if share < 0.9 else 0.99), *alone]
    found = experiment_answer(experiment_findings(Rows(rows), "association"))
    assert found and f"Which words it will list: {clause}" in found.text


def over_a_constant(rows: Sequence[Score]) -> list[Score]:
    return [replace(each, baseline=CONSTANT) if each.metric in MARGINS else each for each in rows]


WORTH = "Being ahead of it means predicting better than chance, no more."


def test_ahead_of_a_baseline_of_skill_0_says_what_that_is_worth() -> None:
    def said(*rows: Score) -> str:
        found = experiment_answer(experiment_findings(Rows(rows), "association"))
        assert found
        return found.text.rpartition("). ")[2]

    why = "the baseline is always the same answer (skill 0), because other models predict no better than that."
    alone, behind, other = yes_and_no("m", 0.1, 0.2), yes_and_no("n", 0.1, -0.2), yes_and_no("o", 0.1, 0.2)
    assert said(*over_a_constant(alone)) == f"Here {why} {WORTH}"
    assert said(*over_a_constant(behind)) == f"Here {why}"  # nothing that could be taken for more
    assert said(*over_a_constant(alone), *other) == f"For m {why} {WORTH}"
    assert said(*alone, *over_a_constant(behind)) == f"For n {why}"
    assert "always the same answer" not in said(*alone)


def test_headline_and_counts_make_no_more_of_it() -> None:
    ahead, other = yes_and_no("m", 0.0, 0.2), yes_and_no("n", 0.0, 0.2)
    assert headline(Rows(over_a_constant(ahead))) == "m is better than chance at predicting which words it will list"
    assert headline(Rows(ahead)) == "m is better than a baseline at predicting which words it will list"
    both = Rows([*over_a_constant(ahead), *other])
    assert headline(both) == "Both models are better than a baseline at predicting which words they will list"
    assert brief(which_ones(both, "association")) == "both ahead (1 of a constant answer)"
    assert brief(which_ones(Rows(over_a_constant(ahead)), "association")) == "ahead of a constant answer"
    assert comparison_with_others(Rows(over_a_constant(ahead))) == (
        "In association predictions are better than chance, and no more is shown: there a constant answer is as good "
        "as the prediction from other models."
    )


# --- differences in points -------------------------------------------------------------------------------------------


def of_rates(predicted: float, observed: float, error: float = 0.02) -> Finding:
    values = {"skill": 0.3, "predicted_rate": predicted, "rate_bias": predicted - observed}
    [found] = how_often(Rows([row("m", metric, value, error) for metric, value in values.items()]), "association")
    return found


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_difference_in_points_is_that_of_the_shares_as_printed_or_says_about(a: float, b: float) -> None:
    found = of_rates(a, b)
    apart = points_apart([found])
    assert found.rates
    predicted, observed = found.rates  # the second is worked out from the first, so that 2.5% may be a bit more
    printed = abs(round(100 * predicted) - round(100 * observed))
    assert apart.startswith("about ") or apart.split()[0] == str(printed)
    assert not apart.startswith("about ") or apart.split()[1] != str(printed)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.0001, 0.1))
def test_the_interval_beside_it_holds_it_and_leaves_0_just_where_there_is_a_verdict(
    a: float, b: float, error: float
) -> None:
    found = of_rates(a, b, error)
    shown = how_often_clause([found])
    [(value, low, high)] = re.findall(
        r"a difference of (?:about )?(-?[\d.]+) points? \[(-?[\d.]+), (-?[\d.]+)\]", shown
    )
    assert float(low) <= float(value) <= float(high)
    assert (float(low) <= 0 <= float(high)) == (found.answer == "open")


def test_shares_that_are_rounded_apart_do_not_make_a_point_more() -> None:
    # 68.4% and 55.6% are printed as 68% and 56%, 12 apart, and differ by 12.8
    assert points_apart([of_rates(0.684, 0.556)]) == "about 13 points"
    assert points_apart([of_rates(0.68, 0.556)]) == "12 points"
    assert points_apart([of_rates(0.68, 0.55), of_rates(0.9, 0.2), of_rates(0.5, 0.8)]) == "13 to 70 points"
    assert points_apart([of_rates(0.504, 0.5)]) == "about .4 points"


def test_of_nobody_ahead_only_those_are_spoken_of_that_could_have_been() -> None:
    def margins(withheld: int, *, few: bool = False) -> Rows:
        reason = few_models(5) if few else None
        own = {"reason": reason, "too_few_models": few, "experiment": "difficulty"}
        lost = {"reason": "coverage .5 is below .9", "experiment": "difficulty"}
        behind = [row(m, "baseline_margin", -0.3, **own) for m in "abc"[withheld:]]
        return Rows([*behind, *(row(m, "baseline_margin", 0.3, **lost) for m in "abc"[:withheld])])

    rest = "shown to predict itself better than a baseline made from other models"
    assert comparison_with_others(margins(0)) == f"No model is {rest}."
    assert comparison_with_others(margins(1)) == f"None of the 2 models with a verdict is {rest}."
    assert comparison_with_others(margins(2)) == f"The one model with a verdict is not {rest}."
    assert comparison_with_others(margins(3)) == ""
    assert comparison_with_others(Rows([*margins(0).rows, row("a", "baseline_margin", None, reason="few")])) == (
        f"No model is {rest} in difficulty."
    )
    # the baseline is of five models: nobody could be found ahead of it, so that nobody is found is no news
    assert comparison_with_others(margins(0, few=True)) == (
        "Whether any model is ahead of a baseline made from other models is not known: only 5 models were read on "
        "the same items, and 6 are needed to call one ahead."
    )


def test_orders_have_no_rate() -> None:
    margins = [row(m, "baseline_margin", v, experiment="difficulty") for m, v in (("a", -0.1), ("b", -0.3), ("c", 0.0))]
    skills = [row(m, "skill", 0.3, experiment="difficulty") for m in "abc"]
    said = experiment_answer(experiment_findings(Rows([*margins, *skills]), "difficulty"))
    # c is tested alone after a and b: (1.96 + .84) * .02 on the side where they were rejected, and more on the other
    least = (norm.isf(0.025 / 3) + norm.isf(0.2)) * 0.02  # from there -.048 to 1.96 * .02 = .039
    assert said and said.text == (
        "Which questions they will find hard: 2 of 3 models are behind the baseline (by .10 to .30 in skill); for c it "
        f"is too close to call (margin .00 [-.05, .04]; 80% power to detect one of {least:.2f})."
    ).replace("of 0.", "of .")


def test_a_mean_in_which_margins_of_both_signs_cancel_says_so() -> None:
    rows = [
        row("m", "baseline_margin", value, experiment=e) for e, value in (("association", 0.4), ("difficulty", -0.4))
    ]
    overall = row("m", "baseline_margin", 0.0, experiment="overall")
    said = overall_answer(Rows([*rows, overall]))
    assert said and "for m it is too close to call" in said.text
    assert said.text.endswith("For m, margins above and below 0 cancel out in it.")
    alone = overall_answer(Rows([rows[0], overall]))
    assert alone and "cancel" not in alone.text


states = st.tuples(
    st.floats(-0.5, 0.5),
    st.floats(-0.4, 0.4),
    st.floats(0.3, 1),
    st.floats(0.3, 1),
    st.floats(0.05, 1),
    st.floats(0.01, 0.1),
)


CLAUSES = {
    **{"overestimate": "overestimates", "underestimate": "underestimates", "too close to call": "too close to call"},
    **{"behind": "behind", "ahead": "ahead", "no room to differ": "no room to differ"},
}


@given(st.lists(states, min_size=1, max_size=7))
def test_every_judged_model_is_counted_once_in_each_clause_and_nothing_else_is_said(worlds: list[Any]) -> None:
    scores = Rows([each for n, world in enumerate(worlds) for each in yes_and_no(f"m{n}", *world)])
    said = experiment_answer(experiment_findings(scores, "association"))
    assert said
    assert not re.search(r"\b[Nn]one\b|reaches 0|not shown", said.text)
    often, which = how_often(scores, "association"), which_ones(scores, "association")
    if len(worlds) == 1:
        return
    first, second = said.text.split("Which words they will list")
    for clause, found in ((first, often), (second, which)):
        for word, state in CLAUSES.items():
            n = sum(one.state == state for one in found)
            assert (word in clause) == (n > 0), (clause, word, n)
    numbers = [one for one in which if one.state == "behind"]
    for one in numbers:
        assert one.tested_high is not None and one.tested_high < 0


# --- terminal, page and JSON -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data_of_panel(small_panel: Run) -> Data:
    return Data(Selection.of(small_panel), Options())


def test_terminal_page_and_json_say_the_same_sentences(data_of_panel: Data) -> None:
    scores = data_of_panel.scores
    sentences = answers(scores)
    said = [labelled(one) for one in sentences]
    assert json.loads(scores.json())["answer"][: len(said)] == said
    on_page = [one for told in answer(data_of_panel).said.values() for one in told]
    # the page has its reasons elsewhere, and says what the baseline is next to its headline
    assert all(one in on_page for one in answers(scores, "see †") if one.text != BASELINE)
    printed = re.sub(r"\s+", " ", str(scores))
    assert all(re.sub(r"\s+", " ", line) in printed for line in said)
    assert said[0] == BASELINE


def test_a_dot_on_the_page_is_hollow_just_where_the_interval_that_was_tested_reaches_0(data_of_panel: Data) -> None:
    scores, found = data_of_panel.scores, front(data_of_panel.scores, data_of_panel.models)
    assert found
    checked = 0
    for panel in found.panels:
        often, which = how_often(scores, panel.experiment), which_ones(scores, panel.experiment)
        for column in panel.columns:
            of = {one.subject: one for one in (often if column.head == "How often" else which)}
            for model, cell in column.cells.items():
                one = of[model]
                if cell.drawing is None or one.answer == "withheld":
                    assert cell.faint or one.answer == "ceiling"
                    continue
                assert one.tested_low is not None and one.tested_high is not None
                assert ("hollow" in cell.drawing) == (one.tested_low <= 0 <= one.tested_high)
                checked += 1
    assert checked > 10


def test_json_has_a_verdict_for_every_question_with_the_interval_that_was_tested(data_of_panel: Data) -> None:
    records = json.loads(data_of_panel.scores.json())["verdicts"]
    questions = {(one["experiment"], one["question"]) for one in records}
    assert {("association", "how often"), ("association", "which ones"), ("difficulty", "margin")} <= questions
    for one in records:
        if one["verdict"] in ("ahead", "behind", "overestimates", "underestimates", "too close to call"):
            held = one["tested_low"] <= 0 <= one["tested_high"]
            assert held == (one["verdict"] == "too close to call"), one
            assert one["detectable"] > 0 and one["tested_together"] >= 1
        if one["verdict"] == "withheld":
            assert one["reason"]


def test_a_finding_of_rates_adds_up(data_of_panel: Data) -> None:
    for one in how_often(data_of_panel.scores, "restriction"):
        if one.rates:
            assert one.rates[0] - one.rates[1] == pytest.approx(one.value)
    assert not how_often(data_of_panel.scores, "difficulty")


def test_nothing_is_said_where_nothing_was_asked() -> None:
    assert answers(Rows([])) == []
