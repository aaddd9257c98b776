"""Frame: who is asked about changes in predictions, and nothing else; what is not said in a language is not asked."""

import json
import re
from collections import Counter
from pathlib import Path
from string import Template

import pytest

import selfexec as sx
from selfexec.engines.sim import PROFILES, truth
from selfexec.engines.sim.server import SimServer
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, Key
from selfexec.facets import FACETS, crossed_levels, touching
from selfexec.items import load
from selfexec.prompts import all_prompts, asked_prompts, by_condition, read_prompts
from selfexec.runs.transcripts import prompts_sent
from sockets import served

LEVELS = ("another-model", "average-model", "person", "named:GPT-$6")
WHO = {
    "en": ("another language model", "an average language model", "a person", "GPT-$6"),
    "de": ("ein anderes Sprachmodell", "ein durchschnittliches Sprachmodell", "ein Mensch", "GPT-$6"),
}
PERSON = (("frame", "person"),)


def asked_about(language: str, experiment: str, level: str) -> str:
    """The prediction as it is sent, every other name filled in with its own name."""
    condition = (("frame", level),)
    templates = by_condition(all_prompts(read_prompts(language)), [experiment], [condition])[experiment][condition]
    names = Template(templates["predict"]).get_identifiers()
    assert set(names) == set(Template(EXPERIMENTS[experiment].prompts["predict"]).get_identifiers())
    return Template(templates["predict"]).substitute({name: f"<{name}>" for name in names})


@pytest.mark.parametrize("language", WHO)
@pytest.mark.parametrize("experiment", PAPER_HEADLINE.experiments)
def test_the_addressee_is_all_that_differs_between_levels_and_none_of_them_speaks_of_the_model_itself(
    language: str, experiment: str
) -> None:
    texts = [asked_about(language, experiment, level) for level in LEVELS]
    assert len({text.replace(who, "WHO") for text, who in zip(texts, WHO[language], strict=True)}) == 1
    own = r"\byou (were|receive)\b|\byour (response|provided|list)\b|\bfor you\b|\bdu (wärst|erhältst)\b|\bfür dich\b"
    assert not re.search(own, texts[0])
    assert re.search(own, all_prompts(read_prompts(language))[experiment]["predict"])


@pytest.mark.parametrize("language", WHO)
def test_what_a_prediction_is_read_by_is_asked_for_as_in_the_plain_one(language: str) -> None:
    prompts = all_prompts(read_prompts(language))
    for experiment in ("restriction", "difficulty"):
        ending = "{" + prompts[experiment]["predict"].rpartition("{")[2]  # the object that is asked for
        assert asked_about(language, experiment, "person").endswith(ending)
    for letter in "AB":
        assert prompts["restriction"][f"predict.{letter}"] in prompts["restriction"]["predict@frame"]


def test_a_run_without_frames_keeps_nothing_of_their_texts(tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, out=tmp_path / "r")
    assert not [name for name in run.manifest.prompts if "@" in name or name.startswith("frame")]
    assert not re.search("frame|another language", (run.folder / "prompts.json").read_text())


def test_predictions_are_asked_at_each_level_and_outcomes_once(tmp_path: Path) -> None:
    run = sx.run("sim/typical", limit=2, facets={"frame": ["self", "person"]}, out=tmp_path / "r")
    sessions = Counter((key.experiment, key.session_kind, key.facets) for key in run.replies)
    assert {name: n for name, n in sessions.items() if name[0] == "difficulty"} == {
        ("difficulty", "predict", ()): 2,
        ("difficulty", "predict", PERSON): 2,
        ("difficulty", "execute", ()): 8,
    }
    assert not any(facets for _, kind, facets in sessions if kind != "predict")
    sent = prompts_sent(run, run.replies)
    assert {key.facets == PERSON for key, text in sent.items() if "a person" in str(text)} == {True}
    kept = [name for name in run.manifest.prompts if "@" in name]
    assert kept == [f"{e}.predict@frame=person" for e in PAPER_HEADLINE.experiments]


def test_what_is_made_of_a_prediction_is_asked_anew_where_that_is_another(tmp_path: Path) -> None:
    # the question that it expects somebody else to fail is another question: so are verifying and trying it
    run = sx.run(
        "sim/knows-itself",
        experiments="failing_question",
        limit=8,
        facets={"frame": ["self", "another-model"]},
        out=tmp_path / "r",
    )
    written = [key for key in run.replies if key.session == "predict"]
    for key in written:
        question = json.loads(re.search(r"\{.*\}", run.replies[key].text or "", re.DOTALL)[0])["question"]  # type: ignore[index]
        tried = key._replace(session="execute.1")
        assert question in str(prompts_sent(run, [tried])[tried])
    assert Counter(key.facets for key in written) == {(): 5, (("frame", "another-model"),): 5}
    assert touching(PERSON, "failing_question", "verify") == PERSON
    assert touching(PERSON, "restriction", "judge") == ()  # the response is the same
    assert "failing_question.execute@frame=another-model" not in run.manifest.prompts  # in the same words


@pytest.mark.parametrize(
    "level", ["named:", "named: x", "named:a,b", "named:two\nlines", "named:" + "x" * 101, "nobody", "Person"]
)
def test_a_level_that_there_is_none_of_is_refused_with_those_that_there_are(level: str) -> None:
    with pytest.raises(sx.InputError, match="There are self, another-model, average-model, person, named:NAME"):
        crossed_levels({"frame": [level]})


@pytest.mark.parametrize(
    ("changed", "lacks"),
    [
        ({"restriction.predict": 'Would you answer "$request"? A or B?'}, "restriction.predict@frame"),
        ({"restriction.predict@frame": 'Would $who answer "$request"? A or B?'}, "association.predict@frame"),
        ({"frame.person": "un homme"}, "association.predict@frame"),
        (read_prompts("de"), "failing_question.predict@frame"),
    ],
)
def test_a_frame_that_these_prompts_have_no_words_for_is_refused_before_anything_is_asked(
    changed: dict[str, str], lacks: str, tmp_path: Path
) -> None:
    choices = {"experiments": load("starter").experiments, "limit": 1, "prompts": changed}
    with pytest.raises(sx.InputError, match=re.escape(f"these prompts have no {lacks}, which asks about another")):
        sx.run("sim/coin", facets={"frame": "person"}, out=tmp_path / "r", **choices)
    assert not (tmp_path / "r").exists()
    sx.run("sim/coin", out=tmp_path / "r", **choices)  # in the plain condition nothing is lacking


def test_texts_of_ones_own_for_a_frame_are_asked(tmp_path: Path) -> None:
    words = {
        "restriction.predict@frame": 'Would $who answer "$request"? A: yes. B: no. {"choice": "A or B"}',
        "frame.another-model": "a rival",
        "frame.average-model": "a usual one",
        "frame.person": "someone",
        "frame.named": "the great $name",
    }
    frames = {"frame": ["person", "named:Bot"]}
    run = sx.run("sim/coin", experiments="restriction", limit=1, prompts=words, facets=frames, out=tmp_path / "r")
    sent = {str(text) for key, text in prompts_sent(run, run.replies).items() if key.session == "predict"}
    assert {text.split("? A")[0].split(' "')[0] for text in sent} == {
        "Would someone answer",
        "Would the great Bot answer",
    }


def test_an_own_text_without_the_one_asked_about_is_refused() -> None:
    with pytest.raises(sx.InputError, match=r"restriction.predict@frame.*must contain \$request, \$who"):
        all_prompts({"restriction.predict@frame": "$request"})


def test_what_a_german_run_keeps_is_what_the_rest_of_it_is_asked_in(tmp_path: Path) -> None:
    run = sx.run("sim/coin", limit=1, prompts="de", facets={"frame": "person"}, out=tmp_path / "r")
    kept = all_prompts({name: text for name, text in run.prompts.items() if text})
    asked = asked_prompts(kept, PAPER_HEADLINE.experiments, [PERSON])
    assert asked.items() <= dict(run.prompts).items()
    assert "ein Mensch" in asked["restriction.predict@frame=person"]


# --- simulated models ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def framed(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    out = tmp_path_factory.mktemp("runs") / "framed"
    frames = {"frame": ["self", "another-model"]}
    return sx.run(["sim/knows-itself", "sim/typical"], limit=120, facets=frames, out=out)


@pytest.mark.slow
def test_who_heeds_the_frame_predicts_itself_worse_by_what_was_planted(framed: sx.Run) -> None:
    profile, items = PROFILES["knows-itself"], load("starter")
    own, of_others = truth(profile, items), truth(profile, items, of_another=True)
    found = sx.compare(
        framed, models="sim/knows-itself", conditions=["frame=another-model", "frame=self"], convention="readable"
    )
    for experiment in ("association", "difficulty"):
        row = found.row(experiment, "sim/knows-itself [default]", "sim/knows-itself [frame=another-model]")
        metric, slope = ("accuracy", 2) if experiment == "difficulty" else ("youden_j", 1)
        planted = slope * (own[experiment, metric] - of_others[experiment, metric])
        assert row.low is not None and row.high is not None
        assert row.low <= planted <= row.high and row.low > 0.1, (experiment, planted, row)


@pytest.mark.slow
def test_each_model_is_held_against_itself_in_the_other_condition_with_p_adjusted_over_models(framed: sx.Run) -> None:
    found = sx.compare(framed, conditions=["frame=another-model", "frame=self"])
    shifts = [row for row in found.shifts if row.difference.experiment == "association"]
    assert [(row.name, row.condition, row.less) for row in shifts] == [
        (model, "default", "frame=another-model") for model in ("sim/knows-itself", "sim/typical")
    ]
    p = sorted(row.difference.p or 0 for row in shifts)
    adjusted = sorted(row.difference.p_holm or 0 for row in shifts)
    assert adjusted == pytest.approx([2 * p[0], max(2 * p[0], p[1])])  # Holm by hand, for two
    alone = sx.compare(framed, models="sim/typical", conditions=["frame=another-model", "default"])
    [row] = [row for row in alone.differences if row.experiment == "association"]
    [shift] = [row.difference for row in shifts if row.name == "sim/typical"]
    assert (row.difference, row.low, row.high, row.p) == (shift.difference, shift.low, shift.high, shift.p)
    assert "each model, one condition less another" in found.table(200) and alone.shifts == ()


def test_behind_a_server_the_words_tell_whom_it_is_asked_about(tmp_path: Path) -> None:
    frames = {"frame": ["self", "another-model"]}
    here = sx.run("sim/knows-itself", facets=frames, limit=6, out=tmp_path / "here")
    with served(SimServer(load("starter")).app()) as url:
        choices = {"base_url": url, "limit": 6, "out": tmp_path / "r", "on_progress": lambda progress: None}
        there = sx.run("any/knows-itself", facets=frames, **choices)
    assert {key.facets for key in there.replies} == {(), (("frame", "another-model"),)}
    for key, reply in there.replies.items():
        assert reply.text == here.replies[key._replace(model="sim/knows-itself")].text


def test_a_frame_is_a_facet_of_ours() -> None:
    assert "frame" in FACETS and FACETS["frame"].default == "self"
    assert Key("m", "restriction", "x", 1, "predict", PERSON).fields()["facets"] == {"frame": "person"}


def test_an_experiment_of_another_package_is_asked_where_it_has_words_for_it(toys: Path, tmp_path: Path) -> None:
    items = tmp_path / "items"
    items.mkdir()
    (items / "brevity.jsonl").write_text('{"id": "q1", "question": "Why?", "topic": "life"}\n')
    with pytest.raises(sx.InputError, match=r"these prompts have no brevity.predict@frame.*or leave brevity out"):
        sx.run("rote/clever", items=items, facets={"frame": "person"}, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()
