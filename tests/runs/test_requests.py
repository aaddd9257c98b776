"""What of a run went out in batch files: which requests are out, and the custom ids of further ones."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.prompts import digest
from selfexec.runs.reply import Reply
from selfexec.runs.requests import ExportedRequest, Requests, add_requests, custom_ids, out_with_batches, requests_of

PREDICT, JUDGE = (Key("m", "restriction", "1", 1, session) for session in ("predict", "judge"))
RUN = "0123abcd"


def request(key: Key, id: str, file: str = "1-m.jsonl", **more: Any) -> ExportedRequest:
    usual = {"prompt_sha256": digest("Why?"), "time": "t", "form": "openai", "wire": "openai", "url": "u"}
    return ExportedRequest(**key.fields(), custom_id=id, file=file, **{**usual, **more})


def requests(*those: ExportedRequest, came: Sequence[str] = ()) -> Requests:
    return Requests({one.custom_id: one for one in those}, frozenset(came))


def id_of(key: Key, times: int, run: str = RUN) -> str:
    """By hand: of the run and the session, as JSON, the first half of a SHA-256."""
    model, experiment, item, epoch, session, _ = key
    text = f'["{run}","{model}","{experiment}","{item}",{epoch},"{session}",[]]'
    return f"sx-{run}-{hashlib.sha256(text.encode()).hexdigest()[:32]}-{times}"


def test_the_last_request_of_a_session_is_out_until_a_result_of_it_has_come() -> None:
    first, second, judge = request(PREDICT, "a"), request(PREDICT, "b", "2-m.jsonl"), request(JUDGE, "c")
    assert requests(first, second, judge).out == {PREDICT: second, JUDGE: judge}
    assert requests(first, second, judge, came=["a"]).out == {PREDICT: second, JUDGE: judge}
    assert requests(first, second, judge, came=["b", "c"]).out == {}
    assert requests(first, second, came=["b"]).newest == {PREDICT: second}


def test_a_session_is_out_only_with_the_prompt_that_went_out() -> None:
    out = requests(request(PREDICT, "a"))
    assert out.is_out(PREDICT, "Why?")
    assert not out.is_out(PREDICT, "Why not?") and not out.is_out(JUDGE, "Why?")
    assert not requests(request(PREDICT, "a"), came=["a"]).is_out(PREDICT, "Why?")
    assert not Requests().is_out(PREDICT, "Why?")


def test_rounds_are_counted_by_the_numbers_that_files_begin_with() -> None:
    files = ("2-m.jsonl", "10-m.jsonl", "9-m.jsonl", "m-11.jsonl")
    assert requests(*(request(PREDICT, name, name) for name in files)).rounds == 10
    assert requests(request(PREDICT, "a", "m.jsonl")).rounds == Requests().rounds == 0


def test_a_run_keeps_the_name_that_its_ids_began_with_and_a_new_one_gets_eight_signs() -> None:
    ours = f"sx-{RUN}-{'0' * 32}-1"
    assert requests(request(PREDICT, "another's"), request(JUDGE, ours)).name_of_run() == RUN
    for none in (f"sx-{RUN[1:]}-{'0' * 32}-1", f"sx-{RUN}-{'0' * 31}-1", ours + "x"):
        new = requests(request(PREDICT, none)).name_of_run()
        assert len(new) == 8 and new != RUN and set(new) <= set("0123456789abcdef")


def test_a_custom_id_counts_how_often_its_session_has_gone_out() -> None:
    out = requests(request(PREDICT, id_of(PREDICT, 1)), request(PREDICT, id_of(PREDICT, 2)))
    assert list(custom_ids(out, [JUDGE, PREDICT])) == [(JUDGE, id_of(JUDGE, 1)), (PREDICT, id_of(PREDICT, 3))]


def test_an_id_that_is_taken_already_is_refused_wherever_it_is_taken() -> None:
    begun = requests(request(JUDGE, id_of(JUDGE, 1)))
    with pytest.raises(InputError, match="would have the same custom id as another session"):
        list(custom_ids(begun, [PREDICT, PREDICT]))
    with pytest.raises(InputError, match="would have the same custom id as another session"):
        list(custom_ids(requests(request(JUDGE, id_of(PREDICT, 1))), [PREDICT]))


def test_requests_are_added_behind_whole_lines_and_read_with_what_came(tmp_path: Path) -> None:
    assert requests_of(tmp_path) == Requests() and out_with_batches(tmp_path, ()) == 0
    (tmp_path / "batches").mkdir()
    first, second = request(PREDICT, "a"), request(JUDGE, "b", parent="predict")
    add_requests(tmp_path, [first])
    with (tmp_path / "batches" / "requests.jsonl").open("ab") as file:
        file.write(b'{"model": "torn')
    add_requests(tmp_path, [second])
    (tmp_path / "replies.jsonl").touch()
    assert requests_of(tmp_path) == requests(first, second)
    assert [out_with_batches(tmp_path, there) for there in ((), {PREDICT}, {PREDICT, JUDGE})] == [2, 1, 0]
    came = [Reply(**JUDGE.fields(), text="A", batch="b"), Reply(**PREDICT.fields(), text="A")]
    (tmp_path / "replies.jsonl").write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in came))
    assert requests_of(tmp_path) == requests(first, second, came=["b"])
    assert out_with_batches(tmp_path, ()) == 1
