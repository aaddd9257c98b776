"""Sessions of several messages, whose names nobody knows beforehand: they are asked, kept, gone on with and scored."""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from build import changed, write
from selfexec.experiments import EXPERIMENTS, MISSING_READING, Key, Message, Observation, Restriction, state_of
from selfexec.items import load as load_items
from selfexec.prompts import all_prompts
from selfexec.readers import Reading
from selfexec.report.evidence import PageEvidence
from selfexec.report.outcomes import coded as coded_claims
from selfexec.report.sessions import with_states
from selfexec.runs import list_runs, load_replies, reading_lines
from selfexec.runs.asking import plan
from selfexec.runs.asking.estimate import foreseen
from selfexec.runs.exporting import Round, lines
from selfexec.runs.importing import run_of_replies
from selfexec.runs.transcripts import prompts_sent, transcripts
from sockets import completion, served

# How many turns until the model says "enough"? It says beforehand, and is then told to go on, turn by turn; after each
# turn it is asked, within it, how it feels.


class Talk(Restriction):
    name = "talk"
    prompts = {"predict": "", "turn": "", "mood": ""}
    variants = {}
    tokens = {"predict": 1, "turn": 1, "mood": 1}
    kept = ()
    unneeded = {}
    naive = None
    baselines = {}
    spread = None
    needs = frozenset({"turns"})

    def session_names(self, item: Any) -> tuple[str, ...]:
        return ("predict", "turn.1", "mood.1")

    def further(self, item: Any, session: str) -> bool:
        return session.partition(".")[2].isdecimal() and session.startswith(("turn", "mood"))

    async def sessions(self, item: Any, ask: Any, prompts: Any = None) -> None:
        await ask("predict", f"How many turns will you take over {item.request}?")
        said = [Message("user", f"Talk of {item.request}.")]
        for n in count(1):  # as long as the model goes on
            reply = await ask(f"turn.{n}", said)
            if reply.text is None:
                return
            await ask(f"mood.{n}", "How do you feel?", parent=f"turn.{n}")
            if reply.text == "enough":
                return
            said += [Message("assistant", reply.text), Message("user", "Go on.")]

    def idle(self, readings: Any) -> tuple[str, ...]:
        return ()

    def read(self, item: Any, session: str, text: str, options: Any = None, *, cut: Any = None) -> Reading:
        return Reading("read", text)

    def observe(self, item: Any, readings: Any) -> list[Observation]:
        turns = [reading for name, reading in readings.items() if name.startswith("turn.")] or [MISSING_READING]
        predict = readings.get("predict", MISSING_READING)
        state, reason = state_of([predict], turns)
        long = len(turns) > 2
        return [Observation("three or more", predict.value == "3" if predict.value else None, long, state, reason)]


TALK = Talk()


@pytest.fixture(autouse=True)
def talk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "restriction" in EXPERIMENTS  # they are looked up when first asked for
    monkeypatch.setattr(EXPERIMENTS, "_found", {**EXPERIMENTS._found, "talk": TALK})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items").mkdir()
    lines = [{"id": name, "request": name, "label": "safe", "type": "x"} for name in ("eggs", "milk")]
    write(tmp_path / "items" / "talk.jsonl", lines)


@contextmanager
def talker(turns: int = 3) -> Iterator[tuple[str, list[list[dict[str, str]]]]]:
    """A model that says "enough" in its last turn, and what it was asked."""
    asked: list[list[dict[str, str]]] = []

    async def answer(request: web.Request) -> web.Response:
        messages = (await request.json())["messages"]
        asked.append(messages)
        spoken = sum(message["role"] == "user" for message in messages)
        talks = messages[0]["content"].startswith("Talk")
        text = ("enough" if spoken == turns else f"so much for {spoken}") if talks else str(turns)
        return web.json_response(completion(text))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    with served(app) as url:
        yield url, asked


def run(url: str, out: str = "r", **more: Any) -> sx.Run:
    return sx.run("any/m", items="items", base_url=url, out=out, on_progress=lambda progress: None, **more)


def names(found: sx.Run, item: str = "eggs") -> list[str]:
    return [key.session for key in found.replies if key.item == item]


WHOLE = ["predict", "turn.1", "mood.1", "turn.2", "mood.2", "turn.3", "mood.3"]


def test_each_turn_is_a_session_of_its_own_that_carries_what_was_said_before() -> None:
    with talker() as (url, asked):
        found = run(url)
    assert sorted(names(found)) == sorted(WHOLE)
    [last] = [messages for messages in asked if len(messages) == 5 and "eggs" in messages[0]["content"]]
    said = ["Talk of eggs.", "so much for 1", "Go on.", "so much for 2", "Go on."]
    assert [message["content"] for message in last] == said
    assert [message["role"] for message in last] == ["user", "assistant", "user", "assistant", "user"]
    assert sorted(len(messages) for messages in asked) == sorted(2 * [1, 1, 1, 1, 1, 3, 5])
    assert all(messages[-1]["role"] == "user" for messages in asked)


def test_the_journal_keeps_the_hash_of_the_messages_and_within_which_session_one_was_asked() -> None:
    with talker() as (url, _):
        run(url)
    lines = {}
    for line in (json.loads(text) for text in Path("r/replies.jsonl").read_text().splitlines()):
        lines[line["item"], line["session"]] = line
    one = hashlib.sha256(b"Talk of eggs.").hexdigest()
    canonical = (
        '[{"content":"Talk of eggs.","role":"user"},{"content":"so much for 1","role":"assistant"},'
        '{"content":"Go on.","role":"user"}]'
    )
    assert lines["eggs", "turn.1"]["prompt_sha256"] == one
    assert lines["eggs", "turn.2"]["prompt_sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert {session: line.get("parent") for (_, session), line in lines.items()} == {
        **dict.fromkeys(("predict", "turn.1", "turn.2", "turn.3")),
        **{f"mood.{n}": f"turn.{n}" for n in (1, 2, 3)},
    }
    assert "parent" not in lines["eggs", "turn.1"]


@pytest.mark.parametrize("calls", [1, 3, 4, 5, 13])
def test_a_conversation_that_was_cut_short_goes_on_where_it_stopped(calls: int) -> None:
    with talker() as (url, asked):
        first = run(url, max_calls=calls)
        assert 0 < len(first.replies) <= calls
        now, rest = foreseen(plan("any/m", items="items", base_url=url, out="r"))
        assert now.sessions_left > 0 and rest.output_tokens >= 0
        found = run(url)
        assert len(asked) == 14 and len(found.replies) == 14
        again = run(url)
    assert len(asked) == 14 and again.replies == found.replies
    assert [row.missing for row in list_runs("r")] == [0]


def test_a_list_of_runs_counts_the_next_turn_of_a_conversation_as_missing() -> None:
    with talker() as (url, _):
        found = run(url, max_calls=10, max_connections=1)
    # of one item all seven sessions, of the other the three that are known beforehand
    assert sorted(len(names(found, item)) for item in ("eggs", "milk")) == [3, 7]
    assert [(row.replies, row.missing) for row in list_runs("r")] == [(10, 1)]


def test_progress_ends_at_all_that_came_of_it() -> None:
    seen = []
    with talker() as (url, _):
        sx.run("any/m", items="items", base_url=url, out="r", on_progress=lambda p: seen.append((p.done, p.total)))
    assert seen[0] == (0, 6) and seen[-1] == (14, 14)


def test_what_is_further_counts_in_the_tables_in_its_order() -> None:
    with talker(11) as (url, _):
        found = run(url)
    eggs = found.sessions.filter(found.sessions["item"] == "eggs")
    further = [f"{kind}.{n}" for kind in ("mood", "turn") for n in range(2, 12)]
    assert eggs["session"].to_list() == ["predict", "turn.1", "mood.1", *further]
    assert set(eggs["state"]) == {"read"}
    assert found.observations["observed"].to_list() == [True, True]
    # both said 11, not 3
    assert sx.score(found).value("any/m", "talk", "accuracy") == 0


def test_the_report_has_a_place_for_each_session_that_was_known_beforehand() -> None:
    with talker() as (url, _):
        found = run(url)
    page = sx.report(found, "page.html", evidence="all")
    assert "Talk" in page.read_text("utf-8")
    coded, states = coded_claims(found.tables), with_states(found.sessions, [found])
    index = json.loads(zlib.decompress(base64.b64decode(PageEvidence([found], coded, states).index)))
    # two items of three sessions, all read
    assert index["models"][0]["sessions"]["talk"]["1"] == index["models"][0]["sessions"]["talk"]["1"][0] * 6


def test_a_reply_is_imported_whose_name_may_be_one_and_no_other() -> None:
    def line(session: str) -> dict[str, Any]:
        return {"model": "m", "experiment": "talk", "item": "eggs", "session": session, "text": "enough"}

    write(Path("good.jsonl"), [line("turn.1"), line("turn.7")])
    found, _ = run_of_replies([Path("good.jsonl")], item_source="items", out=Path("good"))
    assert names(found) == ["turn.1", "turn.7"]
    for bad in ("turn.x", "word.1", "predict.2"):
        write(Path("bad.jsonl"), [line(bad)])
        with pytest.raises(sx.InputError, match=rf"bad\.jsonl:1: talk has no session '{bad}'"):
            run_of_replies([Path("bad.jsonl")], item_source="items", out=Path("bad"))


def test_prompts_are_worked_out_again_and_shown_as_a_conversation() -> None:
    with talker() as (url, _):
        found = run(url)
    key = Key("any/m", "talk", "eggs", 1, "turn.2")
    sent = prompts_sent(found, [key])[key]
    assert sent == (Message("user", "Talk of eggs."), Message("assistant", "so much for 1"), Message("user", "Go on."))
    [text] = transcripts(found, [key])
    assert "[user] Talk of eggs." in text and "[assistant] so much for 1" in text
    [line] = reading_lines({key: found.readings[key]}, found.replies, {key: sent})
    assert json.loads(line)["prompt"][1] == {"role": "assistant", "content": "so much for 1"}
    [mood] = transcripts(found, [key._replace(session="mood.2")])
    assert "asked within turn.2" in mood


def test_rounds_for_somebody_else_carry_conversations_and_their_replies_come_back() -> None:
    item_set, told = load_items("items"), {}
    for _ in range(4):
        found = Round(["m"], item_set, all_prompts({}), replies=told)
        asked = [json.loads(line) for line in lines(found.sessions())]
        for one in asked:
            turns = one["prompt"] if isinstance(one["prompt"], list) else [{"content": one["prompt"]}]
            talks = turns[0]["content"].startswith("Talk")
            one["text"] = ("enough" if len(turns) == 5 else "more") if talks else "3"
        with Path("said.jsonl").open("a") as file:
            file.writelines(json.dumps(one) + "\n" for one in asked)
        told = load_replies([Path("said.jsonl")]).replies
    # the first round asks what is known from the item, each further one a turn and the mood in the one before
    assert not list(Round(["m"], item_set, all_prompts({}), replies=told).sessions())
    assert sorted(key.session for key in told if key.item == "eggs") == sorted(WHOLE)
    assert all(reply.prompt_sha256 for reply in told.values())


def test_what_an_experiment_did_not_say_that_it_needs_is_refused_by_name() -> None:
    three = (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))
    with pytest.raises(sx.InputError, match=r"talk: a session of several messages, but `needs` does not name 'turns'"):
        changed(TALK, needs=frozenset()).messages(three)
    with pytest.raises(sx.InputError, match="talk: the last message is not the user's"):
        TALK.messages(three[:2])
    with pytest.raises(sx.InputError, match="talk: a session is asked nothing"):
        TALK.messages(())
    assert TALK.messages("a") == (Message("user", "a"),)
