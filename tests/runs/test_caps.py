"""A cap on tokens or dollars holds to within the calls under way, over all commands of a run, and nothing is lost."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web
from scipy.stats import t as student_t

import selfexec as sx
from build import Command
from selfexec.engines import Price, run_coroutine
from selfexec.errors import InputError
from selfexec.items import ItemSet
from selfexec.runs.asking import Job, carry_out, plan, remarks
from selfexec.runs.asking.estimate import RemainingPart, RunEstimate, estimate
from selfexec.runs.asking.progress import Caps, Spent, tokens_of
from selfexec.runs.asking.remaining import remaining_of
from selfexec.runs.reply import Reply
from sockets import completion, served

QUICK = {"association": 60, "restriction": 100, "difficulty": 60}
USAGE = {"prompt_tokens": 30, "completion_tokens": 50}  # at 1000 dollars a million each way: 8 cents a call


class Server:
    """Answers everything alike, and counts how many calls came and how many at once."""

    def __init__(self, usage: Any = USAGE) -> None:
        self.usage, self.calls, self.now, self.most = usage, 0, 0, 0
        self.app = web.Application()
        self.app.router.add_post("/v1/chat/completions", self.reply)

    async def reply(self, request: web.Request) -> web.Response:
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.002)
        self.now -= 1
        body = completion('{"choice": "A"}')
        return web.json_response({**body, "usage": self.usage})


@pytest.fixture
def server() -> Iterator[tuple[Server, str]]:
    behind = Server()
    with served(behind.app) as url:
        yield behind, url


def asked(url: str, out: Path, **choices: Any) -> sx.Run:
    usual = {"experiments": "restriction", "limit": 40, "base_url": url, "price": "1000,1000"}
    return sx.run("vllm/x", out=out, on_progress=lambda progress: None, **{**usual, **choices})


@pytest.mark.parametrize("at_once", [1, 7])
@pytest.mark.parametrize("cap", [{"max_cost": 2.0}, {"max_total_tokens": 2_000}])  # 25 calls, either way
def test_a_cap_is_exceeded_by_no_more_than_the_calls_under_way(
    server: tuple[Server, str], tmp_path: Path, cap: dict[str, Any], at_once: int
) -> None:
    behind, url = server
    run = asked(url, tmp_path / "r", max_connections=at_once, **cap)
    assert behind.most <= at_once
    assert 25 - 3 < behind.calls <= 25 + at_once - 1  # no item is begun that would not come to its end
    assert len(run.replies) == behind.calls
    by_item = Counter(Job(*key[:4]) for key in run.replies)
    assert sum(sessions < 3 for sessions in by_item.values()) <= at_once - 1


def test_a_cap_is_of_the_whole_run_and_a_higher_one_goes_on(server: tuple[Server, str], tmp_path: Path) -> None:
    behind, url = server
    asked(url, tmp_path / "r", max_cost=2.0, max_connections=1)
    first = behind.calls
    asked(url, tmp_path / "r", max_cost=2.0, max_connections=1)
    assert behind.calls == first  # what the first command spent is spent
    asked(url, tmp_path / "r", max_cost=4.0, max_connections=1)
    assert 47 < behind.calls <= 50
    whole = asked(url, tmp_path / "r")
    assert behind.calls == len(whole.replies) == 120  # nothing was asked twice


def test_a_capped_run_says_why_it_ended_and_exits_with_3(
    server: tuple[Server, str], tmp_path: Path, selfexec: Command
) -> None:
    _, url = server
    ask = ("run", "--model", "vllm/x", "--base-url", url, "--experiment", "restriction", "--limit", "40")
    more = ("--max-connections", "1", "--out", str(tmp_path / "r"), "--price", "1000,1000", "--max-cost")
    status, out, err = selfexec(*ask, *more, "2")
    assert status == 3
    assert "restriction   predict   8       240         400          –                $0.6400" in out
    assert "96 replies are missing (96 left by --max-cost 2: the run has cost $1.9200)." in err
    assert "The same command with more asks for the rest." in err
    assert selfexec(*ask, *more, "100")[0] == 0


def test_dollars_are_capped_only_where_every_price_is_known(tmp_path: Path, server: tuple[Server, str]) -> None:
    behind, url = server
    said = r"max_cost 2: nobody knows what vllm/x costs\. Say it: price vllm/x=IN,OUT"
    with pytest.raises(InputError, match=said):
        asked(url, tmp_path / "r", price=None, max_cost=2.0)
    assert behind.calls == 0 and not (tmp_path / "r").exists()


@pytest.mark.parametrize("cap", [{"max_cost": 0}, {"max_cost": float("nan")}, {"max_total_tokens": 0}])
def test_a_cap_that_is_none_is_refused(tmp_path: Path, cap: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"max_(cost|total_tokens)"):
        plan("sim/coin", out=tmp_path / "r", **cap)


def test_what_the_provider_says_it_cost_counts_before_any_price() -> None:
    spent = Spent({})
    reply = Reply(model="m/x", experiment="e", item="i", session="predict", text="ab", cost_usd=0.5)
    spent.count(reply)
    assert spent.dollars == 0.5 and spent.reached(Caps(dollars=0.5)) and not spent.reached(Caps(dollars=0.51))


def test_tokens_that_nobody_counted_are_taken_from_the_characters(tmp_path: Path) -> None:
    behind = Server(usage=None)
    with served(behind.app) as url:
        run = asked(url, tmp_path / "r", max_total_tokens=1_500, max_connections=1)
    # '{"choice": "A"}' has 15 characters, 4 tokens; prompts of 300 to 600 make some 100 tokens each
    assert all(tokens_of(reply)[1] == 4 for reply in run.replies.values())
    assert 5 <= behind.calls <= 20


def test_more_thoughts_than_output_are_told() -> None:
    fields = {"model": "m/x", "experiment": "e", "item": "i", "text": "a", "output_tokens": 5}
    replies = [Reply(session=f"execute.{n}", reasoning_tokens=n, **fields) for n in (4, 5, 6)]
    [said] = remarks(replies)
    assert said.startswith("m/x: 1 of 3 replies have more tokens of thoughts than of output")
    assert list(remarks(replies[:2])) == []


def test_the_range_of_the_cost_is_students_t_by_welch_and_satterthwaite() -> None:
    price = {"m": Price(0, 1, "")}
    one = RemainingPart("m", 5, (0, 1e6), (0, 1e5), own=10)
    two = RemainingPart("m", 5, (0, 2e6), (0, 2e5), own=5)
    unknown = RemainingPart("m", 5, (0, 3e6))
    # the quantile for 9 degrees of freedom is 2.262157 in every table
    assert RunEstimate([one], None).cost(price) == pytest.approx((1 - 0.2262157, 1 + 0.2262157), abs=1e-7)
    freedom = 0.05**2 / (0.01**2 / 9 + 0.04**2 / 4)
    apart = student_t.ppf(0.975, freedom) * math.sqrt(0.05)
    assert RunEstimate([one, two], None).cost(price) == pytest.approx((3 - apart, 3 + apart), abs=1e-9)
    low, high = RunEstimate([one, two, unknown], None).cost(price)
    assert (low, high) == pytest.approx((3 - apart + 3 / math.sqrt(2), 3 + apart + 3 * math.sqrt(2)), abs=1e-9)
    # two replies tell little of how they vary, but a cost is never below nothing: 12.7062 for one degree of freedom
    assert RunEstimate([replace(one, own=2)], None).cost(price) == pytest.approx((0, 1 + 1.27062), abs=1e-5)


@pytest.mark.slow
def test_the_range_that_is_quoted_spans_a_factor_of_two_and_holds_the_cost(tmp_path: Path) -> None:
    """A third of a run is here; what the rest is predicted to cost is held against what it does cost: items drawn at
    random, one of the simulated models each time.
    """
    chance, price = Random(12), {"price": "2,8"}
    whole = {}
    for name in ("knows-itself", "typical", "says-yes", "coin", "declines"):
        planned = plan(f"sim/{name}", out=tmp_path / name, **price)
        whole[name] = (planned, carry_out(planned).replies)
    held = 0
    for _ in range(100):
        planned, replies = whole[chance.choice(list(whole))]
        drawn = replace(planned, item_set=_some(planned.item_set, chance))
        third = set(drawn.epoch_jobs[: len(drawn.epoch_jobs) // 3])
        mine = {key: reply for key, reply in replies.items() if Job(*key[:4]) in set(drawn.epoch_jobs)}
        here = {key: reply for key, reply in mine.items() if Job(*key[:4]) in third}
        low, high = run_coroutine(_predicted(drawn, here)).cost(drawn.prices)
        rest = Spent(drawn.prices)
        rest.count_all(reply for key, reply in mine.items() if key not in here)
        assert high <= 2 * low
        held += low <= rest.dollars <= high
    assert held >= 90


async def _predicted(planned: Any, here: Any) -> Any:
    return await estimate(await remaining_of(planned, here), [])


def _some(item_set: ItemSet, chance: Random) -> ItemSet:
    """As many items as a quick run has, drawn anew, in an order drawn anew."""
    drawn = {e: chance.sample(list(by_id), QUICK[e]) for e, by_id in item_set.items.items()}
    return replace(item_set, items={e: {id: item_set.items[e][id] for id in ids} for e, ids in drawn.items()})
