"""How each model of a run is asked: under which name, at which addresses, with what beside the prompt; and one engine
for all of them, whatever engines serve each."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Self

import msgspec

from selfexec.engines.base import Call, Check, Checking, Connection, Engine, Experienced, Outcome, Waiting
from selfexec.engines.registry import effort_in, engine_for, engine_type
from selfexec.engines.settings import EFFORT, Sampling
from selfexec.errors import Interrupted, NoApiKey
from selfexec.experiments import Capability
from selfexec.items import ItemSet


@dataclass(frozen=True)
class Respondent:
    """A model as a run asks it.

    `name` is what the run calls it, `asked` what its engine does. `connections` says how it is reached: one, or one for
    each of its addresses, among which its calls are shared out.
    """

    name: str
    asked: str
    connections: tuple[Connection, ...]
    sampling: Sampling

    @property
    def simulated(self) -> bool:
        """Whether it is simulated in this process, so that nothing is sent anywhere."""
        return all(engine_type(self.asked, connection).simulated for connection in self.connections)

    @cached_property
    def can(self) -> frozenset[Capability]:
        """What can be carried to it beside one user message and its reply, at each of its addresses."""
        engines = (engine_type(self.asked, one).capabilities(self.asked, one) for one in self.connections)
        return frozenset.intersection(*engines)

    @property
    def efforts(self) -> dict[str, Any]:
        """How it is told how hard to think, as a run keeps it, by setting and name: `predict.effort@openai/m`."""
        levels = {name: level for name, level in self.sampling.settings.items() if name.split(".")[-1] == EFFORT}
        where = self.connections[0]  # the same wherever it runs
        return {f"{n}@{self.name}": effort_in(self.asked, where, level, {}) for n, level in levels.items()}

    @property
    def loads(self) -> bool:
        """Whether something of it is loaded in this process."""
        return any(engine_type(self.asked, connection).load for connection in self.connections)


def loaded(respondents: Iterable[Respondent], held: Mapping[str, Any]) -> dict[str, Any]:
    """What these need loaded in this process and is not `held`, by model."""
    found: dict[str, Any] = {}
    for one in respondents:
        for connection in one.connections:
            load = engine_type(one.asked, connection).load
            if load and one.asked not in {**held, **found}:
                found[one.asked] = load(one.asked)
    return found


def engine_of(respondents: Sequence[Respondent], item_set: ItemSet) -> Engine:
    """The engine that asks all of these. InputError where one of them cannot be asked, NoApiKey without a key."""
    served: list[tuple[Connection, list[str]]] = []
    place: dict[str, list[int]] = {}
    for one in respondents:
        place[one.name] = [_place(served, connection, one.asked) for connection in one.connections]
    engines = [engine_for(models, item_set, connection) for connection, models in served]
    if len(engines) == 1 and all(one.name == one.asked for one in respondents):
        return engines[0]
    asked = {one.name: one.asked for one in respondents}
    return _Several(asked, {name: [engines[n] for n in places] for name, places in place.items()})


def _place(served: list[tuple[Connection, list[str]]], connection: Connection, model: str) -> int:
    """Which engine asks a model at an address, which is noted: one for what is reached alike by engines of one type."""
    kind = engine_type(model, connection)
    for n, (known, models) in enumerate(served):
        if known == connection and engine_type(models[0], known) is kind:
            if model not in models:
                models.append(model)
            return n
    served.append((connection, [model]))
    return len(served) - 1


def keys_lacking(respondents: Sequence[Respondent], item_set: ItemSet) -> list[str]:
    """What of keys these could not be asked without, in sentences. Whatever else is in the way is refused."""
    found: dict[str, None] = {}
    for one in respondents:
        try:
            engine_of([one], item_set)
        except NoApiKey as fault:
            found[fault.typed] = None
    if not found:
        engine_of(respondents, item_set)  # what they are refused for together
    return list(found)


class _Several:
    """Hands each call to the engine of its model; of a model at several addresses to the one with the fewest calls
    under way. Where one of these addresses can be asked no more for now, its calls go to the others.
    """

    def __init__(self, asked: Mapping[str, str], engines: Mapping[str, Sequence[Engine]]) -> None:
        self._asked = asked
        self._engines = engines
        self._all = list({id(engine): engine for some in engines.values() for engine in some}.values())
        self._under_way = Counter[int]()
        self._lost: set[tuple[str, int]] = set()  # models, with an engine that can ask them no more for now
        self._opened = AsyncExitStack()
        self.warnings: list[str] = []
        self.waiting: dict[str, str] = {}
        for engine in self._all:
            self.warnings += engine.warnings
            engine.warnings = self.warnings  # where they say what comes later, too
            if isinstance(engine, Waiting):
                engine.waiting = self.waiting
        self.addresses: Mapping[str, str] = {
            name: ", ".join(dict.fromkeys(engine.addresses[asked[name]] for engine in some))
            for name, some in engines.items()
            if all(asked[name] in engine.addresses for engine in some)
        }

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as opened:
            for engine in self._all:
                await opened.enter_async_context(engine)
            self._opened = opened.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.__aexit__(kind, error, trace)

    def report_checks(self, report: Callable[[Check], None]) -> None:
        for engine in self._all:
            if isinstance(engine, Checking):
                engine.report_checks(report)

    def note_answered(self, addresses: Collection[str]) -> None:
        for engine in self._all:
            if isinstance(engine, Experienced):
                engine.note_answered(addresses)

    async def ask(self, call: Call) -> Outcome:
        model, asked = call.model, self._asked[call.model]
        if asked != model:
            call = msgspec.structs.replace(call, key=call.key._replace(model=asked))
        while True:
            able = [one for one in self._engines[model] if (model, id(one)) not in self._lost] or self._engines[model]
            engine = min(able, key=lambda one: self._under_way[id(one)])
            self._under_way[id(engine)] += 1
            try:
                return await engine.ask(call)
            except Interrupted as fault:
                self._lost.add((model, id(engine)))
                if all((model, id(one)) in self._lost for one in self._engines[model]):
                    raise
                if (said := f"{fault.obstacle} Its calls went to the other addresses of {model}") not in self.warnings:
                    self.warnings.append(said)
            finally:
                self._under_way[id(engine)] -= 1
