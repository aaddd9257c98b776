"""The table of token injection: worked out by hand on a few replies, and through every command on simulated models."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import unfolded
from extension_parts import needs
from selfexec.cli import root
from selfexec.extensions.injecting.scores import InjectionScore, InjectionScores
from selfexec.extensions.injecting.tasks import Task, foreign_words
from selfexec.runs import list_runs
from selfexec.stats import wilson

NAME = "token_injection"
QUIET: Any = {"on_progress": lambda progress: None}


def selfexec(*words: object) -> str:
    done = CliRunner().invoke(root, [*map(str, words)], catch_exceptions=False, standalone_mode=False)
    return done.stdout


# --- by hand ---------------------------------------------------------------------------------------------------------

PARTS = ("blue", "white", "red")
RIGHT = "They are blue, white and red."  # begun with "They are blue,"
YES, NO = '{"choice": "A"}', '{"choice": "B"}'
# item -> how it goes on behind a random word, its prediction, its tokens; and behind nothing
REPLIES = {
    "a": (" white and red.", YES, 9, " white and red."),
    "b": (" white.", YES, 7, " white and red."),
    "c": (" and so on.", NO, 20, " white or red."),
    "d": (" white and red.", "Perhaps.", 8, " white and red."),
}


def task(id: str) -> Task:
    return Task(id=id, kind="facts", prompt=f"Which colours has the flag {id}?", parts=PARTS, doses=(1,))


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    (tmp_path / "items").mkdir()
    items = [{"id": id, "kind": "facts", "prompt": task(id).prompt, "parts": PARTS, "doses": [1]} for id in "abcde"]
    (tmp_path / "items" / f"{NAME}.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in items))
    lines = [line for id in REPLIES for line in lines_of(id)]
    lines.append(line("e", "execute", "They are red."))  # not right
    (tmp_path / "replies.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    selfexec("import", tmp_path / "replies.jsonl", "--items", tmp_path / "items", "--out", tmp_path / "run")
    return tmp_path / "run"


def line(item: str, session: str, text: str, tokens: int = 5) -> dict[str, Any]:
    place = {"model": "mine", "experiment": NAME, "item": item, "session": session}
    return {**place, "text": text, "output_tokens": tokens}


def lines_of(id: str) -> list[dict[str, Any]]:
    disturbed, predicted, tokens, sham = REPLIES[id]
    named = {"a": foreign_words(task(id), 1), "b": ["are"], "c": [], "d": foreign_words(task(id), 1)}[id]
    return [
        line(id, "execute", RIGHT),
        line(id, "execute.none", sham),
        line(id, "execute.random.1", disturbed, tokens),
        line(id, "execute.question.1", RIGHT if id == "a" else "Blue."),
        line(id, "predict.random.1", predicted),
        line(id, "notice.random.1", json.dumps({"words": named})),
        line(id, "notice.none", json.dumps({"words": ["blue"] if id == "a" else []})),
    ]


def test_each_number_of_the_table_is_what_it_is_by_hand(by_hand: Path) -> None:
    rows = {row.kind: row for row in sx.injection_scores(by_hand)}
    assert [*rows] == ["none", "random", "question"] and {row.items for row in rows.values()} == {4}
    # to come: white, red. a and d have both, b one of them, c none
    random = rows["random"]
    assert (random.recovers, random.came) == (0.5, (1 + 0.5 + 0 + 1) / 4)
    low, high = wilson(0.5, 4 * 3 / 4)  # the sample variance over four items, 1/3, in place of 1/4
    assert (random.recovers_low, random.recovers_high) == (pytest.approx(low), pytest.approx(high))
    assert random.predicted == pytest.approx(2 / 3)  # of a, b, c
    assert random.noticed == 0.5  # a and d name the word; b another one, c none
    assert random.extra_tokens == (9 + 7 + 20 + 8) / 4 - 5 and random.surprise is None
    assert (rows["none"].recovers, rows["none"].noticed) == (1.0, 0.25)  # a false alarm
    assert rows["question"].recovers == 0.25 and rows["question"].predicted is None


def test_a_sham_counts_the_replies_that_begin_and_end_as_the_undisturbed_one(by_hand: Path) -> None:
    [sham] = sx.injection_scores(by_hand).shams
    assert (sham.replies, sham.same, sham.are_forced) == (4, 3, False)  # c: "white or red"
    assert "with nothing put in, 3 of 4 are the undisturbed reply" in selfexec("analyze", "injection", by_hand)


def test_predictions_are_scored_by_kind_and_an_unreadable_one_is_wrong(by_hand: Path) -> None:
    [random] = sx.injection_scores(by_hand).predictions
    # a yes-yes, b yes-no, c no-no, d unread and it recovers
    assert (random.claims, random.unreadable, random.accuracy, random.majority) == (4, 1, 0.5, 0.5)
    assert random.skill == pytest.approx(1 / 2 + 1 / 2 - 1)
    text = selfexec("analyze", "injection", by_hand)
    assert "random: 1 prediction could not be read." in text
    assert "second likeliest tokens and least likely tokens were not asked for" in text


def test_a_run_of_other_things_is_refused_by_name(tmp_path: Path) -> None:
    sx.run("sim/typical", experiments="association", limit=2, out=tmp_path / "r", **QUIET)
    with pytest.raises(sx.InputError, match="--experiment token_injection"):
        sx.injection_scores(tmp_path / "r")


# --- simulated models, through every command -------------------------------------------------------------------------

MODELS = ("sim/solves@1", "sim/coin@1", "sim/knows-itself@1", "sim/knows-models@1")


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("panel") / "run"
    sx.run(list(MODELS), experiments=NAME, out=out, **QUIET)
    return out


@pytest.fixture(scope="module")
def scores(panel: Path) -> InjectionScores:
    return sx.injection_scores(panel)


def test_who_knows_whether_it_recovers_has_skill_and_who_tosses_a_coin_has_none(scores: InjectionScores) -> None:
    for one in scores.predictions:
        assert one.skill_low is not None and one.skill_high is not None
        if one.model == "sim/coin@1":
            assert one.skill_low < 0 < one.skill_high
        if one.model == "sim/solves@1":
            assert one.skill_low > 0.4


def test_a_sham_within_one_generation_is_the_undisturbed_reply_and_recovers(scores: InjectionScores) -> None:
    assert all(sham.are_forced and sham.same == sham.replies > 50 for sham in scores.shams)
    assert {row.recovers for row in scores if row.kind == "none"} == {1.0}


def test_forced_tokens_have_their_surprise_and_take_no_extra_tokens_by_themselves(
    scores: InjectionScores,
) -> None:
    rows: list[InjectionScore] = [row for row in scores if row.dose]
    surprise = {row.kind: row.surprise for row in rows}
    assert surprise == {"random": 20.0, "second": 2.5, "least": 35.0, "question": None}


def test_nothing_is_missing_of_a_whole_run_and_its_prompts_are_known_again(panel: Path) -> None:
    run = sx.load(panel)
    assert not [key for key, reading in run.readings.items() if reading.state == "missing"]
    [listed] = list_runs(panel.parent)
    assert listed.missing == 0
    text = selfexec("read", panel, "--model", MODELS[0], "--session", "notice.random.1", "--limit", 1, "--show")
    assert "[assistant] Here you are:" in text and "were not yours?" in text


def test_numbers_come_as_json_csv_and_markdown(panel: Path) -> None:
    found = json.loads(selfexec("analyze", "injection", panel, "--format", "json", "--model", MODELS[0]))
    # four kinds of task: the sham, and three kinds and the question at two doses
    assert len(found["injection"]) == 4 * (1 + 4 * 2) and len(found["predictions"]) == 3
    csv = selfexec("analyze", "injection", panel, "--format", "csv").splitlines()
    assert csv[0].startswith("model,condition,kind,dose,task,items,recovers,") and len(csv) == 1 + 4 * 36
    assert "| sim/coin@1 |" in selfexec("analyze", "injection", panel, "--format", "markdown")


def test_a_parquet_file_by_its_name_is_the_data_frame_of_the_table(
    panel: Path, scores: InjectionScores, tmp_path: Path
) -> None:
    selfexec("analyze", "injection", panel, "-o", tmp_path / "injection.parquet")
    assert pl.read_parquet(tmp_path / "injection.parquet").equals(scores.frame())


def test_the_page_has_the_table_where_it_was_asked_for_and_nowhere_else(panel: Path, tmp_path: Path) -> None:
    selfexec("report", panel, "-o", tmp_path / "with.html")
    page = unfolded((tmp_path / "with.html").read_text("utf-8"))
    assert 'id="injection-scores"' in page and "Words put into replies" in page
    sx.run("sim/typical", limit=3, out=tmp_path / "plain", **QUIET)
    selfexec("report", tmp_path / "plain", "-o", tmp_path / "without.html")
    without = unfolded((tmp_path / "without.html").read_text("utf-8"))
    assert NAME not in without and "injection" not in without


def test_other_commands_take_it_like_any_experiment(panel: Path) -> None:
    assert "token_injection" in selfexec("score", panel, "--full")
    assert "token_injection" in selfexec("analyze", "cross", panel)
    assert "token_injection" in selfexec("compare", panel, "--model", MODELS[0], "--model", MODELS[1])
    assert not re.search(r"self.execution score", selfexec("score", panel), re.IGNORECASE)


@needs("card")
def test_the_card_says_what_its_scores_do_not_show(panel: Path) -> None:
    assert "thoughts that are hidden are not disturbed" in str(sx.card(panel))


def test_the_table_is_the_same_after_export_and_import_of_the_journal(
    panel: Path, scores: InjectionScores, tmp_path: Path
) -> None:
    lines = (panel / "replies.jsonl").read_text().splitlines()
    kept = [text for text in lines if json.loads(text)["model"] == MODELS[0]]
    (tmp_path / "replies.jsonl").write_text("\n".join(kept))
    selfexec("import", tmp_path / "replies.jsonl", "--items", "starter", "-o", tmp_path / "again")
    before = [row for row in scores if row.model == MODELS[0]]
    assert list(sx.injection_scores(tmp_path / "again")) == before


@needs("batch")
def test_a_batch_file_is_refused_since_nobody_can_probe_its_server(tmp_path: Path) -> None:
    given = ["--model", "mistral/m", "--experiment", NAME, "--to", "batch-openai", "-o", tmp_path / "r"]
    with pytest.raises(sx.InputError, match="in a batch nobody can probe"):
        selfexec("export", *given)
    assert not (tmp_path / "r").exists()


# --- doses -----------------------------------------------------------------------------------------------------------


def test_doses_stand_in_place_of_those_of_the_items_and_are_kept_by_the_run(tmp_path: Path) -> None:
    asked = ["run", "--experiment", NAME, "--model", "sim/solves", "--limit", 2, "--doses", "2,16"]
    selfexec(*asked, "--out", tmp_path / "r")
    run = sx.load(tmp_path / "r")
    sessions = {key.session for key in run.replies}
    assert {"predict.least.2", "notice.random.16", "execute.question.16"} <= sessions
    assert not any(name.endswith((".1", ".4")) for name in sessions)
    assert {item.doses for item in run.items[NAME].values()} == {(2, 16)}
    assert "--doses 2 --doses 16" in run.manifest.invocations[0].command
    # the same run goes on with them, and takes no others
    sx.run(out=tmp_path / "r", epochs=2, **QUIET)
    assert {key.session for key in sx.load(tmp_path / "r").replies} == sessions
    with pytest.raises(sx.InputError, match="has changed since this run began"):
        sx.run(out=tmp_path / "r", doses="1,4", **QUIET)


def test_the_doses_that_ship_are_the_default(tmp_path: Path) -> None:
    plain, named = (
        sx.run("sim/solves", experiments=NAME, limit=2, out=tmp_path / f"{doses}", doses=doses, **QUIET)
        for doses in (None, ["1", "4"])
    )
    assert {key: reply.text for key, reply in plain.replies.items()} == {
        key: reply.text for key, reply in named.replies.items()
    }


@pytest.mark.parametrize(
    ("doses", "said"),
    [
        ("0", "doses: Expected `int` >= 1, in items of token_injection"),
        ("17", "doses: Expected `int` <= 16"),
        ("two", "doses: Expected `int`, got `str`"),
        (["2", "2"], "doses 2,2: 2 occurs twice"),
    ],
)
def test_what_is_no_dose_is_refused(doses: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.run("sim/solves", experiments=NAME, doses=doses, out=tmp_path / "r", **QUIET)


def test_doses_are_refused_where_nothing_asked_has_any(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=r"doses: no items of restriction have doses"):
        sx.run("sim/solves", experiments="restriction", doses="2", out=tmp_path / "r", **QUIET)


def test_an_export_says_that_some_sessions_end_in_the_beginning_of_a_reply(tmp_path: Path) -> None:
    given = ["--model", "m", "--limit", "1", "-o", tmp_path / "x.jsonl"]
    done = CliRunner().invoke(root, ["export", *map(str, given), "--experiment", NAME], catch_exceptions=False)
    assert f"{NAME}: where the last message is the assistant's, it is the beginning" in done.stderr
    done = CliRunner().invoke(root, ["export", *map(str, given), "--experiment", "restriction"], catch_exceptions=False)
    assert "beginning" not in done.stderr
