"""How often do the intervals of token injection hold the truth? `python studies/token_injection/simulate.py [RUNS]
[SEED]`.

Each respondent is put words into its replies to the tasks of the extension. What it predicts and does is written as
replies, or taken as read, and counted as that of a model. Writes runs.csv and results.md next to this file.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.injecting.counting import Trial, cells, prediction_counts, share, trials_of
from selfexec.extensions.injecting.scores import skill_of
from selfexec.extensions.injecting.simulated import LOST, recovery, right
from selfexec.extensions.injecting.tasks import spot_in
from selfexec.items import load
from selfexec.readers import Reading

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from simulated_runs import write_study  # noqa: E402

EXPERIMENT = EXPERIMENTS["token_injection"]
ITEMS: Sequence[Any] = [*load("starter")["token_injection"].values()]
KINDS, DOSES = ("random", "second", "least"), (1, 4)
COLUMNS = ("respondent", "seed", "cells", "held", "skill_truth", "skill", "low", "high")
READ_AS_TEXT = 20  # runs of each respondent in which every reply is written and read
TARGET = 0.92
Draw = np.random.Generator
Said = Callable[[Draw, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Respondent:
    """Who is simulated: it recovers at the planted rates of the simulated models, or those of `rates`, in each reply
    anew with the chance `noise`, else as it usually does. It `says` what it predicts, from what it usually does and
    from another trial of its own.
    """

    name: str
    about: str
    says: Said
    recall: float = 0.5
    specificity: float = 0.5
    noise: float = 0.1
    drafts: bool = False

    def skill(self) -> float:
        """Expected J of its predictions, over all kinds and doses, which are asked of as many tasks each.

        A reply is usual, or drawn anew at the rate of its kind and dose: recall and specificity of predictions of what
        is usual are those of what is done, mixed with the rate of a yes where it is drawn anew.
        """
        rates = np.array([recovery(kind, dose) for kind in KINDS for dose in DOSES])
        if self.drafts:  # it goes by another trial, which has the same usual outcome
            both = rates * ((1 - self.noise) ** 2 + (1 - (1 - self.noise) ** 2) * rates)
            return float(both.sum() / rates.sum() - (rates - both).sum() / (1 - rates).sum())
        yes = self.recall * rates + (1 - self.specificity) * (1 - rates)  # whatever is done
        if_done = (1 - self.noise) * self.recall * rates + self.noise * rates * yes
        if_not = (1 - self.noise) * (1 - self.specificity) * (1 - rates) + self.noise * (1 - rates) * yes
        return float(if_done.sum() / rates.sum() - if_not.sum() / (1 - rates).sum())


def _knowing(recall: float, specificity: float) -> Said:
    return lambda draw, usual, again: draw.random(usual.shape) < np.where(usual, recall, 1 - specificity)


def _drafting(draw: Draw, usual: np.ndarray, again: np.ndarray) -> np.ndarray:
    return again


RESPONDENTS = (
    Respondent("knows-itself", "predicts what it usually does rightly at 80%", _knowing(0.8, 0.8), 0.8, 0.8),
    Respondent("knows-well", "at 95%", _knowing(0.95, 0.95), 0.95, 0.95),
    Respondent("knows-nothing", "tosses a coin", _knowing(0.5, 0.5)),
    Respondent("says-yes", "says yes at 90%, whatever it is asked", _knowing(0.9, 0.1), 0.9, 0.1),
    Respondent("drafts", "tries the task with words put in, and reads off whether it recovers", _drafting, drafts=True),
    Respondent("steady", "knows itself at 80%, and never does otherwise", _knowing(0.8, 0.8), 0.8, 0.8, noise=0.0),
)


def run(one: Respondent, draw: Draw, number: int) -> dict[str, Any]:
    """One run: in how many cells of kind, dose and task the interval holds the planted rate of recovery, and the skill
    of all predictions.
    """
    trials = list(trials_in_a_run(one, draw, as_text=number < READ_AS_TEXT))
    found = cells(trials)
    held = sum(holds(of_cell, recovery(kind, dose)) for (kind, dose, _), of_cell in found.items())
    skill = skill_of(prediction_counts(trials, strict=True))
    values = (one.skill(), skill.value, *skill.interval)
    return {"cells": len(found), "held": held, **dict(zip(COLUMNS[4:], (f"{v:.4f}" for v in values), strict=True))}


def holds(trials: Sequence[Trial], rate: float) -> bool:
    low, high = share(trials, lambda trial: trial.recovers).interval
    return bool(low <= rate <= high)


def trials_in_a_run(one: Respondent, draw: Draw, *, as_text: bool) -> Iterator[Trial]:
    rates = np.array([recovery(kind, dose) for kind in KINDS for dose in DOSES])
    shape = (len(ITEMS), len(rates))
    usual = draw.random(shape) < rates
    done, again = (np.where(draw.random(shape) < one.noise, draw.random(shape) < rates, usual) for _ in range(2))
    said = one.says(draw, usual, again)
    suffixes = [f"{kind}.{dose}" for kind in KINDS for dose in DOSES]
    for item, predicted, recovered in zip(ITEMS, said, done, strict=True):
        readings = readings_of(
            item, dict(zip(suffixes, predicted, strict=True)), dict(zip(suffixes, recovered, strict=True)), as_text
        )
        yield from (trial for trial in trials_of(item, readings, {}) if trial.kind in KINDS)


def readings_of(item: Any, said: Mapping[str, bool], done: Mapping[str, bool], as_text: bool) -> dict[str, Reading]:
    """The sessions of a task: as text that is read, or as what would be read of it."""
    whole = right(item)
    spot = spot_in(item, whole)
    assert spot is not None
    texts = {"execute": whole, **{f"execute.{name}": whole[spot.at :] if done[name] else LOST for name in done}}
    texts |= {f"predict.{name}": f'{{"choice": "{"A" if said[name] else "B"}"}}' for name in said}
    if as_text:
        return {session: EXPERIMENT.read(item, session, text) for session, text in texts.items()}
    known = {whole[spot.at :]: list(range(len(spot.before), len(item.parts))), LOST: []}
    found = {"execute": Reading("read", {"parts": list(range(len(item.parts))), "before": list(spot.before)})}
    found |= {f"execute.{name}": Reading("read", {"parts": known[texts[f"execute.{name}"]]}) for name in done}
    return found | {f"predict.{name}": Reading("read", "A" if said[name] else "B") for name in said}


def results(rows: Sequence[Mapping[str, Any]]) -> str:
    head = ["respondent", "it", "runs", "rates held", "true skill", "mean of estimates", "skill held"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(row_of(one, [r for r in rows if r['respondent'] == one.name]))} |" for one in RESPONDENTS]
    return "\n".join(lines) + "\n"


def row_of(one: Respondent, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    mean = sum(float(row["skill"]) for row in rows) / len(rows)
    rates, skill = f"{rates_held(rows):.1%}", f"{skill_held(rows):.1%}"
    true, seen = (f"{round(value, 3) + 0.0:.3f}" for value in (one.skill(), mean))  # no negative zero
    return [one.name, one.about, f"{len(rows):,}", rates, true, seen, skill]


def rates_held(rows: Sequence[Mapping[str, Any]]) -> float:
    """The share of cells, over all runs, whose interval holds the planted rate of recovery."""
    return sum(int(row["held"]) for row in rows) / sum(int(row["cells"]) for row in rows)


def skill_held(rows: Sequence[Mapping[str, Any]]) -> float:
    """The share of runs whose interval holds the expected skill."""
    return sum(float(row["low"]) <= float(row["skill_truth"]) <= float(row["high"]) for row in rows) / len(rows)


if __name__ == "__main__":
    write_study(HERE, RESPONDENTS, run, results)
