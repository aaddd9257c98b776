"""Is a repetition the same result as the recorded one?

    python studies/planted/compare.py mine       # mine: the folder that was given to make.py as --out

It reads models.jsonl and verdicts.jsonl of both. The result is the same if each model was taught the same tables and
has learnt them by the rule (rule.py), and if each panel has the same verdict. Checkpoints and losses differ between
processors; single topics and the last digits of an estimate may. The exit status is 0 where nothing differs, 1 where
something does, and 2 where there is nothing to compare. What is not repeated yet is named, and is no difference.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent.resolve()))

from folders import RECORDED
from progress import refuse
from results import MODELS_FILE, VERDICTS_FILE, learnt, records, shares, verdict_text
from tables import MODELS

TABLES = ("taught_prediction", "taught_behaviour")
READ = ("prediction", "about_a_person", "behaviour")
ABOUT = {"self": "themselves", "person": "a person"}
Outcome = Literal["same", "other", "not judged yet", "not judged: tables not learnt"]


@dataclass(frozen=True)
class ComparedModel:
    """One model as it was recorded and as it was repeated."""

    recorded: Mapping[str, Any]
    repeated: Mapping[str, Any]

    @property
    def tables_are_identical(self) -> bool:
        return all(self.recorded[table] == self.repeated[table] for table in TABLES)

    @property
    def differing_topics(self) -> dict[str, int]:
        """By what was asked, on how many topics something else was read than was recorded."""
        return {
            part: sum(a != b for a, b in zip(self.recorded[part], self.repeated[part], strict=True)) for part in READ
        }

    def row(self) -> list[str]:
        """The cells of a table. Each share as taught stands next to the recorded one."""
        as_taught = (
            [f"{shares(one[part], one[f'taught_{part}'])[1]:.3f}" for one in (self.repeated, self.recorded)]
            for part in ("prediction", "behaviour")
        )
        return [
            self.recorded["model"],
            "identical" if self.tables_are_identical else "other",
            "yes" if learnt(self.repeated) else "no",
            *(f"{mine} ({recorded})" for mine, recorded in as_taught),
            ", ".join(map(str, self.differing_topics.values())),
            str(sum(self.repeated[part].count("?") for part in READ)),
            str(self.repeated.get("dtype", "not recorded")),
        ]


@dataclass(frozen=True)
class ComparedVerdict:
    """The verdict on one panel, asked about themselves or about a person. `repeated` is None before that."""

    panel: str
    about: str
    recorded: Mapping[str, Any]
    repeated: Mapping[str, Any] | None
    is_learnt: bool

    @property
    def outcome(self) -> Outcome:
        if self.repeated is None:
            return "not judged yet"
        if not self.is_learnt:
            return "not judged: tables not learnt"
        return "same" if self.recorded["verdict"] == self.repeated["verdict"] else "other"

    def row(self) -> list[str]:
        codes = [", ".join(one["against"]) or "-" if one else "-" for one in (self.recorded, self.repeated)]
        texts = [verdict_text(one) for one in (self.recorded, self.repeated)]
        return [self.panel, ABOUT[self.about], texts[0], codes[0], texts[1], codes[1], self.outcome]


def compared_models(recorded: Path, repeated: Path) -> list[ComparedModel]:
    """The models that are in both folders."""
    mine = {one["model"]: one for one in records(repeated / MODELS_FILE)}
    return [ComparedModel(one, mine[one["model"]]) for one in records(recorded / MODELS_FILE) if one["model"] in mine]


def compared_verdicts(recorded: Path, repeated: Path) -> list[ComparedVerdict]:
    """All verdicts that are recorded."""
    mine = {(one["kind"], one["draw"]): one for one in records(repeated / VERDICTS_FILE)}
    models = records(repeated / MODELS_FILE)
    found = []
    for one in records(recorded / VERDICTS_FILE):
        panel = one["kind"], one["draw"]
        members = [model for model in models if (model["kind"], model["draw"]) == panel]
        is_learnt = len(members) >= MODELS and all(map(learnt, members))
        for about in ABOUT:
            verdict = mine[panel][about] if panel in mine else None
            found.append(ComparedVerdict(f"{panel[0]} {panel[1]}", about, one[about], verdict, is_learnt))
    return found


def table(head: str, rows: list[list[str]]) -> Iterator[str]:
    yield head
    yield "|---" * (head.count("|") - 1) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def page(models: list[ComparedModel], verdicts: list[ComparedVerdict], recorded: int) -> Iterator[str]:
    """Models, verdicts, and what it comes to. `recorded` is how many models the recorded result has."""
    head = "| model | tables | learnt | predictions as taught (recorded) | behaviour as taught (recorded) "
    head += "| topics read otherwise: prediction, about a person, behaviour | not read | number type |"
    yield from table(head, [one.row() for one in models])
    yield ""
    head = "| panel | about | recorded | against `own` | repeated | against `own` | verdict |"
    yield from table(head, [one.row() for one in verdicts])
    yield ""
    identical, known = sum(one.tables_are_identical for one in models), sum(learnt(one.repeated) for one in models)
    yield f"Models repeated: {len(models)} of {recorded}. Tables identical: {identical}; learnt: {known}."
    counts = Counter(one.outcome for one in verdicts)
    yield f"Verdicts ({len(verdicts)}): {', '.join(f'{count} {outcome}' for outcome, count in counts.items())}."
    yield conclusion(models, verdicts, recorded)


def differs(models: list[ComparedModel], verdicts: list[ComparedVerdict]) -> bool:
    """Whether anything of what was repeated is another result."""
    return not all(one.tables_are_identical and learnt(one.repeated) for one in models) or any(
        one.outcome not in ("same", "not judged yet") for one in verdicts
    )


def conclusion(models: list[ComparedModel], verdicts: list[ComparedVerdict], recorded: int) -> str:
    if differs(models, verdicts):
        return "Another result."
    if len(models) == recorded and all(one.outcome == "same" for one in verdicts):
        return "The same result: the same tables, learnt by all models, and the same verdicts."
    if any(one.outcome == "same" for one in verdicts):
        return "Not repeated wholly; what was repeated is the same result."
    return "No verdict is repeated yet; the models that were repeated have learnt the same tables."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repeated", type=Path, metavar="MINE", help="the folder of results to compare")
    repeated = parser.parse_args().repeated
    if repeated.resolve() == RECORDED:
        refuse(f"{repeated} has the recorded results themselves: give the folder of a repetition.")
    try:
        models, verdicts = compared_models(RECORDED, repeated), compared_verdicts(RECORDED, repeated)
        lines = list(page(models, verdicts, len(records(RECORDED / MODELS_FILE))))
    except (KeyError, TypeError, ValueError, OSError) as fault:
        refuse(f"{repeated}: its {MODELS_FILE} or {VERDICTS_FILE} is not as make.py writes it ({fault!r}).")
    if not models:
        refuse(
            f"{repeated / MODELS_FILE} has none of the recorded models yet: make.py --out {repeated} --work FOLDER "
            "writes a line when a model was asked."
        )
    print("\n".join(lines))
    sys.exit(differs(models, verdicts))


if __name__ == "__main__":
    main()
