"""Whether frames, thinking and histories recover a planted truth: `python studies/facets/simulate.py [RUNS] [SEED]`.

Each run has items of its own, is asked by `selfexec.run` of two simulated models in each condition, and is compared by
`selfexec.compare`, as anybody's is. What a facet takes from a model's skill is planted, and worked out exactly from the
rates of its profile. Goes on where it was stopped: runs.csv has every run that is done. Writes results.md beside it.
"""

import csv
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import selfexec as sx
from selfexec.engines.sim.traits import PROFILES, Profile
from selfexec.engines.sim.truth import ExpectedCells, cells, lookings, order_accuracy, recalling

HERE = Path(__file__).parent
RUNS, RESULTS = HERE / "runs.csv", HERE / "results.md"
MODELS = ("knows-itself", "typical")
# conditions, each of which is held against the default one: what it takes from skill, or adds to it
LEVELS = {
    "frame": ("frame", "another-model"),
    "thinking": ("thinking", "off"),
    "own history": ("strategy", "own-history:8"),
    "another's history": ("strategy", "history-of:8:sim/knows-itself@{seed}"),
}
ASKED = {"frame": {"of_another": True}, "thinking": {"thinks": False}, "own history": {"recalls": True}}
SIZES = {"association": 50, "restriction": 80, "difficulty": 40}
OPTIONS = 5


class Found(NamedTuple):
    """What one run says of one control: the skill in its condition less that in the default one."""

    seed: int
    control: str
    model: str
    experiment: str
    difference: float
    low: float
    high: float


# --- what is planted -------------------------------------------------------------------------------------------------


def planted(profile: Profile, experiment: str, control: str) -> float:
    """What a control changes of the skill, over all items there could be. Another's history says nothing of one."""
    return skill(profile, experiment, **ASKED.get(control, {})) - skill(profile, experiment)


def skill(profile: Profile, experiment: str, recalls: bool = False, **asked: bool) -> float:
    """Youden's J, or tau: an item has whatever models in general do with it, at the profile's rate."""
    looking = lookings(recalling(profile) if recalls else profile, **asked)
    if experiment == "difficulty":
        return 2 * sum(share * order_accuracy(one) for share, one in looking) - 1
    rates = [profile.lists] if experiment == "association" else [profile.answers_safe, profile.answers_unsafe]
    what = "lists" if experiment == "association" else "answers"
    total = [0.0] * 4
    for rate in rates:
        for share, one in looking:
            for generally, chance in ((True, rate), (False, 1 - rate)):
                expected = cells(one, what, generally, False, rate, True)  # neither has a kind, nor copies
                total = [n + share * chance * more for n, more in zip(total, expected, strict=True)]
    found = ExpectedCells(*total)
    return found.tp / (found.tp + found.fn) + found.tn / (found.tn + found.fp) - 1


# --- runs ------------------------------------------------------------------------------------------------------------


def items(seed: int) -> Mapping[str, list[dict[str, Any]]]:
    """Items that no other run has: what models in general do with them is drawn afresh."""
    rng = random.Random(seed)

    def question(name: str) -> dict[str, Any]:
        choices = [f"{name} {letter}" for letter in "wxyz"]
        return {"id": name, "subject": "any", "question": f"{name}?", "choices": choices, "answer": rng.choice("ABCD")}

    def named(experiment: str) -> list[str]:
        return [f"{experiment[0]}{seed}-{n}" for n in range(SIZES[experiment])]

    return {
        "association": [
            {"id": name, "target": name, "options": [f"{name} {n}" for n in range(OPTIONS)]}
            for name in named("association")
        ],
        "restriction": [
            {"id": name, "request": f"{name}!", "label": "unsafe" if n % 2 else "safe", "type": "any"}
            for n, name in enumerate(named("restriction"))
        ],
        "difficulty": [
            {"id": name, "questions": [question(f"{name}-{n}") for n in range(4)]} for name in named("difficulty")
        ],
    }


def one_run(seed: int, controls: Sequence[str]) -> Iterator[Found]:
    """A run in the default condition and in those of these controls, and what it says of each."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "items"
        source.mkdir()
        for experiment, lines in items(seed).items():
            (source / f"{experiment}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        models = [f"sim/{name}@{seed}" for name in MODELS]
        sx.run(models, items=source, out=Path(folder) / "run")
        for control in controls:
            facet, level = LEVELS[control]
            asked = level.format(seed=seed)
            run = sx.run(models, items=source, facets={facet: asked}, out=Path(folder) / "run")
            found = sx.compare(run, conditions=["default", f"{facet}={asked}"], convention="readable")
            for shift in found.shifts:
                row = shift.difference
                if row.experiment in SIZES and row.difference is not None:
                    name = shift.name.removeprefix("sim/").partition("@")[0]
                    yield Found(seed, control, name, row.experiment, row.difference, row.low or 0.0, row.high or 0.0)


# --- results ---------------------------------------------------------------------------------------------------------


def kept() -> list[Found]:
    if not RUNS.exists():
        return []
    with RUNS.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Found(int(row[0]), row[1], row[2], row[3], *map(float, row[4:])) for row in rows]


def keep(rows: Iterable[Found]) -> None:
    new = not RUNS.exists()
    with RUNS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(Found._fields)
        writer.writerows([*row[:4], *(f"{number:.5f}" for number in row[4:])] for row in rows)


def table(rows: Sequence[Found]) -> Iterator[str]:
    yield "| control | model | experiment | planted | mean found | intervals that hold it | that lie beside 0 | runs |"
    yield "|---|---|---|--:|--:|--:|--:|--:|"
    for control, model, experiment in product(LEVELS, MODELS, SIZES):
        here = [row for row in rows if row[1:4] == (control, model, experiment)]
        truth = planted(PROFILES[model], experiment, control)
        if here:
            mean = sum(row.difference for row in here) / len(here)
            holds = sum(row.low <= truth <= row.high for row in here) / len(here)
            beside = sum(not row.low <= 0 <= row.high for row in here) / len(here)
            numbers = [f"{truth:+.3f}", f"{mean:+.3f}", f"{holds:.3f}", f"{beside:.3f}", str(len(here))]
            yield f"| {control} | {model} | {experiment} | {' | '.join(numbers)} |"


def main(runs: int = 200, seed: int = 1) -> None:
    done = {(row.seed, row.control) for row in kept()}
    for one in range(seed, seed + runs):
        if left := [control for control in LEVELS if (one, control) not in done]:
            keep(list(one_run(one, left)))
    rows = [row for row in kept() if seed <= row.seed < seed + runs]
    sizes = ", ".join(f"{n} {experiment}" for experiment, n in SIZES.items())
    title = f"{runs} runs from seed {seed}, items in each: {sizes}. Written by simulate.py."
    RESULTS.write_text("\n".join([title, "", *table(rows)]) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
