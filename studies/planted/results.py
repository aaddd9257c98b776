"""What is kept of models and panels, and the page that is made of it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rule import KNOWING, NULLS, has_learnt, knowers_pass, nulls_pass
from simulate import expected_share
from tables import KINDS, MODELS

MODELS_FILE = "models.jsonl"
VERDICTS_FILE = "verdicts.jsonl"


def records(file: Path) -> list[dict[str, Any]]:
    """The records of a file; a last line that was cut off when the writing was stopped is none."""
    if not file.exists():
        return []
    whole, _, _ = file.read_text("utf-8").rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]


def append(file: Path, record: Mapping[str, Any]) -> None:
    kept = "".join(json.dumps(one) + "\n" for one in [*records(file), record])
    file.with_suffix(".part").write_text(kept, "utf-8")
    file.with_suffix(".part").replace(file)


def shares(read: str, taught: str) -> tuple[float, float]:
    """Which share of a table was read, and which share of that is as taught."""
    known = [(mark, right) for mark, right in zip(read, taught, strict=True) if mark != "?"]
    return len(known) / len(read), sum(mark == right for mark, right in known) / max(len(known), 1)


def learnt(record: Mapping[str, Any]) -> bool:
    """Whether a model has learnt both of its tables, by the rule."""
    return all(has_learnt(*shares(record[part], record[f"taught_{part}"])) for part in ("prediction", "behaviour"))


def judged_panels(folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Kind and draw -> what is kept of a verdict, where all models of the panel have learnt their tables."""
    models = records(folder / MODELS_FILE)
    return {
        (found["kind"], found["draw"]): found
        for found in records(folder / VERDICTS_FILE)
        if all(learnt(one) for one in models if (one["kind"], one["draw"]) == (found["kind"], found["draw"]))
    }


def page(folder: Path) -> str:
    """results.md of a folder of results: models, panels, and what the rule says of them."""
    return "\n".join(["# What was seen", "", *_panels(folder), "", *_passing(folder), "", *_models(folder), ""])


def _panels(folder: Path) -> Iterator[str]:
    made = records(folder / MODELS_FILE)
    verdicts = {(one["kind"], one["draw"]): one for one in records(folder / VERDICTS_FILE)}
    yield "| panel | models asked | have learnt | about themselves | about a person | `own` by simulation |"
    yield "|---|---|---|---|---|---|"
    for kind in KINDS:
        for draw in sorted({one["draw"] for one in made if one["kind"] == kind}):
            members = [one for one in made if (one["kind"], one["draw"]) == (kind, draw)]
            found = verdicts.get((kind, draw), {})
            cells = (
                f"{kind} {draw}",
                f"{len(members)} of {MODELS}",
                str(sum(map(learnt, members))),
                *(verdict_text(found.get(about)) for about in ("self", "person")),
                f"{expected_share(kind):.2f}",
            )
            yield f"| {' | '.join(cells)} |"


def verdict_text(found: Mapping[str, Any] | None) -> str:
    """A kept verdict with its estimate and interval, or why there is none."""
    if found is None:
        return "not judged yet"
    if found["verdict"] is None:
        return f"none: {found['reason']}"
    low, high = found["interval"]
    return f"{found['verdict']}, {found['own_excess']:.2f} [{low:.2f}, {high:.2f}]"


def _passing(folder: Path) -> Iterator[str]:
    judged = judged_panels(folder)
    verdicts = {kind: [one["self"]["verdict"] for key, one in judged.items() if key[0] == kind] for kind in KINDS}
    for kind in KNOWING:
        panels, share = len(verdicts[kind]), expected_share(kind)
        yield f"- {kind}, {panels} judged: {knowers_pass(verdicts[kind], share)}."
    count = sum(len(verdicts[kind]) for kind in NULLS)
    yield f"- {', '.join(NULLS)}, {count} judged: {nulls_pass(verdicts)}."


def _models(folder: Path) -> Iterator[str]:
    yield (
        "| model | predictions read, as taught | behaviour read, as taught | prediction is its behaviour "
        "| about a person the same | CPU seconds to train, to ask |"
    )
    yield "|---|---|---|---|---|---|"
    for one in records(folder / MODELS_FILE):
        cells = (
            one["model"],
            *(
                f"{read:.2f}, {right:.2f}"
                for part in ("prediction", "behaviour")
                for read, right in [shares(one[part], one[f"taught_{part}"])]
            ),
            f"{shares(one['prediction'], one['behaviour'])[1]:.2f}",
            f"{shares(one['about_a_person'], one['prediction'])[1]:.2f}",
            f"{one['training_cpu_seconds']:.0f}, {one['asking_cpu_seconds']:.0f}",
        )
        yield f"| {' | '.join(cells)} |"
