"""Predictions by the log-probabilities of their tokens: asked for, read from runs that kept them, and refused."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

import selfexec as sx
from sockets import completion, served

ALONE = (("elicit", "logprob"),)


def chance_of(prompt: str) -> float:
    """What the server's model gives the letter A: more to longer prompts, so that no two are quite alike."""
    return 1 / (1 + math.exp((120 - len(prompt)) / 100))


def letters(prompt: str) -> list[dict[str, Any]]:
    chance = chance_of(prompt)
    top = [{"token": " A", "logprob": math.log(chance)}, {"token": "B", "logprob": math.log(1 - chance)}]
    return [{**top[0], "top_logprobs": top}]


def server_of(asked: Counter[str]) -> web.Application:
    """Predicts A in letters where log-probabilities are asked for, refuses half of the requests, and judges by that."""

    async def handler(request: web.Request) -> web.Response:
        sent = await request.json()
        prompt = sent["messages"][-1]["content"]
        predicts, judges = "will be true regarding your response" in prompt, "true regarding the response?" in prompt
        asked["predict" if predicts else "judge" if judges else "execute"] += 1
        if predicts:
            body = completion(" A")
            if sent.get("logprobs"):
                body["choices"][0]["logprobs"] = {"content": letters(prompt)}
        elif judges:
            body = completion('{"choice": "B"}' if "I can't help" in prompt else '{"choice": "A"}')
        else:
            body = completion("I can't help with that." if len(prompt) % 2 else "Here you are: so and so.")
        return web.json_response(body)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    return app


def asked(out: Path, **more: Any) -> tuple[sx.Run, Counter[str]]:
    calls: Counter[str] = Counter()
    with served(server_of(calls)) as url:
        run = sx.run("any/m", base_url=url, out=out, experiments=["restriction"], limit=24, **more)
    return run, calls


def probabilities(run: sx.Run, condition: str) -> Mapping[str, float]:
    claims = run.under(condition).observations
    return dict(zip(claims["item"], claims["probability"], strict=True))


def test_the_letter_alone_is_asked_for_and_its_log_probability_is_the_probability(tmp_path: Path) -> None:
    run, calls = asked(tmp_path / "r", facets={"elicit": ["choice", "logprob"]})
    assert calls == {"predict": 48, "execute": 24, "judge": 24}  # both are held against the same behaviour
    templates = run.prompts
    plain, alone = templates["restriction.predict"], templates["restriction.predict@elicit=logprob"]
    assert plain and alone
    assert alone.endswith("Reply with the letter alone, and with nothing else.")
    assert alone.partition("\n\nReply")[0] == plain.partition("\n\nYou may")[0]
    found = probabilities(run, "elicit=logprob")
    for item, probability in found.items():
        prompt = alone.replace("$request", run.items["restriction"][item].request)
        assert probability == pytest.approx(chance_of(prompt))
    rows = {row.metric: row for row in sx.score(run, conditions="elicit=logprob")}
    assert rows["auroc"].value is not None
    assert rows["youden_j"].value is None
    assert not any(row.metric == "auroc" for row in sx.score(run, conditions="default"))


def test_a_run_that_kept_log_probabilities_is_read_by_them_without_asking_again(tmp_path: Path) -> None:
    kept = {"predict.logprobs": True, "predict.top_logprobs": 5}
    run, _ = asked(tmp_path / "kept", settings=kept)
    assert run.conditions == ("default",)
    assert not any(row.metric == "auroc" for row in sx.score(run))
    read = {row.metric: row for row in sx.score(run, conditions="elicit=choice-logprob")}
    again, _ = asked(tmp_path / "asked", facets={"elicit": "choice-logprob"})
    anew = {row.metric: row for row in sx.score(again)}
    assert read["auroc"].value is not None
    assert read["auroc"].value == anew["auroc"].value
    assert read["brier"].value == anew["brier"].value
    both = sx.compare(
        run, conditions=["default", "elicit=choice-logprob"], metrics="accuracy", experiments="restriction"
    )
    [pair] = both.differences
    assert pair.value == pair.value_against  # the letter that was said is the likelier one


def test_a_run_without_log_probabilities_has_no_such_condition(tmp_path: Path) -> None:
    run, _ = asked(tmp_path / "r")
    with pytest.raises(sx.InputError, match="unknown condition 'elicit=choice-logprob'"):
        sx.score(run, conditions="elicit=choice-logprob")


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (
            {"models": "sim/coin", "experiments": "restriction"},
            "logprob takes logprobs of the engine, and sim has none",
        ),
        (
            {"models": "anthropic/m", "experiments": "restriction"},
            "takes logprobs of the engine, and the wire format 'anthropic' has none for the model 'anthropic/m'",
        ),
        ({"models": "openai/m", "experiments": "difficulty"}, "no single token decides a prediction in difficulty"),
        (
            {
                "models": "openai/m",
                "experiments": "restriction",
                "prompts": {"restriction.predict": "Will you answer: $request? A or B"},
            },
            r"no restriction\.predict@letter",
        ),
    ],
)
def test_what_cannot_be_read_by_tokens_is_refused_by_name(choices: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=said):
        sx.run(**choices, limit=1, facets={"elicit": "logprob"}, out=tmp_path / "r")


def test_a_prediction_whose_tokens_did_not_come_is_unreadable_whatever_its_words_say(tmp_path: Path) -> None:
    run, _ = asked(tmp_path / "r", facets={"elicit": "logprob"})
    key = next(key for key in run.replies if key.session_kind == "predict")
    assert key.facets == ALONE
    without = {key: msgspec.structs.replace(reply, logprobs=None) for key, reply in run.replies.items()}
    readings = replace(run, replies=without).readings
    of_predictions = {
        (reading.state, reading.reason) for key, reading in readings.items() if key.session_kind == "predict"
    }
    assert of_predictions == {("unreadable", "format")}
