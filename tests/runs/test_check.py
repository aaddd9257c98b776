"""`selfexec check` on real sockets: what a model's replies look like, and whether its sessions share a memory."""

import asyncio
import itertools
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from faulty_server import FaultyServer
from repeating_server import Repeating, repeating
from selfexec.cli import main
from selfexec.cli.check import command as check_command
from selfexec.engines.sim.server import SimServer
from selfexec.errors import InputError
from selfexec.items import load
from selfexec.runs.asking import code_word
from selfexec.runs.asking.checks import session_row
from sockets import completion, server

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "cache"))


def on(app: web.Application, work: Callable[[str], Any]) -> Any:
    """What `work` gives, with the address of a server that runs meanwhile."""

    async def run() -> Any:
        async with server(app) as url:
            return await asyncio.to_thread(work, url)

    return asyncio.run(run())


def forgetful_or_not(remembers: bool) -> web.Application:
    """A model that says all that it was ever told, or only what it is told now."""
    told: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        told.append(prompt)
        return web.json_response(completion("I know: " + (" ".join(told) if remembers else prompt)))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    return app


@pytest.mark.parametrize(
    ("status", "code"), [(402, "insufficient_credits"), (429, "insufficient_quota"), (503, "unavailable")]
)
def test_a_check_that_is_cut_short_does_not_say_that_it_keeps_replies(
    status: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "later", "code": code}}, status=status)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    monkeypatch.setattr("selfexec.engines.http.client.pause", lambda attempt: 0.001)
    monkeypatch.setattr("selfexec.engines.http.patience.probe_pause", lambda probes: 0.001)
    with pytest.raises(InputError, match="Check again when that is over; a check keeps no replies") as stopped:
        on(app, lambda url: sx.check("any/m", base_url=url))
    assert "later" in str(stopped.value)
    assert "are kept" not in str(stopped.value) and "same command" not in str(stopped.value)


def test_a_server_that_sends_an_answer_twice_is_not_ready() -> None:
    with repeating(Repeating(repeat=0.01)) as url:
        found = sx.check("any/m", base_url=url)
    assert not found.ready
    assert "sent an answer that no call was waiting for" in found.verdict


def test_one_item_of_each_kind_is_tried() -> None:
    found = on(SimServer(load("starter")).app(), lambda url: sx.check("sim/typical", base_url=url))
    sessions = [(t.reply.experiment, t.reply.session) for t in found.tried]
    # a target, a safe and an unsafe request, a group of four questions
    assert sorted(sessions) == sorted(
        [("association", "predict"), ("association", "execute")]
        + 2 * [("restriction", session) for session in ("predict", "execute", "judge")]
        + [("difficulty", session) for session in ("predict", *(f"execute.Q{n}" for n in range(1, 5)))]
    )
    assert not found.shared_memory
    assert found.failed == 0
    # 11 and 2 are the 13 above; 13, 1 and 4 are the 18 calls
    assert "format: 11 of 11 replies could be read; 2 responses are kept, not read" in found.table()
    assert f"calls: 18, the {len(found.tried)} above, the first prompt once more " in found.table()
    assert "and 4 about made-up words" in found.table()


def test_a_column_without_a_number_is_left_out_and_said() -> None:
    def counted(prompts: int | None) -> sx.Check:
        body = completion("Hi") | {"usage": {"prompt_tokens": prompts, "completion_tokens": 5}}
        return on(answering(lambda prompt: body), lambda url: sx.check("x/y", base_url=url))

    title, heads = list(filter(None, counted(7).table().splitlines()))[:2]
    assert title.endswith("; in, out: tokens; s: seconds") and heads.split()[-4:] == ["in", "out", "finish", "s"]
    found = counted(None)
    title, heads = list(filter(None, found.table().splitlines()))[:2]
    assert title.endswith("; out: tokens; s: seconds") and " in " not in heads
    assert "tokens: 5 a reply, no reasoning seen; those of prompts are not counted" in found.notes


def test_a_check_takes_as_many_calls_as_help_and_documents_say() -> None:
    calls = itertools.count()

    @web.middleware
    async def counted(request: web.Request, handler: Any) -> web.StreamResponse:
        if request.method == "POST":  # the list of models is no call
            next(calls)
        answer: web.StreamResponse = await handler(request)
        return answer

    app = SimServer(load("starter")).app()
    app.middlewares.append(counted)
    on(app, lambda url: sx.check("sim/typical", base_url=url))
    made = next(calls)
    texts = [check_command.help or "", *((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/models.md"))]
    assert [f"{made} calls" in text for text in texts] == [True] * 3


def test_a_check_prints_as_text_and_as_html(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    found = sx.check("sim/typical")
    text, html = repr(found), found._repr_html_()
    assert "\x1b" not in text
    assert html.count("<tr>") == 1 + len(found.tried)
    assert '<td style="text-align: left">{&#x27;prices&#x27;: True, ' in html
    assert all(note in text and escape(note) in html for note in found.notes)


def answering(body: Callable[[str], Any]) -> web.Application:
    """A server whose completion goes by the prompt alone."""

    async def handler(request: web.Request) -> web.Response:
        return web.json_response(body((await request.json())["messages"][-1]["content"]))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    return app


def test_a_cache_on_the_way_is_found() -> None:
    cached = answering(lambda prompt: completion(f"Indeed: {prompt}") | {"id": f"chatcmpl-{hash(prompt)}"})
    found = on(cached, lambda url: sx.check("x/y", base_url=url))
    assert any("1 reply carries the id of an earlier one" in note for note in found.notes)
    anew = answering(lambda prompt: completion(f"Indeed: {prompt}") | {"id": f"chatcmpl-{code_word()}"})
    found = on(anew, lambda url: sx.check("x/y", base_url=url))
    assert not any("the id of an earlier one" in note for note in found.notes)


def test_a_server_that_takes_answers_for_thoughts_is_found() -> None:
    body = completion(None, reasoning_content="A")
    found = on(answering(lambda prompt: body), lambda url: sx.check("x/y", base_url=url))
    # 11 sessions of the items, since what is empty is not judged, and the first once more
    assert any("12 of 12 replies hold thoughts and no answer" in note for note in found.notes)


def test_control_characters_do_nothing_to_the_table() -> None:
    garbage = "\x1b[2J\x07\x9b5A one\r\ntwo\u202eevil"
    body = completion(garbage, "stop") | {"model": garbage}
    found = on(answering(lambda prompt: body), lambda url: sx.check("x/y", base_url=url))
    assert not any(sign in found.table() for sign in "\x1b\x07\x9b\r\u202e")
    # every session is one row, of which each begins with its experiment
    assert all("\n" not in cell and "\r" not in cell for t in found.tried for cell in session_row(t))


def test_a_reply_that_ended_by_itself_was_not_cut_off() -> None:
    for finish, reason in (("stop", "format"), ("length", "truncated")):
        body = completion('{"choice": "', finish)
        found = on(answering(lambda prompt, body=body: body), lambda url: sx.check("x/y", base_url=url))  # type: ignore[misc]
        assert {t.reading.reason for t in found.tried if t.reading.state == "unreadable"} == {reason}


def test_what_a_server_leaves_out_is_said() -> None:
    found = on(
        FaultyServer(load("starter"), {"no-usage": 1.0}).app(), lambda url: sx.check("sim/typical", base_url=url)
    )
    assert any(note.startswith("tokens: not counted by this server") for note in found.notes)


def test_a_refusal_is_shown_in_the_shape_that_it_has() -> None:
    found = on(FaultyServer(load("starter"), {"refusal": 1.0}).app(), lambda url: sx.check("sim/typical", base_url=url))
    assert any("withheld: association predict by the model" in note for note in found.notes)


def test_where_sessions_share_memory_no_run_is_made(tmp_path: Path) -> None:
    def work(url: str) -> None:
        assert sx.check("x/y", base_url=url).shared_memory
        with pytest.raises(InputError, match="x/y: sessions share memory"):
            sx.run(["x/y"], base_url=url, out=tmp_path / "r", limit=1)
        assert not (tmp_path / "r").exists()

    on(forgetful_or_not(remembers=True), work)


def test_a_later_check_that_finds_no_memory_opens_the_way_again(tmp_path: Path) -> None:
    from selfexec.runs.asking import note, refuse_shared

    def work(url: str) -> None:
        note("x/y", url, shared=True)
        with pytest.raises(InputError):
            refuse_shared("x/y", url)
        refuse_shared("x/other", url)
        assert not sx.check("x/y", base_url=url).shared_memory
        refuse_shared("x/y", url)

    on(forgetful_or_not(remembers=False), work)


def test_a_word_told_in_the_same_message_is_no_memory() -> None:
    assert not on(forgetful_or_not(remembers=False), lambda url: sx.check("x/y", base_url=url)).shared_memory


def test_code_words_differ_and_are_no_words() -> None:
    assert len({code_word() for _ in range(200)}) == 200
    assert all(len(code_word()) == 12 for _ in range(20))


def test_the_command_ends_with_the_verdict_and_status_3_where_memory_is_shared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(url: str) -> None:
        monkeypatch.setattr("sys.argv", ["selfexec", "check", "x/y", "--base-url", url])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 3

    on(forgetful_or_not(remembers=True), work)
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "x/y: sessions share memory (a code word given in one" in shown.out
    assert shown.out.splitlines()[-1].startswith("not ready: sessions share memory")


def test_the_mark_names_the_model_and_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    on(forgetful_or_not(remembers=True), lambda url: sx.check("openai/y", base_url=url))
    marks = [path.read_text() for path in (tmp_path / "cache").rglob("*.txt")]
    assert marks == ["openai/y: sessions share memory\n"]


# --- the verdict -----------------------------------------------------------------------------------------------------


def test_a_model_that_can_be_read_is_ready_and_its_sessions_stand_in_order() -> None:
    simulated, last_come = SimServer(load("starter")), itertools.count(1)

    async def first_served(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.5 / next(last_come))
        return await simulated.complete(request)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", first_served)
    found = on(app, lambda url: sx.check("sim/typical", base_url=url))
    assert found.ready and found.verdict.startswith("ready: sim/typical")
    assert [t.reply.session for t in found.tried if t.reply.experiment == "difficulty"] == [
        "predict",
        *(f"execute.Q{n}" for n in (1, 2, 3, 4)),
    ]
    told = json.loads(found.json())
    assert told["ready"] and told["verdict"] == found.verdict and len(told["sessions"]) == len(found.tried)
    assert found.table().splitlines()[-1] == found.verdict


def test_a_model_that_talks_of_turtles_is_not_ready_and_is_quoted() -> None:
    found = on(answering(lambda prompt: completion("I like turtles")), lambda url: sx.check("x/y", base_url=url))
    assert not found.ready
    assert found.verdict.startswith("not ready: association predict, ")
    assert "restriction judge" in found.verdict and "restriction execute" not in found.verdict
    assert 'association predict said: "I like turtles"' in found.table()
