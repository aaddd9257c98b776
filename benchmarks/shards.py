"""What it costs to cut a run: `python benchmarks/shards.py [--limit 60] [--shards 8 32 128] [--ray local]`.

The same run of simulated models, whose replies take no time, is asked whole and in shards, one after the other in one
process, and joined. Figures are CPU-seconds of this process, over those of the whole run where they are ratios.

asked      all shards, one after the other
each       what a shard takes beside its sessions: (asked - whole) / shards
joined     `merge` of them
ray        seconds by the clock of `--ray ADDRESS` with so many shards, and what of it is not asking
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import selfexec as sx
from selfexec.extensions.ray.ray import carry_out_over
from selfexec.runs.asking import Plan, Progress, carry_out, plan
from selfexec.runs.share import Shard

MODELS = ("sim/knows-itself", "sim/typical", "sim/coin", "sim/knows-models", "sim/says-yes", "sim/solves")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--models", type=int, default=4)
    options.add_argument("--limit", type=int, default=60)
    options.add_argument("--shards", type=int, nargs="+", default=[8, 32, 128])
    options.add_argument("--ray", metavar="ADDRESS")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        whole = plan(list(MODELS[: given.models]), limit=given.limit, out=folder / "whole")
        carry_out(plan(list(MODELS[: given.models]), limit=2, out=folder / "warm"))
        alone = _cpu(lambda: carry_out(whole))
        print(f"whole: {whole.sessions:,} sessions, {alone:.2f} CPU-seconds")
        for of in given.shards:
            run = folder / f"cut-{of}"
            took = _cpu(lambda run=run, of=of: [carry_out(_part(whole, run, n, of)) for n in range(of)])  # type: ignore[misc]
            joined = _cpu(lambda run=run: sx.merge(run))  # type: ignore[misc]
            each = (took - alone) / of
            print(f"{of:4} shards: asked {took / alone:.2f}, each {each * 1000:.0f} ms, joined {joined / alone:.2f}")
        if given.ray:
            for of in given.shards[:1]:
                began, progress = time.perf_counter(), Progress()
                over = replace(whole, out=folder / "ray")
                carry_out_over(given.ray, over, of, lambda now: None, progress)
                took = time.perf_counter() - began
                print(f"{of:4} shards over Ray: {took:.1f} s by the clock, {took - alone:.1f} of them not asking")


def _part(whole: Plan, run: Path, n: int, of: int) -> Plan:
    shard = Shard(n, of)
    return replace(whole, shard=shard, out=shard.folder(run))


def _cpu(work: object) -> float:
    began = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - began


if __name__ == "__main__":
    main()
