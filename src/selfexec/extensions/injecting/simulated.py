"""Token injection: a respondent decides whether it finishes a task and whether it recovers, and writes what follows."""

import json
import re
from collections.abc import Mapping, Sequence

from selfexec.engines.sim import InjectedReply, shapes, undisturbed
from selfexec.engines.sim.simulation import Said, SimTask, Simulation, Subject
from selfexec.engines.sim.traits import Facts, How, Respondent, draw
from selfexec.experiments import Injection
from selfexec.extensions.injecting.experiment import NONE, QUESTION, TokenInjection
from selfexec.extensions.injecting.tasks import Task

SOLVES = 0.95  # of the tasks, undisturbed
RECOVERS = {"random": 0.7, "second": 0.55, "least": 0.4, QUESTION: 0.8}  # with one word or token, and less with more
PER_DOUBLING = 0.9
NOTICES, FALSE_ALARMS = 0.8, 0.1
KNOWN = "tasks that are simulated"
LOST = "and so on, as far as anybody can tell."


def recovery(kind: str, dose: int) -> float:
    """How often a respondent recovers."""
    return float(RECOVERS[kind] * PER_DOUBLING ** (dose.bit_length() - 1))


class SimulatedTokenInjection(Simulation):
    def facts(self, items: Sequence[Task]) -> Mapping[str, Mapping[str, Task]]:
        return {KNOWN: {item.prompt: item for item in items}}

    def asked(self, item: Task, session: str, prompt: str) -> Subject:
        return Subject(item.prompt, (session.partition(".")[2],))

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        task = filled.get("task", "")
        return Subject(task, ("",)) if task in facts[KNOWN] and kind == "execute" else None

    def behaves(self, respondent: Respondent, task: SimTask, epoch: int, shape: float, said: str) -> Said:
        item = respondent.knowledge[KNOWN].get(task.about)
        if item is None:
            return shapes.plain(draw("plain", said)), None
        (suffix,) = task.parts
        if task.kind == "notice":
            return _named(respondent, item, suffix, epoch, said), None
        if suffix.startswith(QUESTION):
            return (right(item) if _recovers(respondent, item, suffix, epoch) else LOST), None
        return (right(item) if respondent.does("solves", item.prompt, SOLVES, epoch) else LOST), None

    def injected(
        self, respondent: Respondent, task: SimTask, epoch: int, shape: float, said: str, injection: Injection
    ) -> InjectedReply:
        text, _ = self.behaves(respondent, task._replace(parts=("",)), epoch, shape, said)
        result = undisturbed(text, injection)
        item = respondent.knowledge[KNOWN].get(task.about)
        if item is None or injection.kind == NONE or _recovers(respondent, item, task.parts[0], epoch):
            return result
        return result._replace(behind=f" {LOST}")

    def predicts(self, respondent: Respondent, task: SimTask, shape: float, how: How) -> str:
        item = respondent.knowledge[KNOWN].get(task.about)
        if item is None:
            return shapes.broken(shape)
        (suffix,) = task.parts
        about = f"{item.prompt}\n{suffix}"
        yes = respondent.profile.copies or respondent.predicts("recovers", about, _rate(suffix), how)
        return shapes.prediction("A" if yes else "B", TokenInjection.options["predict"], shape)


def right(item: Task) -> str:
    """A right reply to a task."""
    return f"Here you are: {', '.join(item.parts)}."


def _rate(suffix: str) -> float:
    kind, _, dose = suffix.partition(".")
    return recovery(kind, int(dose))


def _recovers(respondent: Respondent, item: Task, suffix: str, epoch: int) -> bool:
    return respondent.does("recovers", f"{item.prompt}\n{suffix}", _rate(suffix), epoch)


def _named(respondent: Respondent, item: Task, suffix: str, epoch: int, conversation: str) -> str:
    """The words that it takes for foreign ones: those that a right reply has not; or one of its own, at times."""
    about = f"{item.prompt}\n{suffix}"
    if suffix == NONE:
        wrong = respondent.does("suspects", about, FALSE_ALARMS, epoch)
        return _listed([item.parts[0]] if wrong else [])
    if not respondent.does("notices", about, NOTICES, epoch):
        return _listed([])
    own = {*re.findall(r"\w+", f"{right(item)} {LOST}".casefold())}
    reply = conversation.split("assistant: ", 1)[-1].rsplit("\nuser: ", 1)[0]
    return _listed([word for word in re.findall(r"\w+", reply) if word.casefold() not in own])


def _listed(words: Sequence[str]) -> str:
    return json.dumps({"words": list(words)})
