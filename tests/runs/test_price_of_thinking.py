"""What a run is quoted to cost where replies think, against what a server of scripted prices charges."""

import asyncio
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from aiohttp import web

from selfexec.engines import Price, Sampling, run_coroutine
from selfexec.engines.base import Connection
from selfexec.engines.registry import Respondent
from selfexec.experiments import EXPERIMENTS
from selfexec.runs import Reply
from selfexec.runs.asking import carry_out, plan
from selfexec.runs.asking.estimate import Beyond, RemainingPart, RunEstimate, estimate, known_to_think
from selfexec.runs.asking.remaining import remaining_of
from sockets import completion, served

MEAN = 900  # tokens of thoughts in a reply, on average


class Thinker:
    """A server whose replies think for a time that is lognormally distributed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.app = web.Application()
        self.app.router.add_post("/v1/chat/completions", self.reply)

    async def reply(self, request: web.Request) -> web.Response:
        content = (await request.json())["messages"][-1]["content"]
        usage = {"prompt_tokens": len(content) // 4, "completion_tokens": 40 + thoughts(self.rng)}
        return web.json_response({**completion('{"choice": "A"}'), "usage": usage})


def thoughts(rng: np.random.Generator, sigma: float = 0.8) -> int:
    return int(rng.lognormal(math.log(MEAN) - sigma**2 / 2, sigma))


async def quoted(planned: Any, here: Any) -> RunEstimate:
    return await estimate(await remaining_of(planned, here), [])


def quick(out: Path, model: str = "any/reasoner", **more: Any) -> Any:
    return plan(model, preset="quick", price="1,4", out=out, **more)


@pytest.mark.slow
def test_after_60_calls_the_range_holds_what_the_rest_costs_in_nine_of_ten_runs(tmp_path: Path) -> None:
    with served(Thinker(1).app) as url:
        planned = quick(tmp_path / "r", "any/m", base_url=url)
        replies = carry_out(planned).replies
    price, rng, held, ratios = planned.prices["any/m"], np.random.default_rng(2), 0, []
    first = [key for job in planned.epoch_jobs for key in planned.keys(job)][:60]
    for _ in range(40):
        drawn = {key: msgspec.structs.replace(r, output_tokens=40 + thoughts(rng)) for key, r in replies.items()}
        here = {key: drawn[key] for key in first}
        low, high = run_coroutine(quoted(planned, here)).cost(planned.prices)
        rest = sum(price.of(r.input_tokens, r.output_tokens) for key, r in drawn.items() if key not in here)
        held += low <= rest <= high
        ratios.append(high / low)
    assert held >= 36
    assert np.mean(ratios) < 2.5  # a range that says something


def test_kinds_not_yet_seen_take_as_much_more_as_those_that_were_seen(tmp_path: Path) -> None:
    planned = plan("any/m", base_url="http://127.0.0.1:9/v1", price="1,4", limit=10, out=tmp_path / "r")
    jobs = [job for job in planned.epoch_jobs if job.experiment == "restriction"][:8]
    keys = [key for job in jobs for key in planned.keys(job) if key.session == "predict"]
    # 182 are usual in this kind: each of eight took a thousand more
    here = {key: Reply(**key.fields(), text="A", input_tokens=10, output_tokens=1182) for key in keys}
    rest = asyncio.run(quoted(planned, {}))
    now = asyncio.run(remaining_of(planned, here))
    seen = asyncio.run(estimate(replace(now, stored=here), []))
    assert EXPERIMENTS["restriction"].tokens["predict"] == 182
    before = sum(part.tokens[1] for part in rest.parts)
    sessions = sum(part.sessions for part in rest.parts)
    # replies of the eight stand for their kind with 1,182, all others are expected to take a thousand more
    assert seen.output_tokens == pytest.approx(before + 1000 * sessions)


def test_the_error_of_what_kinds_share_is_not_taken_for_independent() -> None:
    beyond = Beyond(more=900, error=50, replies=60)
    parts = [beyond.added_to(RemainingPart("m", n, (0, 0)), 0, 100) for n in (30, 70)]
    # a hundred sessions, each off by the same 50 tokens
    assert math.sqrt(sum(part.errors[1] ** 2 for part in parts)) == pytest.approx(100 * 50)
    assert [part.tokens[1] for part in parts] == [27_000, 63_000]


def test_the_first_guess_for_a_model_that_is_known_to_think_spans_what_models_think(tmp_path: Path) -> None:
    def first(model: str, **more: Any) -> tuple[float, float]:
        planned = quick(tmp_path / "r", model, base_url="http://127.0.0.1:9/v1", **more)
        return asyncio.run(quoted(planned, {})).cost(planned.prices)

    # 720 sessions; with 900 tokens of thoughts in each $2.59 come to what they say and what they are asked
    low, high = first("any/reasoner")
    assert low < 2.59 < high and high == pytest.approx(9 * low)
    plain = first("any/m")
    assert plain[1] == pytest.approx(2 * plain[0]) and plain[1] < 2.59
    assert first("any/m", settings={"reasoning_effort": "high"})[1] == pytest.approx(high)


def think(name: str, **settings: Any) -> bool:
    return known_to_think(Respondent(name, name, (Connection(),), Sampling(settings=settings)))


@pytest.mark.parametrize(
    "name",
    ["openai/o4-mini", "openai/gpt-5.2", "deepseek/deepseek-r1", "x/deepseek-reasoner", "moonshot/kimi-k2-thinking",
     "qwen/qwq-32b", "google/gemini-2.5-flash", "deepseek-r1:7b", "openai/gpt-oss-120b"],
)  # fmt: skip
def test_names_of_models_that_think_are_known(name: str) -> None:
    assert think(name) and not think(name, effort="none")


@pytest.mark.parametrize("name", ["openai/gpt-4o", "openai/gpt-4o-mini", "meta/llama-3.1-8b", "x/thinkpad", "x/foo1"])
def test_other_names_are_not_but_settings_may_say_so(name: str) -> None:
    assert not think(name) and think(name, effort="high") and think(name, **{"predict.thinking": {"type": "enabled"}})
    assert not think(name, thinking={"type": "disabled"}) and not think(name, reasoning_effort="none")


def test_thoughts_are_priced_as_output() -> None:
    part = Beyond(more=1000, factor=3.0).added_to(RemainingPart("m", 10, (0, 0)), 0, 10)
    assert RunEstimate([part], None).cost({"m": Price(0, 100, "")}) == pytest.approx((1 / 3, 3))
