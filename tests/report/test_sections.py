"""Sections of the page: each a file and a part of the template, each absent without its data."""

import dataclasses
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import escape

import selfexec as sx
from build import part_of, unfolded
from selfexec.analysis.own_excess import QUESTION
from selfexec.analysis.selection import Selection
from selfexec.items import load
from selfexec.report import sections
from selfexec.report.data import Data, Options
from selfexec.report.front import reasons_once
from selfexec.report.page import page
from selfexec.report.sections import ABOUT, SECTIONS, TOP, Section
from selfexec.report.sections.about import as_listed, provenance
from selfexec.report.sections.conditions import conditions
from selfexec.report.sections.models import models
from selfexec.report.sections.scores import scores
from selfexec.runs import Run

REPORT = Path(sections.__file__).parents[1]
PARTS = REPORT / "templates" / "sections"
AROUND = {"filter", "evidence"}  # parts of the page that show no numbers: what is typed in, and what is packed


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return sx.run(["sim/typical", "sim/breaks-format"], limit=12, out=tmp_path_factory.mktemp("runs") / "two")


@pytest.fixture(scope="module")
def shown(run: Run) -> str:
    return page(Selection.of(run), Options())


@pytest.fixture(scope="module")
def in_conditions(toys: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with data for every section."""
    asked = {"experiments": load("starter").experiments, "limit": 12, "facets": {"haste": ["none", "quick"]}}
    folder = tmp_path_factory.mktemp("runs")
    expected = folder / "expected.json"
    hypothesis = {
        **{"name": "it knows which", "metric": "skill", "models": ["sim/typical"], "experiment": "association"},
        **{"condition": "default", "direction": "above", "margin": 0.0, "convention": "strict", "readings": "ours"},
    }
    items = {"association": sx.run("sim/typical", limit=12, out=folder / "one").items.hashes["association"]}
    expected.write_text(json.dumps({"items": items, "seed": None, "hypotheses": [hypothesis]}), "utf-8")
    return sx.run(["sim/typical", "sim/breaks-format"], out=folder / "both", hypotheses=expected, **asked)


@pytest.fixture(scope="module")
def data(in_conditions: Run) -> Data:
    return Data(Selection.of(in_conditions), Options())


def test_each_section_is_one_file_and_one_part_of_the_template() -> None:
    ids = {section.id for section in (TOP, *SECTIONS, ABOUT)}
    assert ids == {path.stem for path in (REPORT / "sections").glob("*.py")} - {"__init__"}
    assert ids | AROUND == {path.name.removesuffix(".html.j2") for path in PARTS.iterdir()}


@pytest.mark.parametrize("section", [TOP, *SECTIONS, ABOUT], ids=lambda section: section.id)
@pytest.mark.slow
def test_a_section_hands_over_a_frozen_value_whose_every_field_is_shown(section: Section, data: Data) -> None:
    found = section.made(data)
    assert dataclasses.is_dataclass(found) and found.__dataclass_params__.frozen  # type: ignore[attr-defined]
    part = (PARTS / f"{section.id}.html.j2").read_text("utf-8")
    name = section.id if section in (TOP, ABOUT) else "section"
    if section is TOP:
        part += (REPORT / "templates" / "page.html.j2").read_text("utf-8")
    fields = {field.name for field in dataclasses.fields(found)} - ({"counts"} if section.id == "scores" else set())
    assert fields <= set(re.findall(rf"\b{name}\.(\w+)", part))


@pytest.mark.slow
def test_the_list_of_models_has_the_places_of_the_table_and_quotes_what_was_predicted(tmp_path: Path) -> None:
    data = Data(Selection.of(sx.run(["sim/knows-itself", "sim/typical", "sim/coin"], out=tmp_path / "run")), Options())
    section = models(data)
    places = {line.model: line.places["skill"] for line in data.lines if line.experiment == "overall" and line.places}
    assert len(places) > 1 and {part.model: part.place for part in section.models if part.place} == places
    surprise = next(one for of in data.surprises.values() for one in of if one.experiment == "difficulty")
    group = next(run.items.items["difficulty"][surprise.item] for run in data.runs)
    first, second = (group.questions[int(name[1:]) - 1].question[:30] for name in surprise.claim.split(" before "))
    said = section.quoted(surprise)
    assert said.index(first) < said.index("easier" if surprise.predicted else "harder") < said.index(second)


@pytest.mark.slow
def test_contents_lead_to_each_section_and_to_no_other(in_conditions: Run) -> None:
    text = page(Selection.of(in_conditions), Options())
    linked = re.findall(r'<li><a href="#([\w-]+)">', text)
    # the page begins with the answer, which needs no link
    assert ["answer", *linked] == [*re.findall(r'<section id="([\w-]+)"', text), "about"]
    assert ["answer", *linked] == [*(section.id for section in SECTIONS), "about"]


def test_a_section_without_its_data_is_absent_from_page_and_contents(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = replace(run, replies={})
    monkeypatch.setattr("selfexec.analysis.selection.refuse_silent", lambda run: None)  # it would be at the door
    assert {section.id for section in SECTIONS if section.made(Data(Selection.of(nothing), Options())) is None} == {
        "hypotheses",
        "figures",
        "conditions",
        "failing_question",
        "guess",
    }


def test_what_was_lost_opens_it_where_the_count_is_of_just_that(run: Run, shown: str) -> None:
    every = unfolded(shown[shown.index('id="every"') :])
    lost = run.observations.filter(
        model="sim/breaks-format", experiment="association", state="unreadable"
    ).height  # every one was asked for once
    assert lost > 0
    assert re.search(rf'data-m="1" data-e="association" data-c="\?">{lost}<span class="sr"> unreadable', every)


@pytest.mark.slow
def test_a_page_is_of_one_condition_and_has_the_scores_of_the_others_beside(in_conditions: Run) -> None:
    scores = sx.score(in_conditions)
    assert scores.conditions == ["default", "haste=quick"]
    for condition in scores.conditions:
        data = Data(Selection.of(in_conditions, conditions=condition), Options())
        shown = data.scores
        assert {row.condition for row in shown} == {condition}
        assert list(shown) == list(scores.under(condition))
        assert condition == "default" or re.search(rf"Condition {condition} \(", page(data.selection, Options()))
    found = conditions(Data(Selection.of(in_conditions), Options()))
    assert found is not None and found.here == "default"
    tables = {panel.experiment: table for panel in found.panels for table in panel.tables}
    # a column for each condition in which any model has a skill; simulated models know the question that they wrote by
    # the words around it, which haste changes
    having = {(row.experiment, row.condition) for row in scores if row.metric == "skill" and row.value is not None}
    assert {(experiment, one) for experiment, table in tables.items() for one in table.conditions} == having
    assert {e for e, table in tables.items() if list(table.conditions) != scores.conditions} == {"failing_question"}
    assert list(tables["failing_question"].conditions) == ["default"]
    for experiment, table in tables.items():
        for model, cells in table.rows:
            for condition, cell in zip(table.conditions, cells, strict=True):
                value = scores.under(condition).value(model, experiment, "skill")
                assert cell.value == ("" if value is None else f"{value:.3f}".replace("0.", ".", 1))


def test_what_own_excess_rests_on_is_in_the_page_but_not_of_one_model_alone(run: Run, shown: str) -> None:
    assert 'id="own-excess"' in unfolded(shown) and escape(QUESTION) in unfolded(shown)
    alone = unfolded(page(Selection.of(part_of(run, models=["sim/typical"])), Options()))
    assert 'id="own-excess"' not in alone and escape(QUESTION) not in alone


def test_why_sessions_are_missing_has_a_column_where_some_are(run: Run, shown: str) -> None:
    """Nothing is missing of simulated models, and one of these cannot be read."""
    lost = shown.split('<section id="lost"')[1].split("</section>")[0]
    assert "Unreadable" in lost and "Why missing" not in lost
    gone = replace(run, replies={key: reply for n, (key, reply) in enumerate(run.replies.items()) if n})
    assert "Why missing" in page(Selection.of(gone), Options())


def test_scores_in_conditions_have_margins_where_there_are_some(in_conditions: Run) -> None:
    """It takes three other models: of two there are none."""
    text = page(Selection.of(in_conditions), Options()).split('<section id="conditions"')[1].split("</section>")[0]
    assert "Skill" in text and "Margin" not in text
    found = conditions(Data(Selection.of(in_conditions), Options()))
    assert found and not found.has_margins
    model, cells = found.panels[0].tables[0].rows[0]
    table = replace(found.panels[0].tables[0], rows=[(model, [replace(cells[0], margin="+.10")])])
    assert replace(found, panels=[replace(found.panels[0], tables=[table])]).has_margins


def test_a_best_baseline_without_other_models_is_not_told_as_always_the_same(shown: str) -> None:
    """Beside that an item's label alone may do far better."""
    lines = shown.split('id="score-table"')[1].split("</table>")[0]
    assert "always the same" not in lines and 'data-metric="skill"' in lines


def test_a_reason_that_holds_in_several_experiments_is_one_sentence() -> None:
    told = ["only 4 models", "association: only 4 models", "restriction: few items", "difficulty: few items"]
    assert list(reasons_once(told)) == ["Only 4 models", "Restriction, difficulty: few items"]
    assert list(reasons_once(["a panel: of three"])) == ["A panel: of three"]


def test_what_it_means_that_a_score_is_withheld_is_said_where_one_is(run: Run) -> None:
    some = scores(Data(Selection.of(run), Options()))
    assert some.has_absent and some.absent in page(Selection.of(run), Options())
    there = [line for line in some.lines if line.experiment != "overall"]
    names = ("margin", "accuracy", "coverage", "rate_bias", "margin_at_own_rate")
    known = [replace(line, **dict.fromkeys(names, line.skill)) for line in there]
    assert any(line.skill and line.skill.value is not None for line in known)
    assert not replace(some, lines=[line for line in known if line.skill and line.skill.value is not None]).has_absent


def test_settings_that_are_lists_take_a_table(run: Run) -> None:
    known = replace(provenance(run), settings={"temperature": "0.7", "association.held_out": "a-1"})
    assert not known.has_many_settings
    held_out = as_listed([f"starter-word-{n}" for n in range(9)])
    assert held_out.startswith("starter-word-0, starter-word-1, ")
    assert replace(known, settings={"association.held_out": held_out}).has_many_settings


def test_a_page_goes_by_the_source_that_the_page_of_another_one_names(run: Run, tmp_path: Path) -> None:
    judged = {key: reading.value for key, reading in run.readings.items() if key.session == "judge"}
    otherwise = run.with_readings({key: "A" if value == "B" else "B" for key, value in judged.items()})
    by_itself = page(Selection.of(otherwise), Options())
    command = f"selfexec report {run.folder.name} --source rule"
    assert re.search(rf"disagrees on \d+ of \d+ claims. <code>{command}</code>", by_itself)
    selection = Selection.of(otherwise, source="rule")
    by_rule = page(selection, Options(figures=tmp_path))
    assert "Restriction: what counts as done is a fixed rule" in by_rule
    assert "--source rule</code></p>" in by_rule  # the command that makes it
    scored = {row.model: row.value for row in sx.score(selection).of("restriction", "skill")}
    assert skills_in(by_rule) == scored != skills_in(by_itself)
    # the paper's authors counted by the models' own judgement
    assert "authors" not in unfolded(by_rule) and not (tmp_path / "ledger.csv").exists()


def skills_in(text: str) -> dict[str, float]:
    cells = re.findall(
        r'data-metric="skill" data-model="([^"]+)" data-experiment="restriction" data-value="([^"]+)"', text
    )
    return {model: float(value) for model, value in cells}
