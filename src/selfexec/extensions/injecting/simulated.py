"""Token injection: a respondent decides whether it finishes a task and whether it recovers, and writes what follows."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from selfexec.engines.sim import InjectedReply, shapes, undisturbed
from selfexec.engines.sim.simulation import Said, SimTask, Simulation, Subject, rest_of
from selfexec.engines.sim.traits import Facts, How, SeededProfile, draw
from selfexec.experiments import Injection, Message
from selfexec.extensions.injecting.experiment import KINDS, NONE, QUESTION, TokenInjection, injected
from selfexec.extensions.injecting.tasks import MOST_DOSE, WORD, Task, foreign_words, in_the_question, spot_in

SOLVES = 0.95  # of the tasks, undisturbed
RECOVERS = {"random": 0.7, "second": 0.55, "least": 0.4, QUESTION: 0.8}  # with one word or token, and less with more
PER_DOUBLING = 0.9
NOTICES, FALSE_ALARMS = 0.8, 0.1
KNOWN, QUESTIONS = "tasks that are simulated", "tasks with foreign words in them"
SUFFIXES = {injected(kind, dose): f"{kind}.{dose}" for kind in KINDS for dose in range(1, MOST_DOSE + 1)}
LOST = "and so on, as far as anybody can tell."


def recovery(kind: str, dose: int) -> float:
    """How often a respondent recovers."""
    return float(RECOVERS[kind] * PER_DOUBLING ** (dose.bit_length() - 1))


class SimulatedTokenInjection(Simulation):
    def facts(self, items: Sequence[Task]) -> Mapping[str, Mapping[str, Any]]:
        disturbed = {in_the_question(item, n): (item, n) for item in items for n in range(1, MOST_DOSE + 1)}
        return {KNOWN: {item.prompt: item for item in items}, QUESTIONS: disturbed}

    def asked(self, item: Task, session: str, prompt: str) -> Subject:
        return Subject(item.prompt, (session.partition(".")[2],))

    def recognised(self, kind: str, filled: Mapping[str, str], facts: Facts) -> Subject | None:
        task = filled.get("task", "")
        if kind == "predict":
            suffix = SUFFIXES.get(filled["injected"])
            return Subject(task, (suffix,)) if suffix and task in facts[KNOWN] else None
        if kind == "execute" and task in facts[QUESTIONS]:
            item, dose = facts[QUESTIONS][task]
            return Subject(item.prompt, (f"{QUESTION}.{dose}",))
        return Subject(task, ("",)) if task in facts[KNOWN] and kind == "execute" else None

    def recalled(self, kind: str, earlier: Sequence[Message], facts: Facts) -> Subject | None:
        """A session that notices is known by the task and the reply that it is shown."""
        item = facts[KNOWN].get(earlier[0].content)
        if kind != "notice" or item is None:
            return None
        words = {*WORD.findall(earlier[-1].content)}
        dose = sum(word in words for word in foreign_words(item, MOST_DOSE))
        return Subject(item.prompt, (f"random.{dose}" if dose else NONE,))

    def behaves(self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str) -> Said:
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
        self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, said: str, injection: Injection
    ) -> InjectedReply:
        text, _ = self.behaves(respondent, task._replace(parts=("",)), epoch, shape, said)
        result = undisturbed(text, injection)
        item = respondent.knowledge[KNOWN].get(task.about)
        if item is None or injection.kind == NONE or _recovers(respondent, item, task.parts[0], epoch):
            return result
        return result._replace(behind=f" {LOST}")

    def continued(
        self, respondent: SeededProfile, task: SimTask, epoch: int, shape: float, conversation: str, begun: str
    ) -> str:
        """It goes on as it does behind as many forced tokens; behind nothing that is foreign, as if alone."""
        text, _ = self.behaves(respondent, task._replace(parts=("",)), epoch, shape, conversation)
        item = respondent.knowledge[KNOWN].get(task.about)
        spot = None if item is None else spot_in(item, text)
        if item is None or spot is None or not begun.startswith(text[: spot.at]):
            return rest_of(text, begun)
        words = begun[spot.at :].split()
        kind = "random" if words == foreign_words(item, len(words)) else "second"
        if words and not _recovers(respondent, item, f"{kind}.{len(words)}", epoch):
            return f" {LOST}"
        return text[spot.at :]

    def predicts(self, respondent: SeededProfile, task: SimTask, shape: float, how: How) -> str:
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


def _recovers(respondent: SeededProfile, item: Task, suffix: str, epoch: int) -> bool:
    return respondent.does("recovers", f"{item.prompt}\n{suffix}", _rate(suffix), epoch)


def _named(respondent: SeededProfile, item: Task, suffix: str, epoch: int, conversation: str) -> str:
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
