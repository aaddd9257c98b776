"""Scores by property: worked out by hand on a few replies, and through every command on simulated models."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import unfolded
from extension_parts import needs
from selfexec.cli import root
from selfexec.extensions.simulating.counting import mean_skill
from selfexec.extensions.simulating.scores import MEAN, PropertyScore, PropertyScores
from selfexec.metrics.kinds.formulas import CELLS

NAME = "self_simulation"


def selfexec(*words: object) -> str:
    done = CliRunner().invoke(root, [*map(str, words)], catch_exceptions=False, standalone_mode=False)
    return done.stdout


# --- by hand ---------------------------------------------------------------------------------------------------------


def cells(**counts: int) -> list[float]:
    return [float(counts.get(name, 0)) for name in CELLS]


def test_the_mean_is_of_the_properties_that_held_and_did_not_and_its_error_is_the_jackknifes() -> None:
    import numpy as np

    # question: 3 of 4 that came true were predicted, 1 of 2 that did not was denied: J = 3/4 + 1/2 - 1 = 1/4
    question = [cells(tp=1), cells(tp=1), cells(tp=1), cells(fn=1), cells(tn=1), cells(fp=1)]
    # list: 2 of 2, 1 of 2: J = 1/2; longer: always true, so that there is no J
    listed = [cells(tp=1), cells(tp=1), cells(tn=1), cells(fp=1), cells(), cells()]
    longer = [cells(tp=1)] * 6
    found, left_out = mean_skill({"question": np.array(question), "list": np.array(listed), "longer": np.array(longer)})
    assert found.value == pytest.approx((1 / 4 + 1 / 2) / 2) and left_out == ("longer",)
    # without each item in turn, of both J's: question then list
    without = [
        (2 / 3 + 1 / 2 - 1, 1 + 1 / 2 - 1),
        (2 / 3 + 1 / 2 - 1, 1 + 1 / 2 - 1),
        (2 / 3 + 1 / 2 - 1, 1 + 0 - 1),
        (1 + 1 / 2 - 1, 1 + 1 - 1),
        (3 / 4 + 0 - 1, 1 / 2),
        (3 / 4 + 1 - 1, 1 / 2),
    ]
    means = [sum(pair) / 2 for pair in without]
    spread = sum((one - sum(means) / 6) ** 2 for one in means)
    assert found.error == pytest.approx((5 / 6 * spread) ** 0.5)


def test_a_property_with_one_reply_on_a_side_has_no_part_in_the_mean() -> None:
    import numpy as np

    found, left_out = mean_skill({"list": np.array([cells(tp=1), cells(tn=1), cells(tn=1)])})
    assert left_out == ("list",) and found.reason is not None


REPLIES: Mapping[str, tuple[str, str, str]] = {  # prediction, first reply, second reply
    "a": ('{"first_word": "hello", "question": true}', "Hello! Who?", "Hello."),
    "b": ('{"first_word": "hi", "question": true}', "Hello! Who?", "Hello! Who?"),
    "c": ('{"first_word": "well", "question": false}', "Hi.", "Hello."),
    "d": ('{"first_word": "hi", "question": false}', "Hi? ", "Hey."),
}
OTHER = "Hello."  # what the other model replies to everything, which it predicts too


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    items, lines = tmp_path / "items", []
    items.mkdir()
    properties = {"first_word": "hello", "question": True}
    families = {"a": "f", "c": "f"}
    written = [
        {"id": id, "topic": "t", "prompt": f"Prompt {id}", "properties": properties}
        | ({"family": families[id]} if id in families else {})
        for id in REPLIES
    ]
    (items / f"{NAME}.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in written))
    for id, texts in REPLIES.items():
        other = ('{"first_word": "hello", "question": false}', OTHER, OTHER)
        for model, said in (("mine", texts), ("other", other)):
            for session, text in zip(("predict", "execute.1", "execute.2"), said, strict=True):
                lines.append({"model": model, "experiment": NAME, "item": id, "session": session, "text": text})
    (tmp_path / "replies.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    selfexec("import", tmp_path / "replies.jsonl", "--items", items, "--out", tmp_path / "run")
    return tmp_path / "run"


def test_each_number_of_a_property_is_what_it_is_by_hand(by_hand: Path) -> None:
    rows: dict[str, Any] = {row.property: row for row in sx.property_scores(by_hand) if row.model == "mine"}
    word, question = rows["first_word"], rows["question"]
    # begins with hello: a, b do; a alone was said to. J = 1/2 + 1 - 1; right about a, c, d
    assert (word.skill, word.accuracy, word.majority) == (pytest.approx(0.5), 0.75, 0.5)
    assert word.others == 0.5  # the other one always begins with hello: right about a, b
    # hello again: a yes-yes, b yes-yes, c no-yes, d no-no: as predictions of each other tp 4, fp 1, fn 1, tn 2
    assert word.ceiling == pytest.approx(4 / 5 + 2 / 3 - 1)
    assert word.same_value == 0.5  # a: hello, d: hi
    assert word.same_value_ceiling == 0.5  # a, b: hello
    # asks: a, b, d; said of a, b. J = 2/3 + 1 - 1; the other one never asks: right about c
    assert (question.skill, question.accuracy, question.others) == (pytest.approx(2 / 3), 0.75, 0.25)
    assert question.same_value is None
    # one of four does not ask: too few on a side
    assert rows[MEAN].skill == pytest.approx(0.5) and "question is left out" in rows[MEAN].reason


def test_what_a_name_changes_is_what_it_is_by_hand(by_hand: Path) -> None:
    [mine] = [pair for pair in sx.property_scores(by_hand).names if pair.model == "mine"]
    # a and c: replies differ in hello and in asking; a's two replies differ in asking alone; predictions differ in both
    assert (mine.claims, mine.behaviour, mine.chance, mine.predictions, mine.foreseen) == (2, 1.0, 0.5, 1.0, 1.0)


def test_a_run_of_other_things_is_refused_by_name(tmp_path: Path) -> None:
    sx.run("sim/typical", experiments="association", limit=2, out=tmp_path / "r", on_progress=lambda progress: None)
    with pytest.raises(sx.InputError, match="--experiment self_simulation"):
        sx.property_scores(tmp_path / "r")


# --- simulated models, through every command -------------------------------------------------------------------------

MODELS = ("sim/knows-itself@1", "sim/solves@1", "sim/coin@1", "sim/knows-models@1")


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("panel") / "run"
    quiet: Any = {"on_progress": lambda progress: None}
    sx.run(list(MODELS), experiments=NAME, facets={"thinking": ["default", "off"]}, out=out, **quiet)
    return out


@pytest.fixture(scope="module")
def scores(panel: Path) -> PropertyScores:
    return sx.property_scores(panel)


def mean(scores: PropertyScores, model: str, condition: str) -> PropertyScore:
    return next(row for row in scores.means if (row.model, row.condition) == (model, condition))


def test_who_only_drafts_has_skill_where_it_thinks_and_none_where_it_does_not(scores: PropertyScores) -> None:
    on, off = (mean(scores, "sim/solves@1", condition) for condition in ("default", "thinking=off"))
    assert on.skill_low is not None and on.skill_low > 0.4
    assert off.skill_low is not None and off.skill_high is not None and off.skill_low < 0 < off.skill_high


def test_who_knows_nothing_has_no_skill_and_who_knows_itself_has(scores: PropertyScores) -> None:
    coin, knows = (mean(scores, f"sim/{name}@1", "default") for name in ("coin", "knows-itself"))
    assert coin.skill_low is not None and coin.skill_high is not None and coin.skill_low < 0 < coin.skill_high
    assert knows.skill_low is not None and knows.skill_low > 0.5


def test_thinking_off_stands_first(panel: Path) -> None:
    text = selfexec("analyze", "properties", panel)
    assert text.index("thinking=off") < text.index("default") and "Thinking off is the skill to go by" in text
    assert "--facet thinking=off" not in text


def test_numbers_come_as_json_csv_and_markdown(panel: Path) -> None:
    found = json.loads(selfexec("analyze", "properties", panel, "--format", "json", "--model", MODELS[0]))
    assert len(found["properties"]) == 2 * 13 and len(found["names"]) == 2
    csv = selfexec("analyze", "properties", panel, "--format", "csv").splitlines()
    assert csv[0].startswith("model,condition,property,skill,") and len(csv) == 1 + 2 * 4 * 13
    assert "| sim/coin@1 |" in selfexec("analyze", "properties", panel, "--format", "markdown")


def test_the_page_shows_each_property_where_they_were_asked_for_and_nowhere_else(panel: Path, tmp_path: Path) -> None:
    selfexec("report", panel, "-o", tmp_path / "with.html")
    page = unfolded((tmp_path / "with.html").read_text("utf-8"))
    assert 'id="property-scores"' in page and "second_character" in page and "Each property of replies apart" in page
    quiet: Any = {"on_progress": lambda progress: None}
    sx.run("sim/typical", limit=3, out=tmp_path / "plain", **quiet)
    selfexec("report", tmp_path / "plain", "-o", tmp_path / "without.html")
    without = unfolded((tmp_path / "without.html").read_text("utf-8"))
    assert "self_simulation" not in without and "Each property of replies" not in without


def test_a_parquet_file_by_its_name_is_the_data_frame_of_the_scores(
    panel: Path, scores: PropertyScores, tmp_path: Path
) -> None:
    selfexec("analyze", "properties", panel, "-o", tmp_path / "properties.parquet")
    assert pl.read_parquet(tmp_path / "properties.parquet").equals(scores.frame())


@needs("card")
def test_the_card_says_what_its_scores_do_not_show(panel: Path) -> None:
    assert "Skill with thinking off is the one to go by." in str(sx.card(panel))


def test_scores_are_the_same_after_export_and_import(panel: Path, scores: PropertyScores, tmp_path: Path) -> None:
    replies = [
        json.dumps({**key.fields(), "text": reply.text})
        for key, reply in sx.load(panel).replies.items()
        if key.model == MODELS[0] and not key.facets
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(replies))
    selfexec("import", tmp_path / "replies.jsonl", "--items", "starter", "-o", tmp_path / "again")
    [again] = sx.property_scores(tmp_path / "again").means
    before = mean(scores, MODELS[0], "default")
    assert (again.skill, again.ceiling, again.claims) == (before.skill, before.ceiling, before.claims)


def test_a_harness_is_handed_each_session_once(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in selfexec("export", "--model", "m", "--experiment", NAME).splitlines()]
    assert len(lines) == 3 * 82 == len({line["custom_id"] for line in lines})


@needs("batch")
def test_a_batch_file_has_both_executions(tmp_path: Path) -> None:
    selfexec(
        "export",
        "--model",
        "openai/m",
        "--experiment",
        NAME,
        "--limit",
        2,
        "--to",
        "batch-openai",
        "-o",
        tmp_path / "r",
    )
    [file] = (tmp_path / "r" / "batches").glob("1-*.jsonl")
    assert len(file.read_text().splitlines()) == 2 * 3


def test_models_are_compared_and_crossed_in_it(panel: Path) -> None:
    assert NAME in selfexec("compare", panel, "--model", f"{MODELS[2]},{MODELS[0]}")
    assert NAME in selfexec("analyze", "cross", panel)


def test_it_is_asked_about_another_model_and_not_as_a_probability(tmp_path: Path) -> None:
    quiet: Any = {"on_progress": lambda progress: None}
    found = sx.run(
        "sim/typical", experiments=NAME, limit=2, facets={"frame": ["another-model"]}, out=tmp_path / "f", **quiet
    )
    assert "frame=another-model" in found.conditions
    with pytest.raises(sx.InputError, match=r"self_simulation\.predict@elicit"):
        sx.run("sim/typical", experiments=NAME, facets={"elicit": ["probability"]}, out=tmp_path / "e", **quiet)
