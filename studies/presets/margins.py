"""How far margins move from all items to the presets: `python studies/presets/margins.py REFERENCE`.

The ten recorded models, scored together on all of the paper's items and on the newest quick and standard. Writes
margins.csv, and prints means and root mean squares over the models that have a margin on all three.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import selfexec as sx
from selfexec.experiments import PAPER_HEADLINE
from selfexec.files import jsonl
from selfexec.items import load

CUTS = ("full", "quick", "standard")
METRICS = ("skill", "baseline_margin")


def scores_on(reference: Path, preset: str, scratch: Path) -> sx.Scores:
    """The scores of the replies to the items of a preset."""
    cut, files = load(reference / "items").cut(preset=preset), []
    for path in sorted((reference / "replies").glob("*.jsonl")):
        lines = [line for _, line in jsonl.numbered_lines(path)]
        keys = [json.loads(line) for line in lines]
        files.append(scratch / f"{preset}-{path.name}")
        asked = (line for line, key in zip(lines, keys, strict=True) if key["item"] in cut[key["experiment"]])
        jsonl.write(files[-1], asked)
    items = str(reference / "items")
    return sx.score(sx.import_replies(list(map(str, files)), items=items, preset=preset, out=scratch / preset))


def main() -> None:
    reference = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        scores = {preset: scores_on(reference, preset, Path(scratch)) for preset in CUTS}
    with (Path(__file__).parent / "margins.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["experiment", "metric", "model", *CUTS])
        for experiment in (*PAPER_HEADLINE.experiments, "overall"):
            for metric in METRICS:
                by_cut = [{row.model: row.value for row in scores[cut].of(experiment, metric)} for cut in CUTS]
                rows = {model: [values[model] for values in by_cut] for model in by_cut[0]}
                known = {model: row for model, row in rows.items() if None not in row}
                writer.writerows(
                    [experiment, metric, model, *(f"{x:.4f}" for x in row)] for model, row in known.items()
                )
                values = np.array(list(known.values()), np.float64)
                off = np.sqrt(((values - values[:, :1]) ** 2).mean(0))
                print(
                    f"{experiment} {metric}, {len(values)} models: mean {values.mean(0).round(3)}, off {off.round(3)}"
                )


if __name__ == "__main__":
    main()
