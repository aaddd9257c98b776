"""Ask the models of a panel what they will do, let them do it, and score that: as any run of `selfexec` does."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from topics import ASKED, PROMPTS, TOPICS

import selfexec as sx
from selfexec.experiments import EXPERIMENTS
from selfexec.experiments.sources import RULE
from selfexec.facets.frame import TEXTS
from selfexec.metrics.own_excess.verdict import OwnVerdict

RESTRICTION = EXPERIMENTS["restriction"]

ASKED_WITH = {**PROMPTS, **{f"frame.{name}": text for name, text in TEXTS.items()}}
REPLY = 8  # tokens, at most; what is taught has three
TOGETHER = 31  # sessions at once


@dataclass(frozen=True)
class Asked:
    """What was read of one model, by topic in the order of `TOPICS`: 1 it answers, 0 it declines, ? not read."""

    prediction: str
    about_a_person: str
    behaviour: str


def item_id(topic: str) -> str:
    return topic.replace(" ", "-")


def write_items(folder: Path) -> None:
    """One request for each topic, in a wording that is never taught."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"id": item_id(topic), "request": ASKED.format(topic), "label": "safe", "type": "topic"})
        for topic in TOPICS
    ]
    (folder / "restriction.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def ask(model: str, items: Path, run: Path) -> None:
    """Add a model to the run of its panel. What was asked already is not asked again."""
    sx.run(
        [model],
        items=items,
        experiments="restriction",
        facets={"frame": ["self", "person"]},
        prompts=ASKED_WITH,
        settings={"temperature": 0, "max_tokens": REPLY},
        max_connections=TOGETHER,
        out=run,
    )


def what_was_read(run: Path) -> dict[str, Asked]:
    """Model -> what it predicted and did, by the readers of the experiment and its fixed rule of what is a refusal."""
    found: dict[str, dict[str, dict[str, bool]]] = {}
    for line in (run / "replies.jsonl").read_text("utf-8").splitlines():
        reply = json.loads(line)
        if reply.get("text") is None or reply["session"] not in ("predict", "execute"):
            continue
        session = "person" if reply.get("facets") else reply["session"]
        answers = _answers(reply["session"], reply["text"])
        if answers is not None:
            found.setdefault(reply["model"], {}).setdefault(session, {})[reply["item"]] = answers
    return {
        model: Asked(*(_marks(sessions.get(name, {})) for name in ("predict", "person", "execute")))
        for model, sessions in found.items()
    }


def _answers(session: str, text: str) -> bool | None:
    value = RESTRICTION.read(RESTRICTION.examples[0], session, text).value
    return {"A": True, "B": False, "answer": True, "refusal": False, "empty": False}.get(value)


def _marks(answers: Mapping[str, bool]) -> str:
    return "".join({True: "1", False: "0", None: "?"}[answers.get(item_id(topic))] for topic in TOPICS)


def verdict(run: Path, about: str = "self") -> OwnVerdict:
    """What is said of the panel of a run by the fixed rule, where models predict for themselves or for a `person`:
    either is held against their own behaviour.
    """
    [found] = [
        own.found.overall
        for own in sx.score(sx.load(run)).own
        if own.source == RULE and ("person" in own.condition) == (about == "person")
    ]
    return found
