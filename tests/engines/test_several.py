"""Models of several engines, at several addresses and under other names are asked as one run asks its models."""

import asyncio
from types import TracebackType
from typing import Any, Self

import pytest

from selfexec.engines import Call, CallResult, Connection, Respondent, Sampling, engine_of
from selfexec.engines import registry as module
from selfexec.errors import InputError
from selfexec.items import load
from selfexec.runs.asking.executor import queues_of
from sockets import call

ITEMS = load("starter")
HERE, A, B = Connection(), Connection(base_url="http://a.example/v1"), Connection(base_url="http://b.example/v1")


class Slow:
    """An engine that answers when it is told to."""

    def __init__(self, models: Any, items: Any, connection: Connection) -> None:
        self.models = list(models)
        self.where = connection.base_url
        self.warnings = [f"{self.where} is slow"]
        self.addresses = dict.fromkeys(models, connection.base_url or "here")
        self.asked: list[str] = []
        self.go = asyncio.Event()
        self.open = False

    async def __aenter__(self) -> Self:
        self.open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open = False

    async def ask(self, asked: Call) -> CallResult:
        self.asked.append(asked.model)
        await self.go.wait()
        return CallResult(self.where)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Slow]:
    found: list[Slow] = []

    def engine_for(models: Any, items: Any, connection: Connection) -> Slow:
        found.append(Slow(models, items, connection))
        return found[-1]

    monkeypatch.setattr(module, "engine_for", engine_for)
    return found


def respondent(name: str, asked: str, *connections: Connection) -> Respondent:
    return Respondent(name, asked, connections, Sampling())


def test_there_is_one_engine_for_each_address_and_for_each_type_and_one_alone_is_itself(opened: list[Slow]) -> None:
    several = [respondent("x", "vllm/m", A, B), respondent("y", "vllm/n", A), respondent("z", "vllm/m", A)]
    engine_of([*several, respondent("sim/coin", "sim/coin", HERE), respondent("openai/o", "openai/o", HERE)], ITEMS)
    assert [(one.where, one.models) for one in opened] == [
        *((A.base_url, ["vllm/m", "vllm/n"]), (B.base_url, ["vllm/m"])),
        *((None, ["sim/coin"]), (None, ["openai/o"])),
    ]
    assert engine_of([respondent("vllm/m", "vllm/m", A)], ITEMS) is opened[-1]


def test_calls_go_where_the_fewest_are_under_way_under_the_name_that_is_known_there(opened: list[Slow]) -> None:
    engine = engine_of([respondent("x", "vllm/m", A, B), respondent("y", "vllm/n", B)], ITEMS)
    a, b = opened

    async def asked() -> list[CallResult]:
        async with engine:
            assert a.open and b.open
            waiting = [asyncio.create_task(engine.ask(call(name))) for name in ("y", "y", "x", "x", "x")]
            await asyncio.sleep(0)
            # two of y's are under way at b; x's go to a until it has as many, and then to whom comes first
            assert (a.asked, b.asked) == (["vllm/m"] * 3, ["vllm/n"] * 2)
            b.go.set()
            await asyncio.sleep(0.01)
            waiting.append(asyncio.create_task(engine.ask(call("x"))))
            await asyncio.sleep(0)
            assert b.asked[-1] == "vllm/m"
            a.go.set()
            return await asyncio.gather(*waiting)

    found = asyncio.run(asked())
    assert [one.text for one in found] == [B.base_url] * 2 + [A.base_url] * 3 + [B.base_url]
    assert not a.open and not b.open


def test_what_each_engine_warns_of_and_where_it_asks_is_told_by_the_names_of_the_run(opened: list[Slow]) -> None:
    engine = engine_of([respondent("x", "vllm/m", A, B), respondent("y", "vllm/n", B)], ITEMS)
    assert engine.warnings == [f"{A.base_url} is slow", f"{B.base_url} is slow"]
    opened[1].warnings.append("later")
    assert engine.warnings[-1] == "later"
    assert dict(engine.addresses) == {"x": f"{A.base_url}, {B.base_url}", "y": B.base_url}


def test_those_are_together_who_are_reached_alike() -> None:
    one, two, three = respondent("x", "vllm/m", A), respondent("y", "vllm/n", A, B), respondent("z", "vllm/n", A)
    assert queues_of([one, two, three], {}) == [[one, three], [two]]


def test_a_respondent_is_simulated_only_where_nothing_is_sent_anywhere() -> None:
    assert respondent("x", "sim/coin", HERE).simulated
    assert not respondent("x", "sim/coin", HERE, A).simulated


def test_a_model_that_its_engine_does_not_have_is_refused_among_others() -> None:
    with pytest.raises(InputError, match="sim/nobody"):
        engine_of([respondent("a", "sim/coin", HERE), respondent("b", "sim/nobody", HERE)], ITEMS)
