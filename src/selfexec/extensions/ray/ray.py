"""Shards of a run over a Ray cluster: workers ask them, one after the other, and what one had begun that was lost
another goes on with.

All nodes must see the folder of the run and have this package, and the variables that hold keys. Nothing of Ray is
imported before somebody asks for it.
"""

import math
import os
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from selfexec.engines import loaded
from selfexec.errors import InputError
from selfexec.extras import to_install
from selfexec.runs.asking import Plan, Progress, Report, carry_out
from selfexec.runs.shards import Shard, shard_folders, shard_of, whole_shards

EXTRA = f"Ray is not installed. Install it: {to_install('ray')}"
HERE = "local"  # a cluster of this machine alone, for as long as the command takes
EACH = 4  # shards for each worker, where nobody says: who is done early takes over from the others
LOSSES = 3  # of workers at one shard, after which it is given up
LOOK = 0.5  # seconds between looks at the workers
GROW = 10.0  # seconds between looks whether there is room for more of them


def carry_out_over(address: str, plan: Plan, shards: int | None, report: Report, progress: Progress) -> Sequence[Shard]:
    """Carry the shards of a plan out over the cluster at an address (`auto`: the one that this machine belongs to;
    `local`: one of this machine alone), and return those that are not whole in the end.

    `shards` is into how many the plan is cut: by default as many as it is cut into already, else four for each worker.
    `progress` is kept up to date, of all of them together. InputError: there is no such cluster, or a shard cannot be
    asked at all; what was done is kept.
    """
    plan = replace(plan, out=plan.out.absolute())
    with _cluster(address) as ray:
        room = _Room(ray, plan)
        of = shards or _cut_into(plan.run_folder) or EACH * room.workers
        parts = [replace(plan, shard=shard, out=shard.folder(plan.out)) for shard in (Shard(n, of) for n in range(of))]
        known = _Shift(ray, room, _shares_of_caps(parts), report, progress).work()
    whole = whole_shards(plan.out)
    left = [shard for shard in known if shard.name not in whole]
    for shard in left:
        if not known[shard].unfinished:
            raise InputError(
                f"{shard.folder(plan.out)}: a worker has asked this shard, and this machine does not see it whole. "
                "All nodes must share the folder of the run: give one to --out that they do."
            )
    return left


def _cut_into(run: Path) -> int | None:
    """Into how many shards a run is cut already."""
    found = [shard_of(folder.name) for folder in shard_folders(run)]
    return next((shard.of for shard in found if shard), None)


def _shares_of_caps(parts: Sequence[Plan]) -> Sequence[Plan]:
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


class _Room:
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


class _Worker:
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
class _Shift:
    """All workers, what each is at, and what nobody has begun."""

    ray: Any
    room: _Room
    parts: Sequence[Plan]
    report: Report
    progress: Progress
    losses: Counter[Shard | None] = field(default_factory=Counter)
    known: dict[Shard, Progress] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total = sum(part.sessions for part in self.parts)

    def work(self) -> Mapping[Shard, Progress]:
        """Have all parts asked, and return how each went. InputError: one cannot be, or its workers are lost again and
        again.
        """
        waiting, idle, busy = deque(self.parts), list[Any](), dict[Any, tuple[Any, Plan]]()
        looked = -math.inf
        try:
            while waiting or busy:
                if waiting and ((not idle and not busy) or time.monotonic() - looked > GROW):
                    looked = time.monotonic()
                    idle += [self._hired() for _ in range(self.room.workers - len(idle) - len(busy))]
                while waiting and idle:
                    worker, part = idle.pop(), waiting.popleft()
                    busy[worker.ask.remote(part)] = (worker, part)
                done, _ = self.ray.wait(list(busy), timeout=LOOK)
                for one in done:
                    worker, part = busy.pop(one)
                    if self._is_asked(one, part):
                        idle.append(worker)
                    else:
                        waiting.append(part)
                self._look(busy.values())
        finally:
            for worker in [*idle, *(worker for worker, _ in busy.values())]:
                self.ray.kill(worker)
        return self.known

    def _hired(self) -> Any:
        # a second call may look at the progress of the first
        options = {"num_cpus": 1, "num_gpus": self.room.gpus, "max_concurrency": 2, "scheduling_strategy": "SPREAD"}
        return self.ray.remote(**options)(_Worker).remote()

    def _is_asked(self, done: Any, part: Plan) -> bool:
        """Whether a worker came to the end of a part; False where it was lost."""
        errors = self.ray.exceptions
        try:
            self._know(part, self.ray.get(done))
        except (errors.RayActorError, errors.WorkerCrashedError, errors.NodeDiedError) as fault:
            self.losses[part.shard] += 1
            if self.losses[part.shard] < LOSSES:
                return False
            [said, *_] = str(fault).splitlines()
            raise InputError(
                f"{part.out}: {LOSSES} workers were lost at this shard, the last one so: {said} What was done is kept; "
                "the same command goes on."
            ) from None
        except errors.RayTaskError as fault:
            raise (fault.cause if isinstance(fault.cause, InputError) else fault) from None
        return True

    def _look(self, busy: Any) -> None:
        """Ask how far the workers are, and tell it."""
        asked = {worker.progress.remote(): part for worker, part in busy}
        there, _ = self.ray.wait(list(asked), num_returns=len(asked), timeout=LOOK) if asked else ([], [])
        for one in there:
            with suppress(self.ray.exceptions.RayError):  # lost: `_is_asked` says so
                self._know(asked[one], self.ray.get(one))
        self.report(self.progress)

    def _know(self, part: Plan, progress: Progress) -> None:
        assert part.shard
        self.known[part.shard] = progress
        self.progress.sum_up(self.known.values(), self.total)
