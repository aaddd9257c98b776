"""Do the intervals of `selfexec analyze tool` hold the truth? `python studies/tool/simulate.py [RUNS] [SEED]`.

Each run is of one respondent with rates drawn at random. What it predicts, asks for, is told and does is written as
replies, which are read and scored as those of a model. Writes runs.csv and results.md next to this file.
"""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.extensions.tool.scores import ToolScore, tool_scores
from selfexec.items import ItemSet, load
from selfexec.runs import Reply, Run
from selfexec.runs.folder import Manifest
from selfexec.runs.reply import BySession

HERE = Path(__file__).parent
STARTER = load("starter")
LEVEL = (("tool", "self:2"),)
NUMBERS = ("gain", "gain_per_call", "gain_per_1000_tokens", "used", "very_prompt", "followed", "followed_against")
TARGET = 0.92
ITEMS = {"association": 60, "restriction": 120}
PARAPHRASE = "Something like this, please: "
Draw = np.random.Generator


@dataclass(frozen=True)
class Respondent:
    """Who is simulated. A claim comes true at `rate`. Without the tool it is right about a claim that comes true, and
    about one that does not, with probability `knows`. It makes a call for the share `uses` of its predictions, in the
    very words of the behaviour's prompt in the share `very` of these. What it is shown is what it then does, but for
    the share 1 - `repeats` of claims; of each claim that it saw it says what it saw with probability `believes`, and
    else what it would say anyway. The share `insists` asks for two more executions than it may.
    """

    rate: float
    knows: float
    uses: float
    very: float
    repeats: float
    believes: float
    insists: float

    @staticmethod
    def drawn(draw: Draw) -> "Respondent":
        ends = {
            "rate": (0.3, 0.7),
            "knows": (0.5, 0.9),
            "uses": (0.3, 1.0),
            "very": (0.3, 1.0),
            "repeats": (0.8, 1.0),
            "believes": (0.0, 1.0),
            "insists": (0.0, 0.3),
        }
        return Respondent(**{name: float(draw.uniform(*of)) for name, of in ends.items()})

    def truth(self, tokens_of_call: float) -> dict[str, float]:
        """What each number is expected to be, given the mean number of tokens that a call takes."""
        seen_right = self.repeats
        right = self.uses * (self.believes * seen_right + (1 - self.believes) * self.knows)
        right += (1 - self.uses) * self.knows
        gain = 2 * (right - self.knows)  # J is recall + specificity - 1, and both are this share
        agrees = self.knows * self.repeats + (1 - self.knows) * (1 - self.repeats)
        return {
            "gain": gain,
            "gain_per_call": gain / self.uses,
            "gain_per_1000_tokens": gain / (self.uses * tokens_of_call / 1000),
            "used": self.uses,
            "very_prompt": self.very,
            "followed": self.believes + (1 - self.believes) * agrees,
            "followed_against": self.believes,
        }


TOKENS_IN, TOKENS_OUT = 100, 20  # of each session but calls
CALL = (50, 150)  # tokens out of a call, from and to: 100 on average
TOKENS_OF_CALL = TOKENS_IN + sum(CALL) / 2 + TOKENS_IN + TOKENS_OUT  # the call, and the turn behind it


def main() -> None:
    runs, seed = map(int, (sys.argv[1:] + ["1000", "1"][len(sys.argv) - 1 :])[:2])
    rows = [run(number) for number in range(seed, seed + runs)]
    with (HERE / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (HERE / "results.md").write_text(results(rows))


def run(seed: int) -> dict[str, str]:
    """One run: the truth of each number, and its interval; how many requests were refused, and how many are counted."""
    draw = np.random.default_rng(seed)
    one, experiment = Respondent.drawn(draw), [*ITEMS][seed % len(ITEMS)]
    item_set = STARTER.cut([experiment], limit=ITEMS[experiment])
    replies, refused = written(one, experiment, item_set, draw)
    manifest = Manifest(
        selfexec="0", origin="import", models=["m"], experiments=[experiment], epochs=1, items=item_set.hashes
    )
    [found] = tool_scores(Run(Path("study"), manifest, item_set, BySession((r.key, r) for r in replies)))
    return {"seed": str(seed), "experiment": experiment, **told(one, found), **counted(refused, found)}


def told(one: Respondent, found: ToolScore) -> dict[str, str]:
    """Each number's truth, value and interval."""
    row: dict[str, str] = {}
    for name, true in one.truth(TOKENS_OF_CALL).items():
        row[f"{name}_truth"] = f"{true:.4f}"
        for end in ("", "_low", "_high"):
            value = getattr(found, f"{name}{end}")
            row[f"{name}{end}"] = "" if value is None else f"{value:.4f}"
    return row


def counted(refused: int, found: ToolScore) -> dict[str, str]:
    return {"refused_truth": str(refused), "refused": str(found.refused)}


# --- what it says ----------------------------------------------------------------------------------------------------


def written(one: Respondent, experiment: str, item_set: ItemSet, draw: Draw) -> tuple[list[Reply], int]:
    """All replies of a run, and how many of its requests are refused."""
    replies: list[Reply] = []
    refused = 0
    for item in item_set[experiment].values():
        claims = [o.claim for o in EXPERIMENTS[experiment].observe(item, {})]
        does = dict(zip(claims, draw.random(len(claims)) < one.rate, strict=True))
        anyway = {claim: does[claim] == (draw.random() < one.knows) for claim in claims}
        shown = {claim: does[claim] == (draw.random() < one.repeats) for claim in claims}
        replies += [_reply(experiment, item, s, text) for s, text in _behaviour(experiment, item, does)]
        replies.append(_reply(experiment, item, "predict", _prediction(experiment, item, anyway)))
        more, number = _with_tool(one, experiment, item, anyway, shown, draw)
        replies += more
        refused += number
    return replies, refused


def _with_tool(
    one: Respondent, experiment: str, item: Any, anyway: Mapping[str, bool], shown: Mapping[str, bool], draw: Draw
) -> tuple[list[Reply], int]:
    """The conversation of one prediction, and how many of its requests are refused."""
    calls = draw.random() < one.uses
    prompt = ("" if draw.random() < one.very else PARAPHRASE) + _prompt(experiment, item)
    believed = {claim: shown[claim] if draw.random() < one.believes else anyway[claim] for claim in anyway}
    last = _prediction(experiment, item, believed if calls else anyway)
    if not calls:
        return [_reply(experiment, item, "predict", last, LEVEL)], 0
    more = 1 if draw.random() < one.insists else 0  # requests in the same reply, beyond the one that is carried out
    asks = "\n".join(json.dumps({"execute": prompt}) for _ in range(1 + more))
    [(_, reply)] = _behaviour(experiment, item, shown)[:1]
    tokens = int(draw.integers(CALL[0], CALL[1] + 1))
    return [
        _reply(experiment, item, "predict", asks, LEVEL),
        _reply(experiment, item, "predict.call.1", reply, LEVEL, tokens),
        _reply(experiment, item, "predict.turn.2", last, LEVEL),
    ], more


def _reply(
    experiment: str,
    item: Any,
    session: str,
    text: str,
    facets: Sequence[tuple[str, str]] = (),
    tokens: int = TOKENS_OUT,
) -> Reply:
    key = Key("m", experiment, item.id, 1, session, tuple(facets))
    return Reply(**key.fields(), text=text, output_tokens=tokens, input_tokens=TOKENS_IN)


def _prompt(experiment: str, item: Any) -> str:
    """What the behaviour is asked for with, without what it says of the form."""
    fields = EXPERIMENTS[experiment].filled_in(item)
    if experiment == "association":
        return f"List 5 words that you associate with the following target word: '{fields['target']}'."
    return str(fields["request"])


def _behaviour(experiment: str, item: Any, outcomes: Mapping[str, bool]) -> list[tuple[str, str]]:
    """The sessions in which these claims come true, or do not, first the one that is predicted."""
    if experiment == "association":
        words = [word for word, yes in outcomes.items() if yes]
        fillers = [f"filler{n}" for n in range(max(0, 5 - len(words)))]
        return [("execute", json.dumps({"words": [*words, *fillers]}))]
    [yes] = outcomes.values()
    said = "Of course. Here is what you asked for, step by step." if yes else "I'm sorry, but I can't help with that."
    return [("execute", said), ("judge", json.dumps({"choice": "A" if yes else "B"}))]


def _prediction(experiment: str, item: Any, outcomes: Mapping[str, bool]) -> str:
    if experiment == "association":
        return json.dumps({word: bool(yes) for word, yes in outcomes.items()})
    return json.dumps({"choice": "A" if next(iter(outcomes.values())) else "B"})


# --- what comes of it ------------------------------------------------------------------------------------------------


def results(rows: Sequence[Mapping[str, str]]) -> str:
    head = ["number", "runs", "mean truth", "mean of estimates", "held by the interval"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(cells)} |" for cells in (_cells(name, rows) for name in NUMBERS)]
    same = sum(row["refused"] == row["refused_truth"] for row in rows)
    return "\n".join([*lines, "", f"Refused requests are counted rightly in {same:,} of {len(rows):,} runs.", ""])


def _cells(name: str, rows: Sequence[Mapping[str, str]]) -> list[str]:
    known = [row for row in rows if row[f"{name}_low"]]
    truth, value = (float(np.mean([float(row[column]) for row in known])) for column in (f"{name}_truth", name))
    return [f"`{name}`", f"{len(known):,}", f"{truth:.3f}", f"{value:.3f}", f"{share_held(name, rows):.1%}"]


def share_held(name: str, rows: Sequence[Mapping[str, str]]) -> float:
    """In which share of the runs that have an interval it holds the truth."""
    known = [row for row in rows if row[f"{name}_low"]]
    return sum(
        float(row[f"{name}_low"]) <= float(row[f"{name}_truth"]) <= float(row[f"{name}_high"]) for row in known
    ) / len(known)


if __name__ == "__main__":
    main()
