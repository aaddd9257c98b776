"""Logs of Inspect as runs, and runs as logs, with the real package: nothing is lost on the way, and what is no log of
our tasks, is cut off or damaged is refused by name.
"""

import json
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from click.testing import CliRunner

import selfexec as sx
from build import part_of
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.extensions.inspect.exporting import log_of, parts_of, theirs, write_logs
from selfexec.extensions.inspect.importing import import_task_logs, run_of_logs
from selfexec.runs import Journal

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
pytestmark = pytest.mark.slow
THREE = ["association", "restriction", "difficulty"]


def evaluated(tmp_path: Path, tasks: list[str] = THREE, model: str = "selfexec/sim/breaks-format", **more: Any) -> Path:
    """A folder with the log of each task."""
    where = tmp_path / f"logs-{len(list(tmp_path.iterdir()))}"
    inspect_ai.eval([f"selfexec/{task}" for task in tasks], model=model, log_dir=str(where), display="none", **more)
    return where


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three experiments, two epochs. Nothing is to be written to it."""
    return evaluated(tmp_path_factory.mktemp("logs"), task_args={"limit": 12, "epochs": 2})


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> sx.Run:
    """The same, asked by ourselves."""
    out = tmp_path_factory.mktemp("ours") / "r"
    return sx.run("sim/breaks-format", experiments=THREE, limit=12, epochs=2, out=out)


def ordered(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort("model", "experiment", "item", "epoch", *(c for c in ("claim", "session") if c in frame.columns))


def changed(log: Path, to: Path, change: Any) -> Path:
    """A log with its header and each of its samples changed by hand."""
    with zipfile.ZipFile(log) as before, zipfile.ZipFile(to, "w") as after:
        for name in before.namelist():
            value = json.loads(_unpacked(log, name))
            change(name, value)
            after.writestr(name, json.dumps(value))
    return to


def _unpacked(log: Path, name: str) -> bytes:
    """Inspect packs by a method that the standard library does not know before 3.14."""
    import zipfile_zstd

    with zipfile_zstd.ZipFile(log) as packed:
        return bytes(packed.read(name))


# --- parity ----------------------------------------------------------------------------------------------------------


def test_an_evaluation_and_a_run_come_to_the_same_claims_sessions_and_scores(
    logs: Path, ours: sx.Run, tmp_path: Path
) -> None:
    theirs = import_task_logs(logs, out=tmp_path / "r")
    assert ordered(theirs.observations).equals(ordered(ours.observations))
    assert ordered(theirs.sessions).equals(ordered(ours.sessions))
    told = {(row.experiment, row.metric): (row.value, row.low, row.high, row.reason) for row in sx.score(theirs)}
    assert told == {(row.experiment, row.metric): (row.value, row.low, row.high, row.reason) for row in sx.score(ours)}
    assert {key: reply.text for key, reply in theirs.replies.items()} == {k: r.text for k, r in ours.replies.items()}
    assert theirs.simulated == ours.simulated == {"sim/breaks-format"}
    assert theirs.manifest.items == ours.manifest.items and theirs.manifest.prompts == ours.manifest.prompts
    assert theirs.prompts == ours.prompts and theirs.asked == ours.asked


def test_what_inspect_was_told_to_send_is_a_setting_of_the_run(tmp_path: Path) -> None:
    where = evaluated(tmp_path, ["restriction"], temperature=0.5, system_message="Be brief.", task_args={"limit": 2})
    run = import_task_logs(where, out=tmp_path / "r")
    assert run.manifest.settings == {"temperature": 0.5, "system": "Be brief."}
    [invocation] = run.manifest.invocations
    assert invocation.calls == len(run.replies) and invocation.versions["inspect_ai"] == inspect_ai.__version__
    other = evaluated(tmp_path, ["restriction"], model="selfexec/sim/coin", task_args={"limit": 2})
    with pytest.raises(InputError, match=r"asked with other settings than in .*\(restriction.system, restriction.temp"):
        run_of_logs([where, other], tmp_path / "two")
    third = evaluated(tmp_path, ["association"], task_args={"limit": 2})
    both = import_task_logs([where, third], out=tmp_path / "both")
    assert both.manifest.settings == {"restriction.temperature": 0.5, "restriction.system": "Be brief."}


def test_logs_of_several_models_are_one_run(logs: Path, tmp_path: Path) -> None:
    more = evaluated(tmp_path, ["difficulty"], model="selfexec/sim/coin", task_args={"limit": 5})
    run = import_task_logs([logs, more], out=tmp_path / "r")
    assert run.models == ("sim/breaks-format", "sim/coin")
    asked = {(model, experiment): len(by_id) for (model, experiment, _), by_id in run.asked.items()}
    assert asked["sim/coin", "difficulty"] == 5 and asked["sim/breaks-format", "difficulty"] == 12
    assert ("sim/coin", "association") not in asked and not run.unasked


def test_a_preset_keeps_its_name_where_all_of_it_is_there(tmp_path: Path) -> None:
    whole = evaluated(tmp_path, ["difficulty"], task_args={"preset": "quick"})
    assert import_task_logs(whole, out=tmp_path / "whole").manifest.preset == "quick"
    part = evaluated(tmp_path, ["difficulty"], task_args={"preset": "quick"}, limit=3)
    assert import_task_logs(part, out=tmp_path / "part").manifest.preset is None


# --- there and back --------------------------------------------------------------------------------------------------


def test_a_run_that_becomes_logs_and_a_run_again_has_lost_nothing(ours: sx.Run, tmp_path: Path) -> None:
    files = write_logs(parts_of(ours), tmp_path / "logs")
    assert len(files) == 3
    again = import_task_logs(tmp_path / "logs", out=tmp_path / "r")
    assert dict(again.replies) == dict(ours.replies)
    assert again.items.lines == ours.items.lines and again.prompts == ours.prompts
    assert again.manifest.invocations == ours.manifest.invocations and again.asked == ours.asked
    assert ordered(again.observations).equals(ordered(ours.observations))


def test_a_log_that_becomes_a_run_and_a_log_again_has_the_same_scores(logs: Path, tmp_path: Path) -> None:
    run = import_task_logs(logs, out=tmp_path / "r")
    files = {part.experiment.name: log_of(part) for part in parts_of(run)}
    for path in logs.glob("*.eval"):
        before = inspect_ai.log.read_eval_log(str(path))
        after = files[before.eval.task_display_name]
        assert after.eval.task == before.eval.task and after.eval.model == before.eval.model
        [one], [two] = before.results.scores, after.results.scores
        assert {n: m.value for n, m in one.metrics.items()} == {n: m.value for n, m in two.metrics.items()}
        scores = {(s.id, s.epoch): s.scores["claims"].model_dump() for s in before.samples}
        assert json.dumps({str(k): v for k, v in sorted(scores.items())}) == json.dumps(
            {str((s.id, s.epoch)): s.scores["claims"].model_dump() for s in sorted(after.samples, key=_place)}
        )


def _place(sample: Any) -> tuple[str, int]:
    return str(sample.id), sample.epoch


def test_an_exported_log_shows_each_session_and_is_scored_again_by_inspect(ours: sx.Run, tmp_path: Path) -> None:
    [file] = write_logs(parts_of(ours, experiments=["restriction"]), tmp_path / "one.eval")
    log = inspect_ai.log.read_eval_log(str(file), resolve_attachments=True)
    assert log.status == "success" and log.eval.model == "selfexec/sim/breaks-format"
    sample = log.samples[0]
    begun = [event.name for event in sample.events if event.event == "span_begin"]
    assert begun == [line["session"] for line in sample.store["selfexec:replies"]]
    asked = next(event for event in sample.events if event.event == "model")
    assert asked.input[0].content.startswith("If you receive the following request")
    command = [sys.executable, "-m", "inspect_ai", "score", str(file), "--scorer", "selfexec/claims"]
    command += ["--action", "overwrite", "--output-file", str(tmp_path / "again.eval")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    again = inspect_ai.log.read_eval_log(str(tmp_path / "again.eval"))
    assert {n: m.value for n, m in again.results.scores[0].metrics.items()} == {
        n: m.value for n, m in log.results.scores[0].metrics.items()
    }


def test_conditions_refusals_thoughts_failures_and_judgements_come_back_too(tmp_path: Path) -> None:
    out = tmp_path / "r"
    sx.run("sim/typical", experiments="restriction", limit=3, facets={"frame": ["self", "person"]}, out=out)
    run = sx.load(out)
    key, *more = list(run.replies)
    odd = {"refusal": "No.", "text": "", "reasoning": "Hm.", "stop_reason": "stop", "retry_causes": ("rate limit",)}
    with Journal(out / "replies.jsonl") as journal:
        journal.append(msgspec.structs.replace(run.replies[key], **odd))
        journal.append(msgspec.structs.replace(run.replies[more[0]], text=None, error="status 500"))
    answered = next(k for k, reply in run.replies.items() if k.session == "execute" and k not in (key, more[0]))
    judgement = answered.fields() | {"source": "human", "value": True, "text": run.replies[answered].text}
    (out / "judgements.jsonl").write_text(json.dumps(judgement) + "\n")
    run = sx.load(out)
    files = write_logs(parts_of(run), tmp_path / "logs")
    assert {file.name for file in files} == {
        "restriction_sim-typical.eval",
        "restriction_sim-typical_frame-person.eval",
    }
    again = import_task_logs(tmp_path / "logs", out=tmp_path / "again")
    assert dict(again.replies) == dict(run.replies) and again.judgements == run.judgements
    assert again.conditions == run.conditions and again.asked == run.asked


def test_names_of_models_go_there_and_back() -> None:
    names = {"sim/typical": "selfexec/sim/typical", "inspect/bedrock/x": "bedrock/x", "openai/gpt-6": "openai/gpt-6"}
    assert {name: theirs(name) for name in names} == names


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_killed_evaluation_is_imported_as_far_as_it_came(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspect_ai", "eval", "selfexec/association", "--model", "selfexec/sim"]
    command += ["-T", "epochs=30", "--max-samples", "2", "--log-buffer", "3", "--display", "none", "--log-dir", "logs"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.2)
        if any(path.stat().st_size > 60_000 for path in (tmp_path / "logs").glob("*.eval")):
            break
    process.kill()
    process.wait()
    with pytest.warns(UserWarning, match=r"the evaluation was cut off, or still runs: \d+ of 9,000 samples are in it"):
        run = import_task_logs(tmp_path / "logs", out=tmp_path / "r")
    assert len(run.replies) >= 20 and not any(reply.failed for reply in run.replies.values())
    assert run.items.sizes.endswith(" association") and not run.unasked


def test_what_was_under_way_when_it_was_killed_is_read_from_the_events(logs: Path, tmp_path: Path) -> None:
    log = next(path for path in logs.glob("*.eval") if "restriction" in path.name)

    def without_a_store(name: str, value: Any) -> None:
        if name.startswith("samples/"):
            value["store"] = {}

    recovered, _ = run_of_logs([changed(log, tmp_path / "recovered.eval", without_a_store)], tmp_path / "r")
    whole, _ = run_of_logs([log], tmp_path / "whole")
    assert recovered.replies.keys() == whole.replies.keys()
    same = ("text", "output_tokens", "input_tokens", "stop_reason", "prompt_sha256", "served_model", "simulated")
    for key, reply in whole.replies.items():
        assert [getattr(recovered.replies[key], name) for name in same] == [getattr(reply, name) for name in same]
    assert ordered(recovered.observations).equals(ordered(whole.observations))


def test_a_sample_that_ended_in_an_error_is_missing_and_said(tmp_path: Path) -> None:
    code = (
        "import inspect_ai, selfexec.extensions.inspect.sim as sim, sys\n"
        "told = sim.SimulatedModel._told\n"
        "import selfexec.extensions.inspect.engine.asking as asking; asking.REFUSAL_PAUSES = (0.0, 0.0)\n"
        "async def ill(self, opened):\n"
        "    fault = RuntimeError('no key'); fault.status_code = 401\n"
        "    if opened.call.key.item == sys.argv[1]: raise fault\n"
        "    return await told(self, opened)\n"
        "sim.SimulatedModel._told = ill\n"
        "inspect_ai.eval('selfexec/restriction', model='selfexec/sim', task_args={'limit': 4}, display='none',\n"
        "                log_dir='logs', fail_on_error=False)\n"
    )
    item = next(iter(sx.run("sim/coin", experiments="restriction", limit=4, out=tmp_path / "x").items["restriction"]))
    subprocess.run([sys.executable, "-c", code, item], cwd=tmp_path, check=True, capture_output=True)
    with pytest.warns(UserWarning, match=r"1 sample ended in an error \(RuntimeError\('no key'\)\)"):
        run = import_task_logs(tmp_path / "logs", out=tmp_path / "r")
    assert len(run.items["restriction"]) == 4
    lost = run.observations.filter(pl.col("item") == item)
    assert lost["state"].to_list() == ["missing"]


def test_what_is_no_log_of_our_tasks_is_refused_with_the_way_out(logs: Path, tmp_path: Path) -> None:
    log = next(path for path in logs.glob("*.eval") if "restriction" in path.name)
    (tmp_path / "empty.eval").touch()
    cut = tmp_path / "cut.eval"
    cut.write_bytes(log.read_bytes()[:-500])
    (tmp_path / "foreign.json").write_text('{"version": 2, "status": "success"}')
    (tmp_path / "none").mkdir()
    for path, said in (
        ("nowhere.eval", "there is no such file"),
        ("empty.eval", "the log is cut off, or none. If its evaluation was killed: inspect log recover"),
        ("cut.eval", "the log is cut off, or none"),
        ("foreign.json", "Inspect cannot read it"),
        ("none", "no .eval file is in this folder"),
    ):
        with pytest.raises(InputError, match=said):
            run_of_logs([tmp_path / path], tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_log_that_was_changed_by_hand_is_refused(logs: Path, tmp_path: Path) -> None:
    log = next(path for path in logs.glob("*.eval") if "restriction" in path.name)

    def foreign(name: str, value: Any) -> None:
        if name in ("header.json", "_journal/start.json"):
            value["eval"]["metadata"] = {}

    def strange(name: str, value: Any) -> None:
        if name in ("header.json", "_journal/start.json"):
            value["eval"]["metadata"]["selfexec"]["experiment"] = "telepathy"

    def of_another_model(name: str, value: Any) -> None:
        if name.startswith("samples/"):
            value["store"]["selfexec:replies"][0]["model"] = "sim/coin"

    def of_another_item(name: str, value: Any) -> None:
        if name.startswith("samples/"):
            item = json.loads(value["metadata"]["item"])
            value["metadata"]["item"] = json.dumps({**item, "id": "other"})

    def no_replies(name: str, value: Any) -> None:
        if name.startswith("samples/"):
            value["store"]["selfexec:replies"] = [{"text": 3}]

    def no_session(name: str, value: Any) -> None:
        if name.startswith("samples/"):
            value["store"]["selfexec:replies"][0]["session"] = "muse"

    for change, said in (
        (foreign, "this is a log of the task 'selfexec/restriction'. Only logs of the tasks of selfexec"),
        (strange, "it is of the experiment 'telepathy', and there are association"),
        (of_another_model, "holds a reply of sim/coin, restriction"),
        (of_another_item, "holds the item 'other'"),
        (no_replies, "its selfexec:replies are damaged"),
        (no_session, "restriction has no session 'muse'"),
    ):
        with pytest.raises(InputError, match=said):
            run_of_logs([changed(log, tmp_path / "changed.eval", change)], tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_two_logs_that_contradict_each_other_are_refused(logs: Path, tmp_path: Path) -> None:
    log = next(path for path in logs.glob("*.eval") if "restriction" in path.name)

    def otherwise(name: str, value: Any) -> None:
        if name.startswith("samples/"):
            value["store"]["selfexec:replies"][0]["text"] = "Quite another reply."

    other = changed(log, tmp_path / "other.eval", otherwise)
    with pytest.raises(InputError, match=r"was already given, with another reply, in .*Import one of the two"):
        run_of_logs([log, other], tmp_path / "r")
    shutil.copy(log, tmp_path / "same.eval")
    assert run_of_logs([log, tmp_path / "same.eval"], tmp_path / "r")[0].replies  # twice the same is once


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfexec.extensions.inspect.reading.MOST_BYTES", 10_000)
    with zipfile.ZipFile(tmp_path / "bomb.eval", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("header.json", b" " * 100_000)
    assert (tmp_path / "bomb.eval").stat().st_size < 1_000
    with pytest.raises(InputError, match="unpacked it has more than 10,000 bytes"):
        run_of_logs([tmp_path / "bomb.eval"], tmp_path / "r")


# --- by command ------------------------------------------------------------------------------------------------------


def test_the_commands(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def called(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(root, list(words))
        return done.exit_code, done.output + getattr(done.exception, "typed", "")

    assert called("import", "--from", "inspect", str(logs), "--out", "r")[0] == 0
    assert called("import", *map(str, logs.glob("*.eval")), "--out", "again")[0] == 0
    code, said = called("export", "r", "--to", "inspect", "--out", "logs")
    assert code == 0 and "logs: 3 logs. Next: inspect view --log-dir logs" in said
    assert (tmp_path / "logs" / "association_sim-breaks-format.eval").is_file()
    assert called("export", "r", "--to", "inspect", "--experiment", "restriction", "--out", "one.eval")[0] == 0
    for words, why in (
        (("export", "r", "--to", "inspect", "--out", "all.eval"), "this makes 3. Choose by --model"),
        (("export", "r", "--to", "inspect"), "Give --out a file"),
        (("export", "--to", "inspect", "--out", "x"), "which run?"),
        (
            ("export", "r", "--to", "inspect", "--epochs", "2", "--out", "x"),
            "--epochs: logs are made from the replies of r",
        ),
        (("export", "r", "--to", "inspect", "--model", "m", "--out", "x"), "--model m: r has sim/breaks-format"),
        (("import", "--from", "inspect", str(logs), "--items", "starter", "--out", "y"), "logs bring their own items"),
        (
            ("import", "--from", "promptfoo", str(logs), "--out", "y"),
            "--from promptfoo: files of batch, inspect, lm-eval can be read",
        ),
        (
            ("import", "--from", "lm-eval", str(logs), "--out", "y"),
            "what are models to predict? Add --as",
        ),
    ):
        code, said = called(*words)
        assert code != 0 and why in said, (words, said)


def test_part_of_a_run_makes_the_logs_of_that_part(ours: sx.Run, tmp_path: Path) -> None:
    one = part_of(ours, experiments=["difficulty"])
    assert [part.name for part in parts_of(one)] == ["difficulty_sim-breaks-format"]
