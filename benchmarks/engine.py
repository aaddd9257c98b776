"""How fast the lean engine is beside others: `python benchmarks/engine.py [CALLS] [--only bare lean] [--markdown]`.

The simulated server runs in one process, whoever asks in another; all contenders (see `contenders.py`) send the same
prompts, in turn, `--repeats` times at each latency and number of connections. Each figure is the median of those.

wall/ideal    wall time over calls x latency / connections
CPU ms/call   user and system time of who asks, children included; `over bare` is that less the bare loop's
peak MB       the most memory of the asking process until the last call is done, imports included
spread        the longest wall time over the shortest
server        CPU time of the server over wall time: near 100 % the server, not who asks, sets the pace

At the end the lean engine makes a long run (`--long`), whose journal is then read back.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from contenders import CONTENDERS

HERE = Path(__file__).parent
STARTER_ITEMS = 300  # association items in the starter set, two calls each
COLUMNS = {
    **{"contender": 15, "latency": 7, "conn.": 5, "calls/s": 7, "wall/ideal": 10, "CPU ms/call": 11},
    **{"over bare": 9, "peak MB": 7, "spread": 6, "server": 6},
}


@dataclass(frozen=True)
class Server:
    url: str
    latency: float
    pid: int

    def cpu(self) -> float:
        """CPU seconds so far; nan where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return math.nan
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Measured:
    """One contender's calls, once."""

    calls: int
    wall: float
    cpu: float
    peak: float
    server_cpu: float

    @property
    def cpu_a_call(self) -> float:
        return self.cpu / self.calls


@dataclass(frozen=True)
class Load:
    """What every contender asks: the prompts of some items, so many times each."""

    prompts: Path
    epochs: int

    @classmethod
    def of(cls, calls: int, folder: Path) -> "Load":
        """The smallest that has this many calls."""
        items = min(math.ceil(calls / 2), STARTER_ITEMS)
        prompts = folder / f"prompts-{items}.json"
        prompts.write_text(_contender("prompts", str(items)), encoding="utf-8")
        return cls(prompts, math.ceil(calls / (2 * items)))


@contextmanager
def serving(latency: float) -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "selfexec", "serve", "--port", str(port), "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            yield Server(f"http://127.0.0.1:{port}/v1", latency, process.pid)
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("the server did not start.")


def ask(name: str, server: Server, load: Load, connections: int, folder: Path) -> Measured:
    """A fresh process asks everything, and says what it cost."""
    before = server.cpu()
    out = _contender(name, server.url, str(load.prompts), str(load.epochs), str(connections), str(folder))
    found = json.loads(out.splitlines()[-1])
    return Measured(**found, server_cpu=server.cpu() - before)


class Failed(Exception):
    """A contender did not bring all replies."""


def _contender(*arguments: str) -> str:
    # the server is on this machine: no proxy lies between
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    command = [sys.executable, str(HERE / "contenders.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise Failed(f"{arguments[0]} failed:\n{done.stderr or done.stdout}")
    return done.stdout


# --- tables ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """Rows, printed as they come, in columns or in Markdown."""

    markdown: bool

    def head(self) -> None:
        self.row(list(COLUMNS))
        if self.markdown:
            print("|" + "---|" * len(COLUMNS))

    def row(self, cells: Sequence[str]) -> None:
        if self.markdown:
            print("| " + " | ".join(cells) + " |", flush=True)
        else:
            first, *rest = (f"{cell:>{width}}" for cell, width in zip(cells, COLUMNS.values(), strict=True))
            print(first.strip().ljust(COLUMNS["contender"]), *rest, sep="  ", flush=True)


def cells(name: str, server: Server, connections: int, runs: Sequence[Measured], bare: float) -> list[str]:
    calls, wall = runs[0].calls, statistics.median(run.wall for run in runs)
    ideal = calls * server.latency / connections
    cpu = statistics.median(run.cpu_a_call for run in runs)
    busy = statistics.median(run.server_cpu / run.wall for run in runs)
    walls = [run.wall for run in runs]
    return [
        name,
        f"{server.latency * 1000:.0f} ms",
        str(connections),
        f"{calls / wall:,.0f}",
        f"{wall / ideal:.2f}" if ideal else "",
        f"{cpu * 1000:.3f}",
        "" if name == "bare" or math.isnan(bare) else f"{(cpu - bare) * 1000:+.3f}",
        f"{max(run.peak for run in runs):.0f}",
        f"{max(walls) / min(walls):.2f}",
        "" if math.isnan(busy) else f"{busy:.0%}",
    ]


def compare(table: Table, names: Sequence[str], server: Server, load: Load, connections: int, repeats: int) -> bool:
    """The rows of one latency and number of connections, and whether all contenders came through.

    They take turns, so that a busy minute hits all.
    """
    runs: dict[str, list[Measured]] = {name: [] for name in names}
    failed: set[str] = set()
    for _ in range(repeats):
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    runs[name].append(ask(name, server, load, connections, Path(folder)))
                except Failed as fault:
                    print(fault, file=sys.stderr)
                    failed.add(name)
    bare = statistics.median(run.cpu_a_call for run in runs["bare"]) if runs.get("bare") else math.nan
    for name in names:
        if name in failed:
            table.row([name, f"{server.latency * 1000:.0f} ms", str(connections), "failed", *[""] * (len(COLUMNS) - 4)])
        else:
            table.row(cells(name, server, connections, runs[name], bare))
    return not failed


def long_run(table: Table, calls: int) -> None:
    """The lean engine alone, for its memory, and how long what it wrote takes to read."""
    with serving(0.0) as server, tempfile.TemporaryDirectory() as folder:
        load = Load.of(calls, Path(folder))
        run = ask("lean", server, load, 100, Path(folder))
        table.row(cells("lean", server, 100, [run], math.nan))
        read = [
            json.loads(_contender("read", str(Path(folder) / "run" / "replies.jsonl")).splitlines()[-1])
            for _ in range(3)
        ]
    seconds = statistics.median(each["seconds"] for each in read)
    print(
        f"\nThe last row is one run of {run.calls:,} calls. Its journal ({read[0]['replies']:,} replies, "
        f"{read[0]['megabytes']:.0f} MB) is read back in {seconds:.2f} s (median of 3)."
    )


# --- the command -----------------------------------------------------------------------------------------------------


def lacking(name: str) -> str | None:
    """The package that a contender needs and does not find."""
    needs = CONTENDERS[name][1]
    return next((package for module, package in needs.items() if importlib.util.find_spec(module) is None), None)


def versions(names: Sequence[str]) -> str:
    packages = dict.fromkeys(p.partition("[")[0] for name in names for p in CONTENDERS[name][1].values())
    found = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages)
    return f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores; {found}"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("calls", type=int, nargs="?", default=3000, metavar="CALLS", help="calls a run, rounded up to whole epochs")
    add("--only", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS), help="these contenders")
    add("--latency", nargs="+", type=float, default=[0.0, 0.05], help="seconds before each reply")
    add("--connections", nargs="+", type=int, default=[10, 100, 500], help="calls under way at once")
    add("--repeats", type=int, default=3, help="how often each is measured; the median is shown")
    add("--long", type=int, default=60_000, metavar="CALLS", help="calls of lean's long run at the end; 0: none")
    add("--markdown", action="store_true", help="print the table in Markdown")
    return parser.parse_args()


def main() -> None:
    try:
        measure(parsed())
    except Failed as fault:
        raise SystemExit(str(fault)) from None


def measure(options: argparse.Namespace) -> None:
    absent = {name: package for name in options.only if (package := lacking(name))}
    names = [name for name in options.only if name not in absent]
    print(versions(names))
    for name, package in absent.items():
        print(f"{name}: not installed (pip install '{package}')")
    table, well = Table(options.markdown), True
    with tempfile.TemporaryDirectory() as folder:
        load = Load.of(options.calls, Path(folder))
        print()
        table.head()
        for latency in options.latency:
            with serving(latency) as server:
                for connections in options.connections:
                    well &= compare(table, names, server, load, connections, options.repeats)
    if options.long and "lean" in names:
        long_run(table, options.long)
    if not well:
        raise Failed("Not every contender came through; see above.")


if __name__ == "__main__":
    main()
