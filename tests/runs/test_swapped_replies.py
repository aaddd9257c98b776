"""What a run does about replies that may be swapped, and about those that nobody could check."""

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import msgspec
import pytest

import selfexec as sx
from extension_parts import needs
from repeating_server import Repeating, repeating
from selfexec.engines import ConnectionCheck
from selfexec.engines.sim import SimEngine
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.items import load
from selfexec.runs.asking import carry_out, plan
from selfexec.runs.asking.progress import Progress
from selfexec.runs.folder import REPLIES
from selfexec.runs.journal import Journal, read_journal
from selfexec.runs.journal_writer import CONNECTIONS, DEPENDENT, SWAPPED, JournalWriter, as_void
from selfexec.runs.reply import Reply

NOBODY = SimEngine([], load("starter"))  # reports nothing of connections
UNCHECKED = "not checked for swapped answers"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def run(url: str, out: Path, **choices: Any) -> tuple[sx.Run, Progress]:
    given: dict[str, Any] = {"experiments": ["restriction"], "limit": 10, "max_connections": 2, **choices}
    progress = Progress()
    return carry_out(plan(["any/m"], base_url=url, out=out, **given), progress=progress), progress


def lines(out: Path, name: str = "replies.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / name).read_text().splitlines()]


def test_a_run_against_a_server_that_repeats_answers_ends_complete_and_right(tmp_path: Path) -> None:
    habits = Repeating(0.002, on_next=True, every=7)
    with repeating(habits) as url:
        found, progress = run(url, tmp_path / "r")
        assert all(reply.text == reply.prompt_sha256 for reply in found.replies.values())
        assert len(found.replies) == 30 and not progress.unfinished and progress.done == progress.total == 30
        void = [line for line in lines(tmp_path / "r") if line.get("error") == SWAPPED]
        [said] = [text for text in progress.warnings if "no call was waiting for" in text]
        assert f"{len(void)} replies" in said and url.split("/")[2] in said
        # what was paid for is counted: the calls of this command are all the answers that the server gave
        assert progress.calls == sum(habits.calls) and progress.calls > 30
        before = habits.answers
        run(url, tmp_path / "r")
        assert habits.answers == before  # nothing is left to ask: each judge saw the response that counts


def test_a_cap_on_calls_holds_also_where_replies_are_void(tmp_path: Path) -> None:
    habits = Repeating(0.002, on_next=True, every=7)
    with repeating(habits) as url:
        found, progress = run(url, tmp_path / "r", max_calls=30)
        assert progress.calls == sum(habits.calls) == 30
        failed = sum(reply.failed for reply in found.replies.values())
        assert failed and progress.left == progress.total - progress.done - progress.waiting
        found, progress = run(url, tmp_path / "r")
        assert all(reply.text == reply.prompt_sha256 for reply in found.replies.values()) and not progress.unfinished


def test_a_clean_run_says_nothing_and_marks_every_reply_over_a_connection_used_before(tmp_path: Path) -> None:
    with repeating(Repeating()) as url:
        found, progress = run(url, tmp_path / "r")
    assert progress.warnings == []
    assert sum(reply.connection is not None for reply in found.replies.values()) >= 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sx.load(tmp_path / "r")


def test_replies_behind_the_last_mark_count_and_are_reported(tmp_path: Path) -> None:
    with repeating(Repeating()) as url:
        found, _ = run(url, tmp_path / "r")
    carried = sum(reply.connection is not None for reply in found.replies.values())
    (tmp_path / "r" / CONNECTIONS).unlink()  # as if the command had been killed before
    with pytest.warns(UserWarning, match=f"{carried} replies were {UNCHECKED}"):
        assert not any(reply.failed for reply in sx.load(tmp_path / "r").replies.values())


def test_a_mark_that_was_cut_off_marks_nothing_and_the_next_one_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / CONNECTIONS).write_text('{"connection":"a.1","checked":9}\n{"connection":"a.2","che')
    with Journal(tmp_path / REPLIES) as journal:
        writer = JournalWriter(journal, NOBODY)
        writer.note_check(ConnectionCheck("a.3", 2, 5, "clean", "host:1"))
    carried = [
        _reply(f"i{n}", connection) for n, connection in enumerate(("a.1:9", "a.1:10", "a.2:1", "a.3:5", "a.3:6"))
    ]
    found = {reply.connection for reply in sx.runs.journal_writer.unchecked(carried, [tmp_path])}
    assert found == {"a.1:10", "a.2:1", "a.3:6"}


def test_what_was_asked_from_a_void_reply_is_asked_again_and_nothing_else(tmp_path: Path) -> None:
    with repeating(Repeating()) as url:
        found, _ = run(url, tmp_path / "r", limit=3)
        execute = next(key for key in found.replies if key.session_kind == "execute")
        with (tmp_path / "r" / "replies.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(as_void(found.replies[execute], SWAPPED)) + b"\n")
        before = len(lines(tmp_path / "r"))
        found, progress = run(url, tmp_path / "r", limit=3)
    more = [(line["session"], line["item"], line.get("error")) for line in lines(tmp_path / "r")[before:]]
    # the judge's prompt is the same, since the server answers the same again; yet its reply was to a void one
    assert more == [("judge", execute.item, DEPENDENT), ("execute", execute.item, None), ("judge", execute.item, None)]
    assert not progress.unfinished


def test_a_reply_that_is_written_after_its_connection_was_judged_is_treated_alike(tmp_path: Path) -> None:
    with Journal(tmp_path / REPLIES) as journal:
        writer = JournalWriter(journal, NOBODY)
        writer.note_check(ConnectionCheck("a.1", 2, 3, "clean", "host:1"))
        writer.note_check(ConnectionCheck("a.1", 4, 5, "swapped", "host:1"))
        for number in (3, 4, 6):
            writer.keep(_reply(f"i{number}", f"a.1:{number}"))
    kept = [(line["item"], line.get("error")) for line in lines(tmp_path)]
    assert kept == [("i3", None), ("i4", None), ("i4", SWAPPED), ("i6", None)]
    assert writer.void.total() == 1


def test_what_was_paid_for_a_void_reply_stays_in_its_line(tmp_path: Path) -> None:
    paid = msgspec.structs.replace(_reply("i", "a.1:2"), input_tokens=7, output_tokens=9, cost_usd=0.5, refusal="No")
    with Journal(tmp_path / REPLIES) as journal:
        writer = JournalWriter(journal, NOBODY)
        for reply in (_reply("h", "a.1:1"), paid, _reply("j", "a.2:2")):
            writer.keep(reply)
        writer.note_check(ConnectionCheck("a.1", 2, 2, "swapped", "host:1"))
    void = lines(tmp_path)[-1]
    assert (void["item"], void["error"]) == ("i", SWAPPED) and void.get("text") is void.get("refusal") is None
    assert (void["input_tokens"], void["output_tokens"], void["cost_usd"]) == (7, 9, 0.5)


def test_a_line_that_cannot_be_written_stops_the_run(tmp_path: Path) -> None:
    class Full(Journal):
        def append(self, reply: Reply) -> int:
            if reply.error:
                raise InputError("no room")
            return super().append(reply)

    with Full(tmp_path / REPLIES) as journal:
        writer = JournalWriter(journal, NOBODY)
        writer.keep(_reply("i", "a.1:2"))
        writer.note_check(ConnectionCheck("a.1", 2, 2, "swapped", "host:1"))
        with pytest.raises(InputError, match="no room"):
            writer.keep(_reply("j", None))


@needs("shards")
def test_joined_shards_and_imported_replies_keep_what_is_known_of_their_connections(tmp_path: Path) -> None:
    with repeating(Repeating()) as url:
        for shard in ("0/2", "1/2"):
            run(url, tmp_path / "r", limit=12, shard=shard)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        joined = sx.merge(tmp_path / "r")
        assert any(reply.connection for reply in joined.replies.values())
        sx.import_replies(tmp_path / "r" / "replies.jsonl", items=tmp_path / "r" / "items", out=tmp_path / "i")
        sx.load(tmp_path / "i")
    shutil.copy(tmp_path / "r" / "replies.jsonl", tmp_path / "alone.jsonl")
    sx.import_replies(tmp_path / "alone.jsonl", items=tmp_path / "r" / "items", out=tmp_path / "j")
    with pytest.warns(UserWarning, match=UNCHECKED):
        sx.load(tmp_path / "j")


def test_a_void_line_takes_back_the_reply_before_it_wherever_replies_are_read_from_files(tmp_path: Path) -> None:
    first, second = _reply("i", "a.1:2"), msgspec.structs.replace(_reply("i", None), text="another")
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\n".join(map(msgspec.json.encode, (first, as_void(first, SWAPPED), second))) + b"\n")
    assert sx.runs.load_replies([path]).replies[first.key].text == "another"
    assert read_journal(path)[first.key].text == "another"


@needs("judging")
def test_a_judge_is_asked_again_what_may_be_swapped(tmp_path: Path) -> None:
    with repeating(Repeating()) as url:
        run(url, tmp_path / "r")
    habits = Repeating(0.002, on_next=True)
    with repeating(habits) as url:
        said: list[Progress] = []
        options: dict[str, Any] = {"base_url": url, "max_connections": 1, "on_progress": said.append}
        sx.judge(tmp_path / "r", "any/judge", **options)
    found = {(line["item"], line["judged"]): line for line in lines(tmp_path / "r", "judge_replies.jsonl")}
    assert len(found) == 10 and sum(habits.calls) > 10
    assert all(line["text"] == line["prompt_sha256"] for line in found.values())
    assert not said[-1].unfinished and any("no call was waiting for" in text for text in said[-1].warnings)


def _reply(item: str, connection: str | None) -> Reply:
    key = Key("any/m", "restriction", item, 1, "execute")
    return Reply(**key.fields(), text="x", connection=connection)
