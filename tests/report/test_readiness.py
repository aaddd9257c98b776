"""The figure of how often models say yes, and how often it comes true."""

from pathlib import Path

import polars as pl
import pytest

import selfexec as sx
from build import figures
from selfexec.analysis.findings import how_often
from selfexec.analysis.screen import Screen
from selfexec.experiments import EXPERIMENTS
from selfexec.report.figures import absent
from selfexec.report.figures.numbers import FigureNumbers
from selfexec.report.front import how_often_column
from selfexec.report.score_lines import rates


def columns(run: sx.Run) -> list[str]:
    return next(list(one.columns) for one in figures([run], sx.score(run)) if one.id == "readiness")


def test_where_one_option_is_chosen_of_each_item_saying_yes_shows_nothing() -> None:
    assert EXPERIMENTS["choice"].words.does is None
    assert "How often: predicted and done" not in {one.title for one in absent([], ["choice", "difficulty"])}
    assert "How often: predicted and done" in {one.title for one in absent([], ["refusal"])}


@pytest.mark.parametrize("name", ["association", "restriction"])
def test_an_experiment_says_itself_what_a_yes_promises(name: str, tmp_path: Path) -> None:
    run = sx.run(["sim/coin", "sim/typical"], experiments=name, limit=10, out=tmp_path / "run")
    [found] = [one for one in figures([run], sx.score(run)) if one.id == "readiness"]
    does = EXPERIMENTS[name].words.does
    assert does
    assert does in found.svg


def test_how_often_is_one_number_wherever_predictions_were_lost(tmp_path: Path) -> None:
    """Of the claims with both sides read, by hand; never of all claims with a known outcome, which are more here."""
    model, name = "sim/breaks-format", "association"
    run = sx.run([model, "sim/coin"], experiments=name, limit=40, out=tmp_path / "run")
    claims = run.tables.observations.filter(pl.col("model") == model)
    read = claims.drop_nulls(["predicted", "observed"])
    assert 0 < len(read) < len(claims.drop_nulls("observed"))
    shares = [sum(read[side]) / len(read) for side in ("predicted", "observed")]
    scores = sx.score(run)
    assert scores.value(model, name, "positive_rate") != pytest.approx(shares[0], abs=0.01)

    [finding] = [found for found in how_often(scores, name) if found.subject == model]
    assert finding.rates == pytest.approx(shares)
    drawn = FigureNumbers([run], scores).how_often(name)
    assert [side[model].value for side in drawn] == pytest.approx(shares)
    assert [row.value for row in rates(scores, model, name) if row] == pytest.approx(shares)
    written = "{:.0%}, {:.0%}".format(*shares)
    assert written in Screen(scores).table(200)
    column = how_often_column(scores, name)
    assert column and column.cells[model].number == written.replace(",", " /")
