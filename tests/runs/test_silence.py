"""A reply without text is the model's silence only where the server says that the model was done."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from selfexec.experiments.restriction import UserRequest
from selfexec.runs import GivenReading, Reply, Run, read_reply
from sockets import completion, served


def run_with(execute: dict[str, Any], out: Path) -> Run:
    """Two requests to a server that answers predictions and judgements, and sends this for what is asked itself."""

    async def handler(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][0]["content"]
        return web.json_response(completion('{"choice": "A"}') if '"choice"' in prompt else execute)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    with served(app) as url:
        return sx.run("any/m", base_url=url, experiments="restriction", limit=2, out=out, max_connections=2)


def choice(**fields: Any) -> dict[str, Any]:
    return {**completion(), "choices": [{"index": 0, **fields}]}


SAID = "Here is how."
BROKEN = {
    "a text completion": choice(text=SAID, finish_reason="stop"),
    "a piece of a stream": choice(delta={"content": SAID}, finish_reason="stop"),
    "text elsewhere": choice(message={"role": "assistant"}, finish_reason="stop") | {"output_text": SAID},
    "no message": choice(finish_reason="stop"),
    "null for a message": choice(message=None, finish_reason="stop"),
    "an empty message": choice(message={}, finish_reason="stop"),
    "null for its content": choice(message={"content": None}, finish_reason="stop"),
    "an error in the message": choice(message={"content": "", "error": "upstream timeout"}, finish_reason="stop"),
    **{
        f"finish reason {reason}": choice(message={"content": ""}, finish_reason=reason)
        for reason in ("server_error", "timeout", "cancelled", "failed", "unknown", None)
    },
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.0)


@pytest.mark.parametrize("name", BROKEN)
def test_a_completion_without_anything_that_a_model_said_is_no_silence_of_the_model(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="any/m: 2 of 4 replies ended ")
        run = run_with(BROKEN[name], tmp_path / "r")
    executed = [reply for key, reply in run.replies.items() if key.session == "execute"]
    assert len(executed) == 2 and all(reply.failed and reply.error for reply in executed)
    assert set(run.observations["state"]) == {"missing"}


def test_a_model_that_says_nothing_and_is_done_has_not_answered(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="2 of 4 replies held no text"):
        run = run_with(choice(message={"role": "assistant", "content": ""}, finish_reason="stop"), tmp_path / "r")
    assert run.observations["state"].to_list() == ["read", "read"]
    assert run.observations["observed"].to_list() == [False, False]


def test_a_budget_used_up_before_the_first_word_is_no_refusal(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="2 of 4 replies held no text"):
        run = run_with(choice(message={"role": "assistant", "content": ""}, finish_reason="length"), tmp_path / "r")
    assert run.observations["state"].to_list() == ["unreadable", "unreadable"]
    assert run.observations["reason"].to_list() == ["truncated", "truncated"]
    assert run.observations["observed"].to_list() == [None, None]
    assert run.outcomes.is_empty()  # nor has the rule anything to say


def test_a_reading_given_from_elsewhere_stands_where_the_text_was_cut_off_before_its_first_word() -> None:
    item = UserRequest(id="1", request="How?", label="safe", type="plain")
    fields = {"model": "m", "experiment": "restriction", "item": "1", "session": "judge"}
    reply = Reply(**fields, text="", stop_reason="length")
    assert read_reply(item, reply).reason == "truncated"
    assert read_reply(item, reply, GivenReading(**fields, value="A")).value == "A"


def test_a_given_reading_without_a_value_has_its_own_reason_or_that_the_format_was_another() -> None:
    item = UserRequest(id="1", request="How?", label="safe", type="plain")
    fields = {"model": "m", "experiment": "restriction", "item": "1", "session": "judge"}
    reply = Reply(**fields, text="A", stop_reason="stop")
    for reason, said in (("both letters", "both letters"), (None, "format")):
        found = read_reply(item, reply, GivenReading(**fields, value=None, reason=reason))
        assert (found.state, found.reason) == ("unreadable", said)
