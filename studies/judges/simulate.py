"""Are known errors of a judge put right? `python studies/judges/simulate.py [RUNS] [SEED]`.

Each run has requests that no other run has, and is asked by `selfexec.run` of four simulated models. A judge whose
sensitivity and specificity are planted judges every response, a part of the responses is labelled rightly, and
`selfexec.judges` puts skill right. Writes runs.csv and results.md next to this file.
"""

import csv
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, stdev

import selfexec as sx
from selfexec.engines.sim import PROFILES, truth
from selfexec.experiments import Key
from selfexec.items import load
from selfexec.readers import refuses

REQUESTS = 176
MODELS = ("knows-itself", "typical", "coin", "knows-models")
JUDGES = {"good": (0.95, 0.92), "fair": (0.88, 0.75)}
LABELS = 120  # of the 704 responses of a run
COLUMNS = ("seed", "judge", "model", "truth", "raw", "raw_low", "raw_high", "corrected", "low", "high", "reason")
HERE = Path(__file__).parent


def main() -> None:
    runs, seed = (int(given) for given in (*sys.argv[1:], *("400", "1")[len(sys.argv) - 1 :]))
    path = HERE / "runs.csv"
    done = kept(path) if path.is_file() else []
    there = {int(row["seed"]) for row in done}
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for number in range(seed, seed + runs):
            if number not in there:
                writer.writerows(one_run(number))
                file.flush()
    (HERE / "results.md").write_text(results(kept(path)))


def kept(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def one_run(seed: int) -> Iterator[dict[str, object]]:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        safe = [rng.random() < 0.5 for _ in range(REQUESTS)]
        items = requests(Path(folder) / "items", f"run {seed}", safe)
        models = [f"sim/{name}@{seed}" for name in MODELS]
        run = sx.run(models, items=items, experiments=["restriction"], out=Path(folder) / "run")
        did = {
            key: not refuses(reply.text or "")
            for key, reply in run.replies.items()
            if key.session == "execute" and reply.text
        }
        judged = [
            line(key, source=f"judge:{name}", value=rng.random() < (found if yes else 1 - denied), text=texts(run, key))
            for name, (found, denied) in JUDGES.items()
            for key, yes in did.items()
        ]
        write(run.folder / "judgements.jsonl", judged)
        labels = [line(key, value=did[key]) for key in rng.sample(sorted(did), LABELS)]
        write(Path(folder) / "labels.jsonl", labels)
        found = sx.judges(run.folder, labels=Path(folder) / "labels.jsonl", convention="readable")
        for one in found.corrections:
            if one.source.startswith("judge:"):
                profile = one.model.removeprefix("sim/").partition("@")[0]
                yield {
                    "seed": seed,
                    "judge": one.source.removeprefix("judge:"),
                    "model": profile,
                    "truth": round(true_skill(profile), 6),
                    "raw": round(one.skill.value, 6),
                    "raw_low": round(one.skill.interval.low, 6),
                    "raw_high": round(one.skill.interval.high, 6),
                    "corrected": round(one.skill_corrected.value, 6),
                    "low": round(one.skill_corrected.interval.low, 6),
                    "high": round(one.skill_corrected.interval.high, 6),
                    "reason": one.reason or "",
                }


def requests(folder: Path, about: str, safe: Sequence[bool]) -> Path:
    folder.mkdir(parents=True)
    rows = (
        {"id": str(n), "request": f"Request {n} of {about}?", "label": "safe" if one else "unsafe", "type": "plain"}
        for n, one in enumerate(safe)
    )
    write(folder / "restriction.jsonl", rows)
    return folder


@cache
def true_skill(profile: str) -> float:
    """What a perfect measurement gives over all requests that there could be, half of them safe: over 40,000."""
    with tempfile.TemporaryDirectory() as folder:
        many = load(requests(Path(folder) / "items", "all", [True, False] * 20_000))
    return truth(PROFILES[profile], many)["restriction", "youden_j"]


def texts(run: sx.Run, key: Key) -> str:
    return run.replies[key].text or ""


def line(key: Key, **more: object) -> dict[str, object]:
    return {**key.fields(), **more}


def write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def results(rows: list[dict[str, str]]) -> str:
    columns = ["judge", "model", "truth", "runs", "withheld", "raw, mean", "interval covers", "corrected, mean", "bias"]
    columns += ["interval covers", "interval below", "interval above", "error, mean", "spread"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, (found, denied) in JUDGES.items():
        for model in MODELS:
            mine = [row for row in rows if (row["judge"], row["model"]) == (name, model)]
            given = [row for row in mine if not row["reason"]]
            values = [float(row["corrected"]) for row in given]
            errors = [(float(row["high"]) - float(row["low"])) / 2 / 1.96 for row in given]
            cells = (
                f"{name} ({found}, {denied})",
                model,
                f"{float(mine[0]['truth']):.3f}",
                len(mine),
                len(mine) - len(given),
                f"{fmean(float(row['raw']) for row in mine):.3f}",
                f"{holds(mine, 'raw_low', 'raw_high'):.3f}",
                f"{fmean(values):.3f}",
                f"{fmean(values) - float(mine[0]['truth']):+.3f}",
                f"{holds(given, 'low', 'high'):.3f}",
                sum(float(row["high"]) < float(row["truth"]) for row in given),
                sum(float(row["low"]) > float(row["truth"]) for row in given),
                f"{fmean(errors):.3f}",
                f"{stdev(values):.3f}",
            )
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def holds(rows: list[dict[str, str]], low: str, high: str) -> float:
    """In which share of runs the interval holds the truth."""
    return fmean(float(row[low]) <= float(row["truth"]) <= float(row[high]) for row in rows)


if __name__ == "__main__":
    main()
