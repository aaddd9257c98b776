"""How fast the lean engine is beside a bare loop: `python benchmarks/engine.py [CALLS]`.

The simulated server runs in another process. Each line is one set-up, measured side by side in one run: wall time over
the ideal (calls x latency / connections), calls per second, CPU per call, peak memory of the asking process.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE = """
import asyncio, sys, time, resource, json
import aiohttp
url, calls, connections = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
body = json.dumps({"model": "sim/typical", "messages": [{"role": "user", "content": "Hello?"}]})
async def main():
    left = iter(range(calls))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        async def work():
            for _ in left:
                async with http.post(url + "/chat/completions", data=body) as response:
                    json.loads(await response.read())
        await asyncio.gather(*(work() for _ in range(connections)))
"""
LEAN = """
import asyncio, sys, time, resource, json, tempfile
from pathlib import Path
from selfexec.engines import engine_for
from selfexec.plans import plan
from selfexec.runner import _ask_all, _prepare
from selfexec.journal import Journal
url, calls, connections, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
options = {"base_url": url, "max_connections": connections}
# two sessions an item, so that the number of calls is known
epochs = -(-calls // 600)
planned = plan(["sim/typical"], experiments=["association"], epochs=epochs, out=out, **options)
calls = planned.sessions
_prepare(planned)
async def main():
    engine = engine_for(planned.models, planned.item_set, planned.options)
    with Journal(Path(out) / "replies.jsonl") as journal:
        await _ask_all(planned, engine, journal, lambda progress: None)
"""
MEASURE = """
started, cpu = time.perf_counter(), time.process_time()
asyncio.run(main())
wall, cpu = time.perf_counter() - started, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"calls": calls, "wall": wall, "cpu": cpu, "peak": peak}))
"""


def measured(code: str, *arguments: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", code + MEASURE, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    print(
        f"{'engine':6} {'latency':>8} {'conn.':>6} {'calls/s':>8} {'wall/ideal':>11} {'CPU ms/call':>12} {'peak MB':>8}"
    )
    for latency in (0.0, 0.05):
        port = random.randint(20_000, 60_000)
        serve = [sys.executable, "-m", "selfexec", "serve", "--port", str(port), "--latency", str(latency)]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            server.stdout.readline()
            time.sleep(1)
            for connections in (10, 100, 500):
                for name, code in (("bare", BARE), ("lean", LEAN)):
                    with tempfile.TemporaryDirectory() as folder:
                        url = f"http://127.0.0.1:{port}/v1"
                        m = measured(code, url, str(calls), str(connections), str(Path(folder) / "run"))
                    ideal = m["calls"] * latency / connections
                    ratio = f"{m['wall'] / ideal:.2f}" if ideal else "-"
                    rate, cpu = m["calls"] / m["wall"], 1000 * m["cpu"] / m["calls"]
                    print(
                        f"{name:6} {latency:8.2f} {connections:6} {rate:8.0f} {ratio:>11} {cpu:12.3f} {m['peak']:8.0f}"
                    )
            server.terminate()


if __name__ == "__main__":
    main()
