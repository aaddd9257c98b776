"""How far a preset's level is off, for models that its draw was not balanced on.

    python studies/presets/measure.py REFERENCE [SPLITS]

Half of the ten recorded models balance a draw; the other half's levels on its presets are held against their levels on
all items. A line for each split, preset and experiment goes to splits.csv as it is done, and what is there already is
not done again. At the end results.md is written, and the spread goes into the draw that ships.
"""

import csv
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from draw import DRAWN_PRESETS, NAME, SHIPPED, Flags, Panel, one_draw, panels

from selfexec.experiments import PAPER_HEADLINE
from selfexec.items.presets import STRATIFIED, draws
from selfexec.metrics import Record, claim_kind, combine, value
from selfexec.metrics.adjusted import ADJUSTED, adjusted_skill
from selfexec.metrics.baseline_margin import LEAST_READ
from selfexec.metrics.rows import Estimate
from selfexec.stats import NONE

HERE = Path(__file__).parent
SPLITS = HERE / "splits.csv"
SEED = 33  # of the splits and their draws; that of the draw that ships is another
HEADER = ["split", "preset", "experiment", "metric", "models", "mean", "rms", "covered"]
OF_OVERALL = {"self_execution_score": "accuracy", "skill": "skill", ADJUSTED: ADJUSTED}
MEASURE = 0.01
Levels = dict[str, tuple[Estimate, float]]  # by metric: the estimate on a preset, and the value on all items


def levels(panel: Panel, model: int, drawn: Flags, others: Sequence[int]) -> Levels:
    """A model's levels on a preset and on all items: what a bootstrap draws, skill, and skill adjusted by the others.
    None where it was read on fewer than half of the items.
    """
    kind, record = panel.kind, panel.strict[model]
    if len(record.items) < LEAST_READ * len(panel.ids):
        return {}
    chosen = {id for id, yes in zip(panel.ids, drawn, strict=True) if yes}

    def on_preset(counted: Record) -> Record:
        items = tuple(id for id in counted.items if id in chosen)
        return Record(items, counted.on(items))

    cut, skill = on_preset(record), value(kind.skill, record)
    reference = [(on_preset(panel.readable[n]), value(kind.skill, panel.readable[n])) for n in others]
    drawn_again = {name: formula for name, formula in kind.DRAWN.items() if name != kind.SKILL_NAME}
    return {
        **{name: (Estimate(value(formula, cut)), value(formula, record)) for name, formula in drawn_again.items()},
        "accuracy": (kind.accuracy_estimate(cut), value(kind.accuracy, record)),
        "skill": (kind.skill_estimate(cut), skill),
        ADJUSTED: (adjusted_skill(kind, cut, reference), skill),
    }


def overall(parts: Mapping[str, Levels]) -> Levels:
    """The means over the experiments, where a model has all of them."""
    if not all(parts.values()):
        return {}
    return {
        name: (
            combine({e: parts[e][metric][0] for e in parts}, -1.0),
            float(np.mean([parts[e][metric][1] for e in parts])),
        )
        for name, metric in OF_OVERALL.items()
    }


def one_split(by_experiment: Mapping[str, Panel], models: int, split: int) -> Iterator[list[str]]:
    """The lines of one split: over the models that did not balance its draw, the mean of the level on the preset less
    that on all items, its root mean square, and for how many the 95% interval holds the level on all items.
    """
    rng = np.random.default_rng([SEED, split])
    half, rest = np.split(rng.permutation(models), [models // 2])
    drawn = {e: one_draw(panel, half, rng) for e, panel in by_experiment.items()}
    for preset in DRAWN_PRESETS:
        by_model = []
        for model in rest:
            parts = {e: levels(panel, model, drawn[e][preset], half) for e, panel in by_experiment.items()}
            by_model.append({**parts, "overall": overall(parts)})
        for experiment in (*PAPER_HEADLINE.experiments, "overall"):
            known = [parts[experiment] for parts in by_model if parts[experiment]]
            for metric in known[0] if known else ():
                yield [str(split), preset, experiment, metric, *_off([of_model[metric] for of_model in known])]


def _off(pairs: Sequence[tuple[Estimate, float]]) -> Iterator[str]:
    """How many models have the level, and the mean of how far it is off; where it has an interval, the root mean square
    of that, and how many intervals hold the level on all items.
    """
    pairs = [(cut, whole) for cut, whole in pairs if not math.isnan(cut.value)]
    off = np.array([cut.value - whole for cut, whole in pairs])
    held = [cut.interval.low <= whole <= cut.interval.high for cut, whole in pairs if cut.interval != NONE]
    yield str(len(pairs))
    yield f"{off.mean():.4f}" if pairs else ""
    yield from (f"{math.sqrt((off**2).mean()):.4f}", str(sum(held))) if held else ("", "")


def kept() -> list[dict[str, str]]:
    """The lines of all splits but the last, which may have been cut off and is done again."""
    if not SPLITS.exists():
        return []
    with SPLITS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["split"] != rows[-1]["split"]]


# --- what is written -------------------------------------------------------------------------------------------------


Cell = tuple[str, str, str]  # preset, experiment, metric


def by_cell() -> dict[Cell, list[dict[str, str]]]:
    """The lines of all splits in which a level could be had."""
    cells: dict[Cell, list[dict[str, str]]] = {}
    with SPLITS.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["models"] != "0":
                cells.setdefault((row["preset"], row["experiment"], row["metric"]), []).append(row)
    return cells


def spreads(cells: Mapping[Cell, Sequence[Mapping[str, str]]]) -> dict[str, dict[str, dict[str, float]]]:
    """By preset, experiment and metric: the standard deviation, over the splits, of the mean of how far levels are
    off.
    """
    found: dict[str, dict[str, dict[str, float]]] = {preset: {} for preset in DRAWN_PRESETS}
    for (preset, experiment, metric), rows in cells.items():
        spread = float(np.std([float(row["mean"]) for row in rows], ddof=1))
        of_experiment = found[preset].setdefault(experiment, {})
        of_experiment[metric] = round(spread, 4)
        if metric == "skill" and experiment != "overall":
            of_experiment[claim_kind(experiment).SKILL_NAME] = round(spread, 4)
    return found


def report(cells: Mapping[Cell, Sequence[Mapping[str, str]]]) -> Iterator[str]:
    yield "# How far a preset's levels are off, for models that its draw was not balanced on\n"
    yield "The level on the preset less that on all items. Written by measure.py from splits.csv.\n"
    yield "- mean: over the splits, of the mean over the models of the other half; with its standard error.\n"
    yield "- spread: standard deviation of that mean over the splits.\n"
    yield "- one model: root mean square of how far a single model is off.\n"
    yield "- held: how often the 95% interval, without the spread, holds the level on all items."
    for preset in DRAWN_PRESETS:
        yield f"\n## {preset.capitalize()}\n\n| | | splits | mean | spread | one model | held |\n{'|---' * 7}|"
        for (of, experiment, metric), rows in cells.items():
            if of == preset:
                yield f"| {experiment} | {metric} | {len(rows)} | {' | '.join(_cells(rows))} |"
    yield ""


def _cells(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    means = np.array([float(row["mean"]) for row in rows])
    spread = float(means.std(ddof=1))
    yield f"{means.mean():+.4f} ± {spread / math.sqrt(len(rows)):.4f}"
    yield f"{spread:.3f}"
    ranged = [row for row in rows if row["covered"]]
    models = sum(int(row["models"]) for row in ranged)
    squares = sum(int(row["models"]) * float(row["rms"]) ** 2 for row in ranged)
    yield from (
        (f"{math.sqrt(squares / models):.3f}", f"{sum(int(row['covered']) for row in ranged) / models:.3f}")
        if ranged
        else ("", "")
    )


def of_shipped(by_experiment: Mapping[str, Panel], models: int) -> Iterator[str]:
    """The cuts that were ever shipped, on the ten models."""
    yield "\n# The cuts that ship or shipped, on the ten models (which balanced the two draws)\n"
    yield "Skill on the preset less that on all items, and the same of skill adjusted by the other nine: mean over the"
    yield "models, and root mean square.\n"
    experiments = (*PAPER_HEADLINE.experiments, "overall")
    yield f"| | | | {' | '.join(experiments)} |\n{'|---' * (3 + len(experiments))}|"
    for order, preset, cut in _cuts(by_experiment):
        of_models = [_on_cut(by_experiment, cut, model, models) for model in range(models)]
        for metric in ("skill", ADJUSTED):
            yield f"| {order} | {preset} | {metric} | {' | '.join(_means(of_models, experiments, metric))} |"
    yield ""


def _cuts(by_experiment: Mapping[str, Panel]) -> Iterator[tuple[str, str, dict[str, Flags]]]:
    for preset in DRAWN_PRESETS:
        yield STRATIFIED, preset, {e: panel.stratified[preset] for e, panel in by_experiment.items()}
    for draw in draws():
        for preset in DRAWN_PRESETS:
            positions = {e: getattr(draw.experiments[e], preset) for e in by_experiment}
            yield draw.name, preset, {e: np.isin(np.arange(len(by_experiment[e].ids)), positions[e]) for e in positions}


def _on_cut(by_experiment: Mapping[str, Panel], cut: Mapping[str, Flags], model: int, models: int) -> dict[str, Levels]:
    others = [n for n in range(models) if n != model]
    parts = {e: levels(panel, model, cut[e], others) for e, panel in by_experiment.items()}
    return {**parts, "overall": overall(parts)}


def _means(of_models: Sequence[Mapping[str, Levels]], experiments: Sequence[str], metric: str) -> Iterator[str]:
    for experiment in experiments:
        known = [parts[experiment][metric] for parts in of_models if parts[experiment]]
        off = np.array([cut.value - whole for cut, whole in known])
        yield f"{off.mean():+.3f} ({math.sqrt((off**2).mean()):.3f})"


def main() -> None:
    reference, splits = Path(sys.argv[1]), int([*sys.argv, "200"][2])
    rows = kept()
    done = {int(row["split"]) for row in rows}
    models, by_experiment = panels(reference)
    with SPLITS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows([row[name] for name in HEADER] for row in rows)
        for split in range(splits):
            if split not in done:
                writer.writerows(one_split(by_experiment, len(models), split))
                file.flush()
    cells = by_cell()
    (HERE / "results.md").write_text("\n".join([*report(cells), *of_shipped(by_experiment, len(models))]), "utf-8")
    for metric in ("skill", ADJUSTED):
        for preset in DRAWN_PRESETS:
            mean = np.mean([float(row["mean"]) for row in cells[preset, "overall", metric]])
            kept_to = "within" if abs(mean) <= MEASURE else "not within"
            print(f"{preset}, overall {metric}: mean {mean:+.4f}, {kept_to} {MEASURE}")
    with_spread = [msgspec.structs.replace(d, spread=spreads(cells)) if d.name == NAME else d for d in draws()]
    SHIPPED.write_bytes(msgspec.json.encode(with_spread) + b"\n")


if __name__ == "__main__":
    main()
