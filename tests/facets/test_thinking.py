"""Thinking: each provider is told in its own fields, and those that cannot be told are refused."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner

import selfexec as sx
from selfexec.cli import root
from selfexec.engines.sim import PROFILES, truth
from selfexec.engines.sim.server import SimServer
from selfexec.facets import DEFAULT, crossed_levels, touching
from selfexec.items import load
from selfexec.runs.asking import plan
from selfexec.runs.asking.remarks import remarks
from sockets import served

HYBRID = {"enable_thinking": False, "thinking": False}
OFF = (("thinking", "off"),)
BOTH = (("behaviour-thinking", "off"), ("thinking", "off"))


def told(model: str, level: str, **options: Any) -> dict[str, Any]:
    """What a model is sent with a prediction so that it thinks so, and what else is sent."""
    found = plan(model, limit=1, experiments="restriction", facets={"thinking": level}, **options)
    return dict(found.sampling_of(model, "restriction", "predict", (("thinking", level),)))


@pytest.mark.parametrize(
    ("model", "level", "sent"),
    [
        ("openai/m", "off", {"reasoning_effort": "none"}),
        ("openai/m", "on", {"reasoning_effort": "medium"}),
        ("mistral/m", "on", {"reasoning_effort": "high"}),
        ("groq/m", "on", {"reasoning_effort": "default"}),
        ("ollama/m", "off", {"reasoning_effort": "none"}),
        ("deepseek/m", "off", {"thinking": {"type": "disabled"}}),
        ("deepseek/m", "on", {"thinking": {"type": "enabled"}}),
        ("openrouter/m", "off", {"reasoning": {"effort": "none"}}),
        ("openrouter/m", "budget:900", {"reasoning": {"max_tokens": 900}}),
        ("vllm/m", "off", {"chat_template_kwargs": HYBRID}),
        (
            "vllm/m",
            "budget:900",
            {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}, "thinking_token_budget": 900},
        ),
        ("sglang/m", "off", {"chat_template_kwargs": HYBRID}),
        (
            "llamacpp/m",
            "budget:900",
            {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}, "thinking_budget_tokens": 900},
        ),
        ("anthropic/m", "off", {"thinking": {"type": "disabled"}}),
        ("anthropic/m", "on", {"thinking": {"type": "adaptive"}}),
        # what is sent as max_tokens anyway, 8,192, is left for the reply
        ("anthropic/m", "budget:2000", {"thinking": {"type": "enabled", "budget_tokens": 2000}, "max_tokens": 10192}),
        ("google/m", "off", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}),
        ("google/m", "on", {"generationConfig": {"thinkingConfig": {"thinkingBudget": -1}}}),
        ("google/m", "budget:900", {"generationConfig": {"thinkingConfig": {"thinkingBudget": 900}}}),
    ],
)
def test_each_provider_is_told_in_its_own_fields(model: str, level: str, sent: dict[str, Any]) -> None:
    assert told(model, level) == sent


def test_the_format_behind_an_address_decides_where_it_has_fields_for_it() -> None:
    gateway = {"base_url": "http://127.0.0.1:9", "wire": "anthropic"}
    assert told("any/m", "off", **gateway) == {"thinking": {"type": "disabled"}}
    assert told("vllm/m", "off", base_url="http://127.0.0.1:9/v1") == {"chat_template_kwargs": HYBRID}


def test_what_a_template_is_told_anyway_stays() -> None:
    sent = told("vllm/m", "off", extra_body={"chat_template_kwargs": {"style": "short"}}, settings={"temperature": 0})
    assert sent == {"chat_template_kwargs": {"style": "short", **HYBRID}, "temperature": 0}


@pytest.mark.parametrize(
    ("model", "level", "options", "said"),
    [
        ("together/m", "off", {}, "there is no known way to switch its thinking at 'together'"),
        (
            "any/m",
            "off",
            {"base_url": "http://127.0.0.1:9/v1"},
            "no known way to switch its thinking at 'any'. There is one at anth",
        ),
        ("openai/m", "budget:900", {}, "openai takes no number of tokens to think for (budget:900)"),
        ("sglang/m", "budget:900", {}, "sglang takes no number of tokens"),
        ("anthropic/m", "budget:900", {}, "the least that this format takes is 1024"),
        ("anthropic/m", "on", {"protocol": "paper"}, "takes no temperature but 1"),
        ("anthropic/m", "budget:2000", {"settings": {"max_tokens": 2000}}, "max_tokens (2000) leaves no room"),
        ("openai/m", "off", {"settings": {"reasoning_effort": "low"}}, "reasoning_effort is set, and so does"),
        (
            "vllm/m",
            "off",
            {"extra_body": {"chat_template_kwargs": {"enable_thinking": True}}},
            "chat_template_kwargs.enable_thinking is set, and so does",
        ),
        ("rote/clever", "on", {}, "rote cannot switch thinking on or off"),
    ],
)
def test_what_cannot_be_told_is_refused_by_name_before_anything_is_asked(
    model: str, level: str, options: dict[str, Any], said: str, toys: Path, tmp_path: Path
) -> None:
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.run(model, limit=1, experiments="restriction", facets={"thinking": level}, out=tmp_path / "r", **options)
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("level", ["budget:0", "budget:01", "budget:", "budget:1e3", "budget:-1", "maybe"])
def test_a_level_that_there_is_none_of_is_refused(level: str) -> None:
    with pytest.raises(sx.InputError, match="There are default, on, off, budget:N"):
        crossed_levels({"thinking": [level]})


def test_each_session_is_of_one_of_the_two_facets() -> None:
    kinds = {"predict": OFF, "execute": (BOTH[0],), "judge": (BOTH[0],)}
    assert {kind: touching(BOTH, "restriction", kind) for kind in kinds} == kinds
    # what it then tries is the question that it wrote, thinking or not
    assert touching(OFF, "failing_question", "execute") == OFF
    assert touching(BOTH, "failing_question", "execute") == BOTH


def listening(bodies: list[dict[str, Any]], **thoughts: str) -> web.Application:
    async def answer(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        message = {"role": "assistant", "content": "A", **thoughts}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"model": "m", "choices": [choice], "usage": {"completion_tokens": 9}})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


def test_predictions_alone_or_all_sessions_are_told_and_by_default_nothing_is_sent(tmp_path: Path) -> None:
    bodies: list[dict[str, Any]] = []
    with served(listening(bodies)) as url:
        choices = {"experiments": "restriction", "limit": 1, "base_url": url, "out": tmp_path / "r"}
        facets = {"thinking": ["default", "off"], "behaviour-thinking": ["default", "off"]}
        run = sx.run("vllm/m", facets=facets, on_progress=lambda progress: None, **choices)
        calls = len(bodies)
        sx.run("vllm/m", facets=facets, on_progress=lambda progress: None, **choices)  # nothing has changed
        assert len(bodies) == calls == 6
    silent = [body for body in bodies if body.keys() == {"model", "messages"}]
    assert len(silent) == 3 and all(body["chat_template_kwargs"] == HYBRID for body in bodies if body not in silent)
    assert Counter((key.session, key.facets) for key in run.replies) == {
        ("predict", DEFAULT): 1,
        ("predict", OFF): 1,
        **{(session, facets): 1 for session in ("execute", "judge") for facets in (DEFAULT, (BOTH[0],))},
    }
    assert run.conditions == (
        "default",
        "behaviour-thinking=off",
        "behaviour-thinking=off,thinking=off",
        "thinking=off",
    )


def test_a_model_that_thinks_though_it_was_told_not_to_is_named(tmp_path: Path) -> None:
    levels = {"thinking": ["default", "off"]}
    with served(listening([], reasoning_content="Hm.")) as url:
        choices = {"experiments": "restriction", "limit": 2, "base_url": url, "on_progress": lambda progress: None}
        run = sx.run("vllm/m", facets=levels, out=tmp_path / "r", **choices)
    # two predictions were to be made without; those of the default condition, and outcomes, were not
    [said] = [said for said in remarks(run.replies.values()) if "without thinking" in said]
    assert said.startswith("vllm/m: 2 of 2 replies that it was to give without thinking carry thoughts")


def test_what_is_in_force_is_in_the_manifest_by_model_and_may_not_change(tmp_path: Path) -> None:
    with served(listening([])) as url:
        choices = {"experiments": "association", "limit": 1, "base_url": url, "out": tmp_path / "r"}
        choices["on_progress"] = lambda progress: None
        sx.run(["vllm/m"], facets={"thinking": "budget:64"}, **choices)
        sx.run(["deepseek/m"], facets={"thinking": "off"}, **choices)
        manifest = tmp_path / "r" / "manifest.json"
        kept = json.loads(manifest.read_text())["settings"]
        on = {"enable_thinking": True, "thinking": True}
        assert kept == {
            "association.predict@thinking=budget:64.vllm/m": {"chat_template_kwargs": on, "thinking_token_budget": 64},
            "association.predict@thinking=off.deepseek/m": {"thinking": {"type": "disabled"}},
        }
        manifest.write_text(manifest.read_text().replace('"disabled"', '"enabled"'))
        with pytest.raises(sx.InputError, match=r"the setting association.predict@thinking=off.deepseek/m was"):
            sx.run(["deepseek/m"], facets={"thinking": "off"}, **choices)


@pytest.mark.slow
def test_who_needs_to_think_predicts_itself_worse_without_it_by_what_was_planted(tmp_path: Path) -> None:
    levels = {"thinking": ["default", "off", "budget:500"]}
    run = sx.run("sim/knows-itself", limit=120, facets=levels, out=tmp_path / "r")
    profile, items = PROFILES["knows-itself"], load("starter")
    left, stopped = truth(profile, items), truth(profile, items, thinks=False)
    found = sx.compare(run, conditions=["thinking=off", "default"], convention="readable")
    for experiment, metric, slope in (("association", "youden_j", 1), ("difficulty", "accuracy", 2)):
        [row] = [row for row in found.differences if row.experiment == experiment]
        planted = slope * (left[experiment, metric] - stopped[experiment, metric])
        assert row.low is not None and row.high is not None
        assert row.low <= planted <= row.high and row.low > 0.1, (experiment, planted, row)
    texts = {key: reply.text for key, reply in run.replies.items()}
    limited = {
        key._replace(facets=()): text for key, text in texts.items() if key.facets == (("thinking", "budget:500"),)
    }
    assert all(texts[key] == text for key, text in limited.items())  # it minds only whether, not for how long


def test_behind_a_server_it_goes_by_the_fields_of_servers_like_vllm(tmp_path: Path) -> None:
    choices = {"facets": {"thinking": "off"}, "limit": 6, "on_progress": lambda progress: None}
    here = sx.run("sim/knows-itself", out=tmp_path / "here", **choices)
    with served(SimServer(load("starter")).app()) as url:
        there = sx.run("vllm/knows-itself", base_url=url, out=tmp_path / "there", **choices)
    assert {key._replace(model=""): reply.text for key, reply in there.replies.items()} == {
        key._replace(model=""): reply.text for key, reply in here.replies.items()
    }


def test_an_export_says_what_its_prompts_do_not() -> None:
    words = ["export", "--model", "m", "--limit", "1", "--thinking", "default,off", "--frame", "self,person"]
    found = CliRunner().invoke(root, words)
    assert (
        "selfexec: thinking=off: no prompt says that. Send it with the sessions whose `facets` have it." in found.stderr
    )
    assert sum('"thinking": "off"' in line or '"thinking":"off"' in line for line in found.stdout.splitlines()) == 6
    assert "no prompt says" not in CliRunner().invoke(root, [*words[:5], "--frame", "person"]).stderr
