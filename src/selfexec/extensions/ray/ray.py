"""Shards of a run over a Ray cluster: workers ask them, one after the other. Ray begins a worker of a lost node anew on
another one, and has it go on with the shard that it was at.

All nodes must see the folder of the run and have this package, and the variables that hold keys. Nothing of Ray is
imported before somebody asks for it.
"""

import math
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from selfexec.engines import loaded
from selfexec.errors import InputError
from selfexec.extensions.shards.joining import Joining, join
from selfexec.extras import to_install
from selfexec.runs.asking import Plan, Progress, Report, carry_out
from selfexec.runs.folder import MANIFEST
from selfexec.runs.share import Shard, shard_folders, shard_of

EXTRA = f"Ray is not installed. Install it: {to_install('ray')}"
HERE = "local"  # a cluster of this machine alone, for as long as the command takes
EACH = 4  # shards for each worker, where nobody says: who is done early takes over from the others
LOSSES = 3  # of one worker and those that Ray begins in its place, after which the run ends
LOOK = 0.5  # seconds between looks at the workers
GROW = 10.0  # seconds between looks whether there is room for more of them


def carry_out_over(address: str, plan: Plan, shards: int | None, report: Report, progress: Progress) -> Joining:
    """Carry the shards of a plan out over a cluster, and join them.

    Args:
        address: `auto` is the cluster that this machine belongs to, `local` one of this machine alone.
        plan: The plan of the whole run.
        shards: Into how many it is cut: by default as many as it is cut into already, else four for each worker.
        report: Called with the progress now and then.
        progress: Kept up to date, of all shards together.

    Raises:
        InputError: There is no such cluster, or a shard cannot be asked at all; what was done is kept.
    """
    plan = replace(plan, out=plan.out.absolute())
    with _cluster(address) as ray:
        room = Capacity(ray, plan)
        of = shards or cut_into(plan.run_folder) or EACH * room.workers
        parts = [replace(plan, shard=shard, out=shard.folder(plan.out)) for shard in (Shard(n, of) for n in range(of))]
        Workers(ray, room, shares_of_caps(parts), report, progress).work()
    for part in parts:
        if not (part.out / MANIFEST).exists():
            raise InputError(
                f"{part.out}: a worker has asked this shard, and this machine does not see it. All nodes must share "
                "the folder of the run: give one to --out that they do."
            )
    return join(plan.out)


def cut_into(run: Path) -> int | None:
    """Into how many shards a run is cut already."""
    found = [shard_of(folder.name) for folder in shard_folders(run)]
    return next((shard.of for shard in found if shard), None)


def shares_of_caps(parts: Sequence[Plan]) -> Sequence[Plan]:
    """Each part with its share of the caps, so that all together keep to them."""
    caps, n = parts[0].caps, len(parts)
    if not caps.any:
        return parts
    for option, cap in (("--max-calls", caps.calls), ("--max-total-tokens", caps.tokens)):
        if cap is not None and cap < n:
            raise InputError(f"{option} {cap}: it is shared out among {n} shards. Give more, or fewer --shards.")
    share = replace(
        caps,
        calls=None if caps.calls is None else caps.calls // n,
        tokens=None if caps.tokens is None else caps.tokens // n,
        dollars=None if caps.dollars is None else caps.dollars / n,
    )
    return [replace(part, caps=share) for part in parts]


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """Ray, connected to a cluster. InputError: there is none."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
    except ImportError:
        raise InputError(f"--ray {address}: {EXTRA}") from None
    where = {"include_dashboard": False} if address == HERE else {"address": address}
    try:
        ray.init(**where, log_to_driver=False, logging_level="error")
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as fault:
        [said, *_] = str(fault).splitlines() or [type(fault).__name__]
        raise InputError(
            f"--ray {address}: no cluster answers ({said}). `ray start --head` starts one and says its address; "
            f"--ray {HERE} takes this machine alone."
        ) from None
    try:
        yield ray
    finally:
        ray.shutdown()


class Capacity:
    """For how many workers a cluster has room: one on each node, or one at each GPU where weights are run there."""

    def __init__(self, ray: Any, plan: Plan) -> None:
        self._ray = ray
        self._weighs = any(one.loads for one in plan.respondents)

    @property
    def gpus(self) -> int:
        """How many GPUs a worker takes."""
        return int(self._weighs and self._ray.cluster_resources().get("GPU", 0) >= 1)

    @property
    def workers(self) -> int:
        there = self._ray.cluster_resources()
        if self.gpus:
            return int(there["GPU"])
        nodes: int = sum(node["Alive"] and node["Resources"].get("CPU", 0) >= 1 for node in self._ray.nodes())
        return max(1, min(nodes, int(there.get("CPU", 1))))


class Worker:
    """Asks shards, one after the other, in a process of its own. Weights stay loaded from one to the next."""

    def __init__(self) -> None:
        self._progress = Progress()
        self._held: Mapping[str, Any] = {}

    def ask(self, plan: Plan) -> Progress:
        self._progress = Progress()
        self._held = {**self._held, **loaded(plan.respondents, self._held)}
        carry_out(plan, lambda progress: None, self._progress)
        return self.progress()

    def progress(self) -> Progress:
        """How far the shard is, also while it is asked."""
        return replace(self._progress, heard=0.0, warnings=list(self._progress.warnings))


@dataclass
class Workers:
    """All workers, what each is at, and what nobody has begun."""

    ray: Any
    room: Capacity
    parts: Sequence[Plan]
    report: Report
    progress: Progress
    known: dict[Shard, Progress] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total = sum(part.sessions for part in self.parts)

    def work(self) -> None:
        """Have all parts asked. InputError: one cannot be, or its workers are lost again and again."""
        waiting, idle, busy = deque(self.parts), list[Any](), dict[Any, tuple[Any, Plan]]()
        looked = -math.inf
        try:
            while waiting or busy:
                if waiting and time.monotonic() - looked > GROW:
                    looked = time.monotonic()
                    idle += [self._hired() for _ in range(self.room.workers - len(idle) - len(busy))]
                while waiting and idle:
                    worker, part = idle.pop(), waiting.popleft()
                    busy[worker.ask.remote(part)] = (worker, part)
                while idle:  # another one may wait for its place, to be begun anew
                    self.ray.kill(idle.pop())
                done, _ = self.ray.wait(list(busy), timeout=LOOK)
                for one in done:
                    worker, part = busy.pop(one)
                    idle.append(worker)
                    self._know(part, self._result(one, part))
                self._look(busy.values())
        finally:
            for worker in [*idle, *(worker for worker, _ in busy.values())]:
                self.ray.kill(worker)

    def _hired(self) -> Any:
        # a second call may look at the progress of the first
        taken = {"num_cpus": 1, "num_gpus": self.room.gpus, "max_concurrency": 2, "scheduling_strategy": "SPREAD"}
        return self.ray.remote(**taken, max_restarts=LOSSES - 1, max_task_retries=-1)(Worker).remote()

    def _result(self, done: Any, part: Plan) -> Progress:
        """How far a worker came with a part."""
        errors = self.ray.exceptions
        try:
            found: Progress = self.ray.get(done)
        except errors.RayTaskError as fault:
            raise (fault.cause if isinstance(fault.cause, InputError) else fault) from None
        except errors.RayActorError as fault:
            [said, *_] = str(fault).splitlines()
            raise InputError(
                f"{part.out}: its worker was lost {LOSSES} times, the last time so: {said} What was done is kept; "
                "the same command goes on."
            ) from None
        return found

    def _look(self, busy: Any) -> None:
        """Ask how far the workers are, and tell it."""
        asked = {worker.progress.remote(): part for worker, part in busy}
        there, _ = self.ray.wait(list(asked), num_returns=len(asked), timeout=LOOK) if asked else ([], [])
        for one in there:
            with suppress(self.ray.exceptions.RayError):  # it is being begun anew, or `_result` says what it is
                self._know(asked[one], self.ray.get(one))
        self.report(self.progress)

    def _know(self, part: Plan, progress: Progress) -> None:
        assert part.shard
        self.known[part.shard] = progress
        self.progress.sum_up(self.known.values(), self.total)
