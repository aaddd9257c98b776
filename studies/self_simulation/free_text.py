"""Does the number of matched replies hold the truth? `python studies/self_simulation/free_text.py [RUNS] [SEED]`.

A respondent and three other models reply to prompts, and it predicts its replies as text. Some words of a text are its
style, some what it says to the prompt; two words have no trigram in common, so that how often a predicted reply is
nearer to its own reply follows by hand. The texts are matched as those of a run. Writes free_text_runs.csv and
free_text_results.md.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.simulating.facet import CLOSING, OPENING, PREDICTS, REPLY
from selfexec.extensions.simulating.free_text import matched
from selfexec.items import load

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from simulated_runs import write_study  # noqa: E402

EXPERIMENT = EXPERIMENTS["self_simulation"]
ITEM: Any = next(iter(load("starter")["self_simulation"].values()))
PROMPTS, OTHERS = 40, 3
STYLE, MATTER, EVERYBODYS = 4, 6, "this is what may be said to it"  # words of style and of matter, and what all say
COMMON = 0.5  # how often a model replies to a prompt as most models do
READ_AS_TEXT = 20  # runs of each respondent in which predictions are written as asked for, and read
COLUMNS = ("truth", "beyond", "low", "high", "style_truth", "style")
FIRST_SIGN, SIGNS = 0x4E00, 20_000  # of which words are made: each is one sign, four times
Draw = np.random.Generator
Texts = dict[tuple[str, int], str]


@dataclass(frozen=True)
class Respondent:
    """Who is simulated. A reply shows its style at the rate `shows`, and a prediction too if it `knows_style`. Its
    matter is the usual one of this model and prompt, but for the rate `noise`; a prediction has that usual matter at
    the rate `knows`, else what most models say if it knows `models`, else something else.
    """

    name: str
    about: str
    knows: float
    models: bool = False
    shows: float = 0.7
    knows_style: bool = True
    noise: float = 0.1

    def style(self) -> float:
        """How often a prediction is nearer to its own reply than to another model's, by style alone."""
        return (1 + self.styled) / 2

    def beyond(self) -> float:
        """How much more often it is nearer in replies to the same prompt, over all that may come about."""
        total = 0.0
        for chance, own, other in self._cases():
            ahead = np.sign(own - other)
            total += chance * (1 + ahead) / 2
        return total - self.style()

    @property
    def styled(self) -> float:
        """How often prediction and reply both show its style."""
        return self.shows**2 if self.knows_style else 0.0

    def _cases(self) -> Iterator[tuple[float, int, int]]:
        """The chance of each case, and how many words of the prediction its own reply and another model's have."""
        kinds = {"own": self.knows, "models": (1 - self.knows) * self.models}
        kinds["none"] = 1 - sum(kinds.values())
        chances = ((self.styled, 1 - self.styled), (COMMON, 1 - COMMON), (1 - self.noise, self.noise))
        for (kind, chance), style, common, usual, other, others_usual in product(
            kinds.items(), (0, 1), (0, 1), (0, 1), (0, 1), (0, 1)
        ):
            for way, place in ((chances[0], style), (chances[1], common), (chances[2], usual)):
                chance *= way[place]
            chance *= chances[1][other] * chances[2][others_usual]
            says_common = kind == "models" or (kind == "own" and common == 0)
            of_own = usual == 0 and (kind == "own" or (kind == "models" and common == 0))
            of_other = says_common and other == 0 and others_usual == 0
            yield chance, STYLE * (style == 0) + MATTER * of_own, MATTER * of_other


RESPONDENTS = (
    Respondent("knows-itself", "its usual reply at 80%, and its style", 0.8),
    Respondent("knows-no-style", "its usual reply at 80%, and no style", 0.8, knows_style=False),
    Respondent("style-alone", "its style and nothing else", 0.0),
    Respondent("strong-style", "its style alone, which nine replies of ten show", 0.0, shows=0.9),
    Respondent("knows-models", "what most models reply, and no style", 0.0, models=True, knows_style=False),
    Respondent("models-in-style", "what most models reply, in its style", 0.0, models=True),
    Respondent("drafts", "writes the reply once more", 0.9),
)


def run(one: Respondent, draw: Draw, number: int) -> dict[str, str]:
    """One run: the texts of everybody, matched."""
    predicted, own, others = texts_of(one, draw)
    if number < READ_AS_TEXT:
        predicted = {place: read(text) for place, text in predicted.items()}
    found = matched(predicted, own, others)
    values = (one.beyond(), found.beyond_style.value, *found.beyond_style.interval, one.style(), found.style)
    return dict(zip(COLUMNS, (f"{value:.4f}" for value in values), strict=True))


def texts_of(one: Respondent, draw: Draw) -> tuple[Texts, Texts, list[Texts]]:
    """What it predicts, what it replies, and what the others reply, by prompt."""
    signs = map(chr, range(FIRST_SIGN, FIRST_SIGN + SIGNS))
    styles = [words(signs, STYLE) for _ in range(1 + OTHERS)]
    predicted, replies = Texts(), [Texts() for _ in styles]
    for prompt in range(PROMPTS):
        place, most = (f"p{prompt}", 1), words(signs, MATTER)
        usual = [most if draw.random() < COMMON else words(signs, MATTER) for _ in styles]
        for texts, style, matter in zip(replies, styles, usual, strict=True):
            texts[place] = text(draw, signs, style, one.shows, matter, 1 - one.noise)
        known = usual[0] if draw.random() < one.knows else most if one.models else words(signs, MATTER)
        predicted[place] = text(draw, signs, styles[0], one.shows if one.knows_style else 0, known, 1)
    return predicted, replies[0], replies[1:]


def text(draw: Draw, signs: Iterator[str], style: str, shows: float, matter: str, usual: float) -> str:
    """A text in a style at the rate `shows`, with this matter at the rate `usual`; else of other words, as many."""
    first = style if draw.random() < shows else words(signs, STYLE)
    rest = matter if draw.random() < usual else words(signs, MATTER)
    return f"{first} {EVERYBODYS} {rest}"


def words(signs: Iterator[str], count: int) -> str:
    """Words that nobody has used before."""
    return " ".join(next(signs) * 4 for _ in range(count))


def read(said: str) -> str:
    """A predicted reply, written as the prompt asks for it and read."""
    form = f"{PREDICTS.name}={REPLY}"
    reading = EXPERIMENT.read_otherwise[form](ITEM, f"I think:\n{OPENING}\n{said}\n{CLOSING}")
    return str(reading.value[REPLY])


def results(rows: Sequence[Mapping[str, str]]) -> str:
    head = ["respondent", "it knows", "runs", "true beyond style", "mean of estimates", "held by the interval"]
    head += ["true share by style", "mean"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    by_name = {one.name: [row for row in rows if row["respondent"] == one.name] for one in RESPONDENTS}
    lines += [f"| {' | '.join(cells(one, by_name[one.name]))} |" for one in RESPONDENTS]
    return "\n".join(lines) + "\n"


def cells(one: Respondent, rows: Sequence[Mapping[str, str]]) -> list[str]:
    mean, style = (sum(float(row[name]) for row in rows) / len(rows) for name in ("beyond", "style"))
    numbers = (f"{round(value, 3) + 0.0:.3f}" for value in (one.beyond(), mean, one.style(), style))
    true, seen, by_style, seen_style = numbers
    return [one.name, one.about, f"{len(rows):,}", true, seen, f"{share_held(rows):.1%}", by_style, seen_style]


def share_held(rows: Sequence[Mapping[str, str]]) -> float:
    """The share of runs whose interval holds the expected number."""
    return sum(float(row["low"]) <= float(row["truth"]) <= float(row["high"]) for row in rows) / len(rows)


if __name__ == "__main__":
    write_study(HERE, RESPONDENTS, run, results, prefix="free_text_")
