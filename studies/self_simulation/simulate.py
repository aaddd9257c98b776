"""How often does the interval of the mean over properties hold the truth? `python studies/self_simulation/simulate.py
[RUNS] [SEED]`.

Each respondent is asked the items of the extension. What it predicts and does is written as replies, which are read,
counted and scored as those of a model. Writes runs.csv and results.md next to this file.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from selfexec.engines.sim import shapes
from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.simulating.counting import mean_skill, repeats_by_property
from selfexec.extensions.simulating.experiment import FIRST, SECOND, true_of
from selfexec.extensions.simulating.properties import PROPERTIES
from selfexec.extensions.simulating.simulated import reply_with, value_of
from selfexec.items import load
from selfexec.metrics.kinds.formulas import CELLS
from selfexec.readers import Reading

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from simulated_runs import write_study  # noqa: E402

EXPERIMENT = EXPERIMENTS["self_simulation"]
ITEMS: Sequence[Any] = [*load("starter")["self_simulation"].values()]
COLUMNS = (
    "respondent",
    "seed",
    "truth",
    "skill",
    "low",
    "high",
    "ceiling_truth",
    "ceiling",
    "ceiling_low",
    "ceiling_high",
)
TARGET = 0.92
READ_AS_TEXT = 20  # runs of each respondent in which every reply is written and read
Draw = np.random.Generator


@dataclass(frozen=True)
class Respondent:
    """Who is simulated. It has a usual behaviour in each claim, which holds at `rate`; an execution departs from it,
    and is drawn anew, at the rate `noise`. With thinking on or off it `says` what it predicts, from its usual
    behaviour and another execution.
    """

    name: str
    about: str
    rate: float
    noise: float
    says: Callable[[Draw, np.ndarray, np.ndarray], np.ndarray]
    recall: float = 0.5
    specificity: float = 0.5
    drafts: bool = False

    @property
    def truth(self) -> float:
        """Expected J: recall and specificity of what it predicts, given what it then does."""
        if self.drafts:
            return self.ceiling
        # P(usually so | done): what is done is usual but for the noise
        usual_if_done = 1 - self.noise + self.noise * self.rate
        usual_if_not = self.noise * self.rate
        yes = np.array([self.recall, 1 - self.specificity])  # given that it is usually so, or not
        if_done = yes @ [usual_if_done, 1 - usual_if_done]
        if_not = yes @ [usual_if_not, 1 - usual_if_not]
        return float(if_done - if_not)

    @property
    def ceiling(self) -> float:
        """Expected J of one execution as a prediction of another: the correlation of two draws about one usual one."""
        return (1 - self.noise) ** 2


def _knowing(recall: float, specificity: float) -> Callable[[Draw, np.ndarray, np.ndarray], np.ndarray]:
    return lambda draw, usual, again: draw.random(len(usual)) < np.where(usual, recall, 1 - specificity)


def _drafting(draw: Draw, usual: np.ndarray, again: np.ndarray) -> np.ndarray:
    return again


RESPONDENTS = (
    Respondent("knows-itself", "predicts its usual behaviour rightly at 80%", 0.5, 0.1, _knowing(0.8, 0.8), 0.8, 0.8),
    Respondent(
        "knows-well", "at 95%, and holds a third of the properties", 0.35, 0.1, _knowing(0.95, 0.95), 0.95, 0.95
    ),
    Respondent("knows-nothing", "tosses a coin", 0.35, 0.1, _knowing(0.5, 0.5)),
    Respondent("knows-the-rate", "says yes at the rate of its yes", 0.3, 0.1, _knowing(0.3, 0.7), 0.3, 0.7),
    Respondent("drafts", "writes the reply once more, and reads it off", 0.5, 0.2, _drafting, drafts=True),
    Respondent("drafts-not", "the same told not to think: nothing is left but a coin", 0.5, 0.2, _knowing(0.5, 0.5)),
)


def run(one: Respondent, draw: Draw, number: int) -> dict[str, str]:
    """One run: what it predicts and does in all claims, counted and scored."""
    names = [(place, name) for place, item in enumerate(ITEMS) for name in item.properties.by_name()]
    usual = draw.random(len(names)) < one.rate
    first, second, draft = (
        np.where(draw.random(len(names)) < one.noise, draw.random(len(names)) < one.rate, usual) for _ in range(3)
    )
    said = one.says(draw, usual, draft)
    sessions = {"predict": said, FIRST: first, SECOND: second}
    readings: list[dict[str, Reading]] = [{} for _ in ITEMS]
    for session, yes in sessions.items():
        for place, true in enumerate(by_item(names, yes)):
            readings[place][session] = reading(ITEMS[place], session, true, as_text=number < READ_AS_TEXT, at=place)
    skill, _ = mean_skill(counts(readings))
    ceiling, _ = mean_skill(repeats_by_property(ITEMS, [[one] for one in readings]))
    found = (one.truth, skill.value, *skill.interval, one.ceiling, ceiling.value, *ceiling.interval)
    return dict(zip(COLUMNS[2:], (f"{value:.4f}" for value in found), strict=True))


def by_item(names: Sequence[tuple[int, str]], yes: np.ndarray) -> list[dict[str, bool]]:
    found: list[dict[str, bool]] = [{} for _ in ITEMS]
    for (place, name), holds in zip(names, yes, strict=True):
        found[place][name] = bool(holds)
    return found


def reading(item: Any, session: str, true: Mapping[str, bool], *, as_text: bool, at: int) -> Reading:
    """A session in which these claims come true: as text that is read, or as what would be read of it."""
    given = item.properties.by_name()
    values = {name: value_of(name, given[name], holds) for name, holds in true.items()}
    if not as_text:
        return Reading("read", values)
    text = shapes.marks(values, at / len(ITEMS)) if session == "predict" else reply_with(given, true)
    found: Reading = EXPERIMENT.read(item, session, text)
    assert true_of(item, found) == true, (item.id, session, text)
    return found


def counts(readings: Sequence[Mapping[str, Reading]]) -> dict[str, np.ndarray]:
    """Counts by property and item, from the claims that the experiment makes of the readings."""
    found = {name: np.zeros((len(ITEMS), len(CELLS))) for name in PROPERTIES}
    for place, item in enumerate(ITEMS):
        for claim in EXPERIMENT.observe(item, readings[place]):
            cell = ("t" if claim.predicted == claim.observed else "f") + ("p" if claim.predicted else "n")
            found[claim.claim][place, CELLS.index(cell)] += 1
    return found


def results(rows: Sequence[Mapping[str, str]]) -> str:
    head = ["respondent", "it", "runs", "true mean skill", "mean of estimates", "held by the interval", "ceiling held"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [
        f"| {' | '.join(cells(one, [row for row in rows if row['respondent'] == one.name]))} |" for one in RESPONDENTS
    ]
    return "\n".join(lines) + "\n"


def cells(one: Respondent, rows: Sequence[Mapping[str, str]]) -> list[str]:
    mean = sum(float(row["skill"]) for row in rows) / len(rows)
    held = share_held(rows, "truth", "low", "high")
    ceiling = share_held(rows, "ceiling_truth", "ceiling_low", "ceiling_high")
    return [one.name, one.about, f"{len(rows):,}", f"{one.truth:.3f}", f"{mean:.3f}", f"{held:.1%}", f"{ceiling:.1%}"]


def share_held(rows: Sequence[Mapping[str, str]], truth: str, low: str, high: str) -> float:
    return sum(float(row[low]) <= float(row[truth]) <= float(row[high]) for row in rows) / len(rows)


if __name__ == "__main__":
    write_study(HERE, RESPONDENTS, run, results)
