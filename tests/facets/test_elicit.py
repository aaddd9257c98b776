"""Elicit: predictions as probabilities, held against the same behaviour; nothing changes where nobody asks for them."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from string import Template

import polars as pl
import pytest

import selfexec as sx
from selfexec.analysis.findings import which_ones
from selfexec.analysis.probability_table import probability_table
from selfexec.analysis.score_table import Scores
from selfexec.analysis.selection import Selection
from selfexec.engines.sim import PROFILES, traits
from selfexec.engines.sim.server import SimServer
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, Key
from selfexec.experiments.difficulty import chance_easier
from selfexec.prompts import all_prompts, by_condition, read_prompts
from selfexec.report.data import Data, Options
from selfexec.report.front import front
from selfexec.report.sections.conditions import Conditions, conditions
from sockets import served

ELICITED = (("elicit", "probability"),)
ABOUT_A_PERSON = (("elicit", "probability"), ("frame", "person"))
CONDITION = "elicit=probability"
OF_THRESHOLDS = ("youden_j", "skill", "recall", "mcc", "baseline_margin", "margin_at_own_rate", "share_of_ceiling")


@pytest.fixture(scope="module")
def crossed(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    """Two frames, two ways of eliciting, three experiments: one command."""
    levels = {"elicit": ["choice", "probability"], "frame": ["self", "person"]}
    names = ["knows-itself", "typical", "coin", "says-yes", "knows-models", "knows-its-kind"]
    models = [f"sim/{name}" for name in names]
    return sx.run(models, limit=40, facets=levels, out=tmp_path_factory.mktemp("runs") / "crossed")


@pytest.fixture(scope="module")
def scores(crossed: sx.Run) -> Scores:
    return sx.score(crossed)


@pytest.fixture(scope="module")
def in_probabilities(crossed: sx.Run) -> sx.Run:
    """The run as if nothing but its own probabilities had been asked."""
    return crossed.under(CONDITION)


@pytest.fixture(scope="module")
def section(crossed: sx.Run) -> Conditions:
    """What the page says of the conditions."""
    found = conditions(Data(Selection.of(crossed), Options("none")))
    assert found is not None
    return found


def test_predictions_are_asked_in_both_ways_and_outcomes_once(crossed: sx.Run) -> None:
    sessions = Counter((key.session_kind, key.facets) for key in crossed.replies if key.experiment == "association")
    models = 6
    assert sessions == {
        ("execute", ()): 40 * models,
        **{("predict", facets): 40 * models for facets in ((), ELICITED, ABOUT_A_PERSON, (("frame", "person"),))},
    }


@pytest.mark.parametrize(
    ("language", "asks", "person"), [("en", "how probable", "a person"), ("de", "wahrscheinlich", "ein Mensch")]
)
@pytest.mark.parametrize("experiment", PAPER_HEADLINE.experiments)
def test_a_prompt_in_probabilities_is_about_whom_the_frame_says_and_fills_in_what_the_plain_one_does(
    experiment: str, language: str, asks: str, person: str
) -> None:
    prompts = all_prompts(read_prompts(language))
    asked = by_condition(prompts, [experiment], [(), ELICITED, ABOUT_A_PERSON])[experiment]
    plain, own, of_a_person = (asked[condition]["predict"] for condition in ((), ELICITED, ABOUT_A_PERSON))
    names = set(Template(plain).get_identifiers())
    assert set(Template(own).get_identifiers()) == set(Template(of_a_person).get_identifiers()) == names
    assert asks in own
    assert person not in own
    assert person in of_a_person
    assert plain == prompts[experiment]["predict"]


def test_what_has_no_words_for_probabilities_is_refused_by_name(tmp_path: Path) -> None:
    own = {"association.predict": "Which of $options would you list for $target?"}
    with pytest.raises(sx.InputError, match=r"no association\.predict@elicit"):
        sx.run("sim/coin", prompts=own, limit=1, facets={"elicit": "probability"}, out=tmp_path / "b")


def test_the_default_condition_of_a_crossed_run_is_as_if_nothing_else_had_been_asked(
    crossed: sx.Run, scores: Scores, tmp_path: Path
) -> None:
    plain = sx.run(list(crossed.models), limit=40, out=tmp_path / "plain")
    assert crossed.under("default").observations.sort(pl.all()).equals(plain.observations.sort(pl.all()))
    rows = [row for row in scores if row.condition == "default"]
    assert rows == list(sx.score(plain))
    assert not [row.metric for row in rows if row.metric.startswith(("auroc", "brier", "selective"))]


def test_a_run_narrowed_to_one_condition_reads_probabilities_as_the_whole_run_does(
    crossed: sx.Run, in_probabilities: sx.Run
) -> None:
    whole = crossed.observations.filter(pl.col("condition") == CONDITION)
    assert in_probabilities.observations.sort(pl.all()).equals(whole.sort(pl.all()))
    assert whole.filter(pl.col("state") == "read")["probability"].is_not_null().all()


def test_youdens_j_and_auroc_never_stand_side_by_side(scores: Scores) -> None:
    by_place: dict[tuple[str, str, str], dict[str, float | None]] = {}
    for row in scores:
        by_place.setdefault((row.model, row.experiment, row.condition), {})[row.metric] = row.value
    for (_, experiment, condition), values in by_place.items():
        if experiment in ("association", "restriction"):
            elicited = CONDITION in condition
            assert all((values[metric] is None) for metric in OF_THRESHOLDS) or not elicited
            assert ("auroc" in values) == elicited
            assert (values["accuracy"] is not None) and (values["coverage"] is not None)
        elif experiment == "difficulty":
            assert values["tau"] is not None  # an order has no threshold
            assert ("brier" in values) == (CONDITION in condition)


def test_probabilities_are_not_compared_with_choices_by_what_rests_on_a_threshold(crossed: sx.Run) -> None:
    found = sx.compare(crossed, conditions=["default", CONDITION], metrics="skill", experiments="association")
    shifts = [shift.difference for shift in found.shifts]
    assert len(shifts) == len(crossed.models)
    assert all(shift.difference is None and "probabilities" in (shift.reason or "") for shift in shifts)


def test_models_are_compared_by_scores_of_probabilities_on_the_items_that_they_share(
    crossed: sx.Run, scores: Scores
) -> None:
    metrics = ["auroc", "auroc_within", "auroc_margin", "brier"]
    found = sx.compare(crossed, conditions=[CONDITION], metrics=metrics, experiments="association")
    assert {pair.metric for pair in found.differences} == {*metrics}
    own = scores.under(CONDITION)
    for pair in found.differences:
        both = [own.value(model, "association", pair.metric) for model in (pair.model, pair.against)]
        # losses differ: a score on the common items is not quite one's own
        assert [pair.value, pair.value_against] == pytest.approx(both, abs=0.03)
        assert pair.difference == pytest.approx((pair.value or 0.0) - (pair.value_against or 0.0))


def test_the_brier_score_of_orders_is_compared_and_areas_are_refused(crossed: sx.Run) -> None:
    found = sx.compare(crossed, conditions=[CONDITION], metrics="brier", experiments="difficulty")
    assert found.differences and all(pair.difference is not None for pair in found.differences)
    with pytest.raises(sx.InputError, match="orders have no AUROC"):
        sx.compare(crossed, conditions=[CONDITION], metrics="auroc_margin", experiments="difficulty")


def test_checkpoints_in_probabilities_are_followed_by_scores_without_a_threshold(crossed: sx.Run) -> None:
    found = sx.trend(crossed, conditions=[CONDITION], experiments="association")
    metrics = {point.metric for point in found.points}
    assert {"auroc", "auroc_within", "brier", "accuracy"} <= metrics
    assert not {"skill", "baseline_margin"} & metrics


def test_predictions_about_a_model_in_probabilities_have_an_area_in_place_of_a_skill(
    crossed: sx.Run, scores: Scores
) -> None:
    subject = "sim/knows-itself"
    rows = sx.predictions_about(crossed, subject, conditions=CONDITION, experiments="association")
    own = next(row for row in rows if row.predictor == subject and row.condition == CONDITION)
    assert own.auroc == scores.under(CONDITION).value(subject, "association", "auroc")
    for row in rows:
        assert (row.auroc is None) == (row.condition == "default")
        assert row.auroc is None or row.skill is None  # never in one row
        if row.auroc is not None and row.predictor != subject:
            # losses differ: an area on the common items is not quite one's own
            assert row.less == pytest.approx(own.auroc - row.auroc, abs=0.03)


def test_own_excess_of_probabilities_is_withheld(scores: Scores) -> None:
    rows = [row for row in scores if row.metric == "own_excess" and row.condition == CONDITION]
    assert rows
    assert all(row.value is None and row.verdict is None and "probabilities" in (row.reason or "") for row in rows)


def planted(monkeypatch: pytest.MonkeyPatch, **changes: float) -> str:
    """A simulated model that sees its own behaviour through noise of known size."""
    base = replace(PROFILES["typical"], lists_recall=0.8, lists_specificity=0.7, breaks=0.0, noise=0.0, **changes)
    monkeypatch.setitem(traits.PROFILES, "planted", replace(base, name="planted"))
    return "sim/planted"


def association(out: Path, **changes: float) -> dict[str, sx.Score]:
    with pytest.MonkeyPatch.context() as patch:
        model = planted(patch, **changes)
        run = sx.run(model, experiments="association", limit=80, facets={"elicit": "probability"}, out=out)
    return {row.metric: row for row in sx.score(run) if row.experiment == "association"}


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, sx.Score]:
    return association(tmp_path_factory.mktemp("planted") / "run")


def test_the_planted_resolution_comes_back_as_auroc(calibrated: dict[str, sx.Score]) -> None:
    found = calibrated["auroc"]
    # z(.8) - z(.3) = .8416 + .5244 = 1.3660; Phi(1.3660 / sqrt 2) = .833
    normal = NormalDist()
    true = normal.cdf((normal.inv_cdf(0.8) - normal.inv_cdf(0.3)) / 2**0.5)
    assert true == pytest.approx(0.833, abs=0.001)
    assert found.low is not None and found.high is not None
    assert found.low < true < found.high


def test_a_calibrated_respondent_has_no_reliability_to_speak_of_and_a_sharp_one_has(
    calibrated: dict[str, sx.Score], tmp_path: Path
) -> None:
    plain, sharp = (found["brier_reliability"] for found in (calibrated, association(tmp_path / "run", sharpness=3.0)))
    assert plain.low is not None and plain.high is not None and sharp.low is not None
    assert plain.low <= 0 <= plain.high
    assert sharp.low > plain.high > 0


def test_a_planted_criterion_moves_the_rate_and_leaves_the_auroc(
    calibrated: dict[str, sx.Score], tmp_path: Path
) -> None:
    low, high = (association(tmp_path / f"{readiness}", readiness=readiness) for readiness in (-2.0, 2.0))
    rows = [low, calibrated, high]
    # four digits behind the point are written: few pairs tie
    areas = [found["auroc"].value or 0.0 for found in rows]
    assert max(areas) - min(areas) < 0.002
    biases = [found["rate_bias"].value or 0.0 for found in rows]
    assert biases[0] < -0.1 < biases[1] < 0.1 < biases[2]


def test_refusals_to_give_numbers_are_declined_and_lower_coverage(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = planted(monkeypatch, declines=0.3)
    run = sx.run(model, experiments="restriction", limit=60, facets={"elicit": "probability"}, out=tmp_path / "r")
    reasons = Counter(reading.reason for key, reading in run.readings.items() if key.session_kind == "predict")
    assert 8 <= reasons["declined"] <= 30
    [coverage] = [row.value for row in sx.score(run) if (row.metric, row.experiment) == ("coverage", "restriction")]
    assert coverage == pytest.approx(1 - reasons["declined"] / 60)


def test_behind_a_server_a_simulated_model_recognises_prompts_in_probabilities(tmp_path: Path) -> None:
    levels = {"elicit": "probability", "frame": ["self", "person"]}
    here = sx.run("sim/typical", limit=3, facets=levels, out=tmp_path / "here")
    with served(SimServer(here.items).app()) as url:
        there = sx.run(
            "any/typical",
            base_url=url,
            limit=3,
            facets=levels,
            out=tmp_path / "there",
            on_progress=lambda progress: None,
        )
    texts = [
        {
            (k.experiment, k.item, k.session, k.facets): r.text
            for k, r in run.replies.items()
            if k.session_kind == "predict"
        }
        for run in (here, there)
    ]
    assert texts[0] == texts[1]


def test_readings_of_probabilities_can_be_written_out_and_given_back(in_probabilities: sx.Run) -> None:
    run = in_probabilities
    given = {key: reading for key, reading in run.readings.items() if key.session_kind == "predict"}
    assert run.with_readings(given).observations.equals(run.observations)
    key = next(key for key in given if key.experiment == "association")
    value = json.loads(json.dumps(given[key].value))
    assert EXPERIMENTS["association"].given(run.items["association"][key.item], "predict", value) == value


@pytest.mark.parametrize(
    ("one", "two", "chance"),
    [
        # right for sure against wrong for sure
        ((1.0, 100), (0.0, 100), 1.0),
        # equally right, equally long: a coin
        ((0.7, 100), (0.7, 100), 0.5),
        # both right for sure: Phi(log(e)) = Phi(1) = .8413
        ((1.0, 100), (1.0, 271.828), 0.8413),
        # .8 x .5 + (.8 x .5 + .2 x .5) / 2
        ((0.8, 100), (0.5, 100), 0.65),
    ],
)
def test_the_easier_question_is_the_right_one_and_then_the_shorter_one(
    one: tuple[float, float], two: tuple[float, float], chance: float
) -> None:
    expectations = [{"correct": correct, "tokens": tokens} for correct, tokens in (one, two)]
    assert chance_easier(*expectations) == pytest.approx(chance, abs=1e-4)
    assert chance_easier(*reversed(expectations)) == pytest.approx(1 - chance, abs=1e-4)


def test_the_key_of_a_prediction_in_probabilities_names_the_level(crossed: sx.Run) -> None:
    item = next(key.item for key in crossed.replies if key.experiment == "restriction")
    assert Key("sim/coin", "restriction", item, 1, "predict", ELICITED) in crossed.replies


def test_the_margin_in_auroc_is_over_a_baseline_on_the_same_claims(crossed: sx.Run, scores: Scores) -> None:
    rows = {
        (row.model, row.metric): row for row in scores if (row.experiment, row.condition) == ("association", CONDITION)
    }
    for model in crossed.models:
        own, baseline, margin = (rows[model, metric] for metric in ("auroc", "auroc_baseline", "auroc_margin"))
        assert own.value is not None and baseline.value is not None and margin.value is not None
        # six models were asked the same items: the baseline has a logit for every claim
        assert margin.value == pytest.approx(own.value - baseline.value, abs=1e-9)
        assert margin.low is not None and margin.high is not None
        assert margin.low < margin.value < margin.high
    # one that knows only itself beats what models in general do; a coin does not
    assert (rows["sim/knows-itself", "auroc_margin"].low or 0.0) > 0
    assert (rows["sim/coin", "auroc_margin"].high or 0.0) < 0.1


def test_a_model_has_skill_or_auroc_in_a_condition_and_the_page_says_what_was_asked(
    crossed: sx.Run, scores: Scores, tmp_path: Path
) -> None:
    known = {(row.model, row.experiment, row.condition, row.metric) for row in scores if row.value is not None}
    areas, skills = ({place[:3] for place in known if place[3] == metric} for metric in ("auroc", "youden_j"))
    assert areas and skills and areas.isdisjoint(skills)
    condition = "elicit=probability,frame=person"
    about = sx.report(crossed, tmp_path / "about.html", conditions=condition).read_text("utf-8")
    assert "6 models predicted what a person would do; this is what they did." in about
    assert "as a probability of each claim; whose behaviour the model is asked to predict: that of a person" in about


def test_the_front_says_which_ones_in_auroc_where_all_models_were_asked_for_probabilities(
    crossed: sx.Run, scores: Scores
) -> None:
    made = front(scores.under("default"), crossed.models, areas=scores.under(CONDITION))
    assert made is not None
    columns = {panel.experiment: panel.columns for panel in made.panels}
    (often, which) = columns["association"]
    assert (often.head, which.head, which.number) == ("How often", "Which ones, in probabilities", "margin")
    for model, cell in which.cells.items():
        margin = scores.under(CONDITION).value(model, "association", "auroc_margin")
        assert cell.elsewhere and cell.row is not None and cell.row.value == margin
    # how often is of choices, and an order has no AUROC: its skill stays
    assert all(not cell.elsewhere for cell in often.cells.values())
    assert [column.head for column in columns["difficulty"]] == ["Which ones"]


def test_the_front_keeps_skill_where_a_model_was_not_asked_for_probabilities(crossed: sx.Run, scores: Scores) -> None:
    some = Scores([row for row in scores.under(CONDITION) if row.model != "sim/coin"])
    made = front(scores.under("default"), crossed.models, areas=some)
    assert made is not None
    assert {column.head for panel in made.panels for column in panel.columns} == {"How often", "Which ones"}


def test_a_page_of_several_conditions_says_what_each_is_and_how_often_behaviour_was_asked(
    crossed: sx.Run, section: Conditions
) -> None:
    ways = {way.condition: list(way.levels) for way in section.ways}
    assert ways["default"] == ["as a choice: yes or no, or an order", "its own"]
    assert ways["elicit=probability,frame=person"] == ["as a probability of each claim", "that of a person"]
    predictions = sum(key.session_kind == "predict" for key in crossed.replies)
    done = len(crossed.replies) - predictions
    # four conditions of each prediction; every other session once, without a facet in its key
    assert predictions == 4 * sum(key.session_kind == "predict" and not key.facets for key in crossed.replies)
    assert f"{predictions:,} in all" in section.asked and f"asked once, in {done:,} sessions" in section.asked


def test_skill_and_auroc_are_in_no_table_of_conditions_together(section: Conditions) -> None:
    tables = {(panel.experiment, table.measure): table.conditions for panel in section.panels for table in panel.tables}
    assert tables["association", "skill"] == ["default", "frame=person"]
    assert tables["association", "auroc"] == [CONDITION, "elicit=probability,frame=person"]
    assert ("difficulty", "auroc") not in tables and len(tables["difficulty", "skill"]) == 4


def test_the_table_of_probabilities_has_the_numbers_of_score_and_default_runs_have_none(scores: Scores) -> None:
    columns, rows = probability_table([scores.under(CONDITION)])
    assert columns[:3] == ["model", "experiment", "AUROC"] and "condition" not in columns
    (row,) = (row for row in rows if row[:2] == ["sim/knows-itself", "association"])
    value = scores.under(CONDITION).value("sim/knows-itself", "association", "auroc")
    assert value is not None and row[2].startswith(f"{value:.3f}".removeprefix("0"))
    assert "right answers" in {row[1] for row in rows}
    assert probability_table([scores.under("default")]) == ([], [])
    assert "In probabilities" in str(scores) and "In probabilities" not in str(scores.under("default"))


def test_in_auroc_nothing_is_found_in_favour_of_a_model_among_fewer_than_six(tmp_path: Path) -> None:
    four = ["sim/knows-itself", "sim/typical", "sim/coin", "sim/says-yes"]
    run = sx.run(four, experiments=["association"], limit=60, facets={"elicit": "probability"}, out=tmp_path / "run")
    scores = sx.score(run)
    assert (scores.row("sim/knows-itself", "association", "auroc_margin").low or 0.0) > 0
    states = {finding.subject: finding.state for finding in which_ones(scores, "association")}
    assert states["sim/knows-itself"] == "withheld" and states["sim/says-yes"] == "behind"


def test_the_ladder_of_probabilities_is_in_auroc_with_the_numbers_of_score(crossed: sx.Run, scores: Scores) -> None:
    scores = scores.under(CONDITION)
    found = sx.ladder(crossed, conditions=CONDITION)
    rows = {row.level: row for row in found if (row.model, row.experiment) == ("sim/knows-itself", "association")}
    assert rows.keys() == {"constant", "stacked", "itself"} and {row.measure for row in rows.values()} == {"auroc"}
    area, baseline, margin = (
        scores.row("sim/knows-itself", "association", name) for name in ("auroc", "auroc_baseline", "auroc_margin")
    )
    assert (rows["itself"].skill, rows["stacked"].skill, rows["constant"].skill) == (area.value, baseline.value, 0.5)
    assert (rows["stacked"].difference, rows["stacked"].difference_low) == (margin.value, margin.low)
    assert area.value is not None and rows["constant"].difference == area.value - 0.5
    # an order has a skill in both forms
    assert {row.measure for row in found if row.experiment == "difficulty"} == {"skill"}
