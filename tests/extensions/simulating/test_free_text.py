"""Predicted replies as text: read, matched by hand on a few texts, and shown by `analyze cross`."""

import json
import math
import re
from itertools import permutations
from pathlib import Path
from statistics import pstdev
from typing import Any

import numpy as np
import pytest
from annie import ANNIE, EXPERIMENT, HAD, REPLY
from click.testing import CliRunner

import selfexec as sx
from build import unfolded
from selfexec.cli import root
from selfexec.extensions.simulating.experiment import VARIANTS
from selfexec.extensions.simulating.free_text import matched
from selfexec.extensions.simulating.matching import match, similarities, trigrams
from selfexec.readers import Reading
from selfexec.runs import Reply, read_reply
from selfexec.stats import student

NAME = EXPERIMENT.name
QUIET: Any = {"on_progress": lambda progress: None}
IN_FULL = {"predicts": "reply"}


def selfexec(*words: object) -> str:
    done = CliRunner().invoke(root, [*map(str, words)], catch_exceptions=False, standalone_mode=False)
    return done.stdout


# --- what a prediction says ------------------------------------------------------------------------------------------


def reading(text: str, stop: str = "stop", facets: Any = IN_FULL) -> Reading:
    place = {"model": "m", "experiment": NAME, "item": ANNIE.id, "epoch": 1, "session": "predict"}
    return read_reply(ANNIE, Reply(**place, text=text, stop_reason=stop, facets=facets))


MARKED = f"<response>{REPLY}</response>"


@pytest.mark.parametrize(
    "said",
    [
        MARKED,
        f"I would greet her.\n\n<response>\n{REPLY}\n</response>\n\nThat is all.",
        f"<Response>{REPLY}</RESPONSE>",
        f"First thought: <response>Hi.</response> No, rather:\n{MARKED}",
        f"Between <response> and </response>: {MARKED}",
    ],
)
def test_the_text_between_the_last_two_marks_is_the_predicted_reply_and_has_its_properties(said: str) -> None:
    assert reading(said).value == {"reply": REPLY, **HAD}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (REPLY, "performed"),
        (f"<response>{REPLY}", "format"),
        ("<response> </response>", "format"),
        (f"{REPLY}</response>", "performed"),
        ("I cannot predict what I would say.", "declined"),
    ],
)
def test_without_a_text_between_marks_nothing_is_predicted(said: str, reason: str) -> None:
    found = reading(said)
    assert (found.state, found.reason) == ("unreadable", reason)


def test_a_predicted_reply_that_was_cut_off_is_none() -> None:
    assert reading(f"<response>{REPLY}", stop="length").reason == "truncated"
    assert reading(MARKED, stop="length").value["reply"] == REPLY


def test_a_prediction_of_properties_is_read_as_ever_and_marks_mean_nothing_there() -> None:
    assert reading(MARKED, facets={}).state == "unreadable"


def test_many_marks_without_end_take_no_time_to_speak_of() -> None:
    assert reading("<response>" * 20_000).state == "unreadable"


def test_a_reading_made_elsewhere_may_give_the_text() -> None:
    assert EXPERIMENT.given(ANNIE, "predict", {"reply": REPLY}) == {"reply": REPLY, **HAD}


def test_it_is_asked_about_somebody_else_too(tmp_path: Path) -> None:
    run = sx.run("sim/typical", experiments=NAME, limit=2, facets={"predicts": "reply", "frame": "person"}, **QUIET)
    asked = VARIANTS["predict@predicts,frame"]
    assert "execute $who" in asked and run.conditions == ("frame=person,predicts=reply",)


def test_with_other_prompts_that_do_not_ask_for_it_it_is_refused_by_name() -> None:
    from selfexec.extensions.simulating.facet import prompts

    with pytest.raises(sx.InputError, match=r"no self_simulation\.predict@predicts"):
        prompts("reply", NAME, {"predict": "..."})


def test_defaults_ask_what_they_asked(tmp_path: Path) -> None:
    run = sx.run("sim/typical", experiments=NAME, limit=2, out=tmp_path / "r", **QUIET)
    assert all(not key.facets for key in run.replies) and len(run.replies) == 2 * 3
    assert "predicts" not in (tmp_path / "r" / "prompts.json").read_text()


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_texts_are_compared_by_the_cosine_of_their_trigrams() -> None:
    # " ab", "abc", "bc " and " ab", "abd", "bd " share one of three
    assert trigrams(" ABC\n") == {" ab": 1, "abc": 1, "bc ": 1}
    found = similarities(["abc", None], ["abd", "Abc", "", None])
    assert found[0, :2] == pytest.approx([1 / 3, 1]) and np.isnan(found[0, 2:]).all() and np.isnan(found[1]).all()
    # counts: " aa" 1, "aaa" 3, "aa " 1 with " aa" 1, "aaa" 1, "aa " 1
    assert similarities(["aaaaa"], ["aaa"])[0, 0] == pytest.approx((1 + 3 + 1) / math.sqrt(11 * 3))


# similarity of the predictions for three prompts (rows) to the replies to them (columns)
OWN = [[0.9, 0.2, 0.2], [0.1, 0.5, 0.3], [0.2, 0.1, 0.1]]
OTHER = [[0.4, 0.2, 0.1], [0.2, 0.5, 0.1], [0.1, 0.1, 0.3]]
# nearer to its own, here and in the other two: 1 and (1/2 + 1)/2; 1/2 and (0 + 1)/2; 0 and (1 + 1/2)/2
DIFFERENCES = [1 - 0.75, 0.5 - 0.5, 0 - 0.75]


def test_what_style_does_is_taken_out_by_the_replies_to_other_prompts() -> None:
    found = match(np.array([OWN]), np.array([[OTHER]]))
    assert found.same == pytest.approx((1 + 0.5 + 0) / 3) and found.style == pytest.approx((0.75 + 0.5 + 0.75) / 3)
    assert found.beyond_style.value == pytest.approx(sum(DIFFERENCES) / 3) and found.items == 3
    # closeness: .5 less (0 + .1)/2, 0 less (-.1 + .2)/2, -.2 less (.1 + 0)/2
    assert found.closeness.value == pytest.approx((0.45 - 0.05 - 0.25) / 3)


def by_chance(won: list[list[float]]) -> float:
    """The standard deviation of the difference over all ways in which replies may belong to prompts."""
    items, total, differences = len(won), sum(map(sum, won)), []
    for order in permutations(range(items)):
        same = sum(won[i][j] for i, j in enumerate(order))
        differences.append(same / items - (total - same) / (items * (items - 1)))
    return pstdev(differences)


def test_the_interval_is_the_jackknifes_which_leaves_a_prompt_out_as_a_reply_too() -> None:
    found = match(np.array([OWN]), np.array([[OTHER]]))
    # without the first, second and third: each of the two left is held against the only other one
    without = [((0.5 - 1) + (0 - 0.5)) / 2, ((1 - 1) + (0 - 1)) / 2, ((1 - 0.5) + (0.5 - 0)) / 2]
    middle = sum(without) / 3
    error = math.sqrt(2 / 3 * sum((difference - middle) ** 2 for difference in without))
    assert error > by_chance([[1, 0.5, 1], [0, 0.5, 1], [1, 0.5, 0]])
    assert found.beyond_style.error == pytest.approx(error)
    assert found.beyond_style.interval == student(sum(DIFFERENCES) / 3, error, 3).within(-1, 1)


def test_where_style_decides_nearly_all_the_error_is_that_by_chance() -> None:
    # all are nearer to its own, but for the first prediction and the second reply, which show no style
    won = [[0.5 if i == 0 or j == 1 else 1.0 for j in range(6)] for i in range(6)]
    found = match(np.array([won]), np.full((1, 1, 6, 6), 0.5))
    assert found.beyond_style.error == pytest.approx(by_chance(won))
    low, high = found.beyond_style.interval
    assert low < 0 < high


def test_a_reply_that_is_not_known_is_left_out_on_both_sides() -> None:
    other = np.array(OTHER)
    other[:, 2] = np.nan  # nobody knows the other model's third reply
    found = match(np.array([OWN]), other[None, None])
    assert found.items == 2 and found.same == pytest.approx((1 + 0.5) / 2)
    assert found.style == pytest.approx((0.5 + 0) / 2)
    assert found.beyond_style.reason == "it takes 3 prompts with predicted and actual replies"


def texts(**by_item: str) -> dict[tuple[str, int], str]:
    return {(item, 1): text for item, text in by_item.items()}


def test_who_knows_only_its_style_is_at_0_and_who_knows_its_replies_is_above() -> None:
    own = texts(a="well well red", b="well well blue", c="well well green")
    others = [texts(a="hmm hmm tall", b="hmm hmm short", c="hmm hmm wide")]
    style = matched(texts(a="well well one", b="well well two", c="well well six"), own, others)
    assert (style.same, style.style, style.beyond_style.value) == (1, 1, 0)
    assert style.beyond_style.reason == "no interval, since all prompts come out alike"
    matter = matched(texts(a="red", b="blue", c="green"), own, others)
    assert matter.same == 1 and matter.beyond_style.value > 0


# --- of runs ---------------------------------------------------------------------------------------------------------

MODELS = ("sim/knows-itself@1", "sim/solves@1", "sim/coin@1", "sim/typical@1")


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("panel") / "run"
    sx.run(list(MODELS), experiments=NAME, facets={"predicts": ["properties", "reply"]}, out=out, **QUIET)
    return out


def test_cross_shows_it_beside_its_tables_as_text_json_and_rows(panel: Path) -> None:
    shown = selfexec("analyze", "cross", panel)
    assert "Whose reply is the predicted one nearest to?" in shown and "Who predicts whom" in shown
    rows = json.loads(selfexec("analyze", "cross", panel, "--format", "json"))["free_text"]
    found = {row["model"]: row for row in rows}
    assert [*found] == list(MODELS) and {row["condition"] for row in rows} == {"predicts=reply"}
    assert found["sim/knows-itself@1"]["beyond_style_low"] > 0 and found["sim/solves@1"]["beyond_style_low"] > 0
    assert found["sim/coin@1"]["beyond_style_high"] < found["sim/solves@1"]["beyond_style_low"]
    assert all(row["others"] == 3 and row["ceiling"] > 0 for row in rows)
    assert sx.cross_prediction(panel).further["free_text"].records() == rows


def test_properties_are_read_off_the_predicted_text_too(panel: Path) -> None:
    means = {(row.model, row.condition): row for row in sx.property_scores(panel).means}
    in_full = means["sim/solves@1", "predicts=reply"]
    assert in_full.skill == pytest.approx(means["sim/solves@1", "default"].skill, abs=0.02)


def test_the_page_shows_what_cross_shows_where_replies_were_predicted_and_nowhere_else(
    panel: Path, tmp_path: Path
) -> None:
    selfexec("report", panel, "-o", tmp_path / "with.html")
    page = unfolded((tmp_path / "with.html").read_text("utf-8"))
    [table] = re.findall(r'<div id="free-text">.*?</table>', page, re.DOTALL)
    said = [re.sub(r"<[^>]+>", " ", row) for row in re.findall(r"<tr .*?</tr>", table, re.DOTALL)]
    rows = sx.cross_prediction(panel).further["free_text"]
    assert len(said) == len(rows) == 4
    for line, row in zip(said, rows, strict=True):
        shares = [f"{value:.3f}".lstrip("0") for value in (row.same_prompt, row.style, row.ceiling)]
        assert all(cell in line for cell in [row.model, row.condition, str(row.items), *shares])
    selfexec("report", panel, "--condition", "default", "-o", tmp_path / "without.html")
    assert "free-text" not in unfolded((tmp_path / "without.html").read_text("utf-8"))


def test_a_run_with_predicted_replies_is_exported_in_the_words_that_it_asked_with(panel: Path, tmp_path: Path) -> None:
    sx.run("sim/coin@1", experiments=NAME, facets={"predicts": "reply"}, out=tmp_path / "r", max_calls=3, **QUIET)
    lines = [json.loads(line) for line in selfexec("export", tmp_path / "r", "-o", "-").splitlines() if line[:1] == "{"]
    predictions = [line for line in lines if line["session"] == "predict"]
    assert predictions and all("<response>" in line["prompt"] for line in predictions)


def test_where_replies_were_not_predicted_cross_does_not_mention_it(panel: Path) -> None:
    asked = ("analyze", "cross", panel, "--condition", "default")
    assert "nearest to" not in selfexec(*asked)
    assert "free_text" not in json.loads(selfexec(*asked, "--format", "json"))


def test_three_models_are_too_few_and_that_is_said(tmp_path: Path) -> None:
    sx.run(list(MODELS[:3]), experiments=NAME, facets={"predicts": "reply"}, out=tmp_path / "r", **QUIET)
    rows = sx.cross_prediction(tmp_path / "r").further["free_text"]
    assert {row.beyond_style for row in rows} == {None}
    assert "matching takes 4 models that replied to these prompts, not 3 models" in str(rows)
