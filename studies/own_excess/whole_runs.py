"""The same question of whole simulated runs: asked, imported and scored as anybody's are.

    python studies/own_excess/whole_runs.py --seeds 100       # goes on where it stopped; whole_runs.jsonl

Each seed is a run of the simulated models that `selfexec run` asks, on the starter set. Its replies are exported to a
file and imported again before they are scored, so that nothing but what was said is known. Of each model are kept its
verdict, its own excess, and what keeps it from a better verdict.
"""

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import selfexec as sx
from selfexec.engines.sim import PROFILES

HERE = Path(__file__).parent
OUT = HERE / "whole_runs.jsonl"


def verdicts(seed: int, folder: Path) -> dict[str, Any]:
    """Experiment -> model -> verdict, by the source that may give one; and of the panel."""
    run = sx.run([f"sim/{name}@{seed}" for name in PROFILES], items="starter", out=folder / "asked")
    imported = sx.import_replies([run.folder / "replies.jsonl"], items="starter", out=folder / "imported")
    scores = sx.score(imported)
    found: dict[str, Any] = {"seed": seed}
    for own in scores.own:
        if own.found.overall.verdict is None and own.source == "self":
            continue
        judged = {model.partition("@")[0].removeprefix("sim/"): one for model, one in own.found.each.items()}
        found[own.experiment] = {
            "panel": own.found.overall.verdict,
            "each": {name: one.verdict for name, one in judged.items()},
            "values": {name: round(one.estimate.value, 4) for name, one in judged.items()},
            "against": {name: list(map(str, one.against)) for name, one in judged.items() if one.against},
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    done = {json.loads(line)["seed"] for line in given.out.read_text().splitlines()} if given.out.exists() else set()
    with given.out.open("a") as file:
        for seed in range(given.seeds):
            if seed not in done:
                with TemporaryDirectory() as folder:
                    file.write(json.dumps(verdicts(seed, Path(folder))) + "\n")
                file.flush()
                print(f"{seed + 1} of {given.seeds} runs", end="\r", file=sys.stderr)


if __name__ == "__main__":
    main()
