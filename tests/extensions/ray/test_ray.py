"""A run over a Ray cluster is the run of one process, whatever is lost on the way."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.errors import InputError
from selfexec.extensions.ray import ray as module
from selfexec.extensions.ray.ray import carry_out_over
from selfexec.extras import to_install
from selfexec.runs.asking import Plan, Progress, carry_out, plan
from selfexec.runs.asking.progress import Caps
from selfexec.runs.share import Shard, joined_shards, shard_folders
from sockets import sim_server

HAS_RAY = importlib.util.find_spec("ray") is not None


# --- with a stand-in, in this process --------------------------------------------------------------------------------


class Lost(Exception):
    pass


class Broken(Exception):
    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class StandIn:
    """What is used of Ray, done in this process. Workers are lost at their n-th shards where `losing` says so, in the
    middle of the shard; others are begun in their places as Ray does it, so often as it was asked to.
    """

    def __init__(self, nodes: int, losing: tuple[int, ...] = ()) -> None:
        self.room, self.losing, self.begun, self.hired, self.killed = nodes, losing, 0, 0, 0
        self.exceptions = type("Errors", (), {"RayActorError": Lost, "RayTaskError": Broken, "RayError": Lost})

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.room)}

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": {"CPU": 1.0}}] * self.room

    def remote(self, **options: Any) -> Any:
        def made(kind: Any) -> Any:
            self.hired += 1
            tries = 1 + options["max_restarts"] if options["max_task_retries"] else 1
            return type("Remote", (), {"remote": staticmethod(lambda: _Hired(self, kind, tries))})

        return made

    def wait(self, refs: list[Any], **how: Any) -> tuple[list[Any], list[Any]]:
        return refs, []

    def get(self, ref: Any) -> Any:
        return ref()

    def kill(self, worker: Any) -> None:
        self.killed += 1


class _Hired:
    def __init__(self, ray: StandIn, kind: Any, tries: int) -> None:
        self.worker = kind()

        def ask(part: Plan) -> Any:
            def done() -> Progress:
                for _ in range(tries):
                    ray.begun += 1
                    lost = ray.begun in ray.losing
                    try:
                        found: Progress = self.worker.ask(replace(part, caps=Caps(calls=3)) if lost else part)
                    except InputError as fault:
                        raise Broken(fault) from None
                    if not lost:
                        return found
                    self.worker = kind()
                raise Lost("the node is gone")

            return done

        self.ask = type("Method", (), {"remote": staticmethod(ask)})
        self.progress = type("Method", (), {"remote": staticmethod(lambda: self.worker.progress)})


def over(
    monkeypatch: pytest.MonkeyPatch, planned: Plan, shards: int | None = 3, nodes: int = 2, losing: tuple[int, ...] = ()
) -> tuple[StandIn, list[Shard], Progress]:
    ray = StandIn(nodes, losing)

    def cluster(address: str) -> Any:
        from contextlib import nullcontext

        return nullcontext(ray)

    monkeypatch.setattr(module, "_cluster", cluster)
    progress = Progress()
    joining = carry_out_over("auto", planned, shards, lambda now: None, progress)
    return ray, [one.shard for one in joining.left], progress


def test_all_shards_are_asked_and_what_a_lost_worker_had_is_asked_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(["sim/coin", "sim/typical"], limit=3, out=tmp_path / "r")
    ray, left, progress = over(monkeypatch, planned, losing=(1, 4))
    assert left == [] and set(joined_shards(tmp_path / "r").shards) == {"0-of-3", "1-of-3", "2-of-3"}
    assert ray.begun == 5  # three shards, and two once more
    assert (progress.total, progress.done) == (planned.sessions,) * 2
    assert progress.calls < planned.sessions  # what a lost worker had asked before was not asked again
    alone = carry_out(plan(["sim/coin", "sim/typical"], limit=3, out=tmp_path / "s"))
    assert sx.score(sx.load(tmp_path / "r")).records() == sx.score(alone).records()


def test_a_shard_that_loses_every_worker_is_named_and_what_was_done_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(["sim/coin"], limit=2, out=tmp_path / "r")
    with pytest.raises(InputError, match=r"its worker was lost 3 times, the last time so: the node is gone"):
        over(monkeypatch, planned, shards=1, nodes=1, losing=(1, 2, 3))
    assert over(monkeypatch, planned, shards=1, nodes=1)[1] == []


@pytest.mark.slow
def test_a_run_that_is_cut_already_keeps_its_number_of_shards_and_a_new_one_has_four_for_each_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(["sim/coin"], limit=2, out=tmp_path / "r")
    over(monkeypatch, planned, shards=None, nodes=2)
    assert len(shard_folders(tmp_path / "r")) == 8
    _, _, progress = over(monkeypatch, planned, shards=None, nodes=1)
    assert len(shard_folders(tmp_path / "r")) == 8 and progress.calls == 0


def test_caps_are_shared_out_and_what_is_left_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = plan(["sim/coin"], limit=4, max_calls=10, out=tmp_path / "r")
    _, left, progress = over(monkeypatch, planned, shards=2)
    assert left and progress.calls <= 10 and progress.left == planned.sessions - progress.calls
    with pytest.raises(InputError, match="max_calls 1: it is shared out among 2 shards"):
        over(monkeypatch, plan(["sim/coin"], limit=4, max_calls=1, out=tmp_path / "r"), shards=2)


def test_what_no_worker_can_ask_ends_the_run_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r" / "shards" / "0-of-3").mkdir(parents=True)
    (tmp_path / "r" / "shards" / "0-of-3" / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="the folder holds something else already"):
        over(monkeypatch, plan(["sim/coin"], limit=2, out=tmp_path / "r"))


def test_a_folder_that_nodes_do_not_share_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "carry_out", lambda *asked: None)
    with pytest.raises(InputError, match="All nodes must share the folder of the run"):
        over(monkeypatch, plan(["sim/coin"], limit=2, out=tmp_path / "r"))


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_the_extra_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--ray auto: Ray is not installed.*" + re.escape(to_install("ray"))):
        carry_out_over("auto", plan(["sim/coin"], limit=2, out=tmp_path / "r"), None, lambda now: None, Progress())
    assert not (tmp_path / "r").exists()


# --- a real cluster --------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster of two nodes on this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    found.second = found.add_node(num_cpus=2)
    try:
        yield found
    finally:
        found.shutdown()


def asked(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "selfexec", "run", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: .ci/extras tries it")
@pytest.mark.filterwarnings("ignore")
def test_two_nodes_score_as_one_process_does_also_with_one_killed_in_the_middle(tmp_path: Path, cluster: Any) -> None:
    with sim_server("--latency", "0.1") as url:
        what = ("--model", "sim/knows-itself,sim/typical", "--base-url", url, "--limit", "24", "--max-connections", "4")
        run = asked(*what, "--ray", cluster.address, "--shards", "6", "--out", str(tmp_path / "r"))
        shards = tmp_path / "r" / "shards"
        while len(list(shards.glob("*/manifest.json"))) < 4:  # the first two are done, one on each node is begun
            assert run.poll() is None, run.communicate()[0]
        cluster.remove_node(cluster.second, allow_graceful=False)
        assert run.poll() is None
        said = run.communicate(timeout=300)[0]
        assert run.returncode == 0, said
        alone = asked(*what, "--out", str(tmp_path / "s"))
        assert alone.communicate(timeout=300) and alone.returncode == 0
    assert sx.score(tmp_path / "r").records() == sx.score(tmp_path / "s").records()
    assert {k: r.text for k, r in sx.load(tmp_path / "r").replies.items()} == {
        k: r.text for k, r in sx.load(tmp_path / "s").replies.items()
    }
