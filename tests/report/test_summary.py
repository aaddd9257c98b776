"""What leads a page and a paper's table: how often, skill, and margins, next to each other."""

import csv
import io

import pytest

import selfexec as sx
from build import unfolded
from selfexec.analysis.selection import Selection
from selfexec.report.data import Data, Options
from selfexec.report.page import page
from selfexec.report.score_lines import SUMMARISED, summary, summary_csv
from selfexec.runs import Run


def test_the_summary_has_how_often_it_predicts_and_does_skill_and_both_margins(
    data_of_ten: Data, scores_of_ten: sx.Scores
) -> None:
    rows = list(csv.DictReader(io.StringIO(summary_csv(data_of_ten.lines))))
    row = next(row for row in rows if (row["model"], row["experiment"]) == ("gpt-4.1", "association"))
    # STATISTICS.md: says yes to .68, does .21; skill .395, margin -.40, at its own rate -.01
    told = [float(row[name]) for name in SUMMARISED]
    assert told == pytest.approx([0.678, 0.214, 0.395, -0.403, -0.010, 1.0], abs=6e-4)
    bias = scores_of_ten.value("gpt-4.1", "association", "rate_bias")
    assert told[0] - told[1] == pytest.approx(bias)


def test_orders_and_the_mean_have_no_rates(data_of_ten: Data) -> None:
    rows = list(csv.DictReader(io.StringIO(summary_csv(data_of_ten.lines))))
    without = [row for row in rows if row["experiment"] in ("difficulty", "overall")]
    assert without and all(not row[name] for row in without for name in ("predicted rate", "margin at own rate"))


def test_the_summary_has_them_in_its_columns(data_of_ten: Data) -> None:
    figure = summary(data_of_ten.lines)
    assert figure.columns[2:-1] == list(SUMMARISED)
    cells = dict(zip(figure.columns, next(r for r in figure.cells if r[:2] == ["gpt-4.1", "restriction"]), strict=True))
    assert cells["margin at own rate"] == ".018 [-.016, .053]"


@pytest.mark.slow
def test_the_table_of_scores_has_rate_bias_and_the_margin_at_own_rate_and_every_number_keeps_all(
    ten_models: Run,
) -> None:
    text = page(Selection.of(ten_models, panel="none"), Options(evidence="none"))
    table = text.split('id="score-table"')[1].split("</table>")[0]
    heads = [part.split("</bdi>")[0] for part in table.split("</thead>")[0].split("<bdi>")[1:]]
    columns = ["Accuracy", "Skill", "Rate bias", "Best baseline", "Margin", "Margin at own rate", "Coverage"]
    assert heads == ["Model", "Experiment", *columns]
    assert all(len(line.split("<td")) == 9 for line in table.split("<tr ")[1:])
    everything = unfolded(text).split('id="every"')[1]
    for metric in ("rate_bias", "margin_at_own_rate", "self_bonus", "kappa", "history_text", "margin_where_split"):
        assert f">{metric}<" in everything
