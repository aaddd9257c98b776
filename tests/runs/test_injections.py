"""Sessions in which tokens are forced into the reply: they are asked, kept, gone on with and read from disk."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from build import write
from selfexec.engines import Call, CallResult
from selfexec.engines.sim import SimEngine
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, MISSING_READING, Injection, Key, Message, Observation, Restriction, Token
from selfexec.experiments.base import AskFunction
from selfexec.readers import Reading
from selfexec.runs import Reply, list_runs, load_replies
from selfexec.runs.asking import reply_to
from selfexec.runs.transcripts import prompts_sent

# Does a story go on behind words that are forced into it? It is told undisturbed, with a sham and with two kinds of
# words; where the engine cannot force any, the model is asked in words whether it would.

DISTURBED = {f"execute.{kind}.2": Injection(kind, 2, 3, 7) for kind in ("none", "second", "random")}


class Story(Restriction):
    name = "story"
    prompts = {"predict": "", "execute": "", "shown": ""}
    variants = {}
    tokens = {"predict": 1, "execute": 1, "shown": 1}
    kept = ()
    unneeded = {}
    naive = None
    baselines = {}
    spread = None
    needs = frozenset()
    simulation = ""

    def session_names(self, item: Any) -> tuple[str, ...]:
        return ("predict", "execute", *DISTURBED, "shown")

    async def sessions(self, item: Any, ask: Any, prompts: Any = None) -> None:
        await ask("predict", "Will you go on?")
        await ask("execute", f"Tell of {item.request}.")
        if "forced_tokens" not in ask.can:
            return
        for name, injection in DISTURBED.items():
            told = await ask(name, f"Tell of {item.request}.", parent="execute", injection=injection)
        if told.text is not None:
            await ask("shown", f"Were these yours? {[token.token for token in told.forced]}")

    def idle(self, readings: Any) -> tuple[str, ...]:
        return ()

    def read(self, item: Any, session: str, text: str, options: Any = None, *, cut: Any = None) -> Reading:
        return Reading("read", text)

    def observe(self, item: Any, readings: Any) -> list[Observation]:
        return [Observation("goes on", True, bool(readings.get("execute.random.2", MISSING_READING).value), "read")]


@pytest.fixture(autouse=True)
def story(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "restriction" in EXPERIMENTS  # they are looked up when first asked for
    monkeypatch.setattr(EXPERIMENTS, "_found", {**EXPERIMENTS._found, "story": Story()})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items").mkdir()
    lines = [{"id": name, "request": name, "label": "safe", "type": "x"} for name in ("eggs", "milk")]
    write(tmp_path / "items" / "story.jsonl", lines)


def run(**more: Any) -> sx.Run:
    given: dict[str, Any] = {"models": "sim/typical", "items": "items", "out": "r", **more}
    return sx.run(**given, on_progress=lambda progress: None)


def of(found: sx.Run, session: str, item: str = "eggs") -> Reply:
    return found.replies[Key("sim/typical", "story", item, 1, session)]


def test_a_sham_leaves_the_reply_as_it_is_undisturbed_and_says_that_nothing_was_forced() -> None:
    found = run()
    sham = of(found, "execute.none.2")
    assert sham.text == of(found, "execute").text
    assert sham.forced == () and sham.parent == "execute" and sham.injection == Injection("none", 2, 3, 7)
    assert of(found, "execute").forced is None and of(found, "execute").injection is None


def test_what_is_forced_stands_behind_the_first_tokens_of_the_reply_and_is_kept_with_its_log_probability() -> None:
    found = run()
    whole, disturbed = of(found, "execute").text or "", of(found, "execute.random.2")
    first = " ".join(whole.split()[:3])
    words = "".join(token.token for token in disturbed.forced or ())
    assert len(disturbed.forced or ()) == 2 and all(token.logprob < -10 for token in disturbed.forced or ())
    assert disturbed.text == first + words + whole[len(first) :]


def test_of_a_disturbed_reply_only_what_came_behind_the_injection_is_read() -> None:
    found = run()
    rest = (of(found, "execute").text or "")[len(" ".join((of(found, "execute").text or "").split()[:3])) :]
    read = {name: found.readings[of(found, name).key].value for name in ("execute", *DISTURBED)}
    assert read["execute"] == of(found, "execute").text
    assert rest and {read[name] for name in DISTURBED} == {rest}


def test_a_stored_run_has_the_injection_its_tokens_and_the_same_readings() -> None:
    found, again = run(), sx.load("r")
    assert dict(again.replies) == dict(found.replies)
    assert dict(again.readings) == dict(found.readings)
    lines = [json.loads(line) for line in Path("r/replies.jsonl").read_text().splitlines()]
    plain = [line for line in lines if line["session"] in ("predict", "execute", "shown")]
    assert plain and not any({"injection", "forced", "forced_end"} & line.keys() for line in plain)


def test_replies_that_are_imported_keep_what_was_forced(capsys: pytest.CaptureFixture[str]) -> None:
    found = run()
    there = load_replies([Path("r/replies.jsonl")])
    assert not there.warnings
    key = of(found, "execute.second.2").key
    assert there.replies[key].forced == of(found, "execute.second.2").forced
    assert there.replies[key].injection == Injection("second", 2, 3, 7)


def test_a_run_goes_on_where_it_stopped_and_asks_again_what_had_another_injection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run()
    before = len(Path("r/replies.jsonl").read_text().splitlines())
    run()
    assert len(Path("r/replies.jsonl").read_text().splitlines()) == before
    monkeypatch.setitem(DISTURBED, "execute.random.2", Injection("random", 2, 3, 8))
    found = run()
    # of each of two items: the session with another injection, and the one that shows other words for it
    assert len(Path("r/replies.jsonl").read_text().splitlines()) == before + 4
    assert of(found, "execute.random.2").injection == Injection("random", 2, 3, 8)


def test_the_prompts_of_a_stored_run_are_worked_out_with_the_tokens_that_were_forced() -> None:
    found = run()
    prompts = prompts_sent(found, list(found.replies))
    assert None not in prompts.values()
    words = [token.token for token in of(found, "execute.random.2").forced or ()]
    assert prompts[of(found, "shown").key] == f"Were these yours? {words}"


def test_a_run_whose_sessions_are_all_there_is_listed_as_whole() -> None:
    found = run()
    shutil.copytree("r", "runs/r")
    text = Path("runs/r/replies.jsonl").read_text().splitlines()
    [listed] = list_runs(Path("runs"))
    assert not listed.fault
    assert (listed.replies, listed.missing) == (len(found.replies), 0)
    Path("runs/r/replies.jsonl").write_text("".join(f"{line}\n" for line in text if '"shown"' not in line))
    [listed] = list_runs(Path("runs"))
    assert (listed.replies, listed.missing) == (len(found.replies) - 2, 2)


def test_an_experiment_sees_what_the_engine_of_each_model_can(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, frozenset[str]] = {}

    class Looks(Story):
        async def sessions(self, item: Any, ask: Any, prompts: Any = None) -> None:
            seen[item.id] = ask.can

    monkeypatch.setitem(EXPERIMENTS._found, "story", Looks())
    run()
    assert set(seen.values()) == {frozenset({"turns", "prefill", "forced_tokens"})}


def test_an_injection_is_refused_where_the_engine_has_no_forced_tokens() -> None:
    async def opened(*asked: Any, **more: Any) -> Any:
        raise AssertionError("it was asked")

    ask = AskFunction(opened, frozenset({"turns"}))
    with pytest.raises(InputError, match=r"^session execute.x: an injection takes forced_tokens"):
        ask("execute.x", "Tell.", injection=Injection("none", 1, 1))


def test_an_experiment_that_needs_forced_tokens_is_refused_by_name_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Needs(Story):
        needs = frozenset({"forced_tokens"})

    monkeypatch.setitem(EXPERIMENTS._found, "story", Needs())
    with pytest.raises(InputError, match=r"^story needs forced_tokens of the engine, and http cannot do that"):
        run(models="vllm/m", base_url="http://127.0.0.1:9/v1")
    assert not Path("r").exists()


def test_a_reply_whose_engine_says_nothing_of_the_injection_does_not_count() -> None:
    class Deaf(SimEngine):
        async def ask(self, call: Call) -> CallResult:
            return CallResult("Once upon a time.")

    key, messages = Key("m", "story", "eggs", 1, "execute.x"), (Message("user", "Tell."),)
    call = Call(key, messages, injection=Injection("none", 1, 1))
    reply = asyncio.run(reply_to(Deaf.__new__(Deaf), call, None, is_over=lambda: False))
    assert reply.failed and reply.error == "the engine did not say what it forced into the reply"
    assert reply.injection == call.injection


def test_nothing_is_forced_into_a_reply_that_is_over_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DISTURBED, "execute.random.2", Injection("random", 2, 10_000, 7))
    found = run()
    late = of(found, "execute.random.2")
    assert late.text == of(found, "execute").text and late.forced == ()
    assert late.read_text == ""


def test_tokens_have_a_log_probability_that_json_can_hold() -> None:
    token = Token(" ribbon", -20.0)
    assert json.loads(Reply(model="m", experiment="e", item="i", session="s", text="x", forced=(token,)).line)[
        "forced"
    ] == [{"token": " ribbon", "logprob": -20.0}]
