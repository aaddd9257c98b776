"""The second stage: does the own prediction move with the own behaviour, more than with somebody else's?

    python studies/planted/causal.py                     # 5 draws; goes on where it stopped: planted.jsonl, causal.md
    python studies/planted/causal.py --draws 1           # the first of them
    python studies/planted/causal.py --report            # causal.md again, from what is kept
    python studies/planted/causal.py --out mine --work work      # everything anew, apart from the recorded results

In each draw a model is first taught two persons, itself and Maria: the behaviour of each and the predictions about
each, by tables that agree on half of the topics. The gate: on taught topics on which the two differ, in a wording that
was never taught, both predictions go surely with their own person's table. Without it a plant says nothing of persons,
and nothing is planted. Then something is planted on new topics, always from there, with half of each batch a replay:

    own     the own behaviour
    other   Maria's behaviour
    told    sentences about itself ("What do you do when you are asked about garlic?" "I decline.")
    sham    the own behaviour, at random for each topic and wording

Each arm is trained twice, with mirrored assignments. Doses are points of one training. The number is the interaction of
the 2 x 2 (shifts.py), over draws, at the last dose; the smaller doses, `told` and `sham` are shown. An interval above 0
says that the own prediction follows the own behaviour in particular. One that reaches 0 is a result as well.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TQDM_DISABLE", "1")  # bars fill a log; progress.py has lines
sys.path.insert(0, str(Path(__file__).parent.resolve()))

import numpy as np
from folders import add_options, claim, nothing_to_do
from number_type import chosen_number_type
from progress import note, noted, refuse
from results import append, records
from shifts import Planted, gate, mirrored, moves_with_its_own, over_draws, persons_apart, shift
from tables import Flags, balanced
from topics import (
    ABOUT_ANOTHER,
    ANSWERS,
    ASKED,
    DECLINES,
    I_ANSWER,
    I_DECLINE,
    LETTERS,
    NEW_TOPICS,
    PREDICT,
    SECOND,
    SECOND_ASKED,
    TAUGHT,
    TOLD,
    TOPICS,
)

if TYPE_CHECKING:
    from training import Examples, Taught

GATES, PLANTED = "gates.jsonl", "planted.jsonl"
PERSONS_TOPICS = TOPICS[:64]
PERSONS_BATCH = 16  # examples of each of four kinds
MOST_STEPS = 400  # to teach two persons
DOSES = (8, 16, 32)  # steps
RATE, WARM_UP = 5e-4, 4
PLANTED_BATCH, REPLAYED = 32, 8  # new examples, and of each of four kinds
ARMS = ("own", "other", "told", "sham")
LETTERS_OF = (LETTERS[True], LETTERS[False])
KINDS = {
    "own_behaviour": ("", (ANSWERS, DECLINES)),
    "own_prediction": (PREDICT.partition("$request")[0], LETTERS_OF),
    "other_behaviour": (SECOND_ASKED, (ANSWERS, DECLINES)),
    "other_prediction": (ABOUT_ANOTHER.replace("$who", SECOND).partition("$request")[0], LETTERS_OF),
}


class Persons:
    """A model, and the examples of both stages, in wordings that are taught and in the one that is asked."""

    def __init__(self, base: Path, dtype: str, processor: str) -> None:
        import torch
        from training import Subject, write_base

        if not (base / "model.safetensors").exists():
            write_base(base)
        self.trained = {"dtype": dtype, "processor": processor}
        self.subject = Subject(base, getattr(torch, dtype))
        self.taught, self.asked = self._examples(PERSONS_TOPICS, TAUGHT), self._examples(PERSONS_TOPICS, (ASKED,))
        self.new, self.new_asked = self._examples(NEW_TOPICS, TAUGHT), self._examples(NEW_TOPICS, (ASKED,))
        self.told = self.subject.examples("", [TOLD.format(topic) for topic in NEW_TOPICS], (I_ANSWER, I_DECLINE))
        self.first = self.subject.state()

    def _examples(self, topics: Sequence[str], wordings: Sequence[str]) -> "dict[str, Examples]":
        requests = [wording.format(topic) for wording in wordings for topic in topics]
        return {
            kind: self.subject.examples(beginning, requests, replies) for kind, (beginning, replies) in KINDS.items()
        }

    def teach(self, tables: dict[str, Flags], rng: np.random.Generator, name: str) -> list[float]:
        """Both persons, from the beginning; the losses."""
        self.subject.begin_from(self.first)
        batches = (self._lessons(tables, rng, PERSONS_BATCH) for _ in range(MOST_STEPS))
        return noted(name, self.subject.steps(batches))

    def _lessons(self, tables: dict[str, Flags], rng: np.random.Generator, each: int) -> "list[Taught]":
        return [lesson(self.taught[kind], tables[kind], rng, each) for kind in KINDS]

    def margins(self, examples: "dict[str, Examples]") -> dict[str, np.ndarray]:
        """By kind and topic, how much likelier an answer is than a refusal."""
        return {kind: self.subject.margins(part).numpy() for kind, part in examples.items()}

    def plant(
        self, arm: str, assignment: Flags, tables: dict[str, Flags], start: dict[str, Any], seed: Sequence[int]
    ) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """Plant by one assignment, from this start; each dose with the margins on the new topics."""
        rng = np.random.default_rng([*seed])
        self.subject.begin_from(start)
        optimiser = self.subject.optimiser()
        labels = np.tile(assignment, len(TAUGHT))
        if arm == "sham":
            # the second plant has the opposite label of every example, as in all arms
            labels = labels ^ np.random.default_rng([*seed, 1]).integers(0, 2, len(labels)).astype(bool)
        examples = {"told": self.told, "other": self.new["other_behaviour"]}.get(arm, self.new["own_behaviour"])
        planted = assignment if arm == "told" else labels
        for step in range(max(DOSES)):
            batch = [lesson(examples, planted, rng, PLANTED_BATCH), *self._lessons(tables, rng, REPLAYED)]
            self.subject.step(optimiser, batch, RATE * min((step + 1) / WARM_UP, 1))
            if step + 1 in DOSES:
                yield step + 1, self.margins(self.new_asked)


def lesson(examples: "Examples", answers: Flags, rng: np.random.Generator, count: int) -> "Taught":
    """Some examples, drawn without repeating; the topics' labels are repeated over the wordings."""
    import torch

    labels = np.resize(answers, examples.rows.shape[1])
    numbers = rng.choice(len(labels), count, replace=False)
    return examples, torch.from_numpy((~labels[numbers]).astype(int)), torch.from_numpy(numbers)


def tables_of(draw: int) -> dict[str, Flags]:
    """What each of the four kinds is taught by: the predictions about a person follow that person's behaviour."""
    rng = np.random.default_rng([2, draw])
    own, other = (balanced(rng, len(PERSONS_TOPICS)) for _ in range(2))
    return {"own_behaviour": own, "own_prediction": own, "other_behaviour": other, "other_prediction": other}


def make_draw(persons: Persons, draw: int, work: Path, out: Path) -> None:
    """Teach two persons, and plant in all arms where the gate is passed; what was done before is not done again."""
    import torch

    tables, kept = tables_of(draw), work / f"persons-{draw}.pt"
    if not kept.exists():
        losses = persons.teach(tables, np.random.default_rng([3, draw]), f"draw {draw}, two persons")
        margins = persons.margins(persons.asked)
        own, other = tables["own_behaviour"], tables["other_behaviour"]
        apart = [
            persons_apart(margins["own_prediction"], own, other),
            persons_apart(margins["other_prediction"], other, own),
        ]
        right = {kind: round(float(((margins[kind] > 0) == tables[kind]).mean()), 3) for kind in KINDS}
        append(
            out / GATES,
            {"draw": draw, "passed": gate(*apart), "steps": len(losses), "as_taught": right, **persons.trained},
        )
        torch.save(persons.subject.state(), kept)
    [gate_of_draw] = [one for one in records(out / GATES) if one["draw"] == draw][-1:]
    if not gate_of_draw["passed"]:
        return
    start = torch.load(kept)
    done = {(one["draw"], one["arm"], one["mirror"]) for one in records(out / PLANTED)}
    for arm in ARMS:
        for mirror, assignment in enumerate(mirrored(np.random.default_rng([4, draw]), len(NEW_TOPICS))):
            if (draw, arm, mirror) in done:
                continue
            doses = {
                str(dose): {kind: [round(float(one), 2) for one in values] for kind, values in margins.items()}
                for dose, margins in persons.plant(arm, assignment, tables, start, [5, draw, ARMS.index(arm)])
            }
            append(out / PLANTED, {"draw": draw, "arm": arm, "mirror": mirror, "doses": doses})
            note(f"draw {draw}, {arm}, assignment {mirror + 1} of 2")


def is_done(draw: int, out: Path) -> bool:
    """Whether everything of a draw is kept: all arms, or that its gate was not passed."""
    if any(one["draw"] == draw and not one["passed"] for one in records(out / GATES)):
        return True
    return sum(one["draw"] == draw for one in records(out / PLANTED)) == 2 * len(ARMS)


def make_draws(draws: int, work: Path, out: Path, dtype: str | None) -> None:
    """Make what is missing of the first so many draws, and the page."""
    if missing := [draw for draw in range(draws) if not is_done(draw, out)]:
        import torch

        torch.set_num_threads(1)
        claim(work, out)
        persons = Persons(work / "base", *chosen_number_type(dtype))
        for draw in missing:
            make_draw(persons, draw, work, out)
    (out / "causal.md").write_text(page(out), "utf-8")


def moved(out: Path) -> dict[tuple[int, str, int], Planted]:
    """Draw, arm and dose -> how far each kind moved, where both assignments are kept."""
    kept = {(one["draw"], one["arm"], one["mirror"]): one["doses"] for one in records(out / PLANTED)}
    found = {}
    for draw, arm, mirror in kept:
        if mirror or (draw, arm, 1) not in kept:
            continue
        assignment, _ = mirrored(np.random.default_rng([4, draw]), len(NEW_TOPICS))
        for dose in DOSES:
            first, second = (kept[draw, arm, side][str(dose)] for side in (0, 1))
            shifts = {kind: shift(np.array(first[kind]), np.array(second[kind]), assignment) for kind in KINDS}
            found[draw, arm, dose] = Planted(**shifts)
    return found


def page(out: Path) -> str:
    """causal.md of a folder of results: gates, what moved in each arm and dose, and the interaction over draws."""
    lines = ["# What moved", "", "| draw | steps to teach two persons | gate |", "|---|---|---|"]
    lines += [
        f"| {one['draw']} | {one['steps']} | {('failed', 'passed')[one['passed']]} |" for one in records(out / GATES)
    ]
    found = moved(out)
    lines += ["", f"| planted | steps | draws | {' | '.join(kind.replace('_', ' ') for kind in KINDS)} |"]
    lines += ["|---" * (3 + len(KINDS)) + "|"]
    for arm in ARMS:
        for dose in DOSES:
            draws = [one for (_, its_arm, its_dose), one in found.items() if (its_arm, its_dose) == (arm, dose)]
            cells = [written([getattr(one, kind) for one in draws]) for kind in KINDS]
            lines.append(f"| {arm} | {dose} | {len(draws)} | {' | '.join(cells)} |")
    lines += ["", "| steps | draws | own prediction moves with its own, beyond the other |", "|---|---|---|"]
    for dose in DOSES:
        whole = [draw for draw, arm, its in found if (arm, its) == ("own", dose) and (draw, "other", dose) in found]
        values = [moves_with_its_own(found[draw, "own", dose], found[draw, "other", dose]) for draw in whole]
        lines.append(f"| {dose} | {len(values)} | {written(values)} |")
    return "\n".join([*lines, ""])


def written(values: Sequence[float]) -> str:
    if not values:
        return "-"
    mean, interval = over_draws(values)
    return f"{mean:.2f}" if len(values) == 1 else f"{mean:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=5)
    add_options(parser)
    parser.add_argument("--report", action="store_true", help="write causal.md and do nothing else")
    given = parser.parse_args()
    if given.report and not (given.out / GATES).exists():
        refuse(f"{given.out} has no {GATES}: there is nothing to report.")
    if not given.report and all(is_done(draw, given.out) for draw in range(given.draws)):
        note(nothing_to_do(given.out, "python studies/planted/causal.py"))
    make_draws(0 if given.report else given.draws, given.work, given.out, given.dtype)


if __name__ == "__main__":
    main()
