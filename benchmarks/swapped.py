"""Whether a server that sends answers twice swaps replies: `python benchmarks/swapped.py [CALLS]`.

A server answers each prompt with its SHA-256 after some milliseconds (`--delay`), and sends every fifth answer once
more after some others (`--repeat`). The engine asks CALLS prompts in each cell, back to back or with pauses of up to
100 ms, and the replies go through the writer of a run. Of each cell the table says how many of the replies that count
are the hash of another prompt, how many were void and would be asked again, and how many connections there were.
"""

import argparse
import asyncio
import hashlib
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from repeating_server import Repeating, repeating
from selfexec.engines import Call, Connection
from selfexec.engines.http.client import HttpEngine
from selfexec.experiments import Key, Message
from selfexec.prompts import digest
from selfexec.runs.journal import Journal, read_journal
from selfexec.runs.journal_writer import JournalWriter
from selfexec.runs.reply import Reply

COLUMNS = ("delay", "repeat", "use", "replies", "swapped", "void", "connections", "seconds")


async def ask_all(engine: HttpEngine, writer: JournalWriter, calls: int, workers: int, pause: float) -> None:
    left = iter(range(calls))

    async def work(numbers: Iterator[int]) -> None:
        for n in numbers:
            prompt = f"Prompt {n}: {hashlib.md5(str(n).encode()).hexdigest()}"
            key = Key("any/m", "restriction", f"item {n}", 1, "predict")
            began = time.perf_counter()
            outcome = await engine.ask(Call(key, (Message("user", prompt),)))
            writer.keep(Reply.of(key, outcome, time.perf_counter() - began, digest(prompt)))
            if pause:
                await asyncio.sleep(random.uniform(0, pause))

    async with engine, asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(work(left))


def cell(
    delay: float, repeat: float, pause: float, calls: int, workers: int
) -> tuple[Repeating, Mapping[Key, Reply], float]:
    """What came of the calls, the last line of each session, and how long it took."""
    server = Repeating(delay, repeat)
    with repeating(server) as url, tempfile.TemporaryDirectory() as folder:
        engine = HttpEngine(["any/m"], Connection(base_url=url, max_connections=workers))
        journal_path = Path(folder) / "replies.jsonl"
        with Journal(journal_path) as journal:
            writer = JournalWriter(journal, engine)
            began = time.perf_counter()
            asyncio.run(ask_all(engine, writer, calls, workers, pause))
            took = time.perf_counter() - began
        return server, read_journal(journal_path), took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", type=int, nargs="?", default=2000, metavar="CALLS", help="calls in each cell")
    parser.add_argument("--delay", nargs="+", type=float, default=[5, 30, 100], help="ms before an answer")
    parser.add_argument("--repeat", nargs="+", type=float, default=[0, 0.5, 2, 20, 50], help="ms before its repetition")
    parser.add_argument("--workers", type=int, default=20, help="calls at once")
    options = parser.parse_args()
    print("  ".join(f"{name:>11}" for name in COLUMNS))
    total = 0
    for delay in options.delay:
        for repeat in options.repeat:
            for pause in (0.0, 0.1):
                server, replies, seconds = cell(delay / 1e3, repeat / 1e3, pause, options.calls, options.workers)
                counted = [reply for reply in replies.values() if not reply.failed]
                swapped = sum(reply.text != reply.prompt_sha256 for reply in counted)
                void = sum(reply.is_void for reply in replies.values())
                total += swapped
                row = (f"{delay:g} ms", f"{repeat:g} ms", "pauses" if pause else "at once", len(counted), swapped, void)
                print("  ".join(f"{value!s:>11}" for value in (*row, len(server.calls), f"{seconds:.1f}")), flush=True)
    raise SystemExit(f"{total} replies are swapped." if total else None)


if __name__ == "__main__":
    main()
