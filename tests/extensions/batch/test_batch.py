"""Batch files: what goes out, what comes back, what is out in between. Nothing is lost, nothing is asked twice."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import selfexec as sx
from batch_api import BatchApi, BatchServer, fine, prompt_of, requests_in
from extension_parts import needs
from selfexec.cli import root
from selfexec.engines import Price
from selfexec.engines.sim.server import SimServer
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.extensions.batch.exporting import written_files
from selfexec.extensions.batch.forms import FORMS
from selfexec.extensions.batch.importing import Came, ImportedBatch, journal_lines, unknown_results
from selfexec.extensions.batch.planning import of_run
from selfexec.items import load
from selfexec.run_options import RunOptions
from selfexec.runs import Reply
from selfexec.runs.asking import begin, grow
from selfexec.runs.asking.progress import Spent
from selfexec.runs.folder import BATCHES
from selfexec.runs.journal import read_journal
from selfexec.runs.requests import REQUESTS, ExportedRequest, Requests, requests_of
from sockets import served

MODELS = {"openai": "openai/typical", "anthropic": "anthropic/typical", "gemini": "google/typical"}
FORMS_OF_ALL = pytest.mark.parametrize("form", list(MODELS))


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)


def exported(out: Path, form: str = "openai", **chosen: Any) -> sx.Exported:
    """A small run, of which the first round is out: one request in restriction, which is three sessions at most."""
    return sx.export_batch(MODELS[form], to=form, out=out, **{"experiments": "restriction", "limit": 3, **chosen})


def worked(found: sx.Exported, api: BatchApi, at: Path, fate: Any = fine, cut: int = 0) -> list[Path]:
    """What a provider gives back of an export's files: results and errors, each in a file of its own."""
    files = []
    for n, file in enumerate(found.files):
        for kind, lines in zip(("results", "errors"), api.work(file.path, fate), strict=True):
            path = at / f"{file.path.parent.parent.name}-{file.path.stem}-{kind}-{n}.jsonl"
            path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            if lines:
                files.append(path)
    return files


def ids(files: Sequence[Path]) -> list[str]:
    return re.findall(r"sx-[0-9a-f-]+", "".join(path.read_text("utf-8") for path in files))


def to_the_end(out: Path, form: str, at: Path, fates: Sequence[Any] = (), **chosen: Any) -> tuple[sx.Run, BatchApi]:
    """Rounds, each with what befalls its requests, until nothing is left."""
    api, fates = BatchApi(form), [*fates]
    found = exported(out, form, **chosen)
    while not found.finished:
        assert found.sessions, "nothing is out, and nothing can be asked"
        back = worked(found, api, at, fates.pop(0) if fates else fine)
        sx.import_batch([*reversed(back)], out=out)
        found = sx.export_batch(to=form, out=out)
    return sx.load(out), api


def selfexec(*arguments: str) -> Any:
    return CliRunner().invoke(root, list(map(str, arguments)))


# --- what goes out ---------------------------------------------------------------------------------------------------


@FORMS_OF_ALL
def test_a_file_holds_the_bodies_that_http_would_send_and_no_key(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "sk-verysecretindeed")
    found = exported(
        tmp_path / "run", form, settings={"temperature": 0.5, "execute.temperature": 1}, system="Be brief."
    )
    [file] = found.files
    assert "verysecret" not in "".join(p.read_text("utf-8") for p in (tmp_path / "run").rglob("*") if p.is_file())
    sent = requests_in(form, file.path)
    # three requests, each a prediction and an outcome; the judge comes when the response is there
    assert (len(sent), found.sessions, found.behind) == (6, 6, 3)
    by_id = requests_of(tmp_path / "run").by_id
    for one in sent:
        request = by_id[one.id]
        temperature = 1 if request.session == "execute" else 0.5
        if form == "gemini":
            assert one.body["generationConfig"] == {"temperature": temperature}
            assert one.body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
            continue
        assert (one.body["model"], one.body["temperature"]) == ("typical", temperature)
        if form == "openai":
            assert one.body["messages"][0] == {"role": "system", "content": "Be brief."}
            assert one.body["store"] is False
        else:
            assert (one.body["system"], one.body["max_tokens"]) == ("Be brief.", 8192)


def test_ids_are_safe_and_name_the_run_the_session_and_the_request(tmp_path: Path) -> None:
    there = [ids([file.path for file in exported(tmp_path / name).files]) for name in ("a", "b")]
    again = ids([file.path for file in sx.export_batch(to="openai", out=tmp_path / "a", again=True).files])
    everything = [*there[0], *there[1], *again]
    assert len(set(everything)) == len(everything) == 18
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id) for id in everything)


def test_files_keep_to_the_limits_and_to_one_model_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = sx.export_batch(
        ["openai/a", "openai/b"], to="openai", out=tmp_path / "n", experiments="restriction", limit=3, per_file=4
    )
    # six requests of each model: four and two
    assert [(file.model, file.requests) for file in found.files] == [
        *(("openai/a", 4), ("openai/a", 2)),
        *(("openai/b", 4), ("openai/b", 2)),
    ]
    assert all({one.body["model"] for one in requests_in("openai", f.path)} == {f.model[-1]} for f in found.files)
    monkeypatch.setitem(FORMS, "anthropic", replace(FORMS["anthropic"], most_bytes=1_000))
    found = sx.export_batch("anthropic/a", to="anthropic", out=tmp_path / "b", experiments="restriction", limit=3)
    assert len(found.files) > 2
    assert all(file.path.stat().st_size == file.bytes <= 1_000 for file in found.files)
    assert sum(len(requests_in("anthropic", file.path)) for file in found.files) == 6
    monkeypatch.setitem(FORMS, "anthropic", replace(FORMS["anthropic"], most_bytes=100))
    with pytest.raises(InputError, match="its request alone is larger than Anthropic's files may be"):
        sx.export_batch("anthropic/a", to="anthropic", out=tmp_path / "c", experiments="restriction", limit=3)


def test_what_goes_into_no_file_is_refused_by_name(tmp_path: Path) -> None:
    def refused(match: str, model: str, to: str = "openai", out: str = "run", **chosen: Any) -> None:
        with pytest.raises(InputError, match=match):
            sx.export_batch(model, to=to, out=tmp_path / out, limit=2, **chosen)
        assert not (tmp_path / out / BATCHES / REQUESTS).exists()

    refused("in the wire format 'anthropic'.*--to batch-anthropic", "anthropic/m")
    refused("sim has no batch files", "sim/typical")
    refused("unknown provider 'nobody'", "nobody/m")
    refused("there are openai, anthropic, gemini", "openai/m", to="groq")
    for secret in ({"api_key": "sk-1234567890abcdef"}, {"note": "Bearer x"}, {"foo": [{"x": "v07C19F4E02BD7713Ax55"}]}):
        match, out = "is a key, or looks like one, and would stand in every line", next(iter(secret))
        refused(match, "openai/m", out=out, extra_body=secret)
        assert not any("1234567890" in path.read_text() for path in (tmp_path / out).rglob("*") if path.is_file())
    refused("per_file 0", "openai/m", per_file=0)
    exported(tmp_path / "there")
    with pytest.raises(InputError, match=r"models openai/other: \S+ has openai/typical\. To have it grow"):
        sx.export_batch("openai/other", to="openai", out=tmp_path / "there")


# --- what comes back -------------------------------------------------------------------------------------------------


@FORMS_OF_ALL
def test_rounds_lead_to_a_run_like_any_and_each_session_is_asked_once(form: str, tmp_path: Path) -> None:
    run, api = to_the_end(tmp_path / "run", form, tmp_path)
    alone = sx.run("sim/typical", experiments="restriction", limit=3, out=tmp_path / "sim")
    assert len(api.asked) == len(set(api.asked)) == len(run.replies) == len(alone.replies)
    told = {key[1:]: (reply.text, reply.output_tokens) for key, reply in run.replies.items()}
    assert told == {key[1:]: (reply.text, reply.output_tokens) for key, reply in alone.replies.items()}
    assert run.observations.drop("model").equals(alone.observations.drop("model"))


@FORMS_OF_ALL
def test_a_result_counts_as_its_reply_over_http_would(form: str, tmp_path: Path) -> None:
    befall = ["refusal", "policy", "truncated", "failed", "cancelled", "expired"]
    found = exported(tmp_path / "run", form)
    back = worked(found, BatchApi(form), tmp_path, lambda n: befall[n])
    run = sx.import_batch(back, out=tmp_path / "run")
    order = [request.key for request in requests_of(tmp_path / "run").by_id.values()]
    replies = [run.replies.get(key) for key in order]
    said = [None if r is None else (r.withheld_by, r.stop_reason, r.error) for r in replies]
    by_provider = ("provider", "content_filter", None)
    first = {"openai": ("model", "stop", None), "anthropic": ("model", "refusal", None), "gemini": by_provider}[form]
    failed = {"gemini": "status 500: Internal error", "anthropic": "status 500: Internal server error"}
    assert said == [
        first,
        by_provider,
        (None, "length", None),
        (None, None, failed.get(form, "status 500: The server had an error.")),
        (None, None, "cancelled in the batch"),
        (None, None, "expired in the batch"),
    ]


def test_the_responses_api_goes_into_the_same_files_in_every_round(tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = exported(out, wire="responses")
    lines = [json.loads(line) for line in found.files[0].path.read_text("utf-8").splitlines()]
    assert {(line["url"], line["body"]["store"]) for line in lines} == {("/v1/responses", False)}
    said = [{"type": "message", "content": [{"type": "output_text", "text": "Here it is."}]}]
    usage = {"input_tokens": 7, "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 4}}
    body = {"id": "resp_1", "status": "completed", "output": said, "usage": usage}
    results = [{"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}} for line in lines]
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, results)))
    run = sx.import_batch(tmp_path / "results.jsonl", out=out)
    assert {(r.text, r.output_tokens, r.reasoning_tokens) for r in run.replies.values()} == {("Here it is.", 9, 4)}
    judges = sx.export_batch(to="openai", out=out).files[0].path.read_text("utf-8").splitlines()
    assert {json.loads(line)["url"] for line in judges} == {"/v1/responses"}


def test_what_expired_failed_or_was_cancelled_is_asked_again_and_nothing_else(tmp_path: Path) -> None:
    befall = {0: "expired", 2: "failed", 5: "cancelled"}
    run, api = to_the_end(tmp_path / "run", "openai", tmp_path, [befall.get, {1: "expired"}.get])
    whole, _ = to_the_end(tmp_path / "whole", "openai", tmp_path)
    assert run.observations.equals(whole.observations)
    # every session was answered once, and of the first round three requests, of the second one, were not
    assert len(api.asked) == len(set(api.asked)) == len(run.replies)
    times = Counter(id.rpartition("-")[2] for id in requests_of(tmp_path / "run").by_id)
    assert (times["2"], times["3"]) == (3, 1) or (times["2"], times["3"]) == (4, 0)


def test_a_file_may_come_twice_late_and_in_parts(tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = exported(out)
    [results] = worked(found, BatchApi("openai"), tmp_path)
    lines = results.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "some.jsonl").write_text("".join(lines[:2]))
    (tmp_path / "cut.jsonl").write_text("".join(lines[1:4]) + lines[4][:50])
    sx.import_batch(tmp_path / "some.jsonl", out=out)
    with pytest.warns(UserWarning, match=r"cut\.jsonl:4: the last line is cut off, and passed over"):
        sx.import_batch(tmp_path / "cut.jsonl", out=out)
    assert len(requests_of(out).out) == 2
    # a second round of judges goes out meanwhile, and the first comes whole, twice
    sx.export_batch(to="openai", out=out)
    sx.import_batch([results, results], out=out)
    assert {request.file[0] for request in requests_of(out).out.values()} <= {"2"}
    written = (out / "replies.jsonl").read_bytes()
    sx.import_batch(results, out=out)
    assert (out / "replies.jsonl").read_bytes() == written


def test_two_results_of_one_request_are_refused_by_name_but_where_one_of_them_failed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    found, api = exported(out), BatchApi("openai")
    [errors] = worked(found, api, tmp_path / made("first", tmp_path), lambda number: "expired")
    sx.import_batch(errors, out=out)
    # the very same file was handed in once more
    [results] = worked(found, api, tmp_path / made("second", tmp_path))
    run = sx.import_batch([results, errors], out=out)
    assert not any(reply.failed for reply in run.replies.values())
    other = tmp_path / "other.jsonl"
    other.write_text(results.read_text("utf-8").replace("prompt_tokens", "prompt_tokens_", 1))
    before = (out / "replies.jsonl").read_bytes()
    with pytest.raises(
        InputError, match=r"other\.jsonl:1: the result of sx-\S+ \(openai/typical, .*\) is another than the one that"
    ):
        sx.import_batch(other, out=out)
    assert (out / "replies.jsonl").read_bytes() == before


def made(name: str, at: Path) -> str:
    (at / name).mkdir()
    return name


def test_files_that_are_wrong_change_nothing_and_are_named(tmp_path: Path) -> None:
    runs = {name: exported(tmp_path / name, form) for name, form in (("a", "openai"), ("b", "openai"), ("c", "gemini"))}
    back = {
        name: worked(found, BatchApi(form), tmp_path)[0]
        for (name, found), form in zip(runs.items(), ("openai", "openai", "gemini"), strict=True)
    }
    before = (tmp_path / "a" / "replies.jsonl").read_bytes()

    def refused(match: str, *files: Path) -> None:
        with pytest.raises(InputError, match=match):
            sx.import_batch(files, out=tmp_path / "a")
        assert (tmp_path / "a" / "replies.jsonl").read_bytes() == before

    refused(
        r"b-1-.*: 6 results of requests that .* never exported \(sx-.*\)\. It is of another run\. Nothing", back["b"]
    )
    refused(r"never exported", back["a"], back["b"])
    refused(r"never exported", back["c"])
    refused(r":1: this is a request, no result: it stands in the file that was exported", runs["a"].files[0].path)
    nothing, broken, status = tmp_path / "nothing.jsonl", tmp_path / "broken.jsonl", tmp_path / "status.json"
    nothing.write_bytes(b"")
    refused(r"nothing\.jsonl: there are no results", nothing)
    broken.write_text('{"custom_id": "sx-1", "resp\n' + back["a"].read_text("utf-8"))
    refused(r"broken\.jsonl:1: this is not JSON, or cut off", broken)
    status.write_text('{"object": "batch", "id": "batch_1", "status": "in_progress"}')
    refused(r"status\.json:1: this is how the batch stands, no result", status)
    swapped = tmp_path / "swapped.jsonl"
    lines = [json.loads(line) for line in back["c"].read_text("utf-8").splitlines()]
    id = next(iter(requests_of(tmp_path / "a").by_id))
    swapped.write_text(json.dumps(lines[0] | {"key": id}))
    refused(rf"{id} comes in Gemini's form and was exported in OpenAI's", swapped)
    sx.run("sim/coin", experiments="restriction", limit=1, out=tmp_path / "sim")
    with pytest.raises(InputError, match="this run has no batch out"):
        sx.import_batch(back["a"], out=tmp_path / "sim")
    # some of another run beside those of this one are named, and these are taken
    both = tmp_path / "both.jsonl"
    both.write_text(back["a"].read_text("utf-8") + back["b"].read_text("utf-8"))
    with pytest.warns(UserWarning, match=r"6 results of requests .* The others are taken\."):
        assert len(sx.import_batch(both, out=tmp_path / "a").replies) == 6
    with pytest.warns(UserWarning, match=r"nothing\.jsonl: nothing is in this file. Has the batch ended\?"):
        sx.import_batch([back["a"], nothing], out=tmp_path / "a")


def test_nothing_that_is_out_is_exported_again_unless_told(tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = exported(out)
    second = sx.export_batch(to="openai", out=out)
    assert (second.files, second.sessions, second.out, second.finished) == ([], 0, 6, False)
    third = sx.export_batch(to="openai", out=out, again=True)
    assert third.sessions == 6
    # both come: the first to be read stays, whichever it is, and the other is kept before it
    api = BatchApi("openai")
    later, sooner = worked(third, api, tmp_path)[0], worked(first, api, tmp_path)[0]
    sx.import_batch(later, out=out)
    run = sx.import_batch(sooner, out=out)
    assert all(reply.batch and reply.batch.endswith("-2") for reply in run.replies.values())
    assert not requests_of(out).out
    assert len(requests_of(out).came) == 12


@pytest.mark.parametrize("in_order", [True, False])
def test_what_a_judge_said_of_another_response_gives_way(in_order: bool, tmp_path: Path) -> None:
    out, api = tmp_path / "run", BatchApi("openai")
    sx.import_batch(worked(exported(out), api, tmp_path), out=out)
    [first] = worked(sx.export_batch(to="openai", out=out), api, tmp_path)  # the judges
    # one response is asked for anew, as by another command
    known = read_journal(out / "replies.jsonl")
    key, before = next((key, reply) for key, reply in known.items() if key.session == "execute")
    with (out / "replies.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(msgspec.structs.replace(before, text="Otherwise.", batch=None)) + b"\n")
    second = sx.export_batch(to="openai", out=out)
    assert second.sessions == 1
    [newer] = worked(second, api, tmp_path)
    for results in (first, newer) if in_order else (newer, first):
        sx.import_batch(results, out=out)
    judged = sx.load(out).replies[key._replace(session="judge")]
    assert judged.batch
    assert judged.batch.endswith("-2")
    assert sx.export_batch(to="openai", out=out).finished


def test_what_comes_late_stands_before_the_reply_that_counts_and_what_failed_gives_way() -> None:
    key = Key("m", "restriction", "1", 1, "judge")
    sent = {"prompt_sha256": "now", "time": "t", "form": "openai", "wire": "openai", "url": "u", "file": "1"}
    first, second = (ExportedRequest(**key.fields(), custom_id=id, **sent) for id in "ab")  # type: ignore[arg-type]
    out = Requests({"a": first, "b": second})

    def reply(text: str | None, prompt: str = "now") -> Reply:
        return Reply(**key.fields(), text=text, error=None if text else "lost", prompt_sha256=prompt)

    def kept(before: Reply | None, *came: tuple[ExportedRequest, Reply]) -> tuple[list[str | None], int]:
        found = ImportedBatch()
        new = [Came("here", request, one) for request, one in came]
        return [one.text for one in journal_lines(new, [before] if before else [], out, found)], found.late

    assert kept(None, (first, reply("new"))) == (["new"], 0)
    assert kept(reply(None), (first, reply("new"))) == (["new"], 0)
    assert kept(reply("old"), (first, reply("new"))) == (["new", "old"], 1)
    assert kept(reply("old"), (first, reply(None))) == ([None, "old"], 0)
    # to another prompt than that of the last request: it gives way to the result of that, not of one before it
    assert kept(reply("old", "then"), (second, reply("new"))) == (["new"], 0)
    assert kept(reply("old", "then"), (first, reply("new"))) == (["new", "old"], 1)
    assert kept(reply("old", "then"), (second, reply(None))) == ([None, "old"], 0)
    # in the order of their requests, whatever that of their files
    assert kept(None, (second, reply("two")), (first, reply("one"))) == (["one", "two", "one"], 1)


def test_results_of_strangers_are_counted_and_three_are_named(tmp_path: Path) -> None:
    ours, theirs = (f"sx-{run}-{'0' * 32}-" for run in ("0123abcd", "fedcba98"))
    key = Key("m", "restriction", "1", 1, "judge")
    sent = {"prompt_sha256": "now", "time": "t", "form": "openai", "wire": "openai", "url": "u", "file": "1"}
    out = Requests({f"{ours}1": ExportedRequest(**key.fields(), custom_id=f"{ours}1", **sent)})  # type: ignore[arg-type]
    told = f"of requests that {tmp_path} never exported"
    perhaps = "Is it of another run, or another batch?"
    assert unknown_results(["x"], out, tmp_path) == f"1 result {told} (x). {perhaps}"
    assert unknown_results(["x", "y", "z"], out, tmp_path) == f"3 results {told} (x, y, z). {perhaps}"
    assert unknown_results(list("wxyz"), out, tmp_path) == f"4 results {told} (w, x, y and others). {perhaps}"
    assert unknown_results([f"{theirs}1"], out, tmp_path).endswith("It is of another run.")
    assert unknown_results([f"{theirs}1", f"{ours}9"], out, tmp_path).endswith(perhaps)


def test_an_export_is_finished_where_nothing_is_left_to_ask_out_or_behind(tmp_path: Path) -> None:
    assert sx.Exported(tmp_path, [], 0, 0, 0).finished
    assert not any(sx.Exported(tmp_path, [], *counts).finished for counts in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def test_requests_fill_files_up_to_the_number_and_the_bytes_that_these_may_hold(tmp_path: Path) -> None:
    def files(sizes: Sequence[int], per_file: int | None = None, **limits: Any) -> list[tuple[str, int, int]]:
        form = replace(FORMS["anthropic"], head=b"[", between=b",,", tail=b"]", **limits)
        lines: Any = [(SimpleNamespace(key="k"), b"x" * size) for size in sizes]
        found = list(written_files(tmp_path, "s", form, per_file, lines))
        assert all(path.stat().st_size == size for path, _, size in found)
        return [(path.name, len(inside), size) for path, inside, size in found]

    # two lines of 3 bytes: one before, one after, and two between them
    assert files([3, 3], most_bytes=10) == [("s.json", 2, 10)]
    assert files([3, 3], most_bytes=9) == [("s.json", 1, 5), ("s-2.json", 1, 5)]
    assert files([3, 3, 3], most_requests=2) == [("s.json", 2, 10), ("s-2.json", 1, 5)]
    assert files([3, 3, 3], 2, most_requests=None) == [("s.json", 2, 10), ("s-2.json", 1, 5)]
    assert files([3, 3, 3], 1, most_requests=2)[2] == ("s-3.json", 1, 5)
    assert files([3, 3, 3], 3, most_requests=2) == files([3, 3, 3], most_requests=2)
    assert files([], most_requests=2) == []
    assert files([8], most_bytes=10) == [("s.json", 1, 10)]
    with pytest.raises(InputError, match="its request alone is larger than"):
        files([9], most_bytes=10)


@pytest.mark.parametrize("name", ["two-epochs", "grown"])
def test_what_an_old_run_was_asked_is_all_of_its_items_in_all_of_its_epochs(name: str) -> None:
    stored = sx.load(Path(__file__).parents[2] / "stored" / name)
    planned, design = of_run(RunOptions(out=stored.folder))
    assert design == {
        (model, e, ()): dict.fromkeys(by_id, 2)
        for model in stored.manifest.models
        for e, by_id in stored.items.items.items()
    }
    assert planned.models == stored.manifest.models and planned.epochs == 2


def test_what_a_run_was_asked_is_what_each_model_was_and_was_to_be_asked(tmp_path: Path) -> None:
    choices: dict[str, Any] = {"experiments": "restriction", "out": tmp_path / "r"}
    sx.run("sim/coin", limit=2, **choices)
    sx.run("sim/typical", limit=1, max_calls=1, **choices)
    _, design = of_run(RunOptions(out=tmp_path / "r"))
    one, two = load("starter").cut(limit=2)["restriction"]
    coin, typical = (("sim/coin", "restriction", ()), ("sim/typical", "restriction", ()))
    assert design == {coin: {one: 1, two: 1}, typical: {one: 1}}


def test_a_filter_alone_is_held_back_and_still_out(tmp_path: Path) -> None:
    out = tmp_path / "run"
    [errors] = worked(exported(out), BatchApi("openai"), tmp_path, lambda number: "policy")
    with pytest.warns(UserWarning, match="6 results look like a content filter, and the model itself has said nothing"):
        run = sx.import_batch(errors, out=out)
    assert (len(run.replies), len(requests_of(out).out)) == (0, 6)
    run = sx.import_batch(errors, out=out, accept_filters=True)
    assert {reply.withheld_by for reply in run.replies.values()} == {"provider"}


def test_a_damaged_tail_of_the_journal_or_of_the_list_of_requests_is_repaired(tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = exported(out)
    with (out / BATCHES / REQUESTS).open("ab") as file:
        file.write(b'{"model": "openai/ty')
    [results] = worked(found, BatchApi("openai"), tmp_path)
    sx.import_batch(results, out=out)
    content = (out / "replies.jsonl").read_bytes()
    (out / "replies.jsonl").write_bytes(content[:-30])
    assert len(requests_of(out).out) == 1  # the one that was cut off
    assert len(sx.import_batch(results, out=out).replies) == 6
    sx.export_batch(to="openai", out=out)
    assert all(json.loads(line) for line in (out / BATCHES / REQUESTS).read_text("utf-8").splitlines())


# --- the run in between ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_says_what_is_out_and_asks_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with served(SimServer(load("starter")).app()) as url:
        half = ("--model", "openai/typical", "--base-url", url, "-o", out, "--experiment", "restriction")
        exported(out, base_url=url)  # three requests
        found = selfexec("run", *half, "--limit", "5")
        assert found.exit_code == 3
        assert "0 of 15 sessions are here, 6 are out in a batch; 3 wait for these; 6 remain." in found.output
        assert "9 replies are missing. What is out in a batch comes by `selfexec import --from batch" in found.output
        known = read_journal(out / "replies.jsonl")
        assert {key.item for key in known}.isdisjoint(key.item for key in requests_of(out).out)
        assert len(known) == 6
        nothing = selfexec("run", *half, "--limit", "5")
        assert "nothing remains to be asked" in nothing.output
        assert read_journal(out / "replies.jsonl") == known
        [results] = worked(
            sx.export_batch(to="openai", out=out, again=True, base_url=url), BatchApi("openai"), tmp_path
        )
        sx.import_batch(results, out=out)
        done = selfexec("run", *half, "--limit", "5")  # the judges of what came back
        assert done.exit_code == 0, done.output
        assert len(read_journal(out / "replies.jsonl")) == 15
        straight = sx.run("openai/typical", base_url=url, experiments="restriction", limit=5, out=tmp_path / "straight")
    assert sx.load(out).observations.sort("item").equals(straight.observations.sort("item"))


def test_a_failed_reply_whose_repeat_is_out_in_a_batch_is_missing_and_not_kept(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with served(SimServer(load("starter")).app()) as url:
        half = ("--model", "openai/typical", "--base-url", url, "-o", out, "--experiment", "restriction")
        exported(out, base_url=url)
        waiting = [key for key in requests_of(out).out if key.session == "execute"]
        failed = [
            Reply(**key._asdict() | {"facets": dict(key.facets)}, text=None, error="status 500") for key in waiting
        ]
        with (out / "replies.jsonl").open("ab") as file:
            file.writelines(reply.line.rstrip() + b"\n" for reply in failed)
        found = selfexec("run", *half, "--limit", "5")
        assert len(failed) == 3 and "6 are out in a batch" in found.output
        assert "6 replies kept, 9 missing" in found.output


def test_a_run_asks_what_is_out_when_told(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with served(SimServer(load("starter")).app()) as url:
        exported(out, base_url=url)
        asked = sx.run("openai/typical", base_url=url, experiments="restriction", limit=3, out=out, again=True)
    assert len(asked.replies) == 9
    assert sx.export_batch(to="openai", out=out).finished


def test_a_run_in_several_conditions_goes_out_whole(tmp_path: Path) -> None:
    chosen = {"facets": {"frame": ["self", "another-model"]}, "epochs": 2}
    run, api = to_the_end(tmp_path / "run", "openai", tmp_path, **chosen)
    alone = sx.run("sim/typical", experiments="restriction", limit=3, out=tmp_path / "sim", **chosen)
    assert {key[1:] for key in run.replies} == {key[1:] for key in alone.replies}
    assert len(api.asked) == len(run.replies)
    assert run.conditions == alone.conditions
    assert not run.unasked


def test_prices_are_halved_and_told(tmp_path: Path) -> None:
    common = ("--model", "openai/typical", "--experiment", "restriction", "--limit", "3", "--price", "2,8")
    whole = selfexec("run", *common, "-o", tmp_path / "run", "--dry-run").output
    half = selfexec("export", *common, "-o", tmp_path / "run", "--to", "batch-openai", "--dry-run").output
    assert "$2 for a million tokens in and $8 for a million out (the price given)" in whole
    assert "$1 for a million tokens in and $4 for a million out (half of the price given, as batch files cost)" in half
    low, high = (float(re.findall(r"Cost: \$([\d.]+)", text)[0]) for text in (half, whole))
    assert low == pytest.approx(high / 2, rel=0.05)  # printed to two figures
    assert not (tmp_path / "run").exists()


def test_what_came_in_a_batch_counts_half_against_a_cap_on_cost(tmp_path: Path) -> None:
    spent = Spent({"m": Price(1.0, 10.0, "given")})
    spoken = Reply(model="m", experiment="e", item="i", session="s", text="x", input_tokens=10**6, output_tokens=10**6)
    spent.count(spoken)
    assert spent.dollars == 11
    spent.count(msgspec.structs.replace(spoken, batch="sx-1"))
    assert spent.dollars == 16.5


def test_the_command_line_says_what_to_do_next(tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = ("--model", "openai/typical", "--experiment", "restriction", "--limit", "3")
    assert "give the run's folder" in str(selfexec("export", *options, "--to", "batch-openai").exception)
    found = selfexec("export", *options, "--to", "batch-openai", "-o", out)
    assert found.output.splitlines()[1:] == [
        f"{out}: 6 sessions exported; at most 3 follow when these are answered.",
        f"Next: hand the files in (docs/batch.md), then selfexec import --from batch RESULTS -o {out}",
        f"and then the next round: selfexec export {out} --to batch-openai",
    ]
    api = BatchApi("openai")
    for number in (1, 2):
        path = out / BATCHES / f"{number}-openai-typical.jsonl"
        results = tmp_path / f"{number}.jsonl"
        results.write_text("\n".join(api.work(path)[0]))
        found = selfexec("import", results, "--from", "batch", "-o", out)
        assert found.exit_code == 0, found.output
        assert (
            f"{out}: {len(api.asked) if number == 1 else len(api.asked) - 6} results (0 to be asked again)."
            in found.output
        )
        found = selfexec("export", out, "--to", "batch-openai")
    assert f"{out}: nothing is left to ask. Next: selfexec score {out}" in found.output
    assert "--limit: " in selfexec("export", out, "--to", "batch-openai", "--limit", "2").exception.typed
    assert "--set: this option is for batch files" in selfexec("export", out, "--set", "temperature=0").exception.typed
    assert "--items" in selfexec("import", results, "--from", "batch", "--items", "starter", "-o", out).exception.typed


@pytest.mark.slow
@FORMS_OF_ALL
def test_a_quick_run_in_batches_is_the_run_over_http(form: str, tmp_path: Path) -> None:
    model, wire = MODELS[form], form
    with served(SimServer(load("starter")).app()) as url:
        base = url if form != "gemini" else url.removesuffix("/v1") + "/v1beta"
        straight = sx.run(model, base_url=base, wire=wire, preset="quick", out=tmp_path / "http")
    befall = dict(enumerate(["expired", "failed", "cancelled"] * 30))
    run, api = to_the_end(
        *(tmp_path / "run", form, tmp_path, [befall.get, {0: "expired"}.get]),
        experiments=None, limit=None, preset="quick",
    )  # fmt: skip
    assert run.observations.equals(straight.observations)
    assert len(api.asked) == len(set(api.asked)) == len(run.replies) == len(straight.replies)
    assert list(sx.score(run)) == list(sx.score(straight))
    sx.report(run, tmp_path / "report.html")


@pytest.mark.slow
def test_a_run_in_batches_grows_as_any_does(tmp_path: Path) -> None:
    out = tmp_path / "run"
    to_the_end(out, "openai", tmp_path)
    grown, _ = to_the_end(out, "openai", tmp_path, limit=6)
    whole, _ = to_the_end(tmp_path / "whole", "openai", tmp_path, limit=6)
    assert grown.observations.sort("item").equals(whole.observations.sort("item"))


def test_the_run_that_calls_were_capped_in_is_finished_in_batches(tmp_path: Path) -> None:
    out = tmp_path / "run"
    capped = exported(out, max_calls=4)
    assert (capped.sessions, capped.capped) == (4, True)
    rest = sx.export_batch(to="openai", out=out)
    assert rest.sessions == 2
    assert {Key(*key[:4], "x").item for key in requests_of(out).out} == set(sx.load(out).items["restriction"])
    assert prompt_of("openai", requests_in("openai", rest.files[0].path)[0].body)


@pytest.mark.slow
def test_the_commands_of_the_page_do_whole_runs_on_a_server(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "batch.md").read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 5
    names = {"openai-gpt-6-luna": "openai-typical", "openai/gpt-6-luna": "openai/typical"}
    names |= {"claude-sonnet-5-5": "typical", "gemini-3.8-flash": "typical", "--preset quick": "--limit 4"}
    begin = f'set -eu\nselfexec() {{ {sys.executable} -m selfexec "$@"; }}\n'
    keys = {f"{name}_API_KEY": "none" for name in ("OPENAI", "ANTHROPIC", "GEMINI")}
    server = BatchServer(tmp_path)
    with served(server.app()) as url:
        for host in ("api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"):
            names[f"https://{host}"] = url.removesuffix("/v1")

        def typed(script: str) -> str:
            for name, stands_for in names.items():
                script = script.replace(name, stands_for)
            shell = ["bash", "-c", begin + script]
            return subprocess.run(
                shell, cwd=tmp_path, env={**os.environ, **keys}, check=True, text=True, stdout=-1
            ).stdout

        first, openai, anthropic, gemini, following = blocks
        scripts = {"openai": first + openai, "anthropic": anthropic, "gemini": gemini}
        for (form, own), run in zip(scripts.items(), ("luna", "sonnet", "flash"), strict=True):
            typed(own)
            number = 2
            while "nothing is left to ask" not in typed(
                following.replace("luna", run).replace("batch-openai", f"batch-{form}")
            ):
                again = re.sub(r"selfexec export .*\n", "", own).replace("/batches/1-", f"/batches/{number}-")
                typed(again)
                number += 1
            api = server.apis[form]
            replies = sx.load(tmp_path / "runs" / run).replies
            assert len(api.asked) == len(set(api.asked)) == len(replies)
            assert not any(reply.failed for reply in replies.values())


# --- what is out, told -----------------------------------------------------------------------------------------------


def test_list_and_score_say_how_many_sessions_are_out(tmp_path: Path) -> None:
    out, api = tmp_path / "runs" / "run", BatchApi("openai")
    found = exported(out)
    # predictions and responses of three requests; the judgements follow
    row = json.loads(selfexec("list", tmp_path / "runs", "--format", "json").output)["runs"][0]
    assert (row["missing"], row["out"]) == (9, 6)
    assert "6 out" in selfexec("list", tmp_path / "runs").output
    [results] = worked(found, api, tmp_path)
    lines = results.read_text().splitlines()
    results.write_text("\n".join(lines[:4]) + "\n")
    sx.import_batch(results, out=out)
    scores = sx.score(out)
    assert [run.out for run in scores.runs] == [2]
    assert f"{out}: 2 sessions are out with a batch, and missing here until" in " ".join(str(scores).split())
    results.write_text("\n".join(lines[4:]) + "\n")
    sx.import_batch(results, out=out)
    assert "out with a batch" not in str(sx.score(out))
    assert json.loads(selfexec("list", tmp_path / "runs", "--format", "json").output)["runs"][0]["out"] == 0


# --- studies ---------------------------------------------------------------------------------------------------------

STUDY = """
experiments = "restriction"
limit = 3
out = "run"

[[models]]
model = "openai/typical"
name = "warm"
api_key_env = "NO_SUCH_KEY"
headers = { X-Secret = "$NO_SUCH_VARIABLE" }
settings = { temperature = 1 }

[[models]]
model = "openai/typical"
name = "cold"
base_url = "http://127.0.0.1:1/v1"
settings = { temperature = 0 }

[[models]]
model = "anthropic/typical"
"""


def of_study(folder: Path) -> Path:
    """The folder of a run that a study file describes, of which nothing was asked yet."""
    path = folder / "study.toml"
    path.write_text(STUDY.replace("headers =", "# headers ="), "utf-8")
    plan = sx.load_study(path).plan()
    begin(plan)
    grow(plan)
    path.unlink()
    (folder / "run" / "study.toml").write_text(STUDY, "utf-8")  # as the run keeps it
    return folder / "run"


@needs("study")
def test_a_study_s_run_is_exported_as_its_file_says_that_each_model_is_asked(tmp_path: Path) -> None:
    out = of_study(tmp_path)
    found = sx.export_batch(["warm", "cold"], to="openai", out=out)
    assert [(file.model, file.requests) for file in found.files] == [("warm", 6), ("cold", 6)]
    # the variable of the header is not there: files do without what it holds
    for file, temperature in zip(found.files, (1, 0), strict=True):
        bodies = [json.loads(line)["body"] for line in file.path.read_text().splitlines()]
        assert {(body["model"], body["temperature"]) for body in bodies} == {("typical", temperature)}
    assert {request.url for request in requests_of(out).by_id.values() if request.model == "cold"} == {
        "http://127.0.0.1:1/v1"
    }
    [of_another] = sx.export_batch("anthropic/typical", to="anthropic", out=out).files
    assert of_another.requests == 6
    api = BatchApi("openai")
    sx.import_batch(worked(found, api, tmp_path), out=out)
    run = sx.load(out)
    assert {key.model for key in run.replies} == {"warm", "cold"} and len(run.replies) == 12


@needs("study")
def test_models_of_a_study_that_do_not_go_into_these_files_are_refused_by_name(tmp_path: Path) -> None:
    out = of_study(tmp_path)
    with pytest.raises(InputError, match="model 'anthropic/typical': it is asked in the wire format 'anthropic'"):
        sx.export_batch(to="openai", out=out)
    with pytest.raises(InputError, match=r"base_url: .*study.toml says how each model is reached. Leave it out"):
        sx.export_batch(["warm"], to="openai", out=out, base_url="http://127.0.0.1:2")
    assert not (out / BATCHES).exists()
