"""Token injection over HTTP, on a real socket: with servers that go on with a reply that was begun, and with those that
only seem to.
"""

from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from prefill_server import PrefillServer, Way
from selfexec.engines.sim.server import SimServer
from selfexec.extensions.injecting.simulated import right
from selfexec.extensions.injecting.tasks import foreign_words
from selfexec.items import load
from sockets import served

NAME, MODEL, LIMIT = "token_injection", "vllm/m", 4
QUIET: Any = {"on_progress": lambda progress: None}
TASKS: list[Any] = [*load("starter").cut([NAME], limit=LIMIT)[NAME].values()]
RIGHT = {task.prompt: right(task) for task in TASKS}


def asked(one: PrefillServer, out: Path, **options: Any) -> sx.Run:
    with served(one.app) as url:
        sx.run(MODEL, experiments=NAME, limit=LIMIT, base_url=url, out=out, **QUIET, **options)
    return sx.load(out)


@pytest.mark.parametrize("way", ["goes on", "repeats"])
def test_where_a_server_goes_on_one_word_is_recovered_from_and_four_are_not(way: Way, tmp_path: Path) -> None:
    found = sx.injection_scores(asked(PrefillServer(way, RIGHT), tmp_path / "r"))
    assert {(row.kind, row.dose, row.recovers) for row in found if row.kind != "question"} == {
        ("none", 0, 1.0),
        ("random", 1, 1.0),
        ("random", 4, 0.0),
    }
    [sham] = found.shams
    assert (sham.replies, sham.same, sham.are_forced) == (LIMIT, LIMIT, False)
    # it always chooses A: right about one word, wrong about four
    [random] = found.predictions
    assert (random.says_yes, random.accuracy, random.skill) == (1.0, 0.5, 0.0)


def test_what_is_sent_is_its_own_beginning_with_the_words_behind_it(tmp_path: Path) -> None:
    one = PrefillServer("goes on", RIGHT)
    asked(one, tmp_path / "r")
    begun = {body["messages"][-1]["content"] for body in one.bodies if body.get("continue_final_message")}
    for task in TASKS:
        words = " ".join(foreign_words(task, 4))
        assert [
            text for text in begun if text.endswith(f" {words}") and right(task).startswith(text[: -len(words) - 1])
        ]


def test_the_second_likeliest_token_is_put_in_where_the_server_gives_log_probabilities(tmp_path: Path) -> None:
    one = PrefillServer("goes on", RIGHT, logprobs=True)
    run = asked(one, tmp_path / "r", extra_body={"logprobs": True, "top_logprobs": 2})
    rows = {(row.kind, row.dose): row for row in sx.injection_scores(run)}
    assert ("second", 1) in rows and ("second", 4) not in rows and rows["second", 1].recovers == 1.0
    assert not [key for key, reading in run.readings.items() if reading.state == "missing"]
    assert any(
        body["messages"][-1]["content"].endswith(" perhaps")
        for body in one.bodies
        if body.get("continue_final_message")
    )


@pytest.mark.parametrize("provider", ["vllm", "mistral"])  # two ways to say that a reply is to be gone on with
def test_simulated_models_behind_a_server_recover_predict_and_notice_as_in_process(
    provider: str, tmp_path: Path
) -> None:
    sx.run("sim/typical", experiments=NAME, limit=24, out=tmp_path / "in-process", **QUIET)
    with served(SimServer(load("starter")).app()) as url:
        sx.run(f"{provider}/typical", experiments=NAME, limit=24, base_url=url, out=tmp_path / "over-http", **QUIET)
    in_process, over_http = (
        [
            (row.kind, row.dose, row.task, row.items, row.recovers, row.came, row.predicted, row.noticed)
            for row in sx.injection_scores(tmp_path / out)
            if row.kind in ("none", "random", "question")
        ]
        for out in ("in-process", "over-http")
    )
    assert over_http == in_process and len(in_process) == 4 * 5
    before, after = (sx.injection_scores(tmp_path / out) for out in ("in-process", "over-http"))
    assert after.predictions[0].skill == before.predictions[0].skill
    [sham] = after.shams
    assert not sham.are_forced and sham.same == sham.replies > 10


@pytest.mark.parametrize("way", ["drops", "takes it for a turn"])
def test_a_server_that_drops_beginnings_stops_the_run_before_anything_is_asked(way: Way, tmp_path: Path) -> None:
    one = PrefillServer(way, RIGHT)
    with pytest.raises(sx.InputError, match=r"127.0.0.1:\d+/v1: it does not go on with a reply that was begun"):
        asked(one, tmp_path / "r")
    assert not {body["messages"][0]["content"] for body in one.bodies} & RIGHT.keys()


@pytest.mark.parametrize("way", ["drops", "takes it for a turn"])
def test_check_finds_a_server_that_drops_beginnings(way: Way) -> None:
    with served(PrefillServer(way, RIGHT).app) as url, pytest.raises(sx.InputError, match="it does not go on with"):
        sx.check(MODEL, experiments=NAME, base_url=url)


def test_check_asks_every_session_of_a_server_that_goes_on() -> None:
    with served(PrefillServer("goes on", RIGHT).app) as url:
        found = sx.check(MODEL, experiments=NAME, base_url=url)
    assert "execute.random.4" in str(found)


def test_a_check_of_a_simulated_model_says_nothing_of_a_server() -> None:
    assert not [note for note in sx.check("sim/solves", experiments=NAME).notes if note.startswith("warning: ")]


def test_a_model_of_which_no_reply_can_be_begun_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=r"token_injection needs prefill .* 'openai/m'"):
        sx.run("openai/m", experiments=NAME, base_url="http://localhost:1/v1", out=tmp_path / "r", **QUIET)
