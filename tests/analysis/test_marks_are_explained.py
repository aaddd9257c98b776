"""Whatever is marked † on a screen has a line there that says why, by random scores."""

import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from selfexec.analysis.findings import ExperimentFindings, Finding, experiment_findings
from selfexec.analysis.full_scores import FullScores
from selfexec.analysis.score_table import Scores
from selfexec.analysis.screen import Screen
from selfexec.metrics import Score, few_models

RATES = ("accuracy", "skill", "rate_bias", "best_baseline", "baseline_margin", "margin_at_own_rate", "predicted_rate")
FURTHER = ("precision", "recall", "mcc", "auroc", "auroc_margin")
ORDERS = ("accuracy", "skill", "best_baseline", "baseline_margin", "question_accuracy")
WHY = ("coverage .7 is below .9", "only 4 items have the rarer outcome, fewer than 20", "only one item could be scored")
reasons = st.sampled_from([None, None, *WHY])


@st.composite
def some_scores(draw: st.DrawFn) -> Scores:
    """One to four models in two experiments; any number may be marked, or not be there, each for its own reason."""
    rows = []
    few = draw(st.booleans())
    for model in [f"m{n}" for n in range(draw(st.integers(1, 4)))]:
        for experiment, metrics in (("association", (*RATES, *FURTHER)), ("difficulty", ORDERS)):
            for metric in metrics:
                if metric in FURTHER and not draw(st.booleans()):
                    continue
                row = _row(model, experiment, metric, draw(st.floats(0, 1)), draw(reasons))
                absent = row.reason is not None and draw(st.booleans())
                row = replace(row, value=None, low=None, high=None) if absent else row
                if few and "margin" in metric and row.value is not None and row.reason is None:
                    row = replace(row, models=5, reason=few_models(5), too_few_models=True)
                rows.append(row)
    return Scores(rows)


def _row(model: str, experiment: str, metric: str, value: float, reason: str | None) -> Score:
    counts: dict[str, Any] = {"items": 100, "claims": 500, "unreadable": 0, "missing": 0, "convention": "strict"}
    return Score(model, experiment, metric, value, value - 0.1, value + 0.1, **counts, models=7, reason=reason)


def lines_and_rest(text: str) -> tuple[list[str], str]:
    """The lines of tables, which begin with a model behind at most one space, and what stands around them."""
    lines = text.splitlines()
    table = [line for line in lines if re.match(r" ?m\d  ", line)]
    return table, " ".join(" ".join(line for line in lines if line not in table).split())


@given(some_scores())
def test_the_first_screen_says_why_a_model_has_no_verdict(scores: Scores) -> None:
    table, rest = lines_and_rest(Screen(scores).table(200))
    assert table
    if not any("†" in line for line in table):
        assert "†" not in rest
        return
    pattern = r"† no verdict(?:: (.*?)( \(others: --full\))?| \(why: --full\))\.(?= [A-Z]|$)"
    [(why, more)] = re.findall(pattern, rest)
    shown = [each for experiment in scores.experiments for each in shown_of(experiment_findings(scores, experiment))]
    without = [each for each in shown if each.answer == "withheld" and each.reason]
    marked = [each for each in without if each.value is not None]
    if why:
        assert why in {(each.reason or "").partition(" (")[0] for each in marked}
        assert bool(more) == (len({each.reason for each in without}) > 1)
    else:  # no two models share a reason
        assert len({(each.reason, each.subject) for each in marked}) == len({each.reason for each in marked})
        assert len({each.reason for each in without}) > 1


def shown_of(found: ExperimentFindings) -> list[Finding]:
    """What the columns of an experiment are made of."""
    has_margins = any(each.answer != "withheld" for each in found.which_ones)
    return [*found.how_often, *(found.which_ones if has_margins else found.skills)]


@given(some_scores())
@settings(max_examples=examples(40))
def test_each_marked_number_of_the_full_table_has_its_reason_below_it(scores: Scores) -> None:
    first = {*RATES, *ORDERS, "auroc", "auroc_margin"} - {"predicted_rate", "question_accuracy"}  # in two tables
    for metrics, text in (
        (first, scores.table(10_000)),
        ({*RATES, *ORDERS, *FURTHER}, FullScores(scores, every=True).table(10_000)),
    ):
        for row in scores:
            if row.value is None or not row.reason or row.metric not in metrics:
                continue
            told = [line for line in text.splitlines() if row.reason in line and re.search(rf"\b{row.model}\b", line)]
            assert any(row.experiment in line or "margins of" in line for line in told), (row, text)
        marks, rest = (" ".join(lines) for lines in parts_of(text))
        assert ("†" in marks) == ("†" in rest)


def parts_of(text: str) -> tuple[list[str], list[str]]:
    """The lines with cells of tables, which have a number or a mark, and the others."""
    lines = text.splitlines()
    cells = [line for line in lines if re.search(r"[.\d]†", line)]
    return cells, [line for line in lines if line not in cells]
