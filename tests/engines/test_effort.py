"""One named effort, told to each provider in its own field, or refused; and written down."""

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from extension_parts import here, needs
from selfexec.errors import InputError
from selfexec.runs import load_manifest
from selfexec.runs.asking import plan
from sockets import completion, served

URL = "http://127.0.0.1:9/v1"


def sent(model: str, kind: str = "predict", thinking: str | None = None, **options: Any) -> dict[str, Any]:
    """What a model is sent with a session of restriction."""
    conditions = {"facets": {"thinking": thinking}} if thinking else {}
    found = plan(model, limit=1, experiments="restriction", **conditions, **options)
    facets = (("thinking", thinking),) if thinking and kind == "predict" else ()
    return dict(found.sampling_of(model, "restriction", kind, facets))


@pytest.mark.parametrize(
    ("model", "wire", "level", "fields"),
    [
        ("openai/m", None, "minimal", {"reasoning_effort": "minimal"}),
        ("azure/m", "openai", "xhigh", {"reasoning_effort": "xhigh"}),
        ("mistral/m", None, "high", {"reasoning_effort": "high"}),
        ("deepseek/m", None, "max", {"reasoning_effort": "max"}),
        ("vllm/m", None, "low", {"reasoning_effort": "low"}),
        ("llamacpp/m", None, "low", {"chat_template_kwargs": {"reasoning_effort": "low"}}),
        ("openrouter/m", None, "high", {"reasoning": {"effort": "high"}}),
        ("anthropic/m", None, "max", {"output_config": {"effort": "max"}}),
        pytest.param("inspect/anthropic/m", None, "max", {"effort": "max"}, marks=needs("inspect")),
        pytest.param("inspect/openai/m", None, "low", {"reasoning_effort": "low"}, marks=needs("inspect")),
        ("google/m", None, "minimal", {"generationConfig": {"thinkingConfig": {"thinkingLevel": "minimal"}}}),
        # a wire format that has a field of its own has it wherever it is spoken
        ("any/m", "responses", "xhigh", {"reasoning": {"effort": "xhigh"}}),
        ("any/m", "anthropic", "low", {"output_config": {"effort": "low"}}),
        ("any/m", "gemini", "low", {"generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}}}),
    ],
)
def test_each_provider_is_told_in_its_own_field(model: str, wire: Any, level: str, fields: dict[str, Any]) -> None:
    where = {"base_url": URL, "wire": wire} if wire else {}
    assert sent(model, settings={"effort": level}, **where) == fields


def test_kinds_of_session_may_have_efforts_of_their_own() -> None:
    settings = {"effort": "low", "predict.effort": "high"}
    assert sent("openai/m", settings=settings) == {"reasoning_effort": "high"}
    assert sent("openai/m", "execute", settings=settings) == {"reasoning_effort": "low"}
    # beside what else goes into the same field
    more = {"generationConfig": {"topK": 3, "thinkingConfig": {"includeThoughts": True}}}
    found = sent("google/m", settings=settings, extra_body=more)
    told = {"includeThoughts": True, "thinkingLevel": "high"}
    assert found == {"generationConfig": {"topK": 3, "thinkingConfig": told}}


@pytest.mark.parametrize(
    ("model", "options", "says"),
    [
        ("sim/typical", {}, "sim cannot set how hard a model thinks"),
        pytest.param("local/m", {}, "local cannot set how hard a model thinks", marks=needs("local")),
        pytest.param("inspect/bedrock/m", {}, "inspect cannot set how hard a model thinks", marks=needs("inspect")),
        pytest.param(
            "inspect/openai/m",
            {"settings": {"effort": "low", "reasoning_effort": "low"}},
            "reasoning_effort is set",
            marks=needs("inspect"),
        ),
        ("nvidia/m", {}, "there is no known way to set how hard it thinks at 'nvidia'"),
        ("any/m", {"base_url": URL}, "no known way to set how hard it thinks at 'any'.* settings reasoning_effort=low"),
        ("mistral/m", {}, "settings effort=low: there are high of it there"),
        ("openai/m", {"settings": {"effort": "low", "reasoning_effort": "high"}}, "reasoning_effort is set, and so"),
        ("openrouter/m", {"extra_body": {"reasoning": {"effort": "high"}}}, "reasoning.effort is set, and so does"),
    ],
)
def test_what_is_not_known_or_set_twice_is_refused_before_anything_is_asked(
    model: str, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        plan(model, limit=1, **{"settings": {"effort": "low"}, **options})


def test_who_is_told_not_to_think_is_not_told_how_hard_and_on_goes_where_it_can() -> None:
    low = {"settings": {"effort": "low"}}
    assert sent("openai/m", thinking="off", **low) == {"reasoning_effort": "none"}
    assert sent("openai/m", "execute", thinking="off", **low) == {"reasoning_effort": "low"}
    both = {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}
    assert sent("anthropic/m", thinking="on", **low) == both
    with pytest.raises(InputError, match="reasoning_effort is set, and so does thinking on set it"):
        sent("openai/m", thinking="on", **low)


def test_the_responses_api_is_told_whether_to_think_too() -> None:
    where = {"base_url": URL, "wire": "responses"}
    assert sent("any/m", thinking="off", **where) == {"reasoning": {"effort": "none"}}
    assert sent("any/m", thinking="on", **where) == {"reasoning": {"effort": "medium"}}
    with pytest.raises(InputError, match="takes no number of tokens"):
        sent("any/m", thinking="budget:9", **where)


def test_a_run_keeps_the_efforts_and_the_fields_that_told_them_and_what_the_server_says_was_in_force(
    tmp_path: Path,
) -> None:
    bodies: list[Any] = []

    async def handler(request: web.Request) -> web.Response:
        if request.method == "POST":
            bodies.append(await request.json())
        text = [{"type": "output_text", "text": '{"choice": "A"}'}]
        output = [{"type": "message", "content": text}]
        return web.json_response({"status": "completed", "output": output, "reasoning": bodies[-1]["reasoning"]})

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    with served(app) as url:
        choices: dict[str, Any] = {"base_url": url, "wire": "responses", "out": tmp_path / "r", "limit": 1}
        choices |= {"experiments": "restriction", "settings": {"effort": "low", "predict.effort": "high"}}
        found = sx.run("a/m", **choices)
        found = sx.run(["a/m", "b/m"], **choices)  # another model is no other setting
        with pytest.raises(InputError, match="the setting effort was 'low' when this run began and is 'max' now"):
            sx.run("a/m", **{**choices, "settings": {"effort": "max", "predict.effort": "high"}})
        checked = sx.check("a/m", base_url=url, wire="responses", settings={"effort": "low"})
        if here("judging"):
            sx.judge(found, "j/m", base_url=url, wire="responses", settings={"effort": "low"})
    # of each model: a prediction, an execution and a judgement
    told = [body["reasoning"]["effort"] for body in bodies[:6]]
    assert sorted(told[:3]) == sorted(told[3:]) == ["high", "low", "low"]
    assert {body["reasoning"]["effort"] for body in bodies[6:]} == {"low"}
    assert load_manifest(tmp_path / "r").settings == {
        "effort": "low",
        "predict.effort": "high",
        **{f"effort@{model}": {"reasoning": {"effort": "low"}} for model in ("a/m", "b/m")},
        **{f"predict.effort@{model}": {"reasoning": {"effort": "high"}} for model in ("a/m", "b/m")},
    }
    assert {reply.effort for reply in sx.load(tmp_path / "r").replies.values()} == {"low", "high"}
    assert "effort: low, as the server says" in checked.notes
    if not here("judging"):
        return
    [judge] = json.loads((tmp_path / "r" / "judges.json").read_text()).values()
    assert judge["settings"] == {"effort": "low", "effort@j/m": {"reasoning": {"effort": "low"}}}


def test_no_effort_leaves_no_trace(tmp_path: Path) -> None:
    async def handler(request: web.Request) -> web.Response:
        assert set(await request.json()) == {"model", "messages"}
        return web.json_response(completion('{"choice": "A"}'))

    app = web.Application()
    app.router.add_post("/{rest:.*}", handler)
    with served(app) as url:
        sx.run("a/m", base_url=url, limit=1, out=tmp_path / "r")
    assert load_manifest(tmp_path / "r").settings == {}
    assert "effort" not in (tmp_path / "r" / "replies.jsonl").read_text()
