"""What a log of our tasks has beside what every log has, and where: enough to make the run of it again.

header, metadata["selfexec"]     a LogOf: the experiment, its prompts, settings, which items they were
sample, metadata["item"]         the line of the item file, to the byte
sample, store["selfexec:replies"] lines of our journal, one for each session; of a run that was exported also what was
                                  said of them afterwards (`selfexec:judgements`)

A score has in its metadata the claims of the item, and the readings that they are made of.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from selfexec.experiments import Experiment
from selfexec.runs import Reply
from selfexec.runs.folder import Manifest
from selfexec.runs.invocations import Invocation
from selfexec.runs.judgements import Judgement

LOG_OF = "selfexec"
ITEM = "item"
REPLIES = "selfexec:replies"
SENTENCES = "selfexec:sentences"
JUDGEMENTS = "selfexec:judgements"
TASKS = "selfexec/"  # before the names of our tasks
SIM = "selfexec/sim"  # Inspect's name of what is `sim/...` here
VERSION = "1-A"  # of the tasks: the number grows where scores before and after cannot be held against each other


class LogOf(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a log is of. `prompts` are whole, by name; `settings` are what the task itself sends, by scope; `model` is
    whose claims they are, where Inspect's names do not tell; `accept_ends` are the words for unknown ends that the run
    accepted, whose replies the log has as they count. The log of a
    run that was exported has its manifest, `run`, how many logs were exported together (`logs`), and the lines of the
    run's items that no sample is of.
    """

    version: str
    experiment: str
    items: str
    items_sha256: str
    condition: dict[str, str] = {}
    preset: str | None = None
    preset_order: str | None = None
    prompts: dict[str, str] = {}
    settings: dict[str, Any] = {}
    model: str | None = None
    invocations: list[Invocation] = []
    accept_ends: list[str] = []
    run: Manifest | None = None
    logs: int = 0
    further_items: list[str] = []


def our_name(model: str) -> str:
    """What a model is called here: `sim/typical` for `selfexec/sim/typical`, and else as Inspect calls it."""
    if model == SIM:
        return f"sim/{DEFAULT_SIM}"
    return model.removeprefix(TASKS) if model.startswith(f"{SIM}/") else model


DEFAULT_SIM = "typical"


def role_of(experiment: Experiment, kind: str) -> str | None:
    """Who is asked in a kind of session: `predictor` where behaviour is predicted, `judge` where what was said is
    judged; None for the model whose behaviour it is.
    """
    if kind in experiment.predictions:
        return "predictor"
    judges = any(shown in experiment.kept for shown in experiment.shows.get(kind, ()))
    return "judge" if judges else None


def subject(model: str, roles: Mapping[str, str]) -> str:
    """Whose claims they are, in tables: where somebody else predicts or judges, nobody is to take it for the model's
    own prediction.
    """
    said = {"predictor": "predicted by", "judge": "judged by"}
    others = [f"{said[role]} {other}" for role, other in sorted(roles.items(), reverse=True) if role in said]
    return ", ".join([model, *others])


def lines_of(records: Sequence[Reply | Judgement]) -> list[dict[str, Any]]:
    """Replies, or judgements of some, as a log keeps them: what is not known is left out."""
    return [msgspec.json.decode(msgspec.json.encode(record)) for record in records]
