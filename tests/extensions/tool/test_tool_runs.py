"""Runs in which predictions have a tool: what is asked, kept, limited, refused, and gone on with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from toolserver import ASKS, PREDICTS, lines, requests, tool_server

import selfexec as sx
from extension_parts import needs
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.experiments import Key
from selfexec.extensions.tool.scores import tool_scores
from selfexec.runs.importing import run_of_replies
from selfexec.runs.transcripts import prompts_sent

MODEL = "vllm/m"
WITH = (("tool", "self:2"),)
USUAL = ("predict", "execute", "judge")


def asked(run: Any, item: str = "1") -> list[str]:
    """The sessions of an item with the tool."""
    return sorted(key.session for key in run.replies if key.item == item and key.facets == WITH)


def options(tmp_path: Path, url: str, count: int = 1, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "items": requests(tmp_path / "items", count),
        "facets": {"tool": "self:2"},
        "allow_self_execution": True,
        "base_url": url,
        "out": tmp_path / "run",
    }
    return given | more


def once(turn: int) -> str:
    return ASKS if turn == 1 else PREDICTS


def test_a_prediction_sees_what_a_fresh_session_replies_and_behaviour_is_asked_once(tmp_path: Path) -> None:
    with tool_server(once) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url))
    assert asked(run) == ["predict", "predict.call.1", "predict.turn.2"]
    without = sorted(key.session for key in run.replies if not key.facets)
    assert without == ["execute", "judge", "predict"]  # the usual prediction is always asked with it
    assert len(server.bodies) == 6
    replies = {key.session: reply for key, reply in run.replies.items() if key.facets}
    assert {name: reply.parent for name, reply in replies.items()} == {
        "predict": None,
        "predict.call.1": "predict",
        "predict.turn.2": "predict",
    }
    assert {key.session: r.value for key, r in run.readings.items() if key.facets == WITH} == {
        "predict": "A",  # by the last turn
        "predict.turn.2": "A",
        "predict.call.1": None,
    }


def test_the_called_session_is_sent_the_prompt_alone_with_a_limit_of_tokens(tmp_path: Path) -> None:
    with tool_server(once) as server:
        sx.run(MODEL, **options(tmp_path, server.url, system="Be brief.", tool_tokens=50))
    [call] = server.calls
    assert call["max_tokens"] == 50
    assert [m["content"] for m in call["messages"]] == ["Be brief.", "What is item 1?"]
    assert (
        json.loads((tmp_path / "run" / "manifest.json").read_text())["settings"][
            "restriction.predict@tool=self:2.call_tokens"
        ]
        == 50
    )


def test_the_limit_is_1000_tokens_or_what_behaviour_has_if_that_is_less(tmp_path: Path) -> None:
    with tool_server(once) as server:
        sx.run(MODEL, **options(tmp_path, server.url))
        sx.run(MODEL, **options(tmp_path, server.url, out=tmp_path / "b", settings={"execute.max_tokens": 30}))
    limits = [body["max_tokens"] for body in server.calls if body["messages"][-1]["content"] == "What is item 1?"]
    assert sorted(limits) == [30, 30, 1000]  # the execution itself, and what is executed


def test_a_called_session_that_asks_for_an_execution_is_only_text(tmp_path: Path) -> None:
    with tool_server(once, executed=lambda prompt: ASKS) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url))
    assert asked(run) == ["predict", "predict.call.1", "predict.turn.2"]
    told = json.loads(server.bodies[-1]["messages"][-1]["content"]) if len(server.bodies[-1]["messages"]) > 1 else {}
    turns = [body for body in server.bodies if len(body["messages"]) == 3]
    assert json.loads(turns[0]["messages"][-1]["content"])["reply"] == ASKS, told


def test_who_never_predicts_is_unreadable_with_that_reason_and_no_call_is_made_past_the_cap(tmp_path: Path) -> None:
    with tool_server(lambda turn: ASKS) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url))
    calls = [name for name in asked(run) if ".call." in name]
    assert calls == ["predict.call.1", "predict.call.2"]
    reading = run.readings[Key(MODEL, "restriction", "1", 1, "predict", WITH)]
    assert (reading.state, reading.reason) == ("unreadable", "requested")
    [claim] = [o for o in run.observations.iter_rows(named=True) if o["condition"] == "tool=self:2"]
    assert claim["state"] == "unreadable" and claim["predicted"] is None
    [row] = tool_scores(run)
    assert (row.never_predicted, row.calls, row.refused_no_calls) == (1, 2, 3)


def test_huge_prompts_malformed_ones_and_several_at_once_are_refused_and_counted(tmp_path: Path) -> None:
    said = {
        1: json.dumps({"execute": "x" * 9_000}),
        2: '{"execute": ["a", "b"]}',
        3: PREDICTS,
    }
    with tool_server(lambda turn: said[turn]) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url))
    assert server.calls == [] and asked(run) == ["predict", "predict.turn.2", "predict.turn.3"]
    [row] = tool_scores(run)
    assert (row.refused, row.refused_too_long, row.refused_malformed, row.calls) == (2, 1, 1, 0)
    assert row.used == 0 and row.gain_per_call is None
    several = f"{ASKS} {ASKS} {ASKS}"
    with tool_server(lambda turn: several if turn == 1 else f"{ASKS} Never mind. {PREDICTS}") as server:
        run = sx.run(MODEL, **options(tmp_path, server.url, out=tmp_path / "b"))
    assert len(server.calls) == 1  # no two of one reply
    [row] = tool_scores(run)
    assert (row.refused_several, row.refused_beside, row.calls) == (2, 1, 1)


def test_another_model_stands_in_and_its_calls_go_to_it(tmp_path: Path) -> None:
    with tool_server(once) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url, facets={"tool": "vllm/small:1"}))
    asked_of = Counter(body["model"] for body in server.bodies)
    assert asked_of == {"m": 5, "small": 1}
    assert {key.model for key in run.replies} == {MODEL}  # the session is the predictor's
    assert run.models == (MODEL,)
    [call] = [reply for key, reply in run.replies.items() if key.session == "predict.call.1"]
    assert call.served_model == "small" and call.facets == {"tool": "vllm/small:1"}


def test_a_run_that_goes_on_reaches_the_stand_in_where_its_model_is(tmp_path: Path) -> None:
    with tool_server(once) as server:
        sx.run(MODEL, **options(tmp_path, server.url, facets={"tool": "vllm/small:1"}, max_calls=1))
        sx.run(out=tmp_path / "run", allow_self_execution=True)
        sx.run(MODEL, out=tmp_path / "run", facets={"tool": "vllm/other:1"}, items=tmp_path / "items",
               allow_self_execution=True)  # fmt: skip
    assert Counter(body["model"] for body in server.bodies) == {"m": 7, "small": 1, "other": 1}


def test_what_a_stand_in_answers_is_no_sign_of_a_server_that_mixes_models_or_replies_up(tmp_path: Path) -> None:
    long = "This is how it is done, step by step, and nothing is left out of it. " * 3

    def in_letters(prompt: str) -> str:
        return prompt.translate(str.maketrans("0123456789", "abcdefghij"))  # so that each reply has words of its own

    with tool_server(once, executed=lambda prompt: f"{in_letters(prompt)} {long}") as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* counts of prompt tokens")  # this server counts no prompts
        run = sx.run(MODEL, **options(tmp_path, server.url, count=12, facets={"tool": "vllm/small:1"}))
    assert {reply.served_model for reply in run.replies.values()} == {"m", "small"}
    assert not [w for w in sx.score(run).warnings if "not of one model" in str(w)]


def test_what_a_stand_in_costs_counts_at_its_own_price_and_must_be_known_where_cost_is_capped(tmp_path: Path) -> None:
    with tool_server(once) as server:
        given = options(tmp_path, server.url, count=3, max_cost=1.0, max_connections=1)
        given["facets"] = {"tool": "vllm/small:1"}
        with pytest.raises(InputError, match="nobody knows what vllm/small costs"):
            sx.run(MODEL, **given, price=["vllm/m=1,1"])
        # each call to the stand-in costs 18 dollars a million times a million: the first reaches the cap
        run = sx.run(MODEL, **given, price=["vllm/m=0,0", "vllm/small=100000,100000"])
    assert sum(key.session == "predict.call.1" for key in run.replies) == 1


def test_without_permission_nothing_is_asked_and_every_command_has_to_give_it(tmp_path: Path) -> None:
    with tool_server(once) as server:
        given = options(tmp_path, server.url)
        with pytest.raises(InputError, match="allow_self_execution"):
            sx.run(MODEL, **given | {"allow_self_execution": False})
        assert server.bodies == [] and not (tmp_path / "run").exists()
        sx.run(MODEL, **given, max_calls=1)
        with pytest.raises(InputError, match="allow_self_execution"):
            sx.run(out=tmp_path / "run")
        run = sx.run(out=tmp_path / "run", allow_self_execution=True)
    assert asked(run) == ["predict", "predict.call.1", "predict.turn.2"]
    assert len(server.bodies) == 6  # nothing was paid twice


def test_a_run_goes_on_with_its_limit_of_tokens(tmp_path: Path) -> None:
    with tool_server(once) as server:
        sx.run(MODEL, **options(tmp_path, server.url, count=2, tool_tokens=50, max_calls=6))
        sx.run(out=tmp_path / "run", allow_self_execution=True)
        assert [call["max_tokens"] for call in server.calls] == [50, 50]
        with pytest.raises(InputError, match="call_tokens"):
            sx.run(MODEL, **options(tmp_path, server.url, count=2, tool_tokens=60))


@pytest.mark.parametrize("cut_after", [1, 2, 3, 4, 5])
def test_whatever_a_killed_run_has_of_a_conversation_is_not_paid_again(tmp_path: Path, cut_after: int) -> None:
    with tool_server(once) as server:
        given = options(tmp_path, server.url)
        sx.run(MODEL, **given)
        whole = (tmp_path / "run" / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
        (tmp_path / "run" / "replies.jsonl").write_text("".join(whole[:cut_after]) + whole[cut_after][:20], "utf-8")
        before = len(server.bodies)
        run = sx.run(MODEL, **given)
    assert len(server.bodies) - before == len(whole) - cut_after
    assert asked(run) == ["predict", "predict.call.1", "predict.turn.2"]
    assert run.readings[Key(MODEL, "restriction", "1", 1, "predict", WITH)].value == "A"


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_pays_each_session_once(tmp_path: Path) -> None:
    items = requests(tmp_path / "items", 12)
    with tool_server(once) as server:
        command = [
            *(sys.executable, "-m", "selfexec", "run", "--model", MODEL, "--items", str(items)),
            *("--tool", "self:2", "--allow-self-execution", "--base-url", server.url, "--out", str(tmp_path / "run")),
        ]
        for _ in range(4):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            seen = len(server.bodies)
            while process.poll() is None and len(server.bodies) < seen + 9:
                time.sleep(0.002)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
            process.wait()
        assert subprocess.run(command, capture_output=True).returncode == 0
    kept = Counter((line["item"], line["session"], bool(line.get("facets"))) for line in lines(tmp_path / "run"))
    assert len(kept) == 12 * 6 and set(kept.values()) == {1}


def test_nested_sessions_are_missing_together_with_what_waits_for_them(tmp_path: Path) -> None:
    with tool_server(once) as server:
        sx.run(MODEL, **options(tmp_path, server.url))
    journal = tmp_path / "run" / "replies.jsonl"
    kept = [line for line in lines(tmp_path / "run") if line["session"] != "predict.turn.2"]
    journal.write_text("".join(json.dumps(line) + "\n" for line in kept), "utf-8")
    reading = sx.load(tmp_path / "run").readings[Key(MODEL, "restriction", "1", 1, "predict", WITH)]
    assert (reading.state, reading.reason) == ("missing", "unfinished")


def test_prompts_of_nested_sessions_are_worked_out_again_and_shown(tmp_path: Path) -> None:
    with tool_server(once) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url))
    sent = prompts_sent(run, run.replies)
    assert None not in sent.values()
    shown = CliRunner().invoke(root, ["read", str(tmp_path / "run"), "--show"]).output
    assert "predict.call.1, epoch 1, tool self:2" in shown and "asked within predict" in shown
    assert 'read as "A", by the last turn' in shown
    order = [line.split(", ")[2] for line in shown.splitlines() if line.startswith("vllm/m, restriction 1")]
    assert order == ["predict", "predict", "predict.call.1", "predict.turn.2", "execute", "judge"]


def test_a_run_with_the_tool_can_be_exported_and_imported_again(tmp_path: Path) -> None:
    with tool_server(once) as server:
        run = sx.run(MODEL, **options(tmp_path, server.url))
    again, warnings = run_of_replies(
        [tmp_path / "run" / "replies.jsonl"], item_source=tmp_path / "items", out=tmp_path / "again"
    )
    assert not warnings
    assert again.observations.equals(run.observations)
    assert tool_scores(again).records() == tool_scores(run).records()
    shutil.copy(tmp_path / "run" / "replies.jsonl", tmp_path / "lines.jsonl")
    strange = (tmp_path / "lines.jsonl").read_text().replace("predict.turn.2", "predict.turn.7")
    (tmp_path / "lines.jsonl").write_text(strange)
    with pytest.raises(InputError, match=r"no session 'predict\.turn\.7'"):
        run_of_replies([tmp_path / "lines.jsonl"], item_source=tmp_path / "items", out=tmp_path / "other")


def test_a_dry_run_reckons_with_all_calls_and_asks_nothing(tmp_path: Path) -> None:
    with tool_server(once) as server:
        given = ["run", "--model", MODEL, "--items", str(requests(tmp_path / "items", 1)), "--base-url", server.url]
        given += ["--out", str(tmp_path / "run"), "--dry-run"]
        plain = CliRunner().invoke(root, given)
        tool = CliRunner().invoke(root, [*given, "--tool", "self:2", "--allow-self-execution"])
    assert "at most 3 sessions" in plain.output
    assert "at most 8 sessions" in tool.output  # and the prediction with two calls and two further turns
    assert server.bodies == []


@pytest.mark.parametrize(
    ("facets", "why"),
    [
        ({"tool": "self:0"}, "there is no such level"),
        ({"tool": "self:10"}, "there is no such level"),
        ({"tool": ":2"}, "there is no such level"),
        ({"tool": "self:1", "elicit": "logprob"}, "letter alone"),
        ({"tool": "self:1", "behaviour-thinking": "off"}, "Ask them in two commands"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(tmp_path: Path, facets: dict[str, str], why: str) -> None:
    with tool_server(once) as server:
        with pytest.raises(InputError, match=why):
            sx.run(MODEL, **options(tmp_path, server.url, facets=facets))
        assert server.bodies == []


def test_a_simulated_model_stands_in_for_no_real_one_nor_the_other_way_round(tmp_path: Path) -> None:
    given = {"items": requests(tmp_path / "items"), "allow_self_execution": True, "out": tmp_path / "run"}
    for model, other in (("openai/m", "sim/typical"), ("sim/typical", "openai/m")):
        with pytest.raises(InputError, match="cannot stand in for each other"):
            sx.run(model, facets={"tool": f"{other}:1"}, **given)
    assert not (tmp_path / "run").exists()


def test_where_behaviour_is_made_of_the_prediction_the_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to execute before"):
        sx.run(
            "sim/typical",
            experiments="failing_question",
            facets={"tool": "self:1"},
            allow_self_execution=True,
            out=tmp_path / "run",
        )


@pytest.mark.parametrize("form", [[], pytest.param(["--to", "batch-openai"], marks=needs("batch"))])
def test_what_hands_prompts_out_is_refused(tmp_path: Path, form: list[str]) -> None:
    with tool_server(once) as server:
        sx.run(MODEL, **options(tmp_path, server.url))
        before = len(server.bodies)
        found = CliRunner().invoke(root, ["export", str(tmp_path / "run"), *form])
    assert isinstance(found.exception, InputError) and len(server.bodies) == before
    assert "nly `selfexec run` asks" in str(found.exception)


def test_shards_hold_conversations_and_are_joined(tmp_path: Path) -> None:
    with tool_server(once) as server:
        given = options(tmp_path, server.url, count=4)
        for index in (0, 1):
            sx.run(MODEL, **given, shard=f"{index}/2")
        sx.merge(tmp_path / "run")
        run = sx.load(tmp_path / "run")
    assert len(run.replies) == 4 * 6
    assert all(asked(run, str(n)) == ["predict", "predict.call.1", "predict.turn.2"] for n in range(1, 5))


def test_a_command_that_does_not_ask_for_the_tool_leaves_no_trace_of_it(tmp_path: Path) -> None:
    with tool_server(once) as server:
        given = options(tmp_path, server.url)
        del given["facets"], given["allow_self_execution"]
        sx.run(MODEL, **given)
        texts = [path.read_text("utf-8") for path in (tmp_path / "run").iterdir() if path.is_file()]
        assert not any("tool" in text or "execution" in text for text in texts)
        sx.report(tmp_path / "run", tmp_path / "page.html")
    assert "tool for self-execution" not in (tmp_path / "page.html").read_text("utf-8")
    with pytest.raises(InputError, match="nobody had a tool"):
        tool_scores(tmp_path / "run")


@needs("study")
def test_a_study_file_may_ask_for_the_tool_and_only_the_command_can_allow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = tmp_path / "study.toml"
    study.write_text(
        'experiments = ["restriction"]\nlimit = 2\ntool_tokens = 77\nfacets = { tool = "self:1" }\nout = "run"\n'
        '[[models]]\nmodel = "sim/typical"\n'
    )
    refused = CliRunner().invoke(root, ["run", "--config", str(study)])
    assert isinstance(refused.exception, InputError) and not (tmp_path / "run").exists()
    allowed = CliRunner().invoke(root, ["run", "--config", str(study), "--allow-self-execution"])
    assert allowed.exit_code == 0, allowed.output
    assert '"restriction.predict@tool=self:1.call_tokens": 77' in (tmp_path / "run" / "manifest.json").read_text()
    study.write_text("allow_self_execution = true\n" + study.read_text())
    assert "unknown key" in str(CliRunner().invoke(root, ["run", "--config", str(study)]).exception)
