"""A cluster with a stand-in for Ray, and for the time: what is cut and shared out, how many workers there are and when,
and what becomes of them.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec.errors import InputError
from selfexec.extensions.ray import ray as module
from selfexec.extensions.ray.ray import Capacity, Worker, Workers, carry_out_over, cut_into, shares_of_caps
from selfexec.runs.asking import Progress
from selfexec.runs.asking.progress import Caps
from selfexec.runs.share import Shard


@dataclass(frozen=True)
class Part:
    """What is used of a plan here."""

    out: Path = Path("r")
    shard: Shard | None = None
    caps: Caps = field(default_factory=Caps)
    respondents: Sequence[Any] = ()
    sessions: int = 10
    run_folder: Path = Path("r")


def parts(n: int, **more: Any) -> list[Any]:
    return [Part(shard=Shard(index, n), **more) for index in range(n)]


# --- what is cut and shared out --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("caps", "share"),
    [
        (Caps(calls=10), Caps(calls=3)),
        (Caps(calls=3), Caps(calls=1)),
        (Caps(tokens=100), Caps(tokens=33)),
        (Caps(dollars=0.75), Caps(dollars=0.25)),
        (Caps(calls=6, tokens=9, dollars=3), Caps(calls=2, tokens=3, dollars=1)),
        (Caps(), Caps()),
    ],
)
def test_each_of_three_parts_has_a_third_of_the_caps(caps: Caps, share: Caps) -> None:
    found = shares_of_caps(parts(3, caps=caps))
    assert [(part.shard, part.caps) for part in found] == [(Shard(n, 3), share) for n in range(3)]


@pytest.mark.parametrize(
    ("caps", "option"), [(Caps(calls=2), "--max-calls 2"), (Caps(tokens=2), "--max-total-tokens 2")]
)
def test_a_cap_that_leaves_a_part_nothing_is_refused(caps: Caps, option: str) -> None:
    with pytest.raises(InputError) as refused:
        shares_of_caps(parts(3, caps=caps))
    assert refused.value.typed == f"{option}: it is shared out among 3 shards. Give more, or fewer --shards."


def test_a_run_is_cut_as_its_first_shard_says_whatever_lies_beside_it(tmp_path: Path) -> None:
    assert cut_into(tmp_path) is None
    for name in ("0-mine", "1-of-3", "2-of-3"):
        (tmp_path / "shards" / name).mkdir(parents=True)
    assert cut_into(tmp_path) == 3


@pytest.mark.parametrize(("said", "cut", "of"), [(5, True, 5), (None, True, 3), (None, False, 8)])
def test_a_plan_is_cut_as_is_said_else_as_it_was_else_into_four_for_each_worker(
    said: int | None, cut: bool, of: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cut:
        (tmp_path / "shards" / "1-of-3").mkdir(parents=True)
    given: list[Any] = []

    def work() -> None:
        for part in given:
            part.out.mkdir(parents=True, exist_ok=True)
            (part.out / "manifest.json").touch()

    def shift(ray: Any, room: Any, parts: Any, report: Any, progress: Any) -> Any:
        given.extend(parts)
        return SimpleNamespace(work=work)

    monkeypatch.setitem(sys.modules, "ray", Cluster(places=2))
    monkeypatch.setattr(module, "Workers", shift)
    monkeypatch.setattr(module, "join", lambda run: f"joined {run}")
    monkeypatch.chdir(tmp_path)
    plan: Any = Part(out=Path("r"), run_folder=tmp_path)
    assert carry_out_over("auto", plan, said, lambda now: None, Progress()) == f"joined {tmp_path / 'r'}"
    assert [part.shard for part in given] == [Shard(n, of) for n in range(of)]
    assert given[1].out == tmp_path / "r" / "shards" / f"1-of-{of}"


# --- the cluster and its room ----------------------------------------------------------------------------------------


class Lost(Exception):
    """As Ray's errors of workers and nodes that are gone."""


class Failed(Exception):
    """As Ray's error of a task."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("in a task")
        self.cause = cause


class Cluster:
    """What is used of Ray. A shard takes `each` seconds by a clock that goes on only while somebody waits, and a look
    at progress none. `places` is for how many workers there is room, at first and from some second on.
    """

    exceptions = SimpleNamespace(RayError=Lost, RayActorError=Lost, RayTaskError=Failed)

    def __init__(self, places: int = 1, later: tuple[float, int] = (1e9, 0), each: float = 1.0) -> None:
        self.places, self.later = places, later
        self.seconds: Callable[[], float] = lambda: each
        self.now = 100.0
        self.hired, self.killed, self.options = list[float](), list[Any](), list[Any]()
        self.of_shards: Callable[[Shard], Any] = lambda shard: Progress(done=10)
        self.of_looks: Callable[[], Any] = lambda: Progress(done=1)
        self.opened: list[Any] = []

    def init(self, **how: Any) -> None:
        self.opened.append(how)

    def shutdown(self) -> None:
        self.opened.append("shut down")

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.places if self.now < self.later[0] else self.later[1])}

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": {"CPU": 1.0}}] * 9

    def remote(self, **options: Any) -> Any:
        self.options.append(options)
        return lambda kind: SimpleNamespace(remote=self._hire)

    def _hire(self) -> Any:
        self.hired.append(self.now - 100)
        return SimpleNamespace(
            name=len(self.hired),
            ask=SimpleNamespace(remote=lambda part: Ref(self.now + self.seconds(), lambda: self.of_shards(part.shard))),
            progress=SimpleNamespace(remote=lambda: Ref(self.now, lambda: self.of_looks())),
        )

    def wait(self, refs: Sequence[Any], *, timeout: float, num_returns: int = 1) -> tuple[list[Any], list[Any]]:
        assert 1 <= num_returns <= len(refs)  # else Ray refuses it
        soon = [ref for ref in refs if ref.ready <= self.now]
        if len(soon) < num_returns:
            self.now += timeout
        done = [ref for ref in refs if ref.ready <= self.now][:num_returns]
        return done, [ref for ref in refs if ref not in done]

    def get(self, ref: Any) -> Any:
        found = ref.get()
        if isinstance(found, Exception):
            raise found
        return found

    def kill(self, worker: Any) -> None:
        self.killed.append(worker.name)


@dataclass(frozen=True, eq=False)
class Ref:
    """Of what a worker does, and when it is there."""

    ready: float
    get: Callable[[], Any]


@pytest.mark.parametrize(
    ("address", "how"), [("local", {"include_dashboard": False}), ("ray://head:1", {"address": "ray://head:1"})]
)
def test_a_cluster_is_left_whatever_happens_and_nothing_is_told_to_anybody(
    address: str, how: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = Cluster()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED")

    def fail_there() -> None:
        with module._cluster(address) as found:
            assert found is ray and os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
            raise KeyError

    with pytest.raises(KeyError):
        fail_there()
    assert ray.opened == [{**how, "log_to_driver": False, "logging_level": "error"}, "shut down"]


@pytest.mark.parametrize(
    ("fault", "said"), [(ConnectionError("nobody there\nat all"), "nobody there"), (RuntimeError(), "RuntimeError")]
)
def test_a_cluster_that_does_not_answer_is_told_with_the_first_line_of_why(
    fault: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = Cluster()

    def init(**how: Any) -> None:
        raise fault

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with pytest.raises(InputError) as refused, module._cluster("auto"):
        pass
    assert str(refused.value).startswith(f"--ray auto: no cluster answers ({said}). ")
    assert ray.opened == []  # what was not opened is not shut down


def node(cpus: float | None = 4, alive: bool = True) -> dict[str, Any]:
    return {"Alive": alive, "Resources": {} if cpus is None else {"CPU": cpus}}


@pytest.mark.parametrize(
    ("loads", "there", "nodes", "gpus", "workers"),
    [
        # one on each node, whatever lies there, where no weights are run
        (False, {"CPU": 8, "GPU": 4}, [node(), node()], 0, 2),
        (False, {"CPU": 8}, [node(), node(alive=False), node(0.5), node(None), node(1)], 0, 2),
        (False, {"CPU": 1}, [node(), node(), node()], 0, 1),  # the rest is taken
        (False, {"CPU": 8}, [], 0, 1),
        (False, {}, [node(), node()], 0, 1),
        # one at each GPU where they are, and a whole one
        (True, {"CPU": 8, "GPU": 4}, [node(), node()], 1, 4),
        (True, {"CPU": 8, "GPU": 1}, [node(), node()], 1, 1),
        (True, {"CPU": 8, "GPU": 0.5}, [node(), node()], 0, 2),
        (True, {"CPU": 8}, [node(), node(), node()], 0, 3),
    ],
)
def test_there_is_room_for_one_worker_on_each_node_or_at_each_gpu(
    loads: bool, there: dict[str, float], nodes: list[Any], gpus: int, workers: int
) -> None:
    ray = SimpleNamespace(cluster_resources=lambda: there, nodes=lambda: nodes)
    plan: Any = Part(respondents=[SimpleNamespace(loads=False), SimpleNamespace(loads=loads)])
    room = Capacity(ray, plan)
    assert (room.gpus, room.workers) == (gpus, workers)


# --- workers ---------------------------------------------------------------------------------------------------------


def test_a_worker_keeps_its_weights_from_shard_to_shard_and_its_progress_may_be_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[str, list[str], int]] = []

    def loaded(respondents: Any, held: dict[str, Any]) -> dict[str, Any]:
        return {f"weights {len(held)}": object()}

    def carry_out(plan: Any, report: Any, progress: Progress) -> None:
        seen.append((plan.shard.name, sorted(worker._held), progress.done))
        progress.done = 7
        progress.warnings.append("careful")

    monkeypatch.setattr(module, "loaded", loaded)
    monkeypatch.setattr(module, "carry_out", carry_out)
    worker = Worker()
    one, two = parts(2)
    assert worker.ask(one).done == 7
    first = worker.progress()
    assert worker.ask(two).warnings == ["careful"]  # its own alone
    assert seen == [("0-of-2", ["weights 0"], 0), ("1-of-2", ["weights 0", "weights 1"], 0)]
    assert first.heard == 0.0  # a clock of another machine says nothing here
    assert first.warnings == ["careful"] and worker.progress().warnings is not worker.progress().warnings


@pytest.fixture
def shift(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Workers]]:
    """Of workers at so many shards, in the stand-in's time."""

    def made(ray: Cluster, shards: int, told: Callable[[Progress], None] = lambda now: None) -> Workers:
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: ray.now))
        plan: Any = Part()
        return Workers(ray, Capacity(ray, plan), parts(shards), told, Progress())

    return made


def test_two_workers_share_five_shards_and_each_is_dismissed_when_nothing_waits(shift: Callable[..., Workers]) -> None:
    ray = Cluster(places=2)
    told: list[tuple[int, int]] = []
    work = shift(ray, 5, lambda now: told.append((now.done, now.total)))
    work.work()
    assert list(work.known) == [Shard(n, 5) for n in range(5)]
    assert all(one.done == 10 for one in work.known.values())
    assert ray.hired == [0, 0] and sorted(ray.killed) == [1, 2]
    taking = {"num_cpus": 1, "num_gpus": 0, "max_concurrency": 2, "scheduling_strategy": "SPREAD"}
    # Ray begins a lost worker anew wherever there is room, twice, and has it go on with its shard
    assert ray.options == [{**taking, "max_restarts": 2, "max_task_retries": -1}] * 2
    # five times ten sessions; while two shards are asked for the first time each has one behind it
    assert told[0] == (2, 50) and told[-1] == (50, 50)


def test_a_worker_that_is_done_gives_its_place_up_while_others_are_at_work(shift: Callable[..., Workers]) -> None:
    ray = Cluster(places=2)
    at_work: list[int] = []
    took = iter([1.0, 9.0])
    ray.seconds = lambda: next(took)
    shift(ray, 2, lambda now: at_work.append(2 - len(ray.killed))).work()
    assert 1 in at_work and at_work[-1] == 1  # which another one, lost and begun anew, may want


def test_room_that_comes_later_is_taken_within_ten_seconds_and_not_looked_for_when_nothing_waits(
    shift: Callable[..., Workers],
) -> None:
    # looks are half a second apart: the first after more than ten seconds is at 10.5
    ray = Cluster(places=1, later=(102, 3), each=13)
    shift(ray, 3).work()
    assert ray.hired == [0, 10.5, 10.5]
    assert ray.now - 100 == 23.5  # 13 seconds after the last ones began
    ray = Cluster(places=1, later=(102, 3), each=13)
    shift(ray, 1).work()
    assert ray.hired == [0]


def test_a_worker_that_is_being_begun_anew_does_not_end_the_run(shift: Callable[..., Workers]) -> None:
    ray = Cluster(places=1)
    ray.of_looks = lambda: Lost("nobody can tell")
    work = shift(ray, 2)
    work.work()
    assert sorted(work.known, key=lambda shard: shard.index) == [Shard(0, 2), Shard(1, 2)]


def test_a_shard_whose_workers_ray_gives_up_is_named(shift: Callable[..., Workers]) -> None:
    ray = Cluster()
    ray.of_shards = lambda shard: Lost("gone for good\nso")
    with pytest.raises(InputError, match=r"^r: its worker was lost 3 times, the last time so: gone for good What"):
        shift(ray, 1).work()


@pytest.mark.parametrize("cause", [InputError("no key"), KeyError("a bug")])
def test_what_a_task_raises_is_raised_here_and_the_workers_are_dismissed(
    cause: Exception, shift: Callable[..., Workers]
) -> None:
    ray = Cluster(places=3)
    ray.of_shards = lambda shard: Failed(cause) if shard.index == 1 else Progress(done=10)
    with pytest.raises(InputError if isinstance(cause, InputError) else Failed):
        shift(ray, 3).work()
    assert len(ray.hired) == 3 and sorted(ray.killed) == [1, 2, 3]
